//! Prints a dictionary for libFuzzer and AFL: byte strings that a reader compares its input with.

use std::collections::BTreeSet;

use super::declaration::{Declaration, Shape, Type};
use super::program::{ListingOrder, Program, ValueOrigin, reachable};
use super::wording::IndentedText;

/// Prints magic bytes, enum values, masks of bit fields, and the literals in expressions over integer fields.
pub(super) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut dictionary = Dictionary::new(title);
    for reached in reachable(layouts, ListingOrder::ContainersFirst) {
        let (
            Declaration {
                name, magic, shape, ..
            },
            is_big,
        ) = (reached.declaration, reached.is_big);
        dictionary.add_entry(name, magic.to_vec());
        match shape {
            Shape::Enum { size, values } => {
                values
                    .iter()
                    .for_each(|value| dictionary.add_number(name, (*size, is_big), value.value));
            }
            Shape::Bits { size, .. } => {
                for (_, bits, _) in reached.declaration.all_bit_fields() {
                    dictionary.add_number(name, (*size, is_big), bits.mask() as i128);
                }
            }
            Shape::Struct(_) | Shape::Choice(_) => {}
        }
    }
    for (_, layout) in layouts {
        let program = Program::of(layout);
        for equation in program.equations() {
            for (origin, literals) in program.origins(equation.unit, equation.code) {
                let Some(size) = integer_size(origin) else {
                    continue;
                };
                for literal in literals {
                    // A literal is often a limit, so the last number below it is added, too.
                    dictionary.add_number(origin.name, size, literal.saturating_sub(1));
                    dictionary.add_number(origin.name, size, literal);
                }
            }
        }
    }
    dictionary.into_text()
}

/// Returns the size in bytes of the integer at `origin`, and whether it is big-endian; `None` for other values.
fn integer_size(origin: ValueOrigin) -> Option<(u32, bool)> {
    let field = origin
        .declaration
        .fields()
        .find(|field| field.name == origin.name)?;
    let item = field.ty.flatten().item;
    item.int_type()
        .map(|int| (int.bits / 8, matches!(item, Type::BigEndian(_))))
}

/// The entries of a dictionary, without duplicates.
pub(super) struct Dictionary {
    lines: IndentedText,
    added: BTreeSet<Vec<u8>>,
}

impl Dictionary {
    pub fn new(title: &str) -> Dictionary {
        let mut lines = IndentedText::default();
        lines.push_line(format!(
            "# {title}: magic bytes, named values, flags and limits, for libFuzzer and AFL."
        ));
        Dictionary {
            lines,
            added: BTreeSet::new(),
        }
    }

    /// Adds a number with this size in bytes and byte order.
    fn add_number(&mut self, name: &str, (size, is_big): (u32, bool), number: i128) {
        let mut bytes: Vec<u8> = number
            .to_le_bytes()
            .into_iter()
            .take(size as usize)
            .collect();
        if is_big {
            bytes.reverse();
        }
        self.add_entry(name, bytes);
    }

    /// Adds an entry, unless its bytes are empty or already added. In the name, characters other than ASCII letters and
    /// digits become `_`.
    pub fn add_entry(&mut self, name: &str, bytes: Vec<u8>) {
        if bytes.is_empty() || !self.added.insert(bytes.clone()) {
            return;
        }
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let escape = |byte: &u8| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..=b'~' => char::from(*byte).to_string(),
            byte => format!("\\x{byte:02x}"),
        };
        let escaped: String = bytes.iter().map(escape).collect();
        self.lines.push_line(format!("{name}=\"{escaped}\""));
    }

    pub fn into_text(self) -> String {
        self.lines.into_text()
    }
}
