//! Formats types and values for dumps.

use crate::layout::declaration::{BitRange, Shape, Type};
use crate::layout::expr::Value;
use crate::layout::walk::Node;
use crate::layout::wording::{base_name, first_sentence};

/// The maximum number of characters shown per string.
const LONGEST_TEXT: usize = 64;

/// Returns the type: `f32[4][4]`, `Vertex[1000000]`, `bool`. `count` is the number of items in a list; `None` for
/// `Vertex[]`.
pub(super) fn type_name(node: &Node, count: Option<u64>) -> String {
    match node.bit_field {
        Some(field) if field.flag => "bool".to_owned(),
        Some(field) => match field.declared {
            Some(declaration) => declaration.name.to_owned(),
            None => format!(
                "{}{}",
                if field.signed { 'i' } else { 'u' },
                field.bits.width
            ),
        },
        None => with_dimensions(node.ty, count),
    }
}

fn with_dimensions(ty: &Type, mut count: Option<u64>) -> String {
    let flat = ty.flatten();
    let base = if flat.item == Type::NulString {
        "string".to_owned()
    } else {
        base_name(&flat.item)
    };
    let dimensions =
        flat.dimensions
            .into_iter()
            .map(|fixed| match fixed.or_else(|| count.take()) {
                Some(n) => format!("[{n}]"),
                None => "[]".to_owned(),
            });
    base + &dimensions.collect::<String>()
}

/// Formats a stored value and its decoded value. Shows integers in decimal and hexadecimal, the names of enum values,
/// and the flags that are set in packed words.
pub(super) fn value_text(node: &Node, value: &Value) -> String {
    let (decoded, unit) = node.decode(value);
    with_decoded(
        stored_text(node, value),
        decoded.map(|decoded| decoded.to_string()),
        unit,
    )
}

/// Appends the decoded value and the unit: `0x70000080 = [0.5, 0, 0] m`, `2.5 ticks`.
fn with_decoded(stored: String, decoded: Option<String>, unit: &str) -> String {
    let decoded = decoded.map_or(String::new(), |decoded| format!(" = {decoded}"));
    let space = if unit.is_empty() { "" } else { " " };
    stored + &decoded + space + unit
}

/// The items of an array on one line, and their decoded values.
#[derive(Default, PartialEq)]
pub(super) struct LineItems {
    values: Vec<String>,
    decoded: Vec<String>,
}

impl LineItems {
    pub fn push(&mut self, node: &Node, value: &Value) {
        self.values.push(value.to_string());
        self.decoded
            .extend(node.decode(value).0.map(|decoded| decoded.to_string()));
    }

    /// Formats the complete array.
    pub fn text(&self, array: &Node) -> String {
        let list = |items: &[String]| format!("[{}]", items.join(", "));
        let decoded = (!self.decoded.is_empty()).then(|| list(&self.decoded));
        with_decoded(list(&self.values), decoded, array.decoding.unit)
    }

    /// Formats the stored values of a truncated array.
    pub fn truncated_text(&self) -> String {
        format!(
            "[{}…",
            self.values
                .iter()
                .map(|value| format!("{value}, "))
                .collect::<String>()
        )
    }
}

fn stored_text(node: &Node, value: &Value) -> String {
    match value {
        Value::Int(number) => match enum_name(node, value) {
            Some(name) => format!("{name} = {number}"),
            None => format!("{number} ({})", hexadecimal(*number, bit_width(node))),
        },
        Value::Wide(number) => format!(
            "{number} ({})",
            hexadecimal(*number as i128, bit_width(node))
        ),
        Value::Bits(word, declaration) => {
            let number = hexadecimal(*word as i128, bit_width(node));
            let flags = declaration
                .bit_fields()
                .iter()
                .filter(|f| f.flag && f.bits.extract(*word) != 0);
            let flags: Vec<_> = flags.map(|field| field.name).collect();
            if flags.is_empty() {
                number
            } else {
                format!("{number}: {}", flags.join(", "))
            }
        }
        Value::Text(bytes) => quoted(bytes),
        other => other.to_string(),
    }
}

pub(super) fn enum_name(node: &Node, value: &Value) -> Option<&'static str> {
    let Type::Declared(declaration) = node.ty.without_byte_order() else {
        return None;
    };
    let (Shape::Enum { values, .. }, None, Value::Int(number)) =
        (declaration.shape, node.bit_field, value)
    else {
        return None;
    };
    values
        .iter()
        .find(|value| value.value == *number)
        .map(|value| value.name)
}

/// Returns the size of the value in bits.
fn bit_width(node: &Node) -> u32 {
    node.bits
        .map_or(8 * node.bytes.len() as u32, |bits| bits.width)
}

/// Formats all hexadecimal digits of a `width`-bit number; negative numbers are in two's complement.
fn hexadecimal(number: i128, width: u32) -> String {
    let bits = BitRange {
        offset: 0,
        width: width.clamp(1, 128),
    };
    let digits = width.div_ceil(4) as usize;
    format!("0x{:0digits$x}", bits.extract(number as u128))
}

/// Quotes and escapes a string, truncated to [`LONGEST_TEXT`].
pub(super) fn quoted(bytes: &[u8]) -> String {
    let (quoted, cut) = match std::str::from_utf8(bytes) {
        Ok(text) => match text.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => (format!("{:?}", &text[..end]), true),
            None => (format!("{text:?}"), false),
        },
        Err(_) => {
            let shown = &bytes[..bytes.len().min(LONGEST_TEXT)];
            (
                format!("\"{}\"", shown.escape_ascii()),
                shown.len() < bytes.len(),
            )
        }
    };
    if cut { quoted + "…" } else { quoted }
}

/// Returns the first sentence that documents a field, bit field or variant.
pub(super) fn short_doc(node: &Node) -> String {
    let bit_field = node.bit_field.map(|field| field.doc);
    let variant = node.variant.map(|variant| variant.doc);
    let field = node.field.map(|field| field.doc);
    first_sentence(bit_field.or(variant).or(field).unwrap_or_default())
}

/// Returns the first sentence that documents a struct, list or block: from its declaration at the root, elsewhere from
/// its variant or field.
pub(super) fn container_summary(node: &Node) -> String {
    match node.ty {
        Type::Declared(declaration) if node.path.is_empty() => first_sentence(declaration.doc),
        _ => short_doc(node),
    }
}

/// Groups digits: `999,990`.
pub(super) fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a size: `1 byte`, `1,000 bytes`.
pub(super) fn byte_count_text(bytes: u64) -> String {
    format!(
        "{} byte{}",
        group_digits(bytes),
        if bytes == 1 { "" } else { "s" }
    )
}
