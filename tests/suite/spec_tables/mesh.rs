//! The tables in the specification of MESH.

use meshspec::Dialect;
use meshspec::layout::Layout;
use meshspec::layout::declaration::{Declaration, Shape, Type, bind};
use meshspec::layout::expr::{Scope, Value};
use meshspec::mesh::schema::{Animation, Document, Header, Joint, Pose, Vertex, VertexFormat};

/// A row: field, type, size, count, offset. A count of 0 means that the file contains the count.
type TableRow = (&'static str, &'static str, u64, u64, u64);

const HEADER: &[TableRow] = &[
    ("version", "unsigned int", 1, 1, 0),
    ("format", "unsigned int", 2, 1, 1),
    ("vertex_count", "unsigned int", 4, 1, 3),
    ("index_count", "unsigned int", 4, 1, 7),
    ("joint_count", "unsigned int", 1, 1, 11),
    ("animation_count", "unsigned int", 1, 1, 12),
];

/// The bits of the format.
const FORMAT: &[(u32, &str)] = &[
    (0, "position"),
    (1, "normal"),
    (2, "uv"),
    (3, "joints"),
    (4, "unused"),
];

/// The vertex with all attributes. The text puts joint ids and weights at 30 and 34, although position, normal and UV
/// take 32 bytes: an erratum (M2).
const VERTEX: &[TableRow] = &[
    ("position", "float", 4, 3, 0),
    ("normal", "float", 4, 3, 12),
    ("uv", "float", 4, 2, 24),
    ("joint_ids", "unsigned int", 1, 4, 30 + 2),
    ("joint_weights", "unsigned int", 1, 4, 34 + 2),
];

const JOINT: &[TableRow] = &[
    ("id", "unsigned int", 1, 1, 0),
    ("parent", "unsigned int", 1, 1, 1),
    ("transform", "float", 4, 16, 2),
];

const ANIMATION: &[TableRow] = &[
    ("name", "unsigned int", 4, 1, 0),
    ("duration", "float", 4, 1, 4),
    ("speed", "float", 4, 1, 8),
    ("pose_count", "unsigned int", 4, 1, 12),
    ("timestamps", "float", 4, 0, 16),
];

const POSE: &[TableRow] = &[
    ("joint", "unsigned int", 4, 1, 0),
    ("position", "float", 4, 3, 4),
    ("rotation", "float", 4, 4, 16),
    ("scale", "float", 4, 3, 32),
];

/// Returns the declaration in the specification's dialect.
fn declaration<T: Layout>() -> &'static Declaration {
    match bind::<T>("", &[Dialect::SPEC.into()]) {
        Type::Declared(declaration) => declaration,
        other => panic!("{other:?} is not declared"),
    }
}

/// The sections and their sizes. The text omits the joint data from the offset of the strings (M3). The header does not
/// determine that offset, since animations vary in size (M4).
#[test]
fn general_structure() {
    let (vertices, indices, joints) = (7u64, 9u64, 3u64);
    let header = Scope::new(vec![
        ("format", Value::bits::<VertexFormat>(&[0x0f, 0])),
        ("vertex_count", Value::from(vertices)),
        ("index_count", Value::from(indices)),
        ("joint_count", Value::from(joints)),
        ("animation_count", Value::from(1u64)),
    ]);
    let scope = Scope::new(vec![("header", Value::Struct(header))]);
    let (vdata, idata, jdata) = (vertices * 40, indices * 4, joints * 66);
    let sections = [
        ("header", Some(0)),
        ("vertices", Some(13)),
        ("indices", Some(13 + vdata)),
        ("joints", Some(13 + vdata + idata)),
        ("animations", Some(13 + vdata + idata + jdata)),
        ("strings", None),
    ];
    for (name, offset) in sections {
        assert_eq!(
            declaration::<Document>()
                .offset_of(name, &scope)
                .map(|(offset, _)| offset),
            offset,
            "{name}"
        );
    }
}

#[test]
fn header() {
    assert_table::<Header>(HEADER, &Scope::default());
    assert_eq!(declaration::<Header>().size(&Scope::default()), Some(13));
}

#[test]
fn format_bits() {
    let Shape::Bits { size, fields } = declaration::<VertexFormat>().shape else {
        panic!("not a word")
    };
    assert_eq!(size, 2);
    let found: Vec<_> = fields
        .iter()
        .map(|field| (field.bits.offset, field.name))
        .collect();
    assert_eq!(found, FORMAT);
    assert_eq!(fields.iter().map(|field| field.bits.width).sum::<u32>(), 16);
}

#[test]
fn full_vertex() {
    let full = Scope::new(vec![("format", Value::bits::<VertexFormat>(&[0x0f, 0]))]);
    assert_rows(super::declaration::<Vertex>(), VERTEX, &full);
    assert_eq!(super::declaration::<Vertex>().size(&full), Some(40));
}

/// "The vertex entry size is dependent on which attributes are stored."
#[test]
fn every_vertex() {
    for format in 0..16u8 {
        let scope = Scope::new(vec![("format", Value::bits::<VertexFormat>(&[format, 0]))]);
        // The position is mandatory.
        let there = |bit: usize| bit == 0 || format & 1 << bit != 0;
        let mut offset = 0;
        for (bit, name, size) in [
            (0, "position", 12),
            (1, "normal", 12),
            (2, "uv", 8),
            (3, "joint_ids", 4),
            (3, "joint_weights", 4),
        ] {
            let found = super::declaration::<Vertex>()
                .offset_of(name, &scope)
                .map(|(offset, _)| offset);
            assert_eq!(
                found,
                there(bit).then_some(offset),
                "{name} in format {format:#x}"
            );
            offset += if there(bit) { size } else { 0 };
        }
        assert_eq!(
            super::declaration::<Vertex>().size(&scope),
            Some(offset),
            "format {format:#x}"
        );
    }
}

#[test]
fn joint() {
    assert_table::<Joint>(JOINT, &Scope::default());
    assert_eq!(Joint::TYPE.size(), Some(66));
}

#[test]
fn animation() {
    // The dialect is its second argument.
    let Type::Declared(animation) = bind::<Animation>("", &[2u8.into(), Dialect::SPEC.into()])
    else {
        panic!()
    };
    assert_rows(animation, ANIMATION, &Scope::default());
}

#[test]
fn pose() {
    assert_table::<Pose>(POSE, &Scope::default());
    assert_eq!(Pose::TYPE.size(), Some(44));
}

/// Asserts that every row is a field with its type and offset.
fn assert_table<T: Layout>(rows: &[TableRow], scope: &Scope) {
    assert_rows(declaration::<T>(), rows, scope);
}

fn assert_rows(declaration: &Declaration, rows: &[TableRow], scope: &Scope) {
    for (name, ty, size, count, offset) in rows {
        let (found, field) = declaration
            .offset_of(name, scope)
            .unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(found, *offset, "offset of {name}");
        let (found_ty, found_size, found_count) = table_terms(&field.ty);
        assert_eq!(
            (found_ty, found_size, found_count),
            (*ty, *size, *count),
            "{name}"
        );
    }
}

/// Returns the type, size and count of a field in the terms of the specification.
fn table_terms(ty: &'static Type) -> (&'static str, u64, u64) {
    match ty {
        Type::Unsigned(size) => ("unsigned int", (*size).into(), 1),
        Type::Float(size) => ("float", (*size).into(), 1),
        Type::Array(item, n) => {
            let (ty, size, count) = table_terms(item);
            (ty, size, count * n)
        }
        Type::List(item) => {
            let (ty, size, _) = table_terms(item);
            (ty, size, 0)
        }
        // A packed word.
        Type::Declared(_) => ("unsigned int", ty.size().unwrap_or_default(), 1),
        other => panic!("the specification has no {other:?}"),
    }
}
