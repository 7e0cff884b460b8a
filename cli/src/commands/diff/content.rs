//! How a value is compared and shown.

use std::fmt;

use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::tree::TreeValue;

use super::number::Number;
use crate::terminal::shortened;

/// The maximum length of a fixed-size array that is compared as one value, such as a vector or a matrix.
const MAX_TUPLE_LEN: u64 = 16;

/// How a value is compared.
pub enum Content {
    /// By its fields and items.
    Parts,
    /// As a whole: a number, or the numbers of a vector or matrix.
    Numbers(Vec<Number>),
    /// As a whole: a string, or other bytes.
    Text(Text),
}

#[derive(PartialEq, Hash)]
pub struct Text {
    bytes: Vec<u8>,
    /// Whether a string ends without a NUL, at the end of a file or block.
    lacks_nul: bool,
}

impl Content {
    pub fn of(value: &TreeValue) -> Content {
        if let Some(text) = value.text() {
            return Content::Text(Text {
                bytes: text.to_vec(),
                lacks_nul: value.lacks_nul(),
            });
        }
        if let Some(Value::Bits(..)) = value.scalar() {
            return Content::Parts;
        }
        if let Some(number) = number_of(value) {
            return Content::Numbers(vec![number]);
        }
        match value.ty() {
            Some(Type::Array(item, count)) if *count <= MAX_TUPLE_LEN && is_number(item) => {
                let items = value.items(0..*count);
                Content::Numbers(items.filter_map(|item| number_of(&item)).collect())
            }
            Some(Type::List(Type::Unsigned(1))) if is_name(value) => match name_of(value) {
                Some(name) => Content::Text(Text {
                    bytes: name.to_vec(),
                    lacks_nul: false,
                }),
                None => Content::Parts,
            },
            _ => Content::Parts,
        }
    }
}

fn number_of(value: &TreeValue) -> Option<Number> {
    value.scalar().and_then(Number::from_value)
}

fn is_number(ty: &Type) -> bool {
    match ty {
        Type::BigEndian(ty) => is_number(ty),
        ty => matches!(ty, Type::Unsigned(_) | Type::Signed(_) | Type::Float(_)),
    }
}

/// Returns `true` if the name of the field ends with `name`.
fn is_name(list: &TreeValue) -> bool {
    list.field()
        .is_some_and(|field| field.name.ends_with("name"))
}

/// Returns the bytes of a list if they are printable UTF-8; otherwise `None`.
fn name_of<'l>(list: &'l TreeValue) -> Option<&'l [u8]> {
    let bytes = match list.item_count() {
        0 => &[],
        _ => list.encoded()?,
    };
    let text = str::from_utf8(bytes).ok()?;
    (!text.chars().any(char::is_control)).then_some(bytes)
}

/// Returns `true` for a list of numbers.
pub fn is_number_list(value: &TreeValue) -> bool {
    let first = value.items(0..1).next();
    first.is_some_and(|item| number_of(&item).is_some())
}

/// Formats a value, or what it contains.
pub fn format_value(value: &TreeValue) -> String {
    match Content::of(value) {
        Content::Text(Text { bytes, lacks_nul }) => {
            let nul = if lacks_nul { " without NUL" } else { "" };
            format_text(&bytes) + nul
        }
        Content::Parts if is_number_list(value) => format!("{} numbers", value.item_count()),
        Content::Parts if value.item_count() > 0 => format!("{} items", value.item_count()),
        Content::Parts => "fields".to_owned(),
        Content::Numbers(numbers) => match &numbers[..] {
            [number] => number.to_string(),
            numbers => format!("[{}]", joined(numbers)),
        },
    }
}

/// Formats bytes as quoted text.
pub fn format_text(text: &[u8]) -> String {
    format!("\"{}\"", shortened(&String::from_utf8_lossy(text)))
}

/// Joins values with commas.
pub fn joined<T: fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<_> = values.into_iter().map(|value| value.to_string()).collect();
    values.join(", ")
}
