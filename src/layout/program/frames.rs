//! The values of slots while a program runs.

use std::sync::Arc;

use super::code::{Cell, Code, Column, Slot};
use super::item::Item;
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
    /// The marks of the values of each column.
    column_marks: Vec<Vec<M>>,
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
            column_marks: Vec::new(),
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

    /// Returns to the unit `outer` after a value: one with its own field, or an item of a list, whose values are added to the
    /// columns of the list.
    pub fn leave_value(&mut self, outer: EnclosingUnit, item: &Item) {
        if let (true, Some(list)) = (item.is_array_item, item.step) {
            for (from, column) in &list.columns {
                let Some(from) = from else { continue };
                let from = self.base + *from as usize;
                let cell = std::mem::take(&mut self.cells[from]);
                self.add_to_column(outer.base + *column as usize, cell, self.marks[from]);
            }
        }
        self.leave(outer, item.own_step());
    }

    /// Empties the columns of a list, before its items are processed.
    pub fn start_columns(&mut self, list: &Item) {
        for (_, column) in list.own_step().iter().flat_map(|step| &step.columns) {
            let marks = self.column_marks.len();
            // Marks without data need no lists.
            if size_of::<M>() > 0 {
                self.column_marks.push(Vec::new());
            }
            let column = self.base + *column as usize;
            self.cells[column] = Cell::Column(Arc::new(Column {
                cells: Vec::new(),
                marks,
            }));
        }
    }

    /// Adds a value to the column at an index of `cells`.
    fn add_to_column(&mut self, column: usize, cell: Cell, mark: M) {
        let Cell::Column(column) = &mut self.cells[column] else {
            return;
        };
        // A column is shared only after its last item.
        if let Some(column) = Arc::get_mut(column) {
            column.cells.push(cell);
            if let Some(marks) = self.column_marks.get_mut(column.marks) {
                marks.push(mark);
            }
        }
    }

    /// Adds unknown values to the columns of a list that lack the values of an item. The list has `count` items so far.
    pub fn end_item(&mut self, item: &Item, count: u64) {
        if !item.has_columns {
            return;
        }
        for (_, column) in item.step.iter().flat_map(|step| &step.columns) {
            let column = self.base + *column as usize;
            if let Cell::Column(own) = &self.cells[column]
                && (own.cells.len() as u64) < count
            {
                self.add_to_column(column, Cell::Empty, M::default());
            }
        }
    }

    /// Sets the values from which the item at `index` of a list takes its arguments, if another list provides them; clears
    /// them if that list has no such item. `value` updates a value, given its mark.
    pub fn set_current_item(&mut self, item: &Item, index: u64, value: impl Fn(M) -> Option<Cell>) {
        for (column, slot) in item.each.iter().flat_map(|each| &each.columns) {
            let (mut cell, mut mark) = (Cell::Empty, M::default());
            if let Cell::Column(column) = &self.cells[self.base + *column as usize]
                && let Some(own) = column.cells.get(index as usize)
            {
                // Resumed frames have no marks of columns, nor have walkers.
                let marks = self.column_marks.get(column.marks);
                mark = marks
                    .and_then(|marks| marks.get(index as usize).copied())
                    .unwrap_or_default();
                cell = value(mark).unwrap_or_else(|| own.clone());
            }
            self.set_marked_slot(*slot, cell, mark);
        }
    }

    /// Stores a number in the slot of its field, or adds it to the column of its list, if it has one.
    pub fn set_value(&mut self, item: &Item, value: Cell, mark: M) {
        let Some(step) = item.step else { return };
        if !item.is_array_item {
            if let Some(slot) = step.value {
                self.set_marked_slot(slot, value, mark);
            }
            return;
        }
        for (from, column) in &step.columns {
            if from.is_none() {
                self.add_to_column(self.base + *column as usize, value.clone(), mark);
            }
        }
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
        let nested = step.exports.iter().map(|(_, to)| to);
        let columns = step.columns.iter().map(|(_, column)| column);
        let slots = step.value.iter().chain(nested).chain(columns);
        for slot in slots.map(|slot| *slot as usize) {
            let kind = self
                .unit
                .and_then(|unit| unit.slots.get(slot))
                .map(|name| name.kind);
            match kind {
                Some(ValueKind::Int(_) | ValueKind::Bits(_) | ValueKind::Text) => {
                    self.cells[self.base + slot] = Cell::Absent;
                }
                Some(ValueKind::Column) => {
                    self.cells[self.base + slot] = Cell::Column(Arc::default());
                }
                _ => {}
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

    /// Returns `true` if the items that provide the arguments for a list are known.
    #[cfg(feature = "serde")]
    pub fn has_columns(&self, each: &super::model::EachStep) -> bool {
        let cells = &self.cells[self.base..];
        each.columns
            .iter()
            .all(|(column, _)| matches!(cells[*column as usize], Cell::Column(_)))
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

    /// Returns the size in bytes of each item of a list; `None` if the sizes differ, or the arguments do not determine them.
    pub fn item_size(&mut self, item: &Item) -> Option<u64> {
        match (item.each, self.program.forms[item.form].size) {
            (Some(_), FormSize::Fixed(size)) => Some(size),
            (Some(_), _) => None,
            (None, _) => self.form_size(item.form, item.arguments),
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
        let mut known = names.filter(|(name, cell)| {
            has_value(cell) && name.item_of.is_none() && path.starts_with(&name.path)
        });
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
