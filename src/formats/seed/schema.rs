//! The declaration of Seed: the attribute table of the specification. The syntax of its lines is `grammar/seed.pest`.
//!
//! How many values a line has, which lines every file has, and which need others: all checks of that follow from the
//! table.

use super::syntax;
use crate::layout::{Attribute, Grammar, Number};
use crate::{Path, path};

/// The kinds of lines besides properties, in the order of the specification's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[allow(missing_docs, reason = "the table documents them")]
pub enum Kind {
    P,
    N,
    C0,
    C1,
    U0,
    U1,
    U2,
    U3,
    U4,
    U5,
    U6,
    U7,
    F,
}

impl Kind {
    /// All kinds, in the order of the table.
    pub const ALL: [Kind; 13] = [
        Kind::P,
        Kind::N,
        Kind::C0,
        Kind::C1,
        Kind::U0,
        Kind::U1,
        Kind::U2,
        Kind::U3,
        Kind::U4,
        Kind::U5,
        Kind::U6,
        Kind::U7,
        Kind::F,
    ];

    /// The row of the table.
    pub fn attribute(self) -> &'static Attribute {
        &ATTRIBUTES[self as usize]
    }

    /// The kind of the lines with this identifier.
    pub fn of(identifier: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.attribute().identifier == identifier)
    }

    /// The field of the document that holds these lines.
    pub fn path(self) -> Path {
        match self {
            Kind::P => path!(positions).into(),
            Kind::N => path!(normals).into(),
            Kind::C0 => path!(colors[0]).into(),
            Kind::C1 => path!(colors[1]).into(),
            Kind::U0 => path!(uvs[0]).into(),
            Kind::U1 => path!(uvs[1]).into(),
            Kind::U2 => path!(uvs[2]).into(),
            Kind::U3 => path!(uvs[3]).into(),
            Kind::U4 => path!(uvs[4]).into(),
            Kind::U5 => path!(uvs[5]).into(),
            Kind::U6 => path!(uvs[6]).into(),
            Kind::U7 => path!(uvs[7]).into(),
            Kind::F => path!(faces).into(),
        }
    }
}

/// The declaration as data.
pub static GRAMMAR: Grammar = Grammar { source: syntax::SOURCE, attributes: &ATTRIBUTES };

/// The most values of a line, as the grammar has it.
pub(super) const MAX_VALUES: usize = 4;

/// The attribute table.
#[rustfmt::skip]
pub static ATTRIBUTES: [Attribute; 13] = [
    row("Position",        "p",  3, Number::F32,   REQUIRED, None,       "X, Y, Z: +Y up, +Z forward, right-handed."),
    row("Normal",          "n",  3, Number::F32,   REQUIRED, None,       "X, Y, Z of a unit vector."),
    row("Primary Color",   "c0", 4, Number::F32,   OPTIONAL, None,       "Red, green, blue, alpha, each from 0 to 1."),
    row("Secondary Color", "c1", 4, Number::F32,   OPTIONAL, Some("c0"), "Red, green, blue, alpha, each from 0 to 1."),
    row("UV Channel 0",    "u0", 2, Number::F32,   REQUIRED, None,       "U, V, each from 0 to 1: (0, 0) is the top left."),
    row("UV Channel 1",    "u1", 2, Number::F32,   OPTIONAL, Some("u0"), "U, V, as channel 0."),
    row("UV Channel 2",    "u2", 2, Number::F32,   OPTIONAL, Some("u1"), "U, V, as channel 0."),
    row("UV Channel 3",    "u3", 2, Number::F32,   OPTIONAL, Some("u2"), "U, V, as channel 0."),
    row("UV Channel 4",    "u4", 2, Number::F32,   OPTIONAL, Some("u3"), "U, V, as channel 0."),
    row("UV Channel 5",    "u5", 2, Number::F32,   OPTIONAL, Some("u4"), "U, V, as channel 0."),
    row("UV Channel 6",    "u6", 2, Number::F32,   OPTIONAL, Some("u5"), "U, V, as channel 0."),
    row("UV Channel 7",    "u7", 2, Number::F32,   OPTIONAL, Some("u6"), "U, V, as channel 0."),
    row("Face",            "f",  3, Number::Index, REQUIRED, None,       "Vertices of a triangle, counted from 0, counter-clockwise."),
];

const REQUIRED: bool = true;
const OPTIONAL: bool = false;

const fn row(
    name: &'static str,
    identifier: &'static str,
    values: usize,
    number: Number,
    required: bool,
    requires: Option<&'static str>,
    meaning: &'static str,
) -> Attribute {
    Attribute { name, identifier, values, number, required, requires, meaning }
}
