//! The numbers of an element: one row per item, one column per property.

use std::borrow::Cow;

use super::header::{Element, Number};
use super::source::{Raw, Source, to_f64};
use crate::interop::shared::positions::Positions;
use crate::scene::{Components, Custom, exact};
use crate::{Loss, Result, Strictness};

/// The numbers of an element, little-endian, without its lists.
pub(super) struct Rows<'a> {
    bytes: Cow<'a, [u8]>,
    stride: usize,
    columns: Vec<Column>,
}

/// A property with a single number.
#[derive(Debug)]
struct Column {
    name: String,
    number: Number,
    /// The type in the header. Coordinates in text may be more precise.
    declared: Number,
    offset: usize,
    /// Whether an attribute of the mesh uses the column.
    taken: bool,
}

impl<'a> Rows<'a> {
    pub fn read(
        source: &mut Source<'a>,
        element: &Element,
        strictness: Strictness,
        losses: &mut Vec<Loss>,
    ) -> Result<Rows<'a>> {
        let mut columns = Vec::new();
        let mut stride = 0;
        for property in element.properties.iter().filter(|property| property.list.is_none()) {
            let (name, declared) = (property.name.clone(), property.number);
            let is_wide = source.is_text() && matches!(&*name, "x" | "y" | "z") && declared == Number::F32;
            let number = if is_wide { Number::F64 } else { declared };
            columns.push(Column { name, number, declared, offset: stride, taken: false });
            stride += number.size();
        }
        let plain = match element.has_lists() {
            true => None,
            false => source.plain(element.count.saturating_mul(stride as u64)),
        };
        let bytes = match plain {
            Some(bytes) => Cow::Borrowed(bytes),
            None => {
                let mut bytes = Vec::new();
                let items = source.items(element, strictness, losses, |source| {
                    collect(source, element, &columns, &mut bytes)
                })?;
                bytes.truncate(items * stride);
                Cow::Owned(bytes)
            }
        };
        Ok(Rows { bytes, stride, columns })
    }

    /// Takes the columns with these names; `None` if one is missing, taken or of another type.
    pub fn take<const N: usize>(&mut self, names: [&str; N], fits: fn(Number) -> bool) -> Option<[usize; N]> {
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            let free = |column: &Column| column.name == name && !column.taken && fits(column.number);
            *place = self.columns.iter().position(free)?;
        }
        places.iter().for_each(|place| self.columns[*place].taken = true);
        Some(places)
    }

    /// Returns `true` if all these columns have this type.
    pub fn are_all(&self, places: &[usize], number: Number) -> bool {
        places.iter().all(|place| self.columns[*place].number == number)
    }

    /// Converts columns to floats. Also returns the largest rounding error.
    pub fn floats<const N: usize>(&self, places: [usize; N]) -> (Vec<[f32; N]>, f32) {
        let columns = places.map(|place| &self.columns[place]);
        if self.are_all(&places, Number::F32) {
            let offsets = columns.map(|column| column.offset);
            let row = |row: &[u8]| {
                offsets.map(|at| f32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]]))
            };
            return (self.rows().map(row).collect(), 0.0);
        }
        let mut worst = 0.0_f64;
        let row = |row: &[u8]| {
            columns.map(|column| {
                let exact = to_f64(column.number, column.raw(row));
                let rounded = exact as f32;
                if rounded.is_finite() {
                    worst = worst.max((exact - f64::from(rounded)).abs());
                }
                rounded
            })
        };
        (self.rows().map(row).collect(), worst as f32)
    }

    /// Returns the largest angle in degrees by which rounding to 32 bits turns the directions in these columns.
    pub fn rounding_angle(&self, places: [usize; 3]) -> f32 {
        let columns = places.map(|place| &self.columns[place]);
        let exact = |row: &[u8]| columns.map(|column| to_f64(column.number, column.raw(row)));
        self.rows().map(exact).map(exact::rounding_angle).fold(0.0, f64::max) as f32
    }

    /// Converts columns to positions. Also returns the largest rounding error, or 0 if 64 bits are kept.
    pub fn positions<const N: usize>(&self, places: [usize; N]) -> (Positions, f32) {
        let columns = places.map(|place| &self.columns[place]);
        if self.are_all(&places, Number::F32) {
            let (positions, _) = self.floats(places);
            return (Positions::of_floats(positions.into_iter().map(solid).collect()), 0.0);
        }
        let row = |row: &[u8]| solid(columns.map(|column| to_f64(column.number, column.raw(row))));
        let mut positions = Positions::default();
        for (index, row) in self.rows().map(row).enumerate() {
            positions.push(row);
            if index.is_power_of_two() {
                positions.drop_unneeded();
            }
        }
        positions.finish();
        let is_declared = columns.iter().any(|column| column.declared != Number::F32);
        let error = match is_declared && !positions.are_exact() {
            true => self.rows().map(row).map(exact::error).fold(0.0, f64::max),
            false => 0.0,
        };
        (positions, error as f32)
    }

    /// Returns columns as bytes.
    pub fn bytes<const N: usize>(&self, places: [usize; N]) -> Vec<[u8; N]> {
        let offsets = places.map(|place| self.columns[place].offset);
        self.rows().map(|row| offsets.map(|offset| row[offset])).collect()
    }

    /// Returns the unused columns as custom attributes.
    pub fn others(&self) -> impl Iterator<Item = Custom> {
        let others = self.columns.iter().filter(|column| !column.taken);
        others.map(|column| Custom {
            name: column.name.clone(),
            components: 1,
            values: self.components(column),
        })
    }

    fn components(&self, column: &Column) -> Components {
        fn all<T>(rows: &Rows, column: &Column, convert: impl Fn(Raw) -> T) -> Vec<T> {
            rows.rows().map(|row| convert(column.raw(row))).collect()
        }
        let two = |[a, b, ..]: Raw| [a, b];
        let four = |[a, b, c, d, ..]: Raw| [a, b, c, d];
        match column.number {
            Number::I8 => Components::I8(all(self, column, |raw| raw[0] as i8)),
            Number::U8 => Components::U8(all(self, column, |raw| raw[0])),
            Number::I16 => Components::I16(all(self, column, |raw| i16::from_le_bytes(two(raw)))),
            Number::U16 => Components::U16(all(self, column, |raw| u16::from_le_bytes(two(raw)))),
            Number::I32 => Components::I32(all(self, column, |raw| i32::from_le_bytes(four(raw)))),
            Number::U32 => Components::U32(all(self, column, |raw| u32::from_le_bytes(four(raw)))),
            Number::F32 => Components::F32(all(self, column, |raw| f32::from_le_bytes(four(raw)))),
            Number::F64 => Components::F64(all(self, column, f64::from_le_bytes)),
        }
    }

    fn rows(&self) -> std::slice::ChunksExact<'_, u8> {
        // Without columns, there are no bytes and no rows.
        self.bytes.chunks_exact(self.stride.max(1))
    }
}

impl Column {
    #[inline]
    fn raw(&self, row: &[u8]) -> Raw {
        let mut raw = [0; 8];
        let size = self.number.size();
        raw[..size].copy_from_slice(&row[self.offset..self.offset + size]);
        raw
    }
}

/// Extends two or three coordinates to three, with z = 0.
fn solid<T: Copy + Default, const N: usize>(coordinates: [T; N]) -> [T; 3] {
    std::array::from_fn(|axis| coordinates.get(axis).copied().unwrap_or_default())
}

/// Appends the numbers of an item, without its lists.
fn collect(source: &mut Source, element: &Element, columns: &[Column], bytes: &mut Vec<u8>) -> Result<()> {
    let mut numbers = columns.iter().map(|column| column.number);
    element.properties.iter().try_for_each(|property| match property.list {
        None => {
            let number = numbers.next().unwrap_or(property.number);
            let raw = source.next(number)?;
            bytes.extend_from_slice(&raw[..number.size()]);
            Ok(())
        }
        Some(count) => skip_list(source, count, property.number),
    })
}

/// Skips an item.
pub(super) fn skip(source: &mut Source, element: &Element) -> Result<()> {
    let mut properties = element.properties.iter();
    properties.try_for_each(|property| skip_property(source, property.list, property.number))
}

/// Skips a number or list.
pub(super) fn skip_property(source: &mut Source, list: Option<Number>, number: Number) -> Result<()> {
    match list {
        None => source.next(number).map(drop),
        Some(count) => skip_list(source, count, number),
    }
}

fn skip_list(source: &mut Source, count: Number, number: Number) -> Result<()> {
    for _ in 0..source.count(count)? {
        source.next(number)?;
    }
    Ok(())
}
