//! Limits on the cost of scenes.

use crate::limits::MAX_TRIANGLES;
use crate::{Error, Limit, Result};

/// The memory of a mesh's names, lists and tables, in triangles.
const MESH: u64 = 64;

/// # Errors
///
/// If the number of triangles or vertices exceeds the limit.
pub(crate) fn require_triangles(count: u64, max: u64) -> Result<()> {
    if count <= max {
        return Ok(());
    }
    let message = format!("{count} triangles or vertices, but the limit is {max}");
    Err(Error::limit_exceeded(Limit::Triangles, message))
}

/// # Errors
///
/// If there are more meshes than the triangle limit allows.
pub(crate) fn require_meshes(count: usize, max_triangles: u64) -> Result<()> {
    let max = max_triangles.max(MAX_TRIANGLES) / MESH;
    if count as u64 <= max {
        return Ok(());
    }
    let message = format!("{count} meshes, but the limit is {max}, one for {MESH} triangles");
    Err(Error::limit_exceeded(Limit::Triangles, message))
}

/// # Errors
///
/// If the names and extras of mesh copies take more bytes than the triangle limit allows.
pub(crate) fn require_words(count: u64, max_triangles: u64) -> Result<()> {
    // A byte of JSON takes up to 16 bytes of memory, a triangle 32.
    let max = max_triangles.max(MAX_TRIANGLES).saturating_mul(2);
    if count <= max {
        return Ok(());
    }
    let message = format!(
        "{count} bytes of names and extras in copies of meshes, but the limit is {max}, 2 for each triangle"
    );
    Err(Error::limit_exceeded(Limit::Triangles, message))
}
