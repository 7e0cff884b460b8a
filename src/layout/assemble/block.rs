//! Assembles blocks: bytes that hold another structure, possibly packed.

use super::assembler::{Assembler, Place, Written};
use super::input::Input;
use super::region::State;
use super::space::Space;
use crate::layout::declaration::Packing;
use crate::layout::program::{BlockStep, Item};
use crate::{Result, unpack};

impl Assembler<'_> {
    /// Writes a block; the count of the result is its size in bytes.
    pub(super) fn block(&mut self, place: Place, bytes: &Item, block: &'static BlockStep) -> Result<Written> {
        let Place { region, at, input: own, outer } = place;
        let content = bytes.content(block);
        // The fields of inline content have the paths of fields of the enclosing struct.
        let name = if block.block.inline { self.path.pop() } else { None };
        let input = if block.block.inline { outer } else { own };
        let end = if block.block.packing == Packing::Stored {
            let base = self.regions[region].base;
            let reached = std::mem::take(&mut self.regions[base].reached);
            let end = self.value(Place { input, ..place }, &content)?.end;
            let end = self.trailing(region, end, input)?;
            self.regions[base].reached = reached;
            self.path.extend(name);
            end
        } else {
            let packed = match own.packed() {
                Some((packed, true)) => packed.to_vec(),
                was => self.packed(&content, block, input, was.map(|(bytes, _)| bytes))?,
            };
            self.path.extend(name);
            self.write(region, at, &packed)?;
            at + packed.len() as u64
        };
        Ok(Written { end, count: end - at })
    }

    /// Returns the packed content of a block, or its original bytes if they unpack to the content.
    fn packed(
        &mut self,
        content: &Item,
        block: &'static BlockStep,
        input: Input,
        was: Option<&[u8]>,
    ) -> Result<Vec<u8>> {
        let (first_leaf, region) = (self.leaves.len(), self.add_region(None));
        let end = self.value(Place { region, at: 0, input, outer: input }, content)?.end;
        self.complete(region, end, input, None)?;
        if let Some(encoding) = &block.encoding {
            self.rely_on(encoding);
        }
        (first_leaf..self.leaves.len()).for_each(|leaf| self.leaves.rely_on(leaf));
        let encoding = block.encoding.as_ref().and_then(|encoding| self.frames.value(encoding).ok());
        let packing = (block.block.packing, encoding);
        let space = &mut self.regions[region].space;
        let size = block.size.is_some().then(|| space.len());
        let unpacked = was.and_then(|was| unpack::unpack(packing.clone(), was, size, self.limits).ok());
        if let Some(unpacked) = unpacked.as_ref().filter(|unpacked| unpacked.len() as u64 == space.len()) {
            let filled = space.fill(0, unpacked);
            self.accept(filled)?;
        }
        let space = std::mem::replace(&mut self.regions[region].space, Space::new(0));
        self.regions[region].state = State::Packed;
        let content = space.into_bytes();
        if let Some(size) = &block.size {
            self.require(size, content.len() as u64, "unpacked size")?;
        }
        match was.filter(|_| unpacked.is_some_and(|unpacked| *unpacked == content)) {
            Some(was) => Ok(was.to_vec()),
            None => Ok(unpack::pack(packing, &content).unwrap_or_else(|message| {
                self.doubt(message);
                was.unwrap_or_default().to_vec()
            })),
        }
    }
}
