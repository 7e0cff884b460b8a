//! The precision of positions, for formats with several vertex forms.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The precision of positions in a format with several vertex forms.
///
/// ```
/// use meshspec::scene::{Precision, SceneOptions};
///
/// assert_eq!("128bit".parse::<Precision>()?, Precision::Bits(128));
/// assert_eq!("0.001".parse::<Precision>()?, Precision::MaxError(0.001));
/// let millimetre = SceneOptions::default().with_precision(Precision::MaxError(0.001));
/// assert!("1km".parse::<Precision>().is_err());
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Precision {
    /// All vertices use the form with the given number of bits.
    Bits(u32),
    /// Positions move by at most the given distance in metres. Vertices use the smallest forms that allow this.
    MaxError(f32),
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Precision::Bits(bits) => write!(f, "{bits}bit"),
            Precision::MaxError(metres) => write!(f, "{metres}"),
        }
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Precision, Error> {
        let precision = match text.strip_suffix("bit") {
            Some(bits) => bits
                .parse()
                .ok()
                .filter(|bits| [64, 96, 128].contains(bits))
                .map(Precision::Bits),
            None => text
                .parse()
                .ok()
                .filter(|error| (0.0..f32::INFINITY).contains(error))
                .map(Precision::MaxError),
        };
        precision.ok_or_else(|| {
            let expected = "bits per vertex (64bit, 96bit or 128bit) or metres, as in 0.001";
            Error::unsupported(format!("`{text}` is not a precision; expected {expected}"))
        })
    }
}
