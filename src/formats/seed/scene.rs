//! Converts Seed documents to and from scenes.

use super::schema::{BuiltIn, channels};
use super::{Document, Property, places};
use crate::scene::{
    self, Capabilities, Colors, Conventions, Faces, FromScene, Material, Mesh, Places, Scene, SceneOptions,
    ToScene,
};
use crate::{Loss, Result};

const CAPABILITIES: Capabilities = Capabilities {
    format: "Seed",
    mesh_names: true,
    materials: true,
    textures: true,
    normals: true,
    uvs: channels::uvs,
    colors: channels::colors,
    properties: true,
    ..Capabilities::POSITIONS
};

impl ToScene for Document {
    const CONVENTIONS: Conventions =
        Conventions { evidence: "X3: the engine's constants; the unit is assumed", ..Conventions::GLTF };

    fn places(&self) -> Places {
        places::places(self)
    }

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let named =
            |built_in: BuiltIn| self.property(built_in.property().name).unwrap_or_default().to_owned();
        let (name, material) = (named(BuiltIn::Name), named(BuiltIn::Mat0));
        // Destructures all fields, so the compiler reports new ones.
        let Document { properties, positions, normals, colors, uvs, faces, comments } = self;
        let mut losses = Vec::new();
        if let Some(comments) = comments.filter(|comments| !comments.is_empty()) {
            losses.push(
                Loss::dropped("comments", "comments are not converted").counting(comments.len(), "comments"),
            );
        }
        let mesh = Mesh {
            name,
            material: Material { name: material, ..Material::default() },
            positions,
            normals: Some(normals).filter(|normals| !normals.is_empty()),
            uvs,
            uv_origin: conventions.uv_origin,
            colors: colors.into_iter().map(Colors::F32).collect(),
            faces: Faces::triangles(faces.into_flattened()),
            ..Mesh::default()
        };
        let mut scene = Scene {
            meshes: vec![mesh],
            properties: properties.into_iter().map(|property| (property.name, property.value)).collect(),
            ..Scene::default()
        };
        conventions.to_scene_space(&mut scene, "seed");
        Ok((scene, losses))
    }
}

impl FromScene for Document {
    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let mut losses = CAPABILITIES.restrict(&mut scene, conventions, options)?;
        let mut mesh = scene.meshes.into_iter().next().unwrap_or_default();
        complete(&mut mesh, &mut losses);
        let mut properties = properties(scene.properties, &mut losses);
        if scene.source.is_none_or(|source| source.format != "seed") {
            add_built_in_properties(&mut properties, &mesh, &mut losses);
        }
        let corners = mesh.faces.indices.map(scene::Indices::into_u32).unwrap_or_default();
        let faces = corners.as_chunks::<3>().0;
        let document = Document {
            properties,
            positions: mesh.positions,
            normals: mesh.normals.unwrap_or_default(),
            colors: mesh.colors.into_iter().map(Colors::into_f32).collect(),
            uvs: mesh.uvs,
            faces: faces.to_vec(),
            ..Document::default()
        };
        Ok((document, losses))
    }
}

/// Adds the attributes that the format requires (S1).
fn complete(mesh: &mut Mesh, losses: &mut Vec<Loss>) {
    mesh.material.take_texture_as_name("Seed", 0, losses);
    if mesh.normals.is_none() {
        mesh.generate_normals();
        let message = "Seed requires normals: generated from the faces";
        losses.push(Loss::changed("meshes[0].normals", message));
    }
    if mesh.uvs.is_empty() {
        mesh.uvs.push(vec![[0.0; 2]; mesh.positions.len()]);
        let message = "Seed requires texture coordinates: set to 0";
        losses.push(Loss::changed("meshes[0].uvs[0]", message));
    }
}

fn properties(given: Vec<(String, String)>, losses: &mut Vec<Loss>) -> Vec<Property> {
    let mut properties: Vec<Property> = Vec::new();
    for (index, (name, value)) in given.into_iter().enumerate() {
        let path = format!("properties[{index}]");
        if !is_name(&name) || properties.iter().any(|property| property.name == name) {
            let loss = Loss::dropped(path, "invalid or duplicate property name");
            losses.push(loss.detail(format_args!("\"{name}\"")));
            continue;
        }
        properties.push(Property { value: to_value(&value, &path, losses), name });
    }
    properties
}

/// Adds the properties that every file should have (S10).
fn add_built_in_properties(properties: &mut Vec<Property>, mesh: &Mesh, losses: &mut Vec<Loss>) {
    for built_in in BuiltIn::ALL {
        let name = built_in.property().name;
        let (value, default, path) = match built_in {
            BuiltIn::Name => (&*mesh.name, "unnamed", "meshes[0].name"),
            BuiltIn::Mat0 => (&*mesh.material.name, "DEFAULT", "meshes[0].material.name"),
            BuiltIn::Type => ("", "STATIC", ""),
        };
        match properties.iter().find(|property| property.name == name) {
            Some(given) if !path.is_empty() && given.value != value => {
                let loss = Loss::renamed(path, "the property of this name goes first");
                losses.push(loss.detail(format_args!("\"{value}\" becomes \"{}\"", given.value)));
            }
            Some(_) => {}
            None => {
                let value = if value.is_empty() { default } else { value };
                let value = to_value(value, path, losses);
                properties.push(Property { name: name.to_owned(), value });
            }
        }
    }
}

/// Returns `true` for a letter followed by letters, digits and `_` (S7).
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Replaces characters that would end the value, and trims whitespace (S6, S7).
fn to_value(value: &str, path: &str, losses: &mut Vec<Loss>) -> String {
    let forbidden = |c: char| c == '#' || c.is_control();
    let changed = value.replace(forbidden, "_");
    let changed = changed.trim();
    if changed != value {
        let detail = format!("\"{}\" becomes \"{changed}\"", value.escape_debug());
        losses.push(Loss::renamed(path, "# and control characters replaced").detail(detail));
    }
    changed.to_owned()
}
