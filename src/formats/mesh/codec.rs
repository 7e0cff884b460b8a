//! The parts of detecting, reading and writing MESH that the declaration cannot express.

use std::io::Cursor;

use binrw::{BinRead, BinWrite};

use super::schema::{Animation, Document, Header, VertexFormat, layout};
use super::summary::JointSummary;
use super::{Confidence, rules};
use crate::layout::Layout;
use crate::layout::codec::convert_binrw_error;
use crate::layout::walk::{self, Node, Segment, Visit, Visitor};
use crate::text::bytes_follow;
use crate::text::is_printable;
use crate::{Detection, Dialect, Error, Limits, Report, Result, Severity, path};

/// Detects MESH by its structure, and the dialect (M17).
///
/// The renderlib layout matches if the last row of the root transform is 0, 0, 0, 1. If both layouts match, prefers the
/// specification's dialect. Chooses renderlib instead if its layout consumes the whole file, and the file is invalid or
/// has unprintable strings in the specification's dialect. Copies data only if both layouts match.
pub(super) fn detect(bytes: &[u8]) -> Detection {
    let strings = find_spec_strings(bytes);
    let (dialect, has_structure) = match (matches_renderlib(bytes), strings) {
        (None | Some(false), Some(strings)) => (Dialect::SPEC, are_printable(strings)),
        (None, None) => (Dialect::SPEC, false),
        (Some(is_complete), None) => (Dialect::RENDERLIB, is_complete),
        (Some(true), Some(strings)) if are_printable(strings) && is_spec(bytes) => {
            (Dialect::SPEC, true)
        }
        (Some(true), Some(_)) => (Dialect::RENDERLIB, true),
    };
    Detection {
        confidence: confidence(bytes, has_structure),
        dialect,
    }
}

/// Returns `false` if the version, which takes the place of magic bytes, is wrong.
pub(super) fn may_start_with(start: &[u8]) -> bool {
    start
        .first()
        .is_none_or(|version| *version == Header::VERSION)
}

/// Returns the bytes of the strings; `None` if the specification's layout does not match up to the strings.
fn find_spec_strings(bytes: &[u8]) -> Option<&[u8]> {
    struct StringsOffset(Option<u64>);

    impl Visitor for StringsOffset {
        fn enter(&mut self, node: &Node) -> Visit {
            match node.path {
                [] | [Segment::Field("header")] => Visit::All,
                [Segment::Field("strings")] => {
                    self.0 = Some(node.span.range().start);
                    Visit::Stop
                }
                _ => Visit::Nothing,
            }
        }
    }

    let mut start = StringsOffset(None);
    walk::walk(layout(Dialect::SPEC), bytes, &Limits::default(), &mut start).ok()?;
    bytes.get(usize::try_from(start.0?).ok()?..)
}

/// Returns `true` if the last string is terminated, and all strings are printable.
fn are_printable(strings: &[u8]) -> bool {
    strings.last().is_none_or(|last| *last == 0)
        && strings.split(|byte| *byte == 0).all(is_printable)
}

/// Returns the confidence that `bytes` are a MESH file, from the first three bytes and `has_structure`, which is `true`
/// if the rest matches a dialect.
fn confidence(bytes: &[u8], has_structure: bool) -> Confidence {
    let [Header::VERSION, low, high, ..] = *bytes else {
        return Confidence::None;
    };
    let format = VertexFormat::from_bytes([low, high]);
    match (has_structure, format.unused() == 0) {
        _ if !format.position() => Confidence::None,
        (true, true) => Confidence::Structure,
        (true, false) | (false, true) => Confidence::Possible,
        (false, false) => Confidence::None,
    }
}

/// Returns `None` if the header or the last row of its root transform does not match. Otherwise, returns `true` if the
/// renderlib layout consumes the whole file.
fn matches_renderlib(bytes: &[u8]) -> Option<bool> {
    let header = Header::read_args(&mut Cursor::new(bytes), (Dialect::RENDERLIB,)).ok()?;
    if header.root_transform?[3].map(f32::to_bits) != [0.0f32, 0.0, 0.0, 1.0].map(f32::to_bits) {
        return None;
    }
    let end = walk::walk(
        layout(Dialect::RENDERLIB),
        bytes,
        &Limits::default(),
        &mut (),
    );
    Some(end == Ok(bytes.len() as u64))
}

/// Returns `true` if strict reading accepts the file in the specification's dialect.
fn is_spec(bytes: &[u8]) -> bool {
    let Ok((document, summary)) = read(bytes, Dialect::SPEC) else {
        return false;
    };
    let mut report = Report::at_least(Severity::Error, &Limits::default());
    rules::check_with_summary(&summary, &document, &mut report);
    report.findings().is_empty()
}

/// Decodes a file in `dialect`. Checks only its structure. Also returns the summary of the vertex joints.
pub(super) fn read(bytes: &[u8], dialect: Dialect) -> Result<(Document, JointSummary)> {
    let (mut cursor, summary) = (Cursor::new(bytes), JointSummary::default());
    // binrw errors have no location; the walker determines it later.
    let document =
        Document::read_args(&mut cursor, (dialect, &summary)).map_err(Error::malformed)?;
    match bytes.len() as u64 - cursor.position() {
        0 => Ok((document, summary)),
        rest => {
            let message = bytes_follow(rest, "the last animation");
            Err(Error::malformed(message)
                .at(path!(trailing))
                .with_rule(&rules::TRAILING))
        }
    }
}

/// Encodes the document in its own dialect. Returns an error only if the dialect cannot express it.
pub(super) fn write(document: &Document) -> Result<Vec<u8>> {
    let mut out = Cursor::new(Vec::with_capacity(max_size(document)));
    document
        .write(&mut out)
        .map_err(|error| convert_binrw_error(error, Error::inexpressible))?;
    Ok(out.into_inner())
}

/// Returns an upper bound of the file size in bytes: values take at least as much space in memory.
fn max_size(document: &Document) -> usize {
    let animation_size = |animation: &Animation| {
        size_of_val(animation)
            + size_of_val(&*animation.timestamps)
            + size_of_val(&*animation.poses)
    };
    Header::size_with(&[document.dialect.into()]).unwrap_or_default() as usize
        + document.vertices.as_bytes().len()
        + size_of_val(&*document.indices)
        + size_of_val(&*document.joints)
        + document
            .animations
            .iter()
            .map(animation_size)
            .sum::<usize>()
        + document.strings.as_bytes().len()
}
