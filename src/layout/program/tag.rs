//! Tags: the bits of a look-ahead that determine which fields an item has.

use super::code::Code;
use super::model::{FormId, FormKind, FormSize, Program, Step, Unit};
use crate::layout::declaration::{BitRange, Type};

/// The largest number of bits in a tag: tables have an entry for each value.
const MAX_WIDTH: u32 = 8;

/// The bits at the start of an item that determine, together with its arguments, which fields it has. All its fields are
/// numbers or packed words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tag {
    /// The bits, counted from the start of the item in little-endian byte order.
    pub bits: BitRange,
    /// The size of the look-ahead in bytes.
    pub lookahead: u64,
}

impl Tag {
    /// Returns the tag of an item whose first bytes are this number.
    #[inline(always)]
    pub fn of(self, start: u64) -> usize {
        self.bits.extract_u64(start) as u8 as usize
    }

    /// Returns the tag of the item at the start of `bytes`; `None` if `bytes` ends before the tag does.
    pub fn read(self, bytes: &[u8]) -> Option<usize> {
        let mut start = [0; 8];
        start
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        let fits = (self.bits.offset + self.bits.width) as usize <= 8 * bytes.len();
        fits.then(|| self.of(u64::from_le_bytes(start)))
    }
}

impl Program {
    /// Returns the tag of values of a form; `None` if other bits determine the fields, too, if a field is not a number,
    /// or if a value can be invalid although all of its bytes are present.
    pub fn tag_of(&self, form: FormId) -> Option<Tag> {
        let form = &self.forms[form];
        let (FormKind::Struct(unit), FormSize::FromContent, false) =
            (form.kind, form.size, form.may_fault)
        else {
            return None;
        };
        let unit = &self.units[unit];
        let (first, others) = unit.steps.split_first()?;
        let lookahead = self.tag_word_size(first)?;
        let is_simple = unit.computed.is_empty()
            && !unit.has_checksums
            && others.iter().all(|step| self.is_plain_number(step));
        let bits = unit.tag_bits(first, 8 * lookahead as u32)?;
        (is_simple && bits.width <= MAX_WIDTH).then_some(Tag { bits, lookahead })
    }

    /// Returns the size of a field that is a look-ahead of a number of up to 8 bytes in little-endian byte order.
    fn tag_word_size(&self, step: &Step) -> Option<u64> {
        let form = &self.forms[step.form];
        let FormKind::Number(size @ 1..=8) = form.kind else {
            return None;
        };
        let is_little = size == 1 || !matches!(form.ty, Type::BigEndian(_));
        let is_lookahead = step.field.lookahead && step.condition.is_none() && step.is_next();
        (is_lookahead && is_little).then_some(size)
    }

    /// Returns `true` for a number that follows the field before it, and to which no expression of its unit refers.
    fn is_plain_number(&self, step: &Step) -> bool {
        let is_number = matches!(self.forms[step.form].kind, FormKind::Number(_));
        let is_named = step.value.is_some() || !step.exports.is_empty() || step.is_related();
        is_number && !is_named && !step.field.lookahead && step.is_next()
    }
}

impl Step {
    /// Returns `true` for a field right after the one before it, whose number of items is not computed.
    fn is_next(&self) -> bool {
        self.position.is_none() && self.count.is_none()
    }
}

impl Unit {
    /// Returns the range of bits of the field `word` that conditions refer to; `None` if they refer to none. `size` is
    /// the size of the word in bits.
    fn tag_bits(&self, word: &Step, size: u32) -> Option<BitRange> {
        let slot = word.value?;
        let (mut start, mut end) = (u32::MAX, 0);
        for condition in self.steps.iter().filter_map(|step| step.condition.as_ref()) {
            condition.visit(&mut |part| {
                let bits = match part {
                    Code::Bits(own, bits, _) if *own == slot => *bits,
                    Code::Slot(own, _) if *own == slot => BitRange {
                        offset: 0,
                        width: size,
                    },
                    _ => return,
                };
                start = start.min(bits.offset);
                end = end.max(bits.offset + bits.width);
            });
        }
        (start < end).then(|| BitRange {
            offset: start,
            width: end - start,
        })
    }
}
