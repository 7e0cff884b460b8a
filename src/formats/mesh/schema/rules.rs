//! The rules of MESH.

use crate::rule::rules;

rules! {
    TRUNCATED "MESH-TRUNCATED" Fatal "General structure" "" Structure
        "The file contains all data that its header and counts declare.";
    TRAILING "MESH-TRAILING" Fatal "General structure" "M17" Structure
        "Nothing follows the animations of a renderlib file.";
    VERSION "MESH-VERSION" Fatal "Header, Version" "M1" Declaration
        "The version is 1.0, the byte 0x01.";
    POSITION "MESH-POSITION" Fatal "Vertex data, Position" "" Declaration
        "Every vertex has a position: bit 0 of the format is set.";
    FORMAT_BITS "MESH-FORMAT-BITS" Error "Header, Format" "M7" Declaration
        "The unused bits of the format are 0.";
    EMPTY "MESH-EMPTY" Warning "Header" "M12" Declaration
        "There are vertices and indices.";
    INDEX_RANGE "MESH-INDEX-RANGE" Error "Index data" "M13" Declaration
        "Every index is below the vertex count.";
    TRIANGLES "MESH-TRIANGLES" Warning "Index data" "M13" Declaration
        "The number of indices is a multiple of 3.";
    NON_FINITE "MESH-NON-FINITE" Warning "Vertex data, Position" "M14" Declaration
        "Positions are finite.";
    VERTEX_JOINT "MESH-VERTEX-JOINT" Warning "Vertex data, JointN ID" "M9" Declaration
        "A vertex refers to existing joints, or to 255 with weight 0 for none.";
    VERTEX_UNBOUND "MESH-VERTEX-UNBOUND" Error "Vertex data, JointN ID" "M9" Code("pairs joint ids with weights")
        "A weighted vertex has a weight on an existing joint.";
    JOINT_ID "MESH-JOINT-ID" Error "Joint data" "M10" Declaration
        "The joint ids are the numbers from 0 on, each once, in any order.";
    JOINT_ORDER "MESH-JOINT-ORDER" Warning "Joint data" "M10" Declaration
        "The id of a joint is the position of its entry.";
    PARENT "MESH-PARENT" Error "Joint data, Parent ID" "M10" Declaration
        "The parent of a joint is another entry or 255, and the joints form no cycles.";
    POSE_JOINT "MESH-POSE-JOINT" Fatal "Skeleton poses" "M11" Declaration
        "A skeleton pose has one entry for each joint.";
    POSE_TIME "MESH-POSE-TIME" Warning "Skeleton poses" "" Declaration
        "Timestamps are in chronological order.";
    NO_STRINGS "MESH-NO-STRINGS" Fatal "Strings" "" Code("spans animations and strings")
        "A file with named animations has strings.";
    NAME "MESH-NAME" Error "Animation data, Name" "M16" Declaration
        "The name of an animation is one of the strings.";
    STRING_END "MESH-STRING-END" Error "Strings" "M16" Declaration
        "The last string ends with a NUL.";
}
