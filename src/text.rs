//! Strings in files.

use std::borrow::Cow;
use std::fmt;

/// A string in a file, stored as bytes in any encoding, usually UTF-8.
///
/// ```
/// let name = meshspec::Text::from("walk");
/// assert_eq!(name.to_string(), "walk");
/// assert_eq!(name.as_bytes(), b"walk");
/// assert!(!meshspec::Text::from(b"caf\xe9".to_vec()).is_printable());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Text(Vec<u8>);

impl Text {
    /// The bytes, without a terminator.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns `true` if the string is UTF-8 without control characters.
    pub fn is_printable(&self) -> bool {
        is_printable(&self.0)
    }
}

/// Returns the number of bytes of `start` that differ from those of `magic`. Either may be shorter.
pub(crate) fn count_mismatches(start: &[u8], magic: &[u8]) -> usize {
    start
        .iter()
        .zip(magic)
        .filter(|(found, expected)| found != expected)
        .count()
}

/// Formats bytes as quoted text if all are printable ASCII, tabs or line ends, otherwise as a list of hexadecimal
/// numbers.
pub(crate) fn quoted_or_hex(bytes: &[u8]) -> String {
    let is_text = bytes
        .iter()
        .all(|byte| byte.is_ascii_graphic() || b" \t\r\n".contains(byte));
    if is_text {
        format!("\"{}\"", bytes.escape_ascii())
    } else {
        format!("{bytes:02x?}")
    }
}

/// Truncates text after `max` characters, replacing the rest by an ellipsis.
pub(crate) fn truncated(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Parses an unsigned integer. Unlike `from_str_radix`, rejects a sign.
pub(crate) fn parse_digits(digits: &str, radix: u32) -> Option<u128> {
    if digits.starts_with('+') {
        None
    } else {
        u128::from_str_radix(digits, radix).ok()
    }
}

/// Returns the message for trailing bytes, such as `1 byte follows the last field`.
pub(crate) fn bytes_follow(count: u64, last: &str) -> String {
    if count == 1 {
        format!("1 byte follows {last}")
    } else {
        format!("{count} bytes follow {last}")
    }
}

/// Parses the bits of a NaN, written as `NaN:` and `digits` hexadecimal digits; `None` for other text. Does not check
/// that the bits encode a NaN.
pub(crate) fn parse_nan_bits(text: &str, digits: usize) -> Option<u64> {
    let bits = text
        .strip_prefix("NaN:")
        .filter(|bits| bits.len() == digits)?;
    parse_digits(bits, 16)?.try_into().ok()
}

/// Returns `true` if `bytes` are UTF-8 without control characters.
pub(crate) fn is_printable(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(char::is_control))
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.as_bytes().to_vec())
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Text {
        Text(bytes)
    }
}

/// Displays the text, with replacement characters for invalid UTF-8.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// Serialises a [`Text`] as a string if it is UTF-8, otherwise as a list of bytes.
#[cfg(feature = "serde")]
mod serde_impls {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Text;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum TextJson {
        Text(String),
        Bytes(Vec<u8>),
    }

    impl Serialize for Text {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match std::str::from_utf8(&self.0) {
                Ok(text) => serializer.serialize_str(text),
                Err(_) => serializer.collect_seq(&self.0),
            }
        }
    }

    impl<'de> Deserialize<'de> for Text {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
            Ok(match TextJson::deserialize(deserializer)? {
                TextJson::Text(text) => Text(text.into_bytes()),
                TextJson::Bytes(bytes) => Text(bytes),
            })
        }
    }
}
