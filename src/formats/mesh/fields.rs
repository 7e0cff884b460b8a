//! Looks up document values by their declared field names, to check constraints.

use super::schema::{Animation, Document, Header, RenderlibPose};
use crate::Dialect;
use crate::bulk;
use crate::layout::walk::{DocumentValue, Fields, StoredFields};

impl Fields for Document {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match name {
            "header" => {
                Header::from_document(self).map_or(DocumentValue::Unknown, DocumentValue::fields)
            }
            "vertices" => DocumentValue::Bytes(self.vertices.as_bytes().into()),
            "indices" => DocumentValue::Bytes(bulk::as_bytes(&self.indices)),
            "joints" => DocumentValue::little_endian(&self.joints),
            "animations" => DocumentValue::items(&self.animations, |animation| {
                DocumentValue::fields(AnimationFields {
                    animation,
                    dialect: self.dialect,
                })
            }),
            "strings" => DocumentValue::Bytes(self.strings.as_bytes().into()),
            _ => DocumentValue::Unknown,
        }
    }
}

impl Fields for Header {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        self.stored_field(name)
    }
}

struct AnimationFields<'d> {
    animation: &'d Animation,
    dialect: Dialect,
}

impl Fields for AnimationFields<'_> {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        let Animation {
            timestamps, poses, ..
        } = self.animation;
        match name {
            "pose_count" => DocumentValue::count::<u32>(timestamps.len()),
            "poses" if self.dialect != Dialect::RENDERLIB => DocumentValue::bulk(poses),
            "poses" => {
                match poses
                    .iter()
                    .copied()
                    .map(RenderlibPose::try_from)
                    .collect::<Result<Vec<_>, _>>()
                {
                    Ok(poses) => DocumentValue::Bytes(bulk::as_bytes(&poses).into_owned().into()),
                    Err(_) => DocumentValue::Unknown,
                }
            }
            _ => self.animation.stored_field(name),
        }
    }
}
