//! Limits on memory and findings.

/// Default limit of triangles, about 4 GiB.
pub(crate) const MAX_TRIANGLES: u64 = 1 << 27;

/// Limits on the cost of reading a file.
///
/// The input size bounds memory: counts are checked against the remaining bytes before allocation, and unpacked
/// buffers grow only as they fill. These limits bound the memory of valid but very large files.
///
/// ```
/// # #[cfg(feature = "crucible")] {
/// use meshspec::{ErrorKind, Limit, Limits, ReadOptions};
///
/// let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(16));
/// let error = meshspec::open_with("samples/crucible/tetrahedra.cmodel", &options).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::Decoded));
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum unpacked size of the packed data of one file, in bytes; 4 GiB by default.
    pub max_decoded: u64,
    /// Maximum total size of the material libraries that one OBJ names, in bytes; 64 MiB by default.
    pub max_libraries: u64,
    /// Maximum findings per rule that a report keeps, 100 by default. The rest are counted.
    pub max_findings_per_rule: usize,
    /// Maximum triangles, and vertices, of a scene in an interchange file; 134,217,728 by default, about 4 GiB. A
    /// mesh shared by several nodes counts once unless it must be copied, as for formats without nodes. The limits of
    /// meshes (one per 64 triangles) and instances (one per 4) scale with it.
    pub max_triangles: u64,
}

/// The limit that an input exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_decoded`].
    Decoded,
    /// [`Limits::max_triangles`].
    Triangles,
    /// A limit of the library that no option raises, such as on the size of lists that share bytes of a file.
    Fixed,
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
    /// Sets the limit of unpacked bytes.
    pub fn with_max_decoded(mut self, bytes: u64) -> Limits {
        self.max_decoded = bytes;
        self
    }

    /// Sets the limit of material library bytes.
    pub fn with_max_libraries(mut self, bytes: u64) -> Limits {
        self.max_libraries = bytes;
        self
    }

    /// Sets the limit of findings per rule.
    pub fn with_max_findings_per_rule(mut self, findings: usize) -> Limits {
        self.max_findings_per_rule = findings;
        self
    }

    /// Sets the limit of triangles and vertices.
    pub fn with_max_triangles(mut self, triangles: u64) -> Limits {
        self.max_triangles = triangles;
        self
    }
}
