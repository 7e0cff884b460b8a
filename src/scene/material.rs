//! Materials: base colour, texture, transparency and surface properties.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::Texture;
#[cfg(any(feature = "seed", feature = "bmd"))]
use crate::Loss;

/// The appearance of a surface.
///
/// ```
/// use meshspec::scene::{AlphaMode, Filter, Material, Sampler, Texture, Wrap};
///
/// let sampler = Sampler { wrap: [Wrap::Clamp; 2], magnify: Some(Filter::Nearest), ..Sampler::default() };
/// let texture = Some(Texture { sampler, ..Texture::file("leaf.png") });
/// let leaf = Material { texture, alpha_mode: AlphaMode::Mask { cutoff: 0.5 }, ..Material::default() };
/// assert_eq!(leaf.alpha_mode.to_string(), "alpha mask, cutoff 0.5");
/// ```
#[derive(Debug, Clone)]
pub struct Material {
    /// The name, often the name of an image file; empty for an unnamed material.
    pub name: String,
    /// The base colour: linear red, green, blue and alpha, from 0 to 1. `None` if the source has no base colour, which
    /// is drawn as white.
    pub base_color: Option<[f32; 4]>,
    /// The texture; its colours are multiplied by the base colour.
    pub texture: Option<Texture>,
    /// The effect of alpha.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// The metalness, from 0 for a dielectric to 1 for a metal.
    pub metallic: f32,
    /// The roughness, from 0 for a mirror to 1 for a matt surface.
    pub roughness: f32,
}

/// The effect of alpha on a surface.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// The surface is opaque where alpha is at least the cutoff, and invisible elsewhere.
    Mask {
        /// The smallest opaque alpha, usually 0.5.
        cutoff: f32,
    },
    /// Alpha is the opacity.
    Blend,
}

impl fmt::Display for AlphaMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlphaMode::Opaque => f.write_str("opaque"),
            AlphaMode::Mask { cutoff } => write!(f, "alpha mask, cutoff {cutoff}"),
            AlphaMode::Blend => f.write_str("alpha blending"),
        }
    }
}

impl Default for Material {
    fn default() -> Material {
        Material {
            name: String::new(),
            base_color: None,
            texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            metallic: 0.0,
            roughness: 1.0,
        }
    }
}

impl Material {
    /// Returns all fields, with floats replaced by their bits, so that equal materials have equal hashes.
    fn key(&self) -> impl Eq + Hash + '_ {
        let Material {
            name,
            base_color,
            texture,
            alpha_mode,
            double_sided,
            metallic,
            roughness,
        } = self;
        let alpha = match alpha_mode {
            AlphaMode::Opaque => (0, 0),
            AlphaMode::Mask { cutoff } => (1, cutoff.to_bits()),
            AlphaMode::Blend => (2, 0),
        };
        let color = base_color.map(|color| color.map(f32::to_bits));
        (
            name,
            color,
            texture,
            alpha,
            double_sided,
            [metallic.to_bits(), roughness.to_bits()],
        )
    }

    /// Returns the base colour as bytes (red, green, blue), and the largest rounding error of a channel. `None` if the
    /// material has no base colour.
    #[cfg(any(feature = "bmd", feature = "obj"))]
    pub(crate) fn color_bytes(&self) -> Option<([u8; 3], f64)> {
        let [red, green, blue, _] = self.base_color?;
        let mut worst = 0.0_f64;
        let bytes = [red, green, blue].map(|channel| to_byte(channel, &mut worst));
        Some((bytes, worst))
    }

    /// Removes the texture, for formats that identify materials by their image. The name of the texture, if any,
    /// replaces the material name, and the base colour is dropped. `mesh` is the index of the mesh.
    #[cfg(any(feature = "seed", feature = "bmd"))]
    pub(crate) fn replace_name_by_texture(
        &mut self,
        format: &str,
        mesh: usize,
        losses: &mut Vec<Loss>,
    ) {
        let Some(texture) = self.texture.take() else {
            return;
        };
        let at = format!("meshes[{mesh}].material");
        if texture.image.is_some() {
            let loss = Loss::dropped(
                format!("{at}.texture"),
                format!("{format} has no embedded images"),
            );
            losses.push(loss.with_detail(texture.label()));
        }
        let name = texture.name;
        if name.is_empty() {
            return;
        }
        if !self.name.is_empty() && self.name != name {
            let message = format!("{format} uses texture names as material names");
            losses
                .push(Loss::renamed(format!("{at}.name"), message).with_change(&self.name, &name));
        }
        if self.base_color.take().is_some() {
            let message = format!("{format} does not store base colours of textured surfaces");
            losses.push(Loss::dropped(format!("{at}.base_color"), message));
        }
        self.name = name;
    }
}

impl PartialEq for Material {
    fn eq(&self, other: &Material) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Material {}

impl Hash for Material {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// Converts a channel to a byte, where 255 represents 1.0. Raises `worst` to the rounding or clamping error.
pub(super) fn to_byte(channel: f32, worst: &mut f64) -> u8 {
    // The cast saturates; NaN becomes 0.
    let byte = (channel * 255.0).round() as u8;
    *worst = worst.max(byte_error(channel, byte));
    byte
}

/// Returns a bound of the error of a number that is stored as a byte, 255 for 1.0; 0 if the byte stores exactly this
/// number, or for NaN. Covers the rounding of readers that compute in 32 bits.
pub(crate) fn byte_error(number: f32, byte: u8) -> f64 {
    if number == f32::from(byte) / 255.0 {
        return 0.0;
    }
    (f64::from(number) - f64::from(byte) / 255.0).abs() + f64::from(f32::EPSILON)
}
