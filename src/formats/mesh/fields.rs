//! Access to documents by declared field names.

use super::schema::{Animation, Document, Header, RenderlibPose};
use crate::Dialect;
use crate::bulk;
use crate::layout::walk::{Fields, Part, StoredFields};

impl Fields for Document {
    fn field(&self, name: &'static str) -> Part<'_> {
        match name {
            "header" => Header::of(self).map_or(Part::Unknown, Part::fields),
            "vertices" => Part::Bytes(self.vertices.as_bytes().into()),
            "indices" => Part::Bytes(bulk::as_bytes(&self.indices)),
            "joints" => Part::little_endian(&self.joints),
            "animations" => Part::items(&self.animations, |animation| {
                Part::fields(AnimationFields { animation, dialect: self.dialect })
            }),
            "strings" => Part::Bytes(self.strings.as_bytes().into()),
            _ => Part::Unknown,
        }
    }
}

impl Fields for Header {
    fn field(&self, name: &'static str) -> Part<'_> {
        self.stored(name)
    }
}

struct AnimationFields<'d> {
    animation: &'d Animation,
    dialect: Dialect,
}

impl Fields for AnimationFields<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        let Animation { timestamps, poses, .. } = self.animation;
        match name {
            "pose_count" => Part::count::<u32>(timestamps.len()),
            "poses" if self.dialect != Dialect::Renderlib => Part::bulk(poses),
            "poses" => {
                let poses: Result<Vec<_>, _> =
                    poses.iter().map(|pose| RenderlibPose::try_from(*pose)).collect();
                poses.map_or(Part::Unknown, |poses| Part::Bytes(bulk::as_bytes(&poses).into_owned().into()))
            }
            _ => self.animation.stored(name),
        }
    }
}
