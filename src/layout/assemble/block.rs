//! Assembles blocks: byte fields that contain a nested structure, possibly packed.

use super::assembler::{Assembler, WriteTarget, Written};
use super::region::RegionState;
use super::sparse_buffer::SparseBuffer;
use crate::layout::declaration::Packing;
use crate::layout::program::{BlockStep, FormId, FormKind, Item};
use crate::layout::tree::TreeNode;
use crate::{Result, unpack};

impl Assembler<'_> {
    /// Writes a block. The `count` of the result is the size of the block in bytes.
    pub fn write_block(
        &mut self,
        target: WriteTarget,
        bytes: &Item,
        block: &'static BlockStep,
    ) -> Result<Written> {
        let WriteTarget {
            region,
            at,
            given: own,
            outer,
            ..
        } = target;
        let is_inline = block.block.inline;
        let content = bytes.block_content(block);
        // The paths of inline content omit the name of the block.
        let name = if is_inline { self.path.pop() } else { None };
        let given = if is_inline { outer } else { own };
        let end = if block.block.packing == Packing::Stored {
            let base = self.regions[region].base;
            let placed_end = std::mem::take(&mut self.regions[base].placed_end);
            let end = self
                .write_value(
                    WriteTarget {
                        given,
                        is_inline,
                        ..target
                    },
                    &content,
                )?
                .end;
            let end = self.write_trailing(region, end, own)?;
            self.regions[base].placed_end = placed_end;
            self.path.extend(name);
            end
        } else {
            let original = self.given_packed_block(own);
            let packed = match original {
                Some(packed) if self.is_content_omitted(block, own, given) => packed.to_vec(),
                original => self.pack_block(&content, block, given, original)?,
            };
            self.path.extend(name);
            self.write(region, at, &packed)?;
            at + packed.len() as u64
        };
        Ok(Written {
            end,
            count: end - at,
        })
    }

    /// Returns `true` if the content of a block was neither read nor given. `own` is the value of the block, and `given`
    /// that of its content: for inline content, the enclosing struct.
    fn is_content_omitted(
        &self,
        block: &BlockStep,
        own: Option<&TreeNode>,
        given: Option<&TreeNode>,
    ) -> bool {
        let is_open = own
            .and_then(TreeNode::packed)
            .is_some_and(|packed| packed.is_open);
        let Some(content) = given.filter(|_| !is_open) else {
            return !is_open;
        };
        if block.block.inline {
            !self.is_inline_content_given(block.form, content)
        } else {
            content.leaf.is_none() && !content.has_parts()
        }
    }

    /// Returns `true` if a value contains a part of inline content.
    fn is_inline_content_given(&self, form: FormId, value: &TreeNode) -> bool {
        match self.program.forms[form].kind {
            FormKind::Struct(unit) | FormKind::Choice(unit) => {
                self.program.units[unit].steps.iter().any(|step| {
                    let is_named = step.variant.is_none();
                    let inlined = step.inlined_form();
                    (is_named && value.field(step.field.name).is_some())
                        || inlined.is_some_and(|form| self.is_inline_content_given(form, value))
                })
            }
            FormKind::Items(..) => value
                .parts
                .as_ref()
                .is_some_and(|parts| !parts.items.is_empty()),
            FormKind::Number(_) | FormKind::Text => false,
        }
    }

    /// Returns the original packed bytes of a block; `None` if it is new.
    fn given_packed_block<'p>(&mut self, given: Option<&'p TreeNode<'p>>) -> Option<&'p [u8]> {
        let packed = given?.packed()?;
        self.used.add(packed);
        Some(&packed.bytes)
    }

    /// Packs the content of a block. Returns the `original` packed bytes if they unpack to the same content.
    fn pack_block(
        &mut self,
        content: &Item,
        block: &'static BlockStep,
        given: Option<&TreeNode>,
        original: Option<&[u8]>,
    ) -> Result<Vec<u8>> {
        let (first_variable, region) = (self.variables.len(), self.add_region(None));
        let end = self
            .write_value(
                WriteTarget {
                    region,
                    at: 0,
                    given,
                    outer: given,
                    is_inline: block.block.inline,
                },
                content,
            )?
            .end;
        self.complete_region(region, end, given, None)?;
        block
            .encoding
            .iter()
            .for_each(|encoding| self.record_dependency(encoding));
        for variable in first_variable..self.variables.len() {
            self.variables.record_dependency(variable);
        }
        let encoding = block
            .encoding
            .as_ref()
            .and_then(|encoding| self.frames.eval_value(encoding).ok());
        let packing = (block.block.packing, encoding);
        let buffer = &mut self.regions[region].buffer;
        let size = block.size.is_some().then(|| buffer.len());
        let unpack = |packed| unpack::unpack(packing.clone(), packed, size, self.limits).ok();
        let unpacked = original.and_then(unpack);
        if let Some(unpacked) = unpacked
            .as_ref()
            .filter(|unpacked| unpacked.len() as u64 == buffer.len())
        {
            let filled = buffer.fill_unwritten(0, unpacked);
            self.defer_clash(filled)?;
        }
        let buffer = std::mem::replace(&mut self.regions[region].buffer, SparseBuffer::new(0));
        self.regions[region].state = RegionState::Packed;
        let content = buffer.into_bytes();
        if let Some(size) = &block.size {
            self.require_number(size, content.len() as u64, "unpacked size")?;
        }
        match original.filter(|_| unpacked.is_some_and(|unpacked| *unpacked == content)) {
            Some(original) => Ok(original.to_vec()),
            None => Ok(
                unpack::pack(packing, &content, original).unwrap_or_else(|message| {
                    self.defer_error(message);
                    original.unwrap_or_default().to_vec()
                }),
            ),
        }
    }
}
