//! Changes to a file that may break exactly one rule.

use std::ops::Range;

use super::Breakage;
use crate::layout::assemble::{Change, Edit, edit};
use crate::layout::declaration::Type;
use crate::layout::tree::{Tree, UntypedValue};
use crate::layout::walk::Segment;
use crate::{Limits, Path, Rule};

/// Alternative changes for a breakage. The first changes that break nothing else are used.
pub(super) struct Attempt {
    pub breakage: Breakage,
    /// The field of the expected finding; empty if the finding may be on any field.
    pub field: &'static str,
    /// The rule of the field that stores the checksum, if the breakage is a wrong checksum.
    pub rule: Option<&'static Rule>,
    pub changes: Vec<Alteration>,
    /// Values of the same field that the constraint still allows, in addition to the integers next to the wrong value.
    pub allowed_values: Vec<String>,
}

/// A change to a file: edits of values, then a change of bytes.
#[derive(Clone)]
pub(super) struct Alteration {
    /// The path of the changed value; empty for the whole file.
    pub path: Path,
    edits: Vec<Edit>,
    /// Whether to recompute the values that depend on the edited ones.
    recount: bool,
    pub patch: Option<Patch>,
}

/// A change of bytes.
#[derive(Clone)]
pub(super) enum Patch {
    /// Appends a byte to the file.
    Append(u8),
    /// Overwrites bytes at an offset.
    Overwrite(u64, Vec<u8>),
    /// Removes a range.
    Remove(Range<u64>),
    /// Truncates the file at an offset.
    Truncate(u64),
    /// Appends a byte to the content of the packed block at the path, and recomputes the values that depend on its size.
    LengthenBlock,
}

impl Attempt {
    pub fn new(breakage: Breakage, changes: Vec<Alteration>) -> Attempt {
        Attempt {
            breakage,
            field: "",
            rule: None,
            changes,
            allowed_values: Vec::new(),
        }
    }
}

impl Alteration {
    /// Sets a value; with `recount`, recomputes dependent values.
    pub fn set(path: &[Segment], value: impl Into<UntypedValue>, recount: bool) -> Alteration {
        Alteration::edit(path, Change::Set(value.into()), recount)
    }

    /// Removes an item, and recomputes the values that depend on the count.
    pub fn remove(item: &[Segment]) -> Alteration {
        Alteration::edit(item, Change::Remove, true)
    }

    fn edit(path: &[Segment], change: Change, recount: bool) -> Alteration {
        let edits = vec![Edit {
            path: path.into(),
            change,
        }];
        Alteration {
            path: path.into(),
            edits,
            recount,
            patch: None,
        }
    }

    /// Changes bytes of the value at a path.
    pub fn patch(path: &[Segment], patch: Patch) -> Alteration {
        Alteration {
            path: path.into(),
            edits: Vec::new(),
            recount: false,
            patch: Some(patch),
        }
    }

    /// Changes bytes after the edits.
    pub fn then(self, patch: Patch) -> Alteration {
        Alteration {
            patch: Some(patch),
            ..self
        }
    }

    /// Adds the edits of another change.
    pub fn and(mut self, other: Alteration) -> Alteration {
        self.edits.extend(other.edits);
        self
    }

    /// Returns the new value, if the change sets exactly one.
    pub fn value(&self) -> Option<&String> {
        match &self.edits[..] {
            [
                Edit {
                    change: Change::Set(UntypedValue::Text(text)),
                    ..
                },
            ] => Some(text),
            _ => None,
        }
    }

    /// Returns a change that sets the value at the path to `text` instead.
    pub fn with_text(&self, text: &str) -> Alteration {
        let edits = vec![Edit::set(&self.path, text)];
        Alteration {
            edits,
            ..self.clone()
        }
    }

    /// Returns the changed file; `None` if the change is impossible.
    pub fn apply(&self, ty: &'static Type, file: &[u8], limits: &Limits) -> Option<Vec<u8>> {
        let mut bytes = edit(ty, file, &self.edits, self.recount, limits).ok()?;
        let index = |offset: &u64| usize::try_from(*offset).ok();
        match &self.patch {
            None => {}
            Some(Patch::Append(byte)) => bytes.push(*byte),
            Some(Patch::Overwrite(at, new)) => {
                let at = index(at)?;
                bytes
                    .get_mut(at..at.checked_add(new.len())?)?
                    .copy_from_slice(new);
            }
            Some(Patch::Remove(range)) => {
                let range = index(&range.start)?..index(&range.end)?;
                bytes.get(range.clone())?;
                bytes.drain(range);
            }
            Some(Patch::Truncate(at)) => return bytes.get(..index(at)?).map(<[u8]>::to_vec),
            Some(Patch::LengthenBlock) => {
                let mut values = Tree::read(ty, file, limits).ok()?;
                values.set_trailing(&self.path, vec![0]).ok()?;
                return values.assemble_recounted(limits).ok();
            }
        }
        Some(bytes)
    }
}

/// Returns `true` if recomputing all dependent values changes the file.
pub(super) fn has_stale_values(ty: &'static Type, file: &[u8], limits: &Limits) -> bool {
    let recounted = Tree::read(ty, file, limits).map(|tree| tree.assemble_recounted(limits));
    matches!(recounted, Ok(Ok(bytes)) if bytes != file)
}
