//! The rules of BMD.

mod mesh;
mod skeleton;

use super::document::Document;
use super::schema::{Header, LodDef};
use crate::finding::rules;
use crate::layout::{Constraints, Scope, Value};
use crate::{Report, path};

rules! {
    MAGIC "BMD-MAGIC" Fatal "Header, magic1" "B1"
        "An image starts with `BMD1`.";
    TRUNCATED "BMD-TRUNCATED" Fatal "Header" "B29"
        "Lists lie within the image and items within their lists.";
    LIST "BMD-LIST" Fatal "Header" "B29"
        "A list lies after the header and holds whole entries.";
    ALIGNMENT "BMD-ALIGNMENT" Fatal "Mesh Model Format" "B15"
        "The offset of a list of structures is a multiple of 4.";
    STRING "BMD-STRING" Fatal "MeshDef, BoneDef, AnimDef" "B29"
        "A string ends with a NUL.";
    VERTEX_COUNT "BMD-VERTEX-COUNT" Fatal "MeshDef, n_vtx" "B14"
        "The vertex list holds n_vtx vertices.";
    FRAMES "BMD-FRAMES" Fatal "Animation frames" "B23"
        "The keys of each normal bone end within the frames list.";
    SHARING "BMD-SHARING" Fatal "Mesh Model Format" "B29"
        "Lists and strings that share bytes add up to at most 16 times the size of the image, and animations have no more tracks than it has bytes.";
    VERTEX_TAG "BMD-VERTEX-TAG" Error "Mesh Vertex" "B8"
        "No vertex has one of the reserved tags FC, FE and FF.";
    VERTEX_UNDEFINED "BMD-VERTEX-UNDEFINED" Warning "Mesh Vertex (96-bit)" "B8"
        "No vertex has one of the tags F0 to F7, for which the last byte is undefined.";
    VERTEX_BONE "BMD-VERTEX-BONE" Warning "Mesh Vertex, Bone ID" "B9"
        "The bone of a vertex exists; bone 0 always does.";
    NON_FINITE "BMD-NON-FINITE" Error "Mesh Vertex (128-bit)" "B7"
        "Positions are finite.";
    INDEX_RANGE "BMD-INDEX-RANGE" Error "Mesh Triangle, Mesh Quad" "B13"
        "Every index is below the number of vertices.";
    TAG2 "BMD-TAG2" Error "Mesh Triangle, Mesh Quad" "B13"
        "The second tag of a face is 0.";
    TRIANGLE_COUNT "BMD-TRIANGLE-COUNT" Error "MeshDef, n_tris" "B12"
        "The number of triangles matches the faces, with a quad counted as one or as two.";
    FLAGS "BMD-FLAGS" Error "Mesh control flags" "B11"
        "Vertices and faces have forms that the control flags allow.";
    LOD_RANGE "BMD-LOD-RANGE" Error "LodDef" "B18"
        "A level of detail refers to meshes that exist.";
    LOD_DRAWABLE "BMD-LOD-DRAWABLE" Warning "LodDef" "B18"
        "The meshes of a level of detail have a material, so that they are drawn.";
    PARENT "BMD-PARENT" Error "BoneDef, id_parent" "B21"
        "The parent of a bone comes before it and is not a pseudo-bone; that of bone 0 is 0.";
    PSEUDO_ORDER "BMD-PSEUDO-ORDER" Error "Pseudo-Bones" "B22"
        "Pseudo-bones come after the normal bones.";
    PSEUDO_BONES "BMD-PSEUDO-BONES" Error "Pseudo-Bones" "B22"
        "The bones that a pseudo-bone follows come before it.";
    SOLID_RANGE "BMD-SOLID-RANGE" Error "BoneDef, id_solid" ""
        "The solid of a bone is a mesh that exists.";
    SOLID_CLOSED "BMD-SOLID-CLOSED" Warning "Bone solids" ""
        "The solid of a bone is closed: each edge belongs to two faces, which run along it in opposite directions.";
    SOLID_BONE "BMD-SOLID-BONE" Warning "Bone solids" ""
        "The vertices of a solid are all bound to its bone, or all to bone 0.";
    NO_FRAMES "BMD-NO-FRAMES" Error "AnimDef, n_frames" "B29"
        "An animation with a frames list has at least one frame.";
    KEY_RANGE "BMD-KEY-RANGE" Error "Animation frames" "B23"
        "Every key is at a frame of the animation.";
    FRAMES_TRAILING "BMD-FRAMES-TRAILING" Error "AnimDef, sz_frames" "B23"
        "Nothing follows the keys of the last bone.";
    RESERVED "BMD-RESERVED" Warning "Header, MeshDef, LodDef, BoneDef, AnimDef" "B28"
        "Reserved fields are zero.";
}

/// Adds every violation to `report`.
pub(super) fn check(document: &Document, report: &mut Report) {
    // What is fatal was found when the file was read.
    if !report.collects(&FLAGS) {
        return;
    }
    check_header(document, report);
    let bones = document.bones.len();
    for (index, mesh) in document.meshes.iter().enumerate() {
        mesh::check(mesh, index, bones, report);
    }
    for (index, lod) in document.lods.iter().enumerate() {
        check_lod(document, *lod, index, report);
    }
    skeleton::check(document, report);
    skeleton::check_solids(document, report);
    skeleton::check_animations(document, report);
}

fn check_header(document: &Document, report: &mut Report) {
    let [resv1, resv2, resv3] = document.reserved.map(Value::from);
    let fields = Scope::new(vec![("resv1", resv1), ("resv2", resv2), ("resv3", resv3)]);
    Constraints::check_fields::<Header>(&fields, RULES, path!(header), report);
}

fn check_lod(document: &Document, lod: LodDef, index: usize, report: &mut Report) {
    let fields = Scope::new(vec![
        ("mesh_count", (document.meshes.len() as u64).into()),
        ("id_mesh", lod.id_mesh.into()),
        ("n_mesh", lod.n_mesh.into()),
        ("resv1", lod.resv1.into()),
    ]);
    Constraints::check_fields::<LodDef>(&fields, RULES, path!(lods[index]), report);
    let Some(meshes) = document.meshes_of(lod) else { return };
    // A level that is all meshes includes what is not drawn.
    if lod.is_all() {
        return;
    }
    for (offset, _) in meshes.iter().enumerate().filter(|(_, mesh)| mesh.material.is_none()) {
        let mesh = usize::from(lod.id_mesh) + offset;
        let message = format_args!("mesh {mesh} has no material");
        report.add(&LOD_DRAWABLE, path!(lods[index].id_mesh), message);
    }
}
