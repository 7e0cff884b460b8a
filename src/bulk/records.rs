//! Records whose size follows from what they are given, one after the other as in the file.

use std::fmt;
use std::marker::PhantomData;

use binrw::io::{Read, Seek, Write};
use binrw::{BinRead, BinResult, BinWrite, Endian, VecArgs, io};

use super::vec::read_records;
use super::{Column, Plain};
use crate::layout::{Layout, Type, Value};
use crate::{Error, Result};

/// Values of the declared type `T`, each with the same argument of type `A`, as they lie in a file.
#[derive(Clone, PartialEq)]
pub struct Records<T, A> {
    argument: A,
    bytes: Vec<u8>,
    record: PhantomData<T>,
}

impl<T: Layout, A: Into<Value> + Clone> Records<T, A> {
    /// Records from their bytes.
    ///
    /// # Errors
    ///
    /// If the argument says no size, or the bytes are no whole number of records.
    pub fn from_bytes(argument: A, bytes: Vec<u8>) -> Result<Self> {
        match stride::<T, A>(&argument) {
            Some(stride) if bytes.len().is_multiple_of(stride) => {
                Ok(Records { argument, bytes, record: PhantomData })
            }
            Some(stride) => Err(Error::inexpressible(format!(
                "{} bytes are not a whole number of {stride}-byte records",
                bytes.len()
            ))),
            None => Err(Error::inexpressible("the records have no common size")),
        }
    }

    /// The argument of each record.
    pub fn argument(&self) -> &A {
        &self.argument
    }

    /// The records as they lie in the file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        stride::<T, A>(&self.argument).map_or(0, |stride| self.bytes.len() / stride)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The field of this name of each record; `None` if the records do not have it.
    pub fn column<V: Plain>(&self, name: &str) -> Option<Column<'_, V>> {
        let offset = T::offset_with(name, &[self.argument.clone().into()])?;
        Column::new(&self.bytes, stride::<T, A>(&self.argument)?, usize::try_from(offset).ok()?)
    }
}

/// Size of one record in bytes.
fn stride<T: Layout, A: Into<Value> + Clone>(argument: &A) -> Option<usize> {
    let size = T::size_with(&[argument.clone().into()])?;
    usize::try_from(size).ok().filter(|size| *size > 0)
}

impl<T, A: fmt::Debug> fmt::Debug for Records<T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of records with {:?}", self.bytes.len(), self.argument)
    }
}

impl<T: Layout, A> Layout for Records<T, A> {
    const TYPE: Type = Type::List(&T::TYPE);
}

impl<T: Layout, A: Into<Value> + Clone + 'static> BinRead for Records<T, A> {
    type Args<'b> = VecArgs<(A,)>;

    fn read_options<R: Read + Seek>(reader: &mut R, _: Endian, args: Self::Args<'_>) -> BinResult<Self> {
        let (argument,) = args.inner;
        let Some(stride) = stride::<T, A>(&argument) else {
            return Err(io::Error::from(io::ErrorKind::InvalidData).into());
        };
        let bytes = read_records(reader, args.count, stride, |_| ())?;
        Ok(Records { argument, bytes, record: PhantomData })
    }
}

impl<T, A> BinWrite for Records<T, A> {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.bytes)?)
    }
}
