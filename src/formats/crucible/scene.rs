//! Converts Crucible documents to and from scenes.

use super::{BoneWeight, Chunk, Container, Document, Indices, Stream, Values};
use crate::scene::{
    self, Axis, Capabilities, Colors, Components, Conventions, CustomAttribute, FromScene, Mesh,
    MeshFields, Scene, SceneOptions, Skin, SourceFields, StridedList, ToScene, Weights,
};
use crate::{Dialect, Loss, Quantity, Result};

const CAPABILITIES: Capabilities = Capabilities {
    format: "Crucible",
    meshes: true,
    flat: true,
    normals: true,
    max_uv_sets: 1,
    max_color_sets: 1,
    max_skins: 1,
    custom: |a| {
        a.name == POSITION_2D && a.components == 2 && matches!(a.values, Components::F32(_))
    },
    ..Capabilities::POSITIONS
};

/// The name of the custom attribute for 2D positions in a chunk that also has 3D positions.
const POSITION_2D: &str = "position_2d";

/// The source format of scenes read from Crucible.
const SOURCE: &str = "crucible";

/// The extra that marks a scene read from a container with one chunk.
const CONTAINER: &str = "crucible_container";

impl ToScene for Document {
    const CONVENTIONS: Conventions = Conventions {
        right: Axis::X,
        evidence: "X4: the specification's text; the unit is assumed",
        ..Conventions::GLTF
    };

    fn source_fields(&self) -> SourceFields {
        let meshes = self.chunks.iter().enumerate().map(|(index, chunk)| {
            let list = |field: String| StridedList::single(format!("chunks[{index}].{field}"));
            let streams = 0..chunk.streams.len();
            MeshFields {
                vertices: streams
                    .map(|stream| list(format!("streams[{stream}].data")))
                    .collect(),
                faces: vec![StridedList {
                    width: 3,
                    ..list("indices.data".to_owned())
                }],
            }
        });
        SourceFields {
            meshes: meshes.collect(),
            ..SourceFields::default()
        }
    }

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let mut losses = Vec::new();
        // The dialect has no meaning in a scene.
        let Document {
            dialect: _,
            container,
            chunks,
            trailing,
        } = self;
        let is_alone_in_container = container == Container::Model && chunks.len() == 1;
        let chunks = chunks.into_iter().enumerate();
        let meshes = chunks
            .map(|(index, chunk)| to_mesh(chunk, index, &mut losses))
            .collect();
        let loss = Loss::dropped("trailing", "bytes after the last chunk");
        losses.extend(loss.with_count(trailing.len(), "bytes").if_any());
        let mut scene = Scene {
            meshes,
            ..Scene::default()
        };
        if is_alone_in_container {
            scene.extras.insert(CONTAINER.to_owned(), true.into());
        }
        Self::CONVENTIONS.finish_scene(&mut scene, options, SOURCE);
        Ok((scene, losses))
    }
}

impl FromScene for Document {
    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let dialect = options.dialect.unwrap_or_default();
        let capabilities = Capabilities {
            tangents: dialect == Dialect::TANGENT,
            ..CAPABILITIES
        };
        let was_in_container = scene.extras.remove(CONTAINER).is_some();
        let mut losses = capabilities.restrict(&mut scene, conventions, options)?;
        let container = match was_in_container {
            true => Container::Model,
            false => choose_container(&scene, options, &mut losses),
        };
        let meshes = scene.meshes.into_iter().enumerate();
        let chunks: Vec<_> = meshes
            .map(|(index, mesh)| from_mesh(mesh, index, &mut losses))
            .collect();
        Ok((
            Document {
                dialect,
                container,
                chunks,
                trailing: Vec::new(),
            },
            losses,
        ))
    }
}

/// Chooses a bare chunk for one mesh that was read from Crucible or is not saved as `.cmodel`. Otherwise, chooses a
/// container, which is a loss for `.crmesh`.
fn choose_container(scene: &Scene, options: &SceneOptions, losses: &mut Vec<Loss>) -> Container {
    let was_chunk = scene
        .source
        .as_ref()
        .is_some_and(|source| source.format == SOURCE);
    match (scene.meshes.len(), options.extension.as_deref()) {
        (1, Some("cmodel")) if !was_chunk => Container::Model,
        (1, _) => Container::Chunk,
        (count, Some("crmesh")) => {
            let message =
                "a .crmesh file has one mesh; a container like in a .cmodel file was written";
            losses.push(Loss::changed("meshes", message).with_count(count, "meshes"));
            Container::Model
        }
        _ => Container::Model,
    }
}

fn to_mesh(chunk: Chunk, index: usize, losses: &mut Vec<Loss>) -> Mesh {
    let vertices = chunk.vertex_count();
    let Chunk {
        index_size,
        indices,
        streams,
        trailing,
    } = chunk;
    let mut mesh = Mesh::default();
    mesh.faces.indices = Some(match indices {
        Indices::U16(values) => scene::Indices::U16(values),
        Indices::U32(values) => scene::Indices::U32(values),
    });
    let (mut positions_3d, mut positions_2d) = (None, None);
    for Stream { values } in streams {
        match values {
            Values::Position3d(values) => positions_3d = Some(values),
            Values::Position2d(values) => positions_2d = Some(values),
            Values::Normal(values) => mesh.normals = Some(values),
            Values::Uv(values) => mesh.uvs.push(values),
            Values::Tangent(values) => {
                let message = "Crucible has no tangent handedness; 1 was assumed";
                losses.push(Loss::changed(
                    format!("chunks[{index}].tangents.w"),
                    message,
                ));
                mesh.tangents = Some(values.into_iter().map(|[x, y, z]| [x, y, z, 1.0]).collect());
            }
            Values::Color(values) => mesh.colors.push(Colors::U8(values)),
            Values::BoneWeights(values) => {
                if values
                    .as_flattened()
                    .iter()
                    .any(|bone| bone.bone == Skin::NONE)
                {
                    let (bone, max) = (Skin::NONE, Skin::NONE - 1);
                    let message =
                        format!("influences of bone {bone}, above the largest index {max}");
                    losses.push(Loss::dropped(
                        format!("chunks[{index}].bone_weights"),
                        message,
                    ));
                }
                let joints = values
                    .iter()
                    .map(|four| four.map(|bone| bone.bone))
                    .collect();
                let weights = values
                    .iter()
                    .map(|four| four.map(|bone| bone.influence))
                    .collect();
                mesh.skins.push(Skin {
                    joints,
                    weights: Weights::F32(weights),
                });
            }
        }
    }
    match (positions_3d, positions_2d) {
        (Some(positions), positions_2d) => {
            mesh.positions = positions;
            mesh.custom
                .extend(positions_2d.map(|values| CustomAttribute {
                    name: POSITION_2D.to_owned(),
                    components: 2,
                    values: Components::F32(values.into_flattened()),
                }));
        }
        (None, Some(positions)) => {
            mesh.flat = true;
            mesh.positions = positions.into_iter().map(|[x, y]| [x, y, 0.0]).collect();
        }
        (None, None) => {
            let message = "the chunk has no positions; all vertices were placed at the origin";
            losses.push(Loss::changed(format!("chunks[{index}].streams"), message));
            mesh.positions = vec![[0.0; 3]; vertices];
        }
    }
    if let Some(size) = index_size {
        let message = "an index size other than 0 and 1";
        losses
            .push(Loss::dropped(format!("chunks[{index}].index_size"), message).with_detail(size));
    }
    if !trailing.is_empty() {
        losses.push(Loss::dropped(
            format!("chunks[{index}].trailing"),
            "bytes after the last stream",
        ));
    }
    mesh.fill_missing_positions(&format!("chunks[{index}]"), losses);
    mesh
}

fn from_mesh(mesh: Mesh, index: usize, losses: &mut Vec<Loss>) -> Chunk {
    let mut streams = match mesh.flat {
        true => vec![Values::Position2d(
            mesh.positions.iter().map(|[x, y, _]| [*x, *y]).collect(),
        )],
        false => vec![Values::Position3d(mesh.positions)],
    };
    streams.extend(
        mesh.custom
            .into_iter()
            .filter_map(|custom| match custom.values {
                Components::F32(values) => {
                    Some(Values::Position2d(values.as_chunks::<2>().0.to_vec()))
                }
                _ => None,
            }),
    );
    streams.extend(mesh.normals.map(Values::Normal));
    streams.extend(mesh.uvs.into_iter().next().map(Values::Uv));
    if let Some(tangents) = mesh.tangents {
        if tangents.iter().any(|[.., handedness]| *handedness != 1.0) {
            let message = "Crucible has no tangent handedness; values other than 1 become 1";
            losses.push(Loss::dropped(
                format!("meshes[{index}].tangents.w"),
                message,
            ));
        }
        streams.push(Values::Tangent(
            tangents.into_iter().map(|[x, y, z, _]| [x, y, z]).collect(),
        ));
    }
    if let Some(mut colors) = mesh.colors.into_iter().next() {
        colors.replace_non_finite(format!("meshes[{index}].colors[0]"), losses);
        let (bytes, largest_error) = colors.into_u8();
        let (path, message) = (
            format!("meshes[{index}].colors[0]"),
            "colours rounded to 8 bits",
        );
        losses.extend(Loss::quantized(path, message, Quantity::COLORS, largest_error).if_any());
        streams.push(Values::Color(bytes));
    }
    if let Some(mut skin) = mesh.skins.into_iter().next() {
        skin.replace_non_finite(&format!("meshes[{index}].skins[0]"), losses);
        let influences = skin.joints.into_iter().zip(skin.weights.into_f32());
        streams.push(Values::BoneWeights(
            influences.map(to_bone_weights).collect(),
        ));
    }
    let indices = match mesh.faces.indices {
        Some(scene::Indices::U32(values)) => Indices::U32(values),
        Some(scene::Indices::U16(values)) => Indices::U16(values),
        None => Indices::default(),
    };
    Chunk {
        indices,
        streams: streams.into_iter().map(Stream::from).collect(),
        ..Chunk::default()
    }
}

/// Returns the bones and influences of a vertex. Unused slots get bone 0 and influence 0.
fn to_bone_weights((joints, weights): ([u16; 4], [f32; 4])) -> [BoneWeight; 4] {
    std::array::from_fn(|slot| match joints[slot] {
        Skin::NONE => BoneWeight {
            bone: 0,
            influence: 0.0,
        },
        bone => BoneWeight {
            bone,
            influence: weights[slot],
        },
    })
}
