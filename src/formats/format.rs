//! The trait of all formats.

use std::ops::ControlFlow;

use super::by_layout::{
    check_by_layout, detect_by_layouts, may_start_with_magic, summarize, uncovered_losses,
};
use super::{About, Detection, RuleExample};
use crate::contents::{Contents, Fields};
use crate::info::Info;
use crate::layout::declaration::Type;
use crate::layout::grammar::Grammar;
use crate::layout::{self, general_rules, walk};
use crate::lines::Line;
#[cfg(feature = "scene")]
use crate::scene::SceneConversions;
use crate::{
    Dialect, Error, ErrorKind, Finding, Limits, Loss, ReadOptions, Report, Result, Rule,
    Strictness, WriteOptions,
};

/// A format: its declaration, and documents that can be decoded, encoded, checked and converted between dialects.
///
/// A type that implements the trait holds the content of one file. For a file that is one binrw struct,
/// [`BinaryFormat`](crate::BinaryFormat) implements it. A format without a codec needs [`ABOUT`](Format::ABOUT) and two
/// functions, and its documents are the bytes of a file. All operations on files follow from the declaration: override
/// one where the declaration does not suffice.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::{About, Format, Loss, ReadOptions, Result, WriteOptions, check, format_of};
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
/// struct DepthsFile(Vec<u8>);
///
/// impl Format for DepthsFile {
///     const ABOUT: &'static About =
///         &About::new("depths", "Depths", || &[("depths", &Depths::TYPE)]).with_extensions(&["dpth"]);
///
///     fn read(bytes: &[u8], options: &ReadOptions) -> Result<DepthsFile> {
///         Self::require_valid(bytes, options)?;
///         Ok(DepthsFile(bytes.to_vec()))
///     }
///
///     fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
///         Self::require_valid(&self.0, &options.to_read_options())?;
///         Ok(self.0.clone())
///     }
///
///     // The document is the whole file, so it loses nothing.
///     fn uncovered_bytes(_: &[u8], _: &ReadOptions) -> Vec<Loss> {
///         Vec::new()
///     }
/// }
///
/// let format = format_of::<DepthsFile>();
/// let report = check(b"DPTH\x02\0\0\0\0\0\0\0", format, &Default::default())?;
/// assert_eq!(
///     report.findings()[0].to_string(),
///     "metres (bytes 0x8..0xc): needs 8 bytes, but 4 remain [LAYOUT-TRUNCATED]",
/// );
/// let info = format.info(b"DPTH\x01\0\0\0\0\0\0\0", &Default::default())?;
/// assert_eq!(info.properties[0].name, "metres");
/// # Ok::<(), meshspec::Error>(())
/// ```
pub trait Format: Sized + Send + Sync + 'static {
    /// The description of the format.
    const ABOUT: &'static About;

    /// The grammar of a text format; `None` for a binary format, which has layouts.
    const GRAMMAR: Option<&'static Grammar> = None;

    /// The conversions between documents and scenes; `None` if there are none.
    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<Self>> = None;

    /// Decodes a file.
    ///
    /// # Errors
    ///
    /// Returns an error, with its location, if the file is rejected, or the format lacks the dialect in the options.
    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Self>;

    /// Encodes the document in its own dialect. The output is deterministic across machines.
    ///
    /// # Errors
    ///
    /// Returns an error if the dialect cannot express the document, or the strictness in the options rejects it.
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// Adds every violation of the format's rules to `report`. By default, encodes the document leniently, and checks the
    /// declaration and [`check_content`](Format::check_content); [`write`](Format::write) must not call it then.
    fn check_into(&self, report: &mut Report) {
        let checked = self.write(&WriteOptions::lenient()).and_then(|bytes| {
            check_by_layout::<Self>(&bytes, self.dialect(), &Limits::default(), report)
        });
        match checked {
            Ok(()) => {}
            Err(error) => report.add(
                error.rule().unwrap_or(&general_rules::VALUE),
                error.path(),
                error.message(),
            ),
        }
    }

    /// Decodes a file and adds every violation to `report`. Formats override this where a single pass is faster.
    ///
    /// # Errors
    ///
    /// See [`read`](Format::read).
    fn read_and_check(bytes: &[u8], options: &ReadOptions, report: &mut Report) -> Result<Self> {
        let document = Self::read(bytes, options)?;
        document.check_into(report);
        Ok(document)
    }

    /// Returns all violations of the format's rules.
    fn check(&self) -> Report {
        let mut report = Report::default();
        self.check_into(&mut report);
        report
    }

    /// The dialect that [`write`](Format::write) uses; by default, the first. A format with several dialects overrides
    /// it.
    fn dialect(&self) -> Dialect {
        Self::ABOUT.dialects.first().copied().unwrap_or_default()
    }

    /// Whether [`into_dialect`](Format::into_dialect) converts between dialects. If so, `meshspec convert` writes the first
    /// dialect by default, otherwise that of the document.
    const CONVERTS_DIALECTS: bool = false;

    /// Converts the document to another dialect. Returns the new document and the losses. By default, only returns a
    /// document that already has the dialect.
    ///
    /// # Errors
    ///
    /// Returns an error if the document cannot be converted to the dialect.
    fn into_dialect(self, dialect: Dialect) -> Result<(Self, Vec<Loss>)> {
        Self::ABOUT.require_dialect(dialect)?;
        if self.dialect() != dialect {
            return Err(no_conversion(self.dialect(), dialect).in_format(Self::ABOUT.name));
        }
        Ok((self, Vec::new()))
    }

    /// Summarises the document: counts, attributes, bounds. By default, counts the items in each list and summarises the
    /// scene.
    fn info(&self) -> Info {
        let options = ReadOptions::lenient().with_dialect(self.dialect());
        self.write(&WriteOptions::lenient())
            .and_then(|bytes| summarize::<Self>(&bytes, &options))
            .unwrap_or_else(|_| Info::new(Self::ABOUT.name, self.dialect()))
    }

    /// Returns the decoded contents: unpacked numbers and strings, in one structure for all formats. By default, the
    /// decoded fields by path.
    fn contents(&self) -> Contents<'static> {
        let bytes = self.write(&WriteOptions::lenient()).unwrap_or_default();
        let layout = Self::layout_of(&bytes, self.dialect());
        let fields = layout.and_then(|layout| Fields::new(layout, bytes, &Limits::default()).ok());
        Contents {
            fields,
            ..Contents::new(Self::ABOUT.name, self.dialect())
        }
    }

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
        may_start_with_magic(Self::ABOUT, start)
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

    /// Checks a file. Implements [`read`](Format::read) and [`write`](Format::write) for a format without a codec.
    ///
    /// # Errors
    ///
    /// Returns an error, with its location, if `options` reject a violation, or the format lacks the dialect in them.
    fn require_valid(bytes: &[u8], options: &ReadOptions) -> Result<()> {
        let report = Self::check_file(bytes, options)?;
        match report.first_rejected(options.strictness) {
            Some(finding) => {
                let error = Error::from_finding(ErrorKind::Malformed, finding);
                Err(error.in_format(Self::ABOUT.name))
            }
            None => Ok(()),
        }
    }

    /// Returns all violations in a file, each with its location. See [`check`](crate::check()).
    ///
    /// By default, reports the first structural fault, and trailing bytes of blocks before it. If the structure is
    /// valid, reports trailing bytes, violations of constraints, wrong checksums, and the findings of
    /// [`check_content`](Format::check_content).
    ///
    /// # Errors
    ///
    /// Returns an error if decoding exceeds the limits or needs a packing whose feature is disabled, or the format
    /// lacks the dialect in the options.
    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let dialect = Self::dialect_of(bytes, options)?;
        check_by_layout::<Self>(bytes, dialect, &options.limits, &mut report)?;
        Ok(report)
    }

    /// Adds violations of rules that the declaration cannot express. Called only if the structure of the file is
    /// valid, before the file is decoded: it must not call [`read`](Format::read). Each violation then gets a byte range, looked up by its path.
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

    /// Returns all violations in a file. If it cannot be decoded, returns the reason and the violations found without
    /// decoding. Implements [`check_file`](Format::check_file) for a codec that checks more than the declaration;
    /// [`read`](Format::read) must not call `check_file` then.
    ///
    /// # Errors
    ///
    /// See [`check_file`](Format::check_file).
    fn check_decoded(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let dialect = Self::dialect_of(bytes, options)?;
        let options = &options.clone().with_dialect(dialect);
        let lenient = ReadOptions {
            strictness: Strictness::Lenient,
            ..options.clone()
        };
        let layout = Self::layout_of(bytes, dialect);
        if let Err(error) = Self::read_and_check(bytes, &lenient, &mut report) {
            let Some(rule) = error.rule() else {
                return Err(error);
            };
            Self::check_undecoded(bytes, dialect, &mut report);
            if let Some(layout) = layout {
                // The codec's error may concern a constraint, so the structure is checked separately.
                let _ = layout::check_bytes(layout, bytes, &options.limits, &mut report);
            }
            let is_known = |found: &Finding| found.rule == rule && found.path == *error.path();
            if !report.findings().iter().any(is_known) {
                report.add_with(rule, || error.to_finding(rule));
            }
        }
        if let Some(layout) = layout {
            report.locate(|path| walk::find(layout, bytes, path, &options.limits));
        }
        Ok(report)
    }

    /// Adds violations found without decoding, such as a wrong checksum, which may explain why decoding failed. Adds
    /// none by default.
    fn check_undecoded(bytes: &[u8], dialect: Dialect, report: &mut Report) {
        let _ = (bytes, dialect, report);
    }

    /// Summarises a file. By default, counts the items in each list and summarises the scene.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be decoded, or the format lacks the dialect in the options.
    fn info_of(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        summarize::<Self>(bytes, options)
    }

    /// Returns the decoded [contents](Format::contents) of a file. By default, the decoded fields by path.
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

    /// Returns a strategy for valid files, each with its dialect; `None` if files cannot be generated.
    ///
    /// By default, files are [generated](crate::layout::generate::files) from the layouts. Files in which
    /// [`check_file`](Format::check_file) finds an error are discarded; if `config.plausible` is set, files with any
    /// finding.
    #[cfg(feature = "proptest")]
    fn files(config: layout::generate::Config) -> Option<super::Files> {
        super::generated::generated_files(Self::ABOUT, Self::check_file, config)
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

/// The error for a document that cannot be converted to a dialect.
pub(super) fn no_conversion(from: Dialect, to: Dialect) -> Error {
    Error::unsupported(format!(
        "a document of the {from} dialect cannot be converted to the {to} dialect"
    ))
}
