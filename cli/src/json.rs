//! Reads files from JSON, and writes results as JSON.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::Path;

use meshspec::layout::declaration::Type;
use meshspec::layout::tree::Tree;
use meshspec::{AnyDocument, AnyFormat, Dialect, Formats, Limits, Loss, ReadOptions, Report};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::buffer::{LimitedStream, MIN_LARGE_SIZE, max_size, read_start};
use crate::input::is_standard;

/// The UTF-8 byte order mark, which some editors add.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns `text` without a leading byte order mark, which parsers of JSON reject.
pub fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Returns `true` if the text is a JSON object as a whole.
pub fn is_object(text: &[u8]) -> bool {
    let text = without_byte_order_mark(text).trim_ascii_start();
    text.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Returns the format that JSON names, at any position. The values need not be well-formed; an error in them comes
/// before that of a missing or unknown format.
pub fn find_format(text: &[u8], formats: &Formats) -> Result<AnyFormat, String> {
    let text = without_byte_order_mark(text);
    let names = Names::parse(text).map_err(|error| first_error(text).unwrap_or(error))?;
    formats
        .get(&names.format)
        .map_err(|error| error.to_string())
}

/// Returns the first error in the notation of JSON, with line and column, or that the format is missing.
fn first_error(text: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(expecting = "a document")]
    struct Header {
        #[serde(rename = "format")]
        _format: String,
    }
    let error = serde_json::from_slice::<Header>(text).err()?;
    Some(error.to_string())
}

/// The layout that JSON names.
pub struct JsonLayout {
    pub format: AnyFormat,
    pub dialect: Dialect,
    pub ty: &'static Type,
}

impl JsonLayout {
    /// Finds the layout of the values in JSON. Returns an error message if JSON names none, or an unknown one.
    pub fn parse(text: &[u8], formats: &Formats) -> Result<JsonLayout, String> {
        let Names { format, layout } = Names::parse(text)?;
        let format = formats.get(&format).map_err(|error| error.to_string())?;
        let names = format.value_layouts();
        let name = match (&layout, &names[..]) {
            (_, []) => {
                return Err(format!("{format} declares no values"));
            }
            (Some(layout), _) => layout,
            (None, [only]) => *only,
            (None, names) => {
                let names = names.join(", ");
                return Err(format!("`layout` is missing, expected one of {names}"));
            }
        };
        match format.layout_named(name) {
            Some((dialect, ty)) => Ok(JsonLayout {
                format,
                dialect,
                ty,
            }),
            None => Err(format!(
                "{format} has no layout \"{name}\", only {}",
                names.join(", ")
            )),
        }
    }
}

/// Returns `true` if JSON names a layout, so that it has the values of a file.
pub fn has_layout(text: &[u8]) -> bool {
    Names::parse(text).is_ok_and(|names| names.layout.is_some())
}

/// The names of the format and the layout.
struct Names {
    format: String,
    layout: Option<String>,
}

impl Names {
    /// Reads the names. The values may be truncated or malformed after them.
    fn parse(text: &[u8]) -> Result<Names, String> {
        let mut names = NamesVisitor::default();
        let parsed = serde_json::Deserializer::from_slice(text).deserialize_map(&mut names);
        match (names.format, parsed) {
            (Some(format), _) => Ok(Names {
                format,
                layout: names.layout,
            }),
            (None, Err(error)) => Err(error.to_string()),
            (None, Ok(())) => Err("expected an object with `format` and `layout`".to_owned()),
        }
    }
}

#[derive(Default)]
struct NamesVisitor {
    format: Option<String>,
    layout: Option<String>,
}

impl<'de> Visitor<'de> for &mut NamesVisitor {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `format` and `layout`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // The values follow, and need not be read twice.
        while self.format.is_none() || self.layout.is_none() {
            let Some(key) = map.next_key::<String>()? else {
                break;
            };
            match &*key {
                "format" => self.format = Some(map.next_value()?),
                "layout" => self.layout = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// A file whose values were read from JSON.
pub struct FileFromJson {
    pub format: AnyFormat,
    dialect: Dialect,
    pub bytes: Vec<u8>,
}

impl FileFromJson {
    /// Assembles the file, valid or not. Errors contain line and column, or the path of a value.
    pub fn read(text: &[u8], formats: &Formats) -> Result<FileFromJson, String> {
        let text = without_byte_order_mark(text);
        let read = || {
            let layout = JsonLayout::parse(text, formats)?;
            let values = Tree::from_json(layout.ty, text).map_err(|error| error.to_string())?;
            Ok((layout, values))
        };
        // Errors in the notation come first, wherever they are.
        let (layout, values) = read().map_err(|error| first_error(text).unwrap_or(error))?;
        FileFromJson::assemble(&layout, &values)
    }

    /// Assembles the file from its values.
    fn assemble(layout: &JsonLayout, values: &Tree) -> Result<FileFromJson, String> {
        let bytes = values.assemble_consistent(&Limits::default());
        Ok(FileFromJson {
            format: layout.format,
            dialect: layout.dialect,
            bytes: bytes.map_err(|error| error.to_string())?,
        })
    }

    /// Returns the options to decode the file, valid or not, with its comments.
    pub fn options(&self) -> ReadOptions {
        ReadOptions::lenient()
            .with_dialect(self.dialect)
            .with_comments(true)
    }

    /// Decodes the file, valid or not.
    pub fn decode(&self, keeps_comments: bool) -> Result<AnyDocument, String> {
        let options = self.options().with_comments(keeps_comments);
        self.format.read(&self.bytes, &options).map_err(message_of)
    }

    /// Returns the violations in the file.
    pub fn check(&self) -> Result<Report, String> {
        let of_file = self.format.check(&self.bytes, &self.options());
        let of_file = of_file.map_err(message_of)?;
        let document = match self.decode(true) {
            Ok(document) => document,
            Err(_) if of_file.errors() > 0 => return Ok(of_file),
            Err(error) => return Err(error),
        };
        // Findings of the document have paths only, which is what JSON has. A document lacks what only a file violates,
        // such as trailing bytes, or spaces in the numbers of a text.
        let of_document = document.check();
        let is_complete = of_document.findings().len() >= of_file.findings().len();
        Ok(if is_complete { of_document } else { of_file })
    }

    /// Returns the losses of decoding the file: bytes that no field covers.
    pub fn uncovered_bytes(&self) -> Vec<Loss> {
        self.format.uncovered_bytes(&self.bytes, &self.options())
    }
}

/// A large JSON, of which only the start was read.
pub struct LargeJson {
    layout: JsonLayout,
    start: Vec<u8>,
    rest: File,
    size: u64,
}

impl LargeJson {
    /// Opens the JSON at a path. Returns `None` if it is small or too large, not a regular file, or does not start with
    /// the names of its format and layout.
    pub fn open(path: &Path, formats: &Formats) -> Option<LargeJson> {
        let is_large = |metadata: Metadata| {
            let size = (MIN_LARGE_SIZE..=max_size()).contains(&metadata.len());
            (metadata.is_file() && size).then_some(metadata.len())
        };
        // A FIFO would be consumed, so the file is opened after the test.
        if is_standard(path) || path.metadata().ok().and_then(is_large).is_none() {
            return None;
        }
        let mut rest = File::open(path).ok()?;
        let size = is_large(rest.metadata().ok()?)?;
        let start = read_start(&mut rest).ok()?;
        let text = without_byte_order_mark(&start);
        let layout = JsonLayout::parse(text, formats).ok()?;
        has_layout(text).then_some(LargeJson {
            layout,
            start,
            rest,
            size,
        })
    }

    pub fn format(&self) -> AnyFormat {
        self.layout.format
    }

    /// Returns the size of the text in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Assembles the file without keeping the text in memory: it may be 50 times as large as the file. Returns `None`
    /// if the text is wrong. To tell its first error, it must be read whole.
    pub fn read(self) -> Option<Result<FileFromJson, String>> {
        let text = without_byte_order_mark(&self.start).chain(self.rest);
        let values = Tree::read_json(self.layout.ty, LimitedStream::new(text)).ok()?;
        Some(FileFromJson::assemble(&self.layout, &values))
    }
}

/// Returns the message of an error in an assembled file, without offsets: the user has no such file.
pub fn message_of(error: meshspec::Error) -> String {
    error.with_span(None).to_string()
}

/// Writes data as JSON in a single line.
pub fn write_line(data: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, data)?;
    writeln!(out)
}

/// Serialises the absolute difference of two numbers. JSON has no infinity, which becomes `"Infinity"`.
pub fn serialize_difference<S: Serializer>(
    difference: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match difference {
        Some(difference) if !difference.is_finite() => serializer.serialize_str("Infinity"),
        difference => difference.serialize(serializer),
    }
}

/// Serialises an element for [`ListWriter::write`].
pub fn to_element(data: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec_pretty(data)?)
}

/// Writes a JSON list, element by element.
pub struct ListWriter {
    is_empty: bool,
}

impl ListWriter {
    pub fn new() -> ListWriter {
        ListWriter { is_empty: true }
    }

    /// Writes an element, serialised by [`to_element`].
    pub fn write(&mut self, element: &[u8], out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.is_empty { b"[" } else { b"," })?;
        self.is_empty = false;
        // Strings in JSON contain no raw line feeds, so each line can be indented.
        for line in element.split(|byte| *byte == b'\n') {
            out.write_all(b"\n  ")?;
            out.write_all(line)?;
        }
        Ok(())
    }

    pub fn end(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.is_empty { b"[]\n" } else { b"\n]\n" })
    }
}
