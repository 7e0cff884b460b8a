//! Resolves the paths of options to values and places in a file.

use meshspec::Limits;
use meshspec::layout::declaration::Type;
use meshspec::layout::walk::{self, Segment, Selection};

use crate::failure::{Failure, Result};
use crate::names;

/// The file that paths refer to.
pub struct Paths<'f> {
    /// The name of the file in messages.
    pub place: &'f str,
    pub layout: &'static Type,
    pub bytes: &'f [u8],
    pub limits: &'f Limits,
}

impl Paths<'_> {
    /// Returns the full path of a value. `path` may be any unambiguous suffix.
    pub fn select(&self, path: &str) -> Result<Vec<Segment>> {
        let (first, count) = match walk::select(self.layout, self.bytes, path, self.limits) {
            Selection::One(path) => return Ok(path),
            Selection::Several { first, count } => (first, count),
            Selection::None => return Err(self.missing(path)),
        };
        let mut candidates = first.join(", ");
        if count > first.len() as u64 {
            candidates += &format!(" and {} more", count - first.len() as u64);
        }
        Err(Failure::usage(self.place, format!("`{path}` is ambiguous: it could be {candidates}")))
    }

    /// Returns the full path for a new value: an item of an existing list, or a field of an existing struct.
    pub fn select_place(&self, path: &str) -> Result<Vec<Segment>> {
        let (outer, last) = match path.rfind(['.', '[']) {
            Some(end) => path.split_at(end),
            None => ("", path),
        };
        let outer = if outer.is_empty() { String::new() } else { walk::path_text(&self.select(outer)?) };
        walk::parse_path(self.layout, &(outer + last)).ok_or_else(|| self.missing(path))
    }

    /// Returns the failure for a missing path.
    fn missing(&self, path: &str) -> Failure {
        if let Some(fault) = walk::first_fault(self.layout, self.bytes, self.limits) {
            return Failure::invalid(self.place, format!("no field `{path}` before the error: {fault}"));
        }
        let failure = Failure::usage(self.place, format!("no field `{path}`"));
        let name = path.rsplit('.').next().and_then(|last| last.split('[').next()).unwrap_or_default();
        match &names::near(self.layout, name)[..] {
            [] => failure.with_hint("`meshspec dump` shows all fields"),
            [same] if *same == name => failure
                .with_hint(format!("the format has a field `{name}`, but this file has none with this path")),
            near => failure.with_hint(format!("fields with similar names: {}", near.join(", "))),
        }
    }
}
