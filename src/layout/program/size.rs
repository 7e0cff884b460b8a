//! Sizes of units: fixed, computed from arguments, or dependent on the content.

use super::code::{Code, Slot};
use super::model::{Argument, Form, FormKind, FormSize, Step, Unit};
use super::names::SlotName;
use crate::layout::declaration::Shape;

pub(super) fn size_of_unit(unit: &Unit, forms: &[Form]) -> FormSize {
    let Unit {
        declaration,
        slots,
        steps,
        ..
    } = unit;
    match declaration.shape {
        Shape::Enum { size, .. } | Shape::Bits { size, .. } => FormSize::Fixed(size.into()),
        Shape::Struct(_) => {
            let magic = FormSize::Fixed(declaration.magic.len() as u64);
            steps.iter().fold(magic, |size, step| {
                size.plus(size_of_step(step, slots, forms))
            })
        }
        Shape::Choice(_) => {
            let mut choices = steps.iter().flat_map(|step| &step.choice);
            let conditions = choices.all(|choice| choice.depends_only_on_imports(slots));
            let mut sizes = steps.iter().map(|step| size_of_step(step, slots, forms));
            let first = sizes.next().unwrap_or(FormSize::FromContent);
            match sizes.fold(first, FormSize::either) {
                FormSize::FromArguments if !conditions => FormSize::FromContent,
                size => size,
            }
        }
    }
}

fn size_of_step(step: &Step, slots: &[SlotName], forms: &[Form]) -> FormSize {
    if step.position.is_some() {
        return FormSize::FromContent;
    }
    if step.field.lookahead {
        return FormSize::Fixed(0);
    }
    let Form { kind, size, .. } = &forms[step.form];
    let size = match (kind, &step.count) {
        (FormKind::Items(item, None), Some(count)) if count.depends_only_on_imports(slots) => {
            let item = forms[*item].size;
            count
                .as_literal()
                .map_or(item.either(FormSize::FromArguments), |count| {
                    item.times(u64::try_from(count).unwrap_or(u64::MAX))
                })
        }
        _ => *size,
    };
    let depends_only_on_imports = |code: &Code| code.depends_only_on_imports(slots);
    let arguments = step.arguments.iter().all(|argument| match argument {
        Argument::Value(code, _) => depends_only_on_imports(code),
        Argument::Fields(fields) => fields.iter().all(|(code, _)| depends_only_on_imports(code)),
    });
    match (size, &step.condition) {
        (FormSize::FromArguments, _) if !arguments => FormSize::FromContent,
        (FormSize::Fixed(0), _) | (_, None) => size,
        (_, Some(condition)) if depends_only_on_imports(condition) => {
            size.either(FormSize::FromArguments)
        }
        _ => FormSize::FromContent,
    }
}

impl Code {
    /// Returns `true` if the value depends only on imports.
    fn depends_only_on_imports(&self, slots: &[SlotName]) -> bool {
        let mut only_imports = *self != Code::Unknown;
        let is_import = |slot: Slot| slots[slot as usize].import.is_some();
        self.for_each_value(&mut |slot, _| only_imports &= is_import(slot));
        self.visit(&mut |part| {
            if let Code::Length(column) = part {
                only_imports &= is_import(*column);
            }
        });
        only_imports
    }
}

impl FormSize {
    pub fn times(self, count: u64) -> FormSize {
        match self {
            FormSize::Fixed(size) => size
                .checked_mul(count)
                .map_or(FormSize::FromContent, FormSize::Fixed),
            size => size,
        }
    }

    fn plus(self, other: FormSize) -> FormSize {
        match (self, other) {
            (FormSize::Fixed(a), FormSize::Fixed(b)) => a
                .checked_add(b)
                .map_or(FormSize::FromContent, FormSize::Fixed),
            _ => self.either(other),
        }
    }

    /// Returns the size of a value whose size is either of the two.
    fn either(self, other: FormSize) -> FormSize {
        match (self, other) {
            (a, b) if a == b => a,
            (FormSize::FromContent, _) | (_, FormSize::FromContent) => FormSize::FromContent,
            _ => FormSize::FromArguments,
        }
    }
}
