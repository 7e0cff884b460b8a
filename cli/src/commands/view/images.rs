//! Base colour images, encoded as in the file; the browser decodes them.

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

/// Embeds the image files beside a model, up to [`MAX_BYTES`] in all. Adds a note for each that cannot be embedded.
pub fn embed(scene: &mut Scene, path: &Path, notes: &mut Vec<String>) {
    let files = Limited { files: SiblingFiles::new(path), room: Cell::new(MAX_BYTES as u64) };
    let failed = embed_images(scene, &files);
    let shown = failed.iter().take(MAX_NOTES);
    notes.extend(shown.map(|(name, error)| format!("Texture \"{name}\" not shown: {error}")));
    if let Some(more @ 1..) = failed.len().checked_sub(MAX_NOTES) {
        notes.push(format!("{more} more textures not shown"));
    }
}

/// The maximum number of textures with a note.
const MAX_NOTES: usize = 20;

/// Files beside a model, of limited size in all.
struct Limited<'p> {
    files: SiblingFiles<'p>,
    /// The remaining number of bytes.
    room: Cell<u64>,
}

impl Files for Limited<'_> {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let room = self.room.get();
        let bytes = self.files.read(name, limit.min(room + 1))?;
        match room.checked_sub(bytes.len() as u64) {
            Some(left) => self.room.set(left),
            None => return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the images exceed 64 MiB")),
        }
        Ok(bytes)
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        self.files.create(name)
    }
}

/// The minimum alpha of visible texels on a blended surface.
const BLENDED: f32 = 0.5;

#[derive(Serialize)]
pub struct ImageData {
    media_type: String,
    bytes: ArrayRef,
}

/// The image of a mesh and its sampler.
#[derive(Serialize)]
pub struct TextureData {
    /// The number of the image.
    image: usize,
    wrap: [&'static str; 2],
    is_nearest: bool,
    /// The minimum visible alpha.
    cutoff: f32,
}

/// The images of a scene, each once.
#[derive(Default)]
pub struct Images {
    pub all: Vec<ImageData>,
    known: HashMap<Image, Option<usize>>,
    omitted: usize,
}

impl Images {
    /// Adds the embedded images of a scene. Omits images beyond the limit and adds a note.
    pub fn of(scene: &Scene, arrays: &mut Arrays, notes: &mut Vec<String>) -> Images {
        let mut images = Images::default();
        let mut room = MAX_BYTES;
        let textures = scene.meshes.iter().filter_map(|mesh| mesh.material.texture.as_ref());
        for image in textures.filter_map(|texture| texture.image.as_ref()) {
            if images.known.contains_key(image) {
                continue;
            }
            let left = room.checked_sub(image.bytes.len());
            let number = left.map(|left| {
                room = left;
                let bytes = arrays.bytes(image.bytes.to_vec());
                images.all.push(ImageData { media_type: image.media_type.clone(), bytes });
                images.all.len() - 1
            });
            images.omitted += usize::from(number.is_none());
            images.known.insert(image.clone(), number);
        }
        if images.omitted > 0 {
            let count = images.omitted;
            notes.push(format!("Textures not shown, since the images exceed 64 MiB: {count}"));
        }
        images
    }

    /// Returns the texture of a material.
    pub fn texture(&self, material: &Material) -> Option<TextureData> {
        let texture = material.texture.as_ref()?;
        let image = (*self.known.get(texture.image.as_ref()?)?)?;
        let wrap = texture.sampler.wrap.map(|wrap| match wrap {
            Wrap::Repeat => "REPEAT",
            Wrap::Mirror => "MIRRORED_REPEAT",
            Wrap::Clamp => "CLAMP_TO_EDGE",
        });
        let cutoff = match material.alpha_mode {
            AlphaMode::Opaque => 0.0,
            AlphaMode::Mask { cutoff } => cutoff,
            AlphaMode::Blend => BLENDED,
        };
        let is_nearest = texture.sampler.magnify == Some(Filter::Nearest);
        Some(TextureData { image, wrap, is_nearest, cutoff })
    }
}
