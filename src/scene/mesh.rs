//! Meshes: attributes of vertices, one list each, and the faces between them.

use super::{Extras, Material, Placement, Skin, UvOrigin};
use crate::bulk;

/// One mesh: what is drawn with one material.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// The name; empty for none.
    pub name: String,
    /// The material.
    pub material: Material,
    /// Coordinates (X, Y, Z) of each vertex in metres, in model space.
    pub positions: Vec<[f32; 3]>,
    /// The same coordinates in 64 bits, where 32 bits round them visibly: far from the origin, measured by the size of the
    /// mesh. All edits move these, and round them to `positions`. Formats are written from `positions`.
    pub exact_positions: Option<Vec<[f64; 3]>>,
    /// The nodes that show the mesh; empty for one without a name and a transform.
    pub placements: Vec<Placement>,
    /// Whether the source has no third coordinate and z is 0 only here. Changes of the axes do not change that.
    pub flat: bool,
    /// Normals (X, Y, Z), one per vertex.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangents (X, Y, Z) and the side of the bitangent, 1 or −1, one per vertex.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Sets of texture coordinates (U, V), one per vertex in each.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Where (0, 0) is in the images.
    pub uv_origin: UvOrigin,
    /// Sets of colours, one per vertex in each.
    pub colors: Vec<Colors>,
    /// Joints and weights: each set attaches a vertex to four joints at most.
    pub skins: Vec<Skin>,
    /// Attributes without a meaning to the model.
    pub custom: Vec<Custom>,
    /// The faces.
    pub faces: Faces,
    /// What has no other place.
    pub extras: Extras,
}

/// Colours (red, green, blue, alpha), one per vertex, linear, as precise as the source has them.
#[derive(Debug, Clone, PartialEq)]
pub enum Colors {
    /// 255 is 1.0.
    U8(Vec<[u8; 4]>),
    /// Usually from 0 to 1.
    F32(Vec<[f32; 4]>),
}

impl Colors {
    /// Number of colours: that of the vertices.
    pub fn len(&self) -> usize {
        match self {
            Colors::U8(values) => values.len(),
            Colors::F32(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The colours as numbers from 0 to 1.
    pub fn into_f32(self) -> Vec<[f32; 4]> {
        match self {
            Colors::U8(values) => {
                values.into_iter().map(|color| color.map(|channel| f32::from(channel) / 255.0)).collect()
            }
            Colors::F32(values) => values,
        }
    }

    /// The colours as bytes, and the largest distance of one from what it was, in units of 1.0.
    pub fn into_u8(self) -> (Vec<[u8; 4]>, f32) {
        match self {
            Colors::U8(values) => (values, 0.0),
            Colors::F32(values) => {
                let mut worst = 0.0_f32;
                let colors = values.into_iter().map(|color| {
                    color.map(|channel| {
                        // A saturating cast; not-a-number becomes 0.
                        let byte = (channel * 255.0).round() as u8;
                        worst = worst.max((channel - f32::from(byte) / 255.0).abs());
                        byte
                    })
                });
                (colors.collect(), worst)
            }
        }
    }
}

/// An attribute without a meaning to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// The name in the source.
    pub name: String,
    /// Number of components of each value, 1 to 4.
    pub components: usize,
    /// The components, vertex after vertex.
    pub values: Components,
}

impl Custom {
    /// Whether it has the same name and type.
    pub(super) fn is_like(&self, other: &Custom) -> bool {
        let kind = std::mem::discriminant::<Components>;
        self.name == other.name
            && self.components == other.components
            && kind(&self.values) == kind(&other.values)
    }

    /// An attribute like this with zeros for so many vertices.
    pub(super) fn zeros(&self, vertices: usize) -> Custom {
        let Custom { name, components, values } = self;
        Custom { name: name.clone(), components: *components, values: values.zeros(vertices * components) }
    }
}

/// Numbers of one kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Components {
    /// Floats.
    F32(Vec<f32>),
    /// Floats of 64 bits.
    F64(Vec<f64>),
    /// Bytes.
    U8(Vec<u8>),
    /// Signed bytes.
    I8(Vec<i8>),
    /// 16 bits.
    U16(Vec<u16>),
    /// 16 bits, signed.
    I16(Vec<i16>),
    /// 32 bits.
    U32(Vec<u32>),
    /// 32 bits, signed.
    I32(Vec<i32>),
}

/// Does the same to whichever list of numbers it is.
macro_rules! each_kind {
    ($components:expr, $values:ident => $result:expr) => {
        match $components {
            Components::F32($values) => $result,
            Components::F64($values) => $result,
            Components::U8($values) => $result,
            Components::I8($values) => $result,
            Components::U16($values) => $result,
            Components::I16($values) => $result,
            Components::U32($values) => $result,
            Components::I32($values) => $result,
        }
    };
}

impl Components {
    /// Number of components: that of the vertices times that of each.
    pub fn len(&self) -> usize {
        each_kind!(self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers one after the other, little-endian.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        each_kind!(self, values => bulk::as_bytes(values).into_owned())
    }

    /// Size of a number in bytes.
    pub(super) fn size(&self) -> usize {
        each_kind!(self, values => size_of_val(&values[..]).checked_div(values.len()).unwrap_or(0))
    }

    /// The numbers as they lie in memory.
    pub(super) fn as_bytes(&self) -> &[u8] {
        each_kind!(self, values => bytemuck::cast_slice(values))
    }

    /// The numbers at these places, in this order.
    pub(super) fn select(&self, places: &[usize]) -> Components {
        fn gather<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
            places.iter().filter_map(|place| values.get(*place).copied()).collect()
        }
        match self {
            Components::F32(values) => Components::F32(gather(values, places)),
            Components::F64(values) => Components::F64(gather(values, places)),
            Components::U8(values) => Components::U8(gather(values, places)),
            Components::I8(values) => Components::I8(gather(values, places)),
            Components::U16(values) => Components::U16(gather(values, places)),
            Components::I16(values) => Components::I16(gather(values, places)),
            Components::U32(values) => Components::U32(gather(values, places)),
            Components::I32(values) => Components::I32(gather(values, places)),
        }
    }

    /// As many zeros of the same kind.
    pub(super) fn zeros(&self, count: usize) -> Components {
        match self {
            Components::F32(_) => Components::F32(vec![0.0; count]),
            Components::F64(_) => Components::F64(vec![0.0; count]),
            Components::U8(_) => Components::U8(vec![0; count]),
            Components::I8(_) => Components::I8(vec![0; count]),
            Components::U16(_) => Components::U16(vec![0; count]),
            Components::I16(_) => Components::I16(vec![0; count]),
            Components::U32(_) => Components::U32(vec![0; count]),
            Components::I32(_) => Components::I32(vec![0; count]),
        }
    }

    /// Adds numbers of the same kind at the end.
    pub(super) fn append(&mut self, more: Components) {
        match (self, more) {
            (Components::F32(all), Components::F32(more)) => all.extend(more),
            (Components::F64(all), Components::F64(more)) => all.extend(more),
            (Components::U8(all), Components::U8(more)) => all.extend(more),
            (Components::I8(all), Components::I8(more)) => all.extend(more),
            (Components::U16(all), Components::U16(more)) => all.extend(more),
            (Components::I16(all), Components::I16(more)) => all.extend(more),
            (Components::U32(all), Components::U32(more)) => all.extend(more),
            (Components::I32(all), Components::I32(more)) => all.extend(more),
            // `share_attributes` has seen to it that the kinds are the same.
            _ => {}
        }
    }
}

/// The faces of a mesh: which vertices are the corners of each, counter-clockwise seen from the front.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faces {
    /// The corners of one face after the other. `None`: the vertices as they stand.
    pub indices: Option<Indices>,
    /// Number of corners of each face. `None`: three each.
    pub corners: Option<Vec<u32>>,
}

/// Indices of vertices, as wide as the source has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indices {
    /// 16 bits each.
    U16(Vec<u16>),
    /// 32 bits each.
    U32(Vec<u32>),
}

impl Indices {
    /// Number of indices.
    pub fn len(&self) -> usize {
        match self {
            Indices::U16(values) => values.len(),
            Indices::U32(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest index.
    pub fn max(&self) -> Option<u32> {
        match self {
            Indices::U16(values) => values.iter().copied().reduce(u16::max).map(u32::from),
            Indices::U32(values) => values.iter().copied().reduce(u32::max),
        }
    }

    /// The index at this position.
    pub fn get(&self, position: usize) -> Option<u32> {
        match self {
            Indices::U16(values) => values.get(position).map(|index| u32::from(*index)),
            Indices::U32(values) => values.get(position).copied(),
        }
    }

    /// The indices, widened.
    pub fn into_u32(self) -> Vec<u32> {
        match self {
            Indices::U16(values) => values.into_iter().map(u32::from).collect(),
            Indices::U32(values) => values,
        }
    }
}

impl Faces {
    /// Triangles with these corners.
    pub fn triangles(indices: Vec<u32>) -> Faces {
        Faces { indices: Some(Indices::U32(indices)), corners: None }
    }

    /// Number of corners of all faces together, in a mesh of this many vertices.
    pub fn corner_count(&self, vertices: usize) -> usize {
        self.indices.as_ref().map_or(vertices, Indices::len)
    }

    /// Gives the corners indices where the vertices were used as they stand.
    pub(super) fn number(&mut self, vertices: usize) {
        self.indices.get_or_insert_with(|| Indices::U32((0..vertices as u32).collect()));
    }

    /// Drops the corners after the last triangle. Returns how many there were.
    pub(super) fn drop_spare_corners(&mut self, vertices: usize) -> usize {
        if self.corners.is_some() {
            return 0;
        }
        let corners = self.corner_count(vertices);
        let spare = corners % 3;
        if spare > 0 {
            self.number(vertices);
        }
        match &mut self.indices {
            Some(Indices::U16(values)) => values.truncate(corners - spare),
            Some(Indices::U32(values)) => values.truncate(corners - spare),
            None => {}
        }
        spare
    }

    /// Drops the triangles that refer to vertices beyond these. Returns how many there were.
    #[cfg(feature = "gltf")]
    pub(crate) fn drop_missing_vertices(&mut self, vertices: usize) -> usize {
        let is_missing =
            self.indices.as_ref().and_then(Indices::max).is_some_and(|max| max as usize >= vertices);
        let Some(indices) = self.indices.take_if(|_| is_missing).map(Indices::into_u32) else { return 0 };
        let all = indices.as_chunks::<3>().0;
        let there = |triangle: &&[u32; 3]| triangle.iter().all(|corner| (*corner as usize) < vertices);
        let kept: Vec<[u32; 3]> = all.iter().filter(there).copied().collect();
        let missing = all.len() - kept.len();
        self.indices = Some(Indices::U32(kept.into_flattened()));
        missing
    }

    /// Turns every face over: the corners in the other order, from the same first one.
    pub(super) fn reverse(&mut self, vertices: usize) {
        self.number(vertices);
        let corners = self.corners.as_deref();
        match &mut self.indices {
            Some(Indices::U16(values)) => reverse_each(values, corners),
            Some(Indices::U32(values)) => reverse_each(values, corners),
            None => {}
        }
    }
}

fn reverse_each<T>(mut indices: &mut [T], corners: Option<&[u32]>) {
    let Some(corners) = corners else {
        return indices.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
    };
    for &count in corners {
        let Some((face, rest)) = indices.split_at_mut_checked(count as usize) else { return };
        if let Some((_, others)) = face.split_first_mut() {
            others.reverse();
        }
        indices = rest;
    }
}
