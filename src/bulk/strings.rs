//! NUL-terminated strings up to the end of a file, stored as the bytes of the file.

use std::fmt;

use binrw::io::{self, Read, Seek, Write};
use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::numbers::remaining_bytes;
use crate::layout::Layout;
use crate::layout::declaration::Type;
use crate::{Error, Result, Text, path};

/// The offset of every `STEP`-th string is stored.
const STEP: usize = 1024;

/// NUL-terminated strings up to the end of the file, in little more memory than their bytes.
///
/// ```
/// use meshspec::bulk::Strings;
///
/// let mut strings: Strings = ["walk", "run"].into_iter().collect();
/// assert_eq!(strings.len(), 2);
/// assert_eq!(strings.get(1), Some("run".into()));
/// assert_eq!(strings.as_bytes(), b"walk\0run\0");
/// ```
#[derive(Clone, Default)]
pub struct Strings {
    /// The strings, each with its NUL. The last string may lack its NUL.
    bytes: Vec<u8>,
    /// The offsets of the strings with the indices `STEP`, `2 * STEP`, ….
    starts: Vec<usize>,
    len: usize,
}

impl Strings {
    /// Creates a list from the bytes of NUL-terminated strings. The last string may lack its NUL.
    pub fn from_bytes(bytes: Vec<u8>) -> Strings {
        let mut strings = Strings {
            bytes,
            ..Strings::default()
        };
        for (end, _) in strings
            .bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == 0)
        {
            strings.len += 1;
            if strings.len.is_multiple_of(STEP) {
                strings.starts.push(end + 1);
            }
        }
        strings.len += usize::from(strings.is_unterminated());
        strings
    }

    /// Returns the bytes of all strings, with their NULs.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns `true` if the last string lacks its NUL.
    pub fn is_unterminated(&self) -> bool {
        self.bytes.last().is_some_and(|last| *last != 0)
    }

    /// Removes the NUL of the last string.
    ///
    /// ```
    /// use meshspec::bulk::Strings;
    ///
    /// let mut strings = Strings::from_bytes(b"walk\0run\0".to_vec());
    /// strings.remove_terminator()?;
    /// assert_eq!((strings.as_bytes(), strings.len()), (&b"walk\0run"[..], 2));
    /// assert!(strings.is_unterminated());
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the list is empty, or the last string is empty or unterminated.
    pub fn remove_terminator(&mut self) -> Result<()> {
        match *self.bytes {
            [.., before, 0] if before != 0 => {
                self.bytes.pop();
                Ok(())
            }
            _ => Err(Error::inexpressible(
                "there is no last string, or it is empty or unterminated",
            )
            .at(path!(strings))),
        }
    }

    /// Returns string `index`, counted from 0; `None` if out of range.
    pub fn get(&self, index: usize) -> Option<Text> {
        if index >= self.len {
            return None;
        }
        let start = (index / STEP)
            .checked_sub(1)
            .and_then(|step| self.starts.get(step));
        self.iter_from(start.copied().unwrap_or(0))
            .nth(index % STEP)
            .map(|bytes| Text::from(bytes.to_vec()))
    }

    /// Returns the strings in order, without their NULs.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.iter_from(0)
    }

    fn iter_from(&self, start: usize) -> impl Iterator<Item = &[u8]> {
        let bytes = &self.bytes[start..];
        // Bytes after the last NUL, if any, are one more string.
        bytes
            .split_inclusive(|byte| *byte == 0)
            .map(|string| string.strip_suffix(b"\0").unwrap_or(string))
    }

    /// Appends a string. If the last string lacks its NUL, adds this NUL first.
    ///
    /// # Errors
    ///
    /// Returns the string if it contains a NUL.
    pub fn push(&mut self, string: Text) -> Result<(), Text> {
        if string.as_bytes().contains(&0) {
            return Err(string);
        }
        if self.is_unterminated() {
            self.bytes.push(0);
        }
        self.bytes.extend_from_slice(string.as_bytes());
        self.bytes.push(0);
        self.len += 1;
        if self.len.is_multiple_of(STEP) {
            self.starts.push(self.bytes.len());
        }
        Ok(())
    }
}

/// Collects strings. Truncates each string before its first NUL, if any.
impl<S: Into<Text>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Strings {
        let mut list = Strings::default();
        for string in strings {
            if let Err(string) = list.push(string.into()) {
                let before = string
                    .as_bytes()
                    .split(|byte| *byte == 0)
                    .next()
                    .unwrap_or_default();
                // A string without a NUL cannot be rejected.
                let _ = list.push(Text::from(before.to_vec()));
            }
        }
        list
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Strings) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Strings {}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.bytes.escape_ascii())
    }
}

impl Layout for Strings {
    const TYPE: Type = Type::list(&Type::NulString);
}

impl BinRead for Strings {
    type Args<'b> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, _: Endian, (): ()) -> BinResult<Strings> {
        let size = usize::try_from(remaining_bytes(reader)?)
            .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let mut bytes = Vec::with_capacity(size);
        reader.read_to_end(&mut bytes)?;
        Ok(Strings::from_bytes(bytes))
    }
}

impl BinWrite for Strings {
    type Args<'b> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.bytes)?)
    }
}
