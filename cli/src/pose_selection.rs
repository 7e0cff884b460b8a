//! The pose selected on the command line.

use meshspec::scene::{Pose, Scene};

/// The pose selected on the command line: a time in an animation, or the rest pose.
#[derive(Debug, Clone, Default)]
pub struct PoseSelection {
    /// The name or index of an animation.
    pub animation: Option<String>,
    /// The time on the timeline of the animation, in seconds.
    pub time: Option<f32>,
}

impl PoseSelection {
    /// Returns the selected pose of a scene. If only a time is given, it refers to the first animation; if only an
    /// animation is given, the time is 0.
    fn selected_pose(&self, scene: &Scene) -> Pose {
        if self.animation.is_none() && self.time.is_none() {
            return Pose::Rest;
        }
        let first = || match scene.animations.first() {
            Some(first) if !first.name.is_empty() => first.name.clone(),
            _ => "0".to_owned(),
        };
        let name = self.animation.clone().unwrap_or_else(first);
        Pose::Animation {
            name,
            seconds: self.time.unwrap_or(0.0),
        }
    }

    /// Moves the vertices of a scene to the selected pose.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene lacks the animation, or the time is outside the animation.
    pub fn apply(&self, scene: &mut Scene) -> meshspec::Result<()> {
        scene.apply_transform();
        scene.set_rest_pose(&self.selected_pose(scene))?;
        let local: Vec<_> = (0..scene.skeleton.joints.len())
            .map(|joint| scene.skeleton.rest_transform(joint))
            .collect();
        scene.apply_pose(&local);
        Ok(())
    }
}
