//! Packs a vertex of floats into each form, and measures the errors.

use super::super::document::{PackedVertex, Surface, Vertex, shade_color};
use super::super::schema::{
    FineSt, FineVertex96, FlatVertex64, Normal, ScaledSt, ScaledVertex96, TexturedVertex64, Triple,
    Vertex128, VertexTag, WideSt,
};
use super::attributes::{Tolerance, VertexErrors, VertexSize};
use super::nearest::nearest_binary16;
use crate::{Error, path};

/// A vertex to pack, as floats.
pub(super) struct VertexToPack {
    pub position: [f32; 3],
    pub st: Option<[f32; 2]>,
    pub normal: Option<[f32; 3]>,
    pub color: Option<[u8; 3]>,
    /// The nearest colour/shade byte; white if the vertex has no colour.
    pub shade: u8,
    pub bone: u8,
    /// The maximum coordinate error of the position.
    pub limit: f32,
}

/// The reason why a form cannot express a vertex.
pub(super) struct PackError {
    attribute: &'static str,
    message: String,
}

impl PackError {
    pub(super) fn at_vertex(self, index: usize) -> Error {
        Error::inexpressible(self.message).at(path!(vertices[index].(self.attribute)))
    }
}

impl VertexToPack {
    /// Packs the vertex into the first form of `size` that can express it, with the nearest codes.
    pub(super) fn pack(
        &self,
        size: VertexSize,
        surface: Surface,
    ) -> Result<PackedVertex, PackError> {
        match (size, surface) {
            (VertexSize::Bits64, Surface::Textured) => {
                self.pack_textured_64().map(PackedVertex::Textured64)
            }
            (VertexSize::Bits64, Surface::Flat) => self.pack_flat_64().map(PackedVertex::Flat64),
            (VertexSize::Bits96, _) => {
                let fine = self.pack_fine_96().map(PackedVertex::Fine96);
                fine.or_else(|_| self.pack_scaled_96().map(PackedVertex::Scaled96))
            }
            (VertexSize::Bits128, _) => self.pack_vertex_128().map(PackedVertex::Vertex128),
        }
    }

    fn pack_textured_64(&self) -> Result<TexturedVertex64, PackError> {
        let word = TexturedVertex64::from_bytes([0; 8]).with_st(self.scaled_st()?);
        Ok(word
            .with_position(self.triple()?)
            .with_bone(self.checked_bone_64()?))
    }

    fn pack_flat_64(&self) -> Result<FlatVertex64, PackError> {
        let word = FlatVertex64::from_bytes([0; 8]).with_position(self.triple()?);
        Ok(word
            .with_normal(self.packed_normal())
            .with_bone(self.checked_bone_64()?))
    }

    fn pack_fine_96(&self) -> Result<FineVertex96, PackError> {
        let st = FineSt::nearest(self.st()).ok_or_else(|| self.st_error("−0.5 to 1.5"))?;
        let (tag, last) = self.color_or_bone();
        let word = FineVertex96::from_bytes([0; 12])
            .with_position(self.triple()?)
            .with_st(st)
            .with_tag(tag);
        Ok(word
            .with_normal(self.packed_normal())
            .with_color_or_bone(last))
    }

    fn pack_scaled_96(&self) -> Result<ScaledVertex96, PackError> {
        let (tag, last) = self.color_or_bone();
        let word = ScaledVertex96::from_bytes([0; 12])
            .with_st(self.scaled_st()?)
            .with_tag(tag + 1);
        Ok(word
            .with_position(self.triple()?)
            .with_normal(self.packed_normal())
            .with_color_or_bone(last))
    }

    fn pack_vertex_128(&self) -> Result<Vertex128, PackError> {
        let [x, y, z] =
            nearest_binary16(self.position).ok_or_else(|| self.position_error("±65,504"))?;
        let st = WideSt::nearest(self.st()).ok_or_else(|| self.st_error("±65,536"))?;
        let word = Vertex128::from_bytes([0; 16])
            .with_org_x(x)
            .with_org_y(y)
            .with_org_z(z);
        let word = word
            .with_color(self.shade)
            .with_tag(VertexTag::VERTEX_128)
            .with_st(st);
        Ok(word.with_normal(self.packed_normal()).with_bone(self.bone))
    }

    /// Returns the even tag and last byte of a 96-bit form: the bone, or the colour for bone 0.
    fn color_or_bone(&self) -> (u8, u8) {
        if self.bone == 0 {
            (VertexTag::COLOR_96, self.shade)
        } else {
            (VertexTag::BONE_96, self.bone)
        }
    }

    fn st(&self) -> [f32; 2] {
        self.st.unwrap_or_default()
    }

    fn scaled_st(&self) -> Result<ScaledSt, PackError> {
        ScaledSt::nearest(self.st()).ok_or_else(|| self.st_error("−32 to 95.9"))
    }

    fn triple(&self) -> Result<Triple, PackError> {
        Triple::nearest(self.position).ok_or_else(|| self.position_error("±130,560"))
    }

    fn checked_bone_64(&self) -> Result<u8, PackError> {
        if self.bone < VertexTag::BITS_96 {
            return Ok(self.bone);
        }
        let message = format!(
            "bone {}, but vertices of 64 bits allow at most 239 (B9)",
            self.bone
        );
        Err(PackError {
            attribute: "bone",
            message,
        })
    }

    /// Packs the normal, by default the direction of the position, as in forms without a normal.
    fn packed_normal(&self) -> Normal {
        Normal::nearest(unit_vector(self.normal.unwrap_or(self.position)))
    }

    fn position_error(&self, range: &str) -> PackError {
        let message = format!("{:?} is non-finite or outside {range}", self.position);
        PackError {
            attribute: "position",
            message,
        }
    }

    fn st_error(&self, range: &str) -> PackError {
        PackError {
            attribute: "st",
            message: format!("{:?} is non-finite or outside {range}", self.st()),
        }
    }

    /// Returns the errors of `vertex`, decoded from the packed vertex; 0 for attributes that `self` lacks.
    pub(super) fn errors(&self, vertex: Vertex) -> VertexErrors {
        let color = vertex.color.map_or([255; 3], shade_color);
        VertexErrors {
            position: largest_difference(self.position, vertex.position),
            st: self.st.map_or(0.0, |st| largest_difference(st, vertex.st)),
            normal: self
                .normal
                .map_or(0.0, |normal| angle(normal, vertex.normal)),
            color: self
                .color
                .map_or(0, |target| color_difference(target, color)),
        }
    }

    /// Returns `true` if `errors` are within `tolerance` and `self.limit`, and the colour is as close as the nearest
    /// shade.
    pub(super) fn is_precise(&self, errors: VertexErrors, tolerance: &Tolerance) -> bool {
        let best_color = self
            .color
            .map_or(0, |color| color_difference(color, shade_color(self.shade)));
        errors.position <= tolerance.position.min(self.limit)
            && errors.st <= tolerance.st
            && errors.normal <= tolerance.normal
            && errors.color <= best_color
    }
}

fn largest_difference<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
    a.iter()
        .zip(b)
        .fold(0.0, |max, (a, b)| max.max((a - b).abs()))
}

fn color_difference(a: [u8; 3], b: [u8; 3]) -> u8 {
    a.into_iter()
        .zip(b)
        .map(|(a, b)| a.abs_diff(b))
        .max()
        .unwrap_or(0)
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Normalises a vector; 0 stays 0.
fn unit_vector(v: [f32; 3]) -> [f32; 3] {
    let wide = v.map(f64::from);
    match length(wide) {
        0.0 => v,
        length => wide.map(|x| (x / length) as f32),
    }
}

/// Returns the angle between two vectors in degrees; 0 if `target` is zero, 180 if only `found` is.
fn angle(target: [f32; 3], found: [f32; 3]) -> f32 {
    let (a, b) = (target.map(f64::from), found.map(f64::from));
    let [x, y, z] = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    match (length(a), length(b)) {
        (0.0, _) => 0.0,
        (_, 0.0) => 180.0,
        _ => length([x, y, z]).atan2(dot).to_degrees() as f32,
    }
}
