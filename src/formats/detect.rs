//! Which format are these bytes?

use std::path::Path;

use super::FormatId;
use crate::{Error, ErrorKind, Result};

/// How likely some bytes are a file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likelihood {
    /// They are not.
    No,
    /// They start like one, but the structure does not hold: perhaps a damaged file.
    Possible,
    /// There are no magic bytes, but the whole structure holds.
    Structure,
    /// The magic bytes of the format.
    Magic,
}

/// The format of a file, by magic bytes, then by structure. Where the bytes leave several possible, the extension of
/// `path` decides; `.mesh` is the extension of several formats and says nothing.
///
/// # Errors
///
/// If the bytes are of no format that is built in, or of several.
pub fn detect(bytes: &[u8], path: Option<&Path>) -> Result<FormatId> {
    let likelihoods: Vec<_> = FormatId::ALL.iter().map(|id| (*id, id.likelihood(bytes))).collect();
    let best = likelihoods.iter().map(|(_, likelihood)| *likelihood).max().unwrap_or(Likelihood::No);
    let mut candidates: Vec<FormatId> = if best == Likelihood::No {
        Vec::new()
    } else {
        likelihoods.iter().filter(|(_, l)| *l == best).map(|(id, _)| *id).collect()
    };
    if candidates.len() != 1 && best < Likelihood::Structure {
        candidates = path.and_then(FormatId::by_extension).map_or(candidates, |id| vec![id]);
    }
    match *candidates {
        [format] => Ok(format),
        [] => {
            let names: Vec<_> = FormatId::ALL.iter().map(|id| id.name()).collect();
            let message = format!("not a file of a known format ({})", names.join(", "));
            Err(Error::new(ErrorKind::Unsupported, message))
        }
        ref several => {
            let names: Vec<_> = several.iter().map(|id| id.name()).collect();
            let message = format!("could be {}: say which format it is", names.join(" or "));
            Err(Error::new(ErrorKind::Unsupported, message))
        }
    }
}

impl FormatId {
    /// The only format that has the extension of this path, in whatever case; `None` for `.mesh`, which several have.
    pub fn by_extension(path: &Path) -> Option<FormatId> {
        let extension = path.extension()?.to_str()?;
        let has =
            |id: &&FormatId| id.about().extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
        let mut formats = FormatId::ALL.iter().filter(has);
        match (formats.next(), formats.next()) {
            (Some(format), None) if !extension.eq_ignore_ascii_case("mesh") => Some(*format),
            _ => None,
        }
    }
}
