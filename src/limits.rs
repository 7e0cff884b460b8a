//! What a decoder may allocate.

#[cfg(feature = "scene")]
use crate::{Error, Result};

/// Triangles by default, which take about 4 GiB.
const MAX_TRIANGLES: u64 = 1 << 27;

/// Triangles that take as much memory as the names, lists and tables of a mesh.
#[cfg(feature = "scene")]
const MESH: u64 = 64;

/// Triangles that take as much memory as an instance while it is read.
#[cfg(feature = "gltf")]
const INSTANCE: u64 = 4;

/// Bounds on what reading a file may cost.
///
/// Memory is bounded by the input itself: counts are checked against the bytes that remain before anything is
/// allocated, and packed blocks unpack into buffers that grow only as they fill. These limits bound what a
/// valid but very large file may take.
///
/// ```
/// # #[cfg(feature = "crucible")] {
/// use meshspec::{ErrorKind, Limits, ReadOptions};
///
/// let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(16));
/// let error = meshspec::open_with("samples/crucible/tetrahedra.cmodel", &options).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::LimitExceeded);
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes that the packed data of one file may unpack to, 4 GiB by default.
    pub max_decoded: u64,
    /// Bytes of the material libraries that one OBJ names, 64 MiB by default.
    pub max_libraries: u64,
    /// Findings of one rule that a report keeps, 100 by default. The others are counted.
    pub max_findings_per_rule: usize,
    /// Triangles, and vertices, that the scene of an interchange file may have; 134,217,728 by default, which take about
    /// 4 GiB. A mesh of several nodes counts once, unless it must be copied: for formats without nodes, for instance.
    /// The limits of meshes (one for 64 triangles) and instances (one for 4) follow; raising it raises them.
    pub max_triangles: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_decoded: 4 << 30,
            max_libraries: 64 << 20,
            max_findings_per_rule: 100,
            max_triangles: MAX_TRIANGLES,
        }
    }
}

impl Limits {
    /// These limits with another bound on unpacked bytes.
    pub fn with_max_decoded(mut self, bytes: u64) -> Limits {
        self.max_decoded = bytes;
        self
    }

    /// These limits with another bound on material libraries.
    pub fn with_max_libraries(mut self, bytes: u64) -> Limits {
        self.max_libraries = bytes;
        self
    }

    /// These limits with another bound on the findings of one rule.
    pub fn with_max_findings_per_rule(mut self, findings: usize) -> Limits {
        self.max_findings_per_rule = findings;
        self
    }

    /// These limits with another bound on triangles and vertices.
    pub fn with_max_triangles(mut self, triangles: u64) -> Limits {
        self.max_triangles = triangles;
        self
    }
}

/// # Errors
///
/// If there are more triangles or vertices than the limit.
#[cfg(feature = "scene")]
pub(crate) fn require_triangles(count: u64, max: u64) -> Result<()> {
    if count <= max {
        return Ok(());
    }
    let message = format!("{count} triangles or vertices, but the limit is {max}; --max-triangles raises it");
    Err(Error::limit_exceeded(message))
}

/// # Errors
///
/// If there are more meshes than fit the limit of triangles.
#[cfg(feature = "scene")]
pub(crate) fn require_meshes(count: usize, max_triangles: u64) -> Result<()> {
    let max = max_triangles.max(MAX_TRIANGLES) / MESH;
    if count as u64 <= max {
        return Ok(());
    }
    let message =
        format!("{count} meshes, but the limit is {max}; --max-triangles allows one for {MESH} triangles");
    Err(Error::limit_exceeded(message))
}

/// # Errors
///
/// Returns an error if there are more instances of meshes than fit the limit of triangles.
#[cfg(feature = "gltf")]
pub(crate) fn require_instances(count: u64, max_triangles: u64) -> Result<()> {
    let max = max_triangles.max(MAX_TRIANGLES) / INSTANCE;
    if count <= max {
        return Ok(());
    }
    let message = format!(
        "{count} instances, but the limit is {max}; --max-triangles allows one for {INSTANCE} triangles"
    );
    Err(Error::limit_exceeded(message))
}

/// Returns the message that decoded data has so many bytes beyond [`Limits::max_decoded`].
#[cfg(feature = "gltf")]
pub(crate) fn decoded_exceeded(bytes: u64) -> String {
    format!(
        "{bytes} more bytes than the limit for decoded data allows; --max-triangles allows 32 bytes per triangle"
    )
}

/// # Errors
///
/// If copies of meshes have more bytes of names and extras than fit the limit of triangles.
#[cfg(feature = "scene")]
pub(crate) fn require_words(count: u64, max_triangles: u64) -> Result<()> {
    // A byte of JSON takes up to 16 bytes of memory, a triangle 32.
    let max = max_triangles.max(MAX_TRIANGLES).saturating_mul(2);
    if count <= max {
        return Ok(());
    }
    let message = format!(
        "{count} bytes of names and extras in copies of meshes, but the limit is {max}; --max-triangles raises it, by 2 for 1"
    );
    Err(Error::limit_exceeded(message))
}
