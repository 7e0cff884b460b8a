//! The inputs of the targets for the five formats.

use meshspec::layout::declaration::Type;
use meshspec::{AnyFormat, Dialect, Formats, Limits, ReadOptions, Strictness};

/// A file with its format and dialect.
#[derive(Debug, Clone, Copy)]
pub struct Input<'d> {
    /// The format.
    pub format: AnyFormat,
    /// The dialect to read the file in.
    pub dialect: Dialect,
    /// The file.
    pub bytes: &'d [u8],
}

impl<'d> Input<'d> {
    /// Creates an input with the detected dialect.
    pub fn detected(format: AnyFormat, bytes: &'d [u8]) -> Input<'d> {
        Input {
            format,
            dialect: format.detect(bytes).dialect,
            bytes,
        }
    }

    /// Parses the data of a target: the first byte is the index of a format and dialect, the rest is the file. `None`
    /// if the data is empty or the index is out of range.
    pub fn of(data: &'d [u8]) -> Option<Input<'d>> {
        let (index, bytes) = data.split_first()?;
        let (format, dialect) = Input::formats_and_dialects().nth(usize::from(*index))?;
        Some(Input {
            format,
            dialect,
            bytes,
        })
    }

    /// Returns the data of a target for this input; `None` if the format lacks the dialect.
    pub fn to_data(self) -> Option<Vec<u8>> {
        let is_same = |pair| pair == (self.format, self.dialect);
        let index = Input::formats_and_dialects().position(is_same)?;
        Some([&[index as u8], self.bytes].concat())
    }

    fn formats_and_dialects() -> impl Iterator<Item = (AnyFormat, Dialect)> {
        Formats::BUILT_IN.iter().flat_map(|format| {
            let dialects = format.about().dialects.iter();
            dialects.map(move |dialect| (*format, *dialect))
        })
    }

    /// Returns the layout of the file; `None` for a text format.
    pub(crate) fn layout(self) -> Option<&'static Type> {
        self.format.layout_of(self.bytes, self.dialect)
    }

    /// Returns options that read the file in its dialect, with low limits.
    pub(crate) fn options(self, strictness: Strictness) -> ReadOptions {
        let options = match strictness {
            Strictness::Strict => ReadOptions::default(),
            Strictness::Lenient => ReadOptions::lenient(),
        };
        options.with_dialect(self.dialect).with_limits(limits())
    }
}

/// Returns limits so small that each run of a target is short.
pub(crate) fn limits() -> Limits {
    Limits::default()
        .with_max_decoded(1 << 20)
        .with_max_libraries(1 << 16)
        .with_max_triangles(1 << 16)
}
