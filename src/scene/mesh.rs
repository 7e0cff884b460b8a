//! Meshes: vertex attributes, one list each, and faces.

use super::material::to_byte;
use super::{Extras, Material, Placement, Skin, UvOrigin};
use crate::bulk;

/// A mesh with a single material.
///
/// ```
/// use meshspec::scene::{Colors, Faces, Indices, Mesh, Scene};
///
/// let mut quad = Mesh {
///     positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
///     faces: Faces { indices: Some(Indices::U16(vec![0, 1, 2, 3])), corners: Some(vec![4]) },
///     colors: vec![Colors::U8(vec![[255, 0, 0, 255]; 4])],
///     ..Mesh::default()
/// };
/// quad.generate_normals();
/// assert_eq!(quad.normals.as_ref().unwrap()[0], [0.0, 0.0, 1.0]);
/// let scene = Scene { meshes: vec![quad], ..Scene::default() };
/// assert_eq!(scene.triangles().count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// The name; empty for an unnamed mesh.
    pub name: String,
    /// The material.
    pub material: Material,
    /// The position (X, Y, Z) of each vertex in metres. `placements` transform it to model space.
    pub positions: Vec<[f32; 3]>,
    /// The positions in 64 bits; `None` unless 32 bits are too coarse, as in a small mesh far from the origin. Edits
    /// apply to these positions, and then update `positions`, the rounded values that formats write.
    pub exact_positions: Option<Vec<[f64; 3]>>,
    /// The nodes that reference the mesh. Empty for a single node without a transform, instances, extras, or a name
    /// other than that of the mesh.
    pub placements: Vec<Placement>,
    /// Whether the source has 2D positions: z is 0 in the axes of the source. A change of axes keeps this flag.
    pub flat: bool,
    /// Normals (X, Y, Z), one per vertex.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangents (X, Y, Z) with the handedness of the bitangent, 1 or −1, one per vertex.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Sets of texture coordinates (U, V). Each set has one pair per vertex.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// The corner of images at texture coordinate (0, 0).
    pub uv_origin: UvOrigin,
    /// Sets of colours. Each set has one colour per vertex.
    pub colors: Vec<Colors>,
    /// Sets of joints and weights. Each set binds a vertex to at most four joints.
    pub skins: Vec<Skin>,
    /// Application-specific attributes.
    pub custom: Vec<CustomAttribute>,
    /// The faces.
    pub faces: Faces,
    /// Application-specific data.
    pub extras: Extras,
}

/// Linear colours (red, green, blue, alpha), one per vertex, in the precision of the source.
///
/// ```
/// use meshspec::scene::Colors;
///
/// let (bytes, error) = Colors::F32(vec![[1.0, 0.0, 1.25, 1.0]]).into_u8(); // 1.25 is clamped to 1.
/// assert_eq!(bytes, [[255, 0, 255, 255]]);
/// assert!(error >= 0.25 && error < 0.250001);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Colors {
    /// Bytes; 255 represents 1.0.
    U8(Vec<[u8; 4]>),
    /// Floats, usually from 0 to 1.
    F32(Vec<[f32; 4]>),
}

impl Colors {
    /// Converts the colours to bytes. Returns them with a bound of the rounding and clamping error of a channel, where 1.0
    /// is full intensity.
    pub fn into_u8(self) -> (Vec<[u8; 4]>, f64) {
        match self {
            Colors::U8(values) => (values, 0.0),
            Colors::F32(values) => {
                let mut worst = 0.0_f64;
                (
                    values
                        .into_iter()
                        .map(|color| color.map(|c| to_byte(c, &mut worst)))
                        .collect(),
                    worst,
                )
            }
        }
    }
}

/// An application-specific vertex attribute.
///
/// ```
/// use meshspec::scene::{Components, CustomAttribute, Mesh, Scene};
///
/// let heat = Components::F32(vec![20.0, 21.5, 19.0]);
/// let heat = CustomAttribute { name: "heat".to_owned(), components: 1, values: heat };
/// let mesh = Mesh { positions: vec![[0.0; 3]; 3], custom: vec![heat], ..Mesh::default() };
/// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// assert!(scene.check().is_ok());
/// scene.meshes[0].positions.pop();
/// assert!(scene.check().is_err()); // Three values for two vertices.
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CustomAttribute {
    /// The name in the source.
    pub name: String,
    /// The number of components per vertex, 1 to 4.
    pub components: usize,
    /// The components, interleaved by vertex.
    pub values: Components,
}

impl CustomAttribute {
    /// Returns `true` if name, component count and component type are equal.
    pub(super) fn is_same_attribute(&self, other: &CustomAttribute) -> bool {
        let component_type = std::mem::discriminant::<Components>;
        self.name == other.name
            && self.components == other.components
            && component_type(&self.values) == component_type(&other.values)
    }

    /// Returns an attribute with the same name and type, and zeros for `vertices` vertices.
    pub(super) fn zeros(&self, vertices: usize) -> CustomAttribute {
        let CustomAttribute {
            name,
            components,
            values,
        } = self;
        let values = values.zeros(vertices * components);
        CustomAttribute {
            name: name.clone(),
            components: *components,
            values,
        }
    }
}

/// A list of numbers of one component type.
#[derive(Debug, Clone, PartialEq)]
pub enum Components {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// Unsigned bytes.
    U8(Vec<u8>),
    /// Signed bytes.
    I8(Vec<i8>),
    /// Unsigned 16-bit integers.
    U16(Vec<u16>),
    /// Signed 16-bit integers.
    I16(Vec<i16>),
    /// Unsigned 32-bit integers.
    U32(Vec<u32>),
    /// Signed 32-bit integers.
    I32(Vec<i32>),
}

/// Evaluates `$result` with `$values` bound to the numbers in `$components`, whatever their type.
macro_rules! match_components {
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
    /// Returns the total number of components of all vertices.
    pub fn len(&self) -> usize {
        match_components!(self, values => values.len())
    }

    /// Returns `true` if there are no components.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the numbers as little-endian bytes.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        match_components!(self, values => bulk::as_bytes(values).into_owned())
    }

    /// Returns the size of one number in bytes; 0 if the list is empty.
    pub(super) fn size(&self) -> usize {
        match_components!(self, values => size_of_val(&values[..]).checked_div(values.len()).unwrap_or(0))
    }

    /// Returns the numbers as bytes in native order.
    pub(super) fn as_bytes(&self) -> &[u8] {
        match_components!(self, values => bytemuck::cast_slice(values))
    }

    /// Returns the numbers at `indices`, in the order of `indices`; skips indices past the end.
    pub(super) fn select(&self, indices: &[usize]) -> Components {
        match self {
            Components::F32(values) => Components::F32(gather(values, indices)),
            Components::F64(values) => Components::F64(gather(values, indices)),
            Components::U8(values) => Components::U8(gather(values, indices)),
            Components::I8(values) => Components::I8(gather(values, indices)),
            Components::U16(values) => Components::U16(gather(values, indices)),
            Components::I16(values) => Components::I16(gather(values, indices)),
            Components::U32(values) => Components::U32(gather(values, indices)),
            Components::I32(values) => Components::I32(gather(values, indices)),
        }
    }

    /// Returns `count` zeros of the same type.
    pub(super) fn zeros(&self, count: usize) -> Components {
        let mut zeros = self.select(&[]);
        match_components!(&mut zeros, values => values.resize(count, Default::default()));
        zeros
    }

    /// Appends numbers of the same type.
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
            // Unreachable: `share_attributes` made the types equal.
            _ => {}
        }
    }
}

/// Returns the values at `indices`; skips indices past the end.
pub(super) fn gather<T: Copy>(values: &[T], indices: &[usize]) -> Vec<T> {
    indices
        .iter()
        .filter_map(|index| values.get(*index).copied())
        .collect()
}

/// The faces of a mesh. Seen from the front, their corners are in counter-clockwise order.
///
/// ```
/// use meshspec::scene::{Faces, Indices};
///
/// // A quadrilateral and a triangle over five vertices.
/// let indices = Indices::U16(vec![0, 1, 2, 3, 3, 2, 4]);
/// let faces = Faces { indices: Some(indices), corners: Some(vec![4, 3]) };
/// assert_eq!(faces.corner_count(5), 7);
/// faces.for_each_triangle(5, |[a, b, c]| println!("{a} {b} {c}")); // 0 1 2, 0 2 3 and 3 2 4
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faces {
    /// The vertex indices of the corners, in face order. `None` if the corners are the vertices in order.
    pub indices: Option<Indices>,
    /// The number of corners of each face. `None` for triangles.
    pub corners: Option<Vec<u32>>,
}

/// Vertex indices, in the width of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indices {
    /// 16-bit indices.
    U16(Vec<u16>),
    /// 32-bit indices.
    U32(Vec<u32>),
}

impl Indices {
    /// Returns the number of indices.
    pub fn len(&self) -> usize {
        match self {
            Indices::U16(values) => values.len(),
            Indices::U32(values) => values.len(),
        }
    }

    /// Returns `true` if there are no indices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the largest index; `None` if there are no indices.
    pub fn max(&self) -> Option<u32> {
        match self {
            Indices::U16(values) => values.iter().copied().reduce(u16::max).map(u32::from),
            Indices::U32(values) => values.iter().copied().reduce(u32::max),
        }
    }

    /// Returns the index at `position`; `None` past the end.
    pub fn get(&self, position: usize) -> Option<u32> {
        match self {
            Indices::U16(values) => values.get(position).map(|index| u32::from(*index)),
            Indices::U32(values) => values.get(position).copied(),
        }
    }

    /// Widens the indices to 32 bits.
    pub fn into_u32(self) -> Vec<u32> {
        match self {
            Indices::U16(values) => values.into_iter().map(u32::from).collect(),
            Indices::U32(values) => values,
        }
    }
}

impl Faces {
    /// Creates triangles from vertex indices.
    pub fn triangles(indices: Vec<u32>) -> Faces {
        Faces {
            indices: Some(Indices::U32(indices)),
            corners: None,
        }
    }

    /// Returns the total number of corners in a mesh of `vertices` vertices.
    pub fn corner_count(&self, vertices: usize) -> usize {
        self.indices.as_ref().map_or(vertices, Indices::len)
    }

    /// Adds the indices 0 to `vertices` − 1 if there are no indices.
    pub(super) fn add_sequential_indices(&mut self, vertices: usize) {
        self.indices
            .get_or_insert_with(|| Indices::U32((0..vertices as u32).collect()));
    }

    /// Drops one or two surplus corners after the last triangle, unless `corners` contains the face sizes. Returns the
    /// number of dropped corners.
    pub(super) fn drop_surplus_corners(&mut self, vertices: usize) -> usize {
        if self.corners.is_some() {
            return 0;
        }
        let corners = self.corner_count(vertices);
        let surplus = corners % 3;
        if surplus > 0 {
            self.add_sequential_indices(vertices);
        }
        match &mut self.indices {
            Some(Indices::U16(values)) => values.truncate(corners - surplus),
            Some(Indices::U32(values)) => values.truncate(corners - surplus),
            None => {}
        }
        surplus
    }

    /// Drops triangles with an index that is not below `vertices`. Returns the number of dropped triangles.
    #[cfg(feature = "gltf")]
    pub(crate) fn drop_invalid_triangles(&mut self, vertices: usize) -> usize {
        let is_missing =
            |indices: &mut Indices| indices.max().is_some_and(|max| max as usize >= vertices);
        let Some(indices) = self.indices.take_if(is_missing).map(Indices::into_u32) else {
            return 0;
        };
        let all = indices.as_chunks::<3>().0;
        let is_valid =
            |triangle: &&[u32; 3]| triangle.iter().all(|corner| (*corner as usize) < vertices);
        let kept: Vec<[u32; 3]> = all.iter().filter(is_valid).copied().collect();
        let missing = all.len() - kept.len();
        self.indices = Some(Indices::U32(kept.into_flattened()));
        missing
    }

    /// Maps all vertex indices with `map`, which must not increase them.
    pub(super) fn map_indices(&mut self, map: impl Fn(u32) -> u32) {
        match &mut self.indices {
            Some(Indices::U16(values)) => values
                .iter_mut()
                .for_each(|index| *index = map((*index).into()) as u16),
            Some(Indices::U32(values)) => values.iter_mut().for_each(|index| *index = map(*index)),
            None => {}
        }
    }

    /// Reverses the winding of every face, keeping its first corner.
    pub(super) fn reverse_winding(&mut self, vertices: usize) {
        self.add_sequential_indices(vertices);
        let corners = self.corners.as_deref();
        match &mut self.indices {
            Some(Indices::U16(values)) => reverse_each_face(values, corners),
            Some(Indices::U32(values)) => reverse_each_face(values, corners),
            None => {}
        }
    }
}

fn reverse_each_face<T>(mut indices: &mut [T], corners: Option<&[u32]>) {
    let Some(corners) = corners else {
        return indices
            .as_chunks_mut::<3>()
            .0
            .iter_mut()
            .for_each(|[_, b, c]| std::mem::swap(b, c));
    };
    for &count in corners {
        let Some((face, rest)) = indices.split_at_mut_checked(count as usize) else {
            return;
        };
        if let Some((_, others)) = face.split_first_mut() {
            others.reverse();
        }
        indices = rest;
    }
}
