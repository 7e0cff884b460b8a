//! Files to test with: the samples, the reference files, which do not lie in this repository, and damaged ones.

#![allow(dead_code, reason = "no program and no set of features needs all of it")]

use std::path::{Path, PathBuf};

use std::collections::BTreeSet;

use meshspec::layout::declaration::{Requirement, Shape, Type};
use meshspec::layout::expr::Expr;
use meshspec::{FormatId, ReadOptions};
use proptest::test_runner::{Config, FileFailurePersistence};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The top of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Number of random cases: `MESHSPEC_CASES` times as many as on a clean clone.
pub fn cases(clean: u32) -> u32 {
    let factor: u32 =
        std::env::var("MESHSPEC_CASES").map_or(1, |factor| factor.parse().expect("a factor of cases"));
    clean * factor
}

/// The configuration of properties with this [number of cases](cases). Failures are kept at the top of the repository.
pub fn config(clean: u32, name: &str) -> Config {
    let file = format!("{ROOT}/proptest-regressions/{name}.txt");
    let persistence = FileFailurePersistence::Direct(String::leak(file));
    let (cases, usual) = (cases(clean), Config::default());
    // Rejected cases grow with the others.
    let max_global_rejects = usual.max_global_rejects.max(4 * cases);
    Config { cases, max_global_rejects, failure_persistence: Some(Box::new(persistence)), ..usual }
}

/// One entry of the index of reference files.
pub struct Fixture {
    pub format: String,
    pub file: String,
    /// Whether strict and lenient reading accept it; `None` for either.
    pub strict: Option<bool>,
    pub lenient: Option<bool>,
    pub bytes: Vec<u8>,
    /// The decoded content as an independent decoder sees it.
    pub expected: Option<Value>,
}

/// The folder of the reference files.
fn folder() -> PathBuf {
    std::env::var_os("MESHSPEC_FIXTURES")
        .expect("MESHSPEC_FIXTURES names the folder of reference files")
        .into()
}

/// A file in the folder of reference files, by its path there.
pub fn reference_file(name: &str) -> Vec<u8> {
    let path = folder().join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The same as text.
pub fn reference_text(name: &str) -> String {
    String::from_utf8(reference_file(name)).unwrap()
}

/// All reference files, by their index.
pub fn fixtures() -> Vec<Fixture> {
    let index: Value = serde_json::from_slice(&reference_file("index.json")).unwrap();
    let fixtures: Vec<_> = index
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| Fixture {
            format: text(&entry["format"]),
            file: text(&entry["file"]),
            strict: verdict(&entry["strict"]),
            lenient: verdict(&entry["lenient"]),
            bytes: reference_file(&text(&entry["file"])),
            expected: entry["expected"]
                .as_str()
                .map(|name| serde_json::from_slice(&reference_file(name)).unwrap()),
        })
        .collect();
    assert!(!fixtures.is_empty(), "the index of reference files is empty");
    fixtures
}

/// The reference files of one format.
pub fn fixtures_of(format: &str) -> Vec<Fixture> {
    let fixtures: Vec<_> = fixtures().into_iter().filter(|f| f.format == format).collect();
    assert!(!fixtures.is_empty(), "no reference files of {format}");
    fixtures
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn verdict(value: &Value) -> Option<bool> {
    match value.as_str() {
        Some("accept") => Some(true),
        Some("reject") => Some(false),
        Some(other) => panic!("unknown verdict {other}"),
        None => None,
    }
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bits of floats as the sidecars have them: `0x3f800000`.
pub fn bits<const N: usize>(values: [f32; N]) -> Value {
    values.iter().map(|x| format!("{:#010x}", x.to_bits())).collect()
}

/// Damages files, the same way in every run.
pub struct Damage(u64);

impl Damage {
    pub fn new(seed: u64) -> Damage {
        Damage(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`: the xorshift generator of Marsaglia.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    /// The file with one to four of its bytes or words changed, taken out or put in; mostly in the first bytes,
    /// where the headers are.
    pub fn mutate(&mut self, file: &[u8]) -> Vec<u8> {
        const WORDS: [u32; 8] = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
        let mut bytes = file.to_vec();
        for _ in 0..=self.below(4) {
            let end = if self.below(2) == 0 { bytes.len().min(64) } else { bytes.len() };
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

/// Returns the names of the fields that describe other fields: offsets, counts, sizes and checksums. Writing computes
/// them.
pub fn computed(ty: &Type) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    add_computed(ty, &mut names);
    names
}

fn add_computed(ty: &Type, names: &mut BTreeSet<&'static str>) {
    let declaration = match ty {
        Type::Array(item, _) | Type::List(item) => return add_computed(item, names),
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
        if field.constraints.iter().any(|constraint| is_count(constraint.requirement)) {
            names.insert(field.name);
        }
        add_computed(&field.ty, names);
        if let Some(block) = &field.block {
            add_computed(&block.content, names);
        }
    }
}

/// A valid file and its format.
pub type File = (FormatId, Vec<u8>);

/// The files in `samples/`. Panics if the declarations have changed since they were made.
pub fn samples() -> Vec<File> {
    FormatId::ALL.iter().flat_map(|format| samples_of(*format).map(|bytes| (*format, bytes))).collect()
}

/// The samples of one format.
pub fn samples_of(format: FormatId) -> impl Iterator<Item = Vec<u8>> {
    let folder = format!("{ROOT}/samples/{format}");
    std::fs::read_dir(folder).unwrap().map(move |entry| sample(format, &entry.unwrap().path()))
}

fn sample(format: FormatId, path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let document = format.read(&bytes, &ReadOptions::default());
    if let Err(error) = document {
        let name = path.file_name().unwrap().display();
        panic!("samples are older than the declaration: cargo run --example make_samples ({name}: {error})");
    }
    bytes
}

/// The reference files that strict reading accepts.
pub fn accepted_fixtures() -> Vec<File> {
    let accepted = fixtures().into_iter().filter(|fixture| fixture.strict == Some(true));
    accepted.filter_map(|fixture| Some((fixture.format.parse().ok()?, fixture.bytes))).collect()
}
