//! BMD: images of packed meshes with mixed sizes of vertices and faces, quantised skeletons, compacted animations.

mod animation;
mod decode;
mod decode_faces;
mod document;
mod faces;
mod material;
pub mod schema;
mod vertices;

pub use animation::{Animation, Track, TrackKey};
pub use document::{Bone, Document, Mesh, Transform};
pub use decode::VertexColumns;
pub use faces::{Face, Faces, PackedFace};
pub use material::{Surface, flat_color, resource_name, shade_color};
pub use schema::{AnimRate, ControlFlags, F8A, LodDef, Rotation, Triple};
pub use vertices::{PackedVertex, Vertex, Vertices};
