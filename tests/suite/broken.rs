//! Breakages: copies of valid files with exactly one defect.

#![allow(
    dead_code,
    reason = "some declarations are only described, never decoded"
)]
#![allow(
    clippy::manual_is_multiple_of,
    reason = "expressions of declarations have operators, no methods"
)]

use std::collections::{BTreeMap, BTreeSet};

use binrw::binrw;
use meshspec::layout::declaration::{ChecksumFunction, Type};
use meshspec::layout::expr::Value;
use meshspec::layout::generate::{Breakage, BrokenFile};
use meshspec::layout::tree::Tree;
use meshspec::layout::{self, Layout, generate, walk};
use meshspec::{
    AnyFormat, BinaryFormat, Dialect, Finding, Formats, Limits, ReadOptions, Report, Rule, Severity,
};
use modular_bitfield::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

use crate::common::is_thorough;
use broken_files::Counts;

#[path = "../../examples/broken_files.rs"]
mod broken_files;

static VALUE: Rule = Rule::new("SAMPLE-RANGE", Severity::Error, "");
static LIST: Rule = Rule::new("SAMPLE-LIST", Severity::Warning, "");
static CHECKSUM: Rule = Rule::new("SAMPLE-CHECKSUM", Severity::Warning, "");
static VERSION: Rule = Rule::new("SAMPLE-VERSION", Severity::Fatal, "");
static TRAILING: Rule = Rule::new("SAMPLE-TRAILING", Severity::Error, "");
static RULES: &[&Rule] = &[&VALUE, &LIST, &CHECKSUM, &VERSION, &TRAILING];

/// A declaration with a field for each kind of breakage.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"SAM")]
struct Sample {
    #[br(assert(version == 2, "the version is not 2"))]
    #[layout(rule = VERSION)]
    version: u8,
    form: Form,
    #[layout(reserved_zero, rule = LIST)]
    flags: Flags,
    #[layout(holds(count % 2 == 0), rule = LIST, message = "an odd count")]
    count: u8,
    #[br(count = count)]
    #[layout(below = count, rule = VALUE)]
    indices: Vec<u8>,
    #[layout(one_of(0, 7), rule = VALUE)]
    kind: u16,
    size: u8,
    ofs_list: u8,
    #[layout(rule = CHECKSUM)]
    checksum: u64,
    packed_size: u8,
    unpacked_size: u8,
    #[br(count = packed_size)]
    #[layout(
        content = Content, packing = lz4, size = unpacked_size, args(flags.wide()), checksum = checksum, by = SUM
    )]
    content: Vec<u8>,
    #[br(seek_before = std::io::SeekFrom::Start(ofs_list as u64), restore_position, count = size / 8)]
    #[br(assert(size % 8 == 0, "the size is not a multiple of 8"))]
    items: Vec<Item>,
}

const SUM: ChecksumFunction = ChecksumFunction {
    name: "sum",
    compute: |bytes, _: &[Value]| bytes.iter().map(|b| u64::from(*b)).sum(),
};

#[derive(Layout)]
#[binrw]
#[brw(repr = u8)]
#[derive(Clone, Copy)]
enum Form {
    Flat = 1,
    Tall = 2,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Clone, Copy)]
struct Flags {
    wide: bool,
    #[layout(reserved)]
    reserved: B7,
}

#[derive(Layout)]
#[br(little, import(wide: bool))]
struct Content {
    #[br(args(wide))]
    number: Number,
    #[br(count = 4)]
    #[layout(sum(12), rule = LIST)]
    weights: [u8; 4],
}

#[derive(Layout)]
#[br(little, import(wide: bool))]
enum Number {
    #[br(pre_assert(!wide))]
    Narrow(u8),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Item {
    #[layout(unique, rule = LIST)]
    id: u32,
    #[layout(finite, rule = VALUE)]
    #[layout(ordered, rule = LIST)]
    time: f32,
}

fn sample() -> Vec<u8> {
    let mut values = Tree::new(&Sample::TYPE);
    for (path, value) in [
        ("version", "2"),
        ("form", "Flat"),
        ("flags", "0"),
        ("indices[0]", "0"),
        ("indices[1]", "1"),
        ("kind", "7"),
        ("content.number", "9"),
        ("content.weights[0]", "3"),
        ("content.weights[1]", "3"),
        ("content.weights[2]", "3"),
        ("content.weights[3]", "3"),
        ("items[0].id", "5"),
        ("items[0].time", "0"),
        ("items[1].id", "6"),
        ("items[1].time", "1"),
    ] {
        values.set(path, value).unwrap();
    }
    values.assemble(&Limits::default()).unwrap()
}

/// Returns a line for each breakage of a file: change, rule and severity. Asserts that the checks find each of them.
fn breakages(file: &[u8], rules: &'static [&'static Rule]) -> Vec<String> {
    let broken = generate::breakages(&Sample::TYPE, file, rules, &Limits::default()).unwrap();
    let line = |broken: BrokenFile| {
        // The description matches the changed file.
        let path = broken.path.segments().unwrap();
        let fault = walk::first_fault(&Sample::TYPE, &broken.bytes, &Limits::default());
        if let Some(fault) = fault {
            assert_eq!(
                (fault.path.segments().unwrap(), fault.rule),
                (path, broken.rule),
                "{broken}"
            );
        } else if let Breakage::Constraint(constraint) = broken.breakage {
            let mut report = Report::default();
            layout::check_bytes(
                &Sample::TYPE,
                &broken.bytes,
                &Limits::default(),
                &mut report,
            )
            .unwrap();
            let [finding] = report.findings() else {
                panic!("{broken}: {report:?}")
            };
            let found = (
                finding.path.segments().unwrap(),
                finding.rule,
                finding.rule.severity,
            );
            assert_eq!(found, (path, constraint.rule, broken.severity), "{broken}");
        }
        format!(
            "{broken} [{}, {:?}]",
            broken.rule.map_or("-", |rule| rule.code),
            broken.severity
        )
    };
    broken.map(line).collect()
}

#[test]
fn every_part_of_a_declaration_is_broken() {
    let file = sample();
    assert_eq!(
        walk::first_fault(&Sample::TYPE, &file, &Limits::default()),
        None
    );
    let found = breakages(&file, RULES);
    let expected = [
        "version = 3: a value that fails a check (the version is not 2) [SAMPLE-VERSION, Fatal]",
        "flags.wide = 1: an unknown value, detected at content.number [-, Error]",
        "indices[1]: a value that violates SAMPLE-LIST, detected at count [SAMPLE-LIST, Warning]",
        "count = 255: a huge count, detected at indices [-, Error]",
        "size = 17: a value that fails a check (the size is not a multiple of 8), detected at items [-, Error]",
        "size = 24: a count that is one too large, detected at items [-, Error]",
        "size = 8: a count that is one too small, detected at trailing [SAMPLE-TRAILING, Error]",
        "size = 248: a huge count, detected at items [-, Error]",
        "ofs_list = 64: an offset outside the file, detected at items [-, Error]",
        "ofs_list = 45: an offset outside the file, detected at items [-, Error]",
        "checksum = 100: a wrong checksum [SAMPLE-CHECKSUM, Warning]",
        "packed_size = 7: a count that is one too large, detected at content [-, Error]",
        "packed_size = 5: a count that is one too small, detected at content [-, Error]",
        "packed_size = 255: a huge count, detected at content [-, Error]",
        "unpacked_size = 6: a wrong unpacked size, detected at content [-, Error]",
        "flags = 0xfe: a value that violates SAMPLE-LIST [SAMPLE-LIST, Warning]",
        "flags = 0x80: a value that violates SAMPLE-LIST [SAMPLE-LIST, Warning]",
        "flags = 0x2: a value that violates SAMPLE-LIST [SAMPLE-LIST, Warning]",
        "indices[0] = 2: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "indices[1] = 2: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "indices[0] = 255: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "indices[0] = 128: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "indices[1] = 255: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "indices[1] = 128: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "kind = 1: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "kind = 65535: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "kind = 8: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "content.weights[0] = 4: a value that violates SAMPLE-LIST, detected at content.weights [SAMPLE-LIST, Warning]",
        "content.weights[0] = 2: a value that violates SAMPLE-LIST, detected at content.weights [SAMPLE-LIST, Warning]",
        "content.weights[3] = 4: a value that violates SAMPLE-LIST, detected at content.weights [SAMPLE-LIST, Warning]",
        "content.weights[3] = 2: a value that violates SAMPLE-LIST, detected at content.weights [SAMPLE-LIST, Warning]",
        "items[0].id = 6: a value that violates SAMPLE-LIST, detected at items[1].id [SAMPLE-LIST, Warning]",
        "items[0].time = NaN: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "items[0].time = -Infinity: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "items[0].time = 3.4028235e38: a value that violates SAMPLE-LIST, detected at items[1].time [SAMPLE-LIST, Warning]",
        "items[1].id = 5: a value that violates SAMPLE-LIST [SAMPLE-LIST, Warning]",
        "items[1].time = NaN: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "items[1].time = Infinity: a value that violates SAMPLE-RANGE [SAMPLE-RANGE, Error]",
        "items[1].time = -3.4028235e38: a value that violates SAMPLE-LIST [SAMPLE-LIST, Warning]",
        "the file ends at byte 0x0 [-, Error]",
        "the file ends at byte 0x3, detected at version [-, Error]",
        "the file ends at byte 0x4, detected at form [-, Error]",
        "the file ends at byte 0x5, detected at flags [-, Error]",
        "the file ends at byte 0x6, detected at count [-, Error]",
        "the file ends at byte 0x7, detected at indices [-, Error]",
        "the file ends at byte 0x8, detected at indices [-, Error]",
        "the file ends at byte 0x9, detected at kind [-, Error]",
        "the file ends at byte 0xb, detected at size [-, Error]",
        "the file ends at byte 0xc, detected at ofs_list [-, Error]",
        "the file ends at byte 0xd, detected at checksum [-, Error]",
        "the file ends at byte 0x15, detected at packed_size [-, Error]",
        "the file ends at byte 0x16, detected at unpacked_size [-, Error]",
        "the file ends at byte 0x17, detected at content [-, Error]",
        "the file ends at byte 0x1d, detected at items [-, Error]",
        "the file ends at byte 0x21, detected at items [-, Error]",
        "the file ends at byte 0x25, detected at items [-, Error]",
        "the file ends at byte 0x29, detected at items [-, Error]",
        "bytes after the last field, detected at trailing [SAMPLE-TRAILING, Error]",
        "wrong magic bytes [-, Error]",
        "content: damaged packed bytes [-, Error]",
        "form = 0: an unknown value [-, Error]",
    ];
    assert_eq!(found, expected);
}

#[test]
fn invalid_files_are_rejected() {
    let error = |place: usize, byte| {
        let mut file = sample();
        file[place] = byte;
        let broken = generate::breakages(&Sample::TYPE, &file, RULES, &Limits::default());
        broken.err().unwrap().to_string()
    };
    assert_eq!(
        error(3, 9),
        "version: the file is invalid: the version is not 2: found 9"
    );
    assert_eq!(
        error(7, 9),
        "indices[0]: the file is invalid: found 9, expected less than 2"
    );
}

#[test]
fn only_requested_rules_are_broken() {
    let found = breakages(&sample(), &[]);
    let of_rules = |line: &&String| line.contains("that violates") || line.contains("bytes after");
    assert_eq!(found.iter().find(of_rules), None);
    assert!(
        found
            .iter()
            .any(|line| line.ends_with("[SAMPLE-VERSION, Fatal]")),
        "{found:?}"
    );
}

#[test]
fn broken_files_shrink_like_valid_ones() {
    let config = generate::Config {
        plausible: true,
        ..Default::default()
    };
    let strategy = generate::broken::<Times>(config, RULES);
    let is_ordered = |broken: BrokenFile| {
        prop_assert!(!matches!(broken.breakage, Breakage::Constraint(_)));
        Ok(())
    };
    let Err(TestError::Fail(_, smallest)) = TestRunner::deterministic().run(&strategy, is_ordered)
    else {
        panic!("none is out of order")
    };
    // Disorder needs two items.
    assert_eq!(smallest.bytes.len(), 1 + 2 * 4);
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Times {
    count: u8,
    #[br(count = count)]
    #[layout(ordered, rule = LIST)]
    times: Vec<f32>,
}

/// Returns files of every built-in layout with their read options: samples, and generated files that strict reading
/// accepts.
fn files() -> Vec<(AnyFormat, ReadOptions, &'static Type, Vec<u8>)> {
    let mut files = Vec::new();
    let count = if is_thorough() { 40 } else { 20 };
    for (format, bytes) in crate::common::samples() {
        let dialect = format.detect(&bytes).dialect;
        if let Some(ty) = format.layout_of(&bytes, dialect) {
            files.push((
                format,
                ReadOptions::default().with_dialect(dialect),
                ty,
                bytes,
            ));
        }
    }
    for format in Formats::BUILT_IN.iter().copied() {
        let about = format.about();
        for (_, ty) in about.layouts() {
            for bytes in broken_files::generate_files(ty, count) {
                let fits = |dialect: &&Dialect| format.layout_of(&bytes, **dialect) == Some(ty);
                let dialect = *about.dialects.iter().find(fits).unwrap();
                let options = ReadOptions::default().with_dialect(dialect);
                if format.read(&bytes, &options).is_ok() {
                    files.push((format, options, ty, bytes));
                }
            }
        }
    }
    files
}

/// Strict reading or `check` finds every breakage of built-in formats. Every statement of their declarations is broken,
/// except those of IyMA and the listed ones.
#[test]
fn readers_reject_broken_files() {
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for (format, options, ty, bytes) in files() {
        let rules = format.about().rules;
        let name = format.name();
        let counts = counts
            .entry(name)
            .or_insert_with(|| Counts(BTreeMap::new()));
        Counts::of(ty)
            .0
            .into_keys()
            .for_each(|what| _ = counts.0.entry(what).or_default());
        let Ok(broken) = generate::breakages(ty, &bytes, rules, &Limits::default()) else {
            continue;
        };
        for broken in broken {
            counts.add(&broken);
            let read = format.read(&broken.bytes, &options);
            if broken.severity >= Severity::Error {
                assert!(read.is_err(), "{name}: {broken}: {:02x?}", broken.bytes);
                continue;
            }
            let report = meshspec::check(&broken.bytes, format, &options).unwrap();
            let is_it = |found: &&Finding| Some(found.rule) == broken.rule;
            let found = report
                .findings()
                .iter()
                .find(is_it)
                .unwrap_or_else(|| panic!("{name}: {broken}"));
            assert_eq!(found.rule.severity, broken.severity, "{name}: {broken}");
        }
    }
    // Functions check the packing of IyMA's descriptor.
    let of_declarations = counts.iter().filter(|(name, _)| **name != "iyma");
    let never = of_declarations.flat_map(|(name, counts)| {
        let never = counts.0.iter().filter(|(_, count)| **count == 0);
        never.map(move |(what, _)| format!("{name}: {what}"))
    });
    assert_eq!(
        never.collect::<Vec<_>>(),
        [
            // Bytes may follow the last list.
            "bmd: file: trailing",
            // In these files, another animation count reads the same bytes or breaks another rule.
            "bmd: header.sz_anims: count",
            // None of these files has such a block; unpacking rejects a changed size alone.
            "crucible: chunks.streams.data: the size is not a multiple of the size of a value",
        ]
    );
}

/// Readers accept almost broken files like their originals. Exactly the listed rules have such files.
#[test]
fn readers_accept_almost_broken_files() {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let texts = crate::common::samples()
        .into_iter()
        .filter(|(format, _)| *format == meshspec::seed::FORMAT);
    let texts = texts.map(|(format, bytes)| (format, ReadOptions::default(), bytes));
    let files = files()
        .into_iter()
        .map(|(format, options, _, bytes)| (format, options, bytes));
    for (format, options, bytes) in files.chain(texts) {
        let Ok(almost) = format.almost_broken(&bytes, &options) else {
            continue;
        };
        for almost in almost {
            let read = format.read(&almost.bytes, &options);
            assert!(
                read.is_ok(),
                "{format}: {almost}: {}: {:02x?}",
                read.unwrap_err(),
                almost.bytes
            );
            reached
                .entry(format.name())
                .or_default()
                .extend(almost.rule.map(|rule| rule.code));
        }
    }
    let expected = BTreeMap::from([
        (
            "bmd",
            BTreeSet::from([
                "BMD-FLAGS",
                "BMD-INDEX-RANGE",
                "BMD-LIST",
                "BMD-LOD-RANGE",
                "BMD-PARENT",
                "BMD-SOLID-RANGE",
                "BMD-VERTEX-BONE",
            ]),
        ),
        (
            "crucible",
            BTreeSet::from([
                "CRUCIBLE-INDEX-RANGE",
                "CRUCIBLE-INDEX-SIZE",
                "CRUCIBLE-WEIGHT-SUM",
            ]),
        ),
        ("iyma", BTreeSet::from(["IYMA-MESH-RANGE"])),
        (
            "mesh",
            BTreeSet::from([
                "MESH-INDEX-RANGE",
                "MESH-NAME",
                "MESH-NON-FINITE",
                "MESH-PARENT",
                "MESH-POSE-TIME",
                "MESH-VERTEX-JOINT",
            ]),
        ),
        (
            "seed",
            BTreeSet::from([
                "SEED-BLANK",
                "SEED-COMMA",
                "SEED-CONTROL",
                "SEED-IDENTIFIER",
                "SEED-INDEX-RANGE",
                "SEED-NORMALIZED",
                "SEED-NUMBER",
                "SEED-RANGE",
            ]),
        ),
    ]);
    assert_eq!(reached, expected);
}

/// Two numbers with a sum, and a block that must not be empty.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"SUM")]
struct Summed {
    #[layout(sum = 1.0, tolerance = 0.25, rule = LIST)]
    weights: [f32; 2],
    #[br(assert(packed_size > 0, "there is no block"))]
    packed_size: u8,
    size: u8,
    #[br(count = packed_size)]
    #[layout(content = [u8; 2], packing = lz4, size = size)]
    block: Vec<u8>,
}

impl BinaryFormat for Summed {
    const NAME: &'static str = "summed";
    const RULES: &'static [&'static Rule] = RULES;
}

fn summed() -> Vec<u8> {
    let weights = [0.5_f32; 2].map(f32::to_le_bytes);
    [b"SUM", weights.as_flattened(), &[3, 2, 0x20, 7, 8]].concat()
}

#[test]
fn sums_are_almost_broken_on_both_sides() {
    let (format, options) = (meshspec::format_of::<Summed>(), ReadOptions::default());
    let file = summed();
    let sums: Vec<f32> = format
        .almost_broken(&file, &options)
        .unwrap()
        .filter(|almost| almost.rule == Some(&LIST))
        .map(|almost| {
            let numbers = almost.bytes[3..11].chunks(4);
            numbers
                .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
                .sum()
        })
        .collect();
    assert!(sums.iter().all(|sum| (sum - 1.0).abs() <= 0.25), "{sums:?}");
    assert!(
        sums.iter().any(|sum| *sum > 1.2) && sums.iter().any(|sum| *sum < 0.8),
        "{sums:?}"
    );
}

#[test]
fn packed_blocks_disappear_with_their_size() {
    let file = summed();
    let broken = generate::breakages(&Summed::TYPE, &file, RULES, &Limits::default()).unwrap();
    let checks = broken.filter(|broken| matches!(broken.breakage, Breakage::Check(_)));
    let files: Vec<_> = checks.map(|broken| broken.bytes).collect();
    assert!(files.iter().any(|bytes| bytes[11..] == [0, 2]), "{files:?}");
}
