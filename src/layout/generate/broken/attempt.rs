//! Changes to a file that may break exactly one rule.

use std::ops::Range;

use super::Breakage;
use crate::layout::assemble::{Change, Edit, Part, Values, edit};
use crate::layout::declaration::Type;
use crate::layout::walk::{Segment, path_text};
use crate::{Limits, Path, Rule};

/// Alternative changes for a breakage. The first that breaks nothing else is used.
pub(super) struct Attempt {
    pub(super) breakage: Breakage,
    /// The field with the constraint, if the breakage is one of a constraint.
    pub(super) field: &'static str,
    /// The rule of the field with the checksum, if the breakage is a wrong checksum.
    pub(super) rule: Option<&'static Rule>,
    pub(super) changes: Vec<Alteration>,
    /// Values in the same place that the constraint still allows, in addition to the integers next to a wrong one.
    pub(super) limits: Vec<String>,
}

/// A change to a file.
#[derive(Clone)]
pub(super) enum Alteration {
    /// Sets a value; with `recounts`, recomputes dependent values.
    Set {
        path: Vec<Segment>,
        text: String,
        recounts: bool,
    },
    /// Swaps two values of a list.
    Swap {
        path: Vec<Segment>,
        text: String,
        other: (Vec<Segment>, String),
        recounts: bool,
    },
    /// Removes all items of a list, or this item, and recomputes the values that depend on the count.
    Empty(Vec<Segment>),
    Remove(Vec<Segment>),
    /// Appends a byte to the content of a packed block, and recomputes the values that depend on its size.
    Lengthen(Vec<Segment>),
    /// Sets a value and removes bytes.
    Without {
        path: Vec<Segment>,
        text: String,
        range: Range<u64>,
    },
    /// Sets an offset to the end of the file, and appends a byte that terminates no string.
    Unfinished {
        path: Vec<Segment>,
        text: String,
    },
    /// Overwrites bytes at an offset.
    Write {
        path: Vec<Segment>,
        at: u64,
        bytes: Vec<u8>,
    },
    /// Truncates the file at an offset.
    Cut(u64),
    /// Appends a byte to the file.
    Append,
}

impl Attempt {
    pub(super) fn new(breakage: Breakage, changes: Vec<Alteration>) -> Attempt {
        Attempt { breakage, field: "", rule: None, changes, limits: Vec::new() }
    }
}

impl Alteration {
    /// Returns the path of the changed value; empty for the whole file.
    pub(super) fn path(&self) -> Path {
        match self {
            Alteration::Set { path, .. }
            | Alteration::Swap { path, .. }
            | Alteration::Empty(path)
            | Alteration::Remove(path)
            | Alteration::Lengthen(path)
            | Alteration::Without { path, .. }
            | Alteration::Unfinished { path, .. }
            | Alteration::Write { path, .. } => path.as_slice().into(),
            Alteration::Cut(_) | Alteration::Append => Path::default(),
        }
    }

    /// Returns the new value, if the change sets one.
    pub(super) fn value(&self) -> Option<String> {
        match self {
            Alteration::Set { text, .. }
            | Alteration::Without { text, .. }
            | Alteration::Unfinished { text, .. } => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns the changed file; `None` if the change is impossible.
    pub(super) fn apply(&self, ty: &'static Type, file: &[u8], limits: &Limits) -> Option<Vec<u8>> {
        let edited = |change, recount| {
            let edits = [Edit { path: self.path(), change }];
            edit(ty, file, &edits, recount, limits).ok()
        };
        match self {
            Alteration::Set { text, recounts, .. } => {
                edited(Change::Set(Part::Text(text.clone())), *recounts)
            }
            Alteration::Swap { text, other: (other, own), recounts, .. } => {
                let set =
                    |path: Path, text: &String| Edit { path, change: Change::Set(Part::Text(text.clone())) };
                let edits = [set(self.path(), text), set(other.as_slice().into(), own)];
                edit(ty, file, &edits, *recounts, limits).ok()
            }
            Alteration::Empty(_) => edited(Change::Set(Part::List(Vec::new())), true),
            Alteration::Remove(_) => edited(Change::Remove, true),
            Alteration::Lengthen(path) => {
                let mut values = Values::of(ty, file, limits).ok()?.recounted();
                values.set_trailing(&path_text(path), vec![0]).ok()?;
                values.assemble(limits).ok()
            }
            Alteration::Without { text, range, .. } => {
                let mut changed = edited(Change::Set(Part::Text(text.clone())), false)?;
                let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
                changed.get(range.clone())?;
                changed.drain(range);
                Some(changed)
            }
            Alteration::Unfinished { text, .. } => {
                let mut changed = edited(Change::Set(Part::Text(text.clone())), false)?;
                changed.push(b'a');
                Some(changed)
            }
            Alteration::Write { at, bytes, .. } => {
                let mut changed = file.to_vec();
                let at = usize::try_from(*at).ok()?;
                changed.get_mut(at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
                Some(changed)
            }
            Alteration::Cut(at) => file.get(..usize::try_from(*at).ok()?).map(<[u8]>::to_vec),
            Alteration::Append => Some([file, &[0]].concat()),
        }
    }
}

/// Returns `true` if recomputing all dependent values changes the file.
pub(super) fn contradicts_itself(ty: &'static Type, file: &[u8], limits: &Limits) -> bool {
    let values = Values::of(ty, file, limits).map(Values::recounted);
    values.is_ok_and(|values| values.assemble(limits).is_ok_and(|bytes| bytes != file))
}
