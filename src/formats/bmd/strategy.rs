//! Strategies that generate valid BMD documents, for tests of other loaders.
//!
//! Packed words take every bit that their form has, but for tags and indices, and positions are finite.

use std::ops::Range;

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;

use super::schema::{
    BoneTransform, FineVertex96, FlatVertex64, PSEUDO_BONE, PseudoTransform, Quad32, Quad64, ScaledVertex96,
    TexturedVertex64, Triangle32, Triangle64, Vertex128,
};
use super::{
    AnimRate, Animation, Bone, ControlFlags, Document, Faces, LodDef, Mesh, PackedFace, PackedVertex,
    Rotation, Surface, Track, TrackKey, Transform, Triple, Vertices, flat_color,
};
use crate::Text;

const MAX_VERTICES: usize = 24;
const MAX_FACES: usize = 16;
const MAX_MESHES: usize = 3;
const MAX_BONES: usize = 5;

/// Documents that strict reading accepts: all forms of vertices and faces alone and mixed, levels of detail, bones and
/// pseudo-bones, animations with gaps over 32 frames and keys on the last frame.
pub fn documents() -> impl Strategy<Value = Document> {
    (0..=MAX_MESHES, 0..=MAX_BONES).prop_flat_map(|(mesh_count, bones)| {
        // Pseudo-bones need a bone to follow.
        let pseudo = if bones == 0 { 0..=0 } else { 0..=2usize };
        (
            prop_oneof![9 => Just([0; 3]), 1 => any::<[u32; 3]>()],
            vec(meshes(), mesh_count),
            vec(lods(mesh_count), 0..=3),
            (
                skeletons(bones, mesh_count),
                pseudo.prop_flat_map(move |count| vec(pseudo_bones(bones), count)),
            ),
            vec(animations(bones), 0..=3),
        )
            .prop_map(|(reserved, meshes, lods, (mut bones, pseudo), animations)| {
                bones.extend(pseudo);
                Document { reserved, meshes, lods, bones, animations }
            })
    })
}

/// Printable strings.
fn texts() -> impl Strategy<Value = Text> {
    vec(prop::char::range(' ', '~'), 0..12).prop_map(|chars| Text::from(&*String::from_iter(chars)))
}

fn materials() -> impl Strategy<Value = Option<Text>> {
    let color = any::<[u8; 3]>().prop_map(|[r, g, b]| Text::from(&*format!("#{r:02x}{g:02X}{b:02x}")));
    option::weighted(0.9, prop_oneof![color, texts()])
}

/// Meshes whose control flags allow what they have, whether or not narrower ones would.
pub fn meshes() -> impl Strategy<Value = Mesh> {
    (materials(), 0..4u8, 0..4u8, 0..=MAX_VERTICES).prop_flat_map(|(material, subtype, triangles, count)| {
        let is_flat = material.as_ref().is_some_and(|name| flat_color(name.as_bytes()).is_some());
        let surface = if is_flat { Surface::Flat } else { Surface::Textured };
        (
            vertex_lists(surface, subtype, count),
            face_lists(triangles, count),
            prop_oneof![9 => Just(0), 1 => any::<u32>()],
        )
            .prop_map(move |(vertices, faces, resv3)| Mesh {
                material: material.clone(),
                flags: ControlFlags::new().with_vertex_subtype(subtype).with_triangles_type(triangles),
                vertices,
                faces,
                n_tris: None,
                resv3,
            })
    })
}

/// So many vertices of the sizes that a vertex subtype allows.
pub fn vertex_lists(surface: Surface, subtype: u8, count: usize) -> impl Strategy<Value = Vertices> {
    vec(vertices(surface, subtype), count).prop_filter_map("vertices with their own tags", |list| {
        let mut vertices = Vertices::default();
        list.into_iter().try_for_each(|vertex| vertices.push(vertex)).ok()?;
        Some(vertices)
    })
}

fn vertices(surface: Surface, subtype: u8) -> BoxedStrategy<PackedVertex> {
    let narrow = (any::<[u8; 8]>(), 0..0xF0u8).prop_map(move |(bytes, bone)| match surface {
        Surface::Textured => PackedVertex::Textured64(TexturedVertex64::from_bytes(bytes).with_bone(bone)),
        Surface::Flat => PackedVertex::Flat64(FlatVertex64::from_bytes(bytes).with_bone(bone)),
    });
    let middle = (any::<[u8; 12]>(), 0xF0..=0xFBu8).prop_map(|(bytes, tag)| match tag % 2 {
        0 => PackedVertex::Fine96(FineVertex96::from_bytes(bytes).with_tag(tag)),
        _ => PackedVertex::Scaled96(ScaledVertex96::from_bytes(bytes).with_tag(tag)),
    });
    let wide = any::<[u8; 16]>().prop_map(|bytes| {
        let vertex = Vertex128::from_bytes(bytes).with_tag(0xFD);
        // Without the highest bit of its exponent a binary16 is finite.
        let [x, y, z] = [vertex.org_x(), vertex.org_y(), vertex.org_z()].map(|bits| bits & !0x4000);
        PackedVertex::Vertex128(vertex.with_org_x(x).with_org_y(y).with_org_z(z))
    });
    match subtype {
        0 => narrow.boxed(),
        1 => prop_oneof![narrow, middle, wide].boxed(),
        2 => wide.boxed(),
        _ => middle.boxed(),
    }
}

/// Faces of the forms that a triangles type allows, between so many vertices.
pub fn face_lists(triangles: u8, vertices: usize) -> impl Strategy<Value = Faces> {
    let count = if vertices == 0 { 0..=0 } else { 0..=MAX_FACES };
    vec(faces(triangles, 0..vertices.max(1) as u8), count).prop_filter_map(
        "faces with their own tags",
        |list| {
            let mut faces = Faces::default();
            list.into_iter().try_for_each(|face| faces.push(face)).ok()?;
            Some(faces)
        },
    )
}

fn faces(triangles: u8, vertices: Range<u8>) -> BoxedStrategy<PackedFace> {
    let corners = move || prop::array::uniform4(vertices.clone());
    let triangle_32 = corners().prop_map(|corners| {
        let [a, b, c, _] = corners.map(u16::from);
        PackedFace::Triangle32(Triangle32::new().with_v0(a).with_v1(b).with_v2(c))
    });
    let quad_32 = corners().prop_map(|[a, b, c, d]| {
        PackedFace::Quad32(Quad32::new().with_tag(1).with_v0(a).with_v1(b).with_v2(c).with_v3(d))
    });
    let triangle_64 = corners().prop_map(|corners| {
        let [a, b, c, _] = corners.map(u32::from);
        PackedFace::Triangle64(Triangle64::new().with_tag(2).with_v0(a).with_v1(b).with_v2(c))
    });
    let quad_64 = corners().prop_map(|corners| {
        let [a, b, c, d] = corners.map(u16::from);
        PackedFace::Quad64(Quad64::new().with_tag(3).with_v0(a).with_v1(b).with_v2(c).with_v3(d))
    });
    match triangles {
        0 => triangle_32.boxed(),
        1 => prop_oneof![triangle_32, quad_32, triangle_64, quad_64].boxed(),
        2 => triangle_64.boxed(),
        _ => prop_oneof![triangle_64, quad_64].boxed(),
    }
}

fn lods(meshes: usize) -> impl Strategy<Value = LodDef> {
    (0..=meshes as u8).prop_flat_map(move |id_mesh| {
        (0..=meshes as u8 - id_mesh, any::<u8>(), prop_oneof![9 => Just(0), 1 => any::<u8>()])
            .prop_map(move |(n_mesh, scale, resv1)| LodDef { id_mesh, n_mesh, ld_sc: scale.into(), resv1 })
    })
}

/// Normal bones, each after its parent.
fn skeletons(count: usize, meshes: usize) -> impl Strategy<Value = Vec<Bone>> {
    let bone = (
        any::<[u8; 8]>(),
        option::of(texts()),
        any::<prop::sample::Index>(),
        0..meshes.max(1) as u8,
        prop_oneof![9 => Just([0; 2]), 1 => any::<[u8; 2]>()],
    );
    vec(bone, count).prop_map(|bones| {
        let bones = bones.into_iter().enumerate();
        bones
            .map(|(index, (transform, name, parent, id_solid, [resv1, resv2]))| Bone {
                transform: Transform::Bone(if index == 0 {
                    BoneTransform::new()
                } else {
                    BoneTransform::from_bytes(transform)
                }),
                name,
                id_parent: if index == 0 { 0 } else { parent.index(index) as u8 },
                id_solid,
                resv1,
                resv2,
            })
            .collect()
    })
}

fn pseudo_bones(bones: usize) -> impl Strategy<Value = Bone> {
    let slots = (prop::array::uniform4(0..bones.max(1) as u8), any::<[u8; 4]>());
    (slots, option::of(texts())).prop_map(|(([a, b, c, d], [e, f, g, h]), name)| Bone {
        transform: Transform::Pseudo(PseudoTransform::from_bytes([a, b, c, d, e, f, g, h])),
        name,
        id_parent: PSEUDO_BONE,
        ..Bone::default()
    })
}

/// Animations of so many normal bones.
pub fn animations(bones: usize) -> impl Strategy<Value = Animation> {
    let n_frames = prop_oneof![1 => Just(0), 4 => 1..=9u8, 5 => 100..=255u8];
    (option::of(texts()), n_frames, any::<u8>(), prop_oneof![9 => Just([0; 2]), 1 => any::<[u8; 2]>()])
        .prop_flat_map(move |(name, n_frames, rate, [resv1, resv2])| {
            // Without frames there is no frames list.
            vec(tracks(n_frames), if n_frames == 0 { 0 } else { bones }).prop_map(move |tracks| Animation {
                name: name.clone(),
                n_frames,
                fl_hz: AnimRate::from_bytes([rate]),
                resv1,
                resv2,
                tracks,
                trailing: Vec::new(),
            })
        })
}

/// Keys at any of so many frames, with any values; some are made of more skips than they need.
pub fn tracks(n_frames: u8) -> impl Strategy<Value = Track> {
    let words = (option::of(any::<u32>()), option::of(any::<u32>()), option::of(any::<u32>()));
    (btree_set(0..n_frames.max(1), 0..6), vec((words, any::<bool>()), 6)).prop_filter_map(
        "keys in order",
        |(frames, values)| {
            let mut track = Track::default();
            let mut next = 0;
            for (frame, ((rotation, translation, scale), wants_skip)) in frames.into_iter().zip(values) {
                let mut gap = frame - next;
                while gap >= 32 || (wants_skip && gap > 1) {
                    let skip = gap.min(32) - 1;
                    track.push(skip, None, None, None).ok().filter(|()| skip > 0)?;
                    gap -= skip + 1;
                }
                let values =
                    (rotation.map(Rotation::from), translation.map(Triple::from), scale.map(Triple::from));
                // A tag of 00 would be the end.
                let rotation = if gap == 0 && values == (None, None, None) {
                    Some(Rotation::IDENTITY)
                } else {
                    values.0
                };
                track.push(gap, rotation, values.1, values.2).ok()?;
                next = frame.saturating_add(1);
            }
            Some(track)
        },
    )
}

/// Keys in the order of their frames, each with a value.
pub fn keys(n_frames: u8) -> impl Strategy<Value = Vec<TrackKey>> {
    let words = (any::<u32>(), option::of(any::<u32>()), option::of(any::<u32>()));
    (btree_set(0..n_frames.max(1), 0..6), vec(words, 6)).prop_map(|(frames, values)| {
        let keys = frames.into_iter().zip(values);
        keys.map(|(frame, (rotation, translation, scale))| TrackKey {
            frame: frame.into(),
            rotation: Some(rotation.into()),
            translation: translation.map(Triple::from),
            scale: scale.map(Triple::from),
        })
        .collect()
    })
}
