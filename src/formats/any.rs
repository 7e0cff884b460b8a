//! Formats and documents chosen at run time: the object-safe views of [`Format`].

use std::any::{Any, TypeId};
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::examples::ExampleSearch;
use super::{About, Confidence, Detection, Format, Interpretation, RuleExample, rule_texts};
use crate::contents::Contents;
use crate::info::Info;
use crate::layout::declaration::Type;
use crate::layout::grammar::Grammar;
use crate::layout::schema::{Schema, SchemaFile};
use crate::lines::Line;
#[cfg(feature = "scene")]
use crate::scene::{Conventions, Scene, SceneOptions, SourceFields};
use crate::{Dialect, Loss, ReadOptions, Report, Result, Rule, WriteOptions};

/// A callback for each line of a text file. `ControlFlow::Break` stops the calls.
type LineCallback<'e> = &'e mut dyn FnMut(&Line) -> ControlFlow<()>;

/// A format chosen at run time, and the operations on its files. See [`DynFormat`].
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let format = meshspec::Formats::builtin().get("mesh")?;
/// assert_eq!(format.info(&bytes, &Default::default())?.meshes[0].vertices, 6);
/// assert!(format.about().has_extension("mesh"));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
pub type AnyFormat = &'static dyn DynFormat;

/// A document of a format chosen at run time. See [`DynDocument`].
pub type AnyDocument = Box<dyn DynDocument>;

/// Returns the format of the documents `T`.
///
/// ```
/// # #[cfg(feature = "mesh")]
/// assert_eq!(meshspec::format_of::<meshspec::mesh::Document>(), meshspec::mesh::FORMAT);
/// ```
pub const fn format_of<T: Format>() -> AnyFormat {
    const { &FormatOf::<T>(PhantomData) }
}

/// A format as an object, without its type. Each [`Format`] has one: [`format_of`] returns it.
///
/// The functions are those of [`Format`].
pub trait DynFormat: Sync {
    /// The description of the format.
    fn about(&self) -> &'static About;

    /// The grammar of a text format; `None` for a binary format, which has layouts.
    fn grammar(&self) -> Option<&'static Grammar>;

    /// The type of the documents.
    fn document_type(&self) -> TypeId;

    /// Whether documents can be converted between dialects. See [`Format::CONVERTS_DIALECTS`].
    fn converts_dialects(&self) -> bool;

    /// Rates how well `bytes` match the format, and detects the dialect. See [`Format::detect`].
    fn detect(&self, bytes: &[u8]) -> Detection;

    /// Returns `false` if no file of the format starts with the bytes `start`. See [`Format::may_start_with`].
    ///
    /// ```
    /// # #[cfg(feature = "bmd")]
    /// assert!(!meshspec::bmd::FORMAT.may_start_with(b"\x7fELF"));
    /// ```
    fn may_start_with(&self, start: &[u8]) -> bool;

    /// Returns the dialect in which to read `bytes`: the dialect in the options, or else the detected one.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect in the options.
    fn dialect_of(&self, bytes: &[u8], options: &ReadOptions) -> Result<Dialect>;

    /// Returns the layout of a file in `dialect`; `None` for a text format.
    fn layout_of(&self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type>;

    /// Decodes a file.
    ///
    /// # Errors
    ///
    /// See [`Format::read`].
    fn read(&self, bytes: &[u8], options: &ReadOptions) -> Result<AnyDocument>;

    /// Returns all violations in a file of this format. See [`check`](crate::check()).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check()).
    fn check(&self, bytes: &[u8], options: &ReadOptions) -> Result<Report>;

    /// Summarises a file of this format. See [`Format::info_of`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file is rejected, or the format lacks the dialect in the options.
    fn info(&self, bytes: &[u8], options: &ReadOptions) -> Result<Info>;

    /// Returns the decoded contents of a file. See [`Format::contents_of`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file is rejected, or the format lacks the dialect in the options.
    fn contents<'f>(&self, bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>>;

    /// Returns the losses of reading a file as a document: bytes that no field covers. See [`Format::uncovered_bytes`].
    ///
    /// ```
    /// # #[cfg(feature = "bmd")] {
    /// let mut bytes = std::fs::read("samples/bmd/pyramid.bmd")?;
    /// let format = meshspec::bmd::FORMAT;
    /// assert!(format.uncovered_bytes(&bytes, &Default::default()).is_empty());
    /// bytes.extend(b"a note");
    /// let [loss] = &format.uncovered_bytes(&bytes, &Default::default())[..] else { panic!() };
    /// assert_eq!(loss.affected.map(|bytes| bytes.count), Some(6));
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    fn uncovered_bytes(&self, bytes: &[u8], options: &ReadOptions) -> Vec<Loss>;

    /// Calls `each` with each line of a text file and its meaning, until `each` returns `ControlFlow::Break`. Does
    /// nothing for a binary format.
    fn lines(&self, bytes: &[u8], each: LineCallback);

    /// Returns the violations that prevent decoding a text file and belong to no line; `lines` omits them.
    fn check_lines(&self, bytes: &[u8]) -> Report;

    /// Returns a strategy for valid files, each with its dialect. See [`Format::files`].
    #[cfg(feature = "proptest")]
    fn files(&self, config: crate::layout::generate::Config) -> Option<super::Files>;

    /// Returns valid and broken files for cases that generated files rarely cover. See [`Format::edge_cases`].
    #[cfg(feature = "proptest")]
    fn edge_cases(&self) -> Vec<(&'static str, Vec<u8>)>;

    /// Returns a violating and a correct file for a rule: [`Format::example_of`] or else
    /// [generated](crate::layout::generate) ones. `None` if neither provides an example.
    fn example_of(&self, rule: &'static Rule) -> Option<RuleExample>;

    /// Returns the axes, unit and texture origin of the format; `None` if it cannot be converted to scenes.
    #[cfg(feature = "scene")]
    fn conventions(&self) -> Option<Conventions>;

    /// Returns `true` if scenes can be written in the format.
    #[cfg(feature = "scene")]
    fn can_write_scenes(&self) -> bool;

    /// Returns `true` if readers of this format require normals. See
    /// [`FromScene::NEEDS_NORMALS`](crate::scene::FromScene::NEEDS_NORMALS).
    #[cfg(feature = "scene")]
    fn needs_normals(&self) -> bool;

    /// Converts a scene to a document. Also returns the losses: data that the format cannot represent.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene is inconsistent, or the format has no conversion from scenes or cannot express it.
    #[cfg(feature = "scene")]
    fn document_from_scene(
        &self,
        scene: Scene,
        options: &SceneOptions,
    ) -> Result<(AnyDocument, Vec<Loss>)>;
}

/// A document as an object, without its type. Each document of a [`Format`] can be boxed as one.
///
/// The functions are those of [`Format`].
pub trait DynDocument: Any + Send + Sync {
    /// The format of the document.
    fn format(&self) -> AnyFormat;

    /// The dialect that [`write`](DynDocument::write) uses.
    fn dialect(&self) -> Dialect;

    /// Encodes the document in its own dialect.
    ///
    /// # Errors
    ///
    /// See [`Format::write`].
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// Returns all violations of the format's rules.
    fn check(&self) -> Report;

    /// Converts the document to another dialect. Returns the new document and the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if the document cannot be converted to the dialect.
    fn into_dialect(self: Box<Self>, dialect: Dialect) -> Result<(AnyDocument, Vec<Loss>)>;

    /// Summarises the document: counts, attributes, bounds.
    fn info(&self) -> Info;

    /// Returns the decoded contents: unpacked numbers and strings, in one structure for all formats.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// let bytes = std::fs::read("samples/mesh/tetrahedron.mesh")?;
    /// let contents = meshspec::read(&bytes, &Default::default())?.contents();
    /// let position = &contents.meshes[0].attributes[0];
    /// assert_eq!((&*position.name, &*position.array.shape), ("position", &[4, 3][..]));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn contents(&self) -> Contents<'static>;

    /// Converts the document to a [scene](crate::scene). Also returns the losses: data that a scene cannot represent.
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot be converted to scenes, or the document is inconsistent, which is possible
    /// after lenient reading.
    #[cfg(feature = "scene")]
    fn into_scene(self: Box<Self>, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)>;

    /// Returns the paths of the source fields of each mesh, joint and animation in the scene.
    #[cfg(feature = "scene")]
    fn source_fields(&self) -> SourceFields;
}

/// The object of a format, whose documents have type `T`.
struct FormatOf<T>(PhantomData<fn() -> T>);

impl<T: Format> DynFormat for FormatOf<T> {
    fn about(&self) -> &'static About {
        T::ABOUT
    }

    fn grammar(&self) -> Option<&'static Grammar> {
        T::GRAMMAR
    }

    fn document_type(&self) -> TypeId {
        TypeId::of::<T>()
    }

    fn converts_dialects(&self) -> bool {
        T::CONVERTS_DIALECTS
    }

    fn detect(&self, bytes: &[u8]) -> Detection {
        T::detect(bytes)
    }

    fn may_start_with(&self, start: &[u8]) -> bool {
        T::may_start_with(start)
    }

    fn dialect_of(&self, bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        T::dialect_of(bytes, options)
    }

    fn layout_of(&self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        T::layout_of(bytes, dialect)
    }

    fn read(&self, bytes: &[u8], options: &ReadOptions) -> Result<AnyDocument> {
        Ok(Box::new(T::read(bytes, options)?))
    }

    fn check(&self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        T::check_file(bytes, options)
    }

    fn info(&self, bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        T::info_of(bytes, options)
    }

    fn contents<'f>(&self, bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        T::contents_of(bytes, options)
    }

    fn uncovered_bytes(&self, bytes: &[u8], options: &ReadOptions) -> Vec<Loss> {
        T::uncovered_bytes(bytes, options)
    }

    fn lines(&self, bytes: &[u8], each: LineCallback) {
        T::lines(bytes, each);
    }

    fn check_lines(&self, bytes: &[u8]) -> Report {
        T::check_lines(bytes)
    }

    #[cfg(feature = "proptest")]
    fn files(&self, config: crate::layout::generate::Config) -> Option<super::Files> {
        T::files(config)
    }

    #[cfg(feature = "proptest")]
    fn edge_cases(&self) -> Vec<(&'static str, Vec<u8>)> {
        T::edge_cases()
    }

    fn example_of(&self, rule: &'static Rule) -> Option<RuleExample> {
        let search = ExampleSearch {
            about: T::ABOUT,
            check: T::check_file,
            layout_of: T::layout_of,
        };
        T::example_of(rule).or_else(|| search.example_of(rule))
    }

    #[cfg(feature = "scene")]
    fn conventions(&self) -> Option<Conventions> {
        T::SCENES.map(|scenes| scenes.conventions)
    }

    #[cfg(feature = "scene")]
    fn can_write_scenes(&self) -> bool {
        T::SCENES.is_some_and(|scenes| scenes.from_scene.is_some())
    }

    #[cfg(feature = "scene")]
    fn needs_normals(&self) -> bool {
        T::SCENES.is_some_and(|scenes| scenes.needs_normals)
    }

    #[cfg(feature = "scene")]
    fn document_from_scene(
        &self,
        scene: Scene,
        options: &SceneOptions,
    ) -> Result<(AnyDocument, Vec<Loss>)> {
        scene.check()?;
        let Some(convert) = T::SCENES.and_then(|scenes| scenes.from_scene) else {
            return Err(format_of::<T>().missing_error("conversion from scenes"));
        };
        let (document, losses) = convert(scene, options)?;
        Ok((Box::new(document), losses))
    }
}

impl<T: Format> DynDocument for T {
    fn format(&self) -> AnyFormat {
        format_of::<T>()
    }

    fn dialect(&self) -> Dialect {
        Format::dialect(self)
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        Format::write(self, options)
    }

    fn check(&self) -> Report {
        Format::check(self)
    }

    fn into_dialect(self: Box<Self>, dialect: Dialect) -> Result<(AnyDocument, Vec<Loss>)> {
        let (document, losses) = Format::into_dialect(*self, dialect)?;
        Ok((Box::new(document), losses))
    }

    fn info(&self) -> Info {
        Format::info(self)
    }

    fn contents(&self) -> Contents<'static> {
        Format::contents(self)
    }

    #[cfg(feature = "scene")]
    fn into_scene(self: Box<Self>, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let Some(scenes) = T::SCENES else {
            return Err(format_of::<T>().missing_error("scenes"));
        };
        let (scene, losses) = (scenes.into_scene)(*self, options)?;
        scene
            .check()
            .map_err(|error| error.in_format(T::ABOUT.name))?;
        Ok((scene, losses))
    }

    #[cfg(feature = "scene")]
    fn source_fields(&self) -> SourceFields {
        T::SCENES.map_or_else(SourceFields::default, |scenes| (scenes.source_fields)(self))
    }
}

impl dyn DynDocument {
    /// Returns the document with its type; `None` if it has another type, which `downcast_ref` tells without consuming it.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::mesh;
    ///
    /// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
    /// let document = mesh::FORMAT.read(&bytes, &Default::default())?;
    /// let mesh: mesh::Document = document.downcast().unwrap();
    /// assert_eq!(mesh.vertices.len(), 6);
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn downcast<T: Format>(self: Box<Self>) -> Option<T> {
        let document: Box<dyn Any> = self;
        document.downcast().ok().map(|document| *document)
    }

    /// Returns the document with its type; `None` if it has another type.
    pub fn downcast_ref<T: Format>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// Returns the document with its type; `None` if it has another type.
    pub fn downcast_mut<T: Format>(&mut self) -> Option<&mut T> {
        (self as &mut dyn Any).downcast_mut()
    }
}

impl fmt::Debug for dyn DynDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyDocument")
            .field(&self.format().name())
            .finish()
    }
}

impl dyn DynFormat {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        self.about().name
    }

    #[cfg(any(feature = "scene", feature = "serde"))]
    pub(super) fn missing_error(&self, what: &str) -> crate::Error {
        crate::Error::unsupported(format!("the format has no {what}")).in_format(self.name())
    }

    /// Returns `false` if files that start with the bytes `start` are not detected as this format.
    pub(super) fn may_detect(&self, start: &[u8]) -> bool {
        let is_text = self.grammar().is_some();
        self.may_start_with(start)
            && !(is_text && self.detect(start).confidence == Confidence::None)
    }

    /// Returns the layout of the values in a file: the layout of the file or, for a text format, that of the values that its
    /// text packs. `None` if the values are not declared.
    ///
    /// ```
    /// # #[cfg(feature = "seed")] {
    /// use meshspec::layout::tree::Tree;
    /// use meshspec::{Dialect, seed};
    ///
    /// let text = b"[name]=Flag # a flag\np 0, 1.50, 0\n";
    /// assert_eq!(seed::FORMAT.layout_of(text, Dialect::SPEC), None);
    /// let values = seed::FORMAT.values_of(text, Dialect::SPEC).unwrap();
    /// let mut tree = Tree::read(values, text, &Default::default()).unwrap();
    /// tree.set("positions[0][2]", "-1")?;
    /// assert_eq!(tree.assemble(&Default::default())?, b"[name]=Flag # a flag\np 0, 1.50, -1\n");
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn values_of(&self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        let layout = self.layout_of(bytes, dialect);
        layout.or_else(|| self.about().values.map(|values| values()))
    }

    /// Returns the names of the layouts of values in files. See `values_of`.
    pub fn value_layouts(&self) -> Vec<&'static str> {
        match self.about().values {
            Some(_) => vec![self.name()],
            None => self
                .about()
                .layouts()
                .iter()
                .map(|(name, _)| *name)
                .collect(),
        }
    }

    /// Returns the layout of values with a name, and its dialect; `None` if there is none.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{Dialect, mesh};
    ///
    /// let (dialect, layout) = mesh::FORMAT.layout_named("mesh_renderlib").unwrap();
    /// assert_eq!(dialect, Dialect::RENDERLIB);
    /// assert_eq!(Some(layout), mesh::FORMAT.layout_of(&[], dialect));
    /// # }
    /// ```
    pub fn layout_named(&self, name: &str) -> Option<(Dialect, &'static Type)> {
        if let Some(values) = self.about().values {
            return (name == self.name()).then(|| (Dialect::SPEC, values()));
        }
        self.about().dialects.iter().find_map(|dialect| {
            let layouts = self.about().layouts_of(Some(*dialect));
            let (_, layout) = layouts.iter().find(|(own, _)| *own == name)?;
            Some((*dialect, *layout))
        })
    }

    /// Exports the declaration in the language of `schema`, such as Markdown tables, Kaitai Struct or a C header. A
    /// text format can be exported only as Markdown, JSON, a fuzzing dictionary or, if its values are declared, as a JSON
    /// Schema of them.
    pub fn schema(&self, schema: Schema) -> Vec<SchemaFile> {
        let About { name, title, .. } = self.about();
        if let (Schema::JsonSchema, Some(values)) = (schema, self.about().values) {
            return schema.print(name, title, &[(name, values())]);
        }
        if let Some(grammar) = self.grammar() {
            return grammar.print(schema, name, title);
        }
        let note = if self.about().cites_interpretations {
            rule_texts::schema_note(self.about())
        } else {
            String::new()
        };
        schema.print_with_note(name, title, &note, self.about().layouts())
    }

    /// Returns how a rule is enforced, in Markdown: the declared requirements, `structure`, or `code` with the reason.
    pub fn enforcement_of(&self, rule: &Rule) -> String {
        rule_texts::enforcement_text(self.about(), self.grammar(), rule)
    }

    /// Returns the interpretations that a rule cites. Empty for a custom format.
    pub fn interpretations_of(&self, rule: &Rule) -> Vec<Interpretation> {
        rule.row
            .split(", ")
            .filter(|_| self.about().cites_interpretations)
            .filter_map(Interpretation::find)
            .collect()
    }
}

/// Compares the types of the documents.
impl PartialEq for dyn DynFormat {
    fn eq(&self, other: &(dyn DynFormat + 'static)) -> bool {
        self.document_type() == other.document_type()
    }
}

impl Eq for dyn DynFormat {}

impl fmt::Display for dyn DynFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for dyn DynFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyFormat").field(&self.name()).finish()
    }
}
