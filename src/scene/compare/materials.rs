//! Compares the materials of matched meshes by value.

use super::attributes::MeshPairs;
use super::{DifferenceKind, SceneDifference};
use crate::scene::{AlphaMode, Material, Mesh, Scene, Texture};
use crate::{Quantity, Unit};

/// Metallic and roughness factors and alpha cutoffs, from 0 to 1.
const FACTORS: Quantity = Quantity::new("factors", Unit::OfOne);

/// Compares the materials of matched meshes. Meshes of the first scene without a matched triangle are compared by
/// their matched corners and, without any, with meshes whose material has the same name.
pub fn compare(scenes: [&Scene; 2], pairs: &MeshPairs, tolerance: f64) -> Vec<SceneDifference> {
    let mut differences: Vec<SceneDifference> = Vec::new();
    for (index, mesh) in scenes[0]
        .meshes
        .iter()
        .enumerate()
        .filter(|(index, _)| pairs.compared.contains(index))
    {
        let range = (index, 0)..=(index, usize::MAX);
        let mut counterparts: Vec<usize> = pairs
            .by_triangle
            .range(range.clone())
            .map(|pair| pair.1)
            .collect();
        if counterparts.is_empty() {
            counterparts = pairs.by_corner.range(range).map(|pair| pair.1).collect();
        }
        if counterparts.is_empty() {
            let is_same = |other: &Mesh| other.material.name == mesh.material.name;
            // Preferably the mesh with the same index, since materials may have no names.
            let in_place = scenes[1]
                .meshes
                .get(index)
                .filter(|other| is_same(other))
                .map(|_| index);
            counterparts = in_place
                .or_else(|| scenes[1].meshes.iter().position(is_same))
                .into_iter()
                .collect();
        }
        for other in counterparts
            .into_iter()
            .filter_map(|other| scenes[1].meshes.get(other))
        {
            let path = match &*mesh.material.name {
                "" => format!("meshes[{index}].material"),
                name => format!("materials[\"{name}\"]"),
            };
            let found = MaterialComparison {
                path,
                from: &mesh.material,
                to: &other.material,
                tolerance,
            };
            // Meshes may share a material.
            let new: Vec<_> = found
                .differences()
                .into_iter()
                .filter(|found| !differences.contains(found))
                .collect();
            differences.extend(new);
        }
    }
    differences
}

struct MaterialComparison<'m> {
    path: String,
    from: &'m Material,
    to: &'m Material,
    tolerance: f64,
}

impl MaterialComparison<'_> {
    fn differences(&self) -> Vec<SceneDifference> {
        let MaterialComparison { from, to, .. } = self;
        let mut differences = Vec::new();
        if from.name != to.name && !from.name.is_empty() && !to.name.is_empty() {
            differences.push(self.changed("name", &from.name, &to.name));
        }
        // A missing base colour is drawn as white.
        let [before, after] = [from, to].map(|material| material.base_color.unwrap_or([1.0; 4]));
        let by = before
            .iter()
            .zip(after)
            .map(|(a, b)| f64::from((a - b).abs()))
            .fold(0.0, f64::max);
        if by > self.tolerance {
            let difference =
                self.changed("base_color", format!("{before:?}"), format!("{after:?}"));
            differences.push(difference.by(by, Quantity::COLORS));
        }
        let factors = [
            ("metallic", from.metallic, to.metallic),
            ("roughness", from.roughness, to.roughness),
        ];
        for (name, before, after) in factors {
            differences.extend(self.factor(name, before, after));
        }
        match (from.alpha_mode, to.alpha_mode) {
            (AlphaMode::Mask { cutoff }, AlphaMode::Mask { cutoff: other }) => {
                differences.extend(self.factor("alpha_mode.cutoff", cutoff, other));
            }
            (before, after) if before != after => {
                differences.push(self.changed("alpha_mode", before, after));
            }
            _ => {}
        }
        if from.double_sided != to.double_sided {
            differences.push(self.changed("double_sided", from.double_sided, to.double_sided));
        }
        match (&from.texture, &to.texture) {
            (Some(before), Some(after)) => {
                differences.extend(self.texture_differences(before, after))
            }
            (Some(_), None) => differences.push(self.missing(DifferenceKind::Removed)),
            (None, Some(_)) => differences.push(self.missing(DifferenceKind::Added)),
            (None, None) => {}
        }
        differences
    }

    fn texture_differences(&self, before: &Texture, after: &Texture) -> Vec<SceneDifference> {
        let mut differences = Vec::new();
        match (&before.image, &after.image) {
            (Some(image), Some(other)) if image.bytes != other.bytes => {
                let size = |bytes: &[u8]| format!("{} bytes", bytes.len());
                differences.push(self.changed(
                    "texture.image",
                    size(&image.bytes),
                    size(&other.bytes),
                ));
            }
            // The content of a file is unknown here, so an embedded image may be the same.
            (None, None) if before.name != after.name => {
                differences.push(self.changed("texture.name", &before.name, &after.name));
            }
            _ => {}
        }
        if before.uv_set != after.uv_set {
            differences.push(self.changed("texture.uv_set", before.uv_set, after.uv_set));
        }
        if before.sampler.wrap != after.sampler.wrap {
            let [from, to] =
                [before, after].map(|texture| format!("{:?}", texture.sampler.wrap).to_lowercase());
            differences.push(self.changed("texture.sampler.wrap", from, to));
        }
        let filters =
            [before, after].map(|texture| (texture.sampler.magnify, texture.sampler.minify));
        if filters[0] != filters[1] {
            let [from, to] = [before, after].map(|texture| {
                texture
                    .sampler
                    .describe_filters()
                    .unwrap_or_else(|| "linear or unspecified".to_owned())
            });
            differences.push(self.changed("texture.sampler.filters", from, to));
        }
        differences
    }

    fn factor(&self, name: &str, before: f32, after: f32) -> Option<SceneDifference> {
        let by = f64::from((before - after).abs());
        (by > self.tolerance).then(|| self.changed(name, before, after).by(by, FACTORS))
    }

    fn changed(&self, name: &str, from: impl ToString, to: impl ToString) -> SceneDifference {
        SceneDifference::changed(format!("{}.{name}", self.path), from, to)
    }

    fn missing(&self, kind: DifferenceKind) -> SceneDifference {
        SceneDifference::new(format!("{}.texture", self.path), kind, 1)
    }
}
