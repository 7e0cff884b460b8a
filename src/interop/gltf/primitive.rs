//! Reads a primitive as a mesh.

use std::collections::BTreeMap;

use ::gltf::json;
use ::gltf::json::accessor::ComponentType;
use ::gltf::json::mesh::{Mode, Semantic};
use ::gltf::json::validation::Checked;
use glam::Vec3;
use serde_json::Value;

use super::accessor::{Accessor, float_converter, parse};
use super::draco;
use super::errors::{ReadLog, malformed};
use super::file::{GltfFile, read_extras};
use super::take_meshspec_extras;
use crate::scene::{
    Colors, Components, CustomAttribute, Extras, Faces, Indices, Mesh, Skin, Weights,
};
use crate::{Loss, Result, Strictness};

/// Reads a primitive. Returns its mesh and the numbers of its `TEXCOORD` sets. Records a loss and returns `None` if the
/// primitive is unsupported.
///
/// Joint indices refer to the joints of the skin. `mesh_meshspec_extras` is the object `meshspec` in the extras of the
/// mesh. `weights` are the weights of the morph targets.
pub(super) fn read(
    file: &GltfFile,
    entry: &json::mesh::Primitive,
    mesh_meshspec_extras: &Extras,
    weights: &[f32],
    at: &str,
    log: &mut ReadLog,
) -> Result<Option<(Mesh, Vec<u32>)>> {
    let Checked::Valid(mode) = entry.mode else {
        return Err(malformed(at, "unknown primitive mode"));
    };
    if matches!(mode, Mode::Lines | Mode::LineLoop | Mode::LineStrip) {
        log.losses
            .push(Loss::dropped(at, "lines are not converted"));
        return Ok(None);
    }
    let mut extras = read_extras(&entry.extras);
    let meshspec_extras = take_meshspec_extras(&mut extras);
    let original_types = meshspec_extras
        .get("kinds")
        .or(mesh_meshspec_extras.get("kinds"))
        .and_then(Value::as_object);
    let decoded = draco::read(file, entry, at)?;
    let mut reader = AttributeReader {
        file,
        decoded_values: &decoded.accessor_values,
        at,
        log,
        original_types: original_types.cloned().unwrap_or_default(),
        uv_sets: Vec::new(),
        mesh: Mesh::default(),
    };
    reader.read_attributes(&entry.attributes)?;
    reader.apply_morph_targets(entry.targets.as_deref().unwrap_or_default(), weights)?;
    let AttributeReader {
        mut mesh, uv_sets, ..
    } = reader;
    if mesh.positions.is_empty() {
        log.losses.push(Loss::dropped(
            at,
            "primitives without positions are not converted",
        ));
        return Ok(None);
    }
    mesh.extras = extras;
    if !meshspec_extras.is_empty() {
        mesh.extras
            .insert(super::MESHSPEC_EXTRAS.to_owned(), meshspec_extras.into());
    }
    mesh.faces = match decoded.vertex_indices {
        Some(corners) => Faces::triangles(corners),
        None => read_faces(file, entry, mode, mesh.positions.len(), at, &mut log.losses)?,
    };
    let before = mesh.faces.corner_count(mesh.positions.len()) / 3;
    let missing = mesh.faces.drop_invalid_triangles(mesh.positions.len());
    let loss = Loss::dropped(
        format!("{at}.indices"),
        "triangles that refer to missing vertices",
    );
    log.losses
        .extend(loss.with_count_of(missing, before, "triangles").if_any());
    Ok(Some((mesh, uv_sets)))
}

struct AttributeReader<'a> {
    file: &'a GltfFile<'a>,
    /// The decompressed values of accessors, by accessor index.
    decoded_values: &'a BTreeMap<usize, Vec<u8>>,
    at: &'a str,
    log: &'a mut ReadLog,
    /// The original component types of custom attributes that were written as floats, by attribute name.
    original_types: Extras,
    /// The numbers of the `TEXCOORD` sets.
    uv_sets: Vec<u32>,
    mesh: Mesh,
}

impl<'a> AttributeReader<'a> {
    fn accessor(&self, index: usize) -> Result<Accessor<'a>> {
        self.file
            .accessor_with_values(index, self.decoded_values.get(&index).map(Vec::as_slice))
    }

    fn read_attributes(
        &mut self,
        attributes: &BTreeMap<Checked<Semantic>, json::Index<json::Accessor>>,
    ) -> Result<()> {
        let index_of = |semantic| {
            attributes
                .get(&Checked::Valid(semantic))
                .map(json::Index::value)
        };
        if let Some(index) = index_of(Semantic::Positions) {
            self.mesh.positions = self.accessor(index)?.read_floats()?;
        }
        for (semantic, index) in attributes {
            let Checked::Valid(semantic) = semantic else {
                continue;
            };
            let partner = match semantic {
                Semantic::Joints(set) => index_of(Semantic::Weights(*set)),
                Semantic::Weights(set) => index_of(Semantic::Joints(*set)),
                _ => None,
            };
            let read = self.read_attribute(semantic, index.value(), partner);
            if partner.is_some() {
                // Without its joints, the mesh would be at the wrong position.
                read?;
            } else if read.is_err() {
                let path = self.path(&semantic.to_string());
                self.log
                    .recover(read, &path, |at| Loss::dropped(at, "cannot be read"))?;
            }
        }
        Ok(())
    }

    /// Reads an attribute. `partner` is the weight accessor for joints, and the joint accessor for weights.
    fn read_attribute(
        &mut self,
        semantic: &Semantic,
        index: usize,
        partner: Option<usize>,
    ) -> Result<()> {
        let accessor = self.accessor(index)?;
        if accessor.count != self.mesh.positions.len() {
            let message = format!(
                "{} values for {} positions",
                accessor.count,
                self.mesh.positions.len()
            );
            return Err(malformed(self.path(&semantic.to_string()), message));
        }
        match (semantic, partner) {
            (Semantic::Positions, _) | (Semantic::Weights(_), Some(_)) => {}
            (Semantic::Normals, _) => self.mesh.normals = Some(accessor.read_floats()?),
            (Semantic::Tangents, _) => self.mesh.tangents = Some(accessor.read_floats()?),
            (Semantic::TexCoords(set), _) => {
                let uvs = accessor.read_floats()?;
                self.record_renamed_set("TEXCOORD", *set, self.mesh.uvs.len());
                self.mesh.uvs.push(uvs);
                self.uv_sets.push(*set);
            }
            (Semantic::Colors(set), _) => {
                let colors = read_colors(&accessor)?;
                self.record_renamed_set("COLOR", *set, self.mesh.colors.len());
                self.mesh.colors.push(colors);
            }
            (Semantic::Joints(set), Some(weights)) => {
                let weights = self.accessor(weights)?;
                self.record_renamed_set("JOINTS", *set, self.mesh.skins.len());
                self.mesh.skins.push(read_skin(&accessor, &weights)?);
            }
            (Semantic::Joints(_), None) => self.drop_attribute(semantic, "joints without weights"),
            (Semantic::Weights(_), None) => self.drop_attribute(semantic, "weights without joints"),
            (Semantic::Extras(name), _) => self.read_custom(name, &accessor)?,
        }
        Ok(())
    }

    fn apply_morph_targets(
        &mut self,
        targets: &[json::mesh::MorphTarget],
        weights: &[f32],
    ) -> Result<()> {
        for (target, weight) in targets
            .iter()
            .zip(weights)
            .filter(|(_, weight)| **weight != 0.0)
        {
            let Mesh {
                positions,
                normals,
                tangents,
                ..
            } = &mut self.mesh;
            add_offsets(self.file, target.positions, *weight, positions)?;
            add_offsets(
                self.file,
                target.normals,
                *weight,
                normals.as_deref_mut().unwrap_or_default(),
            )?;
            add_offsets(
                self.file,
                target.tangents,
                *weight,
                tangents.as_deref_mut().unwrap_or_default(),
            )?;
        }
        if weights
            .iter()
            .zip(targets)
            .any(|(weight, _)| *weight != 0.0)
        {
            for normal in self.mesh.normals.iter_mut().flatten() {
                *normal = Vec3::from(*normal).normalize_or_zero().into();
            }
            for tangent in self.mesh.tangents.iter_mut().flatten() {
                let [x, y, z, side] = *tangent;
                *tangent = Vec3::new(x, y, z).normalize_or_zero().extend(side).into();
            }
        }
        Ok(())
    }

    fn path(&self, name: &str) -> String {
        format!("{}.attributes.{name}", self.at)
    }

    /// Records a loss if the number of a set changes, since scenes number sets without gaps.
    fn record_renamed_set(&mut self, name: &str, set: u32, new_set: usize) {
        if set as usize != new_set {
            let path = self.path(&format!("{name}_{set}"));
            let loss = Loss::renamed(path, "sets were renumbered without gaps");
            self.log
                .losses
                .push(loss.with_detail(format_args!("{name}_{new_set}")));
        }
    }

    fn drop_attribute(&mut self, semantic: &Semantic, message: &str) {
        self.log
            .losses
            .push(Loss::dropped(self.path(&semantic.to_string()), message));
    }

    fn read_custom(&mut self, name: &str, accessor: &Accessor) -> Result<()> {
        if accessor.components > 4 {
            let message = "matrices as vertex attributes are not converted";
            self.log
                .losses
                .push(Loss::dropped(self.path(&format!("_{name}")), message));
            return Ok(());
        }
        let values = match accessor.component_type {
            kind if accessor.normalized => {
                Components::F32(accessor.read_flat(float_converter(kind, true))?)
            }
            ComponentType::I8 => Components::I8(accessor.read_flat(parse)?),
            ComponentType::U8 => Components::U8(accessor.read_flat(parse)?),
            ComponentType::I16 => Components::I16(accessor.read_flat(parse)?),
            ComponentType::U16 => Components::U16(accessor.read_flat(parse)?),
            ComponentType::U32 => Components::U32(accessor.read_flat(parse)?),
            ComponentType::F32 => {
                let values: Vec<f32> = accessor.read_flat(parse)?;
                match self.original_types.get(name).and_then(Value::as_str) {
                    Some("f64") => Components::F64(values.into_iter().map(f64::from).collect()),
                    Some("u32") => {
                        Components::U32(values.into_iter().map(|value| value as u32).collect())
                    }
                    Some("i32") => {
                        Components::I32(values.into_iter().map(|value| value as i32).collect())
                    }
                    _ => Components::F32(values),
                }
            }
        };
        let (name, components) = (name.to_owned(), accessor.components);
        self.mesh.custom.push(CustomAttribute {
            name,
            components,
            values,
        });
        Ok(())
    }
}

/// Adds the weighted offsets of a morph target to the first three components of each value. The fourth component, the
/// handedness of tangents, is unchanged.
fn add_offsets<const N: usize>(
    file: &GltfFile,
    offsets: Option<json::Index<json::Accessor>>,
    weight: f32,
    values: &mut [[f32; N]],
) -> Result<()> {
    let Some(index) = offsets.filter(|_| !values.is_empty()) else {
        return Ok(());
    };
    let accessor = file.accessor(index.value())?;
    let offsets = accessor.read_floats::<3>()?;
    if offsets.len() != values.len() {
        return Err(accessor.reject(format!(
            "{} offsets for {} vertices",
            offsets.len(),
            values.len()
        )));
    }
    for (value, offset) in values.iter_mut().zip(offsets) {
        value
            .iter_mut()
            .zip(offset)
            .for_each(|(value, offset)| *value += offset * weight);
    }
    Ok(())
}

/// Reads colours. Colours without alpha become opaque.
fn read_colors(accessor: &Accessor) -> Result<Colors> {
    Ok(match (accessor.component_type, accessor.components) {
        (ComponentType::U8, 3) => Colors::U8(with_alpha(accessor.read_unconverted()?, 255)),
        (ComponentType::U8, _) => Colors::U8(accessor.read_unconverted()?),
        (_, 3) => Colors::F32(with_alpha(accessor.read_floats()?, 1.0)),
        _ => Colors::F32(accessor.read_floats()?),
    })
}

fn with_alpha<T: Copy>(colors: Vec<[T; 3]>, alpha: T) -> Vec<[T; 4]> {
    colors
        .into_iter()
        .map(|[red, green, blue]| [red, green, blue, alpha])
        .collect()
}

fn read_skin(joints: &Accessor, weights: &Accessor) -> Result<Skin> {
    if joints.count != weights.count {
        return Err(weights.reject(format!(
            "{} weights for {} joints",
            weights.count, joints.count
        )));
    }
    let (ComponentType::U8 | ComponentType::U16) = joints.component_type else {
        return Err(joints.reject("expected unsigned 8-bit or 16-bit joints"));
    };
    let indices: Vec<[u16; 4]> = joints
        .read_integers()?
        .into_iter()
        .map(|four| four.map(|joint| joint as u16))
        .collect();
    let weights = match (weights.component_type, weights.normalized) {
        (ComponentType::U8, true) => Weights::U8(weights.read_unconverted()?),
        _ => Weights::F32(weights.read_floats()?),
    };
    let mut skin = Skin {
        joints: indices,
        weights,
    };
    skin.for_each_unused_joint(|joint| *joint = Skin::NONE);
    Ok(skin)
}

fn read_faces(
    file: &GltfFile,
    entry: &json::mesh::Primitive,
    mode: Mode,
    vertices: usize,
    at: &str,
    losses: &mut Vec<Loss>,
) -> Result<Faces> {
    let indices = match entry.indices {
        Some(index) => {
            let accessor = file.accessor(index.value())?;
            let indices = read_indices(&accessor)?;
            let missing = indices.max().filter(|index| *index as usize >= vertices);
            if let Some(index) = missing.filter(|_| file.strictness == Strictness::Strict) {
                let message = format!("index {index} is not below the vertex count {vertices}");
                return Err(accessor.reject(message));
            }
            Some(indices)
        }
        None => None,
    };
    match mode {
        Mode::Triangles => Ok(Faces {
            indices,
            corners: None,
        }),
        Mode::Points => {
            if indices.is_some() {
                losses.push(Loss::dropped(
                    format!("{at}.indices"),
                    "the order of points is not converted",
                ));
            }
            Ok(Faces {
                indices: Some(Indices::U16(Vec::new())),
                corners: None,
            })
        }
        _ => {
            let corners = indices.map_or_else(|| (0..vertices as u32).collect(), Indices::into_u32);
            file.charge_budget(corners.len() as u64 * 12, || format!("{at}.indices"))?;
            let (what, triangles) = match mode {
                Mode::TriangleFan => ("a fan", fan_to_triangles(&corners)),
                _ => ("a strip", strip_to_triangles(&corners)),
            };
            let message = format!("{what} was converted to a list of triangles");
            losses.push(Loss::changed(format!("{at}.mode"), message));
            Ok(Faces::triangles(triangles))
        }
    }
}

fn read_indices(accessor: &Accessor) -> Result<Indices> {
    match (accessor.component_type, accessor.components) {
        (ComponentType::U8, 1) => {
            let values: Vec<u8> = accessor.read_flat(parse)?;
            Ok(Indices::U16(values.into_iter().map(u16::from).collect()))
        }
        (ComponentType::U16, 1) => Ok(Indices::U16(
            accessor.read_unconverted::<_, 1>()?.into_flattened(),
        )),
        (ComponentType::U32, 1) => Ok(Indices::U32(
            accessor.read_unconverted::<_, 1>()?.into_flattened(),
        )),
        _ => Err(accessor.reject("expected unsigned integer indices")),
    }
}

/// Converts a strip to triangles. Reverses every second triangle, and drops degenerate triangles, which connect strips.
fn strip_to_triangles(corners: &[u32]) -> Vec<u32> {
    let triangles = corners
        .windows(3)
        .enumerate()
        .map(|(index, three)| match index % 2 {
            0 => [three[0], three[1], three[2]],
            _ => [three[1], three[0], three[2]],
        });
    triangles
        .filter(|[a, b, c]| a != b && b != c && a != c)
        .flatten()
        .collect()
}

fn fan_to_triangles(corners: &[u32]) -> Vec<u32> {
    let Some((first, others)) = corners.split_first() else {
        return Vec::new();
    };
    others
        .windows(2)
        .flat_map(|pair| [*first, pair[0], pair[1]])
        .collect()
}
