//! Resolves a declaration: allocates a slot for every name in its expressions.

use std::sync::OnceLock;

use super::code::{Code, Slot};
use super::draft::{DraftUnit, PathTarget, slot_code, value_form};
use super::equation::unit_that_declares;
use super::infer::Arithmetic;
use super::model::{
    Argument, BlockStep, ChecksumStep, ComputedStep, EachStep, Form, FormId, FormKind, FormSize,
    Program, Step, Unit, UnitId,
};
use super::names::{Names, SlotName, ValueKind};
use super::size::size_of_unit;
use crate::layout::declaration::{
    Block, Checksum, Constraint, Declaration, Each, Field, Requirement, Shape, Type, Variant,
};
use crate::layout::expr::{Expr, IntType};

/// The type of an offset in `SeekFrom::Start`.
const OFFSET: IntType = IntType {
    bits: 64,
    signed: false,
};

impl Program {
    /// Resolves a declaration and every declaration that it reaches.
    pub fn new(ty: &'static Type) -> Program {
        let mut builder = Builder::default();
        let root = builder.add_form(ty, &[]);
        let Builder { units, forms } = builder;
        let mut program = Program {
            units,
            forms,
            root,
            no_arguments: Vec::new(),
            alignment: 1,
            lengths: Vec::new(),
            problems: Vec::new(),
        };
        program.lengths = program.stored_lengths();
        program.record_uses();
        program.record_selecting_imports();
        program.alignment = program.offset_alignment();
        program.problems = program.find_problems();
        program
    }
}

#[derive(Default)]
pub(super) struct Builder {
    pub(super) units: Vec<Unit>,
    pub(super) forms: Vec<Form>,
}

impl Builder {
    fn add_form(&mut self, ty: &'static Type, imports: &[ValueKind]) -> FormId {
        let (kind, size, unit) = match ty {
            Type::Unsigned(n) | Type::Signed(n) | Type::Float(n) => (
                FormKind::Number((*n).into()),
                FormSize::Fixed((*n).into()),
                None,
            ),
            Type::BigEndian(number) => {
                let form = self.add_form(number, imports);
                let Form {
                    kind, size, unit, ..
                } = self.forms[form];
                (kind, size, unit)
            }
            Type::NulString => (FormKind::Text, FormSize::FromContent, None),
            Type::Array(item, _) | Type::List(item) => {
                let count = ty.item_type_and_count().and_then(|(_, count)| count);
                let item = self.add_form(item, imports);
                let size = count.map_or(FormSize::FromContent, |count| {
                    self.forms[item].size.times(count)
                });
                (FormKind::Items(item, count), size, self.forms[item].unit)
            }
            Type::Declared(declaration) => {
                let unit = self.add_unit(declaration, imports);
                let kind = match declaration.shape {
                    Shape::Struct(_) => FormKind::Struct(unit),
                    Shape::Choice(_) => FormKind::Choice(unit),
                    Shape::Enum { size, .. } | Shape::Bits { size, .. } => {
                        FormKind::Number(size.into())
                    }
                };
                (
                    kind,
                    size_of_unit(&self.units[unit], &self.forms),
                    Some(unit),
                )
            }
        };
        let (may_be_empty, needs_full_walk) = (self.may_be_empty(kind), self.needs_full_walk(kind));
        let (may_fault, lookahead_size) = (self.may_fault(ty, kind), self.lookahead_size(kind));
        let form = Form {
            ty,
            kind,
            size,
            unit,
            may_be_empty,
            needs_full_walk,
            may_fault,
            lookahead_size,
        };
        let is_known =
            |known: &Form| std::ptr::eq(known.ty, ty) && known.kind == kind && known.unit == unit;
        self.forms.iter().position(is_known).unwrap_or_else(|| {
            self.forms.push(form);
            self.forms.len() - 1
        })
    }

    fn add_unit(&mut self, declaration: &'static Declaration, imports: &[ValueKind]) -> UnitId {
        let mut imports = imports.to_vec();
        imports.resize(declaration.imports.len(), ValueKind::Int(None));
        for (import, ty) in imports.iter_mut().zip(declaration.import_types) {
            // A literal has the type of the import.
            if *import == ValueKind::Int(None) {
                *import = ValueKind::Int(*ty);
            }
        }
        let is_known = |unit: &Unit| unit.declaration == declaration && unit.imports == imports;
        if let Some(id) = self.units.iter().position(is_known) {
            return id;
        }
        let mut draft = DraftUnit {
            declaration,
            imports: &imports,
            slots: Vec::new(),
            steps: Vec::new(),
            each: None,
        };
        match declaration.shape {
            Shape::Struct(fields) => {
                fields
                    .iter()
                    .for_each(|field| self.add_step(&mut draft, field, None));
                // Checksums may be stored in later fields.
                for (index, field) in fields.iter().enumerate() {
                    let sum = field
                        .checksum
                        .as_ref()
                        .map(|sum| self.resolve_checksum(sum, &mut draft));
                    draft.steps[index].checksum = sum;
                }
            }
            Shape::Choice(variants) => {
                // Expressions in one variant cannot refer to fields of another.
                let mut steps = Vec::new();
                for variant in variants {
                    self.add_step(&mut draft, &variant.field, Some(variant));
                    steps.append(&mut draft.steps);
                }
                draft.steps = steps;
            }
            Shape::Bits { fields, .. } => {
                for word in fields.iter().filter_map(|field| field.declared) {
                    self.add_unit(word, &[]);
                }
            }
            Shape::Enum { .. } => {}
        }
        let computed = declaration.computed.iter().map(|computed| ComputedStep {
            name: computed.name,
            value: self.resolve_codec_expr(&computed.value, &mut draft, computed.ty),
            slot: draft.get_or_add_slot(&[computed.name], ValueKind::Int(computed.ty), None),
        });
        let computed = computed.collect();
        let DraftUnit { slots, steps, .. } = draft;
        let has_checksums = steps.iter().any(|step| step.checksum.is_some());
        let compared = OnceLock::new();
        self.units.push(Unit {
            declaration,
            imports,
            selects: Vec::new(),
            slots,
            steps,
            computed,
            has_checksums,
            compared,
        });
        self.units.len() - 1
    }

    fn add_step(
        &mut self,
        draft: &mut DraftUnit,
        field: &'static Field,
        variant: Option<&'static Variant>,
    ) {
        let choice =
            variant.map(|variant| self.resolve_codec_expr(&variant.condition, draft, None));
        let condition = field
            .condition
            .as_ref()
            .map(|expr| self.resolve_codec_expr(expr, draft, None));
        let position = field
            .position
            .as_ref()
            .map(|expr| self.resolve_codec_expr(expr, draft, Some(OFFSET)));
        let count = field
            .count
            .as_ref()
            .map(|expr| self.resolve_codec_expr(expr, draft, None));
        draft.each = field.each.as_ref().map(|each| EachStep {
            each,
            columns: Vec::new(),
        });
        let (form, mut arguments) =
            self.resolve_type_and_arguments(&field.ty, field.arguments, draft);
        let each = draft.each.take();
        let count = match &each {
            None => count,
            Some(each) => Some(match each.columns.first() {
                Some((column, _)) => Code::Length(*column),
                None => Code::Unknown,
            }),
        };
        let types = field
            .ty
            .declaration()
            .map_or(&[][..], |declaration| declaration.import_types);
        for (index, argument) in arguments.iter_mut().enumerate() {
            if let Argument::Value(code, _) = argument {
                let expected = types.get(index).copied().flatten();
                code.infer_types(Arithmetic::Rust, &draft.slots, expected);
            }
        }
        let block = field
            .block
            .as_ref()
            .map(|block| self.resolve_block(block, draft));
        draft.steps.push(Step {
            field,
            variant,
            choice,
            form,
            arguments,
            condition,
            position,
            count,
            checks: Vec::new(),
            required_conditions: Vec::new(),
            usage: None,
            is_padding: false,
            is_computed: false,
            shows_absence: false,
            block,
            checksum: None,
            value: None,
            exports: Vec::new(),
            columns: Vec::new(),
            each,
        });
        if !field.checks.is_empty() {
            // The message of a check contains the field's value.
            self.resolve_path(&[field.name], draft);
        }
        let checks = field
            .checks
            .iter()
            .map(|check| self.resolve_codec_expr(&check.condition, draft, None));
        let checks = checks.collect();
        // Constraints on bit fields can refer to values of the struct that contains their word.
        let words = field
            .ty
            .declaration()
            .into_iter()
            .flat_map(Declaration::all_bit_fields);
        for constraint in field
            .constraints
            .iter()
            .chain(words.flat_map(|(.., bits)| bits.constraints))
        {
            self.add_constraint_slots(constraint, draft);
        }
        let holds =
            field
                .constraints
                .iter()
                .filter_map(|constraint| match &constraint.requirement {
                    Requirement::Holds(condition) => {
                        Some((constraint, self.resolve_expr(condition, draft)))
                    }
                    _ => None,
                });
        let holds = holds.collect();
        if let Some(step) = draft.steps.last_mut() {
            (step.checks, step.required_conditions) = (checks, holds);
        }
    }

    fn resolve_block(&mut self, block: &'static Block, draft: &mut DraftUnit) -> BlockStep {
        let size = block
            .size
            .as_ref()
            .map(|expr| self.resolve_expr(expr, draft));
        let encoding = block
            .encoding
            .as_ref()
            .map(|expr| self.resolve_expr(expr, draft));
        let (form, arguments) =
            self.resolve_type_and_arguments(&block.content, block.arguments, draft);
        BlockStep {
            block,
            form,
            arguments,
            size,
            encoding,
        }
    }

    fn resolve_checksum(
        &mut self,
        checksum: &'static Checksum,
        draft: &mut DraftUnit,
    ) -> ChecksumStep {
        let stored = self.resolve_expr(&checksum.stored, draft);
        let arguments = checksum
            .arguments
            .iter()
            .map(|expr| self.resolve_expr(expr, draft))
            .collect();
        ChecksumStep {
            checksum,
            stored,
            arguments,
            rule: None,
        }
    }

    /// Allocates slots for the values that a constraint depends on.
    fn add_constraint_slots(&mut self, constraint: &'static Constraint, draft: &mut DraftUnit) {
        for expr in constraint.expressions() {
            self.resolve_expr(expr, draft);
        }
        for placeholder in constraint.placeholders() {
            let name = placeholder.split(':').next().unwrap_or_default();
            self.resolve_path(&name.split('.').collect::<Vec<_>>(), draft);
        }
    }

    /// Resolves a type and the arguments for its imports.
    fn resolve_type_and_arguments(
        &mut self,
        ty: &'static Type,
        arguments: &'static [Expr],
        draft: &mut DraftUnit,
    ) -> (FormId, Vec<Argument>) {
        let imports: Vec<_> = arguments
            .iter()
            .map(|argument| self.import_kind(argument, draft))
            .collect();
        let form = self.add_form(ty, &imports);
        let named = self.forms[form]
            .unit
            .map(|unit| self.units[unit].slots.clone())
            .unwrap_or_default();
        let arguments =
            arguments
                .iter()
                .zip(imports)
                .enumerate()
                .map(|(index, (argument, import))| {
                    let named = (0..)
                        .zip(&named)
                        .filter(|(_, name)| name.import == Some(index));
                    match (import, argument) {
                        (ValueKind::Struct(_) | ValueKind::List(_), Expr::Path(path)) => {
                            let fields = named.map(|(slot, name)| {
                                let path = [path, &name.path[1..]].concat();
                                let code = if name.kind == ValueKind::Column {
                                    self.resolve_column(&path, draft)
                                } else {
                                    self.resolve_path(&path, draft)
                                };
                                (code, slot)
                            });
                            Argument::Fields(fields.collect())
                        }
                        _ => Argument::Value(
                            self.resolve_expr(argument, draft),
                            named.map(|(slot, _)| slot).next(),
                        ),
                    }
                });
        (form, arguments.collect())
    }

    /// Returns the kind of an argument's value, which is the kind of the import.
    fn import_kind(&mut self, argument: &'static Expr, draft: &mut DraftUnit) -> ValueKind {
        if let Expr::Path(path) = argument {
            if let Some(unit) = self.struct_at(path, draft) {
                return ValueKind::Struct(self.units[unit].declaration);
            }
            if let Some(items) = self.list_at(path, draft) {
                return ValueKind::List(items);
            }
        }
        self.resolve_expr(argument, draft);
        Names {
            slots: &draft.slots,
            lengths: &[],
        }
        .kind(argument)
    }

    /// Returns the struct at a path; `None` for any other value.
    fn struct_at(&self, path: &[&str], draft: &DraftUnit) -> Option<UnitId> {
        let (first, rest) = path.split_first()?;
        let field = draft.steps.iter().rfind(|step| step.field.name == *first);
        let start = match field {
            Some(step) => self.forms[value_form(step)?].kind.struct_unit(),
            None => match draft.imports[draft.import_index(first)?] {
                ValueKind::Struct(declaration) => unit_that_declares(&self.units, declaration),
                _ => None,
            },
        };
        rest.iter().try_fold(start?, |unit, name| {
            let step = self.units[unit]
                .steps
                .iter()
                .find(|step| step.field.name == *name)?;
            self.forms[value_form(step)?].kind.struct_unit()
        })
    }

    /// Returns the type of the items in the list at a path; `None` for any other value.
    fn list_at(&self, path: &[&str], draft: &DraftUnit) -> Option<&'static Type> {
        let (last, outer) = path.split_last()?;
        let steps = match outer {
            [] => &draft.steps,
            _ => &self.units[self.struct_at(outer, draft)?].steps,
        };
        match steps.iter().rfind(|step| step.field.name == *last) {
            Some(step) => {
                let FormKind::Items(item, _) = self.forms[value_form(step)?].kind else {
                    return None;
                };
                Some(self.forms[item].ty)
            }
            None if outer.is_empty() => match draft.imports[draft.import_index(last)?] {
                ValueKind::List(items) => Some(items),
                _ => None,
            },
            None => None,
        }
    }

    /// Resolves an expression that only the layout evaluates.
    fn resolve_expr(&mut self, expr: &Expr, draft: &mut DraftUnit) -> Code {
        let mut code = self.resolve_names(expr, draft);
        code.infer_types(Arithmetic::Wide, &draft.slots, None);
        code
    }

    /// Resolves an expression that a codec evaluates, too. `expected` is the type of its result, if known.
    fn resolve_codec_expr(
        &mut self,
        expr: &Expr,
        draft: &mut DraftUnit,
        expected: Option<IntType>,
    ) -> Code {
        let mut code = self.resolve_names(expr, draft);
        code.infer_types(Arithmetic::Rust, &draft.slots, expected);
        code
    }

    fn resolve_names(&mut self, expr: &Expr, draft: &mut DraftUnit) -> Code {
        match expr {
            Expr::Literal(number) => Code::Int(*number),
            Expr::Bool(value) => Code::Bool(*value),
            Expr::Path(path) => self.resolve_path(path, draft),
            Expr::Unary(op, a) => Code::Unary(*op, Box::new(self.resolve_names(a, draft)), None),
            Expr::Binary(op, a, b) => {
                let operands = [self.resolve_names(a, draft), self.resolve_names(b, draft)];
                Code::Binary(*op, Box::new(operands), None)
            }
            Expr::Cast(a, to) => Code::Cast(Box::new(self.resolve_names(a, draft)), *to),
            Expr::If(condition, a, b) => Code::If(Box::new([
                self.resolve_names(condition, draft),
                self.resolve_names(a, draft),
                self.resolve_names(b, draft),
            ])),
            Expr::Matches(path, pattern) => match self.resolve_path(path, draft) {
                Code::Slot(slot, _) => Code::Matches(slot, pattern),
                _ => Code::Unknown,
            },
        }
    }

    /// Resolves a path. The path starts at the last field with its first name or, if no field has it, at an import.
    fn resolve_path(&mut self, path: &[&'static str], draft: &mut DraftUnit) -> Code {
        if let Some(EachStep { each, .. }) = draft.each
            && path.first() == Some(&each.item)
        {
            return self.resolve_item_path(each, path, draft);
        }
        let is_field = |step: &Step| path.first() == Some(&step.field.name);
        let is_computed =
            |slot: &SlotName| slot.import.is_none() && slot.item_of.is_none() && slot.path == path;
        // Without a field of this name, the slot of a field is that of an earlier computed value.
        if !draft.steps.iter().any(is_field)
            && let Some(slot) = draft.slots.iter().position(is_computed)
        {
            return Code::Slot(slot as Slot, None);
        }
        match self.find_named(path, draft) {
            Some(target) if !target.is_column => {
                let slot = self.named_slot(path, &target, draft);
                slot_code(slot, target.kind, &path[target.depth..])
            }
            _ => Code::Unknown,
        }
    }

    /// Resolves a path that leads into the items of a list, to the column of their values.
    fn resolve_column(&mut self, path: &[&'static str], draft: &mut DraftUnit) -> Code {
        match self.find_named(path, draft) {
            Some(target) if target.is_column => {
                Code::Slot(self.named_slot(path, &target, draft), None)
            }
            _ => Code::Unknown,
        }
    }

    /// Resolves a path that starts at the current item of a list.
    fn resolve_item_path(
        &mut self,
        each: &'static Each,
        path: &[&'static str],
        draft: &mut DraftUnit,
    ) -> Code {
        let in_list = [each.list, &path[1..]].concat();
        let target = self.find_named(&in_list, draft);
        let Some(target) = target.filter(|target| target.is_column) else {
            return Code::Unknown;
        };
        let column = self.named_slot(&in_list, &target, draft);
        let depth = 1 + target.depth - each.list.len();
        let value = draft.get_or_add_item_slot(each, &path[..depth], target.kind);
        if let Some(step) = &mut draft.each
            && !step.columns.contains(&(column, value))
        {
            step.columns.push((column, value));
        }
        slot_code(value, target.kind, &path[depth..])
    }

    /// Returns the value at a path that starts at a field or import; `None` if expressions cannot refer to it.
    fn find_named(&self, path: &[&'static str], draft: &DraftUnit) -> Option<PathTarget> {
        let (first, rest) = path.split_first()?;
        let target = match draft.steps.iter().rfind(|step| step.field.name == *first) {
            Some(step) => self.find_target_in_step(step, rest),
            None => match draft.imports[draft.import_index(first)?] {
                ValueKind::Struct(declaration) => unit_that_declares(&self.units, declaration)
                    .and_then(|unit| self.find_target_in(unit, rest)),
                ValueKind::List(items) => {
                    let mut forms = self.forms.iter();
                    let item = forms.position(|form| std::ptr::eq(form.ty, items))?;
                    self.find_target_in_items(item, rest)
                }
                kind => (rest.is_empty() || kind.word().is_some()).then(|| PathTarget::whole(kind)),
            },
        };
        target.map(|target| PathTarget {
            depth: target.depth + 1,
            ..target
        })
    }

    /// Returns the slot of a value that [`find_named`](Builder::find_named) found; adds the slot if it is missing.
    fn named_slot(
        &mut self,
        path: &[&'static str],
        target: &PathTarget,
        draft: &mut DraftUnit,
    ) -> Slot {
        let own = &path[..target.depth];
        let is_first = |step: &Step| step.field.name == path[0];
        let Some(index) = draft.steps.iter().rposition(is_first) else {
            let import = draft.import_index(path[0]);
            return draft.get_or_add_slot(own, target.slot_kind(), import);
        };
        let slot = draft.get_or_add_slot(own, target.slot_kind(), None);
        let mut step = draft.steps.remove(index);
        self.connect_slot(&mut step, &own[1..], slot);
        draft.steps.insert(index, step);
        slot
    }

    /// Returns the value at a path within a form; `None` if expressions cannot refer to it.
    fn find_target(&self, form: FormId, path: &[&str]) -> Option<PathTarget> {
        let Form { ty, kind, unit, .. } = self.forms[form];
        match (kind, unit) {
            (FormKind::Struct(unit) | FormKind::Choice(unit), _)
            | (FormKind::Number(_), Some(unit)) => self.find_target_in(unit, path),
            (FormKind::Number(_) | FormKind::Text, _)
                if !matches!(ty.without_byte_order(), Type::Float(_)) =>
            {
                path.is_empty()
                    .then(|| PathTarget::whole(ValueKind::of(ty)))
            }
            (FormKind::Items(item, _), _) => self.find_target_in_items(item, path),
            _ => None,
        }
    }

    /// Returns the value at a path within each item of a list. Lists of lists have no such values.
    fn find_target_in_items(&self, item: FormId, path: &[&str]) -> Option<PathTarget> {
        let target = self.find_target(item, path)?;
        (!target.is_column).then_some(PathTarget {
            is_column: true,
            ..target
        })
    }

    /// Returns the value at a path within a field. Its integer type is that of the field in a codec.
    fn find_target_in_step(&self, step: &Step, path: &[&str]) -> Option<PathTarget> {
        let target = self.find_target(value_form(step)?, path)?;
        Some(match (target.kind, step.field.codec_type) {
            (ValueKind::Int(_), Some(ty)) if path.is_empty() => PathTarget {
                kind: ValueKind::Int(Some(ty)),
                ..target
            },
            _ => target,
        })
    }

    fn find_target_in(&self, unit: UnitId, path: &[&str]) -> Option<PathTarget> {
        let Unit {
            declaration, steps, ..
        } = &self.units[unit];
        match declaration.shape {
            Shape::Enum { .. } => path
                .is_empty()
                .then(|| PathTarget::whole(ValueKind::Enum(declaration))),
            Shape::Bits { .. } => Some(PathTarget::whole(ValueKind::Bits(declaration))),
            Shape::Struct(_) => {
                let (first, rest) = path.split_first()?;
                let step = steps.iter().rfind(|step| step.field.name == *first)?;
                let target = self.find_target_in_step(step, rest)?;
                Some(PathTarget {
                    depth: target.depth + 1,
                    ..target
                })
            }
            Shape::Choice(_) => {
                // Variants with lists have no values that expressions can refer to.
                let target = steps.iter().find_map(|step| {
                    let target = self.find_target(value_form(step)?, path)?;
                    (!target.is_column).then_some(target)
                })?;
                // The number may be wider in another variant, so only packed words and strings keep their kind.
                let kind = match target.kind {
                    kind @ (ValueKind::Bits(_) | ValueKind::Text) => kind,
                    _ => ValueKind::Other,
                };
                Some(PathTarget { kind, ..target })
            }
        }
    }

    /// Connects the value at `path` within a field to a slot of the enclosing unit.
    fn connect_slot(&mut self, step: &mut Step, path: &[&'static str], slot: Slot) {
        let Some(form) = value_form(step) else { return };
        match self.forms[form].kind {
            FormKind::Struct(unit) | FormKind::Choice(unit) => {
                let export = (self.unit_slot(unit, path), slot);
                if !step.exports.contains(&export) {
                    step.exports.push(export);
                }
            }
            FormKind::Number(_) | FormKind::Text => step.value = Some(slot),
            FormKind::Items(item, _) => {
                let value = match self.forms[item].kind {
                    FormKind::Struct(unit) | FormKind::Choice(unit) => {
                        Some(self.unit_slot(unit, path))
                    }
                    _ => None,
                };
                if !step.columns.contains(&(value, slot)) {
                    step.columns.push((value, slot));
                }
            }
        }
    }

    /// Returns the slot of a value in a resolved unit; adds the slot if it is missing.
    fn unit_slot(&mut self, unit: UnitId, path: &[&'static str]) -> Slot {
        let known = self.units[unit]
            .slots
            .iter()
            .position(|name| name.import.is_none() && name.item_of.is_none() && name.path == path);
        if let Some(known) = known {
            return known as Slot;
        }
        let kind = self
            .find_target_in(unit, path)
            .map_or(ValueKind::Other, |target| target.slot_kind());
        self.units[unit].slots.push(SlotName {
            path: path.to_vec(),
            kind,
            import: None,
            item_of: None,
        });
        let slot = (self.units[unit].slots.len() - 1) as Slot;
        let mut steps = std::mem::take(&mut self.units[unit].steps);
        let last = steps
            .iter()
            .rposition(|step| path.first() == Some(&step.field.name));
        for (index, step) in steps.iter_mut().enumerate() {
            if step.variant.is_none() && last == Some(index) {
                self.connect_slot(step, &path[1..], slot);
            } else if step.variant.is_some()
                && value_form(step)
                    .and_then(|form| self.find_target(form, path))
                    .is_some_and(|target| !target.is_column)
            {
                self.connect_slot(step, path, slot);
            }
        }
        self.units[unit].steps = steps;
        slot
    }
}

impl FormKind {
    fn struct_unit(self) -> Option<UnitId> {
        if let FormKind::Struct(unit) = self {
            Some(unit)
        } else {
            None
        }
    }
}
