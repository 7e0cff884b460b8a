//! Repairs scenes before writing, so that they are valid in glTF, and lists the changes.

mod animations;
mod skins;

use std::slice::from_mut;

use glam::{Mat4, Vec4};

pub(super) use self::skins::OutputJoints;
use super::{set_meshspec_extra_if, unsupported_type_name};
use crate::scene::repair::{all_finite, repair_rotations, repair_vectors, replace_non_finite};
use crate::scene::{Colors, Components, CustomAttribute, Extras, Mesh, Scene, Transform};
use crate::{Error, Loss, Quantity, Result, Unit};

/// The tolerated distance between a matrix and the nearest matrix composed of translation, rotation and scale. It is
/// absolute, or relative to the largest entry of each column.
const TOLERANCE: f32 = 1e-5;

/// Makes a scene valid in glTF. Returns the joints of the output file. Returns an error if a position or time is not
/// finite, times are not in ascending order, or there are too many joints. `unit` is the length of a unit in metres.
pub(super) fn repair(scene: &mut Scene, unit: f64, losses: &mut Vec<Loss>) -> Result<OutputJoints> {
    losses.extend(scene.bind_shear_loss("glTF"));
    repair_transform(scene, losses);
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        let at = format!("meshes[{index}]");
        check_positions(mesh, &at)?;
        repair_directions(mesh, &at, losses);
        for (set, uvs) in mesh.uvs.iter_mut().enumerate() {
            replace_non_finite(uvs.as_flattened_mut(), format!("{at}.uvs[{set}]"), losses);
        }
        for (set, colors) in mesh.colors.iter_mut().enumerate() {
            clamp_colors(colors, format!("{at}.colors[{set}]"), losses);
        }
        for (set, skin) in mesh.skins.iter_mut().enumerate() {
            skin.replace_non_finite(&format!("{at}.skins[{set}]"), losses);
        }
        repair_custom_attributes(mesh, &at, losses);
    }
    let joints = skins::repair(scene, losses)?;
    repair_joints(scene, losses);
    animations::repair(scene, unit, losses)?;
    for (index, lod) in scene.lods.iter_mut().enumerate() {
        replace_non_finite(
            from_mut(&mut lod.distance),
            format!("lods[{index}].distance"),
            losses,
        );
    }
    Ok(joints)
}

/// Removes shear and projection from the scene transform, unless they are rounding errors. Drops them if this changes
/// each column by at most [`TOLERANCE`] of its largest entry; otherwise applies the transform to the vertices. Drops
/// transforms that are not finite, and those that must be applied but cannot be inverted.
fn repair_transform(scene: &mut Scene, losses: &mut Vec<Loss>) {
    let Some(transform) = scene.transform else {
        return;
    };
    if transform == Mat4::IDENTITY {
        scene.transform = None;
        return;
    }
    let nearest = Transform::from_matrix(transform).to_matrix();
    // Relative to each column, since the lengths of columns may differ by any factor.
    let is_within = |tolerance: f32| {
        (0..4)
            .map(|axis| (transform.col(axis), nearest.col(axis)))
            .all(|(axis, nearest)| {
                (axis - nearest).abs().max_element() <= tolerance * axis.abs().max_element()
            })
    };
    if !transform.is_finite() {
        scene.transform = None;
        return losses.push(Loss::dropped("transform", "the matrix is not finite"));
    }
    let error = distance(transform, nearest);
    // The difference is a rounding error.
    if error <= TOLERANCE || is_within(16.0 * f32::EPSILON) {
        return;
    }
    if is_within(TOLERANCE) {
        scene.transform = Some(nearest);
        let message = "glTF nodes have no shear; it was removed from the matrix";
        losses.push(Loss::quantized(
            "transform",
            message,
            Quantity::MATRICES,
            error,
        ));
    } else if transform.inverse().is_finite() {
        scene.apply_transform();
        let message = "glTF nodes have no shear or projection; the scene transform was applied to the vertices";
        losses.push(Loss::changed("transform", message));
        for (index, mesh) in scene
            .meshes
            .iter_mut()
            .enumerate()
            .filter(|(_, mesh)| !mesh.is_flat())
        {
            if std::mem::take(&mut mesh.flat) {
                let message =
                    "positions are no longer 2D, since the transform adds a third coordinate";
                losses.push(Loss::dropped(format!("meshes[{index}].flat"), message));
            }
        }
    } else {
        scene.transform = None;
        losses.push(Loss::dropped(
            "transform",
            "the matrix has no finite inverse",
        ));
    }
}

/// Returns the largest difference of an entry, rounded up.
fn distance(a: Mat4, b: Mat4) -> f32 {
    let differences = (a - b)
        .to_cols_array()
        .into_iter()
        .filter(|difference| *difference != 0.0);
    // A difference is rounded to the nearest number.
    differences
        .map(|difference| difference.abs().next_up())
        .fold(0.0, f32::max)
}

fn check_positions(mesh: &Mesh, at: &str) -> Result<()> {
    if all_finite(mesh.positions.as_flattened()) {
        return Ok(());
    }
    let Some(vertex) = mesh.positions.iter().position(|p| !all_finite(p)) else {
        return Ok(());
    };
    let position = mesh.positions[vertex];
    let message = format!("vertex {vertex} is at {position:?}, but glTF requires finite numbers");
    Err(Error::inexpressible(message).at_text(format!("{at}.positions[{vertex}]")))
}

/// Repairs normals and tangents. Tangents without normals, which glTF readers ignore, become a custom attribute.
fn repair_directions(mesh: &mut Mesh, at: &str, losses: &mut Vec<Loss>) {
    mesh.repair_normals(at, losses);
    let path = format!("{at}.tangents");
    if mesh.normals.is_none()
        && let Some(tangents) = mesh.tangents.take()
    {
        let values = Components::F32(tangents.into_flattened());
        mesh.custom.push(CustomAttribute {
            name: "TANGENT".to_owned(),
            components: 4,
            values,
        });
        losses.push(Loss::renamed(
            &*path,
            "tangents without normals became the attribute _TANGENT",
        ));
    }
    mesh.repair_tangents(at, losses);
    mesh.normalize_directions(at, losses);
    let mut sides = 0;
    for [.., side] in mesh.tangents.iter_mut().flatten() {
        if side.abs() != 1.0 {
            *side = if *side < 0.0 { -1.0 } else { 1.0 };
            sides += 1;
        }
    }
    let loss = Loss::changed(path, "the handedness of tangents was replaced by 1 or -1");
    losses.extend(loss.with_count(sides, "tangents").if_any());
}

fn clamp_colors(colors: &mut Colors, path: String, losses: &mut Vec<Loss>) {
    let Colors::F32(values) = colors else { return };
    replace_non_finite(values.as_flattened_mut(), path.clone(), losses);
    let mut worst = 0.0_f64;
    for value in values.as_flattened_mut() {
        let clamped = value.clamp(0.0, 1.0);
        worst = worst.max((f64::from(clamped) - f64::from(*value)).abs());
        *value = clamped;
    }
    let message = "colours were clamped to the range 0 to 1";
    losses.extend(Loss::quantized(path, message, Quantity::COLORS, worst).if_any());
}

/// Makes the names of custom attributes unique. Converts attributes to floats if glTF lacks their component type.
fn repair_custom_attributes(mesh: &mut Mesh, at: &str, losses: &mut Vec<Loss>) {
    let mut names: Vec<String> = Vec::new();
    let mut kinds = Extras::new();
    for (index, custom) in mesh.custom.iter_mut().enumerate() {
        let path = format!("{at}.custom[{index}]");
        if names.contains(&custom.name) {
            let free = (2..)
                .map(|n| format!("{}_{n}", custom.name))
                .find(|name| !names.contains(name));
            let old = std::mem::replace(&mut custom.name, free.unwrap_or_default());
            let loss = Loss::renamed(path.clone(), "attributes must have unique names");
            losses.push(loss.with_change(old, &custom.name));
        }
        names.push(custom.name.clone());
        let mut worst = 0.0_f64;
        let mut narrow = |value: f64| {
            let near = value as f32;
            worst = worst.max((f64::from(near) - value).abs());
            near
        };
        let floats: Option<Vec<f32>> = match &custom.values {
            Components::F64(values) => Some(values.iter().map(|value| narrow(*value)).collect()),
            Components::U32(values) => {
                Some(values.iter().map(|value| narrow((*value).into())).collect())
            }
            Components::I32(values) => {
                Some(values.iter().map(|value| narrow((*value).into())).collect())
            }
            _ => None,
        };
        if let (Some(floats), Some(kind)) = (floats, unsupported_type_name(&custom.values)) {
            kinds.insert(custom.name.clone(), kind.into());
            custom.values = Components::F32(floats);
        }
        if worst > 0.0 {
            let message = "custom attributes were converted to 32-bit floats";
            let values = Quantity::new("values", Unit::None);
            losses.push(Loss::quantized(path.clone(), message, values, worst));
        }
        if let Components::F32(values) = &mut custom.values {
            replace_non_finite(values, path, losses);
        }
    }
    set_meshspec_extra_if(&mut mesh.extras, !kinds.is_empty(), "kinds", kinds);
}

/// Makes inverse bind matrices finite and affine, and rest transforms finite with unit rotations. Keeps the rest pose
/// of joints whose matrix changes.
fn repair_joints(scene: &mut Scene, losses: &mut Vec<Loss>) {
    for index in 0..scene.skeleton.joints.len() {
        let path = format!("skeleton.joints[{index}]");
        let before = scene.skeleton.rest_transform(index);
        let mut rest = before;
        let at = format!("{path}.rest");
        repair_vectors(from_mut(&mut rest.translation), 0.0, &at, losses);
        repair_rotations(from_mut(&mut rest.rotation), &at, losses);
        repair_vectors(from_mut(&mut rest.scale), 1.0, &at, losses);
        let joint = &mut scene.skeleton.joints[index];
        let matrix = joint.inverse_bind;
        let affine = matrix.row(3) == Vec4::W;
        if rest != before || !matrix.is_finite() || !affine {
            joint.rest = Some(rest);
        }
        let path = format!("{path}.inverse_bind");
        if !matrix.is_finite() {
            joint.inverse_bind = Mat4::IDENTITY;
            losses.push(Loss::changed(
                path,
                "a non-finite matrix was replaced by the identity",
            ));
        } else if !affine {
            let mut rows = matrix.transpose();
            rows.w_axis = Vec4::W;
            joint.inverse_bind = rows.transpose();
            let error = distance(joint.inverse_bind, matrix);
            let message = "the last row of the matrix was replaced by (0, 0, 0, 1)";
            losses.push(Loss::quantized(path, message, Quantity::MATRICES, error));
        }
    }
}
