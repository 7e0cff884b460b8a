//! What the declaration of MESH cannot say: which dialect a file is, and how its sections become a document.

use std::io::Cursor;

use binrw::{BinRead, BinWrite};

use super::rules::Glance;
use super::schema::{self, File, Pose, RenderlibFile, RenderlibPose};
use super::vertices::stride;
use super::{Animation, Confidence, Document, VertexFormat, Vertices, rules};
use crate::bulk::{self, Bulk, Inspected, List, NulStrings, Records};
use crate::layout::{Layout, Type};
use crate::{Detection, Dialect, Error, Path, Result, Text, path};

/// The declaration of a file of this dialect.
pub(super) fn layout(dialect: Dialect) -> &'static Type {
    match dialect {
        Dialect::Renderlib => &RenderlibFile::TYPE,
        _ => &File::TYPE,
    }
}

/// Whether the bytes have the structure of MESH, and in which dialect (M17): the renderlib layout is recognised by a
/// root transform whose last row is 0, 0, 0, 1 and by consuming the file exactly. Where the layout of the specification
/// fits as well, the one under which the file breaks no rule is right, and the specification if both are.
pub(super) fn detect(bytes: &[u8]) -> Detection {
    let spec = File::read(&mut Cursor::new(bytes)).ok();
    let (dialect, fits) = match fits_renderlib(bytes) {
        None => (Dialect::Spec, spec.is_some_and(|file| strings_are_text(&file, bytes))),
        Some(fits) => match spec {
            None => (Dialect::Renderlib, fits),
            Some(file) if !fits => (Dialect::Spec, strings_are_text(&file, bytes)),
            Some(file) => match spec_document(file, bytes) {
                Ok((document, glance)) if is_plausible(&document, &glance) => {
                    (Dialect::Spec, !document.unterminated)
                }
                _ => (Dialect::Renderlib, true),
            },
        },
    };
    // Version 1.0, with positions.
    let [0x01, format, unused, ..] = bytes else {
        return Detection { confidence: Confidence::None, dialect };
    };
    let is_clean = format >> 4 == 0 && *unused == 0;
    let confidence = match (fits, is_clean) {
        _ if format & 1 == 0 => Confidence::None,
        (true, true) => Confidence::Structure,
        (true, false) | (false, true) => Confidence::Possible,
        (false, false) => Confidence::None,
    };
    Detection { confidence, dialect }
}

/// `None` without the last row of a root transform, else whether the layout consumes the file exactly.
fn fits_renderlib(bytes: &[u8]) -> Option<bool> {
    let last_row = bytes.get(62..78)?;
    if last_row != bytemuck::bytes_of(&[0.0f32, 0.0, 0.0, 1.0].map(|x| x.to_bits().to_le())) {
        return None;
    }
    let mut cursor = Cursor::new(bytes);
    Some(RenderlibFile::read(&mut cursor).is_ok() && cursor.position() == bytes.len() as u64)
}

fn strings_are_text(file: &File, bytes: &[u8]) -> bool {
    let (strings, unterminated) = split_strings(file.strings.0.bytes(bytes));
    !unterminated && strings.iter().all(Text::is_printable)
}

fn is_plausible(document: &Document, glance: &Glance) -> bool {
    let mut report = crate::Report::at_least(crate::Severity::Error, &crate::Limits::default());
    rules::check_after(glance, document, &mut report);
    report.findings().is_empty() && document.strings.iter().all(Text::is_printable)
}

/// Decodes a file of this dialect, checking nothing but its structure.
pub(super) fn read(bytes: &[u8], dialect: Dialect) -> Result<(Document, Glance)> {
    match dialect {
        Dialect::Renderlib => read_renderlib(bytes),
        _ => {
            let file = File::read(&mut Cursor::new(bytes)).map_err(Error::malformed)?;
            spec_document(file, bytes)
        }
    }
}

fn spec_document(file: File, bytes: &[u8]) -> Result<(Document, Glance)> {
    let (strings, unterminated) = split_strings(file.strings.0.bytes(bytes));
    let glance = Glance::new(file.header.format, file.joints.len());
    let document = Document {
        dialect: Dialect::Spec,
        root_transform: None,
        vertices: read_vertices(file.header.format, file.vertices.bytes(bytes), &glance)?,
        indices: bulk::to_vec_inspected(file.indices.bytes(bytes), &|piece| glance.at_indices(piece)),
        joints: file.joints,
        animations: file
            .animations
            .0
            .into_iter()
            .map(|animation| Animation {
                name: Some(animation.name),
                duration: animation.duration,
                speed: animation.speed,
                timestamps: animation.timestamps.to_vec(bytes),
                poses: animation.poses.to_vec(bytes),
            })
            .collect(),
        strings,
        unterminated,
    };
    Ok((document, glance))
}

fn read_vertices(format: VertexFormat, records: &[u8], glance: &Glance) -> Result<Vertices> {
    let copy = bulk::copy_inspected(records, stride(format), &|piece| glance.at_vertices(piece));
    Vertices::from_bytes(format, copy)
}

fn read_renderlib(bytes: &[u8]) -> Result<(Document, Glance)> {
    let mut cursor = Cursor::new(bytes);
    let file = RenderlibFile::read(&mut cursor).map_err(Error::malformed)?;
    let rest = bytes.len() as u64 - cursor.position();
    if rest > 0 {
        let message = format!("{rest} bytes follow the last animation");
        return Err(Error::malformed(message).at(path!(trailing)).with_rule(&rules::TRAILING));
    }
    let glance = Glance::new(file.header.format, file.joints.len());
    let document = Document {
        dialect: Dialect::Renderlib,
        root_transform: Some(file.header.root_transform),
        vertices: read_vertices(file.header.format, file.vertices.bytes(bytes), &glance)?,
        indices: bulk::to_vec_inspected(file.indices.bytes(bytes), &|piece| glance.at_indices(piece)),
        joints: file.joints,
        animations: file
            .animations
            .0
            .into_iter()
            .map(|animation| Animation {
                name: None,
                duration: animation.duration,
                speed: animation.speed,
                timestamps: animation.timestamps.to_vec(bytes),
                poses: animation.poses.to_vec(bytes).into_iter().map(Pose::from).collect(),
            })
            .collect(),
        strings: Vec::new(),
        unterminated: false,
    };
    Ok((document, glance))
}

/// The strings of a section, and whether the last one lacks its NUL.
fn split_strings(section: &[u8]) -> (Vec<Text>, bool) {
    let mut strings: Vec<Text> = section.split(|byte| *byte == 0).map(|s| Text::from(s.to_vec())).collect();
    // What follows the last NUL is a string only if it is not empty.
    let unterminated = strings.last().is_some_and(|last| *last != Text::default());
    if !unterminated {
        strings.pop();
    }
    (strings, unterminated)
}

/// A count in the width that the header has for it.
fn count<N: TryFrom<usize>>(items: usize, path: impl Into<Path>) -> Result<N> {
    N::try_from(items).map_err(|_| {
        let most = (1u64 << (8 * size_of::<N>())) - 1;
        Error::inexpressible(format!("{items} items, but the file can count {most}")).at(path)
    })
}

/// Encodes the document in its own dialect, checking nothing but that it can be expressed.
pub(super) fn write(document: &Document) -> Result<(Vec<u8>, Glance)> {
    let glance = Glance::new(document.vertices.format(), document.joints.len());
    for (index, animation) in document.animations.iter().enumerate() {
        let expected = animation.timestamps.len().checked_mul(document.joints.len());
        if expected != Some(animation.poses.len()) {
            let message = format!(
                "{} entries for {} timestamps of {} joints",
                animation.poses.len(),
                animation.timestamps.len(),
                document.joints.len()
            );
            return Err(Error::inexpressible(message).at(path!(animations[index].poses)));
        }
    }
    let mut out = Cursor::new(Vec::with_capacity(size_of_file(document)));
    match document.dialect {
        Dialect::Renderlib => write_renderlib(document, &glance, &mut out)?,
        _ => write_spec(document, &glance, &mut out)?,
    }
    Ok((out.into_inner(), glance))
}

/// Enough bytes for the file in either dialect, so that it is written without growing.
fn size_of_file(document: &Document) -> usize {
    let animations = document.animations.iter();
    let strings = document.strings.iter();
    78 + document.vertices.as_bytes().len()
        + size_of_val(&*document.indices)
        + 66 * document.joints.len()
        + animations.map(|a| 16 + size_of_val(&*a.timestamps) + size_of_val(&*a.poses)).sum::<usize>()
        + strings.map(|s| s.as_bytes().len() + 1).sum::<usize>()
}

fn written(result: binrw::BinResult<()>) -> Result<()> {
    result.map_err(|error| Error::inexpressible(error.to_string()))
}

fn write_spec(document: &Document, glance: &Glance, out: &mut Cursor<Vec<u8>>) -> Result<()> {
    if document.root_transform.is_some() {
        return Err(Error::inexpressible("the specification has no root transform").at(path!(root_transform)));
    }
    let strings = join_strings(document)?;
    let at_vertices = |piece: &[u8]| glance.at_vertices(piece);
    let at_indices = |piece: &[u32]| glance.at_indices(piece);
    let file = File {
        header: schema::Header {
            version: 0x01,
            format: document.vertices.format(),
            vertex_count: count(document.vertices.len(), path!(vertices))?,
            index_count: count(document.indices.len(), path!(indices))?,
            joint_count: count(document.joints.len(), path!(joints))?,
            animation_count: count(document.animations.len(), path!(animations))?,
        },
        vertices: Records::inspected(document.vertices.as_bytes(), document.vertices.stride(), &at_vertices),
        indices: Bulk::Inspected(Inspected { values: &document.indices, group: 1, inspect: &at_indices }),
        joints: document.joints.clone(),
        animations: List(
            document
                .animations
                .iter()
                .enumerate()
                .map(|(index, animation)| {
                    Ok(schema::Animation {
                        name: animation.name.ok_or_else(|| {
                            Error::inexpressible("the specification wants a name")
                                .at(path!(animations[index].name))
                        })?,
                        duration: animation.duration,
                        speed: animation.speed,
                        pose_count: count(animation.timestamps.len(), path!(animations[index]))?,
                        timestamps: Bulk::Given(&animation.timestamps),
                        poses: Bulk::Given(&animation.poses),
                    })
                })
                .collect::<Result<_>>()?,
        ),
        strings: NulStrings(Bulk::Given(&strings)),
    };
    written(file.write(out))
}

fn join_strings(document: &Document) -> Result<Vec<u8>> {
    let mut section = Vec::new();
    for (index, string) in document.strings.iter().enumerate() {
        if string.as_bytes().contains(&0) {
            return Err(Error::inexpressible("a string cannot contain a NUL").at(path!(strings[index])));
        }
        section.extend_from_slice(string.as_bytes());
        section.push(0);
    }
    if document.unterminated {
        if document.strings.last().is_none_or(|last| last.as_bytes().is_empty()) {
            return Err(Error::inexpressible("there is no last string that could lack its NUL")
                .at(path!(unterminated)));
        }
        section.pop();
    }
    Ok(section)
}

fn write_renderlib(document: &Document, glance: &Glance, out: &mut Cursor<Vec<u8>>) -> Result<()> {
    if !document.strings.is_empty() {
        return Err(Error::inexpressible("the renderlib dialect has no strings").at(path!(strings)));
    }
    let root_transform = document.root_transform.ok_or_else(|| {
        Error::inexpressible("the renderlib dialect wants a root transform").at(path!(root_transform))
    })?;
    let poses = document
        .animations
        .iter()
        .enumerate()
        .map(|(index, animation)| narrow_poses(animation, index))
        .collect::<Result<Vec<_>>>()?;
    let at_vertices = |piece: &[u8]| glance.at_vertices(piece);
    let at_indices = |piece: &[u32]| glance.at_indices(piece);
    let file = RenderlibFile {
        header: schema::RenderlibHeader {
            version: 0x01,
            format: document.vertices.format(),
            vertex_count: count(document.vertices.len(), path!(vertices))?,
            index_count: count(document.indices.len(), path!(indices))?,
            joint_count: count(document.joints.len(), path!(joints))?,
            animation_count: count(document.animations.len(), path!(animations))?,
            root_transform,
        },
        vertices: Records::inspected(document.vertices.as_bytes(), document.vertices.stride(), &at_vertices),
        indices: Bulk::Inspected(Inspected { values: &document.indices, group: 1, inspect: &at_indices }),
        joints: document.joints.clone(),
        animations: List(
            document
                .animations
                .iter()
                .zip(&poses)
                .enumerate()
                .map(|(index, (animation, poses))| {
                    Ok(schema::RenderlibAnimation {
                        duration: animation.duration,
                        speed: animation.speed,
                        pose_count: count(animation.timestamps.len(), path!(animations[index]))?,
                        timestamps: Bulk::Given(&animation.timestamps),
                        poses: Bulk::Given(poses),
                    })
                })
                .collect::<Result<_>>()?,
        ),
    };
    written(file.write(out))
}

/// The entries of an animation as the renderlib dialect has them: without a name, joints as one byte.
fn narrow_poses(animation: &Animation, index: usize) -> Result<Vec<RenderlibPose>> {
    if animation.name.is_some() {
        return Err(
            Error::inexpressible("the renderlib dialect has no names").at(path!(animations[index].name))
        );
    }
    let entries = animation.poses.iter().enumerate();
    let narrowed = entries.map(|(i, pose)| {
        Ok(RenderlibPose {
            joint: u8::try_from(pose.joint).map_err(|_| {
                let path = path!(animations[index].poses[i].joint);
                Error::inexpressible(format!("joint {} does not fit in a byte", pose.joint)).at(path)
            })?,
            position: pose.position,
            rotation: pose.rotation,
            scale: pose.scale,
        })
    });
    narrowed.collect()
}
