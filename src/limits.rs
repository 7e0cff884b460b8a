//! What a decoder may allocate.

/// Bounds on what reading a file may cost.
///
/// Memory is bounded by the input itself: counts are checked against the bytes that remain before anything is
/// allocated, and packed blocks unpack into buffers that grow only as they fill. These limits bound what a
/// valid but very large file may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes that the packed data of one file may unpack to, 4 GiB by default.
    pub max_decoded: u64,
    /// Findings of one rule that a report keeps, 100 by default. The others are counted.
    pub max_findings_per_rule: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_decoded: 4 << 30, max_findings_per_rule: 100 }
    }
}

impl Limits {
    /// These limits with another bound on unpacked bytes.
    pub fn with_max_decoded(mut self, bytes: u64) -> Limits {
        self.max_decoded = bytes;
        self
    }

    /// These limits with another bound on the findings of one rule.
    pub fn with_max_findings_per_rule(mut self, findings: usize) -> Limits {
        self.max_findings_per_rule = findings;
        self
    }
}
