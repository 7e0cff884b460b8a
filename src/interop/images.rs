//! Image files of models: embeds them, and writes embedded images to files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;

use super::Files;
use super::references::is_remote;
use crate::scene::{Image, Scene, Texture};
use crate::{Loss, Result};

/// The media types of images in glTF and its extensions, each with file extensions and magic bytes.
const MEDIA_TYPES: [(&str, &[&str], &[u8]); 5] = [
    ("image/png", &["png"], b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", &["jpg", "jpeg"], b"\xff\xd8\xff"),
    ("image/webp", &["webp"], b"RIFF"),
    ("image/ktx2", &["ktx2"], b"\xabKTX 20\xbb"),
    ("image/vnd-ms.dds", &["dds"], b"DDS "),
];

/// The largest number of magic bytes of a media type.
const MAX_MAGIC_SIZE: u64 = 12;

/// Detects the media type of an image from its magic bytes; `None` if it is unknown.
pub(super) fn detect_media_type(bytes: &[u8]) -> Option<&'static str> {
    let found = MEDIA_TYPES
        .iter()
        .find(|(.., magic)| bytes.starts_with(magic));
    // Audio and video files also start with `RIFF` and the file size.
    let is_other_riff = bytes.starts_with(b"RIFF") && bytes.get(8..12) != Some(b"WEBP");
    found
        .filter(|_| !is_other_riff)
        .map(|(media_type, ..)| *media_type)
}

/// Returns the media type for the extension of an image file, ignoring case; `None` if the extension is unknown.
pub(super) fn media_type_by_name(name: &str) -> Option<&'static str> {
    let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    let found = MEDIA_TYPES
        .iter()
        .find(|(_, extensions, _)| extensions.contains(&&*extension));
    found.map(|(media_type, ..)| *media_type)
}

/// Returns the file extension of a media type; `img` if the type is unknown.
fn file_extension(media_type: &str) -> &str {
    let found = MEDIA_TYPES.iter().find(|(known, ..)| *known == media_type);
    found
        .and_then(|(_, extensions, _)| extensions.first())
        .copied()
        .unwrap_or("img")
}

/// Returns the file name in a path, without its extension; `None` if the path has no file name.
pub(super) fn file_stem(path: &str) -> Option<&str> {
    Path::new(path).file_stem()?.to_str()
}

/// Returns the paths, relative to the model, of the image files that the materials of a scene refer to. Omits remote
/// images.
pub fn image_files(scene: &Scene) -> BTreeSet<&str> {
    external_images(scene)
        .filter(|name| !is_remote(name))
        .collect()
}

/// Returns the paths and URIs of images that are not embedded.
fn external_images(scene: &Scene) -> impl Iterator<Item = &str> {
    let textures = scene
        .meshes
        .iter()
        .filter_map(|mesh| mesh.material.texture.as_ref());
    textures
        .filter(|texture| texture.image.is_none())
        .map(|texture| &*texture.name)
}

/// Reads and embeds the image files that a scene refers to.
///
/// Returns the path and error of each image that cannot be embedded. Images are not embedded if they are remote,
/// unreadable, 4 GiB or larger, or neither PNG, JPEG, WebP, KTX2 nor DDS.
///
/// ```
/// # use std::collections::BTreeMap;
/// use meshspec::interop::{embed_images, image_files};
/// use meshspec::scene::{Image, Material, Mesh, Scene, Texture};
///
/// let material = Material { texture: Some(Texture::file("leaf.png")), ..Material::default() };
/// let mut scene = Scene { meshes: vec![Mesh { material, ..Mesh::default() }], ..Scene::default() };
/// assert!(image_files(&scene).contains("leaf.png"));
/// let files = BTreeMap::from([("leaf.png".to_owned(), b"\x89PNG\r\n\x1a\n".to_vec())]);
/// assert!(embed_images(&mut scene, &files).is_empty());
/// let Image { media_type, .. } = scene.meshes.remove(0).material.texture.unwrap().image.unwrap();
/// assert_eq!(media_type, "image/png");
/// ```
pub fn embed_images(scene: &mut Scene, files: &dyn Files) -> Vec<(String, io::Error)> {
    let mut images = BTreeMap::new();
    let mut failed = Vec::new();
    for name in external_images(scene).collect::<BTreeSet<_>>() {
        match load_image(name, files) {
            Ok(image) => drop(images.insert(name.to_owned(), image)),
            Err(error) => failed.push((name.to_owned(), error)),
        }
    }
    for texture in scene
        .meshes
        .iter_mut()
        .filter_map(|mesh| mesh.material.texture.as_mut())
    {
        if let (None, Some(image)) = (&texture.image, images.get(&texture.name)) {
            texture.image = Some(image.clone());
            texture.name = file_stem(&texture.name).unwrap_or_default().to_owned();
        }
    }
    failed
}

/// The size in bytes at or above which images are not embedded, since GLB stores sizes in 32 bits.
const IMAGE_SIZE_LIMIT: u64 = u32::MAX as u64;

fn load_image(name: &str, files: &dyn Files) -> io::Result<Image> {
    if is_remote(name) {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "remote images are not downloaded",
        ));
    }
    // Reads the magic bytes first, so that unsupported images are not read entirely.
    let Some(media_type) = detect_media_type(&files.read(name, MAX_MAGIC_SIZE)?) else {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "not a PNG, JPEG, WebP, KTX2 or DDS image",
        ));
    };
    let bytes = files.read(name, IMAGE_SIZE_LIMIT)?;
    if bytes.len() as u64 >= IMAGE_SIZE_LIMIT {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "the image has 4 GiB or more",
        ));
    }
    Ok(Image {
        media_type: media_type.to_owned(),
        bytes: bytes.into(),
    })
}

/// Writes embedded images to files next to the model, one file for each distinct name and content.
pub(super) struct ImageFiles<'a> {
    /// The file name of the model without extension, the prefix of all image file names.
    stem: &'a str,
    /// File names in use, in lower case, since some file systems ignore case.
    reserved: HashSet<String>,
    /// The file name of each embedded image; empty if companion files are unsupported.
    written: HashMap<Texture, String>,
}

impl<'a> ImageFiles<'a> {
    /// Creates a writer for images of the file `model`. The writer does not overwrite image files that the scene refers
    /// to.
    pub fn new(model: &'a str, scene: &Scene) -> ImageFiles<'a> {
        let stem = file_stem(model).unwrap_or(model);
        let reserved = image_files(scene)
            .into_iter()
            .map(str::to_lowercase)
            .collect();
        ImageFiles {
            stem,
            reserved,
            written: HashMap::new(),
        }
    }

    /// Writes the embedded image of a texture, if any, to a file, and replaces the image by the path of the file. If
    /// companion files are unsupported, drops the texture and records the loss at `path`. Returns an error if writing
    /// fails.
    pub fn write_embedded(
        &mut self,
        texture: &mut Option<Texture>,
        path: &str,
        files: &mut dyn Files,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let Some(Texture {
            name,
            image: Some(image),
            uv_set,
            sampler,
        }) = texture.take_if(|t| t.image.is_some())
        else {
            return Ok(());
        };
        let key = Texture {
            name,
            image: Some(image),
            ..Texture::default()
        };
        let name = match self.written.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = self.write_image(&key, files)?;
                self.written.insert(key, name.clone());
                name
            }
        };
        if name.is_empty() {
            losses.push(Loss::dropped(
                path,
                "image files cannot be created next to the model",
            ));
        } else {
            *texture = Some(Texture {
                name,
                image: None,
                uv_set,
                sampler,
            });
        }
        Ok(())
    }

    /// Writes the image of a texture. Returns the file name; empty if companion files are unsupported.
    fn write_image(&mut self, texture: &Texture, files: &mut dyn Files) -> Result<String> {
        let Some(image) = &texture.image else {
            return Ok(String::new());
        };
        let name = self.file_name(&texture.name, file_extension(&image.media_type));
        match files.create_image(&name, &image.bytes) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(String::new()),
            written => Ok(written.map(|()| name)?),
        }
    }

    /// Reserves and returns an unused file name: the model's stem, then the image name, which defaults to `texture` and
    /// a number.
    fn file_name(&mut self, image: &str, extension: &str) -> String {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
        let base: String = image
            .chars()
            .map(|c| if allowed(c) { c } else { '_' })
            .collect();
        let base = match base.trim() {
            "" => format!("texture{}", self.written.len()),
            name => name.to_owned(),
        };
        let base = base.strip_suffix(&format!(".{extension}")).unwrap_or(&base);
        let first = format!("{}_{base}.{extension}", self.stem);
        let numbered = (1_u32..).map(|number| format!("{}_{base}_{number}.{extension}", self.stem));
        let mut names = std::iter::once(first).chain(numbered);
        names
            .find(|name| self.reserved.insert(name.to_lowercase()))
            .unwrap_or_default()
    }
}
