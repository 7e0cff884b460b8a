//! Changes to a file that may break one thing of it.

use std::ops::Range;

use super::Breakage;
use crate::layout::assemble::{Change, Edit, Part, Values, edit};
use crate::layout::declaration::Type;
use crate::layout::walk::{Segment, path_text};
use crate::{Limits, Path, Rule};

/// Changes, of which the first counts that breaks exactly what is meant.
pub(super) struct Attempt {
    pub(super) breakage: Breakage,
    /// The field that has the constraint, if it is one.
    pub(super) field: &'static str,
    /// The rule of the field that has the checksum, if it is one.
    pub(super) rule: Option<&'static Rule>,
    pub(super) changes: Vec<Alteration>,
    /// Values that the constraint still allows, in the same place; beside the integers next to a wrong one.
    pub(super) limits: Vec<String>,
}

/// What is done to a file.
#[derive(Clone)]
pub(super) enum Alteration {
    /// A value becomes another one; if it recounts, what follows from that is computed anew.
    Set {
        path: Vec<Segment>,
        text: String,
        recounts: bool,
    },
    /// Two values of a list change places.
    Swap {
        path: Vec<Segment>,
        text: String,
        other: (Vec<Segment>, String),
        recounts: bool,
    },
    /// A list loses all of its items, or this one, and what follows from its count is computed anew.
    Empty(Vec<Segment>),
    Remove(Vec<Segment>),
    /// A byte follows the content of a packed block, and what follows from its size is computed anew.
    Lengthen(Vec<Segment>),
    /// A value becomes another one, and bytes go.
    Without {
        path: Vec<Segment>,
        text: String,
        range: Range<u64>,
    },
    /// An offset becomes that of one more byte after the file, which ends no string.
    Unfinished {
        path: Vec<Segment>,
        text: String,
    },
    /// Other bytes lie at an offset.
    Write {
        path: Vec<Segment>,
        at: u64,
        bytes: Vec<u8>,
    },
    /// The file ends there.
    Cut(u64),
    /// A byte follows the file.
    Append,
}

impl Attempt {
    pub(super) fn new(breakage: Breakage, changes: Vec<Alteration>) -> Attempt {
        Attempt { breakage, field: "", rule: None, changes, limits: Vec::new() }
    }
}

impl Alteration {
    /// What is changed; empty for the file as a whole.
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

    /// What a value becomes.
    pub(super) fn value(&self) -> Option<String> {
        match self {
            Alteration::Set { text, .. }
            | Alteration::Without { text, .. }
            | Alteration::Unfinished { text, .. } => Some(text.clone()),
            _ => None,
        }
    }

    /// The changed file; `None` if it cannot be changed like that.
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

/// Whether a file becomes another one once all that follows from its values is computed anew.
pub(super) fn contradicts_itself(ty: &'static Type, file: &[u8], limits: &Limits) -> bool {
    let values = Values::of(ty, file, limits).map(Values::recounted);
    values.is_ok_and(|values| values.assemble(limits).is_ok_and(|bytes| bytes != file))
}
