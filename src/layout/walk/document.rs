//! Walks over documents: values in memory with declared names.

use std::borrow::Cow;
use std::io::Cursor;

use binrw::{BinWrite, Endian};

use super::space::Space;
use super::walker::{Interrupt, Walked, Walker};
use super::{Fault, Segment, Visitor};
use crate::Limits;
use crate::bulk::{self, PlainData};
use crate::layout::declaration::Type;
use crate::layout::program::{FormKind, Item, Step};

/// A value in a document: a field, the variant of a choice, or an item of a list.
pub enum DocumentValue<'d> {
    /// A missing value, or one determined during encoding, such as an offset or a packed size.
    Unknown,
    /// The encoded value; for a list, all its items; for a block, its unpacked content.
    Bytes(Cow<'d, [u8]>),
    /// A struct, or the chosen variant of a choice.
    Fields(Box<dyn Fields + 'd>),
    /// The items of a list.
    Items(Box<dyn Iterator<Item = DocumentValue<'d>> + 'd>),
}

/// Looks up the fields of a struct in a document by their declared names.
///
/// Implementations return [`DocumentValue::Bytes`] for scalars and bulk data, which the walker decodes.
pub trait Fields {
    /// Returns the value of the declared field `name`, or of the variant `name` of a choice.
    fn field(&self, name: &'static str) -> DocumentValue<'_>;
}

/// Looks up those fields of a struct that a file stores without conversion, by their declared names.
/// `#[derive(StoredFields)]` implements the trait.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::walk::{Fields, DocumentValue, StoredFields};
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
///     fn field(&self, name: &'static str) -> DocumentValue<'_> {
///         match name {
///             "count" => DocumentValue::count::<u8>(self.heights.len()),
///             _ => self.stored_field(name),
///         }
///     }
/// }
///
/// let mut report = Report::default();
/// check_document(&Grid::TYPE, &Grid { spacing: 0, heights: vec![1, 2] }, &mut report);
/// assert_eq!(report.findings()[0].to_string(), "spacing: found 0, expected at least 1 [SPACING]");
/// ```
pub trait StoredFields {
    /// Returns the value of the declared field `name`; [`DocumentValue::Unknown`] if the field is absent, not stored,
    /// converted before it is stored, or encoded with arguments.
    fn stored_field(&self, name: &'static str) -> DocumentValue<'_>;
}

impl<T: Fields + ?Sized> Fields for &T {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        (**self).field(name)
    }
}

impl<'d> DocumentValue<'d> {
    /// Creates a value from a struct of the document.
    pub fn fields(fields: impl Fields + 'd) -> DocumentValue<'d> {
        DocumentValue::Fields(Box::new(fields))
    }

    /// Creates a value from the items of a list.
    pub fn items<T>(
        items: impl IntoIterator<Item = T, IntoIter: 'd>,
        to_value: impl FnMut(T) -> DocumentValue<'d> + 'd,
    ) -> DocumentValue<'d> {
        DocumentValue::Items(Box::new(items.into_iter().map(to_value)))
    }

    /// Creates a value of type `N` from a number of items; [`DocumentValue::Unknown`] if the number does not fit.
    pub fn count<N: TryFrom<usize> + Into<i128>>(items: usize) -> DocumentValue<'d> {
        let Ok(count) = N::try_from(items) else {
            return DocumentValue::Unknown;
        };
        DocumentValue::Bytes(count.into().to_le_bytes()[..size_of::<N>()].to_vec().into())
    }

    /// Creates a value from a list of numbers or plain structs.
    pub fn bulk<T: PlainData>(values: &'d [T]) -> DocumentValue<'d> {
        DocumentValue::Bytes(bulk::as_bytes(values))
    }

    /// Encodes a value with binrw in little-endian byte order; [`DocumentValue::Unknown`] if encoding fails.
    pub fn little_endian<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> DocumentValue<'d> {
        DocumentValue::encoded(value, Endian::Little)
    }

    /// Encodes a value with binrw in big-endian byte order; [`DocumentValue::Unknown`] if encoding fails.
    pub fn big_endian<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> DocumentValue<'d> {
        DocumentValue::encoded(value, Endian::Big)
    }

    fn encoded<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T, endian: Endian) -> DocumentValue<'d> {
        let mut bytes = Cursor::new(Vec::new());
        match value.write_options(&mut bytes, endian, ()) {
            Ok(()) => DocumentValue::Bytes(bytes.into_inner().into()),
            Err(_) => DocumentValue::Unknown,
        }
    }

    /// Creates a value from the little-endian bytes of a number or packed word.
    pub fn number<const N: usize>(le_bytes: [u8; N]) -> DocumentValue<'d> {
        DocumentValue::Bytes(Cow::Owned(le_bytes.to_vec()))
    }
}

/// Walks over a document as a value of type `ty`. Values that only encoding determines, such as checksums, are not
/// visited; an offset is 0 or another number. Spans are not byte ranges of a file.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use std::ops::ControlFlow;
///
/// use meshspec::layout::expr::Value;
/// use meshspec::layout::walk::{Node, Visitor, path_text, walk_document};
/// use meshspec::{Dialect, Format, mesh};
///
/// struct Print(String);
///
/// impl Visitor for Print {
///     fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
///         self.0 += &format!("{}: {value}\n", path_text(node.path));
///         ControlFlow::Continue(())
///     }
/// }
///
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let document = mesh::Document::read(&bytes, &Default::default())?;
/// let layout = meshspec::mesh::FORMAT.layout_of(&bytes, Dialect::SPEC).unwrap();
/// let mut print = Print(String::new());
/// walk_document(layout, &document, &Default::default(), &mut print)?;
/// assert!(print.0.contains("header.index_count: 12\n"));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns the fault of the first encoded value that does not match the declaration.
pub fn walk_document(
    ty: &'static Type,
    document: &dyn Fields,
    limits: &Limits,
    visitor: &mut dyn Visitor,
) -> Result<(), Fault> {
    let mut walker = Walker::new(ty, limits, visitor);
    match walker.walk_document_value(DocumentValue::fields(document), &Item::root(walker.program)) {
        Ok(()) | Err(Interrupt::Stopped) => Ok(()),
        Err(Interrupt::Fault(fault)) => Err(*fault),
    }
}

impl Walker<'_> {
    fn walk_document_value(&mut self, value: DocumentValue, item: &Item) -> Walked<()> {
        let nothing = Space::of(&[]);
        let form = &self.program.forms[item.form];
        match (value, form.kind) {
            (DocumentValue::Bytes(bytes), kind) => {
                let space = Space::of(&bytes);
                let count = match kind {
                    FormKind::Items(inner, None) => self.frames.item_size(&item.array_item(inner)),
                    _ => None,
                };
                let item = Item {
                    count: count.and_then(|size| space.len().checked_div(size)),
                    ..*item
                };
                let end = self.walk_value(&space, 0, &item)?;
                self.report_constrained(&space, 0..end, &item);
            }
            (DocumentValue::Fields(fields), FormKind::Struct(unit)) => {
                self.with_unit(&nothing, 0, item, unit, |walker, unit| {
                    walker.walk_group(&nothing, 0, item, |walker, _| {
                        unit.steps
                            .iter()
                            .try_for_each(|step| walker.walk_document_field(&*fields, step))?;
                        Ok((0, None))
                    })
                })?;
            }
            (DocumentValue::Fields(fields), FormKind::Choice(unit)) => {
                self.with_unit(&nothing, 0, item, unit, |walker, unit| {
                    match walker.frames.choose_variant(&unit.steps) {
                        Ok(step) => walker.walk_document_field(&*fields, step),
                        Err(_) => Ok(()),
                    }
                })?;
            }
            (DocumentValue::Items(items), FormKind::Items(inner, _)) => {
                let inner = item.array_item(inner);
                self.frames.start_columns(item);
                self.walk_group(&nothing, 0, item, |walker, _| {
                    let mut count = 0;
                    for value in items {
                        walker.path.push(Segment::Index(count));
                        walker.frames.set_current_item(&inner, count, |()| None);
                        walker.walk_document_value(value, &inner)?;
                        walker.path.pop();
                        count += 1;
                        walker.frames.end_item(&inner, count);
                    }
                    Ok((0, Some(count)))
                })?;
            }
            (DocumentValue::Unknown | DocumentValue::Fields(_) | DocumentValue::Items(_), _) => {}
        }
        Ok(())
    }

    /// Walks over a field, or over the chosen variant of a choice.
    fn walk_document_field(&mut self, fields: &dyn Fields, step: &'static Step) -> Walked<()> {
        match step
            .condition
            .as_ref()
            .map_or(Ok(true), |condition| self.frames.eval_bool(condition))
        {
            Ok(true) => {}
            Ok(false) => {
                self.frames.set_absent(step);
                return Ok(());
            }
            Err(_) => return Ok(()),
        }
        let is_named_elsewhere =
            step.value.is_some() || !step.exports.is_empty() || !step.columns.is_empty();
        if !is_named_elsewhere && !self.visitor.should_request(step.field) {
            return Ok(());
        }
        let item = Item::content_of(step);
        let is_named = step.variant.is_none() && step.field.block.is_none_or(|block| !block.inline);
        if is_named {
            self.path.push(Segment::Field(step.field.name));
        }
        let was_muted = self.is_muted;
        self.is_muted |= step.field.lookahead;
        let name = step.variant.map_or(step.field.name, |variant| variant.name);
        self.walk_document_value(fields.field(name), &item)?;
        self.is_muted = was_muted;
        if is_named {
            self.path.pop();
        }
        Ok(())
    }
}
