//! Operations that need only the declaration of a format, not a codec.

use std::ops::{ControlFlow, Range};

use super::{About, Confidence, Detection, RuleExample};
use crate::contents::{Contents, Fields};
use crate::info::{Info, Property, PropertyValue};
use crate::layout::declaration::{Field, Shape, Type};
use crate::layout::grammar::Grammar;
use crate::layout::structure::TrailingVisitor;
use crate::layout::walk::{self, Fault, Node, Segment, Visit, Visitor};
use crate::lines::Line;
use crate::text::count_mismatches;
use crate::{Dialect, Limits, Loss, ReadOptions, Report, Result, Rule, Span};

/// A declared format and the operations on its files.
///
/// Every operation has a default derived from [`ABOUT`](Declared::ABOUT), so a custom format needs only that
/// constant. Override an operation where the declaration does not suffice.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::{About, AnyFormat, Declared, check};
///
/// /// Depths under water.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little, magic = b"DPTH")]
/// struct Depths {
///     /// Number of depths.
///     #[br(temp)]
///     #[bw(try_calc = u32::try_from(metres.len()))]
///     count: u32,
///     /// Depths in metres.
///     #[br(count = count)]
///     metres: Vec<f32>,
/// }
///
/// impl Declared for Depths {
///     const ABOUT: &'static About =
///         &About::new("depths", "Depths", || &[("depths", &Depths::TYPE)]).with_extensions(&["dpth"]);
/// }
///
/// let format = AnyFormat::of::<Depths>();
/// let report = check(b"DPTH\x02\0\0\0\0\0\0\0", format, &Default::default())?;
/// assert_eq!(
///     report.findings()[0].to_string(),
///     "metres (bytes 0x8..0xc): needs 8 bytes, but 4 remain [LAYOUT-TRUNCATED]",
/// );
/// let info = format.info(b"DPTH\x01\0\0\0\0\0\0\0", &Default::default())?;
/// assert_eq!(info.properties[0].name, "metres");
/// # Ok::<(), meshspec::Error>(())
/// ```
pub trait Declared: 'static {
    /// The description of the format.
    const ABOUT: &'static About;

    /// The grammar of a text format; `None` for a binary format, which has layouts.
    const GRAMMAR: Option<&'static Grammar> = None;

    /// Rates how well `bytes` match the format, by magic bytes and structure, and detects the dialect. If the file is
    /// known to have this format, the dialect is valid even at low confidence.
    ///
    /// For a text format, the first 4 MiB decide.
    ///
    /// By default, chooses among layouts with matching magic bytes the one that matches the longest prefix of the file.
    /// Without such a layout, chooses the first layout without magic bytes that matches the whole file.
    fn detect(bytes: &[u8]) -> Detection {
        detect_by_layouts(Self::ABOUT, bytes)
    }

    /// Returns `false` if no file of the format starts with the bytes `start`, so that the rest of a large file need not
    /// be read.
    ///
    /// By default, compares the magic bytes of the layouts. Returns `true` if a layout has none.
    fn may_start_with(start: &[u8]) -> bool {
        let layouts = Self::ABOUT.layouts();
        layouts.is_empty()
            || layouts
                .iter()
                .any(|(_, layout)| count_mismatches(start, leading_magic(layout)) == 0)
    }

    /// Returns the dialect in which to read `bytes`: the dialect in the options, or else the detected one.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect in the options.
    fn dialect_of(bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        match options.dialect {
            Some(dialect) => Self::ABOUT.require_dialect(dialect).map(|()| dialect),
            None => Ok(Self::detect(bytes).dialect),
        }
    }

    /// Returns the layout of a file in `dialect`; `None` for a text format. By default, the layout at the index of the
    /// dialect, if any.
    fn layout_of(bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        let _ = bytes;
        Self::ABOUT.layout(dialect)
    }

    /// Returns a strategy for valid files, each with its dialect; `None` if files cannot be generated.
    ///
    /// By default, files are [generated](crate::layout::generate::files) from the layouts. Files in which
    /// [`check_file`](Declared::check_file) finds an error are discarded; if `config.plausible` is set, files with any
    /// finding.
    #[cfg(feature = "proptest")]
    fn files(config: crate::layout::generate::Config) -> Option<super::generated::Files> {
        super::generated::generated_files(Self::ABOUT, Self::check_file, config)
    }

    /// Returns all violations in a file, each with its location. See [`check`](crate::check).
    ///
    /// By default, reports the first structural fault, and trailing bytes of blocks before it. If the structure is
    /// valid, reports trailing bytes, violations of constraints, wrong checksums, and the findings of
    /// [`check_content`](Declared::check_content).
    ///
    /// # Errors
    ///
    /// Returns an error if decoding exceeds the limits or needs a packing whose feature is disabled, or the format
    /// lacks the dialect in the options.
    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let dialect = Self::dialect_of(bytes, options)?;
        let Some(ty) = Self::layout_of(bytes, dialect) else {
            return Ok(report);
        };
        let structure = Self::ABOUT.structure(ty);
        if structure.check(bytes, &options.limits, &mut report)? {
            Self::check_content(bytes, dialect, &options.limits, &mut report)?;
        }
        structure.locate_findings(&mut report, bytes, &options.limits);
        Ok(report)
    }

    /// Adds violations of rules that the declaration cannot express. Called only if the structure of the file is
    /// valid. Each violation then gets a byte range, looked up by its path.
    ///
    /// # Errors
    ///
    /// Returns an error if decoding the file exceeds `limits`.
    fn check_content(
        bytes: &[u8],
        dialect: Dialect,
        limits: &Limits,
        report: &mut Report,
    ) -> Result<()> {
        let _ = (bytes, dialect, limits, report);
        Ok(())
    }

    /// Summarises a file. By default, counts the items in each list.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be decoded, or the format lacks the dialect in the options.
    fn info_of(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        let dialect = Self::dialect_of(bytes, options)?;
        let mut info = Info::new(Self::ABOUT.name, dialect);
        if let Some(layout) = Self::layout_of(bytes, dialect) {
            let mut counts = ListCounts::default();
            walk::walk(layout, bytes, &options.limits, &mut counts)
                .map_err(|fault| Self::ABOUT.structure(layout).to_error(&fault))?;
            info.properties = counts.0;
        }
        Ok(info)
    }

    /// Returns the decoded contents of a file: unpacked numbers and strings, in one structure for all formats. By
    /// default, the decoded fields by path.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be decoded, or the format lacks the dialect in the options.
    fn contents_of<'f>(bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        let dialect = Self::dialect_of(bytes, options)?;
        let mut contents = Contents::new(Self::ABOUT.name, dialect);
        if let Some(layout) = Self::layout_of(bytes, dialect) {
            let fields = Fields::new(layout, bytes, &options.limits);
            contents.fields =
                Some(fields.map_err(|fault| Self::ABOUT.structure(layout).to_error(&fault))?);
        }
        Ok(contents)
    }

    /// Returns the losses of reading a file as a document: a count of the [bytes that no field
    /// covers](walk::uncovered), with their ranges, for the gaps of the file and for its trailing bytes. Empty for a text
    /// format, and for a file that its declaration does not match. Formats override this if their documents hold these
    /// bytes.
    fn uncovered_bytes(bytes: &[u8], options: &ReadOptions) -> Vec<Loss> {
        let dialect = Self::dialect_of(bytes, options).unwrap_or_default();
        let layout = Self::layout_of(bytes, dialect);
        let uncovered =
            layout.and_then(|layout| walk::uncovered(layout, bytes, &options.limits).ok());
        uncovered_losses(uncovered.unwrap_or_default(), bytes.len() as u64)
    }

    /// Calls `each` with each line of a text file and its meaning, until `each` returns `ControlFlow::Break`. Does
    /// nothing by default.
    fn lines(bytes: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
        let _ = (bytes, each);
    }

    /// Returns the violations that prevent decoding a text file and belong to no line, such as missing properties.
    /// Empty by default.
    fn check_lines(bytes: &[u8]) -> Report {
        let _ = bytes;
        Report::default()
    }

    /// Returns valid and broken files for cases that generated files rarely cover, each with a description. Empty by
    /// default.
    #[cfg(feature = "proptest")]
    fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    /// Returns an example for a rule that generated [breakages](crate::layout::generate::breakages) never violate in
    /// isolation. `None` by default.
    fn example_of(rule: &'static Rule) -> Option<RuleExample> {
        let _ = rule;
        None
    }
}

/// Returns the losses of dropping the ranges of bytes that no field covers, in a file of `size` bytes.
pub(super) fn uncovered_losses(uncovered: Vec<Range<u64>>, size: u64) -> Vec<Loss> {
    let (trailing, gaps) = uncovered
        .into_iter()
        .partition::<Vec<_>, _>(|range| range.end == size);
    let loss = |path: &str, ranges: Vec<Range<u64>>| {
        let count = ranges
            .iter()
            .map(|range| range.end - range.start)
            .sum::<u64>();
        Loss::dropped(path, "bytes that no field covers")
            .with_count(count as usize, "bytes")
            .listing(
                ranges
                    .into_iter()
                    .map(|range| Span::Bytes(range).to_string()),
            )
    };
    [loss("gaps", gaps), loss(walk::TRAILING, trailing)]
        .into_iter()
        .flatten()
        .collect()
}

fn detect_by_layouts(about: &About, bytes: &[u8]) -> Detection {
    let layouts = about.layouts().iter().map(|(_, layout)| *layout);
    let has_dialects = about.dialects.len() > 1;
    let rated = about.dialects.iter().zip(layouts).map(|(dialect, layout)| {
        let confidence = rate_layout(layout, bytes);
        let needs_mismatch = has_dialects && confidence == Confidence::Magic;
        let mismatch = if needs_mismatch {
            first_mismatch(layout, bytes)
        } else {
            0
        };
        ((confidence, mismatch), *dialect)
    });
    // On a tie, the first layout wins.
    let best = rated.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let ((confidence, _), dialect) = best.unwrap_or(((Confidence::None, 0), Dialect::Spec));
    Detection {
        confidence,
        dialect,
    }
}

/// Returns the magic bytes of a type or of its first field, if that is always at the start; otherwise, no bytes.
fn leading_magic(ty: &Type) -> &'static [u8] {
    let Type::Declared(declaration) = ty else {
        return &[];
    };
    match declaration.shape {
        Shape::Struct([first, ..])
            if declaration.magic.is_empty()
                && first.condition.is_none()
                && first.position.is_none()
                && first.block.is_none() =>
        {
            leading_magic(&first.ty)
        }
        _ => declaration.magic,
    }
}

fn rate_layout(layout: &'static Type, bytes: &[u8]) -> Confidence {
    let magic = layout.magic();
    if !magic.is_empty() {
        return Confidence::by_magic(bytes, magic);
    }
    if first_mismatch(layout, bytes) == u64::MAX {
        Confidence::Structure
    } else {
        Confidence::None
    }
}

/// Returns the offset of the first mismatch with a layout, or `u64::MAX` if the whole file matches.
fn first_mismatch(layout: &'static Type, bytes: &[u8]) -> u64 {
    let mut report = Report::default();
    match walk::walk(
        layout,
        bytes,
        &Default::default(),
        &mut TrailingVisitor(&mut report),
    ) {
        Ok(_) if report.findings().is_empty() => u64::MAX,
        Ok(end) => end,
        Err(Fault {
            span: Span::Unpacked { packed, .. },
            ..
        }) => packed.start,
        Err(fault) => fault.span.range().start,
    }
}

/// The number of items in each list of variable length, summed over paths that differ only in indices.
#[derive(Default)]
struct ListCounts(Vec<Property>);

impl Visitor for ListCounts {
    fn enter(&mut self, node: &Node) -> Visit {
        let Some((item, fixed)) = node.ty.item_type_and_count() else {
            return Visit::All;
        };
        if fixed.is_none() {
            // Adds the list before any list inside its items.
            self.add_count(node.path, 0);
        }
        // Skips items without lists: there may be millions of them.
        if has_list(item) {
            Visit::All
        } else {
            Visit::Items(0..0)
        }
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Some((_, None)), Some(count)) = (node.ty.item_type_and_count(), node.count) {
            self.add_count(node.path, count);
        }
        ControlFlow::Continue(())
    }
}

impl ListCounts {
    fn add_count(&mut self, path: &[Segment], count: u64) {
        let name = path
            .iter()
            .filter_map(|segment| segment.name())
            .collect::<Vec<_>>()
            .join(".");
        match self.0.iter_mut().find(|property| property.name == name) {
            Some(Property {
                value: PropertyValue::Count(sum),
                ..
            }) => *sum = sum.saturating_add(count),
            _ => self.0.push(Property {
                name,
                value: PropertyValue::Count(count),
            }),
        }
    }
}

fn has_list(ty: &Type) -> bool {
    let field = |field: &Field| has_list(&field.ty) || has_list(&field.content_type());
    ty.flatten().is_list()
        || ty
            .declaration()
            .is_some_and(|declaration| declaration.fields().any(field))
}
