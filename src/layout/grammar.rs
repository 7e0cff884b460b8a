//! The declaration of a text format as data: the grammar of its lines, and what each kind of line holds.

use std::fmt::Write as _;

use super::json::{Json, text};
use super::schema::{Schema, SchemaFile};

/// The declaration of a text format.
#[derive(Debug, PartialEq, Eq)]
pub struct Grammar {
    /// The syntax, in the language of [pest](https://pest.rs).
    pub source: &'static str,
    /// What the lines hold, in the order of the specification.
    pub attributes: &'static [Attribute],
}

/// A kind of line: an identifier and its values.
#[derive(Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name in the specification.
    pub name: &'static str,
    /// What its lines start with.
    pub identifier: &'static str,
    /// Number of values of a line.
    pub values: usize,
    /// What each value is.
    pub number: Number,
    /// Whether every file has such lines.
    pub required: bool,
    /// The identifier of the attribute without which it does not stand.
    pub requires: Option<&'static str>,
    /// What the values mean.
    pub meaning: &'static str,
}

/// What the values of a line are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// Decimal numbers, as 32-bit floats.
    F32,
    /// Indices of vertices, counted from 0.
    Index,
}

impl Number {
    /// The type that holds it.
    pub fn name(self) -> &'static str {
        match self {
            Number::F32 => "f32",
            Number::Index => "u32",
        }
    }
}

impl Grammar {
    /// Prints the declaration, in the languages that can express one of a text format: Markdown and JSON.
    ///
    /// `name` is the format's name as an identifier, `title` as people write it.
    pub fn print(&self, schema: Schema, name: &str, title: &str) -> Vec<SchemaFile> {
        let text = match schema {
            Schema::Markdown => self.markdown(title),
            Schema::Json => self.json(title),
            Schema::Kaitai | Schema::ImHex | Schema::C => return Vec::new(),
        };
        vec![SchemaFile { name: format!("{name}.{}", schema.extension()), text }]
    }

    fn markdown(&self, title: &str) -> String {
        let mut out = format!(
            "# {title}\n\nA text format: lines that start with an identifier.\n\n## Attributes\n\n\
             | attribute | identifier | values | type | required | requires | meaning |\n\
             |---|---|---|---|---|---|---|\n"
        );
        for attribute in self.attributes {
            let Attribute { name, identifier, values, meaning, .. } = attribute;
            let number = attribute.number.name();
            let required = if attribute.required { "yes" } else { "no" };
            let requires = attribute.requires.map_or(String::new(), |other| format!("`{other}`"));
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "| {name} | `{identifier}` | {values} | {number} | {required} | {requires} | {meaning} |"
            );
        }
        out + "\n## Grammar\n\nIn the language of [pest](https://pest.rs).\n\n```pest\n"
            + self.source
            + "```\n"
    }

    fn json(&self, title: &str) -> String {
        let attribute = |attribute: &Attribute| {
            Json::object([
                ("name", text(attribute.name)),
                ("identifier", text(attribute.identifier)),
                ("values", Json::Plain(attribute.values.to_string())),
                ("type", text(attribute.number.name())),
                ("required", Json::Plain(attribute.required.to_string())),
                ("requires", attribute.requires.map_or(Json::Nothing, text)),
                ("meaning", text(attribute.meaning)),
            ])
        };
        let attributes = self.attributes.iter().map(attribute).collect();
        let document = Json::object([
            ("title", text(title)),
            ("attributes", Json::List(attributes)),
            ("grammar", text(self.source)),
        ]);
        document.print()
    }
}
