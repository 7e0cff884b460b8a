//! Built-in and custom formats chosen at run time.

use std::fmt;
use std::ops::ControlFlow;

use super::examples::ExampleSearch;
use super::{About, Declared, Detection, Interpretation, RuleExample, rule_texts};
#[cfg(feature = "scene")]
use crate::WriteOptions;
use crate::contents::Contents;
use crate::info::Info;
use crate::layout::declaration::Type;
use crate::layout::grammar::Grammar;
use crate::layout::schema::{Schema, SchemaFile};
use crate::lines::Line;
#[cfg(feature = "scene")]
use crate::scene::{Conventions, Scene, SceneOptions};
use crate::{Dialect, FormatId, Loss, ReadOptions, Report, Result, Rule};

/// A callback for each line of a text file. `ControlFlow::Break` stops the calls.
type LineCallback<'e> = &'e mut dyn FnMut(&Line) -> ControlFlow<()>;

type ReadContents = for<'f> fn(&'f [u8], &ReadOptions) -> Result<Contents<'f>>;

#[cfg(feature = "scene")]
pub(super) type ReadScene = fn(&[u8], &ReadOptions, &SceneOptions) -> Result<(Scene, Vec<Loss>)>;

#[cfg(feature = "scene")]
pub(super) type WriteScene =
    fn(Scene, &SceneOptions, &WriteOptions) -> Result<(Vec<u8>, Vec<Loss>)>;

/// The functions that convert between files of a format and scenes.
#[cfg(feature = "scene")]
#[derive(Clone, Copy)]
pub(super) struct SceneFunctions {
    pub conventions: Conventions,
    pub read: ReadScene,
    /// `None` if scenes cannot be written.
    pub write: Option<WriteScene>,
    /// Whether readers of written files require normals.
    pub needs_normals: bool,
}

/// A built-in or custom format, and the operations on its files.
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
    may_start_with: fn(&[u8]) -> bool,
    dialect_of: fn(&[u8], &ReadOptions) -> Result<Dialect>,
    layout_of: fn(&[u8], Dialect) -> Option<&'static Type>,
    check: fn(&[u8], &ReadOptions) -> Result<Report>,
    pub(super) info: fn(&[u8], &ReadOptions) -> Result<Info>,
    contents: ReadContents,
    uncovered_bytes: fn(&[u8], &ReadOptions) -> Vec<Loss>,
    lines: fn(&[u8], LineCallback),
    check_lines: fn(&[u8]) -> Report,
    #[cfg(feature = "proptest")]
    file_strategy: fn(crate::layout::generate::Config) -> Option<super::generated::Files>,
    #[cfg(feature = "proptest")]
    edge_cases: fn() -> Vec<(&'static str, Vec<u8>)>,
    example_of: fn(&'static Rule) -> Option<RuleExample>,
    #[cfg(feature = "scene")]
    pub(super) scenes: Option<SceneFunctions>,
}

impl AnyFormat {
    /// Creates a format from the declaration `T`.
    pub const fn of<T: Declared>() -> AnyFormat {
        AnyFormat {
            about: T::ABOUT,
            grammar: T::GRAMMAR,
            built_in: None,
            detect: T::detect,
            may_start_with: T::may_start_with,
            dialect_of: T::dialect_of,
            layout_of: T::layout_of,
            check: T::check_file,
            info: T::info_of,
            contents: T::contents_of,
            uncovered_bytes: T::uncovered_bytes,
            lines: T::lines,
            check_lines: T::check_lines,
            #[cfg(feature = "proptest")]
            file_strategy: T::files,
            #[cfg(feature = "proptest")]
            edge_cases: T::edge_cases,
            example_of: T::example_of,
            #[cfg(feature = "scene")]
            scenes: None,
        }
    }

    pub(super) fn with_id(self, id: FormatId) -> AnyFormat {
        AnyFormat {
            built_in: Some(id),
            ..self
        }
    }

    #[cfg(any(feature = "scene", feature = "serde"))]
    pub(super) fn missing_error(self, what: &str) -> crate::Error {
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

    /// Returns the id of a built-in format; `None` for a custom format.
    ///
    /// ```
    /// use meshspec::{AnyFormat, FormatId};
    ///
    /// for id in FormatId::ALL {
    ///     let format = AnyFormat::from(*id);
    ///     assert_eq!(format.built_in_id(), Some(*id));
    ///     # #[cfg(feature = "scene")]
    ///     assert!(format.can_write_scenes());
    /// }
    /// ```
    pub fn built_in_id(self) -> Option<FormatId> {
        self.built_in
    }

    /// Rates how well `bytes` match the format, and detects the dialect. See [`Declared::detect`].
    pub fn detect(self, bytes: &[u8]) -> Detection {
        (self.detect)(bytes)
    }

    /// Returns `false` if no file of the format starts with the bytes `start`. See [`Declared::may_start_with`].
    ///
    /// ```
    /// # #[cfg(feature = "bmd")] {
    /// use meshspec::{AnyFormat, FormatId};
    ///
    /// assert!(!AnyFormat::from(FormatId::Bmd).may_start_with(b"\x7fELF"));
    /// # }
    /// ```
    pub fn may_start_with(self, start: &[u8]) -> bool {
        (self.may_start_with)(start)
    }

    /// Returns `false` if files that start with the bytes `start` are not detected as this format.
    pub(super) fn may_detect(self, start: &[u8]) -> bool {
        let is_text = self.grammar.is_some();
        self.may_start_with(start)
            && !(is_text && self.detect(start).confidence == super::Confidence::None)
    }

    /// Returns the dialect in which to read `bytes`: the dialect in the options, or else the detected one.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect in the options.
    pub fn dialect_of(self, bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        (self.dialect_of)(bytes, options)
    }

    /// Returns the layout of a file in `dialect`; `None` for a text format.
    pub fn layout_of(self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        (self.layout_of)(bytes, dialect)
    }

    /// Returns the layout of the values in a file: the layout of the file or, for a text format, that of the values that its
    /// text packs. `None` if the values are not declared.
    ///
    /// ```
    /// # #[cfg(feature = "seed")] {
    /// use meshspec::layout::tree::Tree;
    /// use meshspec::{AnyFormat, Dialect, FormatId};
    ///
    /// let seed = AnyFormat::from(FormatId::Seed);
    /// let text = b"[name]=Flag # a flag\np 0, 1.50, 0\n";
    /// assert_eq!(seed.layout_of(text, Dialect::Spec), None);
    /// let values = seed.values_of(text, Dialect::Spec).unwrap();
    /// let mut tree = Tree::read(values, text, &Default::default()).unwrap();
    /// tree.set("positions[0][2]", "-1")?;
    /// assert_eq!(tree.assemble(&Default::default())?, b"[name]=Flag # a flag\np 0, 1.50, -1\n");
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn values_of(self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        let layout = self.layout_of(bytes, dialect);
        layout.or_else(|| self.about.values.map(|values| values()))
    }

    /// Returns the names of the layouts of values in files. See [`values_of`](AnyFormat::values_of).
    pub fn value_layouts(self) -> Vec<&'static str> {
        match self.about.values {
            Some(_) => vec![self.name()],
            None => self.about.layouts().iter().map(|(name, _)| *name).collect(),
        }
    }

    /// Returns the layout of values with a name, and its dialect; `None` if there is none.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{AnyFormat, Dialect, FormatId};
    ///
    /// let (dialect, layout) = AnyFormat::from(FormatId::Mesh).layout_named("mesh_renderlib").unwrap();
    /// assert_eq!(dialect, Dialect::Renderlib);
    /// assert_eq!(Some(layout), FormatId::Mesh.layout_of(&[], dialect));
    /// # }
    /// ```
    pub fn layout_named(self, name: &str) -> Option<(Dialect, &'static Type)> {
        if let Some(values) = self.about.values {
            return (name == self.name()).then(|| (Dialect::Spec, values()));
        }
        self.about.dialects.iter().find_map(|dialect| {
            let layouts = self.about.layouts_of(Some(*dialect));
            let (_, layout) = layouts.iter().find(|(own, _)| *own == name)?;
            Some((*dialect, *layout))
        })
    }

    /// Returns all violations in a file of this format. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check).
    pub fn check(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        (self.check)(bytes, options)
    }

    /// Summarises a file of this format. See [`Declared::info_of`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file is rejected, or the format lacks the dialect in the options.
    pub fn info(self, bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        (self.info)(bytes, options)
    }

    /// Returns the decoded contents of a file. See [`Declared::contents_of`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file is rejected, or the format lacks the dialect in the options.
    pub fn contents<'f>(self, bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        (self.contents)(bytes, options)
    }

    /// Returns the losses of reading a file as a document: bytes that no field covers. See
    /// [`Declared::uncovered_bytes`].
    ///
    /// ```
    /// # #[cfg(feature = "bmd")] {
    /// use meshspec::{AnyFormat, FormatId};
    ///
    /// let mut bytes = std::fs::read("samples/bmd/pyramid.bmd")?;
    /// let format = AnyFormat::from(FormatId::Bmd);
    /// assert!(format.uncovered_bytes(&bytes, &Default::default()).is_empty());
    /// bytes.extend(b"a note");
    /// let [loss] = &format.uncovered_bytes(&bytes, &Default::default())[..] else { panic!() };
    /// assert_eq!(loss.affected.map(|bytes| bytes.count), Some(6));
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn uncovered_bytes(self, bytes: &[u8], options: &ReadOptions) -> Vec<Loss> {
        (self.uncovered_bytes)(bytes, options)
    }

    /// The grammar of a text format; `None` for a binary format, which has layouts.
    pub fn grammar(self) -> Option<&'static Grammar> {
        self.grammar
    }

    /// Exports the declaration in the language of `schema`, such as Markdown tables, Kaitai Struct or a C header. A
    /// text format can be exported only as Markdown, JSON, a fuzzing dictionary or, if its values are declared, as a JSON
    /// Schema of them.
    pub fn schema(self, schema: Schema) -> Vec<SchemaFile> {
        let About { name, title, .. } = self.about;
        if let (Schema::JsonSchema, Some(values)) = (schema, self.about.values) {
            return schema.print(name, title, &[(name, values())]);
        }
        if let Some(grammar) = self.grammar {
            return grammar.print(schema, name, title);
        }
        let note = self
            .built_in
            .map(|_| rule_texts::schema_note(self.about))
            .unwrap_or_default();
        schema.print_with_note(name, title, &note, self.about.layouts())
    }

    /// Calls `each` with each line of a text file and its meaning, until `each` returns `ControlFlow::Break`. Does
    /// nothing for a binary format.
    pub fn lines(self, bytes: &[u8], each: LineCallback) {
        (self.lines)(bytes, each);
    }

    /// Returns the violations that prevent decoding a text file and belong to no line; `lines` omits them.
    pub fn check_lines(self, bytes: &[u8]) -> Report {
        (self.check_lines)(bytes)
    }

    /// Returns a strategy for valid files, each with its dialect. See [`Declared::files`].
    #[cfg(feature = "proptest")]
    pub fn files(self, config: crate::layout::generate::Config) -> Option<super::generated::Files> {
        (self.file_strategy)(config)
    }

    /// Returns how a rule is enforced, in Markdown: the declared requirements, `structure`, or `code` with the reason.
    pub fn enforcement_of(self, rule: &Rule) -> String {
        rule_texts::enforcement_text(self.about, self.grammar, rule)
    }

    /// Returns the interpretations that a rule cites. Empty for a custom format.
    pub fn interpretations_of(self, rule: &Rule) -> Vec<Interpretation> {
        rule.row
            .split(", ")
            .filter(|_| self.built_in.is_some())
            .filter_map(Interpretation::find)
            .collect()
    }

    /// Returns valid and broken files for cases that generated files rarely cover, each with a description.
    #[cfg(feature = "proptest")]
    pub(crate) fn edge_cases(self) -> Vec<(&'static str, Vec<u8>)> {
        (self.edge_cases)()
    }

    /// Returns a violating and a correct file for a rule, from [`Declared::example_of`] or else
    /// [generated](crate::layout::generate). `None` if neither provides an example.
    pub fn example_of(self, rule: &'static Rule) -> Option<RuleExample> {
        let AnyFormat {
            about,
            check,
            layout_of,
            ..
        } = self;
        (self.example_of)(rule).or_else(|| {
            ExampleSearch {
                about,
                check,
                layout_of,
            }
            .example_of(rule)
        })
    }
}

/// Compares names and ids. Names are unique in a registry.
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
