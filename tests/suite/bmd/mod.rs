//! BMD: all codes of packed words, comparison of walker and codec, locations of findings, canonical images.

mod numbers;
mod poses;
mod splitting;

use std::io::Cursor;

use crate::common::{File, config};
use crate::fuzz::{Input, Leaves, assert_values_of};
use binrw::{BinRead, BinWrite};
use meshspec::bmd::__private::{PieceLimits, split_meshes};
use meshspec::bmd::schema::{
    AnimDef, AnimExtents, BoneDef, BoneTransform, FaceItem, FineSt, FineVertex96, FlatVertex64,
    Form, MeshDef, MeshExtents, PseudoTransform, Quad32, Quad64, ScaledSt, ScaledVertex96,
    TexturedVertex64, Triangle32, Triangle64, Vertex128, VertexItem, WideSt,
};
use meshspec::bmd::{
    Animation, Bone, ControlFlags, Document, F8A, Face, Faces, LodDef, Mesh, PackedFace,
    PackedVertex, Rotation, Surface, Track, TrackKey, Transform, Triple, Vertices, strategy,
};
use meshspec::layout::Layout;
use meshspec::layout::declaration::{BitField, Shape, Type};
use meshspec::layout::expr::Value;
use meshspec::scene::{self, FromScene};
use meshspec::{ErrorKind, Format, Limit, ReadOptions, Severity, Strictness, Text, WriteOptions};
use proptest::prelude::*;

/// The slack after the last list (B14) is padding; anything else after it is listed.
#[test]
fn only_the_slack_of_the_last_list_is_padding() {
    let file = include_bytes!("../../../samples/bmd/forms.bmd");
    let count = |bytes: &[u8]| {
        let losses = meshspec::bmd::FORMAT.uncovered_bytes(bytes, &ReadOptions::default());
        losses
            .iter()
            .filter_map(|loss| loss.affected)
            .map(|affected| affected.count)
            .sum::<u64>()
    };
    // The last list ends at 0x1f0.
    assert_eq!([file, &file[..0x1f0], &file[..0x1f8]].map(count), [0; 3]);
    assert_eq!(count(&[&file[..], &[0]].concat()), 17);
    assert_eq!(count(&[&file[..0x1f0], b"note"].concat()), 4);
}

#[test]
fn tables_count_entries_by_their_written_size() {
    fn size<T: for<'a> BinWrite<Args<'a> = A> + Default, A>(args: A) -> u32 {
        let mut image = Cursor::new(Vec::new());
        T::default().write_le_args(&mut image, args).unwrap();
        image.into_inner().len().try_into().unwrap()
    }
    assert_eq!(MeshDef::SIZE, size::<MeshDef, _>((MeshExtents::default(),)));
    assert_eq!(LodDef::SIZE, size::<LodDef, _>(()));
    assert_eq!(BoneDef::SIZE, size::<BoneDef, _>((0,)));
    assert_eq!(AnimDef::SIZE, size::<AnimDef, _>((AnimExtents::default(),)));
}

#[test]
fn every_f8a_code() {
    for code in 0..=255u8 {
        let (exponent, fraction) = (i32::from(code >> 4 & 7), f64::from(code & 15));
        let magnitude = if code & 0x7f == 0 {
            0.0
        } else {
            (16.0 + fraction) * 2f64.powi(exponent - 11)
        };
        let expected = if code & 0x80 == 0 || magnitude == 0.0 {
            magnitude
        } else {
            -magnitude
        };
        assert_eq!(f64::from(F8A::from(code).value()), expected, "{code:#x}");
        assert_eq!(F8A::from(code).code(), code);
        assert!(F8A::from(code).value() != 0.0 || F8A::from(code).value().is_sign_positive());
    }
    assert_eq!((F8A::ONE.value(), F8A::from(0x7f).value()), (1.0, 1.9375));
}

#[test]
fn every_triple_code() {
    for exponent in 0..32u32 {
        for fraction in 0..512u32 {
            let signed = if fraction < 256 {
                fraction as i32
            } else {
                fraction as i32 - 512
            };
            let expected = f64::from(signed) / 128.0 * 2f64.powi(exponent as i32 - 15);
            for axis in 0..3 {
                let mut values = [0.0; 3];
                values[axis] = expected;
                let triple = Triple::from(exponent << 27 | fraction << (9 * axis));
                assert_eq!(
                    triple.value().map(f64::from),
                    values,
                    "{exponent} {fraction}"
                );
                assert_eq!(i32::from(triple.fractions()[axis]), signed);
            }
        }
    }
}

#[test]
fn every_texture_coordinate() {
    for exponent in 0..4u8 {
        for fraction in 0..2048u16 {
            let st = ScaledSt::new()
                .with_frac_s(fraction)
                .with_frac_t(2047 - fraction)
                .with_exponent(exponent);
            let of =
                |fraction: u16| (f64::from(fraction) / 1024.0 - 0.5) * 4f64.powi(exponent.into());
            assert_eq!(
                st.value().map(f64::from),
                [of(fraction), of(2047 - fraction)]
            );
        }
    }
    for fraction in 0..4096u16 {
        let st = FineSt::new()
            .with_frac_s(fraction)
            .with_frac_t(4095 - fraction);
        let of = |fraction: u16| f64::from(fraction) / 2048.0 - 0.5;
        assert_eq!(
            st.value().map(f64::from),
            [of(fraction), of(4095 - fraction)]
        );
    }
    for exponent in 0..16u8 {
        for fraction in 0..16384u16 {
            let st = WideSt::new()
                .with_frac_s(fraction)
                .with_frac_t(16383 - fraction)
                .with_exponent(exponent);
            let of =
                |fraction: u16| (f64::from(fraction) / 4096.0 - 2.0) * 2f64.powi(exponent.into());
            assert_eq!(
                st.value().map(f64::from),
                [of(fraction), of(16383 - fraction)]
            );
        }
    }
}

/// Returns the names and values of the bit fields of a word, according to its declaration. Fields of nested words are
/// listed individually.
fn bit_field_values<T: Layout>(word: u128) -> Vec<(String, i128)> {
    fn collect(fields: &[BitField], word: u128, prefix: &str, parts: &mut Vec<(String, i128)>) {
        for field in fields {
            let name = format!("{prefix}{}", field.name);
            match (
                field.value(word),
                field.declared.map(|declaration| declaration.shape),
            ) {
                (Value::Bits(inner, _), Some(Shape::Bits { fields, .. })) => {
                    collect(fields, inner, &format!("{name}."), parts);
                }
                (Value::Int(value), _) => parts.push((name, value)),
                (Value::Bool(value), _) => parts.push((name, value.into())),
                (other, _) => panic!("{other:?}"),
            }
        }
    }
    let Type::Declared(declaration) = T::TYPE else {
        panic!("not declared")
    };
    let Shape::Bits { fields, .. } = declaration.shape else {
        panic!("not a word")
    };
    let mut found = Vec::new();
    collect(fields, word, "", &mut found);
    found
}

/// Asserts that the getters of modular-bitfield match the declaration, for words with no, one and all bits set. Each
/// bit must belong to exactly one field.
macro_rules! assert_getters {
    ($word:ident $bytes:literal: $($name:literal = $($getter:ident).+ $(as $signed:ident)?;)*) => {
        let words = (0..8 * $bytes).map(|bit| 1u128 << bit).chain([0, u128::MAX >> (128 - 8 * $bytes)]);
        for bits in words {
            let bytes: [u8; $bytes] = bits.to_le_bytes()[..$bytes].try_into().unwrap();
            let word = $word::from_bytes(bytes);
            let expected = vec![$(($name.to_owned(), assert_getters!(@ word $($getter).+ $(as $signed)?))),*];
            let found = bit_field_values::<$word>(bits);
            assert_eq!(found, expected, "{} {bits:#x}", stringify!($word));
            let set = found.iter().filter(|(_, value)| *value != 0).count();
            assert!(bits.count_ones() != 1 || set == 1, "{} {bits:#x}", stringify!($word));
        }
    };
    (@ $word:ident $a:ident . $b:ident as signed9) => { sign9($word.$a().$b()) };
    (@ $word:ident $a:ident . $b:ident) => { i128::from($word.$a().$b()) };
    (@ $word:ident $a:ident) => { i128::from($word.$a()) };
    (@ $word:ident $a:ident . $b:ident . $c:ident) => { i128::from($word.$a().$b().$c()) };
}

/// Sign-extends 9 bits; the getters return raw bits.
fn sign9(bits: u16) -> i128 {
    if bits < 256 {
        bits.into()
    } else {
        i128::from(bits) - 512
    }
}

#[test]
fn spec_bits_of_every_word() {
    assert_getters!(TexturedVertex64 8:
        "position.frac_x" = position.frac_x as signed9;
        "position.frac_y" = position.frac_y as signed9;
        "position.frac_z" = position.frac_z as signed9;
        "position.exponent" = position.exponent;
        "st.frac_s" = st.frac_s;
        "st.frac_t" = st.frac_t;
        "st.exponent" = st.exponent;
        "bone" = bone;
    );
    assert_getters!(FlatVertex64 8:
        "position.frac_x" = position.frac_x as signed9;
        "position.frac_y" = position.frac_y as signed9;
        "position.frac_z" = position.frac_z as signed9;
        "position.exponent" = position.exponent;
        "normal.x" = normal.x.code;
        "normal.y" = normal.y.code;
        "normal.z" = normal.z.code;
        "bone" = bone;
    );
    assert_getters!(FineVertex96 12:
        "position.frac_x" = position.frac_x as signed9;
        "position.frac_y" = position.frac_y as signed9;
        "position.frac_z" = position.frac_z as signed9;
        "position.exponent" = position.exponent;
        "st.frac_s" = st.frac_s;
        "st.frac_t" = st.frac_t;
        "tag" = tag;
        "normal.x" = normal.x.code;
        "normal.y" = normal.y.code;
        "normal.z" = normal.z.code;
        "color_or_bone" = color_or_bone;
    );
    assert_getters!(ScaledVertex96 12:
        "position.frac_x" = position.frac_x as signed9;
        "position.frac_y" = position.frac_y as signed9;
        "position.frac_z" = position.frac_z as signed9;
        "position.exponent" = position.exponent;
        "st.frac_s" = st.frac_s;
        "st.frac_t" = st.frac_t;
        "st.exponent" = st.exponent;
        "tag" = tag;
        "normal.x" = normal.x.code;
        "normal.y" = normal.y.code;
        "normal.z" = normal.z.code;
        "color_or_bone" = color_or_bone;
    );
    assert_getters!(Vertex128 16:
        "org_x" = org_x;
        "org_y" = org_y;
        "org_z" = org_z;
        "color" = color;
        "tag" = tag;
        "st.frac_s" = st.frac_s;
        "st.frac_t" = st.frac_t;
        "st.exponent" = st.exponent;
        "normal.x" = normal.x.code;
        "normal.y" = normal.y.code;
        "normal.z" = normal.z.code;
        "bone" = bone;
    );
    assert_getters!(Triangle32 4: "tag" = tag; "v0" = v0; "v1" = v1; "v2" = v2;);
    assert_getters!(Quad32 4: "tag" = tag; "v0" = v0; "v1" = v1; "v2" = v2; "v3" = v3; "tag2" = tag2;);
    assert_getters!(Triangle64 8: "tag" = tag; "v0" = v0; "v1" = v1; "v2" = v2; "tag2" = tag2;);
    assert_getters!(Quad64 8: "tag" = tag; "v0" = v0; "v1" = v1; "v2" = v2; "v3" = v3; "tag2" = tag2;);
    assert_getters!(BoneTransform 8:
        "origin.frac_x" = origin.frac_x as signed9;
        "origin.frac_y" = origin.frac_y as signed9;
        "origin.frac_z" = origin.frac_z as signed9;
        "origin.exponent" = origin.exponent;
        "rotation.i" = rotation.i.code;
        "rotation.j" = rotation.j.code;
        "rotation.k" = rotation.k.code;
        "rotation.r" = rotation.r.code;
    );
}

#[test]
fn rotations() {
    let transform = |rotation: u32| BoneTransform::new().with_rotation(rotation.into());
    for none in [0, u32::MAX, Rotation::IDENTITY.word(), 0x8080_8080] {
        assert_eq!(
            transform(none).unit_rotation(),
            [0.0, 0.0, 0.0, 1.0],
            "{none:#x}"
        );
    }
    // In keys, all ones are an ordinary value (B25).
    assert_eq!(Rotation::from(u32::MAX).value(), [-0.5; 4]);
    let pseudo = PseudoTransform::from_bytes([1, 2, 3, 4, 0x70, 0x60, 0x50, 0]);
    assert_eq!(
        (pseudo.bones(), pseudo.weights()),
        ([1, 2, 3, 4], [1.0, 0.5, 0.25, 0.0])
    );
}

/// Asserts that an item of the codec has exactly this form.
fn assert_same_form(item: &impl std::fmt::Debug, form: &str, packed: &impl std::fmt::Debug) {
    let (item, packed) = (format!("{item:?}"), format!("{packed:?}"));
    let (_, word) = packed.split_once('(').unwrap();
    assert!(
        item.contains(&format!(" {form}: Some({word}")),
        "{item} is not {packed}"
    );
    assert_eq!(item.matches(": Some(").count(), 1, "{item}");
}

/// For every tag, the binrw structs and the lists read the same number of bytes.
#[test]
fn spec_sizes_of_every_vertex_tag() {
    for tag in 0..=255u8 {
        for surface in [Surface::Textured, Surface::Flat] {
            let mut bytes = [0x5a; 16];
            bytes[7] = tag;
            let mut cursor = Cursor::new(&bytes);
            let item = VertexItem::read_args(&mut cursor, (1, surface == Surface::Flat)).unwrap();
            let size = cursor.position();
            let expected = match tag {
                0..0xf0 => 8,
                0xf0..=0xfb => 12,
                _ => 16,
            };
            assert_eq!(size, expected, "{tag:x}");
            let words = meshspec::bulk::to_vec(&bytes[..size as usize]);
            let vertices = Vertices::from_words(words.clone(), surface).unwrap();
            let packed = vertices.packed_items().next().unwrap();
            assert_same_form(&item, packed.form_name(), &packed);
            assert_eq!(
                (vertices.len(), packed.tag(), packed.bits()),
                (1, tag, 8 * size as u32)
            );
            // Every form can be pushed again, and a truncated item is an error.
            let mut again = Vertices::default();
            again.push(packed).unwrap();
            assert_eq!(again, vertices);
            assert!(Vertices::from_words(words[..words.len() - 1].to_vec(), surface).is_err());
        }
    }
}

#[test]
fn every_face_tag() {
    for tag in 0..4u8 {
        let bytes = [0xa4 | tag, 1, 2, 3, 4, 5, 6, 7];
        let mut cursor = Cursor::new(&bytes);
        let item = FaceItem::read(&mut cursor).unwrap();
        let words = meshspec::bulk::to_vec(&bytes[..cursor.position() as usize]);
        let faces = Faces::from_words(words).unwrap();
        let packed = faces.packed_items().next().unwrap();
        assert_same_form(&item, packed.form_name(), &packed);
        assert_eq!(faces.len(), 1, "{tag}");
    }
}

/// A bone that does not fit the vertex form is rejected, not wrapped (B9).
#[test]
fn bones_cannot_become_other_tags() {
    let mut vertices = Vertices::default();
    for bone in 0..=255u8 {
        let vertex = PackedVertex::Textured64(TexturedVertex64::new().with_bone(bone));
        assert_eq!(vertices.push(vertex).is_ok(), bone < 0xf0, "{bone:x}");
    }
    let error = vertices
        .push(PackedVertex::Vertex128(Vertex128::new()))
        .unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "vertices[240].vertex_128")
    );
    let error = Faces::default()
        .push(PackedFace::Quad32(Quad32::new()))
        .unwrap_err();
    assert_eq!(error.path(), "faces[0].quad_32");
}

#[test]
fn faces_take_the_smallest_form() {
    for (face, form) in [
        (Face::Triangle([0, 1, 1023]), Some("triangle_32")),
        (Face::Triangle([0, 1, 1024]), Some("triangle_64")),
        (Face::Triangle([0, 1, 0xfffff]), Some("triangle_64")),
        (Face::Triangle([0, 1, 0x100000]), None),
        (Face::Quad([0, 1, 2, 127]), Some("quad_32")),
        (Face::Quad([128, 1, 2, 3]), Some("quad_64")),
        (Face::Quad([0x7fff, 1, 2, 3]), Some("quad_64")),
        (Face::Quad([0x8000, 1, 2, 3]), None),
    ] {
        let packed = PackedFace::smallest(face);
        assert_eq!(packed.map(PackedFace::form_name), form, "{face:?}");
        assert!(packed.is_none_or(|packed| packed.value() == face));
    }
}

#[test]
fn tracks_bridge_gaps() {
    let key = |frame| TrackKey {
        frame,
        rotation: Some(Rotation::IDENTITY),
        ..TrackKey::default()
    };
    let track = Track::from_keys([key(0), key(32), key(65), key(200)]).unwrap();
    let tags: Vec<u8> = track
        .packed_keys()
        .map(|key| key.tag.into_bytes()[0])
        .collect();
    assert_eq!(tags, [0x80, 0x9f, 0x1f, 0x80, 0x1f, 0x1f, 0x1f, 0x1f, 0x86]);
    let keys: Vec<_> = track.keys().filter(TrackKey::has_values).collect();
    assert_eq!(keys, [key(0), key(32), key(65), key(200)]);
    assert!(Track::from_keys([key(3), key(3)]).is_err());
    assert!(
        Track::from_keys([TrackKey::default()]).is_err(),
        "its tag would mark the end of the keys"
    );
    assert!(Track::default().push(32, None, None, None).is_err());
}

/// Returns the words that the walker must find: the reserved words of the header, and packed words.
fn expected_words(document: &Document) -> Vec<(String, u128)> {
    let mut leaves = Vec::new();
    let mut add = |path: String, value: u128| leaves.push((path, value));
    let word = |words: [u32; 4]| {
        words
            .iter()
            .rev()
            .fold(0, |word, part| word << 32 | u128::from(*part))
    };
    let wide = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u128::from(*byte))
    };
    for (number, value) in document.reserved.iter().enumerate() {
        add(format!("header.resv{}", number + 1), (*value).into());
    }
    for (i, mesh) in document.meshes.iter().enumerate() {
        add(format!("meshes[{i}].flags"), wide(&mesh.flags.into_bytes()));
        for (j, vertex) in mesh.vertices.packed_items().enumerate() {
            add(
                format!("meshes[{i}].vertices[{j}].{}", vertex.form_name()),
                word(vertex.words()),
            );
        }
        for (j, face) in mesh.faces.packed_items().enumerate() {
            add(
                format!("meshes[{i}].faces[{j}].{}", face.form_name()),
                word(face.words()),
            );
        }
    }
    for (i, bone) in document.bones.iter().enumerate() {
        let (name, word) = match bone.transform {
            Transform::Bone(transform) => ("xform", wide(&transform.into_bytes())),
            Transform::Pseudo(transform) => ("pseudo", wide(&transform.into_bytes())),
        };
        add(format!("bones[{i}].{name}"), word);
    }
    for (i, animation) in document.animations.iter().enumerate() {
        add(
            format!("animations[{i}].fl_hz"),
            wide(&animation.fl_hz.into_bytes()),
        );
        let mut item = 0;
        for track in &animation.tracks {
            for key in track.packed_keys() {
                let path = format!("animations[{i}].frames[{item}]");
                add(format!("{path}.tag"), wide(&key.tag.into_bytes()));
                for (name, word) in [
                    ("rotation", key.rotation.map(Rotation::word)),
                    ("translation", key.translation.map(Triple::word)),
                    ("scale", key.scale.map(Triple::word)),
                ] {
                    if let Some(word) = word {
                        add(format!("{path}.{name}"), word.into());
                    }
                }
                item += 1;
            }
            add(format!("animations[{i}].frames[{item}].tag"), 0);
            item += 1;
        }
    }
    leaves
}

/// Asserts that the walker finds exactly the values and strings of the document, in order.
fn assert_walker_agrees(bytes: &[u8], document: &Document) {
    let input = Input::detected(meshspec::bmd::FORMAT, bytes);
    let leaves = Leaves::of(input, &Default::default()).leaves.into_iter();
    let (texts, numbers): (Vec<_>, Vec<_>) = leaves
        .map(|(path, _, value)| (path, value))
        .partition(|(_, value)| matches!(value, Value::Text(_)));
    let words = numbers.into_iter().filter_map(|(path, value)| match value {
        // `assert_values_of` compares the other numbers.
        Value::Int(number) => path
            .starts_with("header.resv")
            .then_some((path, number as u128)),
        Value::Bits(word, _) => (!path.starts_with("lods[")).then_some((path, word)),
        other => panic!("{path}: {other:?}"),
    });
    assert_eq!(words.collect::<Vec<_>>(), expected_words(document));
    let names = document.meshes.iter().map(|mesh| &mesh.material);
    let names = names.chain(document.bones.iter().map(|bone| &bone.name));
    let names = names.chain(document.animations.iter().map(|animation| &animation.name));
    let names: Vec<_> = names
        .flatten()
        .map(|name| Value::Text(name.as_bytes().to_vec()))
        .collect();
    assert_eq!(
        texts.into_iter().map(|(_, text)| text).collect::<Vec<_>>(),
        names
    );
    assert_values_of(&document.clone().into(), input, &Default::default());
}

of_files!(the_walker_agrees_on_files);

fn the_walker_agrees_on_files(files: Vec<File>) {
    let mut compared = 0;
    for (format, bytes) in files {
        if format == meshspec::bmd::FORMAT {
            let document = Document::read(&bytes, &ReadOptions::default()).unwrap();
            assert_walker_agrees(&bytes, &document);
            compared += 1;
        }
    }
    assert!(compared > 0);
}

proptest! {
    #![proptest_config(config(200, "bmd"))]

    #[test]
    fn the_walker_agrees_on_documents(document in strategy::documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        assert_walker_agrees(&bytes, &document);
        assert_canonical(&bytes);
    }

    #[test]
    fn keys_become_tracks_and_back(document in strategy::documents()) {
        for track in document.animations.iter().flat_map(|animation| &animation.tracks) {
            let keys: Vec<_> = track.keys().filter(TrackKey::has_values).collect();
            let again = Track::from_keys(keys.clone()).unwrap();
            prop_assert_eq!(again.keys().filter(TrackKey::has_values).collect::<Vec<_>>(), keys);
        }
    }

    #[test]
    fn fitting_flags_are_valid(mut document in strategy::documents()) {
        for mesh in &mut document.meshes {
            mesh.flags = mesh.fitting_flags();
        }
        prop_assert!(document.check().is_valid(Strictness::Strict));
    }
}

/// Asserts that lists are in canonical order, aligned and without overlap (B15).
fn assert_canonical(bytes: &[u8]) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let lists: Vec<(usize, usize)> = [0x18, 0x10, 0x20, 0x28]
        .iter()
        .map(|at| (word(*at), word(at + 4)))
        .collect();
    let mut spans = vec![(0x40, 0, 1)];
    spans.extend(
        lists
            .iter()
            .zip([4, 16, 16, 16])
            .map(|((offset, size), to)| (*offset, *size, to)),
    );
    for mesh in (0..lists[1].1 / 32).map(|i| lists[1].0 + 32 * i) {
        spans.extend([
            (word(mesh), word(mesh + 16), 16),
            (word(mesh + 4), word(mesh + 20), 16),
        ]);
    }
    for animation in (0..lists[3].1 / 16).map(|i| lists[3].0 + 16 * i) {
        spans.push((word(animation + 8), word(animation + 12), 16));
    }
    spans.retain(|(_, size, _)| *size > 0);
    spans.sort_unstable();
    for (offset, _, to) in &spans {
        assert_eq!(offset % to, 0, "{offset:#x}");
    }
    for pair in spans.windows(2) {
        assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:x?} overlap");
    }
}

/// Returns a pyramid with four vertices and four faces: a closed solid.
fn pyramid(material: Option<&str>) -> Mesh {
    let mut vertices = Vertices::default();
    for word in 0..4u32 {
        let vertex =
            TexturedVertex64::new().with_position(Triple::from(15 << 27 | (word * 0x201 % 7)));
        vertices.push(PackedVertex::Textured64(vertex)).unwrap();
    }
    let mut faces = Faces::default();
    for corners in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
        faces
            .push(PackedFace::smallest(Face::Triangle(corners)).unwrap())
            .unwrap();
    }
    Mesh::new(material.map(Text::from), vertices, faces)
}

/// Returns two meshes, a level of detail, three bones including a pseudo-bone, and an animation.
fn example() -> Document {
    let bone = |id_parent| Bone {
        id_parent,
        ..Bone::default()
    };
    let pseudo = Transform::Pseudo(PseudoTransform::from_bytes([0, 1, 0, 0, 0x60, 0x60, 0, 0]));
    let key = TrackKey {
        frame: 2,
        rotation: Some(Rotation::IDENTITY),
        ..TrackKey::default()
    };
    Document {
        meshes: vec![pyramid(Some("gfx/stone")), pyramid(None)],
        lods: vec![LodDef {
            n_mesh: 1,
            ld_sc: F8A::ONE,
            ..LodDef::default()
        }],
        bones: vec![
            bone(0),
            Bone {
                id_solid: 1,
                ..bone(0)
            },
            Bone {
                transform: pseudo,
                id_parent: 255,
                ..Bone::default()
            },
        ],
        animations: vec![Animation {
            n_frames: 3,
            tracks: vec![Track::default(), Track::from_keys([key]).unwrap()],
            ..Animation::default()
        }],
        ..Document::default()
    }
}

#[test]
fn the_example_breaks_no_rule() {
    let report = example().check();
    assert!(report.findings().is_empty(), "{report:?}");
}

/// Violates each rule about content, and expects the finding at its location in the file.
#[test]
fn findings_have_the_location_of_the_violation() {
    type BreakDocument = fn(&mut Document);
    let cases: &[(&str, &str, BreakDocument)] = &[
        ("BMD-RESERVED", "header.resv2", |d| d.reserved[1] = 7),
        ("BMD-RESERVED", "meshes[1].resv3", |d| d.meshes[1].resv3 = 7),
        ("BMD-RESERVED", "meshes[0].flags", |d| {
            d.meshes[0].flags.set_reserved(1)
        }),
        ("BMD-RESERVED", "lods[0].resv1", |d| d.lods[0].resv1 = 7),
        ("BMD-RESERVED", "bones[1].resv2", |d| d.bones[1].resv2 = 7),
        ("BMD-RESERVED", "bones[0].xform", |d| {
            d.bones[0].transform =
                Transform::Bone(BoneTransform::new().with_origin(Triple::from(1)));
        }),
        ("BMD-RESERVED", "animations[0].resv1", |d| {
            d.animations[0].resv1 = 7
        }),
        ("BMD-FLAGS", "meshes[0].vertices[0].textured_64", |d| {
            d.meshes[0].flags.set_vertex_subtype(2)
        }),
        ("BMD-FLAGS", "meshes[0].faces[0].triangle_32", |d| {
            d.meshes[0].flags.set_triangles_type(3)
        }),
        (
            "BMD-VERTEX-BONE",
            "meshes[0].vertices[4].textured_64",
            |d| {
                let vertex = TexturedVertex64::new().with_bone(3);
                d.meshes[0]
                    .vertices
                    .push(PackedVertex::Textured64(vertex))
                    .unwrap();
            },
        ),
        (
            "BMD-VERTEX-UNDEFINED",
            "meshes[0].vertices[4].scaled_96",
            |d| {
                let vertex = ScaledVertex96::new().with_tag(0xf3);
                d.meshes[0]
                    .vertices
                    .push(PackedVertex::Scaled96(vertex))
                    .unwrap();
                d.meshes[0].flags.set_vertex_subtype(1);
            },
        ),
        ("BMD-VERTEX-TAG", "meshes[0].vertices[4].vertex_128", |d| {
            d.meshes[0]
                .vertices
                .push(PackedVertex::Vertex128(Vertex128::new().with_tag(0xfe)))
                .unwrap();
            d.meshes[0].flags.set_vertex_subtype(1);
        }),
        ("BMD-NON-FINITE", "meshes[0].vertices[4].vertex_128", |d| {
            let vertex = Vertex128::new().with_tag(0xfd).with_org_y(0x7c00);
            d.meshes[0]
                .vertices
                .push(PackedVertex::Vertex128(vertex))
                .unwrap();
            d.meshes[0].flags.set_vertex_subtype(1);
        }),
        ("BMD-INDEX-RANGE", "meshes[1].faces[4].quad_64.v3", |d| {
            let quad = Quad64::new().with_tag(3).with_v3(4);
            d.meshes[1].faces.push(PackedFace::Quad64(quad)).unwrap();
            d.meshes[1].flags.set_triangles_type(1);
            d.bones[1].id_solid = 0;
        }),
        ("BMD-TAG2", "meshes[0].faces[4].triangle_64.tag2", |d| {
            let triangle = Triangle64::new().with_tag(2).with_tag2(1);
            d.meshes[0]
                .faces
                .push(PackedFace::Triangle64(triangle))
                .unwrap();
            d.meshes[0].flags.set_triangles_type(1);
        }),
        ("BMD-TRIANGLE-COUNT", "meshes[0].n_tris", |d| {
            d.meshes[0].n_tris = Some(5)
        }),
        ("BMD-LOD-RANGE", "lods[0].n_mesh", |d| d.lods[0].n_mesh = 3),
        ("BMD-LOD-DRAWABLE", "lods[0].id_mesh", |d| {
            d.lods[0].n_mesh = 2
        }),
        ("BMD-PARENT", "bones[1].id_parent", |d| {
            d.bones[1].id_parent = 1
        }),
        ("BMD-PARENT", "bones[0].id_parent", |d| {
            d.bones[0].id_parent = 1
        }),
        ("BMD-PSEUDO-BONES", "bones[2].pseudo.bone_3", |d| {
            d.bones[2].transform = Transform::Pseudo(PseudoTransform::from_bytes([
                0, 1, 1, 2, 0x60, 0x60, 0x60, 0x60,
            ]));
        }),
        ("BMD-PSEUDO-BONES", "bones[2].pseudo.bone_1", |d| {
            d.bones[2].transform = Transform::Pseudo(PseudoTransform::from_bytes([
                0, 2, 9, 9, 0x60, 0x60, 0, 0x80,
            ]));
        }),
        ("BMD-PSEUDO-BONES", "bones[2].pseudo.bone_3", |d| {
            d.bones[2].transform = Transform::Pseudo(PseudoTransform::from_bytes([
                0, 1, 1, 2, 0x60, 0x60, 0x60, 0x60,
            ]));
        }),
        ("BMD-SOLID-RANGE", "bones[1].id_solid", |d| {
            d.bones[1].id_solid = 2
        }),
        ("BMD-SOLID-BONE", "bones[1].id_solid", |d| {
            let vertex = TexturedVertex64::new().with_bone(1);
            d.meshes[1]
                .vertices
                .push(PackedVertex::Textured64(vertex))
                .unwrap();
        }),
        ("BMD-KEY-RANGE", "animations[0].frames[1]", |d| {
            d.animations[0].n_frames = 2
        }),
        ("BMD-FRAMES-TRAILING", "animations[0].sz_frames", |d| {
            d.animations[0].trailing = vec![1]
        }),
        ("BMD-NO-FRAMES", "animations[0].sz_frames", |d| {
            d.animations[0].n_frames = 0;
            d.animations[0].tracks[1] = Track::default();
        }),
    ];
    for (code, path, break_it) in cases {
        let mut document = example();
        break_it(&mut document);
        let bytes = document.write(&WriteOptions::lenient()).expect(code);
        assert_eq!(
            Document::read(&bytes, &ReadOptions::lenient()).expect(code),
            document,
            "{code}"
        );
        let report =
            meshspec::check(&bytes, meshspec::bmd::FORMAT, &ReadOptions::default()).unwrap();
        let finding = &report.findings()[0];
        assert!(
            report
                .findings()
                .iter()
                .all(|other| other.rule.code == *code),
            "{code}: {report:?}"
        );
        assert!(
            finding.path.to_string().starts_with(path),
            "{code}: {}",
            finding.path
        );
        assert!(
            finding
                .span
                .as_ref()
                .is_some_and(|span| !span.range().is_empty()),
            "{code}: no location"
        );
        let strict = Document::read(&bytes, &ReadOptions::default());
        assert_eq!(
            strict.is_ok(),
            finding.rule.severity == Severity::Warning,
            "{code}"
        );
    }
}

/// Strict and lenient reading reject offsets, sizes and strings that make an image undecodable, with location and rule.
#[test]
fn structural_faults_are_fatal_with_location() {
    let mut named = example();
    named.bones[1].name = Some(Text::from("arm"));
    let bytes = named.write(&WriteOptions::default()).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (meshes, bones, animations) = (
        word(0x10) as usize,
        word(0x20) as usize,
        word(0x28) as usize,
    );
    let frames = word(animations + 8);
    let size = bytes.len() as u32;
    let cases: &[(&str, &str, usize, u32)] = &[
        ("BMD-MAGIC", "header", 0, 0),
        ("BMD-ALIGNMENT", "header.ofs_meshes", 0x10, 50),
        ("BMD-ALIGNMENT", "header.ofs_lods", 0x18, 50),
        ("BMD-ALIGNMENT", "header.ofs_bones", 0x20, 50),
        ("BMD-ALIGNMENT", "header.ofs_anims", 0x28, 50),
        ("BMD-ALIGNMENT", "meshes[0].ofs_vtx", meshes, 50),
        ("BMD-ALIGNMENT", "meshes[1].ofs_tris", meshes + 36, 50),
        ("BMD-LIST", "header.sz_meshes", 0x10, 44),
        ("BMD-LIST", "header.sz_lods", 0x18, 0),
        ("BMD-LIST", "header.sz_bones", 0x20, 16),
        ("BMD-LIST", "header.sz_anims", 0x28, 44),
        ("BMD-LIST", "header.sz_lods", 0x1c, 3),
        ("BMD-LIST", "header.sz_bones", 0x24, 8),
        ("BMD-LIST", "header.sz_bones", 0x24, 256 * 16),
        ("BMD-LIST", "header.sz_anims", 0x2c, 24),
        ("BMD-LIST", "meshes[0].sz_vtx", meshes, 40),
        ("BMD-LIST", "meshes[0].sz_tris", meshes + 4, 0),
        ("BMD-LIST", "meshes[0].ofs_mat", meshes + 8, 4),
        ("BMD-LIST", "bones[1].ofs_name", bones + 16 + 8, 47),
        ("BMD-LIST", "animations[0].ofs_name", animations, 1),
        ("BMD-LIST", "animations[0].sz_frames", animations + 8, 47),
        ("BMD-TRUNCATED", "meshes", 0x10, 0xffff_fffc),
        ("BMD-TRUNCATED", "meshes[0].vertices", meshes, size & !3),
        (
            "BMD-TRUNCATED",
            "meshes[0].vertices",
            meshes + 16,
            0x7fff_fff8,
        ),
        (
            "BMD-TRUNCATED",
            "meshes[0].vertices[4].first",
            meshes + 16,
            36,
        ),
        (
            "BMD-TRUNCATED",
            "meshes[0].faces[0].triangle_32",
            meshes + 20,
            3,
        ),
        ("BMD-TRUNCATED", "meshes[0].faces", meshes + 20, 0xffff_fffc),
        ("BMD-TRUNCATED", "bones[1].name", bones + 16 + 8, size + 9),
        ("BMD-STRING", "bones[1].name", bones + 16 + 8, size),
        ("BMD-STRING", "animations[0].name", animations, size),
        (
            "BMD-TRUNCATED",
            "animations[0].frames",
            animations + 8,
            size,
        ),
        (
            "BMD-VERTEX-COUNT",
            "meshes[0].n_vtx",
            meshes + 12,
            3 | 4 << 16,
        ),
        ("BMD-VERTEX-COUNT", "meshes[0].n_vtx", meshes + 16, 24),
        ("BMD-FRAMES", "animations[0].sz_frames", animations + 12, 6),
        ("BMD-FRAMES", "animations[0].sz_frames", animations + 12, 3),
        (
            "BMD-FRAMES",
            "animations[0].sz_frames",
            animations + 8,
            frames + 1,
        ),
    ];
    for (code, path, at, value) in cases {
        let mut bytes = bytes.clone();
        // Neither the keys nor the file has an end tag.
        bytes.push(0xff);
        bytes[*at..at + 4].copy_from_slice(&value.to_le_bytes());
        for options in [ReadOptions::default(), ReadOptions::lenient()] {
            let error = Document::read(&bytes, &options).expect_err(code);
            let rule = error.rule().expect(code);
            assert_eq!(
                (rule.code, rule.severity),
                (*code, Severity::Fatal),
                "{path}: {error}"
            );
            assert!(
                error.path().to_string().starts_with(path) && error.span().is_some(),
                "{code} at {path}: {error}"
            );
        }
    }
}

#[test]
fn normal_bones_come_first() {
    let mut document = example();
    document.bones.push(Bone::default());
    let report = document.check();
    assert_eq!(
        (
            report.findings()[0].rule.code,
            report.count_of("BMD-PSEUDO-ORDER")
        ),
        ("BMD-PSEUDO-ORDER", 1)
    );
}

#[test]
fn invalid_solids_in_extras_are_listed() {
    let joint = |solid: serde_json::Value| {
        let extras = [("bmd_solid".to_owned(), solid)].into_iter().collect();
        scene::Joint {
            extras,
            ..scene::Joint::default()
        }
    };
    let joints = vec![joint(3.into()), joint(259.into()), joint("3".into())];
    let scene = scene::Scene {
        skeleton: scene::Skeleton { joints },
        ..scene::Scene::default()
    };
    let (document, losses) = Document::from_scene(scene, &Default::default()).unwrap();
    let solids: Vec<_> = document
        .bones
        .iter()
        .map(|bone| bone.id_solid)
        .filter(|solid| *solid > 0)
        .collect();
    assert_eq!(solids, [3]);
    let losses = losses
        .iter()
        .map(ToString::to_string)
        .filter(|loss| loss.contains("solid"));
    assert_eq!(
        losses.collect::<Vec<_>>(),
        [
            "dropped: skeleton.joints[1].extras: invalid mesh index of a solid: 259",
            "dropped: skeleton.joints[2].extras: invalid mesh index of a solid: \"3\"",
        ]
    );
}

#[test]
fn solids_are_closed() {
    let messages = |mesh: Mesh| {
        let mut document = example();
        document.meshes[1] = mesh;
        let report = document.check();
        let findings = report
            .findings()
            .iter()
            .filter(|f| f.rule.code == "BMD-SOLID-CLOSED");
        findings
            .map(|f| (f.path.clone(), f.message.clone()))
            .collect::<Vec<_>>()
    };
    let with_faces = |corners: &[[u32; 3]]| {
        let mut mesh = pyramid(None);
        mesh.faces = Faces::default();
        for corners in corners {
            mesh.faces
                .push(PackedFace::smallest(Face::Triangle(*corners)).unwrap())
                .unwrap();
        }
        mesh
    };
    assert_eq!(messages(pyramid(None)), []);
    // Without its bottom, each edge of the bottom belongs to one face.
    let open = messages(with_faces(&[[0, 2, 1], [0, 1, 3], [0, 3, 2]]));
    assert_eq!(open.len(), 3);
    assert!(
        open.iter()
            .all(|(path, message)| path == "meshes[1].faces" && message.contains("1 faces"))
    );
    // The bottom face is flipped.
    let turned = messages(with_faces(&[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2]]));
    assert!(
        turned.len() == 3
            && turned
                .iter()
                .all(|(_, message)| message.contains("same direction"))
    );
    assert_eq!(messages(with_faces(&[])).len(), 1);
}

#[test]
fn unreadable_images_cannot_be_written() {
    let rejected = |change: fn(&mut Document)| {
        let mut document = example();
        change(&mut document);
        let error = document.write(&WriteOptions::lenient()).unwrap_err();
        assert_eq!(
            (error.kind(), error.format()),
            (ErrorKind::Inexpressible, Some("bmd"))
        );
        error.path().to_string()
    };
    assert_eq!(rejected(|d| d.bones = vec![Bone::default(); 256]), "bones");
    assert_eq!(
        rejected(|d| d.bones[1].id_parent = 255),
        "bones[1].id_parent"
    );
    assert_eq!(rejected(|d| d.bones[2].id_parent = 0), "bones[2].id_parent");
    assert_eq!(
        rejected(|d| drop(d.animations[0].tracks.pop())),
        "animations[0].tracks"
    );
    assert_eq!(
        rejected(|d| d.animations[0].trailing = vec![0, 0x80]),
        "animations[0].trailing"
    );
    assert_eq!(
        rejected(|d| d.meshes[1].material = Some(Text::from("a\0b"))),
        "meshes[1].material"
    );
    assert_eq!(
        rejected(|d| d.bones[0].name = Some(Text::from("\0"))),
        "bones[0].name"
    );
    assert_eq!(
        rejected(|d| d.meshes[0].vertices =
            Vertices::from_words(vec![0; 2 * 65536], Surface::Textured).unwrap()),
        "meshes[0].vertices"
    );
    assert_eq!(
        rejected(|d| d.meshes[0].faces = Faces::from_words(vec![0; 65536]).unwrap()),
        "meshes[0].faces"
    );
}

/// Returns a grid of vertices with one quad per cell.
fn grid(columns: u32, rows: u32) -> Mesh {
    let mut vertices = Vertices::default();
    for word in 0..columns * rows {
        let vertex = TexturedVertex64::new().with_position(Triple::from(word));
        vertices.push(PackedVertex::Textured64(vertex)).unwrap();
    }
    let mut faces = Faces::default();
    for corner in (0..(rows - 1) * columns).filter(|corner| corner % columns < columns - 1) {
        let quad = Face::Quad([corner, corner + 1, corner + columns + 1, corner + columns]);
        faces.push(PackedFace::smallest(quad).unwrap()).unwrap();
    }
    Mesh::new(Some(Text::from("gfx/grid")), vertices, faces)
}

#[test]
fn large_meshes_are_split_on_request() {
    const SMALL: PieceLimits = PieceLimits {
        vertices: 1023,
        triangles: 65_535,
    };
    let large = grid(50, 60);
    // A quad counts as one in meshes of more than 1,024 vertices, otherwise as two (B12).
    assert_eq!(
        (large.triangle_count(), grid(10, 10).triangle_count()),
        (49 * 59, 2 * 81)
    );
    let corners = |meshes: &[Mesh]| -> Vec<[f32; 3]> {
        let corners = meshes.iter().flat_map(|mesh| {
            let vertices: Vec<_> = mesh.vertices.iter().collect();
            let faces: Vec<_> = mesh.faces.iter().collect();
            faces.into_iter().flat_map(move |face| {
                face.vertices()
                    .iter()
                    .map(|v| vertices[*v as usize].position)
                    .collect::<Vec<_>>()
            })
        });
        corners.collect()
    };
    let mut document = example();
    document.meshes.insert(0, large.clone());
    document.meshes.push(large.clone());
    document.bones[1].id_solid = 2;
    document.lods = [(0, 2), (1, 1), (0, 0), (3, 1)]
        .map(|(id_mesh, n_mesh)| LodDef {
            id_mesh,
            n_mesh,
            ..LodDef::default()
        })
        .into();
    let before = document.clone();
    assert_eq!(
        split_meshes(&mut document, SMALL)
            .unwrap()
            .iter()
            .filter(|pieces| **pieces > 1)
            .count(),
        2
    );
    assert!(
        document
            .meshes
            .iter()
            .all(|mesh| mesh.vertices.len() < 1024)
    );
    assert!(document.meshes.len() > before.meshes.len());
    assert_eq!(document.check().errors(), 0, "{:?}", document.check());
    for (lod, old) in document.lods.iter().zip(&before.lods) {
        assert_eq!(
            corners(document.meshes_of(*lod).unwrap()),
            corners(before.meshes_of(*old).unwrap())
        );
    }
    assert_eq!(
        document.meshes[usize::from(document.bones[1].id_solid)],
        before.meshes[2]
    );
    // The index of a missing mesh stays past the end.
    let mut missing = before.clone();
    missing.bones[1].id_solid = missing.meshes.len() as u8 + 1;
    missing.lods.truncate(0);
    split_meshes(&mut missing, SMALL).unwrap();
    assert!(usize::from(missing.bones[1].id_solid) >= missing.meshes.len());
    missing.bones[1].id_solid = 255;
    split_meshes(&mut missing, SMALL).unwrap();
    // Writing does not split meshes.
    let bytes = before.write(&WriteOptions::default()).unwrap();
    assert_eq!(
        Document::read(&bytes, &ReadOptions::default()).unwrap(),
        before
    );
    // If a mesh index does not fit, the document remains unchanged.
    let mut full = Document {
        meshes: vec![large; 120],
        ..Document::default()
    };
    full.lods = vec![LodDef {
        id_mesh: 100,
        n_mesh: 20,
        ..LodDef::default()
    }];
    let whole = full.clone();
    assert_eq!(
        split_meshes(&mut full, SMALL).unwrap_err().path(),
        "lods[0].id_mesh"
    );
    assert!(full == whole);
}

/// Returns an image whose meshes share the same `size` bytes of vertices, at offset 48.
fn image_with_shared_vertices(meshes: u32, size: u32) -> Vec<u8> {
    let mut words = vec![
        0x3144_4d42,
        0,
        0,
        0,
        48 + size,
        32 * meshes,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    words.resize(12 + size as usize / 4, 0);
    for _ in 0..meshes {
        words.extend([48, 48, 0, size / 8, size, 0, 0, 0]);
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn sharing_of_list_bytes_is_limited() {
    let few = Document::read(
        &image_with_shared_vertices(16, 8000),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(
        (few.meshes.len(), few.meshes[15].vertices.len()),
        (16, 1000)
    );
    let error = Document::read(
        &image_with_shared_vertices(500, 80_000),
        &ReadOptions::default(),
    )
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::Fixed));
    assert!(
        error.path().to_string().ends_with(".vertices") && error.span().is_some(),
        "{error}"
    );
}

/// Truncates the lists of a mesh with one 64-bit triangle, and reads them by the declaration, without the codec.
#[test]
fn the_declaration_rejects_truncated_items() {
    let words: [u32; 16] = [
        32,
        48,
        56,
        9 << 16,
        16,
        8,
        0,
        0,
        0,
        0,
        0,
        0,
        0b10,
        0,
        0x6666_6623,
        0x0066_6666,
    ];
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let read = |bytes: &[u8]| Mesh::read(&mut Cursor::new(bytes));
    // Offsets are relative to a header that this test omits.
    for place in [0, 4, 8] {
        bytes[place] += 16;
    }
    bytes.splice(32..32, [0; 16]);
    let mesh = read(&bytes).unwrap();
    assert_eq!((mesh.vertices.len(), mesh.faces.len()), (2, 1));
    assert_eq!(
        (mesh.vertices.surface(), mesh.surface()),
        (Some(Surface::Flat), Surface::Flat)
    );
    assert_eq!(mesh.faces.triangles(), [[0; 3]]);
    // Half a face.
    bytes[20] = 4;
    assert!(read(&bytes).is_err());
}

#[test]
fn flags_allow_sizes_and_forms() {
    let triangle = PackedFace::Triangle32(Triangle32::new());
    let allowed: Vec<_> = (0..4)
        .map(|bits| {
            ControlFlags::new()
                .with_triangles_type(bits)
                .allows(triangle)
        })
        .collect();
    assert_eq!(allowed, [true, true, false, false]);
    let sizes: Vec<_> = (0..4)
        .map(|bits| ControlFlags::new().with_vertex_subtype(bits).vertex_sizes())
        .collect();
    assert_eq!(sizes, [&[64][..], &[64, 96, 128], &[128], &[96]]);
}
