//! Checks files and documents against the constraints of their declaration.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::item_tests::ItemTests;
use super::list_counts::ListCounts;
use super::message;
use super::numbers::Numbers;
use super::predicate::{Predicate, Violation};
use super::values::{locate, number_span, select_numbers, stored_value, struct_column};
use crate::layout::declaration::{Constraint, Field, Requirement, Type};
use crate::layout::expr::Lookup;
use crate::layout::general_rules::CHECKSUM;
use crate::layout::program::Program;
use crate::layout::walk::{
    Fault, Fields, Node, Segment, TaggedItem, Test, Visit, Visitor, find, walk, walk_document,
};
use crate::{Enforcement, Finding, Limits, Path, Report, Rule, Span};

/// Adds a finding for each constraint violation and each wrong checksum in `bytes`, a file of type `ty`. Each finding
/// has a path and a byte range.
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
/// Returns the first structural [`Fault`]. Findings for values before the fault are still added to the report.
pub fn check_bytes(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
    report: &mut Report,
) -> Result<(), Fault> {
    let mut list_counts = ListCounts::new(ty);
    if !list_counts.is_empty() {
        // A fault ends both walks; the second one returns it.
        let _ = walk(ty, bytes, limits, &mut list_counts);
    }
    let result = walk(
        ty,
        bytes,
        limits,
        &mut Checker::new(list_counts, true, report),
    );
    report.locate(|path| find(ty, bytes, path, limits));
    result.map(drop)
}

/// Adds a finding with a path for each constraint violation in a document of type `ty`. A stored count
/// ([`Requirement::Counts`]) is checked only if another constraint refers to its list.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Dialect, Format, Report, layout, mesh};
///
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let mut document = mesh::Document::read(&bytes, &Default::default())?;
/// document.indices[0] = 6;
/// let mut report = Report::default();
/// let ty = meshspec::mesh::FORMAT.layout_of(&bytes, Dialect::SPEC).unwrap();
/// layout::check_document(ty, &document, &mut report);
/// assert_eq!(report.findings()[0].message, "index 6 is not below the vertex count 6");
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
pub fn check_document(ty: &'static Type, document: &dyn Fields, report: &mut Report) {
    if !Program::of(ty)
        .constraints()
        .any(|constraint| report.is_enabled(constraint.rule))
    {
        return;
    }
    let (limits, mut list_counts) = (Limits::default(), ListCounts::for_document(ty));
    if !list_counts.is_empty() {
        // If a fault ends the walk, constraints that refer to the remaining lists are not checked.
        let _ = walk_document(ty, document, &limits, &mut list_counts);
    }
    // A fault is not reported here, since writing a document with a fault fails.
    let _ = walk_document(
        ty,
        document,
        &limits,
        &mut Checker::new(list_counts, false, report),
    );
}

struct Checker<'c> {
    report: &'c mut Report,
    list_counts: ListCounts,
    /// Whether the spans of values are byte ranges of a file; `false` for documents.
    has_spans: bool,
    /// The columns collected so far from the enclosing lists of structs.
    columns: Vec<Column>,
    /// The constraints that are already checked for all items of a list, each with the path of the list.
    checked: Vec<(Vec<Segment>, &'static Constraint)>,
    /// The tests compiled from the item that the walk is in, if it is the first one with its tag.
    item_tests: Option<ItemTests>,
}

/// The values of a field in the structs of a list, for a constraint that compares these values.
struct Column {
    /// The path of the list.
    list: Vec<Segment>,
    /// The path of the field within an item.
    field: Vec<Segment>,
    constraint: &'static Constraint,
    evaluated: EvaluatedConstraint<'static>,
    ty: Type,
    bytes: Vec<u8>,
    /// The path and span of each value.
    locations: Vec<(Path, Option<Span>)>,
}

/// A constraint whose expressions have been evaluated.
struct EvaluatedConstraint<'b> {
    rule: &'static Rule,
    predicate: Predicate<'b>,
    template: Cow<'static, str>,
}

impl<'c> Checker<'c> {
    fn new(list_counts: ListCounts, has_spans: bool, report: &'c mut Report) -> Checker<'c> {
        let (columns, checked) = Default::default();
        Checker {
            report,
            list_counts,
            has_spans,
            columns,
            checked,
            item_tests: None,
        }
    }

    /// Evaluates a constraint on a value of type `ty` at `path`. `column` returns the values of a field in all items.
    /// Returns `None` if the constraint does not apply, its rule is disabled, or [`Predicate::evaluate`] returns
    /// `None`.
    fn evaluate<'b>(
        &self,
        constraint: &'static Constraint,
        (path, ty): (&[Segment], &Type),
        values: &dyn Lookup,
        column: &dyn Fn(&str) -> Option<Numbers<'b>>,
    ) -> Option<EvaluatedConstraint<'b>> {
        let rule = constraint.rule;
        if !constraint.applies(values) || !self.report.is_enabled(rule) {
            return None;
        }
        let len = |list: &[Segment]| self.list_counts.find(path, list);
        let predicate = Predicate::evaluate(&constraint.requirement, ty, values, &len, column)?;
        Some(EvaluatedConstraint {
            rule,
            predicate,
            template: message::message_template(constraint, values),
        })
    }

    /// Reports the numbers that violate a constraint. `locate` returns the path and span of an item.
    fn report_violations(
        &mut self,
        EvaluatedConstraint {
            rule,
            predicate,
            template,
        }: &EvaluatedConstraint,
        numbers: &Numbers,
        locate: impl Fn(usize) -> (Path, Option<Span>),
    ) {
        if predicate.is_satisfied_by(numbers) {
            return;
        }
        predicate.for_each_violation(numbers, &mut |violation: Violation| {
            self.report.add_with(rule, || {
                let (path, span) = locate(violation.item);
                let (path, span) = match violation.component {
                    Some(part) => (
                        path.index(part),
                        span.map(|span| number_span(&span, numbers, part)),
                    ),
                    None => (path, span),
                };
                let message = message::fill_template(template, predicate, numbers, &violation);
                Finding {
                    rule,
                    path,
                    span: span.filter(|_| self.has_spans),
                    message,
                }
            });
            true
        });
    }
}

impl Visitor for Checker<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        if node.ty.is_constrained() {
            Visit::All
        } else {
            Visit::Nothing
        }
    }

    fn start_item(&mut self, item: TaggedItem) {
        self.item_tests = Some(ItemTests::new(item));
    }

    fn item_tests(&mut self) -> Option<Vec<Test>> {
        self.item_tests.take()?.finish()
    }

    fn visit_structs(&mut self, node: &Node, values: &dyn Lookup) -> bool {
        let Some((Type::Declared(declaration), _)) = node.ty.item_type_and_count() else {
            return false;
        };
        let mut is_complete = true;
        let is_missing = |field: &&Field| {
            field
                .condition
                .is_some_and(|c| c.eval_bool(values) == Ok(false))
        };
        for field in declaration.fields().filter(|field| !is_missing(field)) {
            is_complete &= field.checksum.is_none() && !field.content_type().is_constrained();
            let column = |name: &str| struct_column(declaration, name, values, node.bytes);
            for constraint in field.constraints {
                let is_own = |name: &str| declaration.fields().any(|field| field.name == name);
                let refers_to_item = constraint.referenced_names().any(is_own);
                let Some((numbers, offset)) = column(field.name).filter(|_| !refers_to_item) else {
                    is_complete = false;
                    continue;
                };
                self.checked.push((node.path.to_vec(), constraint));
                let inner = [node.path, &[Segment::Index(0)]].concat();
                let others = |name: &str| Some(column(name)?.0);
                let Some(evaluated) =
                    self.evaluate(constraint, (&inner, &field.ty), values, &others)
                else {
                    continue;
                };
                let (path, span) = (Path::from(node.path), node.span.range());
                self.report_violations(&evaluated, &numbers, |item| {
                    let start = span.start + (numbers.stride * item) as u64 + offset;
                    let span = node
                        .span
                        .with_range(start..start + field.size(values).unwrap_or_default());
                    (path.clone().index(item).field(field.name), Some(span))
                });
            }
        }
        is_complete
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.checked.retain(|(list, _)| list != node.path);
        while let Some(position) = self
            .columns
            .iter()
            .position(|column| column.list == node.path)
        {
            let Column {
                evaluated,
                ty,
                bytes,
                locations,
                ..
            } = self.columns.remove(position);
            let numbers = Numbers::new(ty, bytes, 1);
            let is_about_list = matches!(evaluated.predicate, Predicate::Some);
            self.report_violations(&evaluated, &numbers, |item| match locations.get(item) {
                Some(location) if !is_about_list => location.clone(),
                _ => (Path::from(node.path), Some(node.span.clone())),
            });
        }
        ControlFlow::Continue(())
    }

    fn should_verify(&self, rule: Option<&'static Rule>) -> bool {
        let rule = rule.unwrap_or(&CHECKSUM);
        self.report.is_enabled(rule) && !matches!(rule.enforced_by, Enforcement::Code(_))
    }

    fn visit_wrong_checksum(
        &mut self,
        path: &[Segment],
        rule: Option<&'static Rule>,
        message: String,
    ) {
        self.report.add(rule.unwrap_or(&CHECKSUM), path, message);
    }

    fn visit_constrained(&mut self, node: &Node, values: &dyn Lookup) {
        let value = stored_value(node);
        let flat = value.0.flatten();
        let list = node
            .path
            .iter()
            .rposition(|step| matches!(step, Segment::Index(_)));
        for constraint in node.constraints() {
            let is_checked = |(list, checked): &(Vec<Segment>, &'static Constraint)| {
                node.path.starts_with(list) && std::ptr::eq(*checked, constraint)
            };
            if self.checked.iter().any(is_checked) || !self.report.is_enabled(constraint.rule) {
                continue;
            }
            let compares_items = match constraint.requirement {
                Requirement::SameLength => true,
                _ => !flat.is_list() && Predicate::compares_items(&constraint.requirement),
            };
            if compares_items {
                if let Some(tests) = &mut self.item_tests {
                    tests.reject();
                }
                // A value outside any list has nothing to be compared with.
                if let Some(list) = list {
                    self.collect_value(node, &value, constraint, list, values);
                }
                continue;
            }
            let evaluated = self.evaluate(constraint, (node.path, node.ty), values, &|_| None);
            let numbers = select_numbers(&value, &flat, &constraint.requirement);
            if let Some(tests) = &mut self.item_tests {
                let predicate = evaluated.as_ref().map(|evaluated| &evaluated.predicate);
                tests.add(node, constraint, predicate, &numbers);
            }
            let Some(evaluated) = evaluated else { continue };
            // A condition applies to the whole list, not to each item.
            let is_condition = matches!(constraint.requirement, Requirement::Holds(_));
            let numbers = if is_condition {
                numbers.truncated_to_first()
            } else {
                numbers
            };
            self.report_violations(&evaluated, &numbers, |item| match is_condition {
                true => (Path::from(node.path), Some(node.span.clone())),
                false => locate(node, &flat, &numbers, item),
            });
        }
    }
}

impl Checker<'_> {
    /// Adds a value to its column, which is checked when the enclosing list ends. `list` is the number of steps in the
    /// path of the list.
    fn collect_value(
        &mut self,
        node: &Node,
        (ty, value): &(Type, Cow<[u8]>),
        constraint: &'static Constraint,
        list: usize,
        values: &dyn Lookup,
    ) {
        let (list, field) = (&node.path[..list], &node.path[list + 1..]);
        // The condition of a constraint may hold for some items only; the others are skipped.
        let Some(evaluated) = self.evaluate(constraint, (node.path, node.ty), values, &|_| None)
        else {
            return;
        };
        let is_list = ty.flatten().is_list();
        let is_same_column = |column: &Column| {
            column.list == list && column.field == field && column.constraint == constraint
        };
        let known = self.columns.iter().position(is_same_column);
        let position = known.unwrap_or_else(|| {
            let is_computed = is_list || matches!(constraint.requirement, Requirement::Some(_));
            let ty = if is_computed { Type::Unsigned(8) } else { *ty };
            let (list, field, bytes, locations) =
                (list.to_vec(), field.to_vec(), Vec::new(), Vec::new());
            self.columns.push(Column {
                list,
                field,
                constraint,
                evaluated,
                ty,
                bytes,
                locations,
            });
            self.columns.len() - 1
        });
        let column = &mut self.columns[position];
        match (&constraint.requirement, node.count.filter(|_| is_list)) {
            (Requirement::Some(condition), _) => {
                let holds = condition.eval_bool(values) != Ok(false);
                column.bytes.extend(u64::from(holds).to_le_bytes());
            }
            (_, Some(count)) => column.bytes.extend(count.to_le_bytes()),
            (_, None) => column.bytes.extend_from_slice(value),
        }
        column
            .locations
            .push((Path::from(node.path), Some(node.span.clone())));
    }
}
