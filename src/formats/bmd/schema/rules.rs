//! The rules of BMD.

use crate::rule::rules;

rules! {
    MAGIC "BMD-MAGIC" Fatal "Header, magic1" "B1" Structure
        "An image starts with `BMD1`.";
    TRUNCATED "BMD-TRUNCATED" Fatal "Header" "B29" Structure
        "Lists are inside the image, and items inside their lists.";
    LIST "BMD-LIST" Fatal "Header" "B29" Declaration
        "A list starts after the header and contains complete entries.";
    ALIGNMENT "BMD-ALIGNMENT" Fatal "Mesh Model Format" "B15" Declaration
        "The offset of a list of structures is a multiple of 4.";
    STRING "BMD-STRING" Fatal "MeshDef, BoneDef, AnimDef" "B29" Structure
        "A string ends with a NUL.";
    VERTEX_COUNT "BMD-VERTEX-COUNT" Fatal "MeshDef, n_vtx" "B14" Declaration
        "The vertex list contains n_vtx vertices.";
    FRAMES "BMD-FRAMES" Fatal "Animation frames" "B23" Structure
        "The keys of each normal bone end within the frames list.";
    SHARING "BMD-SHARING" Fatal "Mesh Model Format" "B29" Code("adds up the sizes of all lists")
        "Lists and strings that share bytes add up to at most 16 times the size of the image, and animations have no more tracks than the image has bytes.";
    VERTEX_TAG "BMD-VERTEX-TAG" Error "Mesh Vertex" "B8" Declaration
        "No vertex has one of the reserved tags FC, FE and FF.";
    VERTEX_UNDEFINED "BMD-VERTEX-UNDEFINED" Warning "Mesh Vertex (96-bit)" "B8" Declaration
        "No vertex has one of the tags F0 to F7, for which the last byte is undefined.";
    VERTEX_BONE "BMD-VERTEX-BONE" Warning "Mesh Vertex, Bone ID" "B9" Declaration
        "The bone of a vertex exists; bone 0 always does.";
    NON_FINITE "BMD-NON-FINITE" Error "Mesh Vertex (128-bit)" "B7" Declaration
        "Positions are finite.";
    INDEX_RANGE "BMD-INDEX-RANGE" Error "Mesh Triangle, Mesh Quad" "B13" Declaration
        "Every index is below the number of vertices.";
    TAG2 "BMD-TAG2" Error "Mesh Triangle, Mesh Quad" "B13" Declaration
        "The second tag of a face is 0.";
    TRIANGLE_COUNT "BMD-TRIANGLE-COUNT" Error "MeshDef, n_tris" "B12" Code("counts packed items")
        "The number of triangles matches the faces, with a quad counted as one or as two.";
    FLAGS "BMD-FLAGS" Error "Mesh control flags" "B11" Declaration
        "The control flags allow the forms of all vertices and faces.";
    LOD_RANGE "BMD-LOD-RANGE" Error "LodDef" "B18" Declaration
        "A level of detail refers to existing meshes.";
    LOD_DRAWABLE "BMD-LOD-DRAWABLE" Warning "LodDef" "B18" Code("looks up other meshes")
        "The meshes of a level of detail have a material and are therefore drawn.";
    PARENT "BMD-PARENT" Error "BoneDef, id_parent" "B21" Declaration
        "The parent of a bone comes before it and is not a pseudo-bone; the parent of bone 0 is 0.";
    PSEUDO_ORDER "BMD-PSEUDO-ORDER" Error "Pseudo-Bones" "B22" Code("compares bones with each other")
        "Pseudo-bones come after the normal bones.";
    PSEUDO_BONES "BMD-PSEUDO-BONES" Error "Pseudo-Bones" "B22" Code("compares ids with list positions")
        "A pseudo-bone comes after the bones that it refers to.";
    SOLID_RANGE "BMD-SOLID-RANGE" Error "BoneDef, id_solid" "" Declaration
        "The solid of a bone is an existing mesh.";
    SOLID_CLOSED "BMD-SOLID-CLOSED" Warning "Bone solids" "" Code("pairs the edges of faces")
        "The solid of a bone is closed: each edge belongs to two faces, which use it in opposite directions.";
    SOLID_BONE "BMD-SOLID-BONE" Warning "Bone solids" "" Code("spans bones and vertices")
        "The vertices of a solid are all bound to its bone, or all to bone 0.";
    NO_FRAMES "BMD-NO-FRAMES" Error "AnimDef, n_frames" "B29" Declaration
        "An animation with a frames list has at least one frame.";
    KEY_RANGE "BMD-KEY-RANGE" Error "Animation frames" "B23" Code("adds up skipped frames")
        "Every key is at a frame of the animation.";
    FRAMES_TRAILING "BMD-FRAMES-TRAILING" Error "AnimDef, sz_frames" "B23" Code("splits the keys by bone")
        "No bytes follow the keys of the last bone.";
    RESERVED "BMD-RESERVED" Warning "Header, MeshDef, LodDef, BoneDef, AnimDef" "B28" Declaration
        "Reserved fields are zero.";
}
