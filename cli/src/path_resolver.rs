//! Resolves paths given on the command line to full paths of values in a file.

use meshspec::Limits;
use meshspec::layout::declaration::Type;
use meshspec::layout::walk::{self, Segment, Selection};

use crate::failure::{Failure, Result};
use crate::names;

/// Resolves paths of values in a file.
pub struct PathResolver<'f> {
    /// The name of the file in messages.
    pub name: &'f str,
    pub layout: &'static Type,
    pub bytes: &'f [u8],
    pub limits: &'f Limits,
}

impl PathResolver<'_> {
    /// Returns the full path of an existing value. `path` may be any unambiguous suffix.
    pub fn resolve(&self, path: &str) -> Result<Vec<Segment>> {
        let (first, count) = match walk::select(self.layout, self.bytes, path, self.limits) {
            Selection::One(path) => return Ok(path),
            Selection::Several { first, count } => (first, count),
            Selection::None => return Err(self.missing_path(path)),
        };
        let mut candidates = first.join(", ");
        if count > first.len() as u64 {
            candidates += &format!(" and {} more", count - first.len() as u64);
        }
        Err(Failure::usage(
            self.name,
            format!("`{path}` is ambiguous: it could be {candidates}"),
        ))
    }

    /// Returns the full path of a value to insert into an existing list or struct.
    pub fn resolve_new(&self, path: &str) -> Result<Vec<Segment>> {
        let (outer, last) = match path.rfind(['.', '[']) {
            Some(end) => path.split_at(end),
            None => ("", path),
        };
        let outer = if outer.is_empty() {
            String::new()
        } else {
            walk::path_text(&self.resolve(outer)?)
        };
        walk::parse_path(self.layout, &(outer + last)).ok_or_else(|| self.missing_path(path))
    }

    /// Creates the failure for a path that no value has, with a hint about similar names.
    fn missing_path(&self, path: &str) -> Failure {
        if let Some(fault) = walk::first_fault(self.layout, self.bytes, self.limits) {
            return Failure::invalid(
                self.name,
                format!("no field `{path}` before the error: {fault}"),
            );
        }
        let failure = Failure::usage(self.name, format!("no field `{path}`"));
        let name = path
            .rsplit('.')
            .next()
            .and_then(|last| last.split('[').next())
            .unwrap_or_default();
        match &names::similar_fields(self.layout, name)[..] {
            [] => failure.with_hint("list all fields with `meshspec dump`"),
            [same] if *same == name => failure.with_hint(format!(
                "the format has a field `{name}`, but this file has none with this path"
            )),
            near => failure.with_hint(format!("fields with similar names: {}", near.join(", "))),
        }
    }
}
