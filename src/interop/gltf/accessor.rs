//! Reads accessors, including sparse accessors and accessors without a buffer view.

use ::gltf::json::accessor::sparse::Sparse;
use ::gltf::json::accessor::{ComponentType, Type};
use ::gltf::json::validation::Checked;

use super::errors::malformed;
use super::file::GltfFile;
use crate::bulk::{self, PlainData};
use crate::{Error, Limit, Result};

/// The maximum size in bytes of an accessor without a buffer view, whose values default to 0.
const MAX_ZEROS: u64 = 64 << 20;

/// An accessor whose values are known to be inside their buffers.
pub(super) struct Accessor<'a> {
    file: &'a GltfFile<'a>,
    index: usize,
    pub component_type: ComponentType,
    pub normalized: bool,
    /// The number of components per value; 16 for 4 × 4 matrices.
    pub components: usize,
    pub count: usize,
    /// The values before the sparse substitution; `None` if there is no buffer view, so that all values are 0.
    values: Option<Strided<'a>>,
    /// The sparse substitution: indices and values.
    sparse: Option<(Vec<usize>, Strided<'a>)>,
}

/// Values of `size` bytes each, at multiples of `stride`.
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Strided<'a> {
    fn get(&self, index: usize) -> &'a [u8] {
        self.bytes
            .get(index * self.stride..)
            .and_then(|rest| rest.get(..self.size))
            .unwrap_or_default()
    }
}

impl<'a> GltfFile<'a> {
    /// Returns an accessor, or an error if it is missing, invalid or unsupported, or exceeds the limits.
    pub fn accessor(&'a self, index: usize) -> Result<Accessor<'a>> {
        self.accessor_with_values(index, None)
    }

    /// Returns the accessor with the given index. If `decoded` is `Some`, these tightly packed values replace its
    /// buffer view. Returns an error if the accessor is missing, invalid or unsupported, or exceeds the limits.
    pub fn accessor_with_values(
        &'a self,
        index: usize,
        decoded: Option<&'a [u8]>,
    ) -> Result<Accessor<'a>> {
        let path = format!("accessors[{index}]");
        let Some(entry) = self.root.accessors.get(index) else {
            let count = self.root.accessors.len();
            return Err(malformed(
                path,
                format!("out of range: the accessor count is {count}"),
            ));
        };
        let (Checked::Valid(component_type), Checked::Valid(ty)) =
            (entry.component_type, entry.type_)
        else {
            return Err(malformed(path, "unknown type"));
        };
        let Some(components) = component_count(ty) else {
            return Err(
                Error::unsupported("matrices with 2 or 3 columns are unsupported").at_text(path),
            );
        };
        let size = components * component_type.0.size();
        let offset = entry.byte_offset.map_or(0, |offset| offset.0);
        let count = entry.count.0;
        let values = match (decoded, entry.buffer_view) {
            (Some(bytes), _) => Some(Strided {
                bytes,
                stride: size,
                size,
            }),
            (None, Some(view)) => Some(self.strided(&path, view.value(), offset, count, size)?),
            (None, None)
                if count
                    .checked_mul(size as u64)
                    .is_none_or(|bytes| bytes > MAX_ZEROS) =>
            {
                let message = format!("{count} values without a buffer view");
                return Err(Error::limit_exceeded(Limit::Fixed, message).at_text(path));
            }
            (None, None) => None,
        };
        let sparse = entry
            .sparse
            .as_ref()
            .map(|sparse| self.read_sparse(&path, sparse, count, size));
        let sparse = sparse.transpose()?;
        Ok(Accessor {
            file: self,
            index,
            component_type: component_type.0,
            normalized: entry.normalized,
            components,
            count: count as usize,
            values,
            sparse,
        })
    }

    /// Returns `count` values of `size` bytes each in a buffer view. Errors about the values are located at `path`.
    fn strided(
        &self,
        path: &str,
        view: usize,
        offset: u64,
        count: u64,
        size: usize,
    ) -> Result<Strided<'_>> {
        let (bytes, stride) = self.view(view)?;
        let stride = stride.unwrap_or(size);
        let last = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride as u64));
        let end = last.and_then(|last| last.checked_add(size as u64)?.checked_add(offset));
        let end = if count == 0 { Some(offset) } else { end };
        match end {
            Some(end) if end <= bytes.len() as u64 && stride >= size => {
                let bytes = bytes.get(offset as usize..end as usize).unwrap_or_default();
                Ok(Strided {
                    bytes,
                    stride,
                    size,
                })
            }
            _ => {
                let values = format!(
                    "{count} values of {size} bytes with stride {stride} from offset {offset}"
                );
                let message = format!(
                    "{values}, but bufferViews[{view}] has {} bytes",
                    bytes.len()
                );
                Err(malformed(path, message))
            }
        }
    }

    /// Returns the indices and values of a sparse substitution. Errors about them are located at `path`.
    fn read_sparse(
        &self,
        path: &str,
        Sparse {
            count: replaced,
            indices,
            values,
            ..
        }: &Sparse,
        count: u64,
        size: usize,
    ) -> Result<(Vec<usize>, Strided<'_>)> {
        let replaced = replaced.0;
        let Checked::Valid(kind) = indices.component_type else {
            return Err(malformed(path, "unknown component type of sparse indices"));
        };
        let (view, offset) = (indices.buffer_view.value(), indices.byte_offset.0);
        let indices = self.strided(path, view, offset, replaced, kind.0.size())?;
        let (view, offset) = (values.buffer_view.value(), values.byte_offset.0);
        let values = self.strided(path, view, offset, replaced, size)?;
        let convert = integer_converter(kind.0);
        // `strided` has checked that the buffer contains this many indices.
        let indices: Vec<usize> = (0..replaced as usize)
            .map(|i| convert(indices.get(i)) as usize)
            .collect();
        match indices.iter().find(|index| **index as u64 >= count) {
            Some(index) => Err(malformed(
                path,
                format!("sparse index {index} is not below the value count {count}"),
            )),
            None => Ok((indices, values)),
        }
    }
}

impl Accessor<'_> {
    fn path(&self) -> String {
        format!("accessors[{}]", self.index)
    }

    /// Returns an error with the path of the accessor.
    pub fn reject(&self, message: impl ToString) -> Error {
        malformed(self.path(), message)
    }

    fn require_components(&self, components: usize) -> Result<()> {
        match self.components == components {
            true => Ok(()),
            false => Err(self.reject(format!(
                "{} components, expected {components}",
                self.components
            ))),
        }
    }

    /// Reads the values as floats. Normalised integers are mapped to the range 0 to 1, or −1 to 1 if signed.
    pub fn read_floats<const N: usize>(&self) -> Result<Vec<[f32; N]>>
    where
        [f32; N]: bytemuck::Pod,
    {
        match self.component_type {
            ComponentType::F32 => self.read_unconverted(),
            kind => self.read_values(float_converter(kind, self.normalized)),
        }
    }

    /// Reads the values, whose components must be stored as `T`. Copies tightly packed values in bulk.
    pub fn read_unconverted<T: PlainData + Default, const N: usize>(&self) -> Result<Vec<[T; N]>>
    where
        [T; N]: PlainData,
    {
        self.require_components(N)?;
        match &self.values {
            Some(values) if self.sparse.is_none() && values.stride == size_of::<[T; N]>() => {
                self.file
                    .charge_budget(values.bytes.len() as u64, || self.path())?;
                Ok(bulk::to_vec(values.bytes))
            }
            _ => self.read_values(parse),
        }
    }

    /// Reads the values as integers. Normalised integers are not scaled.
    pub fn read_integers<const N: usize>(&self) -> Result<Vec<[u32; N]>> {
        self.require_components(N)?;
        self.read_values(integer_converter(self.component_type))
    }

    /// Reads the values, which have one to four components, as a flat list of components.
    pub fn read_flat<T: Copy + Default>(&self, convert: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
        Ok(match self.components {
            1 => self.read_values::<T, 1>(convert)?.into_flattened(),
            2 => self.read_values::<T, 2>(convert)?.into_flattened(),
            3 => self.read_values::<T, 3>(convert)?.into_flattened(),
            _ => self.read_values::<T, 4>(convert)?.into_flattened(),
        })
    }

    /// Reads the values; `convert` parses each component.
    pub fn read_values<T: Copy + Default, const N: usize>(
        &self,
        convert: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<[T; N]>> {
        self.require_components(N)?;
        let size = (self.count as u64).saturating_mul(size_of::<[T; N]>() as u64);
        self.file.charge_budget(size, || self.path())?;
        let width = self.component_type.size();
        let value = |bytes: &[u8]| -> [T; N] {
            std::array::from_fn(|component| {
                convert(bytes.get(component * width..).unwrap_or_default())
            })
        };
        let mut all = match &self.values {
            Some(values) => (0..self.count)
                .map(|index| value(values.get(index)))
                .collect(),
            None => vec![[T::default(); N]; self.count],
        };
        if let Some((indices, values)) = &self.sparse {
            for (position, index) in indices.iter().enumerate() {
                all[*index] = value(values.get(position));
            }
        }
        Ok(all)
    }
}

/// Returns the number of components of a type; `None` for matrices with 2 or 3 columns, which may be padded.
pub(super) fn component_count(ty: Type) -> Option<usize> {
    match ty {
        Type::Scalar => Some(1),
        Type::Vec2 => Some(2),
        Type::Vec3 => Some(3),
        Type::Vec4 => Some(4),
        Type::Mat4 => Some(16),
        Type::Mat2 | Type::Mat3 => None,
    }
}

/// Returns the number at the start of `bytes`; 0 if there are fewer bytes.
pub(super) fn parse<T: PlainData>(bytes: &[u8]) -> T {
    bytes
        .get(..size_of::<T>())
        .map_or_else(T::zeroed, bulk::to_value)
}

/// Returns a function that converts the bytes of a component to a float.
pub(super) fn float_converter(kind: ComponentType, normalized: bool) -> fn(&[u8]) -> f32 {
    match (kind, normalized) {
        (ComponentType::F32, _) => parse::<f32>,
        (ComponentType::U32, _) => |bytes| parse::<u32>(bytes) as f32,
        (ComponentType::I8, false) => |bytes| parse::<i8>(bytes).into(),
        (ComponentType::U8, false) => |bytes| parse::<u8>(bytes).into(),
        (ComponentType::I16, false) => |bytes| parse::<i16>(bytes).into(),
        (ComponentType::U16, false) => |bytes| parse::<u16>(bytes).into(),
        (ComponentType::I8, true) => |bytes| (f32::from(parse::<i8>(bytes)) / 127.0).max(-1.0),
        (ComponentType::U8, true) => |bytes| f32::from(parse::<u8>(bytes)) / 255.0,
        (ComponentType::I16, true) => |bytes| (f32::from(parse::<i16>(bytes)) / 32_767.0).max(-1.0),
        (ComponentType::U16, true) => |bytes| f32::from(parse::<u16>(bytes)) / 65_535.0,
    }
}

/// Returns a function that converts the bytes of a component to an integer. Floats are truncated, and signed integers
/// reinterpreted as unsigned.
fn integer_converter(kind: ComponentType) -> fn(&[u8]) -> u32 {
    match kind {
        ComponentType::I8 | ComponentType::U8 => |bytes| parse::<u8>(bytes).into(),
        ComponentType::I16 | ComponentType::U16 => |bytes| parse::<u16>(bytes).into(),
        ComponentType::U32 => parse::<u32>,
        ComponentType::F32 => |bytes| parse::<f32>(bytes) as u32,
    }
}
