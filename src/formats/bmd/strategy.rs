//! Strategies that generate valid BMD documents, for tests of other loaders.
//!
//! Packed words take every bit that their form has, but for tags and indices, and positions are finite.

use std::io::Cursor;
use std::ops::Range;

use binrw::{BinRead, BinWrite};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;

use super::schema::{AnimPlaces, BoneTransform, Form, MeshPlaces, PseudoTransform, VertexTag};
use super::{
    AnimRate, Animation, Bone, ControlFlags, Document, Face, Faces, LodDef, Mesh, PackedFace, PackedVertex,
    Rotation, Surface, Track, TrackKey, Transform, Triple, Vertices,
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

/// The entry of a table with any bits in the fields that nothing else says, or, mostly, with zeros. `places` are what the
/// entry says of other places, as 0 and as all ones: these fields are left out.
fn entries<T, A: Copy + 'static>(places: [A; 2]) -> impl Strategy<Value = T>
where
    T: for<'a> BinRead<Args<'a>: Default> + for<'a> BinWrite<Args<'a> = A> + Default + std::fmt::Debug,
{
    let write = move |places| {
        let mut entry = Cursor::new(Vec::new());
        T::default().write_le_args(&mut entry, places).map(|()| entry.into_inner()).unwrap_or_default()
    };
    let [zeros, ones] = places.map(write);
    let is_free: Vec<bool> = zeros.iter().zip(&ones).map(|(a, b)| a == b).collect();
    let bits = prop_oneof![9 => Just(vec![0; zeros.len()]), 1 => vec(any::<u8>(), zeros.len())];
    bits.prop_filter_map("an entry", move |mut bytes| {
        bytes.iter_mut().zip(&is_free).filter(|(_, is_free)| !**is_free).for_each(|(byte, _)| *byte = 0);
        T::read_le_args(&mut Cursor::new(bytes), Default::default()).ok()
    })
}

/// Meshes whose control flags allow what they have, whether or not narrower ones would.
pub fn meshes() -> impl Strategy<Value = Mesh> {
    (materials(), 0..4u8, 0..4u8, 0..=MAX_VERTICES).prop_flat_map(|(material, subtype, triangles, count)| {
        let surface = Mesh { material: material.clone(), ..Mesh::default() }.surface();
        let flags = ControlFlags::new().with_vertex_subtype(subtype).with_triangles_type(triangles);
        let entry = entries::<Mesh, _>([0, !0].map(|bits| {
            (MeshPlaces {
                ofs_vtx: bits,
                ofs_tris: bits,
                ofs_mat: bits,
                n_vtx: bits as u16,
                n_tris: bits as u16,
                sz_vtx: bits,
                sz_tris: bits,
            },)
        }));
        (entry, vertex_lists(surface, flags, count), face_lists(flags, count)).prop_map(
            move |(entry, vertices, faces)| Mesh {
                material: material.clone(),
                flags,
                vertices,
                faces,
                n_tris: None,
                ..entry
            },
        )
    })
}

/// So many vertices of the sizes that control flags allow.
pub fn vertex_lists(surface: Surface, flags: ControlFlags, count: usize) -> impl Strategy<Value = Vertices> {
    vec(vertices(surface, flags), count).prop_filter_map("vertices of one surface", |list| {
        let mut vertices = Vertices::default();
        list.into_iter().try_for_each(|vertex| vertices.push(vertex)).ok()?;
        Some(vertices)
    })
}

/// Vertices with any bits, but a tag that is allowed and a position that is finite.
fn vertices(surface: Surface, flags: ControlFlags) -> impl Strategy<Value = PackedVertex> {
    let is_allowed = move |tag: &u8| {
        let bits = 32 * PackedVertex::size_of(*tag) as u32;
        let only = PackedVertex::row_of(*tag, surface).and_then(|row| row.tag);
        flags.vertex_sizes().contains(&bits) && only.is_none_or(|only| only == *tag)
    };
    let tags: Vec<u8> = (0..=0xFF).filter(is_allowed).collect();
    (any::<[u32; 4]>(), prop::sample::select(tags)).prop_filter_map(
        "a finite position",
        move |(mut words, tag)| {
            let offset = VertexTag::TAG.offset - 32;
            words[1] = words[1] & !(0xFF << offset) | u32::from(tag) << offset;
            PackedVertex::first(&words, surface)
                .filter(|vertex| vertex.position().iter().all(|x| x.is_finite()))
        },
    )
}

/// Faces of the forms that control flags allow, between so many vertices.
pub fn face_lists(flags: ControlFlags, vertices: usize) -> impl Strategy<Value = Faces> {
    let count = if vertices == 0 { 0..=0 } else { 0..=MAX_FACES };
    vec(faces(flags, 0..vertices.max(1) as u32), count).prop_filter_map("faces with their own tags", |list| {
        let mut faces = Faces::default();
        list.into_iter().try_for_each(|face| faces.push(face)).ok()?;
        Some(faces)
    })
}

fn faces(flags: ControlFlags, vertices: Range<u32>) -> impl Strategy<Value = PackedFace> {
    let corners = prop::array::uniform4(vertices);
    (corners, any::<bool>(), any::<prop::sample::Index>()).prop_filter_map(
        "a form that is allowed",
        move |([a, b, c, d], is_quad, index)| {
            let face = if is_quad { Face::Quad([a, b, c, d]) } else { Face::Triangle([a, b, c]) };
            let forms: Vec<_> = PackedFace::in_forms(face).filter(|face| flags.allows(*face)).collect();
            (!forms.is_empty()).then(|| *index.get(&forms))
        },
    )
}

fn lods(meshes: usize) -> impl Strategy<Value = LodDef> {
    (0..=meshes as u8).prop_flat_map(move |id_mesh| {
        (0..=meshes as u8 - id_mesh, any::<u8>(), entries([(); 2]))
            .prop_map(move |(n_mesh, scale, entry)| LodDef { id_mesh, n_mesh, ld_sc: scale.into(), ..entry })
    })
}

fn bones() -> impl Strategy<Value = Bone> {
    entries([(0,), (u32::MAX,)])
}

/// Normal bones, each after its parent.
fn skeletons(count: usize, meshes: usize) -> impl Strategy<Value = Vec<Bone>> {
    let bone = (
        any::<[u8; 8]>(),
        option::of(texts()),
        any::<prop::sample::Index>(),
        0..meshes.max(1) as u8,
        bones(),
    );
    vec(bone, count).prop_map(|bones| {
        let bones = bones.into_iter().enumerate();
        bones
            .map(|(index, (transform, name, parent, id_solid, entry))| Bone {
                transform: Transform::Bone(if index == 0 {
                    BoneTransform::new()
                } else {
                    BoneTransform::from_bytes(transform)
                }),
                name,
                id_parent: if index == 0 { 0 } else { parent.index(index) as u8 },
                id_solid,
                ..entry
            })
            .collect()
    })
}

fn pseudo_bones(count: usize) -> impl Strategy<Value = Bone> {
    let slots = (prop::array::uniform4(0..count.max(1) as u8), any::<[u8; 4]>());
    (slots, option::of(texts()), bones()).prop_map(|(([a, b, c, d], [e, f, g, h]), name, entry)| Bone {
        transform: Transform::Pseudo(PseudoTransform::from_bytes([a, b, c, d, e, f, g, h])),
        name,
        id_parent: Bone::PSEUDO,
        id_solid: 0,
        ..entry
    })
}

/// Animations of so many normal bones.
pub fn animations(bones: usize) -> impl Strategy<Value = Animation> {
    let n_frames = prop_oneof![1 => Just(0), 4 => 1..=9u8, 5 => 100..=255u8];
    let entry = entries::<Animation, _>(
        [0, !0].map(|bits| (AnimPlaces { ofs_name: bits, ofs_frames: bits, sz_frames: bits },)),
    );
    (option::of(texts()), n_frames, any::<u8>(), entry).prop_flat_map(move |(name, n_frames, rate, entry)| {
        // Without frames there is no frames list.
        vec(tracks(n_frames), if n_frames == 0 { 0 } else { bones }).prop_map(move |tracks| Animation {
            name: name.clone(),
            n_frames,
            fl_hz: AnimRate::from_bytes([rate]),
            tracks,
            trailing: Vec::new(),
            ..entry.clone()
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
