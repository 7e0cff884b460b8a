//! Checks documents against the rules of Crucible.

pub(super) use super::schema::rules::*;

use super::{Container, Document, schema};
use crate::layout::check_document;
use crate::path::Segment;
use crate::text::bytes_follow;
use crate::{Report, path};

/// Adds all violations of a document to `report`.
pub(super) fn check(document: &Document, report: &mut Report) {
    check_document(
        schema::layout_of(document.container, document.dialect),
        document,
        report,
    );
    let mut check_trailing = |bytes: &[u8], path: &[Segment], last: &str| {
        if !bytes.is_empty() {
            report.add(&TRAILING, path, bytes_follow(bytes.len() as u64, last));
        }
    };
    for (index, chunk) in document.chunks.iter().enumerate() {
        check_trailing(
            &chunk.trailing,
            &path!(chunks[index].trailing),
            "the last stream",
        );
    }
    let last = if document.container == Container::Model {
        "the last chunk"
    } else {
        "the last stream"
    };
    check_trailing(&document.trailing, &path!(trailing), last);
}
