//! Text notation of NaNs.

/// Parses bits written as `NaN:` and `digits` hexadecimal digits; `None` for other text. Does not check that the bits
/// encode a NaN.
pub(crate) fn parse_nan_bits(text: &str, digits: usize) -> Option<u64> {
    let bits = text.strip_prefix("NaN:").filter(|bits| bits.len() == digits)?;
    // `from_str_radix` accepts a plus sign.
    if bits.starts_with('+') { None } else { u64::from_str_radix(bits, 16).ok() }
}
