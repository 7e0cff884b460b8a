//! Compares the output of every back end with `tests/golden`, for declarations with one field of each kind.
//!
//! `UPDATE_GOLDEN=1 cargo test -p meshspec-tests schemas` regenerates them.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]
#![allow(
    clippy::manual_is_multiple_of,
    reason = "expressions of a layout cannot call functions with arguments"
)]

use std::fs;
use std::io::SeekFrom;
use std::path::Path;

use binrw::binrw;
use meshspec::bulk::{Bulk, Strings};
use meshspec::layout::dump::{Dump, JsonHead};
use meshspec::layout::schema::{Schema, declared_rules};
use meshspec::layout::{Layout, walk};
use meshspec::{Formats, Rule, Severity, Text};
use modular_bitfield::prelude::*;

#[path = "../../examples/dump_values.rs"]
#[allow(dead_code, reason = "its main function is the program's")]
mod dump_values;

static BITS: Rule = Rule::new("SAMPLE-BITS", Severity::Error, "");
static ROWS: Rule = Rule::new("SAMPLE-ROWS", Severity::Error, "");
static SIZE: Rule = Rule::new("SAMPLE-SIZE", Severity::Error, "");
static FINITE: Rule = Rule::new("SAMPLE-FINITE", Severity::Error, "");
static NARROW: Rule = Rule::new("SAMPLE-NARROW", Severity::Error, "");
static ORDER: Rule = Rule::new("SAMPLE-ORDER", Severity::Error, "");
static UNIQUE: Rule = Rule::new("SAMPLE-UNIQUE", Severity::Error, "");
static SUM: Rule = Rule::new("SAMPLE-SUM", Severity::Error, "");

/// A file with one of everything: it's "quoted" | piped.
///
/// A second paragraph.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(magic = b"ONE\0")]
struct Sample<'a> {
    /// Which kind of content.
    kind: Kind,
    /// How it is stored.
    #[layout(reserved_zero, rule = BITS)]
    #[layout(holds(flags.rows() > 0), if(flags.wide()), rule = ROWS, message = "no rows")]
    flags: Flags,
    /// Size of the packed numbers.
    packed_size: i32,
    /// Their size once unpacked.
    #[layout(one_of(0, 16), rule = SIZE)]
    unpacked_size: i32,
    #[br(assert(
        packed_size >= 0 && (unpacked_size % 4 == 0 || !flags.wide()),
        "the sizes are negative or \"odd\""
    ))]
    table: u32,
    /// Sixteen-bit or floating-point numbers.
    #[br(count = packed_size)]
    #[layout(packing = lz4, size = unpacked_size, content = Numbers, args(flags, kind as u8))]
    numbers: Bulk<'a, u8>,
    /// Plain numbers, packed.
    #[br(count = 18)]
    #[layout(packing = lz4, size = 16, content = Vec<[u16; 2]>)]
    pairs: Bulk<'a, u8>,
    /// Not compressed.
    #[br(count = 12)]
    #[layout(content = Stored, inline)]
    stored: Bulk<'a, u8>,
    /// Somewhere else.
    #[br(if(table != 0), seek_before = SeekFrom::Start(table as u64), restore_position, count = 2)]
    #[br(assert(table % 2 == 0, "the table is at an odd offset"))]
    far: Option<Vec<Far>>,
    /// Rows of columns.
    #[br(count = (flags.rows() as u32 + 1) * 2)]
    #[layout(finite, rule = FINITE)]
    rows: Vec<[[f32; 2]; 3]>,
    /// To the end.
    names: Strings,
}

/// The topic of a file.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(repr = u8)]
#[bw(repr = u8)]
#[derive(Clone, Copy)]
enum Kind {
    /// Nothing in particular.
    Plain = 0,
    /// A lot.
    VeryFull = 7,
}

/// Flags and small numbers.
#[derive(Layout)]
#[bitfield(bits = 24)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Clone, Copy)]
struct Flags {
    /// Whether numbers are wide.
    wide: bool,
    /// A number between -16 and 15.
    #[layout(signed)]
    shift: B5,
    rows: B9,
    /// A number of one bit.
    single: B1,
    /// A word in the word.
    #[layout(declared)]
    inner: Inner,
}

/// A word for other words.
#[derive(Layout)]
#[bitfield(bits = 8)]
#[derive(Specifier, Clone, Copy)]
struct Inner {
    low: B3,
    #[layout(signed)]
    high: B4,
    #[layout(reserved)]
    unused: bool,
}

/// Numbers of one kind.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(flags: Flags, kind: u8))]
enum Numbers {
    /// Wide and of a certain kind.
    #[br(pre_assert(flags.wide() && kind == 7))]
    Sevens(Sevens),
    /// Wide.
    #[br(pre_assert(flags.wide()))]
    Wide(#[br(count = 4)] Vec<f32>),
    /// Narrow.
    #[br(pre_assert(!flags.wide()))]
    Narrow(
        #[br(count = 8)]
        #[layout(below = kind as u16 + 9, if(kind > 0), rule = NARROW)]
        #[layout(ordered, rule = ORDER, message = "{found} < {previous}")]
        #[layout(unique, rule = UNIQUE)]
        Vec<u16>,
    ),
}

/// Pairs of a wide and a signed number, up to the end of the file.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Sevens {
    r#struct: u64,
    signed: i16,
    double: f64,
}

/// Content that is not packed.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Stored {
    first: u32,
    rest: [[u16; 2]; 2],
}

/// At a separate offset.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Far(u16);

/// A structure of fixed size with names that are words of C.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(magic = b"FX")]
struct Fixed {
    int: i32,
    class: Flags,
    kind: Kind,
    #[layout(sum = 1.5, tolerance = 0.25, rule = SUM)]
    double: [f64; 2],
}

/// A structure whose size follows from what it is given.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(count: u16, flags: Flags))]
struct Given {
    #[br(count = count)]
    fixed: Vec<Fixed>,
    #[br(if(flags.inner().low() > 1 && !flags.wide()))]
    low: Option<u16>,
    #[br(if(flags.shift() > 3), count = if flags.wide() { 1 } else { count as u32 * 2 })]
    shifted: Option<Vec<u32>>,
}

/// The second layout.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Second<'a> {
    count: u16,
    flags: Flags,
    #[br(args(count, flags))]
    given: Given,
    /// The kind of the next field.
    #[br(restore_position)]
    #[bw(ignore)]
    ahead: Flags,
    #[br(if(ahead.wide()))]
    wide: Option<Far>,
    /// A name somewhere else.
    #[br(if(count != 0), seek_before = SeekFrom::Start(count as u64), restore_position)]
    #[bw(ignore)]
    name: Option<Text>,
    /// Differs by the name.
    #[br(count = 8)]
    #[layout(content = Titled, args(count != 0 && name.matches("#x")), inline)]
    titled: Bulk<'a, u8>,
}

/// Numbers to the end, after a title or without one.
#[derive(Layout)]
#[br(import(has_title: bool))]
struct Titled {
    #[br(if(has_title))]
    title: Option<u32>,
    numbers: Vec<u16>,
}

fn layouts() -> [(&'static str, &'static meshspec::layout::declaration::Type); 2] {
    [("sample", &Sample::TYPE), ("second", &Second::TYPE)]
}

#[test]
fn every_language_is_as_committed() {
    for schema in Schema::ALL {
        for file in schema.print("sample", "Sample: one of everything", &layouts()) {
            assert_golden(&file.name, file.text.as_bytes());
        }
    }
}

/// Decoders generated from the schemas are compared with the committed values of this file.
#[test]
fn the_sample_is_as_committed() {
    let values = dump_values::dump(&Sample::TYPE, &sample()).unwrap();
    assert_golden("sample.bin", &sample());
    assert_golden("sample.bin.values", values.as_bytes());
    let mut dump = Vec::new();
    assert_eq!(
        Dump::new(&Sample::TYPE, &sample())
            .write_text(&mut dump, false)
            .unwrap(),
        None
    );
    assert_golden("sample.bin.dump", &dump);
    let head = JsonHead {
        format: "sample",
        layout: "sample",
        ..JsonHead::default()
    };
    let mut json = Vec::new();
    let written = Dump::new(&Sample::TYPE, &sample()).write_json(&head, |_| None, &mut json);
    assert_eq!(written.unwrap(), None);
    assert_golden("sample.bin.json", &json);
}

fn assert_golden(name: &str, content: &[u8]) {
    let golden = Path::new(crate::common::ROOT).join("tests/golden");
    let path = golden.join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(&golden).unwrap();
        fs::write(&path, content).unwrap();
    }
    let expected = fs::read(&path).unwrap_or_default();
    assert!(
        content == expected,
        "{} differs; see UPDATE_GOLDEN",
        path.display()
    );
}

/// A length without its list, and ranges in lists of either kind.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[allow(dead_code, reason = "only the declaration is used")]
struct Faces {
    vertex_count: u32,
    #[br(count = 3)]
    #[layout(index_into = vertex_count, rule = SUM)]
    indices: Vec<u32>,
    #[layout(index_into = indices, rule = ORDER)]
    first: u32,
    #[layout(within = vertex_count, first = first, rule = UNIQUE)]
    count: u32,
    #[layout(within = indices, first = first, rule = MILD)]
    index_count: u32,
}

static MILD: Rule = Rule::new("SAMPLE-MILD", Severity::Warning, "");

#[test]
fn indices_below_a_length_differ_from_indices_into_a_list() {
    let sentences = [
        ("Each must be below `vertex_count`", "`SAMPLE-SUM`, error"),
        ("Must be an index into `indices`", "`SAMPLE-ORDER`, error"),
        (
            "`first + count` must not exceed `vertex_count`",
            "`SAMPLE-UNIQUE`, error",
        ),
        (
            "The range of this many items starting at `first` must lie within `indices`",
            "`SAMPLE-MILD`, warning",
        ),
    ];
    let layouts = [("faces", &Faces::TYPE)];
    let rules: Vec<_> = declared_rules(&layouts)
        .into_iter()
        .map(|declared| declared.requirement)
        .collect();
    assert_eq!(rules, sentences.map(|(sentence, _)| sentence));
    let print = |schema: Schema| schema.print("faces", "Faces", &layouts).remove(0).text;
    let (tables, header) = (print(Schema::Markdown), print(Schema::C));
    for (sentence, rule) in sentences {
        let text = format!("{sentence} ({rule}).");
        assert!(tables.contains(&text), "{text}: {tables}");
        assert!(header.contains(&text.replace('`', "")), "{text}: {header}");
    }
}

/// Every mention of a rule at a field of a printed schema has the rule's severity.
#[test]
fn schemas_tell_warnings_from_errors() {
    for format in Formats::BUILT_IN {
        let about = format.about();
        for schema in [Schema::Markdown, Schema::Kaitai, Schema::ImHex, Schema::C] {
            let text: String = format
                .schema(schema)
                .into_iter()
                .map(|file| file.text)
                .collect();
            for declared in declared_rules(about.layouts()) {
                let (code, severity) = (declared.rule.code, declared.rule.severity.name());
                let text = text.replace('`', "");
                assert!(
                    !text.contains(&format!("({code})")),
                    "{format} {schema}: {code}"
                );
                // ImHex definitions print checks as assertions without a rule.
                let is_check = severity == "fatal";
                assert!(
                    is_check || text.contains(&format!("({code}, {severity})")),
                    "{format} {schema}: {code}"
                );
            }
        }
    }
}

#[test]
fn names_of_languages() {
    for schema in Schema::ALL {
        assert_eq!(schema.name().parse::<Schema>().unwrap(), *schema);
        assert_eq!(schema.to_string(), schema.name());
    }
    let message = "yaml".parse::<Schema>().unwrap_err().to_string();
    assert!(
        message.contains("markdown, kaitai, imhex, c, json"),
        "{message}"
    );
}

/// The walker can decode the declaration of this test.
#[test]
fn the_sample_can_be_walked() {
    let bytes = sample();
    let fault = walk::first_fault(&Sample::TYPE, &bytes, &Default::default());
    assert_eq!(fault, None);
    for path in [
        "numbers[3]",
        "pairs[3][1]",
        "rest[1][1]",
        "far[1].0",
        "rows[1][2][1]",
        "names[1]",
    ] {
        let selection = walk::select(&Sample::TYPE, &bytes, path, &Default::default());
        let walk::Selection::One(segments) = selection else {
            panic!("{path}: {selection:?}")
        };
        assert_eq!(walk::path_text(&segments), path);
    }
}

/// Items with look-aheads, up to the end of a block, with and without a name.
#[test]
fn look_aheads_consume_no_bytes() {
    let file = |rest: &[u8]| [&[0, 0, 0, 0, 0], rest].concat();
    // Without a name: eight bytes of numbers. The look-ahead consumes no bytes.
    let narrow = file(&[0, 1, 0, 2, 0, 3, 0, 4]);
    let mut paths = Vec::new();
    let mut visitor = Paths(&mut paths);
    let end = walk::walk(&Second::TYPE, &narrow, &Default::default(), &mut visitor).unwrap();
    assert_eq!(end, 13);
    assert_eq!(
        paths,
        [
            "count",
            "flags",
            "numbers[0]",
            "numbers[1]",
            "numbers[2]",
            "numbers[3]"
        ]
    );
    let wide = file(&[1, 1, 0, 2, 0, 3, 0, 4, 0, 5]);
    let mut paths = Vec::new();
    let mut visitor = Paths(&mut paths);
    walk::walk(&Second::TYPE, &wide, &Default::default(), &mut visitor).unwrap();
    assert_eq!(paths[..3], ["count", "flags", "wide.0"]);
}

/// Collects the paths of all leaves except bit fields.
struct Paths<'a>(&'a mut Vec<String>);

impl walk::Visitor for Paths<'_> {
    fn visit_leaf(
        &mut self,
        node: &walk::Node,
        _: &meshspec::layout::expr::Value,
    ) -> std::ops::ControlFlow<()> {
        if node.bit_field.is_none() {
            self.0.push(walk::path_text(node.path));
        }
        std::ops::ControlFlow::Continue(())
    }
}

#[test]
fn strings_match_patterns() {
    use meshspec::layout::expr::{Expr, Scope, Value};
    let scope = |text: &str| Scope::new(vec![("name", Value::Text(text.into()))]);
    for (text, pattern, expected) in [
        ("#FFaa09", "#xxxxxx", true),
        ("#FFaa09 and more", "#xxxxxx", true),
        ("#FFaa0", "#xxxxxx", false),
        ("#FFaa0g", "#xxxxxx", false),
        ("FFFFaa09", "#xxxxxx", false),
        ("", "", true),
    ] {
        let matches = Expr::Matches(&["name"], pattern).eval_bool(&scope(text));
        assert_eq!(matches, Ok(expected), "{text}");
    }
    assert!(
        Expr::Matches(&["other"], "#x")
            .eval_bool(&scope("#1"))
            .is_err()
    );
}

/// A single string requires its NUL; the last string of a list does not.
#[test]
fn strings_end() {
    assert_eq!(
        walk::first_fault(&Named::TYPE, &[1, b'a', 0], &Default::default()),
        None
    );
    let fault = walk::first_fault(&Named::TYPE, &[1, b'a'], &Default::default()).unwrap();
    assert_eq!(
        (fault.kind, &*fault.path.to_string()),
        (walk::FaultKind::End, "name")
    );
    let fault = walk::first_fault(&Named::TYPE, &[9, b'a', 0], &Default::default()).unwrap();
    assert_eq!(
        fault.to_string(),
        "name (bytes 0x3..0x3): offset 0x9 is past the end at 0x3"
    );
    assert_eq!(
        walk::first_fault(&<Strings as Layout>::TYPE, b"a\0b", &Default::default()),
        None
    );
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Named {
    offset: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    #[bw(ignore)]
    name: Text,
}

/// Returns a valid sample file.
fn sample() -> Vec<u8> {
    let mut bytes = b"ONE\0".to_vec();
    bytes.push(0);
    // Wide, shifted by −3, one more row, a single bit, low 5 and high −2.
    let word = 1u32 | 0b11101 << 1 | 1 << 6 | 1 << 15 | 5 << 16 | 0b1110 << 19;
    bytes.extend(&word.to_le_bytes()[..3]);
    let wide: Vec<u8> = [1.5f32, -2.0, 0.0, 9.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let packed = lz4_literals(&wide);
    bytes.extend((packed.len() as i32).to_le_bytes());
    bytes.extend(16i32.to_le_bytes());
    bytes.extend(4u32.to_le_bytes());
    bytes.extend(packed);
    bytes.extend(lz4_literals(&[7; 16]));
    bytes.extend(1..=12);
    // (1 + 1) * 2 rows of three pairs.
    bytes.extend((0..24).flat_map(|n| (n as f32).to_le_bytes()));
    bytes.extend(b"one\0two\0");
    bytes
}

/// Returns an LZ4 block of 15 to 269 literals.
fn lz4_literals(content: &[u8]) -> Vec<u8> {
    let mut block = vec![0xf0, (content.len() - 15) as u8];
    block.extend(content);
    block
}

/// Expressions, as counts and as conditions.
#[derive(Layout)]
#[brw(little)]
struct Expressions {
    a: u32,
    b: u32,
    c: u32,
    #[br(count = (a + b) * c)]
    factor: Vec<u8>,
    #[br(count = a * b + c)]
    term: Vec<u8>,
    #[br(count = a - b - c)]
    left: Vec<u8>,
    #[br(count = c - (a - b))]
    right: Vec<u8>,
    #[br(count = c / (a * b))]
    divisor: Vec<u8>,
    #[br(count = (a + b) << c)]
    shifted: Vec<u8>,
    #[br(count = -(a + b))]
    negative: Vec<u8>,
    #[br(count = (if a == b { a + b } else { c }) * c)]
    chosen: Vec<u8>,
    #[br(if((a & b) == c))]
    masked: Option<u8>,
    #[br(if(a + b > c))]
    greater: Option<u8>,
    #[br(if((a == b && a != b) || a == b))]
    either: Option<u8>,
    #[br(if((a == b && a != b) && a == b))]
    both: Option<u8>,
    #[br(if(!(a == b && a != b) && a == b))]
    neither: Option<u8>,
    #[br(if((!(a == b && a != b)) == c))]
    negated: Option<u8>,
}

/// Casts of numbers that always fit the type, and of numbers that may not.
#[derive(Layout)]
#[brw(little)]
struct Casts {
    a: u16,
    b: i32,
    #[br(count = a as u16)]
    same: Vec<u8>,
    #[br(count = a as i32)]
    wider: Vec<u8>,
    #[br(count = a as i16)]
    other_sign: Vec<u8>,
    #[br(count = a as u8)]
    narrower: Vec<u8>,
    #[br(count = b as u32)]
    without_sign: Vec<u8>,
    #[br(count = (a + b) as u8)]
    of_sum: Vec<u8>,
    #[br(count = (a + b) as u64 * a)]
    hidden: Vec<u8>,
}

/// Returns the row of a field in the tables.
fn row(tables: &str, field: &str) -> String {
    let start = format!("| `{field}` |");
    tables
        .lines()
        .find(|line| line.starts_with(&start))
        .unwrap_or_else(|| panic!("{field}\n{tables}"))
        .to_owned()
}

#[test]
fn parentheses_only_where_languages_need_or_differ() {
    let tables =
        &Schema::Markdown.print("expressions", "", &[("expressions", &Expressions::TYPE)])[0].text;
    for (field, expected) in [
        ("factor", "u8[(a + b) * c]"),
        ("term", "u8[a * b + c]"),
        ("left", "u8[a - b - c]"),
        ("right", "u8[c - (a - b)]"),
        ("divisor", "u8[c / (a * b)]"),
        ("shifted", "u8[(a + b) << c]"),
        ("negative", "u8[-(a + b)]"),
        ("chosen", "u8[((a + b) if (a == b), else c) * c]"),
        ("masked", "`(a & b) == c`"),
        ("greater", "`a + b > c`"),
        ("either", "`(a == b and a != b) or a == b`"),
        ("both", "`a == b and a != b and a == b`"),
        ("neither", "`not (a == b and a != b) and a == b`"),
        ("negated", "`(not (a == b and a != b)) == c`"),
    ] {
        assert!(
            row(tables, field).contains(expected),
            "{expected}: {}",
            row(tables, field)
        );
    }
}

#[test]
fn casts_are_shown_where_they_may_change_the_value() {
    let tables = &Schema::Markdown.print("casts", "", &[("casts", &Casts::TYPE)])[0].text;
    for (field, expected) in [
        ("same", "u8[a]"),
        ("wider", "u8[a]"),
        ("other_sign", "u8[(a as i16)]"),
        ("narrower", "u8[(a as u8)]"),
        ("without_sign", "u8[(b as u32)]"),
        ("of_sum", "u8[((a + b) as u8)]"),
        ("hidden", "u8[(a + b) * a]"),
    ] {
        assert!(
            row(tables, field).contains(expected),
            "{expected}: {}",
            row(tables, field)
        );
    }
}

/// Names that other languages spell differently.
#[derive(Layout)]
#[brw(little)]
struct TexturedVertex64 {
    _3: u8,
    class: u8,
    klass: u8,
    format: VertexFormat,
}

#[derive(Layout)]
#[brw(little)]
struct VertexFormat(u8);

#[test]
fn names_in_other_languages() {
    let print = |schema: Schema| {
        schema
            .print("names", "", &[("names", &TexturedVertex64::TYPE)])
            .remove(0)
            .text
    };
    let kaitai = print(Schema::Kaitai);
    for part in ["id: unnamed_3", "vertex_format:", "id: field_0"] {
        assert!(kaitai.contains(part), "{part}\n{kaitai}");
    }
    let header = print(Schema::C);
    for part in ["textured_vertex64", "unnamed_3;", " class_;", " klass;"] {
        assert!(header.contains(part), "{part}\n{header}");
    }
}

static FORM: Rule = Rule::new("FORM", Severity::Error, "Offsets are even and below 8.");

/// A field at an explicit offset with a check and constraints, and an imported string.
#[derive(Layout)]
#[brw(little)]
struct Placed {
    offset: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    #[br(assert(value != offset, "equal"))]
    #[layout(below = 8, rule = FORM)]
    #[layout(holds(value % 2 == 0), if(offset > 1), rule = FORM, message = "odd")]
    value: u8,
    #[br(seek_before = SeekFrom::Start(2), restore_position)]
    #[br(assert(offset != 2, "equal"))]
    side: Side,
    name: Text,
    #[br(args(name))]
    painted: Painted,
}

#[derive(Layout)]
#[brw(repr = u8)]
enum Side {
    Left = 1,
    Right = 2,
}

#[derive(Layout)]
#[brw(little)]
#[br(import(name: Text))]
struct Painted {
    #[br(if(name.matches("#x")))]
    color: u8,
}

#[test]
fn kaitai_checks_fields_at_explicit_offsets() {
    let text = Schema::Kaitai
        .print("placed", "", &[("placed", &Placed::TYPE)])
        .remove(0)
        .text;
    let valid = "expr: '(value != offset) and (not (offset > 1) or (value % 2 == 0)) and _ < 8'";
    assert!(text.contains(valid), "{text}");
    assert!(text.contains("- id: name\n        type: bytes\n"), "{text}");
    let valid = "expr: '(offset != 2) and (_ == side::left or _ == side::right)'";
    assert!(text.contains(valid) && !text.contains("in-enum"), "{text}");
}

/// A packed block at an explicit offset, with a check.
#[derive(Layout)]
#[brw(little)]
struct PlacedBlock {
    offset: u8,
    size: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    #[br(count = size, assert(size > 1, "too small"))]
    #[layout(content = [u16; 3], packing = lz4, size = 6)]
    block: Vec<u8>,
}

#[test]
fn kaitai_checks_blocks_at_explicit_offsets() {
    let text = Schema::Kaitai
        .print("placed", "", &[("placed", &PlacedBlock::TYPE)])
        .remove(0)
        .text;
    assert!(
        text.contains("expr: '(size > 1) and block._io.eof'"),
        "{text}"
    );
}
