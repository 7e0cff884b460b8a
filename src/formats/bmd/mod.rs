//! BMD: images of packed meshes with mixed sizes of vertices and faces, quantised skeletons, compacted animations.

mod animation;
mod channels;
mod decode;
mod decode_faces;
mod document;
mod encode;
mod faces;
mod material;
mod nearest;
mod pose;
pub mod schema;
mod vertices;

pub use animation::{Animation, Track, TrackKey};
pub use document::{Bone, Document, Mesh, Transform};
pub use channels::{ChannelErrors, Channels, FloatChannels};
pub use decode::VertexColumns;
pub use encode::{Attributes, Tolerance, VertexErrors, VertexSize, VertexSizes};
pub use faces::{Face, Faces, PackedFace};
pub use material::{Surface, flat_color, resource_name, shade_color};
pub use nearest::nearest_shade;
pub use pose::{Matrix, Motion, Pose};
pub use schema::{AnimRate, ControlFlags, F8A, LodDef, Rotation, Triple};
pub use vertices::{PackedVertex, Vertex, Vertices};
