//! Formats chosen at run time, built in or registered.

use std::fmt;
use std::ops::ControlFlow;

#[cfg(feature = "serde")]
use super::data::Data;
use super::examples::Source;
#[cfg(feature = "scene")]
use super::scenes::Scenes;
use super::{About, Declared, Detection, Interpretation, RuleExample, rule_texts};
use crate::contents::Contents;
use crate::info::Info;
use crate::layout::declaration::Type;
use crate::layout::grammar::Grammar;
use crate::layout::schema::{Schema, SchemaFile};
use crate::lines::Line;
use crate::{Dialect, FormatId, ReadOptions, Report, Result, Rule};

/// Called with each line of a text file until it breaks.
type EachLine<'e> = &'e mut dyn FnMut(&Line) -> ControlFlow<()>;

/// Decodes a file to its contents.
type ReadContents = for<'f> fn(&'f [u8], &ReadOptions) -> Result<Contents<'f>>;

/// A format, built in or declared elsewhere, and the operations on its files.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{AnyFormat, FormatId};
///
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let format = AnyFormat::from(FormatId::Mesh);
/// assert_eq!(format.info(&bytes, &Default::default())?.meshes[0].vertices, 6);
/// assert!(format.about().has_extension("mesh"));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct AnyFormat {
    about: &'static About,
    grammar: Option<&'static Grammar>,
    built_in: Option<FormatId>,
    detect: fn(&[u8]) -> Detection,
    dialect_of: fn(&[u8], &ReadOptions) -> Result<Dialect>,
    layout_of: fn(&[u8], Dialect) -> Option<&'static Type>,
    check: fn(&[u8], &ReadOptions) -> Result<Report>,
    pub(super) info: fn(&[u8], &ReadOptions) -> Result<Info>,
    contents: ReadContents,
    lines: fn(&[u8], EachLine),
    check_lines: fn(&[u8]) -> Report,
    #[cfg(feature = "proptest")]
    files: fn(crate::layout::generate::Config) -> Option<super::generated::Files>,
    #[cfg(feature = "proptest")]
    edge_cases: fn() -> Vec<(&'static str, Vec<u8>)>,
    example_of: fn(&'static Rule) -> Option<RuleExample>,
    #[cfg(feature = "scene")]
    pub(super) scenes: Option<Scenes>,
    #[cfg(feature = "serde")]
    pub(super) data: Option<Data>,
}

impl AnyFormat {
    /// Creates the format from its declaration.
    pub const fn of<T: Declared>() -> AnyFormat {
        AnyFormat {
            about: T::ABOUT,
            grammar: T::GRAMMAR,
            built_in: None,
            detect: T::detect,
            dialect_of: T::dialect_of,
            layout_of: T::layout_of,
            check: T::check_file,
            info: T::info_of,
            contents: T::contents_of,
            lines: T::lines,
            check_lines: T::check_lines,
            #[cfg(feature = "proptest")]
            files: T::files,
            #[cfg(feature = "proptest")]
            edge_cases: T::edge_cases,
            example_of: T::example_of,
            #[cfg(feature = "scene")]
            scenes: None,
            #[cfg(feature = "serde")]
            data: None,
        }
    }

    pub(super) fn with_id(self, id: FormatId) -> AnyFormat {
        AnyFormat { built_in: Some(id), ..self }
    }

    #[cfg(any(feature = "scene", feature = "serde"))]
    pub(super) fn lacks(self, what: &str) -> crate::Error {
        crate::Error::unsupported(format!("the format has no {what}")).in_format(self.name())
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.about.name
    }

    /// The description of the format.
    pub fn about(self) -> &'static About {
        self.about
    }

    /// Returns the id of a built-in format, which has documents and scenes; `None` for other formats.
    pub fn built_in(self) -> Option<FormatId> {
        self.built_in
    }

    /// Rates whether these bytes are a file of this format, and detects the dialect. See [`Declared::detect`].
    pub fn detect(self, bytes: &[u8]) -> Detection {
        (self.detect)(bytes)
    }

    /// Returns the dialect to read these bytes as: the one in the options, or else the detected one.
    ///
    /// # Errors
    ///
    /// If the format lacks the dialect in the options.
    pub fn dialect_of(self, bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        (self.dialect_of)(bytes, options)
    }

    /// Returns the layout of a file of this dialect. A text format has none.
    pub fn layout_of(self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        (self.layout_of)(bytes, dialect)
    }

    /// Returns all violations in a file of this format. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check).
    pub fn check(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        (self.check)(bytes, options)
    }

    /// Summarizes a file of this format. See [`Declared::info_of`].
    ///
    /// # Errors
    ///
    /// The first violation that the strictness in the options rejects, with its location.
    pub fn info(self, bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        (self.info)(bytes, options)
    }

    /// Returns the contents of a file as plain numbers. See [`Declared::contents_of`].
    ///
    /// # Errors
    ///
    /// The first violation that the strictness in the options rejects, with its location.
    pub fn contents<'f>(self, bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        (self.contents)(bytes, options)
    }

    /// The grammar of a text format; `None` for a binary format, which has layouts.
    pub fn grammar(self) -> Option<&'static Grammar> {
        self.grammar
    }

    /// Returns the declaration in another language: tables, parser definitions or a C header. A text format can be
    /// expressed only as Markdown, JSON and dictionaries.
    pub fn schema(self, schema: Schema) -> Vec<SchemaFile> {
        let About { name, title, .. } = self.about;
        match self.grammar {
            Some(grammar) => grammar.print(schema, name, title),
            None => {
                let note = if self.built_in.is_some() { rule_texts::note(self.about) } else { String::new() };
                schema.print_with_note(name, title, &note, self.about.layouts())
            }
        }
    }

    /// Calls `each` with each line of a text file and its meaning, until `each` returns `ControlFlow::Break`. Does nothing
    /// for a binary format.
    pub fn lines(self, bytes: &[u8], each: EachLine) {
        (self.lines)(bytes, each);
    }

    /// Returns the violations that prevent decoding a text file although each line is valid. [`lines`](Self::lines)
    /// does not report them.
    pub fn check_lines(self, bytes: &[u8]) -> Report {
        (self.check_lines)(bytes)
    }

    /// Returns a strategy for valid files, each with its dialect. See [`Declared::files`].
    #[cfg(feature = "proptest")]
    pub fn files(self, config: crate::layout::generate::Config) -> Option<super::generated::Files> {
        (self.files)(config)
    }

    /// Describes in Markdown what enforces a rule: the requirements in the declaration, `structure`, or `code` with
    /// the reason.
    pub fn enforcement_of(self, rule: &Rule) -> String {
        rule_texts::text(self.about, self.grammar, rule)
    }

    /// Returns the interpretations that a rule cites. Formats declared elsewhere have none.
    pub fn interpretations_of(self, rule: &Rule) -> Vec<Interpretation> {
        let rows = rule.row.split(", ").filter(|_| self.built_in.is_some());
        rows.filter_map(Interpretation::of).collect()
    }

    /// Returns valid files at limits that no declaration states, each with a description.
    #[cfg(feature = "proptest")]
    pub(crate) fn edge_cases(self) -> Vec<(&'static str, Vec<u8>)> {
        (self.edge_cases)()
    }

    /// Returns a violating and a correct example of a rule. The example is the format's [own](Declared::example_of),
    /// or a [generated](crate::layout::generate) file and one of its breakages. `None` if neither breaks only this
    /// rule.
    pub fn example_of(self, rule: &'static Rule) -> Option<RuleExample> {
        let AnyFormat { about, check, layout_of, .. } = self;
        (self.example_of)(rule).or_else(|| Source { about, check, layout_of }.example_of(rule))
    }
}

/// The names of formats in a registry are unique.
impl PartialEq for AnyFormat {
    fn eq(&self, other: &AnyFormat) -> bool {
        (self.name(), self.built_in) == (other.name(), other.built_in)
    }
}

impl Eq for AnyFormat {}

impl fmt::Display for AnyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for AnyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyFormat").field(&self.name()).finish()
    }
}
