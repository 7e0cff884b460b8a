//! The lists in the specification of Crucible.

use meshspec::Dialect;
use meshspec::crucible::schema::{
    AttributeFlags, BoneWeight, Chunk, IndexStream, Indices, Stream, Values,
};
use meshspec::layout::Layout;
use meshspec::layout::declaration::{Field, Shape, Type, Variant};
use meshspec::layout::expr::{Scope, Value};

use super::declaration;

const U8: Type = Type::Unsigned(1);
const U16: Type = Type::Unsigned(2);
const U32: Type = Type::Unsigned(4);
const I32: Type = Type::Signed(4);
const F32: Type = Type::Float(4);
const BYTES: Type = Type::List(&U8);

/// A row: number in the list, field, type, offset; the offset is `None` if it depends on #2.
type TableRow = (u32, &'static str, Type, Option<u64>);

/// The rows of a chunk. Its items #2 to #4 are a separate struct.
const CHUNK: &[TableRow] = &[
    (1, "index_size", U8, Some(0)),
    (2, "indices", IndexStream::TYPE, Some(1)),
    (5, "attribute_count", U8, None),
    (6, "streams", Type::List(&Stream::TYPE), None),
];

const INDEX_STREAM: &[TableRow] = &[
    (2, "compressed_size", I32, Some(0)),
    (3, "uncompressed_size", I32, Some(4)),
    (4, "data", BYTES, Some(8)),
];

/// *2
const ATTRIBUTE_STREAM: &[TableRow] = &[
    (1, "attribute", AttributeFlags::TYPE, Some(0)),
    (2, "compressed_size", I32, Some(2)),
    (3, "uncompressed_size", I32, Some(6)),
    (4, "data", BYTES, Some(10)),
];

/// *3: the printed flags, each with the name of its bit if it is an attribute.
const FLAGS: [(&str, Option<&str>); 16] = [
    ("0000000000000001", Some("position_3d")),
    ("0000000000000010", Some("position_2d")),
    ("0000000000000100", Some("normal")),
    ("0000000000001000", Some("uv")),
    ("0000000000010000", Some("bit_4")),
    ("0000000000100000", Some("bit_5")),
    ("0000000001000000", None),
    ("0000000010000000", None),
    ("0000000100000000", None),
    ("0000001000000000", None),
    ("0000010000000000", None),
    ("0000100000000000", None),
    ("0001000000000000", None),
    ("0010000000000000", None),
    ("0100000000000000", None),
    ("1000000000000000", None),
];

/// *3 and *4: the attribute of each bit and the type of its values. Other bits are reserved.
const ATTRIBUTES: [(&str, Type); 6] = [
    ("Position3d", Type::Array(&F32, 3)),
    ("Position2d", Type::Array(&F32, 2)),
    ("Normal", Type::Array(&F32, 3)),
    ("Uv", Type::Array(&F32, 2)),
    ("Color", Type::Array(&U8, 4)),
    ("BoneWeights", Type::Array(&BoneWeight::TYPE, 4)),
];

/// The attributes of the tangent dialect, which the text does not describe (C10).
const TANGENT_ATTRIBUTES: [(&str, Type); 7] = [
    ATTRIBUTES[0],
    ATTRIBUTES[1],
    ATTRIBUTES[2],
    ATTRIBUTES[3],
    ("Tangent", Type::Array(&F32, 3)),
    ATTRIBUTES[4],
    ATTRIBUTES[5],
];

/// *5
const BONE_WEIGHT: &[TableRow] = &[(1, "bone", U16, Some(0)), (2, "influence", F32, Some(2))];

fn fields<T: Layout>() -> &'static [Field] {
    match declaration::<T>().shape {
        Shape::Struct(fields) => fields,
        other => panic!("{other:?} is no struct"),
    }
}

fn variants<T: Layout>() -> &'static [Variant] {
    match declaration::<T>().shape {
        Shape::Choice(variants) => variants,
        other => panic!("{other:?} is no choice"),
    }
}

/// Asserts that the rows are exactly the fields of the declaration, in order.
fn assert_list<T: Layout>(rows: &[TableRow]) {
    let fields = fields::<T>();
    assert_eq!(rows.len(), fields.len());
    for ((number, name, ty, offset), field) in rows.iter().zip(fields) {
        assert_eq!((field.name, field.ty), (*name, *ty), "#{number}");
        let found = declaration::<T>()
            .offset_of(name, &Scope::default())
            .map(|(offset, _)| offset);
        assert_eq!(found, *offset, "offset of #{number}");
    }
}

/// Returns the size of a stream with a compressed size: "total length equivelent to #2".
fn stream_size<T: Layout>(compressed_size: u64) -> Option<u64> {
    declaration::<T>().size(&Scope::new(vec![(
        "compressed_size",
        compressed_size.into(),
    )]))
}

#[test]
fn chunk() {
    assert_list::<Chunk>(CHUNK);
    assert_list::<IndexStream>(INDEX_STREAM);
    assert_eq!(stream_size::<IndexStream>(20), Some(4 + 4 + 20));
    // "collection of #5 number of vertex attribute streams"
    let scope = Scope::new(vec![("attribute_count", 3.into())]);
    assert_eq!(
        fields::<Chunk>()[3]
            .count
            .map(|count| count.eval_int(&scope)),
        Some(Ok(3))
    );
}

/// *1: "#3 refers to the size of the buffer in bytes, not the number of elements".
#[test]
fn index_data() {
    for (index_size, item) in [(0u8, &U16), (1, &U32)] {
        let scope = declaration::<Indices>().bind([index_size.into(), 24.into()]);
        let field = chosen_variant::<Indices>(&scope).unwrap().field;
        assert_eq!(field.ty, Type::List(item));
        assert_eq!(declaration::<Indices>().size(&scope), Some(24));
    }
}

/// *2
#[test]
fn attribute_stream() {
    assert_list::<Stream>(ATTRIBUTE_STREAM);
    assert_eq!(stream_size::<Stream>(7), Some(2 + 4 + 4 + 7));
}

/// *3: "Little Endian 16 bit flag". The sixteen digits are binary although they start with 0x (C1).
#[test]
fn flags() {
    let Shape::Bits { size, fields } = declaration::<AttributeFlags>().shape else {
        panic!("no word")
    };
    assert_eq!(size, 2);
    for (digits, name) in FLAGS {
        let word = u16::from_str_radix(digits, 2).unwrap();
        let set: Vec<_> = fields
            .iter()
            .filter(|field| field.bits.extract(word.into()) != 0)
            .collect();
        let [field] = &*set else {
            panic!("{digits}: {set:?}")
        };
        match name {
            Some(name) => {
                assert_eq!(
                    (field.name, field.flag, field.reserved),
                    (name, true, false),
                    "{digits}"
                )
            }
            // This flag belongs to the tangent dialect (C10).
            None => assert!(field.reserved || field.name == "bit_6", "{digits}"),
        }
    }
}

/// *3 and *4, and their meaning in the tangent dialect (C10).
#[test]
fn attribute_data() {
    for (dialect, attributes) in [
        (Dialect::SPEC, &ATTRIBUTES[..]),
        (Dialect::TANGENT, &TANGENT_ATTRIBUTES[..]),
    ] {
        for bit in 0..16 {
            let word = Value::bits::<AttributeFlags>(&u16::to_le_bytes(1 << bit));
            let size = 10 * 2 * 3 * 24;
            let scope = declaration::<Values>().bind([word.clone(), dialect.into(), size.into()]);
            let found =
                chosen_variant::<Values>(&scope).map(|variant| (variant.name, variant.field.ty));
            let expected = attributes.get(bit);
            assert_eq!(
                found.map(|(name, _)| name),
                expected.map(|(name, _)| *name),
                "bit {bit}"
            );
            if let (Some((name, Type::List(item))), Some((_, value))) = (found, expected) {
                assert_eq!(item, value, "{name}");
                assert_eq!(
                    declaration::<Values>().size(&scope),
                    Some(size as u64),
                    "{name}"
                );
            }
            // The stream accepts exactly the bits of attributes.
            let mut scope = declaration::<Stream>().bind([dialect.into()]);
            scope.push("attribute", word);
            let [check] = fields::<Stream>()[0].checks else {
                panic!("one check")
            };
            assert_eq!(
                check.condition.eval_bool(&scope),
                Ok(expected.is_some()),
                "bit {bit}"
            );
        }
    }
}

/// *5
#[test]
fn bone_weights() {
    assert_list::<BoneWeight>(BONE_WEIGHT);
    assert_eq!(BoneWeight::TYPE.size(), Some(6));
}

fn chosen_variant<T: Layout>(scope: &Scope) -> Option<&'static Variant> {
    variants::<T>()
        .iter()
        .find(|variant| variant.condition.eval_bool(scope) == Ok(true))
}
