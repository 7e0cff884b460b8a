//! Strings, and what follows them up to the end of a file.

use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;

use binrw::{BinRead, BinResult, BinWrite, Endian, io};

use super::vec::remaining;
use super::{Bulk, skip};
use crate::layout::{Layout, Type};

/// The bytes up to the end of the file: noted when read, borrowed when written.
#[derive(Debug, Clone)]
pub struct Rest<'a>(pub Bulk<'a, u8>);

impl Layout for Rest<'_> {
    const TYPE: Type = Type::List(&u8::TYPE);
}

impl BinRead for Rest<'_> {
    type Args<'b> = ();

    fn read_options<R: io::Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        let size = remaining(reader)?;
        skip(reader, Some(size)).map(|range| Rest(Bulk::Found(range)))
    }
}

impl BinWrite for Rest<'_> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.0.write_options(writer, endian, ())
    }
}

/// Where a NUL-terminated string lies in the input. For strings that many values point to; a string of a value's own is a
/// [`Text`](crate::Text).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NulString {
    /// Without the NUL.
    range: Range<usize>,
}

impl NulString {
    /// The bytes of the string in the input, without its NUL; `None` if the input is another one than it was read from.
    pub fn find<'i>(&self, input: &'i [u8]) -> Option<&'i [u8]> {
        input.get(self.range.clone())
    }
}

impl Layout for NulString {
    const TYPE: Type = Type::NulString;
}

impl BinRead for NulString {
    type Args<'b> = ();

    fn read_options<R: io::Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        let start = reader.stream_position()?;
        let mut length = 0;
        let mut piece = [0; 64];
        loop {
            let read = reader.read(&mut piece)?;
            match piece[..read].iter().position(|byte| *byte == 0) {
                Some(position) => {
                    length += position as u64;
                    reader.seek(SeekFrom::Start(start + length + 1))?;
                    // Both are offsets into a slice.
                    return Ok(NulString { range: start as usize..(start + length) as usize });
                }
                None if read == 0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                None => length += read as u64,
            }
        }
    }
}
