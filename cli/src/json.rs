//! Documents as JSON text.

use std::io::{self, Write};

use meshspec::{Document, FormatId};
use serde::Deserialize;
use serde::de::DeserializeSeed;

/// The format of a document, which may stand anywhere in it. Errors name line and column.
pub fn format_of(text: &[u8]) -> serde_json::Result<FormatId> {
    #[derive(Deserialize)]
    struct Header {
        format: FormatId,
    }
    serde_json::from_slice(text).map(|Header { format }| format)
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
