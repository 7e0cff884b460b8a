//! Packed words as Kaitai types.

use super::element::{doc, quoted};
use super::item;
use crate::layout::declaration::BitField;
use crate::layout::notation::identifier;
use crate::layout::wording::{Lines, bit_field_lines};

/// The bit fields of a word, those of words within it laid out flat.
pub(super) fn word(out: &mut Lines, fields: &[BitField]) {
    out.line("seq:");
    let mut values = Vec::new();
    out.indented(|out| bits(out, fields, "", &mut values));
    if values.is_empty() {
        return;
    }
    out.line("instances:");
    out.indented(|out| {
        for (id, value, text) in values {
            out.line(format!("{id}:"));
            out.indented(|out| {
                out.line(format!("value: {}", quoted(&value)));
                doc(out, text);
            });
        }
    });
}

/// Adds the fields to `seq`, and to `values` those whose bits are not yet their value.
fn bits(
    out: &mut Lines,
    fields: &[BitField],
    prefix: &str,
    values: &mut Vec<(String, String, &'static str)>,
) {
    for field in fields {
        let id = format!("{prefix}{}", identifier(field.name));
        if let Some(word) = field.declared {
            bits(out, word.bit_fields(), &format!("{id}_"), values);
            continue;
        }
        // A single bit is a truth value to Kaitai.
        let number = if field.bits.width == 1 { format!("{id}_bits.to_i") } else { format!("{id}_bits") };
        let sign = 1u128 << (field.bits.width - 1);
        let value = match (field.signed, field.bits.width, field.flag) {
            (true, ..) => Some(format!("({number} ^ {sign}) - {sign}")),
            (false, 1, false) => Some(number),
            _ => None,
        };
        let seq_id = if value.is_some() { format!("{id}_bits") } else { id.clone() };
        item(out, &seq_id, |out| {
            out.line(format!("type: b{}", field.bits.width));
            doc(out, &bit_field_lines(field));
        });
        values.extend(value.map(|value| (id, value, field.doc)));
    }
}
