//! What a [`Program`] is made of.

use std::sync::OnceLock;

use super::code::{Code, Slot};
use crate::layout::{Block, Constraint, Declaration, Field, Type, Variant};

/// A declaration resolved once: names are slots, types know their size where it is fixed.
///
/// The walker runs it over bytes.
#[derive(Debug)]
pub struct Program {
    /// Every declared struct, choice, enum and packed word, parts before wholes.
    pub(crate) units: Vec<Unit>,
    /// Every type that occurs.
    pub(crate) forms: Vec<Form>,
    /// The form of a whole file.
    pub(crate) root: FormId,
    /// The arguments of the root: none of its imports has a value.
    pub(crate) no_arguments: Call,
}

/// Index into [`Program::forms`].
pub(crate) type FormId = usize;
/// Index into [`Program::units`].
pub(crate) type UnitId = usize;

/// A type with its parts resolved.
#[derive(Debug)]
pub(crate) struct Form {
    pub ty: &'static Type,
    pub kind: Kind,
    pub size: Size,
}

/// What a form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number of this many bytes.
    Number(u64),
    /// A string that a NUL ends.
    Text,
    /// A fixed number of items, or as many as the field counts.
    Items(FormId, Option<u64>),
    /// A declared type.
    Unit(UnitId),
}

/// How the size of a form is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// So many bytes, always.
    Fixed(u64),
    /// It follows from the arguments.
    Argued,
    /// It follows from the content.
    Open,
}

/// A declaration with its names resolved.
#[derive(Debug)]
pub(crate) struct Unit {
    pub declaration: &'static Declaration,
    /// The name of each slot: its path from this declaration.
    pub slots: Vec<SlotName>,
    pub body: Body,
    /// The numbers and patterns in its expressions, computed on first use.
    pub compared: OnceLock<Compared>,
}

/// The numbers and patterns that expressions compare values with.
#[derive(Debug)]
pub(crate) struct Compared {
    /// Numbers, each with its neighbours.
    pub numbers: Vec<i128>,
    /// Patterns of strings.
    pub patterns: Vec<&'static str>,
}

/// The use of a stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It follows from what is written: an offset, a size, a checksum.
    Derived,
    /// It is a number of items.
    Count,
}

/// A value that expressions name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SlotName {
    pub path: Vec<&'static str>,
    /// The packed word that it is.
    pub word: Option<&'static Declaration>,
    /// The index of the import that it comes from.
    pub import: Option<usize>,
}

/// What a unit is made of.
#[derive(Debug)]
pub(crate) enum Body {
    /// Fields one after the other.
    Struct(Vec<Step>),
    /// The first alternative whose condition holds.
    Choice(Vec<(Code, Step)>),
    /// A named value of an integer of so many bytes.
    Enum(u32),
    /// A packed word of so many bytes.
    Word(u32),
}

/// One field.
#[derive(Debug)]
pub(crate) struct Step {
    pub field: &'static Field,
    /// The alternative of a choice that it is.
    pub variant: Option<&'static Variant>,
    pub form: FormId,
    pub call: Call,
    pub condition: Option<Code>,
    pub position: Option<Code>,
    pub count: Option<Code>,
    pub checks: Vec<Code>,
    /// The constraints that are conditions.
    pub holds: Vec<(&'static Constraint, Code)>,
    pub block: Option<BlockStep>,
    /// The use of its value.
    pub usage: Option<Use>,
    /// The slot of its own value.
    pub value: Option<Slot>,
    /// Which values of its parts go where: a slot of the part's unit, and one of this unit.
    pub exports: Vec<(Slot, Slot)>,
}

/// What the bytes of a field hold.
#[derive(Debug)]
pub(crate) struct BlockStep {
    pub block: &'static Block,
    pub form: FormId,
    pub call: Call,
    pub size: Option<Code>,
    pub encoding: Option<Code>,
    /// The field that the checksum is stored in.
    pub checksum: Option<Code>,
}

/// The arguments for the imports of a unit.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub arguments: Vec<Argument>,
}

/// The argument for one import.
#[derive(Debug)]
pub(crate) enum Argument {
    /// A number, truth value, word or string, and the slot that names it.
    Value(Code, Option<Slot>),
    /// Fields of a struct, each with the slot that names it.
    Fields(Vec<(Code, Slot)>),
}

impl Step {
    /// The form of what the field holds, and its arguments.
    pub fn content(&self) -> (FormId, &Call) {
        match &self.block {
            Some(block) => (block.form, &block.call),
            None => (self.form, &self.call),
        }
    }
}

impl Body {
    /// The fields, or the field of each alternative.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        let (fields, variants): (&[Step], &[(Code, Step)]) = match self {
            Body::Struct(fields) => (fields, &[]),
            Body::Choice(variants) => (&[], variants),
            Body::Enum(_) | Body::Word(_) => (&[], &[]),
        };
        fields.iter().chain(variants.iter().map(|(_, step)| step))
    }

    /// As [`steps`](Body::steps), to be changed.
    pub fn steps_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        let (fields, variants): (&mut [Step], &mut [(Code, Step)]) = match self {
            Body::Struct(fields) => (fields, &mut []),
            Body::Choice(variants) => (&mut [], variants),
            Body::Enum(_) | Body::Word(_) => (&mut [], &mut []),
        };
        fields.iter_mut().chain(variants.iter_mut().map(|(_, step)| step))
    }
}
