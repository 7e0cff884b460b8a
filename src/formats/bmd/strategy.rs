//! Strategies that generate valid BMD documents, for tests of other loaders.
//!
//! They are files that the [declaration](super::schema) generates, in which what no expression says is put right:
//! whatever it is about, a field that is added to the declaration has any value.

use binrw::BinRead;
use proptest::prelude::*;

use super::codec::Input;
use super::schema::{BoneTransform, Form, Image, PseudoTransform, VertexTag};
use super::{Animation, Bone, Document, Face, LodDef, Mesh, PackedFace, PackedVertex, Track, Transform};
use crate::Text;
use crate::layout::Layout;
use crate::layout::generate::{self, Config};

/// Documents that strict reading accepts: all forms of vertices and faces alone and mixed, levels of detail, bones and
/// pseudo-bones, animations with gaps and skipped frames, names that are not UTF-8.
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config::default())
}

/// Documents that strict reading accepts, of this size and sort. Those that are plausible have no findings at all, but
/// materials, and vertices of bones that exist.
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    generate::drafts(&Image::TYPE, config).prop_filter_map("a document", move |bytes| {
        let Image { header, meshes, lods, bones, animations } = Image::read(&mut Input::new(&bytes)).ok()?;
        let mut document = Document {
            reserved: [header.resv1, header.resv2, header.resv3],
            meshes: meshes.0,
            lods: lods.0,
            bones: bones.0,
            animations: animations.0,
        };
        complete_bones(&mut document.bones);
        if config.plausible {
            make_plausible(&mut document)?;
        }
        complete(&mut document)?;
        Some(document)
    })
}

/// Puts right what no expression says of all but the bones.
fn complete(document: &mut Document) -> Option<()> {
    document.meshes.iter_mut().try_for_each(complete_mesh)?;
    let meshes = document.meshes.len() as u8;
    for LodDef { id_mesh, n_mesh, .. } in &mut document.lods {
        *id_mesh %= meshes + 1;
        *n_mesh %= meshes - *id_mesh + 1;
    }
    document.bones.iter_mut().for_each(|bone| bone.id_solid %= meshes.max(1));
    let bones = document.normal_bones().len();
    document.animations.iter_mut().for_each(|animation| complete_keys(animation, bones));
    Some(())
}

/// Leaves out vertices that are not finite (B7), gives those of a form with one tag this tag (B8), faces the vertices that
/// there are, and the mesh the control flags that it fits (B11).
fn complete_mesh(mesh: &mut Mesh) -> Option<()> {
    let surface = mesh.surface();
    let vertices = mesh.vertices.packed().filter_map(|vertex| {
        let mut words = vertex.words();
        if let Some(tag) = PackedVertex::row_of(vertex.tag(), surface).and_then(|row| row.tag) {
            words[1] = words[1] & 0x00FF_FFFF | u32::from(tag) << 24;
        }
        let is_finite = |vertex: &PackedVertex| vertex.position().iter().all(|x| x.is_finite());
        PackedVertex::first(&words, surface).filter(is_finite)
    });
    let vertices: Vec<_> = vertices.collect();
    let count = vertices.len() as u32;
    mesh.vertices = Default::default();
    vertices.into_iter().try_for_each(|vertex| mesh.vertices.push(vertex)).ok()?;
    let faces = std::mem::take(&mut mesh.faces);
    for face in faces.packed().filter(|_| count > 0) {
        mesh.faces.push(among(face, count)?).ok()?;
    }
    mesh.n_tris = None;
    let drawn = mesh.flags;
    let sizes = drawn.vertex_sizes();
    let is_fine = mesh.vertices.packed().all(|vertex| sizes.contains(&vertex.bits()))
        && mesh.faces.packed().all(|face| drawn.allows(face));
    mesh.flags = if is_fine { drawn } else { mesh.fitting_flags() };
    Some(())
}

/// The face, in its form, between so many vertices.
fn among(face: PackedFace, vertices: u32) -> Option<PackedFace> {
    let value = match face.value() {
        Face::Triangle(corners) => Face::Triangle(corners.map(|corner| corner % vertices)),
        Face::Quad(corners) => Face::Quad(corners.map(|corner| corner % vertices)),
    };
    PackedFace::in_forms(value).find(|other| other.form() == face.form())
}

/// Normal bones, each after its parent (B21), then pseudo-bones, which follow these (B22). Without any normal bones there
/// are none.
fn complete_bones(bones: &mut Vec<Bone>) {
    bones.sort_by_key(Bone::is_pseudo);
    let normal = bones.iter().filter(|bone| !bone.is_pseudo()).count() as u8;
    if normal == 0 {
        bones.clear();
    }
    for (index, bone) in bones.iter_mut().enumerate() {
        match &mut bone.transform {
            Transform::Bone(transform) if index == 0 => {
                *transform = BoneTransform::new();
                bone.id_parent = 0;
            }
            Transform::Bone(_) => bone.id_parent %= index as u8,
            Transform::Pseudo(transform) => {
                let [a, b, c, d] = transform.bones().map(|bone| bone % normal);
                let followed: PseudoTransform = *transform;
                *transform = followed.with_bone_0(a).with_bone_1(b).with_bone_2(c).with_bone_3(d);
            }
        }
    }
}

/// A track for each of so many normal bones, up to the first key beyond the last frame (B23).
fn complete_keys(animation: &mut Animation, bones: usize) {
    let keys = std::mem::take(&mut animation.trailing);
    let mut rest = &*keys;
    // Without frames there are no tracks.
    for _ in (0..bones).filter(|_| animation.n_frames > 0) {
        let (track, size) = Track::parse(rest).unwrap_or_else(|last| (last, rest.len()));
        rest = rest.get(size..).unwrap_or_default();
        let mut within = Track::default();
        for key in track.packed() {
            let mut longer = within.clone();
            let pushed = longer.push(key.tag.skip(), key.rotation, key.translation, key.scale);
            if pushed.is_err() || longer.reaches(animation.n_frames) {
                break;
            }
            within = longer;
        }
        animation.tracks.push(within);
    }
}

/// Makes of the document what exporters write: defined vertices of bones that exist, materials, and no solids.
fn make_plausible(document: &mut Document) -> Option<()> {
    let bones = document.bones.len().max(1) as u32;
    for mesh in &mut document.meshes {
        let surface = mesh.surface();
        let vertices: Vec<_> = mesh.vertices.packed().collect();
        mesh.vertices = Default::default();
        let is_undefined = |tag| (VertexTag::BITS_96..VertexTag::COLOR_96).contains(&tag);
        for vertex in vertices.into_iter().filter(|vertex| !is_undefined(vertex.tag())) {
            let mut words = vertex.words();
            // The bone, if there is one, is the highest byte.
            if !(VertexTag::COLOR_96..VertexTag::BONE_96).contains(&vertex.tag()) {
                let last = &mut words[vertex.bits() as usize / 32 - 1];
                *last = *last & 0x00FF_FFFF | ((*last >> 24) % bones) << 24;
            }
            mesh.vertices.push(PackedVertex::first(&words, surface)?).ok()?;
        }
        mesh.material.get_or_insert_with(|| Text::from("stone"));
    }
    document.bones.iter_mut().for_each(|bone| bone.id_solid = 0);
    Some(())
}
