//! NaNs as texts.

/// The bits of a NaN that is written as `NaN:` and so many hexadecimal digits.
pub(crate) fn nan_bits(text: &str, digits: usize) -> Option<u64> {
    let bits = text.strip_prefix("NaN:").filter(|bits| bits.len() == digits)?;
    // A sign would be read, too.
    if bits.starts_with('+') { None } else { u64::from_str_radix(bits, 16).ok() }
}
