//! Limits on memory and findings.

/// The default of [`Limits::max_triangles`]. A scene of this size takes about 4 GiB.
pub(crate) const MAX_TRIANGLES: u64 = 1 << 27;

/// Limits on the cost of reading a file.
///
/// Wrong sizes cannot exhaust memory: counts are checked against the remaining bytes before allocation, and buffers of
/// implausible size grow as they fill. These limits bound the memory that valid files take.
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
    /// Maximum total size in bytes of the data decoded from one file, such as unpacked blocks; 4 GiB by default. Also the
    /// maximum total size of its look-aheads and fields at explicit offsets.
    pub max_decoded: u64,
    /// Maximum number of list items without bytes in one file; 1,048,576 by default. The size of the file does not
    /// bound their number.
    pub max_empty_items: u64,
    /// Maximum size in bytes of a file that is read whole; 4 GiB by default.
    pub max_file_size: u64,
    /// Maximum total size in bytes of the material libraries that one OBJ file references; 64 MiB by default.
    pub max_libraries: u64,
    /// Maximum number of findings per rule that a report keeps; 100 by default. Further findings are only counted.
    pub max_findings_per_rule: usize,
    /// Maximum number of triangles, and of vertices, in an interchange file; 134,217,728 by default, which takes about
    /// 4 GiB. A mesh that several nodes reference counts once, unless it is copied for each node, as for a target
    /// format without nodes. Values above the default also raise three derived limits. These allow one mesh per 64
    /// triangles, one instance per 4 triangles, and 2 bytes of names and extras in copies per triangle.
    pub max_triangles: u64,
}

/// The limit that an input exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_decoded`].
    Decoded,
    /// [`Limits::max_empty_items`].
    EmptyItems,
    /// [`Limits::max_triangles`], or a limit derived from it.
    Triangles,
    /// [`Limits::max_file_size`].
    FileSize,
    /// A limit that no option changes, such as the maximum total size of overlapping lists in a file.
    Fixed,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_decoded: 4 << 30,
            max_empty_items: 1 << 20,
            max_file_size: 4 << 30,
            max_libraries: 64 << 20,
            max_findings_per_rule: 100,
            max_triangles: MAX_TRIANGLES,
        }
    }
}

impl Limits {
    /// Returns an error message if `size` bytes exceed [`max_decoded`](Limits::max_decoded).
    #[allow(dead_code, reason = "unused without the packings that need it")]
    pub(crate) fn check_decoded(&self, size: u64) -> Result<(), String> {
        let max = self.max_decoded;
        if size > max {
            Err(format!("unpacks to {size} bytes, over the limit of {max}"))
        } else {
            Ok(())
        }
    }

    /// Sets the maximum total size of decoded data in bytes.
    pub fn with_max_decoded(self, bytes: u64) -> Limits {
        Limits {
            max_decoded: bytes,
            ..self
        }
    }

    /// Sets the maximum number of list items without bytes.
    pub fn with_max_empty_items(self, items: u64) -> Limits {
        Limits {
            max_empty_items: items,
            ..self
        }
    }

    /// Sets the maximum size in bytes of a file that is read whole.
    pub fn with_max_file_size(self, bytes: u64) -> Limits {
        Limits {
            max_file_size: bytes,
            ..self
        }
    }

    /// Sets the maximum total size of material libraries in bytes.
    pub fn with_max_libraries(self, bytes: u64) -> Limits {
        Limits {
            max_libraries: bytes,
            ..self
        }
    }

    /// Sets the maximum number of findings per rule.
    pub fn with_max_findings_per_rule(self, findings: usize) -> Limits {
        Limits {
            max_findings_per_rule: findings,
            ..self
        }
    }

    /// Sets the maximum number of triangles, and of vertices.
    pub fn with_max_triangles(self, triangles: u64) -> Limits {
        Limits {
            max_triangles: triangles,
            ..self
        }
    }
}
