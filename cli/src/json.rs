//! Documents and results as JSON text.

use std::io::{self, Write};

use meshspec::{AnyFormat, Document, FormatId, Formats, WriteOptions};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

/// Returns the format of a document, whose key may be anywhere in it. Errors have line and column.
pub fn format_of(text: &[u8]) -> serde_json::Result<FormatId> {
    #[derive(Deserialize)]
    struct Header {
        format: FormatId,
    }
    serde_json::from_slice(text).map(|Header { format }| format)
}

/// Returns the format of a document among these formats. Errors have line and column.
pub fn format_among(text: &[u8], formats: &Formats) -> Result<AnyFormat, String> {
    #[derive(Deserialize)]
    struct Header {
        format: String,
    }
    let own = serde_json::from_slice(text).ok().and_then(|Header { format }| formats.get(&format).ok());
    own.map_or_else(|| format_of(text).map(AnyFormat::from).map_err(|error| error.to_string()), Ok)
}

/// Encodes a JSON document as a file of its format, which must be one of these.
pub fn file_of(text: &[u8], formats: &Formats) -> Result<(AnyFormat, Vec<u8>), String> {
    let (format, options) = (format_among(text, formats)?, WriteOptions::lenient());
    let file = match format.built_in() {
        Some(_) => read_document(text).map_err(|error| error.to_string())?.write(&options),
        None => format.read_json(text, &options),
    };
    file.map(|file| (format, file)).map_err(|error| error.to_string())
}

/// Decodes a document. Errors have line and column.
pub fn read_document(text: &[u8]) -> serde_json::Result<Document> {
    // The format decides how to read the rest. `format_of` has already rejected trailing characters.
    format_of(text)?.deserialize(&mut serde_json::Deserializer::from_slice(text))
}

/// Encodes a document.
pub fn write_document(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

/// Writes data as a line of JSON.
pub fn write_line(data: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, data)?;
    writeln!(out)
}

/// Serializes an element of a list.
pub fn to_vec(data: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec_pretty(data)?)
}

/// A JSON list, printed element by element.
pub struct List {
    is_empty: bool,
}

impl List {
    pub fn new() -> List {
        List { is_empty: true }
    }

    /// Prints an element.
    pub fn write(&mut self, element: &[u8], out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.is_empty { b"[" } else { b"," })?;
        self.is_empty = false;
        // Strings escape line feeds, so each line feed ends a line.
        for line in element.split(|byte| *byte == b'\n') {
            out.write_all(b"\n  ")?;
            out.write_all(line)?;
        }
        Ok(())
    }

    /// Prints the end of the list.
    pub fn end(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.is_empty { b"[]\n" } else { b"\n]\n" })
    }
}
