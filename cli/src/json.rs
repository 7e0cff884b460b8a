//! Reads and writes documents as JSON, and writes results as JSON.

use std::io::{self, Write};

use meshspec::{AnyFormat, Document, FormatId, Formats, WriteOptions};
use serde::de::{DeserializeSeed, IgnoredAny};
use serde::{Deserialize, Serialize, Serializer};

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

/// Encodes a JSON document as a file of its format, leniently. Returns the format and the bytes of the file.
pub fn encode_file(text: &[u8], formats: &Formats) -> Result<(AnyFormat, Vec<u8>), String> {
    let (format, options) = (find_format(text, formats)?, WriteOptions::lenient());
    let file = format.json_to_file(without_byte_order_mark(text), &options);
    file.map(|file| (format, file))
        .map_err(|error| error.to_string())
}

/// Parses a JSON document of a built-in format. Errors contain line and column.
pub fn read_document(text: &[u8]) -> serde_json::Result<Document> {
    let text = without_byte_order_mark(text);
    // The format determines the type of the document. `parse_format` has already rejected trailing characters.
    parse_format(text)?.deserialize(&mut serde_json::Deserializer::from_slice(text))
}

/// Writes a document as indented JSON.
pub fn write_document(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
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
