//! Which dialect a file is in, and what the declaration cannot say of reading and writing one.

use std::io::Cursor;
use std::sync::LazyLock;

use binrw::{BinRead, BinWrite};

use super::schema::{Animation, Document, Header, Joint, VertexFormat};
use super::summary::Summary;
use super::{Confidence, rules};
use crate::layout::walk::{self, Node, Segment, Visit, Visitor};
use crate::layout::{Layout, Type, bind};
use crate::text::is_printable;
use crate::{Detection, Dialect, Error, Limits, Report, Result, Severity, path};

static LAYOUTS: LazyLock<[(&str, &Type); 2]> = LazyLock::new(|| {
    [
        ("mesh", bind::<Document>("", &[Dialect::Spec.into()])),
        ("mesh_renderlib", bind::<Document>("Renderlib", &[Dialect::Renderlib.into()])),
    ]
});

/// The layout of each dialect.
pub(super) fn layouts() -> &'static [(&'static str, &'static Type)] {
    &*LAYOUTS
}

/// The layout of a file of this dialect.
pub(super) fn layout(dialect: Dialect) -> &'static Type {
    let [(_, spec), (_, renderlib)] = *LAYOUTS;
    if dialect == Dialect::Renderlib { renderlib } else { spec }
}

/// Whether the bytes have the structure of MESH, and in which dialect (M17): the renderlib layout is recognised by a
/// root transform whose last row is 0, 0, 0, 1 and by consuming the file exactly. Where the layout of the specification
/// fits as well, the one under which the file breaks no rule is right, and the specification if both are.
///
/// Nothing is copied for that but where both layouts fit.
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

/// The section of the strings, where the layout of the specification holds up to there.
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

/// How surely bytes are MESH whose structure fits, or does not.
fn confidence(bytes: &[u8], fits: bool) -> Confidence {
    // Version 1.0, with positions.
    let [0x01, low, high, ..] = *bytes else { return Confidence::None };
    let format = VertexFormat::from_bytes([low, high]);
    match (fits, format.unused() == 0) {
        _ if !format.position() => Confidence::None,
        (true, true) => Confidence::Structure,
        (true, false) | (false, true) => Confidence::Possible,
        (false, false) => Confidence::None,
    }
}

/// `None` without the last row of a root transform, else whether the layout consumes the file exactly.
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

/// Decodes a file of this dialect, checking nothing but its structure.
pub(super) fn read(bytes: &[u8], dialect: Dialect) -> Result<(Document, Summary)> {
    let (mut cursor, summary) = (Cursor::new(bytes), Summary::default());
    // The walker finds the place of what binrw refuses.
    let document = Document::read_args(&mut cursor, (dialect, &summary)).map_err(Error::malformed)?;
    match bytes.len() as u64 - cursor.position() {
        0 => Ok((document, summary)),
        rest => {
            let message = format!("{rest} bytes follow the last animation");
            Err(Error::malformed(message).at(path!(trailing)).with_rule(&rules::TRAILING))
        }
    }
}

/// Encodes the document in its own dialect, checking nothing but that it can be expressed.
pub(super) fn write(document: &Document) -> Result<(Vec<u8>, Summary)> {
    refuse_inexpressible(document)?;
    let (mut out, summary) = (Cursor::new(Vec::with_capacity(size(document))), Summary::default());
    document
        .write_args(&mut out, (&summary,))
        .map_err(|error| Error::of_binrw(error, Error::inexpressible))?;
    Ok((out.into_inner(), summary))
}

/// Bytes of the file, so that it is written without growing; a few more than there are where a dialect has shorter ones.
fn size(document: &Document) -> usize {
    let Document { dialect, root_transform: _, vertices, indices, joints, animations, strings } = document;
    let header = Header::size_with(&[(*dialect).into()]).unwrap_or(0) as usize;
    let animation = |Animation { name, duration, speed, timestamps, poses }: &Animation| {
        size_of_val(name)
            + size_of_val(duration)
            + size_of_val(speed)
            + size_of_val(&**timestamps)
            + size_of_val(&**poses)
    };
    header
        + vertices.as_bytes().len()
        + size_of_val(&**indices)
        + joints.len() * Joint::size_with(&[]).unwrap_or(0) as usize
        + animations.iter().map(animation).sum::<usize>()
        + strings.as_bytes().len()
}

/// The first thing that the document's dialect has no place for, or lacks.
fn refuse_inexpressible(document: &Document) -> Result<()> {
    let renderlib = document.dialect == Dialect::Renderlib;
    match document.root_transform {
        Some(_) if !renderlib => {
            let message = "the specification has no root transform";
            return Err(Error::inexpressible(message).at(path!(root_transform)));
        }
        None if renderlib => {
            let message = "the renderlib dialect requires a root transform";
            return Err(Error::inexpressible(message).at(path!(root_transform)));
        }
        _ => {}
    }
    if renderlib && !document.strings.is_empty() {
        return Err(Error::inexpressible("the renderlib dialect has no strings").at(path!(strings)));
    }
    for (index, animation) in document.animations.iter().enumerate() {
        refuse_inexpressible_animation(animation, document.joints.len(), renderlib)
            .map_err(|error| error.within(path!(animations[index])))?;
    }
    Ok(())
}

/// As [`refuse_inexpressible`], with paths from the animation on.
fn refuse_inexpressible_animation(animation: &Animation, joints: usize, renderlib: bool) -> Result<()> {
    let (times, poses) = (animation.timestamps.len(), animation.poses.len());
    if times.checked_mul(joints) != Some(poses) {
        let message = format!("{poses} entries for {times} timestamps of {joints} joints");
        return Err(Error::inexpressible(message).at(path!(poses)));
    }
    if u32::try_from(times).is_err() {
        let message = format!("{times} timestamps, but the file can count {}", u32::MAX);
        return Err(Error::inexpressible(message).at(path!(timestamps)));
    }
    match animation.name {
        Some(_) if renderlib => {
            Err(Error::inexpressible("the renderlib dialect has no names").at(path!(name)))
        }
        None if !renderlib => Err(Error::inexpressible("the specification requires a name").at(path!(name))),
        _ if !renderlib => Ok(()),
        _ => match animation.poses.iter().position(|pose| pose.joint > u8::MAX.into()) {
            Some(index) => {
                let message = format!("joint {} does not fit in a byte", animation.poses[index].joint);
                Err(Error::inexpressible(message).at(path!(poses[index].joint)))
            }
            None => Ok(()),
        },
    }
}
