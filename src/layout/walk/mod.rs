//! An independent decoder, which interprets a [`Declaration`](super::declaration::Declaration) over bytes.
//!
//! The walker is generic over formats, and reports each field to a [`Visitor`] with its path, span and value. Except
//! for unpacking, it shares no code with binrw's codec of the same declaration, so the tests can compare both. It also
//! locates the errors of a codec.
//!
//! A visitor chooses which items of an array it visits. Skipping items of fixed size takes constant time.

mod document;
mod find;
mod inline_block_spans;
mod item_layout;
mod items;
mod select;
mod space;
mod subtree;
mod tagged;
mod uncovered;
mod units;
mod walker;

use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::declaration::{BitField, BitRange, Constraint, Field, Type, Variant};
use super::decoding::{DecodedValue, Decoding};
use super::expr::{Lookup, Value};
use super::program::Step;
use crate::finding::write_location;
use crate::{Limits, Path, Rule, Span};

pub use crate::path::{Segment, path_text};
pub use document::{DocumentValue, Fields, StoredFields, walk_document};
pub use find::{find, unpack_block};
pub(in crate::layout) use inline_block_spans::InlineBlockSpans;
pub(in crate::layout) use item_layout::{ItemLayout, Lookaheads};
#[doc(no_inline)]
pub use meshspec_derive::StoredFields;
pub use select::{Selection, parse_path, select};
pub(crate) use select::{parse_field, parse_full_path};
pub(crate) use subtree::Subtree;
pub use subtree::TRAILING;
pub(in crate::layout) use tagged::Values;
#[doc(hidden)]
pub use tagged::{TaggedItem, Test};
pub(in crate::layout) use uncovered::is_padding;
pub use uncovered::uncovered;
use walker::Walker;

/// A value, or a group of values (struct, array or list) that is entered or left.
#[derive(Debug)]
pub struct Node<'w> {
    /// The path of the value or group.
    pub path: &'w [Segment],
    /// The type. The content of a block has its own type, not that of the field.
    pub ty: &'static Type,
    /// The field that declares the value; `None` for the root and for items of arrays.
    pub field: Option<&'static Field>,
    /// The variant, if the node is the field of a choice.
    pub variant: Option<&'static Variant>,
    /// The decoding of the field or bit field. Items have the decoding of their array.
    pub decoding: Decoding,
    /// The span; empty when a group is entered, since the end is unknown.
    pub span: Span,
    /// The bytes at the span.
    pub bytes: &'w [u8],
    /// The number of items in an array; for a list that runs to the end, only known when the list is left.
    pub count: Option<u64>,
    /// The bit field, if the node is a field of the packed word at `span` or of a nested word.
    pub bit_field: Option<&'static BitField>,
    /// The bits of `bit_field` within the outermost word.
    pub bits: Option<BitRange>,
    /// The layout of the items, if the visitor returned [`Visit::Index`] for a list that does not consist of numbers.
    pub(in crate::layout) items: Option<Arc<ItemLayout>>,
    /// The step of `field`.
    pub(in crate::layout) step: Option<&'static Step>,
}

impl Node<'_> {
    /// Returns the constraints of the bit field or else of the field; empty for the root and for items of arrays.
    pub(super) fn constraints(&self) -> &'static [Constraint] {
        let field = self.field.map_or(&[][..], |field| field.constraints);
        self.bit_field.map_or(field, |field| field.constraints)
    }

    /// Returns the path of the node's field. Unlike `path`, includes the name of a field with inline content.
    pub(crate) fn own_path(&self) -> Vec<Segment> {
        let inline = self
            .field
            .filter(|field| field.block.is_some_and(|block| block.inline));
        self.path
            .iter()
            .copied()
            .chain(inline.map(|field| Segment::Field(field.name)))
            .collect()
    }

    /// Decodes a stored value of this node. Returns the decoded value, if there is a decoding, and its unit.
    pub fn decode(&self, value: &Value) -> (Option<DecodedValue>, &'static str) {
        self.decoding.apply(value)
    }
}

/// The part of a group to visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visit {
    /// Everything.
    All,
    /// The items of an array with indices in this range; everything in any other group.
    Items(Range<u64>),
    /// The first and last items of an array; everything in any other group. In a list that runs to the end, only
    /// the first items, since its length is not known in advance.
    Ends {
        /// The number of items visited at the start.
        first: u64,
        /// The number of items visited at the end.
        last: u64,
    },
    /// Nothing, but faults in the items of an array are still found. [Trees](super::tree) decode the items later.
    #[doc(hidden)]
    Index,
    /// Nothing.
    Nothing,
    /// Nothing; the walk ends here.
    Stop,
}

impl Visit {
    /// Returns the part of the group at `group` that leads to the value at `path`: one item of an array, or else `All`.
    /// Returns `All` if the group is the value itself, and `Nothing` if the value is elsewhere.
    pub(super) fn towards(path: &[Segment], group: &[Segment]) -> Visit {
        match path.strip_prefix(group) {
            None => Visit::Nothing,
            Some([Segment::Index(index), ..]) => Visit::Items(*index..index.saturating_add(1)),
            Some(_) => Visit::All,
        }
    }
}

/// Receives the values that the walker decodes.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use std::ops::ControlFlow;
///
/// use meshspec::layout::expr::Value;
/// use meshspec::layout::walk::{Node, Visitor, walk};
/// use meshspec::Dialect;
///
/// /// The largest float of a file.
/// struct Largest(f32);
///
/// impl Visitor for Largest {
///     fn visit_leaf(&mut self, _: &Node, value: &Value) -> ControlFlow<()> {
///         if let Value::F32(value) = value {
///             self.0 = self.0.max(*value);
///         }
///         ControlFlow::Continue(())
///     }
/// }
///
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let layout = meshspec::mesh::FORMAT.layout_of(&bytes, Dialect::SPEC).unwrap();
/// let mut largest = Largest(f32::MIN);
/// walk(layout, &bytes, &Default::default(), &mut largest)?;
/// assert!(largest.0 >= 1.0);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(
    unused_variables,
    reason = "the default methods ignore their arguments"
)]
pub trait Visitor {
    /// Called at the start of a struct, array or list. Returns the part to visit.
    fn enter(&mut self, node: &Node) -> Visit {
        Visit::All
    }

    /// Returns `true` to request a field from a document. Fields that expressions refer to are always requested.
    fn should_request(&self, field: &Field) -> bool {
        true
    }

    /// Called before an item of a list whose first bits determine its fields, if the walk has no tests for the items
    /// with these bits.
    #[doc(hidden)]
    fn start_item(&mut self, item: TaggedItem) {}

    /// Called after such an item. Returns tests; the items with the same bits that pass them are not visited. Returns
    /// `None` to visit all of them.
    #[doc(hidden)]
    fn item_tests(&mut self) -> Option<Vec<Test>> {
        None
    }

    /// Called before the items of an array of structs or choices whose size does not depend on their content; `node`
    /// spans all of them. `values` looks up their imports. Returns `true` to skip the items.
    fn visit_structs(&mut self, node: &Node, values: &dyn Lookup) -> bool {
        false
    }

    /// Called for a number, string, enum value, packed word or bit field. The fields of a packed word follow it.
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called for a field whose condition is false; the span of `node` is empty.
    fn visit_absent(&mut self, node: &Node) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called for the magic bytes at the start of a struct; `node` spans them.
    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Returns `true` to unpack the block at `node` and visit its content.
    fn should_unpack(&mut self, node: &Node) -> bool {
        true
    }

    /// Returns `true` to visit the items of a truncated array before its fault, including its truncated last item.
    fn should_visit_partial_arrays(&self) -> bool {
        false
    }

    /// Returns `true` to visit all items of a list whose items have no bytes, instead of only the first of them. Fields
    /// at explicit offsets are visited in every item.
    fn should_visit_empty_items(&self) -> bool {
        true
    }

    /// Called at the end of a group, even if only a part of it was visited. The span of `node` is complete.
    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called when the packed block at the span of `node` has been unpacked, before `content` is decoded.
    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {}

    /// Called for a field or bit field with [constraints](Field::constraints). `node` spans the field, or the word of
    /// the bit field; `values` looks up the names in the constraints.
    fn visit_constrained(&mut self, node: &Node, values: &dyn Lookup) {}

    /// Returns `true` to verify the checksums that are stored in a field with this rule.
    fn should_verify(&self, rule: Option<&'static Rule>) -> bool {
        false
    }

    /// Called for a wrong checksum. `path` leads to the stored value if it is in the same struct, or else to the last
    /// covered field. `rule` is the rule of the field that stores the checksum.
    fn visit_wrong_checksum(
        &mut self,
        path: &[Segment],
        rule: Option<&'static Rule>,
        message: String,
    ) {
    }

    /// Called for bytes that no field covers, at the end of the file or of the stored block at `path`.
    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {}
}

/// Visits everything and discards it.
impl Visitor for () {
    fn should_visit_empty_items(&self) -> bool {
        false
    }
}

/// The reason why bytes cannot be decoded according to a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The path of the faulty field.
    pub path: Path,
    /// The span of the faulty bytes; empty if the fault concerns no bytes, such as a count out of range.
    pub span: Span,
    /// The message, such as `needs 4 bytes, but 2 remain`.
    pub message: String,
    /// The rule that the declaration assigns to this kind of fault in the field. If it is `None`, the format's rule for
    /// faults of this kind applies, if any.
    pub rule: Option<&'static Rule>,
}

/// The kind of a [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The data ends before the end or the offset of a field.
    End,
    /// The magic bytes are wrong.
    Magic,
    /// A check of the declaration fails.
    Check,
    /// A number is not a value of its enum, or no variant of a choice applies.
    Value,
    /// A count, size or offset is negative, too large, or cannot be computed, or an argument has no value.
    Count,
    /// Packed bytes cannot be unpacked, have the wrong unpacked size, or yield bytes after the content.
    Packing,
    /// Bytes follow the compressed data in a packed block.
    Trailing,
    /// Unpacking would exceed [`Limits::max_decoded`], as do the look-aheads and the fields at explicit offsets
    /// together.
    Limit,
    /// The lists have more items without bytes than [`Limits::max_empty_items`].
    EmptyItems,
    /// The packing needs a feature of the crate that is not enabled.
    Unsupported,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_location(f, &self.path, Some(&self.span))?;
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Walks over `bytes` as a value of type `ty`. Returns the end of the value, or 0 if the visitor ended the walk.
///
/// ```
/// use meshspec::layout::{Layout, walk};
///
/// // Three bytes are too few for a u32.
/// let fault = walk::walk(&<u32 as Layout>::TYPE, &[1, 2, 3], &Default::default(), &mut ()).unwrap_err();
/// assert_eq!(fault.kind, walk::FaultKind::End);
/// ```
///
/// # Errors
///
/// Returns the first [`Fault`]; the visitor has received the values decoded before it.
pub fn walk(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
    visitor: &mut impl Visitor,
) -> Result<u64, Fault> {
    Walker::new(ty, limits, visitor).walk_file(bytes)
}

/// Returns a fault if a codec of the declaration cannot decode `bytes` safely: a count or offset exceeds the file, an
/// expression that the codec evaluates overflows, or a list never ends. Skips the content of blocks, which codecs leave
/// packed.
pub(crate) fn check_for_codec(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
) -> Result<(), Fault> {
    let mut visitor = SkipAll;
    let mut walker = Walker::new(ty, limits, &mut visitor);
    walker.is_for_codec = true;
    walker.walk_file(bytes).map(drop)
}

/// Visits nothing.
struct SkipAll;

impl Visitor for SkipAll {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::Nothing
    }
}

/// Returns the first fault of `bytes` as a value of type `ty`, if any.
pub fn first_fault(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Option<Fault> {
    walk(ty, bytes, limits, &mut ()).err()
}
