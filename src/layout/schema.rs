//! Prints declarations in schema languages, and lists their rules.

use std::fmt;
use std::str::FromStr;

use super::declaration::Type;
pub use super::rules::{DeclaredRule, declared_rules};

use super::{c_header, dictionary, imhex, json, json_schema, kaitai, markdown, program};
use crate::Error;

/// A schema language.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::layout::schema::Schema;
///
/// /// A height.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Height {
///     /// In metres.
///     metres: f32,
/// }
///
/// let files = Schema::Markdown.print("height", "Heights", &[("height", &Height::TYPE)]);
/// assert_eq!(files[0].name, "height.md");
/// assert!(files[0].text.contains("| `metres` | f32 | 4 | 0 | In metres. |"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schema {
    /// Tables as in a specification.
    Markdown,
    /// [Kaitai Struct](https://kaitai.io) definitions, one file for each layout.
    Kaitai,
    /// A pattern for the hex editor [ImHex](https://imhex.werwolv.net).
    ImHex,
    /// A C header with packed structs.
    C,
    /// The declaration as JSON.
    Json,
    /// A [JSON Schema](https://json-schema.org) of the JSON of files' values.
    JsonSchema,
    /// The resolved declarations: how derived values are computed when a file is assembled, and what depends on each
    /// stored value.
    Program,
    /// A dictionary for libFuzzer and AFL: magic bytes, named values, flags and limits.
    Dictionary,
}

/// A printed schema file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaFile {
    /// The default file name.
    pub name: String,
    /// The content.
    pub text: String,
}

impl Schema {
    /// All languages.
    pub const ALL: &[Schema] = &[
        Schema::Markdown,
        Schema::Kaitai,
        Schema::ImHex,
        Schema::C,
        Schema::Json,
        Schema::JsonSchema,
        Schema::Program,
        Schema::Dictionary,
    ];

    /// Returns the name of the language on the command line.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Returns the default file name extension, without the dot.
    pub fn extension(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Schema::Markdown => ("markdown", "md"),
            Schema::Kaitai => ("kaitai", "ksy"),
            Schema::ImHex => ("imhex", "hexpat"),
            Schema::C => ("c", "h"),
            Schema::Json => ("json", "json"),
            Schema::JsonSchema => ("json-schema", "schema.json"),
            Schema::Program => ("program", "program.txt"),
            Schema::Dictionary => ("dictionary", "dict"),
        }
    }

    /// Prints the layouts of a format and every declaration that they reach.
    ///
    /// `name` is the format's identifier, `title` its display name. The name of each layout must consist of lower-case
    /// letters, digits and `_`.
    pub fn print(
        self,
        name: &str,
        title: &str,
        layouts: &[(&str, &'static Type)],
    ) -> Vec<SchemaFile> {
        self.print_with_note(name, title, "", layouts)
    }

    /// Like [`print`](Schema::print), with `note` in the introduction of tables and C headers.
    pub(crate) fn print_with_note(
        self,
        name: &str,
        title: &str,
        note: &str,
        layouts: &[(&str, &'static Type)],
    ) -> Vec<SchemaFile> {
        let one = |text| vec![self.file(name, text)];
        match self {
            Schema::Markdown => one(markdown::print(title, note, layouts)),
            Schema::Kaitai => layouts
                .iter()
                .map(|(id, ty)| self.file(id, kaitai::print(id, title, ty)))
                .collect(),
            Schema::ImHex => one(imhex::print(title, layouts)),
            Schema::C => one(c_header::print(name, title, note, layouts)),
            Schema::Json => one(json::print(title, layouts)),
            Schema::JsonSchema => one(json_schema::print(name, title, layouts)),
            Schema::Program => one(program::print(title, layouts)),
            Schema::Dictionary => one(dictionary::print(title, layouts)),
        }
    }

    /// Returns a file with the default extension.
    pub(super) fn file(self, name: &str, text: String) -> SchemaFile {
        SchemaFile {
            name: format!("{name}.{}", self.extension()),
            text,
        }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Schema {
    type Err = Error;

    fn from_str(name: &str) -> Result<Schema, Error> {
        Schema::ALL
            .iter()
            .find(|schema| schema.name() == name)
            .copied()
            .ok_or_else(|| {
                let names: Vec<_> = Schema::ALL.iter().map(|schema| schema.name()).collect();
                let message = format!(
                    "unknown schema language `{name}`; expected one of {}",
                    names.join(", ")
                );
                Error::unsupported(message)
            })
    }
}
