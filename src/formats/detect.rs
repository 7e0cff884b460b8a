//! Detects the format and dialect of a file.

use std::path::Path;

use super::{AnyDocument, AnyFormat, Formats};
use crate::{Dialect, Error, ReadOptions, Report, Result};

/// The confidence that given bytes are a file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Not a file of the format.
    None,
    /// Only part of the start or structure matches: possibly a damaged file.
    Possible,
    /// The format has no magic bytes, but the whole structure matches.
    Structure,
    /// The magic bytes match.
    Magic,
}

impl Confidence {
    /// Returns `Magic` if `bytes` start with `magic`, otherwise `None`.
    pub(super) fn by_magic(bytes: &[u8], magic: &[u8]) -> Confidence {
        if bytes.starts_with(magic) {
            Confidence::Magic
        } else {
            Confidence::None
        }
    }
}

/// The result of detecting a format: the confidence and the dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detection {
    /// The confidence that the bytes are a file of the format.
    pub confidence: Confidence,
    /// The dialect, assuming that the bytes are a file of the format.
    pub dialect: Dialect,
}

/// The detected format and dialect.
///
/// ```
/// # #[cfg(feature = "seed")] {
/// use meshspec::{Confidence, Detected, Detection, Formats};
///
/// let text = std::fs::read("samples/seed/facets.mesh")?;
/// let Detected { format, dialect } = Formats::builtin().detect(&text, None)?;
/// // The format has no magic bytes.
/// assert_eq!(format.detect(&text), Detection { confidence: Confidence::Structure, dialect });
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// The format.
    pub format: AnyFormat,
    /// The dialect of the format.
    pub dialect: Dialect,
}

impl Detected {
    /// Decodes the bytes in the detected format. A dialect in the options overrides the detected one.
    ///
    /// # Errors
    ///
    /// See [`Format::read`](crate::Format::read).
    pub fn read(self, bytes: &[u8], options: &ReadOptions) -> Result<AnyDocument> {
        self.format
            .read(bytes, &self.with_detected_dialect(options))
    }

    /// Returns all violations in the bytes, read in the detected format. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check).
    pub fn check(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        self.format
            .check(bytes, &self.with_detected_dialect(options))
    }

    /// Adds the detected dialect to the options unless they already have one.
    pub(crate) fn with_detected_dialect(self, options: &ReadOptions) -> ReadOptions {
        options
            .clone()
            .with_dialect(options.dialect.unwrap_or(self.dialect))
    }
}

/// Detects the format and dialect of a file by magic bytes, then by structure. If the bytes do not identify one format,
/// the extension of `path` decides, unless the bytes contradict it. Ignores the shared extension `.mesh`.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Dialect, mesh};
///
/// let bytes = std::fs::read("samples/mesh/flag_renderlib.mesh")?;
/// let detected = meshspec::detect(&bytes, None)?;
/// assert_eq!((detected.format, detected.dialect), (mesh::FORMAT, Dialect::RENDERLIB));
/// let document = detected.read(&bytes, &Default::default())?;
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns an error if neither the bytes nor the extension identifies one built-in format.
pub fn detect(bytes: &[u8], path: Option<&Path>) -> Result<Detected> {
    detect_among(Formats::BUILT_IN, &[], bytes, path)
}

/// Detects the format of a file among `formats`. Error messages also list `others`.
pub(super) fn detect_among(
    formats: &[AnyFormat],
    others: &[&'static str],
    bytes: &[u8],
    path: Option<&Path>,
) -> Result<Detected> {
    let detections: Vec<_> = formats
        .iter()
        .map(|format| (*format, format.detect(bytes)))
        .collect();
    let best = detections
        .iter()
        .map(|(_, detection)| detection.confidence)
        .max()
        .unwrap_or(Confidence::None);
    let mut candidates = detections.clone();
    candidates.retain(|(_, detection)| best != Confidence::None && detection.confidence == best);
    if candidates.len() != 1
        && let Some(by_path) = path.and_then(|path| format_by_extension(formats, path))
        && (best < Confidence::Structure || candidates.iter().any(|(format, _)| *format == by_path))
    {
        candidates = detections;
        candidates.retain(|(format, _)| *format == by_path);
    }
    let name = |format: &AnyFormat| format.name();
    let message = match *candidates {
        [(format, Detection { dialect, .. })] => return Ok(Detected { format, dialect }),
        [] if bytes.is_empty() => "the file is empty".to_owned(),
        [] => {
            let known: Vec<_> = formats
                .iter()
                .map(name)
                .chain(others.iter().copied())
                .collect();
            format!("not a file of a known format ({})", known.join(", "))
        }
        ref several => {
            let possible: Vec<_> = several.iter().map(|(format, _)| name(format)).collect();
            format!("could be {}: specify the format", possible.join(" or "))
        }
    };
    Err(Error::unsupported(message))
}

/// Returns the format with the extension of `path`, ignoring case. `None` if no format or several formats have it, and
/// always for `.mesh`, which several built-in formats share.
pub(super) fn format_by_extension(formats: &[AnyFormat], path: &Path) -> Option<AnyFormat> {
    let extension = path.extension()?.to_str()?;
    let has_extension = |format: &&AnyFormat| format.about().has_extension(extension);
    let mut formats = formats.iter().filter(has_extension);
    match (formats.next(), formats.next()) {
        (Some(format), None) if !extension.eq_ignore_ascii_case("mesh") => Some(*format),
        _ => None,
    }
}
