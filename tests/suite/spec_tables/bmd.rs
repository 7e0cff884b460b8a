//! The tables of BMD: bits of words, offsets of structs.

use meshspec::bmd::schema::AnimRate;
use meshspec::bmd::schema::{
    AnimDef, AnimTag, BoneDef, BoneTransform, ControlFlags, F8A, FineVertex96, FlatVertex64,
    Header, LodDef, MeshDef, PseudoTransform, Quad32, Quad64, Rotation, ScaledVertex96,
    TexturedVertex64, Triangle32, Triangle64, Triple, Vertex128,
};
use meshspec::layout::Layout;
use meshspec::layout::declaration::{BitField, Shape, Type};
use meshspec::layout::expr::Scope;

use super::declaration;

/// The rows of a word in the specification: highest bit, lowest bit, field.
type BitRows = &'static [(u32, u32, &'static str)];

const TEXTURED_64: BitRows = &[
    (63, 56, "bone"),
    (55, 54, "st.exponent"),
    (53, 43, "st.frac_t"),
    (42, 32, "st.frac_s"),
    (31, 27, "position.exponent"),
    (26, 18, "position.frac_z"),
    (17, 9, "position.frac_y"),
    (8, 0, "position.frac_x"),
];

const FLAT_64: BitRows = &[
    (63, 56, "bone"),
    (55, 48, "normal.z"),
    (47, 40, "normal.y"),
    (39, 32, "normal.x"),
    (31, 27, "position.exponent"),
    (26, 18, "position.frac_z"),
    (17, 9, "position.frac_y"),
    (8, 0, "position.frac_x"),
];

/// Bits of the second 32-bit word continue after the first.
const SCALED_96: BitRows = &[
    (64 + 31, 64 + 24, "color_or_bone"),
    (64 + 23, 64 + 16, "normal.z"),
    (64 + 15, 64 + 8, "normal.y"),
    (64 + 7, 64, "normal.x"),
    (63, 56, "tag"),
    (55, 54, "st.exponent"),
    (53, 43, "st.frac_t"),
    (42, 32, "st.frac_s"),
    (31, 27, "position.exponent"),
    (26, 18, "position.frac_z"),
    (17, 9, "position.frac_y"),
    (8, 0, "position.frac_x"),
];

/// With 12 bits each, T lies directly above S (B5).
const FINE_96: BitRows = &[
    (64 + 31, 64 + 24, "color_or_bone"),
    (64 + 23, 64 + 16, "normal.z"),
    (64 + 15, 64 + 8, "normal.y"),
    (64 + 7, 64, "normal.x"),
    (63, 56, "tag"),
    (55, 44, "st.frac_t"),
    (43, 32, "st.frac_s"),
    (31, 27, "position.exponent"),
    (26, 18, "position.frac_z"),
    (17, 9, "position.frac_y"),
    (8, 0, "position.frac_x"),
];

const VERTEX_128: BitRows = &[
    (64 + 63, 64 + 56, "bone"),
    (64 + 55, 64 + 48, "normal.z"),
    (64 + 47, 64 + 40, "normal.y"),
    (64 + 39, 64 + 32, "normal.x"),
    (64 + 31, 64 + 28, "st.exponent"),
    (64 + 27, 64 + 14, "st.frac_t"),
    (64 + 13, 64, "st.frac_s"),
    (63, 56, "tag"),
    (55, 48, "color"),
    (47, 32, "org_z"),
    (31, 16, "org_y"),
    (15, 0, "org_x"),
];

const TRIANGLE_32: BitRows = &[(31, 22, "v2"), (21, 12, "v1"), (11, 2, "v0"), (1, 0, "tag")];
const QUAD_32: BitRows = &[
    (31, 30, "tag2"),
    (29, 23, "v3"),
    (22, 16, "v2"),
    (15, 9, "v1"),
    (8, 2, "v0"),
    (1, 0, "tag"),
];
const TRIANGLE_64: BitRows = &[
    (63, 62, "tag2"),
    (61, 42, "v2"),
    (41, 22, "v1"),
    (21, 2, "v0"),
    (1, 0, "tag"),
];
const QUAD_64: BitRows = &[
    (63, 62, "tag2"),
    (61, 47, "v3"),
    (46, 32, "v2"),
    (31, 17, "v1"),
    (16, 2, "v0"),
    (1, 0, "tag"),
];

const BONE_TRANSFORM: BitRows = &[
    (63, 56, "rotation.r"),
    (55, 48, "rotation.k"),
    (47, 40, "rotation.j"),
    (39, 32, "rotation.i"),
    (31, 27, "origin.exponent"),
    (26, 18, "origin.frac_z"),
    (17, 9, "origin.frac_y"),
    (8, 0, "origin.frac_x"),
];

/// "4 bone IDs, and 4 F8A weights", in the order of the transform (B22).
const PSEUDO_TRANSFORM: BitRows = &[
    (63, 56, "weight_3"),
    (55, 48, "weight_2"),
    (47, 40, "weight_1"),
    (39, 32, "weight_0"),
    (31, 24, "bone_3"),
    (23, 16, "bone_2"),
    (15, 8, "bone_1"),
    (7, 0, "bone_0"),
];

const ANIM_ROTATION: BitRows = &[(31, 24, "r"), (23, 16, "k"), (15, 8, "j"), (7, 0, "i")];
const ANIM_TRANSLATION: BitRows = &[
    (31, 27, "exponent"),
    (26, 18, "frac_z"),
    (17, 9, "frac_y"),
    (8, 0, "frac_x"),
];
const ANIM_TAG: BitRows = &[
    (7, 7, "rotation"),
    (6, 6, "translation"),
    (5, 5, "scale"),
    (4, 0, "skip"),
];
const ANIM_RATE: BitRows = &[(7, 7, "no_loop"), (6, 0, "quarter_hz")];
/// "S.E3.F4"
const F8A_BITS: BitRows = &[(7, 7, "negative"), (6, 4, "exponent"), (3, 0, "fraction")];
const CONTROL_FLAGS: BitRows = &[
    (31, 4, "reserved"),
    (3, 2, "triangles_type"),
    (1, 0, "vertex_subtype"),
];

#[test]
fn words() {
    assert_bits::<TexturedVertex64>(TEXTURED_64);
    assert_bits::<FlatVertex64>(FLAT_64);
    assert_bits::<ScaledVertex96>(SCALED_96);
    assert_bits::<FineVertex96>(FINE_96);
    assert_bits::<Vertex128>(VERTEX_128);
    assert_bits::<Triangle32>(TRIANGLE_32);
    assert_bits::<Quad32>(QUAD_32);
    assert_bits::<Triangle64>(TRIANGLE_64);
    assert_bits::<Quad64>(QUAD_64);
    assert_bits::<BoneTransform>(BONE_TRANSFORM);
    assert_bits::<PseudoTransform>(PSEUDO_TRANSFORM);
    assert_bits::<Rotation>(ANIM_ROTATION);
    assert_bits::<Triple>(ANIM_TRANSLATION);
    assert_bits::<AnimTag>(ANIM_TAG);
    assert_bits::<AnimRate>(ANIM_RATE);
    assert_bits::<F8A>(F8A_BITS);
    assert_bits::<ControlFlags>(CONTROL_FLAGS);
}

/// Asserts that the fields of a word match the table, from its last row up, without gaps.
fn assert_bits<T: Layout>(table: BitRows) {
    let declaration = declaration::<T>();
    let Shape::Bits { size, fields } = declaration.shape else {
        panic!("{} is not a word", declaration.name)
    };
    let mut found = Vec::new();
    flatten(fields, "", 0, &mut found);
    let expected: Vec<_> = table
        .iter()
        .rev()
        .map(|(high, low, name)| (*low, high - low + 1, (*name).to_owned()))
        .collect();
    assert_eq!(found, expected, "{}", declaration.name);
    assert_eq!(
        found.iter().map(|(_, width, _)| width).sum::<u32>(),
        8 * size,
        "{}",
        declaration.name
    );
}

/// Adds offset, width and name of each field to `found`. Fields of nested words are listed individually.
fn flatten(fields: &[BitField], prefix: &str, start: u32, found: &mut Vec<(u32, u32, String)>) {
    for field in fields {
        let (offset, name) = (start + field.bits.offset, format!("{prefix}{}", field.name));
        match field.declared.map(|declaration| declaration.shape) {
            Some(Shape::Bits { fields, .. }) => flatten(fields, &format!("{name}."), offset, found),
            _ => found.push((offset, field.bits.width, name)),
        }
    }
}

/// Offset in hexadecimal digits, as in the comments of the specification, size and name.
type TableRow = (u64, u64, &'static str);

const HEADER: &[TableRow] = &[
    (0x04, 4, "resv1"),
    (0x08, 4, "resv2"),
    (0x0C, 4, "resv3"),
    (0x10, 4, "ofs_meshes"),
    (0x14, 4, "sz_meshes"),
    (0x18, 4, "ofs_lods"),
    (0x1C, 4, "sz_lods"),
    (0x20, 4, "ofs_bones"),
    (0x24, 4, "sz_bones"),
    (0x28, 4, "ofs_anims"),
    (0x2C, 4, "sz_anims"),
];

const MESH_DEF: &[TableRow] = &[
    (0x00, 4, "ofs_vtx"),
    (0x04, 4, "ofs_tris"),
    (0x08, 4, "ofs_mat"),
    (0x0C, 2, "n_vtx"),
    (0x0E, 2, "n_tris"),
    (0x10, 4, "sz_vtx"),
    (0x14, 4, "sz_tris"),
    (0x18, 4, "flags"),
    (0x1C, 4, "resv3"),
];

const LOD_DEF: &[TableRow] = &[
    (0, 1, "id_mesh"),
    (1, 1, "n_mesh"),
    (2, 1, "ld_sc"),
    (3, 1, "resv1"),
];

/// After the transform, which has two variants.
const BONE_DEF: &[TableRow] = &[
    (8, 4, "ofs_name"),
    (0xC, 1, "id_parent"),
    (0xD, 1, "id_solid"),
    (0xE, 1, "resv1"),
    (0xF, 1, "resv2"),
];

const ANIM_DEF: &[TableRow] = &[
    (0x00, 4, "ofs_name"),
    (0x04, 1, "n_frames"),
    (0x05, 1, "fl_hz"),
    (0x06, 1, "resv1"),
    (0x07, 1, "resv2"),
    (0x08, 4, "ofs_frames"),
    (0x0C, 4, "sz_frames"),
];

#[test]
fn structs() {
    assert_eq!(declaration::<Header>().magic, b"BMD1");
    assert_table::<Header>(HEADER, 0);
    assert_eq!(Header::TYPE.size(), Some(0x30));
    assert_table::<MeshDef>(MESH_DEF, 0);
    assert_table::<LodDef>(LOD_DEF, 0);
    assert_eq!(LodDef::TYPE.size(), Some(4));
    assert_table::<AnimDef>(ANIM_DEF, 0);
    assert_eq!(BoneTransform::TYPE.size(), PseudoTransform::TYPE.size());
    assert_table::<BoneDef>(BONE_DEF, 8);
}

/// Asserts that every row is a field at its offset, after `start` bytes of other fields.
fn assert_table<T: Layout>(rows: &[TableRow], start: u64) {
    let declaration = declaration::<T>();
    let Shape::Struct(fields) = declaration.shape else {
        panic!("{} is no struct", declaration.name)
    };
    let first = fields
        .iter()
        .position(|field| field.name == rows[0].2)
        .unwrap();
    let mut offset = start.max(declaration.magic.len() as u64);
    for ((expected, size, name), field) in rows.iter().zip(&fields[first..]) {
        assert_eq!(
            (field.name, offset),
            (*name, *expected),
            "{}",
            declaration.name
        );
        assert_eq!(field.ty.size(), Some(*size), "{name}");
        offset += size;
        let found = declaration.offset_of(name, &Scope::default());
        assert!(
            start > 0 || found.is_some_and(|(offset, _)| offset == *expected),
            "{name}"
        );
    }
    // The remaining fields are at other offsets of the file.
    for field in &fields[first + rows.len()..] {
        assert!(
            field.position.is_some(),
            "{} of {}",
            field.name,
            declaration.name
        );
        assert!(matches!(field.ty, Type::NulString | Type::List(_)));
    }
}
