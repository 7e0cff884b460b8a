//! Image files beside models: their paths, embedding them, and embedded images as files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use super::Files;
use crate::scene::{Image, Scene, Texture};
use crate::{Loss, Result};

/// Media types of images that glTF holds, with or without an extension: name, extensions, first bytes.
const MEDIA_TYPES: [(&str, &[&str], &[u8]); 5] = [
    ("image/png", &["png"], b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", &["jpg", "jpeg"], b"\xff\xd8\xff"),
    ("image/webp", &["webp"], b"RIFF"),
    ("image/ktx2", &["ktx2"], b"\xabKTX 20\xbb"),
    ("image/vnd-ms.dds", &["dds"], b"DDS "),
];

/// The media type of a file with these first bytes.
pub(super) fn media_type_of(bytes: &[u8]) -> Option<&'static str> {
    let found = MEDIA_TYPES.iter().find(|(.., magic)| bytes.starts_with(magic));
    found.map(|(media_type, ..)| *media_type)
}

/// The media type of a file with this name.
pub(super) fn media_type_by_name(name: &str) -> Option<&'static str> {
    let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    let found = MEDIA_TYPES.iter().find(|(_, extensions, _)| extensions.contains(&&*extension));
    found.map(|(media_type, ..)| *media_type)
}

/// The extension of files of this media type.
fn extension_of(media_type: &str) -> &str {
    let found = MEDIA_TYPES.iter().find(|(known, ..)| *known == media_type);
    found.and_then(|(_, extensions, _)| extensions.first()).copied().unwrap_or("img")
}

/// A path of an image file as the model has it: relative to the folder of the model, with `/`. Of absolute paths only the
/// file name is kept, since they hold on one machine only; then the second value is true. `folder` is that of the file
/// that names the image.
pub(super) fn relative(folder: &str, path: &str) -> (String, bool) {
    if is_remote(path) {
        return (path.to_owned(), false);
    }
    let path = path.replace('\\', "/");
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || has_drive {
        let file = path.rsplit(['/', ':']).next().unwrap_or_default();
        return (file.to_owned(), true);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split(['/', '\\']).chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    (parts.join("/"), false)
}

/// Whether a path is a URI with a host.
pub(super) fn is_remote(path: &str) -> bool {
    path.contains("://")
}

/// The image files that the materials of a scene refer to, by their paths relative to the model.
pub fn image_files(scene: &Scene) -> BTreeSet<&str> {
    let textures = scene.meshes.iter().filter_map(|mesh| mesh.material.texture.as_ref());
    let files = textures.filter(|texture| texture.image.is_none() && !is_remote(&texture.name));
    files.map(|texture| &*texture.name).collect()
}

/// Reads the image files that a scene refers to and embeds them. Returns those that stay files, and why: they cannot be
/// read, or glTF does not embed images of their type.
pub fn embed_images(scene: &mut Scene, files: &dyn Files) -> Vec<(String, io::Error)> {
    let mut images = BTreeMap::new();
    let mut failed = Vec::new();
    for name in image_files(scene) {
        match embedded(name, files) {
            Ok(image) => drop(images.insert(name.to_owned(), image)),
            Err(error) => failed.push((name.to_owned(), error)),
        }
    }
    for texture in scene.meshes.iter_mut().filter_map(|mesh| mesh.material.texture.as_mut()) {
        if let (None, Some(image)) = (&texture.image, images.get(&texture.name)) {
            texture.image = Some(image.clone());
            let stem = Path::new(&texture.name).file_stem().and_then(|stem| stem.to_str());
            texture.name = stem.unwrap_or_default().to_owned();
        }
    }
    failed
}

/// Bytes of an image that is not embedded any more: a GLB counts its bytes in 32 bits.
const TOO_LARGE: u64 = u32::MAX as u64;

fn embedded(name: &str, files: &dyn Files) -> io::Result<Image> {
    let bytes = files.read(name, TOO_LARGE)?;
    if bytes.len() as u64 >= TOO_LARGE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "an image of 4 GiB or more"));
    }
    match media_type_of(&bytes) {
        Some(media_type) => Ok(Image { media_type: media_type.to_owned(), bytes: bytes.into() }),
        None => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "glTF embeds PNG and JPEG, and the file is neither",
        )),
    }
}

/// Writes embedded images as files beside the model, each once.
pub(super) struct ImageFiles<'a> {
    /// The name of the model without extension, with which those of the files begin.
    stem: &'a str,
    /// Names in lower case: not all file systems distinguish case.
    taken: HashSet<String>,
    written: HashMap<Texture, String>,
}

impl<'a> ImageFiles<'a> {
    /// For the images of a model of this file name. Files that its scene refers to keep their names.
    pub fn new(model: &'a str, scene: &Scene) -> ImageFiles<'a> {
        let stem = Path::new(model).file_stem().and_then(|stem| stem.to_str()).unwrap_or(model);
        let taken = image_files(scene).into_iter().map(str::to_lowercase).collect();
        ImageFiles { stem, taken, written: HashMap::new() }
    }

    /// Writes the image of a texture, if it is embedded, and refers to the file instead. Without a place for files, the
    /// texture is lost.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn detach(
        &mut self,
        texture: &mut Option<Texture>,
        path: &str,
        files: &mut dyn Files,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let Some(Texture { name, image: Some(image), uv_set, sampler }) =
            texture.take_if(|t| t.image.is_some())
        else {
            return Ok(());
        };
        let key = Texture { name, image: Some(image), ..Texture::default() };
        let name = match self.written.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = self.write(&key, files)?;
                self.written.insert(key, name.clone());
                name
            }
        };
        if name.is_empty() {
            let message = "there is no place for image files beside the model";
            losses.push(Loss::dropped(path, message));
        } else {
            *texture = Some(Texture { name, image: None, uv_set, sampler });
        }
        Ok(())
    }

    /// Returns the name of the file; an empty one where files cannot be written.
    fn write(&mut self, texture: &Texture, files: &mut dyn Files) -> Result<String> {
        let Some(image) = &texture.image else { return Ok(String::new()) };
        let name = self.file_name(&texture.name, extension_of(&image.media_type));
        match files.create(&name) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(String::new()),
            file => {
                file?.write_all(&image.bytes)?;
                Ok(name)
            }
        }
    }

    /// An unused name: that of the model, and of the image or its number.
    fn file_name(&mut self, image: &str, extension: &str) -> String {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
        let plain: String = image.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
        let plain = match plain.trim() {
            "" => format!("texture{}", self.written.len()),
            plain => plain.to_owned(),
        };
        let plain = plain.strip_suffix(&format!(".{extension}")).unwrap_or(&plain);
        let first = format!("{}_{plain}.{extension}", self.stem);
        let numbered = (1_u32..).map(|number| format!("{}_{plain}_{number}.{extension}", self.stem));
        let mut names = std::iter::once(first).chain(numbered);
        names.find(|name| self.taken.insert(name.to_lowercase())).unwrap_or_default()
    }
}
