//! Reads accessors, including sparse ones and those without a buffer view.

use ::gltf::json::accessor::{ComponentType, Type};
use ::gltf::json::validation::Checked;

use super::errors::malformed;
use super::file::GltfFile;
use crate::{Error, Limit, Result, bulk};

/// The maximum size in bytes of an accessor without a buffer view, whose values are all 0.
const MAX_ZEROS: u64 = 64 << 20;

/// An accessor whose values are all in range.
pub(super) struct Accessor<'a> {
    file: &'a GltfFile<'a>,
    index: usize,
    pub kind: ComponentType,
    pub normalized: bool,
    /// The number of components per value; 16 for 4 × 4 matrices.
    pub components: usize,
    pub count: usize,
    /// The values; `None` if all are 0.
    values: Option<Values<'a>>,
    /// The sparse substitution: indices and values.
    sparse: Option<(Vec<usize>, Values<'a>)>,
}

/// Values with a stride.
struct Values<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Values<'a> {
    fn get(&self, index: usize) -> &'a [u8] {
        self.bytes.get(index * self.stride..).and_then(|rest| rest.get(..self.size)).unwrap_or_default()
    }
}

impl<'a> GltfFile<'a> {
    /// # Errors
    ///
    /// Returns an error if values are outside the file or exceed the limits.
    pub fn accessor(&'a self, index: usize) -> Result<Accessor<'a>> {
        self.accessor_of(index, None)
    }

    /// Returns the accessor, with tightly packed `unpacked` values in place of those of its view.
    ///
    /// # Errors
    ///
    /// Returns an error if values are outside the file or exceed the limits.
    pub fn accessor_of(&'a self, index: usize, unpacked: Option<&'a [u8]>) -> Result<Accessor<'a>> {
        let path = format!("accessors[{index}]");
        let Some(entry) = self.root.accessors.get(index) else {
            return Err(malformed(
                path,
                format!("out of range: the accessor count is {}", self.root.accessors.len()),
            ));
        };
        let (Checked::Valid(kind), Checked::Valid(ty)) = (entry.component_type, entry.type_) else {
            return Err(malformed(path, "unknown type"));
        };
        let Some(components) = components(ty) else {
            return Err(Error::unsupported("matrices with 2 or 3 columns are unsupported").at_text(path));
        };
        let size = components * kind.0.size();
        let offset = entry.byte_offset.map_or(0, |offset| offset.0);
        let count = entry.count.0;
        let values = match (unpacked, entry.buffer_view) {
            (Some(bytes), _) => Some(Values { bytes, stride: size, size }),
            (None, Some(view)) => {
                Some(self.values(view.value(), offset, count, size).map_err(|e| e.or_at(&path))?)
            }
            (None, None) if count.checked_mul(size as u64).is_none_or(|bytes| bytes > MAX_ZEROS) => {
                let message = format!("{count} values without a buffer view");
                return Err(Error::limit_exceeded(Limit::Fixed, message).at_text(path));
            }
            (None, None) => None,
        };
        let sparse = match &entry.sparse {
            Some(sparse) => Some(self.sparse(sparse, count, size).map_err(|error| error.or_at(&path))?),
            None => None,
        };
        let normalized = entry.normalized;
        Ok(Accessor {
            file: self,
            index,
            kind: kind.0,
            normalized,
            components,
            count: count as usize,
            values,
            sparse,
        })
    }

    fn values(&self, view: usize, offset: u64, count: u64, size: usize) -> Result<Values<'_>, Fault> {
        let (bytes, stride) = self.view(view).map_err(Fault::Elsewhere)?;
        let stride = stride.unwrap_or(size);
        let last = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride as u64));
        let end = last.and_then(|last| last.checked_add(size as u64)?.checked_add(offset));
        let end = if count == 0 { Some(offset) } else { end };
        match end {
            Some(end) if end <= bytes.len() as u64 && stride >= size => {
                let bytes = bytes.get(offset as usize..end as usize).unwrap_or_default();
                Ok(Values { bytes, stride, size })
            }
            _ => Err(Fault::Here(format!(
                "{count} values of {size} bytes with stride {stride} from offset {offset}, \
                 but bufferViews[{view}] has {} bytes",
                bytes.len()
            ))),
        }
    }

    fn sparse(
        &self,
        sparse: &::gltf::json::accessor::sparse::Sparse,
        count: u64,
        size: usize,
    ) -> Result<(Vec<usize>, Values<'_>), Fault> {
        let replaced = sparse.count.0;
        let Checked::Valid(kind) = sparse.indices.component_type else {
            return Err(Fault::Here("unknown component type of sparse indices".to_owned()));
        };
        let offset = sparse.indices.byte_offset.0;
        let indices = self.values(sparse.indices.buffer_view.value(), offset, replaced, kind.0.size())?;
        let values =
            self.values(sparse.values.buffer_view.value(), sparse.values.byte_offset.0, replaced, size)?;
        let convert = integer(kind.0);
        // `values` has checked that the file holds this many indices.
        let indices: Vec<usize> =
            (0..replaced as usize).map(|index| convert(indices.get(index)) as usize).collect();
        match indices.iter().find(|index| **index as u64 >= count) {
            Some(index) => {
                Err(Fault::Here(format!("sparse index {index} is not below the value count {count}")))
            }
            None => Ok((indices, values)),
        }
    }
}

/// The error of an accessor or of an object that it refers to.
enum Fault {
    Here(String),
    Elsewhere(Error),
}

impl Fault {
    fn or_at(self, path: &str) -> Error {
        match self {
            Fault::Here(message) => malformed(path, message),
            Fault::Elsewhere(error) => error,
        }
    }
}

impl Accessor<'_> {
    /// Returns an error at this accessor.
    pub fn reject(&self, message: impl ToString) -> Error {
        malformed(format!("accessors[{}]", self.index), message)
    }

    fn require_components(&self, components: usize) -> Result<()> {
        match self.components == components {
            true => Ok(()),
            false => Err(self.reject(format!("{} components, expected {components}", self.components))),
        }
    }

    /// Returns the values as floats. Normalized integers map to 0 to 1, or to −1 to 1 if signed.
    pub fn floats<const N: usize>(&self) -> Result<Vec<[f32; N]>>
    where
        [f32; N]: bytemuck::Pod,
    {
        match self.kind {
            ComponentType::F32 => self.plain(float(self.kind, self.normalized)),
            _ => self.collect(float(self.kind, self.normalized)),
        }
    }

    /// Returns all values, whose components are stored as `T`. Copies tightly packed values in bulk.
    pub fn plain<T: Copy + Default, const N: usize>(
        &self,
        convert: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<[T; N]>>
    where
        [T; N]: bulk::Plain,
    {
        self.require_components(N)?;
        match &self.values {
            Some(values) if self.sparse.is_none() && values.stride == size_of::<[T; N]>() => {
                self.file.spend(values.bytes.len() as u64, || format!("accessors[{}]", self.index))?;
                Ok(bulk::to_vec(values.bytes))
            }
            _ => self.collect(convert),
        }
    }

    /// Returns the values as integers, widened without normalization.
    pub fn integers<const N: usize>(&self) -> Result<Vec<[u32; N]>> {
        self.require_components(N)?;
        self.collect(integer(self.kind))
    }

    /// Returns the components as a flat list, for values of one to four components.
    pub fn flat<T: Copy + Default>(&self, convert: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
        match self.components {
            1 => Ok(self.collect::<T, 1>(convert)?.into_flattened()),
            2 => Ok(self.collect::<T, 2>(convert)?.into_flattened()),
            3 => Ok(self.collect::<T, 3>(convert)?.into_flattened()),
            _ => Ok(self.collect::<T, 4>(convert)?.into_flattened()),
        }
    }

    /// Returns all values, each component converted by `convert`.
    pub fn collect<T: Copy + Default, const N: usize>(
        &self,
        convert: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<[T; N]>> {
        self.require_components(N)?;
        let size = (self.count as u64).saturating_mul(size_of::<[T; N]>() as u64);
        self.file.spend(size, || format!("accessors[{}]", self.index))?;
        let width = self.kind.size();
        let value = |bytes: &[u8]| -> [T; N] {
            std::array::from_fn(|lane| convert(bytes.get(lane * width..).unwrap_or_default()))
        };
        let mut all = match &self.values {
            Some(values) => (0..self.count).map(|index| value(values.get(index))).collect(),
            None => vec![[T::default(); N]; self.count],
        };
        if let Some((indices, values)) = &self.sparse {
            for (place, index) in indices.iter().enumerate() {
                all[*index] = value(values.get(place));
            }
        }
        Ok(all)
    }
}

/// Returns the number of components; `None` for matrices with padded columns.
pub(super) fn components(ty: Type) -> Option<usize> {
    match ty {
        Type::Scalar => Some(1),
        Type::Vec2 => Some(2),
        Type::Vec3 => Some(3),
        Type::Vec4 => Some(4),
        Type::Mat4 => Some(16),
        Type::Mat2 | Type::Mat3 => None,
    }
}

/// Converts the first `N` bytes to a number; 0 if there are fewer.
pub(super) fn number<const N: usize, T>(bytes: &[u8], convert: fn([u8; N]) -> T) -> T {
    convert(bytes.first_chunk().copied().unwrap_or([0; N]))
}

/// Returns the conversion of a component to a float.
pub(super) fn float(kind: ComponentType, normalized: bool) -> fn(&[u8]) -> f32 {
    match (kind, normalized) {
        (ComponentType::F32, _) => |bytes| number(bytes, f32::from_le_bytes),
        (ComponentType::U32, _) => |bytes| number(bytes, u32::from_le_bytes) as f32,
        (ComponentType::I8, false) => |bytes| f32::from(number(bytes, i8::from_le_bytes)),
        (ComponentType::U8, false) => |bytes| f32::from(number(bytes, u8::from_le_bytes)),
        (ComponentType::I16, false) => |bytes| f32::from(number(bytes, i16::from_le_bytes)),
        (ComponentType::U16, false) => |bytes| f32::from(number(bytes, u16::from_le_bytes)),
        (ComponentType::I8, true) => |bytes| (f32::from(number(bytes, i8::from_le_bytes)) / 127.0).max(-1.0),
        (ComponentType::U8, true) => |bytes| f32::from(number(bytes, u8::from_le_bytes)) / 255.0,
        (ComponentType::I16, true) => {
            |bytes| (f32::from(number(bytes, i16::from_le_bytes)) / 32_767.0).max(-1.0)
        }
        (ComponentType::U16, true) => |bytes| f32::from(number(bytes, u16::from_le_bytes)) / 65_535.0,
    }
}

/// Returns the conversion of a component to an integer; floats are truncated.
fn integer(kind: ComponentType) -> fn(&[u8]) -> u32 {
    match kind {
        ComponentType::I8 | ComponentType::U8 => |bytes| number(bytes, u8::from_le_bytes).into(),
        ComponentType::I16 | ComponentType::U16 => |bytes| number(bytes, u16::from_le_bytes).into(),
        ComponentType::U32 => |bytes| number(bytes, u32::from_le_bytes),
        ComponentType::F32 => |bytes| number(bytes, f32::from_le_bytes) as u32,
    }
}
