//! Encodes vertices from floats: selects their forms and measures the errors.
//!
//! Chooses the smallest form that is precise enough: no error exceeds its [`Tolerance`], no position error exceeds the
//! vertex's limit, and the colour is as close as the nearest colour/shade byte. An attribute that a form omits has its
//! default: texture coordinate 0, white, the direction of the position as the normal, or bone 0. If no form is precise
//! enough, `PerMesh` uses the largest size that can encode all vertices, and `PerVertex` the form with the smallest
//! position error. Bones are always preserved.

use super::super::document::{Bone, Surface, Vertices};
use super::attributes::{Attributes, Tolerance, VertexErrors, VertexSize, VertexSizes};
use super::nearest::nearest_shade;
use super::vertex_to_pack::VertexToPack;
use crate::{Error, Result, path};

impl Vertices {
    /// Encodes vertices for a surface, rounding each attribute to the nearest code of the vertex's form. Returns the
    /// vertices and the largest error of each attribute.
    ///
    /// ```
    /// use meshspec::bmd::{Attributes, Surface, Tolerance, VertexSizes, Vertices};
    ///
    /// let attributes = Attributes {
    ///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.3, 0.0]],
    ///     st: Some(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
    ///     ..Attributes::default()
    /// };
    /// let (vertices, errors) =
    ///     Vertices::encode(&attributes, Surface::Textured, VertexSizes::PerMesh, &Tolerance::default())?;
    /// assert_eq!(vertices.words().len(), 3 * 2);
    /// assert!(errors.position < 0.001);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if lists differ in length, a normal is non-finite, a bone exceeds 254, or no allowed size can
    /// express the vertices. For example, bones above 239 cannot be expressed in 64 bits (B9).
    pub fn encode(
        attributes: &Attributes,
        surface: Surface,
        sizes: VertexSizes,
        tolerance: &Tolerance,
    ) -> Result<(Vertices, VertexErrors)> {
        let targets = attributes.to_vertices()?;
        let largest = attributes
            .positions
            .as_flattened()
            .iter()
            .fold(0.0, |max: f32, x| max.max(x.abs()));
        let tolerance = Tolerance {
            position: tolerance.position * largest,
            ..*tolerance
        };
        let allowed: &[VertexSize] = match &sizes {
            VertexSizes::PerVertex => return encode_per_vertex(&targets, surface, &tolerance),
            VertexSizes::PerMesh => &VertexSize::ALL,
            VertexSizes::Fixed(size) => std::slice::from_ref(size),
        };
        let mut best = Err(Error::inexpressible("no size is allowed").at(path!(vertices)));
        for size in allowed {
            match encode_in_size(&targets, *size, surface, &tolerance) {
                Ok((vertices, errors, true)) => return Ok((vertices, errors)),
                Ok((vertices, errors, false)) => best = Ok((vertices, errors)),
                // An error in one size does not discard a result in another size.
                Err(error) if best.is_err() => best = Err(error),
                Err(_) => {}
            }
        }
        best
    }
}

/// Encodes vertices in one size. Also returns whether the size is precise enough for every vertex.
fn encode_in_size(
    targets: &[VertexToPack],
    size: VertexSize,
    surface: Surface,
    tolerance: &Tolerance,
) -> Result<(Vertices, VertexErrors, bool)> {
    let (mut vertices, mut largest, mut is_precise) =
        (Vertices::default(), VertexErrors::default(), true);
    for (index, vertex) in targets.iter().enumerate() {
        let packed = vertex
            .pack(size, surface)
            .map_err(|error| error.at_vertex(index))?;
        let errors = vertex.errors(packed.value());
        is_precise &= vertex.is_precise(errors, tolerance);
        largest = largest.max(errors);
        vertices.push(packed)?;
    }
    Ok((vertices, largest, is_precise))
}

fn encode_per_vertex(
    targets: &[VertexToPack],
    surface: Surface,
    tolerance: &Tolerance,
) -> Result<(Vertices, VertexErrors)> {
    let (mut vertices, mut largest) = (Vertices::default(), VertexErrors::default());
    for (index, vertex) in targets.iter().enumerate() {
        let mut best = None;
        let mut last_error = None;
        for size in VertexSize::ALL {
            match vertex.pack(size, surface) {
                Ok(packed) => {
                    let errors = vertex.errors(packed.value());
                    let is_precise = vertex.is_precise(errors, tolerance);
                    // If no size is precise enough, keeps the one with the smallest position error.
                    let best_error = best
                        .as_ref()
                        .map(|(_, best): &(_, VertexErrors)| best.position);
                    if is_precise || best_error.is_none_or(|best| errors.position <= best) {
                        best = Some((packed, errors));
                    }
                    if is_precise {
                        break;
                    }
                }
                Err(error) => last_error = Some(error),
            }
        }
        match (best, last_error) {
            (Some((packed, errors)), _) => {
                vertices.push(packed)?;
                largest = largest.max(errors);
            }
            (None, Some(error)) => return Err(error.at_vertex(index)),
            (None, None) => {}
        }
    }
    Ok((vertices, largest))
}

impl Attributes {
    /// Checks the attributes and converts them to vertices to pack.
    fn to_vertices(&self) -> Result<Vec<VertexToPack>> {
        let len = self.positions.len();
        let lists = [
            ("st", self.st.as_ref().map(Vec::len)),
            ("normals", self.normals.as_ref().map(Vec::len)),
            ("colors", self.colors.as_ref().map(Vec::len)),
            ("bones", self.bones.as_ref().map(Vec::len)),
            ("limits", self.limits.as_ref().map(Vec::len)),
        ];
        if let Some((name, Some(found))) = lists
            .iter()
            .find(|(_, found)| found.is_some_and(|n| n != len))
        {
            let message = format!("value count {found}, expected the position count {len}");
            return Err(Error::inexpressible(message).at(path!((*name))));
        }
        const WHITE: [u8; 3] = [255; 3];
        // The colour search is slow, and neighbours often share a colour.
        let mut last = (WHITE, nearest_shade(WHITE));
        let vertices = self.positions.iter().enumerate().map(|(index, position)| {
            let bone = value_at(&self.bones, index).unwrap_or(0);
            let bone = u8::try_from(bone)
                .ok()
                .filter(|bone| *bone != Bone::PSEUDO)
                .ok_or_else(|| {
                    let message = format!("bone {bone}, but a skeleton has at most 255 bones");
                    Error::inexpressible(message).at(path!(vertices[index].bone))
                })?;
            let normal = value_at(&self.normals, index);
            if normal.is_some_and(|normal| !normal.iter().all(|x| x.is_finite())) {
                let path = path!(vertices[index].normal);
                return Err(Error::inexpressible("the normal is not finite").at(path));
            }
            let color = value_at(&self.colors, index);
            let shown = color.unwrap_or(WHITE);
            if shown != last.0 {
                last = (shown, nearest_shade(shown));
            }
            Ok(VertexToPack {
                position: *position,
                st: value_at(&self.st, index),
                normal,
                color,
                shade: last.1,
                bone,
                limit: value_at(&self.limits, index).unwrap_or(f32::INFINITY),
            })
        });
        vertices.collect()
    }
}

fn value_at<T: Copy>(list: &Option<Vec<T>>, index: usize) -> Option<T> {
    list.as_ref().and_then(|list| list.get(index)).copied()
}
