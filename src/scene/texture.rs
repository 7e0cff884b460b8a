//! Textures: images of base colours, and their samplers.

use std::fmt;
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
    /// Returns the name in quotes, or the type and size of an unnamed embedded image.
    pub(crate) fn label(&self) -> String {
        self.content().unwrap_or_else(|| format!("\"{}\"", self.name))
    }

    /// Returns the name, or the type and size of an unnamed embedded image.
    pub(super) fn to_info(&self) -> String {
        self.content().unwrap_or_else(|| self.name.clone())
    }

    /// Returns the type and size of an unnamed embedded image.
    fn content(&self) -> Option<String> {
        let Image { media_type, bytes } = self.image.as_ref().filter(|_| self.name.is_empty())?;
        Some(match bytes.len() {
            size @ 0..1000 => format!("embedded {media_type}, {size} bytes"),
            size => format!("embedded {media_type}, {} kB", (size + 500) / 1000),
        })
    }

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

impl Sampler {
    /// Returns the filters, or `None` if they interpolate everywhere, the default of renderers.
    pub(super) fn filters(&self) -> Option<String> {
        let Sampler { magnify, minify, .. } = self;
        let smooth = |filter: &Option<Filter>| *filter != Some(Filter::Nearest);
        if smooth(magnify) && minify.is_none_or(|minify| minify == (Filter::Linear, Some(Filter::Linear))) {
            return None;
        }
        let magnify = magnify.map(|filter| format!("magnified {filter}"));
        let minify = minify.map(|(pixels, levels)| match levels {
            Some(levels) => format!("minified {pixels}, mip levels {levels}"),
            None => format!("minified {pixels}, no mip levels"),
        });
        Some(magnify.into_iter().chain(minify).collect::<Vec<_>>().join(", "))
    }
}

/// The wrapping of texture coordinates outside 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// Repeats the image.
    #[default]
    Repeat,
    /// Repeats the image, mirroring every other copy.
    Mirror,
    /// Extends the pixels at the edges.
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

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Filter::Nearest => "nearest",
            Filter::Linear => "linear",
        })
    }
}
