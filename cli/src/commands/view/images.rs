//! Base colour images of a page. They remain encoded as in the file, and the browser decodes them.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use meshspec::interop::{Files, embed_images};
use meshspec::scene::{AlphaMode, Filter, Image, Material, Scene, Wrap};
use serde::Serialize;

use super::data::{ArrayRef, Arrays};
use crate::input::SiblingFiles;

/// The maximum number of image bytes per file.
const MAX_BYTES: usize = 64 << 20;

/// Embeds the image files that a scene refers to, up to [`MAX_BYTES`] in total. Adds a note for each image that cannot
/// be embedded, up to [`MAX_NOTES`].
pub fn embed(scene: &mut Scene, path: &Path, notes: &mut Vec<String>) {
    let files = LimitedFiles {
        files: SiblingFiles::new(path),
        remaining: Cell::new(MAX_BYTES as u64),
    };
    let failed = embed_images(scene, &files);
    let shown = failed.iter().take(MAX_NOTES);
    notes.extend(shown.map(|(name, error)| format!("Texture \"{name}\" not shown: {error}")));
    if let Some(more @ 1..) = failed.len().checked_sub(MAX_NOTES) {
        notes.push(format!("{more} more textures not shown"));
    }
}

/// The maximum number of notes about textures.
const MAX_NOTES: usize = 20;

/// The files in the folder of a model. Limits the total number of bytes read.
struct LimitedFiles<'p> {
    files: SiblingFiles<'p>,
    /// The number of bytes that can still be read.
    remaining: Cell<u64>,
}

impl Files for LimitedFiles<'_> {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let remaining = self.remaining.get();
        let bytes = self.files.read(name, limit.min(remaining + 1))?;
        match remaining.checked_sub(bytes.len() as u64) {
            Some(left) => self.remaining.set(left),
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    "the images exceed 64 MiB",
                ));
            }
        }
        Ok(bytes)
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        self.files.create(name)
    }
}

/// The minimum alpha of visible texels on a surface with alpha mode `BLEND`, since the page draws no blended surfaces.
const BLEND_CUTOFF: f32 = 0.5;

#[derive(Serialize)]
pub struct ImageData {
    media_type: String,
    bytes: ArrayRef,
}

/// The texture of a mesh: an image and its sampler.
#[derive(Serialize)]
pub struct TextureData {
    /// The index of the image.
    image: usize,
    wrap: [&'static str; 2],
    is_nearest: bool,
    /// The minimum alpha of visible texels.
    cutoff: f32,
}

/// The images of a scene, without duplicates.
#[derive(Default)]
pub struct ImageTable {
    pub list: Vec<ImageData>,
    /// The index of each image in `list`; `None` if the image is omitted.
    indices: HashMap<Image, Option<usize>>,
    omitted: usize,
}

impl ImageTable {
    /// Collects the embedded images of a scene. Omits each image that would raise the total size above
    /// [`MAX_BYTES`]. Adds a note with the number of omitted images.
    pub fn of(scene: &Scene, arrays: &mut Arrays, notes: &mut Vec<String>) -> ImageTable {
        let mut images = ImageTable::default();
        let mut remaining = MAX_BYTES;
        let textures = scene
            .meshes
            .iter()
            .filter_map(|mesh| mesh.material.texture.as_ref());
        for image in textures.filter_map(|texture| texture.image.as_ref()) {
            if images.indices.contains_key(image) {
                continue;
            }
            let remaining_after = remaining.checked_sub(image.bytes.len());
            let index = remaining_after.map(|remaining_bytes| {
                remaining = remaining_bytes;
                let bytes = arrays.add_bytes(image.bytes.to_vec());
                images.list.push(ImageData {
                    media_type: image.media_type.clone(),
                    bytes,
                });
                images.list.len() - 1
            });
            images.omitted += usize::from(index.is_none());
            images.indices.insert(image.clone(), index);
        }
        if images.omitted > 0 {
            let count = images.omitted;
            notes.push(format!(
                "Textures not shown, since the images exceed 64 MiB: {count}"
            ));
        }
        images
    }

    /// Returns the texture of a material; `None` if the material has no texture, or the image is missing or omitted.
    pub fn texture(&self, material: &Material) -> Option<TextureData> {
        let texture = material.texture.as_ref()?;
        let image = (*self.indices.get(texture.image.as_ref()?)?)?;
        let wrap = texture.sampler.wrap.map(|wrap| match wrap {
            Wrap::Repeat => "REPEAT",
            Wrap::Mirror => "MIRRORED_REPEAT",
            Wrap::Clamp => "CLAMP_TO_EDGE",
        });
        let cutoff = match material.alpha_mode {
            AlphaMode::Opaque => 0.0,
            AlphaMode::Mask { cutoff } => cutoff,
            AlphaMode::Blend => BLEND_CUTOFF,
        };
        let is_nearest = texture.sampler.magnify == Some(Filter::Nearest);
        Some(TextureData {
            image,
            wrap,
            is_nearest,
            cutoff,
        })
    }
}
