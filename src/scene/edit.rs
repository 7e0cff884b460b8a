//! Edits of scenes and meshes: transforms, scaling, welding and normal generation.

use std::collections::HashMap;

use glam::{DMat3, DMat4, DVec3, Mat3, Mat4, Vec3};

use super::axes::BasisChange;
use super::exact::Extent;
use super::mesh::gather;
use super::{
    Colors, CustomAttribute, Faces, Indices, Joint, Mesh, Samples, Scene, Skin, Transform,
    UvOrigin, push_index,
};
use crate::Loss;

impl Scene {
    /// Applies [`Scene::transform`] to meshes and joints, for formats without scene transforms. A translation moves the
    /// root joints; any other transform becomes a new last joint, the parent of all roots.
    ///
    /// ```
    /// use glam::{Mat4, Vec3};
    /// use meshspec::scene::{Mesh, Scene};
    ///
    /// let mesh = Mesh { positions: vec![[1.0, 0.0, 0.0]], ..Mesh::default() };
    /// let transform = Some(Mat4::from_translation(Vec3::Y));
    /// let mut scene = Scene { meshes: vec![mesh], transform, ..Scene::default() };
    /// scene.apply_transform();
    /// assert_eq!((scene.transform, scene.meshes[0].positions[0]), (None, [1.0, 1.0, 0.0]));
    /// ```
    pub fn apply_transform(&mut self) {
        let Some(transform) = self.transform.take().filter(|t| *t != Mat4::IDENTITY) else {
            return;
        };
        self.transform_f64(transform.as_dmat4());
    }

    /// Applies the transform to the meshes and joints, for a format without one, which may lack joints, too. Returns
    /// the loss, if any.
    pub(super) fn apply_inexpressible_transform(
        &mut self,
        format: &str,
        has_joints: bool,
    ) -> Option<Loss> {
        let transform = self
            .transform
            .filter(|transform| *transform != Mat4::IDENTITY)?;
        let adds_joint = !self.skeleton.joints.is_empty() && !is_translation(transform.as_dmat4());
        let how = match has_joints && adds_joint {
            true => "it was applied to vertices, and a root joint with it was added",
            false => "it was applied to vertices and root joints",
        };
        self.apply_transform();
        Some(Loss::changed(
            "transform",
            format!("{format} has no scene transform; {how}"),
        ))
    }

    /// Applies a 64-bit transform to meshes and joints; see [`apply_transform`](Scene::apply_transform).
    pub(super) fn transform_f64(&mut self, transform: DMat4) {
        self.meshes
            .iter_mut()
            .for_each(|mesh| mesh.transform_placed(transform));
        if self.skeleton.joints.is_empty() {
            return;
        }
        let inverse = transform.inverse().as_mat4();
        for joint in &mut self.skeleton.joints {
            joint.inverse_bind *= inverse;
        }
        if is_translation(transform) {
            let translation = transform.w_axis.truncate();
            return self.map_root_translations(|rest| rest + translation);
        }
        let root = self.skeleton.joints.len();
        for joint in &mut self.skeleton.joints {
            joint.parent.get_or_insert(root);
        }
        let (name, rest) = (
            "root".to_owned(),
            Some(Transform::from_matrix(transform.as_mat4())),
        );
        self.skeleton.joints.push(Joint {
            name,
            inverse_bind: inverse,
            rest,
            ..Joint::default()
        });
    }

    /// Maps the translations of the root joints, in the rest pose and in all animations, computing in 64 bits. Adds no
    /// rest transforms to roots without one, since their rest pose is the bind pose.
    pub(super) fn map_root_translations(&mut self, to: impl Fn(DVec3) -> DVec3) {
        let moved = |translation: &mut [f32; 3]| {
            *translation = to(DVec3::from(translation.map(f64::from))).as_vec3().into();
        };
        let joints = &mut self.skeleton.joints;
        let roots = joints.iter_mut().filter(|joint| joint.parent.is_none());
        roots
            .filter_map(|root| root.rest.as_mut())
            .for_each(|rest| moved(&mut rest.translation));
        for channel in self
            .animations
            .iter_mut()
            .flat_map(|animation| &mut animation.channels)
        {
            let is_root = joints
                .get(channel.joint)
                .is_some_and(|joint| joint.parent.is_none());
            if let (true, Samples::Translation(keys)) = (is_root, &mut channel.samples) {
                keys.iter_mut().for_each(moved);
            }
        }
    }

    /// Moves the scene so that the centre of its bounding box in the rest pose is at the origin. Returns the offset, or
    /// `None` if the scene is centred, empty or not finite. In scenes with joints, the offset is rounded to 32 bits.
    ///
    /// The centre is computed in 64 bits. [64-bit positions](Mesh::exact_positions) are rounded after the move.
    pub fn center(&mut self) -> Option<[f64; 3]> {
        let transform = self
            .transform
            .map_or(DMat4::IDENTITY, |transform| transform.as_dmat4());
        let mut extent = Extent::default();
        self.for_each_rest_position(|at| extent.add(transform.transform_point3(at)));
        // Subtracts from 0, since negation could yield -0.
        let offset = DVec3::ZERO - extent.center();
        if !offset.is_finite() || offset == DVec3::ZERO {
            return None;
        }
        let centered = DMat4::from_translation(offset) * transform;
        if self.skeleton.joints.is_empty() {
            self.transform = None;
            self.transform_f64(centered);
            return Some(offset.into());
        }
        let rounded = Some(centered.as_mat4()).filter(|rounded| rounded.is_finite())?;
        self.transform = Some(rounded);
        // The offset as rounded to 32 bits.
        Some(
            (rounded.w_axis.as_dvec4() - transform.w_axis)
                .truncate()
                .into(),
        )
    }

    /// Multiplies all lengths by `factor`.
    ///
    /// ```
    /// use meshspec::scene::{Mesh, Scene};
    ///
    /// let mesh = Mesh { positions: vec![[1.0, 0.0, 0.0], [5.0, 2.0, 0.0]], ..Mesh::default() };
    /// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// scene.center();
    /// scene.scale(1.0 / f64::from(scene.meshes[0].size()));
    /// assert_eq!(scene.meshes[0].positions, [[-0.5, -0.25, 0.0], [0.5, 0.25, 0.0]]);
    /// ```
    pub fn scale(&mut self, factor: f64) {
        BasisChange::new(Mat3::IDENTITY, factor).apply(self);
    }
}

impl Mesh {
    /// Returns the longest side of the bounding box in metres; 0 if there are no vertices.
    pub fn size(&self) -> f32 {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for position in &self.positions {
            (min, max) = (
                min.min(Vec3::from(*position)),
                max.max(Vec3::from(*position)),
            );
        }
        (max - min).max_element().max(0.0)
    }

    /// Returns `true` if z is 0 in every position.
    pub(crate) fn is_flat(&self) -> bool {
        self.positions.iter().all(|[.., z]| *z == 0.0)
    }

    /// Flips texture coordinates horizontally: u becomes 1 − u, which may round.
    pub fn flip_u(&mut self) {
        for [u, _] in self.uvs.iter_mut().flatten() {
            *u = 1.0 - *u;
        }
    }

    /// Flips texture coordinates vertically by switching [`Mesh::uv_origin`]. The values are unchanged.
    ///
    /// ```
    /// use meshspec::scene::{Mesh, UvOrigin};
    ///
    /// let mut mesh = Mesh { uvs: vec![vec![[0.25, 0.0]]], ..Mesh::default() };
    /// mesh.flip_u();
    /// mesh.flip_v();
    /// assert_eq!((mesh.uv_origin, mesh.uvs[0][0]), (UvOrigin::BottomLeft, [0.75, 0.0]));
    /// ```
    pub fn flip_v(&mut self) {
        self.uv_origin = match self.uv_origin {
            UvOrigin::TopLeft => UvOrigin::BottomLeft,
            UvOrigin::BottomLeft => UvOrigin::TopLeft,
        };
    }

    /// Fills in positions (0, 0, 0) if the mesh has built-in attributes but no positions. Drops the faces if the mesh
    /// has no vertices. `path` is the path of the mesh in its source.
    #[cfg_attr(
        not(any(feature = "mesh", feature = "crucible")),
        allow(dead_code, reason = "the other formats always have positions")
    )]
    pub(crate) fn fill_missing_positions(&mut self, path: &str, losses: &mut Vec<Loss>) {
        if !self.positions.is_empty() {
            return;
        }
        let lists = [
            self.normals.as_ref().map(Vec::len),
            self.tangents.as_ref().map(Vec::len),
            self.uvs.first().map(Vec::len),
            self.colors.first().map(Colors::len),
            self.skins.first().map(Skin::len),
        ];
        if let Some(vertices) = lists.into_iter().flatten().find(|count| *count > 0) {
            self.positions = vec![[0.0; 3]; vertices];
            let loss = Loss::changed(path, "vertices without positions were placed at the origin");
            losses.push(loss.with_count_of(vertices, vertices, "vertices"));
        } else if self.faces.corner_count(0) > 0 {
            self.faces = Faces::triangles(Vec::new());
            losses.push(Loss::dropped(path, "faces of a mesh without vertices"));
        }
    }

    /// Drops the vertices without a finite position that no face uses, since most formats reject them. Keeps all
    /// vertices if none has a finite position. `at` is the path of the mesh.
    pub(crate) fn drop_unused_non_finite(&mut self, at: &str, losses: &mut Vec<Loss>) {
        let all = self.positions.len();
        // No early exit, so that the compiler can vectorise the loop.
        let are_finite = self
            .positions
            .as_flattened()
            .iter()
            .fold(true, |finite, value| finite & value.is_finite());
        let Some(indices) = self.faces.indices.as_ref().filter(|_| !are_finite) else {
            return;
        };
        let mut is_kept: Vec<bool> = self
            .positions
            .iter()
            .map(|position| position.iter().all(|value| value.is_finite()))
            .collect();
        if !is_kept.contains(&true) {
            return;
        }
        for corner in (0..indices.len()).filter_map(|position| indices.get(position)) {
            if let Some(is_kept) = is_kept.get_mut(corner as usize) {
                *is_kept = true;
            }
        }
        let kept: Vec<usize> = (0..all).filter(|vertex| is_kept[*vertex]).collect();
        let loss = Loss::dropped(
            format!("{at}.positions"),
            "vertices that are not finite and that no face uses",
        );
        let Some(loss) = loss
            .with_count_of(all - kept.len(), all, "vertices")
            .if_any()
        else {
            return;
        };
        losses.push(loss);
        let mut new_indices = vec![0_u32; all];
        for (new, old) in (0..).zip(&kept) {
            new_indices[*old] = new;
        }
        let mut faces = std::mem::take(&mut self.faces);
        faces.map_indices(|index| new_indices.get(index as usize).copied().unwrap_or(index));
        *self = Mesh {
            faces,
            ..self.select(&kept)
        };
    }

    /// Merges vertices with bitwise identical attributes. Returns the number of removed vertices.
    ///
    /// ```
    /// use meshspec::scene::{Faces, Mesh};
    ///
    /// let [a, b, c, d] = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mut quad = Mesh { positions: vec![a, b, c, a, c, d], ..Mesh::default() };
    /// assert_eq!(quad.weld(), 2);
    /// assert_eq!(quad.faces, Faces::triangles(vec![0, 1, 2, 0, 2, 3]));
    /// ```
    pub fn weld(&mut self) -> usize {
        let before = self.positions.len();
        let records = self.interleave_attributes();
        let stride = records.len().checked_div(before).unwrap_or(0);
        let mut merged_vertices = HashMap::with_capacity(before);
        let mut kept = Vec::new();
        let targets: Vec<u32> = (0..before)
            .map(|vertex| {
                let record = &records[vertex * stride..][..stride];
                *merged_vertices
                    .entry(record)
                    .or_insert_with(|| push_index(&mut kept, vertex) as u32)
            })
            .collect();
        let corners = self
            .faces
            .indices
            .take()
            .map_or_else(|| (0..before as u32).collect(), Indices::into_u32);
        let indices = corners
            .iter()
            .filter_map(|corner| targets.get(*corner as usize).copied())
            .collect();
        let faces = Faces {
            indices: Some(Indices::U32(indices)),
            corners: self.faces.corners.take(),
        };
        *self = Mesh {
            faces,
            ..self.select(&kept)
        };
        before - kept.len()
    }

    /// Generates smooth normals: the normal of a vertex is the area-weighted mean of its face normals. Vertices whose
    /// mean is zero or not finite, such as those without faces, get (0, 0, 1).
    pub fn generate_normals(&mut self) {
        let mut sums = vec![Vec3::ZERO; self.positions.len()];
        self.faces.for_each(self.positions.len(), |face| {
            let mut twice_the_area = Vec3::ZERO;
            for_each_fan_triangle(face, |[a, b, c]| {
                twice_the_area += self.edge(a, b).cross(self.edge(a, c))
            });
            for corner in face {
                if let Some(sum) = sums.get_mut(*corner as usize) {
                    *sum += twice_the_area;
                }
            }
        });
        let normals = sums
            .into_iter()
            .map(|sum| sum.try_normalize().unwrap_or(Vec3::Z).into());
        self.normals = Some(normals.collect());
    }

    /// Transforms positions, normals and tangents. A mirroring transform also reverses the winding and the tangents'
    /// handedness.
    pub fn transform(&mut self, transform: Mat4) {
        self.transform_f64(transform.as_dmat4());
    }

    /// Like [`transform`](Mesh::transform), but with a 64-bit matrix.
    pub(crate) fn transform_f64(&mut self, transform: DMat4) {
        if transform == DMat4::IDENTITY {
            return;
        }
        self.map_positions(|point| transform.transform_point3(point));
        let linear = DMat3::from_mat4(transform);
        if linear == DMat3::IDENTITY {
            return;
        }
        let for_normals = linear.inverse().transpose().as_mat3();
        let linear = linear.as_mat3();
        for normal in self.normals.iter_mut().flatten() {
            *normal = (for_normals * Vec3::from(*normal))
                .normalize_or_zero()
                .into();
        }
        let side = linear.determinant().signum();
        for tangent in self.tangents.iter_mut().flatten() {
            let [x, y, z, w] = *tangent;
            let turned = (linear * Vec3::new(x, y, z)).normalize_or_zero();
            *tangent = turned.extend(w * side).into();
        }
        if side < 0.0 {
            self.faces.reverse_winding(self.positions.len());
        }
    }

    /// Transforms the placements of the mesh or, without placements, its vertices.
    pub(super) fn transform_placed(&mut self, transform: DMat4) {
        match &mut *self.placements {
            [] => self.transform_f64(transform),
            nodes => nodes
                .iter_mut()
                .for_each(|node| node.transform = transform * node.transform),
        }
    }

    /// Returns all attributes as bytes, interleaved by vertex, in the order of the fields of [`Mesh`].
    pub(crate) fn interleave_attributes(&self) -> Vec<u8> {
        let lists = self.attribute_lists();
        let stride = lists.iter().map(|(_, size)| size).sum();
        let mut records = vec![0; self.positions.len() * stride];
        let mut offset = 0;
        for (bytes, size) in lists {
            for (record, value) in records
                .chunks_exact_mut(stride)
                .zip(bytes.chunks_exact(size))
            {
                record[offset..offset + size].copy_from_slice(value);
            }
            offset += size;
        }
        records
    }

    /// Returns the size of the attributes of a vertex in bytes.
    #[cfg(feature = "ply")]
    pub(crate) fn vertex_size(&self) -> usize {
        self.attribute_lists().iter().map(|(_, size)| size).sum()
    }

    /// Returns the attributes as bytes, in the order of the fields of [`Mesh`], each with the size of a value.
    fn attribute_lists(&self) -> Vec<(&[u8], usize)> {
        let mut lists: Vec<(&[u8], usize)> = vec![(bytemuck::cast_slice(&self.positions), 12)];
        lists.extend(
            self.exact_positions
                .as_deref()
                .map(|values| (bytemuck::cast_slice(values), 24)),
        );
        lists.extend(
            self.normals
                .as_deref()
                .map(|values| (bytemuck::cast_slice(values), 12)),
        );
        lists.extend(
            self.tangents
                .as_deref()
                .map(|values| (bytemuck::cast_slice(values), 16)),
        );
        lists.extend(
            self.uvs
                .iter()
                .map(|values| (bytemuck::cast_slice(values), 8)),
        );
        lists.extend(self.colors.iter().map(Colors::as_bytes));
        for skin in &self.skins {
            lists.push((bytemuck::cast_slice(&skin.joints), 8));
            lists.push(skin.weights.as_bytes());
        }
        let custom = self.custom.iter().filter(|own| own.has_valid_width());
        lists.extend(custom.map(|own| (own.values.as_bytes(), own.values.size() * own.components)));
        lists.retain(|(_, size)| *size > 0);
        lists
    }

    /// Returns a mesh with the given vertices, in the given order, and without faces.
    pub(crate) fn select(&self, vertices: &[usize]) -> Mesh {
        Mesh {
            name: self.name.clone(),
            material: self.material.clone(),
            positions: gather(&self.positions, vertices),
            exact_positions: self
                .exact_positions
                .as_deref()
                .map(|values| gather(values, vertices)),
            placements: self.placements.clone(),
            flat: self.flat,
            normals: self
                .normals
                .as_deref()
                .map(|values| gather(values, vertices)),
            tangents: self
                .tangents
                .as_deref()
                .map(|values| gather(values, vertices)),
            uvs: self
                .uvs
                .iter()
                .map(|values| gather(values, vertices))
                .collect(),
            uv_origin: self.uv_origin,
            colors: self
                .colors
                .iter()
                .map(|colors| colors.select(vertices))
                .collect(),
            skins: self
                .skins
                .iter()
                .map(|skin| skin.select(vertices))
                .collect(),
            custom: self
                .custom
                .iter()
                .map(|custom| custom.select(vertices))
                .collect(),
            faces: Faces::triangles(Vec::new()),
            extras: self.extras.clone(),
        }
    }
}

impl Skin {
    fn select(&self, vertices: &[usize]) -> Skin {
        Skin {
            joints: gather(&self.joints, vertices),
            weights: self.weights.select(vertices),
        }
    }
}

impl CustomAttribute {
    fn select(&self, vertices: &[usize]) -> CustomAttribute {
        if !self.has_valid_width() {
            return self.clone();
        }
        let CustomAttribute {
            name,
            components,
            values,
        } = self;
        let indices: Vec<_> = vertices
            .iter()
            .flat_map(|v| v * components..(v + 1) * components)
            .collect();
        CustomAttribute {
            name: name.clone(),
            components: *components,
            values: values.select(&indices),
        }
    }
}

impl Faces {
    /// Passes the vertex indices of each face to `visit`. `vertices` is the vertex count.
    fn for_each(&self, vertices: usize, mut visit: impl FnMut(&[u32])) {
        let corner = |position: usize| match &self.indices {
            Some(indices) => indices.get(position).unwrap_or(0),
            None => position as u32,
        };
        let mut start = 0;
        let mut corners = Vec::new();
        let mut face = |count: usize| {
            corners.clear();
            corners.extend((start..start + count).map(corner));
            visit(&corners);
            start += count;
        };
        match &self.corners {
            Some(counts) => counts.iter().for_each(|count| face(*count as usize)),
            None => (0..self.corner_count(vertices) / 3).for_each(|_| face(3)),
        }
    }

    /// Passes the vertex indices of each triangle to `visit`. Larger faces become fans around their first corner.
    /// `vertices` is the vertex count.
    pub fn for_each_triangle(&self, vertices: usize, mut visit: impl FnMut([u32; 3])) {
        self.for_each(vertices, |face| for_each_fan_triangle(face, &mut visit));
    }
}

/// Calls `visit` with each triangle of the fan around the first corner of `face`.
fn for_each_fan_triangle(face: &[u32], mut visit: impl FnMut([u32; 3])) {
    if let Some((first, corners)) = face.split_first() {
        corners
            .windows(2)
            .for_each(|pair| visit([*first, pair[0], pair[1]]));
    }
}

/// Returns `true` if a transform only moves.
fn is_translation(transform: DMat4) -> bool {
    transform == DMat4::from_translation(transform.w_axis.truncate())
}
