//! Checks bytes and documents against the constraints of their declaration.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::message;
use super::numbers::Numbers;
use super::sizes::Sizes;
use super::test::{Test, Violation};
use super::values::{column, numbers_of, part, place, stored, within};
use crate::layout::declaration::{Constraint, Field, Requirement, Type};
use crate::layout::expr::Lookup;
use crate::layout::general::CHECKSUM;
use crate::layout::program::Program;
use crate::layout::walk::{Fault, Fields, Node, Segment, Visit, Visitor, find, walk, walk_fields};
use crate::{Enforcement, Finding, Limits, Path, Report, Rule, Span};

/// Adds a finding for each violated constraint and wrong checksum in `bytes`, a value of type `ty`, with its path
/// and bytes. Lists of numbers are checked in one pass, lists of structs item by item where necessary.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{self, Layout};
/// use meshspec::{Report, Rule, Severity};
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Indices {
///     vertex_count: u8,
///     #[br(count = 3)]
///     #[layout(below = vertex_count, rule = INDEX_RANGE)]
///     indices: Vec<u16>,
/// }
///
/// static INDEX_RANGE: Rule =
///     Rule::new("INDEX-RANGE", Severity::Error, "Every index is below the vertex count.");
///
/// let mut report = Report::default();
/// layout::check_bytes(&Indices::TYPE, &[2, 0, 0, 1, 0, 2, 0], &Default::default(), &mut report).unwrap();
/// let [finding] = report.findings() else { panic!("one") };
/// assert_eq!(
///     finding.to_string(),
///     "indices[2] (bytes 0x5..0x7): found 2, expected less than 2 [INDEX-RANGE]"
/// );
/// ```
///
/// # Errors
///
/// Returns the first structural [`Fault`]. The report then has the findings before it.
pub fn check_bytes(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
    report: &mut Report,
) -> Result<(), Fault> {
    let mut sizes = Sizes::new(ty);
    if !sizes.is_empty() {
        // The second walk reports any fault.
        let _ = walk(ty, bytes, limits, &mut sizes);
    }
    let result = walk(ty, bytes, limits, &mut Checker::new(sizes, true, report));
    report.locate(|path| find(ty, bytes, path, limits));
    result.map(drop)
}

/// Adds a finding for each violated constraint in a document of type `ty`, with its path.
pub fn check_document(ty: &'static Type, document: &dyn Fields, report: &mut Report) {
    if !is_any_enabled(ty, report) {
        return;
    }
    let (limits, mut sizes) = (Limits::default(), Sizes::of_document(ty));
    if !sizes.is_empty() {
        // Without the size of a list, its constraints do not apply.
        let _ = walk_fields(ty, document, &limits, &mut sizes);
    }
    // A document that ends the walk with a fault cannot be written either.
    let _ = walk_fields(ty, document, &limits, &mut Checker::new(sizes, false, report));
}

/// Returns `true` if the report accepts findings of any constraint in `ty`.
fn is_any_enabled(ty: &'static Type, report: &Report) -> bool {
    Program::of(ty).constraints().any(|constraint| report.is_enabled(constraint.rule))
}

struct Checker<'c> {
    report: &'c mut Report,
    sizes: Sizes,
    /// Whether the values have byte ranges in a file.
    has_spans: bool,
    /// The fields being collected, for the enclosing lists of structs.
    columns: Vec<Column>,
    /// The constraints already checked for a whole list, each with the list's path.
    done: Vec<(Vec<Segment>, &'static Constraint)>,
    /// The answers of [`Visitor::wants_beyond`], by the addresses of type and rules.
    beyond: Vec<((*const Type, *const &'static Rule), bool)>,
}

/// The values of a field in all structs of a list, for a constraint that compares them.
struct Column {
    list: Vec<Segment>,
    /// The path of the field within an item.
    field: Vec<Segment>,
    constraint: &'static Constraint,
    bound: Bound<'static>,
    ty: Type,
    bytes: Vec<u8>,
    /// The path and span of each value.
    places: Vec<(Path, Option<Span>)>,
}

/// A constraint with evaluated expressions.
struct Bound<'b> {
    rule: &'static Rule,
    test: Test<'b>,
    template: Cow<'static, str>,
}

impl<'c> Checker<'c> {
    fn new(sizes: Sizes, has_spans: bool, report: &'c mut Report) -> Checker<'c> {
        Checker { report, sizes, has_spans, columns: Vec::new(), done: Vec::new(), beyond: Vec::new() }
    }

    /// Evaluates a constraint on a value of type `ty` at `path`. `column` returns another field of the same items.
    /// Returns `None` if the constraint does not apply, or if an expression has no value.
    fn bind<'b>(
        &self,
        constraint: &'static Constraint,
        (path, ty): (&[Segment], &Type),
        values: &dyn Lookup,
        column: &dyn Fn(&str) -> Option<Numbers<'b>>,
    ) -> Option<Bound<'b>> {
        let rule = constraint.rule;
        let applies = constraint.condition.is_none_or(|condition| condition.eval_bool(values) == Ok(true));
        if !applies || !self.report.is_enabled(rule) {
            return None;
        }
        let len = |list: &[Segment]| self.sizes.find(path, list);
        let test = Test::of(&constraint.requirement, ty, values, &len, column)?;
        Some(Bound { rule, test, template: message::template(constraint, values) })
    }

    /// Reports the violations among `numbers`.
    fn report(
        &mut self,
        Bound { rule, test, template }: &Bound,
        numbers: &Numbers,
        place: impl Fn(usize) -> (Path, Option<Span>),
    ) {
        if test.allows(numbers) {
            return;
        }
        test.violations(numbers, &mut |violation: Violation| {
            self.report.add_with(rule, || {
                let (path, span) = place(violation.item);
                let (path, span) = match violation.slot {
                    Some(slot) => (path.index(slot), span.map(|span| part(&span, numbers, slot))),
                    None => (path, span),
                };
                let message = message::fill(template, test, numbers, &violation);
                Finding { rule, path, span: span.filter(|_| self.has_spans), message }
            });
            true
        });
    }
}

impl Visitor for Checker<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        if node.ty.is_constrained() { Visit::All } else { Visit::Nothing }
    }

    fn wants_beyond(&mut self, ty: &'static Type, rules: &'static [&'static Rule]) -> bool {
        let key = (std::ptr::from_ref(ty), rules.as_ptr());
        match self.beyond.iter().find(|(known, _)| *known == key) {
            Some((_, wants)) => *wants,
            None => {
                let wants = ty.is_constrained_beyond(rules);
                self.beyond.push((key, wants));
                wants
            }
        }
    }

    fn structs(&mut self, node: &Node, values: &dyn Lookup) -> bool {
        let Some((Type::Declared(declaration), _)) = node.ty.items() else { return false };
        let mut is_complete = true;
        let is_missing = |field: &&Field| field.condition.is_some_and(|c| c.eval_bool(values) == Ok(false));
        for field in declaration.fields().filter(|field| !is_missing(field)) {
            is_complete &= field.checksum.is_none() && !field.content().is_constrained();
            let column = |name: &str| column(declaration, name, values, node.bytes);
            for constraint in field.constraints {
                let is_own = |name: &str| declaration.fields().any(|field| field.name == name);
                let Some((numbers, offset)) = column(field.name).filter(|_| !constraint.names().any(is_own))
                else {
                    is_complete = false;
                    continue;
                };
                self.done.push((node.path.to_vec(), constraint));
                let inner = [node.path, &[Segment::Index(0)]].concat();
                let others = |name: &str| Some(column(name)?.0);
                let Some(bound) = self.bind(constraint, (&inner, &field.ty), values, &others) else {
                    continue;
                };
                let (path, span) = (Path::from(node.path), node.span.range());
                self.report(&bound, &numbers, |item| {
                    let start = span.start + (numbers.stride * item) as u64 + offset;
                    let span = within(&node.span, start..start + field.size(values).unwrap_or_default());
                    (path.clone().index(item).field(field.name), Some(span))
                });
            }
        }
        is_complete
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.done.retain(|(list, _)| list != node.path);
        while let Some(position) = self.columns.iter().position(|column| column.list == node.path) {
            let Column { bound, ty, bytes, places, .. } = self.columns.remove(position);
            let numbers = Numbers::new(ty, bytes, 1);
            let is_whole = matches!(bound.test, Test::Some);
            self.report(&bound, &numbers, |item| match places.get(item) {
                Some(place) if !is_whole => place.clone(),
                _ => (Path::from(node.path), Some(node.span.clone())),
            });
        }
        ControlFlow::Continue(())
    }

    fn verifies(&self, rule: Option<&'static Rule>) -> bool {
        let rule = rule.unwrap_or(&CHECKSUM);
        self.report.is_enabled(rule) && !matches!(rule.enforced_by, Enforcement::Code(_))
    }

    fn wrong_checksum(&mut self, path: &[Segment], rule: Option<&'static Rule>, message: String) {
        self.report.add(rule.unwrap_or(&CHECKSUM), path, message);
    }

    fn constrained(&mut self, node: &Node, values: &dyn Lookup) {
        let constraints: &'static [Constraint] = match (node.bit_field, node.field) {
            (Some(field), _) => field.constraints,
            (None, Some(field)) => field.constraints,
            (None, None) => return,
        };
        let value = stored(node);
        let flat = value.0.flat();
        let list = node.path.iter().rposition(|step| matches!(step, Segment::Index(_)));
        for constraint in constraints {
            let is_done = |(list, of): &(Vec<Segment>, &'static Constraint)| {
                node.path.starts_with(list) && std::ptr::eq(*of, constraint)
            };
            if self.done.iter().any(is_done) {
                continue;
            }
            let is_across = match constraint.requirement {
                Requirement::SameLength => true,
                _ => !flat.is_list() && Test::compares(&constraint.requirement),
            };
            if is_across && list.is_none() {
                // A value outside any list is not compared.
                continue;
            }
            match list.filter(|_| is_across) {
                Some(list) => self.collect(node, &value, constraint, list, values),
                None => {
                    let Some(bound) = self.bind(constraint, (node.path, node.ty), values, &|_| None) else {
                        continue;
                    };
                    let numbers = numbers_of(&value, &flat, &constraint.requirement);
                    // A condition is evaluated once per list, not per item.
                    let is_condition = matches!(constraint.requirement, Requirement::Holds(_));
                    let numbers = if is_condition { numbers.first() } else { numbers };
                    self.report(&bound, &numbers, |item| match constraint.requirement {
                        Requirement::Holds(_) => (Path::from(node.path), Some(node.span.clone())),
                        _ => place(node, &flat, &numbers, item),
                    });
                }
            }
        }
    }
}

impl Checker<'_> {
    /// Stores a value until its enclosing list ends. The path of the list has `list` steps.
    fn collect(
        &mut self,
        node: &Node,
        (ty, value): &(Type, Cow<[u8]>),
        constraint: &'static Constraint,
        list: usize,
        values: &dyn Lookup,
    ) {
        let (list, field) = (&node.path[..list], &node.path[list + 1..]);
        let is_it =
            |column: &Column| column.list == list && column.field == field && column.constraint == constraint;
        let known = self.columns.iter().position(is_it);
        // The condition may hold for some items only.
        let Some(bound) = self.bind(constraint, (node.path, node.ty), values, &|_| None) else { return };
        let position = known.unwrap_or(self.columns.len());
        if known.is_none() {
            let is_number = ty.flat().is_list() || matches!(constraint.requirement, Requirement::Some(_));
            let ty = if is_number { Type::Unsigned(8) } else { *ty };
            let (list, field) = (list.to_vec(), field.to_vec());
            self.columns.push(Column {
                list,
                field,
                constraint,
                bound,
                ty,
                bytes: Vec::new(),
                places: Vec::new(),
            });
        }
        let column = &mut self.columns[position];
        match (&constraint.requirement, node.count.filter(|_| ty.flat().is_list())) {
            (Requirement::Some(condition), _) => {
                let holds = condition.eval_bool(values) != Ok(false);
                column.bytes.extend(u64::from(holds).to_le_bytes());
            }
            (_, Some(count)) => column.bytes.extend(count.to_le_bytes()),
            (_, None) => column.bytes.extend_from_slice(value),
        }
        column.places.push((Path::from(node.path), Some(node.span.clone())));
    }
}
