//! Writes a mesh as a primitive, and its attributes as accessors.

use super::buffer::{AccessorType, Buffer, ComponentType, Stream, ViewUse, accessor_type_name};
use super::repair::OutputJoints;
use super::{Object, set_meshspec_extra_if};
use crate::scene::{Colors, Components, CustomAttribute, Indices, Mesh, Weights};

/// The largest 16-bit index, since 0xffff is the primitive restart value.
const MAX_U16_INDEX: u32 = 0xfffe;

const POINTS_MODE: u32 = 0;

/// Writes a mesh that has vertices, and returns its primitive. A mesh with an empty index list becomes points.
pub(super) fn write_primitive<'a>(
    mesh: &'a Mesh,
    joints: OutputJoints,
    buffer: &mut Buffer<'a>,
) -> Object {
    let mut primitive = Object::new();
    primitive.insert(
        "attributes".to_owned(),
        write_attributes(mesh, joints, buffer).into(),
    );
    match &mesh.faces.indices {
        Some(indices) if indices.is_empty() => {
            drop(primitive.insert("mode".to_owned(), POINTS_MODE.into()))
        }
        Some(values) => {
            drop(primitive.insert("indices".to_owned(), write_indices(values, buffer).into()))
        }
        None => {}
    }
    primitive
}

fn write_attributes<'a>(mesh: &'a Mesh, joints: OutputJoints, buffer: &mut Buffer<'a>) -> Object {
    let mut attributes = Object::new();
    let count = mesh.positions.len();
    let mut push = |name: String, stream: Stream<'a>, ty: AccessorType| {
        attributes.insert(
            name,
            buffer.push(ViewUse::Vertices, stream, count, ty).into(),
        );
    };
    let bytes = || AccessorType::new(ComponentType::U8, "VEC4").into_normalized();
    let positions = AccessorType::floats("VEC3").with_bounds_of(&mesh.positions);
    push(
        "POSITION".to_owned(),
        Stream::borrowed(&mesh.positions),
        positions,
    );
    if let Some(normals) = &mesh.normals {
        push(
            "NORMAL".to_owned(),
            Stream::borrowed(normals),
            AccessorType::floats("VEC3"),
        );
    }
    if let Some(tangents) = &mesh.tangents {
        push(
            "TANGENT".to_owned(),
            Stream::borrowed(tangents),
            AccessorType::floats("VEC4"),
        );
    }
    for (set, uvs) in mesh.uvs.iter().enumerate() {
        push(
            format!("TEXCOORD_{set}"),
            Stream::borrowed(uvs),
            AccessorType::floats("VEC2"),
        );
    }
    for (set, colors) in mesh.colors.iter().enumerate() {
        let (stream, ty) = match colors {
            Colors::U8(values) => (Stream::borrowed(values), bytes()),
            Colors::F32(values) => (Stream::borrowed(values), AccessorType::floats("VEC4")),
        };
        push(format!("COLOR_{set}"), stream, ty);
    }
    for (set, skin) in mesh.skins.iter().enumerate() {
        let (stream, component_type) = match joints.total() {
            0..=256 => (Stream::U8Joints(&skin.joints), ComponentType::U8),
            _ => (Stream::borrowed(&skin.joints), ComponentType::U16),
        };
        push(
            format!("JOINTS_{set}"),
            stream,
            AccessorType::new(component_type, "VEC4"),
        );
        let (stream, ty) = match &skin.weights {
            Weights::U8(values) => (Stream::borrowed(values), bytes()),
            Weights::F32(values) => (Stream::borrowed(values), AccessorType::floats("VEC4")),
        };
        push(format!("WEIGHTS_{set}"), stream, ty);
    }
    for custom in &mesh.custom {
        if let Some((stream, component_type)) = custom_stream(custom) {
            let ty = AccessorType::new(component_type, accessor_type_name(custom.components));
            push(format!("_{}", custom.name), stream, ty);
        }
    }
    attributes
}

/// Returns the values of a custom attribute as a stream; `None` if glTF lacks their component type.
fn custom_stream(custom: &CustomAttribute) -> Option<(Stream<'_>, ComponentType)> {
    let (stream, size, component_type) = match &custom.values {
        Components::F32(values) => return Some((Stream::borrowed(values), ComponentType::F32)),
        Components::U8(values) => (Stream::borrowed(values), 1, ComponentType::U8),
        Components::I8(values) => (Stream::borrowed(values), 1, ComponentType::I8),
        Components::U16(values) => (Stream::borrowed(values), 2, ComponentType::U16),
        Components::I16(values) => (Stream::borrowed(values), 2, ComponentType::I16),
        Components::F64(_) | Components::U32(_) | Components::I32(_) => return None,
    };
    let stream = match (stream, custom.components * size) {
        (Stream::Bytes(bytes), record) if record % 4 != 0 => Stream::PaddedRecords(bytes, record),
        (stream, _) => stream,
    };
    Some((stream, component_type))
}

/// Adds an accessor for indices, in 16 bits if they fit. Returns the index of the accessor.
fn write_indices<'a>(indices: &'a Indices, buffer: &mut Buffer<'a>) -> usize {
    let fits_in_u16 = indices.max().is_none_or(|largest| largest <= MAX_U16_INDEX);
    let (stream, component_type) = match indices {
        Indices::U16(values) if fits_in_u16 => (Stream::borrowed(values), ComponentType::U16),
        Indices::U16(values) => {
            let wide: Vec<u32> = values.iter().map(|index| u32::from(*index)).collect();
            (Stream::owned(&wide), ComponentType::U32)
        }
        Indices::U32(values) if fits_in_u16 => (Stream::U16Indices(values), ComponentType::U16),
        Indices::U32(values) => (Stream::borrowed(values), ComponentType::U32),
    };
    buffer.push(
        ViewUse::Indices,
        stream,
        indices.len(),
        AccessorType::new(component_type, "SCALAR"),
    )
}

/// Returns the extras of a mesh, including its name if `with_name` is set.
pub(super) fn mesh_extras(mesh: &Mesh, with_name: bool) -> Object {
    let mut extras = mesh.extras.clone();
    set_meshspec_extra_if(&mut extras, mesh.flat, "flat", true);
    set_meshspec_extra_if(
        &mut extras,
        with_name && !mesh.name.is_empty(),
        "name",
        mesh.name.as_str(),
    );
    extras
}
