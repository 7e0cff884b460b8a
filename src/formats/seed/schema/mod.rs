//! The declaration of Seed: the fields of the document, together with the attribute table of the specification. The
//! syntax of lines is in `grammar/seed.pest`.
//!
//! Reading, writing, checks, `info`, dumps and strategies follow the table.

pub(super) mod rules;

use super::attributes::document;
use super::columns::{Column, ColumnMut, Field};
use super::syntax;
use crate::Text;
use crate::layout::grammar::{Attribute, BuiltInProperty, ColumnRule, Grammar};

/// The name of the format on the command line and in messages.
pub const NAME: &str = "seed";

document! {
    /// The content of a Seed file. Whitespace and the order of line kinds have no meaning, and are not stored (S2).
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Document {
        /// The properties, in file order.
        pub properties: Vec<Property>,

        /// The comments, in the order of their lines. `None` if [`ReadOptions::comments`](crate::ReadOptions::comments)
        /// was not set; writing then generates headings.
        pub comments: Option<Vec<Comment>>,

        /// Position of each vertex (X, Y, Z): right-handed, +Y up, +Z forward (X3).
        pub positions: Vec<[f32; 3]>, Vertex, Float, Any => {
            P: "p", "Position", REQUIRED, None, "X, Y, Z: +Y up, +Z forward, right-handed.";
        }

        /// Normal of each vertex, a unit vector. Only lenient reading accepts a file without normals (S1).
        pub normals: Vec<[f32; 3]>, Vertex, Float, UnitVector => {
            N: "n", "Normal", REQUIRED, None, "X, Y, Z.";
        }

        /// Primary and secondary colour of each vertex, if present: red, green, blue, alpha, each 0 to 1.
        pub colors: Vec<Vec<[f32; 4]>>, Vertex, Float, Range(0, 1) => {
            [0] C0: "c0", "Primary Color",   OPTIONAL, None,       "Red, green, blue, alpha.";
            [1] C1: "c1", "Secondary Color", OPTIONAL, Some("c0"), "Red, green, blue, alpha.";
        }

        /// The UV channels, up to 8: (U, V) of each vertex; (0, 0) is the top left of the image.
        pub uvs: Vec<Vec<[f32; 2]>>, Vertex, Float, Range(0, 1) => {
            [0] U0: "u0", "UV Channel 0", REQUIRED, None,       "U, V: (0, 0) is the top left.";
            [1] U1: "u1", "UV Channel 1", OPTIONAL, Some("u0"), "U, V, like channel 0.";
            [2] U2: "u2", "UV Channel 2", OPTIONAL, Some("u1"), "U, V, like channel 0.";
            [3] U3: "u3", "UV Channel 3", OPTIONAL, Some("u2"), "U, V, like channel 0.";
            [4] U4: "u4", "UV Channel 4", OPTIONAL, Some("u3"), "U, V, like channel 0.";
            [5] U5: "u5", "UV Channel 5", OPTIONAL, Some("u4"), "U, V, like channel 0.";
            [6] U6: "u6", "UV Channel 6", OPTIONAL, Some("u5"), "U, V, like channel 0.";
            [7] U7: "u7", "UV Channel 7", OPTIONAL, Some("u6"), "U, V, like channel 0.";
        }

        /// The vertex indices of each triangle, zero-based, counter-clockwise.
        pub faces: Vec<[u32; 3]>, Face, Index, Any => {
            F: "f", "Face", REQUIRED, None, "Vertices of a triangle, counted from 0, counter-clockwise.";
        }
    }
}

const REQUIRED: bool = true;
const OPTIONAL: bool = false;

impl LineKind {
    /// The row of the attribute table.
    pub fn attribute(self) -> &'static Attribute {
        &ATTRIBUTES[self as usize]
    }

    /// Returns the kind of lines with this identifier; `None` if unknown.
    ///
    /// ```
    /// use meshspec::seed::LineKind;
    ///
    /// assert_eq!(LineKind::from_identifier("f"), Some(LineKind::F));
    /// assert_eq!(LineKind::from_identifier("q"), None);
    /// ```
    pub fn from_identifier(identifier: &str) -> Option<LineKind> {
        LineKind::from_bytes(identifier.as_bytes())
    }
}

/// A property: `[name]=value`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Property {
    /// The name: a letter, then letters, digits and `_` (S7).
    pub name: String,
    /// The value, without leading or trailing whitespace; may be empty.
    pub value: String,
}

/// A built-in property.
#[cfg(feature = "scene")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Name,
    Mat0,
    Type,
}

#[cfg(feature = "scene")]
impl BuiltIn {
    pub(super) const ALL: [BuiltIn; 3] = [BuiltIn::Name, BuiltIn::Mat0, BuiltIn::Type];

    pub(super) fn property(self) -> &'static BuiltInProperty {
        &PROPERTIES[self as usize]
    }
}

/// The built-in properties, which all files should have.
pub static PROPERTIES: [BuiltInProperty; 3] = [
    BuiltInProperty {
        name: "name",
        values: &[],
        meaning: "the name of the mesh",
    },
    BuiltInProperty {
        name: "mat0",
        values: &[],
        meaning: "material 0",
    },
    BuiltInProperty {
        name: "type",
        values: &["STATIC", "SKELETAL"],
        meaning: "the type of the mesh",
    },
];

/// The declaration as data: grammar, attribute table, built-in properties and rules.
pub static GRAMMAR: Grammar = Grammar {
    source: syntax::SOURCE,
    attributes: &ATTRIBUTES,
    properties: &PROPERTIES,
    rules: &[
        ColumnRule {
            column: "identifier",
            rule: &rules::IDENTIFIER,
        },
        ColumnRule {
            column: "values",
            rule: &rules::COUNT,
        },
        ColumnRule {
            column: "type",
            rule: &rules::NUMBER,
        },
        ColumnRule {
            column: "type",
            rule: &rules::INDEX,
        },
        ColumnRule {
            column: "required",
            rule: &rules::MISSING,
        },
        ColumnRule {
            column: "required",
            rule: &rules::REQUIRED,
        },
        ColumnRule {
            column: "requires",
            rule: &rules::REQUIRES,
        },
        ColumnRule {
            column: "per",
            rule: &rules::LINES,
        },
        ColumnRule {
            column: "range",
            rule: &rules::INDEX_RANGE,
        },
        ColumnRule {
            column: "range",
            rule: &rules::NORMALIZED,
        },
        ColumnRule {
            column: "range",
            rule: &rules::RANGE,
        },
        ColumnRule {
            column: "property",
            rule: &rules::BUILT_IN,
        },
        ColumnRule {
            column: "property values",
            rule: &rules::TYPE,
        },
    ],
};

/// A comment and its place.
///
/// ```
/// use meshspec::seed::{Comment, CommentPlace, Document, LineKind, LineRef};
/// use meshspec::{Format, ReadOptions};
///
/// let text = std::fs::read("samples/seed/facets.mesh")?;
/// let mut document = Document::read(&text, &ReadOptions::default().with_comments(true))?;
/// let place = CommentPlace::Line(LineKind::F, LineRef { index: 0, is_trailing: true });
/// document.comments = Some(vec![Comment { text: " the base".into(), place }]);
/// let text = String::from_utf8(document.write(&Default::default())?)?;
/// assert!(text.contains("\nf 0, 1, 2 # the base\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The text after the `#`.
    pub text: Text,
    /// The line that the comment belongs to, or the end of the file.
    pub place: CommentPlace,
}

/// The place of a comment. Places are ordered like the lines in a written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommentPlace {
    /// A property.
    Property(LineRef),
    /// A line of an attribute, or a face.
    Line(LineKind, LineRef),
    /// The end of the file.
    End,
}

/// The line that a comment belongs to, and its position relative to the line.
///
/// Ordered by line. Comments before a line precede its trailing comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRef {
    /// The index of the line among lines of its kind.
    pub index: usize,
    /// Whether the comment follows the content of the line. Otherwise, it is a separate line before the content.
    pub is_trailing: bool,
}
