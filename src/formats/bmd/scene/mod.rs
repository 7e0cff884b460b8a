//! Converts BMD documents to and from scenes.

mod anchors;
mod animation;
mod detail;
mod faces;
mod hidden;
mod lods;
mod material;
mod precision;
mod pseudo;
mod rig;
mod source_fields;
mod split;

use super::schema;
use std::collections::BTreeMap;

use glam::Vec3;
use serde_json::Value;

use self::precision::{EncodedMesh, Encoding, SourceMesh};
use self::rig::Rig;
#[cfg(feature = "proptest")]
pub use self::split::MAX_VERTICES;
pub use self::split::{PieceLimits, split_meshes, split_unaddressable};
use super::{
    Animation, Attributes, Bone, Document, F8A, Faces, LodDef, Mesh, Surface, Transform, Vertices,
    flat_color,
};
use crate::formats::scenes::utf8_loss;
use crate::scene::repair::{PointNormals, all_finite};
use crate::scene::{
    self, Axis, Capabilities, Colors, Conventions, FromScene, Material, Scene, SceneOptions,
    SourceFields, ToScene,
};
use crate::{Error, Loss, LossKind, Quantity, Result, Text, path};

const CAPABILITIES: Capabilities = Capabilities {
    format: "BMD",
    meshes: true,
    materials: true,
    textures: true,
    base_colors: true,
    normals: true,
    max_uv_sets: 1,
    max_color_sets: 1,
    max_skins: 1,
    max_corners: 4,
    lods: true,
    skeleton: true,
    joint_names: true,
    animations: true,
    ..Capabilities::POSITIONS
};

/// The source format of scenes read from BMD.
const SOURCE: &str = "bmd";

impl ToScene for Document {
    const CONVENTIONS: Conventions = Conventions {
        right: Axis::NegX,
        up: Axis::Z,
        forward: Axis::NegY,
        evidence: "X2: skeletons stack along z, faces agree with normals; the unit and the texture origin are assumed",
        ..Conventions::GLTF
    };

    fn source_fields(&self) -> SourceFields {
        source_fields::source_fields(self)
    }

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let mut losses = unmapped_fields(&self);
        let rig = Rig::from_bones(&self.bones, &mut losses);
        let mut scene = Scene {
            skeleton: rig.skeleton(&self.bones),
            ..Scene::default()
        };
        let mut mesh_indices = vec![None; self.meshes.len()];
        let mut hidden = Vec::new();
        for (index, mesh) in self.meshes.iter().enumerate() {
            let Some(material) = &mesh.material else {
                hidden.push(hidden::stash(index, mesh));
                continue;
            };
            mesh_indices[index] = Some(scene.meshes.len());
            scene
                .meshes
                .push(to_mesh(mesh, index, material, &rig, &mut losses));
        }
        if !hidden.is_empty() {
            scene
                .extras
                .insert(hidden::EXTRA.to_owned(), Value::Array(hidden));
        }
        scene.lods = self
            .lods
            .iter()
            .map(|lod| lods::to_lod(*lod, &mesh_indices))
            .collect();
        let animations = self.animations.iter();
        scene.animations = animations
            .map(|a| animation::to_animation(a, &self.bones))
            .collect();
        Self::CONVENTIONS.finish_scene(&mut scene, options, SOURCE);
        Ok((scene, losses))
    }
}

impl FromScene for Document {
    const NEEDS_NORMALS: bool = true;

    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let encoding = Encoding::of(&scene, options, conventions).map_err(in_bmd_format)?;
        let is_own = scene
            .source
            .as_ref()
            .is_some_and(|source| source.format == SOURCE);
        let mut losses = scene.repair_directions("BMD", PointNormals::Drop);
        let mut changes =
            Vec::from_iter(scene.limit_joints(rig::bone_count(&scene), rig::MAX_BONES, "BMD"));
        // Parts of pseudo-bones have no pose.
        let is_part = |joint: &scene::Joint| pseudo::is_part(&joint.extras);
        changes.extend(scene.bind_at_rest("BMD", is_part));
        changes.extend(scene.bake_scale("BMD", is_part));
        let hidden = scene.extras.remove(hidden::EXTRA);
        let extras = rig::take_extras(&mut scene.skeleton);
        // After baking, each copy of a mesh has the name of its node.
        losses.extend(CAPABILITIES.bake_placements(&mut scene, options.max_triangles)?);
        let names: Vec<String> = scene.meshes.iter().map(|mesh| mesh.name.clone()).collect();
        losses.extend(CAPABILITIES.restrict(&mut scene, conventions, options)?);
        losses.extend(changes);
        if !is_own {
            for (index, mesh) in scene.meshes.iter_mut().enumerate() {
                mesh.normalize_directions(&format!("meshes[{index}]"), &mut losses);
            }
        }
        let unit = f64::from(conventions.unit);
        lods::add_loose_meshes(&mut scene);
        let names = split_unaddressable(&mut scene, &mut losses)
            .into_iter()
            .filter_map(|index| names.get(index));
        let out_of_bones = anchors::add_bones(&mut scene, &extras, &encoding, &mut losses);
        detail::add_bones(&mut scene, &extras, &encoding, &mut losses);
        let center = rig::center_of(&scene);
        let (rig, bones) = Rig::build(&scene, &extras, unit, &mut losses).map_err(in_bmd_format)?;
        let animations =
            animation::convert(&scene, &rig, &bones, unit, &mut losses).map_err(in_bmd_format)?;
        let meshes =
            scene
                .meshes
                .into_iter()
                .zip(names)
                .enumerate()
                .map(|(index, (mesh, name))| {
                    let packing = Packing {
                        rig: &rig,
                        encoding: &encoding,
                        name,
                        center,
                        out_of_bones,
                    };
                    from_mesh(mesh, index, &packing, &mut losses)
                });
        let meshes = meshes.collect::<Result<_>>().map_err(in_bmd_format)?;
        let mut document = Document {
            meshes,
            bones,
            animations,
            ..Document::default()
        };
        let mesh_indices = hidden::restore(hidden, &mut document.meshes, &mut losses);
        let lods = scene.lods.iter().enumerate();
        let lods =
            lods.map(|(index, lod)| lods::from_lod(lod, index, &mesh_indices, unit, &mut losses));
        document.lods = lods.collect::<Result<_>>().map_err(in_bmd_format)?;
        split_uncountable(&mut document, &mesh_indices, &mut losses)?;
        Ok((document, losses))
    }
}

fn in_bmd_format(error: Error) -> Error {
    error.in_format(schema::NAME)
}

/// Returns losses for fields without a meaning in a scene, and for non-UTF-8 names of bones and animations.
/// Destructures in full, so that new fields cause compiler errors.
fn unmapped_fields(document: &Document) -> Vec<Loss> {
    let Document {
        reserved,
        meshes,
        lods,
        bones,
        animations,
    } = document;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = |field, is_lost| *counts.entry(field).or_default() += usize::from(is_lost);
    count("reserved", *reserved != [0; 3]);
    for Mesh {
        material: _,
        vertices: _,
        faces: _,
        flags,
        n_tris,
        resv3,
    } in meshes
    {
        // The defined flags follow from the vertices and faces.
        count("meshes.flags.reserved", flags.reserved() != 0);
        count("meshes.n_tris", n_tris.is_some());
        count("meshes.resv3", *resv3 != 0);
    }
    for lod @ LodDef {
        id_mesh,
        n_mesh: _,
        ld_sc,
        resv1,
    } in lods
    {
        let level_meshes = document.meshes_of(*lod).unwrap_or_default();
        let is_hidden = |mesh: Option<&Mesh>| mesh.is_some_and(|mesh| mesh.material.is_none());
        count(
            "lods.id_mesh",
            is_hidden(level_meshes.first()) || level_meshes.is_empty() && *id_mesh != 0,
        );
        count("lods.n_mesh", is_hidden(level_meshes.last()));
        // Like levels with scale 0, levels with a negative scale are visible from infinitely far away.
        count(
            "lods.ld_sc",
            ld_sc.value() <= 0.0 && *ld_sc != F8A::default(),
        );
        count("lods.resv1", *resv1 != 0);
    }
    // Bone 0 is the model itself (B20).
    count(
        "bones.transform",
        bones
            .first()
            .is_some_and(|bone| bone.transform != Transform::default()),
    );
    for Bone {
        transform: _,
        name: _,
        id_parent: _,
        id_solid: _,
        resv1,
        resv2,
    } in bones
    {
        count("bones.resv1", *resv1 != 0);
        count("bones.resv2", *resv2 != 0);
    }
    for Animation {
        name: _,
        n_frames: _,
        fl_hz: _,
        tracks,
        trailing,
        resv1,
        resv2,
    } in animations
    {
        count(
            "animations.tracks",
            tracks
                .first()
                .is_some_and(|track| track.keys().next().is_some()),
        );
        count("animations.trailing", !trailing.is_empty());
        count("animations.resv1", *resv1 != 0);
        count("animations.resv2", *resv2 != 0);
    }
    let loss = |field| Loss::dropped(field, "no meaning in a scene");
    let lost = counts.into_iter().filter(|(_, count)| *count > 0);
    let lost = lost.map(|(field, count)| loss(field).with_count(count, "fields"));
    let bones = bones
        .iter()
        .enumerate()
        .map(|(i, bone)| (format!("bones[{i}].name"), &bone.name));
    let animations = animations.iter().enumerate();
    let animations = animations.map(|(i, a)| (format!("animations[{i}].name"), &a.name));
    let renamed = bones
        .chain(animations)
        .filter_map(|(path, name)| utf8_loss(path, name.as_ref()?));
    lost.chain(renamed).collect()
}

fn to_mesh(
    mesh: &Mesh,
    index: usize,
    material: &Text,
    rig: &Rig,
    losses: &mut Vec<Loss>,
) -> scene::Mesh {
    let name = material.to_string();
    losses.extend(utf8_loss(format!("meshes[{index}].material"), material));
    let mut columns = mesh.vertices.columns();
    let missing = columns
        .bones
        .iter()
        .filter(|bone| !rig.has_bone(**bone))
        .count();
    let loss = Loss::dropped(
        format!("meshes[{index}].vertices"),
        "bindings to missing bones",
    );
    losses.extend(
        loss.with_count_of(missing, columns.bones.len(), "vertices")
            .if_any(),
    );
    rig.to_model_space(&columns.bones, &mut columns.positions, &mut columns.normals);
    let has_colors = columns.colors.iter().any(|color| *color != [255; 4]);
    let has_st = columns.st.iter().any(|st| *st != [0.0; 2]);
    let is_unbound = columns.bones.iter().all(|bone| *bone == 0);
    scene::Mesh {
        material: Material {
            base_color: flat_color(material.as_bytes()).map(material::base_color),
            name,
            ..Material::default()
        },
        positions: columns.positions,
        normals: Some(columns.normals),
        uvs: if has_st || mesh.surface() == Surface::Textured {
            vec![columns.st]
        } else {
            Vec::new()
        },
        colors: if has_colors {
            vec![Colors::U8(columns.colors)]
        } else {
            Vec::new()
        },
        // Bone 0 is the model itself, so vertices bound only to it are unbound.
        skins: if is_unbound {
            Vec::new()
        } else {
            vec![rig.skin(&columns.bones)]
        },
        faces: faces::to_faces(&mesh.faces),
        ..scene::Mesh::default()
    }
}

/// The inputs for packing the vertices of a mesh.
struct Packing<'a> {
    rig: &'a Rig,
    encoding: &'a Encoding,
    /// The name of the mesh.
    name: &'a str,
    /// The centre of the model.
    center: Vec3,
    /// Whether meshes far from the origin need more bones than BMD allows.
    out_of_bones: bool,
}

fn from_mesh(
    mut mesh: scene::Mesh,
    index: usize,
    packing: &Packing,
    losses: &mut Vec<Loss>,
) -> Result<Mesh> {
    let Packing {
        rig,
        encoding,
        name,
        center,
        out_of_bones,
    } = *packing;
    let at = |error: Error| error.within(path!(meshes[index]));
    let face_list = faces::from_faces(&mesh.faces);
    let faces = Faces::encode(&face_list).map_err(at)?;
    mesh.material.replace_name_by_texture("BMD", index, losses);
    let surface_name = material::surface_name(&mesh.material);
    material::report_differences(&mesh.material, &surface_name, index, losses);
    let surface = Surface::of(Some(&surface_name));
    if mesh.normals.is_none() {
        let message = "BMD requires normals; the directions of the positions were used";
        losses.push(Loss::changed(format!("meshes[{index}].normals"), message));
    }
    let has_only_zero_uvs = mesh
        .uvs
        .first()
        .is_some_and(|uvs| uvs.iter().all(|uv| *uv == [0.0; 2]));
    let uv_path = format!("meshes[{index}].uvs[0]");
    match surface {
        Surface::Textured if mesh.uvs.is_empty() => {
            let message =
                "BMD requires texture coordinates on textured surfaces; they were set to 0";
            losses.push(Loss::changed(uv_path, message));
        }
        Surface::Flat if has_only_zero_uvs => {
            losses.push(Loss::dropped(
                uv_path,
                "texture coordinates (0, 0) on a flat colour",
            ));
        }
        _ => {}
    }
    replace_non_finite(&mut mesh, index, losses);
    if let Some(skin) = mesh.skins.first_mut() {
        skin.replace_non_finite(&format!("meshes[{index}].skins[0]"), losses);
    }
    let size = mesh.size();
    let mut attributes = Attributes {
        positions: mesh.positions,
        normals: mesh.normals,
        st: mesh.uvs.into_iter().next(),
        bones: mesh
            .skins
            .first()
            .map(|skin| rig.bones_of(skin, index, losses)),
        ..Attributes::default()
    };
    let mut color_rounding = 0.0_f64;
    if let Some(mut colors) = mesh.colors.into_iter().next() {
        colors.replace_non_finite(format!("meshes[{index}].colors[0]"), losses);
        let (colors, largest_error) = colors.into_u8();
        color_rounding = largest_error;
        if colors.iter().any(|[.., alpha]| *alpha != 255) {
            let path = format!("meshes[{index}].colors[0].alpha");
            losses.push(Loss::dropped(path, "BMD vertex colours have no alpha"));
        }
        attributes.colors = Some(colors.into_iter().map(|[r, g, b, _]| [r, g, b]).collect());
    }
    if attributes
        .bones
        .as_ref()
        .is_some_and(|bones| bones.iter().all(|bone| *bone == 0))
    {
        let message = "vertices bound only to joint 0 become unbound";
        losses.push(Loss::changed(format!("meshes[{index}].skins[0]"), message));
    }
    let model_positions = attributes.positions.clone();
    let model_normals = attributes.normals.clone().unwrap_or_default();
    rig.to_bone_space(&mut attributes);
    let decode = |vertices: &Vertices| {
        let mut columns = vertices.columns();
        rig.to_model_space(&columns.bones, &mut columns.positions, &mut columns.normals);
        (columns.positions, columns.normals)
    };
    let source = SourceMesh {
        name,
        positions: &model_positions,
        normals: &model_normals,
        faces: &face_list,
        size,
        center,
        out_of_bones,
    };
    let encoded = encoding
        .encode(&mut attributes, surface, &source, decode)
        .map_err(at)?;
    report_errors(&encoded, color_rounding, encoding.unit(), index, losses);
    let mesh = Mesh::new(Some(surface_name), encoded.vertices, faces);
    let is_white = || {
        mesh.vertices
            .columns()
            .colors
            .iter()
            .all(|color| *color == [255; 4])
    };
    if attributes.colors.is_some() && is_white() {
        let message =
            "all packed vertex colours are white, the default in BMD; reading returns no colours";
        losses.push(Loss::dropped(format!("meshes[{index}].colors[0]"), message));
    }
    Ok(mesh)
}

/// Replaces non-finite normals with those of the faces, and non-finite texture coordinates with 0.
fn replace_non_finite(mesh: &mut scene::Mesh, index: usize, losses: &mut Vec<Loss>) {
    if !all_finite(mesh.normals.as_deref().unwrap_or_default().as_flattened()) {
        mesh.repair_normals(&format!("meshes[{index}]"), losses);
    }
    let mut count = 0;
    for uv in mesh
        .uvs
        .first_mut()
        .into_iter()
        .flatten()
        .filter(|uv| !all_finite(&uv[..]))
    {
        *uv = [0.0; 2];
        count += 1;
    }
    let loss = Loss::changed(
        format!("meshes[{index}].uvs[0]"),
        "non-finite texture coordinates become 0",
    );
    losses.extend(
        loss.with_count_of(count, mesh.positions.len(), "vertices")
            .if_any(),
    );
}

/// Reports packing errors. `color_rounding` is the error from rounding the colours to 8 bits, 0 to 1. `unit` is the
/// length of a unit in metres.
fn report_errors(
    encoded: &EncodedMesh,
    color_rounding: f64,
    unit: f64,
    index: usize,
    losses: &mut Vec<Loss>,
) {
    let EncodedMesh { errors, effect, .. } = encoded;
    if effect.error > 0.0 {
        if effect.lost_triangles > 0 {
            let path = format!("meshes[{index}].faces");
            let loss = Loss::new(LossKind::Quantized, path, "triangles flattened by packing");
            losses.push(loss.with_count_of(effect.lost_triangles, effect.triangles, "triangles"));
        }
        if let Some(change) = effect.area_change() {
            let message = "area of the surface changed by packing";
            losses.push(Loss::quantized(
                format!("meshes[{index}].faces"),
                message,
                Quantity::AREAS,
                change,
            ));
        }
    }
    let mut report = |what: &str, quantity: Quantity, error: f64| {
        let message = format!("{} packed", quantity.name);
        let loss = Loss::quantized(format!("meshes[{index}].{what}"), message, quantity, error);
        let mesh_size = if what == "positions" {
            unit * f64::from(effect.size)
        } else {
            0.0
        };
        losses.extend((error > 0.0).then(|| loss.with_mesh_size(mesh_size)));
    };
    report("positions", Quantity::POSITIONS, unit * effect.distance);
    report(
        "uvs[0]",
        Quantity::TEXTURE_COORDINATES,
        rounded_up(errors.st),
    );
    report("normals", Quantity::NORMALS, effect.normal_angle);
    // Covers the rounding of readers that divide by 255 in 32 bits.
    let color = match errors.color {
        0 => color_rounding,
        difference => color_rounding + f64::from(difference) / 255.0 + f64::from(f32::EPSILON),
    };
    report("colors[0]", Quantity::COLORS, color);
}

/// Returns an upper bound of the error whose nearest 32-bit number is `error`.
fn rounded_up(error: f32) -> f64 {
    if error > 0.0 {
        error.next_up().into()
    } else {
        0.0
    }
}

/// Splits meshes with more vertices or triangles than a BMD mesh can count, and reports them.
fn split_uncountable(
    document: &mut Document,
    mesh_indices: &[usize],
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let pieces = split_meshes(document, PieceLimits::FIELD_LIMITS)?;
    for (index, mesh) in mesh_indices
        .iter()
        .enumerate()
        .filter(|(_, mesh)| pieces[**mesh] > 1)
    {
        let message = "BMD meshes have at most 65535 vertices and 65535 triangles";
        let loss = Loss::new(LossKind::Split, format!("meshes[{index}]"), message);
        losses.push(loss.with_detail(format_args!("into {}", pieces[*mesh])));
    }
    Ok(())
}
