//! Strings, and what follows them up to the end of a file.

use std::io::{Seek, SeekFrom, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian, io};

use super::{Bulk, skip};
use crate::layout::{Layout, Type};

/// NUL-terminated strings up to the end of the file: noted when read, borrowed when written.
#[derive(Debug, Clone)]
pub struct NulStrings<'a>(pub Bulk<'a, u8>);

impl Layout for NulStrings<'_> {
    const TYPE: Type = Type::List(&Type::NulString);
}

impl BinRead for NulStrings<'_> {
    type Args<'b> = ();

    fn read_options<R: io::Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        let here = reader.stream_position()?;
        let end = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(here))?;
        skip(reader, Some(end.saturating_sub(here))).map(|range| NulStrings(Bulk::Found(range)))
    }
}

impl BinWrite for NulStrings<'_> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.0.write_options(writer, endian, ())
    }
}

/// The bytes up to the end of the file: noted when read, borrowed when written.
#[derive(Debug, Clone)]
pub struct Rest<'a>(pub Bulk<'a, u8>);

impl Layout for Rest<'_> {
    const TYPE: Type = Type::List(&u8::TYPE);
}

impl BinRead for Rest<'_> {
    type Args<'b> = ();

    fn read_options<R: io::Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        NulStrings::read_options(reader, endian, ()).map(|rest| Rest(rest.0))
    }
}

impl BinWrite for Rest<'_> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.0.write_options(writer, endian, ())
    }
}

/// A NUL-terminated string at an offset of its own: where it starts is noted when it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NulString {
    start: usize,
}

impl NulString {
    /// The bytes of the string in the input, without its NUL; `None` if none follows.
    pub fn find<'i>(&self, input: &'i [u8]) -> Option<&'i [u8]> {
        let rest = input.get(self.start..)?;
        rest.get(..rest.iter().position(|byte| *byte == 0)?)
    }
}

impl Layout for NulString {
    const TYPE: Type = Type::NulString;
}

impl BinRead for NulString {
    type Args<'b> = ();

    fn read_options<R: io::Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        // The NUL at least.
        skip(reader, Some(1)).map(|range| NulString { start: range.start })
    }
}
