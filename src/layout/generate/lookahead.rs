//! The values that look-aheads read while a file is generated.

use crate::layout::expr::Value;
use crate::layout::program::{Frames, Step};

/// The values read by a look-ahead, by their offset from its start.
#[derive(Default)]
pub(super) struct Lookahead {
    /// The offset of the next field; `None` if unknown.
    pub offset: Option<u64>,
    pub seen: Vec<(u64, Value)>,
}

impl Lookahead {
    /// Returns the bits of a field that the look-ahead read, and their mask. Advances to the next field. Fields with
    /// explicit offsets are skipped, since they are stored elsewhere.
    pub fn next_bits(&mut self, step: &'static Step, frames: &mut Frames) -> Option<(u128, u128)> {
        if step.position.is_some() {
            return None;
        }
        let (at, size) = (self.offset?, frames.step_size(step));
        self.offset = size.map(|size| at + size);
        if size == Some(0) {
            return None;
        }
        match &self.seen.iter().find(|(offset, _)| *offset == at)?.1 {
            Value::Bits(word, declaration) => {
                let known = declaration
                    .bit_fields()
                    .iter()
                    .filter(|field| !field.reserved);
                Some((*word, known.fold(0, |mask, field| mask | field.bits.mask())))
            }
            Value::Int(number) => Some((*number as u128, u128::MAX)),
            Value::Wide(number) => Some((*number, u128::MAX)),
            _ => None,
        }
    }
}

/// Replaces the masked bits of a number or packed word.
pub(super) fn with_bits(value: &Value, (bits, mask): (u128, u128)) -> Value {
    match value {
        Value::Bits(word, declaration) => Value::Bits(word & !mask | bits & mask, declaration),
        Value::Int(number) => Value::Int((*number as u128 & !mask | bits & mask) as i128),
        other => other.clone(),
    }
}
