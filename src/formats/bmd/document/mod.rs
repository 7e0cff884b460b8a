//! The document type of BMD, and its operations.

mod channels;
mod faces;
mod mesh;
mod pose;

pub use channels::{ChannelErrors, Channels, FloatChannels};
pub use faces::{Face, FaceCounts, Faces};
pub use mesh::{Vertex, Vertices, shade_color};
pub(super) use pose::blended_bones;
pub use pose::{Matrix, Motion, Pose};

pub use super::schema::{
    AnimDef as Animation, BoneDef as Bone, LodDef, MeshDef as Mesh, PackedFace, PackedVertex,
    Surface, Track, TrackKey, Transform, flat_color,
};

/// A BMD image without derived values, such as offsets and sizes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The three reserved words of the header, which must be zero (B28).
    pub reserved: [u32; 3],
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The levels of detail.
    pub lods: Vec<LodDef>,
    /// The skeleton: bones, then pseudo-bones; at most 255.
    pub bones: Vec<Bone>,
    /// The animations.
    pub animations: Vec<Animation>,
}

impl Bone {
    /// Returns `true` for a pseudo-bone.
    pub fn is_pseudo(&self) -> bool {
        matches!(self.transform, Transform::Pseudo(_))
    }
}

impl Animation {
    /// Returns `true` if a key with values is after the last frame, in a track or in unterminated trailing keys.
    pub(super) fn has_keys_after_end(&self) -> bool {
        let unterminated = Track::parse(&self.trailing).err();
        self.tracks
            .iter()
            .chain(&unterminated)
            .any(|track| track.reaches(self.n_frames))
    }
}

impl Document {
    /// The normal bones: all bones before the first pseudo-bone. Only they have animation tracks.
    ///
    /// ```
    /// use meshspec::{Format, bmd};
    ///
    /// let image = bmd::Document::read(&std::fs::read("samples/bmd/tentacle.bmd")?, &Default::default())?;
    /// assert!(image.animations.iter().all(|animation| animation.tracks.len() <= image.normal_bones().len()));
    /// assert!(image.meshes[0].triangle_count() > 0);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn normal_bones(&self) -> &[Bone] {
        let count = self
            .bones
            .iter()
            .position(Bone::is_pseudo)
            .unwrap_or(self.bones.len());
        &self.bones[..count]
    }

    /// Returns the meshes of a level of detail; `None` if it refers to missing meshes.
    pub fn meshes_of(&self, lod: LodDef) -> Option<&[Mesh]> {
        if lod.contains_all_meshes() {
            return Some(&self.meshes);
        }
        let first = usize::from(lod.id_mesh);
        self.meshes.get(first..first + usize::from(lod.n_mesh))
    }
}
