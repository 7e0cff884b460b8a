//! Reads and writes the values of files as JSON, and writes results as JSON.

use std::fmt;
use std::io::{self, Write};

use meshspec::layout::declaration::Type;
use meshspec::layout::tree::Tree;
use meshspec::{
    AnyFormat, Dialect, Document, FormatId, Formats, Limits, ReadOptions, Report, WriteOptions,
};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

/// Returns the built-in format of a JSON document: the value of its key `format`, at any position. Errors contain line
/// and column.
pub fn parse_format(text: &[u8]) -> serde_json::Result<FormatId> {
    #[derive(Deserialize)]
    #[serde(expecting = "a document")]
    struct Header {
        format: FormatId,
    }
    serde_json::from_slice(without_byte_order_mark(text)).map(|Header { format }| format)
}

/// Returns the format of a JSON document, which must be one of `formats` or built in. Errors contain line and column.
pub fn find_format(text: &[u8], formats: &Formats) -> Result<AnyFormat, String> {
    #[derive(Deserialize)]
    struct Header {
        format: String,
    }
    let text = without_byte_order_mark(text);
    let registered = serde_json::from_slice(text)
        .ok()
        .and_then(|Header { format }| formats.get(&format).ok());
    registered.map_or_else(
        || {
            parse_format(text)
                .map(AnyFormat::from)
                .map_err(|error| error.to_string())
        },
        Ok,
    )
}

/// Returns the format and the layout of the values of a file, or an error message.
pub fn parse_layout(text: &[u8], formats: &Formats) -> Result<(AnyFormat, &'static Type), String> {
    let mut names = Names::default();
    let parsed = serde_json::Deserializer::from_slice(text).deserialize_map(&mut names);
    let Names { format, layout } = names;
    let format = match (format, parsed) {
        (Some(format), _) => format,
        (None, Err(error)) => return Err(error.to_string()),
        (None, Ok(())) => return Err("expected an object with `format` and `layout`".to_owned()),
    };
    let format = formats.get(&format).map_err(|error| error.to_string())?;
    let layouts = format.about().layouts();
    let names: Vec<_> = layouts.iter().map(|(name, _)| *name).collect();
    match (layout, layouts) {
        (_, []) => Err(format!(
            "{format} is a text format, which has no layout to assemble"
        )),
        (None, [(_, ty)]) => Ok((format, ty)),
        (None, _) => Err(format!(
            "`layout` is missing, expected one of {}",
            names.join(", ")
        )),
        (Some(layout), _) => match layouts.iter().find(|(name, _)| *name == layout) {
            Some((_, ty)) => Ok((format, ty)),
            None => Err(format!(
                "{format} has no layout \"{layout}\", only {}",
                names.join(", ")
            )),
        },
    }
}

/// Returns `true` if the values in JSON have the names of a layout.
pub fn has_layout(text: &[u8]) -> bool {
    let mut names = Names::default();
    // The object ends early once both names are known.
    let _ = serde_json::Deserializer::from_slice(text).deserialize_map(&mut names);
    names.layout.is_some()
}

/// The keys that name the format and the layout.
#[derive(Default)]
struct Names {
    format: Option<String>,
    layout: Option<String>,
}

impl<'de> Visitor<'de> for &mut Names {
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
    /// The document of a built-in format, if the JSON has no layout.
    document: Option<Document>,
}

impl FileFromJson {
    /// Writes the file whose values are in JSON, whether or not they are valid. Errors contain line and column, or the path of a
    /// value.
    pub fn read(text: &[u8], formats: &Formats) -> Result<FileFromJson, String> {
        let text = without_byte_order_mark(text);
        let format = find_format(text, formats)?;
        if let Some(id) = format.built_in_id()
            && !format.has_json_of_values()
            && !has_layout(text)
        {
            let document = id.document_from_json(text);
            let document = document.map_err(|error| error.to_string())?;
            let bytes = document.write(&WriteOptions::lenient());
            return Ok(FileFromJson {
                format,
                dialect: Dialect::default(),
                bytes: bytes.map_err(|error| error.to_string())?,
                document: Some(document),
            });
        }
        let (format, layout) = parse_layout(text, formats)?;
        let values = Tree::from_json(layout, text);
        let bytes = values
            .and_then(|values| values.assemble_consistent(&Limits::default()))
            .map_err(|error| error.to_string())?;
        let about = format.about();
        let mut dialects = about.dialects.iter().copied();
        let is_own = |dialect: &Dialect| {
            let layouts = about.layouts_of(Some(*dialect));
            layouts.iter().any(|(_, own)| *own == layout)
        };
        Ok(FileFromJson {
            format,
            dialect: dialects.find(is_own).unwrap_or_default(),
            bytes,
            document: None,
        })
    }

    /// Returns the options to decode the file, whether or not it is valid.
    pub fn options(&self) -> ReadOptions {
        ReadOptions::lenient().with_dialect(self.dialect)
    }

    /// Decodes a file of a built-in format, whether or not it is valid; `None` for a custom format.
    pub fn decode(&self) -> Option<Result<Document, String>> {
        if let Some(document) = &self.document {
            return Some(Ok(document.clone()));
        }
        let format = self.format.built_in_id()?;
        let document = format.read(&self.bytes, &self.options());
        Some(document.map_err(message_of))
    }

    /// Returns the violations in the file.
    pub fn check(&self) -> Result<Report, String> {
        match self.decode() {
            Some(document) => document.map(|document| document.check()),
            None => self
                .format
                .check(&self.bytes, &self.options())
                .map_err(message_of),
        }
    }
}

/// Returns the message of an error in bytes that are in no file: without their offsets.
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
