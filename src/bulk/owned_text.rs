//! Owned strings as fields of a declaration: NUL-terminated or length-prefixed.

use std::io::{Read, Seek, Write};

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::numbers::require_remaining;
use crate::Text;
use crate::layout::Layout;
use crate::layout::declaration::{Declaration, Field, Shape, Type};
use crate::layout::decoding::Decoding;
use crate::layout::expr::Expr;

/// In a declaration, a `Text` is NUL-terminated.
///
/// ```
/// use binrw::{BinRead, BinWrite, io::Cursor};
/// use meshspec::Text;
///
/// let name = Text::read_le(&mut Cursor::new(b"walk\0run"))?;
/// assert_eq!(name, "walk".into());
/// let mut file = Cursor::new(Vec::new());
/// name.write_le(&mut file)?;
/// assert_eq!(file.into_inner(), b"walk\0");
/// # Ok::<(), binrw::Error>(())
/// ```
impl Layout for Text {
    const TYPE: Type = Type::NulString;
}

impl BinRead for Text {
    type Args<'b> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        // Reads byte by byte, so memory grows only with the bytes read.
        let mut bytes = Vec::new();
        loop {
            match u8::read_options(reader, endian, ())? {
                0 => return Ok(Text::from(bytes)),
                byte => bytes.push(byte),
            }
        }
    }
}

impl BinWrite for Text {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        let bytes = self.as_bytes();
        if bytes.contains(&0) {
            let message = format!("{self:?} contains a NUL, which would end it");
            return Err(binrw::Error::AssertFail {
                pos: writer.stream_position()?,
                message,
            });
        }
        writer.write_all(bytes)?;
        Ok(writer.write_all(&[0])?)
    }
}

/// A string prefixed by its length in bytes, of type `L`: `u8`, `u16`, `u32` or `u64`.
///
/// ```
/// use binrw::{BinRead, BinWrite, io::Cursor};
/// use meshspec::bulk::PrefixedText;
///
/// let name = PrefixedText::<u16>::read_le(&mut Cursor::new(b"\x04\0walk"))?;
/// assert_eq!(name.text, "walk".into());
/// let mut file = Cursor::new(Vec::new());
/// name.write_le(&mut file)?;
/// assert_eq!(file.into_inner(), b"\x04\0walk");
/// # Ok::<(), binrw::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrefixedText<L> {
    /// The string.
    pub text: Text,
    length: std::marker::PhantomData<L>,
}

impl<L> From<Text> for PrefixedText<L> {
    fn from(text: Text) -> Self {
        PrefixedText {
            text,
            length: std::marker::PhantomData,
        }
    }
}

impl<L: Layout> Layout for PrefixedText<L> {
    const TYPE: Type = Type::Declared(&Declaration {
        name: match L::TYPE {
            Type::Unsigned(1) => "PrefixedText8",
            Type::Unsigned(2) => "PrefixedText16",
            Type::Unsigned(4) => "PrefixedText32",
            _ => "PrefixedText64",
        },
        doc: "A string prefixed by its length.",
        imports: &[],
        import_types: &[],
        computed: &[],
        magic: &[],
        shape: Shape::Struct(&[
            Field {
                name: "length",
                doc: "Number of bytes.",
                ty: L::TYPE,
                ..Field::PLAIN
            },
            Field {
                name: "text",
                doc: "The string.",
                ty: Type::list(&u8::TYPE),
                count: Some(Expr::Path(&["length"])),
                ..Field::PLAIN
            },
        ]),
        decoding: Decoding::NONE,
    });
}

impl<L: Layout + for<'b> BinRead<Args<'b> = ()> + Into<u64>> BinRead for PrefixedText<L> {
    type Args<'b> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let length: u64 = L::read_options(reader, endian, ())?.into();
        require_remaining(reader, Some(length))?;
        let mut bytes = Vec::new();
        reader.by_ref().take(length).read_to_end(&mut bytes)?;
        Ok(Text::from(bytes).into())
    }
}

impl<L: Layout + for<'b> BinWrite<Args<'b> = ()> + TryFrom<usize>> BinWrite for PrefixedText<L> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(
        &self,
        writer: &mut W,
        endian: Endian,
        (): (),
    ) -> BinResult<()> {
        let bytes = self.text.as_bytes();
        let Ok(length) = L::try_from(bytes.len()) else {
            let message = format!(
                "a string of {} bytes exceeds the maximum of its length prefix",
                bytes.len()
            );
            return Err(binrw::Error::AssertFail {
                pos: writer.stream_position()?,
                message,
            });
        };
        length.write_options(writer, endian, ())?;
        Ok(writer.write_all(bytes)?)
    }
}
