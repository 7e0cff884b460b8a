//! A custom format that implements `BinaryFormat`: reading, writing, checks, checksums, dialects, byte order.

use binrw::binrw;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::checksum::{self, CRC32, XXH3, XXH32, XXH64};
use meshspec::layout::declaration::{ChecksumFunction, Packing, Type};
use meshspec::layout::generate::{self, Breakage};
use meshspec::layout::schema::Schema;
use meshspec::layout::{self, Layout};
use meshspec::{
    BinaryFormat, Dialect, Enforcement, ErrorKind, Format, Formats, Limits, ReadOptions, Report,
    Rule, Severity, WriteOptions, check, path,
};
use modular_bitfield::prelude::*;
use proptest::prelude::*;

mod rules {
    use meshspec::{Enforcement, Rule, Severity};

    pub static SUM: Rule = Rule::new(
        "TRACKS-SUM",
        Severity::Error,
        "The checksum is that of the heights.",
    );
    pub static FINITE: Rule = Rule::new("TRACKS-FINITE", Severity::Error, "Heights are finite.");
    pub static RISING: Rule = Rule {
        enforced_by: Enforcement::Code("the first and the last height"),
        ..Rule::new(
            "TRACKS-RISING",
            Severity::Error,
            "The last height is above the first.",
        )
    };
}

/// Heights along a track.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"TRCK")]
#[br(import(version: u8))]
#[derive(Debug, Clone, PartialEq)]
struct Tracks {
    /// The version, which equals the number of the dialect.
    #[br(assert(stored_version == version, "this is another version"))]
    stored_version: u8,
    /// Number of heights.
    #[br(temp)]
    #[bw(try_calc = u8::try_from(heights.len()))]
    count: u8,
    /// Heights.
    #[br(count = count)]
    #[layout(unit = "m", finite, below = 9000, rule = rules::FINITE)]
    #[layout(checksum = sum, by = CRC32, from = count)]
    heights: Vec<f32>,
    /// Checksum of the heights and their number.
    #[layout(rule = rules::SUM)]
    sum: u32,
    /// Colours.
    #[br(if(version > 1), count = count)]
    #[bw(if(*stored_version > 1))]
    colors: Vec<u8>,
}

const FIRST: Dialect = Dialect::new("first", 1);
const SECOND: Dialect = Dialect::new("second", 2);

impl BinaryFormat for Tracks {
    const NAME: &'static str = "tracks";
    const EXTENSIONS: &'static [&'static str] = &["trk"];
    const RULES: &'static [&'static Rule] = &[&rules::SUM, &rules::FINITE, &rules::RISING];
    const DIALECTS: &'static [Dialect] = &[FIRST, SECOND];

    fn dialect_of_document(&self) -> Dialect {
        if self.stored_version > 1 {
            SECOND
        } else {
            FIRST
        }
    }

    fn check_document(&self, report: &mut Report) {
        if let [first, .., last] = self.heights[..]
            && last <= first
        {
            report.add(
                &rules::RISING,
                path!(heights),
                format!("from {first} to {last}"),
            );
        }
    }
}

fn track() -> Tracks {
    let heights = vec![1.0_f32, 2.0];
    let summed: Vec<u8> = [2]
        .into_iter()
        .chain(heights.iter().flat_map(|height| height.to_le_bytes()))
        .collect();
    Tracks {
        stored_version: 1,
        heights,
        sum: crc(&summed),
        colors: Vec::new(),
    }
}

/// Computes the CRC-32 bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| {
        if crc & 1 == 1 {
            crc >> 1 ^ 0xedb8_8320
        } else {
            crc >> 1
        }
    };
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc))
    })
}

fn error(bytes: &[u8]) -> String {
    Tracks::read(bytes, &ReadOptions::default())
        .unwrap_err()
        .to_string()
}

#[test]
fn three_constants_make_a_format() {
    let file = track().write(&WriteOptions::default()).unwrap();
    assert_eq!(file.len(), 6 + 8 + 4);
    assert_eq!(
        Tracks::read(&file, &ReadOptions::default()).unwrap(),
        track()
    );
    let about = meshspec::format_of::<Tracks>().about();
    assert_eq!((about.name, about.extensions), ("tracks", &["trk"][..]));
    let codes: Vec<_> = about.rules.iter().map(|rule| rule.code).collect();
    assert!(codes.starts_with(&["TRACKS-SUM", "TRACKS-FINITE", "TRACKS-RISING"]));
    assert!(
        codes.contains(&"LAYOUT-TRUNCATED") && codes.len() == 9,
        "{codes:?}"
    );
    let format = Formats::builtin()
        .with::<Tracks>()
        .unwrap()
        .detect(&file, None)
        .unwrap()
        .format;
    assert_eq!(format.name(), "tracks");
}

#[test]
fn read_errors_have_path_bytes_and_rule() {
    let file = track().write(&WriteOptions::default()).unwrap();
    assert_eq!(
        error(&file[..10]),
        "tracks: heights (bytes 0x6..0xa): needs 8 bytes, but 4 remain [LAYOUT-TRUNCATED]"
    );
    assert_eq!(
        error(&[&file[..], &[0]].concat()),
        "tracks: trailing (bytes 0x12..0x13): 1 byte follows the last field [LAYOUT-TRAILING]"
    );
    let lenient = Tracks::read(&[&file[..], &[0]].concat(), &ReadOptions::lenient());
    assert_eq!(lenient.unwrap(), track());
    assert!(error(b"TRACK").ends_with("[LAYOUT-MAGIC]"));
    let falling = Tracks {
        heights: vec![2.0, 1.0],
        ..track()
    };
    let rejected = falling.write(&WriteOptions::default()).unwrap_err();
    assert_eq!(rejected.kind(), ErrorKind::Inexpressible);
    assert!(rejected.to_string().contains("[TRACKS-SUM]"), "{rejected}");
    let codes = |report: Report| {
        report
            .findings()
            .iter()
            .map(|finding| finding.rule.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        codes(Format::check(&falling)),
        ["TRACKS-SUM", "TRACKS-RISING"]
    );
    assert_eq!(codes(Format::check(&track())), [""; 0]);
}

/// A declared type that is not a format.
#[derive(Layout, Debug, PartialEq)]
#[binrw]
#[brw(little)]
struct Sized {
    size: u8,
    #[br(count = size)]
    #[layout(below = 9, at_least = 1, rule = rules::FINITE)]
    items: Vec<u8>,
}

#[test]
fn a_declared_type_is_read_written_and_checked() {
    let read = |bytes: &[u8]| layout::read::<Sized>(bytes, &ReadOptions::default());
    assert_eq!(
        read(&[1, 7]).unwrap(),
        Sized {
            size: 1,
            items: vec![7]
        }
    );
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(
        message(&[2, 7]),
        "items (bytes 0x1..0x2): needs 2 bytes, but 1 remains [LAYOUT-TRUNCATED]"
    );
    assert!(
        message(&[]).contains("needs 1 byte, but 0 remain [LAYOUT-TRUNCATED]"),
        "{}",
        message(&[])
    );
    assert_eq!(
        message(&[1, 9]),
        "items[0] (bytes 0x1..0x2): found 9, expected less than 9 [TRACKS-FINITE]"
    );
    assert!(
        message(&[1, 0]).ends_with("[TRACKS-FINITE]"),
        "{}",
        message(&[1, 0])
    );
    let write = |value: &Sized| layout::write(value, &WriteOptions::default());
    assert_eq!(
        write(&Sized {
            size: 1,
            items: vec![7]
        })
        .unwrap(),
        [1, 7]
    );
    let error = write(&Sized {
        size: 2,
        items: vec![7],
    })
    .unwrap_err();
    assert_eq!(
        (error.kind(), error.path().to_string()),
        (ErrorKind::Inexpressible, "items".to_owned())
    );
    let report = layout::check::<Sized>(&[1, 9, 0], &ReadOptions::default()).unwrap();
    let codes: Vec<_> = report
        .findings()
        .iter()
        .map(|finding| finding.rule.code)
        .collect();
    assert_eq!(codes, ["LAYOUT-TRAILING", "TRACKS-FINITE"]);
}

/// Reading rejects the file even if reports may contain no findings.
#[test]
fn a_findings_limit_of_zero_still_rejects() {
    let limits = Limits::default().with_max_findings_per_rule(0);
    let options = ReadOptions::default().with_limits(limits);
    assert!(layout::read::<Sized>(&[1, 9], &options).is_err());
    let mut file = track().write(&WriteOptions::default()).unwrap();
    file[9] ^= 1;
    assert!(Tracks::read(&file, &options).is_err());
}

#[test]
fn a_wrong_checksum_is_found() {
    let mut file = track().write(&WriteOptions::default()).unwrap();
    file[9] ^= 1;
    let message = error(&file);
    let start = "tracks: sum (bytes 0xe..0x12): found 0x";
    assert!(message.starts_with(start), "{message}");
    let computed = format!(
        "but the CRC-32 of bytes 0x5..0xe is {:#x} [TRACKS-SUM]",
        crc(&file[5..14])
    );
    assert!(message.ends_with(&computed), "{message}");
    let report = check(
        &file,
        meshspec::format_of::<Tracks>(),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(report.errors(), 1);
}

#[test]
fn every_byte_of_a_checksum_counts() {
    let mut file = sums("Lz4");
    for at in file.len() - 8..file.len() {
        file[at] ^= 0x80;
        assert_eq!(findings(&file), ["newest"], "{at}");
        file[at] ^= 0x80;
    }
}

/// The expected checksums come from the reference implementation.
#[test]
fn checksums_depend_on_the_seed() {
    let seeded = |function: ChecksumFunction, seed| {
        (function.compute)(b"", &[layout::expr::Value::Int(seed)])
    };
    assert_eq!(seeded(XXH32, 0x9e37_79b1), 0x36b7_8ae7);
    assert_eq!(seeded(XXH64, 0x9e37_79b1), 0xac75_fda2_929b_17ef);
    assert_eq!(seeded(XXH3, 0x9e37_79b1_85eb_ca8d), 0xa8a6_b918_b2f0_364a);
}

static VERIFIED: Rule = Rule {
    enforced_by: Enforcement::Code("code of the format"),
    ..Rule::new("TRACKS-VERIFIED", Severity::Error, "The checksum is right.")
};

/// A checksum verified in code.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Verified {
    #[layout(rule = VERIFIED)]
    sum: u32,
    #[layout(checksum = sum, by = CRC32)]
    content: u8,
}

#[test]
fn checksums_verified_by_code_are_not_verified_again() {
    assert_eq!(
        layout::check::<Verified>(&[0; 5], &ReadOptions::default())
            .unwrap()
            .findings(),
        []
    );
}

/// A checksum of a checksum, which is stored before it.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Nested {
    #[layout(rule = rules::SUM)]
    outer: u32,
    #[layout(rule = rules::SUM)]
    #[layout(checksum = outer, by = CRC32)]
    inner: u32,
    #[layout(checksum = inner, by = checksum::ADLER32)]
    content: u8,
}

#[test]
fn checksums_of_checksums_follow() {
    let mut values = layout::tree::Tree::new(&Nested::TYPE);
    values.set("content", "5").unwrap();
    let file = values.assemble(&Limits::default()).unwrap();
    let faults = |file: &[u8]| {
        let report = layout::check::<Nested>(file, &ReadOptions::default()).unwrap();
        report
            .findings()
            .iter()
            .map(|finding| finding.path.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(faults(&file), [""; 0]);
    // The outer checksum is computed over the wrong inner one, so each file has one wrong checksum.
    const RULES: &[&Rule] = &[&rules::SUM];
    let broken = generate::breakages(&Nested::TYPE, &file, RULES, &Limits::default());
    let broken: Vec<_> = broken
        .unwrap()
        .filter(|broken| broken.breakage == Breakage::Checksum)
        .collect();
    let found: Vec<_> = broken.iter().map(|broken| faults(&broken.bytes)).collect();
    assert_eq!(found, [["outer"], ["inner"]]);
}

/// A stored 0 means no checksum, and is kept.
#[test]
fn no_checksum_is_not_computed() {
    let file = sums("Lz4");
    let end = 6 + usize::from(file[5]);
    let set = |path: &[&str], text: &str| Edit::set(path.join("."), text);
    let mut without = file.clone();
    without[end + 11..end + 19].fill(0);
    let edited = edit(
        &Sums::TYPE,
        &without,
        &[set(&["b"], "9")],
        true,
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(
        (edited[end + 10], &edited[end + 11..end + 19]),
        (9, &[0; 8][..])
    );
    let edited = edit(
        &Sums::TYPE,
        &file,
        &[set(&["b"], "9")],
        true,
        &Limits::default(),
    )
    .unwrap();
    assert_ne!(edited[end + 11..end + 19], file[end + 11..end + 19]);
    assert_eq!(findings(&edited), [""; 0]);
}

/// A block whose packing is chosen by a number of any value.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Chosen {
    method: u8,
    size: u8,
    #[br(count = 4)]
    #[layout(content = [u8; 4], packing = PACKINGS(method), size = size)]
    packed: Vec<u8>,
}

#[test]
fn a_chosen_packing_exists_and_has_the_stated_size() {
    let messages = |file: &[u8]| {
        let report = layout::check::<Chosen>(file, &ReadOptions::default()).unwrap();
        report
            .findings()
            .iter()
            .map(|finding| finding.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(messages(&[0, 4, 1, 2, 3, 4]), [""; 0]);
    assert_eq!(
        messages(&[0, 5, 1, 2, 3, 4]),
        ["unpacks to 4 bytes, but 5 are stated"]
    );
    assert_eq!(messages(&[9, 4, 1, 2, 3, 4]), ["unknown packing 9"]);
}

/// A number that a function of the declaration parses.
#[derive(Layout, Debug)]
#[binrw]
#[brw(little, magic = b"EVEN")]
struct Even {
    before: u8,
    #[br(parse_with = even)]
    #[layout(stored_as = u8)]
    value: u8,
}

#[binrw::parser(reader)]
fn even() -> binrw::BinResult<u8> {
    let pos = binrw::io::Seek::stream_position(reader)?;
    match <u8 as binrw::BinRead>::read(reader)? {
        value if value.is_multiple_of(2) => Ok(value),
        value => {
            let error = meshspec::Error::new(ErrorKind::Malformed, format!("{value} is odd"));
            Err(binrw::Error::Custom {
                pos,
                err: Box::new(error.at(path!(value))),
            })
        }
    }
}

impl BinaryFormat for Even {
    const NAME: &'static str = "even";

    fn dialect_of_document(&self) -> Dialect {
        if self.before == 7 {
            SECOND
        } else {
            Dialect::SPEC
        }
    }
}

/// The version is in a packed block.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"DEEP")]
#[br(import(version: u8))]
struct Deep {
    size: u8,
    #[br(count = size)]
    #[layout(content = Inner, packing = lz4, size = 24, args(version))]
    block: Vec<u8>,
    #[br(assert(last == 1, "the file does not end with 1"))]
    last: u8,
}

#[derive(Layout)]
#[br(little, import(version: u8))]
#[allow(dead_code, reason = "only the walker reads it")]
struct Inner {
    zeros: [u8; 20],
    #[br(assert(own == version, "this is another version"))]
    own: u8,
    rest: [u8; 3],
}

impl BinaryFormat for Deep {
    const NAME: &'static str = "deep";
    const DIALECTS: &'static [Dialect] = &[FIRST, SECOND];
}

/// The dialect whose fault is later in the file is detected. Offsets in an unpacked block are not compared.
#[test]
fn the_dialect_that_fits_longer_is_detected() {
    let file = b"DEEP\x0a\x1f\0\x01\0\0\x40\x02\0\0\0\x07";
    assert_eq!(meshspec::format_of::<Deep>().detect(file).dialect, SECOND);
    let error = <Deep as Format>::read(file, &ReadOptions::default())
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("deep: last (bytes 0xf..0x10): the file does not end with 1"),
        "{error}"
    );
}

#[test]
fn errors_of_code_have_a_place() {
    let options = ReadOptions::default();
    let error = <Even as Format>::read(b"EVEN\0\x03", &options)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "even: value (bytes 0x5..0x6): 3 is odd [LAYOUT-VALUE]"
    );
    let report = check(b"EVEN\0\x03", meshspec::format_of::<Even>(), &options).unwrap();
    let findings: Vec<_> = report
        .findings()
        .iter()
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(
        findings,
        ["value (bytes 0x5..0x6): 3 is odd [LAYOUT-VALUE]"]
    );
}

#[test]
fn documents_are_written_in_a_dialect_of_the_format() {
    let even = |before| Even { before, value: 2 }.write(&WriteOptions::default());
    assert_eq!(even(0).unwrap(), b"EVEN\0\x02");
    assert_eq!(
        even(7).unwrap_err().to_string(),
        "even: dialect: even has no second dialect, only spec"
    );
}

/// A document is converted only as its format declares it.
#[test]
fn documents_keep_their_dialect_unless_the_format_converts_it() {
    let format = meshspec::format_of::<Tracks>();
    assert!(!format.converts_dialects());
    let document: meshspec::AnyDocument = Box::new(track());
    let error = document.into_dialect(SECOND).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tracks: a document of the first dialect cannot be converted to the second dialect"
    );
    let document: meshspec::AnyDocument = Box::new(track());
    let (document, losses) = document.into_dialect(FIRST).unwrap();
    assert_eq!(
        (document.downcast_ref(), losses),
        (Some(&track()), Vec::new())
    );

    let even: meshspec::AnyDocument = Box::new(Even {
        before: 7,
        value: 2,
    });
    assert!(even.downcast_ref::<Tracks>().is_none());
    assert_ne!(meshspec::format_of::<Even>(), format);
}

/// A correct loader agrees; loaders that forget one rule of the declaration do not.
#[test]
fn loaders_of_a_custom_format_are_tested() {
    let report = meshspec::conformance::<Tracks>()
        .cases(16)
        .run(|bytes| Tracks::read(bytes, &ReadOptions::default().with_dialect(FIRST)));
    assert!(report.agrees(), "{report}");
    let forgets = |code: &'static str| {
        let report = meshspec::conformance::<Tracks>().cases(16).run(|bytes| {
            let read = Tracks::read(bytes, &ReadOptions::default().with_dialect(FIRST));
            let rule = read.err().map(|error| error.rule().map(|rule| rule.code));
            rule.is_none_or(|rule| rule == Some(code))
        });
        let found = report.disagreements().iter();
        found
            .filter_map(|found| found.rule.map(|rule| rule.code))
            .collect::<Vec<_>>()
    };
    for rule in [&rules::FINITE, &rules::SUM] {
        assert!(forgets(rule.code).contains(&rule.code), "{}", rule.code);
    }
}

#[test]
fn documents_are_summarised_and_checked_without_a_file() {
    assert_eq!(Format::info(&track()).properties.len(), 1);
    assert!(Format::contents(&track()).fields.is_some());
    let long = Tracks {
        heights: vec![1.0; 300],
        ..track()
    };
    let report = Format::check(&long);
    assert_eq!(report.findings()[0].rule.code, "LAYOUT-VALUE");
}

#[test]
fn a_checksum_is_recomputed() {
    let file = track().write(&WriteOptions::default()).unwrap();
    let layout = meshspec::format_of::<Tracks>()
        .layout_of(&file, FIRST)
        .unwrap();
    let add = Edit {
        path: path!(heights[2]).into(),
        change: Change::Insert("3.5".into()),
    };
    let edited = edit(layout, &file, &[add], true, &Limits::default()).unwrap();
    let expected = crc(&edited[5..18]);
    assert_eq!((edited[5], &edited[18..]), (3, &expected.to_le_bytes()[..]));
    assert!(Tracks::read(&edited, &ReadOptions::default()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_files_are_read(
        (dialect, file) in meshspec::format_of::<Tracks>().files(generate::Config::default()).unwrap()
    ) {
        let options = ReadOptions::default().with_dialect(dialect);
        let tracks = Tracks::read(&file, &options).unwrap();
        prop_assert_eq!(dialect, tracks.dialect_of_document());
        prop_assert_eq!(tracks.write(&WriteOptions::default()).unwrap(), file);
    }
}

#[test]
fn a_checksum_is_broken() {
    let file = track().write(&WriteOptions::default()).unwrap();
    let broken = meshspec::format_of::<Tracks>()
        .breakages(&file, &ReadOptions::default())
        .unwrap();
    let broken: Vec<_> = broken
        .filter(|broken| broken.breakage == Breakage::Checksum)
        .collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].rule, Some(&rules::SUM));
    assert!(error(&broken[0].bytes).ends_with("[TRACKS-SUM]"));
}

#[test]
fn dialects_are_declared_by_the_format() {
    let options = |dialect| ReadOptions::default().with_dialect(dialect);
    let second = Tracks {
        stored_version: 2,
        colors: vec![7, 8],
        ..track()
    };
    let file = second.write(&WriteOptions::default()).unwrap();
    assert_eq!(file.len(), 6 + 8 + 4 + 2);
    let format = meshspec::format_of::<Tracks>();
    assert_eq!(format.detect(&file).dialect, SECOND);
    assert_eq!(
        format
            .detect(&track().write(&WriteOptions::default()).unwrap())
            .dialect,
        FIRST
    );
    assert_eq!(
        Tracks::read(&file, &ReadOptions::default()).unwrap(),
        second
    );
    let rejected = Tracks::read(&file, &options(FIRST))
        .unwrap_err()
        .to_string();
    assert!(rejected.contains("this is another version"), "{rejected}");
    let rejected = Tracks::read(&file, &options(Dialect::SPEC))
        .unwrap_err()
        .to_string();
    assert_eq!(
        rejected,
        "tracks: dialect: tracks has no spec dialect, only first, second"
    );
    let tables = format.schema(Schema::Markdown).remove(0).text;
    assert!(
        tables.contains("## SecondTracks") && tables.contains("tracks_second"),
        "{tables}"
    );
    assert!(tables.contains("Checksum: CRC-32 from `count` on, stored in `sum`."));
    assert!(tables.contains("In m."));
}

/// Checksums of each kind, over the struct and over a block whose packing depends on a number.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"SUM")]
struct Sums {
    method: Method,
    size: u8,
    packed_size: u8,
    #[br(count = packed_size)]
    #[layout(content = [u8; 40], packing = PACKINGS(method), size = size)]
    #[layout(checksum = adler, by = checksum::ADLER32, from = self)]
    packed: Vec<u8>,
    adler: u32,
    #[layout(checksum = short, by = XXH32)]
    a: u8,
    short: u32,
    seed: u8,
    #[layout(checksum = long, by = XXH64(seed), none = 0)]
    b: u8,
    long: u64,
    #[layout(checksum = newest, by = XXH3)]
    c: u8,
    newest: u64,
}

#[derive(Layout, Clone, Copy)]
#[binrw]
#[brw(repr = u8)]
enum Method {
    None = 0,
    Lz4 = 4,
}

const PACKINGS: Packing = Packing::Chosen(&[(0, Packing::Stored), (4, Packing::Lz4)]);

fn sums(method: &str) -> Vec<u8> {
    let mut values = layout::tree::Tree::new(&Sums::TYPE);
    values.set("method", method).unwrap();
    (0..40).for_each(|index| values.set(format!("packed[{index}]"), "7").unwrap());
    for (path, value) in [("a", "1"), ("seed", "3"), ("b", "2"), ("c", "3")] {
        values.set(path, value).unwrap();
    }
    values.assemble(&Limits::default()).unwrap()
}

fn findings(file: &[u8]) -> Vec<String> {
    let report = layout::check::<Sums>(file, &ReadOptions::default()).unwrap();
    report
        .findings()
        .iter()
        .map(|finding| finding.path.to_string())
        .collect()
}

#[test]
fn checksums_cover_packed_and_plain_bytes() {
    let (stored, packed) = (sums("None"), sums("Lz4"));
    assert_eq!((stored[4], stored[5]), (40, 40));
    assert!(packed[4] == 40 && packed[5] < 20, "{packed:?}");
    for mut file in [stored, packed] {
        assert_eq!(findings(&file), [""; 0]);
        let end = 6 + usize::from(file[5]);
        let compute = |function: ChecksumFunction, bytes: &[u8]| (function.compute)(bytes, &[]);
        assert_eq!(
            &file[end..][..4],
            &(compute(checksum::ADLER32, &file[..end]) as u32).to_le_bytes()
        );
        assert_eq!(compute(checksum::ADLER32, b"Wikipedia"), 0x11e6_0398);
        assert_eq!(compute(CRC32, b"123456789"), 0xcbf4_3926);
        assert_eq!(compute(XXH32, b""), 0x02cc_5d05);
        assert_eq!(compute(XXH64, b""), 0xef46_db37_51d8_e999);
        assert_eq!(compute(XXH3, b""), 0x2d06_8005_38d3_94c2);
        for (at, path) in [
            (end + 4, "short"),
            (end + 9, "long"),
            (end + 10, "long"),
            (end + 19, "newest"),
        ] {
            file[at] ^= 1;
            assert_eq!(findings(&file), [path], "{at}");
            file[at] ^= 1;
        }
        // 0 means no checksum.
        file[end + 11..end + 19].fill(0);
        assert_eq!(findings(&file), [""; 0]);
        file[end..end + 4].fill(0);
        assert_eq!(findings(&file), ["adler"]);
        file[3] = 3;
        let report = layout::check::<Sums>(&file, &ReadOptions::default()).unwrap();
        assert_eq!(report.findings()[0].message, "3 is not a value of Method");
    }
    let rule = layout::check::<Sums>(
        &[&sums("None")[..46], &[9; 40]].concat(),
        &ReadOptions::default(),
    );
    let report = rule.unwrap();
    assert!(
        report
            .findings()
            .iter()
            .any(|finding| finding.rule.code == "LAYOUT-CHECKSUM")
    );
    assert!(
        report
            .findings()
            .iter()
            .all(|finding| finding.rule.severity >= Severity::Error)
    );
}

/// Numbers of either byte order.
#[derive(Layout, Debug, PartialEq)]
#[binrw]
#[brw(big)]
struct Orders {
    count: u16,
    #[br(count = count)]
    #[layout(finite, at_least = 1, rule = rules::FINITE)]
    items: Vec<f32>,
    #[brw(little)]
    little: u32,
    kind: Kind,
    inherits: Inherits,
    states: States,
    #[layout(below = 0x200, rule = rules::FINITE)]
    limited: i16,
    corners: Corners,
    flags: LittleFlags,
}

/// A big-endian word; its lowest bits are in its last byte.
#[derive(Layout)]
#[bitfield(bits = 16)]
#[repr(u16)]
#[binrw]
#[brw(big)]
#[br(map = |word: u16| Self::from(word))]
#[bw(map = |corners: &Self| u16::from(*corners))]
#[layout(outer(count))]
#[derive(Debug, Clone, Copy, PartialEq)]
struct Corners {
    /// The first corner.
    #[layout(below = count + 8, rule = rules::FINITE)]
    first: B5,
    #[layout(signed)]
    step: B10,
    closed: bool,
}

/// A little-endian word in a big-endian file.
#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[brw(little)]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq)]
struct LittleFlags {
    flags: B16,
}

#[derive(Layout, Clone, Copy, Debug, PartialEq)]
#[binrw]
#[brw(repr = u16)]
enum Kind {
    Flat = 1,
    Tall = 0x100,
}

/// A struct with the byte order of the enclosing struct.
#[derive(Layout, Debug, PartialEq)]
#[binrw]
struct Inherits {
    pair: [u16; 2],
}

#[derive(Layout, Debug, PartialEq)]
#[binrw]
#[brw(little)]
struct States {
    number: u16,
}

const ORDERS: &[u8] =
    b"\0\x01\x3f\x80\0\0\x04\x03\x02\x01\x01\0\0\x01\0\x02\x01\x02\x01\xff\xff\xc8\x05\0";

fn orders() -> Orders {
    Orders {
        count: 1,
        items: vec![1.0],
        little: 0x0102_0304,
        kind: Kind::Tall,
        inherits: Inherits { pair: [1, 2] },
        states: States { number: 0x0201 },
        limited: 0x1ff,
        // 1_1111111110_01000
        corners: Corners::new()
            .with_first(8)
            .with_step(0x3fe)
            .with_closed(true),
        flags: LittleFlags::new().with_flags(5),
    }
}

#[test]
fn numbers_have_either_byte_order() {
    let read = |bytes: &[u8]| layout::read::<Orders>(bytes, &ReadOptions::default());
    let file = read(ORDERS).unwrap();
    assert_eq!(
        (
            file.corners.first(),
            file.corners.step(),
            file.corners.closed()
        ),
        (8, 0x3fe, true)
    );
    assert_eq!((file.flags.flags(), file), (5, orders()));
    assert_eq!(
        layout::write(&orders(), &WriteOptions::default()).unwrap(),
        ORDERS
    );
    let message = |at: usize, bytes: &[u8]| {
        let mut file = ORDERS.to_vec();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        read(&file).unwrap_err().to_string()
    };
    assert_eq!(
        message(2, &[0x7f]),
        "items[0] (bytes 0x2..0x6): inf is not finite [TRACKS-FINITE]"
    );
    assert_eq!(
        message(10, &[0, 2]),
        "kind (bytes 0xa..0xc): 2 is not a value of Kind [LAYOUT-VALUE]"
    );
    assert_eq!(
        message(18, &[2]),
        "limited (bytes 0x12..0x14): found 767, expected less than 512 [TRACKS-FINITE]"
    );
    assert_eq!(
        message(20, &[0, 9]),
        "corners.first (bytes 0x14..0x16): found 9, expected less than 9 [TRACKS-FINITE]"
    );
}

#[test]
fn big_endian_files_are_edited_and_assembled() {
    let set = |path: &str, value: &str| Edit::set(path, value);
    let edits = [
        set("kind", "Flat"),
        set("inherits.pair[1]", "0x304"),
        set("items[0]", "2"),
        set("limited", "-2"),
        set("corners.first", "1"),
        set("corners.step", "0"),
        set("flags.flags", "0x102"),
    ];
    let edited = edit(&Orders::TYPE, ORDERS, &edits, false, &Limits::default()).unwrap();
    let expected =
        b"\0\x01\x40\0\0\0\x04\x03\x02\x01\0\x01\0\x01\x03\x04\x01\x02\xff\xfe\x80\x01\x02\x01";
    assert_eq!(edited, expected);
    let insert = Edit {
        path: path!(items[1]).into(),
        change: Change::Insert("3".into()),
    };
    let longer = edit(&Orders::TYPE, ORDERS, &[insert], true, &Limits::default()).unwrap();
    assert_eq!(
        (&longer[..2], &longer[6..10]),
        (&[0, 2][..], &3f32.to_be_bytes()[..])
    );
    let values = layout::tree::Tree::read(&Orders::TYPE, ORDERS, &Limits::default()).unwrap();
    assert_eq!(values.assemble(&Limits::default()).unwrap(), ORDERS);
    const RULES: &[&Rule] = &[&rules::FINITE];
    let broken = generate::breakages(&Orders::TYPE, ORDERS, RULES, &Limits::default()).unwrap();
    let broken: Vec<_> = broken.map(|broken| broken.to_string()).collect();
    assert!(
        broken.contains(&"limited = 512: a value that violates TRACKS-FINITE".to_owned()),
        "{broken:?}"
    );
    assert!(
        broken
            .iter()
            .any(|broken| broken.starts_with("count = 0: a count that is one too small")),
        "{broken:?}"
    );
    assert!(
        broken.contains(&"corners.first = 9: a value that violates TRACKS-FINITE".to_owned()),
        "{broken:?}"
    );
    assert!(
        broken.iter().any(|broken| broken.starts_with("kind = 0: ")),
        "{broken:?}"
    );
}

#[test]
fn substituted_numbers_have_their_byte_order() {
    let files = generate::substitutions(&Orders::TYPE, ORDERS, &Limits::default()).unwrap();
    let files: Vec<_> = files.map(|file| (file.to_string(), file.bytes)).collect();
    let has = |change: &str, at: usize, bytes: [u8; 2]| {
        let (_, file) = files.iter().find(|(own, _)| own == change).unwrap();
        assert_eq!(file[at..at + 2], bytes, "{change}");
    };
    has("little = 16909061", 6, [5, 3]);
    has("limited = 512", 18, [2, 0]);
    has("corners.first = 9", 20, [0xff, 0xc9]);
    has("corners.step = -1", 20, [0xff, 0xe8]);
    has("flags.flags = 6", 22, [6, 0]);
}

#[test]
fn words_are_assembled_from_their_fields_in_either_byte_order() {
    let mut values = layout::tree::Tree::new(&Corners::TYPE);
    for (path, value) in [("first", "8"), ("step", "-2"), ("closed", "true")] {
        values.set(path, value).unwrap();
    }
    assert_eq!(values.assemble(&Limits::default()).unwrap(), [0xff, 0xc8]);
    let word = layout::expr::Value::from(orders().corners);
    assert_eq!(
        word,
        layout::expr::Value::Bits(0xffc8, Corners::TYPE.own_declaration().unwrap())
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_big_endian_files_are_read(file in generate::valid::<Orders>(generate::Config::default())) {
        let value = layout::read::<Orders>(&file, &ReadOptions::default()).unwrap();
        prop_assert_eq!(layout::write(&value, &WriteOptions::default()).unwrap(), file);
    }
}

#[derive(Layout)]
#[binrw]
#[brw(big, repr = u8)]
enum Small {
    One = 1,
}

#[test]
fn a_byte_has_no_byte_order() {
    assert!(matches!(Small::BIG, Type::Declared(_)), "{:?}", Small::BIG);
    assert!(matches!(Kind::BIG, Type::BigEndian(_)), "{:?}", Kind::BIG);
}

#[test]
fn byte_orders_are_printed() {
    let print = |schema: Schema| {
        schema
            .print("orders", "Orders", &[("orders", &Orders::TYPE)])
            .remove(0)
            .text
    };
    let has = |schema: Schema, part: &str| {
        assert!(print(schema).contains(part), "{part}: {}", print(schema))
    };
    has(Schema::Markdown, "| `count` | big-endian u16 | 2 | 0 |");
    has(Schema::Markdown, "| `little` | u32 |");
    has(Schema::Kaitai, "type: u2be");
    has(Schema::Kaitai, "type: f4be");
    has(Schema::ImHex, "be u16 count");
    has(Schema::ImHex, "be float items");
    has(Schema::Json, "\"big_endian\"");
    has(Schema::C, "uint8_t count[2]");
    has(Schema::C, "limited: big-endian i16");
    has(Schema::Markdown, "| `corners` | big-endian [Corners]");
    has(Schema::Markdown, "| `flags` | [LittleFlags]");
    let highest_first = "\
      - id: closed
        type: b1be
      - id: step_bits
        type: b10be
      - id: first
        type: b5be
";
    has(Schema::Kaitai, highest_first);
    has(Schema::Kaitai, "type: b16\n");
    has(Schema::ImHex, "be u16 word;");
    has(Schema::ImHex, "u8 first = (word >> 0) & 0x1f [[export]];");
    has(
        Schema::ImHex,
        "s16 step = s128(((word >> 5) & 0x3ff) ^ 0x200) - 0x200 [[export]];",
    );
    has(
        Schema::ImHex,
        "bool closed = ((word >> 15) & 0x1) != 0 [[export]];",
    );
    has(Schema::ImHex, "bitfield LittleFlags {");
    has(
        Schema::C,
        "typedef struct orders_corners { uint8_t bytes[2]; } orders_corners;",
    );
    has(Schema::C, "as one big-endian number");
    has(Schema::C, "typedef uint16_t orders_little_flags;");
    has(Schema::Dictionary, "Kind=\"\\x00\\x01\"");
    has(Schema::Dictionary, "Corners=\"\\x80\\x00\"");
    let mut text = Vec::new();
    layout::dump::Dump::new(&Orders::TYPE, ORDERS)
        .write_text(&mut text, false)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.contains("Tall") && text.contains("511") && text.contains("16909060"),
        "{text}"
    );
}

/// Arrays of big-endian numbers.
#[derive(Layout)]
#[brw(big)]
#[allow(dead_code, reason = "only described")]
struct Grid {
    heights: [[u16; 3]; 4],
}

#[test]
fn the_bytes_of_a_number_are_the_last_dimension_in_c() {
    let header = Schema::C
        .print("grid", "Grid", &[("grid", &Grid::TYPE)])
        .remove(0)
        .text;
    assert!(header.contains("uint8_t heights[4][3][2];"), "{header}");
}

/// Triangles of a mesh, ten bits for each index.
#[derive(Layout, Debug)]
#[binrw]
#[brw(little)]
struct Packed {
    vertex_count: u8,
    #[br(count = 2)]
    triangles: Vec<Triangle>,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |triangle: &Self| triangle.into_bytes())]
#[layout(outer(vertex_count))]
#[derive(Debug, Clone, Copy)]
struct Triangle {
    #[layout(below = vertex_count, rule = rules::FINITE)]
    a: B8,
    #[layout(below = vertex_count, at_least = 1, rule = rules::FINITE)]
    b: B8,
}

#[test]
fn bit_fields_have_constraints() {
    let codes = |bytes: &[u8]| {
        let report = layout::check::<Packed>(bytes, &ReadOptions::default()).unwrap();
        report
            .findings()
            .iter()
            .map(|finding| finding.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&[3, 0, 1, 2, 2]), [""; 0]);
    let read = layout::read::<Packed>(&[3, 0, 1, 2, 2], &ReadOptions::default()).unwrap();
    let last = read.triangles.last().copied().unwrap_or(Triangle::new());
    assert_eq!((read.vertex_count, last.a(), last.b()), (3, 2, 2));
    assert_eq!(
        codes(&[3, 3, 1, 2, 0]),
        [
            "triangles[0].a (bytes 0x1..0x3): found 3, expected less than 3 [TRACKS-FINITE]",
            "triangles[1].b (bytes 0x3..0x5): found 0, expected at least 1 [TRACKS-FINITE]",
        ]
    );
    const RULES: &[&Rule] = &[&rules::FINITE];
    let broken =
        generate::breakages(&Packed::TYPE, &[3, 0, 1, 2, 2], RULES, &Limits::default()).unwrap();
    let broken: Vec<_> = broken.map(|broken| broken.to_string()).collect();
    assert!(
        broken
            .iter()
            .any(|b| b.contains(".a = 3: a value that violates")),
        "{broken:?}"
    );
}
