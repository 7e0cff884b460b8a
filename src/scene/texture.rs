//! Textures: images of base colours, and their samplers.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The image of a base colour.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Texture {
    /// The path of the image file relative to the model, with `/` between folders. For an embedded image, its name
    /// without extension; empty for none.
    pub name: String,
    /// The embedded image; `None` for an image file.
    pub image: Option<Image>,
    /// The index of the set of texture coordinates in [`Mesh::uvs`](super::Mesh::uvs).
    pub uv_set: usize,
    /// The sampler of the image.
    pub sampler: Sampler,
}

impl Texture {
    /// Creates a texture from the path of an image file.
    pub fn file(name: impl Into<String>) -> Texture {
        Texture { name: name.into(), ..Texture::default() }
    }
}

/// An embedded image: the content of an image file. Copies share their bytes.
#[derive(Debug, Clone, Eq)]
pub struct Image {
    /// The media type: `image/png`.
    pub media_type: String,
    /// The content of the file.
    pub bytes: Arc<[u8]>,
}

impl PartialEq for Image {
    fn eq(&self, other: &Image) -> bool {
        let same_bytes = Arc::ptr_eq(&self.bytes, &other.bytes) || self.bytes == other.bytes;
        same_bytes && self.media_type == other.media_type
    }
}

impl Hash for Image {
    /// Hashes the media type and the size only: hashing the bytes for every mesh would take longer than the conversion.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.media_type, self.bytes.len()).hash(state);
    }
}

/// The wrapping and filtering of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sampler {
    /// The wrapping in the directions of u and v.
    pub wrap: [Wrap; 2],
    /// The filter for magnification; `None` leaves it to the renderer.
    pub magnify: Option<Filter>,
    /// The filters for minification, between pixels and between mip levels, if used; `None` leaves them to the
    /// renderer.
    pub minify: Option<(Filter, Option<Filter>)>,
}

/// The content beyond the edges of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// The image, repeated.
    #[default]
    Repeat,
    /// The image, mirrored at every repetition.
    Mirror,
    /// The pixels at the edge.
    Clamp,
}

/// The interpolation between pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest pixel.
    Nearest,
    /// The weighted mean of the surrounding pixels.
    Linear,
}
