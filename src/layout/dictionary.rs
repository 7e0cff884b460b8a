//! A dictionary for libFuzzer and AFL: the bytes that a format is compared with.

use std::collections::BTreeSet;

use super::declaration::{Declaration, Shape, Type};
use super::program::{Order, Origin, Program, reachable};
use super::wording::Lines;

/// Prints magic bytes, named values, flags, and the numbers in conditions, checks and constraints.
pub(super) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut dictionary = Dictionary::new(title);
    for reached in reachable(layouts, Order::Reading) {
        let Declaration { name, magic, shape, .. } = reached.declaration;
        dictionary.add(name, magic.to_vec());
        match shape {
            Shape::Enum { size, values } => {
                values.iter().for_each(|value| dictionary.add_number(name, *size, value.value));
            }
            Shape::Bits { size, .. } => {
                let fields = reached.declaration.all_bit_fields().into_iter();
                fields.for_each(|(_, bits, _)| dictionary.add_number(name, *size, bits.mask() as i128));
            }
            Shape::Struct(_) | Shape::Choice(_) => {}
        }
    }
    for (_, layout) in layouts {
        let program = Program::of(layout);
        for equation in program.equations() {
            program.for_each_origin(equation.unit, equation.code, &mut |origin, literals| {
                let Some(size) = size_of(origin) else { return };
                for literal in literals {
                    // The last number before a limit, and the limit.
                    dictionary.add_number(origin.name, size, literal.saturating_sub(1));
                    dictionary.add_number(origin.name, size, *literal);
                }
            });
        }
    }
    dictionary.into_text()
}

/// Returns the size in bytes of the integer that an equation depends on; `None` for a bit field.
fn size_of(origin: Origin) -> Option<u32> {
    let field = origin.declaration.fields().find(|field| field.name == origin.name)?;
    let item = field.ty.flat().item;
    item.int().map(|int| int.bits / 8)
}

/// Entries, each once.
pub(super) struct Dictionary {
    lines: Lines,
    known: BTreeSet<Vec<u8>>,
}

impl Dictionary {
    pub(super) fn new(title: &str) -> Dictionary {
        let mut lines = Lines::default();
        lines.line(format!("# {title}: magic bytes, named values, flags and limits, for libFuzzer and AFL."));
        Dictionary { lines, known: BTreeSet::new() }
    }

    /// Adds a little-endian number.
    fn add_number(&mut self, name: &str, size: u32, number: i128) {
        self.add(name, number.to_le_bytes().into_iter().take(size as usize).collect());
    }

    /// Adds bytes that are not in the dictionary yet. Names are letters, digits and `_`.
    pub(super) fn add(&mut self, name: &str, bytes: Vec<u8>) {
        if bytes.is_empty() || !self.known.insert(bytes.clone()) {
            return;
        }
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let escape = |byte: &u8| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..=b'~' => char::from(*byte).to_string(),
            byte => format!("\\x{byte:02x}"),
        };
        let escaped: String = bytes.iter().map(escape).collect();
        self.lines.line(format!("{name}=\"{escaped}\""));
    }

    pub(super) fn into_text(self) -> String {
        self.lines.into_text()
    }
}
