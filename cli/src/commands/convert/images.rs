//! Copies or embeds the image files that a model refers to.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use meshspec::interop::{Files, embed_images, from_name, image_files};
use meshspec::scene::Scene;
use meshspec::{Loss, LossKind};

use super::report::ConversionReport;
use crate::buffer::max_size;
use crate::failure::Result;
use crate::input::{SiblingFiles, is_standard};
use crate::output::StagedOutput;

/// Embeds the image files of a scene if `embed` is set. If `output` is not in the folder of `input`, copies the other
/// image files to the folder of `output`. Adds warnings about images that are missing or cannot be embedded, and losses
/// for images that cannot be copied.
pub fn transfer(
    scene: &mut Scene,
    embed: bool,
    input: &Path,
    output: &mut StagedOutput,
    report: &mut ConversionReport,
) -> Result<()> {
    let siblings = SiblingFiles::new(input);
    let failed = if embed {
        embed_images(scene, &siblings)
    } else {
        Vec::new()
    };
    let mut failed: BTreeMap<_, _> = failed
        .into_iter()
        .filter(|(_, error)| error.kind() != io::ErrorKind::NotFound)
        .collect();
    let in_place = are_in_same_folder(input, output.path());
    let mut missing = Vec::new();
    for name in image_files(scene) {
        if in_place {
            output.reserve_image(name, &input.with_file_name(from_name(name)))?;
            missing.extend(siblings.is_missing(name).then(|| format!("\"{name}\"")));
            continue;
        }
        let bytes = match siblings.size(name) {
            Ok(size) if size > max_size() => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "the file is too large",
            )),
            Ok(_) => siblings.read(name, max_size()),
            Err(error) => Err(error),
        };
        match bytes {
            Ok(bytes) if !is_standard(output.path()) => {
                report.images.extend(output.add_image(
                    name,
                    &bytes,
                    &input.with_file_name(from_name(name)),
                )?);
            }
            Ok(_) => report.losses.push(copy_loss(
                name,
                "only one file can be written to standard output",
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                missing.push(format!("\"{name}\""))
            }
            Err(error) => {
                // Reports each image once.
                failed.remove(name);
                report.losses.push(copy_loss(name, error));
            }
        }
    }
    let not_embedded = |(name, error)| format!("image \"{name}\" not embedded: {error}");
    report.warnings.extend(failed.into_iter().map(not_embedded));
    if !missing.is_empty() {
        report
            .warnings
            .push(format!("missing images: {}", missing.join(", ")));
    }
    Ok(())
}

/// Creates the loss for an image that cannot be copied.
fn copy_loss(name: &str, reason: impl std::fmt::Display) -> Loss {
    let mut loss = Loss::new(
        LossKind::Dropped,
        "images",
        "not copied to the output folder",
    );
    loss.detail = Some(format!("\"{name}\": {reason}"));
    loss
}

/// Returns `true` if both files are in the same folder; `false` for standard streams.
fn are_in_same_folder(a: &Path, b: &Path) -> bool {
    let folder = |path: &Path| -> Option<PathBuf> {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()
    };
    !is_standard(a) && !is_standard(b) && folder(a).is_some_and(|a| folder(b) == Some(a))
}
