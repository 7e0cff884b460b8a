//! The formulas of decoded values are C expressions, and yield the same results as the decoding functions.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::process::Command;

use meshspec::Formats;
use meshspec::layout::Layout;
use meshspec::layout::declaration::{BitField, Declaration, Shape, Type};
use meshspec::layout::decoding::{DecodedValue, Decoding, SNORM8, UNORM8, snorm8, unorm8};
use meshspec::layout::expr::Value;
use tempfile::TempDir;

/// Formulas that are prose instead of C.
const IN_WORDS: [&str; 3] = [
    "x as IEEE 754 binary16",
    "[x, y, z], each decoded as F8A",
    "[i, j, k, r], each decoded as F8A, divided by their length; [0, 0, 0, 1] if that is 0",
];

/// A decoding with its stored type.
#[derive(Clone, Copy)]
struct StoredDecoding {
    decoding: Decoding,
    bits: u32,
    signed: bool,
    word: Option<&'static Declaration>,
}

fn add_decoding(all: &mut BTreeMap<&'static str, StoredDecoding>, packed: StoredDecoding) {
    let Decoding {
        decode,
        formula,
        name,
        ..
    } = packed.decoding;
    if decode.is_some() {
        assert_ne!(formula, "", "{name} has no formula");
        all.entry(formula).or_insert(packed);
    }
}

/// Adds the decodings in a type, by formula.
fn collect_decodings(ty: &Type, all: &mut BTreeMap<&'static str, StoredDecoding>) {
    let declaration = match ty {
        Type::Declared(declaration) => *declaration,
        Type::Array(item, _) | Type::List(item) => return collect_decodings(item, all),
        _ => return,
    };
    let fields: Vec<_> = match declaration.shape {
        Shape::Struct(fields) => fields.iter().collect(),
        Shape::Choice(variants) => variants.iter().map(|variant| &variant.field).collect(),
        Shape::Enum { .. } => return,
        Shape::Bits { size, fields } => {
            add_decoding(
                all,
                StoredDecoding {
                    decoding: declaration.decoding,
                    bits: 8 * size,
                    signed: false,
                    word: Some(declaration),
                },
            );
            for BitField {
                decoding,
                bits,
                signed,
                ..
            } in fields
            {
                add_decoding(
                    all,
                    StoredDecoding {
                        decoding: *decoding,
                        bits: bits.width,
                        signed: *signed,
                        word: None,
                    },
                );
            }
            let words = fields.iter().filter_map(|field| field.declared);
            words.for_each(|word| collect_decodings(&Type::Declared(word), all));
            return;
        }
    };
    for field in fields {
        let item = match field.ty {
            Type::Array(item, _) | Type::List(item) => *item,
            ty => ty,
        };
        if let Type::Unsigned(size) | Type::Signed(size) = item {
            let signed = matches!(item, Type::Signed(_));
            add_decoding(
                all,
                StoredDecoding {
                    decoding: field.decoding,
                    bits: 8 * size,
                    signed,
                    word: None,
                },
            );
        }
        collect_decodings(&field.ty, all);
        field
            .block
            .iter()
            .for_each(|block| collect_decodings(&block.content, all));
    }
}

#[derive(Layout)]
#[binrw::binrw]
#[brw(little)]
#[allow(dead_code, reason = "only described")]
struct Plain {
    #[layout(decoded = unorm8, formula = UNORM8)]
    unsigned: u8,
    #[layout(decoded = snorm8, formula = SNORM8)]
    signed: i8,
}

impl StoredDecoding {
    /// Returns a stored value, and the C variables that represent it.
    fn value(self, word: u128) -> (Value, String) {
        let word = if self.bits < 128 {
            word & ((1 << self.bits) - 1)
        } else {
            word
        };
        let Some(declaration) = self.word else {
            let sign = if self.signed && word >> (self.bits - 1) == 1 {
                1i128 << self.bits
            } else {
                0
            };
            let number = word as i128 - sign;
            return (Value::Int(number), format!("long x = {number};"));
        };
        let Shape::Bits { fields, .. } = declaration.shape else {
            unreachable!()
        };
        let mut variables = format!("long x = {word};");
        for field in fields.iter().filter(|field| field.name != "x") {
            let number = match field.value(word) {
                Value::Int(number) => number,
                Value::Bool(flag) => flag.into(),
                _ => continue,
            };
            write!(
                variables,
                " long {} = {number}; (void){};",
                field.name, field.name
            )
            .unwrap();
        }
        (Value::Bits(word, declaration), variables + " (void)x;")
    }
}

#[test]
fn formulas_match_the_functions() {
    let mut all = BTreeMap::new();
    collect_decodings(&Plain::TYPE, &mut all);
    for format in Formats::BUILT_IN {
        format
            .about()
            .layouts()
            .iter()
            .for_each(|(_, ty)| collect_decodings(ty, &mut all));
    }
    let mut program = format!("{PRINT}int main(void) {{\n");
    let mut expected = String::new();
    let mut compared = 0;
    for (formula, packed) in &all {
        if IN_WORDS.contains(formula) {
            continue;
        }
        compared += 1;
        for case in 0..256u128 {
            let word = if packed.bits == 8 {
                case
            } else {
                case.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> 7
            };
            let (value, variables) = packed.value(word);
            let list = formula.trim_start_matches('[').trim_end_matches(']');
            writeln!(program, "{{ {variables} float r[] = {{ {list} }};").unwrap();
            writeln!(
                program,
                "for (unsigned i = 0; i < sizeof r / 4; i++) print(r[i]); }}"
            )
            .unwrap();
            let decoded = packed.decoding.decode.unwrap()(&value).unwrap();
            let numbers = match decoded {
                DecodedValue::Number(number) => vec![number],
                DecodedValue::List(list) => list,
            };
            for number in numbers {
                let Value::F32(number) = number else {
                    panic!("{formula}: {number:?}")
                };
                writeln!(expected, "{:08x} {formula} {word:x}", number.to_bits()).unwrap();
            }
        }
    }
    program += "return 0; }\n";
    assert!(
        compared >= 8 && all.len() == compared + IN_WORDS.len(),
        "{:?}",
        all.keys()
    );
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (source, binary) = (
        folder.path().join("formulas.c"),
        folder.path().join("formulas"),
    );
    fs::write(&source, program).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let compiled = Command::new(compiler)
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let output = Command::new(&binary).output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    assert_eq!(found.lines().count(), expected.lines().count());
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, &expected[..8], "{expected}");
    }
}

/// Prints the bits of a float.
const PRINT: &str = "\
#include <math.h>
#include <stdio.h>
#include <string.h>

static void print(float number)
{
    unsigned bits;
    memcpy(&bits, &number, 4);
    printf(\"%08x\\n\", bits);
}

";
