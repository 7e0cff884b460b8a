//! The assembler on blocks: fields of bytes that hold another structure, possibly packed.

use super::assembler::{Assembler, Item, Written};
use super::frame::Frame;
use super::output::Output;
use super::source::{Packed, Source};
use crate::Result;
use crate::layout::{Block, Packing, Value};
use crate::unpack;

impl<S: Source> Assembler<'_, S> {
    /// Writes a field of bytes; the count of what was written is their number.
    pub(super) fn block(
        &mut self,
        out: &mut Output,
        at: u64,
        bytes: &Item,
        block: &'static Block,
        frame: &Frame,
    ) -> Result<Written> {
        let item = Item { ty: &block.content, arguments: block.arguments, ..*bytes };
        if block.packing == Packing::Stored {
            // Positions in the content count for its own trailing bytes only.
            let reached = std::mem::take(&mut out.reached);
            let name = if block.inline { self.path.pop() } else { None };
            let end = self.value(out, at, &item, frame)?.end;
            let end = self.trailing(out, end)?;
            self.path.extend(name);
            out.reached = reached;
            if let (Some(checksum), Some(bytes)) = (&block.checksum, out.get(at..end)) {
                self.known.require_checksum(checksum, bytes, frame, &self.path);
            }
            return Ok(Written { end, count: end - at, value: None });
        }
        let (packed, value) = match self.source.packed(&self.path) {
            Some(Packed { bytes, is_opaque: true }) => (bytes.to_vec(), None),
            given => {
                let given = given.map(|given| given.bytes.to_vec());
                self.packed(&item, block, frame, given)?
            }
        };
        self.write(out, at, &packed)?;
        if let Some(checksum) = &block.checksum {
            self.known.require_checksum(checksum, &packed, frame, &self.path);
        }
        let size = packed.len() as u64;
        Ok(Written { end: at + size, count: size, value })
    }

    /// The content of a block, packed: as it was, if it unpacks to the content as it is now.
    fn packed(
        &mut self,
        content: &Item,
        block: &'static Block,
        frame: &Frame,
        was: Option<Vec<u8>>,
    ) -> Result<(Vec<u8>, Option<Value>)> {
        let size = block.size.and_then(|size| u64::try_from(frame.int(&size)?).ok());
        let encoding = block.encoding.and_then(|encoding| encoding.eval(&frame.scope).ok());
        let unpacked = was
            .as_deref()
            .and_then(|was| unpack::unpack((block.packing, encoding.clone()), was, size, self.limits).ok());
        let mut out = self.output();
        let name = if block.inline { self.path.pop() } else { None };
        let written = self.value(&mut out, 0, content, frame)?;
        self.trailing(&mut out, written.end)?;
        self.path.extend(name);
        self.known.place(&out);
        if let Some(unpacked) = unpacked.as_ref().filter(|unpacked| unpacked.len() as u64 == out.len()) {
            let filled = out.fill(0, unpacked);
            self.accept(filled)?;
        }
        let content = out.into_bytes();
        if let Some(size) = &block.size {
            self.known.require(size, content.len() as u64, "unpacked size", frame, &self.path);
        }
        let is_same = unpacked.is_some_and(|unpacked| *unpacked == content);
        let value = written.value.filter(|_| matches!(block.packing, Packing::Coded { .. }));
        match was.filter(|_| is_same) {
            Some(was) => Ok((was, value)),
            None => {
                let packed = unpack::pack((block.packing, encoding), &content)
                    .map_err(|message| self.error(message))?;
                Ok((packed, value))
            }
        }
    }
}
