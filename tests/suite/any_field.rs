//! Checks that constraints work on any field of any format: adds one to each field in a copy of each declaration, and
//! expects a violation.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use meshspec::layout::declaration::{
    Block, Constraint, Declaration, Field, Requirement, Shape, Type, Variant,
};
use meshspec::layout::expr::{Expr, Value};
use meshspec::layout::walk::{Node, Visit, Visitor, walk};
use meshspec::{FormatId, Limits, Report, Rule, Severity, layout};

static ADDED: Rule = Rule::new("ADDED", Severity::Warning, "No field has this value.");

/// Matches no value in any file.
const CONSTRAINT: Constraint = Constraint {
    requirement: Requirement::OneOf(&[Expr::Literal(-987_654_321_987)]),
    condition: None,
    rule: &ADDED,
    message: None,
};

fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Copies the type, adding a constraint to each field of this name.
fn copy(ty: Type, name: &str) -> Type {
    match ty {
        Type::Array(item, count) => Type::Array(keep(copy(*item, name)), count),
        Type::List(item) => Type::List(keep(copy(*item, name))),
        Type::Declared(declaration) => {
            let shape = match declaration.shape {
                Shape::Struct(fields) => {
                    let fields: Vec<_> = fields.iter().map(|field| copy_field(field, name)).collect();
                    Shape::Struct(fields.leak())
                }
                Shape::Choice(variants) => {
                    let variant =
                        |variant: &Variant| Variant { field: copy_field(&variant.field, name), ..*variant };
                    Shape::Choice(variants.iter().map(variant).collect::<Vec<_>>().leak())
                }
                other => other,
            };
            Type::Declared(keep(Declaration { shape, ..*declaration }))
        }
        other => other,
    }
}

fn copy_field(field: &Field, name: &str) -> Field {
    let block = field.block.map(|block| Block { content: copy(block.content, name), ..block });
    let mut constraints = field.constraints.to_vec();
    if field.name == name && !field.lookahead && block.is_none() {
        constraints.push(CONSTRAINT);
    }
    Field { ty: copy(field.ty, name), block, constraints: constraints.leak(), ..*field }
}

/// Names of fields with a number, or with a list or array of numbers.
#[derive(Default)]
struct Names(BTreeSet<&'static str>);

impl Visitor for Names {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::Ends { first: 2, last: 0 }
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let is_number = matches!(value, Value::Int(_) | Value::F32(_) | Value::F64(_));
        let is_plain = node.bit_field.is_none() && is_number;
        self.0.extend(node.field.filter(|field| is_plain && !field.lookahead).map(|field| field.name));
        ControlFlow::Continue(())
    }
}

#[test]
fn a_constraint_on_any_field_is_checked() {
    let limits = Limits::default();
    let mut tried = BTreeSet::new();
    for (format, bytes) in crate::common::samples() {
        let dialect = format.detect(&bytes).dialect;
        let Some(layout) = format.layout_of(&bytes, dialect) else { continue };
        let mut names = Names::default();
        walk(layout, &bytes, &limits, &mut names).unwrap();
        for name in names.0 {
            if !tried.insert((format.name(), name)) {
                continue;
            }
            let mut report = Report::default();
            layout::check_bytes(keep(copy(*layout, name)), &bytes, &limits, &mut report).unwrap();
            let is_it = |finding: &&meshspec::Finding| finding.rule == &ADDED;
            let found = report.findings().iter().find(is_it).unwrap_or_else(|| panic!("{format}: {name}"));
            assert!(found.path.to_string().contains(name), "{format}: {name}: {found}");
            assert!(found.span.is_some(), "{format}: {name}: {found}");
        }
    }
    let count = |format: FormatId| tried.iter().filter(|(name, _)| *name == format.name()).count();
    let counts = [FormatId::Mesh, FormatId::Crucible, FormatId::Iyma, FormatId::Bmd].map(count);
    assert!(counts.iter().all(|count| *count >= 5), "{counts:?}: {tried:?}");
}
