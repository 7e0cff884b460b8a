//! Looks up durations, names and poses of animations, and interprets the parents of joints.

#[cfg(feature = "scene")]
use super::schema::Joint;
use super::schema::{Animation, Document, Pose};
use crate::Text;

impl Animation {
    /// The duration in seconds; `None` unless the speed is positive and finite.
    pub fn seconds(&self) -> Option<f32> {
        (self.speed > 0.0 && self.speed.is_finite()).then(|| self.duration / self.speed)
    }
}

impl Document {
    /// The name of an animation; `None` if it has no name, or its string is missing.
    pub fn animation_name(&self, animation: &Animation) -> Option<Text> {
        self.strings.get(usize::try_from(animation.name?).ok()?)
    }

    /// Returns the poses of all joints at the timestamp with index `timestamp`, ordered by joint. `None` if the pose of
    /// a joint is missing.
    ///
    /// ```
    /// use meshspec::mesh::{Document, Pose};
    /// use meshspec::Format;
    ///
    /// let bytes = std::fs::read("samples/mesh/tentacle.mesh")?;
    /// let document = Document::read(&bytes, &Default::default())?;
    /// let sway = &document.animations[0];
    /// assert_eq!((document.animation_name(sway), sway.seconds()), (Some("sway".into()), Some(2.0)));
    /// let pose: Vec<Pose> = document.skeleton_pose(sway, 1).unwrap();
    /// assert_eq!(pose.len(), document.joints.len());
    /// # Ok::<(), meshspec::Error>(())
    /// ```
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

/// Returns `true` if the parents can be joint ids: all are below the joint count, and there is no cycle. Otherwise,
/// they are indices of entries. The difference matters only if the entries are out of order (M10).
#[cfg(feature = "scene")]
pub(super) fn parents_are_ids(joints: &[Joint]) -> bool {
    let mut parents = vec![None; joints.len()];
    for joint in joints {
        if let Some(parent) = parents.get_mut(usize::from(joint.id)) {
            *parent = joint.parent_entry();
        }
    }
    // A path with more steps than joints contains a cycle.
    let count = joints.len();
    joints.iter().all(|joint| {
        let next = |parent: &usize| parents.get(*parent).copied().flatten();
        let mut path = std::iter::successors(joint.parent_entry(), next)
            .take(count + 1)
            .enumerate();
        path.all(|(step, parent)| step < count && parent < count)
    })
}
