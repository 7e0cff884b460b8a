//! Finds the types whose values must be walked one by one before a codec may decode them.

use super::build::Builder;
use super::code::Code;
use super::model::{Argument, FormKind, FormSize, Step};
use crate::layout::declaration::{Shape, Type};

impl Builder {
    /// Returns `true` if a value of this kind may have no bytes. The forms inside are complete.
    pub fn may_be_empty(&self, kind: FormKind) -> bool {
        let may_lack_bytes = |step: &Step| {
            let is_elsewhere = step.position.is_some() || step.field.lookahead;
            is_elsewhere
                || step.condition.is_some()
                || step.block.is_some()
                || self.forms[step.form].may_be_empty
        };
        match kind {
            FormKind::Number(size) => size == 0,
            FormKind::Text => false,
            FormKind::Items(item, count) => {
                count.is_none_or(|count| count == 0) || self.forms[item].may_be_empty
            }
            FormKind::Struct(unit) => {
                let unit = &self.units[unit];
                unit.declaration.magic.is_empty() && unit.steps.iter().all(may_lack_bytes)
            }
            FormKind::Choice(unit) => self.units[unit].steps.iter().any(may_lack_bytes),
        }
    }

    /// Returns `true` if the expressions in a value of this kind can overflow, lists in it can have items without bytes,
    /// or its size excludes look-aheads. The forms inside are complete.
    pub fn needs_full_walk(&self, kind: FormKind) -> bool {
        match kind {
            FormKind::Number(_) | FormKind::Text => false,
            FormKind::Items(item, _) => {
                self.forms[item].may_be_empty || self.forms[item].needs_full_walk
            }
            FormKind::Struct(unit) | FormKind::Choice(unit) => {
                let unit = &self.units[unit];
                let mut computed = unit.computed.iter();
                let mut steps = unit.steps.iter();
                computed.any(|computed| computed.value.can_overflow())
                    || steps.any(|step| {
                        let codes = step
                            .eager_expressions()
                            .chain(&step.position)
                            .chain(&step.checks);
                        let mut codes = codes.chain(&step.choice).chain(&step.condition);
                        step.field.lookahead
                            || codes.any(Code::can_overflow)
                            || self.forms[step.form].needs_full_walk
                    })
            }
        }
    }

    /// Returns the size of the largest look-ahead in a value; the maximum if it is unknown. The forms inside are complete.
    pub fn lookahead_size(&self, kind: FormKind) -> u64 {
        match kind {
            FormKind::Number(_) | FormKind::Text => 0,
            FormKind::Items(item, _) => self.forms[item].lookahead_size,
            FormKind::Struct(unit) | FormKind::Choice(unit) => {
                let sizes = self.units[unit].steps.iter().map(|step| {
                    let own = match self.forms[step.form].size {
                        _ if !step.field.lookahead => 0,
                        FormSize::Fixed(size) => size,
                        FormSize::FromArguments | FormSize::FromContent => u64::MAX,
                    };
                    let (content, _) = step.content();
                    own.max(self.forms[content].lookahead_size)
                });
                sizes.max().unwrap_or_default()
            }
        }
    }

    /// Returns `true` if a value can be invalid although all of its bytes are present. The forms inside are complete.
    pub fn may_fault(&self, ty: &Type, kind: FormKind) -> bool {
        match kind {
            FormKind::Number(_) => matches!(
                ty.own_declaration().map(|declaration| declaration.shape),
                Some(Shape::Enum { .. })
            ),
            FormKind::Text | FormKind::Choice(_) => true,
            FormKind::Items(item, _) => self.forms[item].may_fault,
            FormKind::Struct(unit) => {
                let unit = &self.units[unit];
                !unit.declaration.magic.is_empty()
                    || unit.steps.iter().any(|step| {
                        !step.checks.is_empty()
                            || step.block.is_some()
                            || self.forms[step.form].may_fault
                    })
            }
        }
    }
}

impl Step {
    /// Returns the expressions that a codec evaluates even if the field is absent: binrw computes the count and the
    /// arguments of a field before it tests the condition.
    pub fn eager_expressions(&self) -> impl Iterator<Item = &Code> {
        // The arguments for the items of a list that another list describes are computed item by item.
        let arguments = self.arguments.iter().filter(|_| self.each.is_none());
        let arguments = arguments.filter_map(|argument| match argument {
            Argument::Value(code, _) => Some(code),
            Argument::Fields(_) => None,
        });
        self.count.iter().chain(arguments)
    }
}
