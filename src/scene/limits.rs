//! Limits on the cost of scenes.

use crate::limits::MAX_TRIANGLES;
use crate::{Error, Limit, Result};

/// The number of triangles that take as much memory as the names, lists and tables of a mesh.
const TRIANGLES_PER_MESH: u64 = 64;

/// The number of triangles that take as much memory as an instance during reading.
#[cfg(feature = "gltf")]
const TRIANGLES_PER_INSTANCE: u64 = 4;

/// Returns an error if `count`, the number of triangles or vertices, exceeds `max`.
pub(crate) fn check_triangle_limit(count: u64, max: u64) -> Result<()> {
    require_at_most(count, max, || {
        format!("{count} triangles or vertices, but the limit is {max}")
    })
}

/// Returns an error if `count` exceeds the number of meshes that `max_triangles` allows.
pub(crate) fn check_mesh_limit(count: usize, max_triangles: u64) -> Result<()> {
    require_one_per(TRIANGLES_PER_MESH, count as u64, "meshes", max_triangles)
}

/// Returns an error if `count` exceeds the number of mesh instances that `max_triangles` allows.
#[cfg(feature = "gltf")]
pub(crate) fn check_instance_limit(count: u64, max_triangles: u64) -> Result<()> {
    require_one_per(TRIANGLES_PER_INSTANCE, count, "instances", max_triangles)
}

/// Returns an error if `count` bytes of names and extras in copies of meshes exceed the maximum for `max_triangles`.
pub(crate) fn check_text_limit(count: u64, max_triangles: u64) -> Result<()> {
    // A byte of JSON takes up to 16 bytes of memory, a triangle 32.
    let max = max_triangles.max(MAX_TRIANGLES).saturating_mul(2);
    let what = "bytes of names and extras in copies of meshes";
    require_at_most(count, max, || {
        format!("{count} {what}, but the limit is {max}, 2 per triangle")
    })
}

fn require_one_per(triangles: u64, count: u64, items: &str, max_triangles: u64) -> Result<()> {
    let max = max_triangles.max(MAX_TRIANGLES) / triangles;
    require_at_most(count, max, || {
        format!("{count} {items}, but the limit is {max}, one per {triangles} triangles")
    })
}

fn require_at_most(count: u64, max: u64, message: impl FnOnce() -> String) -> Result<()> {
    if count <= max {
        Ok(())
    } else {
        Err(Error::limit_exceeded(Limit::Triangles, message()))
    }
}
