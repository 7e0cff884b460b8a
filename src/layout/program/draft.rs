//! Units during name resolution.

use super::code::{Code, Slot};
use super::model::{BlockStep, EachStep, FormId, Step};
use super::names::{SlotName, ValueKind};
use crate::layout::declaration::{Declaration, Each};

/// A partially resolved unit.
pub(super) struct DraftUnit<'i> {
    pub declaration: &'static Declaration,
    pub imports: &'i [ValueKind],
    pub slots: Vec<SlotName>,
    /// The fields resolved so far; later expressions can refer to them.
    pub steps: Vec<Step>,
    /// The list whose items provide the arguments that are being resolved.
    pub each: Option<EachStep>,
}

/// The value at a path.
pub(super) struct PathTarget {
    /// The number of names up to the value; the remaining names are bit fields.
    pub depth: usize,
    pub kind: ValueKind,
    /// Whether the path leads into the items of a list, so that there is a value per item.
    pub is_column: bool,
}

impl PathTarget {
    /// Returns the target of a value that has the whole path.
    pub fn whole(kind: ValueKind) -> PathTarget {
        PathTarget {
            depth: 0,
            kind,
            is_column: false,
        }
    }

    /// Returns the kind of the slot for the value.
    pub fn slot_kind(&self) -> ValueKind {
        if self.is_column {
            ValueKind::Column
        } else {
            self.kind
        }
    }
}

impl DraftUnit<'_> {
    pub fn import_index(&self, name: &str) -> Option<usize> {
        self.declaration
            .imports
            .iter()
            .rposition(|import| *import == name)
    }

    pub fn get_or_add_slot(
        &mut self,
        path: &[&'static str],
        kind: ValueKind,
        import: Option<usize>,
    ) -> Slot {
        self.get_or_add(SlotName {
            path: path.to_vec(),
            kind,
            import,
            item_of: None,
        })
    }

    /// Returns the slot for a value of the current item of a list.
    pub fn get_or_add_item_slot(
        &mut self,
        each: &'static Each,
        path: &[&'static str],
        kind: ValueKind,
    ) -> Slot {
        self.get_or_add(SlotName {
            path: path.to_vec(),
            kind,
            import: None,
            item_of: Some(each),
        })
    }

    fn get_or_add(&mut self, name: SlotName) -> Slot {
        let is_same = |known: &SlotName| {
            known.import == name.import && known.path == name.path && known.item_of == name.item_of
        };
        let slot = self.slots.iter().position(is_same).unwrap_or_else(|| {
            self.slots.push(name);
            self.slots.len() - 1
        });
        slot as Slot
    }
}

/// Returns the form of a field's value in expressions; for a block with custom packing, the form of its content.
/// Returns `None` for other blocks, since expressions cannot refer to their content.
pub(super) fn value_form(step: &Step) -> Option<FormId> {
    match &step.block {
        None => Some(step.form),
        Some(BlockStep { block, form, .. }) => block.packing.is_custom().then_some(*form),
    }
}

/// Returns the code for the value in a slot, or for the bit field at `path` within it.
pub(super) fn slot_code(slot: Slot, kind: ValueKind, path: &[&str]) -> Code {
    if path.is_empty() {
        return Code::Slot(slot, kind.word());
    }
    match kind.word().and_then(|word| word.bit_field_at(path)) {
        Some((bits, field)) => Code::Bits(slot, bits, field),
        None => Code::Unknown,
    }
}
