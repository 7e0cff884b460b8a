//! Reads the numbers of an element into rows, one per item, and columns, one per property.

use std::borrow::Cow;

use super::header::{Element, NumberType, Property};
use super::source::{NumberSource, RawNumber, to_f64};
use crate::interop::shared::positions::Positions;
use crate::scene::{Components, CustomAttribute, exact};
use crate::{Loss, Result, Strictness};

/// The numbers of an element, excluding its lists, in little-endian order.
pub(super) struct Rows<'a> {
    bytes: Cow<'a, [u8]>,
    stride: usize,
    columns: Vec<Column>,
}

/// The position and type of a property in a row.
#[derive(Debug)]
struct Column {
    name: String,
    number_type: NumberType,
    /// The type in the header. `number_type` may be wider, since coordinates in text may be more precise.
    declared: NumberType,
    offset: usize,
    /// Whether an attribute of the mesh uses the column.
    is_used: bool,
}

impl<'a> Rows<'a> {
    pub fn read(
        source: &mut NumberSource<'a>,
        element: &Element,
        strictness: Strictness,
        losses: &mut Vec<Loss>,
    ) -> Result<Rows<'a>> {
        let mut columns = Vec::new();
        let mut stride = 0;
        for property in element
            .properties
            .iter()
            .filter(|property| property.length_type.is_none())
        {
            let (name, declared) = (property.name.clone(), property.number_type);
            let is_wide = source.is_text()
                && matches!(&*name, "x" | "y" | "z")
                && declared == NumberType::F32;
            let number_type = if is_wide { NumberType::F64 } else { declared };
            columns.push(Column {
                name,
                number_type,
                declared,
                offset: stride,
                is_used: false,
            });
            stride += number_type.size();
        }
        let size = element.count.saturating_mul(stride as u64);
        let plain = if element.has_lists() {
            None
        } else {
            source.take_bytes(size)
        };
        let bytes = match plain {
            Some(bytes) => Cow::Borrowed(bytes),
            None => {
                let mut bytes = Vec::new();
                let read = |source: &mut _| read_item(source, element, &columns, &mut bytes);
                let items = source.read_items(element, strictness, losses, read)?;
                bytes.truncate(items * stride);
                Cow::Owned(bytes)
            }
        };
        Ok(Rows {
            bytes,
            stride,
            columns,
        })
    }

    /// Marks the columns `names` as used, and returns their indices. Returns `None` if a column is missing, already
    /// used, or of a type that `fits` rejects.
    pub fn take_columns<const N: usize>(
        &mut self,
        names: [&str; N],
        fits: fn(NumberType) -> bool,
    ) -> Option<[usize; N]> {
        let mut indices = [0; N];
        for (index, name) in indices.iter_mut().zip(names) {
            let is_match = |column: &Column| {
                column.name == name && !column.is_used && fits(column.number_type)
            };
            *index = self.columns.iter().position(is_match)?;
        }
        indices
            .iter()
            .for_each(|index| self.columns[*index].is_used = true);
        Some(indices)
    }

    /// Returns `true` if all columns `indices` have the type `number`.
    pub fn are_all(&self, indices: &[usize], number: NumberType) -> bool {
        indices
            .iter()
            .all(|index| self.columns[*index].number_type == number)
    }

    /// Returns the types of the columns `indices`.
    pub fn types<const N: usize>(&self, indices: [usize; N]) -> [NumberType; N] {
        indices.map(|index| self.columns[index].number_type)
    }

    /// Returns the columns `indices` as floats, and their largest rounding error.
    pub fn to_floats<const N: usize>(&self, indices: [usize; N]) -> (Vec<[f32; N]>, f64) {
        let columns = indices.map(|index| &self.columns[index]);
        if self.are_all(&indices, NumberType::F32) {
            let offsets = columns.map(|column| column.offset);
            let row = |row: &[u8]| {
                offsets
                    .map(|at| f32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]))
            };
            return (self.rows().map(row).collect(), 0.0);
        }
        let mut worst = 0.0_f64;
        let row = |row: &[u8]| {
            columns.map(|column| {
                let exact = to_f64(column.number_type, column.raw(row));
                let rounded = exact as f32;
                if rounded.is_finite() {
                    worst = worst.max((exact - f64::from(rounded)).abs());
                }
                rounded
            })
        };
        (self.rows().map(row).collect(), worst)
    }

    /// Returns the largest angle, in degrees, by which rounding to 32 bits turns directions in the columns `indices`.
    pub fn rounding_angle(&self, indices: [usize; 3]) -> f64 {
        let columns = indices.map(|index| &self.columns[index]);
        let exact = |row: &[u8]| columns.map(|column| to_f64(column.number_type, column.raw(row)));
        self.rows()
            .map(exact)
            .map(exact::rounding_angle)
            .fold(0.0, f64::max)
    }

    /// Returns the columns `indices` as positions, and their largest rounding error; 0 if 64 bits are kept, or the
    /// header declares 32-bit floats.
    pub fn to_positions<const N: usize>(&self, indices: [usize; N]) -> (Positions, f64) {
        let columns = indices.map(|index| &self.columns[index]);
        if self.are_all(&indices, NumberType::F32) {
            let (positions, _) = self.to_floats(indices);
            return (
                Positions::from_f32(positions.into_iter().map(to_point).collect()),
                0.0,
            );
        }
        let row = |row: &[u8]| {
            to_point(columns.map(|column| to_f64(column.number_type, column.raw(row))))
        };
        let mut positions = Positions::default();
        for (index, row) in self.rows().map(row).enumerate() {
            positions.push(row);
            if index.is_power_of_two() {
                positions.drop_unneeded();
            }
        }
        positions.finish();
        let is_declared = columns
            .iter()
            .any(|column| column.declared != NumberType::F32);
        let error = match is_declared && !positions.are_exact() {
            true => self
                .rows()
                .map(row)
                .map(exact::rounding_distance)
                .fold(0.0, f64::max),
            false => 0.0,
        };
        (positions, error)
    }

    /// Returns the columns `indices`, which must have the type `U8`.
    pub fn to_bytes<const N: usize>(&self, indices: [usize; N]) -> Vec<[u8; N]> {
        let offsets = indices.map(|index| self.columns[index].offset);
        self.rows()
            .map(|row| offsets.map(|offset| row[offset]))
            .collect()
    }

    /// Returns the unused columns as custom attributes.
    pub fn unused_columns(&self) -> impl Iterator<Item = CustomAttribute> {
        self.columns
            .iter()
            .filter(|column| !column.is_used)
            .map(|column| CustomAttribute {
                name: column.name.clone(),
                components: 1,
                values: self.components(column),
            })
    }

    fn components(&self, column: &Column) -> Components {
        fn values<T, const N: usize>(
            rows: &Rows,
            column: &Column,
            convert: impl Fn([u8; N]) -> T,
        ) -> Vec<T> {
            let first_bytes = |raw: RawNumber| std::array::from_fn(|byte| raw[byte]);
            rows.rows()
                .map(|row| convert(first_bytes(column.raw(row))))
                .collect()
        }
        match column.number_type {
            NumberType::I8 => Components::I8(values(self, column, i8::from_le_bytes)),
            NumberType::U8 => Components::U8(values(self, column, u8::from_le_bytes)),
            NumberType::I16 => Components::I16(values(self, column, i16::from_le_bytes)),
            NumberType::U16 => Components::U16(values(self, column, u16::from_le_bytes)),
            NumberType::I32 => Components::I32(values(self, column, i32::from_le_bytes)),
            NumberType::U32 => Components::U32(values(self, column, u32::from_le_bytes)),
            NumberType::F32 => Components::F32(values(self, column, f32::from_le_bytes)),
            NumberType::F64 => Components::F64(values(self, column, f64::from_le_bytes)),
        }
    }

    fn rows(&self) -> std::slice::ChunksExact<'_, u8> {
        // Without columns, there are no bytes and no rows.
        self.bytes.chunks_exact(self.stride.max(1))
    }
}

impl Column {
    #[inline]
    fn raw(&self, row: &[u8]) -> RawNumber {
        let mut raw = [0; 8];
        let size = self.number_type.size();
        raw[..size].copy_from_slice(&row[self.offset..self.offset + size]);
        raw
    }
}

/// Extends two or three coordinates to three, with z = 0.
fn to_point<T: Copy + Default, const N: usize>(coordinates: [T; N]) -> [T; 3] {
    std::array::from_fn(|axis| coordinates.get(axis).copied().unwrap_or_default())
}

/// Reads an item and appends its numbers to `bytes`. Skips its lists.
fn read_item(
    source: &mut NumberSource,
    element: &Element,
    columns: &[Column],
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let mut numbers = columns.iter().map(|column| column.number_type);
    element
        .properties
        .iter()
        .try_for_each(|property| match property.length_type {
            None => {
                let number = numbers.next().unwrap_or(property.number_type);
                let raw = source.read_number(number)?;
                bytes.extend_from_slice(&raw[..number.size()]);
                Ok(())
            }
            Some(_) => skip_property(source, property),
        })
}

pub(super) fn skip_item(source: &mut NumberSource, element: &Element) -> Result<()> {
    element
        .properties
        .iter()
        .try_for_each(|property| skip_property(source, property))
}

pub(super) fn skip_property(source: &mut NumberSource, property: &Property) -> Result<()> {
    let count = property
        .length_type
        .map_or(Ok(1), |count| source.read_count(count))?;
    (0..count).try_for_each(|_| source.read_number(property.number_type).map(drop))
}
