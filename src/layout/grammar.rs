//! Declarations of text formats as data: the grammar, and the values of each kind of line.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::dictionary::Dictionary;
use super::json::{Json, array_json, string_json};
use super::schema::{Schema, SchemaFile};
use crate::Rule;

/// The declaration of a text format.
#[derive(Debug, PartialEq, Eq)]
pub struct Grammar {
    /// The grammar, in the language of [pest](https://pest.rs).
    pub source: &'static str,
    /// The kinds of lines, in the order of the specification.
    pub attributes: &'static [Attribute],
    /// The properties with a predefined meaning. Every file should have them.
    pub properties: &'static [BuiltInProperty],
    /// The rules documented by columns of the printed tables.
    pub rules: &'static [ColumnRule],
}

/// A rule documented by a column in the table of attributes or properties.
#[derive(Debug, PartialEq, Eq)]
pub struct ColumnRule {
    /// The column heading in the printed tables.
    pub column: &'static str,
    /// The rule.
    pub rule: &'static Rule,
}

/// A property with a predefined meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltInProperty {
    /// The name.
    pub name: &'static str,
    /// The allowed values; empty if any value is allowed.
    pub values: &'static [&'static str],
    /// The meaning.
    pub meaning: &'static str,
}

/// A kind of line, which consists of an identifier and values.
#[derive(Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name in the specification.
    pub name: &'static str,
    /// The identifier at the start of each line.
    pub identifier: &'static str,
    /// The element that each line describes: the file, a vertex or a face.
    pub occurs: Occurrence,
    /// The number of values per line.
    pub values: usize,
    /// The type of each value.
    pub value_type: ValueType,
    /// The allowed values.
    pub domain: Domain,
    /// Whether every file must have lines of this kind.
    pub required: bool,
    /// The identifier of another attribute that this attribute requires.
    pub requires: Option<&'static str>,
    /// The meaning of the values.
    pub meaning: &'static str,
}

impl Attribute {
    /// Returns `true` if the domain is valid for the type of the values.
    pub const fn is_consistent(&self) -> bool {
        match (self.value_type, self.domain) {
            (ValueType::Float, Domain::Any | Domain::UnitVector) => true,
            (ValueType::Float, Domain::Range(min, max)) => min <= max,
            (ValueType::Integer, Domain::Any) | (ValueType::Index, Domain::Any) => true,
            (ValueType::Integer, Domain::Range(min, max)) => 0 <= min && min <= max,
            (ValueType::Word, Domain::OneOf(words)) => !words.is_empty(),
            _ => false,
        }
    }

    /// Returns the allowed words; empty for numbers.
    pub const fn words(&self) -> &'static [&'static str] {
        if let Domain::OneOf(words) = self.domain {
            words
        } else {
            &[]
        }
    }

    /// Returns the range of the integers, or of the indices of words. The upper limit for vertex indices is 2147483647,
    /// not the number of vertices.
    pub fn integer_range(&self) -> RangeInclusive<u32> {
        match (self.value_type, self.domain) {
            (ValueType::Integer, Domain::Range(min, max)) => {
                min.unsigned_abs()..=max.unsigned_abs()
            }
            (_, Domain::OneOf(words)) => 0..=words.len().saturating_sub(1) as u32,
            _ => 0..=MAX_INTEGER,
        }
    }

    /// Describes the allowed values in words; empty if any value of the type is allowed.
    ///
    /// ```
    /// # #[cfg(feature = "seed")] {
    /// use meshspec::seed::LineKind;
    ///
    /// let faces = LineKind::from_identifier("f").unwrap();
    /// assert_eq!(faces.attribute().describe_range(), "below the number of vertices");
    /// # }
    /// ```
    pub fn describe_range(&self) -> String {
        match (self.value_type, self.domain) {
            (ValueType::Index, _) => "below the number of vertices".to_owned(),
            (_, Domain::Any) => String::new(),
            (_, Domain::UnitVector) => "length 1".to_owned(),
            (_, Domain::Range(min, max)) => format!("{min} to {max}"),
            (_, Domain::OneOf(words)) => words.join(", "),
        }
    }
}

/// The largest valid integer in a text file.
pub(crate) const MAX_INTEGER: u32 = i32::MAX as u32;

/// The element that a line describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The file: one line per file.
    File,
    /// A vertex: one line per vertex.
    Vertex,
    /// A face: one line per face.
    Face,
}

impl Occurrence {
    /// Returns the name in printed tables.
    pub fn name(self) -> &'static str {
        match self {
            Occurrence::File => "file",
            Occurrence::Vertex => "vertex",
            Occurrence::Face => "face",
        }
    }
}

/// The type of the values in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Finite decimal numbers, as 32-bit floats.
    Float,
    /// Integers from 0 to 2147483647.
    Integer,
    /// Vertex indices, counted from 0.
    Index,
    /// Words. Documents store the index of the word in [`Domain::OneOf`].
    Word,
}

impl ValueType {
    /// Returns the name in printed tables.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::Float => "f32",
            ValueType::Integer => "u32",
            ValueType::Index => "index",
            ValueType::Word => "word",
        }
    }
}

/// The allowed values in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Any value of the type.
    Any,
    /// Components of a unit vector.
    UnitVector,
    /// Numbers in an inclusive range.
    Range(i32, i32),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

impl Grammar {
    /// Prints the declaration as Markdown, JSON or a dictionary. Returns no files for other languages.
    ///
    /// `name` is the identifier of the format, and `title` its display name.
    pub fn print(&self, schema: Schema, name: &str, title: &str) -> Vec<SchemaFile> {
        let text = match schema {
            Schema::Markdown => self.markdown(title),
            Schema::Json => self.json(title),
            Schema::Dictionary => self.dictionary(title),
            Schema::JsonSchema | Schema::Kaitai | Schema::ImHex | Schema::C | Schema::Program => {
                return Vec::new();
            }
        };
        vec![schema.file(name, text)]
    }

    fn dictionary(&self, title: &str) -> String {
        let mut dictionary = Dictionary::new(title);
        for attribute in self.attributes {
            dictionary.add_entry(
                attribute.name,
                format!("\n{} ", attribute.identifier).into_bytes(),
            );
            for word in attribute.words() {
                dictionary.add_entry(attribute.name, word.as_bytes().to_vec());
            }
        }
        for BuiltInProperty { name, values, .. } in self.properties {
            dictionary.add_entry(name, format!("[{name}] = ").into_bytes());
            values
                .iter()
                .for_each(|value| dictionary.add_entry(name, value.as_bytes().to_vec()));
        }
        dictionary.into_text()
    }

    fn markdown(&self, title: &str) -> String {
        let mut out = format!(
            "# {title}\n\nA text format: lines that start with an identifier.\n\n## Attributes\n\n\
             | attribute | identifier | per | values | type | range | required | requires | meaning |\n\
             |---|---|---|---|---|---|---|---|---|\n"
        );
        for attribute in self.attributes {
            let Attribute {
                name,
                identifier,
                values,
                meaning,
                ..
            } = attribute;
            let (per, value_type) = (attribute.occurs.name(), attribute.value_type.name());
            let required = if attribute.required { "yes" } else { "no" };
            let requires = attribute
                .requires
                .map_or(String::new(), |other| format!("`{other}`"));
            let range = attribute.describe_range();
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "| {name} | `{identifier}` | {per} | {values} | {value_type} | {range} | {required} | {requires} | {meaning} |"
            );
        }
        out += "\n## Built-in properties\n\n| property | values | meaning |\n|---|---|---|\n";
        for BuiltInProperty {
            name,
            values,
            meaning,
        } in self.properties
        {
            let values = if values.is_empty() {
                "any".to_owned()
            } else {
                values.join(", ")
            };
            let _ = writeln!(out, "| `{name}` | {values} | {meaning} |");
        }
        out + "\n## Grammar\n\nIn the language of [pest](https://pest.rs).\n\n```pest\n"
            + self.source
            + "```\n"
    }

    fn json(&self, title: &str) -> String {
        let attribute = |attribute: &Attribute| {
            Json::object([
                ("name", string_json(attribute.name)),
                ("identifier", string_json(attribute.identifier)),
                ("per", string_json(attribute.occurs.name())),
                ("values", Json::Plain(attribute.values.to_string())),
                ("type", string_json(attribute.value_type.name())),
                ("range", string_json(&attribute.describe_range())),
                ("required", Json::Plain(attribute.required.to_string())),
                (
                    "requires",
                    attribute.requires.map_or(Json::Omitted, string_json),
                ),
                ("meaning", string_json(attribute.meaning)),
            ])
        };
        let property = |property: &BuiltInProperty| {
            Json::object([
                ("name", string_json(property.name)),
                (
                    "values",
                    array_json(property.values, |value| string_json(value)),
                ),
                ("meaning", string_json(property.meaning)),
            ])
        };
        let document = Json::object([
            ("title", string_json(title)),
            ("attributes", array_json(self.attributes, attribute)),
            ("properties", array_json(self.properties, property)),
            ("grammar", string_json(self.source)),
        ]);
        document.print()
    }
}
