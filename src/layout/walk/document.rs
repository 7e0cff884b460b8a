//! Walks over documents: values in memory with declared names.

use std::borrow::Cow;
use std::io::Cursor;

use binrw::{BinWrite, Endian};

use super::walker::{Flow, Interrupt, Space, Walker};
use super::{Fault, Segment, Visitor};
use crate::bulk::{self, Plain};
use crate::layout::declaration::Type;
use crate::layout::program::{Frames, Item, Kind, Program, Step};
use crate::{Limits, Rule};

/// A part of a document.
pub enum Part<'d> {
    /// A missing value, or one determined during encoding, such as an offset or a packed size.
    Unknown,
    /// An encoded value that satisfies all constraints of these rules, as a faster check found.
    Checked(Cow<'d, [u8]>, &'static [&'static Rule]),
    /// The encoded value: all items of a list, or the unpacked content of a block.
    Bytes(Cow<'d, [u8]>),
    /// A struct, or the chosen variant of a choice.
    Fields(Box<dyn Fields + 'd>),
    /// The items of a list.
    Items(Box<dyn Iterator<Item = Part<'d>> + 'd>),
}

/// A struct of a document.
///
/// Fields return [`Part::Bytes`] for single values and bulk data, which the walker decodes by the declaration.
pub trait Fields {
    /// Returns the value of the declared field `name`, or of the variant `name` of a choice.
    fn field(&self, name: &'static str) -> Part<'_>;
}

/// The values of a struct that its file stores as they are. `#[derive(StoredFields)]` implements it.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::walk::{Fields, Part, StoredFields};
/// use meshspec::layout::{Layout, check_document};
/// use meshspec::{Report, Rule, Severity};
///
/// #[derive(Layout, StoredFields)]
/// #[binrw]
/// #[brw(little)]
/// struct Grid {
///     #[br(temp)]
///     #[bw(try_calc = u8::try_from(heights.len()))]
///     count: u8,
///     #[layout(at_least = 1, rule = SPACING)]
///     spacing: u16,
///     #[br(count = count)]
///     heights: Vec<u8>,
/// }
///
/// static SPACING: Rule = Rule::new("SPACING", Severity::Error, "The spacing is not 0.");
///
/// impl Fields for Grid {
///     fn field(&self, name: &'static str) -> Part<'_> {
///         match name {
///             "count" => Part::count::<u8>(self.heights.len()),
///             _ => self.stored(name),
///         }
///     }
/// }
///
/// let mut report = Report::default();
/// check_document(&Grid::TYPE, &Grid { spacing: 0, heights: vec![1, 2] }, &mut report);
/// assert_eq!(report.findings()[0].to_string(), "spacing: found 0, expected at least 1 [SPACING]");
/// ```
pub trait StoredFields {
    /// Returns the value of the declared field `name`; [`Part::Unknown`] if the struct does not have it.
    fn stored(&self, name: &'static str) -> Part<'_>;
}

impl<T: Fields + ?Sized> Fields for &T {
    fn field(&self, name: &'static str) -> Part<'_> {
        (**self).field(name)
    }
}

impl<'d> Part<'d> {
    /// Creates a part from a struct of the document.
    pub fn fields(fields: impl Fields + 'd) -> Part<'d> {
        Part::Fields(Box::new(fields))
    }

    /// Creates a part from the items of a list.
    pub fn items<T>(
        items: impl IntoIterator<Item = T, IntoIter: 'd>,
        part: impl FnMut(T) -> Part<'d> + 'd,
    ) -> Part<'d> {
        Part::Items(Box::new(items.into_iter().map(part)))
    }

    /// Creates a part from a number of items; [`Part::Unknown`] if it does not fit in `N`.
    pub fn count<N: TryFrom<usize> + Into<i128>>(items: usize) -> Part<'d> {
        let count = N::try_from(items).map(Into::<i128>::into);
        count
            .map_or(Part::Unknown, |count| Part::Bytes(count.to_le_bytes()[..size_of::<N>()].to_vec().into()))
    }

    /// Creates a part from numbers.
    pub fn bulk<T: Plain>(values: &'d [T]) -> Part<'d> {
        Part::Bytes(bulk::as_bytes(values))
    }

    /// Creates a part from a value that binrw encodes in little-endian byte order; [`Part::Unknown`] if that fails.
    pub fn little_endian<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Part<'d> {
        Part::encoded(value, Endian::Little)
    }

    /// Creates a part from a value that binrw encodes in big-endian byte order; [`Part::Unknown`] if that fails.
    pub fn big_endian<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Part<'d> {
        Part::encoded(value, Endian::Big)
    }

    fn encoded<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T, endian: Endian) -> Part<'d> {
        let mut bytes = Cursor::new(Vec::new());
        match value.write_options(&mut bytes, endian, ()) {
            Ok(()) => Part::Bytes(bytes.into_inner().into()),
            Err(_) => Part::Unknown,
        }
    }

    /// Creates a part from a number or packed word.
    pub fn number<const N: usize>(le_bytes: [u8; N]) -> Part<'d> {
        Part::Bytes(Cow::Owned(le_bytes.to_vec()))
    }
}

/// Walks over a document as a value of type `ty`. Encoded values that do not match the declaration end the walk
/// with a fault.
pub(in crate::layout) fn walk_fields(
    ty: &'static Type,
    document: &dyn Fields,
    limits: &Limits,
    visitor: &mut dyn Visitor,
) -> Result<(), Fault> {
    let program = Program::of(ty);
    let frames = Frames::new(program);
    let mut walker =
        Walker { program, visitor, path: Vec::new(), limits, muted: false, frames, covered: None };
    match walker.part(Part::fields(document), &Item::root(program)) {
        Ok(()) | Err(Interrupt::Stopped) => Ok(()),
        Err(Interrupt::Fault(fault)) => Err(*fault),
    }
}

impl Walker<'_> {
    fn part(&mut self, part: Part, item: &Item) -> Flow<()> {
        let nothing = Space::of(&[]);
        let form = &self.program.forms[item.form];
        match (part, form.kind) {
            (Part::Checked(bytes, rules), _) => {
                if self.visitor.wants_beyond(form.ty, rules) {
                    self.part(Part::Bytes(bytes), item)?;
                }
            }
            (Part::Bytes(bytes), kind) => {
                let size = match kind {
                    Kind::Items(inner, None) => {
                        self.frames.size_of(inner, item.call).filter(|size| *size > 0)
                    }
                    _ => None,
                };
                let space = Space::of(&bytes);
                let item = Item { count: size.map(|size| space.len() / size), ..*item };
                let end = self.value(&space, 0, &item)?;
                self.constrained(&space, 0..end, &item);
            }
            (Part::Fields(fields), Kind::Struct(unit)) => {
                self.unit(&nothing, 0, item, unit, |walker, unit| {
                    walker.group(&nothing, 0, item, |walker, _| {
                        unit.steps.iter().try_for_each(|step| walker.field_part(&*fields, step))?;
                        Ok((0, None))
                    })
                })?;
            }
            (Part::Fields(fields), Kind::Choice(unit)) => {
                self.unit(&nothing, 0, item, unit, |walker, unit| match walker.frames.choose(&unit.steps) {
                    Ok(step) => walker.field_part(&*fields, step),
                    Err(_) => Ok(()),
                })?;
            }
            (Part::Items(items), Kind::Items(inner, _)) => {
                let inner = item.item(inner);
                self.group(&nothing, 0, item, |walker, _| {
                    let mut count = 0;
                    for part in items {
                        walker.path.push(Segment::Index(count));
                        walker.part(part, &inner)?;
                        walker.path.pop();
                        count += 1;
                    }
                    Ok((0, Some(count)))
                })?;
            }
            (Part::Unknown | Part::Fields(_) | Part::Items(_), _) => {}
        }
        Ok(())
    }

    /// Walks over a field, or over the chosen variant of a choice.
    fn field_part(&mut self, fields: &dyn Fields, step: &'static Step) -> Flow<()> {
        if step.condition.as_ref().is_some_and(|condition| self.frames.truth(condition) != Ok(true)) {
            return Ok(());
        }
        let is_named_elsewhere = step.value.is_some() || !step.exports.is_empty();
        if !is_named_elsewhere && !self.visitor.wants(step.field) {
            return Ok(());
        }
        let item = match &step.block {
            Some(block) => Item::of_field(step).content(block),
            None => Item::of_field(step),
        };
        let is_named = step.variant.is_none() && step.field.block.is_none_or(|block| !block.inline);
        if is_named {
            self.path.push(Segment::Field(step.field.name));
        }
        let was_muted = self.muted;
        self.muted |= step.field.lookahead;
        let name = step.variant.map_or(step.field.name, |variant| variant.name);
        self.part(fields.field(name), &item)?;
        self.muted = was_muted;
        if is_named {
            self.path.pop();
        }
        Ok(())
    }
}
