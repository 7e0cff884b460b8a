//! Textures: images for base colours, and their samplers.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An image that the base colour is multiplied by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Texture {
    /// The path of the image file relative to the model, with `/` between folders. For an embedded image, its name
    /// without extension; empty if it has no name.
    pub name: String,
    /// The embedded image; `None` if the image is a separate file.
    pub image: Option<Image>,
    /// The index of the texture coordinate set in [`Mesh::uvs`](super::Mesh::uvs).
    pub uv_set: usize,
    /// The sampler of the image.
    pub sampler: Sampler,
}

impl Texture {
    /// Returns the name in quotes, or the type and size of an unnamed embedded image.
    pub(crate) fn label(&self) -> String {
        self.describe_unnamed_image()
            .unwrap_or_else(|| format!("\"{}\"", self.name))
    }

    /// Returns the text for summaries: the name, or the type and size of an unnamed embedded image.
    pub(super) fn to_info_text(&self) -> String {
        self.describe_unnamed_image()
            .unwrap_or_else(|| self.name.clone())
    }

    /// Returns the type and size of an unnamed embedded image; `None` for other textures.
    fn describe_unnamed_image(&self) -> Option<String> {
        let Image { media_type, bytes } = self.image.as_ref().filter(|_| self.name.is_empty())?;
        Some(match bytes.len() {
            size @ 0..1000 => format!("embedded {media_type}, {size} bytes"),
            size => format!("embedded {media_type}, {} kB", (size + 500) / 1000),
        })
    }

    /// Creates a texture from the path of an image file.
    pub fn file(name: impl Into<String>) -> Texture {
        Texture {
            name: name.into(),
            ..Texture::default()
        }
    }
}

/// An embedded image: the content of an image file. Clones share the bytes.
#[derive(Debug, Clone, Eq)]
pub struct Image {
    /// The media type, such as `image/png`.
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
    /// Hashes only the media type and the size. Hashing the bytes for every mesh would take longer than the conversion.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.media_type, self.bytes.len()).hash(state);
    }
}

/// The wrapping and filtering of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sampler {
    /// The wrapping of u and of v.
    pub wrap: [Wrap; 2],
    /// The filter for magnification; `None` leaves it to the renderer.
    pub magnify: Option<Filter>,
    /// The filters for minification: between pixels and, if mipmaps are used, between mip levels. `None` leaves both to
    /// the renderer.
    pub minify: Option<(Filter, Option<Filter>)>,
}

impl Sampler {
    /// Describes the filters; `None` if they are linear, also between mip levels, or left to the renderer.
    pub(super) fn describe_filters(&self) -> Option<String> {
        let Sampler {
            magnify, minify, ..
        } = self;
        let is_smooth = |filter: &Option<Filter>| *filter != Some(Filter::Nearest);
        if is_smooth(magnify)
            && minify.is_none_or(|minify| minify == (Filter::Linear, Some(Filter::Linear)))
        {
            return None;
        }
        let magnify = magnify.map(|filter| format!("magnified {filter}"));
        let minify = minify.map(|(pixels, levels)| match levels {
            Some(levels) => format!("minified {pixels}, mip levels {levels}"),
            None => format!("minified {pixels}, no mip levels"),
        });
        Some(
            magnify
                .into_iter()
                .chain(minify)
                .collect::<Vec<_>>()
                .join(", "),
        )
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

/// The corner of the image at texture coordinate (0, 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UvOrigin {
    /// The top left corner, as in glTF.
    #[default]
    TopLeft,
    /// The bottom left corner, as in OpenGL and OBJ.
    BottomLeft,
}

impl fmt::Display for UvOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UvOrigin::TopLeft => "top left",
            UvOrigin::BottomLeft => "bottom left",
        })
    }
}
