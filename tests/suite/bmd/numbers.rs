//! BMD numbers: compares bulk decoding with the declared words, and encoding with its error bounds.

use crate::common::config;
use half::f16;
use meshspec::bmd::schema::{FineSt, Form, ScaledSt, TexturedVertex64, Vertex128, WideSt};
use meshspec::bmd::{
    Attributes, Document, F8A, Face, FaceCounts, Faces, Mesh, PackedFace, PackedVertex, Rotation,
    Surface, Tolerance, Triple, Vertex, VertexErrors, VertexSize, VertexSizes, Vertices,
    nearest_shade, shade_color,
};
use meshspec::layout::declaration::{BitField, Declaration, Shape, Type};
use meshspec::layout::decoding::DecodedValue;
use meshspec::layout::expr::Value;
use meshspec::{ErrorKind, Format};
use proptest::prelude::*;

/// A pseudo-random number generator.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a pseudo-random number from −1 to 1.
    fn next_unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A packed item and its declaration, to read its bit fields.
struct PackedItem {
    word: u128,
    fields: &'static [BitField],
}

impl PackedItem {
    fn of<F: Form>(item: F) -> PackedItem {
        let word = item
            .words()
            .iter()
            .rev()
            .fold(0, |word, part| word << 32 | u128::from(*part));
        match F::FORMS[item.form_index()].ty {
            Type::Declared(Declaration {
                shape: Shape::Bits { fields, .. },
                ..
            }) => PackedItem { word, fields },
            other => panic!("{other:?} is no packed word"),
        }
    }

    fn field(&self, name: &str) -> Option<(&'static BitField, Value)> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        Some((field, field.value(self.word)))
    }

    fn int(&self, name: &str) -> Option<u32> {
        match self.field(name)?.1 {
            Value::Int(number) => Some(number.try_into().unwrap()),
            other => panic!("{name}: {other:?}"),
        }
    }

    /// Returns the decoded numbers of a field; `None` if the item has no such field.
    fn decoded<const N: usize>(&self, name: &str) -> Option<[f32; N]> {
        let (field, value) = self.field(name)?;
        let numbers = match field.decoding.apply(&value).0.unwrap() {
            DecodedValue::Number(number) => vec![number],
            DecodedValue::List(numbers) => numbers,
        };
        let float = |number: &Value| {
            if let Value::F32(x) = number {
                *x
            } else {
                panic!("{number:?}")
            }
        };
        Some(
            numbers
                .iter()
                .map(float)
                .collect::<Vec<_>>()
                .try_into()
                .unwrap(),
        )
    }
}

/// Decodes a vertex according to its declaration.
fn decode_by_declaration(vertex: PackedVertex) -> Vertex {
    let fields = PackedItem::of(vertex);
    let position = fields.decoded("position").unwrap_or_else(|| {
        ["org_x", "org_y", "org_z"].map(|name| {
            let [coordinate] = fields.decoded(name).unwrap();
            coordinate
        })
    });
    // The last byte of 96-bit forms (B10).
    let (color, bone) = match (fields.int("color_or_bone"), fields.int("tag")) {
        (Some(color), Some(0xf8 | 0xf9)) => (Some(color), 0),
        (Some(bone), Some(0xfa | 0xfb)) => (None, bone),
        _ => (fields.int("color"), fields.int("bone").unwrap_or(0)),
    };
    Vertex {
        position,
        st: fields.decoded("st").unwrap_or_default(),
        normal: fields
            .decoded("normal")
            .unwrap_or_else(|| direction(position)),
        color: color.map(|color| color as u8),
        bone: bone as u8,
    }
}

fn direction(position: [f32; 3]) -> [f32; 3] {
    let wide = position.map(f64::from);
    let square = wide[0] * wide[0] + wide[1] * wide[1] + wide[2] * wide[2];
    let scale = if square == 0.0 {
        0.0
    } else {
        1.0 / square.sqrt()
    };
    wide.map(|x| (x * scale) as f32)
}

#[test]
fn every_binary16_code() {
    for code in 0..=u16::MAX {
        let vertex = PackedVertex::Vertex128(Vertex128::new().with_tag(0xfd).with_org_x(code));
        let [x, ..] = vertex.value().position;
        assert_eq!(
            x.to_bits(),
            f16::from_bits(code).to_f32().to_bits(),
            "{code:#x}"
        );
    }
}

/// Decodes a face according to its declaration.
fn decode_face_by_declaration(face: PackedFace) -> Face {
    let fields = PackedItem::of(face);
    let corners: Vec<_> = ["v0", "v1", "v2", "v3"]
        .iter()
        .filter_map(|name| fields.int(name))
        .collect();
    match *corners {
        [a, b, c] => Face::Triangle([a, b, c]),
        [a, b, c, d] => Face::Quad([a, b, c, d]),
        _ => panic!("{corners:?}"),
    }
}

/// Asserts that columns, iterator and single vertices match the declaration bit for bit.
fn assert_columns(vertices: &Vertices) {
    let columns = vertices.columns();
    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let lengths = [
        columns.positions.len(),
        columns.st.len(),
        columns.normals.len(),
        columns.colors.len(),
    ];
    assert_eq!(
        (lengths, columns.bones.len()),
        ([vertices.len(); 4], vertices.len())
    );
    for (index, (packed, by_iter)) in vertices.packed_items().zip(vertices.iter()).enumerate() {
        let vertex = decode_by_declaration(packed);
        // Compares text, because NaN does not equal itself.
        assert_eq!(format!("{by_iter:?}"), format!("{vertex:?}"), "{packed:?}");
        assert_eq!(
            format!("{:?}", packed.value()),
            format!("{vertex:?}"),
            "{packed:?}"
        );
        assert_eq!(
            bits(&columns.positions[index]),
            bits(&vertex.position),
            "{packed:?}"
        );
        assert_eq!(bits(&columns.st[index]), bits(&vertex.st), "{packed:?}");
        assert_eq!(
            bits(&columns.normals[index]),
            bits(&vertex.normal),
            "{packed:?}"
        );
        let [red, green, blue] = vertex.color.map_or([255; 3], shade_color);
        assert_eq!(columns.colors[index], [red, green, blue, 255], "{packed:?}");
        assert_eq!(columns.bones[index], vertex.bone, "{packed:?}");
    }
}

/// Returns vertices with this tag, whose words have a single bit set, none, all, or random bits.
fn vertices_of(tag: u8, repeat: usize, surface: Surface) -> Vertices {
    let size = match tag {
        0..0xf0 => 2,
        0xf0..0xfc => 3,
        0xfc.. => 4,
    };
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut words = Vec::new();
    for bit in 0..128 + repeat {
        let word = match bit {
            0..128 => 1 << bit,
            128 => 0,
            129 => u128::MAX,
            _ => u128::from(noise.next()) << 64 | u128::from(noise.next()),
        };
        let mut vertex = [word, word >> 32, word >> 64, word >> 96].map(|word| word as u32);
        vertex[1] = vertex[1] & 0x00ff_ffff | u32::from(tag) << 24;
        words.extend(&vertex[..size]);
    }
    Vertices::from_words(words, surface).unwrap()
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn bulk_decoding_agrees_with_the_getters() {
    for tag in 0..=255 {
        for surface in [Surface::Textured, Surface::Flat] {
            assert_columns(&vertices_of(tag, 1200, surface));
        }
    }
}

#[test]
fn bulk_decoding_agrees_for_every_binary16() {
    let words = (0..=u16::MAX).flat_map(|half| {
        [
            u32::from(half) << 16 | u32::from(!half),
            0xfd00_0000 | u32::from(half),
            0,
            0,
        ]
    });
    assert_columns(&Vertices::from_words(words.collect(), Surface::Flat).unwrap());
}

#[test]
fn directions_match_a_division() {
    for word in (0..1u32 << 27).step_by(61) {
        let triple = Triple::from(word | 0x7800_0000);
        let wide = triple.fractions().map(f64::from);
        let length = wide.iter().map(|x| x * x).sum::<f64>().sqrt();
        let vertex = TexturedVertex64::from_bytes([0; 8]).with_position(triple);
        let expected = if length == 0.0 {
            [0.0; 3]
        } else {
            wide.map(|x| (x / length) as f32)
        };
        assert_eq!(
            PackedVertex::Textured64(vertex).value().normal,
            expected,
            "{wide:?}"
        );
    }
}

#[test]
fn bulk_decoding_of_faces_agrees_with_the_getters() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for tag in 0..4u32 {
        let mut words = Vec::new();
        for bit in 0..2000 {
            let word = if bit < 64 { 1u64 << bit } else { noise.next() };
            words.push(word as u32 & !3 | tag);
            if tag >= 2 {
                words.push((word >> 32) as u32);
            }
        }
        assert_faces(&Faces::from_words(words).unwrap());
    }
}

fn assert_faces(faces: &Faces) {
    let expected: Vec<Face> = faces
        .packed_items()
        .map(decode_face_by_declaration)
        .collect();
    assert_eq!(faces.iter().collect::<Vec<_>>(), expected);
    assert_eq!(faces.to_vec(), expected);
    let triangles = expected.iter().flat_map(|face| match *face {
        Face::Triangle(triangle) => vec![triangle],
        Face::Quad([a, b, c, d]) => vec![[a, b, c], [a, c, d]],
    });
    assert_eq!(faces.triangles(), triangles.collect::<Vec<_>>());
    let quads = expected
        .iter()
        .filter(|face| matches!(face, Face::Quad(_)))
        .count();
    assert_eq!(
        faces.counts(),
        FaceCounts {
            triangles: expected.len() - quads,
            quads
        }
    );
}

/// Asserts that the rules report exactly one finding, with this code, in the item at `path`.
fn assert_only_fault(vertices: Vertices, faces: Faces, code: &str, path: &str) {
    let document = Document {
        meshes: vec![Mesh::new(None, vertices, faces)],
        ..Document::default()
    };
    let report = document.check();
    let [finding] = report.findings() else {
        panic!("{code} at {path}: {report:?}")
    };
    assert_eq!(finding.rule.code, code);
    assert!(
        finding.path.to_string().starts_with(&format!("{path}.")),
        "{} for {path}",
        finding.path
    );
}

proptest! {
    #![proptest_config(config(256, "bmd_numbers"))]

    #[test]
    fn mixed_lists_decode_like_the_getters(
        tags in prop::collection::vec((prop::sample::select(vec![0u8, 0xef, 0xf3, 0xf8, 0xfb, 0xfd, 0xfe]), 1..40usize), 0..60),
        flat in any::<bool>(),
        seed in 1u64..,
    ) {
        let mut noise = Noise(seed);
        let mut words = Vec::new();
        for (tag, count) in tags {
            for _ in 0..count {
                let size = if tag < 0xf0 { 2 } else if tag < 0xfc { 3 } else { 4 };
                let mut vertex = [0; 4].map(|_: u32| noise.next() as u32);
                vertex[1] = vertex[1] & 0x00ff_ffff | u32::from(tag) << 24;
                words.extend(&vertex[..size]);
            }
        }
        let surface = if flat { Surface::Flat } else { Surface::Textured };
        assert_columns(&Vertices::from_words(words, surface).unwrap());
    }

    #[test]
    fn the_only_faulty_vertex_is_found(
        runs in prop::collection::vec((prop::sample::select(vec![0u32, 0xf8, 0xfb, 0xfd]), 1..20usize), 1..20),
        (faulty, code) in prop::sample::select(vec![
            (vec![0, 1 << 24], "BMD-VERTEX-BONE"),
            (vec![0, 0xfb << 24, 1 << 24], "BMD-VERTEX-BONE"),
            (vec![0, 0xfd << 24, 0, 1 << 24], "BMD-VERTEX-BONE"),
            (vec![0, 0xf3 << 24, 0], "BMD-VERTEX-UNDEFINED"),
            (vec![0, 0xfe << 24, 0, 0], "BMD-VERTEX-TAG"),
            (vec![0x7c00_0000, 0xfd << 24, 0, 0], "BMD-NON-FINITE"),
        ]),
        place in any::<prop::sample::Index>(),
    ) {
        let vertex = |tag: u32| [vec![0, tag << 24], vec![0; if tag == 0 { 0 } else { tag as usize / 0xfc + 1 }]].concat();
        let mut items: Vec<_> = runs.iter().flat_map(|(tag, count)| vec![vertex(*tag); *count]).collect();
        let place = place.index(items.len());
        items[place] = faulty;
        let vertices = Vertices::from_words(items.concat(), Surface::Textured).unwrap();
        assert_only_fault(vertices, Faces::default(), code, &format!("meshes[0].vertices[{place}]"));
    }

    #[test]
    fn the_only_faulty_face_is_found(
        runs in prop::collection::vec((0..4u32, 1..20usize), 1..20),
        (faulty, code) in prop::sample::select(vec![
            (vec![64 << 22], "BMD-INDEX-RANGE"),
            (vec![1 | 64 << 23], "BMD-INDEX-RANGE"),
            (vec![2, 64 << 10], "BMD-INDEX-RANGE"),
            (vec![3, 64 << 15], "BMD-INDEX-RANGE"),
            (vec![1 | 1 << 30], "BMD-TAG2"),
            (vec![2, 1 << 30], "BMD-TAG2"),
            (vec![3, 1 << 31], "BMD-TAG2"),
        ]),
        place in any::<prop::sample::Index>(),
    ) {
        let face = |tag: u32| vec![tag, 0][..tag as usize / 2 + 1].to_vec();
        let mut items: Vec<_> = runs.iter().flat_map(|(tag, count)| vec![face(*tag); *count]).collect();
        let place = place.index(items.len());
        items[place] = faulty;
        let vertices = Vertices::from_words(vec![0; 2 * 64], Surface::Textured).unwrap();
        let faces = Faces::from_words(items.concat()).unwrap();
        assert_only_fault(vertices, faces, code, &format!("meshes[0].faces[{place}]"));
    }

    #[test]
    fn mixed_faces_decode_like_the_getters(runs in prop::collection::vec((0..4u32, 1..40usize), 0..60), seed in 1u64..) {
        let mut noise = Noise(seed);
        let mut words = Vec::new();
        for (tag, count) in runs {
            for _ in 0..count {
                words.push(noise.next() as u32 & !3 | tag);
                if tag >= 2 {
                    words.push(noise.next() as u32);
                }
            }
        }
        assert_faces(&Faces::from_words(words).unwrap());
    }
}

// Tests of encoding.

#[test]
fn every_f8a_value_is_encoded_as_itself() {
    for code in 0..=255 {
        let value = F8A::from(code).value();
        assert_eq!(F8A::nearest(value).value(), value, "{code:#x}");
    }
    assert_eq!(
        [f32::INFINITY, 2.0, f32::NAN, -f32::INFINITY].map(|x| F8A::nearest(x).code()),
        [0x7f, 0x7f, 0, 0xff]
    );
}

#[test]
fn f8a_codes_are_the_nearest() {
    let mut worst = 0f64;
    for step in -70_000..70_000 {
        let value = step as f32 / 32_768.0;
        let distance = |code: u8| (f64::from(F8A::from(code).value()) - f64::from(value)).abs();
        let best = (0..=255).map(distance).fold(f64::INFINITY, f64::min);
        let ours = distance(F8A::nearest(value).code());
        assert_eq!(ours, best, "{value}");
        if (0.5..1.0).contains(&value) {
            worst = worst.max(ours);
        }
    }
    // The author's encoder reaches 0.0308.
    assert!(worst <= 0.015_625, "{worst}");
}

/// A strategy for numbers of all magnitudes that triples can store, and some larger ones.
fn coordinates() -> impl Strategy<Value = f32> {
    let exponents = -30.0..17.5f32;
    prop_oneof![
        8 => (exponents, -1.0..1.0f32).prop_map(|(exponent, x)| exponent.exp2() * x),
        1 => Just(0.0),
        2 => (0..32u32, -512..512i32).prop_map(|(exponent, halves)| halves as f32 * 0.5 * (exponent as f32 - 22.0).exp2()),
    ]
}

/// Returns the largest encoding error of a triple with this exponent; `None` if a component is out of range.
fn error_with(values: [f32; 3], exponent: u32) -> Option<f64> {
    let unit = 2f64.powi(exponent as i32 - 22);
    values.iter().try_fold(0.0, |most: f64, x| {
        let fraction = (f64::from(*x) / unit).round_ties_even();
        (-256.0..=255.0)
            .contains(&fraction)
            .then(|| most.max((fraction * unit - f64::from(*x)).abs()))
    })
}

proptest! {
    #![proptest_config(config(5000, "bmd_numbers"))]

    #[test]
    fn the_exponent_is_optimal(values in prop::array::uniform3(coordinates())) {
        let best = (0..32).filter_map(|exponent| error_with(values, exponent)).min_by(f64::total_cmp);
        let found = Triple::nearest(values);
        prop_assert_eq!(found.is_some(), best.is_some());
        if let (Some(triple), Some(best)) = (found, best) {
            let off = triple.value().into_iter().zip(values).map(|(a, b)| f64::from((a - b).abs()));
            let error = off.fold(0.0, f64::max);
            prop_assert_eq!(error as f32, best as f32);
            // The author's encoder has errors of up to a whole step.
            prop_assert!(error <= 0.5 * 2f64.powi(i32::from(triple.exponent()) - 22));
        }
    }

    #[test]
    fn texture_coordinates_have_errors_of_half_a_step(s in -100.0..100f32, t in -100.0..100f32, scale in 0..8i32) {
        let st = [s, t].map(|x| x * 2f32.powi(-scale));
        let off = |found: [f32; 2]| found.iter().zip(st).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        if let Some(found) = FineSt::nearest(st) {
            prop_assert!(off(found.value()) <= 0.5 / 2048.0 * 1.0001);
        }
        match ScaledSt::nearest(st) {
            Some(found) => {
                prop_assert!(off(found.value()) <= 0.5 / 1024.0 * 4f32.powi(found.exponent().into()) * 1.0001);
                let fits = |e: i32| st.iter().all(|x| (-0.5..=2047.0 / 1024.0 - 0.5).contains(&(x / 4f32.powi(e))));
                prop_assert!((0..i32::from(found.exponent())).all(|e| !fits(e)));
            }
            None => prop_assert!(st.iter().any(|x| !(-32.0..95.9).contains(x))),
        }
        let found = WideSt::nearest(st).unwrap();
        prop_assert!(off(found.value()) <= 0.5 / 4096.0 * 2f32.powi(found.exponent().into()) * 1.0001);
        let fits = |e: i32| st.iter().all(|x| (-2.0..=16383.0 / 4096.0 - 2.0).contains(&(x / 2f32.powi(e))));
        prop_assert!((0..i32::from(found.exponent())).all(|e| !fits(e)));
    }
}

#[test]
fn every_triple_is_encoded_as_itself() {
    for exponent in 0..32u32 {
        for fraction in 0..512u32 {
            for axis in 0..3 {
                let value = Triple::from(exponent << 27 | fraction << (9 * axis)).value();
                assert_eq!(Triple::nearest(value).map(Triple::value), Some(value));
            }
        }
    }
    let values = [[0.1, 200.0, -3.0], [0.0; 3]];
    let singly: Vec<_> = values
        .iter()
        .map(|values| Triple::nearest(*values).unwrap())
        .collect();
    assert_eq!(Triple::nearest_all(&values).unwrap(), singly);
    for wrong in [f32::NAN, f32::INFINITY, 130_817.0, -131_329.0] {
        for axis in 0..3 {
            let mut values = vec![[0.0; 3], [1.0; 3]];
            values[1][axis] = wrong;
            let error = Triple::nearest_all(&values).unwrap_err();
            assert_eq!(
                (error.kind(), &*error.path().to_string()),
                (ErrorKind::Inexpressible, "[1]"),
                "{wrong}"
            );
        }
    }
}

#[test]
fn every_texture_coordinate_is_encoded_as_itself() {
    for exponent in 0..4 {
        for fraction in 0..2048 {
            let st = ScaledSt::new()
                .with_frac_s(fraction)
                .with_frac_t(2047 - fraction)
                .with_exponent(exponent);
            assert_eq!(ScaledSt::nearest(st.value()).unwrap().value(), st.value());
        }
    }
    for fraction in 0..4096 {
        let st = FineSt::new()
            .with_frac_s(fraction)
            .with_frac_t(4095 - fraction);
        assert_eq!(FineSt::nearest(st.value()), Some(st));
    }
    for exponent in 0..16 {
        for fraction in 0..16384 {
            let st = WideSt::new()
                .with_frac_s(fraction)
                .with_frac_t(16383 - fraction)
                .with_exponent(exponent);
            assert_eq!(WideSt::nearest(st.value()).unwrap().value(), st.value());
        }
    }
    assert_eq!(ScaledSt::nearest([f32::NAN, 0.0]), None);
    assert_eq!(WideSt::nearest([0.0, 70_000.0]), None);
}

#[test]
fn rotation_errors_are_bounded() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let (mut worst, mut sum) = (0f64, 0.0);
    const COUNT: usize = 100_000;
    for _ in 0..COUNT {
        let quaternion = loop {
            let q = [0; 4].map(|_| noise.next_unit());
            let square = q.iter().map(|x| x * x).sum::<f64>();
            if (0.01..1.0).contains(&square) {
                break q.map(|x| (x / square.sqrt()) as f32);
            }
        };
        let rotation = Rotation::nearest(quaternion).unwrap();
        let error = rotation.angle_to(quaternion);
        let plain = Rotation::from_bytes(quaternion.map(|x| F8A::nearest(x).code()));
        assert!(error <= plain.angle_to(quaternion) + 1e-6, "{quaternion:?}");
        worst = worst.max(error);
        sum += error;
    }
    let mean = sum / COUNT as f64;
    // The author's encoder reaches 3.20° and 0.988°.
    eprintln!("rotations: {worst}° worst, {mean}° mean");
    assert!(
        worst <= 2.0 && mean <= 0.571,
        "{worst}° worst, {mean}° mean"
    );
    assert_eq!(
        Rotation::nearest([0.0, 0.0, 0.0, 7.5]),
        Some(Rotation::IDENTITY)
    );
    assert_eq!(Rotation::nearest([0.0; 4]), None);
    assert_eq!(Rotation::nearest([f32::NAN, 0.0, 0.0, 1.0]), None);
}

#[test]
fn every_shade_color_is_encoded_as_that_shade() {
    for code in 0..=255 {
        assert_eq!(
            shade_color(nearest_shade(shade_color(code))),
            shade_color(code)
        );
    }
}

// Tests of the choice of vertex forms.

fn encode(
    attributes: &Attributes,
    sizes: VertexSizes,
) -> meshspec::Result<(Vertices, VertexErrors)> {
    Vertices::encode(attributes, Surface::Textured, sizes, &Tolerance::default())
}

fn sizes_of(vertices: &Vertices) -> Vec<u32> {
    vertices.packed_items().map(PackedVertex::bits).collect()
}

/// Returns two vertices after `add` has changed their attributes.
fn two_vertices(add: impl FnOnce(&mut Attributes)) -> Attributes {
    let positions = vec![[0.25, 0.0, -3.0], [1.0, 0.4, 0.0]];
    let mut attributes = Attributes {
        positions,
        st: Some(vec![[0.0, 0.5], [1.0, 0.25]]),
        ..Attributes::default()
    };
    add(&mut attributes);
    attributes
}

#[test]
fn each_mesh_uses_the_smallest_size_that_fits() {
    let size =
        |attributes: &Attributes| sizes_of(&encode(attributes, VertexSizes::PerMesh).unwrap().0);
    assert_eq!(size(&two_vertices(|_| {})), [64, 64]);
    assert_eq!(
        size(&two_vertices(|a| a.bones = Some(vec![3, 239]))),
        [64, 64]
    );
    assert_eq!(
        size(&two_vertices(|a| a.bones = Some(vec![3, 240]))),
        [96, 96]
    );
    // First normals in the direction of the positions, which the form without a normal implies; then other normals.
    assert_eq!(
        size(&two_vertices(|a| a.normals = Some(a.positions.clone()))),
        [64, 64]
    );
    assert_eq!(
        size(&two_vertices(
            |a| a.normals = Some(vec![[0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        )),
        [96, 96]
    );
    assert_eq!(
        size(&two_vertices(|a| a.colors = Some(vec![[255; 3], [255; 3]]))),
        [64, 64]
    );
    assert_eq!(
        size(&two_vertices(
            |a| a.colors = Some(vec![[255; 3], [255, 80, 80]])
        )),
        [96, 96]
    );
    let both =
        two_vertices(|a| (a.colors, a.bones) = (Some(vec![[255, 80, 80]; 2]), Some(vec![1, 0])));
    assert_eq!(size(&both), [128, 128]);
    // Too coarse at the exponents of the small forms.
    assert_eq!(
        size(&two_vertices(|a| a.st = Some(vec![[3.1, 0.0], [0.0, 0.0]]))),
        [128, 128]
    );
    // Colours and bones require 128 bits, but a position is too large for binary16: the next smaller size is chosen.
    let far = two_vertices(|a| {
        (a.positions[1][0], a.colors, a.bones) = (1e5, both.colors.clone(), both.bones.clone())
    });
    assert_eq!(size(&far), [96, 96]);
    assert_eq!(size(&Attributes::default()), [0; 0]);
}

#[test]
fn position_errors_affect_the_size() {
    let fine = Tolerance {
        position: 1e-3,
        ..Tolerance::default()
    };
    let attributes = Attributes {
        positions: vec![[1.0, 0.301, 0.0]],
        ..Attributes::default()
    };
    let size = |tolerance| {
        Vertices::encode(&attributes, Surface::Flat, VertexSizes::PerMesh, tolerance)
            .unwrap()
            .0
            .words()
            .len()
    };
    assert_eq!((size(&Tolerance::default()), size(&fine)), (2, 4));
}

#[test]
fn each_vertex_uses_the_smallest_size_that_fits() {
    let attributes = two_vertices(|a| {
        a.positions.push([0.0, 1.0, 0.0]);
        a.st = None;
        a.colors = Some(vec![[255; 3], [255, 80, 80], [80, 255, 80]]);
        a.bones = Some(vec![5, 0, 9]);
    });
    let (vertices, errors) = encode(&attributes, VertexSizes::PerVertex).unwrap();
    assert_eq!(sizes_of(&vertices), [64, 96, 128]);
    let columns = vertices.columns();
    assert_eq!(columns.bones, [5, 0, 9]);
    assert_eq!(
        columns.colors,
        [[255; 4], [255, 85, 85, 255], [85, 255, 85, 255]]
    );
    assert_eq!(errors.color, 5);
}

#[test]
fn errors_of_a_fixed_size_are_reported() {
    let attributes = two_vertices(|a| {
        a.normals = Some(vec![[0.0, 0.0, 1.0], [1.0, 0.4, 0.0]]);
        a.colors = Some(vec![[255; 3], [255, 85, 85]]);
    });
    let (vertices, errors) = encode(&attributes, VertexSizes::Fixed(VertexSize::Bits64)).unwrap();
    assert_eq!(sizes_of(&vertices), [64, 64]);
    assert_eq!(errors.color, 170);
    // The direction of the first position is nearly opposite.
    assert!((errors.normal - 175.2).abs() < 0.1, "{errors:?}");
    let flat = Vertices::encode(
        &attributes,
        Surface::Flat,
        VertexSizes::Fixed(VertexSize::Bits64),
        &Tolerance::default(),
    );
    let (vertices, errors) = flat.unwrap();
    assert_eq!(errors.st, 1.0);
    assert!(errors.normal < 2.0);
    assert_eq!(vertices.columns().normals[0], [0.0, 0.0, 1.0]);
}

#[test]
fn inexpressible_values_are_rejected_with_their_path() {
    let fixed = VertexSizes::Fixed;
    let rejected = |attributes: Attributes, sizes, path: &str| {
        let error = encode(&attributes, sizes).unwrap_err();
        assert_eq!(
            (error.kind(), &*error.path().to_string()),
            (ErrorKind::Inexpressible, path),
            "{error}"
        );
    };
    rejected(
        two_vertices(|a| a.bones = Some(vec![0, 240])),
        fixed(VertexSize::Bits64),
        "vertices[1].bone",
    );
    rejected(
        two_vertices(|a| a.bones = Some(vec![255, 0])),
        VertexSizes::PerMesh,
        "vertices[0].bone",
    );
    rejected(
        two_vertices(|a| a.bones = Some(vec![0, 300])),
        VertexSizes::PerVertex,
        "vertices[1].bone",
    );
    for wrong in [f32::NAN, f32::NEG_INFINITY, 1e6] {
        for sizes in [
            VertexSizes::PerMesh,
            VertexSizes::PerVertex,
            fixed(VertexSize::Bits64),
        ] {
            rejected(
                two_vertices(|a| a.positions[1][2] = wrong),
                sizes,
                "vertices[1].position",
            );
            rejected(
                two_vertices(|a| a.st.as_mut().unwrap()[0][1] = wrong),
                sizes,
                "vertices[0].st",
            );
        }
    }
    rejected(
        two_vertices(|a| a.positions[0][0] = 65_520.0),
        fixed(VertexSize::Bits128),
        "vertices[0].position",
    );
    rejected(
        two_vertices(|a| a.normals = Some(vec![[0.0; 3], [0.0, f32::NAN, 0.0]])),
        VertexSizes::PerMesh,
        "vertices[1].normal",
    );
    rejected(
        two_vertices(|a| a.st = Some(vec![[0.0; 2]])),
        VertexSizes::PerMesh,
        "st",
    );
    rejected(
        two_vertices(|a| a.bones = Some(vec![0; 3])),
        VertexSizes::PerMesh,
        "bones",
    );

    let faces = |faces: &[Face]| Faces::encode(faces).unwrap_err().path().to_string();
    let fine = Face::Triangle([0, 1, 2]);
    assert_eq!(
        faces(&[fine, Face::Triangle([0, 1, 1 << 20])]),
        "faces[1].v2"
    );
    assert_eq!(faces(&[Face::Quad([0, 1 << 15, 1, 2])]), "faces[0].v1");
    let largest = [
        fine,
        Face::Triangle([(1 << 20) - 1, 0, 1]),
        Face::Quad([0, 1, 127, 2]),
        Face::Quad([(1 << 15) - 1, 0, 1, 2]),
    ];
    let encoded = Faces::encode(&largest).unwrap();
    assert_eq!(
        (encoded.to_vec(), encoded.words().len()),
        (largest.to_vec(), 1 + 2 + 1 + 2)
    );
}

fn attributes() -> impl Strategy<Value = Attributes> {
    (0..12usize).prop_flat_map(|len| {
        let list =
            move |x: std::ops::Range<f32>| prop::collection::vec(prop::array::uniform3(x), len);
        let st = prop::collection::vec(prop::array::uniform2(-1.0..3.0f32), len);
        let colors = prop::collection::vec(any::<[u8; 3]>(), len);
        let bones = prop::collection::vec(0..255u16, len);
        let optional = (
            prop::option::of(st),
            prop::option::of(list(-1.0..1.0)),
            prop::option::of(colors),
            prop::option::of(bones),
        );
        (list(-50.0..50.0), optional).prop_map(|(positions, (st, normals, colors, bones))| {
            Attributes {
                positions,
                limits: None,
                st,
                normals,
                colors,
                bones,
            }
        })
    })
}

proptest! {
    #![proptest_config(config(256, "bmd_numbers"))]

    #[test]
    fn reported_errors_match_the_decoded_values(attributes in attributes(), each in any::<bool>(), flat in any::<bool>()) {
        let surface = if flat { Surface::Flat } else { Surface::Textured };
        let sizes = if each { VertexSizes::PerVertex } else { VertexSizes::PerMesh };
        let tolerance = Tolerance::default();
        let (vertices, errors) = Vertices::encode(&attributes, surface, sizes, &tolerance).unwrap();
        let columns = vertices.columns();
        let most = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        prop_assert_eq!(most(columns.positions.as_flattened(), attributes.positions.as_flattened()), errors.position);
        let largest = attributes.positions.as_flattened().iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        prop_assert!(errors.position <= largest * tolerance.position);
        if let Some(st) = &attributes.st {
            prop_assert_eq!(most(columns.st.as_flattened(), st.as_flattened()), errors.st);
            prop_assert!(errors.st <= tolerance.st);
        }
        prop_assert!(errors.normal <= tolerance.normal);
        if let Some(bones) = &attributes.bones {
            prop_assert!(columns.bones.iter().map(|bone| u16::from(*bone)).eq(bones.iter().copied()));
        }
        // No smaller size holds the vertices.
        let words = if each { 0 } else { vertices.words().len() };
        for size in [VertexSize::Bits64, VertexSize::Bits96] {
            let Ok((smaller, errors)) = Vertices::encode(&attributes, surface, VertexSizes::Fixed(size), &tolerance) else { continue };
            let holds = errors.st <= tolerance.st && errors.normal <= tolerance.normal && attributes.colors.is_none();
            prop_assert!(smaller.words().len() >= words || !holds);
        }
    }
}
