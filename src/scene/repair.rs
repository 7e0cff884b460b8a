//! Repairs directions, rotations and numbers that have no meaning, and lists the changes.

use glam::DQuat;

use super::{Colors, Interpolation, Mesh, Samples, Scene, Skin, Weights};
use crate::Loss;

/// The tolerance for the length of normals and tangents: the precision of half floats and 16-bit integers.
#[cfg(any(feature = "gltf", feature = "bmd"))]
pub(crate) const UNIT_TOLERANCE: f32 = 1e-3;

/// The allowed deviation of a quaternion's length from 1, which covers rounding.
const UNIT_QUATERNION_TOLERANCE: f32 = 1e-5;

/// The rotation that replaces one without a direction.
const IDENTITY: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// The direction of a tangent without a direction.
const DEFAULT_TANGENT: [f32; 3] = [1.0, 0.0, 0.0];

/// The treatment of normals without a direction in meshes without faces, from which they could be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PointNormals {
    /// Zero normals are kept, and those that are not finite become zero.
    KeepZero,
    /// All normals of the mesh are dropped.
    Drop,
}

impl Scene {
    /// Replaces normals, tangents and rotations without a direction, and normalises rotations. Keeps all values if the
    /// scene was read from a file of `format`, which then stores them unchanged. Returns the losses.
    ///
    /// Writers that compute with rotations call this before; [`Capabilities::restrict`](super::Capabilities::restrict)
    /// calls it for all writers. The second call changes nothing.
    pub(crate) fn repair_directions(&mut self, format: &str, points: PointNormals) -> Vec<Loss> {
        let mut losses = Vec::new();
        if self
            .source
            .as_ref()
            .is_some_and(|source| source.format.eq_ignore_ascii_case(format))
        {
            return losses;
        }
        for (index, mesh) in self.meshes.iter_mut().enumerate() {
            let at = format!("meshes[{index}]");
            match &mut mesh.normals {
                Some(normals)
                    if points == PointNormals::KeepZero
                        && mesh.faces.corner_count(mesh.positions.len()) == 0 =>
                {
                    let of = normals.len();
                    let wrong = normals.iter_mut().filter(|normal| !all_finite(&normal[..]));
                    let count = wrong.map(|normal| *normal = [0.0; 3]).count();
                    let loss = Loss::changed(
                        format!("{at}.normals"),
                        "normals that are not finite became 0",
                    );
                    losses.extend(loss.with_count_of(count, of, "normals").if_any());
                }
                _ => mesh.repair_normals(&at, &mut losses),
            }
            mesh.repair_tangents(&at, &mut losses);
        }
        for (index, joint) in self.skeleton.joints.iter_mut().enumerate() {
            if let Some(rest) = &mut joint.rest {
                let path = format!("skeleton.joints[{index}].rest");
                repair_rotations(std::slice::from_mut(&mut rest.rotation), &path, &mut losses);
            }
        }
        for (index, animation) in self.animations.iter_mut().enumerate() {
            // The lengths of quaternions are their weights in nlerp: they are normalised when they are resampled.
            let channels = animation.channels.iter_mut().enumerate();
            let channels =
                channels.filter(|(_, channel)| channel.interpolation != Interpolation::Normalized);
            for (position, channel) in channels {
                if let Samples::Rotation(values) = &mut channel.samples {
                    let path = format!("animations[{index}].channels[{position}].samples");
                    repair_rotations(values, &path, &mut losses);
                }
            }
        }
        losses
    }
}

impl Mesh {
    /// Replaces normals without a direction by those of the faces. Drops all normals of a mesh without faces if any has no
    /// direction, since there is nothing to compute it from.
    pub(crate) fn repair_normals(&mut self, at: &str, losses: &mut Vec<Loss>) {
        let count = self
            .normals
            .iter()
            .flatten()
            .filter(|normal| !has_direction(normal))
            .count();
        if count == 0 {
            return;
        }
        let given = self.normals.take().unwrap_or_default();
        let of = given.len();
        let path = format!("{at}.normals");
        if self.faces.corner_count(self.positions.len()) == 0 {
            let message = "normals of points, some of which have no direction";
            losses.push(Loss::dropped(path, message).with_count_of(of, of, "normals"));
            return;
        }
        self.generate_normals();
        for (normal, given) in self.normals.iter_mut().flatten().zip(given) {
            *normal = if has_direction(&given) {
                given
            } else {
                *normal
            };
        }
        let message = "normals without a direction were replaced by those of the faces";
        losses.push(Loss::changed(path, message).with_count_of(count, of, "normals"));
    }

    /// Replaces tangents without a direction by (1, 0, 0).
    pub(crate) fn repair_tangents(&mut self, at: &str, losses: &mut Vec<Loss>) {
        let Some(tangents) = &mut self.tangents else {
            return;
        };
        let of = tangents.len();
        let mut count = 0;
        for [x, y, z, _] in tangents {
            if !has_direction(&[*x, *y, *z]) {
                [*x, *y, *z] = DEFAULT_TANGENT;
                count += 1;
            }
        }
        let message = "tangents without a direction were replaced by (1, 0, 0)";
        let loss = Loss::changed(format!("{at}.tangents"), message);
        losses.extend(loss.with_count_of(count, of, "tangents").if_any());
    }

    /// Normalises normals and tangents, all of which have a direction, for formats that store directions only.
    #[cfg(any(feature = "gltf", feature = "bmd"))]
    pub(crate) fn normalize_directions(&mut self, at: &str, losses: &mut Vec<Loss>) {
        let of = self.positions.len();
        let normals = self.normals.iter_mut().flatten();
        let count = normals
            .map(|normal| usize::from(normalize(normal, UNIT_TOLERANCE)))
            .sum();
        let loss = Loss::changed(format!("{at}.normals"), "normals were normalised");
        losses.extend(loss.with_count_of(count, of, "normals").if_any());
        let mut count = 0;
        for [x, y, z, _] in self.tangents.iter_mut().flatten() {
            let mut direction = [*x, *y, *z];
            count += usize::from(normalize(&mut direction, UNIT_TOLERANCE));
            [*x, *y, *z] = direction;
        }
        let loss = Loss::changed(format!("{at}.tangents"), "tangents were normalised");
        losses.extend(loss.with_count_of(count, of, "tangents").if_any());
    }
}

impl Colors {
    /// Replaces non-finite numbers by 0.
    #[cfg(any(feature = "gltf", feature = "crucible", feature = "bmd"))]
    pub(crate) fn replace_non_finite(&mut self, path: String, losses: &mut Vec<Loss>) {
        if let Colors::F32(values) = self {
            replace_non_finite(values.as_flattened_mut(), path, losses);
        }
    }
}

impl Skin {
    /// Replaces non-finite weights by 0.
    pub(crate) fn replace_non_finite(&mut self, at: &str, losses: &mut Vec<Loss>) {
        if let Weights::F32(values) = &mut self.weights {
            replace_non_finite(values.as_flattened_mut(), format!("{at}.weights"), losses);
        }
    }
}

/// Normalises quaternions, and replaces those without a rotation by the identity. Records the changes at `path`.
pub(crate) fn repair_rotations(values: &mut [[f32; 4]], path: &str, losses: &mut Vec<Loss>) {
    let (mut normalized, mut replaced) = (0, 0);
    for value in &mut *values {
        if !has_direction(value) {
            *value = IDENTITY;
            replaced += 1;
        } else if normalize(value, UNIT_QUATERNION_TOLERANCE) {
            normalized += 1;
        }
    }
    let of = values.len();
    let loss = Loss::changed(path, "rotations were normalised");
    losses.extend(loss.with_count_of(normalized, of, "rotations").if_any());
    let loss = Loss::changed(
        path,
        "rotations without a direction were replaced by the identity",
    );
    losses.extend(loss.with_count_of(replaced, of, "rotations").if_any());
}

/// Returns a quaternion of unit length; the identity if `rotation` has no direction.
pub(crate) fn unit_rotation(rotation: [f64; 4]) -> DQuat {
    let rotation = DQuat::from_array(rotation);
    let length = rotation.length();
    if length > 0.0 && length.is_finite() {
        rotation.normalize()
    } else {
        DQuat::IDENTITY
    }
}

/// Returns the number of quaternions that [`repair_rotations`] would change.
#[cfg(feature = "gltf")]
pub(crate) fn count_not_normalized<'a>(values: impl Iterator<Item = &'a [f32; 4]>) -> usize {
    let changes = |value: &[f32; 4]| {
        !has_direction(value) || normalize(&mut value.to_owned(), UNIT_QUATERNION_TOLERANCE)
    };
    values.filter(|value| changes(value)).count()
}

/// Replaces each non-finite vector by a vector whose components are `default`.
#[cfg(feature = "gltf")]
pub(crate) fn repair_vectors(
    values: &mut [[f32; 3]],
    default: f32,
    path: &str,
    losses: &mut Vec<Loss>,
) {
    let wrong = values.iter_mut().filter(|value| !all_finite(*value));
    let count = wrong.map(|value| *value = [default; 3]).count();
    let loss = Loss::changed(
        path,
        format!("non-finite vectors were replaced by {default}"),
    );
    losses.extend(loss.with_count(count, "vectors").if_any());
}

/// Returns `true` if all values are finite. Has no early exit, so that the compiler can vectorise the loop.
pub(crate) fn all_finite(values: &[f32]) -> bool {
    !values
        .iter()
        .fold(false, |found, value| found | !value.is_finite())
}

/// Replaces non-finite numbers by 0.
pub(crate) fn replace_non_finite(values: &mut [f32], path: String, losses: &mut Vec<Loss>) {
    if all_finite(values) {
        return;
    }
    let wrong = values.iter_mut().filter(|value| !value.is_finite());
    let count = wrong.map(|value| *value = 0.0).count();
    losses.push(
        Loss::changed(path, "non-finite numbers were replaced by 0").with_count(count, "numbers"),
    );
}

fn has_direction<const N: usize>(vector: &[f32; N]) -> bool {
    all_finite(vector) && *vector != [0.0; N]
}

/// Normalises a vector that has a direction, unless its length is 1 within `tolerance`. Returns `true` if it changed.
fn normalize<const N: usize>(vector: &mut [f32; N], tolerance: f32) -> bool {
    let squared: f32 = vector.iter().map(|x| x * x).sum();
    if (squared - 1.0).abs() <= 2.0 * tolerance {
        return false;
    }
    let length = vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    if length == 0.0 || !length.is_finite() {
        return false;
    }
    for x in vector {
        *x = (f64::from(*x) / length) as f32;
    }
    true
}
