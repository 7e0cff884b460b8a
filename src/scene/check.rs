//! Consistency checks of scenes before they are written.

use super::{Faces, Mesh, Scene, Skin};
use crate::{Error, Result};

impl Scene {
    /// Checks the consistency of the scene: one value per vertex in each attribute, all indices in range, face sizes
    /// that sum to the number of indices, and no cycles in the skeleton.
    ///
    /// # Errors
    ///
    /// Returns an error for the first inconsistency, located by a path like `meshes[2].uvs[1]`.
    pub fn check(&self) -> Result<()> {
        for (index, mesh) in self.meshes.iter().enumerate() {
            mesh.check().map_err(|(path, message)| reject(format!("meshes[{index}].{path}"), message))?;
            for (set, skin) in mesh.skins.iter().enumerate() {
                self.check_joints(skin)
                    .map_err(|message| reject(format!("meshes[{index}].skins[{set}]"), message))?;
            }
        }
        for (index, lod) in self.lods.iter().enumerate() {
            if let Some(mesh) = lod.meshes.iter().find(|mesh| **mesh >= self.meshes.len()) {
                let message = format!("mesh {mesh} is not below the mesh count {}", self.meshes.len());
                return Err(reject(format!("lods[{index}].meshes"), message));
            }
        }
        self.check_skeleton()?;
        self.check_animations()
    }

    fn check_joints(&self, skin: &Skin) -> Result<(), String> {
        let joints = self.skeleton.joints.len();
        let is_valid = |joint: u16| joint == Skin::NONE || usize::from(joint) < joints || joints == 0;
        // Fast path: one pass without branches. `Skin::NONE` wraps around to 0.
        let highest = skin
            .joints
            .as_flattened()
            .iter()
            .fold(0, |highest: u16, joint| highest.max(joint.wrapping_add(1)));
        if joints == 0 || usize::from(highest) <= joints {
            return Ok(());
        }
        match skin.joints.iter().position(|four| !four.iter().all(|joint| is_valid(*joint))) {
            Some(vertex) => Err(format!(
                "vertex {vertex} is bound to joints {:?}, not all below the joint count {joints}",
                skin.joints[vertex]
            )),
            None => Ok(()),
        }
    }

    fn check_skeleton(&self) -> Result<()> {
        let joints = &self.skeleton.joints;
        for (index, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|parent| *parent >= joints.len()) {
                let message = format!("parent {parent} is not below the joint count {}", joints.len());
                return Err(reject(format!("skeleton.joints[{index}].parent"), message));
            }
        }
        match self.skeleton.parents_first().len() == joints.len() {
            true => Ok(()),
            false => Err(reject("skeleton.joints", "a joint is its own ancestor".to_owned())),
        }
    }

    fn check_animations(&self) -> Result<()> {
        for (index, animation) in self.animations.iter().enumerate() {
            for (position, channel) in animation.channels.iter().enumerate() {
                let fail =
                    |message| Err(reject(format!("animations[{index}].channels[{position}]"), message));
                if channel.joint >= self.skeleton.joints.len() {
                    return fail(format!(
                        "joint {} is not below the joint count {}",
                        channel.joint,
                        self.skeleton.joints.len()
                    ));
                }
                match animation.times.get(channel.times) {
                    Some(times) if times.len() == channel.samples.len() => {}
                    Some(times) => {
                        return fail(format!("{} samples at {} times", channel.samples.len(), times.len()));
                    }
                    None => {
                        return fail(format!(
                            "time list {} is not below the time list count {}",
                            channel.times,
                            animation.times.len()
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

fn reject(path: impl Into<String>, message: String) -> Error {
    Error::inexpressible(message).at_text(path)
}

impl Mesh {
    fn check(&self) -> Result<(), (String, String)> {
        let vertices = self.positions.len();
        let mismatch =
            |path: String, count: usize| Err((path, format!("{count} values for {vertices} vertices")));
        let lists = [
            ("exact_positions", self.exact_positions.as_ref().map(Vec::len)),
            ("normals", self.normals.as_ref().map(Vec::len)),
            ("tangents", self.tangents.as_ref().map(Vec::len)),
        ];
        let sets = self.uvs.iter().enumerate().map(|(set, uvs)| (format!("uvs[{set}]"), uvs.len()));
        let colors =
            self.colors.iter().enumerate().map(|(set, colors)| (format!("colors[{set}]"), colors.len()));
        let joints =
            self.skins.iter().enumerate().map(|(set, skin)| (format!("skins[{set}].joints"), skin.len()));
        let weights = self
            .skins
            .iter()
            .enumerate()
            .map(|(set, skin)| (format!("skins[{set}].weights"), skin.weights.len()));
        if let Some(position) = self.placements.iter().position(|node| !node.transform.is_finite()) {
            return Err((
                format!("placements[{position}].transform"),
                "the transform is not finite".to_owned(),
            ));
        }
        let lists = lists.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?)));
        for (path, count) in lists.chain(sets).chain(colors).chain(joints).chain(weights) {
            if count != vertices {
                return mismatch(path, count);
            }
        }
        for (index, custom) in self.custom.iter().enumerate() {
            if !(1..=4).contains(&custom.components) || custom.values.len() != vertices * custom.components {
                let message = format!(
                    "{} components for {vertices} vertices of {}",
                    custom.values.len(),
                    custom.components
                );
                return Err((format!("custom[{index}]"), message));
            }
        }
        self.faces.check(vertices)
    }
}

impl Faces {
    fn check(&self, vertices: usize) -> Result<(), (String, String)> {
        if let Some(largest) =
            self.indices.as_ref().and_then(|indices| indices.max()).filter(|i| *i as usize >= vertices)
        {
            return Err((
                "faces.indices".to_owned(),
                format!("index {largest} is not below the vertex count {vertices}"),
            ));
        }
        let corners = self.corner_count(vertices) as u64;
        let face_size_sum = match &self.corners {
            Some(counts) => counts.iter().map(|count| u64::from(*count)).sum(),
            None => corners,
        };
        match corners == face_size_sum {
            true => Ok(()),
            false => Err((
                "faces.corners".to_owned(),
                format!("the face sizes add up to {face_size_sum}, but the index count is {corners}"),
            )),
        }
    }
}
