//! Changes to a file that may break exactly one rule.

use std::ops::Range;

use super::Breakage;
use crate::layout::assemble::{Change, Edit, FileValues, UntypedValue, edit};
use crate::layout::declaration::Type;
use crate::layout::walk::{Segment, path_text};
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

/// A change to a file.
#[derive(Clone)]
pub(super) enum Alteration {
    /// Sets a value; with `recount`, recomputes dependent values.
    Set { path: Vec<Segment>, text: String, recount: bool },
    /// Swaps two values of a list.
    Swap { path: Vec<Segment>, text: String, other: (Vec<Segment>, String), recount: bool },
    /// Removes all items of a list, and recomputes the values that depend on the count.
    ClearList(Vec<Segment>),
    /// Removes an item of a list, and recomputes the values that depend on the count.
    RemoveItem(Vec<Segment>),
    /// Appends a byte to the content of a packed block, and recomputes the values that depend on its size.
    LengthenBlock(Vec<Segment>),
    /// Sets a value and removes bytes.
    SetAndRemoveBytes { path: Vec<Segment>, text: String, range: Range<u64> },
    /// Sets an offset to the end of the file, and appends an unterminated string.
    AddUnterminatedString { path: Vec<Segment>, text: String },
    /// Overwrites bytes at an offset.
    Overwrite { path: Vec<Segment>, at: u64, bytes: Vec<u8> },
    /// Truncates the file at an offset.
    Truncate(u64),
    /// Appends a byte to the file.
    AppendByte,
}

impl Attempt {
    pub fn new(breakage: Breakage, changes: Vec<Alteration>) -> Attempt {
        Attempt { breakage, field: "", rule: None, changes, allowed_values: Vec::new() }
    }
}

impl Alteration {
    /// Returns the path of the changed value; empty for the whole file.
    pub fn path(&self) -> Path {
        match self {
            Alteration::Set { path, .. }
            | Alteration::Swap { path, .. }
            | Alteration::ClearList(path)
            | Alteration::RemoveItem(path)
            | Alteration::LengthenBlock(path)
            | Alteration::SetAndRemoveBytes { path, .. }
            | Alteration::AddUnterminatedString { path, .. }
            | Alteration::Overwrite { path, .. } => path.as_slice().into(),
            Alteration::Truncate(_) | Alteration::AppendByte => Path::default(),
        }
    }

    /// Returns the new value, if the change sets exactly one.
    pub fn value(&self) -> Option<String> {
        match self {
            Alteration::Set { text, .. }
            | Alteration::SetAndRemoveBytes { text, .. }
            | Alteration::AddUnterminatedString { text, .. } => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns the changed file; `None` if the change is impossible.
    pub fn apply(&self, ty: &'static Type, file: &[u8], limits: &Limits) -> Option<Vec<u8>> {
        let edited = |edits: &[Edit], recount| edit(ty, file, edits, recount, limits).ok();
        let change = |change| Edit { path: self.path(), change };
        let set = |text: &String| change(Change::Set(text.as_str().into()));
        match self {
            Alteration::Set { text, recount, .. } => edited(&[set(text)], *recount),
            Alteration::Swap { text, other: (other, own), recount, .. } => {
                let other = Edit { path: other.as_slice().into(), ..set(own) };
                edited(&[set(text), other], *recount)
            }
            Alteration::ClearList(_) => edited(&[change(Change::Set(UntypedValue::List(Vec::new())))], true),
            Alteration::RemoveItem(_) => edited(&[change(Change::Remove)], true),
            Alteration::LengthenBlock(path) => {
                let mut values = FileValues::read(ty, file, limits).ok()?.with_recounting();
                values.set_trailing(&path_text(path), vec![0]).ok()?;
                values.assemble(limits).ok()
            }
            Alteration::SetAndRemoveBytes { text, range, .. } => {
                let mut changed = edited(&[set(text)], false)?;
                let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
                changed.get(range.clone())?;
                changed.drain(range);
                Some(changed)
            }
            Alteration::AddUnterminatedString { text, .. } => {
                let mut changed = edited(&[set(text)], false)?;
                changed.push(b'a');
                Some(changed)
            }
            Alteration::Overwrite { at, bytes, .. } => {
                let mut changed = file.to_vec();
                let at = usize::try_from(*at).ok()?;
                changed.get_mut(at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
                Some(changed)
            }
            Alteration::Truncate(at) => file.get(..usize::try_from(*at).ok()?).map(<[u8]>::to_vec),
            Alteration::AppendByte => Some([file, &[0]].concat()),
        }
    }
}

/// Returns `true` if recomputing all dependent values changes the file.
pub(super) fn has_stale_values(ty: &'static Type, file: &[u8], limits: &Limits) -> bool {
    let values = FileValues::read(ty, file, limits).map(FileValues::with_recounting);
    values.is_ok_and(|values| values.assemble(limits).is_ok_and(|bytes| bytes != file))
}
