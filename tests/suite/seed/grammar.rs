//! The fast path of the Seed parser and the grammar agree on any text.

use crate::common::config;
use meshspec::layout::generate::{self, GeneratedText};
use meshspec::layout::grammar::{Attribute, Domain, Grammar, Occurrence, ValueType};
use meshspec::layout::schema::Schema;
use meshspec::seed::__private::{
    MAX_PARSED_BYTES, MAX_VALUES, MIN_CHUNK_SIZE, Options, read_to_text,
};
use meshspec::seed::schema::ATTRIBUTES;
use meshspec::seed::{Document, LineKind};
use meshspec::{Format, Limits, ReadOptions, Report, Severity};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn assert_same(text: &[u8], min_chunk_size: usize) {
    for stop in [None, Some(Severity::Error), Some(Severity::Fatal)] {
        for comments in [false, true] {
            assert_same_with(text, min_chunk_size, stop, comments);
        }
    }
}

fn assert_same_with(text: &[u8], min_chunk_size: usize, stop: Option<Severity>, comments: bool) {
    let fast = Options {
        stop_at: stop,
        comments,
        limits: Limits::default(),
        grammar_only: false,
        min_chunk_size,
    };
    let grammar = Options {
        grammar_only: true,
        min_chunk_size: MIN_CHUNK_SIZE,
        ..fast
    };
    assert_eq!(
        read_to_text(text, &fast),
        read_to_text(text, &grammar),
        "{:?}",
        String::from_utf8_lossy(text)
    );
}

/// Pieces of text on which fast path and grammar may differ, or once differed.
const PIECES: &[&str] = &[
    "p",
    "n",
    "c0",
    "c1",
    "u0",
    "u7",
    "u8",
    "f",
    "v",
    "P",
    "pp",
    " ",
    "\t",
    "\x0b",
    "\x0c",
    "\n",
    "\r\n",
    "\r",
    ",",
    ", ",
    ",,",
    "#",
    "# c",
    "#\u{85}",
    "#\u{e9}",
    "\u{85}",
    "\0",
    "\x7f",
    "\u{2028}",
    "\u{feff}",
    "\u{a0}",
    "a = ",
    " # c\n",
    "# c\n",
    "# \u{e9}\r\n",
    "0",
    "1",
    "-1",
    "+1",
    "-0",
    "00",
    "1.",
    ".5",
    ".",
    "-",
    "1e5",
    "1e",
    "1e+",
    "e",
    "1e39",
    "1e-50",
    "1e400",
    "3.4028235677973366e38",
    "inf",
    "-Infinity",
    "nan",
    "NaN",
    "0x10",
    "1.0f",
    "1_0",
    "123456789",
    "1234567890",
    "2147483648",
    "4294967296",
    "[",
    "]",
    "=",
    "[a]=b",
    "[ a ] = b c # d",
    "p 0,0,0\n",
    "n 0,0,1\r\n",
    "u0 0,0\n",
    "f 0,1,2\n",
    "p 0,0,0\np-1,0,0\n",
    "f 0,1,02147483648\n",
    "p 1 0,0,0",
    "p 0 0 0",
    "//",
];

/// A strategy for lines that consist of `PIECES`, most of them malformed.
fn wild() -> impl Strategy<Value = Vec<u8>> {
    vec(select(PIECES), 0..30).prop_map(|pieces| pieces.concat().into_bytes())
}

/// A strategy for valid texts.
fn texts() -> impl Strategy<Value = GeneratedText> {
    let grammar = <Document as Format>::GRAMMAR.unwrap();
    generate::texts(
        grammar,
        generate::Config {
            max_items: 12,
            ..Default::default()
        },
    )
}

/// A strategy for valid texts in which some ranges are replaced.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let replacement = prop_oneof![
        4 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..3),
    ];
    (texts(), vec((any::<Index>(), 0..4usize, replacement), 0..5)).prop_map(|(text, changes)| {
        let mut text = text.varied;
        for (at, length, replacement) in changes {
            let start = at.index(text.len() + 1);
            let end = text.len().min(start + length);
            text.splice(start..end, replacement);
        }
        text
    })
}

proptest! {
    #![proptest_config(config(100, "seed"))]

    #[test]
    fn fast_and_grammar_agree_on_texts(text in texts(), chunk in 1..3000usize) {
        assert_same(&text.varied, chunk);
        assert_same(&text.text, chunk);
    }

    #[test]
    fn fast_and_grammar_agree_on_mutations(text in mutated(), chunk in 1..3000usize) {
        assert_same(&text, chunk);
    }

    #[test]
    fn fast_and_grammar_agree_on_malformed_texts(text in wild(), chunk in 1..100usize) {
        assert_same(&text, chunk);
    }

    #[test]
    fn fast_and_grammar_agree_on_bytes(text in vec(any::<u8>(), 0..60), chunk in 1..100usize) {
        assert_same(&text, chunk);
    }

    #[test]
    fn generated_texts_decode_as_expected(text in texts(), chunk in 1..3000usize) {
        let GeneratedText { text: plain, varied: text, .. } = text;
        let document = Document::read(&plain, &ReadOptions::default()).unwrap();
        let options = Options {
            stop_at: None,
            comments: false,
            limits: Limits::default(),
            grammar_only: false,
            min_chunk_size: chunk,
        };
        let read = Document::read(&text, &ReadOptions::default()).unwrap();
        prop_assert_eq!(format!("{:?}", read), format!("{:?}", document));
        let result = read_to_text(&text, &options);
        let nothing_found = format!("{document:?} {:?} ", Report::new(&options.limits));
        prop_assert!(result.starts_with(&nothing_found), "{result} for {document:?}");
    }
}

/// The grammar of a text format with lines of all kinds.
static LEVELS: Grammar = Grammar {
    source: "",
    attributes: &[
        row(
            "Position",
            "p",
            Occurrence::Vertex,
            ValueType::Float,
            Domain::Range(-2, 2),
        ),
        row(
            "Group",
            "g",
            Occurrence::Vertex,
            ValueType::Integer,
            Domain::Any,
        ),
        row(
            "Level",
            "lod",
            Occurrence::File,
            ValueType::Integer,
            Domain::Range(1, 3),
        ),
        row(
            "Corner",
            "f",
            Occurrence::Face,
            ValueType::Index,
            Domain::Any,
        ),
        row(
            "Shading",
            "s",
            Occurrence::Face,
            ValueType::Word,
            Domain::OneOf(&["flat", "smooth"]),
        ),
    ],
    properties: &[],
    rules: &[],
};

const fn row(
    name: &'static str,
    identifier: &'static str,
    occurs: Occurrence,
    value_type: ValueType,
    domain: Domain,
) -> Attribute {
    let (required, requires, meaning) = (true, None, "");
    Attribute {
        name,
        identifier,
        occurs,
        values: 1,
        value_type,
        domain,
        required,
        requires,
        meaning,
    }
}

#[test]
fn tables_print_occurrence_type_and_range() {
    let table = &LEVELS.print(Schema::Markdown, "levels", "Levels")[0].text;
    for row in [
        "| Position | `p` | vertex | 1 | f32 | -2 to 2 | yes |  |  |",
        "| Group | `g` | vertex | 1 | u32 |  | yes |  |  |",
        "| Level | `lod` | file | 1 | u32 | 1 to 3 | yes |  |  |",
        "| Corner | `f` | face | 1 | index | below the number of vertices | yes |  |  |",
        "| Shading | `s` | face | 1 | word | flat, smooth | yes |  |  |",
    ] {
        assert!(table.contains(row), "{row} is not in {table}");
    }
}

#[test]
fn ranges_suit_their_types() {
    let row =
        |value_type, domain| row("", "", Occurrence::File, value_type, domain).is_consistent();
    assert!(LEVELS.attributes.iter().all(Attribute::is_consistent));
    assert!(!row(ValueType::Integer, Domain::Range(-1, 1)));
    assert!(!row(ValueType::Float, Domain::Range(1, 0)));
    assert!(!row(ValueType::Index, Domain::UnitVector));
    assert!(!row(ValueType::Word, Domain::Any));
}

proptest! {
    #![proptest_config(config(50, "seed"))]

    #[test]
    fn generated_lines_follow_the_table(text in generate::texts(&LEVELS, Default::default())) {
        let plain = String::from_utf8_lossy(&text.text).into_owned();
        let values = |identifier: &str| -> Vec<String> {
            let lines = plain.lines().filter_map(|line| line.strip_prefix(identifier)?.strip_prefix(' '));
            lines.map(|line| line.split('#').next().unwrap_or_default().trim().to_owned()).collect()
        };
        let (positions, groups, levels) = (values("p"), values("g"), values("lod"));
        let (corners, shadings) = (values("f"), values("s"));
        prop_assert_eq!((positions.len(), corners.len()), (groups.len(), shadings.len()));
        prop_assert!(matches!(&levels[..], [level] if ["1", "2", "3"].contains(&&**level)), "{levels:?}");
        prop_assert!(shadings.iter().all(|word| ["flat", "smooth"].contains(&&**word)), "{shadings:?}");
        let is_vertex = |corner: &String| corner.parse::<usize>().unwrap() < positions.len();
        prop_assert!(corners.iter().all(is_vertex), "{corners:?}");
    }
}

#[test]
fn the_table_has_the_kinds_in_their_order() {
    for (kind, attribute) in LineKind::ALL.into_iter().zip(&ATTRIBUTES) {
        assert_eq!(LineKind::from_identifier(attribute.identifier), Some(kind));
        assert!(std::ptr::eq(kind.attribute(), attribute));
        let name = format!("{kind:?}");
        assert_eq!(
            name.to_lowercase(),
            attribute.identifier,
            "the row `{name}` is named as its identifier"
        );
        assert!((1..=MAX_VALUES).contains(&attribute.values));
    }
}

#[test]
fn many_chunks_are_joined_in_order() {
    // The text contains some errors and comments; in the last run, each chunk is one line.
    let line = |index: usize| match index % 50 {
        7 => format!("p {index}, 1\n"),
        13 | 14 => format!("# before {index}\n"),
        29 => format!("n 0, 0, {index} # behind\n"),
        31 => format!("[name{index}]=value\n"),
        _ => format!("p {index}, 0, 1\n"),
    };
    let text: String = (0..1000).map(line).collect();
    assert_same(text.as_bytes(), 1);
}

#[test]
fn fast_and_grammar_agree_on_long_lines() {
    // The lines are longer than the limit of fallible rules.
    let long = MAX_PARSED_BYTES + 1000;
    let (blanks, digits) = (" ".repeat(long), "0".repeat(long));
    for text in [
        format!("p{blanks}1,2,{digits}3\n"),
        format!("p 1,2,3 #{digits}\n[a]={digits}\n"),
        format!("p 1,2,{digits}.5x\np 1,2\n"),
        format!("p 1{blanks},2{blanks}3\n"),
        format!("p 1,2,3 #{digits}\0\n"),
        format!("[a{digits}\n[a]={digits}\0\n"),
        format!("p x{blanks}\n"),
    ] {
        assert_same_with(text.as_bytes(), 100, None, true);
    }
}
