//! How precisely positions are stored, where there is a choice.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// How precisely a format with several forms of vertices stores positions.
///
/// ```
/// use meshspec::scene::Precision;
///
/// assert_eq!("128bit".parse::<Precision>()?, Precision::Bits(128));
/// assert_eq!("0.001".parse::<Precision>()?, Precision::Error(0.001));
/// assert!("1km".parse::<Precision>().is_err());
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Precision {
    /// All vertices in the form of this many bits.
    Bits(u32),
    /// Each vertex in the smallest form in which no coordinate is off by more than this, in metres.
    Error(f32),
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Precision::Bits(bits) => write!(f, "{bits}bit"),
            Precision::Error(metres) => write!(f, "{metres}"),
        }
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Precision, Error> {
        let precision = match text.strip_suffix("bit") {
            Some(bits) => bits.parse().ok().filter(|bits| [64, 96, 128].contains(bits)).map(Precision::Bits),
            None => {
                text.parse().ok().filter(|metres| (0.0..f32::INFINITY).contains(metres)).map(Precision::Error)
            }
        };
        precision.ok_or_else(|| {
            let message = format!(
                "`{text}` is no precision; expected bits per vertex (64bit, 96bit or 128bit) or metres, as in 0.001"
            );
            Error::unsupported(message)
        })
    }
}
