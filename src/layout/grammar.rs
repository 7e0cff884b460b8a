//! The declaration of a text format as data: the grammar of its lines, and what each kind of line holds.

use std::fmt::Write as _;

use super::dictionary::Dictionary;
use super::json::{Json, text};
use super::schema::{Schema, SchemaFile};
use crate::Rule;

/// The declaration of a text format.
#[derive(Debug, PartialEq, Eq)]
pub struct Grammar {
    /// The syntax, in the language of [pest](https://pest.rs).
    pub source: &'static str,
    /// What the lines hold, in the order of the specification.
    pub attributes: &'static [Attribute],
    /// The properties with a meaning of their own, which every file should have.
    pub properties: &'static [BuiltInProperty],
    /// The rules that the two tables state.
    pub rules: &'static [ColumnRule],
}

/// A rule that a column of the attributes or of the properties states.
#[derive(Debug, PartialEq, Eq)]
pub struct ColumnRule {
    /// The heading of the column in the printed tables.
    pub column: &'static str,
    /// The rule.
    pub rule: &'static Rule,
}

/// A property with a meaning of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltInProperty {
    /// Its name.
    pub name: &'static str,
    /// The values that it may have; any if there are none.
    pub values: &'static [&'static str],
    /// What it means.
    pub meaning: &'static str,
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
    /// Which values are allowed.
    pub constraint: Domain,
    /// Whether every file has such lines.
    pub required: bool,
    /// The identifier of the attribute without which it does not stand.
    pub requires: Option<&'static str>,
    /// What the values mean.
    pub meaning: &'static str,
}

impl Attribute {
    /// Whether there is a line for each vertex; else the lines are faces.
    pub fn is_per_vertex(&self) -> bool {
        self.constraint != Domain::VertexIndex
    }
}

/// Which values the lines of an attribute may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Any finite numbers.
    Any,
    /// A vector of length 1.
    UnitVector,
    /// Numbers from 0 to 1.
    UnitInterval,
    /// Indices below the number of vertices.
    VertexIndex,
}

impl Domain {
    /// The constraint in words; empty if there is none.
    pub fn wording(self) -> &'static str {
        match self {
            Domain::Any => "",
            Domain::UnitVector => "length 1",
            Domain::UnitInterval => "0 to 1",
            Domain::VertexIndex => "below the number of vertices",
        }
    }
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
    /// Prints the declaration, in the languages that can express one of a text format: Markdown, JSON and dictionaries.
    ///
    /// `name` is the format's name as an identifier, `title` as people write it.
    pub fn print(&self, schema: Schema, name: &str, title: &str) -> Vec<SchemaFile> {
        let text = match schema {
            Schema::Markdown => self.markdown(title),
            Schema::Json => self.json(title),
            Schema::Dictionary => self.dictionary(title),
            Schema::Kaitai | Schema::ImHex | Schema::C | Schema::Program => return Vec::new(),
        };
        vec![SchemaFile { name: format!("{name}.{}", schema.extension()), text }]
    }

    fn dictionary(&self, title: &str) -> String {
        let mut dictionary = Dictionary::new(title);
        for attribute in self.attributes {
            dictionary.add(attribute.name, format!("\n{} ", attribute.identifier).into_bytes());
        }
        for BuiltInProperty { name, values, .. } in self.properties {
            dictionary.add(name, format!("[{name}] = ").into_bytes());
            values.iter().for_each(|value| dictionary.add(name, value.as_bytes().to_vec()));
        }
        dictionary.into_text()
    }

    fn markdown(&self, title: &str) -> String {
        let mut out = format!(
            "# {title}\n\nA text format: lines that start with an identifier.\n\n## Attributes\n\n\
             | attribute | identifier | values | type | required | requires | constraint | meaning |\n\
             |---|---|---|---|---|---|---|---|\n"
        );
        for attribute in self.attributes {
            let Attribute { name, identifier, values, meaning, .. } = attribute;
            let number = attribute.number.name();
            let required = if attribute.required { "yes" } else { "no" };
            let requires = attribute.requires.map_or(String::new(), |other| format!("`{other}`"));
            let constraint = attribute.constraint.wording();
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "| {name} | `{identifier}` | {values} | {number} | {required} | {requires} | {constraint} | {meaning} |"
            );
        }
        out += "\n## Built-in properties\n\n| property | values | meaning |\n|---|---|---|\n";
        for BuiltInProperty { name, values, meaning } in self.properties {
            let values = if values.is_empty() { "any".to_owned() } else { values.join(", ") };
            let _ = writeln!(out, "| `{name}` | {values} | {meaning} |");
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
                ("constraint", text(attribute.constraint.wording())),
                ("meaning", text(attribute.meaning)),
            ])
        };
        let property = |property: &BuiltInProperty| {
            Json::object([
                ("name", text(property.name)),
                ("values", Json::List(property.values.iter().map(|value| text(value)).collect())),
                ("meaning", text(property.meaning)),
            ])
        };
        let attributes = self.attributes.iter().map(attribute).collect();
        let properties = self.properties.iter().map(property).collect();
        let document = Json::object([
            ("title", text(title)),
            ("attributes", Json::List(attributes)),
            ("properties", Json::List(properties)),
            ("grammar", text(self.source)),
        ]);
        document.print()
    }
}
