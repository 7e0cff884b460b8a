//! Which format are these bytes?

use std::path::Path;

use super::{AnyFormat, Confidence, Detection, Document};
use crate::{Dialect, Error, FormatId, ReadOptions, Report, Result};

/// What some bytes are: of a format that is built in or, with [`Formats`](crate::Formats), of any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected<F = FormatId> {
    /// The format.
    pub format: F,
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
}

impl<F: Copy + Into<AnyFormat>> Detected<F> {
    /// Everything that is wrong with the bytes that were detected to be this. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// See [`check`](crate::check).
    pub fn check(self, bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        self.format.into().check(bytes, &self.options(options))
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
    among(FormatId::ALL, bytes, path)
}

/// Which of these formats a file is of.
pub(super) fn among<F: Copy + PartialEq + Into<AnyFormat>>(
    formats: &[F],
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
    let names = |formats: &mut dyn Iterator<Item = F>, separator: &str| {
        formats.map(|format| format.into().name()).collect::<Vec<_>>().join(separator)
    };
    match *candidates {
        [(format, Detection { dialect, .. })] => Ok(Detected { format, dialect }),
        [] => {
            let known = names(&mut formats.iter().copied(), ", ");
            Err(Error::unsupported(format!("not a file of a known format ({known})")))
        }
        ref several => {
            let possible = names(&mut several.iter().map(|(format, _)| *format), " or ");
            Err(Error::unsupported(format!("could be {possible}: say which format it is")))
        }
    }
}

/// The only one of these formats that has the extension of this path, in whatever case; `None` for `.mesh`, which
/// several have.
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
    /// The only format that has the extension of this path, in whatever case; `None` for `.mesh`, which several have.
    pub fn by_extension(path: &Path) -> Option<FormatId> {
        by_extension(FormatId::ALL, path)
    }
}
