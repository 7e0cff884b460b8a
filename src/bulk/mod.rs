//! Bulk reading and writing of plain numbers and strings.
//!
//! Declarations use the functions and types of this module for bulk data. [`read()`] and [`write()`] copy each list
//! once. [`Strings`] stores the remaining bytes of the file. After reading, [`Bulk`] and [`Rest`] store the byte range
//! of the data; for writing, they borrow the data.
//!
//! ```
//! use binrw::{BinRead, BinWrite, binrw, io::Cursor};
//! use meshspec::{bulk, layout::Layout};
//!
//! #[derive(Layout)]
//! #[binrw]
//! #[brw(little)]
//! #[derive(PartialEq, Debug)]
//! struct Heights {
//!     #[br(temp)]
//!     #[bw(try_calc = u32::try_from(metres.len()))]
//!     count: u32,
//!     #[br(count = count, parse_with = bulk::read)]
//!     #[bw(write_with = bulk::write)]
//!     metres: Vec<f32>,
//! }
//!
//! let bytes = [1, 0, 0, 0, 0, 0, 0x80, 0x3f];
//! let heights = Heights::read(&mut Cursor::new(bytes))?;
//! assert_eq!(heights.metres, [1.0]);
//! let mut written = Cursor::new(Vec::new());
//! heights.write(&mut written)?;
//! assert_eq!(written.into_inner(), bytes);
//! # Ok::<(), binrw::Error>(())
//! ```

mod column;
mod numbers;
mod owned_text;
mod strings;

pub use column::Column;
#[cfg(feature = "mesh")]
pub(crate) use column::write_column;
pub use numbers::{read, read_records, write};
pub use owned_text::PrefixedText;
pub use strings::Strings;

use std::borrow::Cow;
use std::fmt;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;

use binrw::{BinRead, BinResult, BinWrite, Endian, VecArgs, io};

use self::numbers::remaining_bytes;
use crate::layout::Layout;
use crate::layout::declaration::Type;

/// A number, or an array or struct of numbers, with the same layout in memory as in a file, except for the byte order.
pub trait PlainData: bytemuck::Pod + Layout {
    /// Reverses the bytes of each number in the value.
    fn swap_bytes(self) -> Self;

    /// Converts values between little-endian and native byte order, in place.
    #[doc(hidden)]
    fn swap_on_big_endian(values: &mut [Self]) {
        if cfg!(target_endian = "big") {
            values
                .iter_mut()
                .for_each(|value| *value = value.swap_bytes());
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl PlainData for $number {
            fn swap_bytes(self) -> Self {
                <$number>::from_be_bytes(self.to_le_bytes())
            }
        }
    )*};
}

numbers!(u8, u16, u32, i8, i16, i32, f32, f64);

impl<T: PlainData, const N: usize> PlainData for [T; N]
where
    [T; N]: bytemuck::Pod,
{
    fn swap_bytes(self) -> Self {
        self.map(T::swap_bytes)
    }
}

/// Copies little-endian values from `bytes`. If the last value is incomplete, its missing bytes are 0.
///
/// ```
/// assert_eq!(meshspec::bulk::to_vec::<[u16; 2]>(&[1, 0, 2, 0]), [[1, 2]]);
/// ```
pub fn to_vec<T: PlainData>(bytes: &[u8]) -> Vec<T> {
    let mut values = bytemuck::allocation::pod_collect_to_vec(bytes);
    T::swap_on_big_endian(&mut values);
    values
}

/// Converts the little-endian bytes of one value. Panics if the length is not the size of `T`.
pub(crate) fn to_value<T: PlainData>(bytes: &[u8]) -> T {
    let mut value = [bytemuck::pod_read_unaligned(bytes)];
    T::swap_on_big_endian(&mut value);
    value[0]
}

/// Returns the little-endian bytes of `values`; borrowed on little-endian machines.
///
/// ```
/// assert_eq!(*meshspec::bulk::as_bytes(&[[1_u16, 2]]), [1, 0, 2, 0]);
/// ```
pub fn as_bytes<T: PlainData>(values: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(values))
    } else {
        let mut swapped = values.to_vec();
        T::swap_on_big_endian(&mut swapped);
        Cow::Owned(bytemuck::cast_slice(&swapped).to_vec())
    }
}

/// A list of numbers. Reading `count` numbers stores only their byte range; for writing, the list borrows the numbers.
///
/// ```
/// use binrw::{BinRead, VecArgs, io::Cursor};
/// use meshspec::bulk::{Bulk, Rest};
///
/// let file = [0, 0, 0x80, 0x3f, 7, 8];
/// let mut reader = Cursor::new(&file);
/// let heights = Bulk::<f32>::read_le_args(&mut reader, VecArgs { count: 1, inner: () })?;
/// let Rest(rest) = Rest::read_le(&mut reader)?;
/// assert_eq!((heights.to_vec(&file), rest.bytes(&file)), (vec![1.0], &[7, 8][..]));
/// # Ok::<(), binrw::Error>(())
/// ```
#[derive(Clone)]
pub enum Bulk<'a, T> {
    /// The byte range of the numbers in the input.
    InputRange(Range<usize>),
    /// The numbers to write.
    Values(&'a [T]),
}

impl<T> fmt::Debug for Bulk<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bulk::InputRange(range) => write!(f, "{range:#x?}"),
            Bulk::Values(values) => write!(f, "{} values", values.len()),
        }
    }
}

impl<T> Bulk<'_, T> {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Bulk::InputRange(range) => range.len() / size_of::<T>().max(1),
            Bulk::Values(values) => values.len(),
        }
    }

    /// Returns `true` if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: PlainData> Bulk<'_, T> {
    /// Returns the bytes of the numbers in `input`; empty if `input` is too short, or for numbers to write.
    pub fn bytes<'i>(&self, input: &'i [u8]) -> &'i [u8] {
        match self {
            Bulk::InputRange(range) => input.get(range.clone()).unwrap_or_default(),
            Bulk::Values(_) => &[],
        }
    }

    /// Copies the numbers from their [bytes](Bulk::bytes) in `input`.
    pub fn to_vec(&self, input: &[u8]) -> Vec<T> {
        to_vec(self.bytes(input))
    }
}

impl<T: Layout> Layout for Bulk<'_, T> {
    const TYPE: Type = Type::list(&T::TYPE);
}

impl<T: PlainData> BinRead for Bulk<'_, T> {
    type Args<'b> = VecArgs<()>;

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        _: Endian,
        args: Self::Args<'_>,
    ) -> BinResult<Self> {
        skip(
            reader,
            (args.count as u64).checked_mul(size_of::<T>() as u64),
        )
        .map(Bulk::InputRange)
    }
}

impl<T: PlainData> BinWrite for Bulk<'_, T> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        match self {
            // The numbers are only in the input.
            Bulk::InputRange(range) => {
                let message = format!(
                    "the numbers at bytes {range:#x?} of an input cannot be written without the input"
                );
                Err(binrw::Error::AssertFail {
                    pos: writer.stream_position()?,
                    message,
                })
            }
            Bulk::Values(values) => Ok(writer.write_all(&as_bytes(values))?),
        }
    }
}

/// All remaining bytes of a file: a byte range after reading, borrowed bytes for writing.
#[derive(Debug, Clone)]
pub struct Rest<'a>(pub Bulk<'a, u8>);

impl Layout for Rest<'_> {
    const TYPE: Type = Type::list(&u8::TYPE);
}

impl BinRead for Rest<'_> {
    type Args<'b> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        let size = remaining_bytes(reader)?;
        skip(reader, Some(size)).map(|range| Rest(Bulk::InputRange(range)))
    }
}

impl BinWrite for Rest<'_> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(
        &self,
        writer: &mut W,
        endian: Endian,
        (): (),
    ) -> BinResult<()> {
        self.0.write_options(writer, endian, ())
    }
}

/// Consecutive items, which may differ in size. Like a `Vec`, but the items may contain borrowed data.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T>(pub Vec<T>);

impl<T: Layout> Layout for List<T> {
    const TYPE: Type = Type::list(&T::TYPE);
}

impl<T: BinRead> BinRead for List<T>
where
    for<'b> T::Args<'b>: Clone,
{
    type Args<'b> = VecArgs<T::Args<'b>>;

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        endian: Endian,
        args: Self::Args<'_>,
    ) -> BinResult<Self> {
        let items = (0..args.count).map(|_| T::read_options(reader, endian, args.inner.clone()));
        // Collecting results reserves no memory, so an excessive count fails at the end of the input.
        items.collect::<BinResult<_>>().map(List)
    }
}

impl<T> BinWrite for List<T>
where
    T: for<'b> BinWrite<Args<'b> = ()>,
{
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(
        &self,
        writer: &mut W,
        endian: Endian,
        (): (),
    ) -> BinResult<()> {
        self.0
            .iter()
            .try_for_each(|item| item.write_options(writer, endian, ()))
    }
}

/// Skips `size` bytes and returns their range. Returns an error if `size` is `None` or exceeds the rest of the input,
/// or if an offset exceeds `usize::MAX`.
fn skip<R: Read + Seek>(reader: &mut R, size: Option<u64>) -> BinResult<Range<usize>> {
    let start = reader.stream_position()?;
    let input_end = reader.seek(SeekFrom::End(0))?;
    let end = size
        .and_then(|size| start.checked_add(size))
        .filter(|end| *end <= input_end)
        .ok_or_else(|| binrw::Error::Io(io::ErrorKind::UnexpectedEof.into()))?;
    reader.seek(SeekFrom::Start(end))?;
    let range = usize::try_from(start).and_then(|start| Ok(start..usize::try_from(end)?));
    range.map_err(|_| binrw::Error::Io(io::Error::other("the input exceeds the address space")))
}
