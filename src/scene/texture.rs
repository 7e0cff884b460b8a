//! Textures: images of base colours, and how they are sampled.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The image of a base colour.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Texture {
    /// The path of the image file relative to the model, with `/` between folders. The name of an embedded image, without
    /// extension; empty for none.
    pub name: String,
    /// The image itself, where it is embedded. `None`: it is a file.
    pub image: Option<Image>,
    /// Index of the set of texture coordinates in [`Mesh::uvs`](super::Mesh::uvs).
    pub uv_set: usize,
    /// How the image is sampled.
    pub sampler: Sampler,
}

impl Texture {
    /// A texture from an image file.
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
    /// Equal images have equal sizes, and hashing the bytes of every mesh's image would take longer than converting it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.media_type, self.bytes.len()).hash(state);
    }
}

/// How an image is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sampler {
    /// What lies beyond the image in the directions of u and v.
    pub wrap: [Wrap; 2],
    /// Between pixels of a magnified image. `None`: up to the renderer.
    pub magnify: Option<Filter>,
    /// Between pixels of a minified image, and between its mip levels where these are used. `None`: up to the renderer.
    pub minify: Option<(Filter, Option<Filter>)>,
}

/// What lies beyond an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// The image again.
    #[default]
    Repeat,
    /// The image mirrored, in turn.
    Mirror,
    /// Its edge.
    Clamp,
}

/// How a colour between pixels is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest pixel.
    Nearest,
    /// A weighted mean of the pixels around it.
    Linear,
}
