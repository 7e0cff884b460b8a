//! Strategies that generate valid MESH documents, for tests of other loaders.
//!
//! Floats take every value, NaN and infinities included.

use proptest::collection::vec;
use proptest::num::f32::ANY as FLOAT;
use proptest::option;
use proptest::prelude::*;

use super::{Animation, Document, Joint, Pose, Vertex, VertexFormat, Vertices};
use crate::{Dialect, Text};

const MOST_VERTICES: usize = 24;
const MOST_JOINTS: usize = 6;
const MOST_TIMESTAMPS: usize = 5;

/// Documents that strict reading accepts: every set of attributes, both dialects, with and without a skeleton and
/// animations.
pub fn documents() -> impl Strategy<Value = Document> {
    let sizes = (0..=MOST_JOINTS, 0..=MOST_VERTICES, 0..=3usize, 0..=3usize);
    (sizes, any::<bool>(), matrices()).prop_flat_map(
        |((joints, vertices, animations, strings), renderlib, root)| {
            // Animations of the specification need a name.
            let strings = if renderlib { 0 } else { strings.max(animations.min(1)) };
            let names = (!renderlib).then_some(strings as u32);
            (
                vertex_lists(vertices, joints),
                vec(0..vertices.max(1) as u32, if vertices == 0 { 0..=0 } else { 0..=3 * MOST_VERTICES }),
                skeletons(joints),
                vec(self::animations(joints, names), animations),
                vec(texts(), strings),
            )
                .prop_map(move |(vertices, indices, joints, animations, strings)| Document {
                    dialect: if renderlib { Dialect::Renderlib } else { Dialect::Spec },
                    root_transform: renderlib.then_some(root),
                    vertices,
                    indices,
                    joints,
                    animations,
                    strings,
                    unterminated: false,
                })
        },
    )
}

fn matrices() -> impl Strategy<Value = [[f32; 4]; 4]> {
    // The last row tells the renderlib dialect (M17).
    [[FLOAT; 4], [FLOAT; 4], [FLOAT; 4]].prop_map(|[a, b, c]| [a, b, c, [0.0, 0.0, 0.0, 1.0]])
}

/// Lists of vertices that are attached to no other than the first `joints` joints.
pub fn vertex_lists(count: usize, joints: usize) -> impl Strategy<Value = Vertices> {
    any::<[bool; 3]>().prop_flat_map(move |[normal, uv, attached]| {
        let format =
            VertexFormat::new().with_position(true).with_normal(normal).with_uv(uv).with_joints(attached);
        let vertex = ([FLOAT; 3], [FLOAT; 3], [FLOAT; 2], attachments(joints)).prop_map(
            move |(position, normals, uvs, (ids, weights))| Vertex {
                position,
                normal: normal.then_some(normals),
                uv: uv.then_some(uvs),
                joint_ids: attached.then_some(ids),
                joint_weights: attached.then_some(weights),
            },
        );
        vec(vertex, count).prop_filter_map("vertices of their own format", move |list| {
            Vertices::from_records(format, list).ok()
        })
    })
}

/// Ids and weights: joints first, then slots that are not used (M9).
fn attachments(joints: usize) -> impl Strategy<Value = ([u8; 4], [u8; 4])> {
    let most = joints.min(4);
    (0..=most, prop::array::uniform4(0..joints.max(1) as u8), any::<[u8; 4]>()).prop_map(
        |(used, mut ids, mut weights)| {
            ids[used..].fill(255);
            weights[used..].fill(0);
            (ids, weights)
        },
    )
}

/// Skeletons in which parents come first.
pub fn skeletons(count: usize) -> impl Strategy<Value = Vec<Joint>> {
    let joint = (option::of(any::<prop::sample::Index>()), [[FLOAT; 4]; 4]);
    vec(joint, count).prop_map(|joints| {
        let entries = joints.into_iter().enumerate();
        let joint = |(id, (parent, transform)): (usize, (Option<prop::sample::Index>, _))| Joint {
            id: id as u8,
            parent: parent.filter(|_| id > 0).map_or(255, |parent| parent.index(id) as u8),
            transform,
        };
        entries.map(joint).collect()
    })
}

/// Animations of a skeleton, named by one of `strings` strings if there are any names.
pub fn animations(joints: usize, strings: Option<u32>) -> impl Strategy<Value = Animation> {
    let name = strings.map_or(Just(None).boxed(), |strings| (0..strings.max(1)).prop_map(Some).boxed());
    (name, FLOAT, FLOAT, vec(-1e6f32..1e6, 0..=MOST_TIMESTAMPS)).prop_flat_map(
        move |(name, duration, speed, mut timestamps)| {
            timestamps.sort_by(f32::total_cmp);
            vec(poses(joints), timestamps.len()).prop_map(move |poses| Animation {
                name,
                duration,
                speed,
                timestamps: timestamps.clone(),
                poses: poses.concat(),
            })
        },
    )
}

/// One entry per joint, in any order (M11).
fn poses(joints: usize) -> impl Strategy<Value = Vec<Pose>> {
    let order = Just((0..joints as u32).collect::<Vec<_>>()).prop_shuffle();
    (order, vec(([FLOAT; 3], [FLOAT; 4], [FLOAT; 3]), joints)).prop_map(|(order, values)| {
        let entries = order.into_iter().zip(values);
        entries
            .map(|(joint, (position, rotation, scale))| Pose { joint, position, rotation, scale })
            .collect()
    })
}

/// Printable strings.
fn texts() -> impl Strategy<Value = Text> {
    vec(prop::char::range(' ', '~'), 0..12).prop_map(|chars| Text::from(&*String::from_iter(chars)))
}
