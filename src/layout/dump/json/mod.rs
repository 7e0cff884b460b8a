//! Prints the values of a file as JSON.

mod annotations;
mod writer;

use std::io;

use super::Dump;
use crate::Rule;
use crate::layout::tree::ComputedFields;
use crate::layout::walk::{Fault, path_text, walk};
use writer::JsonWriter;

/// The header of the JSON of a dump.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonHead<'h> {
    /// The name of the file.
    pub file: &'h str,
    /// The name of its format.
    pub format: &'h str,
    /// The name of its layout.
    pub layout: &'h str,
}

impl Dump<'_> {
    /// Writes the values as JSON, as docs/json.md describes it. [`Tree::from_json`](crate::layout::tree::Tree::from_json) reads it.
    /// `rule_for` returns the rule that a fault violates.
    ///
    /// Returns the fault that ended the dump, if any.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::layout::dump::{Dump, JsonHead};
    /// use meshspec::Dialect;
    ///
    /// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
    /// let layout = meshspec::mesh::FORMAT.layout_of(&bytes, Dialect::SPEC).unwrap();
    /// let head = JsonHead { file: "flag.mesh", format: "mesh", layout: "mesh" };
    /// let mut json = Vec::new();
    /// Dump::new(layout, &bytes).write_json(&head, |_| None, &mut json)?;
    /// let json: serde_json::Value = serde_json::from_slice(&json)?;
    /// assert_eq!(json["value"]["header"]["vertex_count"]["$at"], serde_json::json!([3, 7]));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub fn write_json(
        &self,
        head: &JsonHead,
        rule_for: impl Fn(&Fault) -> Option<&'static Rule>,
        out: &mut impl io::Write,
    ) -> io::Result<Option<Fault>> {
        let path = self.path.as_deref().map(path_text);
        let mut writer =
            JsonWriter::new(out, head, self.bytes.len() as u64, path.as_deref(), None)?;
        let fault = self.walk(&mut writer);
        let is_complete = fault.is_none() && self.path.is_none();
        let error = fault.as_ref().map(|fault| (fault, rule_for(fault)));
        writer.finish(self.bytes, is_complete, error)?;
        Ok(fault)
    }

    /// Writes the values as JSON, without annotations, and without the values that
    /// [`assemble`](crate::layout::tree::Tree::assemble) computes. [`Tree::from_json`](crate::layout::tree::Tree::from_json) reads it.
    ///
    /// A count, size, offset or checksum is omitted if all values of its field equal the computed ones; packed bytes are
    /// omitted if packing their content yields the same bytes.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::layout::dump::{Dump, JsonHead};
    /// use meshspec::layout::tree::Tree;
    /// use meshspec::Dialect;
    ///
    /// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
    /// let layout = meshspec::mesh::FORMAT.layout_of(&bytes, Dialect::SPEC).unwrap();
    /// let head = JsonHead { format: "mesh", layout: "mesh", ..JsonHead::default() };
    /// let mut json = Vec::new();
    /// Dump::new(layout, &bytes).write_values(&head, &mut json)?;
    /// let tree = Tree::from_json(layout, &json)?;
    /// assert_eq!(tree.assemble(&Default::default())?, bytes);
    /// let json: serde_json::Value = serde_json::from_slice(&json)?;
    /// assert_eq!(json["value"]["header"].get("vertex_count"), None);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Returns the structural fault of the file, if it has one. Nothing is written then.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub fn write_values(
        &self,
        head: &JsonHead,
        out: &mut impl io::Write,
    ) -> io::Result<Option<Fault>> {
        let computed = match ComputedFields::find(self.ty, self.bytes, &self.limits) {
            Ok(computed) => computed,
            Err(fault) => return Ok(Some(fault)),
        };
        let size = self.bytes.len() as u64;
        let mut writer = JsonWriter::new(out, head, size, None, Some(&computed))?;
        let fault = walk(self.ty, self.bytes, &self.limits, &mut writer).err();
        writer.finish(self.bytes, true, None)?;
        Ok(fault)
    }
}
