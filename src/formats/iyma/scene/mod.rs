//! IyMA to and from scenes.

mod custom;

use custom::{custom_buffer, list_custom, numbered};

use super::document::count;
use super::document::merge::uncovered;
use super::{Attribute, Component, Document, IndexBuffer, IndexFormat, MeshInfo, Usage, VertexFormat};
use crate::bulk;
use crate::scene::{
    self, Colors, Components, Conventions, Custom, Faces, FromScene, Holds, Mesh, Scene, SceneOptions, Skin,
    Weights,
};
use crate::{Dialect, Error, FormatId, Loss, LossKind, Result, path};

const HOLDS: Holds = Holds {
    format: "IyMA",
    meshes: true,
    flat: true,
    normals: true,
    tangents: true,
    uvs: usize::MAX,
    uv_origin: Document::CONVENTIONS.uv_origin,
    colors: usize::MAX,
    skins: 1,
    custom: |_| true,
    unindexed: true,
    user_data: true,
    ..Holds::POSITIONS
};

impl FromScene for Document {
    const CONVENTIONS: Conventions =
        Conventions { evidence: "X5: as Bevy, which is as glTF", ..Conventions::GLTF };

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let mut losses = Vec::new();
        lose_components(&self, &mut losses);
        let meshes = self.meshes.iter().enumerate();
        let mut scene = Scene {
            meshes: meshes
                .map(|(index, mesh)| to_mesh(&self, mesh, index, conventions))
                .collect::<Result<_>>()?,
            user_data: self.user_data.to_vec(),
            ..Scene::default()
        };
        conventions.into_gltf(&mut scene, "iyma");
        Ok((scene, losses))
    }

    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let dialect = options.dialect.unwrap_or_default();
        conventions.out_of_gltf(&mut scene);
        let unindexed = scene.meshes.iter().all(|mesh| mesh.faces.indices.is_none());
        let holds = Holds { uv_origin: conventions.uv_origin, unindexed, ..HOLDS };
        let mut losses = holds.restrict(&mut scene);
        scene::share_attributes(&mut scene.meshes, &mut losses);
        let document = Document {
            dialect,
            user_data: std::mem::take(&mut scene.user_data).into(),
            n_vertices: count(scene.meshes.iter().map(|mesh| mesh.positions.len()).sum(), path!(meshes))?,
            indices: if unindexed { None } else { Some(join_indices(&mut scene.meshes)) },
            meshes: Vec::new(),
            ..Document::default()
        };
        let meshes = ranges(&scene.meshes, &document)?;
        share_coordinates(&mut scene.meshes, &mut losses);
        let mut attributes = join_attributes(scene.meshes, &mut losses);
        if dialect == Dialect::Reference {
            // It has a usage for a second UV set.
            let mut usages = attributes.iter_mut().map(|attribute| &mut attribute.usage);
            if let Some(second) = usages.find(|usage| **usage == Usage::Custom(1, "uv1".to_owned())) {
                *second = Usage::Uv1;
            }
            super::document::dialect::into_reference(&mut attributes, &mut losses);
        }
        Ok((Document { meshes, attributes, ..document }, losses))
    }
}

/// Lists what a scene cannot hold of the buffers, whatever the mesh.
fn lose_components(document: &Document, losses: &mut Vec<Loss>) {
    for (index, attribute) in document.attributes.iter().enumerate() {
        let path = format!("attributes[{index}]");
        let usage = &attribute.usage;
        if let Some(first) = document.attributes[..index].iter().position(|other| other.usage == *usage) {
            let message = format!("duplicate usage {}, as attributes[{first}]", usage.name());
            losses.push(Loss::dropped(path, message));
            continue;
        }
        let max_components = match usage {
            Usage::Position | Usage::Normal => 3,
            Usage::Uv | Usage::Uv1 => 2,
            _ => 4,
        };
        if attribute.format.components() > max_components {
            let message =
                format!("{} keeps only its first {max_components} components", attribute.format.name());
            losses.push(Loss::dropped(path, message));
        } else if matches!(attribute.format.component(), Component::Float64)
            && !matches!(usage, Usage::Custom(..))
        {
            let floats = attribute.to_f32();
            let exact = attribute.data.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
            let worst = floats
                .iter()
                .zip(exact)
                .map(|(float, exact)| (f64::from(*float) - exact).abs())
                .fold(0.0, f64::max);
            if worst > 0.0 {
                losses.push(Loss::quantised(path, "64-bit floats become 32-bit floats", worst as f32));
            }
        }
    }
    if document.attribute(&Usage::Position).is_none() && document.n_vertices > 0 {
        let message = "no positions: all vertices become the origin";
        losses.push(Loss::new(LossKind::Changed, "attributes", message));
    }
    let pair = [Usage::JointIndex, Usage::JointWeight].map(|usage| document.attribute(&usage).is_some());
    if pair[0] != pair[1] {
        losses.push(Loss::dropped(
            "attributes",
            "joint indices without weights, or weights without joint indices",
        ));
    }
    let joints = document.attribute(&Usage::JointIndex).map(Attribute::to_f32).unwrap_or_default();
    if joints.iter().any(|joint| *joint >= f32::from(Skin::NONE)) {
        let message = format!("joint indices from {} on", Skin::NONE);
        losses.push(Loss::dropped("attributes", message));
    }
    let vertices = document.meshes.iter().map(|mesh| (mesh.first_vertex, mesh.vertex_count));
    let spare = uncovered(document.n_vertices.into(), vertices);
    if spare > 0 {
        let message = format!("{spare} vertices are in no mesh");
        losses.push(Loss::dropped("n_vertices", message));
    }
}

fn to_mesh(document: &Document, info: &MeshInfo, index: usize, conventions: Conventions) -> Result<Mesh> {
    let vertices = info.vertex_count as usize;
    let mut mesh = Mesh { uv_origin: conventions.uv_origin, ..Mesh::default() };
    let (mut joints, mut weights) = (None, None);
    for (place, attribute) in document.attributes.iter().enumerate() {
        if document.attributes[..place].iter().any(|other| other.usage == attribute.usage) {
            continue;
        }
        let part = part_of(attribute, info).ok_or_else(|| out_of_range(index, "vertex"))?;
        match &part.usage {
            Usage::Position => {
                mesh.flat = part.format.components() < 3;
                mesh.positions = values(&part, [0.0; 3]);
            }
            Usage::Normal => mesh.normals = Some(values(&part, [0.0; 3])),
            // Without a fourth component, which says the side of the bitangent, it is 1.
            Usage::Tangent => mesh.tangents = Some(values(&part, [0.0, 0.0, 0.0, 1.0])),
            Usage::Color => mesh.colors.push(colors(&part)),
            Usage::Uv | Usage::Uv1 => mesh.uvs.push(values(&part, [0.0; 2])),
            Usage::JointIndex => joints = Some(values(&part, [f32::from(Skin::NONE); 4])),
            Usage::JointWeight => weights = Some(to_weights(&part)),
            // Further sets have no usage of their own: these are the names that `from_scene` gives them.
            Usage::Custom(set, name)
                if *name == format!("uv{set}") && part.format == VertexFormat::Float32x2 =>
            {
                mesh.uvs.push(values(&part, [0.0; 2]));
            }
            Usage::Custom(set, name) if *name == format!("color{set}") && part.format.components() == 4 => {
                mesh.colors.push(colors(&part));
            }
            Usage::Custom(number, name) => mesh.custom.push(Custom {
                name: format!("{number}_{name}"),
                lanes: part.format.components(),
                values: components(&part),
            }),
        }
    }
    if let (Some(joints), Some(weights)) = (joints, weights) {
        // Joints are whole numbers, which a cast keeps as far as they fit.
        let joints = joints.iter().map(|four: &[f32; 4]| four.map(|joint| joint as u16)).collect();
        mesh.skins.push(Skin { joints, weights });
    }
    if document.attribute(&Usage::Position).is_none() {
        mesh.positions = vec![[0.0; 3]; vertices];
    }
    mesh.faces = Faces { indices: indices_of(document, info, index)?, corners: None };
    Ok(mesh)
}

/// The values of one mesh in a buffer.
fn part_of(attribute: &Attribute, mesh: &MeshInfo) -> Option<Attribute> {
    let size = attribute.format.size();
    let start = (mesh.first_vertex as usize).checked_mul(size)?;
    let end = start.checked_add((mesh.vertex_count as usize).checked_mul(size)?)?;
    let data = (end <= attribute.data.len()).then(|| attribute.data.slice(start..end))?;
    Some(Attribute { usage: attribute.usage.clone(), format: attribute.format, data })
}

fn out_of_range(mesh: usize, what: &str) -> Error {
    Error::inexpressible(format!("its {what} range exceeds the buffer"))
        .at(path!(meshes[mesh]))
        .in_format(FormatId::Iyma)
}

fn indices_of(document: &Document, mesh: &MeshInfo, index: usize) -> Result<Option<scene::Indices>> {
    let Some(indices) = &document.indices else { return Ok(None) };
    let size = indices.format.size();
    let start = (mesh.first_index as usize).checked_mul(size);
    let end = start.and_then(|start| start.checked_add((mesh.index_count as usize).checked_mul(size)?));
    let range = start.zip(end).and_then(|(start, end)| indices.data.get(start..end));
    let bytes = range.ok_or_else(|| out_of_range(index, "index"))?;
    Ok(Some(match indices.format {
        IndexFormat::U16 => scene::Indices::U16(bulk::to_vec(bytes)),
        IndexFormat::U32 => scene::Indices::U32(bulk::to_vec(bytes)),
    }))
}

/// The first components of each value; where it has fewer, those of `default`.
fn values<const N: usize>(attribute: &Attribute, default: [f32; N]) -> Vec<[f32; N]> {
    if attribute.format.component() == Component::Float32 && attribute.format.components() == N {
        return bulk::to_vec::<f32>(&attribute.data).as_chunks::<N>().0.to_vec();
    }
    let floats = attribute.to_f32();
    let value = |value: &[f32]| std::array::from_fn(|lane| value.get(lane).copied().unwrap_or(default[lane]));
    floats.chunks_exact(attribute.format.components()).map(value).collect()
}

fn colors(attribute: &Attribute) -> Colors {
    match attribute.format {
        VertexFormat::Unorm8x4 => Colors::U8(attribute.data.as_chunks::<4>().0.to_vec()),
        VertexFormat::Unorm8x4Bgra => {
            let bgra = attribute.data.as_chunks::<4>().0.iter();
            Colors::U8(bgra.map(|[blue, green, red, alpha]| [*red, *green, *blue, *alpha]).collect())
        }
        _ => Colors::F32(values(attribute, [0.0, 0.0, 0.0, 1.0])),
    }
}

fn to_weights(attribute: &Attribute) -> Weights {
    match attribute.format {
        VertexFormat::Unorm8x4 => Weights::U8(attribute.data.as_chunks::<4>().0.to_vec()),
        _ => Weights::F32(values(attribute, [0.0; 4])),
    }
}

/// Values without a meaning: integers stay what they are, the rest become floats.
fn components(attribute: &Attribute) -> Components {
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

/// The index buffers of all meshes one after the other, as wide as the widest.
fn join_indices(meshes: &mut [Mesh]) -> IndexBuffer {
    let narrow = meshes.iter().all(|mesh| !matches!(mesh.faces.indices, Some(scene::Indices::U32(_))));
    let all = meshes.iter().filter_map(|mesh| mesh.faces.indices.as_ref());
    if narrow {
        let parts = all.filter_map(|indices| match indices {
            scene::Indices::U16(values) => Some(&**values),
            scene::Indices::U32(_) => None,
        });
        return IndexBuffer::from_u16(&parts.collect::<Vec<_>>().concat());
    }
    let parts: Vec<_> = all.map(|indices| indices.clone().into_u32()).collect();
    IndexBuffer::from_u32(&parts.concat())
}

fn ranges(meshes: &[Mesh], document: &Document) -> Result<Vec<MeshInfo>> {
    let (mut first_index, mut first_vertex) = (0, 0);
    let total = document.indices.as_ref().map_or(0, IndexBuffer::len);
    // That all of them together can be counted, so that each can.
    count(total, path!(indices))?;
    let infos = meshes.iter().map(|mesh| {
        let index_count = mesh.faces.indices.as_ref().map_or(0, scene::Indices::len) as u32;
        let vertex_count = mesh.positions.len() as u32;
        let info = MeshInfo { first_index, index_count, first_vertex, vertex_count };
        first_index += index_count;
        first_vertex += vertex_count;
        info
    });
    Ok(infos.collect())
}

/// Gives the positions of all meshes a third coordinate if those of one of them have it.
fn share_coordinates(meshes: &mut [Mesh], losses: &mut Vec<Loss>) {
    if meshes.iter().all(|mesh| mesh.flat) {
        return;
    }
    for (index, mesh) in meshes.iter_mut().enumerate().filter(|(_, mesh)| mesh.flat) {
        mesh.flat = false;
        let message = "positions get z = 0, as other meshes have a third coordinate";
        losses.push(Loss::dropped(format!("meshes[{index}].flat"), message));
    }
}

/// One buffer for each attribute, with the values of all meshes, which have the same attributes.
fn join_attributes(meshes: Vec<Mesh>, losses: &mut Vec<Loss>) -> Vec<Attribute> {
    let mut attributes: Vec<(Attribute, Vec<u8>)> = Vec::new();
    for (index, mesh) in meshes.into_iter().enumerate() {
        list_custom(&mesh, index, losses);
        for (place, (usage, format, bytes)) in buffers(mesh).into_iter().enumerate() {
            match attributes.get_mut(place) {
                Some((_, data)) => data.extend(bytes),
                None => attributes.push((Attribute { usage, format, data: Default::default() }, bytes)),
            }
        }
    }
    attributes.into_iter().map(|(attribute, data)| Attribute { data: data.into(), ..attribute }).collect()
}

fn buffers(mesh: Mesh) -> Vec<(Usage, VertexFormat, Vec<u8>)> {
    let floats = |values: &[f32]| bulk::as_bytes(values).into_owned();
    let mut buffers = vec![match mesh.flat {
        true => {
            let flat: Vec<[f32; 2]> = mesh.positions.iter().map(|[x, y, _]| [*x, *y]).collect();
            (Usage::Position, VertexFormat::Float32x2, floats(flat.as_flattened()))
        }
        false => (Usage::Position, VertexFormat::Float32x3, floats(mesh.positions.as_flattened())),
    }];
    if let Some(normals) = mesh.normals {
        buffers.push((Usage::Normal, VertexFormat::Float32x3, floats(normals.as_flattened())));
    }
    if let Some(tangents) = mesh.tangents {
        buffers.push((Usage::Tangent, VertexFormat::Float32x4, floats(tangents.as_flattened())));
    }
    for (set, uvs) in mesh.uvs.into_iter().enumerate() {
        let usage = match set {
            0 => Usage::Uv,
            set => Usage::Custom(set as u32, format!("uv{set}")),
        };
        buffers.push((usage, VertexFormat::Float32x2, floats(uvs.as_flattened())));
    }
    for (set, colors) in mesh.colors.into_iter().enumerate() {
        let usage = match set {
            0 => Usage::Color,
            set => Usage::Custom(set as u32, format!("color{set}")),
        };
        buffers.push(match colors {
            Colors::U8(values) => (usage, VertexFormat::Unorm8x4, values.into_flattened()),
            Colors::F32(values) => (usage, VertexFormat::Float32x4, floats(values.as_flattened())),
        });
    }
    for skin in mesh.skins {
        // An unused slot is joint 0 with weight 0.
        let joints: Vec<u16> = skin
            .joints
            .into_flattened()
            .into_iter()
            .map(|joint| if joint == Skin::NONE { 0 } else { joint })
            .collect();
        buffers.push((Usage::JointIndex, VertexFormat::Uint16x4, bulk::as_bytes(&joints).into_owned()));
        buffers.push(match skin.weights {
            Weights::U8(values) => (Usage::JointWeight, VertexFormat::Unorm8x4, values.into_flattened()),
            Weights::F32(values) => {
                (Usage::JointWeight, VertexFormat::Float32x4, floats(values.as_flattened()))
            }
        });
    }
    let usages = numbered(&mesh.custom).into_iter().map(|(number, name)| Usage::Custom(number, name));
    buffers.extend(usages.zip(mesh.custom).map(|(usage, custom)| custom_buffer(usage, custom)));
    buffers
}
