//! Writes a mesh as a primitive, and its attributes as accessors.

use serde_json::{Map, Value, json};

use super::data::{Data, Kind, Shape, Stream, Target, type_of};
use super::repair::Bones;
use crate::scene::{Colors, Components, Custom, Indices, Mesh, Weights};

/// The largest 16-bit index; 0xffff is the primitive restart value.
const MAX_NARROW: u32 = 0xfffe;

const POINTS: u32 = 0;

/// Returns the primitive of a mesh with vertices. A mesh without faces becomes points.
pub(super) fn primitive<'a>(mesh: &'a Mesh, bones: Bones, data: &mut Data<'a>) -> Map<String, Value> {
    let mut primitive = Map::new();
    primitive.insert("attributes".to_owned(), attributes(mesh, bones, data).into());
    match &mesh.faces.indices {
        Some(indices) if indices.is_empty() => drop(primitive.insert("mode".to_owned(), POINTS.into())),
        Some(values) => drop(primitive.insert("indices".to_owned(), indices(values, data).into())),
        None => {}
    }
    primitive
}

fn attributes<'a>(mesh: &'a Mesh, bones: Bones, data: &mut Data<'a>) -> Map<String, Value> {
    let mut attributes = Map::new();
    let count = mesh.positions.len();
    let mut push = |name: String, stream: Stream<'a>, shape: Shape| {
        attributes.insert(name, data.push(Target::Vertices, stream, count, shape).into());
    };
    let float = |name| Shape::new(Kind::F32, name);
    let positions = float("VEC3").bounded(&mesh.positions);
    push("POSITION".to_owned(), Stream::plain(&mesh.positions), positions);
    if let Some(normals) = &mesh.normals {
        push("NORMAL".to_owned(), Stream::plain(normals), float("VEC3"));
    }
    if let Some(tangents) = &mesh.tangents {
        push("TANGENT".to_owned(), Stream::plain(tangents), float("VEC4"));
    }
    for (set, uvs) in mesh.uvs.iter().enumerate() {
        push(format!("TEXCOORD_{set}"), Stream::plain(uvs), float("VEC2"));
    }
    for (set, colors) in mesh.colors.iter().enumerate() {
        let (stream, shape) = match colors {
            Colors::U8(values) => (Stream::plain(values), Shape::new(Kind::U8, "VEC4").normalized()),
            Colors::F32(values) => (Stream::plain(values), float("VEC4")),
        };
        push(format!("COLOR_{set}"), stream, shape);
    }
    for (set, skin) in mesh.skins.iter().enumerate() {
        let (stream, kind) = match bones.all() {
            0..=256 => (Stream::Bytewise(&skin.joints), Kind::U8),
            _ => (Stream::plain(&skin.joints), Kind::U16),
        };
        push(format!("JOINTS_{set}"), stream, Shape::new(kind, "VEC4"));
        let (stream, shape) = match &skin.weights {
            Weights::U8(values) => (Stream::plain(values), Shape::new(Kind::U8, "VEC4").normalized()),
            Weights::F32(values) => (Stream::plain(values), float("VEC4")),
        };
        push(format!("WEIGHTS_{set}"), stream, shape);
    }
    for custom in &mesh.custom {
        if let Some((stream, kind)) = components(custom) {
            push(format!("_{}", custom.name), stream, Shape::new(kind, type_of(custom.components)));
        }
    }
    attributes
}

/// Returns values as a stream if glTF has their component type.
fn components(custom: &Custom) -> Option<(Stream<'_>, Kind)> {
    let (stream, size, kind) = match &custom.values {
        Components::F32(values) => return Some((Stream::plain(values), Kind::F32)),
        Components::U8(values) => (Stream::plain(values), 1, Kind::U8),
        Components::I8(values) => (Stream::plain(bytemuck::cast_slice::<i8, u8>(values)), 1, Kind::I8),
        Components::U16(values) => (Stream::plain(values), 2, Kind::U16),
        Components::I16(values) => (Stream::plain(bytemuck::cast_slice::<i16, u16>(values)), 2, Kind::I16),
        Components::F64(_) | Components::U32(_) | Components::I32(_) => return None,
    };
    let stream = match (stream, custom.components * size) {
        (Stream::Bytes(bytes), record) if record % 4 != 0 => Stream::Padded(bytes, record),
        (stream, _) => stream,
    };
    Some((stream, kind))
}

/// Adds an accessor for the indices, in 16 bits if they fit. Returns its index.
fn indices<'a>(indices: &'a Indices, data: &mut Data<'a>) -> usize {
    let narrow = indices.max().is_none_or(|largest| largest <= MAX_NARROW);
    let (stream, kind) = match indices {
        Indices::U16(values) if narrow => (Stream::plain(values), Kind::U16),
        Indices::U16(values) => {
            let wide: Vec<u32> = values.iter().map(|index| u32::from(*index)).collect();
            (Stream::owned(&wide), Kind::U32)
        }
        Indices::U32(values) if narrow => (Stream::Narrow(values), Kind::U16),
        Indices::U32(values) => (Stream::plain(values), Kind::U32),
    };
    data.push(Target::Indices, stream, indices.len(), Shape::new(kind, "SCALAR"))
}

/// Returns the extras of a mesh, with its name if requested.
pub(super) fn extras(mesh: &Mesh, with_name: bool) -> Map<String, Value> {
    let mut extras = mesh.extras.clone();
    if mesh.flat {
        super::set_own(&mut extras, "flat", json!(true));
    }
    if with_name && !mesh.name.is_empty() {
        super::set_own(&mut extras, "name", mesh.name.as_str().into());
    }
    extras
}
