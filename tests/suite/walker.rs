//! Compares the walker with the codec, the other decoder of a declaration.

use std::io::Cursor;
use std::ops::Range;

use crate::common::{File, Mutator, samples};
use crate::fuzz::{Input, Leaves, assert_same_acceptance, assert_same_values};
use binrw::io::SeekFrom;
use binrw::{BinRead, BinWrite, binrw};
use meshspec::bulk::{Bulk, Rest, Strings};
use meshspec::layout::declaration::{Field, Shape, Type};
use meshspec::layout::expr::Value;
use meshspec::layout::tree::{Tree, UntypedValue};
use meshspec::layout::{self, Layout, walk};
use meshspec::{AnyFormat, ErrorKind, Limit, Limits, ReadOptions, Rule, Severity, Span, Text};

/// Numbers of several types.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, PartialEq)]
struct Numbers {
    a: i8,
    b: i16,
    c: i64,
    d: u32,
    e: u128,
    f: f32,
    g: f64,
    h: [u16; 2],
}

#[test]
fn numbers() {
    let numbers = Numbers {
        a: -1,
        b: -2,
        c: i64::MIN,
        d: u32::MAX,
        e: 1 << 100,
        f: -0.0,
        g: 1e300,
        h: [1, 2],
    };
    let mut bytes = Cursor::new(Vec::new());
    numbers.write(&mut bytes).unwrap();
    let mut leaves = Leaves::default();
    walk::walk(
        &Numbers::TYPE,
        &bytes.into_inner(),
        &Limits::default(),
        &mut leaves,
    )
    .unwrap();
    let values: Vec<_> = leaves
        .leaves
        .iter()
        .map(|(path, span, value)| (&**path, span.range(), value))
        .collect();
    let expected = [
        ("a", 0..1, Value::Int(-1)),
        ("b", 1..3, Value::Int(-2)),
        ("c", 3..11, Value::Int(i64::MIN.into())),
        ("d", 11..15, Value::Int(u32::MAX.into())),
        ("e", 15..31, Value::Int(1 << 100)),
        ("f", 31..35, Value::F32(-0.0)),
        ("g", 35..43, Value::F64(1e300)),
        ("h[0]", 43..45, Value::Int(1)),
        ("h[1]", 45..47, Value::Int(2)),
    ];
    assert_eq!(
        values,
        expected
            .iter()
            .map(|(p, range, v)| (*p, range, v))
            .collect::<Vec<_>>()
    );
    assert!(matches!(values[5].2, Value::F32(zero) if zero.is_sign_negative()));
}

/// A field with another name in the layout, and a list whose count is one of two fields.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, PartialEq)]
struct Renamed {
    #[layout(name = "size")]
    byte: u8,
    #[br(count = if byte < 3 { byte } else { 1 })]
    bytes: Vec<u8>,
}

#[test]
fn names_and_choices_of_counts() {
    for (size, count) in [(0, 0), (2, 2), (3, 1)] {
        let value = Renamed {
            byte: size,
            bytes: vec![7; count],
        };
        let mut bytes = Cursor::new(Vec::new());
        value.write(&mut bytes).unwrap();
        let bytes = bytes.into_inner();
        assert_eq!(Renamed::read(&mut Cursor::new(&bytes)).unwrap(), value);
        let mut leaves = Leaves::default();
        let end = walk::walk(&Renamed::TYPE, &bytes, &Limits::default(), &mut leaves);
        assert_eq!(
            (end, leaves.leaves.len()),
            (Ok(1 + count as u64), 1 + count)
        );
        assert_eq!(leaves.leaves[0].0, "size");
    }
}

/// A field with a check at an offset, and a check on a field that may be missing.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, PartialEq)]
struct Checked {
    offset: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position, assert(version < 3, "too new"))]
    version: u8,
    #[br(if(offset == 9), assert(offset != 4, "offset 4 is reserved"))]
    extra: Option<u8>,
}

#[test]
fn failed_checks_have_the_location_of_their_field() {
    let fault = |bytes: &[u8]| {
        assert!(Checked::read(&mut Cursor::new(bytes)).is_err());
        let fault = walk::first_fault(&Checked::TYPE, bytes, &Limits::default()).unwrap();
        (fault.path.to_string(), fault.span, fault.message)
    };
    let too_new = |span| {
        (
            "version".to_owned(),
            Span::Bytes(span),
            "too new: found 3".to_owned(),
        )
    };
    assert_eq!(fault(&[5, 0, 0, 0, 0, 3]), too_new(5..6));
    let reserved = (
        "extra".to_owned(),
        Span::Bytes(1..1),
        "offset 4 is reserved".to_owned(),
    );
    assert_eq!(fault(&[4, 0, 0, 0, 0]), reserved);
}

/// Strings with a stored count.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Names {
    count: u8,
    #[br(count = count)]
    names: Vec<Text>,
}

#[test]
fn counted_strings_need_their_terminators() {
    let fault = |bytes: &[u8]| {
        let fault = walk::first_fault(&Names::TYPE, bytes, &Limits::default());
        assert_eq!(
            fault.is_none(),
            Names::read(&mut Cursor::new(bytes)).is_ok()
        );
        fault.map(|fault| (fault.kind, fault.path.to_string()))
    };
    assert_eq!(fault(b"\x02a\0b\0"), None);
    let truncated = |path: &str| Some((walk::FaultKind::End, path.to_owned()));
    assert_eq!(fault(b"\x02a\0b"), truncated("names[1]"));
    assert_eq!(fault(b"\x02a\0"), truncated("names[1]"));
    assert_eq!(fault(b"\x02"), truncated("names[0]"));
    let mut names = Tree::new(&Names::TYPE);
    names
        .set("names[0]", UntypedValue::Unterminated(b"a".to_vec()))
        .unwrap();
    let error = names.assemble(&Limits::default()).unwrap_err();
    assert!(
        error.message().starts_with("needs a terminating NUL"),
        "{error}"
    );
}

/// A block of strings. Its size is the count of its field.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct NameBlock<'a> {
    size: u8,
    #[br(count = size)]
    #[layout(content = Strings)]
    names: Bulk<'a, u8>,
}

#[test]
fn the_last_string_of_a_block_may_lack_its_terminator() {
    let file = b"\x03a\0b";
    assert_eq!(
        walk::first_fault(&NameBlock::TYPE, file, &Limits::default()),
        None
    );
    let values = Tree::read(&NameBlock::TYPE, file, &Limits::default()).unwrap();
    assert_eq!(values.assemble(&Limits::default()).unwrap(), file);
    let mut values = Tree::new(&NameBlock::TYPE);
    values.set("names[0]", "a").unwrap();
    values
        .set("names[1]", UntypedValue::Unterminated(b"b".to_vec()))
        .unwrap();
    assert_eq!(values.assemble(&Limits::default()).unwrap(), file);
}

/// Bytes that are not packed, but contain a list with a packed block.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Outer<'a> {
    size: u8,
    #[br(count = size)]
    #[layout(content = Inner, rule = OUTER)]
    inner: Bulk<'a, u8>,
}

#[derive(Layout)]
#[br(little)]
#[allow(dead_code, reason = "the declaration is only described, never decoded")]
struct Inner<'a> {
    packed_size: u8,
    unpacked_size: u32,
    #[br(count = packed_size)]
    #[layout(content = Rest<'static>, packing = lz4, size = unpacked_size)]
    packed: Bulk<'a, u8>,
}

static OUTER: Rule = Rule::new(
    "SAMPLE-OUTER",
    Severity::Error,
    "The content can be decoded.",
);

#[test]
fn limits_in_stored_blocks_are_errors() {
    // Two literals.
    let file = [8, 3, 2, 0, 0, 0, 0x20, 1, 2];
    let check = |max| {
        let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(max));
        layout::check::<Outer>(&file, &options)
    };
    assert_eq!(check(2).unwrap().findings(), []);
    assert_eq!(
        check(1).unwrap_err().kind(),
        ErrorKind::LimitExceeded(Limit::Decoded)
    );
}

#[test]
fn unpacking_respects_the_limits() {
    let (format, file) = samples()
        .into_iter()
        .find(|(format, _)| *format == meshspec::crucible::FORMAT)
        .unwrap();
    let limits = Limits::default().with_max_decoded(20);
    let fault = walk::first_fault(
        format
            .layout_of(&file, format.detect(&file).dialect)
            .unwrap(),
        &file,
        &limits,
    )
    .unwrap();
    assert_eq!(
        (fault.kind, &*fault.path.to_string()),
        (walk::FaultKind::Limit, "chunks[0].indices.data")
    );
}

of_files!(
    same_values,
    every_byte_is_covered_once,
    truncations_are_accepted_alike,
    ten_thousand_mutations_are_accepted_alike
);

/// Returns the files with a layout that are small enough to list every leaf.
fn keep_small_files(files: Vec<File>) -> Vec<File> {
    let has_layout = |(format, file): &File| {
        format
            .layout_of(file, format.detect(file).dialect)
            .is_some()
    };
    let files: Vec<_> = files
        .into_iter()
        .filter(has_layout)
        .filter(|(_, file)| file.len() < 100_000)
        .collect();
    assert!(files.len() >= 4);
    files
}

/// Returns the files of formats with consecutive fields: the lists of BMD may be anywhere, and share bytes.
fn keep_sequential(files: Vec<File>) -> impl Iterator<Item = File> {
    keep_small_files(files)
        .into_iter()
        .filter(|(format, _)| *format != meshspec::bmd::FORMAT)
}

fn same_values(files: Vec<File>) {
    let files = keep_small_files(files).into_iter();
    let compared: usize = files
        .map(|(format, file)| {
            assert_same_values(Input::detected(format, &file), &Limits::default())
        })
        .sum();
    assert!(compared > 500, "only {compared} values were compared");
}

fn every_byte_is_covered_once(files: Vec<File>) {
    for (format, file) in keep_sequential(files) {
        let mut spans: Vec<(Option<Range<u64>>, Range<u64>)> = Vec::new();
        let found = Leaves::of(Input::detected(format, &file), &Limits::default());
        let is_zstd = format == meshspec::iyma::FORMAT;
        for (_, span, _) in found.leaves {
            match span {
                Span::Bytes(range) => spans.push((None, range)),
                Span::Unpacked { packed, range } => spans.push((Some(packed), range)),
                other => panic!("{other}"),
            }
        }
        // The content of a packed block covers its packed bytes.
        let packed: Vec<_> = spans
            .iter()
            .filter_map(|(packed, _)| packed.clone())
            .collect();
        let mut covered: Vec<Range<u64>> = spans
            .iter()
            .filter(|(p, _)| p.is_none())
            .map(|(_, r)| r.clone())
            .collect();
        // An empty LZ4 block is one byte, which counts as covered; empty frames have several.
        covered.extend(found.empty.into_iter().filter(|_| is_zstd));
        let mut packed: Vec<_> = packed
            .into_iter()
            .map(|range| (range.start, range.end))
            .collect();
        packed.sort_unstable();
        packed.dedup();
        covered.extend(packed.iter().map(|(start, end)| *start..*end));
        assert_gapless(
            &format!("{format}"),
            covered,
            file.len() as u64,
            &declared_magic(format, &file),
        );
        for (start, end) in packed {
            let inside: Vec<_> = spans
                .iter()
                .filter(|(p, _)| *p == Some(start..end))
                .map(|(_, range)| range.clone())
                .collect();
            let size = inside.iter().map(|range| range.end).max().unwrap();
            assert_gapless(&format!("{format} {start:#x}"), inside, size, &[]);
        }
    }
}

/// Returns the magic bytes of a file's layout; empty if it has none.
fn declared_magic(format: AnyFormat, file: &[u8]) -> Vec<u8> {
    match format.layout_of(file, format.detect(file).dialect) {
        Some(Type::Declared(declaration)) => match declaration.shape {
            // IyMA's magic bytes are in its header.
            Shape::Struct(
                [
                    Field {
                        ty: Type::Declared(header),
                        ..
                    },
                    ..,
                ],
            ) if declaration.magic.is_empty() => header.magic.to_vec(),
            _ => declaration.magic.to_vec(),
        },
        _ => Vec::new(),
    }
}

fn assert_gapless(what: &str, mut ranges: Vec<Range<u64>>, size: u64, magic: &[u8]) {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut end = magic.len() as u64;
    for range in ranges {
        // An empty stream is one byte that unpacks to no field.
        assert!(
            range.start == end || range.start == end + 1,
            "{what}: {range:?} after {end}"
        );
        end = range.end;
    }
    assert!(
        end == size || end + 1 == size,
        "{what}: covered to {end} of {size}"
    );
}

fn truncations_are_accepted_alike(files: Vec<File>) {
    for (format, file) in keep_small_files(files) {
        for length in (0..file.len()).filter(|length| file.len() < 3000 || length % 101 == 0) {
            assert_same_acceptance(Input::detected(format, &file[..length]), &Limits::default());
        }
    }
}

fn ten_thousand_mutations_are_accepted_alike(files: Vec<File>) {
    let files: Vec<_> = keep_small_files(files)
        .into_iter()
        .filter(|(_, file)| file.len() < 6000)
        .collect();
    let mut mutator = Mutator::new(2);
    let accepted = (0..10_000)
        .filter(|round| {
            let (format, file) = &files[round % files.len()];
            let bytes = mutator.mutate(file);
            assert_same_acceptance(Input::detected(*format, &bytes), &Limits::default())
        })
        .count();
    assert!(
        (500..9500).contains(&accepted),
        "{accepted} of 10,000 accepted: the mutations are too wild or too tame"
    );
}

/// A block of stored content, and a name at an offset.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
struct Holes {
    size: u8,
    name_offset: u8,
    #[br(count = size)]
    #[layout(content = [u8; 2])]
    pair: Vec<u8>,
    #[br(seek_before = SeekFrom::Start(name_offset as u64), restore_position)]
    name: [u8; 2],
}

/// Returns the ranges that no field of `Holes` covers.
fn uncovered_ranges(bytes: &[u8]) -> Vec<Range<u64>> {
    walk::uncovered(&Holes::TYPE, bytes, &Limits::default()).unwrap()
}

#[test]
#[allow(clippy::single_range_in_vec_init, reason = "each range is an item")]
fn uncovered_bytes_are_found_everywhere() {
    assert_eq!(uncovered_ranges(b"\x02\x04ababc"), [6..7], "after the end");
    assert_eq!(uncovered_ranges(b"\x03\x05ab!ab"), [4..5], "in a block");
    assert_eq!(uncovered_ranges(b"\x02\x06ab??ab"), [4..6], "in a gap");
    assert_eq!(uncovered_ranges(b"\x04\x08ab!!??ab!"), [4..8, 10..11]);
    assert_eq!(uncovered_ranges(b"\x02\x02ab"), [], "fields that overlap");
    walk::uncovered(&Holes::TYPE, b"\x02\x09ab", &Limits::default()).unwrap_err();
}

/// Zeros between two fields, up to a multiple of 16, and 16 more, are padding; other bytes, and more zeros, are not.
#[test]
#[allow(clippy::single_range_in_vec_init, reason = "each range is an item")]
fn padding_is_no_content() {
    let padded = |zeros: usize| {
        let mut bytes = b"\x02\x00ab".to_vec();
        bytes.resize(4 + zeros, 0);
        bytes[1] = bytes.len() as u8;
        bytes.extend(b"ab");
        bytes
    };
    for zeros in 0..=28 {
        assert_eq!(uncovered_ranges(&padded(zeros)), [], "{zeros} zeros");
    }
    assert_eq!(uncovered_ranges(&padded(29)), [4..33]);
    let mut noted = padded(28);
    noted[9] = b'!';
    assert_eq!(uncovered_ranges(&noted), [4..32]);
    // Nothing follows the zeros at the end.
    assert_eq!(uncovered_ranges(b"\x02\x04abab\0\0"), [6..8]);
    // A format without offsets has no padding.
    assert_eq!(
        walk::uncovered(&<[u8; 2] as Layout>::TYPE, b"ab\0", &Limits::default()),
        Ok(vec![2..3])
    );
}
