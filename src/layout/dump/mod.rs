//! Shows bytes field by field: as an annotated hex dump, or as JSON or an outline for other programs.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::layout::{Layout, dump::Dump};
//!
//! /// A list of heights.
//! #[derive(Layout)]
//! #[binrw]
//! #[brw(little)]
//! struct Heights {
//!     /// Number of samples. At most 100.
//!     count: u16,
//!     #[br(count = count)]
//!     samples: Vec<f32>,
//! }
//!
//! let bytes = [1, 0, 0, 0, 0x80, 0x3f];
//! let mut text = Vec::new();
//! Dump::new(&Heights::TYPE, &bytes).write_text(&mut text, false)?;
//! # let text = String::from_utf8(text).unwrap();
//! # let lines: Vec<_> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
//! # assert_eq!(lines.join("\n"), "\
//! # Heights at 0x0 — A list of heights.
//! # 00000000 01 00 u16 count 1 (0x0001) Number of samples.
//! # 00000002 00 00 80 3f f32[1] samples [1.0]");
//! // Heights at 0x0 — A list of heights.
//! //   00000000  01 00         u16       count     1 (0x0001)  Number of samples.
//! //   00000002  00 00 80 3f   f32[1]    samples   [1.0]
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "serde")]
mod json;
mod line;
mod outline;
mod text;
mod wording;

#[cfg(feature = "serde")]
pub use json::JsonHead;
pub use outline::{Branch, Outline, UnpackedBlock};

use std::io;

use super::declaration::Type;
use super::walk::{Fault, Segment, Subtree, Visitor, walk};
use crate::Limits;

/// The version of the JSON of values, which changes when the meaning of a key does.
pub(super) const JSON_VERSION: u32 = 1;

/// A dump of bytes, with its options.
#[derive(Debug, Clone)]
pub struct Dump<'d> {
    ty: &'static Type,
    bytes: &'d [u8],
    limits: Limits,
    path: Option<Vec<Segment>>,
    shows_all: bool,
}

impl<'d> Dump<'d> {
    /// Creates a dump of bytes as a value of type `ty`.
    pub fn new(ty: &'static Type, bytes: &'d [u8]) -> Dump<'d> {
        Dump {
            ty,
            bytes,
            limits: Limits::default(),
            path: None,
            shows_all: false,
        }
    }

    /// Sets the limits for unpacking.
    pub fn with_limits(mut self, limits: &Limits) -> Dump<'d> {
        self.limits = *limits;
        self
    }

    /// Sets whether the text shows every item of large arrays.
    pub fn with_all(mut self, all: bool) -> Dump<'d> {
        self.shows_all = all;
        self
    }

    /// Restricts the text and entries to the value at this path, as found by [`select`](super::walk::select).
    ///
    /// ```
    /// use meshspec::layout::{Layout, dump::Dump, walk::parse_path};
    ///
    /// let ty = &<[[u8; 2]; 2] as Layout>::TYPE;
    /// let mut text = Vec::new();
    /// let dump = Dump::new(ty, &[1, 2, 3, 4]).with_path(parse_path(ty, "[1]").unwrap()).with_all(true);
    /// dump.write_text(&mut text, false)?;
    /// assert!(String::from_utf8_lossy(&text).contains("03 04"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn with_path(mut self, path: Vec<Segment>) -> Dump<'d> {
        self.path = Some(path);
        self
    }

    /// Writes the annotated hex dump. Each value or short array (up to 4 numbers or 16 bytes) has a line; each struct
    /// or other array has a heading. A line has the offset, bytes, type, name, value and the first sentence of the
    /// documentation. Other arrays of more than 8 items (400 if outermost) are abbreviated unless [all](Dump::with_all)
    /// is set.
    ///
    /// Returns the fault that ended the dump, if any.
    ///
    /// Offsets marked `~` refer to the content of the preceding packed block.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub fn write_text(&self, out: &mut impl io::Write, color: bool) -> io::Result<Option<Fault>> {
        let mut text = text::HexDump::new(out, color, self.shows_all, self.bytes);
        let fault = self.walk(&mut text);
        text.finish(fault.is_none() && self.path.is_none())?;
        Ok(fault)
    }

    /// Returns the outline of the whole file. Lists keep their first 100 items, and the stride or offsets of the
    /// others. Once the outline has `limit` branches, further lists keep only 4 items.
    pub fn outline(&self, limit: usize) -> Outline {
        outline::build(self.ty, self.bytes, &self.limits, limit)
    }

    fn walk(&self, visitor: &mut impl Visitor) -> Option<Fault> {
        match &self.path {
            Some(path) => walk(
                self.ty,
                self.bytes,
                &self.limits,
                &mut Subtree::new(path, visitor),
            ),
            None => walk(self.ty, self.bytes, &self.limits, visitor),
        }
        .err()
    }
}
