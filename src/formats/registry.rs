//! The registry of formats.

use std::path::Path;

use super::detect::{detect_among, format_by_extension};
use super::{AnyFormat, Detected, Format, format_of};
use crate::{Error, Result};

/// A registry of built-in and custom formats.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::{BinaryFormat, Formats};
///
/// /// Readings of a sensor.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little, magic = b"READ")]
/// struct Readings {
///     /// The values of a day, one an hour.
///     values: [f32; 24],
/// }
///
/// impl BinaryFormat for Readings {
///     const NAME: &'static str = "readings";
///     const EXTENSIONS: &'static [&'static str] = &["readings"];
/// }
///
/// let formats = Formats::builtin().with::<Readings>()?;
/// let readings = formats.get("readings")?;
/// assert_eq!(formats.by_extension("june.readings".as_ref()), Some(readings));
/// assert!(formats.get("reading").unwrap_err().to_string().ends_with("readings"));
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Formats(Vec<AnyFormat>);

impl Formats {
    /// Creates an empty registry, for programs that use only custom formats.
    pub fn new() -> Formats {
        Formats::default()
    }

    /// The built-in formats whose features are enabled.
    pub const BUILT_IN: &[AnyFormat] = &[
        #[cfg(feature = "mesh")]
        crate::mesh::FORMAT,
        #[cfg(feature = "crucible")]
        crate::crucible::FORMAT,
        #[cfg(feature = "iyma")]
        crate::iyma::FORMAT,
        #[cfg(feature = "seed")]
        crate::seed::FORMAT,
        #[cfg(feature = "bmd")]
        crate::bmd::FORMAT,
    ];

    /// Creates a registry of the [built-in formats](Formats::BUILT_IN).
    pub fn builtin() -> Formats {
        Formats(Formats::BUILT_IN.to_vec())
    }

    /// Adds a format. Detection ignores file extensions that several formats share.
    ///
    /// # Errors
    ///
    /// Returns an error if the name of the format is already registered, or the name of the format or of a layout does
    /// not match `[a-z][a-z0-9_]*`.
    pub fn with<T: Format>(self) -> Result<Formats> {
        self.with_format(format_of::<T>())
    }

    /// Adds a format chosen at run time, for example one of another registry.
    ///
    /// # Errors
    ///
    /// See [`with`](Formats::with).
    pub fn with_format(mut self, format: AnyFormat) -> Result<Formats> {
        let about = format.about();
        let reject = |what: String| Err(Error::unsupported(what).in_format(about.name));
        for name in about
            .layouts()
            .iter()
            .map(|(name, _)| *name)
            .chain([about.name])
        {
            if !is_identifier(name) {
                let form = "expected lower-case letters, digits and `_`, starting with a letter";
                return reject(format!(
                    "\"{name}\" cannot be the name of a format or layout: {form}"
                ));
            }
        }
        if self.iter().any(|other| other.name() == about.name) {
            return reject(format!(
                "the name is taken; choose one other than {}",
                self.names()
            ));
        }
        self.0.push(format);
        Ok(self)
    }

    /// Returns the formats, in registration order.
    pub fn iter(&self) -> impl Iterator<Item = AnyFormat> + Clone {
        self.0.iter().copied()
    }

    /// Returns the names of the formats, comma-separated.
    pub fn names(&self) -> String {
        self.iter()
            .map(|format| format.name())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the format with the given name.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is unknown; the message lists the known names.
    pub fn get(&self, name: &str) -> Result<AnyFormat> {
        self.iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| {
                Error::unsupported(format!(
                    "unknown format `{name}`: the formats are {}",
                    self.names()
                ))
            })
    }

    /// Returns the format with the extension of `path`, ignoring case. `None` if no format or several formats have it,
    /// and always for `.mesh`.
    pub fn by_extension(&self, path: &Path) -> Option<AnyFormat> {
        format_by_extension(&self.0, path)
    }

    /// Returns the format in which to write the file `path`. If several formats have its extension, `input_format` takes
    /// precedence, the format of the content to write, then the format named like the extension: `.mesh` is MESH,
    /// unless the content was read from Seed.
    ///
    /// ```
    /// # #[cfg(all(feature = "mesh", feature = "seed"))] {
    /// use meshspec::{Formats, mesh, seed};
    ///
    /// let formats = Formats::builtin();
    /// let from_seed = formats.for_output("robot.mesh".as_ref(), Some(seed::FORMAT));
    /// assert_eq!(formats.for_output("robot.mesh".as_ref(), None), Some(mesh::FORMAT));
    /// assert_eq!(from_seed, Some(seed::FORMAT));
    /// # }
    /// ```
    pub fn for_output(&self, path: &Path, input_format: Option<AnyFormat>) -> Option<AnyFormat> {
        let extension = path.extension()?.to_str()?;
        let candidates: Vec<_> = self
            .iter()
            .filter(|format| format.about().has_extension(extension))
            .collect();
        let named = |format: &&AnyFormat| extension.eq_ignore_ascii_case(format.name());
        match candidates[..] {
            [format] => Some(format),
            _ => input_format
                .filter(|format| candidates.contains(format))
                .or(candidates.iter().find(named).copied()),
        }
    }

    /// Returns `false` if files that start with the bytes `start` are not detected as any format, so that the rest of a
    /// large file need not be read.
    ///
    /// ```
    /// assert!(!meshspec::Formats::builtin().may_detect(b"\x7fELF\0"));
    /// ```
    pub fn may_detect(&self, start: &[u8]) -> bool {
        self.iter().any(|format| format.may_detect(start))
    }

    /// Detects the format and dialect of a file. See [`detect`](crate::detect).
    ///
    /// # Errors
    ///
    /// Returns an error if neither the bytes nor the extension identifies one format.
    pub fn detect(&self, bytes: &[u8], path: Option<&Path>) -> Result<Detected> {
        detect_among(&self.0, &[], bytes, path)
    }

    /// Like [`detect`](Formats::detect), but error messages also list `others`, formats that the caller has already ruled
    /// out.
    #[cfg(feature = "scene")]
    pub(crate) fn detect_without(
        &self,
        others: &[&'static str],
        bytes: &[u8],
        path: &Path,
    ) -> Result<Detected> {
        detect_among(&self.0, others, bytes, Some(path))
    }
}

fn is_identifier(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_allowed)
}
