//! Look-aheads of the generator.

use crate::layout::expr::Value;
use crate::layout::program::{Frames, Step};

/// Values that a look-ahead saw, by their offsets from where it looked.
#[derive(Default)]
pub(super) struct Ahead {
    /// Where the next field lies; `None` where that is not known.
    pub(super) at: Option<u64>,
    pub(super) seen: Vec<(u64, Value)>,
}

impl Ahead {
    /// The bits that were seen of a field, and which of its bits they are.
    pub(super) fn pass(&mut self, step: &'static Step, frames: &mut Frames) -> Option<(u128, u128)> {
        let (at, size) = (self.at?, frames.size_of_step(step));
        self.at = size.map(|size| at + size);
        if size == Some(0) {
            return None;
        }
        match &self.seen.iter().find(|(place, _)| *place == at)?.1 {
            Value::Bits(word, declaration) => {
                let known = declaration.bit_fields().iter().filter(|field| !field.reserved);
                Some((*word, known.fold(0, |mask, field| mask | field.bits.mask())))
            }
            Value::Int(number) => Some((*number as u128, u128::MAX)),
            _ => None,
        }
    }
}

/// A number or packed word in which some bits are those that were seen.
pub(super) fn with_bits(value: &Value, (bits, mask): (u128, u128)) -> Value {
    match value {
        Value::Bits(word, declaration) => Value::Bits(word & !mask | bits & mask, declaration),
        Value::Int(number) => Value::Int((*number as u128 & !mask | bits & mask) as i128),
        other => other.clone(),
    }
}
