//! Access to documents by declared field names.

use super::document::{Animation, Bone, Document, Mesh, Transform};
use super::schema::{AnimDef, BoneDef, LodDef, MeshDef};
use crate::layout::walk::{Fields, Part, StoredFields};
use crate::{Rule, bulk};

impl Fields for Document {
    fn field(&self, name: &'static str) -> Part<'_> {
        match name {
            "header" => Part::fields(HeaderFields(self)),
            "meshes" => {
                Part::items(&self.meshes, |mesh| Part::fields(MeshFields { mesh, bones: self.bones.len() }))
            }
            "lods" => Part::little_endian(&self.lods),
            "bones" => Part::items(&self.bones, Part::fields),
            "animations" => Part::items(&self.animations, Part::fields),
            _ => Part::Unknown,
        }
    }
}

struct HeaderFields<'d>(&'d Document);

impl Fields for HeaderFields<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        let Document { reserved: [resv1, resv2, resv3], meshes, lods, bones, animations } = self.0;
        match name {
            "resv1" => Part::number(resv1.to_le_bytes()),
            "resv2" => Part::number(resv2.to_le_bytes()),
            "resv3" => Part::number(resv3.to_le_bytes()),
            "sz_meshes" => Part::count::<u32>(meshes.len() * MeshDef::SIZE as usize),
            "sz_lods" => Part::count::<u32>(lods.len() * LodDef::SIZE as usize),
            "sz_bones" => Part::count::<u32>(bones.len() * BoneDef::SIZE as usize),
            "sz_anims" => Part::count::<u32>(animations.len() * AnimDef::SIZE as usize),
            _ => Part::Unknown,
        }
    }
}

struct MeshFields<'d> {
    mesh: &'d Mesh,
    bones: usize,
}

impl Fields for MeshFields<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        let Mesh { n_tris, material, vertices, faces, .. } = self.mesh;
        match (name, n_tris, material) {
            // Conditions only test whether there is a name, so any non-zero offset will do.
            ("ofs_mat", ..) => Part::number(u32::from(material.is_some()).to_le_bytes()),
            ("n_vtx", ..) => Part::count::<u16>(vertices.len()),
            ("sz_vtx", ..) => Part::count::<u32>(size_of_val(vertices.words())),
            ("n_tris", Some(stated), _) => Part::number(stated.to_le_bytes()),
            ("n_tris", None, _) => Part::count::<u16>(self.mesh.triangle_count()),
            ("sz_tris", ..) => Part::count::<u32>(size_of_val(faces.words())),
            ("material", _, Some(name)) => Part::Bytes([name.as_bytes(), &[0]].concat().into()),
            ("vertices", ..) => {
                let is_valid = self.mesh.has_valid_vertices(self.bones);
                checked(vertices.words(), is_valid, Mesh::VERTEX_RULES)
            }
            ("faces", ..) => checked(faces.words(), self.mesh.has_valid_faces(), Mesh::FACE_RULES),
            _ => self.mesh.stored(name),
        }
    }
}

/// Returns packed words, with the rules that they satisfy if they are valid.
fn checked<'d>(words: &'d [u32], is_valid: bool, rules: &'static [&'static Rule]) -> Part<'d> {
    let bytes = bulk::as_bytes(words);
    if is_valid { Part::Checked(bytes, rules) } else { Part::Bytes(bytes) }
}

impl Fields for Bone {
    fn field(&self, name: &'static str) -> Part<'_> {
        match (name, &self.transform) {
            ("entry", _) => {
                let mut entry = [0; 13];
                entry[12] = self.id_parent;
                Part::number(entry)
            }
            ("xform", Transform::Bone(transform)) => Part::little_endian(transform),
            ("pseudo", Transform::Pseudo(transform)) => Part::little_endian(transform),
            _ => self.stored(name),
        }
    }
}

impl Fields for Animation {
    fn field(&self, name: &'static str) -> Part<'_> {
        match name {
            "sz_frames" => {
                let tracks = self.tracks.iter().map(|track| track.as_bytes().len() + 1);
                Part::count::<u32>(tracks.sum::<usize>() + self.trailing.len())
            }
            "frames" => {
                let keys = self.tracks.iter().flat_map(|track| [track.as_bytes(), &[0]]);
                Part::Bytes(keys.chain([&*self.trailing]).collect::<Vec<_>>().concat().into())
            }
            _ => self.stored(name),
        }
    }
}
