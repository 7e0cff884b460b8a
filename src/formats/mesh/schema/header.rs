//! Derives the header of a document. Returns errors for content that the dialect cannot express.

use super::{Animation, AnimationCount, Document, Header};
use crate::{Dialect, Error, Path, Result, path};

impl Header {
    /// Returns the header of a document, or an error if a count does not fit.
    pub(in super::super) fn from_document(document: &Document) -> Result<Header> {
        let animations = document.animations.len();
        Ok(Header {
            version: Header::VERSION,
            format: document.vertices.format(),
            vertex_count: to_count(document.vertices.len(), path!(vertices))?,
            index_count: to_count(document.indices.len(), path!(indices))?,
            joint_count: to_count(document.joints.len(), path!(joints))?,
            animation_count: match document.dialect {
                Dialect::RENDERLIB => {
                    AnimationCount::Renderlib(to_count(animations, path!(animations))?)
                }
                _ => AnimationCount::Spec(to_count(animations, path!(animations))?),
            },
            root_transform: document.root_transform,
        })
    }
}

/// Converts a count to its type in the file; returns an error if it does not fit.
fn to_count<N: TryFrom<usize>>(items: usize, path: impl Into<Path>) -> Result<N> {
    N::try_from(items).map_err(|_| -> Error {
        let max = (1u64 << (8 * size_of::<N>())) - 1;
        Error::inexpressible(format!(
            "found {items} items, but the dialect allows at most {max}"
        ))
        .at(path)
    })
}

/// Returns an error if the dialect of the document cannot express its content, or requires missing content.
pub(super) fn reject_inexpressible(document: &Document) -> Result<()> {
    let is_renderlib = document.dialect == Dialect::RENDERLIB;
    let reject = |message, path| Err(Error::inexpressible(message).at(path));
    let at = path!(root_transform);
    match (document.root_transform, is_renderlib) {
        (Some(_), false) => return reject("the specification has no root transform", at),
        (None, true) => return reject("the renderlib dialect requires a root transform", at),
        _ => {}
    }
    if is_renderlib && !document.strings.is_empty() {
        return reject("the renderlib dialect has no strings", path!(strings));
    }
    for (index, animation) in document.animations.iter().enumerate() {
        reject_inexpressible_animation(animation, document.joints.len(), document.dialect)
            .map_err(|error| error.within(path!(animations[index])))?;
    }
    Ok(())
}

/// Checks an animation like [`reject_inexpressible`]; paths are relative to the animation.
fn reject_inexpressible_animation(
    animation: &Animation,
    joints: usize,
    dialect: Dialect,
) -> Result<()> {
    let (times, poses) = (animation.timestamps.len(), animation.poses.len());
    if times.checked_mul(joints) != Some(poses) {
        let message = format!("found {poses} poses for {times} timestamps and {joints} joints");
        return Err(Error::inexpressible(message).at(path!(poses)));
    }
    animation.pose_count(dialect)?;
    let is_large = |joint: u32| dialect == Dialect::RENDERLIB && joint > u8::MAX.into();
    match animation.poses.iter().position(|pose| is_large(pose.joint)) {
        Some(index) => {
            let message = format!(
                "joint {} does not fit in 8 bits",
                animation.poses[index].joint
            );
            Err(Error::inexpressible(message).at(path!(poses[index].joint)))
        }
        None => Ok(()),
    }
}

impl Animation {
    /// Returns the number of timestamps. Returns an error if it exceeds 32 bits, or the name is surplus or missing.
    pub(super) fn pose_count(&self, dialect: Dialect) -> Result<u32> {
        let message = match (self.name, dialect) {
            (Some(_), Dialect::RENDERLIB) => "the renderlib dialect has no names",
            (None, Dialect::SPEC) => "the specification requires a name",
            _ => return to_count(self.timestamps.len(), path!(timestamps)),
        };
        Err(Error::inexpressible(message).at(path!(name)))
    }
}
