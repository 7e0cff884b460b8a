//! An independent decoder: interprets a [`Declaration`](super::declaration::Declaration) over bytes.
//!
//! The walker knows no format. It goes through the bytes by the description and reports each field to a [`Visitor`]
//! with its path, its place and its value. It shares no code with the codec that binrw makes of the same
//! declaration, so the tests can compare them; and it finds where an error of a codec lies.
//!
//! Arrays are summarised: a visitor chooses the items that it visits, and items of fixed size that it skips
//! cost nothing.

mod document;
mod find;
mod select;
mod subtree;
mod units;
mod walker;

use std::fmt;
use std::ops::{ControlFlow, Range};

use super::declaration::{BitField, BitRange, Field, Type, Variant};
use super::decoding::{Decoded, Decoding};
use super::expr::{Lookup, Value};
use crate::finding::write_place;
use crate::{Limits, Path, Rule, Span};

pub use crate::path::{Segment, path_text};
pub(super) use document::walk_fields;
pub use document::{Fields, Part};
pub use find::{TRAILING, find, unpack_block};
pub(crate) use select::parse_field;
pub use select::{Selection, parse_path, select};
pub(crate) use subtree::Subtree;

/// A value or the start of a group of values.
#[derive(Debug)]
pub struct Node<'w> {
    /// Where it stands in the structure.
    pub path: &'w [Segment],
    /// Its type; the type of the content for a block.
    pub ty: &'static Type,
    /// The field that declares it; `None` for the root and for items of arrays.
    pub field: Option<&'static Field>,
    /// The alternative of a choice that it is.
    pub variant: Option<&'static Variant>,
    /// What its field says that stored values stand for; for items that of the array. Of bit fields, their own.
    pub decoding: Decoding,
    /// Where it lies. When a group is entered its end is not known yet and the span is empty.
    pub span: Span,
    /// The bytes at the span.
    pub bytes: &'w [u8],
    /// Number of items of an array. Of a list that runs to its end it is known when the list is left.
    pub count: Option<u64>,
    /// The field of the packed word that lies at `span`, or of a word within it.
    pub bit_field: Option<&'static BitField>,
    /// The bits of that field, counted in the outermost word.
    pub bits: Option<BitRange>,
}

impl Node<'_> {
    /// The path of the field itself, also where its content counts as the containing struct's own.
    pub(crate) fn own_path(&self) -> Vec<Segment> {
        let inline = self.field.filter(|field| field.block.is_some_and(|block| block.inline));
        self.path.iter().copied().chain(inline.map(|field| Segment::Field(field.name))).collect()
    }

    /// What its value stands for, and the unit.
    pub fn decoded(&self, value: &Value) -> (Option<Decoded>, &'static str) {
        self.decoding.of(value)
    }
}

/// Which part of a group a visitor visits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visit {
    /// Everything.
    All,
    /// These items of an array, everything of other groups.
    Items(Range<u64>),
    /// The first and the last items of an array, everything of other groups. Which items of a list that runs to its
    /// end are the last is not known in time: of those, only the first.
    Ends {
        /// How many of the first.
        first: u64,
        /// How many of the last.
        last: u64,
    },
    /// Nothing.
    Nothing,
    /// Nothing, and nothing after it: the walk ends here.
    Stop,
}

/// Receives what the walker finds.
pub trait Visitor {
    /// A struct, array or block begins.
    fn enter(&mut self, node: &Node) -> Visit {
        let _ = node;
        Visit::All
    }

    /// Whether to ask a document for a field that no expression names.
    fn wants(&self, field: &Field) -> bool {
        let _ = field;
        true
    }

    /// Called for an array of structs of fixed size before its items; `node` spans all of them. `values` looks up the
    /// imports of the structs. Returns `true` to skip the items.
    fn structs(&mut self, node: &Node, values: &dyn Lookup) -> bool {
        let _ = (node, values);
        false
    }

    /// A number, string, flag or packed word. The fields of a packed word follow it.
    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let _ = (node, value);
        ControlFlow::Continue(())
    }

    /// The magic bytes that the struct of the node starts with; they lie at its span.
    fn magic(&mut self, node: &Node) -> ControlFlow<()> {
        let _ = node;
        ControlFlow::Continue(())
    }

    /// Whether to unpack the block that lies at the node's span and go on with its content.
    fn unpack(&mut self, node: &Node) -> bool {
        let _ = node;
        true
    }

    /// Whether to visit the items that are there of an array that the end of the bytes cuts off, before the fault.
    fn visits_partial_arrays(&self) -> bool {
        false
    }

    /// A group ends, whatever part of it was visited; its span is known now.
    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        let _ = node;
        ControlFlow::Continue(())
    }

    /// A packed block, at the span of `node`, has been unpacked to `content`, which is decoded next.
    fn unpacked(&mut self, node: &Node, content: &[u8]) {
        let _ = (node, content);
    }

    /// Called for a field with [constraints](Field::constraints). `node` spans the field; `values` looks up the names
    /// in its constraints.
    fn constrained(&mut self, node: &Node, values: &dyn Lookup) {
        let _ = (node, values);
    }

    /// Whether to verify the checksums whose field has this rule.
    fn verifies(&self, rule: Option<&'static Rule>) -> bool {
        let _ = rule;
        false
    }

    /// Reports a wrong checksum: the path of the stored value, and the rule of its field.
    fn wrong_checksum(&mut self, path: &[Segment], rule: Option<&'static Rule>, message: String) {
        let _ = (path, rule, message);
    }

    /// Bytes that no field covers, at the end of the file or of the block with this path.
    fn trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        let _ = (path, span, bytes);
    }
}

/// Visits everything and keeps nothing.
impl Visitor for () {}

/// Why the bytes do not follow the declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong, in general.
    pub kind: FaultKind,
    /// The field it is wrong with.
    pub path: Path,
    /// Where it lies.
    pub span: Span,
    /// What was found and expected.
    pub message: String,
    /// The rule that the declaration names for this field.
    pub rule: Option<&'static Rule>,
}

/// What is wrong, in general.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The bytes end before the field does.
    End,
    /// The magic bytes are others.
    Magic,
    /// A check of the declaration does not hold.
    Check,
    /// A value that the enum or choice does not have.
    Value,
    /// A count or offset that is negative or too large.
    Count,
    /// The packed bytes cannot be unpacked, or to another size than stated.
    Packing,
    /// Bytes follow the packed content.
    Trailing,
    /// Unpacking would take more than the limits allow.
    Limit,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.path, Some(&self.span))?;
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Walks over all of `bytes` as one value of type `ty`. Returns how far it got: the end of the value.
///
/// ```
/// use meshspec::layout::{Layout, walk};
///
/// // Three bytes are not enough for an u32.
/// let fault = walk::walk(&<u32 as Layout>::TYPE, &[1, 2, 3], &Default::default(), &mut ()).unwrap_err();
/// assert_eq!(fault.kind, walk::FaultKind::End);
/// ```
///
/// # Errors
///
/// The first [`Fault`]; the visitor has received everything before it.
pub fn walk(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
    visitor: &mut impl Visitor,
) -> Result<u64, Fault> {
    walker::walk(ty, bytes, limits, visitor)
}

/// The first fault of `bytes` as a value of type `ty`, if there is one.
pub fn first_fault(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Option<Fault> {
    walk(ty, bytes, limits, &mut ()).err()
}
