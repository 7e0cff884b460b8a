//! Transforms of texture coordinates.

/// A transform of texture coordinates: scale, then rotation, then offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TextureTransform {
    pub offset: [f64; 2],
    /// The angle in radians.
    pub rotation: f64,
    pub scale: [f64; 2],
}

impl Default for TextureTransform {
    fn default() -> TextureTransform {
        TextureTransform {
            offset: [0.0; 2],
            rotation: 0.0,
            scale: [1.0; 2],
        }
    }
}

impl TextureTransform {
    pub fn is_identity(&self) -> bool {
        *self == TextureTransform::default()
    }

    /// Transforms texture coordinates, computing in 64 bits. Returns `false` if the transform is the identity.
    pub fn apply(&self, uvs: &mut [[f32; 2]]) -> bool {
        if self.is_identity() {
            return false;
        }
        let (sin, cos) = self.rotation.sin_cos();
        for [u, v] in uvs {
            let (x, y) = (f64::from(*u) * self.scale[0], f64::from(*v) * self.scale[1]);
            *u = (cos * x + sin * y + self.offset[0]) as f32;
            *v = (cos * y - sin * x + self.offset[1]) as f32;
        }
        true
    }
}
