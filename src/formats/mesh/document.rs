//! What a MESH file says.

use super::schema::{Joint, Pose};
use super::vertices::Vertices;
use crate::{Dialect, Text};

/// A MESH file: everything in it but what can be computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The layout of the file.
    pub dialect: Dialect,
    /// Transform of the whole model, 4×4, row-major. The renderlib dialect has one, the specification has not (M17).
    pub root_transform: Option<[[f32; 4]; 4]>,
    /// The vertices.
    pub vertices: Vertices,
    /// Indices of vertices; three make a triangle, though the specification does not say so (M13).
    pub indices: Vec<u32>,
    /// The skeleton, 255 joints at most.
    pub joints: Vec<Joint>,
    /// The animations; 255 at most, 65,535 in the renderlib dialect.
    pub animations: Vec<Animation>,
    /// Names that animations refer to. The renderlib dialect has none.
    pub strings: Vec<Text>,
    /// Whether the last string lacks its NUL. Only lenient reading accepts that (M16).
    pub unterminated: bool,
}

/// One animation.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Animation {
    /// Which of the strings is the name, counted from 0 (M6). `None` in the renderlib dialect only.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub name: Option<u32>,
    /// Duration in ticks.
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub duration: f32,
    /// Speed in ticks per second.
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub speed: f32,
    /// Time of each pose in ticks.
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub timestamps: Vec<f32>,
    /// For each timestamp one entry per joint, in any order (M11).
    pub poses: Vec<Pose>,
}

impl Animation {
    /// Duration in seconds; `None` if the speed is not a positive number.
    pub fn seconds(&self) -> Option<f32> {
        (self.speed > 0.0 && self.speed.is_finite()).then(|| self.duration / self.speed)
    }
}

impl Document {
    /// The name of an animation; `None` if it has none or names a string that is not there.
    pub fn name_of(&self, animation: &Animation) -> Option<&Text> {
        self.strings.get(usize::try_from(animation.name?).ok()?)
    }

    /// The pose of each joint at one timestamp of an animation, ordered by joint; `None` if there is no such
    /// timestamp or a joint has no pose.
    pub fn skeleton_pose(&self, animation: &Animation, timestamp: usize) -> Option<Vec<Pose>> {
        let joints = self.joints.len();
        let start = timestamp.checked_mul(joints)?;
        let entries = animation.poses.get(start..start.checked_add(joints)?)?;
        let mut ordered = vec![None; joints];
        for pose in entries {
            *ordered.get_mut(usize::try_from(pose.joint).ok()?)? = Some(*pose);
        }
        ordered.into_iter().collect()
    }
}
