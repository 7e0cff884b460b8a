//! Checks that a constraint works on any field of the binary formats. Adds it to the field in a copy of the
//! declaration, and expects a violation.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use meshspec::layout::declaration::{
    BitField, Block, Constraint, Declaration, Field, Requirement, Shape, Type, Variant,
};
use meshspec::layout::expr::{Expr, Value};
use meshspec::layout::walk::{Node, Visit, Visitor, walk};
use meshspec::{AnyFormat, Document, Limits, ReadOptions, Report, Rule, Severity, layout};

static ADDED: Rule = Rule::new("ADDED", Severity::Warning, "No field has this value.");

/// A constraint that every number in the samples violates.
const CONSTRAINT: Constraint = Constraint {
    requirement: Requirement::OneOf(&[Expr::Literal(-987_654_321_987)]),
    condition: None,
    rule: &ADDED,
    message: None,
};

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Returns a copy of the type in which each field called `name` has the constraint.
fn copy_with_constraint(ty: Type, name: &str) -> Type {
    match ty {
        Type::Array(item, count) => Type::Array(leak(copy_with_constraint(*item, name)), count),
        Type::List(item) => Type::List(leak(copy_with_constraint(*item, name))),
        Type::Declared(declaration) => {
            let shape = match declaration.shape {
                Shape::Struct(fields) => {
                    let fields: Vec<_> = fields
                        .iter()
                        .map(|field| copy_field_with_constraint(field, name))
                        .collect();
                    Shape::Struct(fields.leak())
                }
                Shape::Choice(variants) => {
                    let variant = |variant: &Variant| Variant {
                        field: copy_field_with_constraint(&variant.field, name),
                        ..*variant
                    };
                    Shape::Choice(variants.iter().map(variant).collect::<Vec<_>>().leak())
                }
                Shape::Bits { size, fields } => {
                    let bits = |field: &BitField| {
                        let mut constraints = field.constraints.to_vec();
                        constraints.extend((field.name == name).then_some(CONSTRAINT));
                        let declared = field.declared.map(|inner| {
                            match copy_with_constraint(Type::Declared(inner), name) {
                                Type::Declared(copy) => copy,
                                _ => unreachable!("a copy has the same shape"),
                            }
                        });
                        BitField {
                            constraints: constraints.leak(),
                            declared,
                            ..*field
                        }
                    };
                    Shape::Bits {
                        size,
                        fields: fields.iter().map(bits).collect::<Vec<_>>().leak(),
                    }
                }
                other => other,
            };
            Type::Declared(leak(Declaration {
                shape,
                ..*declaration
            }))
        }
        other => other,
    }
}

fn copy_field_with_constraint(field: &Field, name: &str) -> Field {
    let block = field.block.map(|block| Block {
        content: copy_with_constraint(block.content, name),
        ..block
    });
    let mut constraints = field.constraints.to_vec();
    if field.name == name && !field.lookahead && block.is_none() {
        constraints.push(CONSTRAINT);
    }
    Field {
        ty: copy_with_constraint(field.ty, name),
        block,
        constraints: constraints.leak(),
        ..*field
    }
}

/// The names of fields that contain numbers, and of bit fields that are neither reserved nor words.
#[derive(Default)]
struct FieldNames(BTreeSet<&'static str>);

impl Visitor for FieldNames {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::Ends { first: 2, last: 0 }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let is_number = matches!(value, Value::Int(_) | Value::F32(_) | Value::F64(_));
        let field = node
            .field
            .filter(|field| !field.lookahead)
            .map(|field| field.name);
        let bits = node
            .bit_field
            .filter(|bits| !bits.reserved && bits.declared.is_none())
            .map(|bits| bits.name);
        self.0.extend(
            bits.or(field.filter(|_| node.bit_field.is_none()))
                .filter(|_| is_number),
        );
        ControlFlow::Continue(())
    }
}

/// The fields of each format that documents lack, because writing computes them.
const COMPUTED: [(&str, &[&str]); 3] = [
    (
        "bmd",
        &[
            "ofs_anims",
            "ofs_bones",
            "ofs_frames",
            "ofs_lods",
            "ofs_meshes",
            "ofs_tris",
            "ofs_vtx",
        ],
    ),
    ("crucible", &["compressed_size", "length"]),
    (
        "iyma",
        &["data_checksum", "descriptor_len", "metadata_checksum"],
    ),
];

/// Documents return the values of all fields except those that writing computes.
#[test]
fn a_constraint_on_any_field_is_checked_in_documents() {
    let mut unchecked = BTreeMap::<_, Vec<_>>::new();
    for (format, name, layout, bytes) in fields() {
        let mut report = Report::default();
        match Document::read(format, &bytes, &ReadOptions::lenient()).unwrap() {
            Document::Mesh(document) => layout::check_document(layout, &document, &mut report),
            Document::Crucible(document) => layout::check_document(layout, &document, &mut report),
            Document::Iyma(document) => layout::check_document(layout, &document, &mut report),
            Document::Bmd(document) => layout::check_document(layout, &document, &mut report),
            _ => unreachable!("{format} has layouts"),
        }
        if !report
            .findings()
            .iter()
            .any(|finding| finding.rule == &ADDED)
        {
            unchecked.entry(format.name()).or_default().push(name);
        }
    }
    let computed = COMPUTED.map(|(format, names)| (format, names.to_vec()));
    assert_eq!(
        unchecked,
        BTreeMap::from(computed),
        "return new fields in `fields.rs`"
    );
}

#[test]
fn a_constraint_on_any_field_is_checked() {
    let mut counts = BTreeMap::new();
    for (format, name, layout, bytes) in fields() {
        let mut report = Report::default();
        layout::check_bytes(layout, &bytes, &Limits::default(), &mut report).unwrap();
        let is_it = |finding: &&meshspec::Finding| finding.rule == &ADDED;
        let found = report
            .findings()
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{format}: {name}"));
        assert!(
            found.path.to_string().contains(name),
            "{format}: {name}: {found}"
        );
        assert!(found.span.is_some(), "{format}: {name}: {found}");
        *counts.entry(format.name()).or_default() += 1;
    }
    assert_eq!(
        counts.keys().copied().collect::<Vec<_>>(),
        ["bmd", "crucible", "iyma", "mesh"]
    );
    assert!(counts.values().all(|count: &u32| *count >= 5), "{counts:?}");
}

/// Returns each field of the samples once per format, with a file that contains it, and a copy of the declaration that
/// constrains it.
fn fields() -> Vec<(AnyFormat, &'static str, &'static Type, Vec<u8>)> {
    let mut fields = BTreeMap::new();
    for (format, bytes) in crate::common::samples() {
        let dialect = format.detect(&bytes).dialect;
        let Some(layout) = format.layout_of(&bytes, dialect) else {
            continue;
        };
        let mut names = FieldNames::default();
        walk(layout, &bytes, &Limits::default(), &mut names).unwrap();
        for name in names.0 {
            let copy = || {
                (
                    format,
                    name,
                    leak(copy_with_constraint(*layout, name)),
                    bytes.clone(),
                )
            };
            fields.entry((format.name(), name)).or_insert_with(copy);
        }
    }
    fields.into_values().collect()
}
