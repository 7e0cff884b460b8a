//! Reduces scenes to the capabilities of a format, and lists the losses.

use std::collections::HashSet;

use glam::{DMat4, Mat4};

use super::capabilities::Capabilities;
use super::{
    AlphaMode, Conventions, Material, Mesh, Placement, Sampler, Scene, SceneOptions, Skin, UvOrigin, merge,
};
use crate::{Category, Loss, LossKind, Path, Quantity, Result};

impl Capabilities {
    /// Converts a scene to the axes, unit and texture origin of the format, and removes everything that the format cannot
    /// express. Every writer calls this first.
    ///
    /// Applies the transform, triangulates polygons, merges meshes and rounds 64-bit coordinates where the format
    /// requires it.
    ///
    /// # Errors
    ///
    /// Returns an error if copies of meshes at several nodes exceed the maximum number of triangles.
    pub fn restrict(
        &self,
        scene: &mut Scene,
        conventions: Conventions,
        options: &SceneOptions,
    ) -> Result<Vec<Loss>> {
        conventions.from_scene_space(scene);
        let mut losses = Losses { format: self.format, list: Vec::new() };
        if !self.lods {
            keep_finest(scene, &mut losses);
        }
        if !self.skeleton {
            let moved = scene.pose_at_rest();
            if moved > 0 {
                let message = format!("{} has no skeleton: vertices moved to the rest pose", self.format);
                let vertices = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
                let loss = Loss::changed("skeleton.joints", message);
                losses.list.push(loss.affecting(moved, vertices, "vertices"));
            }
        }
        if !self.transform && scene.transform.is_some_and(|transform| transform != Mat4::IDENTITY) {
            let message =
                format!("{} has no transforms: applied to the vertices and root joints", self.format);
            losses.list.push(Loss::changed("transform", message));
        }
        if !self.transform {
            if self.skeleton {
                scene.list_rounded_roots(&mut losses.list);
            }
            scene.apply_transform();
        }
        losses.list.extend(self.apply_nodes(scene, options.max_triangles)?);
        scene.round(&mut losses.list);
        for (index, mesh) in scene.meshes.iter_mut().enumerate() {
            self.restrict_mesh(mesh, conventions.uv_origin, &format!("meshes[{index}]"), &mut losses);
        }
        if !self.meshes && scene.meshes.len() > 1 {
            let loss = Loss::new(
                LossKind::Merged,
                "meshes",
                format!("combined into the single mesh of {}", self.format),
            );
            let loss = loss.counting(scene.meshes.len(), "meshes");
            let meshes = std::mem::take(&mut scene.meshes);
            scene.meshes = vec![merge::merge(meshes, &mut losses.list)];
            losses.list.push(loss);
        }
        self.restrict_skeleton(scene, &mut losses);
        losses.drop_if(!self.properties, "properties", "properties", &mut scene.properties);
        if !self.user_data && !scene.user_data.is_empty() {
            losses.drop_counted("user_data", "user data", scene.user_data.len(), "bytes");
            scene.user_data.clear();
        }
        if !self.extras && !scene.extras.is_empty() {
            losses.drop("extras", "extras", names_of(&scene.extras));
            scene.extras.clear();
        }
        Ok(losses.list)
    }

    /// Bakes the nodes that the format cannot express: one copy of the mesh per node.
    ///
    /// # Errors
    ///
    /// Returns an error if the copies exceed `max_triangles` triangles or vertices.
    pub fn apply_nodes(&self, scene: &mut Scene, max_triangles: u64) -> Result<Vec<Loss>> {
        let mut losses = Vec::new();
        if self.nodes {
            scene.bake_inexpressible(max_triangles, &mut losses)?;
            return Ok(losses);
        }
        let moves = |placement: &Placement| placement.count() > 1 || placement.transform != DMat4::IDENTITY;
        for (index, mesh) in scene.meshes.iter().enumerate() {
            if mesh.placements.iter().any(moves) {
                let message =
                    format!("{} has no nodes: their transforms applied to the vertices", self.format);
                losses.push(Loss::changed(format!("meshes[{index}]"), message));
            }
        }
        scene.bake(max_triangles, &mut losses, |_, _| true)?;
        Ok(losses)
    }

    fn restrict_mesh(&self, mesh: &mut Mesh, uv_origin: UvOrigin, at: &str, losses: &mut Losses) {
        losses.drop_text(
            !self.mesh_names,
            format!("{at}.name"),
            ("mesh names", Category::Names),
            &mut mesh.name,
        );
        self.restrict_material(mesh, at, losses);
        // A transform may have moved flat meshes out of the plane z = 0.
        if mesh.flat && !(self.flat && mesh.is_flat()) {
            mesh.flat = false;
            let message = format!("{} has no 2D positions: z = 0 added", self.format);
            losses.list.push(Loss::dropped(format!("{at}.flat"), message));
        }
        losses.drop_option(!self.normals, format!("{at}.normals"), "normals", &mut mesh.normals);
        losses.drop_option(!self.tangents, format!("{at}.tangents"), "tangents", &mut mesh.tangents);
        losses.drop_sets(self.uvs, format!("{at}.uvs"), "texture coordinates", &mut mesh.uvs);
        losses.drop_sets(self.colors, format!("{at}.colors"), "colours", &mut mesh.colors);
        self.restrict_skins(mesh, at, losses);
        let mut index = 0;
        mesh.custom.retain(|custom| {
            let keep = (self.custom)(custom);
            if !keep {
                losses.drop(
                    format!("{at}.custom[{index}]"),
                    "custom attributes",
                    format_args!("\"{}\"", custom.name),
                );
            }
            index += 1;
            keep
        });
        self.restrict_faces(mesh, at, losses);
        self.flip_uvs(mesh, uv_origin, at, losses);
        if !self.extras && !mesh.extras.is_empty() {
            losses.drop(format!("{at}.extras"), "mesh extras", names_of(&mesh.extras));
            mesh.extras.clear();
        }
    }

    fn restrict_material(&self, mesh: &mut Mesh, at: &str, losses: &mut Losses) {
        let field = |field: &str| format!("{at}.material.{field}");
        let Mesh { material, uvs, .. } = mesh;
        losses.drop_text(
            !self.materials,
            field("name"),
            ("materials", Category::Material),
            &mut material.name,
        );
        losses.drop_option(
            !self.flat_colors,
            field("base_color"),
            "colours of meshes",
            &mut material.base_color,
        );
        if let Some(texture) = material.texture.take_if(|_| !self.textures) {
            losses.drop(field("texture"), "textures", texture.label());
        }
        if let Some(texture) = &mut material.texture {
            let set = if self.surfaces { 0 } else { std::mem::take(&mut texture.uv_set) };
            if set > 0 && set < uvs.len() {
                uvs.swap(0, set);
                let only = if self.uvs == 1 { "the only set of" } else { "the set of textures in" };
                let message = format!("becomes uvs[0], {only} {}", self.format);
                losses.list.push(Loss::renamed(format!("{at}.uvs[{set}]"), message));
            }
            let Sampler { wrap, magnify, minify } = Sampler::default();
            if !self.wrapping && std::mem::replace(&mut texture.sampler.wrap, wrap) != wrap {
                losses.drop(field("texture.sampler"), "clamped or mirrored textures", texture.label());
            }
            if !self.filters {
                if let Some(filters) = texture.sampler.filters() {
                    losses.drop(field("texture.sampler"), "texture filters", filters);
                }
                (texture.sampler.magnify, texture.sampler.minify) = (magnify, minify);
            }
        }
        if !self.alpha_modes && material.alpha_mode != AlphaMode::Opaque {
            let mode = std::mem::take(&mut material.alpha_mode);
            losses.drop(field("alpha_mode"), "alpha modes", mode);
        }
        if self.surfaces {
            return;
        }
        if std::mem::take(&mut material.double_sided) {
            losses.list.push(Loss::dropped(
                field("double_sided"),
                format!("{} has no double-sided surfaces", self.format),
            ));
        }
        let Material { metallic, roughness, .. } = Material::default();
        let found = [
            std::mem::replace(&mut material.metallic, metallic),
            std::mem::replace(&mut material.roughness, roughness),
        ];
        // Most glTF files have the default, a fully rough metal, by omission.
        if found != [metallic, roughness] && found != [1.0, 1.0] {
            let [metallic, roughness] = found;
            let detail = format_args!("metallic {metallic}, roughness {roughness}");
            losses.drop(field("metallic"), "metallic or rough surfaces", detail);
        }
    }

    fn restrict_skins(&self, mesh: &mut Mesh, at: &str, losses: &mut Losses) {
        if self.skins == 1 && mesh.skins.len() > 1 {
            let (skin, reduced) = Skin::with_four(&mesh.skins, mesh.positions.len());
            mesh.skins = vec![skin];
            if reduced.vertices > 0 {
                let message = format!("{} has 4 joints per vertex: the largest weights kept", self.format);
                let loss =
                    Loss::quantised(format!("{at}.skins"), message, Quantity::WEIGHTS, reduced.dropped);
                losses.list.push(loss.affecting(reduced.vertices, mesh.positions.len(), "vertices"));
            }
        }
        losses.drop_sets(self.skins, format!("{at}.skins"), "joints and weights", &mut mesh.skins);
    }

    fn restrict_faces(&self, mesh: &mut Mesh, at: &str, losses: &mut Losses) {
        let faces = mesh.faces.corners.as_ref().map_or(0, Vec::len);
        let polygons = mesh.faces.corners.iter().flatten().filter(|count| **count > self.corners).count();
        if polygons > 0 {
            let message = format!("faces with more than {} corners triangulated", self.corners);
            let loss = Loss::new(LossKind::Split, format!("{at}.faces.corners"), message);
            losses.list.push(loss.affecting(polygons, faces, "faces"));
        }
        let thin = mesh.faces.corners.iter().flatten().filter(|count| **count < 3).count();
        // Writers of formats with unlimited polygons handle such faces and list them.
        if thin > 0 && self.corners < u32::MAX {
            let loss = Loss::dropped(format!("{at}.faces.corners"), "faces with fewer than 3 corners");
            losses.list.push(loss.affecting(thin, faces, "faces"));
        }
        if polygons > 0 || self.corners == 3 {
            losses.list.extend(mesh.triangulate().map(|loss| loss.within(at)));
        }
        let spare = mesh.faces.drop_spare_corners(mesh.positions.len());
        if spare > 0 {
            let loss = Loss::dropped(format!("{at}.faces"), "corners after the last triangle");
            losses.list.push(loss.counting(spare, "corners"));
        }
        if !self.unindexed {
            mesh.faces.number(mesh.positions.len());
        }
    }

    fn flip_uvs(&self, mesh: &mut Mesh, uv_origin: UvOrigin, at: &str, losses: &mut Losses) {
        if mesh.uv_origin == uv_origin {
            return;
        }
        mesh.uv_origin = uv_origin;
        for (set, uvs) in mesh.uvs.iter_mut().enumerate() {
            let mut worst = 0.0_f32;
            for [_, v] in uvs {
                let turned = 1.0 - *v;
                // In 64 bits, the difference is exact for all relevant values.
                let error = (f64::from(*v) - (1.0 - f64::from(turned))).abs();
                worst = worst.max(error as f32);
                *v = turned;
            }
            if worst > 0.0 {
                let message = format!(
                    "texture coordinates flipped, v becomes 1 - v: the texture origin of {} is {uv_origin}",
                    self.format
                );
                let path = format!("{at}.uvs[{set}]");
                losses.list.push(Loss::quantised(path, message, Quantity::TEXTURE_COORDINATES, worst));
            }
        }
    }

    fn restrict_skeleton(&self, scene: &mut Scene, losses: &mut Losses) {
        losses.drop_if(!self.animations, "animations", "animations", &mut scene.animations);
        losses.drop_if(!self.skeleton, "skeleton.joints", "joints", &mut scene.skeleton.joints);
        let mut named = 0;
        for (index, joint) in scene.skeleton.joints.iter_mut().enumerate() {
            if !self.joint_names && !joint.name.is_empty() {
                joint.name.clear();
                named += 1;
            }
            if !self.extras && !joint.extras.is_empty() {
                losses.drop(
                    format!("skeleton.joints[{index}].extras"),
                    "joint extras",
                    names_of(&joint.extras),
                );
                joint.extras.clear();
            }
        }
        if named > 0 {
            losses.drop_counted("skeleton.joints.name", "joint names", named, "names");
        }
    }
}

/// Keeps the meshes of the finest level of detail only.
fn keep_finest(scene: &mut Scene, losses: &mut Losses) {
    let lods = std::mem::take(&mut scene.lods);
    let Some(finest) = lods.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)) else { return };
    let all: HashSet<usize> = lods.iter().flat_map(|lod| lod.meshes.iter().copied()).collect();
    let kept: HashSet<usize> = finest.meshes.iter().copied().collect();
    let is_dropped = |mesh: &usize| all.contains(mesh) && !kept.contains(mesh);
    // In reverse, so that earlier indices stay valid.
    for mesh in (0..scene.meshes.len()).rev().filter(is_dropped) {
        losses.list.push(Loss::dropped(format!("meshes[{mesh}]"), "a coarser level of detail"));
    }
    let mut index = 0;
    let before = scene.meshes.len();
    scene.meshes.retain(|_| {
        let keep = !is_dropped(&index);
        index += 1;
        keep
    });
    // A single level that shows all meshes at every distance is no loss.
    if lods.len() == 1 && finest.distance == 0.0 && scene.meshes.len() == before {
        return;
    }
    let message = format!("{} has no levels of detail: the finest kept", losses.format);
    let loss = Loss::dropped("lods", message);
    losses.list.push(loss.affecting(before - scene.meshes.len(), before, "meshes"));
}

fn names_of(extras: &super::Extras) -> String {
    let names: Vec<_> = extras.keys().map(String::as_str).collect();
    names.join(", ")
}

struct Losses {
    format: &'static str,
    list: Vec<Loss>,
}

impl Losses {
    fn drop(&mut self, path: impl Into<Path>, what: &str, detail: impl std::fmt::Display) {
        self.list.push(Loss::dropped(path, format!("{} does not store {what}", self.format)).detail(detail));
    }

    fn drop_counted(&mut self, path: &str, what: &str, count: usize, items: &'static str) {
        let loss = Loss::dropped(path, format!("{} does not store {what}", self.format));
        self.list.push(loss.counting(count, items));
    }

    fn drop_if<T>(&mut self, drop: bool, path: &str, what: &'static str, values: &mut Vec<T>) {
        if drop && !values.is_empty() {
            self.drop_counted(path, what, values.len(), what);
            values.clear();
        }
    }

    fn drop_text(&mut self, drop: bool, path: String, (what, category): (&str, Category), text: &mut String) {
        if drop && !text.is_empty() {
            let loss = Loss::dropped(path, format!("{} does not store {what}", self.format));
            self.list.push(loss.detail(format_args!("\"{text}\"")).in_category(category));
            text.clear();
        }
    }

    fn drop_option<T>(&mut self, drop: bool, path: String, what: &str, value: &mut Option<T>) {
        if drop && value.take().is_some() {
            self.list.push(Loss::dropped(path, format!("{} does not store {what}", self.format)));
        }
    }

    fn drop_sets<T>(&mut self, held: usize, path: String, what: &str, sets: &mut Vec<T>) {
        let format = self.format;
        for set in held..sets.len() {
            let message = match held {
                0 => format!("{format} does not store {what}"),
                1 => format!("{format} has a single set of {what}"),
                _ => format!("{format} has {held} sets of {what}"),
            };
            self.list.push(Loss::dropped(format!("{path}[{set}]"), message));
        }
        sets.truncate(held);
    }
}
