//! The formats, one folder each, and their shared code.

mod about;
mod any;
mod binary;
#[cfg(feature = "bmd")]
pub mod bmd;
mod broken;
mod by_layout;
#[cfg(feature = "crucible")]
pub mod crucible;
mod detect;
mod document;
mod examples;
mod format;
#[cfg(feature = "proptest")]
#[allow(dead_code, reason = "unused if no enabled format is binary")]
mod generated;
#[cfg(feature = "iyma")]
pub mod iyma;
#[cfg(feature = "serde")]
mod json;
#[cfg(feature = "mesh")]
pub mod mesh;
mod registry;
mod reject;
mod rule_texts;
#[cfg(feature = "scene")]
mod scenes;
#[cfg(feature = "seed")]
pub mod seed;

pub use about::{About, Layouts, Specification};
pub use any::{AnyDocument, AnyFormat, DynDocument, DynFormat, format_of};
pub use binary::{BinaryFormat, FromDialect};
pub use detect::{Confidence, Detected, Detection, detect};
pub use document::Document;
pub use examples::RuleExample;
#[cfg(any(feature = "mesh", feature = "crucible", feature = "bmd"))]
use examples::{DocumentChange, example_from_changes};
pub use format::Format;
#[cfg(feature = "proptest")]
pub use generated::Files;
pub use registry::Formats;
#[allow(unused_imports, reason = "unused if only some formats are enabled")]
use reject::{encode_checked, reject_violations, require_valid};
pub use rule_texts::Interpretation;

use std::path::Path;

use crate::read_file::read_file;
use crate::{ReadOptions, Report, Result};

/// Reads a file of any built-in format.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let document = meshspec::read(&bytes, &Default::default())?;
/// assert_eq!(document.format().name(), "mesh");
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if the format cannot be detected, or the bytes violate rules that `options` enforce.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
    detect(bytes, None)?.read(bytes, options)?.try_into()
}

/// Reads the file at `path` strictly. The extension is used only if the bytes do not identify one format.
///
/// ```no_run
/// let document = meshspec::open("cube.cmodel")?;
/// println!("{}", document.format());
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if the file cannot be read, its format cannot be detected, or it violates rules that strict reading
/// enforces. The message starts with the path.
pub fn open(path: impl AsRef<Path>) -> Result<Document> {
    open_with(path, &ReadOptions::default())
}

/// Reads the file at `path` with `options`, for example leniently.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::ReadOptions;
///
/// let document = meshspec::open_with("samples/mesh/flag.mesh", &ReadOptions::lenient())?;
/// assert_eq!(document.format().name(), "mesh");
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if the file cannot be read, its format cannot be detected, or it violates rules that `options`
/// enforce.
pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Document> {
    let path = path.as_ref();
    let is_possible = |start: &[u8], _| Formats::builtin().may_detect(start);
    read_file(path, &options.limits, is_possible)
        .and_then(|bytes| {
            detect(&bytes, Some(path))?
                .read(&bytes, options)?
                .try_into()
        })
        .map_err(|error| error.in_file(path))
}

/// Returns all violations in a file of `format`, each with its location.
///
/// If the file cannot be decoded, returns the reason and the violations found without decoding.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let report = meshspec::check(&bytes, meshspec::mesh::FORMAT, &Default::default())?;
/// assert_eq!((report.errors(), report.warnings()), (0, 0));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if decoding exceeds the limits or needs a packing whose feature is disabled, or the format lacks
/// the dialect in the options.
pub fn check(bytes: &[u8], format: AnyFormat, options: &ReadOptions) -> Result<Report> {
    format.check(bytes, options)
}
