//! The parts of a [`Program`].

use std::sync::OnceLock;

use super::code::{Code, Slot};
use super::names::{SlotName, ValueKind};
use crate::Rule;
use crate::layout::declaration::{
    Block, Checksum, Constraint, Declaration, Each, Field, Type, Variant,
};
use crate::layout::walk::Segment;

/// A resolved declaration: names are slots, and fixed sizes are computed.
///
/// The walker, the assembler, the generator and the breaker run it.
#[derive(Debug)]
pub(crate) struct Program {
    /// Every declared struct, choice, enum and packed word, parts before containers.
    pub units: Vec<Unit>,
    /// Every type in the declaration.
    pub forms: Vec<Form>,
    /// The form of a whole file.
    pub root: FormId,
    /// The arguments of the root, whose imports have no values.
    pub no_arguments: Vec<Argument>,
    /// The largest alignment that checks require of offsets.
    pub alignment: u64,
    /// The paths in constraints that lead to the stored length of a list instead of the list.
    pub lengths: Vec<&'static [Segment]>,
    /// The defects of the declaration.
    pub problems: Vec<Problem>,
}

/// A defect of a declaration. Files of the declared type cannot be assembled, and most cannot be read.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::layout::program::problems;
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Samples {
///     scale: f32,
///     #[br(count = scale as u64)]
///     heights: Vec<u16>,
/// }
///
/// let problems = problems(&Samples::TYPE);
/// assert_eq!(problems[0].to_string(), "Samples.heights: the number of items depends on a value that is not an integer");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The struct and the field, such as `Header.offset`.
    pub field: String,
    /// The defect.
    pub message: String,
}

/// Index into [`Program::forms`].
pub(crate) type FormId = usize;
/// Index into [`Program::units`].
pub(crate) type UnitId = usize;

/// A type with its parts resolved.
#[derive(Debug)]
pub(crate) struct Form {
    pub ty: &'static Type,
    pub kind: FormKind,
    pub size: FormSize,
    /// The unit of the type, or that of its innermost items; `None` for numbers and strings.
    pub unit: Option<UnitId>,
    /// Whether a value may have no bytes.
    pub may_be_empty: bool,
    /// Whether the expressions inside can overflow, lists inside can have items without bytes, or there are
    /// look-aheads. Only a walk over each value shows whether a codec can decode it.
    pub needs_full_walk: bool,
    /// Whether a value can be invalid although all of its bytes are present: magic bytes, checks, enums and choices.
    pub may_fault: bool,
    /// The size of the largest look-ahead inside, which may read bytes after the value.
    pub lookahead_size: u64,
}

/// The kind of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormKind {
    /// A number, enum or packed word of this many bytes.
    Number(u64),
    /// A NUL-terminated string.
    Text,
    /// An array or a list: the form of its items, and their number; `None` for a list, since the field determines it.
    Items(FormId, Option<u64>),
    /// All fields of a unit, in order.
    Struct(UnitId),
    /// One field of a unit: the field of the first variant whose condition is true.
    Choice(UnitId),
}

/// The size of a form, or what it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormSize {
    /// A fixed number of bytes.
    Fixed(u64),
    /// Computed from the arguments.
    FromArguments,
    /// Known only from the content.
    FromContent,
}

/// A declaration with its names resolved.
#[derive(Debug)]
pub(crate) struct Unit {
    pub declaration: &'static Declaration,
    /// The kind of each import.
    pub imports: Vec<ValueKind>,
    /// Whether each import selects a variant of a choice inside, so that the types of values depend on it.
    pub selects: Vec<bool>,
    /// The path of each slot, relative to this declaration.
    pub slots: Vec<SlotName>,
    /// The fields of a struct or the variants of a choice; empty for an enum or packed word.
    pub steps: Vec<Step>,
    /// The values that a codec computes, in order.
    pub computed: Vec<ComputedStep>,
    /// Whether any field has a checksum.
    pub has_checksums: bool,
    /// The result of [`compared_values`](Unit::compared_values), computed on first use.
    pub compared: OnceLock<ComparedValues>,
}

/// The numbers and patterns that values are compared with.
#[derive(Debug)]
pub(crate) struct ComparedValues {
    /// The numbers, each with its predecessor and successor.
    pub numbers: Vec<i128>,
    /// The patterns that strings are matched against.
    pub patterns: Vec<&'static str>,
}

/// The use of a stored value. Earlier variants take precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueUse {
    /// An offset, size or checksum: derived from the written content.
    Derived,
    /// The item count of a list whose items may have no bytes, so that the size of a file does not bound it.
    UnboundedCount,
    /// The item count of a list.
    Count,
}

/// A field of a unit, with its names resolved.
#[derive(Debug)]
pub(crate) struct Step {
    pub field: &'static Field,
    /// The variant, if the field belongs to a choice.
    pub variant: Option<&'static Variant>,
    /// The condition of the variant.
    pub choice: Option<Code>,
    pub form: FormId,
    pub arguments: Vec<Argument>,
    pub condition: Option<Code>,
    pub position: Option<Code>,
    pub count: Option<Code>,
    pub checks: Vec<Code>,
    /// The conditions that constraints require.
    pub required_conditions: Vec<(&'static Constraint, Code)>,
    pub block: Option<BlockStep>,
    pub checksum: Option<ChecksumStep>,
    /// How other fields use the value.
    pub usage: Option<ValueUse>,
    /// Whether the field is a list of bytes that pads what precedes it: its number of bytes is a remainder.
    pub is_padding: bool,
    /// Whether other values determine the value, and it selects no variant of a choice. JSON omits such values.
    pub is_computed: bool,
    /// Whether the condition of the field depends on a computed value of the same struct, so that JSON shows the
    /// absence of the field.
    pub shows_absence: bool,
    /// The slot of the value, if an expression refers to it.
    pub value: Option<Slot>,
    /// The nested values that expressions refer to: the slot in the nested unit, then the slot in this unit.
    pub exports: Vec<(Slot, Slot)>,
    /// For a list, the values of its items that other lists take arguments from: the slot in the unit of an item, then
    /// the slot of the column in this unit. Numbers have no unit.
    pub columns: Vec<(Option<Slot>, Slot)>,
    /// The list whose items provide arguments for the items of this list.
    pub each: Option<EachStep>,
}

/// An [`Each`] with its names resolved.
#[derive(Debug)]
pub(crate) struct EachStep {
    pub each: &'static Each,
    /// The columns of the list, each with the slot for the value of the current item.
    pub columns: Vec<(Slot, Slot)>,
}

/// A [`Block`] with its names resolved.
#[derive(Debug)]
pub(crate) struct BlockStep {
    pub block: &'static Block,
    pub form: FormId,
    pub arguments: Vec<Argument>,
    pub size: Option<Code>,
    pub encoding: Option<Code>,
}

/// A [`Computed`](crate::layout::declaration::Computed) value with its names resolved.
#[derive(Debug)]
pub(crate) struct ComputedStep {
    pub name: &'static str,
    pub value: Code,
    pub slot: Slot,
}

/// A [`Checksum`] with its names resolved.
#[derive(Debug)]
pub(crate) struct ChecksumStep {
    pub checksum: &'static Checksum,
    pub stored: Code,
    pub arguments: Vec<Code>,
    /// The rule of the field that stores the checksum.
    pub rule: Option<&'static Rule>,
}

/// The argument for an import of a unit.
#[derive(Debug)]
pub(crate) enum Argument {
    /// A number, boolean, word or string, and its slot; `None` if no expression refers to the import.
    Value(Code, Option<Slot>),
    /// The fields of a struct that expressions refer to, or the columns of a list, each with its slot.
    Fields(Vec<(Code, Slot)>),
}

impl Argument {
    /// Returns the expressions of the argument.
    pub fn codes(&self) -> impl Iterator<Item = &Code> {
        let (value, fields) = match self {
            Argument::Value(code, _) => (Some(code), &[][..]),
            Argument::Fields(fields) => (None, &fields[..]),
        };
        value.into_iter().chain(fields.iter().map(|(code, _)| code))
    }
}

impl Unit {
    /// Returns a list of this struct whose items take arguments from those of the list `list`.
    pub fn follower_of(&self, list: &Step) -> Option<&Step> {
        let is_of_list = |column: Slot| list.columns.iter().any(|(_, own)| *own == column);
        self.steps.iter().find(|step| {
            let columns = step.each.iter().flat_map(|each| &each.columns);
            columns.into_iter().any(|(column, _)| is_of_list(*column))
        })
    }

    /// Returns the slot of the column from which the slot for the value of a current item is set; any other slot
    /// itself.
    pub fn source_slot(&self, slot: Slot) -> Slot {
        let mut columns = self
            .steps
            .iter()
            .flat_map(|step| &step.each)
            .flat_map(|each| &each.columns);
        columns
            .find(|(_, own)| *own == slot)
            .map_or(slot, |(column, _)| *column)
    }

    /// Returns `true` if the arguments of the fields depend on a slot only by this condition.
    #[cfg(feature = "serde")]
    pub fn only_tests(&self, slot: Slot, condition: &Code) -> bool {
        let mut codes = self
            .steps
            .iter()
            .flat_map(|step| step.content().1)
            .flat_map(|argument| -> Box<dyn Iterator<Item = &Code>> {
                match argument {
                    Argument::Value(code, _) => Box::new(std::iter::once(code)),
                    Argument::Fields(fields) => Box::new(fields.iter().map(|(code, _)| code)),
                }
            });
        codes.all(|code| code.only_tests(slot, condition))
    }
}

impl Step {
    /// Returns `true` for a list whose items give arguments to those of another list, or take them.
    pub fn is_related(&self) -> bool {
        self.each.is_some() || !self.columns.is_empty()
    }

    /// Returns the form of content that has the path of the unit: that of a variant or inline block.
    pub fn inlined_form(&self) -> Option<FormId> {
        let is_inlined =
            self.variant.is_some() || self.block.as_ref().is_some_and(|block| block.block.inline);
        is_inlined.then(|| self.content().0)
    }

    /// Returns the form and arguments of the block's content, or else of the field.
    pub fn content(&self) -> (FormId, &[Argument]) {
        self.block
            .as_ref()
            .map_or((self.form, &self.arguments), |block| {
                (block.form, &block.arguments)
            })
    }
}
