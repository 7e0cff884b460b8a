//! Axis, unit and texture conventions of formats, and conversions to and from the glTF conventions.

use std::fmt;
use std::str::FromStr;

use glam::{DMat3, DMat4, DVec3, Mat3, Mat4, Vec3};

use super::exact::rounded;
use super::{Mesh, Placement, Samples, Scene, SceneOptions, Source, Transform, UvOrigin};
use crate::Error;

/// One of the six directions along the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// +X
    X,
    /// +Y
    Y,
    /// +Z
    Z,
    /// −X
    NegX,
    /// −Y
    NegY,
    /// −Z
    NegZ,
}

impl Axis {
    /// The directions in the order of their declaration, with their names and unit vectors.
    const ALL: [(Axis, &str, Vec3); 6] = [
        (Axis::X, "+x", Vec3::X),
        (Axis::Y, "+y", Vec3::Y),
        (Axis::Z, "+z", Vec3::Z),
        (Axis::NegX, "-x", Vec3::NEG_X),
        (Axis::NegY, "-y", Vec3::NEG_Y),
        (Axis::NegZ, "-z", Vec3::NEG_Z),
    ];

    const fn vector(self) -> Vec3 {
        Axis::ALL[self as usize].2
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Axis::ALL[*self as usize].1.to_uppercase())
    }
}

/// The axes, unit and texture origin of a format.
///
/// Front faces are counter-clockwise in right-handed systems. Conversion from or to a left-handed system reverses the
/// winding.
///
/// ```
/// use meshspec::scene::{Axis, Conventions};
///
/// // The order of `Display` and `FromStr`: right, up, forward.
/// let conventions = Conventions::GLTF.with_axes("-x,+z,-y".parse()?);
/// assert_eq!(conventions.up, Axis::Z);
/// assert!(!conventions.is_left_handed());
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conventions {
    /// The direction to the right when facing forward.
    pub right: Axis,
    /// The up direction.
    pub up: Axis,
    /// The forward direction.
    pub forward: Axis,
    /// The corner of images at texture coordinate (0, 0).
    pub uv_origin: UvOrigin,
    /// Metres per unit.
    pub unit: f32,
    /// The evidence for these conventions: a section of a specification, a row in `docs/interpretations.md`, or an
    /// assumption.
    pub evidence: &'static str,
}

impl Conventions {
    /// The conventions of glTF 2.0 and of scenes.
    pub const GLTF: Conventions = Conventions {
        right: Axis::NegX,
        up: Axis::Y,
        forward: Axis::Z,
        uv_origin: UvOrigin::TopLeft,
        unit: 1.0,
        evidence: "glTF 2.0, 3.4",
    };

    /// Sets the axes, and the evidence to `as given`.
    pub fn with_axes(mut self, axes: Axes) -> Conventions {
        let Axes([right, up, forward]) = axes;
        (self.right, self.up, self.forward) = (right, up, forward);
        self.evidence = "as given";
        self
    }

    /// Returns `true` if the axes are left-handed.
    pub fn is_left_handed(&self) -> bool {
        self.to_scene_axes().determinant() < 0.0
    }

    /// Returns the matrix from the axes of the format to scene axes: a signed permutation, so it never rounds.
    fn to_scene_axes(self) -> Mat3 {
        let from = Mat3::from_cols(self.right.vector(), self.up.vector(), self.forward.vector());
        let to = Mat3::from_cols(Vec3::NEG_X, Vec3::Y, Vec3::Z);
        to * from.transpose()
    }

    /// Converts a scene from these axes and units to the axes and units of glTF. Sets [`Scene::source`].
    ///
    /// ```
    /// use meshspec::scene::{Axis, Conventions, Mesh, Scene, Source};
    ///
    /// // Z-up, in centimetres.
    /// let conventions = Conventions { up: Axis::Z, forward: Axis::NegY, unit: 0.01, ..Conventions::GLTF };
    /// let mesh = Mesh { positions: vec![[100.0, 200.0, 300.0]], ..Mesh::default() };
    /// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// conventions.to_scene_space(&mut scene, "terrain");
    /// assert_eq!(scene.meshes[0].positions, [[1.0, 3.0, -2.0]]);
    /// assert!(matches!(scene.source, Some(Source { format, .. }) if format == "terrain"));
    /// ```
    pub fn to_scene_space(self, scene: &mut Scene, format: &str) {
        scene.source = Some(Source {
            format: format.to_owned(),
            conventions: self,
            unused_materials: Vec::new(),
        });
        BasisChange::new(self.to_scene_axes(), self.unit.into()).apply(scene);
    }

    /// Completes a scene with the content of a file of these conventions, which the options may override: sets the
    /// texture origin of its meshes, and converts it to scene space.
    pub(crate) fn finish_scene(self, scene: &mut Scene, options: &SceneOptions, format: &str) {
        let conventions = options.conventions.unwrap_or(self);
        scene
            .meshes
            .iter_mut()
            .for_each(|mesh| mesh.uv_origin = conventions.uv_origin);
        conventions.to_scene_space(scene, format);
    }

    /// Converts a scene from the axes and units of glTF to these axes and units.
    ///
    /// ```
    /// use meshspec::scene::{Axis, Conventions, Mesh, Scene};
    ///
    /// // Z-up, in centimetres.
    /// let conventions = Conventions { up: Axis::Z, forward: Axis::NegY, unit: 0.01, ..Conventions::GLTF };
    /// let mesh = Mesh { positions: vec![[1.0, 3.0, -2.0]], ..Mesh::default() };
    /// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// conventions.from_scene_space(&mut scene);
    /// assert_eq!(scene.meshes[0].positions, [[100.0, 200.0, 300.0]]);
    /// ```
    pub fn from_scene_space(self, scene: &mut Scene) {
        BasisChange::new(self.to_scene_axes().transpose(), (1.0 / self.unit).into()).apply(scene);
    }
}

impl fmt::Display for Conventions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `right` follows from `up`, `forward` and the handedness.
        let Conventions {
            right: _,
            up,
            forward,
            uv_origin,
            unit,
            evidence: _,
        } = self;
        let hand = if self.is_left_handed() {
            "left"
        } else {
            "right"
        };
        write!(
            f,
            "{up} up, {forward} forward, {hand}-handed, texture origin {uv_origin}, "
        )?;
        if *unit == 1.0 {
            f.write_str("metres")
        } else {
            write!(f, "{unit} m per unit")
        }
    }
}

/// Three perpendicular directions: right, up and forward. Parsed from text such as `-x,+y,+z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axes([Axis; 3]);

impl FromStr for Axes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Axes, Error> {
        let reject = |why: &str| {
            Error::unsupported(format!(
                "`{text}` {why}; expected right, up and forward, as in -x,+y,+z"
            ))
        };
        let parse = |name: &str| {
            Axis::ALL
                .iter()
                .find(|(_, known, _)| *known == name)
                .map(|(axis, ..)| *axis)
        };
        let axes: Option<Vec<Axis>> = text.split(',').map(parse).collect();
        let axes = axes.ok_or_else(|| reject("has a direction other than ±x, ±y, ±z"))?;
        let axes =
            <[Axis; 3]>::try_from(axes).map_err(|_| reject("does not have three directions"))?;
        let [right, up, forward] = axes.map(Axis::vector);
        let is_valid = right.cross(up).dot(forward) != 0.0;
        if is_valid {
            Ok(Axes(axes))
        } else {
            Err(reject("uses an axis twice"))
        }
    }
}

/// A change of axes and unit. Changes of axes only reorder coordinates and flip sign bits, so 32-bit values, including
/// NaN payloads, stay exact.
pub(super) struct BasisChange {
    /// The index of the old coordinate that each new coordinate is copied from.
    source: [usize; 3],
    /// For each new coordinate, the bit mask that flips its sign; 0 to keep the sign.
    sign_flips: [u32; 3],
    /// The change of axes as a matrix.
    axes: DMat3,
    scale: f64,
}

impl BasisChange {
    pub fn new(axes: Mat3, scale: f64) -> BasisChange {
        let source = std::array::from_fn(|row| axes.row(row).abs().max_position());
        let sign_flips =
            std::array::from_fn(|row| u32::from(axes.row(row)[source[row]] < 0.0) << 31);
        BasisChange {
            source,
            sign_flips,
            axes: axes.as_dmat3(),
            scale,
        }
    }

    pub fn apply(&self, scene: &mut Scene) {
        scene
            .meshes
            .iter_mut()
            .for_each(|mesh| self.apply_to_mesh(mesh));
        if let Some(transform) = &mut scene.transform {
            *transform = self.map_matrix(*transform);
        }
        for lod in &mut scene.lods {
            lod.distance = (f64::from(lod.distance) * self.scale) as f32;
        }
        for joint in &mut scene.skeleton.joints {
            joint.inverse_bind = self.map_matrix(joint.inverse_bind);
            joint.rest = joint.rest.map(|rest| self.map_transform(rest));
        }
        for channel in scene
            .animations
            .iter_mut()
            .flat_map(|animation| &mut animation.channels)
        {
            match &mut channel.samples {
                Samples::Translation(values) => {
                    values.iter_mut().for_each(|v| *v = self.map_point(*v))
                }
                Samples::Rotation(values) => {
                    values.iter_mut().for_each(|v| *v = self.map_rotation(*v))
                }
                Samples::Scale(values) => values.iter_mut().for_each(|v| *v = self.map_factors(*v)),
            }
        }
    }

    fn apply_to_mesh(&self, mesh: &mut Mesh) {
        if self.source != [0, 1, 2] || self.sign_flips != [0; 3] || self.scale != 1.0 {
            mesh.positions
                .iter_mut()
                .for_each(|position| *position = self.map_point(*position));
            let exact = mesh.exact_positions.iter_mut().flatten();
            for (exact, position) in exact.zip(&mut mesh.positions) {
                *exact = (self.axes * DVec3::from(*exact) * self.scale).into();
                *position = rounded(*exact);
            }
            mesh.placements
                .iter_mut()
                .for_each(|placement| self.apply_to_placement(placement));
        }
        if self.source != [0, 1, 2] || self.sign_flips != [0; 3] {
            mesh.normals
                .iter_mut()
                .flatten()
                .for_each(|normal| *normal = self.map_direction(*normal));
            mesh.tangents
                .iter_mut()
                .flatten()
                .for_each(|tangent| *tangent = self.map_tangent(*tangent));
        }
        if self.is_mirroring() {
            mesh.faces.reverse_winding(mesh.positions.len());
        }
    }

    fn apply_to_placement(&self, placement: &mut Placement) {
        let axes = DMat4::from_mat3(self.axes);
        placement.transform = axes * placement.transform * axes.transpose();
        placement.transform.w_axis =
            (placement.transform.w_axis.truncate() * self.scale).extend(1.0);
        placement
            .instances
            .iter_mut()
            .for_each(|instance| *instance = self.map_transform(*instance));
    }

    fn map_transform(
        &self,
        Transform {
            translation,
            rotation,
            scale,
        }: Transform,
    ) -> Transform {
        Transform {
            translation: self.map_point(translation),
            rotation: self.map_rotation(rotation),
            scale: self.map_factors(scale),
        }
    }

    /// Returns `true` if the handedness changes: the number of sign flips and coordinate swaps is odd.
    fn is_mirroring(&self) -> bool {
        let flips = self.sign_flips.iter().filter(|flip| **flip != 0).count();
        let is_swap = !matches!(self.source, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
        (flips % 2 == 1) != is_swap
    }

    fn map_direction(&self, vector: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|row| {
            f32::from_bits(vector[self.source[row]].to_bits() ^ self.sign_flips[row])
        })
    }

    fn map_point(&self, point: [f32; 3]) -> [f32; 3] {
        match self.scale {
            1.0 => self.map_direction(point),
            scale => self
                .map_direction(point)
                .map(|coordinate| (f64::from(coordinate) * scale) as f32),
        }
    }

    /// Converts a tangent; its fourth component is the handedness of the bitangent.
    fn map_tangent(&self, [x, y, z, side]: [f32; 4]) -> [f32; 4] {
        let [x, y, z] = self.map_direction([x, y, z]);
        [x, y, z, if self.is_mirroring() { -side } else { side }]
    }

    /// Reorders scale factors without changing their signs.
    fn map_factors(&self, factors: [f32; 3]) -> [f32; 3] {
        self.source.map(|source| factors[source])
    }

    /// Converts a quaternion: maps its axis, and negates its angle if the handedness changes.
    fn map_rotation(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let [x, y, z] = self.map_direction([x, y, z]);
        if self.is_mirroring() {
            [-x, -y, -z, w]
        } else {
            [x, y, z, w]
        }
    }

    fn map_matrix(&self, matrix: Mat4) -> Mat4 {
        let column = |column: usize| {
            let source = matrix.col(self.source[column]);
            let mapped = self.map_direction(source.truncate().to_array());
            let signed =
                mapped.map(|value| f32::from_bits(value.to_bits() ^ self.sign_flips[column]));
            Vec3::from(signed).extend(source.w)
        };
        let translation = self.map_point(matrix.w_axis.truncate().to_array());
        Mat4::from_cols(
            column(0),
            column(1),
            column(2),
            Vec3::from(translation).extend(matrix.w_axis.w),
        )
    }
}
