//! Limits on the number of meshes in a file.

use crate::scene::Mesh;
use crate::scene::limits::check_mesh_limit;
use crate::{Error, Limit, Limits, Result};

/// Returns an error if `count` meshes exceed the limits. `size` is the number of bytes that a reader needs for a mesh,
/// in addition to [`Mesh`]. A mesh takes hundreds of bytes in memory, but only a few in the file.
pub(in crate::interop) fn check_mesh_count(
    count: usize,
    size: usize,
    limits: &Limits,
) -> Result<()> {
    let limit = limits.max_decoded;
    let needed = (count as u64).saturating_mul((size + size_of::<Mesh>()) as u64);
    if needed > limit {
        let message = format!("{count} meshes take more than the limit of {limit} bytes");
        return Err(Error::limit_exceeded(Limit::Decoded, message));
    }
    check_mesh_limit(count, limits.max_triangles)
}
