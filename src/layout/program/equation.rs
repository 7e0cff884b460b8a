//! Equations between slots: the roles of expressions, and the stored values that they depend on.

use super::code::{Code, Slot};
use super::model::{
    Argument, ComparedValues, Form, FormId, FormKind, Program, Step, Unit, UnitId, ValueUse,
};
use super::names::SlotName;
use crate::Rule;
use crate::layout::declaration::{
    Check, Checksum, Constraint, Declaration, Packing, Requirement, Type,
};
use crate::layout::expr::{BinaryOp, Expr};

/// The role of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// The condition of a choice's variant.
    Choice,
    /// The condition of an optional field.
    Presence,
    /// The condition in a check of the field.
    Check(&'static Check),
    /// The condition that a constraint requires.
    Holds(&'static Constraint),
    /// The number of items in a list: the stored value, divided by this stride; 1 if the expression has no division.
    Count(i128),
    /// The size of a block in bytes.
    Bytes,
    /// The offset of the field.
    Offset,
    /// The unpacked size of the block.
    UnpackedSize,
    /// The checksum of the field, possibly together with earlier fields.
    Checksum,
}

/// An expression of a declaration, and its role.
#[derive(Debug)]
pub(crate) struct Equation<'p> {
    pub unit: UnitId,
    pub step: &'p Step,
    pub role: Role,
    pub code: &'p Code,
}

/// A stored value that an expression depends on: a field of a struct, or a bit field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ValueOrigin {
    pub declaration: &'static Declaration,
    pub name: &'static str,
    /// The rule of the field.
    pub rule: Option<&'static Rule>,
}

/// Stored values, each with the literals that it is compared or computed with.
pub(super) type Origins = Vec<(ValueOrigin, Vec<i128>)>;

impl Role {
    /// Returns how a stored value with this role is used; `None` for conditions.
    pub(super) fn usage(self) -> Option<ValueUse> {
        match self {
            Role::Bytes | Role::Offset | Role::UnpackedSize | Role::Checksum => {
                Some(ValueUse::Derived)
            }
            Role::Count(1) => Some(ValueUse::Count),
            // Several sizes yield the same number of items, so a size is derived.
            Role::Count(_) => Some(ValueUse::Derived),
            Role::Choice | Role::Presence | Role::Check(_) | Role::Holds(_) => None,
        }
    }
}

/// A unit that can be reached from the root.
#[derive(Debug, Clone, Copy)]
pub struct ReachableUnit {
    pub id: UnitId,
    /// Whether the unit is first reached in a packed block.
    pub is_packed: bool,
}

impl Program {
    /// Returns the equations of all reachable units, in depth-first preorder.
    pub(crate) fn equations(&self) -> Vec<Equation<'_>> {
        let mut equations = Vec::new();
        for ReachableUnit { id: unit, .. } in self.reachable_units() {
            for step in &self.units[unit].steps {
                equations.extend(step.equations().map(|(role, code)| Equation {
                    unit,
                    step,
                    role,
                    code,
                }));
            }
        }
        equations
    }

    /// Records how expressions use the value of each field, and the rule of each checksum.
    pub fn record_uses(&mut self) {
        let mut uses: Vec<(ValueOrigin, ValueUse)> = Vec::new();
        let mut choosing: Vec<ValueOrigin> = Vec::new();
        for equation in self.equations() {
            if equation.role == Role::Choice {
                let origins = self.origins(equation.unit, equation.code).into_iter();
                choosing.extend(origins.map(|(origin, _)| origin));
            }
            if let Some(mut usage) = equation.role.usage() {
                if usage == ValueUse::Count && self.may_have_empty_items(equation.step) {
                    usage = ValueUse::UnboundedCount;
                }
                let origins = self.origins(equation.unit, equation.code).into_iter();
                uses.extend(origins.map(|(origin, _)| (origin, usage)));
            }
        }
        let rules = self.checksum_rules();
        let forms = &self.forms;
        for unit in &mut self.units {
            let declaration = unit.declaration;
            // The numbers in a list follow from a list of the same struct, or must be given.
            let followed: Vec<bool> = unit
                .steps
                .iter()
                .map(|step| unit.follower_of(step).is_some())
                .collect();
            for (step, is_followed) in unit.steps.iter_mut().zip(followed) {
                step.is_padding = step.block.is_none()
                    && is_list_of_bytes(forms, step.form)
                    && step.count.as_ref().is_some_and(Code::is_remainder);
                if let Some(sum) = &mut step.checksum {
                    let own = rules
                        .iter()
                        .find(|(checksum, _)| std::ptr::eq(*checksum, sum.checksum));
                    sum.rule = own.map(|(_, rule)| *rule);
                }
                let name = step.field.name;
                let is_own =
                    |origin: &ValueOrigin| origin.name == name && origin.declaration == declaration;
                let own = uses.iter().filter(|(origin, _)| is_own(origin));
                // The first of the variants takes precedence.
                step.usage = own.map(|(_, usage)| *usage).min();
                let mut constraints = step.field.constraints.iter();
                let is_count =
                    constraints.any(|own| matches!(own.requirement, Requirement::Counts { .. }));
                let is_determined = step.is_padding || step.usage.is_some() || is_count;
                let is_list = matches!(forms[step.form].kind, FormKind::Items(..));
                step.is_computed = is_determined
                    && (step.is_padding || is_followed || !is_list)
                    && !choosing.iter().any(is_own);
            }
        }
        self.record_shown_absences();
    }

    /// Records which conditions depend on computed values of the same struct.
    fn record_shown_absences(&mut self) {
        let computed: Vec<ValueOrigin> = self
            .units
            .iter()
            .flat_map(|unit| {
                let steps = unit.steps.iter().filter(|step| step.is_computed);
                steps.map(|step| ValueOrigin {
                    declaration: unit.declaration,
                    name: step.field.name,
                    rule: step.field.rule,
                })
            })
            .collect();
        for id in 0..self.units.len() {
            for index in 0..self.units[id].steps.len() {
                let unit = &self.units[id];
                let mut shows_absence = false;
                if let Some(condition) = &unit.steps[index].condition {
                    condition.for_each_value(&mut |slot, _| {
                        let SlotName { path, import, .. } = &unit.slots[slot as usize];
                        if import.is_none() {
                            self.for_each_field_at(id, path, &mut |origin| {
                                shows_absence |= computed.contains(&origin);
                            });
                        }
                    });
                }
                self.units[id].steps[index].shows_absence = shows_absence;
            }
        }
    }

    /// Records which imports select variants.
    pub fn record_selecting_imports(&mut self) {
        // Parts precede the units that contain them.
        for id in 0..self.units.len() {
            let unit = &self.units[id];
            let mut selects = vec![false; unit.imports.len()];
            let mut add = |code: &Code| {
                code.for_each_value(&mut |slot, _| {
                    let slot = unit.source_slot(slot);
                    if let Some(import) = unit.slots[slot as usize].import {
                        selects[import] = true;
                    }
                });
            };
            for step in &unit.steps {
                step.choice.iter().for_each(&mut add);
                let (form, arguments) = step.content();
                let inner = self.forms[form]
                    .unit
                    .map(|inner| &self.units[inner].selects);
                for (argument, selects) in arguments.iter().zip(inner.into_iter().flatten()) {
                    match argument {
                        Argument::Value(code, _) if *selects => add(code),
                        Argument::Fields(fields) if *selects => {
                            fields.iter().for_each(|(code, _)| add(code));
                        }
                        _ => {}
                    }
                }
            }
            self.units[id].selects = selects;
        }
    }

    fn may_have_empty_items(&self, step: &Step) -> bool {
        matches!(self.forms[step.form].kind, FormKind::Items(item, _) if self.forms[item].may_be_empty)
    }

    /// Returns each checksum with the rule of the field that stores it. Omits checksums without such a rule.
    fn checksum_rules(&self) -> Vec<(&'static Checksum, &'static Rule)> {
        let mut rules = Vec::new();
        for (unit, id) in self.units.iter().zip(0..) {
            for sum in unit.steps.iter().flat_map(|step| &step.checksum) {
                let origins = self.origins(id, &sum.stored).into_iter();
                rules.extend(origins.filter_map(|(origin, _)| Some((sum.checksum, origin.rule?))));
            }
        }
        rules
    }

    /// Returns the largest alignment that checks require of offsets; 1 if no check requires one.
    pub fn offset_alignment(&self) -> u64 {
        let mut alignment = 1;
        for offset in self
            .equations()
            .iter()
            .filter(|equation| equation.role == Role::Offset)
        {
            let Code::Slot(..) = offset.code.without_casts() else {
                continue;
            };
            for (origin, _) in self.origins(offset.unit, offset.code) {
                let own = self
                    .units
                    .iter()
                    .filter(|unit| unit.declaration == origin.declaration);
                let steps = own
                    .flat_map(|unit| &unit.steps)
                    .filter(|step| step.field.name == origin.name);
                let multiples = steps
                    .flat_map(|step| &step.checks)
                    .filter_map(Code::required_multiple);
                alignment = multiples.fold(alignment, u64::max);
            }
        }
        alignment
    }

    /// Returns the stored values that an expression of a unit depends on.
    pub(crate) fn origins(&self, unit: UnitId, code: &Code) -> Origins {
        let mut found = Vec::new();
        self.add_origins(unit, code, &[], &mut found);
        found
    }

    fn add_origins(&self, unit: UnitId, code: &Code, literals: &[i128], found: &mut Origins) {
        let mut literals = literals.to_vec();
        code.visit(&mut |part| {
            if let Code::Int(number) = part {
                literals.push(*number);
            }
        });
        code.for_each_value(&mut |slot, field| match field {
            Some(field) => {
                let word = self.units[unit].slots[slot as usize].kind.word();
                let mut all = word.into_iter().flat_map(Declaration::all_bit_fields);
                if let Some((declaration, ..)) = all.find(|(.., own)| std::ptr::eq(*own, field)) {
                    found.push((
                        ValueOrigin {
                            declaration,
                            name: field.name,
                            rule: None,
                        },
                        literals.clone(),
                    ));
                }
            }
            None => self.add_slot_origins(unit, slot, &literals, found),
        });
    }

    fn add_slot_origins(&self, unit: UnitId, slot: Slot, literals: &[i128], found: &mut Origins) {
        let slot = self.units[unit].source_slot(slot);
        let name = &self.units[unit].slots[slot as usize];
        let Some(import) = name.import else {
            return self.for_each_field_at(unit, &name.path, &mut |origin| {
                found.push((origin, literals.to_vec()))
            });
        };
        for (outer, arguments) in self.arguments_for(unit) {
            match arguments.get(import) {
                Some(Argument::Value(code, _)) => self.add_origins(outer, code, literals, found),
                Some(Argument::Fields(fields)) => {
                    let codes = fields.iter().filter(|(_, own)| *own == slot);
                    codes.for_each(|(code, _)| self.add_origins(outer, code, literals, found));
                }
                None => {}
            }
        }
    }

    /// Calls `each` with the field at a path, which may lead into the items of a list; for a choice, with the field in each
    /// variant.
    fn for_each_field_at(&self, unit: UnitId, path: &[&str], each: &mut dyn FnMut(ValueOrigin)) {
        let Unit {
            declaration, steps, ..
        } = &self.units[unit];
        for step in steps.iter().filter(|step| step.variant.is_some()) {
            if let FormKind::Struct(unit) | FormKind::Choice(unit) =
                self.forms[step.content().0].kind
            {
                self.for_each_field_at(unit, path, each);
            }
        }
        let Some((name, rest)) = path.split_first() else {
            return;
        };
        let is_named = |step: &&Step| step.variant.is_none() && step.field.name == *name;
        let Some(step) = steps.iter().rfind(is_named) else {
            return;
        };
        match (rest, self.forms[step.content().0].kind) {
            ([], _) => each(ValueOrigin {
                declaration,
                name: step.field.name,
                rule: step.field.rule,
            }),
            (_, FormKind::Struct(unit) | FormKind::Choice(unit)) => {
                self.for_each_field_at(unit, rest, each)
            }
            (_, FormKind::Items(item, _)) => {
                if let FormKind::Struct(unit) | FormKind::Choice(unit) = self.forms[item].kind {
                    self.for_each_field_at(unit, rest, each);
                }
            }
            _ => {}
        }
    }

    /// Returns each use of a unit: the enclosing unit and the arguments.
    fn arguments_for(&self, unit: UnitId) -> impl Iterator<Item = (UnitId, &[Argument])> {
        self.units
            .iter()
            .enumerate()
            .flat_map(move |(outer, other)| {
                let calls = other.steps.iter().map(Step::content);
                let own = calls.filter(move |(form, _)| self.forms[*form].unit == Some(unit));
                own.map(move |(_, arguments)| (outer, arguments))
            })
    }

    /// Returns the reachable units in depth-first preorder.
    pub fn reachable_units(&self) -> Vec<ReachableUnit> {
        let mut order: Vec<ReachableUnit> = Vec::new();
        let root = self.forms[self.root].unit.map(|id| ReachableUnit {
            id,
            is_packed: false,
        });
        let mut open = Vec::from_iter(root);
        while let Some(next) = open.pop() {
            if order.iter().any(|known| known.id == next.id) {
                continue;
            }
            order.push(next);
            let unit = &self.units[next.id];
            let parts = unit.steps.iter().filter_map(|step| {
                let is_packed = step
                    .field
                    .block
                    .is_some_and(|block| block.packing != Packing::Stored);
                let id = self.forms[step.content().0].unit?;
                Some(ReachableUnit {
                    id,
                    is_packed: next.is_packed || is_packed,
                })
            });
            let words = unit
                .declaration
                .bit_fields()
                .iter()
                .filter_map(|field| field.declared);
            let words = words.filter_map(|word| unit_that_declares(&self.units, word));
            let first = open.len();
            open.extend(parts.chain(words.map(|id| ReachableUnit { id, ..next })));
            open[first..].reverse();
        }
        order
    }
}

fn is_list_of_bytes(forms: &[Form], form: FormId) -> bool {
    matches!(forms[form].kind, FormKind::Items(item, None) if *forms[item].ty == Type::Unsigned(1))
}

/// Returns the first unit of a declaration.
pub(super) fn unit_that_declares(units: &[Unit], declaration: &Declaration) -> Option<UnitId> {
    units
        .iter()
        .position(|unit| unit.declaration == declaration)
}

impl Step {
    /// Returns the expressions of the field with their roles, except arguments and encodings.
    fn equations(&self) -> impl Iterator<Item = (Role, &Code)> {
        let checks = self.checks.iter().zip(self.field.checks);
        let checks = checks.map(|(code, check)| (Role::Check(check), code));
        let holds = self
            .required_conditions
            .iter()
            .map(|(constraint, code)| (Role::Holds(constraint), code));
        let count = self
            .count
            .iter()
            .map(|code| match (&self.block, self.field.count) {
                (Some(_), _) => (Role::Bytes, code),
                (None, Some(Expr::Binary(BinaryOp::Divide, _, stride))) => {
                    (Role::Count(stride.as_literal().unwrap_or(1)), code)
                }
                (None, _) => (Role::Count(1), code),
            });
        let choice = self.choice.iter().map(|code| (Role::Choice, code));
        let presence = self.condition.iter().map(|code| (Role::Presence, code));
        let position = self.position.iter().map(|code| (Role::Offset, code));
        let size = self
            .block
            .iter()
            .flat_map(|block| &block.size)
            .map(|code| (Role::UnpackedSize, code));
        let sum = self
            .checksum
            .iter()
            .map(|sum| (Role::Checksum, &sum.stored));
        choice
            .chain(checks)
            .chain(holds)
            .chain(presence)
            .chain(count)
            .chain(position)
            .chain(size)
            .chain(sum)
    }
}

impl ComparedValues {
    /// An empty set.
    pub const NONE: ComparedValues = ComparedValues {
        numbers: Vec::new(),
        patterns: Vec::new(),
    };

    fn add(&mut self, code: &Code) {
        code.visit(&mut |part| match part {
            Code::Int(number) => {
                let near = [Some(*number), number.checked_add(1), number.checked_sub(1)];
                for number in near.into_iter().flatten() {
                    if !self.numbers.contains(&number) {
                        self.numbers.push(number);
                    }
                }
            }
            Code::Matches(_, pattern) => self.patterns.push(pattern),
            _ => {}
        });
    }
}

impl Unit {
    /// Returns the numbers and patterns in conditions, checks and block arguments, and in the conditions of choices.
    pub fn compared_values(&self, program: &Program) -> &ComparedValues {
        self.compared.get_or_init(|| {
            let mut compared = ComparedValues::NONE;
            for step in &self.steps {
                let holds = step.required_conditions.iter().map(|(_, code)| code);
                let arguments = step.block.iter().flat_map(|block| &block.arguments);
                let arguments = arguments.filter_map(|argument| match argument {
                    Argument::Value(code, _) => Some(code),
                    Argument::Fields(_) => None,
                });
                let part = program.forms[step.form]
                    .unit
                    .map(|unit| &program.units[unit].steps);
                let choices = part
                    .into_iter()
                    .flatten()
                    .filter_map(|step| step.choice.as_ref());
                let codes = step
                    .checks
                    .iter()
                    .chain(holds)
                    .chain(&step.condition)
                    .chain(arguments)
                    .chain(choices);
                codes.for_each(|code| compared.add(code));
            }
            self.steps
                .iter()
                .flat_map(|step| &step.choice)
                .for_each(|code| compared.add(code));
            compared
        })
    }
}
