//! Decodes and samples base colour textures.

use std::collections::HashMap;
use std::io::Cursor;

use glam::{Vec2, Vec4};
use meshspec::interop::{Files, embed_images};
use meshspec::scene::{Filter, Image, Sampler, Scene, Wrap};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// The maximum number of pixels per image. A pixel occupies four bytes.
const MAX_PIXELS: usize = 1 << 26;

/// The decoded texture images of a scene.
pub struct Textures {
    images: Vec<MipmappedImage>,
    /// The index of each mesh's image; `None` for a mesh without an image.
    image_indices: Vec<Option<usize>>,
}

/// An image and its mipmaps. Each level has half the width and height of the previous level.
pub struct MipmappedImage(Vec<MipmapLevel>);

/// The pixels of an image or mipmap: sRGB red, green and blue, and linear alpha.
struct MipmapLevel {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 4]>,
}

impl Textures {
    /// Reads and decodes the textures of a scene. Returns them, and a message for each texture that is missing,
    /// unsupported or invalid.
    pub fn of(scene: &mut Scene, files: &dyn Files) -> (Textures, Vec<String>) {
        let missing = embed_images(scene, files).into_iter();
        let mut warnings: Vec<String> = missing
            .map(|(name, error)| format!("texture \"{name}\" not drawn: {error}"))
            .collect();
        let mut decoded: HashMap<&Image, Option<usize>> = HashMap::new();
        let mut images = Vec::new();
        let mut image_index = |texture: &'_ meshspec::scene::Texture, image| {
            *decoded.entry(image).or_insert_with(|| match decode(image) {
                Ok(level) => {
                    images.push(MipmappedImage::new(level));
                    Some(images.len() - 1)
                }
                Err(error) => {
                    warnings.push(format!("texture \"{}\" not drawn: {error}", texture.name));
                    None
                }
            })
        };
        let textures = scene
            .meshes
            .iter()
            .map(|mesh| mesh.material.texture.as_ref());
        let image_indices = textures
            .map(|texture| texture.and_then(|own| image_index(own, own.image.as_ref()?)))
            .collect();
        (
            Textures {
                images,
                image_indices,
            },
            warnings,
        )
    }

    /// Returns the image of a mesh; `None` if the mesh has no image.
    pub fn get(&self, mesh: usize) -> Option<&MipmappedImage> {
        self.image_indices
            .get(mesh)
            .copied()
            .flatten()
            .and_then(|image| self.images.get(image))
    }
}

/// Decodes a PNG or JPEG image.
///
/// # Errors
///
/// Returns a message if the image cannot be decoded.
fn decode(image: &Image) -> Result<MipmapLevel, String> {
    match &*image.media_type {
        "image/png" => decode_png(&image.bytes),
        "image/jpeg" => decode_jpeg(&image.bytes),
        other => Err(format!("{other} is not supported")),
    }
}

fn decode_png(bytes: &[u8]) -> Result<MipmapLevel, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = reader.info().size();
    check_dimensions(width as usize, height as usize)?;
    let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let info = reader
        .next_frame(&mut pixels)
        .map_err(|error| error.to_string())?;
    let pixels = match info.color_type {
        png::ColorType::GrayscaleAlpha => pixels
            .as_chunks()
            .0
            .iter()
            .map(|[gray, alpha]| [*gray, *gray, *gray, *alpha])
            .collect(),
        _ => pixels.as_chunks().0.to_vec(),
    };
    MipmapLevel::new(width as usize, height as usize, pixels)
}

fn decode_jpeg(bytes: &[u8]) -> Result<MipmapLevel, String> {
    // Disables SIMD code, whose results depend on the machine.
    let options = DecoderOptions::default()
        .set_use_unsafe(false)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder
        .decode_headers()
        .map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("no dimensions")?;
    check_dimensions(width, height)?;
    let pixels = decoder.decode().map_err(|error| error.to_string())?;
    MipmapLevel::new(width, height, pixels.as_chunks().0.to_vec())
}

fn check_dimensions(width: usize, height: usize) -> Result<(), String> {
    match width.checked_mul(height) {
        Some(1..=MAX_PIXELS) => Ok(()),
        _ => Err(format!(
            "{width} × {height} pixels, at most {MAX_PIXELS} are supported"
        )),
    }
}

impl MipmapLevel {
    fn new(width: usize, height: usize, pixels: Vec<[u8; 4]>) -> Result<MipmapLevel, String> {
        match pixels.len() == width * height {
            true => Ok(MipmapLevel {
                width,
                height,
                pixels,
            }),
            false => Err(format!(
                "{} pixels instead of {width} × {height}",
                pixels.len()
            )),
        }
    }

    /// Returns the level with half the width and height, at least 1.
    fn half_size(&self) -> MipmapLevel {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let pixel = |index: usize| {
            let (x, y) = (index % width, index / width);
            let (right, below) = (
                (2 * x + 1).min(self.width - 1),
                (2 * y + 1).min(self.height - 1),
            );
            let four = [
                (2 * x, 2 * y),
                (right, 2 * y),
                (2 * x, below),
                (right, below),
            ];
            let four = four.map(|(x, y)| self.pixels[y.min(below) * self.width + x.min(right)]);
            let rounded_sum = |channel: usize| {
                four.iter()
                    .map(|pixel| u16::from(pixel[channel]))
                    .sum::<u16>()
                    + 2
            };
            [0, 1, 2, 3].map(|channel| (rounded_sum(channel) / 4) as u8)
        };
        MipmapLevel {
            width,
            height,
            pixels: (0..width * height).map(pixel).collect(),
        }
    }

    /// Returns the linear colour of the pixel at a column and row.
    fn pixel(&self, x: usize, y: usize) -> Vec4 {
        let color = Vec4::from(self.pixels[y * self.width + x].map(f32::from)) / 255.0;
        (color * color).truncate().extend(color.w)
    }

    /// Samples the level at texture coordinates: returns the nearest pixel if `sampler` magnifies with the nearest
    /// filter, otherwise interpolates between four pixels.
    fn sample(&self, at: Vec2, sampler: &Sampler) -> Vec4 {
        let size = Vec2::new(self.width as f32, self.height as f32);
        let pixel = |column: f32, row: f32| {
            let x = wrap_coordinate((column + 0.5) / size.x, sampler.wrap[0], self.width);
            let y = wrap_coordinate((row + 0.5) / size.y, sampler.wrap[1], self.height);
            self.pixel(x, y)
        };
        let at = at * size;
        if sampler.magnify == Some(Filter::Nearest) {
            return pixel(at.x.floor(), at.y.floor());
        }
        let Vec2 { x, y } = at - 0.5;
        let (left, top) = (x.floor(), y.floor());
        let upper = pixel(left, top).lerp(pixel(left + 1.0, top), x - left);
        let lower = pixel(left, top + 1.0).lerp(pixel(left + 1.0, top + 1.0), x - left);
        upper.lerp(lower, y - top)
    }
}

/// Returns the index of the pixel at a texture coordinate, for an axis with `count` pixels.
fn wrap_coordinate(coordinate: f32, wrap: Wrap, count: usize) -> usize {
    let inside = match wrap {
        Wrap::Clamp => coordinate.clamp(0.0, 1.0),
        Wrap::Repeat => coordinate - coordinate.floor(),
        Wrap::Mirror => {
            let twice = coordinate * 0.5;
            let folded = 2.0 * (twice - twice.floor());
            if folded > 1.0 { 2.0 - folded } else { folded }
        }
    };
    // The cast saturates, and converts NaN to 0.
    ((inside * count as f32) as usize).min(count - 1)
}

impl MipmappedImage {
    fn new(first: MipmapLevel) -> MipmappedImage {
        let mut levels = vec![first];
        while let Some(last) = levels
            .last()
            .filter(|last| last.width > 1 || last.height > 1)
        {
            levels.push(last.half_size());
        }
        MipmappedImage(levels)
    }

    /// Returns the linear colour at texture coordinates. `area` is the area of a picture pixel in texture coordinates.
    pub fn sample(&self, at: Vec2, area: f32, sampler: &Sampler) -> Vec4 {
        let Some((first, smaller)) = self.0.split_first() else {
            return Vec4::ONE;
        };
        let mut covered = area * (first.width * first.height) as f32;
        let mut level = first;
        for next in smaller {
            if !covered.is_finite() || covered < 2.0 {
                break;
            }
            covered /= 4.0;
            level = next;
        }
        level.sample(at, sampler)
    }
}
