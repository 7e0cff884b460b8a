//! Converts Seed documents to and from scenes.

use super::rules::matches_rule;
use super::schema::{BuiltIn, channels};
use super::syntax::Rule;
use super::{Document, Property};
use crate::scene::{
    self, Capabilities, Colors, Conventions, Faces, FromScene, Material, Mesh, MeshFields, Scene,
    SceneOptions, SourceFields, StridedList, ToScene,
};
use crate::{Loss, Result};

const CAPABILITIES: Capabilities = Capabilities {
    format: "Seed",
    mesh_names: true,
    materials: true,
    textures: true,
    normals: true,
    max_uv_sets: channels::uvs,
    max_color_sets: channels::colors,
    properties: true,
    ..Capabilities::POSITIONS
};

impl ToScene for Document {
    const CONVENTIONS: Conventions = Conventions {
        evidence: "X3: the engine's constants; the unit is assumed",
        ..Conventions::GLTF
    };

    fn source_fields(&self) -> SourceFields {
        let Document {
            normals,
            colors,
            uvs,
            ..
        } = self;
        let normals = (!normals.is_empty()).then(|| "normals".to_owned());
        let colors = (0..colors.len()).map(|channel| format!("colors[{channel}]"));
        let uvs = (0..uvs.len()).map(|channel| format!("uvs[{channel}]"));
        let lists = ["positions".to_owned()]
            .into_iter()
            .chain(normals)
            .chain(colors)
            .chain(uvs);
        let vertices = lists.map(StridedList::single).collect();
        let mesh = MeshFields {
            vertices,
            faces: vec![StridedList::single("faces")],
        };
        SourceFields {
            meshes: vec![mesh],
            ..SourceFields::default()
        }
    }

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let [name, material] = [BuiltIn::Name, BuiltIn::Mat0].map(|built_in| {
            self.property(built_in.property().name)
                .unwrap_or_default()
                .to_owned()
        });
        // Lists all fields, so the compiler reports new ones.
        let Document {
            properties,
            positions,
            normals,
            colors,
            uvs,
            faces,
            comments,
        } = self;
        let mut losses = Vec::new();
        if let Some(comments) = comments.filter(|comments| !comments.is_empty()) {
            let loss = Loss::dropped("comments", "comments are not converted");
            losses.push(loss.with_count(comments.len(), "comments"));
        }
        let mesh = Mesh {
            name,
            material: Material {
                name: material,
                ..Material::default()
            },
            positions,
            normals: Some(normals).filter(|normals| !normals.is_empty()),
            uvs,
            colors: colors.into_iter().map(Colors::F32).collect(),
            faces: Faces::triangles(faces.into_flattened()),
            ..Mesh::default()
        };
        let mut scene = Scene {
            meshes: vec![mesh],
            properties: properties
                .into_iter()
                .map(|property| (property.name, property.value))
                .collect(),
            ..Scene::default()
        };
        Self::CONVENTIONS.finish_scene(&mut scene, options, "seed");
        Ok((scene, losses))
    }
}

impl FromScene for Document {
    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let mut losses = CAPABILITIES.restrict(&mut scene, conventions, options)?;
        let mut mesh = scene.meshes.into_iter().next().unwrap_or_default();
        add_required_attributes(&mut mesh, &mut losses);
        let mut properties = to_properties(scene.properties, &mut losses);
        if scene.source.is_none_or(|source| source.format != "seed") {
            add_built_in_properties(&mut properties, &mesh, &mut losses);
        }
        let indices = mesh
            .faces
            .indices
            .map(scene::Indices::into_u32)
            .unwrap_or_default();
        let document = Document {
            properties,
            positions: mesh.positions,
            normals: mesh.normals.unwrap_or_default(),
            colors: mesh.colors.into_iter().map(Colors::into_f32).collect(),
            uvs: mesh.uvs,
            faces: indices.as_chunks().0.to_vec(),
            ..Document::default()
        };
        Ok((document, losses))
    }
}

/// Adds missing attributes that Seed requires (S1), and names the material after its texture.
fn add_required_attributes(mesh: &mut Mesh, losses: &mut Vec<Loss>) {
    mesh.material.replace_name_by_texture("Seed", 0, losses);
    if mesh.normals.is_none() {
        mesh.generate_normals();
        let message = "Seed requires normals; they were generated from the faces";
        losses.push(Loss::changed("meshes[0].normals", message));
    }
    if mesh.uvs.is_empty() {
        mesh.uvs.push(vec![[0.0; 2]; mesh.positions.len()]);
        let message = "Seed requires texture coordinates; they were set to 0";
        losses.push(Loss::changed("meshes[0].uvs[0]", message));
    }
}

/// Converts properties. Drops those with invalid or duplicate names.
fn to_properties(given: Vec<(String, String)>, losses: &mut Vec<Loss>) -> Vec<Property> {
    let mut properties: Vec<Property> = Vec::new();
    for (index, (name, value)) in given.into_iter().enumerate() {
        let path = format!("properties[{index}]");
        if !matches_rule(Rule::name, &name)
            || properties.iter().any(|property| property.name == name)
        {
            let loss = Loss::dropped(path, "invalid or duplicate property name");
            losses.push(loss.with_detail(format_args!("\"{name}\"")));
            continue;
        }
        properties.push(Property {
            value: to_property_value(&value, &path, losses),
            name,
        });
    }
    properties
}

/// Adds missing built-in properties, which all files should have (S10).
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
                let loss = Loss::renamed(path, "a property of this name takes precedence");
                losses.push(
                    loss.with_detail(format_args!("\"{value}\" becomes \"{}\"", given.value)),
                );
            }
            Some(_) => {}
            None => {
                let value = if value.is_empty() { default } else { value };
                let value = to_property_value(value, path, losses);
                properties.push(Property {
                    name: name.to_owned(),
                    value,
                });
            }
        }
    }
}

/// Replaces characters that a value cannot contain, and trims whitespace (S6, S7).
fn to_property_value(value: &str, path: &str, losses: &mut Vec<Loss>) -> String {
    let is_forbidden = |c: char| c == '#' || c.is_control();
    let changed = value.replace(is_forbidden, "_");
    let changed = changed.trim();
    if changed != value {
        let detail = format!("\"{}\" becomes \"{changed}\"", value.escape_debug());
        losses.push(
            Loss::renamed(path, "# and control characters were replaced").with_detail(detail),
        );
    }
    changed.to_owned()
}
