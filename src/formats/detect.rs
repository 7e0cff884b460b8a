//! Format detection.

use std::path::Path;

use super::{AnyFormat, Confidence, Detection, Document};
use crate::{Dialect, Error, FormatId, ReadOptions, Report, Result};

/// The detected format and dialect: a built-in format or, through [`Formats`](crate::Formats), any registered one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected<F = FormatId> {
    /// The format.
    pub format: F,
    /// The dialect of the format.
    pub dialect: Dialect,
}

impl Detected {
    /// Decodes the bytes as this format. A dialect in the options overrides the detected one.
    ///
    /// # Errors
    ///
    /// See [`Format::read`](crate::Format::read).
    pub fn read(self, bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        self.format.read(bytes, &self.options(options))
    }
}

impl<F: Copy + Into<AnyFormat>> Detected<F> {
    /// Returns all violations in the bytes, read as this format. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check).
    pub fn check(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        self.format.into().check(bytes, &self.options(options))
    }

    /// Fills in the detected dialect so that it is not detected again.
    fn options(self, options: &ReadOptions) -> ReadOptions {
        let dialect = options.dialect.unwrap_or(self.dialect);
        options.clone().with_dialect(dialect)
    }
}

/// Detects the format and dialect of a file by magic bytes, then by structure. If several formats remain, the
/// extension of `path` decides. Several formats share `.mesh`, so it is ignored.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Dialect, FormatId};
///
/// let bytes = std::fs::read("samples/mesh/flag_renderlib.mesh")?;
/// let detected = meshspec::detect(&bytes, None)?;
/// assert_eq!((detected.format, detected.dialect), (FormatId::Mesh, Dialect::Renderlib));
/// let document = detected.read(&bytes, &Default::default())?;
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If no built-in format matches the bytes, or several do.
pub fn detect(bytes: &[u8], path: Option<&Path>) -> Result<Detected> {
    among(FormatId::ALL, &[], bytes, path)
}

/// Works as [`detect`], but messages also list the `others`, which the caller has already ruled out.
#[cfg(feature = "scene")]
pub(crate) fn detect_without(others: &[&'static str], bytes: &[u8], path: &Path) -> Result<Detected> {
    among(FormatId::ALL, others, bytes, Some(path))
}

/// Detects which of these formats a file has. Messages also list the `others`.
pub(super) fn among<F: Copy + PartialEq + Into<AnyFormat>>(
    formats: &[F],
    others: &[&'static str],
    bytes: &[u8],
    path: Option<&Path>,
) -> Result<Detected<F>> {
    let all: Vec<_> = formats.iter().map(|format| (*format, (*format).into().detect(bytes))).collect();
    let best = all.iter().map(|(_, detection)| detection.confidence).max().unwrap_or(Confidence::None);
    let mut candidates = all.clone();
    candidates.retain(|(_, detection)| best != Confidence::None && detection.confidence == best);
    if candidates.len() != 1
        && let Some(named) = path.and_then(|path| by_extension(formats, path))
        && (best < Confidence::Structure || candidates.iter().any(|(format, _)| *format == named))
    {
        candidates = all;
        candidates.retain(|(format, _)| *format == named);
    }
    let names = |formats: &mut dyn Iterator<Item = F>| -> Vec<&'static str> {
        formats.map(|format| format.into().name()).collect()
    };
    match *candidates {
        [(format, Detection { dialect, .. })] => Ok(Detected { format, dialect }),
        [] if bytes.is_empty() => Err(Error::unsupported("the file is empty")),
        [] => {
            let known = [&names(&mut formats.iter().copied())[..], others].concat().join(", ");
            Err(Error::unsupported(format!("not a file of a known format ({known})")))
        }
        ref several => {
            let possible = names(&mut several.iter().map(|(format, _)| *format)).join(" or ");
            Err(Error::unsupported(format!("could be {possible}: specify the format")))
        }
    }
}

/// Returns the only one of these formats with the extension of this path, ignoring case. `None` for `.mesh`, which
/// several share.
pub(super) fn by_extension<F: Copy + Into<AnyFormat>>(formats: &[F], path: &Path) -> Option<F> {
    let extension = path.extension()?.to_str()?;
    let has = |format: &&F| (**format).into().about().has_extension(extension);
    let mut formats = formats.iter().filter(has);
    match (formats.next(), formats.next()) {
        (Some(format), None) if !extension.eq_ignore_ascii_case("mesh") => Some(*format),
        _ => None,
    }
}

impl FormatId {
    /// Returns the only built-in format with the extension of this path, ignoring case. `None` for `.mesh`, which
    /// several share.
    pub fn by_extension(path: &Path) -> Option<FormatId> {
        by_extension(FormatId::ALL, path)
    }
}
