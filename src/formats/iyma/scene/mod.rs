//! Converts IyMA documents to and from scenes.

mod custom;
mod from_scene;
mod to_scene;

use from_scene::{join_attributes, join_indices, ranges, share_coordinates};
use to_scene::{list_losses, reject_sharing, to_mesh};

use super::document::{Document, count, dialect};
use super::places;
use super::schema::Usage;
use crate::scene::{self, Capabilities, Conventions, FromScene, Mesh, Places, Scene, SceneOptions, ToScene};
use crate::{Dialect, Loss, Result, path};

const CAPABILITIES: Capabilities = Capabilities {
    format: "IyMA",
    meshes: true,
    flat: true,
    normals: true,
    tangents: true,
    uvs: usize::MAX,
    colors: usize::MAX,
    skins: 1,
    custom: |_| true,
    unindexed: true,
    user_data: true,
    ..Capabilities::POSITIONS
};

impl ToScene for Document {
    const CONVENTIONS: Conventions =
        Conventions { evidence: "X5: as Bevy, which is as glTF", ..Conventions::GLTF };

    fn places(&self) -> Places {
        places::places(self)
    }

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        reject_sharing(&self)?;
        let mut losses = Vec::new();
        list_losses(&self, &mut losses);
        let Document {
            user_data,
            meshes,
            // Handled by `to_mesh` and `list_losses`.
            n_vertices: _,
            indices: _,
            attributes: _,
            // Encoding details without a scene counterpart.
            dialect: _,
            data_checksum: _,
            metadata_checksum: _,
        } = &self;
        let meshes = meshes.iter().enumerate();
        let mut scene = Scene {
            meshes: meshes
                .map(|(index, mesh)| to_mesh(&self, mesh, index, conventions))
                .collect::<Result<_>>()?,
            user_data: user_data.to_vec(),
            ..Scene::default()
        };
        conventions.to_scene_space(&mut scene, "iyma");
        Ok((scene, losses))
    }
}

impl FromScene for Document {
    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let dialect = options.dialect.unwrap_or_default();
        let unindexed = !is_indexed(&scene.meshes);
        let capabilities = Capabilities { unindexed, ..CAPABILITIES };
        let mut losses = capabilities.restrict(&mut scene, conventions, options)?;
        scene::merge::share_attributes(&mut scene.meshes, &mut losses);
        let mut document = Document {
            dialect,
            user_data: std::mem::take(&mut scene.user_data).into(),
            n_vertices: count(scene.meshes.iter().map(|mesh| mesh.positions.len()).sum(), path!(meshes))?,
            indices: is_indexed(&scene.meshes).then(|| join_indices(&mut scene.meshes)),
            meshes: Vec::new(),
            ..Document::default()
        };
        document.narrow_indices();
        let meshes = ranges(&scene.meshes, &document)?;
        share_coordinates(&mut scene.meshes, &mut losses);
        let mut attributes = join_attributes(scene.meshes, &mut losses);
        if dialect == Dialect::Reference {
            // This dialect has a usage for a second UV set.
            let mut usages = attributes.iter_mut().map(|attribute| &mut attribute.usage);
            if let Some(second) = usages.find(|usage| **usage == Usage::Custom(1, "uv1".to_owned())) {
                *second = Usage::Uv1;
            }
            dialect::into_dialect(&mut attributes, Dialect::Reference, &mut losses);
        }
        Ok((Document { meshes, attributes, ..document }, losses))
    }
}

/// Returns `true` if any mesh is indexed. Otherwise, vertices are used in order.
fn is_indexed(meshes: &[Mesh]) -> bool {
    meshes.iter().any(|mesh| mesh.faces.indices.is_some())
}
