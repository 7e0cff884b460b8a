//! Hand-written violations of the BMD rules that no generated breakage violates alone: a valid image, and a change to
//! it for each rule.

use super::document::PackedVertex::{Scaled96, Textured64};
use super::document::{
    Animation, Bone, Document, Face, Faces, LodDef, Mesh, PackedFace, PackedVertex, Track,
    TrackKey, Transform, Vertices,
};
use super::rules::*;
use super::schema::{
    F8A, Image, PseudoTransform, Rotation, ScaledVertex96, TexturedVertex64, Triangle64, Triple,
    Vertex128,
};
use crate::formats::{DocumentChange, RuleExample, example_from_changes};
use crate::layout::Layout;
use crate::layout::assemble::{Edit, edit};
use crate::{Limits, Rule, Text, path};

const CHANGES: &[(&Rule, DocumentChange<Document>)] = &[
    (&FRAMES, |_| {}),
    (&SHARING, |image| {
        // One hundred bones share a name of 500 bytes.
        let name = Some(Text::from("bone".repeat(125).as_str()));
        image.bones = vec![
            Bone {
                name,
                ..Bone::default()
            };
            100
        ];
        image.animations.clear();
    }),
    (&VERTEX_TAG, |image| {
        add_vertex(
            image,
            0,
            PackedVertex::Vertex128(Vertex128::new().with_tag(0xfe)),
        )
    }),
    (&VERTEX_UNDEFINED, |image| {
        add_vertex(image, 0, Scaled96(ScaledVertex96::new().with_tag(0xf3)))
    }),
    (&VERTEX_BONE, |image| {
        add_vertex(image, 0, Textured64(TexturedVertex64::new().with_bone(3)))
    }),
    (&NON_FINITE, |image| {
        add_vertex(
            image,
            0,
            PackedVertex::Vertex128(Vertex128::new().with_tag(0xfd).with_org_y(0x7c00)),
        )
    }),
    (&INDEX_RANGE, |image| {
        add_face(image, PackedFace::smallest(Face::Triangle([0, 1, 4])))
    }),
    (&TAG2, |image| {
        add_face(
            image,
            PackedFace::Triangle64(Triangle64::new().with_tag(2).with_tag2(1)),
        )
    }),
    (&TRIANGLE_COUNT, |image| {
        // With the tetrahedron's four triangles, the count may be 6 or 8 (B12).
        (0..2).for_each(|_| add_face(image, PackedFace::smallest(Face::Quad([0, 1, 2, 3]))));
        change_mesh(image, 0, |mesh| mesh.n_tris = Some(7));
    }),
    (&FLAGS, |image| {
        change_mesh(image, 0, |mesh| {
            let flags = mesh.flags;
            push_vertex(
                mesh,
                PackedVertex::Vertex128(Vertex128::new().with_tag(0xfd)),
            );
            mesh.flags = flags;
        });
    }),
    (&LOD_DRAWABLE, |image| {
        image.lods.iter_mut().for_each(|lod| lod.n_mesh = 2)
    }),
    (&PSEUDO_ORDER, |image| image.bones.push(Bone::default())),
    (&PSEUDO_BONES, |image| {
        image.bones.pop();
        image.bones.push(pseudo_bone([0, 2]));
    }),
    (&SOLID_CLOSED, |image| {
        change_mesh(image, 1, |mesh| mesh.faces = Faces::default())
    }),
    (&SOLID_BONE, |image| {
        add_vertex(image, 1, Textured64(TexturedVertex64::new().with_bone(1)))
    }),
    (&NO_FRAMES, |image| {
        let tracks = vec![Track::default(); 2];
        image.animations = vec![Animation {
            n_frames: 0,
            tracks,
            ..Animation::default()
        }];
    }),
    (&KEY_RANGE, |image| {
        image
            .animations
            .iter_mut()
            .for_each(|animation| animation.n_frames = 2)
    }),
    (&FRAMES_TRAILING, |image| {
        image
            .animations
            .iter_mut()
            .for_each(|a| a.trailing = vec![1])
    }),
];

/// Returns the example for a rule; `None` if `CHANGES` has none.
pub(super) fn example_of(rule: &'static Rule) -> Option<RuleExample> {
    let example = example_from_changes(image()?, rule, CHANGES)?;
    if *rule != FRAMES {
        return Some(example);
    }
    // The writer rejects unterminated keys, so the encoded file is edited.
    let edits = [Edit::set(path!(animations[0].sz_frames), "3")];
    let violating = edit(
        &Image::TYPE,
        &example.correct,
        &edits,
        false,
        &Limits::default(),
    )
    .ok()?;
    Some(RuleExample {
        violating,
        ..example
    })
}

fn change_mesh(image: &mut Document, index: usize, change: impl FnOnce(&mut Mesh)) {
    image.meshes.get_mut(index).map(change);
}

fn add_vertex(image: &mut Document, mesh: usize, vertex: PackedVertex) {
    change_mesh(image, mesh, |mesh| push_vertex(mesh, vertex));
}

fn push_vertex(mesh: &mut Mesh, vertex: PackedVertex) {
    // Cannot fail: the tags match the forms, and all 64-bit vertices are textured.
    let _ = mesh.vertices.push(vertex);
    // Subtype 1 allows all sizes.
    mesh.flags.set_vertex_subtype(1);
}

/// Adds a face to the first mesh.
fn add_face(image: &mut Document, face: impl Into<Option<PackedFace>>) {
    change_mesh(image, 0, |mesh| {
        // Cannot fail: the tags match the forms.
        let _ = face.into().map(|face| mesh.faces.push(face));
        // Type 1 allows all forms.
        mesh.flags.set_triangles_type(1);
    });
}

/// Builds an image with a drawn tetrahedron, a bone solid, two bones, a pseudo-bone and an animation.
fn image() -> Option<Document> {
    let key = TrackKey {
        frame: 2,
        rotation: Some(Rotation::IDENTITY),
        ..TrackKey::default()
    };
    Some(Document {
        meshes: vec![tetrahedron(Some(Text::from("stone")))?, tetrahedron(None)?],
        lods: vec![LodDef {
            n_mesh: 1,
            ld_sc: F8A::ONE,
            ..LodDef::default()
        }],
        bones: vec![
            Bone::default(),
            Bone {
                id_solid: 1,
                ..Bone::default()
            },
            pseudo_bone([0, 1]),
        ],
        animations: vec![Animation {
            n_frames: 3,
            tracks: vec![Track::default(), Track::from_keys([key]).ok()?],
            ..Animation::default()
        }],
        ..Document::default()
    })
}

fn tetrahedron(material: Option<Text>) -> Option<Mesh> {
    let mut vertices = Vertices::default();
    for fraction in [0, 1, 1 << 9, 1 << 18] {
        let vertex = TexturedVertex64::new().with_position(Triple::from(15 << 27 | fraction));
        vertices.push(Textured64(vertex)).ok()?;
    }
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(Face::Triangle);
    Some(Mesh::new(material, vertices, Faces::encode(&faces).ok()?))
}

/// Builds a pseudo-bone that blends two bones with equal weights.
fn pseudo_bone([first, second]: [u8; 2]) -> Bone {
    let half = 0x60;
    let transform = PseudoTransform::from_bytes([first, second, 0, 0, half, half, 0, 0]);
    Bone {
        transform: Transform::Pseudo(transform),
        id_parent: 255,
        ..Bone::default()
    }
}
