//! Reads glTF textures: images, samplers and transforms.

use ::gltf::json;
use ::gltf::json::texture::{Info, MagFilter, MinFilter, WrappingMode};
use ::gltf::json::validation::Checked;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::interop::gltf::errors::{ReadLog, malformed};
use crate::interop::gltf::file::{GltfFile, parse_data_uri};
use crate::interop::gltf::{TEXTURE_SOURCES, TEXTURE_TRANSFORM, label};
use crate::interop::images;
use crate::interop::references::{self, Reference};
use crate::interop::texture_transform::TextureTransform;
use crate::scene::{Filter, Image, Sampler, Texture, Wrap};
use crate::{Loss, Result};

/// Returns the `TEXCOORD` number that a texture uses, and the transform of the texture coordinates.
fn read_uv_transform(info: &Info) -> (u32, TextureTransform) {
    let default = TextureTransform::default();
    let extensions = info.extensions.as_ref();
    let Some(transform) =
        extensions.and_then(|extensions| extensions.others.get(TEXTURE_TRANSFORM))
    else {
        return (info.tex_coord, default);
    };
    let set = transform.get("texCoord").and_then(Value::as_u64);
    let set = set.map_or(info.tex_coord, |set| u32::try_from(set).unwrap_or(u32::MAX));
    let pair = |name: &str| -> Option<[f64; 2]> {
        serde_json::from_value(transform.get(name)?.clone()).ok()
    };
    let transform = TextureTransform {
        offset: pair("offset").unwrap_or(default.offset),
        rotation: transform
            .get("rotation")
            .and_then(Value::as_f64)
            .unwrap_or(default.rotation),
        scale: pair("scale").unwrap_or(default.scale),
    };
    (set, transform)
}

/// A texture, its `TEXCOORD` number, and the transform of the texture coordinates.
type TextureUse = (Texture, u32, TextureTransform);

/// The reading state of an image in the file.
#[derive(Clone)]
enum ImageState {
    /// The image has not been used yet.
    Unused,
    /// The image cannot be read; the loss is listed.
    Failed,
    /// The path of an image file, or the name and content of an embedded image.
    Read(String, Option<Image>),
}

/// The textures of a file; each image is read at most once.
pub(super) struct Textures<'a> {
    pub file: &'a GltfFile<'a>,
    images: Vec<ImageState>,
}

impl<'a> Textures<'a> {
    pub fn new(file: &'a GltfFile<'a>) -> Textures<'a> {
        Textures {
            file,
            images: vec![ImageState::Unused; file.root.images.len()],
        }
    }

    /// Reads the texture that a material refers to at the path `at`. Records a loss and returns `None` if the texture
    /// cannot be read. Returns an error if the images exceed the limits.
    pub fn read(
        &mut self,
        info: &Info,
        at: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<TextureUse>> {
        let root = &self.file.root;
        let index = info.index.value();
        let Some(texture) = root.textures.get(index) else {
            let count = root.textures.len();
            let message = format!("refers to textures[{index}], but the texture count is {count}");
            losses.push(Loss::dropped(at, message));
            return Ok(None);
        };
        let path = format!("textures[{index}].source");
        let Some(source) = image_index(texture) else {
            losses.push(Loss::dropped(path, "no image of a known type"));
            return Ok(None);
        };
        let Some(image) = root.images.get(source) else {
            let message = format!(
                "refers to images[{source}], but the image count is {}",
                root.images.len()
            );
            losses.push(Loss::dropped(path, message));
            return Ok(None);
        };
        if matches!(self.images[source], ImageState::Unused) {
            self.images[source] = match self.load_image(source, image, losses) {
                Ok((name, image)) => ImageState::Read(name, image),
                Err(error) => {
                    let at = format!("images[{source}]");
                    // The shared log does not record this error, since meshes are readable without the image.
                    let message = ReadLog::default().record(error, &at)?;
                    losses.push(Loss::dropped(at, message));
                    ImageState::Failed
                }
            };
        }
        let ImageState::Read(name, image) = self.images[source].clone() else {
            return Ok(None);
        };
        let named = [name, texture.name.clone().unwrap_or_default()];
        let name = named
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or_default();
        let sampler = texture
            .sampler
            .and_then(|sampler| root.samplers.get(sampler.value()));
        let sampler = sampler.map(to_sampler).unwrap_or_default();
        let (set, transform) = read_uv_transform(info);
        Ok(Some((
            Texture {
                name,
                image,
                uv_set: 0,
                sampler,
            },
            set,
            transform,
        )))
    }

    /// Returns the path of an image file, or the name and content of an embedded image. Returns an error if an embedded
    /// image cannot be read, or exceeds the limits.
    fn load_image(
        &self,
        index: usize,
        image: &json::Image,
        losses: &mut Vec<Loss>,
    ) -> Result<(String, Option<Image>)> {
        let at = || format!("images[{index}]");
        let declared = image.mime_type.as_ref().map(|media_type| &*media_type.0);
        let (media_type, bytes) = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => {
                let Some(data) = parse_data_uri(uri) else {
                    let path: Vec<u8> = percent_decode_str(uri).collect();
                    let Reference { name, is_absolute } =
                        references::resolve(self.file.files, "", &path);
                    if is_absolute {
                        let message = "only the file names of absolute image paths are kept";
                        let loss = Loss::renamed(format!("{}.uri", at()), message);
                        losses.push(loss.with_detail(format_args!("\"{uri}\"")));
                    }
                    let is_empty = name.is_empty();
                    return if is_empty {
                        Err(malformed(at(), "an empty URI"))
                    } else {
                        Ok((name, None))
                    };
                };
                let (media_type, bytes) = data.map_err(|message| malformed(at(), message))?;
                (Some(media_type), bytes)
            }
            (None, Some(view)) => {
                let (bytes, _) = self.file.view(view.value())?;
                self.file.charge_budget(bytes.len() as u64, at)?;
                (declared, bytes.to_vec())
            }
            (None, None) => return Err(malformed(at(), "has neither `uri` nor `bufferView`")),
        };
        let media_type = images::detect_media_type(&bytes)
            .or(media_type)
            .or(declared)
            .unwrap_or_default();
        let embedded = Image {
            media_type: media_type.to_owned(),
            bytes: bytes.into(),
        };
        Ok((image.name.clone().unwrap_or_default(), Some(embedded)))
    }

    /// Returns the labels of images that no base colour uses.
    pub fn unused_images(&self) -> Vec<String> {
        let images = self.file.root.images.iter().zip(&self.images).enumerate();
        let unused = images.filter(|(_, (_, state))| matches!(state, ImageState::Unused));
        let file = |image: &'a json::Image| {
            image
                .uri
                .as_deref()
                .filter(|uri| parse_data_uri(uri).is_none())
        };
        let name = |image: &'a json::Image| image.name.as_deref().or(file(image));
        unused
            .map(|(index, (image, _))| label("images", index, name(image)))
            .collect()
    }
}

/// Returns the image index of a texture: its `source` if present, otherwise the `source` of an extension.
fn image_index(texture: &json::Texture) -> Option<usize> {
    let plain = texture.source.value();
    if plain != u32::MAX as usize {
        return Some(plain);
    }
    let extensions = &texture.extensions.as_ref()?.others;
    let source = |(name, _): &(&str, _)| extensions.get(*name)?.get("source")?.as_u64();
    usize::try_from(TEXTURE_SOURCES.iter().find_map(source)?).ok()
}

/// Converts a sampler. Invalid values are replaced by defaults.
fn to_sampler(sampler: &json::texture::Sampler) -> Sampler {
    let wrap = |mode: &Checked<WrappingMode>| match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::Clamp,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::Mirror,
        Checked::Valid(WrappingMode::Repeat) | Checked::Invalid => Wrap::Repeat,
    };
    let magnify = sampler.mag_filter.and_then(|filter| match filter {
        Checked::Valid(MagFilter::Nearest) => Some(Filter::Nearest),
        Checked::Valid(MagFilter::Linear) => Some(Filter::Linear),
        Checked::Invalid => None,
    });
    let minify = sampler.min_filter.and_then(|filter| match filter {
        Checked::Valid(MinFilter::Nearest) => Some((Filter::Nearest, None)),
        Checked::Valid(MinFilter::Linear) => Some((Filter::Linear, None)),
        Checked::Valid(MinFilter::NearestMipmapNearest) => {
            Some((Filter::Nearest, Some(Filter::Nearest)))
        }
        Checked::Valid(MinFilter::LinearMipmapNearest) => {
            Some((Filter::Linear, Some(Filter::Nearest)))
        }
        Checked::Valid(MinFilter::NearestMipmapLinear) => {
            Some((Filter::Nearest, Some(Filter::Linear)))
        }
        Checked::Valid(MinFilter::LinearMipmapLinear) => {
            Some((Filter::Linear, Some(Filter::Linear)))
        }
        Checked::Invalid => None,
    });
    Sampler {
        wrap: [wrap(&sampler.wrap_s), wrap(&sampler.wrap_t)],
        magnify,
        minify,
    }
}
