//! The summary of a scene.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Animation, Components, CustomAttribute, Indices, Mesh, Scene, Skin, Texture};
use crate::info::{
    AnimationInfo, AttributeInfo, Bounds, MeshInfo, Property, PropertyValue, SceneInfo,
    SkeletonInfo, distinct_names,
};

impl Scene {
    /// Returns a summary: properties, counts, attributes, bounds and names.
    pub fn info(&self) -> SceneInfo {
        let text = |(name, value): &(String, String)| Property {
            name: name.clone(),
            value: PropertyValue::Text(value.clone()),
        };
        let joints = &self.skeleton.joints;
        let names = joints
            .iter()
            .map(|joint| &joint.name)
            .filter(|name| !name.is_empty());
        let materials = self.meshes.iter().map(|mesh| &mesh.material.name);
        let unused = self
            .source
            .iter()
            .flat_map(|source| &source.unused_materials);
        let mut images = HashSet::new();
        let textures = self
            .meshes
            .iter()
            .filter_map(|mesh| mesh.material.texture.as_ref());
        let textures = textures.filter(|texture| images.insert((&texture.name, &texture.image)));
        SceneInfo {
            properties: self.properties.iter().map(text).collect(),
            meshes: self
                .meshes
                .iter()
                .map(|mesh| (mesh.info(), mesh.triangle_count()))
                .collect(),
            skeleton: (!joints.is_empty()).then(|| SkeletonInfo {
                joints: joints.len() as u64,
                roots: joints.iter().filter(|joint| joint.parent.is_none()).count() as u64,
                names: names.cloned().collect(),
            }),
            animations: self.animations.iter().map(Animation::info).collect(),
            materials: distinct_names(materials.chain(unused).cloned()),
            textures: textures.map(Texture::to_info_text).collect(),
        }
    }
}

impl Mesh {
    fn info(&self) -> MeshInfo {
        MeshInfo {
            vertices: self.positions.len() as u64,
            attributes: self.attributes(),
            indices: self.faces.indices.as_ref().map_or(0, Indices::len) as u64,
            index_bits: match self.faces.indices {
                Some(Indices::U16(_)) => 16,
                Some(Indices::U32(_)) => 32,
                None => 0,
            },
            start: None,
            copies: (!self.placements.is_empty()).then(|| self.instance_count() as u64),
            bounds: Bounds::from_points(self.positions.iter().copied()),
        }
    }

    /// Returns the number of triangles after triangulation.
    pub(super) fn triangle_count(&self) -> u64 {
        match &self.faces.corners {
            Some(corners) => corners
                .iter()
                .map(|count| u64::from(count.saturating_sub(2)))
                .sum(),
            None => self.faces.corner_count(self.positions.len()) as u64 / 3,
        }
    }

    fn attributes(&self) -> Vec<AttributeInfo> {
        let mut list = vec![attribute("position", "3 × f32")];
        list.extend(
            self.normals
                .as_ref()
                .map(|_| attribute("normal", "3 × f32")),
        );
        list.extend(
            self.tangents
                .as_ref()
                .map(|_| attribute("tangent", "4 × f32")),
        );
        list.extend((0..self.uvs.len()).map(|set| attribute(format!("uv{set}"), "2 × f32")));
        let colors = self.colors.iter().enumerate();
        list.extend(
            colors.map(|(set, values)| {
                attribute(format!("color{set}"), values.describe_components())
            }),
        );
        for (set, Skin { weights, .. }) in self.skins.iter().enumerate() {
            list.push(attribute(format!("joints{set}"), "4 × u16"));
            list.push(attribute(
                format!("weights{set}"),
                weights.describe_components(),
            ));
        }
        list.extend(
            self.custom
                .iter()
                .map(|c| attribute(c.name.clone(), c.describe_components())),
        );
        list
    }
}

fn attribute(
    name: impl Into<Cow<'static, str>>,
    components: impl Into<Cow<'static, str>>,
) -> AttributeInfo {
    AttributeInfo {
        name: name.into(),
        components: components.into(),
    }
}

impl CustomAttribute {
    /// Describes the components of a value, such as `3 × f32`.
    fn describe_components(&self) -> String {
        let number = match self.values {
            Components::F32(_) => "f32",
            Components::F64(_) => "f64",
            Components::U8(_) => "u8",
            Components::I8(_) => "i8",
            Components::U16(_) => "u16",
            Components::I16(_) => "i16",
            Components::U32(_) => "u32",
            Components::I32(_) => "i32",
        };
        if self.components == 1 {
            number.to_owned()
        } else {
            format!("{} × {number}", self.components)
        }
    }
}

impl Animation {
    fn info(&self) -> AnimationInfo {
        AnimationInfo {
            name: (!self.name.is_empty()).then(|| self.name.clone()),
            ticks: self.duration,
            seconds: Some(self.ticks_to_seconds(self.duration)),
            // Time lists can differ in length; reports the length of the longest.
            poses: self.times.iter().map(Vec::len).max().unwrap_or(0) as u64,
        }
    }
}
