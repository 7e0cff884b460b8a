//! Strategies that generate valid MESH documents, for tests of other loaders.
//!
//! They are files that the [declaration](super::schema) generates, in which what no expression says is put right:
//! whatever it is about, a field that is added to the declaration has any value.

use proptest::prelude::*;

use super::schema::NO_JOINT;
use super::{Document, Joint, Vertex, Vertices, codec};
use crate::formats::plausible::unit;
use crate::layout::generate::{self, Config};
use crate::{Dialect, Text};

/// Documents that strict reading accepts: every set of attributes, both dialects, with and without a skeleton and
/// animations, joints and their parents in any order, names that are not UTF-8, floats of all bits.
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config::default())
}

/// Documents that strict reading accepts, of this size and sort. Those that are plausible have no findings at all, but unit
/// normals and rotations, weights that add up to 255, and times from 0 to the duration.
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let of = move |dialect| {
        let files = generate::drafts(codec::layout(dialect), config);
        files.prop_filter_map("a document", move |bytes| {
            let (document, _) = codec::read(&bytes, dialect).ok()?;
            let document = completed(document)?;
            if config.plausible { plausible(document) } else { Some(document) }
        })
    };
    prop_oneof![of(Dialect::Spec), of(Dialect::Renderlib)]
}

/// The document with what no expression says of joints (M9, M10, M11), names and the root transform (M17).
fn completed(mut document: Document) -> Option<Document> {
    let joints = document.joints.len();
    let attached = document.vertices.iter().map(|vertex| attached(vertex, joints));
    document.vertices = Vertices::from_records(document.vertices.format(), attached).ok()?;
    if document.vertices.is_empty() {
        document.indices.clear();
    }
    order(&mut document.joints);
    if !document.animations.is_empty() && document.strings.is_empty() && document.dialect == Dialect::Spec {
        document.strings = [Text::default()].into_iter().collect();
    }
    for animation in &mut document.animations {
        animation.name = animation.name.map(|name| name % document.strings.len() as u32);
        for pose in animation.poses.chunks_mut(joints.max(1)) {
            let ranks = ranks(pose.iter().map(|entry| entry.joint));
            pose.iter_mut().zip(ranks).for_each(|(entry, joint)| entry.joint = joint as u32);
        }
    }
    if let Some([.., last]) = &mut document.root_transform {
        *last = [0.0, 0.0, 0.0, 1.0];
    }
    Some(document)
}

/// The vertex with joints that exist, and behind them slots that are not used: the first with an id of 128 or more.
fn attached(mut vertex: Vertex, joints: usize) -> Vertex {
    if let (Some(ids), Some(weights)) = (&mut vertex.joint_ids, &mut vertex.joint_weights) {
        let used = ids.iter().take_while(|id| joints > 0 && **id < 128).count();
        ids[..used].iter_mut().for_each(|id| *id %= joints as u8);
        ids[used..].fill(NO_JOINT);
        weights[used..].fill(0);
    }
    vertex
}

/// Gives each joint the id of its entry, or one by the order of the ids if the first is odd, and a parent that is not below
/// it: none for 128 and more.
fn order(joints: &mut [Joint]) {
    let in_order = joints.first().is_none_or(|joint| joint.id % 2 == 0);
    let ids = ranks(joints.iter().map(|joint| if in_order { 0 } else { joint.id }));
    let mut parents = vec![None; joints.len()];
    for (joint, id) in joints.iter_mut().zip(ids) {
        let parent = Some(usize::from(joint.parent) % parents.len()).filter(|_| joint.parent < 128);
        let mut ancestors = std::iter::successors(parent, |ancestor| parents[*ancestor]);
        parents[id] = if ancestors.any(|ancestor| ancestor == id) { None } else { parent };
        (joint.id, joint.parent) = (id as u8, parents[id].map_or(NO_JOINT, |parent| parent as u8));
    }
}

/// The place of each key if they were in order.
fn ranks<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut sorted: Vec<_> = keys.enumerate().map(|(place, key)| (key, place)).collect();
    sorted.sort();
    let mut ranks = vec![0; sorted.len()];
    sorted.into_iter().enumerate().for_each(|(rank, (_, place))| ranks[place] = rank);
    ranks
}

/// The document as exporters write it.
fn plausible(mut document: Document) -> Option<Document> {
    let has_joints = !document.joints.is_empty();
    let vertices = document.vertices.iter().map(|mut vertex| {
        vertex.normal = vertex.normal.map(|normal| unit(normal, [0.0, 0.0, 1.0]));
        if let (Some(ids), Some(weights), true) =
            (&mut vertex.joint_ids, &mut vertex.joint_weights, has_joints)
        {
            ids[0] = if ids[0] == NO_JOINT { 0 } else { ids[0] };
            let mut rest = 255;
            weights[1..].iter_mut().for_each(|weight| {
                *weight = rest.min(*weight);
                rest -= *weight;
            });
            weights[0] = rest;
        }
        vertex
    });
    document.vertices = Vertices::from_records(document.vertices.format(), vertices).ok()?;
    document.joints.sort_by_key(|joint| joint.id);
    document.joints.iter_mut().for_each(|joint| joint.transform[3] = [0.0, 0.0, 0.0, 1.0]);
    for animation in &mut document.animations {
        animation.timestamps.iter_mut().for_each(|time| *time = time.abs());
        animation.timestamps.sort_by(f32::total_cmp);
        animation.duration = animation.timestamps.last().copied().unwrap_or_default();
        animation.speed = animation.speed.abs().max(1.0);
        for pose in &mut animation.poses {
            pose.rotation = unit(pose.rotation, [1.0, 0.0, 0.0, 0.0]);
        }
    }
    Some(document)
}
