//! Sizes of units: fixed, computed from arguments, or open.

use super::code::Code;
use super::model::{Argument, Form, Kind, Size, Step, Unit};
use super::names::SlotName;
use crate::layout::declaration::Shape;

/// Returns the size of a unit.
pub(super) fn size_of_unit(unit: &Unit, forms: &[Form]) -> Size {
    let Unit { declaration, slots, steps, .. } = unit;
    match declaration.shape {
        Shape::Enum { size, .. } | Shape::Bits { size, .. } => Size::Fixed(size.into()),
        Shape::Struct(_) => {
            let magic = Size::Fixed(declaration.magic.len() as u64);
            steps.iter().fold(magic, |size, step| size.plus(size_of_step(step, slots, forms)))
        }
        Shape::Choice(_) => {
            let conditions = steps.iter().flat_map(|step| &step.choice).all(|choice| choice.is_argued(slots));
            let mut sizes = steps.iter().map(|step| size_of_step(step, slots, forms));
            let first = sizes.next().unwrap_or(Size::Open);
            match sizes.fold(first, Size::or) {
                Size::Argued if !conditions => Size::Open,
                size => size,
            }
        }
    }
}

fn size_of_step(step: &Step, slots: &[SlotName], forms: &[Form]) -> Size {
    if step.position.is_some() {
        return Size::Open;
    }
    if step.field.lookahead {
        return Size::Fixed(0);
    }
    let Form { kind, size, .. } = &forms[step.form];
    let size = match (kind, &step.count) {
        (Kind::Items(item, None), Some(Code::Int(count))) => {
            forms[*item].size.times(u64::try_from(*count).unwrap_or(u64::MAX))
        }
        (Kind::Items(item, None), Some(count)) if count.is_argued(slots) => {
            forms[*item].size.or(Size::Argued)
        }
        _ => *size,
    };
    let is_argued = |code: &Code| code.is_argued(slots);
    let arguments = step.call.arguments.iter().all(|argument| match argument {
        Argument::Value(code, _) => is_argued(code),
        Argument::Fields(fields) => fields.iter().all(|(code, _)| is_argued(code)),
    });
    match (size, &step.condition) {
        (Size::Argued, _) if !arguments => Size::Open,
        (size, Some(condition)) if size != Size::Fixed(0) => {
            if is_argued(condition) {
                size.or(Size::Argued)
            } else {
                Size::Open
            }
        }
        (size, _) => size,
    }
}

impl Code {
    /// Returns `true` if the value depends only on imports.
    fn is_argued(&self, slots: &[SlotName]) -> bool {
        let mut argued = *self != Code::Unknown;
        self.for_each_value(&mut |slot, _| argued &= slots[slot as usize].import.is_some());
        argued
    }
}

impl Size {
    pub fn times(self, count: u64) -> Size {
        match self {
            Size::Fixed(size) => size.checked_mul(count).map_or(Size::Open, Size::Fixed),
            size => size,
        }
    }

    fn plus(self, other: Size) -> Size {
        match (self, other) {
            (Size::Fixed(a), Size::Fixed(b)) => a.checked_add(b).map_or(Size::Open, Size::Fixed),
            (Size::Open, _) | (_, Size::Open) => Size::Open,
            _ => Size::Argued,
        }
    }

    /// Returns the size of a value with either size.
    fn or(self, other: Size) -> Size {
        match (self, other) {
            (a, b) if a == b => a,
            (Size::Open, _) | (_, Size::Open) => Size::Open,
            _ => Size::Argued,
        }
    }
}
