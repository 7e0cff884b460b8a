//! Cases that generated BMD files rarely cover: many vertices, valid and invalid flat colours, and vertices that follow
//! animated bones.

use super::schema::{
    BoneDef, BoneTransform, FlatVertex64, MeshDef, PseudoTransform, Rotation, TexturedVertex64,
    TrackKey, Triple,
};
use super::{
    AnimRate, Animation, Bone, Document, Face, Faces, Mesh, PackedVertex, Surface, Track,
    Transform, Vertices,
};
use crate::{Format, Text, WriteOptions};

/// The offset of the field `ofs_meshes`.
const OFS_MESHES: usize = 16;

/// Returns each file with a description.
pub(super) fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
    let many = "1,025 vertices, and 1,024 with a quad counted as one and as two";
    let flat = "names of materials that are, or almost are, flat colours";
    let animated = "vertices on each bone of an animated skeleton with pseudo-bones";
    let cases = [
        (many, many_vertices()),
        (flat, flat_colors()),
        (animated, animated_bones()),
    ];
    cases
        .into_iter()
        .filter_map(|(what, bytes)| Some((what, bytes?)))
        .collect()
}

/// Builds three meshes over the same vertices, with a quad and a triangle each. The first uses 1,025 vertices and
/// counts the quad as one triangle. The others use 1,024 vertices and count the quad as one and as two (B12).
fn many_vertices() -> Option<Vec<u8>> {
    let mesh = |count: usize, n_tris, last| {
        let mut vertices = Vertices::default();
        (0..count)
            .try_for_each(|_| vertices.push(vertex(Surface::default())).map(drop))
            .ok()?;
        let faces =
            Faces::encode(&[Face::Quad([0, 1, 2, last]), Face::Triangle([0, 1, last])]).ok()?;
        Some(Mesh {
            n_tris: Some(n_tris),
            ..Mesh::new(Some(Text::from("stone")), vertices, faces)
        })
    };
    // Below, the later meshes are patched to share the vertices of the first mesh.
    let meshes = vec![mesh(1025, 2, 1024)?, mesh(4, 2, 3)?, mesh(4, 3, 3)?];
    let mut bytes = Document {
        meshes,
        ..Document::default()
    }
    .write(&WriteOptions::default())
    .ok()?;
    let table = u32::from_le_bytes(*bytes.get(OFS_MESHES..)?.first_chunk()?) as usize;
    let ofs_vtx: [u8; 4] = *bytes.get(table..)?.first_chunk()?;
    for index in [1, 2] {
        let entry = bytes.get_mut(table + index * MeshDef::SIZE as usize..)?;
        entry.get_mut(..4)?.copy_from_slice(&ofs_vtx);
        entry
            .get_mut(12..14)?
            .copy_from_slice(&1024_u16.to_le_bytes());
        entry
            .get_mut(16..20)?
            .copy_from_slice(&(1024_u32 * 8).to_le_bytes());
    }
    Some(bytes)
}

/// Builds a mesh with one vertex for each material name.
fn flat_colors() -> Option<Vec<u8>> {
    let names = [
        "#09AFaf",
        "#123456 gold",
        "#12345g",
        "#12345",
        "x#123456",
        "# 123456",
    ];
    let mesh = |name: &str| {
        let (material, mut vertices) = (Some(Text::from(name)), Vertices::default());
        vertices.push(vertex(Surface::of(material.as_ref()))).ok()?;
        Some(Mesh::new(material, vertices, Faces::default()))
    };
    let meshes = names.into_iter().map(mesh).collect::<Option<Vec<_>>>()?;
    Document {
        meshes,
        ..Document::default()
    }
    .write(&WriteOptions::default())
    .ok()
}

/// Builds a chain of bones with rotations, translations and non-uniform scales that do not commute, and two
/// pseudo-bones, with a vertex on each bone. The keys of bone 0 have no effect, and the rotation FFFFFFFF is the
/// identity in a bone, but not in a key (B25).
fn animated_bones() -> Option<Vec<u8>> {
    let turned = |x, y, z| Rotation::nearest([x, y, z, 0.75]);
    let at = |x, y, z| Triple::nearest([x, y, z]);
    let bone = |id_parent, origin: Option<Triple>, rotation: Option<Rotation>| {
        let transform = BoneTransform::new()
            .with_origin(origin?)
            .with_rotation(rotation?);
        Some(Bone {
            id_parent,
            transform: Transform::Bone(transform),
            ..Bone::default()
        })
    };
    let pseudo = |bytes| Bone {
        id_parent: BoneDef::PSEUDO,
        transform: Transform::Pseudo(PseudoTransform::from_bytes(bytes)),
        ..Bone::default()
    };
    let ones = Some(Rotation::from(u32::MAX));
    let key = |frame, rotation, translation, scale| TrackKey {
        frame,
        rotation,
        translation,
        scale,
    };
    let keys = [
        vec![key(
            0,
            turned(0.5, 0.0, 0.0),
            at(9.0, 9.0, 9.0),
            at(2.0, 2.0, 2.0),
        )],
        vec![
            key(0, turned(0.0, 0.5, 0.0), at(0.0, 0.0, 3.0), None),
            key(6, turned(0.0, 0.0, 0.5), None, None),
        ],
        vec![
            key(2, turned(0.0, 0.0, 0.75), None, at(2.0, 1.0, 0.5)),
            key(4, None, at(1.0, 0.5, 0.0), None),
        ],
        vec![key(0, ones, None, at(1.0, 1.5, 1.0))],
    ];
    let tracks = keys
        .into_iter()
        .map(Track::from_keys)
        .collect::<Result<Vec<_>, _>>()
        .ok()?;
    let bones = vec![
        Bone::default(),
        bone(0, at(1.0, 0.0, 0.0), turned(0.5, 0.0, 0.0))?,
        bone(1, at(0.0, 2.0, 0.0), ones)?,
        bone(2, at(0.0, 0.0, 1.0), Some(Rotation::default()))?,
        // Unused slots may contain any bone.
        pseudo([1, 2, 200, 4, 0x68, 0x50, 0, 0]),
        pseudo([4, 0, 0, 0, 0x60, 0x60, 0, 0]),
    ];
    let mut vertices = Vertices::default();
    for (bone, position) in (0_u8..).zip([at(1.0, 2.0, 3.0)?; 6]) {
        let vertex = TexturedVertex64::new()
            .with_position(position)
            .with_bone(bone);
        vertices.push(PackedVertex::Textured64(vertex)).ok()?;
    }
    let fl_hz = AnimRate::new().with_quarter_hz(4);
    let document = Document {
        meshes: vec![Mesh::new(
            Some(Text::from("stone")),
            vertices,
            Faces::default(),
        )],
        bones,
        animations: vec![Animation {
            n_frames: 9,
            fl_hz,
            tracks,
            ..Animation::default()
        }],
        ..Document::default()
    };
    document.write(&WriteOptions::default()).ok()
}

/// Returns a 64-bit vertex in the form for the surface.
fn vertex(surface: Surface) -> PackedVertex {
    let [a, b, c, d] = Triple::from(22 << 27 | 3).into_bytes();
    let bytes = [a, b, c, d, 0x21, 0x43, 0x05, 0];
    match surface {
        Surface::Flat => PackedVertex::Flat64(FlatVertex64::from_bytes(bytes)),
        Surface::Textured => PackedVertex::Textured64(TexturedVertex64::from_bytes(bytes)),
    }
}
