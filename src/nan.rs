//! Text notation of NaNs.

use crate::text::parse_digits;

/// Parses bits written as `NaN:` and `digits` hexadecimal digits; `None` for other text. Does not check that the bits
/// encode a NaN.
pub(crate) fn parse_nan_bits(text: &str, digits: usize) -> Option<u64> {
    let bits = text.strip_prefix("NaN:").filter(|bits| bits.len() == digits)?;
    parse_digits(bits, 16)?.try_into().ok()
}
