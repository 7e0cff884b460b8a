//! Limits the total size of overlapping lists.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use super::super::rules;
use super::super::schema::Image;
use crate::layout::Layout;
use crate::layout::expr::Value;
use crate::layout::walk::{self, Node, Visit, Visitor};
use crate::{Error, Limit, Limits, Path};

/// Maximum total size of the lists and strings in an image, as a multiple of the image size. They may overlap, for
/// example if meshes use the same vertices. The limit prevents a small image from becoming a large document.
const MAX_SHARING_FACTOR: u64 = 16;

/// An image reader that fails once more than [`MAX_SHARING_FACTOR`] times the image size has been read.
pub struct BoundedReader<'b> {
    bytes: Cursor<&'b [u8]>,
    /// The number of bytes that may still be read.
    allowance: u64,
    is_exhausted: bool,
}

impl<'b> BoundedReader<'b> {
    pub fn new(bytes: &'b [u8]) -> BoundedReader<'b> {
        let allowance = MAX_SHARING_FACTOR.saturating_mul(bytes.len() as u64);
        BoundedReader {
            bytes: Cursor::new(bytes),
            allowance,
            is_exhausted: false,
        }
    }

    /// Returns the error if the limit was exceeded; otherwise `None`.
    pub fn sharing_error(&self) -> Option<Error> {
        if !self.is_exhausted {
            return None;
        }
        let message = format!(
            "lists and strings that share bytes add up to more than {MAX_SHARING_FACTOR} times the size of the image"
        );
        let error = Error::limit_exceeded(Limit::Fixed, message).with_rule(&rules::SHARING);
        let bytes = self.bytes.get_ref();
        let remaining = MAX_SHARING_FACTOR.saturating_mul(bytes.len() as u64);
        let mut sizes = ListSizes {
            remaining,
            list: Path::default(),
        };
        // The list that exceeds the limit comes before any fault, so faults can be ignored.
        let _ = walk::walk(&Image::TYPE, bytes, &Limits::default(), &mut sizes);
        Some(error.at(sizes.list))
    }
}

impl Read for BoundedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        let Some(rest) = self.allowance.checked_sub(count as u64) else {
            self.is_exhausted = true;
            return Err(io::Error::other("lists share too many bytes"));
        };
        self.allowance = rest;
        Ok(count)
    }
}

impl Seek for BoundedReader<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(position)
    }
}

/// Subtracts list sizes from the limit until nothing remains.
struct ListSizes {
    /// The limit minus the sizes so far, in bytes.
    remaining: u64,
    /// The path of the list that reaches the limit.
    list: Path,
}

impl ListSizes {
    fn subtract_size(&mut self, node: &Node) {
        let span = node.span.range();
        self.remaining = self.remaining.saturating_sub(span.end - span.start);
    }
}

impl Visitor for ListSizes {
    fn enter(&mut self, _: &Node) -> Visit {
        if self.remaining == 0 {
            Visit::Stop
        } else {
            Visit::All
        }
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        if node.bit_field.is_none() {
            self.subtract_size(node);
        }
        ControlFlow::Continue(())
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        if self.remaining > 0 {
            let field = node.field.map_or("", |field| field.name);
            self.list = Path::from(node.path).field(field);
        }
        self.subtract_size(node);
        false
    }
}
