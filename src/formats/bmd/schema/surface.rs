//! The kind of surface, determined by the name of the material.

use crate::Text;

/// The kind of surface of a mesh, determined by the name of its material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surface {
    /// A texture, a shader, or no material: 64-bit vertices have a texture coordinate.
    #[default]
    Textured,
    /// A flat colour: 64-bit vertices have a normal, but no texture coordinate.
    Flat,
}

impl Surface {
    /// Returns the kind of surface for a material name.
    pub fn of(material: Option<&Text>) -> Surface {
        let color = material.and_then(|name| flat_color(name.as_bytes()));
        if color.is_some() {
            Surface::Flat
        } else {
            Surface::Textured
        }
    }
}

/// Returns the colour (red, green, blue) if a material name starts with `#` and six hexadecimal digits (B16); `None`
/// otherwise.
///
/// ```
/// use meshspec::bmd::flat_color;
///
/// assert_eq!(flat_color(b"#FFAA55"), Some([0xff, 0xaa, 0x55]));
/// assert_eq!(flat_color(b"resource/gfx/002.tga"), None);
/// ```
pub fn flat_color(material: &[u8]) -> Option<[u8; 3]> {
    let digits = material.strip_prefix(b"#")?.get(..6)?;
    let mut color = 0;
    for digit in digits {
        color = color << 4 | char::from(*digit).to_digit(16)?;
    }
    let [_, color @ ..] = color.to_be_bytes();
    Some(color)
}
