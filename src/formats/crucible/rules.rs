//! The rules of Crucible.

pub(super) use super::schema::rules::*;

use super::{Chunk, Container, Document, schema};
use crate::layout::check_document;
use crate::{Report, path};

/// Reports all violations of a document.
pub(super) fn check(document: &Document, report: &mut Report) {
    check_document(schema::layout_of(document.container, document.dialect), document, report);
    for (index, chunk) in document.chunks.iter().enumerate() {
        check_chunk(chunk, index, report);
    }
    if !document.trailing.is_empty() {
        let last_item = match document.container {
            Container::Chunk => "stream",
            Container::Model => "chunk",
        };
        report.add(
            &TRAILING,
            path!(trailing),
            format_args!("{} bytes follow the last {last_item}", document.trailing.len()),
        );
    }
}

fn check_chunk(chunk: &Chunk, index: usize, report: &mut Report) {
    if !chunk.trailing.is_empty() {
        let count = chunk.trailing.len();
        let message = format_args!("{count} bytes follow the last stream");
        report.add(&TRAILING, path!(chunks[index].trailing), message);
    }
}
