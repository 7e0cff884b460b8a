//! Assembles files from values, according to a declaration.
//!
//! The assembler runs the program of a declaration over a tree of given values. A given value is written unchanged,
//! even a wrong count, so that a file can break a single rule. Edits can recompute given values. An omitted value is
//! computed if the declaration determines it: counts, sizes, offsets, magic bytes, checksums, and values that a check
//! requires.
//!
//! A value that is omitted or may be recomputed is a variable (`variable.rs`). Written lists, blocks and offsets yield
//! equations (`equation.rs`). Once an equation has a single undetermined variable, it is solved, and the bytes of the
//! variable are written (`determine.rs`). A field whose offset is not final is written to a separate region
//! (`region.rs`), and copied when the file or block is complete (`complete.rs`). If written bytes depend on a value
//! determined later, the assembler runs again.
//!
//! A [`Tree`] has the values of a file, read from its bytes or set individually.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::layout::{Layout, tree::Tree};
//!
//! /// A list of heights.
//! #[derive(Layout)]
//! #[binrw]
//! #[brw(little)]
//! struct Heights {
//!     /// Number of samples.
//!     count: u16,
//!     #[br(count = count)]
//!     samples: Vec<f32>,
//! }
//!
//! let mut heights = Tree::new(&Heights::TYPE);
//! heights.set("samples[0]", "1")?;
//! heights.set("samples[1]", "-0.5")?;
//! assert_eq!(heights.assemble(&Default::default())?, [2, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf]);
//! // Given values are written unchanged.
//! heights.set("count", "7")?;
//! assert_eq!(heights.assemble(&Default::default())?[..2], [7, 0]);
//! # Ok::<(), meshspec::Error>(())
//! ```

mod assembler;
mod block;
mod complete;
mod determine;
mod edit;
mod equation;
mod fields;
mod lookahead;
mod region;
mod scalar;
mod sparse_buffer;
mod used;
mod variable;

pub use edit::{Change, Edit, edit};

use super::tree::Tree;
use crate::{Error, Limits, Result};

impl Tree<'_> {
    /// Assembles the bytes of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if:
    ///
    /// - an omitted value cannot be determined;
    /// - a given value does not fit its field, or the file has no field for it;
    /// - values overlap or conflict, or a block cannot be packed;
    /// - the declaration is [defective](crate::layout::program::Problem);
    /// - the file, or the content of a block, would exceed [`Limits::max_decoded`], or 16 MiB plus twice the maximum
    ///   size of the given values.
    pub fn assemble(&self, limits: &Limits) -> Result<Vec<u8>> {
        assembler::assemble(self, false, limits)
    }

    /// Assembles the file like [`assemble`](Tree::assemble), but returns an error if the file lacks a given value, or bytes
    /// between values: if given values contradict each other, such as a field and the flag that excludes it.
    ///
    /// ```
    /// use meshspec::layout::{Layout, tree::Tree};
    ///
    /// #[derive(Layout)]
    /// #[br(little)]
    /// struct Sample {
    ///     has_time: u8,
    ///     #[br(if(has_time == 1))]
    ///     time: Option<u16>,
    /// }
    ///
    /// let mut values = Tree::new(&<Sample as Layout>::TYPE);
    /// values.set("has_time", "0")?;
    /// values.set("time", "7")?;
    /// assert_eq!(values.assemble(&Default::default())?, [0, 7, 0]);
    /// let error = values.assemble_consistent(&Default::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "time: is given, but other values exclude it");
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`assemble`](Tree::assemble). A file with a structural fault is no error.
    pub fn assemble_consistent(&self, limits: &Limits) -> Result<Vec<u8>> {
        let bytes = self.assemble(limits)?;
        if let Ok(written) = Tree::read(self.ty, &bytes, limits) {
            let mut path = Vec::new();
            if self.root.has_more_than(&written.root, &mut path) {
                let error = Error::inexpressible("is given, but other values exclude it");
                return Err(error.at(&path[..]));
            }
            // Gaps move with the values before them, so only their bytes are compared.
            if !self.gap_bytes().eq(written.gap_bytes()) {
                let message = "the bytes between values overlap values";
                return Err(Error::inexpressible(message).at("gaps"));
            }
        }
        Ok(bytes)
    }

    /// Returns the bytes between values that are not 0, in the order of the file.
    fn gap_bytes(&self) -> impl Iterator<Item = u8> {
        let mut gaps: Vec<_> = self.gaps.iter().collect();
        gaps.sort_by_key(|(offset, _)| *offset);
        gaps.into_iter()
            .flat_map(|(_, bytes)| bytes.iter().copied())
            .filter(|byte| *byte != 0)
    }

    /// Assembles the file like [`assemble`](Tree::assemble), but recomputes values that conflict with others.
    pub(in crate::layout) fn assemble_recounted(&self, limits: &Limits) -> Result<Vec<u8>> {
        assembler::assemble(self, true, limits)
    }
}
