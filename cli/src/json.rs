//! Documents as JSON text.

use std::io::{self, Write};

use meshspec::{Document, FormatId};
use serde::Deserialize;
use serde::de::DeserializeSeed;

/// Decodes a document. Errors name line and column.
pub fn read_document(text: &[u8]) -> serde_json::Result<Document> {
    // The format decides how the rest is read, and may stand anywhere.
    #[derive(Deserialize)]
    struct Header {
        format: FormatId,
    }
    let Header { format } = serde_json::from_slice(text)?;
    // That nothing follows the document has been seen already.
    format.deserialize(&mut serde_json::Deserializer::from_slice(text))
}

/// Encodes a document.
pub fn write_document(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}
