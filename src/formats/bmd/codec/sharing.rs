//! Limits how often lists share bytes.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use super::super::rules;
use super::super::schema::Image;
use crate::layout::Layout;
use crate::layout::expr::Value;
use crate::layout::walk::{self, Node, Visit, Visitor};
use crate::{Error, Limit, Limits, Path};

/// Maximum total size of the parts of an image, as a multiple of the image's size. Lists may share bytes, for example
/// if several meshes draw parts of one vertex list. The limit prevents a small image from becoming a large document.
const MAX_SHARING: u64 = 16;

/// The bytes of an image, readable up to [`MAX_SHARING`] times.
pub struct Input<'b> {
    bytes: Cursor<&'b [u8]>,
    /// The number of bytes that may still be read.
    allowance: u64,
    is_exhausted: bool,
}

impl<'b> Input<'b> {
    pub fn new(bytes: &'b [u8]) -> Input<'b> {
        let allowance = MAX_SHARING.saturating_mul(bytes.len() as u64);
        Input { bytes: Cursor::new(bytes), allowance, is_exhausted: false }
    }

    /// Returns the error if the image was read too often.
    pub fn sharing_error(&self) -> Option<Error> {
        if !self.is_exhausted {
            return None;
        }
        let message = format!(
            "lists and strings that share bytes add up to more than {MAX_SHARING} times the size of the image"
        );
        let error = Error::limit_exceeded(Limit::Fixed, message).with_rule(&rules::SHARING);
        let bytes = self.bytes.get_ref();
        let mut sum = Sum { left: MAX_SHARING.saturating_mul(bytes.len() as u64), list: Path::default() };
        // The excess list comes before any fault, so faults can be ignored.
        let _ = walk::walk(&Image::TYPE, bytes, &Limits::default(), &mut sum);
        Some(error.at(sum.list))
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        match self.allowance.checked_sub(count as u64) {
            Some(rest) => self.allowance = rest,
            None => {
                self.is_exhausted = true;
                return Err(io::Error::other("the bytes have been read too often"));
            }
        }
        Ok(count)
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(position)
    }
}

/// Adds up list sizes until they exceed the limit.
struct Sum {
    left: u64,
    /// The path of the latest list.
    list: Path,
}

impl Sum {
    fn subtract(&mut self, node: &Node) {
        let span = node.span.range();
        self.left = self.left.saturating_sub(span.end - span.start);
    }
}

impl Visitor for Sum {
    fn enter(&mut self, _: &Node) -> Visit {
        if self.left == 0 { Visit::Stop } else { Visit::All }
    }

    fn leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        if node.bit_field.is_none() {
            self.subtract(node);
        }
        ControlFlow::Continue(())
    }

    fn unpack(&mut self, node: &Node) -> bool {
        if self.left > 0 {
            let field = node.field.map_or("", |field| field.name);
            self.list = Path::from(node.path).field(field);
        }
        self.subtract(node);
        false
    }
}
