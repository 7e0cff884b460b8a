//! Values of a file that options name by the end of their path, and lists that changes are made to.

use meshspec::Limits;
use meshspec::layout::declaration::Type;
use meshspec::layout::walk::{self, Segment, Selection};

use crate::failure::{Failure, Result};
use crate::names;

/// The bytes that paths lead through.
pub struct Paths<'f> {
    /// The file, as messages name it.
    pub place: &'f str,
    pub layout: &'static Type,
    pub bytes: &'f [u8],
    pub limits: &'f Limits,
}

impl Paths<'_> {
    /// The whole path of the value that is asked for.
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

    /// The path of a value that is not there yet: of an item of a list, or of a field of a struct, that is.
    pub fn select_place(&self, path: &str) -> Result<Vec<Segment>> {
        let (outer, last) = match path.rfind(['.', '[']) {
            Some(end) => path.split_at(end),
            None => ("", path),
        };
        let outer = if outer.is_empty() { String::new() } else { walk::path_text(&self.select(outer)?) };
        walk::parse_path(self.layout, &(outer + last)).ok_or_else(|| self.missing(path))
    }

    /// Why there is no value with this path.
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
