//! Lists of plain numbers as fields of a declaration, read and written in bulk.

use binrw::io::{self, Read, Seek, SeekFrom, Write};
use binrw::{BinResult, Endian, VecArgs};

use super::{PlainData, as_bytes};

/// Reads `count` numbers. For binrw's `parse_with`.
pub fn read<T: PlainData, R: Read + Seek>(
    reader: &mut R,
    _: Endian,
    args: VecArgs<()>,
) -> BinResult<Vec<T>> {
    require_remaining(
        reader,
        (args.count as u64).checked_mul(size_of::<T>() as u64),
    )?;
    // Zeroed memory is cheap to allocate.
    let mut values = bytemuck::zeroed_vec(args.count);
    if values.is_empty() {
        // Reading past the end may fail, even for an empty list.
        return Ok(values);
    }
    reader.read_exact(bytemuck::cast_slice_mut(&mut values))?;
    T::swap_on_big_endian(&mut values);
    Ok(values)
}

/// Writes numbers. For binrw's `write_with`.
#[allow(
    clippy::ptr_arg,
    reason = "`write_with` passes a reference to the field"
)]
pub fn write<T: PlainData, W: Write + Seek>(
    items: &Vec<T>,
    out: &mut W,
    _: Endian,
    (): (),
) -> BinResult<()> {
    Ok(out.write_all(&as_bytes(items))?)
}

/// The approximate size in bytes of chunks of records, which stay in the cache while they are inspected and copied.
/// Smaller chunks would be slow: some processors copy a few kilobytes slowly to unaligned addresses.
const CHUNK_SIZE: usize = 1 << 20;

/// Reads `count` records of `stride` bytes in chunks. Calls `inspect` with each chunk, a whole number of records.
///
/// ```
/// use meshspec::bulk;
///
/// let has_nan = std::cell::Cell::new(false);
/// let find_nan = |chunk: &[u8]| {
///     has_nan.set(has_nan.get() || bulk::to_vec::<f32>(chunk).iter().any(|value| value.is_nan()));
/// };
/// let bytes = bulk::read_records(&mut std::io::Cursor::new(f32::NAN.to_le_bytes()), 1, 4, find_nan)?;
/// assert!(bytes.len() == 4 && has_nan.get());
/// # Ok::<(), binrw::Error>(())
/// ```
pub fn read_records<R: Read + Seek>(
    reader: &mut R,
    count: usize,
    stride: usize,
    inspect: impl Fn(&[u8]),
) -> BinResult<Vec<u8>> {
    let size = count.checked_mul(stride);
    require_remaining(reader, size.map(|size| size as u64))?;
    let size = size.unwrap_or_default();
    // A whole number of records, at least one.
    let chunk_size = (CHUNK_SIZE / stride.max(1)).max(1) * stride;
    let mut bytes = Vec::with_capacity(size);
    while bytes.len() < size {
        let start = bytes.len();
        let chunk = chunk_size.min(size - start);
        if reader.by_ref().take(chunk as u64).read_to_end(&mut bytes)? < chunk {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        inspect(&bytes[start..]);
    }
    Ok(bytes)
}

/// Returns an error if `size` is `None` or more than the remaining bytes. Call this before allocating memory.
pub(super) fn require_remaining<R: Seek>(reader: &mut R, size: Option<u64>) -> BinResult<()> {
    match size {
        Some(size) if size <= remaining_bytes(reader)? => Ok(()),
        _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
    }
}

/// Returns the number of bytes from the current position to the end.
pub(super) fn remaining_bytes<R: Seek>(reader: &mut R) -> BinResult<u64> {
    let here = reader.stream_position()?;
    let end = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(here))?;
    Ok(end.saturating_sub(here))
}
