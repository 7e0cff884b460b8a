//! Lists of numbers in their stored form: contiguous, or as a field of records.

use std::borrow::Cow;

use super::scalar::Scalar;
use crate::layout::declaration::Type;
use crate::layout::expr::Value;

/// A list of items at a fixed stride. All items contain the same count of numbers, all of one type.
#[derive(Debug, Clone)]
pub(super) struct Numbers<'b> {
    /// The type of the numbers.
    ty: Type,
    bytes: Cow<'b, [u8]>,
    /// The count of numbers per item: 1, or the length of an array.
    pub per_item: usize,
    /// The distance between items in bytes.
    pub stride: usize,
    /// The offset in bytes of the numbers within an item.
    offset: usize,
}

/// Evaluates `$body` with an iterator over all numbers, if their type is a little-endian integer of at most 32 bits;
/// else evaluates `$other`.
macro_rules! with_typed_numbers {
    ($numbers:expr, |$all:ident| $body:expr, $other:expr) => {
        match $numbers.ty {
            Type::Unsigned(1) => with_typed_numbers!(u8, $numbers, |$all| $body),
            Type::Unsigned(2) => with_typed_numbers!(u16, $numbers, |$all| $body),
            Type::Unsigned(4) => with_typed_numbers!(u32, $numbers, |$all| $body),
            Type::Signed(1) => with_typed_numbers!(i8, $numbers, |$all| $body),
            Type::Signed(2) => with_typed_numbers!(i16, $numbers, |$all| $body),
            Type::Signed(4) => with_typed_numbers!(i32, $numbers, |$all| $body),
            _ => $other,
        }
    };
    ($number:ty, $numbers:expr, |$all:ident| $body:expr) => {{
        let number = |bytes: &[u8; size_of::<$number>()]| <$number>::from_le_bytes(*bytes);
        if $numbers.is_contiguous() {
            let $all = $numbers.bytes.as_chunks().0.iter().map(number);
            $body
        } else {
            let $all = $numbers
                .records()
                .flat_map(|record| record.as_chunks().0.iter().map(number));
            $body
        }
    }};
}

impl<'b> Numbers<'b> {
    /// Creates a list from contiguous numbers of type `ty`.
    pub fn new(ty: Type, bytes: impl Into<Cow<'b, [u8]>>, per_item: usize) -> Numbers<'b> {
        let per_item = per_item.max(1);
        let stride = number_size_of(&ty) * per_item;
        Numbers {
            ty,
            bytes: bytes.into(),
            per_item,
            stride,
            offset: 0,
        }
    }

    /// Removes all items after the first.
    pub fn truncated_to_first(mut self) -> Numbers<'b> {
        let end = self.stride.min(self.bytes.len());
        match &mut self.bytes {
            Cow::Borrowed(bytes) => *bytes = &bytes[..end],
            Cow::Owned(bytes) => bytes.truncate(end),
        }
        self
    }

    /// Creates a list of the fields at `offset` in records of `stride` bytes.
    pub fn from_records(
        ty: Type,
        records: &'b [u8],
        per_item: usize,
        (stride, offset): (usize, usize),
    ) -> Numbers<'b> {
        let (per_item, stride) = (per_item.max(1), stride.max(1));
        Numbers {
            ty,
            bytes: Cow::Borrowed(records),
            per_item,
            stride,
            offset,
        }
    }

    /// Returns the size of a number in bytes.
    pub fn size(&self) -> usize {
        number_size_of(&self.ty)
    }

    /// Combines every `per_item` successive items into one item.
    pub fn regrouped(self, per_item: usize) -> Numbers<'b> {
        if per_item <= 1 {
            return self;
        }
        let bytes = self.records().flatten().copied().collect::<Vec<_>>();
        Numbers::new(self.ty, bytes, per_item * self.per_item)
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.stride
    }

    /// Returns `true` if there are no bytes between the numbers.
    fn is_contiguous(&self) -> bool {
        self.stride == self.per_item * self.size()
    }

    /// Returns the bytes of each item's numbers.
    fn records(&self) -> impl Iterator<Item = &[u8]> {
        let end = self.offset + self.size() * self.per_item;
        self.bytes
            .chunks_exact(self.stride)
            .map(move |record| record.get(self.offset..end).unwrap_or_default())
    }

    pub fn item(&self, index: usize) -> impl Iterator<Item = Scalar> + Clone + '_ {
        let size = self.size();
        let start = self.stride * index + self.offset;
        let bytes = self
            .bytes
            .get(start..start + size * self.per_item)
            .unwrap_or_default();
        bytes
            .chunks_exact(size)
            .map(|bytes| read_scalar(&self.ty, bytes))
    }

    pub fn first_numbers(&self) -> impl Iterator<Item = Scalar> + '_ {
        let size = self.size();
        self.records()
            .filter_map(move |record| Some(read_scalar(&self.ty, record.get(..size)?)))
    }

    /// Returns all numbers.
    pub fn iter(&self) -> impl Iterator<Item = Scalar> + '_ {
        let size = self.size();
        let read = |bytes| read_scalar(&self.ty, bytes);
        self.records()
            .flat_map(move |record| record.chunks_exact(size).map(read))
    }

    /// Returns `true` if all numbers are less than `limit`, and none is NaN.
    pub fn are_below(&self, limit: i128) -> bool {
        with_typed_numbers!(
            self,
            |all| all
                .reduce(|a, b| a.max(b))
                .is_none_or(|max| i128::from(max) < limit),
            self.iter().all(|number| number.is_below(limit))
        )
    }

    /// Returns `true` if each number is in `0..limit`, or is `none` and has a weight of 0. If `weights` is `None`, all
    /// weights count as 0.
    pub fn are_indices(&self, limit: i128, none: Option<i128>, weights: Option<&Numbers>) -> bool {
        if let (Some(Ok(none)), Some(weights)) = (none.map(u8::try_from), weights)
            && let (Type::Unsigned(1), Type::Unsigned(1), 4, 4) =
                (self.ty, weights.ty, self.per_item, weights.per_item)
        {
            return self
                .max_byte(none, weights)
                .is_none_or(|max| i128::from(max) < limit);
        }
        let is_signed = matches!(self.ty.without_byte_order(), Type::Signed(_));
        if !is_signed && self.are_below(limit) {
            return true;
        }
        let mut weights = weights.into_iter().flat_map(Numbers::iter);
        self.iter().all(|number| {
            let is_weightless = weights.next().is_none_or(|weight| weight.equals(0));
            let is_inside = number.is_below(limit) && number.is_at_least(0);
            is_inside || none.is_some_and(|none| number.equals(none) && is_weightless)
        })
    }

    /// Returns the largest byte, ignoring bytes that are `none` and have a weight of 0. Returns `None` if no byte
    /// remains. Items must have 4 bytes.
    fn max_byte(&self, none: u8, weights: &Numbers) -> Option<u8> {
        let quads = self.records().zip(weights.records());
        let quads = quads
            .filter_map(|(bytes, weights)| Some((bytes.first_chunk()?, weights.first_chunk()?)));
        // The loop has no branches, so that the compiler vectorises it. Ignored bytes become negative.
        let max = quads.fold(-1, |max: i16, (bytes, weights): (&[u8; 4], &[u8; 4])| {
            let [a, b, c, d] = std::array::from_fn(|slot| {
                let is_none = (bytes[slot] == none) & (weights[slot] == 0);
                i16::from(bytes[slot]) - 256 * i16::from(is_none)
            });
            // Comparing within the item first allows a processor to overlap the comparisons of several items.
            max.max(a.max(b).max(c.max(d)))
        });
        u8::try_from(max).ok()
    }

    /// Returns `true` if all numbers are finite.
    pub fn are_finite(&self) -> bool {
        match self.ty {
            Type::Float(4) => {
                with_typed_numbers!(u32, self, |all| {
                    all.fold(true, |are_finite, bits| {
                        are_finite & f32::from_bits(bits).is_finite()
                    })
                })
            }
            ty if matches!(ty.without_byte_order(), Type::Float(_)) => {
                self.iter().all(Scalar::is_finite)
            }
            _ => true,
        }
    }

    /// Returns `true` if the first numbers of the items do not decrease.
    pub fn are_ascending(&self) -> bool {
        let mut previous = None;
        self.first_numbers().all(|number| {
            !previous
                .replace(number)
                .is_some_and(|previous| number < previous)
        })
    }
}

/// Returns the size of a number in bytes; 1 if the type has no fixed size.
fn number_size_of(ty: &Type) -> usize {
    ty.size().map_or(1, |size| size.max(1) as usize)
}

/// Reads a number, or the bits of a packed word.
fn read_scalar(ty: &Type, bytes: &[u8]) -> Scalar {
    match ty.read_value(bytes) {
        Value::Int(number) => Scalar::Int(number),
        Value::Wide(number) => Scalar::Wide(number),
        Value::Bits(word, _) => Scalar::Int(word as i128),
        Value::F32(number) => Scalar::F32(number),
        Value::F64(number) => Scalar::F64(number),
        Value::Bool(flag) => Scalar::Int(flag.into()),
        Value::Text(_) | Value::Struct(_) => Scalar::Int(0),
    }
}
