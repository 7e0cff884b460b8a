//! Plain numbers in bulk: the only place that knows how to read and write them.
//!
//! A declaration names its bulk data with the types of this module. When a file is read they only note where the
//! data lies, so that it can be copied once, to where it belongs; when one is written they borrow it.

mod column;
mod text;

pub use column::{Column, scatter};
pub use text::{NulString, NulStrings, Rest};

use std::borrow::Cow;
use std::fmt;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;

use binrw::{BinRead, BinResult, BinWrite, Endian, VecArgs, io};

use crate::layout::{Layout, Type, Value};

/// Numbers, and arrays and structs of numbers, that lie in memory as they lie in a little-endian file.
pub trait Plain: bytemuck::Pod + Layout {
    /// The value with the bytes of each of its numbers in the opposite order.
    fn swap_bytes(self) -> Self;

    /// Turns values between their bytes in a file and those of this machine.
    #[doc(hidden)]
    fn swap_on_big_endian(values: &mut [Self]) {
        if cfg!(target_endian = "big") {
            swap_all(values);
        }
    }
}

fn swap_all<T: Plain>(values: &mut [T]) {
    for value in values {
        *value = value.swap_bytes();
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Plain for $number {
            fn swap_bytes(self) -> Self {
                <$number>::from_be_bytes(self.to_le_bytes())
            }
        }
    )*};
}

numbers!(u8, u16, u32, i8, i16, i32, f32, f64);

impl<T: Plain, const N: usize> Plain for [T; N]
where
    [T; N]: bytemuck::Pod,
{
    fn swap_bytes(self) -> Self {
        self.map(T::swap_bytes)
    }
}

/// Copies little-endian numbers out of `bytes`, whose length must be a multiple of their size.
///
/// ```
/// assert_eq!(meshspec::bulk::to_vec::<[u16; 2]>(&[1, 0, 2, 0]), [[1, 2]]);
/// ```
pub fn to_vec<T: Plain>(bytes: &[u8]) -> Vec<T> {
    let mut values = bytemuck::allocation::pod_collect_to_vec(bytes);
    T::swap_on_big_endian(&mut values);
    values
}

/// Looks at bulk data while it passes by, a piece at a time, so that a check costs no second way through memory.
pub type Inspector<'a, T> = &'a (dyn Fn(&[T]) + Sync);

/// A piece of bulk data that stays in the cache while it is looked at and copied, in bytes. Large enough to be copied
/// past the cache: copies of a few kilobytes to places that are not aligned are slow on some processors.
const PIECE: usize = 1 << 20;

/// As [`to_vec`], and shows each piece of the numbers to `inspect`.
pub fn to_vec_inspected<T: Plain>(bytes: &[u8], inspect: Inspector<T>) -> Vec<T> {
    let mut values = Vec::with_capacity(bytes.len() / size_of::<T>());
    for piece in bytes.chunks(PIECE / size_of::<T>() * size_of::<T>()) {
        let start = values.len();
        values.extend(piece.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
        T::swap_on_big_endian(&mut values[start..]);
        inspect(&values[start..]);
    }
    values
}

/// Copies records of `stride` bytes and shows each piece of them, a whole number of records, to `inspect`.
pub fn copy_inspected(records: &[u8], stride: usize, inspect: Inspector<u8>) -> Vec<u8> {
    let mut copy = Vec::with_capacity(records.len());
    for piece in records.chunks(pieces(stride)) {
        copy.extend_from_slice(piece);
        inspect(piece);
    }
    copy
}

/// The size of a piece of records in bytes.
fn pieces(stride: usize) -> usize {
    let stride = stride.max(1);
    (PIECE / stride).max(1) * stride
}

/// The little-endian bytes of `values`; borrowed on little-endian machines.
pub fn as_bytes<T: Plain>(values: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(values))
    } else {
        let mut swapped = values.to_vec();
        T::swap_on_big_endian(&mut swapped);
        Cow::Owned(bytemuck::cast_slice(&swapped).to_vec())
    }
}

/// Numbers of a file, `count` of them: noted when read, borrowed when written.
#[derive(Clone)]
pub enum Bulk<'a, T> {
    /// Where they lie in the input.
    Found(Range<usize>),
    /// The numbers to be written.
    Given(&'a [T]),
    /// The numbers to be written, and who wants to look at them on their way.
    Inspected(Inspected<'a, T>),
}

/// Numbers that somebody looks at while they are written.
#[derive(Clone)]
pub struct Inspected<'a, T> {
    /// The numbers.
    pub values: &'a [T],
    /// How many numbers belong together, 1 at least: pieces are a multiple of it.
    pub group: usize,
    /// Is shown each piece before it is written.
    pub inspect: Inspector<'a, T>,
}

impl<T> fmt::Debug for Bulk<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bulk::Found(range) => write!(f, "{range:#x?}"),
            Bulk::Given(values) | Bulk::Inspected(Inspected { values, .. }) => {
                write!(f, "{} values", values.len())
            }
        }
    }
}

impl<T: Plain> Bulk<'_, T> {
    /// The bytes in the input that they were found in; empty for numbers to be written.
    pub fn bytes<'i>(&self, input: &'i [u8]) -> &'i [u8] {
        match self {
            Bulk::Found(range) => input.get(range.clone()).unwrap_or_default(),
            Bulk::Given(_) | Bulk::Inspected(_) => &[],
        }
    }

    /// A copy of the numbers in the input.
    pub fn to_vec(&self, input: &[u8]) -> Vec<T> {
        to_vec(self.bytes(input))
    }
}

impl<T: Layout> Layout for Bulk<'_, T> {
    const TYPE: Type = Type::List(&T::TYPE);
}

impl<T: Plain> BinRead for Bulk<'_, T> {
    type Args<'b> = VecArgs<()>;

    fn read_options<R: io::Read + Seek>(reader: &mut R, _: Endian, args: Self::Args<'_>) -> BinResult<Self> {
        let size = (args.count as u64).checked_mul(size_of::<T>() as u64);
        skip(reader, size).map(Bulk::Found)
    }
}

impl<T: Plain> BinWrite for Bulk<'_, T> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        match self {
            // What was found is written from where it was found, by whoever has the input.
            Bulk::Found(_) => Ok(()),
            Bulk::Given(values) => Ok(writer.write_all(&as_bytes(values))?),
            Bulk::Inspected(Inspected { values, group, inspect }) => {
                for piece in values.chunks(pieces(size_of::<T>() * group) / size_of::<T>()) {
                    inspect(piece);
                    writer.write_all(&as_bytes(piece))?;
                }
                Ok(())
            }
        }
    }
}

/// Records of a file whose size depends on what the file says: `count` values of the declared type `T`.
#[derive(Debug, Clone)]
pub struct Records<'a, T> {
    bytes: Bulk<'a, u8>,
    record: std::marker::PhantomData<T>,
}

impl<'a, T> Records<'a, T> {
    /// Records to be written, as bytes.
    pub fn given(bytes: &'a [u8]) -> Self {
        Records { bytes: Bulk::Given(bytes), record: std::marker::PhantomData }
    }

    /// Records to be written, as bytes, and who wants to look at them on their way.
    pub fn inspected(values: &'a [u8], stride: usize, inspect: Inspector<'a, u8>) -> Self {
        let bytes = Bulk::Inspected(Inspected { values, group: stride, inspect });
        Records { bytes, record: std::marker::PhantomData }
    }

    /// The bytes in the input that they were found in.
    pub fn bytes<'i>(&self, input: &'i [u8]) -> &'i [u8] {
        self.bytes.bytes(input)
    }
}

impl<T: Layout> Layout for Records<'_, T> {
    const TYPE: Type = Type::List(&T::TYPE);
}

impl<T: Layout, A: Into<Value> + Clone + 'static> BinRead for Records<'_, T>
where
    T: for<'b> BinRead<Args<'b> = (A,)>,
{
    type Args<'b> = VecArgs<(A,)>;

    fn read_options<R: io::Read + Seek>(reader: &mut R, _: Endian, args: Self::Args<'_>) -> BinResult<Self> {
        let (argument,) = args.inner;
        let size = T::size_with(&[argument.into()]).and_then(|size| size.checked_mul(args.count as u64));
        let bytes = Bulk::Found(skip(reader, size)?);
        Ok(Records { bytes, record: std::marker::PhantomData })
    }
}

impl<T> BinWrite for Records<'_, T> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.bytes.write_options(writer, endian, ())
    }
}

/// Structs one after the other, of any size. As `Vec`, but its items may borrow.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T>(pub Vec<T>);

impl<T: Layout> Layout for List<T> {
    const TYPE: Type = Type::List(&T::TYPE);
}

impl<T: BinRead> BinRead for List<T>
where
    for<'b> T::Args<'b>: Clone,
{
    type Args<'b> = VecArgs<T::Args<'b>>;

    fn read_options<R: io::Read + Seek>(
        reader: &mut R,
        endian: Endian,
        args: Self::Args<'_>,
    ) -> BinResult<Self> {
        // A list without items, too, lies somewhere in the file.
        if args.count == 0 {
            skip(reader, Some(0))?;
        }
        let items = (0..args.count).map(|_| T::read_options(reader, endian, args.inner.clone()));
        // Collecting results reserves nothing: a false count fails at the end of the input.
        items.collect::<BinResult<_>>().map(List)
    }
}

impl<T> BinWrite for List<T>
where
    T: for<'b> BinWrite<Args<'b> = ()>,
{
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.0.iter().try_for_each(|item| item.write_options(writer, endian, ()))
    }
}

/// Goes over `size` bytes, which must be there, and says where they are.
fn skip<R: io::Read + Seek>(reader: &mut R, size: Option<u64>) -> BinResult<Range<usize>> {
    let start = reader.stream_position()?;
    let input_end = reader.seek(SeekFrom::End(0))?;
    let end = size
        .and_then(|size| start.checked_add(size))
        .filter(|end| *end <= input_end)
        .ok_or_else(|| binrw::Error::Io(io::ErrorKind::UnexpectedEof.into()))?;
    reader.seek(SeekFrom::Start(end))?;
    // Both are offsets into a slice.
    Ok(start as usize..end as usize)
}
