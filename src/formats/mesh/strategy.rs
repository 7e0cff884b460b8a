//! Strategies that generate valid MESH documents, for tests of other loaders.
//!
//! Whatever follows from nothing else is any bits at all: floats take every value, NaN and infinities included, and so
//! does a field that is added to the declaration.

use std::io::Cursor;

use binrw::{BinRead, BinWrite};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::schema::{AnimationCount, Header};
use super::summary::Summary;
use super::{Animation, Document, Joint, Pose, Vertex, VertexFormat, Vertices};
use crate::layout::{Layout, Value};
use crate::{Dialect, Text};

const MAX_VERTICES: usize = 24;
const MAX_JOINTS: usize = 6;
const MAX_TIMESTAMPS: usize = 5;

/// Documents that strict reading accepts: every set of attributes, both dialects, with and without a skeleton and
/// animations.
pub fn documents() -> impl Strategy<Value = Document> {
    let sizes = (0..=MAX_JOINTS, 0..=MAX_VERTICES, 0..=3usize, 0..=3usize);
    let dialect = prop_oneof![Just(Dialect::Spec), Just(Dialect::Renderlib)];
    (sizes, dialect).prop_flat_map(|((joints, vertices, animations, strings), dialect)| {
        // Animations of the specification need a name.
        let spec = dialect == Dialect::Spec;
        let strings = if spec { strings.max(animations.min(1)) } else { 0 };
        (
            empty_documents(dialect),
            vertex_lists(vertices, joints),
            vec(0..vertices.max(1) as u32, if vertices == 0 { 0..=0 } else { 0..=3 * MAX_VERTICES }),
            skeletons(joints),
            vec(self::animations(joints, dialect, strings), animations),
            vec(texts(), strings),
        )
            .prop_map(move |(base, vertices, indices, joints, animations, strings)| Document {
                vertices,
                indices,
                joints,
                animations,
                strings: strings.into_iter().collect(),
                ..base
            })
    })
}

/// Bytes of any value, as many as a value has.
fn bytes(size: Option<u64>) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), size.unwrap_or(0) as usize)
}

/// Documents with nothing but a header.
fn empty_documents(dialect: Dialect) -> impl Strategy<Value = Document> {
    bytes(Header::size_with(&[dialect.into()])).prop_filter_map("a header", move |mut bytes| {
        let [low, high] = VertexFormat::default().into_bytes();
        bytes.get_mut(..3)?.copy_from_slice(&[Header::VERSION, low, high]);
        let mut header = Header::read_args(&mut Cursor::new(bytes), (dialect,)).ok()?;
        (header.vertex_count, header.index_count, header.joint_count) = (0, 0, 0);
        match &mut header.animation_count {
            AnimationCount::Spec(count) => *count = 0,
            AnimationCount::Renderlib(count) => *count = 0,
        }
        // The last row tells the renderlib dialect (M17).
        if let Some([.., last]) = &mut header.root_transform {
            *last = [0.0, 0.0, 0.0, 1.0];
        }
        let mut file = Cursor::new(Vec::new());
        header.write(&mut file).ok()?;
        file.set_position(0);
        Document::read_args(&mut file, (dialect, &Summary::default())).ok()
    })
}

/// Lists of vertices that are attached to no other than the first `joints` joints.
pub fn vertex_lists(count: usize, joints: usize) -> impl Strategy<Value = Vertices> {
    any::<[u8; 2]>().prop_flat_map(move |format| {
        let format = VertexFormat::from_bytes(format).with_position(true).with_unused(0);
        let records = bytes(Vertex::size_with(&[format.into()]).map(|size| size * count as u64));
        (records, vec(attachments(joints), count)).prop_filter_map("vertices", move |(records, attached)| {
            let (ids, weights): (Vec<_>, Vec<_>) = attached.into_iter().unzip();
            let mut vertices = Vertices::from_bytes(format, records).ok()?;
            vertices.fill("joint_ids", Some(&ids)).ok()?;
            vertices.fill("joint_weights", Some(&weights)).ok()?;
            Some(vertices)
        })
    })
}

/// Ids and weights: joints first, then slots that are not used (M9).
fn attachments(joints: usize) -> impl Strategy<Value = ([u8; 4], [u8; 4])> {
    let max = joints.min(4);
    (0..=max, prop::array::uniform4(0..joints.max(1) as u8), any::<[u8; 4]>()).prop_map(
        |(used, mut ids, mut weights)| {
            ids[used..].fill(255);
            weights[used..].fill(0);
            (ids, weights)
        },
    )
}

/// Skeletons in which parents come first.
pub fn skeletons(count: usize) -> impl Strategy<Value = Vec<Joint>> {
    let joint = (option::of(any::<prop::sample::Index>()), bytes(Joint::size_with(&[])));
    vec(joint, count).prop_filter_map("joints", |joints| {
        let entries = joints.into_iter().enumerate();
        let joint = |(id, (parent, bytes)): (usize, (Option<prop::sample::Index>, Vec<u8>))| {
            let base = Joint::read(&mut Cursor::new(bytes)).ok()?;
            let parent = parent.filter(|_| id > 0).map_or(255, |parent| parent.index(id) as u8);
            Some(Joint { id: id as u8, parent, ..base })
        };
        entries.map(joint).collect()
    })
}

/// Animations of a skeleton, named by one of `strings` strings in the specification's dialect.
pub fn animations(joints: usize, dialect: Dialect, strings: usize) -> impl Strategy<Value = Animation> {
    let arguments = [Value::from(joints as u8), dialect.into()];
    // Without timestamps and poses.
    let head = bytes(Animation::offset_with("timestamps", &arguments));
    let pose_count = Animation::offset_with("pose_count", &arguments).unwrap_or(0) as usize;
    let name = 0..strings.max(1) as u32;
    (head, name, vec(-1e6f32..1e6, 0..=MAX_TIMESTAMPS)).prop_flat_map(
        move |(mut head, name, mut timestamps)| {
            timestamps.sort_by(f32::total_cmp);
            head[pose_count..pose_count + 4].fill(0);
            let count = timestamps.len();
            vec(poses(joints), count).prop_filter_map("an animation", move |poses| {
                let base = Animation::read_args(&mut Cursor::new(&head), (0, dialect)).ok()?;
                let name = base.name.map(|_| name);
                Some(Animation { name, timestamps: timestamps.clone(), poses: poses.concat(), ..base })
            })
        },
    )
}

/// One entry per joint, in any order (M11).
fn poses(joints: usize) -> impl Strategy<Value = Vec<Pose>> {
    let order = Just((0..joints as u32).collect::<Vec<_>>()).prop_shuffle();
    (order, vec(bytes(Pose::size_with(&[])), joints)).prop_map(|(order, values)| {
        let entries = order.into_iter().zip(values);
        entries.map(|(joint, bytes)| Pose { joint, ..bytemuck::pod_read_unaligned(&bytes) }).collect()
    })
}

/// Printable strings.
fn texts() -> impl Strategy<Value = Text> {
    vec(prop::char::range(' ', '~'), 0..12).prop_map(|chars| Text::from(&*String::from_iter(chars)))
}
