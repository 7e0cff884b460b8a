//! The values of slots while a program runs.

use super::code::{Cell, Code, Slot};
use super::model::{Argument, FormId, FormKind, FormSize, Program, Step, Unit};
use super::names::ValueKind;
use crate::layout::expr::{EvalError, IntType, Lookup, Operand, Value, bit_field_value};

/// Data attached to each slot, such as the origins that the assembler tracks.
#[expect(unused_variables, reason = "the default method ignores its arguments")]
pub(crate) trait SlotMark: Copy + Default {
    /// Returns the mark of an argument, given the marks of the enclosing unit's slots.
    fn of_argument(code: &Code, marks: &[Self]) -> Self {
        Self::default()
    }
}

/// Attaches no data to slots.
impl SlotMark for () {}

/// The slots of all entered units.
pub(crate) struct Frames<M = ()> {
    program: &'static Program,
    /// The slots of all units, outermost first. The slots of the innermost unit start at `base`.
    cells: Vec<Cell>,
    /// The mark of each slot.
    marks: Vec<M>,
    base: usize,
    /// The innermost unit.
    unit: Option<&'static Unit>,
}

/// The enclosing unit, restored by [`Frames::leave`].
pub(crate) struct EnclosingUnit {
    base: usize,
    /// The end of its slots.
    end: usize,
    unit: Option<&'static Unit>,
}

impl<M: SlotMark> Frames<M> {
    pub fn new(program: &'static Program) -> Frames<M> {
        Frames {
            program,
            cells: Vec::new(),
            marks: Vec::new(),
            base: 0,
            unit: None,
        }
    }

    /// Returns the frames in a unit whose slots have these values.
    pub fn resume(
        program: &'static Program,
        unit: Option<&'static Unit>,
        cells: &[Cell],
    ) -> Frames<M> {
        Frames {
            cells: cells.to_vec(),
            marks: vec![M::default(); cells.len()],
            unit,
            ..Frames::new(program)
        }
    }

    /// Enters a unit: allocates its slots and binds its imports. Returns the enclosing unit, and `true` if all
    /// arguments except structs have a value.
    pub fn enter(&mut self, unit: &'static Unit, arguments: &[Argument]) -> (EnclosingUnit, bool) {
        let enclosing = self.enclosing();
        let EnclosingUnit {
            base: outer,
            end: start,
            ..
        } = enclosing;
        self.cells.resize(start + unit.slots.len(), Cell::Empty);
        self.marks.resize(start + unit.slots.len(), M::default());
        let mut has_all = true;
        let mut bind = |code: &Code, slot: Option<Slot>| {
            let value = code.eval_cell(&self.cells[outer..start]);
            let is_known = value.is_ok();
            if let Some(slot) = slot {
                self.cells[start + slot as usize] = value.unwrap_or_default();
                self.marks[start + slot as usize] = M::of_argument(code, &self.marks[outer..start]);
            }
            is_known
        };
        for argument in arguments {
            match argument {
                Argument::Value(code, slot) => has_all &= bind(code, *slot),
                Argument::Fields(fields) => {
                    for (code, slot) in fields {
                        bind(code, Some(*slot));
                    }
                }
            }
        }
        (self.base, self.unit) = (start, Some(unit));
        (enclosing, has_all)
    }

    /// Returns the innermost unit, to which [`leave`](Frames::leave) can return after any number of calls of `enter`.
    pub fn enclosing(&self) -> EnclosingUnit {
        EnclosingUnit {
            base: self.base,
            end: self.cells.len(),
            unit: self.unit,
        }
    }

    /// Returns to the unit `outer`. The values that `step` exports move to its slots.
    pub fn leave(&mut self, outer: EnclosingUnit, step: Option<&Step>) {
        for (from, to) in step.iter().flat_map(|step| &step.exports) {
            let (from, to) = (self.base + *from as usize, outer.base + *to as usize);
            self.cells[to] = std::mem::take(&mut self.cells[from]);
            self.marks[to] = self.marks[from];
        }
        self.cells.truncate(outer.end);
        self.marks.truncate(outer.end);
        (self.base, self.unit) = (outer.base, outer.unit);
    }

    /// Stores the value of a field in its slot, if it has one.
    pub fn set_field(&mut self, step: &Step, value: &Value) {
        if let Some(slot) = step.value {
            self.set_slot(slot, value);
        }
    }

    /// Sets a slot in the innermost unit.
    pub fn set_slot(&mut self, slot: Slot, value: &Value) {
        self.cells[self.base + slot as usize] = Cell::of(value);
    }

    /// Stores that a field is absent. The default of an enum is unknown, so its slot stays empty.
    pub fn set_absent(&mut self, step: &Step) {
        let slots = step
            .value
            .iter()
            .chain(step.exports.iter().map(|(_, to)| to));
        for slot in slots.map(|slot| *slot as usize) {
            let kind = self
                .unit
                .and_then(|unit| unit.slots.get(slot))
                .map(|name| name.kind);
            if matches!(
                kind,
                Some(ValueKind::Int(_) | ValueKind::Bits(_) | ValueKind::Text)
            ) {
                self.cells[self.base + slot] = Cell::Absent;
            }
        }
    }

    /// Sets the value and the mark of a slot in the innermost unit.
    pub fn set_marked_slot(&mut self, slot: Slot, value: Cell, mark: M) {
        self.cells[self.base + slot as usize] = value;
        self.marks[self.base + slot as usize] = mark;
    }

    /// Sets each slot to the result of `value` for its mark; `None` leaves the slot unchanged.
    pub fn update_marked(&mut self, value: impl Fn(M) -> Option<Cell>) {
        for (cell, mark) in self.cells.iter_mut().zip(&self.marks) {
            if let Some(value) = value(*mark) {
                *cell = value;
            }
        }
    }

    /// Returns the slots of the innermost unit and their marks.
    pub fn slots(&self) -> (&[Cell], &[M]) {
        (&self.cells[self.base..], &self.marks[self.base..])
    }

    pub fn eval_bool(&self, code: &Code) -> Result<bool, EvalError> {
        code.eval_bool(&self.cells[self.base..])
    }

    /// Returns `true` if an argument for a unit inside the innermost one has a value.
    #[cfg(feature = "serde")]
    pub fn is_known(&self, argument: &Argument) -> bool {
        let is_known = |code: &Code| code.eval_cell(&self.cells[self.base..]).is_ok();
        match argument {
            Argument::Value(code, _) => is_known(code),
            Argument::Fields(fields) => fields.iter().all(|(code, _)| is_known(code)),
        }
    }

    fn is_chosen(&self, variant: &Step) -> Result<bool, EvalError> {
        variant
            .choice
            .as_ref()
            .map_or(Ok(true), |condition| self.eval_bool(condition))
    }

    /// Returns the first variant whose condition is true. If there is none, the error lists the variants whose
    /// condition cannot be evaluated.
    pub fn choose_variant(
        &self,
        steps: &'static [Step],
    ) -> Result<&'static Step, Vec<&'static Step>> {
        let mut open = Vec::new();
        for step in steps {
            match self.is_chosen(step) {
                Ok(true) => return Ok(step),
                Ok(false) => {}
                Err(_) => open.push(step),
            }
        }
        Err(open)
    }

    /// Evaluates the value that a codec computes for a slot. Returns `false` if it overflows.
    pub fn compute(&mut self, code: &Code, slot: Slot) -> bool {
        let value = code.eval(&self.cells[self.base..]);
        if let Ok(value) = value {
            self.cells[self.base + slot as usize] = Cell::Number(value);
        }
        value != Err(EvalError::Overflow)
    }

    pub fn eval_int(&self, code: &Code) -> Result<i128, EvalError> {
        code.eval_int(&self.cells[self.base..])
    }

    pub fn eval_value(&self, code: &Code) -> Result<Value, EvalError> {
        code.eval_value(&self.cells[self.base..])
    }

    /// Returns the values visible in the innermost unit.
    pub fn visible_values(&self) -> VisibleValues<'_> {
        VisibleValues {
            unit: self.unit,
            cells: &self.cells[self.base..],
        }
    }

    /// Returns the size in bytes of a value with these arguments; `None` if they do not determine it.
    #[inline]
    pub fn form_size(&mut self, form: FormId, arguments: &'static [Argument]) -> Option<u64> {
        // Most sizes are fixed, and walks request the size of every list.
        match self.program.forms[form].size {
            FormSize::Fixed(size) => Some(size),
            FormSize::FromArguments => self.size_from_arguments(form, arguments),
            FormSize::FromContent => None,
        }
    }

    fn size_from_arguments(&mut self, form: FormId, arguments: &'static [Argument]) -> Option<u64> {
        let form = &self.program.forms[form];
        match (form.size, form.kind) {
            (FormSize::FromArguments, FormKind::Items(item, Some(count))) => {
                self.form_size(item, arguments)?.checked_mul(count)
            }
            (FormSize::FromArguments, FormKind::Struct(unit) | FormKind::Choice(unit)) => {
                let unit = &self.program.units[unit];
                let (outer, has_all) = self.enter(unit, arguments);
                let mut steps = unit.steps.iter();
                let steps = match form.kind {
                    FormKind::Struct(_) => &unit.steps[..],
                    // A variant whose condition cannot be evaluated leaves the size open, even if a later one applies.
                    _ => steps
                        .find(|step| self.is_chosen(step) != Ok(false))
                        .filter(|step| self.is_chosen(step) == Ok(true))
                        .map_or(&[][..], std::slice::from_ref),
                };
                let magic = unit.declaration.magic.len() as u64;
                let add = |size: u64, step| size.checked_add(self.step_size(step)?);
                let size = steps.iter().try_fold(magic, add);
                self.leave(outer, None);
                size.filter(|_| has_all && !steps.is_empty())
            }
            _ => None,
        }
    }

    /// Returns the size of a field in bytes: 0 if absent or a look-ahead, `None` if the slots do not determine it.
    pub fn step_size(&mut self, step: &'static Step) -> Option<u64> {
        let is_present = step
            .condition
            .as_ref()
            .map_or(Ok(true), |condition| self.eval_bool(condition));
        if step.field.lookahead || !is_present.ok()? {
            return Some(0);
        }
        match (self.program.forms[step.form].kind, &step.count) {
            (FormKind::Items(item, None), Some(count)) => {
                let count = u64::try_from(self.eval_int(count).ok()?).ok()?;
                self.form_size(item, &step.arguments)?.checked_mul(count)
            }
            _ => self.form_size(step.form, &step.arguments),
        }
    }
}

/// Looks up the known values of a unit by path.
pub(crate) struct VisibleValues<'c> {
    pub unit: Option<&'static Unit>,
    pub cells: &'c [Cell],
}

impl Lookup for VisibleValues<'_> {
    fn lookup(&self, path: &[&str]) -> Option<Value> {
        let names = self.unit?.slots.iter().zip(self.cells);
        let has_value = |cell: &Cell| !matches!(cell, Cell::Empty | Cell::Absent);
        let mut known =
            names.filter(|(name, cell)| has_value(cell) && path.starts_with(&name.path));
        // A field hides an import of the same name.
        let field = known.clone().find(|(name, _)| name.import.is_none());
        let (name, cell) = field.or_else(|| known.next())?;
        let value = match (cell, name.kind) {
            (
                Cell::Number(Operand::Int(number)),
                ValueKind::Int(Some(IntType {
                    bits: 128,
                    signed: false,
                })),
            ) => Value::unsigned(*number as u128),
            _ => cell.to_value(name.kind.word())?,
        };
        match (&path[name.path.len()..], value) {
            ([], value) => Some(value),
            ([field], Value::Bits(word, declaration)) => bit_field_value(word, declaration, field),
            _ => None,
        }
    }
}
