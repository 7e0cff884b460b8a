//! Which format are these bytes?

use std::path::Path;

use super::Document;
use crate::{Dialect, Error, FormatId, ReadOptions, Report, Result};

/// How surely some bytes are a file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// They are not.
    None,
    /// They start like one, but the structure does not hold: perhaps a damaged file.
    Possible,
    /// There are no magic bytes, but the whole structure holds.
    Structure,
    /// The magic bytes of the format.
    Magic,
}

/// What a format makes of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    /// How surely they are a file of the format.
    pub confidence: Confidence,
    /// The dialect that they follow, if they are one.
    pub dialect: Dialect,
}

/// What some bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// The format.
    pub format: FormatId,
    /// The dialect of the format.
    pub dialect: Dialect,
}

impl Detected {
    /// Decodes the bytes that were detected to be this. A dialect of the options counts more than the detected one.
    ///
    /// # Errors
    ///
    /// See [`Format::read`](crate::Format::read).
    pub fn read(self, bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        self.format.read(bytes, &self.options(options))
    }

    /// Everything that is wrong with the bytes that were detected to be this. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check).
    pub fn check(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        crate::check(bytes, self.format, &self.options(options))
    }

    /// The options with a dialect, so that it is not detected again.
    fn options(self, options: &ReadOptions) -> ReadOptions {
        let dialect = options.dialect.unwrap_or(self.dialect);
        options.clone().with_dialect(dialect)
    }
}

/// The format and dialect of a file, by magic bytes, then by structure. Where the bytes leave several formats possible,
/// the extension of `path` decides; `.mesh` is the extension of several formats and says nothing.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Dialect, FormatId};
///
/// let bytes = include_bytes!("../../samples/mesh/flag_renderlib.mesh");
/// let detected = meshspec::detect(bytes, None)?;
/// assert_eq!((detected.format, detected.dialect), (FormatId::Mesh, Dialect::Renderlib));
/// let document = detected.read(bytes, &Default::default())?;
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// If the bytes are of no format that is built in, or could be of several.
pub fn detect(bytes: &[u8], path: Option<&Path>) -> Result<Detected> {
    let all: Vec<_> = FormatId::ALL.iter().map(|format| (*format, format.detect(bytes))).collect();
    let best = all.iter().map(|(_, detection)| detection.confidence).max().unwrap_or(Confidence::None);
    let mut candidates = all.clone();
    candidates.retain(|(_, detection)| best != Confidence::None && detection.confidence == best);
    if candidates.len() != 1
        && best < Confidence::Structure
        && let Some(named) = path.and_then(FormatId::by_extension)
    {
        candidates = all;
        candidates.retain(|(format, _)| *format == named);
    }
    let names = |formats: &mut dyn Iterator<Item = FormatId>, separator: &str| {
        formats.map(FormatId::name).collect::<Vec<_>>().join(separator)
    };
    match *candidates {
        [(format, Detection { dialect, .. })] => Ok(Detected { format, dialect }),
        [] => {
            let known = names(&mut FormatId::ALL.iter().copied(), ", ");
            Err(Error::unsupported(format!("not a file of a known format ({known})")))
        }
        ref several => {
            let possible = names(&mut several.iter().map(|(format, _)| *format), " or ");
            Err(Error::unsupported(format!("could be {possible}: say which format it is")))
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
