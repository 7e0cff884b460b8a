//! Slot values while a program runs.

use super::code::{Cell, Code, Seen, Slot};
use super::model::{Argument, Body, Call, FormId, Kind, Program, Size, Step, Unit};
use crate::layout::{EvalError, Value};

/// The slots of all entered units.
pub(crate) struct Frames {
    program: &'static Program,
    /// The slots, outermost unit first; those of the innermost start at `base`.
    cells: Vec<Cell>,
    base: usize,
    /// The innermost unit.
    unit: Option<&'static Unit>,
}

/// The enclosing unit, restored by [`Frames::leave`].
pub(crate) struct Outer {
    base: usize,
    unit: Option<&'static Unit>,
}

impl Frames {
    pub fn new(program: &'static Program) -> Frames {
        Frames { program, cells: Vec::new(), base: 0, unit: None }
    }

    /// Enters a unit: allocates its slots and binds its imports. Returns the enclosing unit, and whether every argument
    /// other than a struct has a value.
    pub fn enter(&mut self, unit: &'static Unit, call: &Call) -> (Outer, bool) {
        let (outer, start) = (self.base, self.cells.len());
        self.cells.resize(start + unit.slots.len(), Cell::Empty);
        let mut has_all = true;
        for argument in &call.arguments {
            match argument {
                Argument::Value(code, slot) => {
                    let value = code.cell(&self.cells[outer..start]);
                    has_all &= value.is_ok();
                    if let (Ok(value), Some(slot)) = (value, slot) {
                        self.cells[start + *slot as usize] = value;
                    }
                }
                Argument::Fields(fields) => {
                    for (code, slot) in fields {
                        let value = code.cell(&self.cells[outer..start]).unwrap_or_default();
                        self.cells[start + *slot as usize] = value;
                    }
                }
            }
        }
        let outer = Outer { base: self.base, unit: self.unit };
        (self.base, self.unit) = (start, Some(unit));
        (outer, has_all)
    }

    /// Leaves the innermost unit. If it is the value of `step`, its exported values move to slots of the outer unit.
    pub fn leave(&mut self, outer: Outer, step: Option<&Step>) {
        for (from, to) in step.iter().flat_map(|step| &step.exports) {
            let value = std::mem::take(&mut self.cells[self.base + *from as usize]);
            self.cells[outer.base + *to as usize] = value;
        }
        self.cells.truncate(self.base);
        (self.base, self.unit) = (outer.base, outer.unit);
    }

    /// Stores the value of a field in its slot, if it has one.
    pub fn set(&mut self, step: &Step, value: &Value) {
        if let Some(slot) = step.value {
            self.cells[self.base + slot as usize] = Cell::of(value);
        }
    }

    /// Sets a slot of the innermost unit.
    pub fn put(&mut self, slot: Slot, value: &Value) {
        self.cells[self.base + slot as usize] = Cell::of(value);
    }

    pub fn truth(&self, code: &Code) -> Result<bool, EvalError> {
        code.truth(&self.cells[self.base..])
    }

    pub fn int(&self, code: &Code) -> Result<i128, EvalError> {
        code.int(&self.cells[self.base..])
    }

    pub fn value(&self, code: &Code) -> Result<Value, EvalError> {
        code.value(&self.cells[self.base..])
    }

    /// Returns the values that the innermost unit names.
    pub fn seen(&self) -> Seen<'_> {
        Seen { unit: self.unit, cells: &self.cells[self.base..] }
    }

    /// Returns the size in bytes of a value with these arguments; `None` if it depends on the content.
    pub fn size_of(&mut self, form: FormId, call: &'static Call) -> Option<u64> {
        let form = &self.program.forms[form];
        match (form.size, form.kind) {
            (Size::Fixed(size), _) => Some(size),
            (Size::Argued, Kind::Items(item, Some(count))) => self.size_of(item, call)?.checked_mul(count),
            (Size::Argued, Kind::Unit(unit)) => {
                let unit = &self.program.units[unit];
                let (outer, has_all) = self.enter(unit, call);
                let size = if has_all { self.size_of_body(unit) } else { None };
                self.leave(outer, None);
                size
            }
            _ => None,
        }
    }

    fn size_of_body(&mut self, unit: &'static Unit) -> Option<u64> {
        match &unit.body {
            Body::Struct(steps) => {
                let magic = unit.declaration.magic.len() as u64;
                steps.iter().try_fold(magic, |size, step| size.checked_add(self.size_of_step(step)?))
            }
            Body::Choice(variants) => {
                let chosen = variants.iter().find(|(condition, _)| self.truth(condition) == Ok(true));
                self.size_of_step(&chosen?.1)
            }
            Body::Enum(_) | Body::Word(_) => None,
        }
    }

    /// Returns the size of a field in bytes: 0 for a missing field or a look-ahead, `None` if it depends on the
    /// content.
    pub fn size_of_step(&mut self, step: &'static Step) -> Option<u64> {
        match step.condition.as_ref().map(|condition| self.truth(condition)) {
            _ if step.field.lookahead => return Some(0),
            Some(Ok(false)) => return Some(0),
            Some(Err(_)) => return None,
            Some(Ok(true)) | None => {}
        }
        match (self.program.forms[step.form].kind, &step.count) {
            (Kind::Items(item, None), Some(count)) => {
                let count = u64::try_from(self.int(count).ok()?).ok()?;
                self.size_of(item, &step.call)?.checked_mul(count)
            }
            _ => self.size_of(step.form, &step.call),
        }
    }
}
