//! Cases that generated Seed files rarely cover: notations of numbers, and faults that tolerant loaders miss.

use super::examples::TEXT;

/// A description, the part of [`TEXT`] to replace, and the replacement.
type Change = (&'static str, &'static str, &'static [u8]);

const CHANGES: &[Change] = &[
    ("signed exponents, and a value that underflows to 0", "p 1, 0, 0", b"p 1e+0, 10.0E-1, 1e-60"),
    (
        "decimals at, above and below the midpoint of two floats; rounding to 64 bits first misrounds the one above",
        "p 1, 0, 0",
        b"p 1.000000059604644775390625, 1.00000005960464477539062500001, 1.0000000596046447753906249999",
    ),
    ("a value between no-break spaces", "DEFAULT", "\u{a0}DEFAULT\u{a0}".as_bytes()),
    ("a number without digits in its exponent", "p 1, 0, 0", b"p 1e, 0, 0"),
    ("an index that wraps to 0 in 32 bits", "f 0, 1, 2", b"f 0, 1, 4294967296"),
    ("an identifier in upper case", "p 1, 0, 0", b"P 1, 0, 0"),
    ("a hyphen in the name of a property", "[mat0]", b"[mat-0]"),
    ("a second byte order mark", "[name]", b"\xef\xbb\xbf\xef\xbb\xbf[name]"),
    ("a UTF-16 surrogate", "DEFAULT", b"DEFAULT\xed\xa0\x80"),
    ("the control character DEL in a comment", "f 0, 1, 2", b"# \x7f\nf 0, 1, 2"),
    ("the control character U+0085 in a comment", "f 0, 1, 2", b"# \xc2\x85\nf 0, 1, 2"),
    ("two carriage returns before a line feed", "p 1, 0, 0", b"p 1, 0, 0\r\r"),
    ("a last comment that ends in a carriage return", "f 0, 1, 2\n", b"f 0, 1, 2\n# end\r"),
    (
        "texture coordinates u3 without u2",
        "f 0, 1, 2",
        b"u1 0, 0\nu1 0, 0\nu1 0, 0\nu3 0, 0\nu3 0, 0\nu3 0, 0\nf 0, 1, 2",
    ),
    ("a line of u1 too few", "f 0, 1, 2", b"u1 0, 0\nu1 0, 0\nf 0, 1, 2"),
];

/// The number of spaces in the long line.
const SPACES: usize = 5000;

/// Returns the files, each with a description.
pub(super) fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
    let long_line = ["p 1,", &" ".repeat(SPACES), "2, 3"].concat();
    let changes = CHANGES.iter().copied().chain([(
        "a value after 5,000 spaces",
        "p 1, 0, 0",
        long_line.as_bytes(),
    )]);
    let changed = changes.filter_map(|(description, from, to)| {
        let (before, after) = TEXT.split_once(from)?;
        Some((
            description,
            [before.as_bytes(), to, after.as_bytes()].concat(),
        ))
    });
    changed.collect()
}
