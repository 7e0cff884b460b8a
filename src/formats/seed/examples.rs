//! Violations of Seed rules: a valid file, and a change to it for each rule.

use super::rules::*;
use crate::formats::RuleExample;
use crate::{Dialect, Rule};

/// A triangle.
pub(super) const TEXT: &str = "\
[name]=Triangle
[mat0]=DEFAULT
[type]=STATIC
p 0, 0, 0
p 1, 0, 0
p 0, 1, 0
n 0, 0, 1
n 0, 0, 1
n 0, 0, 1
u0 0, 0
u0 1, 0
u0 0, 1
f 0, 1, 2
";

/// For each rule except [`COMMENT`], which only documents in memory can break, the part of [`TEXT`] to replace, and a replacement that breaks the rule.
const CHANGES: &[(&Rule, &str, &[u8])] = &[
    (&ENCODING, "DEFAULT", b"DEFAULT\xff"),
    (&CONTROL, "DEFAULT", b"DEFAULT\x1b"),
    (&IDENTIFIER, "f 0, 1, 2\n", b"f 0, 1, 2\nface 0, 2, 1\n"),
    (&BLANK, "p 1, 0, 0", b"p-1, 0, 0"),
    (&COMMA, "p 1, 0, 0", b"p 1 0, 0"),
    (&COUNT, "p 1, 0, 0", b"p 1, 0"),
    (&NUMBER, "p 1, 0, 0", b"p nan, 0, 0"),
    (&INDEX, "f 0, 1, 2", b"f 0, 1, -1"),
    (&SPACED_NUMBER, "p 1, 0, 0", b"p 1 0, 0, 0"),
    (&PROPERTY, "[mat0]=DEFAULT", b"[0mat]=DEFAULT"),
    (
        &DUPLICATE_PROPERTY,
        "[type]=STATIC\n",
        b"[type]=STATIC\n[type]=STATIC\n",
    ),
    (&MISSING, "f 0, 1, 2\n", b""),
    (&REQUIRED, "u0 0, 0\nu0 1, 0\nu0 0, 1\n", b""),
    (
        &VERTICES,
        "p 0, 1, 0\nn 0, 0, 1\nn 0, 0, 1\nn 0, 0, 1\nu0 0, 0\nu0 1, 0\nu0 0, 1\nf 0, 1, 2\n",
        b"n 0, 0, 1\nn 0, 0, 1\nu0 0, 0\nu0 1, 0\nf 0, 1, 1\n",
    ),
    (
        &REQUIRES,
        "f 0, 1, 2\n",
        b"u2 0, 0\nu2 1, 0\nu2 0, 1\nf 0, 1, 2\n",
    ),
    (&LINES, "u0 0, 1\n", b""),
    (&INDEX_RANGE, "f 0, 1, 2", b"f 0, 1, 3"),
    (&BUILT_IN, "[mat0]=DEFAULT\n", b""),
    (&TYPE, "STATIC", b"MOVING"),
    (&NORMALIZED, "n 0, 0, 1", b"n 0, 0, 2"),
    (&RANGE, "u0 0, 1", b"u0 0, 2"),
];

/// Returns the example for a rule; `None` if no file can break it.
pub(super) fn example_of(rule: &'static Rule) -> Option<RuleExample> {
    let (_, from, to) = CHANGES.iter().find(|(broken, ..)| *broken == rule)?;
    let (before, after) = TEXT.split_once(from)?;
    Some(RuleExample {
        dialect: Dialect::SPEC,
        violating: [before.as_bytes(), to, after.as_bytes()].concat(),
        correct: TEXT.into(),
    })
}
