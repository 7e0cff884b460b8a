//! The formats, one folder each, and what they have in common.

mod about;
mod any;
mod binary;
#[cfg(feature = "bmd")]
pub mod bmd;
mod broken;
#[cfg_attr(
    not(any(feature = "mesh", feature = "crucible", feature = "seed", feature = "iyma", feature = "bmd")),
    allow(unused_imports, unused_variables, unreachable_code, reason = "enums without variants")
)]
mod by_id;
#[cfg(any(feature = "mesh", feature = "crucible", feature = "bmd"))]
mod changes;
#[cfg(feature = "crucible")]
pub mod crucible;
#[cfg(feature = "serde")]
mod data;
mod declared;
mod detect;
mod detection;
#[cfg_attr(
    not(any(feature = "mesh", feature = "crucible", feature = "seed", feature = "iyma", feature = "bmd")),
    allow(unused_imports, unused_variables, unreachable_code, reason = "enums without variants")
)]
mod document;
mod enforcement;
mod examples;
mod format;
#[cfg(feature = "proptest")]
#[allow(dead_code, reason = "there may be no binary format")]
mod generated;
mod interpretation;
#[cfg(feature = "iyma")]
pub mod iyma;
#[cfg(feature = "mesh")]
pub mod mesh;
mod refuse;
mod registry;
#[cfg(any(feature = "scene", feature = "serde"))]
mod scenes;
#[cfg(feature = "seed")]
pub mod seed;

pub use about::{About, Layouts, Specification};
pub use any::AnyFormat;
pub use binary::{BinaryFormat, FromDialect};
#[cfg(any(feature = "mesh", feature = "crucible", feature = "bmd"))]
use changes::{Change, changed};
pub use declared::Declared;
pub use detect::{Detected, detect};
pub use detection::{Confidence, Detection};
pub use document::Document;
pub use examples::RuleExample;
pub use format::Format;
#[cfg(feature = "proptest")]
pub use generated::Files;
pub use interpretation::Interpretation;
#[allow(unused_imports, reason = "each format refuses, and there may be no format")]
use refuse::{accept, encode_checked, refuse};
pub use registry::Formats;

use std::path::Path;

use crate::{ReadOptions, Report, Result};

/// Reads a file of whatever format it is.
///
/// # Errors
///
/// If the bytes are of no format that is built in, or violate its rules.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
    detect(bytes, None)?.read(bytes, options)
}

/// Reads the file at `path`, strictly. Its extension only counts where the bytes leave several formats possible.
///
/// ```no_run
/// let document = meshspec::open("cube.cmodel")?;
/// println!("{}", document.format());
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, is of no format that is built in, or violates the rules of its format.
pub fn open(path: impl AsRef<Path>) -> Result<Document> {
    open_with(path, &ReadOptions::default())
}

/// Reads the file at `path` with options, such as leniently.
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
/// If the file cannot be read, is of no format that is built in, or the options reject it.
pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Document> {
    let path = path.as_ref();
    let bytes = std::fs::read(path)?;
    detect(&bytes, Some(path))?.read(&bytes, options)
}

/// Everything that is wrong with a file of this format, each finding with its place.
///
/// Of a file that cannot be decoded, the last finding says why; before it stand those that do not need it decoded.
///
/// # Errors
///
/// If decoding would take more than the limits allow or the dialect is not one of the format's.
pub fn check(bytes: &[u8], format: impl Into<AnyFormat>, options: &ReadOptions) -> Result<Report> {
    format.into().check(bytes, options)
}
