//! The formats that a program knows: those that are built in and those of its own.

use std::path::Path;

use super::detect::{among, by_extension};
use super::{AnyFormat, Declared, Detected};
use crate::{Error, FormatId, Result};

/// The formats that a program knows.
///
/// ```
/// use meshspec::layout::Layout;
/// use meshspec::{About, Declared, Formats};
///
/// struct Readings;
///
/// impl Declared for Readings {
///     const ABOUT: &'static About =
///         &About::new("readings", "Readings", || &[("readings", &<Vec<f32> as Layout>::TYPE)])
///             .with_extensions(&["readings"]);
/// }
///
/// let formats = Formats::builtin().with::<Readings>()?;
/// assert_eq!(formats.get("readings")?.about().title, "Readings");
/// assert!(formats.get("reading").unwrap_err().to_string().ends_with("readings"));
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Formats(Vec<AnyFormat>);

impl Formats {
    /// No format. For programs that know those of their own only.
    pub fn new() -> Formats {
        Formats::default()
    }

    /// The formats that are built in.
    pub fn builtin() -> Formats {
        Formats(FormatId::ALL.iter().map(|format| (*format).into()).collect())
    }

    /// These formats and another one. It may share an extension with other formats: then the content of a file decides.
    ///
    /// # Errors
    ///
    /// If another format has the name, or a name, that of a layout too, is not one of lower-case letters, digits and `_`.
    pub fn with<T: Declared>(self) -> Result<Formats> {
        self.and(AnyFormat::of::<T>())
    }

    /// These formats and this one, with all that it [converts to](AnyFormat::with_scenes).
    ///
    /// # Errors
    ///
    /// As [`with`](Formats::with).
    pub fn and(mut self, format: AnyFormat) -> Result<Formats> {
        let about = format.about();
        let refuse = |what: String| Err(Error::unsupported(what).in_format(about.name));
        for name in about.layouts().iter().map(|(name, _)| *name).chain([about.name]) {
            if !is_identifier(name) {
                let form = "expected lower-case letters, digits and `_`, a letter first";
                return refuse(format!("\"{name}\" cannot be the name of a format or layout: {form}"));
            }
        }
        if self.iter().any(|other| other.name() == about.name) {
            return refuse(format!(
                "another format has this name already, {}: choose another one",
                self.names()
            ));
        }
        self.0.push(format);
        Ok(self)
    }

    /// Each of them, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = AnyFormat> + Clone {
        self.0.iter().copied()
    }

    /// Their names, as messages list them.
    pub fn names(&self) -> String {
        self.iter().map(AnyFormat::name).collect::<Vec<_>>().join(", ")
    }

    /// The format with this name.
    ///
    /// # Errors
    ///
    /// If there is none: the message names those that there are.
    pub fn get(&self, name: &str) -> Result<AnyFormat> {
        self.iter().find(|format| format.name() == name).ok_or_else(|| {
            Error::unsupported(format!("unknown format `{name}`: the formats are {}", self.names()))
        })
    }

    /// The only format that has the extension of this path, in whatever case; `None` for `.mesh`, which several have.
    pub fn by_extension(&self, path: &Path) -> Option<AnyFormat> {
        by_extension(&self.0, path)
    }

    /// The format and dialect of a file. See [`detect`](crate::detect).
    ///
    /// # Errors
    ///
    /// If the bytes are of none of the formats, or could be of several.
    pub fn detect(&self, bytes: &[u8], path: Option<&Path>) -> Result<Detected<AnyFormat>> {
        among(&self.0, bytes, path)
    }
}

fn is_identifier(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_part)
}
