//! Corpora: the verdicts in the repository's corpus match reading, and a custom format also has a corpus.

mod readme;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use binrw::binrw;
use meshspec::conformance::Coverage;
use meshspec::conformance::corpus::{
    CaseKind, Config, Corpus, INDEX_SCHEMA, IndexEntry, README, Verdict,
};
use meshspec::layout::Layout;
use meshspec::{
    AnyFormat, BinaryFormat, Dialect, Format, Formats, ReadOptions, Rule, Severity, Span, bmd,
    crucible,
};

pub fn folder() -> PathBuf {
    Path::new(crate::common::ROOT).join("corpus")
}

pub fn index() -> String {
    fs::read_to_string(folder().join("index.jsonl")).unwrap()
}

/// Returns the files of the corpus with their index entries.
pub fn cases() -> impl Iterator<Item = (IndexEntry, Vec<u8>)> {
    let entries: Vec<IndexEntry> = index()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(entries.len() > 500, "{}", entries.len());
    entries.into_iter().map(|entry| {
        let bytes = fs::read(folder().join(&entry.file))
            .unwrap_or_else(|error| panic!("{}: {error}", entry.file));
        if entry.kind == CaseKind::Valid {
            let options = ReadOptions::default().with_dialect(entry.dialect);
            if let Err(error) = format_of(&entry).read(&bytes, &options) {
                let file = &entry.file;
                panic!("the corpus is outdated, run `{REBUILD}` ({file}: {error})");
            }
        }
        (entry, bytes)
    })
}

const REBUILD: &str =
    "rm -r corpus && cargo run -p meshspec-cli -- corpus mesh crucible iyma seed bmd --out corpus";

fn format_of(entry: &IndexEntry) -> AnyFormat {
    Formats::builtin().get(&entry.format).unwrap()
}

fn verdict<T, E>(result: &Result<T, E>) -> Verdict {
    if result.is_ok() {
        Verdict::Accept
    } else {
        Verdict::Reject
    }
}

fn range_of(span: &Span) -> [u64; 2] {
    let range = if let Span::Unpacked { packed, .. } = span {
        packed
    } else {
        span.range()
    };
    [range.start, range.end]
}

/// Returns the index entry with the verdicts, the rule and the location that reading the file yields.
fn entry_from_reading(entry: &IndexEntry, bytes: &[u8], dialect: Option<Dialect>) -> IndexEntry {
    let format = format_of(entry);
    let in_dialect = |options: ReadOptions| match dialect {
        Some(dialect) => options.with_dialect(dialect),
        None => options,
    };
    let (strict, lenient) = (
        in_dialect(ReadOptions::default()),
        in_dialect(ReadOptions::lenient()),
    );
    let (read, read_leniently) = (format.read(bytes, &strict), format.read(bytes, &lenient));
    let report = meshspec::check(bytes, format, &strict).unwrap();
    let codes: BTreeSet<_> = report
        .findings()
        .iter()
        .map(|finding| finding.rule.code)
        .collect();
    assert_eq!(read.is_err(), report.errors() > 0, "{}: check", entry.file);
    let (rule, path, span) = match &read {
        Err(error) => (
            error.rule().map(|rule| rule.code),
            error.path().to_string(),
            error.span().cloned(),
        ),
        Ok(_) => report
            .findings()
            .first()
            .map_or((None, String::new(), None), |finding| {
                (
                    Some(finding.rule.code),
                    finding.path.to_string(),
                    finding.span.clone(),
                )
            }),
    };
    match entry.kind {
        CaseKind::Valid | CaseKind::Almost => assert!(read.is_ok(), "{}", entry.file),
        CaseKind::Broken => {
            let broken_rule = format.about().rule(rule.unwrap()).unwrap();
            let others = report
                .findings()
                .iter()
                .map(|finding| finding.rule)
                .filter(|rule| *rule != broken_rule);
            let is_named = |other: &&Rule| {
                other.severity < broken_rule.severity && entry.description.contains(other.code)
            };
            assert!(
                others.clone().all(|other| is_named(&other)),
                "{}: {codes:?}",
                entry.file
            );
        }
        CaseKind::Mutated => {}
    }
    let judged = IndexEntry {
        strict: verdict(&read),
        lenient: verdict(&read_leniently),
        ..entry.clone()
    };
    if entry.kind == CaseKind::Almost {
        let is_kept = entry
            .rule
            .as_deref()
            .is_some_and(|rule| !codes.contains(rule));
        assert!(is_kept, "{}: {codes:?}", entry.file);
        return judged;
    }
    IndexEntry {
        rule: rule.map(str::to_owned),
        path: Some(path).filter(|path| !path.is_empty()),
        bytes: span.as_ref().map(range_of),
        ..judged
    }
}

#[test]
fn corpus_verdicts_match_reading() {
    let mut wrong = Vec::new();
    for (entry, bytes) in cases() {
        let format = format_of(&entry);
        let judged_so = entry_from_reading(&entry, &bytes, Some(entry.dialect));
        if judged_so != entry {
            wrong.push(format!("{entry:?}\n  is {judged_so:?}"));
        }
        // With a detected dialect, the verdict is the same.
        if format.detect(&bytes).dialect != entry.dialect
            && entry_from_reading(&entry, &bytes, None) != entry
        {
            wrong.push(format!("{}: another verdict by detection", entry.file));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} files\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn corpus_contents_match_decoding() {
    let mut count = 0;
    for (entry, bytes) in cases() {
        let is_detected =
            AnyFormat::from(format_of(&entry)).detect(&bytes).dialect == entry.dialect;
        let options = ReadOptions::default().with_dialect(entry.dialect);
        if entry.strict == Verdict::Reject || !is_detected {
            assert_eq!(entry.contents, None, "{}", entry.file);
            continue;
        }
        let contents = AnyFormat::from(format_of(&entry))
            .contents(&bytes, &options)
            .unwrap();
        let json = serde_json::to_string(&contents).unwrap();
        assert_eq!(
            entry.contents.is_some(),
            json.len() <= 10_000,
            "{}",
            entry.file
        );
        let Some(path) = &entry.contents else {
            continue;
        };
        let committed = fs::read_to_string(folder().join(path)).unwrap();
        assert_eq!(json + "\n", committed, "{path}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn the_corpus_has_exactly_the_files_of_its_index() {
    let mut named: BTreeSet<PathBuf> = ["index.jsonl", "index.schema.json", "README.md"]
        .map(PathBuf::from)
        .into();
    for (entry, _) in cases() {
        assert!(
            named.insert(entry.file.clone().into()),
            "{} twice",
            entry.file
        );
        named.extend(entry.contents.map(PathBuf::from));
    }
    let (mut found, mut size) = (BTreeSet::new(), 0);
    let mut folders = vec![folder()];
    while let Some(next) = folders.pop() {
        for file in fs::read_dir(next).unwrap().map(Result::unwrap) {
            if file.file_type().unwrap().is_dir() {
                folders.push(file.path());
            } else {
                size += file.metadata().unwrap().len();
                found.insert(file.path().strip_prefix(folder()).unwrap().to_owned());
            }
        }
    }
    assert_eq!(found, named);
    assert!(size <= 2 << 20, "{size} bytes");
    assert_eq!(
        fs::read_to_string(folder().join("README.md")).unwrap(),
        README
    );
    assert_eq!(
        fs::read_to_string(folder().join("index.schema.json")).unwrap(),
        INDEX_SCHEMA
    );
}

#[test]
fn every_line_of_the_index_has_its_keys_in_order() {
    for line in index().lines() {
        // C programs rely on this form, which the README of the corpus states.
        assert!(line.starts_with("{\"file\":\""), "{line}");
        assert_eq!(
            serde_json::to_string(&serde_json::from_str::<IndexEntry>(line).unwrap()).unwrap(),
            line
        );
    }
}

#[test]
fn every_rule_is_broken_and_almost_broken() {
    let mut files: BTreeMap<(String, CaseKind), usize> = BTreeMap::new();
    for (entry, _) in cases() {
        if let Some(rule) = entry.rule {
            *files.entry((rule, entry.kind)).or_default() += 1;
        }
    }
    for kind in [CaseKind::Broken, CaseKind::Almost] {
        let rules = Formats::BUILT_IN
            .iter()
            .flat_map(|format| format.about().rules);
        let never: Vec<_> = rules
            .map(|rule| rule.code)
            .filter(|code| !files.contains_key(&((*code).to_owned(), kind)))
            .collect();
        // Only a document can contain such a comment, not a file.
        assert_eq!(never, ["SEED-COMMENT"], "{}", kind.name());
    }
}

/// Only files that break one of the listed rules also break others.
#[test]
fn most_rules_are_broken_alone() {
    let others = cases().filter(|(entry, _)| entry.description.contains(" This also breaks "));
    let rules: BTreeSet<_> = others.map(|(entry, _)| entry.rule.unwrap()).collect();
    assert_eq!(
        rules,
        BTreeSet::from(
            ["MESH-JOINT-ID", "MESH-NO-STRINGS", "MESH-VERTEX-UNBOUND"].map(str::to_owned)
        )
    );
}

/// Rules about list items that are only violated in the first item.
const FIRST_ITEM_ONLY: &[&str] = &[
    "CRUCIBLE-DUPLICATE",
    "CRUCIBLE-INDEX-RANGE",
    "CRUCIBLE-TRIANGLES",
    "CRUCIBLE-WEIGHT-SUM",
    "MESH-JOINT-ORDER",
    "SEED-REQUIRED",
    "SEED-TYPE",
];

#[test]
fn rules_on_items_are_broken_in_later_items() {
    let is_later = |path: &str| {
        path.split_once('[')
            .map(|(_, index)| !index.starts_with("0]"))
    };
    let mut rules: BTreeMap<String, bool> = BTreeMap::new();
    for (entry, _) in cases().filter(|(entry, _)| entry.kind == CaseKind::Broken) {
        if let (Some(rule), Some(later)) = (entry.rule, entry.path.as_deref().and_then(is_later)) {
            *rules.entry(rule).or_default() |= later;
        }
    }
    assert!(rules["MESH-VERTEX-UNBOUND"]);
    let first_only: Vec<_> = rules
        .iter()
        .filter(|(_, later)| !**later)
        .map(|(rule, _)| rule)
        .collect();
    assert_eq!(first_only, FIRST_ITEM_ONLY);
}

/// Returns the valid files of a format.
fn valid_files(format: AnyFormat) -> impl Iterator<Item = (IndexEntry, Vec<u8>)> {
    cases().filter(move |(entry, _)| entry.kind == CaseKind::Valid && entry.format == format.name())
}

#[test]
fn valid_bmd_files_have_many_vertices_and_flat_colours() {
    let (mut counts, mut materials) = (BTreeSet::new(), BTreeSet::new());
    for (_, bytes) in valid_files(bmd::FORMAT) {
        let document = bmd::Document::read(&bytes, &ReadOptions::default()).unwrap();
        let table = u32::from_le_bytes(*bytes[16..].first_chunk().unwrap()) as usize;
        for (index, mesh) in document.meshes.into_iter().enumerate() {
            if mesh.vertices.len() >= 1024 {
                // `Mesh::n_tris` is `None` if the number is canonical, so it is read from the bytes.
                let n_tris = u16::from_le_bytes(
                    *bytes[table + bmd::schema::MeshDef::SIZE as usize * index + 14..]
                        .first_chunk()
                        .unwrap(),
                );
                counts.insert((mesh.vertices.len(), n_tris));
            }
            materials.extend(mesh.material.map(|name| name.to_string()));
        }
    }
    assert_eq!(counts, BTreeSet::from([(1024, 2), (1024, 3), (1025, 2)]));
    for name in [
        "#09AFaf",
        "#123456 gold",
        "#12345g",
        "#12345",
        "x#123456",
        "# 123456",
    ] {
        assert!(materials.contains(name), "{name}");
    }
}

#[test]
fn crucible_files_have_long_blocks_and_lengths() {
    let (mut longest, mut has_literals) = (0, false);
    for (entry, bytes) in valid_files(crucible::FORMAT) {
        let options = ReadOptions::default().with_dialect(entry.dialect);
        for chunk in crucible::Document::read(&bytes, &options).unwrap().chunks {
            longest = longest.max(2 * chunk.indices.iter().count());
            let positions: Vec<u8> = chunk
                .positions_3d()
                .unwrap_or_default()
                .as_flattened()
                .iter()
                .flat_map(|x| x.to_le_bytes())
                .collect();
            has_literals |= positions.len() > 15 + 255
                && bytes.windows(positions.len()).any(|part| part == positions);
        }
    }
    assert!(longest > 1 << 16, "{longest}");
    assert!(has_literals);
    let has_long_length = |(entry, bytes): (IndexEntry, Vec<u8>)| {
        let is_length =
            entry.kind == CaseKind::Broken && entry.description.contains("chunks.length`");
        let length = bytes.get(11..).and_then(|rest| rest.first_chunk());
        is_length && length.is_some_and(|length| u64::from_le_bytes(*length) >> 32 == 1)
    };
    assert!(
        cases()
            .filter(|(entry, _)| entry.format == "crucible")
            .any(has_long_length)
    );
}

/// Valid files reach every kind of value, except some boundaries.
#[test]
fn valid_files_reach_every_kind_of_value() {
    let mut coverages: BTreeMap<&str, Coverage> = Formats::BUILT_IN
        .iter()
        .map(|format| (format.name(), Coverage::of(*format)))
        .collect();
    for (entry, bytes) in cases().filter(|(entry, _)| entry.kind == CaseKind::Valid) {
        coverages
            .get_mut(&*entry.format)
            .unwrap()
            .add(&bytes, entry.dialect);
    }
    let never: Vec<_> = coverages
        .values()
        .flat_map(|coverage| coverage.missing())
        .collect();
    // Boundaries may be missing if a number has few values or is in few files. MESH requires positions.
    let is_boundary =
        |kind: &str| ["0", "1", "largest", "sign bit", "more than 255 items"].contains(&kind);
    let others: Vec<_> = never
        .iter()
        .filter(|(_, kind)| !is_boundary(kind))
        .collect();
    assert_eq!(others, [&("header.format.position", "false")]);
    let fields = coverages.values().flat_map(|coverage| coverage.fields());
    let kinds: usize = fields.map(|(_, kinds)| kinds.len()).sum();
    assert!(
        50 * never.len() < kinds,
        "{} of {kinds} kinds: {never:?}",
        never.len()
    );
}

static EVEN: Rule = Rule::new("TALLY-EVEN", Severity::Error, "Every number is even.");

const RULES: &[&Rule] = &[&EVEN];

/// A custom format, with a rule enforced in code.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"TALLY")]
struct Tally {
    #[br(assert(count < 4, "there are too many numbers"))]
    count: u8,
    #[br(if(count > 1))]
    note: Option<u16>,
    #[br(count = count)]
    numbers: Vec<u32>,
}

impl BinaryFormat for Tally {
    const NAME: &'static str = "tally";
    const EXTENSIONS: &'static [&'static str] = &["tally"];
    const RULES: &'static [&'static Rule] = RULES;

    fn check_document(&self, report: &mut meshspec::Report) {
        for (index, number) in self.numbers.iter().enumerate() {
            if number % 2 == 1 {
                let message = format!("{} is odd", number.to_le_bytes()[0]);
                report.add(&EVEN, meshspec::path!(numbers[index]), message);
            }
        }
    }
}

#[test]
fn a_custom_format_has_a_corpus() {
    let format = meshspec::format_of::<Tally>();
    let corpus = Corpus::of(format, &Config::default()).unwrap();
    assert_eq!(
        corpus
            .rules()
            .map(|(rule, counts)| (rule.code, counts))
            .collect::<Vec<_>>(),
        [
            ("TALLY-EVEN", [2, 1]),
            ("LAYOUT-TRUNCATED", [5, 1]),
            ("LAYOUT-MAGIC", [1, 1]),
            ("LAYOUT-VALUE", [3, 1]),
            ("LAYOUT-PACKING", [0, 0]),
            ("LAYOUT-CHECKSUM", [0, 0]),
            ("LAYOUT-TRAILING", [2, 1]),
        ]
    );
    let broken = |code: &str| {
        let is_it = |case: &&meshspec::conformance::corpus::Case| {
            case.entry.kind == CaseKind::Broken && case.entry.rule.as_deref() == Some(code)
        };
        corpus
            .cases
            .iter()
            .filter(is_it)
            .map(|case| case.bytes.as_slice())
            .collect::<Vec<_>>()
    };
    // First the only number of a file is odd, then the last of several numbers.
    let odd = broken("TALLY-EVEN");
    assert_eq!(odd[0], b"TALLY\x01\x01\0\0\0");
    assert_eq!(
        [odd[1][5] > 1, odd[1][8] % 2 == 0],
        [true, true],
        "{:?}",
        odd[1]
    );
    // The counts are one too large, two too large, and the largest number.
    assert_eq!(
        broken("LAYOUT-VALUE"),
        [b"TALLY\x04", b"TALLY\x05", b"TALLY\xff"]
    );
    assert_eq!(broken("LAYOUT-MAGIC")[0].len(), 6);
    // Truncated in the magic bytes, at each field, and by other counts.
    assert!(broken("LAYOUT-TRUNCATED").len() >= 4);
    // Valid files lack these kinds of values, since numbers are even, and their count is a byte.
    let never = corpus
        .coverage
        .missing()
        .filter(|(field, _)| *field == "numbers");
    assert_eq!(
        never.collect::<Vec<_>>(),
        [
            ("numbers", "1"),
            ("numbers", "largest"),
            ("numbers", "more than 255 items")
        ]
    );
    assert!(
        corpus
            .cases
            .iter()
            .all(|case| case.entry.file.starts_with("tally/spec/"))
    );
    // Files that break, or almost break, a rule are named after it.
    for (kind, count) in [("broken", 2), ("almost", 1)] {
        let start = format!("tally/spec/{kind}/tally-even-");
        let named = corpus
            .cases
            .iter()
            .filter(|case| case.entry.file.starts_with(&start));
        assert_eq!(named.count(), count, "{kind}");
    }
    // The same seed yields the same corpus, another seed another one.
    let again = Corpus::of(format, &Config::default()).unwrap();
    assert_eq!(corpus.cases, again.cases);
    let other = Corpus::of(format, &Config::default().with_seed(1)).unwrap();
    assert_ne!(corpus.cases, other.cases);
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn a_corpus_follows_its_configuration() {
    let config = Config::default()
        .with_count(700)
        .with_dialect(Some(Dialect::RENDERLIB))
        .with_plausible(true);
    let corpus = Corpus::of(meshspec::mesh::FORMAT, &config).unwrap();
    assert_eq!(corpus.cases.len(), 700);
    for case in &corpus.cases {
        assert_eq!(case.entry.dialect, Dialect::RENDERLIB);
        if case.entry.kind == CaseKind::Valid {
            assert_eq!(case.entry.rule, None, "{}", case.entry.file);
        }
    }
    let error = Corpus::of(bmd::FORMAT, &config).unwrap_err();
    assert!(
        error.to_string().contains("has no renderlib dialect"),
        "{error}"
    );
}

#[test]
fn a_dialect_has_its_own_rules_and_kinds_of_values() {
    let about = meshspec::mesh::FORMAT.about();
    let rule = |code| about.rule(code).unwrap();
    for (code, spec, renderlib) in [
        ("MESH-STRING-END", true, false),
        ("MESH-INDEX-RANGE", true, true),
        ("MESH-TRAILING", true, true),
    ] {
        let has = [Dialect::SPEC, Dialect::RENDERLIB]
            .map(|dialect| about.has_rule_in(rule(code), dialect));
        assert_eq!(has, [spec, renderlib], "{code}");
    }
    for format in Formats::BUILT_IN {
        let all: usize = format
            .about()
            .dialects
            .iter()
            .map(|d| format.about().layouts_of(Some(*d)).len())
            .sum();
        assert_eq!(all, format.about().layouts_of(None).len(), "{format}");
    }
    let crucible = |dialect| Coverage::in_dialect(crucible::FORMAT, dialect);
    let has = |coverage: Coverage| coverage.has("chunks.streams.data", "Tangent");
    assert_eq!(
        [Some(Dialect::SPEC), Some(Dialect::TANGENT), None].map(|d| has(crucible(d))),
        [false, true, true]
    );
    let mesh =
        |dialect| Coverage::in_dialect(meshspec::mesh::FORMAT, Some(dialect)).has_field("strings");
    assert_eq!([Dialect::SPEC, Dialect::RENDERLIB].map(mesh), [true, false]);
}

/// Numbers of several widths, some of which few generated files have.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"NUMBERS")]
struct Numbers {
    unsigned: u64,
    float: f32,
    double: f64,
    #[br(if((unsigned % 61 + 17) % 61 < 1))]
    rare: Option<RareNumbers>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct RareNumbers {
    byte: u8,
    unsigned: u32,
    short: i16,
    long: i64,
}

impl BinaryFormat for Numbers {
    const NAME: &'static str = "numbers";
    const EXTENSIONS: &'static [&'static str] = &["num"];
}

#[test]
fn free_numbers_reach_every_kind_of_value() {
    let format = meshspec::format_of::<Numbers>();
    let corpus = Corpus::of(format, &Config::default()).unwrap();
    assert_eq!(corpus.coverage.missing().collect::<Vec<_>>(), []);
    let mut coverage = Coverage::of(format);
    let numbers = |double: f64| {
        [
            b"NUMBERS".to_vec(),
            vec![0; 12],
            double.to_le_bytes().to_vec(),
        ]
        .concat()
    };
    for (double, kind) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (f64::MIN, "largest"),
        (f64::NEG_INFINITY, "infinity"),
        (f64::NAN, "quiet NaN"),
        (f64::from_bits(0x7ff0_0000_0000_0001), "signalling NaN"),
        (1e-310, "subnormal"),
        (-1.0, "other"),
    ] {
        let is_never = |coverage: &Coverage| {
            coverage
                .missing()
                .any(|missing| missing == ("double", kind))
        };
        assert!(is_never(&coverage), "{kind}");
        coverage.add(&numbers(double), Dialect::SPEC);
        assert!(!is_never(&coverage), "{kind}");
    }
}

/// Hand-written cases are part of the corpus, and have the verdict of strict reading.
#[test]
fn edge_cases_are_in_the_corpus() {
    let committed: BTreeMap<_, _> = cases().map(|(entry, bytes)| (bytes, entry)).collect();
    for format in Formats::BUILT_IN {
        let edge_cases = format.edge_cases();
        let mut counts = [0, 0];
        for (description, bytes) in edge_cases {
            let entry = committed
                .get(&bytes)
                .unwrap_or_else(|| panic!("{format}: {description}"));
            let is_broken = format.read(&bytes, &ReadOptions::default()).is_err();
            let kind = if is_broken {
                CaseKind::Broken
            } else {
                CaseKind::Valid
            };
            assert_eq!(
                (entry.kind, &*entry.format),
                (kind, format.name()),
                "{description}"
            );
            assert!(
                entry
                    .description
                    .to_lowercase()
                    .contains(&description.to_lowercase()),
                "{entry:?}"
            );
            counts[usize::from(is_broken)] += 1;
        }
        let expected = match format.name() {
            "mesh" => [2, 0],
            "crucible" => [2, 7],
            "seed" => [4, 12],
            "iyma" => [0, 0],
            _ => [3, 0],
        };
        assert_eq!(counts, expected, "{format}: valid and broken");
    }
}
