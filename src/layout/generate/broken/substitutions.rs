//! Generates files with one number replaced, valid or not.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::{ControlFlow, Range};

use super::targets::int_and_range;
use super::verifier::last_name;
use crate::layout::declaration::bits::read_word_le;
use crate::layout::declaration::{BitRange, Packing, Type};
use crate::layout::expr::Value;
use crate::layout::walk::{Node, Segment, Visit, Visitor, walk};
use crate::{Limits, Path, Result, Span};

/// A copy of a valid file with one number replaced. The copy may be valid or not.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SubstitutedFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// The path of the changed number.
    pub changed: Path,
    /// The new number.
    pub value: i128,
}

impl SubstitutedFile {
    /// Returns the name of the changed field.
    pub fn field(&self) -> &'static str {
        self.changed
            .segments()
            .and_then(last_name)
            .unwrap_or_default()
    }
}

/// Prints `animations[0].n_frames = 1`.
impl fmt::Display for SubstitutedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.changed, self.value)
    }
}

/// Yields copies of a valid file with one integer replaced by the next larger or smaller integer (wrapping), 0, or 1.
/// Only integers in the first and the last item of each list are replaced. Integers in packed blocks are not replaced.
///
/// The copies are not checked. They can be valid, violate the declaration, or violate requirements outside it.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{Layout, generate};
///
/// /// A span of time.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Span {
///     first: u8,
///     last: u8,
/// }
///
/// let files = generate::substitutions(&Span::TYPE, &[0, 2], &Default::default())?;
/// let files: Vec<_> = files.map(|file| (file.to_string(), file.bytes)).collect();
/// assert_eq!(files.len(), 5);
/// assert!(files.contains(&("first = 1".to_owned(), vec![1, 2])));
/// assert!(files.contains(&("last = 3".to_owned(), vec![0, 3])));
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns the first fault of the file.
pub fn substitutions<'f>(
    ty: &'static Type,
    file: &'f [u8],
    limits: &Limits,
) -> Result<impl Iterator<Item = SubstitutedFile> + use<'f>> {
    let mut finder = Finder(Vec::new());
    walk(ty, file, limits, &mut finder)
        .map_err(|f| crate::Error::inexpressible(f.message).at(f.path))?;
    let substituted = move |number: Number| {
        number
            .replacements()
            .into_iter()
            .filter_map(move |value| number.substituted(file, value))
    };
    Ok(finder.0.into_iter().flat_map(substituted))
}

/// An integer in the bytes of the file.
struct Number {
    path: Vec<Segment>,
    value: i128,
    /// The smallest and the largest number that fit.
    range: (i128, i128),
    location: Range<u64>,
    /// The bit range in the word at `location`.
    bits: BitRange,
    /// Whether the word is big-endian.
    is_big: bool,
}

impl Number {
    /// Returns the replacements without duplicates. Neighbours wrap at the limits of the range.
    fn replacements(&self) -> Vec<i128> {
        let (min, max) = self.range;
        let more = if self.value == max {
            min
        } else {
            self.value + 1
        };
        let less = if self.value == min {
            max
        } else {
            self.value - 1
        };
        let mut seen = BTreeSet::from([self.value]);
        let mut replacements = vec![more, less, 0, 1];
        replacements.retain(|other| (min..=max).contains(other) && seen.insert(*other));
        replacements
    }

    fn substituted(&self, file: &[u8], value: i128) -> Option<SubstitutedFile> {
        let mut bytes = file.to_vec();
        let range =
            usize::try_from(self.location.start).ok()?..usize::try_from(self.location.end).ok()?;
        let slot = bytes.get_mut(range)?;
        let order = |bytes: &mut [u8]| {
            if self.is_big {
                bytes.reverse()
            }
        };
        order(slot);
        let word = self
            .bits
            .insert(read_word_le(slot), value as u128)
            .to_le_bytes();
        slot.iter_mut()
            .zip(word)
            .for_each(|(byte, new)| *byte = new);
        order(slot);
        Some(SubstitutedFile {
            bytes,
            changed: self.path.as_slice().into(),
            value,
        })
    }
}

struct Finder(Vec<Number>);

impl Visitor for Finder {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::Ends { first: 1, last: 1 }
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        node.field
            .and_then(|field| field.block)
            .is_some_and(|block| block.packing == Packing::Stored)
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        // The fields of a word are visited after it.
        let is_word = node.bit_field.is_none() && matches!(value, Value::Bits(..));
        if let (Some((value, range)), Span::Bytes(location), false) =
            (int_and_range(node, value), &node.span, is_word)
        {
            let all = BitRange {
                offset: 0,
                width: 8 * node.bytes.len() as u32,
            };
            let (path, location) = (node.path.to_vec(), location.clone());
            let (bits, is_big) = (
                node.bits.unwrap_or(all),
                matches!(node.ty, Type::BigEndian(_)),
            );
            self.0.push(Number {
                path,
                value,
                range,
                location,
                bits,
                is_big,
            });
        }
        ControlFlow::Continue(())
    }
}
