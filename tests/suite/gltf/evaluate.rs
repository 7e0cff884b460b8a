//! A small independent glTF reader for skinned positions over time. It supports only nodes, one skin and animations.

use glam::{Mat4, Quat, Vec3, Vec4};
use serde_json::Value;

/// A `.glb` with one skinned mesh.
pub struct Model<'a> {
    pub json: Value,
    numbers: &'a [u8],
}

impl<'a> Model<'a> {
    pub fn new(glb: &'a [u8]) -> Model<'a> {
        let (json, numbers) = super::parts(glb);
        Model { json, numbers }
    }

    /// Returns the components of an accessor as floats. Normalised integers become 0 to 1.
    pub fn accessor(&self, index: &Value) -> Vec<Vec<f32>> {
        let accessor = &self.json["accessors"][index.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start =
            view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
        let components = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let (width, divisor) = match accessor["componentType"].as_u64().unwrap() {
            5121 => (1, 255.0),
            5123 => (2, 65_535.0),
            _ => (4, 1.0),
        };
        let divisor = if accessor["normalized"] == true {
            divisor
        } else {
            1.0
        };
        let stride = view["byteStride"]
            .as_u64()
            .map_or(components * width, |stride| stride as usize);
        let number = |at: usize| match width {
            1 => f32::from(self.numbers[at]) / divisor,
            2 => f32::from(u16::from_le_bytes([self.numbers[at], self.numbers[at + 1]])) / divisor,
            _ => f32::from_le_bytes(self.numbers[at..at + 4].try_into().unwrap()),
        };
        let values = 0..accessor["count"].as_u64().unwrap() as usize;
        let value = |index: usize| {
            (0..components).map(move |lane| start as usize + index * stride + lane * width)
        };
        values
            .map(|index| value(index).map(number).collect())
            .collect()
    }

    /// Returns the local transform of a node at a time.
    fn local(&self, node: usize, animation: Option<usize>, seconds: f32) -> Mat4 {
        let entry = &self.json["nodes"][node];
        if let Ok(matrix) = serde_json::from_value::<[f32; 16]>(entry["matrix"].clone()) {
            return Mat4::from_cols_array(&matrix);
        }
        let rest = |name: &str, default: &[f32]| -> Vec<f32> {
            serde_json::from_value(entry[name].clone()).unwrap_or_else(|_| default.to_vec())
        };
        let mut translation = rest("translation", &[0.0; 3]);
        let mut rotation = rest("rotation", &[0.0, 0.0, 0.0, 1.0]);
        let mut scale = rest("scale", &[1.0; 3]);
        let animation = animation.map_or(&Value::Null, |animation| {
            &self.json["animations"][animation]
        });
        for channel in animation["channels"].as_array().into_iter().flatten() {
            if channel["target"]["node"] != node {
                continue;
            }
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let value = self.sample(sampler, seconds, channel["target"]["path"] == "rotation");
            match channel["target"]["path"].as_str().unwrap() {
                "translation" => translation = value,
                "rotation" => rotation = value,
                _ => scale = value,
            }
        }
        Mat4::from_scale_rotation_translation(
            Vec3::from_slice(&scale),
            Quat::from_slice(&rotation),
            Vec3::from_slice(&translation),
        )
    }

    fn sample(&self, sampler: &Value, seconds: f32, rotation: bool) -> Vec<f32> {
        let times: Vec<f32> = self.accessor(&sampler["input"]).concat();
        let values = self.accessor(&sampler["output"]);
        let after = times
            .iter()
            .position(|time| *time > seconds)
            .unwrap_or(times.len());
        let (Some(before), true) = (after.checked_sub(1), after < times.len()) else {
            return values[after.min(times.len() - 1)].clone();
        };
        let fraction = (seconds - times[before]) / (times[after] - times[before]);
        if sampler["interpolation"] == "STEP" {
            return values[before].clone();
        }
        if rotation {
            let [from, to] = [before, after].map(|place| Quat::from_slice(&values[place]));
            return from.slerp(to, fraction).to_array().to_vec();
        }
        values[before]
            .iter()
            .zip(&values[after])
            .map(|(a, b)| a + (b - a) * fraction)
            .collect()
    }

    fn parent(&self, node: usize) -> Option<usize> {
        let nodes = self.json["nodes"].as_array().unwrap();
        nodes.iter().position(|other| {
            other["children"]
                .as_array()
                .is_some_and(|list| list.contains(&node.into()))
        })
    }

    fn global(&self, node: usize, animation: Option<usize>, seconds: f32) -> Mat4 {
        let local = self.local(node, animation, seconds);
        self.parent(node).map_or(local, |parent| {
            self.global(parent, animation, seconds) * local
        })
    }

    /// Returns the skinned vertices of the first node with a skin, at a time of an animation.
    pub fn vertices(&self, animation: Option<usize>, seconds: f32) -> Vec<Vec3> {
        let nodes = self.json["nodes"].as_array().unwrap();
        let node = nodes
            .iter()
            .find(|node| node.get("skin").is_some())
            .unwrap();
        let skin = &self.json["skins"][node["skin"].as_u64().unwrap() as usize];
        let mesh = &self.json["meshes"][node["mesh"].as_u64().unwrap() as usize];
        let inverse_binds = self.accessor(&skin["inverseBindMatrices"]);
        let joints = skin["joints"]
            .as_array()
            .unwrap()
            .iter()
            .zip(&inverse_binds);
        let matrices: Vec<Mat4> = joints
            .map(|(joint, inverse_bind)| {
                let global = self.global(joint.as_u64().unwrap() as usize, animation, seconds);
                global * Mat4::from_cols_slice(inverse_bind)
            })
            .collect();
        let attributes = &mesh["primitives"][0]["attributes"];
        let positions = self.accessor(&attributes["POSITION"]);
        let joints = self.accessor(&attributes["JOINTS_0"]);
        let weights = self.accessor(&attributes["WEIGHTS_0"]);
        let vertices = positions.iter().zip(joints.iter().zip(&weights));
        vertices
            .map(|(position, (joints, weights))| {
                let position = Vec3::from_slice(position).extend(1.0);
                let influences = joints.iter().zip(weights);
                let sum: Vec4 = influences
                    .map(|(joint, weight)| matrices[*joint as usize] * position * *weight)
                    .sum();
                sum.truncate()
            })
            .collect()
    }
}
