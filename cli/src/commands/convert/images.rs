//! Image files that a model refers to.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use meshspec::interop::{Files, embed_images, image_files};
use meshspec::scene::Scene;
use meshspec::{Loss, LossKind};

use super::outcome::Outcome;
use crate::failure::Result;
use crate::input::{SiblingFiles, is_standard};
use crate::output::Staged;

/// Embeds the images of a scene read from `input` if `embed` is set. Copies the other images beside the output if it is
/// in another folder. Missing images are warnings; images that cannot be copied are losses.
pub fn carry(
    scene: &mut Scene,
    embed: bool,
    input: &Path,
    output: &mut Staged,
    outcome: &mut Outcome,
) -> Result<()> {
    let siblings = SiblingFiles::new(input);
    let failed = if embed { embed_images(scene, &siblings) } else { Vec::new() };
    let mut failed: BTreeMap<_, _> =
        failed.into_iter().filter(|(_, error)| error.kind() != io::ErrorKind::NotFound).collect();
    let in_place = same_folder(input, output.path());
    let mut missing = Vec::new();
    for name in image_files(scene) {
        if in_place {
            output.reserve_image(name, &input.with_file_name(name))?;
            missing.extend(siblings.lacks(name).then(|| format!("\"{name}\"")));
            continue;
        }
        match siblings.read(name, u64::MAX) {
            Ok(bytes) if !is_standard(output.path()) => {
                outcome.images.extend(output.add_image(name, &bytes, &input.with_file_name(name))?);
            }
            Ok(_) => outcome.losses.push(lost(name, "standard output takes one file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(format!("\"{name}\"")),
            Err(error) => {
                // Reports each image once.
                failed.remove(name);
                outcome.losses.push(lost(name, error));
            }
        }
    }
    let not_embedded = |(name, error)| format!("image \"{name}\" not embedded: {error}");
    outcome.warnings.extend(failed.into_iter().map(not_embedded));
    if !missing.is_empty() {
        outcome.warnings.push(format!("missing images: {}", missing.join(", ")));
    }
    Ok(())
}

fn lost(name: &str, why: impl std::fmt::Display) -> Loss {
    let mut loss = Loss::new(LossKind::Dropped, "images", "not copied to the folder of the output");
    loss.detail = Some(format!("\"{name}\": {why}"));
    loss
}

/// Returns `true` if both files are in the same folder; `false` for standard streams.
fn same_folder(a: &Path, b: &Path) -> bool {
    let folder = |path: &Path| -> Option<PathBuf> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()
    };
    !is_standard(a) && !is_standard(b) && folder(a).is_some_and(|a| folder(b) == Some(a))
}
