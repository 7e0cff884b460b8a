//! Strategies that generate valid BMD documents, for tests of loaders.

use binrw::BinRead;
use proptest::prelude::*;

use super::codec::BoundedReader;
use super::schema::{BoneTransform, Image};
use super::{Animation, Bone, Document, Track, Transform};
use crate::Dialect;
use crate::formats::generated;
use crate::layout::Layout;
use crate::layout::generate::Config;

/// Returns a strategy for documents that strict reading accepts. Vertices and faces use all forms, alone and mixed.
/// The documents include levels of detail, pseudo-bones, skipped frames, and names that are not UTF-8.
///
/// ```
/// use meshspec::{Format, bmd};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in bmd::strategy::documents())| {
///     let bytes = document.write(&Default::default()).unwrap();
///     // The loader to test reads `bytes`.
///     prop_assert!(bmd::Document::read(&bytes, &Default::default()).is_ok());
/// });
/// ```
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config::default())
}

/// Returns a strategy for documents that strict reading accepts, generated with `config`. If `config.plausible` is set,
/// they have no findings.
///
/// ```
/// use meshspec::{Format, layout::generate::Config, bmd::strategy::documents_with};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in documents_with(Config::plausible()))| {
///     prop_assert!(document.check().findings().is_empty());
/// });
/// ```
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    generated::documents([(&Image::TYPE, Dialect::SPEC)], config, |bytes, _| {
        let image = Image::read(&mut BoundedReader::new(bytes)).ok()?;
        let Image {
            header,
            meshes,
            lods,
            bones,
            animations,
        } = image;
        let reserved = [header.resv1, header.resv2, header.resv3];
        let (meshes, lods, bones, animations) = (meshes.0, lods.0, bones.0, animations.0);
        let mut document = Document {
            reserved,
            meshes,
            lods,
            bones,
            animations,
        };
        // Clears the number of triangles, so that it is derived from the faces.
        document
            .meshes
            .iter_mut()
            .for_each(|mesh| mesh.n_tris = None);
        fix_bones(&mut document.bones);
        let bones = document.normal_bones().len();
        document
            .animations
            .iter_mut()
            .for_each(|animation| split_into_tracks(animation, bones));
        Some(document)
    })
}

/// Puts normal bones first, resets bone 0, makes bones refer to earlier ones, and clears lists without normal bones
/// (B21, B22).
fn fix_bones(bones: &mut Vec<Bone>) {
    bones.sort_by_key(Bone::is_pseudo);
    if bones.first().is_some_and(Bone::is_pseudo) {
        bones.clear();
    }
    for (index, bone) in bones.iter_mut().enumerate() {
        match &mut bone.transform {
            Transform::Bone(transform) if index == 0 => {
                *transform = BoneTransform::new();
                bone.id_parent = 0;
            }
            Transform::Bone(_) => bone.id_parent %= index as u8,
            Transform::Pseudo(transform) => {
                let [a, b, c, d] = transform.bones().map(|bone| bone % index as u8);
                *transform = transform
                    .with_bone_0(a)
                    .with_bone_1(b)
                    .with_bone_2(c)
                    .with_bone_3(d);
            }
        }
    }
}

/// Creates a track for each normal bone, truncated before the first key that is invalid or beyond the last frame (B23).
fn split_into_tracks(animation: &mut Animation, bones: usize) {
    let keys = std::mem::take(&mut animation.trailing);
    let mut rest = &*keys;
    // An animation without frames has no tracks.
    for _ in (0..bones).filter(|_| animation.n_frames > 0) {
        let (track, size) = Track::parse(rest).unwrap_or_else(|last| (last, rest.len()));
        rest = rest.get(size..).unwrap_or_default();
        let mut valid = Track::default();
        for key in track.packed_keys() {
            let mut longer = valid.clone();
            let pushed = longer.push(key.tag.skip(), key.rotation, key.translation, key.scale);
            if pushed.is_err() || longer.reaches(animation.n_frames) {
                break;
            }
            valid = longer;
        }
        animation.tracks.push(valid);
    }
}
