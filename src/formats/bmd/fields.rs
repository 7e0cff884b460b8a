//! Looks up document values by their declared field names, to check constraints.

use super::document::{Animation, Bone, Document, Mesh, Transform};
use super::schema::{AnimDef, BoneDef, LodDef, MeshDef};
use crate::layout::walk::{DocumentValue, Fields, StoredFields};
use crate::{Text, bulk};

impl Fields for Document {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match name {
            "header" => DocumentValue::fields(HeaderFields(self)),
            "meshes" => DocumentValue::items(&self.meshes, DocumentValue::fields),
            "lods" => DocumentValue::little_endian(&self.lods),
            "bones" => DocumentValue::items(&self.bones, DocumentValue::fields),
            "animations" => DocumentValue::items(&self.animations, DocumentValue::fields),
            _ => DocumentValue::Unknown,
        }
    }
}

struct HeaderFields<'d>(&'d Document);

impl Fields for HeaderFields<'_> {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        let Document {
            reserved: [resv1, resv2, resv3],
            meshes,
            lods,
            bones,
            animations,
        } = self.0;
        match name {
            "resv1" => DocumentValue::number(resv1.to_le_bytes()),
            "resv2" => DocumentValue::number(resv2.to_le_bytes()),
            "resv3" => DocumentValue::number(resv3.to_le_bytes()),
            "sz_meshes" => DocumentValue::count::<u32>(meshes.len() * MeshDef::SIZE as usize),
            "sz_lods" => DocumentValue::count::<u32>(lods.len() * LodDef::SIZE as usize),
            "sz_bones" => DocumentValue::count::<u32>(bones.len() * BoneDef::SIZE as usize),
            "sz_anims" => DocumentValue::count::<u32>(animations.len() * AnimDef::SIZE as usize),
            _ => DocumentValue::Unknown,
        }
    }
}

impl Fields for Mesh {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        let Mesh {
            n_tris,
            material,
            vertices,
            faces,
            ..
        } = self;
        match (name, n_tris) {
            ("ofs_mat", _) => offset_of(material),
            ("n_vtx", _) => DocumentValue::count::<u16>(vertices.len()),
            ("sz_vtx", _) => DocumentValue::count::<u32>(size_of_val(vertices.words())),
            ("n_tris", Some(stated)) => DocumentValue::number(stated.to_le_bytes()),
            ("n_tris", None) => DocumentValue::count::<u16>(self.triangle_count()),
            ("sz_tris", _) => DocumentValue::count::<u32>(size_of_val(faces.words())),
            ("material", _) => name_of(material),
            ("vertices", _) => DocumentValue::Bytes(bulk::as_bytes(vertices.words())),
            ("faces", _) => DocumentValue::Bytes(bulk::as_bytes(faces.words())),
            _ => self.stored_field(name),
        }
    }
}

/// Returns the offset of a name. Conditions only test whether it is 0, so any other offset represents a name.
fn offset_of(name: &Option<Text>) -> DocumentValue<'_> {
    DocumentValue::number(u32::from(name.is_some()).to_le_bytes())
}

/// Returns a name with its terminator.
fn name_of(name: &Option<Text>) -> DocumentValue<'_> {
    let bytes = |name: &Text| DocumentValue::Bytes([name.as_bytes(), &[0]].concat().into());
    name.as_ref().map_or(DocumentValue::Unknown, bytes)
}

impl Fields for Bone {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match (name, &self.transform) {
            ("ofs_name", _) => offset_of(&self.name),
            ("name", _) => name_of(&self.name),
            ("entry", _) => {
                let mut entry = [0; 13];
                entry[12] = self.id_parent;
                DocumentValue::number(entry)
            }
            ("xform", Transform::Bone(transform)) => DocumentValue::little_endian(transform),
            ("pseudo", Transform::Pseudo(transform)) => DocumentValue::little_endian(transform),
            _ => self.stored_field(name),
        }
    }
}

impl Fields for Animation {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match name {
            "ofs_name" => offset_of(&self.name),
            "name" => name_of(&self.name),
            "sz_frames" => {
                let tracks = self.tracks.iter().map(|track| track.as_bytes().len() + 1);
                DocumentValue::count::<u32>(tracks.sum::<usize>() + self.trailing.len())
            }
            "frames" => {
                let keys = self
                    .tracks
                    .iter()
                    .flat_map(|track| [track.as_bytes(), &[0]]);
                DocumentValue::Bytes(
                    keys.chain([&*self.trailing])
                        .collect::<Vec<_>>()
                        .concat()
                        .into(),
                )
            }
            _ => self.stored_field(name),
        }
    }
}
