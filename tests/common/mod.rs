//! Test files: the samples, the reference files, which are not part of this repository, and damaged files.

#![allow(
    dead_code,
    reason = "no program and no set of features needs all of it"
)]

use std::path::{Path, PathBuf};

use std::collections::BTreeSet;

use meshspec::layout::declaration::{Requirement, Shape, Type};
use meshspec::layout::dump::{Dump, JsonHead};
use meshspec::layout::expr::Expr;
use meshspec::{AnyFormat, Formats, ReadOptions};
use proptest::test_runner::{Config, FileFailurePersistence};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The root folder of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns the number of random cases: `default`, multiplied by the environment variable `MESHSPEC_CASES` if it is set.
pub fn cases(default: u32) -> u32 {
    let factor: u32 = std::env::var("MESHSPEC_CASES").map_or(1, |factor| {
        factor.parse().expect("MESHSPEC_CASES is a number")
    });
    default * factor
}

/// Returns `true` if `MESHSPEC_CASES` requests more cases than by default, as `.ci/run` does.
pub fn is_thorough() -> bool {
    cases(1) > 1
}

/// Returns the configuration of property tests with this default [number of cases](cases), and half as many if the
/// environment variable is not set. Failing cases are saved in `proptest-regressions/NAME.txt`.
pub fn config(default: u32, name: &str) -> Config {
    let file = format!("{ROOT}/proptest-regressions/{name}.txt");
    let persistence = FileFailurePersistence::Direct(String::leak(file));
    let is_set = std::env::var_os("MESHSPEC_CASES").is_some();
    let (cases, usual) = (
        if is_set {
            cases(default)
        } else {
            default.div_ceil(2)
        },
        Config::default(),
    );
    // Allows at least four rejected cases per case.
    let max_global_rejects = usual.max_global_rejects.max(4 * cases);
    Config {
        cases,
        max_global_rejects,
        failure_persistence: Some(Box::new(persistence)),
        ..usual
    }
}

/// An entry in the index of reference files.
pub struct Fixture {
    pub format: String,
    pub file: String,
    /// Whether strict reading accepts the file; `None` if both verdicts are allowed.
    pub strict: Option<bool>,
    /// Whether lenient reading accepts the file; `None` if both verdicts are allowed.
    pub lenient: Option<bool>,
    pub bytes: Vec<u8>,
    /// The content that an independent decoder read, if the file has a sidecar.
    pub expected: Option<Value>,
}

/// Returns the folder of the reference files.
fn reference_folder() -> PathBuf {
    std::env::var_os("MESHSPEC_FIXTURES")
        .expect("MESHSPEC_FIXTURES must be the folder of reference files")
        .into()
}

/// Returns the bytes of a reference file. `name` is its path in the folder of reference files.
pub fn reference_file(name: &str) -> Vec<u8> {
    let path = reference_folder().join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the text of a reference file.
pub fn reference_text(name: &str) -> String {
    String::from_utf8(reference_file(name)).unwrap()
}

/// Returns all reference files in the index.
pub fn fixtures() -> Vec<Fixture> {
    let index: Value = serde_json::from_slice(&reference_file("index.json")).unwrap();
    let fixtures: Vec<_> = index
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| Fixture {
            format: to_text(&entry["format"]),
            file: to_text(&entry["file"]),
            strict: parse_verdict(&entry["strict"]),
            lenient: parse_verdict(&entry["lenient"]),
            bytes: reference_file(&to_text(&entry["file"])),
            expected: entry["expected"]
                .as_str()
                .map(|name| serde_json::from_slice(&reference_file(name)).unwrap()),
        })
        .collect();
    assert!(
        !fixtures.is_empty(),
        "the index of reference files is empty"
    );
    fixtures
}

/// Returns the reference files of one format.
pub fn fixtures_of(format: &str) -> Vec<Fixture> {
    let fixtures: Vec<_> = fixtures()
        .into_iter()
        .filter(|f| f.format == format)
        .collect();
    assert!(!fixtures.is_empty(), "no reference files of {format}");
    fixtures
}

fn to_text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn parse_verdict(value: &Value) -> Option<bool> {
    match value.as_str() {
        Some("accept") => Some(true),
        Some("reject") => Some(false),
        Some(other) => panic!("unknown verdict {other}"),
        None => None,
    }
}

/// Returns the SHA-256 of the bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns the bits of floats in the notation of the sidecars: `0x3f800000`.
pub fn bits<const N: usize>(values: [f32; N]) -> Value {
    values
        .iter()
        .map(|x| format!("{:#010x}", x.to_bits()))
        .collect()
}

/// Damages files at random. The same seed yields the same damage.
pub struct Mutator(u64);

impl Mutator {
    pub fn new(seed: u64) -> Mutator {
        Mutator(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a pseudo-random number below `end`, from Marsaglia's xorshift generator; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    /// Returns a copy of the file with one to four changes: bits flipped, bytes or words overwritten, bytes removed or
    /// inserted. At least about half of them are in the first 64 bytes, where the headers are.
    pub fn mutate(&mut self, file: &[u8]) -> Vec<u8> {
        const WORDS: [u32; 8] = [
            0,
            1,
            0x7f,
            0xff,
            0xffff,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
        ];
        let mut bytes = file.to_vec();
        for _ in 0..=self.below(4) {
            let end = if self.below(2) == 0 {
                bytes.len().min(64)
            } else {
                bytes.len()
            };
            let at = self.below(end);
            match self.below(5) {
                _ if bytes.is_empty() => bytes.push(self.below(256) as u8),
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => {
                    let word = WORDS[self.below(WORDS.len())].to_le_bytes();
                    let end = bytes.len().min(at + 4);
                    bytes[at..end].copy_from_slice(&word[..end - at]);
                }
                3 => drop(bytes.remove(at)),
                _ => bytes.insert(at, self.below(256) as u8),
            }
        }
        bytes
    }
}

/// Returns the names of the fields that writing computes from other fields: offsets, counts, sizes and checksums.
pub fn computed_fields(ty: &Type) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    add_computed_fields(ty, &mut names);
    names
}

fn add_computed_fields(ty: &Type, names: &mut BTreeSet<&'static str>) {
    let declaration = match ty {
        Type::Array(item, _) | Type::List(item) => return add_computed_fields(item, names),
        Type::Declared(declaration) => declaration,
        _ => return,
    };
    let fields: Vec<_> = match declaration.shape {
        Shape::Struct(fields) => fields.iter().collect(),
        Shape::Choice(variants) => variants.iter().map(|variant| &variant.field).collect(),
        _ => Vec::new(),
    };
    for field in fields {
        let stored = field.checksum.map(|checksum| checksum.stored);
        for expr in [field.position, field.count, stored].iter().flatten() {
            expr.visit(&mut |part| {
                if let Expr::Path(path) = part {
                    names.extend(path.last());
                }
            });
        }
        let is_count = |requirement| matches!(requirement, Requirement::Counts { .. });
        if field
            .constraints
            .iter()
            .any(|constraint| is_count(constraint.requirement))
        {
            names.insert(field.name);
        }
        add_computed_fields(&field.ty, names);
        if let Some(block) = &field.block {
            add_computed_fields(&block.content, names);
        }
    }
}

/// Returns a dump as JSON. Panics if the file has a structural fault.
pub fn json_of(dump: &Dump) -> Vec<u8> {
    let mut json = Vec::new();
    let fault = dump.write_json(&JsonHead::default(), |_| None, &mut json);
    assert_eq!(fault.unwrap(), None);
    json
}

/// Returns the values of a file as JSON without those that are computed. Panics if the file has a structural fault.
pub fn values_of(ty: &'static Type, bytes: &[u8]) -> Vec<u8> {
    let mut json = Vec::new();
    let fault = Dump::new(ty, bytes).write_values(&JsonHead::default(), &mut json);
    assert_eq!(fault.unwrap(), None);
    json
}

/// A valid file and its format.
pub type File = (AnyFormat, Vec<u8>);

/// Returns the files in `samples/`. Panics if strict reading rejects one.
pub fn samples() -> Vec<File> {
    Formats::BUILT_IN
        .iter()
        .flat_map(|format| samples_of(*format).map(|bytes| (*format, bytes)))
        .collect()
}

/// Returns the samples of one format.
pub fn samples_of(format: AnyFormat) -> impl Iterator<Item = Vec<u8>> {
    let folder = format!("{ROOT}/samples/{format}");
    std::fs::read_dir(folder)
        .unwrap()
        .map(move |entry| sample(format, &entry.unwrap().path()))
}

fn sample(format: AnyFormat, path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let document = format.read(&bytes, &ReadOptions::default());
    if let Err(error) = document {
        let name = path.file_name().unwrap().display();
        panic!(
            "the samples are outdated, run `cargo run --example make_samples` ({name}: {error})"
        );
    }
    bytes
}

/// Returns the reference files that strict reading accepts.
pub fn accepted_fixtures() -> Vec<File> {
    let accepted = fixtures()
        .into_iter()
        .filter(|fixture| fixture.strict == Some(true));
    accepted
        .filter_map(|fixture| Some((Formats::builtin().get(&fixture.format).ok()?, fixture.bytes)))
        .collect()
}
