//! Consistency checks of scenes before they are written.

use super::{Channel, CustomAttribute, Faces, Indices, Mesh, Scene, Skin};
use crate::{Error, Result};

impl Scene {
    /// Checks that attributes have one value per vertex, indices are in range, and face sizes sum to the number of
    /// corners. Checks that channels have one sample per time, node transforms are finite, and the skeleton has no
    /// cycles. Without a skeleton, joint indices are not checked.
    ///
    /// # Errors
    ///
    /// Returns an error for the first inconsistency, located by a path like `meshes[2].uvs[1]`.
    pub fn check(&self) -> Result<()> {
        for (index, mesh) in self.meshes.iter().enumerate() {
            mesh.check()
                .map_err(|(path, message)| reject(format!("meshes[{index}].{path}"), message))?;
            for (set, skin) in mesh.skins.iter().enumerate() {
                self.check_joints(skin)
                    .map_err(|message| reject(format!("meshes[{index}].skins[{set}]"), message))?;
            }
        }
        for (index, lod) in self.lods.iter().enumerate() {
            if let Some(mesh) = lod.meshes.iter().find(|mesh| **mesh >= self.meshes.len()) {
                let message = format!(
                    "mesh {mesh} is not below the mesh count {}",
                    self.meshes.len()
                );
                return Err(reject(format!("lods[{index}].meshes"), message));
            }
        }
        self.check_skeleton()?;
        self.check_animations()
    }

    fn check_joints(&self, skin: &Skin) -> Result<(), String> {
        let joints = self.skeleton.joints.len();
        let is_valid =
            |joint: u16| joint == Skin::NONE || usize::from(joint) < joints || joints == 0;
        // Fast path: one pass without branches. `Skin::NONE` wraps around to 0.
        let all = skin.joints.as_flattened().iter();
        let highest = all.fold(0, |highest: u16, joint| highest.max(joint.wrapping_add(1)));
        if joints == 0 || usize::from(highest) <= joints {
            return Ok(());
        }
        let invalid = skin
            .joints
            .iter()
            .position(|four| !four.iter().all(|joint| is_valid(*joint)));
        let Some(vertex) = invalid else { return Ok(()) };
        let own = skin.joints[vertex];
        Err(format!(
            "vertex {vertex} is bound to joints {own:?}, not all below the joint count {joints}"
        ))
    }

    fn check_skeleton(&self) -> Result<()> {
        let joints = &self.skeleton.joints;
        for (index, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|parent| *parent >= joints.len()) {
                let message = format!(
                    "parent {parent} is not below the joint count {}",
                    joints.len()
                );
                return Err(reject(format!("skeleton.joints[{index}].parent"), message));
            }
        }
        match self.skeleton.parents_first().len() == joints.len() {
            true => Ok(()),
            false => Err(reject(
                "skeleton.joints",
                "a joint is its own ancestor".to_owned(),
            )),
        }
    }

    fn check_animations(&self) -> Result<()> {
        for (index, animation) in self.animations.iter().enumerate() {
            for (position, channel) in animation.channels.iter().enumerate() {
                let Channel {
                    joint,
                    times,
                    samples,
                    ..
                } = channel;
                let (joints, lists) = (self.skeleton.joints.len(), animation.times.len());
                let message = match animation.times.get(*times).map(Vec::len) {
                    _ if *joint >= joints => {
                        format!("joint {joint} is not below the joint count {joints}")
                    }
                    Some(count) if count == samples.len() => continue,
                    Some(count) => format!("{} samples at {count} times", samples.len()),
                    None => format!("time list {times} is not below the time list count {lists}"),
                };
                return Err(reject(
                    format!("animations[{index}].channels[{position}]"),
                    message,
                ));
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
        if let Some(position) = self
            .placements
            .iter()
            .position(|node| !node.transform.is_finite())
        {
            let path = format!("placements[{position}].transform");
            return Err((path, "the transform is not finite".to_owned()));
        }
        let lists = [
            (
                "exact_positions",
                self.exact_positions.as_ref().map(Vec::len),
            ),
            ("normals", self.normals.as_ref().map(Vec::len)),
            ("tangents", self.tangents.as_ref().map(Vec::len)),
        ];
        let lists = lists
            .into_iter()
            .filter_map(|(name, count)| Some((name.to_owned(), count?)));
        let uvs = self
            .uvs
            .iter()
            .enumerate()
            .map(|(set, uvs)| (format!("uvs[{set}]"), uvs.len()));
        let colors = self
            .colors
            .iter()
            .enumerate()
            .map(|(set, own)| (format!("colors[{set}]"), own.len()));
        let skins = || self.skins.iter().enumerate();
        let joints = skins().map(|(set, skin)| (format!("skins[{set}].joints"), skin.len()));
        let weights =
            skins().map(|(set, skin)| (format!("skins[{set}].weights"), skin.weights.len()));
        let mut lists = lists.chain(uvs).chain(colors).chain(joints).chain(weights);
        if let Some((path, count)) = lists.find(|(_, count)| *count != vertices) {
            return Err((path, format!("{count} values for {vertices} vertices")));
        }
        for (index, custom) in self.custom.iter().enumerate() {
            if !custom.has_valid_width() || custom.values.len() != vertices * custom.components {
                let (count, each) = (custom.values.len(), custom.components);
                let message = format!("{count} components for {vertices} vertices of {each}");
                return Err((format!("custom[{index}]"), message));
            }
        }
        self.faces.check(vertices)
    }
}

impl CustomAttribute {
    /// Returns `true` if there are 1 to 4 components per vertex.
    pub(super) fn has_valid_width(&self) -> bool {
        (1..=4).contains(&self.components)
    }
}

impl Faces {
    fn check(&self, vertices: usize) -> Result<(), (String, String)> {
        let largest = self.indices.as_ref().and_then(Indices::max);
        if let Some(largest) = largest.filter(|index| *index as usize >= vertices) {
            let message = format!("index {largest} is not below the vertex count {vertices}");
            return Err(("faces.indices".to_owned(), message));
        }
        let corners = self.corner_count(vertices) as u64;
        let Some(counts) = &self.corners else {
            return Ok(());
        };
        let sum: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        if sum == corners {
            return Ok(());
        }
        let message = format!("the face sizes add up to {sum}, but the index count is {corners}");
        Err(("faces.corners".to_owned(), message))
    }
}
