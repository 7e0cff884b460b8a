//! What follows from the declaration of a format, without a codec.

use std::ops::ControlFlow;

use super::{About, Confidence, Detection, RuleExample};
use crate::contents::{Contents, Fields};
use crate::info::{Info, Property, PropertyValue};
use crate::layout::declaration::{Field, Type};
use crate::layout::grammar::Grammar;
use crate::layout::structure::Rest;
use crate::layout::walk::{self, Fault, Node, Segment, Visit, Visitor};
use crate::lines::Line;
use crate::{Dialect, ReadOptions, Report, Result, Rule, Span};

/// A format with a declaration: what can be done with its files.
///
/// All of it follows from the declaration that [`ABOUT`](Declared::ABOUT) names, so that a format of one's own need say
/// no more. What the declaration cannot say is written in place of what is derived.
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
    /// Name, extensions, dialects, rules, layouts.
    const ABOUT: &'static About;

    /// The declaration of a text format; `None` for a binary format, which has layouts.
    const GRAMMAR: Option<&'static Grammar> = None;

    /// How surely these bytes are a file of this format, judged by magic bytes and structure, and its dialect. A file
    /// that is known to be of this format has this dialect, however sure that is.
    ///
    /// By default, the layout with the file's magic bytes that it follows furthest; among layouts without magic bytes, the
    /// first that the whole file follows.
    fn detect(bytes: &[u8]) -> Detection {
        detect(Self::ABOUT, bytes)
    }

    /// The dialect to read these bytes as: that of the options or, without one, the one that is detected.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect of the options.
    fn dialect_of(bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        match options.dialect {
            Some(dialect) => Self::ABOUT.require_dialect(dialect).map(|()| dialect),
            None => Ok(Self::detect(bytes).dialect),
        }
    }

    /// The declaration of a whole file of this dialect with these bytes; `None` for a text format. By default, the layout
    /// at the place that the dialect has among the dialects.
    fn layout_of(bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        let _ = bytes;
        Self::ABOUT.layout(dialect)
    }

    /// A strategy for valid files, each with its dialect; `None` if no declaration states how to make any.
    ///
    /// By default, the files that the layouts [generate](crate::layout::generate::files), without those in which
    /// [`check_file`](Declared::check_file) finds an error or, if they are to be plausible, anything.
    #[cfg(feature = "proptest")]
    fn files(config: crate::layout::generate::Config) -> Option<super::generated::Files> {
        super::generated::declared(Self::ABOUT, Self::check_file, config)
    }

    /// Everything that is wrong with a file, each finding with its place. See [`check`](crate::check).
    ///
    /// By default, where the file does not follow its declaration, or else what follows its last field, what violates the
    /// constraints of the declaration, and what [`check_content`](Declared::check_content) says.
    ///
    /// # Errors
    ///
    /// If decoding would take more than the limits allow or the dialect is not one of the format's.
    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let dialect = Self::dialect_of(bytes, options)?;
        let Some(ty) = Self::layout_of(bytes, dialect) else { return Ok(report) };
        let structure = Self::ABOUT.structure(ty);
        if structure.check(bytes, &options.limits, &mut report)? {
            Self::check_content(bytes, dialect, &mut report);
        }
        structure.place(&mut report, bytes, &options.limits);
        Ok(report)
    }

    /// Adds what is wrong with a file that follows its declaration: rules that the declaration cannot say. Findings get
    /// their places by their paths.
    fn check_content(bytes: &[u8], dialect: Dialect, report: &mut Report) {
        let _ = (bytes, dialect, report);
    }

    /// A summary of a file. By default, the number of items of each list.
    ///
    /// # Errors
    ///
    /// The first thing that keeps the file from being decoded, with its place.
    fn info_of(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        let dialect = Self::dialect_of(bytes, options)?;
        let mut info = Info::new(Self::ABOUT.name, dialect);
        if let Some(layout) = Self::layout_of(bytes, dialect) {
            let mut counts = Counts::default();
            walk::walk(layout, bytes, &options.limits, &mut counts)
                .map_err(|fault| Self::ABOUT.structure(layout).error(&fault))?;
            info.properties = counts.0;
        }
        Ok(info)
    }

    /// The contents of a file as plain numbers. By default, the decoded fields by their paths.
    ///
    /// # Errors
    ///
    /// The first thing that keeps the file from being decoded, with its place.
    fn contents_of<'f>(bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        let dialect = Self::dialect_of(bytes, options)?;
        let mut contents = Contents::new(Self::ABOUT.name, dialect);
        if let Some(layout) = Self::layout_of(bytes, dialect) {
            let fields = Fields::new(layout, bytes, &options.limits);
            contents.fields = Some(fields.map_err(|fault| Self::ABOUT.structure(layout).error(&fault))?);
        }
        Ok(contents)
    }

    /// Calls `each` with each line of a text file and its meaning, until it breaks. A binary format has none.
    fn lines(bytes: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
        let _ = (bytes, each);
    }

    /// What keeps a text file from being decoded although each of its lines can be.
    fn check_lines(bytes: &[u8]) -> Report {
        let _ = bytes;
        Report::default()
    }

    /// Returns an example of a rule that no [breakage](crate::layout::generate::breakages) of a generated file breaks
    /// alone. By default, there is none.
    fn example_of(rule: &'static Rule) -> Option<RuleExample> {
        let _ = rule;
        None
    }
}

fn detect(about: &About, bytes: &[u8]) -> Detection {
    let layouts = about.layouts().iter().map(|(_, layout)| *layout);
    let has_dialects = about.dialects.len() > 1;
    let rated = about.dialects.iter().zip(layouts).map(|(dialect, layout)| {
        let confidence = confidence(layout, bytes);
        let reach = if has_dialects && confidence == Confidence::Magic { reach(layout, bytes) } else { 0 };
        ((confidence, reach), *dialect)
    });
    // The first of the surest.
    let best = rated.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let ((confidence, _), dialect) = best.unwrap_or(((Confidence::None, 0), Dialect::Spec));
    Detection { confidence, dialect }
}

fn confidence(layout: &'static Type, bytes: &[u8]) -> Confidence {
    let magic = layout.magic();
    if !magic.is_empty() {
        return if bytes.starts_with(magic) { Confidence::Magic } else { Confidence::None };
    }
    if reach(layout, bytes) == u64::MAX { Confidence::Structure } else { Confidence::None }
}

/// Returns the offset of the first mismatch with a layout, or `u64::MAX` if there is none.
fn reach(layout: &'static Type, bytes: &[u8]) -> u64 {
    let mut report = Report::default();
    match walk::walk(layout, bytes, &Default::default(), &mut Rest(&mut report)) {
        Ok(_) if report.findings().is_empty() => u64::MAX,
        Ok(end) => end,
        Err(Fault { span: Span::Unpacked { packed, .. }, .. }) => packed.start,
        Err(fault) => fault.span.range().start,
    }
}

/// The number of items of each list, those of all lists with the same names together.
#[derive(Default)]
struct Counts(Vec<Property>);

impl Visitor for Counts {
    fn enter(&mut self, node: &Node) -> Visit {
        let Some((item, fixed)) = node.ty.items() else { return Visit::All };
        if fixed.is_none() {
            // Before the lists in its items.
            self.add(node.path, 0);
        }
        // There may be millions of items, which have nothing to tell.
        if has_list(item) { Visit::All } else { Visit::Items(0..0) }
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Some((_, None)), Some(count)) = (node.ty.items(), node.count) {
            self.add(node.path, count);
        }
        ControlFlow::Continue(())
    }
}

impl Counts {
    fn add(&mut self, path: &[Segment], count: u64) {
        let names = path.iter().filter_map(|segment| match segment {
            Segment::Field(name) => Some(*name),
            Segment::Index(_) => None,
        });
        let name = names.collect::<Vec<_>>().join(".");
        match self.0.iter_mut().find(|property| property.name == name) {
            Some(Property { value: PropertyValue::Count(sum), .. }) => *sum = sum.saturating_add(count),
            _ => self.0.push(Property { name, value: PropertyValue::Count(count) }),
        }
    }
}

fn has_list(ty: &Type) -> bool {
    let field = |field: &Field| has_list(&field.ty) || has_list(&field.content());
    ty.flat().is_list() || ty.declaration().is_some_and(|declaration| declaration.fields().any(field))
}
