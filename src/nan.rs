//! Text notation of NaNs.

/// Parses the bits of a NaN written as `NaN:` and this many hexadecimal digits.
pub(crate) fn nan_bits(text: &str, digits: usize) -> Option<u64> {
    let bits = text.strip_prefix("NaN:").filter(|bits| bits.len() == digits)?;
    // `from_str_radix` would accept a sign.
    if bits.starts_with('+') { None } else { u64::from_str_radix(bits, 16).ok() }
}
