//! The fast path and the grammar agree, whatever the text.

use crate::common::config;
use meshspec::layout::generate::{self, GeneratedText};
use meshspec::seed::__private::{CHUNK, MAX_PARSED, MAX_VALUES, Options, outcome};
use meshspec::seed::schema::ATTRIBUTES;
use meshspec::seed::{Document, Kind};
use meshspec::{Declared, Format, Limits, ReadOptions, Report, Severity};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn assert_same(text: &[u8], chunk: usize) {
    for stop in [None, Some(Severity::Error), Some(Severity::Fatal)] {
        for comments in [false, true] {
            assert_same_with(text, chunk, stop, comments);
        }
    }
}

fn assert_same_with(text: &[u8], chunk: usize, stop: Option<Severity>, comments: bool) {
    let fast = Options { stop, comments, limits: Limits::default(), grammar_only: false, chunk };
    let grammar = Options { grammar_only: true, chunk: CHUNK, ..fast };
    assert_eq!(outcome(text, &fast), outcome(text, &grammar), "{:?}", String::from_utf8_lossy(text));
}

/// What makes a difference to one of the two, or did.
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

/// Lines of pieces, most of them wrong.
fn wild() -> impl Strategy<Value = Vec<u8>> {
    vec(select(PIECES), 0..30).prop_map(|pieces| pieces.concat().into_bytes())
}

/// Valid texts.
fn texts() -> impl Strategy<Value = GeneratedText> {
    let grammar = <Document as Declared>::GRAMMAR.unwrap();
    generate::texts(grammar, generate::Config { max_items: 12, ..Default::default() })
}

/// A valid text with some places replaced.
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
    fn fast_and_grammar_agree_on_junk(text in wild(), chunk in 1..100usize) {
        assert_same(&text, chunk);
    }

    #[test]
    fn fast_and_grammar_agree_on_bytes(text in vec(any::<u8>(), 0..60), chunk in 1..100usize) {
        assert_same(&text, chunk);
    }

    #[test]
    fn texts_say_what_they_should(text in texts(), chunk in 1..3000usize) {
        let GeneratedText { text: plain, varied: text, .. } = text;
        let document = Document::read(&plain, &ReadOptions::default()).unwrap();
        let options = Options { stop: None, comments: false, limits: Limits::default(), grammar_only: false, chunk };
        let read = Document::read(&text, &ReadOptions::default()).unwrap();
        prop_assert_eq!(format!("{:?}", read), format!("{:?}", document));
        let outcome = outcome(&text, &options);
        let nothing_found = format!("{document:?} {:?} ", Report::new(&options.limits));
        prop_assert!(outcome.starts_with(&nothing_found), "{outcome} for {document:?}");
    }
}

#[test]
fn the_table_has_the_kinds_in_their_order() {
    for (kind, attribute) in Kind::ALL.into_iter().zip(&ATTRIBUTES) {
        assert_eq!(Kind::of(attribute.identifier), Some(kind));
        assert!(std::ptr::eq(kind.attribute(), attribute));
        assert_eq!(format!("{kind:?}").to_lowercase(), attribute.identifier);
        assert!((1..=MAX_VALUES).contains(&attribute.values));
    }
}

#[test]
fn many_chunks_are_joined_in_order() {
    // Some errors and comments here and there, and one line in each chunk.
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
    // Longer than what is given to rules that can fail.
    let long = MAX_PARSED + 1000;
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
