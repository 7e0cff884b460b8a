//! Rejects output files whose extension belongs to another kind of file.

use std::ffi::OsStr;
use std::path::Path;

use meshspec::Formats;
use meshspec::interop::Interchange;

use crate::failure::{Failure, Result};
use crate::input::is_standard;
use crate::output::name_of;

/// The extensions of pictures, pages, texts and archives. Other unknown extensions are accepted, since temporary files
/// of other programs have random ones.
const OTHER_KINDS: [&str; 34] = [
    "png", "jpg", "jpeg", "gif", "bmp", "webp", "tif", "tiff", "tga", "svg", "avif", "exr", "hdr",
    "ico", "ppm", "dds", "ktx2", "pdf", "html", "htm", "xml", "md", "txt", "csv", "json", "jsonl",
    "fbx", "dae", "usd", "usdz", "3ds", "blend", "mtl", "zip",
];

/// Returns a usage error if the extension of the output file `path` is not in `own`, but is that of another kind of
/// file. `content` describes what would be written.
pub fn require(path: &Path, own: &[&str], content: &str, formats: &Formats) -> Result<()> {
    let Some(extension) = path
        .extension()
        .and_then(OsStr::to_str)
        .filter(|_| !is_standard(path))
    else {
        return Ok(());
    };
    let is_in = |names: &[&str]| {
        names
            .iter()
            .any(|name| name.eq_ignore_ascii_case(extension))
    };
    let is_of_model = Interchange::by_extension(path).is_some()
        || formats
            .iter()
            .any(|format| format.about().has_extension(extension));
    if is_in(own) || !(is_of_model || is_in(&OTHER_KINDS)) {
        return Ok(());
    }
    let message =
        format!("the output is {content}, which does not match the extension `.{extension}`");
    let failure = Failure::usage(&name_of(path), message);
    Err(match own {
        [] => failure.with_hint("choose another extension"),
        [first, ..] => failure.with_hint(format!("write it to a .{first} file")),
    })
}
