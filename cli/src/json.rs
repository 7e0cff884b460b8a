//! Documents and results as JSON text.

use std::io::{self, Write};

use meshspec::{AnyFormat, Document, FormatId, Formats, WriteOptions};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

/// The format of a document, which may stand anywhere in it. Errors name line and column.
pub fn format_of(text: &[u8]) -> serde_json::Result<FormatId> {
    #[derive(Deserialize)]
    struct Header {
        format: FormatId,
    }
    serde_json::from_slice(text).map(|Header { format }| format)
}

/// The format of a document, of these formats. Errors name line and column.
pub fn format_among(text: &[u8], formats: &Formats) -> Result<AnyFormat, String> {
    #[derive(Deserialize)]
    struct Header {
        format: String,
    }
    let own = serde_json::from_slice(text).ok().and_then(|Header { format }| formats.get(&format).ok());
    own.map_or_else(|| format_of(text).map(AnyFormat::from).map_err(|error| error.to_string()), Ok)
}

/// Encodes a document as a file of its format, which is one of these.
pub fn file_of(text: &[u8], formats: &Formats) -> Result<(AnyFormat, Vec<u8>), String> {
    let (format, options) = (format_among(text, formats)?, WriteOptions::lenient());
    let file = match format.built_in() {
        Some(_) => read_document(text).map_err(|error| error.to_string())?.write(&options),
        None => format.read_json(text, &options),
    };
    file.map(|file| (format, file)).map_err(|error| error.to_string())
}

/// Decodes a document. Errors name line and column.
pub fn read_document(text: &[u8]) -> serde_json::Result<Document> {
    // The format decides how the rest is read. That nothing follows the document has been seen with it.
    format_of(text)?.deserialize(&mut serde_json::Deserializer::from_slice(text))
}

/// Encodes a document.
pub fn write_document(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

/// An element of a list.
pub fn to_vec(data: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec_pretty(data)?)
}

/// A list whose elements are printed one by one.
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
        // Line feeds within strings are escaped: each of these ends a line.
        for line in element.split(|byte| *byte == b'\n') {
            out.write_all(b"\n  ")?;
            out.write_all(line)?;
        }
        Ok(())
    }

    /// Prints the end.
    pub fn end(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.is_empty { b"[]\n" } else { b"\n]\n" })
    }
}
