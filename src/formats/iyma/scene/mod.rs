//! Converts IyMA documents to and from scenes.

mod custom;
mod from_scene;
mod to_scene;

use from_scene::{join_attributes, join_indices, mesh_ranges, unify_coordinates};
use to_scene::{add_buffer_losses, reject_excessive_sharing, to_mesh};

use super::document::{Document, count_to_u32, dialect};
use super::schema::{MeshInfo, Usage};
use crate::scene::{
    self, Capabilities, Conventions, FromScene, Mesh, MeshFields, Scene, SceneOptions,
    SourceFields, StridedList, ToScene,
};
use crate::{Dialect, Loss, Result, path};

const CAPABILITIES: Capabilities = Capabilities {
    format: "IyMA",
    meshes: true,
    flat: true,
    normals: true,
    tangents: true,
    max_uv_sets: usize::MAX,
    max_color_sets: usize::MAX,
    max_skins: 1,
    custom: |_| true,
    unindexed: true,
    user_data: true,
    ..Capabilities::POSITIONS
};

impl ToScene for Document {
    const CONVENTIONS: Conventions = Conventions {
        evidence: "X5: same as Bevy, which follows glTF",
        ..Conventions::GLTF
    };

    fn source_fields(&self) -> SourceFields {
        let meshes = self.meshes.iter().map(|mesh| {
            let indices = StridedList::single("data.indices");
            let indices = StridedList {
                first: mesh.first_index.into(),
                width: 3,
                ..indices
            };
            MeshFields {
                vertices: vertex_lists(self, mesh),
                faces: vec![indices],
            }
        });
        SourceFields {
            meshes: meshes.collect(),
            ..SourceFields::default()
        }
    }

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        reject_excessive_sharing(&self)?;
        let mut losses = Vec::new();
        add_buffer_losses(&self, &mut losses);
        let Document {
            user_data,
            meshes,
            // Converted by `to_mesh`, or reported as losses by `add_buffer_losses`.
            n_vertices: _,
            indices: _,
            attributes: _,
            // Encoding details without a scene counterpart.
            dialect: _,
            data_checksum: _,
            metadata_checksum: _,
        } = &self;
        let meshes = meshes.iter().enumerate();
        let meshes = meshes.map(|(index, mesh)| to_mesh(&self, index, mesh));
        let meshes = meshes.collect::<Result<_>>()?;
        let mut scene = Scene {
            meshes,
            user_data: user_data.to_vec(),
            ..Scene::default()
        };
        Self::CONVENTIONS.finish_scene(&mut scene, options, "iyma");
        Ok((scene, losses))
    }
}

impl FromScene for Document {
    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let dialect = options.dialect.unwrap_or_default();
        let capabilities = Capabilities {
            unindexed: !is_indexed(&scene.meshes),
            ..CAPABILITIES
        };
        let mut losses = capabilities.restrict(&mut scene, conventions, options)?;
        scene::merge::share_attributes(&mut scene.meshes, &mut losses);
        let vertices = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
        let mut document = Document {
            dialect,
            user_data: scene.user_data.into(),
            n_vertices: count_to_u32(vertices, path!(meshes))?,
            indices: is_indexed(&scene.meshes).then(|| join_indices(&scene.meshes)),
            ..Document::default()
        };
        document.narrow_indices();
        let meshes = mesh_ranges(&scene.meshes, &document)?;
        unify_coordinates(&mut scene.meshes, &mut losses);
        let mut attributes = join_attributes(scene.meshes, &mut losses);
        if dialect == Dialect::REFERENCE {
            // This dialect has a usage for a second UV set.
            let mut usages = attributes.iter_mut().map(|attribute| &mut attribute.usage);
            if let Some(second) = usages.find(|usage| **usage == Usage::Custom(1, "uv1".to_owned()))
            {
                *second = Usage::Uv1;
            }
            dialect::convert_usages(&mut attributes, Dialect::REFERENCE, &mut losses);
        }
        Ok((
            Document {
                meshes,
                attributes,
                ..document
            },
            losses,
        ))
    }
}

/// Returns `true` if any mesh has indices.
fn is_indexed(meshes: &[Mesh]) -> bool {
    meshes.iter().any(|mesh| mesh.faces.indices.is_some())
}

/// Returns the location of a mesh's vertices in each buffer.
fn vertex_lists(document: &Document, mesh: &MeshInfo) -> Vec<StridedList> {
    let buffers = 0..document.attributes.len();
    let lists = buffers.map(|buffer| StridedList {
        first: mesh.first_vertex.into(),
        ..StridedList::single(format!("data.vertices[{buffer}]"))
    });
    lists.collect()
}
