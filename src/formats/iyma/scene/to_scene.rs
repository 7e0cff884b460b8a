//! Converts document buffers to scene meshes.

use super::super::document::merge::unused_losses;
use super::super::document::{Attribute, Document, inexpressible};
use super::super::schema::{self, Component, IndexFormat, MeshInfo, Usage, VertexFormat};
use super::custom::custom_name;
use crate::bulk;
use crate::scene::{self, Colors, Components, CustomAttribute, Faces, Mesh, Skin, Weights, exact};
use crate::{Error, Limit, Loss, Quantity, Result, Unit, path};

/// The scene attribute to which a vertex buffer is converted.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Position,
    Normal,
    Tangent,
    Color,
    Uv,
    Joints,
    Weights,
    /// Any other attribute, stored by name.
    Custom,
}

fn role_of(attribute: &Attribute) -> Role {
    let Attribute {
        usage,
        format,
        data: _,
    } = attribute;
    match usage {
        Usage::Position => Role::Position,
        Usage::Normal => Role::Normal,
        Usage::Tangent => Role::Tangent,
        Usage::Color => Role::Color,
        Usage::Uv | Usage::Uv1 => Role::Uv,
        Usage::JointIndex => Role::Joints,
        Usage::JointWeight => Role::Weights,
        // `from_scene` gives these names to UV and colour sets after the first.
        Usage::Custom(n, name)
            if *name == format!("uv{n}") && *format == VertexFormat::Float32x2 =>
        {
            Role::Uv
        }
        Usage::Custom(n, name) if *name == format!("color{n}") && format.components() == 4 => {
            Role::Color
        }
        Usage::Custom(..) => Role::Custom,
    }
}

impl Role {
    /// The number of components in a scene, and the quantity in which rounding errors are measured.
    fn components_and_quantity(self) -> (usize, Quantity) {
        match self {
            Role::Position => (3, Quantity::POSITIONS),
            Role::Normal => (3, Quantity::NORMALS),
            Role::Tangent => (4, Quantity::new("tangents", Unit::Degrees)),
            Role::Color => (4, Quantity::COLORS),
            Role::Uv => (2, Quantity::TEXTURE_COORDINATES),
            Role::Weights => (4, Quantity::WEIGHTS),
            Role::Joints | Role::Custom => (4, Quantity::new("values", Unit::None)),
        }
    }
}

/// Adds the losses from converting the buffers.
pub(super) fn add_buffer_losses(document: &Document, losses: &mut Vec<Loss>) {
    for (index, attribute) in document.attributes.iter().enumerate() {
        let path = format!("attributes[{index}]");
        let usage = &attribute.usage;
        if let Some(first) = document.attributes[..index]
            .iter()
            .position(|other| other.usage == *usage)
        {
            let detail = format!("{} of attributes[{first}]", usage.name());
            losses.push(Loss::dropped(path, "duplicate usage").with_detail(detail));
            continue;
        }
        let (role, components) = (role_of(attribute), attribute.format.components());
        let (max_components, quantity) = role.components_and_quantity();
        let kept = components.min(max_components);
        if components > kept {
            let detail = format!("{} keeps its first {kept}", attribute.format.name());
            let loss = Loss::dropped(path.clone(), "surplus components of a vertex attribute");
            losses.push(loss.with_detail(detail));
        }
        if let Some((exact, kind)) = exact_values(attribute)
            && !matches!(role, Role::Custom | Role::Joints)
        {
            let vectors = exact.chunks(components).map(|vector| &vector[..kept]);
            let padded =
                |vector: &[f64]| std::array::from_fn(|i| vector.get(i).copied().unwrap_or(0.0));
            let is_rounded = |value: &f64| f64::from(*value as f32) != *value && !value.is_nan();
            // Rounding an axis-aligned vector changes only its length.
            let any_rounded = vectors.clone().flatten().any(is_rounded);
            let worst = match role {
                Role::Normal | Role::Tangent => vectors
                    .map(|vector| exact::rounding_angle(padded(vector)))
                    .fold(0.0, f64::max),
                Role::Position => vectors
                    .map(|vector| exact::rounding_distance(padded(vector)))
                    .fold(0.0, f64::max),
                _ => vectors
                    .flatten()
                    .map(|value| exact::rounding_error([*value; 3]))
                    .fold(0.0, f64::max),
            };
            if any_rounded {
                let message = format!("{} rounded from {kind}", quantity.name);
                losses.push(match worst > 0.0 {
                    true => Loss::quantized(path, message, quantity, worst),
                    false => Loss::changed(path, format!("lengths of {message}")),
                });
            }
        }
    }
    if document.attribute(&Usage::Position).is_none() && document.n_vertices > 0 {
        let message = "the file has no positions; all vertices were placed at the origin";
        losses.push(Loss::changed("attributes", message));
    }
    let has = |usage| document.attribute(&usage).is_some();
    let [has_indices, has_weights] = [Usage::JointIndex, Usage::JointWeight].map(has);
    if has_indices != has_weights {
        let message = "joint indices without weights, or weights without joint indices";
        losses.push(Loss::dropped("attributes", message));
    }
    let joints = document
        .attribute(&Usage::JointIndex)
        .filter(|_| has_weights);
    let joints = joints.map(Attribute::to_f32).unwrap_or_default();
    if joints.iter().any(|joint| *joint >= f32::from(Skin::NONE)) {
        losses.push(Loss::dropped(
            "attributes",
            format!("joint indices of {} or more", Skin::NONE),
        ));
    }
    // The cast saturates and rounds towards 0; NaN becomes 0.
    let is_whole =
        |joint: &f32| *joint >= f32::from(Skin::NONE) || f32::from(*joint as u16) == *joint;
    if !joints.iter().all(is_whole) {
        let message = "negative or fractional joint indices were converted to whole numbers";
        losses.push(Loss::changed("attributes", message));
    }
    losses.extend(unused_losses(document, "n_vertices").into_iter().flatten());
}

/// Returns the values of a buffer of 64-bit floats or 32-bit integers, and a description of their rounding; `None` for
/// other formats.
fn exact_values(attribute: &Attribute) -> Option<(Vec<f64>, &'static str)> {
    let doubles = || {
        attribute
            .data
            .as_chunks()
            .0
            .iter()
            .map(|bytes| f64::from_le_bytes(*bytes))
            .collect()
    };
    let words = || {
        attribute
            .data
            .as_chunks()
            .0
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
    };
    Some(match attribute.format.component() {
        Component::Float64 => (doubles(), "64 to 32 bits"),
        Component::Uint32 => (
            words().map(f64::from).collect(),
            "integers to 32-bit floats",
        ),
        Component::Sint32 => (
            words().map(|n| f64::from(n as i32)).collect(),
            "integers to 32-bit floats",
        ),
        _ => return None,
    })
}

/// Meshes of up to this total size in bytes are always allowed.
const MAX_SHARED_BYTES: u64 = 1 << 30;

/// Meshes with a total size up to this multiple of the total buffer size are always allowed.
const MAX_SHARING_FACTOR: u64 = 16;

/// Returns an error if the total size of the meshes exceeds both limits. Mesh ranges may overlap in the buffers, and a
/// file without attributes may declare any number of vertices.
pub(super) fn reject_excessive_sharing(document: &Document) -> Result<()> {
    let indices = document.indices.as_ref();
    let buffers = document
        .attributes
        .iter()
        .map(|attribute| attribute.data.len() as u64)
        .sum::<u64>()
        + indices.map_or(0, |indices| indices.data.len() as u64);
    let attributes = document
        .attributes
        .iter()
        .map(|attribute| attribute.format.size() as u64)
        .sum::<u64>();
    let vertex = attributes.max(size_of::<[f32; 3]>() as u64);
    let index = indices.map_or(0, |indices| indices.format.size() as u64);
    // Each mesh has a list per attribute, even if it has no vertices.
    let lists = (document.attributes.len() * size_of::<CustomAttribute>()) as u64;
    let size = |m: &MeshInfo| {
        lists + u64::from(m.vertex_count) * vertex + u64::from(m.index_count) * index
    };
    let meshes = document
        .meshes
        .iter()
        .map(size)
        .fold(0, u64::saturating_add);
    let most = MAX_SHARED_BYTES.max(buffers.saturating_mul(MAX_SHARING_FACTOR));
    if meshes <= most {
        return Ok(());
    }
    let message = format!(
        "the meshes share buffers of {buffers} bytes and would take {meshes} bytes, but at most {most} are allowed"
    );
    Err(Error::limit_exceeded(Limit::Fixed, message)
        .at(path!(meshes))
        .in_format(schema::NAME))
}

pub(super) fn to_mesh(document: &Document, index: usize, info: &MeshInfo) -> Result<Mesh> {
    let mut mesh = Mesh::default();
    let (mut joints, mut weights) = (None, None);
    for (position, attribute) in document.attributes.iter().enumerate() {
        if document.attributes[..position]
            .iter()
            .any(|other| other.usage == attribute.usage)
        {
            continue;
        }
        let mesh_values = attribute
            .slice_mesh(info)
            .ok_or_else(|| range_error(index, "vertex"))?;
        match role_of(&mesh_values) {
            Role::Position => {
                mesh.flat = mesh_values.format.components() < 3;
                mesh.positions = to_vectors(&mesh_values, [0.0; 3]);
            }
            Role::Normal => mesh.normals = Some(to_vectors(&mesh_values, [0.0; 3])),
            // The fourth component is the handedness; it defaults to 1.
            Role::Tangent => mesh.tangents = Some(to_vectors(&mesh_values, [0.0, 0.0, 0.0, 1.0])),
            Role::Color => mesh.colors.push(to_colors(&mesh_values)),
            Role::Uv => mesh.uvs.push(to_vectors(&mesh_values, [0.0; 2])),
            Role::Joints => joints = Some(to_vectors(&mesh_values, [f32::from(Skin::NONE); 4])),
            Role::Weights => weights = Some(to_weights(&mesh_values)),
            Role::Custom => mesh.custom.push(CustomAttribute {
                name: custom_name(&mesh_values.usage),
                components: mesh_values.format.components(),
                values: to_components(&mesh_values),
            }),
        }
    }
    if let (Some(joints), Some(weights)) = (joints, weights) {
        let joints = joints
            .iter()
            .map(|four: &[f32; 4]| four.map(|joint| joint as u16))
            .collect();
        mesh.skins.push(Skin { joints, weights });
    }
    if document.attribute(&Usage::Position).is_none() {
        mesh.positions = vec![[0.0; 3]; info.vertex_count as usize];
    }
    mesh.faces = Faces {
        indices: mesh_indices(document, info, index)?,
        corners: None,
    };
    Ok(mesh)
}

fn range_error(mesh: usize, item: &str) -> Error {
    inexpressible(
        format!("the {item} range exceeds the buffer"),
        path!(meshes[mesh]),
    )
}

fn mesh_indices(
    document: &Document,
    mesh: &MeshInfo,
    index: usize,
) -> Result<Option<scene::Indices>> {
    let Some(indices) = &document.indices else {
        return Ok(None);
    };
    let indices = indices
        .slice_mesh(mesh)
        .ok_or_else(|| range_error(index, "index"))?;
    Ok(Some(match indices.format {
        IndexFormat::U16 => scene::Indices::U16(bulk::to_vec(&indices.data)),
        IndexFormat::U32 => scene::Indices::U32(bulk::to_vec(&indices.data)),
    }))
}

/// Returns the first `N` components of each value. Missing components come from `default`.
fn to_vectors<const N: usize>(attribute: &Attribute, default: [f32; N]) -> Vec<[f32; N]> {
    if attribute.format.component() == Component::Float32 && attribute.format.components() == N {
        return bulk::to_vec::<f32>(&attribute.data)
            .as_chunks::<N>()
            .0
            .to_vec();
    }
    let floats = attribute.to_f32();
    let value = |value: &[f32]| {
        std::array::from_fn(|lane| value.get(lane).copied().unwrap_or(default[lane]))
    };
    floats
        .chunks_exact(attribute.format.components())
        .map(value)
        .collect()
}

fn to_colors(attribute: &Attribute) -> Colors {
    match attribute.format {
        VertexFormat::Unorm8x4 => Colors::U8(attribute.data.as_chunks::<4>().0.to_vec()),
        VertexFormat::Unorm8x4Bgra => {
            let bgra = attribute.data.as_chunks::<4>().0.iter();
            Colors::U8(
                bgra.map(|[blue, green, red, alpha]| [*red, *green, *blue, *alpha])
                    .collect(),
            )
        }
        _ => Colors::F32(to_vectors(attribute, [0.0, 0.0, 0.0, 1.0])),
    }
}

fn to_weights(attribute: &Attribute) -> Weights {
    match attribute.format {
        VertexFormat::Unorm8x4 => Weights::U8(attribute.data.as_chunks::<4>().0.to_vec()),
        _ => Weights::F32(to_vectors(attribute, [0.0; 4])),
    }
}

/// Returns the values of a custom attribute: normalised integers and 16-bit floats as 32-bit floats, others unchanged.
fn to_components(attribute: &Attribute) -> Components {
    match attribute.format.component() {
        Component::Sint8 => Components::I8(bulk::to_vec(&attribute.data)),
        Component::Sint16 => Components::I16(bulk::to_vec(&attribute.data)),
        Component::Sint32 => Components::I32(bulk::to_vec(&attribute.data)),
        Component::Uint8 => Components::U8(bulk::to_vec(&attribute.data)),
        Component::Uint16 => Components::U16(bulk::to_vec(&attribute.data)),
        Component::Uint32 => Components::U32(bulk::to_vec(&attribute.data)),
        Component::Float64 => Components::F64(bulk::to_vec(&attribute.data)),
        _ => Components::F32(attribute.to_f32()),
    }
}
