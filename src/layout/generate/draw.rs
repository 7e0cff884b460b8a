//! Draws values from choices; the choice 0 yields the simplest value.

use super::Config;
use super::choices::{Choice, Choices};
use crate::Severity;
use crate::layout::declaration::{
    BitField, BitRange, Constraint, Declaration, Requirement, Shape, Type,
};
use crate::layout::expr::{IntType, Lookup, Value};
use crate::layout::program::{Step, ValueUse};
use crate::layout::walk::Segment;

/// The number of draws before a forced value replaces rejected ones.
pub(super) const MAX_DRAWS: usize = 8;

pub(super) struct Sampler<'c> {
    pub choices: Choices<'c>,
    /// The path of the current value.
    pub path: Vec<Segment>,
    is_plausible: bool,
    max_items: u64,
    large_items: u64,
    /// The remaining budget of list items.
    items_left: u64,
    /// The replacement for drawn values, after too many of them were rejected.
    pub forced: Option<ForcedValue>,
}

/// Returns the choice that draws an integer; `None` for integers outside 0..8 of types wider than 62 bits.
fn choice_for_integer(integer: i128, ty: IntType) -> Option<u64> {
    match integer {
        0..8 => u64::try_from(4 * integer).ok(),
        _ if ty.bits > 62 => None,
        _ => u64::try_from(4 * (integer - ty.range().0) + 3).ok(),
    }
}

/// Returns the choices that draw a word, field by field.
fn choices_for_word(word: u128, declaration: &Declaration) -> Option<Vec<u64>> {
    let Shape::Bits { fields, .. } = declaration.shape else {
        return None;
    };
    let mut numbers = Vec::new();
    for field in fields.iter().filter(|field| !field.reserved) {
        let bits = field.bits.extract(word);
        match (field.declared, field.value(word)) {
            (Some(inner), _) => numbers.extend(choices_for_word(bits, inner)?),
            (None, _) if field.flag => numbers.push(u64::try_from(bits).ok()?),
            (None, Value::Int(number)) => {
                numbers.push(choice_for_integer(number, field.int_type())?)
            }
            _ => return None,
        }
    }
    Some(numbers)
}

/// Returns the bits of both zeros, 1, the largest finite number, both infinities, a quiet and a signalling NaN, and the
/// smallest subnormal and finite numbers.
const fn float_boundaries(exponent_bits: u32, fraction_bits: u32) -> [u64; 10] {
    let (sign, one) = (
        1 << (exponent_bits + fraction_bits),
        ((1 << (exponent_bits - 1)) - 1) << fraction_bits,
    );
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    let (largest, quiet) = (infinity - 1, infinity + (1 << (fraction_bits - 1)));
    [
        0,
        sign,
        one,
        largest,
        infinity,
        sign + infinity,
        quiet,
        infinity + 1,
        1,
        sign + largest,
    ]
}

/// A value that replaces drawn values.
#[derive(Debug, Clone, Copy)]
pub(super) enum ForcedValue {
    /// This number, in every integer that can store it.
    Number(i128),
    /// A word in which only this bit is set, counted modulo the width of the word.
    Bit(u64),
}

impl<'c> Sampler<'c> {
    pub fn new(choices: Choices<'c>, config: &Config) -> Sampler<'c> {
        let Config {
            plausible,
            max_items,
            large_items,
            ..
        } = *config;
        // Without a limit, each item of a large list could contain another large list.
        let items_left = if large_items > 0 {
            large_items.saturating_mul(2)
        } else {
            u64::MAX
        };
        let (path, is_plausible, forced) = (Vec::new(), plausible, None);
        Sampler {
            choices,
            path,
            is_plausible,
            max_items,
            large_items,
            items_left,
            forced,
        }
    }

    /// Selects the source of the next attempt's values: drawing at first, then `literals`, then words with one bit set.
    pub fn select_forced_value(&mut self, attempt: usize, literals: &[i128]) {
        self.forced = match (attempt.checked_sub(MAX_DRAWS), self.forced) {
            (None, _) => None,
            (Some(index), Some(ForcedValue::Bit(bit))) if index > literals.len() => {
                Some(ForcedValue::Bit(bit.wrapping_add(1)))
            }
            (Some(index), _) => match literals.get(index) {
                Some(number) => Some(ForcedValue::Number(*number)),
                None => Some(ForcedValue::Bit(self.draw_below(128))),
            },
        };
    }

    /// Replaces the choices of all attempts at a value, starting at `start`, with the choices that draw it directly.
    /// The value then stays the same when shrinking removes other values that it had to differ from.
    pub fn record_direct_choices(&mut self, start: usize, value: &Option<Value>, step: &Step) {
        let is_count = matches!(step.usage, Some(ValueUse::Count | ValueUse::UnboundedCount));
        let numbers = match (value, step.field.ty.int_type()) {
            (Some(Value::Int(number)), _) if is_count => {
                u64::try_from(*number).ok().map(|n| vec![n])
            }
            (Some(Value::Int(number)), Some(int)) => {
                choice_for_integer(*number, int).map(|n| vec![n])
            }
            (Some(Value::Bits(word, declaration)), _) => choices_for_word(*word, declaration),
            _ => None,
        };
        let Some(numbers) = numbers else { return };
        let choices = &mut self.choices.trace.choices;
        choices.truncate(start);
        choices.extend(numbers.into_iter().map(|number| Choice {
            path: self.path.clone(),
            number,
        }));
        if is_count {
            self.choices.record_count(&self.path);
        }
    }

    /// Returns `true` if files must satisfy this constraint.
    pub fn must_satisfy(&self, constraint: &Constraint) -> bool {
        self.is_plausible || constraint.rule.severity >= Severity::Error
    }

    /// Adapts a value to a requirement. `before` is the previous value in a list.
    pub fn adapt(
        &mut self,
        value: Value,
        requirement: &Requirement,
        values_seen: &dyn Lookup,
        before: Option<&Value>,
    ) -> Value {
        match (requirement, value) {
            (Requirement::Below(limit), Value::Int(number)) => match limit.eval_int(values_seen) {
                Ok(limit) if limit > 0 => Value::Int(number.rem_euclid(limit)),
                _ => Value::Int(number),
            },
            (Requirement::AtLeast(limit), Value::Int(number)) => match limit.eval(values_seen) {
                Ok(Value::Wide(limit)) => Value::Wide(limit),
                limit => Value::Int(
                    limit
                        .and_then(|limit| limit.to_int())
                        .map_or(number, |limit| number.max(limit)),
                ),
            },
            (Requirement::AtLeast(limit), value) => match (limit.eval_int(values_seen), value) {
                (Ok(limit), Value::F32(number)) => Value::F32(number.abs().max(limit as f32)),
                (Ok(limit), Value::F64(number)) => Value::F64(number.abs().max(limit as f64)),
                (_, value) => value,
            },
            (Requirement::OneOf(values), value) => {
                let drawn = values.get(self.draw_below(values.len() as u64) as usize);
                match drawn.and_then(|drawn| drawn.eval(values_seen).ok()) {
                    Some(wide @ Value::Wide(_)) => wide,
                    drawn => drawn
                        .and_then(|drawn| drawn.to_int().ok())
                        .map_or(value, Value::Int),
                }
            }
            (Requirement::Finite, Value::F32(number)) if !number.is_finite() => Value::F32(0.0),
            (Requirement::Finite, Value::F64(number)) if !number.is_finite() => Value::F64(0.0),
            (Requirement::Ordered, value) => match (before, &value) {
                (Some(Value::F32(before)), Value::F32(number)) if number < before => {
                    Value::F32(*before)
                }
                (Some(Value::F64(before)), Value::F64(number)) if number < before => {
                    Value::F64(*before)
                }
                (Some(Value::Int(before)), Value::Int(number)) if number < before => {
                    Value::Int(*before)
                }
                _ => value,
            },
            (_, value) => value,
        }
    }

    /// Draws a number less than `count`; 0 if `count` is 0.
    pub fn draw_below(&mut self, count: u64) -> u64 {
        self.choices
            .next_choice(&self.path, |number| number % count.max(1))
    }

    /// Draws one of four kinds of numbers with equal probability, and a number below the count of that kind. A kind
    /// with count 0 is replaced by the last kind.
    fn draw_kind(&mut self, counts: [u64; 4]) -> (u64, u64) {
        let number = self.choices.next_choice(&self.path, |number| {
            let kind = if counts[(number % 4) as usize] == 0 {
                3
            } else {
                number % 4
            };
            number / 4 % counts[kind as usize].max(1) * 4 + kind
        });
        (number % 4, number / 4)
    }

    /// Draws an item count of at most `max`. With large lists enabled, about one count in four is large, and a quarter
    /// of these are close to the maximum.
    pub fn draw_count(&mut self, max: u64) -> u64 {
        let max = max.min(self.items_left);
        let (max_items, large) = (self.max_items.min(max), self.large_items.min(max));
        if let Some(ForcedValue::Number(number)) = self.forced {
            return u64::try_from(number).unwrap_or_default().min(max_items);
        }
        let count =
            self.choices
                .next_count(&self.path, |number| match (number % 4, number / 4 % 4) {
                    _ if number <= large => number,
                    (3, 0) if large > max_items => large - number / 16 % (max_items + 1),
                    (3, _) if large > max_items => number / 16 % (large + 1),
                    _ => number % max_items.saturating_add(1),
                });
        self.items_left -= count;
        count
    }

    /// Draws a number, enum, string, or packed word whose reserved bits are 0. `literals` and `patterns` are those that
    /// expressions compare values with.
    pub fn draw_leaf(&mut self, ty: &Type, literals: &[i128], patterns: &[&str]) -> Value {
        if let Some(int) = ty.int_type() {
            return Value::Int(self.draw_integer(int, literals));
        }
        match ty.without_byte_order() {
            Type::Float(4) => Value::F32(self.draw_f32()),
            Type::Float(_) => Value::F64(self.draw_f64()),
            Type::Declared(declaration) => match declaration.shape {
                Shape::Enum { values, .. } => {
                    let index = self.draw_below(values.len() as u64) as usize;
                    Value::Int(values.get(index).map_or(0, |value| value.value))
                }
                _ => Value::Bits(self.draw_word(declaration, literals), declaration),
            },
            _ => Value::Text(self.draw_text(patterns)),
        }
    }

    fn draw_integer(&mut self, ty: IntType, literals: &[i128]) -> i128 {
        let (bits, (min, max)) = (ty.bits, ty.range());
        let sign = 1i128 << (bits.min(127) - 1);
        if let Some(ForcedValue::Number(number)) = self.forced
            && (min..=max).contains(&number)
        {
            return number;
        }
        let boundaries = [0, 1, max, sign - 1, sign.min(max), min, max - 1, -1];
        let in_range = |number: &&i128| (min..=max).contains(*number);
        let (boundaries, literals) = (
            boundaries.iter().filter(in_range),
            literals.iter().filter(in_range),
        );
        let all = if bits > 62 {
            u64::MAX
        } else {
            (max - min + 1) as u64
        };
        let counts = [
            8,
            boundaries.clone().count() as u64,
            literals.clone().count() as u64,
            all,
        ];
        match self.draw_kind(counts) {
            (0, small) => small.into(),
            (1, boundary) => *boundaries.clone().nth(boundary as usize).unwrap_or(&0),
            (2, literal) => *literals.clone().nth(literal as usize).unwrap_or(&0),
            (_, number) if bits > 62 => (i128::from(number) << (bits - 62)).min(max),
            (_, number) => min + i128::from(number),
        }
        .clamp(min, max)
    }

    /// Draws each field of a word separately, or sets only the forced bit; reserved bits are 0.
    fn draw_word(&mut self, declaration: &Declaration, literals: &[i128]) -> u128 {
        let Shape::Bits { size, fields } = declaration.shape else {
            return 0;
        };
        if let Some(ForcedValue::Bit(bit)) = self.forced {
            let reserved = fields.iter().filter(|field| field.reserved);
            let reserved: u128 = reserved.map(|field| field.bits.mask()).sum();
            return (1 << (bit % u64::from(8 * size.clamp(1, 16)))) & !reserved;
        }
        let drawn = fields.iter().filter(|field| !field.reserved);
        drawn.fold(0, |word, field| {
            field
                .bits
                .insert(word, self.draw_bit_field(field, literals))
        })
    }

    fn draw_bit_field(&mut self, field: &BitField, literals: &[i128]) -> u128 {
        let all = BitRange {
            offset: 0,
            width: field.bits.width,
        }
        .mask();
        match field.declared {
            Some(declaration) => self.draw_word(declaration, literals),
            None if field.flag => self.draw_below(2).into(),
            None => self.draw_integer(field.int_type(), literals) as u128 & all,
        }
    }

    fn draw_f32(&mut self) -> f32 {
        const BOUNDARIES: [u64; 10] = float_boundaries(8, 23);
        if self.is_plausible {
            return self.draw_plausible_float() as f32;
        }
        match self.draw_kind([8, BOUNDARIES.len() as u64, 0, 1 << 32]) {
            (0, small) => small as f32,
            (1, boundary) => f32::from_bits(BOUNDARIES[boundary as usize] as u32),
            (_, bits) => f32::from_bits(bits as u32),
        }
    }

    fn draw_f64(&mut self) -> f64 {
        const BOUNDARIES: [u64; 10] = float_boundaries(11, 52);
        if self.is_plausible {
            return self.draw_plausible_float();
        }
        match self.draw_kind([8, BOUNDARIES.len() as u64, 0, u64::MAX]) {
            (0, small) => small as f64,
            (1, boundary) => f64::from_bits(BOUNDARIES[boundary as usize]),
            (_, bits) => f64::from_bits(bits << 2 | self.draw_below(4)),
        }
    }

    /// Draws an integer from 0 to 7, or a multiple of 0.001 from −100 to 100.
    fn draw_plausible_float(&mut self) -> f64 {
        match self.draw_kind([8, 200_001, 0, 200_001]) {
            (0, small) => small as f64,
            (_, thousandths) => (thousandths as f64 - 100_000.0) / 1000.0,
        }
    }

    /// Draws a match of a pattern, or a string without NUL. Plausible strings are UTF-8.
    fn draw_text(&mut self, patterns: &[&str]) -> Vec<u8> {
        let count = self.draw_count(u64::MAX);
        let name = self.path.last().copied();
        name.iter()
            .for_each(|name| self.choices.record_list(&self.path, *name, count));
        if count > 0 && !patterns.is_empty() && self.draw_below(2) == 1 {
            let pattern = patterns[self.draw_below(patterns.len() as u64) as usize];
            return pattern
                .bytes()
                .map(|byte| if byte == b'x' { b'a' } else { byte })
                .collect();
        }
        let mut text = Vec::new();
        for index in 0..count {
            self.path.push(Segment::Index(index));
            match self.draw_below(8) {
                7 if !self.is_plausible => text.push(0x80 + self.draw_below(0x80) as u8),
                6 => {
                    text.extend_from_slice(["ä", "→", "𝄞"][self.draw_below(3) as usize].as_bytes())
                }
                _ => text.push(b'a' + self.draw_below(26) as u8),
            }
            self.path.pop();
        }
        text
    }
}
