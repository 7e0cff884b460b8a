//! Reduces scenes to the capabilities of a format, and lists the losses.

use glam::DMat4;

use super::capabilities::Capabilities;
use super::repair::PointNormals;
use super::{
    AlphaMode, Conventions, Extras, Material, Mesh, Placement, Sampler, Scene, SceneOptions, Skin,
    UvOrigin, merge,
};
use crate::{Category, Loss, LossKind, Path, Quantity, Result};

impl Capabilities {
    /// Converts a scene to the axes, unit and texture origin of the format, removes everything that the format cannot
    /// express, and returns the losses. Writers call this function before encoding the scene.
    ///
    /// Where the format requires it, applies the scene transform, bakes placements, triangulates polygons and merges
    /// meshes. Always rounds 64-bit coordinates to 32 bits.
    ///
    /// # Errors
    ///
    /// Returns an error if meshes copied for several nodes exceed [`SceneOptions::max_triangles`] or a limit derived
    /// from it.
    pub fn restrict(
        &self,
        scene: &mut Scene,
        conventions: Conventions,
        options: &SceneOptions,
    ) -> Result<Vec<Loss>> {
        let format = self.format;
        let points = if self.zero_normals {
            PointNormals::KeepZero
        } else {
            PointNormals::Drop
        };
        let mut losses = LossRecorder {
            format,
            list: scene.repair_directions(format, points),
        };
        conventions.from_scene_space(scene);
        if !self.lods {
            keep_finest(scene, &mut losses);
        }
        if !self.skeleton {
            let moved = scene.apply_rest_pose();
            let message = format!("{format} has no skeleton; vertices were moved to the rest pose");
            let vertices = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
            let loss = Loss::changed("skeleton.joints", message);
            losses
                .list
                .extend(loss.with_count_of(moved, vertices, "vertices").if_any());
        }
        if !self.transform {
            if self.skeleton {
                scene.record_rounded_roots(conventions.unit, &mut losses.list);
            }
            losses
                .list
                .extend(scene.apply_inexpressible_transform(format, self.skeleton));
            scene.apply_transform();
        }
        losses
            .list
            .extend(self.bake_placements(scene, options.max_triangles)?);
        scene.round_positions(conventions.unit, &mut losses.list);
        for (index, mesh) in scene.meshes.iter_mut().enumerate() {
            self.restrict_mesh(
                mesh,
                conventions.uv_origin,
                &format!("meshes[{index}]"),
                &mut losses,
            );
        }
        if !self.meshes && scene.meshes.len() > 1 {
            let meshes = std::mem::take(&mut scene.meshes);
            let message = format!("{format} stores a single mesh; all meshes were merged");
            let loss =
                Loss::new(LossKind::Merged, "meshes", message).with_count(meshes.len(), "meshes");
            scene.meshes = vec![merge::merge(meshes, &mut losses.list)];
            losses.list.push(loss);
        }
        self.restrict_skeleton(scene, &mut losses);
        losses.drop_if(
            !self.properties,
            "properties",
            "properties",
            "properties",
            &mut scene.properties,
        );
        losses.drop_if(
            !self.user_data,
            "user_data",
            "user data",
            "bytes",
            &mut scene.user_data,
        );
        losses.drop_extras(
            !self.extras,
            "extras".to_owned(),
            "extras",
            &mut scene.extras,
        );
        Ok(losses.list)
    }

    /// Bakes the placements that the format cannot express into the vertices: one copy of the mesh per instance.
    /// Returns the losses.
    ///
    /// ```
    /// use glam::{DMat4, DVec3};
    /// use meshspec::scene::{Capabilities, Mesh, Placement, Scene};
    ///
    /// let transform = DMat4::from_translation(DVec3::X);
    /// let placements = vec![Placement::default(), Placement { transform, ..Placement::default() }];
    /// let mesh = Mesh { positions: vec![[0.0; 3]], placements, ..Mesh::default() };
    /// assert_eq!(mesh.instance_count(), 2);
    /// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// Capabilities::POSITIONS.bake_placements(&mut scene, 1_000)?;
    /// assert_eq!(scene.meshes[1].positions, [[1.0, 0.0, 0.0]]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the copies exceed `max_triangles` triangles or vertices, or a limit derived from it.
    pub fn bake_placements(&self, scene: &mut Scene, max_triangles: u64) -> Result<Vec<Loss>> {
        let mut losses = Vec::new();
        if self.nodes {
            scene.bake_inexpressible(max_triangles, &mut losses)?;
            return Ok(losses);
        }
        let is_moving =
            |node: &Placement| node.instance_count() > 1 || node.transform != DMat4::IDENTITY;
        let message = format!(
            "{} has no nodes; node transforms were applied to the vertices",
            self.format
        );
        for (index, mesh) in scene.meshes.iter().enumerate() {
            if mesh.placements.iter().any(is_moving) {
                losses.push(Loss::changed(format!("meshes[{index}]"), &*message));
            }
        }
        scene.bake(max_triangles, &mut losses, |_, _| true)?;
        Ok(losses)
    }

    fn restrict_mesh(
        &self,
        mesh: &mut Mesh,
        uv_origin: UvOrigin,
        at: &str,
        losses: &mut LossRecorder,
    ) {
        let path = format!("{at}.name");
        losses.drop_text(
            !self.mesh_names,
            path,
            "mesh names",
            Category::Names,
            &mut mesh.name,
        );
        self.restrict_material(mesh, at, losses);
        // A transform may have moved flat meshes out of the plane z = 0.
        if mesh.flat && !(self.flat && mesh.is_flat()) {
            mesh.flat = false;
            let message = format!("{} has no 2D positions; z = 0 was added", self.format);
            losses
                .list
                .push(Loss::dropped(format!("{at}.flat"), message));
        }
        losses.drop_option(
            !self.normals,
            format!("{at}.normals"),
            "normals",
            &mut mesh.normals,
        );
        losses.drop_option(
            !self.tangents,
            format!("{at}.tangents"),
            "tangents",
            &mut mesh.tangents,
        );
        losses.drop_sets(
            self.max_uv_sets,
            format!("{at}.uvs"),
            "texture coordinates",
            &mut mesh.uvs,
        );
        losses.drop_sets(
            self.max_color_sets,
            format!("{at}.colors"),
            "colours",
            &mut mesh.colors,
        );
        self.restrict_skins(mesh, at, losses);
        let mut index = 0;
        mesh.custom.retain(|custom| {
            let keep = (self.custom)(custom);
            if !keep {
                let name = format_args!("\"{}\"", custom.name);
                losses.drop(format!("{at}.custom[{index}]"), "custom attributes", name);
            }
            index += 1;
            keep
        });
        self.restrict_faces(mesh, at, losses);
        self.flip_uvs(mesh, uv_origin, at, losses);
        losses.drop_extras(
            !self.extras,
            format!("{at}.extras"),
            "mesh extras",
            &mut mesh.extras,
        );
    }

    fn restrict_material(&self, mesh: &mut Mesh, at: &str, losses: &mut LossRecorder) {
        let field = |field: &str| format!("{at}.material.{field}");
        let Mesh { material, uvs, .. } = mesh;
        losses.drop_text(
            !self.materials,
            field("name"),
            "materials",
            Category::Material,
            &mut material.name,
        );
        let color = &mut material.base_color;
        losses.drop_option(
            !self.base_colors,
            field("base_color"),
            "base colours",
            color,
        );
        if let Some(texture) = material.texture.take_if(|_| !self.textures) {
            losses.drop(field("texture"), "textures", texture.label());
        }
        if let Some(texture) = &mut material.texture {
            let set = if self.surfaces {
                0
            } else {
                std::mem::take(&mut texture.uv_set)
            };
            if set > 0 && set < uvs.len() {
                uvs.swap(0, set);
                let message = format!(
                    "textures of {} use uvs[0]; this set was moved to uvs[0]",
                    self.format
                );
                losses
                    .list
                    .push(Loss::renamed(format!("{at}.uvs[{set}]"), message));
            }
            let Sampler {
                wrap,
                magnify,
                minify,
            } = Sampler::default();
            if !self.wrapping && std::mem::replace(&mut texture.sampler.wrap, wrap) != wrap {
                losses.drop(
                    field("texture.sampler"),
                    "clamped or mirrored textures",
                    texture.label(),
                );
            }
            if !self.filters {
                if let Some(filters) = texture.sampler.describe_filters() {
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
            let message = format!("{} has no double-sided surfaces", self.format);
            losses
                .list
                .push(Loss::dropped(field("double_sided"), message));
        }
        let Material {
            metallic,
            roughness,
            ..
        } = Material::default();
        let found = [
            std::mem::replace(&mut material.metallic, metallic),
            std::mem::replace(&mut material.roughness, roughness),
        ];
        // Most glTF files omit both factors, so the glTF default, a fully rough metal, is not listed as a loss.
        if found != [metallic, roughness] && found != [1.0, 1.0] {
            let [metallic, roughness] = found;
            let detail = format_args!("metallic {metallic}, roughness {roughness}");
            losses.drop(field("metallic"), "metallic or rough surfaces", detail);
        }
    }

    fn restrict_skins(&self, mesh: &mut Mesh, at: &str, losses: &mut LossRecorder) {
        if self.max_skins == 1 && mesh.skins.len() > 1 {
            let (vertices, format, path) =
                (mesh.positions.len(), self.format, format!("{at}.skins"));
            for (set, skin) in mesh.skins.iter_mut().enumerate() {
                skin.replace_non_finite(&format!("{path}[{set}]"), &mut losses.list);
            }
            let (skin, reduced) = Skin::reduce_to_four(&mesh.skins, vertices);
            mesh.skins = vec![skin];
            losses
                .list
                .extend(reduced.normalization_loss(path.clone(), vertices));
            if reduced.vertex_count > 0 {
                let message = format!(
                    "{format} supports at most 4 joints per vertex; the largest weights were kept"
                );
                let loss = Loss::quantized(path, message, Quantity::WEIGHTS, reduced.max_dropped);
                losses
                    .list
                    .push(loss.with_count_of(reduced.vertex_count, vertices, "vertices"));
            }
        }
        losses.drop_sets(
            self.max_skins,
            format!("{at}.skins"),
            "joints and weights",
            &mut mesh.skins,
        );
    }

    fn restrict_faces(&self, mesh: &mut Mesh, at: &str, losses: &mut LossRecorder) {
        let faces = mesh.faces.corners.as_ref().map_or(0, Vec::len);
        let polygons = mesh
            .faces
            .corners
            .iter()
            .flatten()
            .filter(|count| **count > self.max_corners)
            .count();
        let message = format!(
            "faces with more than {} corners were triangulated",
            self.max_corners
        );
        let loss = Loss::new(LossKind::Split, format!("{at}.faces.corners"), message);
        losses
            .list
            .extend(loss.with_count_of(polygons, faces, "faces").if_any());
        let degenerate = mesh
            .faces
            .corners
            .iter()
            .flatten()
            .filter(|count| **count < 3)
            .count();
        // Writers of formats without a corner limit drop and list these faces themselves.
        if degenerate > 0 && self.max_corners < u32::MAX {
            let loss = Loss::dropped(
                format!("{at}.faces.corners"),
                "faces with fewer than 3 corners",
            );
            losses
                .list
                .push(loss.with_count_of(degenerate, faces, "faces"));
        }
        if polygons > 0 || self.max_corners == 3 {
            losses
                .list
                .extend(mesh.triangulate().map(|loss| loss.within(at)));
        }
        let surplus = mesh.faces.drop_surplus_corners(mesh.positions.len());
        let loss = Loss::dropped(format!("{at}.faces"), "corners after the last triangle");
        losses
            .list
            .extend(loss.with_count(surplus, "corners").if_any());
        if !self.unindexed {
            mesh.faces.add_sequential_indices(mesh.positions.len());
        }
    }

    fn flip_uvs(&self, mesh: &mut Mesh, uv_origin: UvOrigin, at: &str, losses: &mut LossRecorder) {
        if mesh.uv_origin == uv_origin {
            return;
        }
        mesh.uv_origin = uv_origin;
        for (set, uvs) in mesh.uvs.iter_mut().enumerate() {
            let mut worst = 0.0_f64;
            for [_, v] in uvs {
                let flipped = 1.0 - *v;
                // Computed in 64 bits to avoid further rounding.
                let error = (f64::from(*v) - (1.0 - f64::from(flipped))).abs();
                worst = worst.max(error);
                *v = flipped;
            }
            let format = self.format;
            let message =
                format!("{format} uses the {uv_origin} as texture origin; v was replaced by 1 - v");
            let path = format!("{at}.uvs[{set}]");
            losses.list.extend(
                Loss::quantized(path, message, Quantity::TEXTURE_COORDINATES, worst).if_any(),
            );
        }
    }

    fn restrict_skeleton(&self, scene: &mut Scene, losses: &mut LossRecorder) {
        losses.drop_if(
            !self.animations,
            "animations",
            "animations",
            "animations",
            &mut scene.animations,
        );
        let joints = &mut scene.skeleton.joints;
        losses.drop_if(
            !self.skeleton,
            "skeleton.joints",
            "joints",
            "joints",
            joints,
        );
        let mut named = 0;
        for (index, joint) in joints.iter_mut().enumerate() {
            if !self.joint_names && !joint.name.is_empty() {
                joint.name.clear();
                named += 1;
            }
            let path = format!("skeleton.joints[{index}].extras");
            losses.drop_extras(!self.extras, path, "joint extras", &mut joint.extras);
        }
        let loss = losses
            .dropped("skeleton.joints.name", "joint names")
            .with_count(named, "names");
        losses.list.extend(loss.if_any());
    }
}

/// Drops the meshes of all levels of detail except the finest.
fn keep_finest(scene: &mut Scene, losses: &mut LossRecorder) {
    let is_finest = scene.finest_meshes();
    let lods = std::mem::take(&mut scene.lods);
    let Some(first) = lods.first() else { return };
    let before = scene.meshes.len();
    // In reverse order, so that no loss shifts the index of a later one.
    for mesh in (0..before).rev().filter(|mesh| !is_finest[*mesh]) {
        losses.list.push(Loss::dropped(
            format!("meshes[{mesh}]"),
            "a coarser level of detail",
        ));
    }
    let mut is_finest = is_finest.into_iter();
    scene.meshes.retain(|_| is_finest.next() == Some(true));
    // A single level with distance 0 is always displayed, so dropping it is no loss.
    if lods.len() == 1 && first.distance == 0.0 && scene.meshes.len() == before {
        return;
    }
    let message = format!(
        "{} has no levels of detail; the finest was kept",
        losses.format
    );
    let loss = Loss::dropped("lods", message);
    losses
        .list
        .push(loss.with_count_of(before - scene.meshes.len(), before, "meshes"));
}

struct LossRecorder {
    format: &'static str,
    list: Vec<Loss>,
}

impl LossRecorder {
    fn dropped(&self, path: impl Into<Path>, what: &str) -> Loss {
        Loss::dropped(path, format!("{} does not store {what}", self.format))
    }

    fn drop(&mut self, path: impl Into<Path>, what: &str, detail: impl std::fmt::Display) {
        self.list.push(self.dropped(path, what).with_detail(detail));
    }

    fn drop_extras(&mut self, drop: bool, path: String, what: &str, extras: &mut Extras) {
        if drop && !extras.is_empty() {
            let names: Vec<_> = extras.keys().map(String::as_str).collect();
            self.drop(path, what, names.join(", "));
            extras.clear();
        }
    }

    fn drop_if<T>(
        &mut self,
        drop: bool,
        path: &str,
        what: &str,
        items: &'static str,
        values: &mut Vec<T>,
    ) {
        if drop && !values.is_empty() {
            self.list
                .push(self.dropped(path, what).with_count(values.len(), items));
            values.clear();
        }
    }

    fn drop_text(
        &mut self,
        drop: bool,
        path: String,
        what: &str,
        category: Category,
        text: &mut String,
    ) {
        if drop && !text.is_empty() {
            let loss = self
                .dropped(path, what)
                .with_detail(format_args!("\"{text}\""));
            self.list.push(loss.in_category(category));
            text.clear();
        }
    }

    fn drop_option<T>(&mut self, drop: bool, path: String, what: &str, value: &mut Option<T>) {
        if drop && value.take().is_some() {
            self.list.push(self.dropped(path, what));
        }
    }

    fn drop_sets<T>(&mut self, max_sets: usize, path: String, what: &str, sets: &mut Vec<T>) {
        let format = self.format;
        for set in max_sets..sets.len() {
            let message = match max_sets {
                0 => format!("{format} does not store {what}"),
                1 => format!("{format} supports at most one set of {what}"),
                _ => format!("{format} supports at most {max_sets} sets of {what}"),
            };
            self.list
                .push(Loss::dropped(format!("{path}[{set}]"), message));
        }
        sets.truncate(max_sets);
    }
}
