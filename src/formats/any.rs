//! A format that is chosen while the program runs, built in or not.

use std::fmt;
use std::ops::ControlFlow;

use super::examples::Source;
#[cfg(feature = "serde")]
use super::scenes::Data;
#[cfg(feature = "scene")]
use super::scenes::Scenes;
use super::{About, Declared, Detection, Interpretation, RuleExample, enforcement};
use crate::contents::Contents;
use crate::info::Info;
use crate::layout::declaration::Type;
use crate::layout::grammar::Grammar;
use crate::layout::schema::{Schema, SchemaFile};
use crate::lines::Line;
use crate::{Dialect, FormatId, ReadOptions, Report, Result, Rule};

/// What is called with each line of a text file, until it breaks.
type EachLine<'e> = &'e mut dyn FnMut(&Line) -> ControlFlow<()>;

/// Decodes a file to its contents.
type ReadContents = for<'f> fn(&'f [u8], &ReadOptions) -> Result<Contents<'f>>;

/// A format, built in or declared elsewhere: what can be done with its files.
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
    example_of: fn(&'static Rule) -> Option<RuleExample>,
    #[cfg(feature = "scene")]
    pub(super) scenes: Option<Scenes>,
    #[cfg(feature = "serde")]
    pub(super) data: Option<Data>,
}

impl AnyFormat {
    /// The format with this declaration.
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

    /// This format with the summaries of another one.
    #[cfg(feature = "scene")]
    pub(super) fn with_info_of(self, other: AnyFormat) -> AnyFormat {
        AnyFormat { info: other.info, ..self }
    }

    /// The name, as the command line takes it.
    pub fn name(self) -> &'static str {
        self.about.name
    }

    /// What there is to know about it.
    pub fn about(self) -> &'static About {
        self.about
    }

    /// Which of the formats it is that are built in, which have documents and scenes; `None` for another one.
    pub fn built_in(self) -> Option<FormatId> {
        self.built_in
    }

    /// How surely these bytes are a file of this format, and its dialect. See [`Declared::detect`].
    pub fn detect(self, bytes: &[u8]) -> Detection {
        (self.detect)(bytes)
    }

    /// The dialect to read these bytes as: that of the options or, without one, the one that is detected.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect of the options.
    pub fn dialect_of(self, bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        (self.dialect_of)(bytes, options)
    }

    /// The declaration of a whole file of this dialect with these bytes. A text format has none.
    pub fn layout_of(self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        (self.layout_of)(bytes, dialect)
    }

    /// Everything that is wrong with a file of this format. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check).
    pub fn check(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        (self.check)(bytes, options)
    }

    /// A summary of a file of this format. See [`Declared::info_of`].
    ///
    /// # Errors
    ///
    /// The first thing that the strictness of the options does not accept, with its place.
    pub fn info(self, bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        (self.info)(bytes, options)
    }

    /// The contents of a file of this format as plain numbers. See [`Declared::contents_of`].
    ///
    /// # Errors
    ///
    /// The first thing that the strictness of the options does not accept, with its place.
    pub fn contents<'f>(self, bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        (self.contents)(bytes, options)
    }

    /// The declaration of a text format; `None` for a binary format, which has layouts.
    pub fn grammar(self) -> Option<&'static Grammar> {
        self.grammar
    }

    /// The declaration of the format in another language: tables, parser definitions, a C header. Only Markdown,
    /// JSON and dictionaries can express that of a text format.
    pub fn schema(self, schema: Schema) -> Vec<SchemaFile> {
        let About { name, title, .. } = self.about;
        match self.grammar {
            Some(grammar) => grammar.print(schema, name, title),
            None => {
                let note =
                    if self.built_in.is_some() { enforcement::note(self.about) } else { String::new() };
                schema.print_with_note(name, title, &note, self.about.layouts())
            }
        }
    }

    /// Calls `each` with each line of a text file and its meaning, until it breaks. A binary format has none.
    pub fn lines(self, bytes: &[u8], each: EachLine) {
        (self.lines)(bytes, each);
    }

    /// What keeps a text file from being decoded although each of its lines can be: what [`lines`](Self::lines) does
    /// not say.
    pub fn check_lines(self, bytes: &[u8]) -> Report {
        (self.check_lines)(bytes)
    }

    /// A strategy for valid files, each with its dialect. See [`Declared::files`].
    #[cfg(feature = "proptest")]
    pub fn files(self, config: crate::layout::generate::Config) -> Option<super::generated::Files> {
        (self.files)(config)
    }

    /// Returns what enforces a rule of the format, in Markdown: the requirements that its declaration states, `structure`,
    /// or `code` and the reason.
    pub fn enforcement_of(self, rule: &Rule) -> String {
        enforcement::text(self.about, self.grammar, rule)
    }

    /// Returns the interpretations that a rule of the format rests on. Formats declared elsewhere have none.
    pub fn interpretations_of(self, rule: &Rule) -> Vec<Interpretation> {
        let rows = rule.row.split(", ").filter(|_| self.built_in.is_some());
        rows.filter_map(Interpretation::of).collect()
    }

    /// Returns a violating and a correct example of a rule of the format: its [own](Declared::example_of), or a
    /// [generated](crate::layout::generate) file and one of its breakages. `None` if neither breaks the rule alone.
    pub fn example_of(self, rule: &'static Rule) -> Option<RuleExample> {
        let AnyFormat { about, check, layout_of, .. } = self;
        (self.example_of)(rule).or_else(|| Source { about, check, layout_of }.example_of(rule))
    }
}

/// Formats of a registry have names of their own.
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
