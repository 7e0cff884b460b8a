//! Text notation of NaNs.

/// Parses the bits of a NaN, written as `NaN:` and `digits` hexadecimal digits. `None` if `text` has another form.
pub(crate) fn parse_nan_bits(text: &str, digits: usize) -> Option<u64> {
    let bits = text.strip_prefix("NaN:").filter(|bits| bits.len() == digits)?;
    // `from_str_radix` accepts a plus sign.
    if bits.starts_with('+') { None } else { u64::from_str_radix(bits, 16).ok() }
}
