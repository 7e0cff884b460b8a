//! The remaining bytes of a file.

use std::io::{Seek, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian, io};

use super::numbers::remaining_bytes;
use super::{Bulk, skip};
use crate::layout::Layout;
use crate::layout::declaration::Type;

/// All remaining bytes of a file: a byte range after reading, borrowed bytes for writing.
#[derive(Debug, Clone)]
pub struct Rest<'a>(pub Bulk<'a, u8>);

impl Layout for Rest<'_> {
    const TYPE: Type = Type::list(&u8::TYPE);
}

impl BinRead for Rest<'_> {
    type Args<'b> = ();

    fn read_options<R: io::Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Self> {
        let size = remaining_bytes(reader)?;
        skip(reader, Some(size)).map(|range| Rest(Bulk::InputRange(range)))
    }
}

impl BinWrite for Rest<'_> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, endian: Endian, (): ()) -> BinResult<()> {
        self.0.write_options(writer, endian, ())
    }
}
