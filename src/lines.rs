//! Lines of a text file, each with a description of its meaning.

use crate::text::truncated;
use crate::{Finding, Path};

/// Maximum displayed length, in characters.
const MAX_CHARS: usize = 200;

/// A line of a text file. Text, path and meaning are computed on demand, so skipping lines is cheap.
///
/// ```
/// # #[cfg(feature = "seed")] {
///
/// meshspec::seed::FORMAT.lines(b"p 1, 2.5, 3", &mut |line| {
///     assert_eq!(line.path().to_string(), "positions[0]");
///     assert_eq!(line.meaning(), "Position of vertex 0: (1.0, 2.5, 3.0)");
///     std::ops::ControlFlow::Continue(())
/// });
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Line<'l> {
    /// The line number, counted from 1.
    pub number: u64,
    /// The file offset of the first byte.
    pub offset: u64,
    /// The bytes of the line, without its line ending.
    pub bytes: &'l [u8],
    /// The list that the line belongs to, such as `positions` or `uvs[0]`, even for a malformed line; empty for a line
    /// without content.
    pub list: &'static str,
    /// The index, in `list`, of the item that the line appends.
    pub index: usize,
    /// The findings in this line.
    pub findings: Vec<Finding>,
    pub(crate) describe: fn(&Line) -> String,
}

impl Line<'_> {
    /// The content, truncated to 200 characters. Invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes[..self.bytes.len().min(4 * MAX_CHARS)]);
        truncated(&text, MAX_CHARS).into_owned()
    }

    /// The path of the field that the line sets, such as `positions[3]`; empty for a line without content.
    pub fn path(&self) -> Path {
        match self.list {
            "" => Path::default(),
            list => Path::text(list).index(self.index),
        }
    }

    /// The meaning of the line in words; empty for a blank or malformed line.
    pub fn meaning(&self) -> String {
        (self.describe)(self)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Line<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;

        let mut line = serializer.serialize_struct("Line", 6)?;
        line.serialize_field("number", &self.number)?;
        line.serialize_field("offset", &self.offset)?;
        line.serialize_field("text", &self.text())?;
        line.serialize_field("path", &self.path())?;
        line.serialize_field("meaning", &self.meaning())?;
        line.serialize_field("findings", &self.findings)?;
        line.end()
    }
}
