//! The header and the Rust types in the specification of IyMA.

use meshspec::iyma::schema::{Header, UsageField};
use meshspec::iyma::{IndexFormat, IndicesInfo, MeshInfo, VertexFormat};
use meshspec::layout::Layout;
use meshspec::layout::declaration::{Declaration, Shape, Type};

use super::declaration;

const U16: Type = Type::Unsigned(2);
const U32: Type = Type::Unsigned(4);
const U64: Type = Type::Unsigned(8);

/// "Header", after the magic bytes.
const HEADER: [(&str, Type); 4] = [
    ("version", U16),
    ("descriptor_len", U16),
    ("metadata_checksum", U64),
    ("data_checksum", U64),
];

/// The types of "Descriptor" that both dialects share, as printed.
const TYPES: &str = "
struct MeshInfo {
    first_index: u32,
    index_count: u32,
    first_vertex: u32,
    vertex_count: u32,
}
struct IndicesInfo {
    n_indices: u32,
    format: IndexFormat,
}
enum IndexFormat {
    U16,
    U32,
}
enum VertexFormat {
    Float16, Float32, Float64, Float16x2, Float16x4, Float32x2, Float32x3, Float32x4, Float64x2, Float64x3, Float64x4,
    Sint8, Sint8x2, Sint8x4, Sint16, Sint32, Sint16x2, Sint16x4, Sint32x2, Sint32x3, Sint32x4,
    Snorm8, Snorm8x2, Snorm8x4, Snorm16, Snorm16x2, Snorm16x4,
    Uint8, Uint8x2, Uint8x4, Uint16, Uint32, Uint16x2, Uint16x4, Uint32x2, Uint32x3, Uint32x4,
    Unorm8, Unorm8x2, Unorm8x4, Unorm8x4Bgra, Unorm16, Unorm10_10_10_2, Unorm16x2, Unorm16x4,
}
";

/// Returns the names of the fields or variants of a type in the text, with the types of fields.
fn members(name: &str) -> Vec<(&'static str, &'static str)> {
    let body = TYPES
        .split_once(&format!(" {name} {{"))
        .unwrap()
        .1
        .split_once('}')
        .unwrap()
        .0;
    let members = body
        .split(',')
        .map(str::trim)
        .filter(|member| !member.is_empty());
    members
        .map(|member| member.split_once(": ").unwrap_or((member, "")))
        .collect()
}

#[test]
fn header() {
    let header = declaration::<Header>();
    assert_eq!(header.magic, b"IyMA");
    let Shape::Struct(fields) = header.shape else {
        panic!("no struct")
    };
    let found: Vec<_> = fields.iter().map(|field| (field.name, field.ty)).collect();
    assert_eq!(found, HEADER);
    assert_eq!(Header::TYPE.size(), Some(Header::size() as u64));
}

#[test]
fn structs() {
    for declaration in [declaration::<MeshInfo>(), declaration::<IndicesInfo>()] {
        let Shape::Struct(fields) = declaration.shape else {
            panic!("no struct")
        };
        let found: Vec<_> = fields
            .iter()
            .map(|field| match field.ty {
                U32 => (field.name, "u32"),
                Type::Declared(inner) => (field.name, inner.name),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, members(declaration.name));
    }
}

fn values(declaration: &Declaration) -> Vec<(&'static str, i128)> {
    let Shape::Enum { size: 1, values } = declaration.shape else {
        panic!("no enum of a byte")
    };
    values
        .iter()
        .map(|value| (value.name, value.value))
        .collect()
}

#[test]
fn enums() {
    for declaration in [declaration::<IndexFormat>(), declaration::<VertexFormat>()] {
        let expected: Vec<_> = members(declaration.name)
            .into_iter()
            .zip(0..)
            .map(|((name, _), n)| (name, n))
            .collect();
        assert_eq!(values(declaration), expected);
    }
    assert_eq!(VertexFormat::ALL.len(), 45);
    for (format, (name, number)) in VertexFormat::ALL
        .iter()
        .zip(values(declaration::<VertexFormat>()))
    {
        assert_eq!((format.name(), *format as i128), (name, number));
        // `Float16x4` has four 16-bit components, `Unorm10_10_10_2` is one word.
        let digits: Vec<usize> = name
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse().ok())
            .collect();
        let size = if digits.len() == 4 {
            4
        } else {
            digits.iter().product::<usize>() / 8
        };
        assert_eq!(format.size(), size, "{name}");
        assert_eq!(
            format.components(),
            if digits.len() == 4 {
                4
            } else {
                digits.get(1).copied().unwrap_or(1)
            }
        );
    }
    // The usages of both dialects (I1).
    let usages: Vec<_> = values(declaration::<UsageField>())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let expected = [
        "Custom",
        "Position",
        "Normal",
        "Tangent",
        "Color",
        "Uv",
        "Uv1",
        "JointIndex",
        "JointWeight",
    ];
    assert_eq!(usages, expected);
}

/// The types above are equal to the types in the specification's text.
#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn types_are_those_of_the_text() {
    let text = crate::common::reference_text("../spec/iyma.md");
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for name in ["MeshInfo", "IndicesInfo", "IndexFormat", "VertexFormat"] {
        let body = |text: &str| {
            text.split_once(&format!(" {name} {{"))
                .unwrap()
                .1
                .split_once('}')
                .unwrap()
                .0
                .to_owned()
        };
        assert_eq!(words(&body(&text)), words(&body(TYPES)), "{name}");
    }
}
