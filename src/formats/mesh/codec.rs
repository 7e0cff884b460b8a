//! Dialect detection, and the parts of reading and writing that the declaration cannot express.

use std::io::Cursor;

use binrw::{BinRead, BinWrite};

use super::schema::{Animation, Document, Header, VertexFormat, layout};
use super::summary::Summary;
use super::{Confidence, rules};
use crate::layout::Layout;
use crate::layout::codec::of_binrw;
use crate::layout::walk::{self, Node, Segment, Visit, Visitor};
use crate::text::is_printable;
use crate::{Detection, Dialect, Error, Limits, Report, Result, Severity, path};

/// Checks the structure of MESH and detects the dialect (M17). The renderlib layout is recognised by the last row of
/// its root transform, 0, 0, 0, 1. If the specification's layout also matches, renderlib must consume the whole file;
/// the specification still wins unless the file breaks a rule under it.
///
/// Copies data only if both layouts match.
pub(super) fn detect(bytes: &[u8]) -> Detection {
    let strings = spec_strings(bytes);
    let (dialect, fits) = match (fits_renderlib(bytes), strings) {
        (None | Some(false), Some(strings)) => (Dialect::Spec, are_text(strings)),
        (None, None) => (Dialect::Spec, false),
        (Some(fits), None) => (Dialect::Renderlib, fits),
        (Some(true), Some(strings)) => match read(bytes, Dialect::Spec) {
            Ok((document, summary)) if are_text(strings) && breaks_no_rule(&document, &summary) => {
                (Dialect::Spec, true)
            }
            _ => (Dialect::Renderlib, true),
        },
    };
    Detection { confidence: confidence(bytes, fits), dialect }
}

/// Returns the strings section if the specification's layout matches up to it.
fn spec_strings(bytes: &[u8]) -> Option<&[u8]> {
    struct Start(Option<u64>);

    impl Visitor for Start {
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

    let mut start = Start(None);
    walk::walk(layout(Dialect::Spec), bytes, &Limits::default(), &mut start).ok()?;
    bytes.get(usize::try_from(start.0?).ok()?..)
}

fn are_text(strings: &[u8]) -> bool {
    strings.last().is_none_or(|last| *last == 0) && strings.split(|byte| *byte == 0).all(is_printable)
}

/// Rates bytes by their header and by whether their structure fits.
fn confidence(bytes: &[u8], fits: bool) -> Confidence {
    let [Header::VERSION, low, high, ..] = *bytes else { return Confidence::None };
    let format = VertexFormat::from_bytes([low, high]);
    match (fits, format.unused() == 0) {
        _ if !format.position() => Confidence::None,
        (true, true) => Confidence::Structure,
        (true, false) | (false, true) => Confidence::Possible,
        (false, false) => Confidence::None,
    }
}

/// Returns `None` if the last row of the root transform does not match, otherwise whether the layout consumes the
/// whole file.
fn fits_renderlib(bytes: &[u8]) -> Option<bool> {
    let header = Header::read_args(&mut Cursor::new(bytes), (Dialect::Renderlib,)).ok()?;
    if header.root_transform?[3].map(f32::to_bits) != [0.0f32, 0.0, 0.0, 1.0].map(f32::to_bits) {
        return None;
    }
    let end = walk::walk(layout(Dialect::Renderlib), bytes, &Limits::default(), &mut ());
    Some(end == Ok(bytes.len() as u64))
}

fn breaks_no_rule(document: &Document, summary: &Summary) -> bool {
    let mut report = Report::at_least(Severity::Error, &Limits::default());
    rules::check_after(summary, document, &mut report);
    report.findings().is_empty()
}

/// Decodes a file of this dialect, checking only its structure.
pub(super) fn read(bytes: &[u8], dialect: Dialect) -> Result<(Document, Summary)> {
    let (mut cursor, summary) = (Cursor::new(bytes), Summary::default());
    // binrw lacks the location of a fault, so the walker finds it.
    let document = Document::read_args(&mut cursor, (dialect, &summary)).map_err(Error::malformed)?;
    match bytes.len() as u64 - cursor.position() {
        0 => Ok((document, summary)),
        rest => {
            let message = format!("{rest} bytes follow the last animation");
            Err(Error::malformed(message).at(path!(trailing)).with_rule(&rules::TRAILING))
        }
    }
}

/// Encodes the document in its own dialect; rejects only what the dialect cannot express.
pub(super) fn write(document: &Document) -> Result<Vec<u8>> {
    let mut out = Cursor::new(Vec::with_capacity(size(document)));
    document.write(&mut out).map_err(|error| of_binrw(error, Error::inexpressible))?;
    Ok(out.into_inner())
}

/// Estimates the size of the file in bytes, to allocate only once. Slightly too large, because values in memory are
/// larger than in the file.
fn size(document: &Document) -> usize {
    let animation = |animation: &Animation| {
        size_of_val(animation) + size_of_val(&*animation.timestamps) + size_of_val(&*animation.poses)
    };
    Header::size_with(&[document.dialect.into()]).unwrap_or_default() as usize
        + document.vertices.as_bytes().len()
        + size_of_val(&*document.indices)
        + size_of_val(&*document.joints)
        + document.animations.iter().map(animation).sum::<usize>()
        + document.strings.as_bytes().len()
}
