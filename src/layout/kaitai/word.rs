//! Prints packed words as Kaitai types.

use super::element::{print_doc, quoted};
use super::identifier::KaitaiNames;
use super::print_entry;
use crate::layout::declaration::BitField;
use crate::layout::wording::{IndentedText, bit_field_lines};

/// Prints the bit fields of a word; those of nested words are flattened. A big-endian word starts with the highest
/// bits.
pub(super) fn print_word(
    out: &mut IndentedText,
    fields: &[BitField],
    names: &KaitaiNames,
    is_big: bool,
) {
    let mut values = Vec::new();
    out.push_nested(2, "seq:", |out| {
        print_bits(out, fields, names, is_big, "", &mut values)
    });
    if values.is_empty() {
        return;
    }
    out.push_nested(2, "instances:", |out| {
        for (id, value, text) in values {
            out.push_nested(2, format!("{id}:"), |out| {
                out.push_line(format!("value: {}", quoted(&value)));
                print_doc(out, text);
            });
        }
    });
}

/// Prints the fields to `seq`. Adds to `values` the fields whose bits must be converted.
fn print_bits(
    out: &mut IndentedText,
    fields: &[BitField],
    names: &KaitaiNames,
    is_big: bool,
    prefix: &str,
    values: &mut Vec<(String, String, &'static str)>,
) {
    let (mut lowest_first, mut highest_first) = (fields.iter(), fields.iter().rev());
    let next = || {
        if is_big {
            highest_first.next()
        } else {
            lowest_first.next()
        }
    };
    for field in std::iter::from_fn(next) {
        let id = format!("{prefix}{}", names.ids.id(field.name));
        if let Some(word) = field.declared {
            print_bits(
                out,
                word.bit_fields(),
                names,
                is_big,
                &format!("{id}_"),
                values,
            );
            continue;
        }
        // In Kaitai, a single bit is a boolean.
        let number = if field.bits.width == 1 {
            format!("{id}_bits.to_i")
        } else {
            format!("{id}_bits")
        };
        let sign = 1u128 << (field.bits.width - 1);
        let value = match (field.signed, field.bits.width, field.flag) {
            (true, ..) => Some(format!("({number} ^ {sign}) - {sign}")),
            (false, 1, false) => Some(number),
            _ => None,
        };
        let seq_id = if value.is_some() {
            format!("{id}_bits")
        } else {
            id.clone()
        };
        print_entry(out, &seq_id, |out| {
            let order = if is_big { "be" } else { "" };
            out.push_line(format!("type: b{}{order}", field.bits.width));
            print_doc(out, &bit_field_lines(field, names));
        });
        values.extend(value.map(|value| (id, value, field.doc)));
    }
}
