//! Meshes from floats: which form each vertex takes, what is lost with it, and what cannot be expressed.
//!
//! The policy: a vertex takes the smallest form that holds it within a [`Tolerance`]; a form holds a vertex if each of
//! its attributes is off by no more than that, and its colour is as near as a colour/shade byte can be. Attributes
//! that a form leaves out count with what a reader makes of it: white, the direction of the position as the normal,
//! bone 0. Where no form is good enough it is the largest that can express the vertex, and the errors tell. Bones are
//! never given up.

use super::super::document::{Bone, Surface, Vertices};
use super::attributes::{Attributes, Tolerance, VertexErrors, VertexSize, VertexSizes};
use super::nearest::nearest_shade;
use super::target::Target;
use crate::{Error, Result, path};

impl Vertices {
    /// Encodes vertices for such a surface, each attribute as the nearest code of the form that the vertex takes, and
    /// returns the largest error of each.
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
    /// If lists differ in length, numbers are not finite or out of range, a bone is beyond 254, or F0 and above in
    /// vertices of 64 bits (B9).
    pub fn encode(
        attributes: &Attributes,
        surface: Surface,
        sizes: VertexSizes,
        tolerance: &Tolerance,
    ) -> Result<(Vertices, VertexErrors)> {
        let targets = attributes.targets()?;
        let largest = attributes.positions.as_flattened().iter().fold(0.0, |max: f32, x| max.max(x.abs()));
        let tolerance = Tolerance { position: tolerance.position * largest, ..*tolerance };
        let allowed: &[VertexSize] = match &sizes {
            VertexSizes::PerVertex => return encode_each(&targets, surface, &tolerance),
            VertexSizes::PerMesh => &VertexSize::ALL,
            VertexSizes::Fixed(size) => std::slice::from_ref(size),
        };
        let mut best = Err(Error::inexpressible("no size is allowed").at(path!(vertices)));
        for size in allowed {
            match encode_all(&targets, *size, surface, &tolerance) {
                Ok(all) if all.hold => return Ok((all.vertices, all.errors)),
                Ok(all) => best = Ok((all.vertices, all.errors)),
                // A smaller size that can express the vertices is better than none.
                Err(error) if best.is_err() => best = Err(error),
                Err(_) => {}
            }
        }
        best
    }
}

/// Vertices of one size.
struct All {
    vertices: Vertices,
    errors: VertexErrors,
    /// Whether the size holds each of them.
    hold: bool,
}

fn encode_all(targets: &[Target], size: VertexSize, surface: Surface, tolerance: &Tolerance) -> Result<All> {
    let mut all = All { vertices: Vertices::default(), errors: VertexErrors::default(), hold: true };
    for (index, vertex) in targets.iter().enumerate() {
        let packed = vertex.pack(size, surface).map_err(|error| error.at(index))?;
        let errors = vertex.errors(packed.value());
        all.hold &= vertex.is_held(errors, tolerance);
        all.errors = all.errors.max(errors);
        all.vertices.push(packed)?;
    }
    Ok(all)
}

fn encode_each(
    targets: &[Target],
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
                    let is_held = vertex.is_held(errors, tolerance);
                    // Of those that do not hold it, the one that is nearest.
                    let known = best.as_ref().map(|(_, known): &(_, VertexErrors)| known.position);
                    if is_held || known.is_none_or(|known| errors.position <= known) {
                        best = Some((packed, errors));
                    }
                    if is_held {
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
            (None, Some(error)) => return Err(error.at(index)),
            (None, None) => {}
        }
    }
    Ok((vertices, largest))
}

impl Attributes {
    /// The vertices one by one.
    fn targets(&self) -> Result<Vec<Target>> {
        let len = self.positions.len();
        let lists = [
            ("st", self.st.as_ref().map(Vec::len)),
            ("normals", self.normals.as_ref().map(Vec::len)),
            ("colors", self.colors.as_ref().map(Vec::len)),
            ("bones", self.bones.as_ref().map(Vec::len)),
            ("limits", self.limits.as_ref().map(Vec::len)),
        ];
        if let Some((name, Some(found))) = lists.iter().find(|(_, found)| found.is_some_and(|n| n != len)) {
            let message = format!("{found} values, but there are {len} positions");
            return Err(Error::inexpressible(message).at(path!((*name))));
        }
        let shade_of = |color| (color, nearest_shade(color));
        // The search takes longer than all else: neighbours often have the same colour.
        let mut last = shade_of([255; 3]);
        let vertices = self.positions.iter().enumerate().map(|(index, position)| {
            let bone = at(&self.bones, index).unwrap_or(0);
            let refuse = |message| Error::inexpressible(message);
            let bone = u8::try_from(bone).ok().filter(|bone| *bone != Bone::PSEUDO).ok_or_else(|| {
                refuse(format!("bone {bone}, but a skeleton has at most 255")).at(path!(vertices[index].bone))
            })?;
            let normal = at(&self.normals, index);
            if normal.is_some_and(|normal| !normal.iter().all(|x| x.is_finite())) {
                return Err(refuse("the normal is not finite".into()).at(path!(vertices[index].normal)));
            }
            let color = at(&self.colors, index);
            if color.unwrap_or([255; 3]) != last.0 {
                last = shade_of(color.unwrap_or([255; 3]));
            }
            Ok(Target {
                position: *position,
                st: at(&self.st, index),
                normal,
                color,
                shade: last.1,
                bone,
                limit: at(&self.limits, index).unwrap_or(f32::INFINITY),
            })
        });
        vertices.collect()
    }
}

fn at<T: Copy>(list: &Option<Vec<T>>, index: usize) -> Option<T> {
    list.as_ref().and_then(|list| list.get(index)).copied()
}
