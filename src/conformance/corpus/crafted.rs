//! Files that break rules for which a change of bytes is not enough.

#[cfg(feature = "iyma")]
use crate::iyma;
#[cfg(feature = "iyma")]
use crate::{Format, ReadOptions, WriteOptions};

use super::candidates::Candidates;
use super::pool::Drawn;
#[cfg(any(feature = "bmd", feature = "iyma"))]
use crate::FormatId;
use crate::{AnyFormat, Dialect};

/// How many files are changed.
const MAX_FILES: usize = 12;

/// Offers the files of a format that is built in.
pub(super) fn offer(format: AnyFormat, bases: &[&Drawn], candidates: &mut Candidates) {
    match format.built_in() {
        #[cfg(feature = "bmd")]
        Some(FormatId::Bmd) => {
            shared_names(candidates);
            bone_of_solid(candidates);
        }
        #[cfg(feature = "iyma")]
        Some(FormatId::Iyma) => {
            for base in bases.iter().take(MAX_FILES) {
                large_windows(base, candidates);
                other_descriptors(base, candidates);
                change_document(base, candidates);
            }
        }
        _ => {}
    }
}

/// Offers images of 32 meshes with the same name: the longer it is, the more bytes they share (B29).
#[cfg(feature = "bmd")]
fn shared_names(candidates: &mut Candidates) {
    const MESHES: u32 = 32;
    const START: u32 = 48;
    let image = |length: usize| -> Vec<u8> {
        let size = 32 * MESHES;
        // Only the offset of the material is not 0.
        let mesh = [0, 0, START + size, 0, 0, 0, 0, 0];
        let name = std::iter::repeat_n(b'a', length).chain([0]);
        words(&[0, 0, 0, START, size, 0, 0, 0, 0, 0, 0], (0..MESHES).flat_map(|_| mesh)).chain(name).collect()
    };
    for length in 1000..1200 {
        candidates.offer(Dialect::Spec, "shared bytes", Some(&image(length - 1)), image(length));
    }
}

/// Offers an image of two bones and two meshes: the second is the solid of bone 0, its only vertex bound to bone 1.
#[cfg(feature = "bmd")]
fn bone_of_solid(candidates: &mut Candidates) {
    let image = |bone: u8| -> Vec<u8> {
        let header = [0, 0, 0, 48, 2 * 32, 0, 0, 112, 2 * 16, 0, 0];
        let meshes = [[0; 8], [144, 0, 0, 1, 8, 0, 0, 0]].into_iter().flatten();
        let mut bones = [[0; 4]; 2];
        // The last word: parent, solid, reserved bytes.
        bones[0][3] = 1 << 8;
        words(&header, meshes.chain(bones.into_iter().flatten())).chain([0, 0, 0, 0, 0, 0, 0, bone]).collect()
    };
    candidates.offer(Dialect::Spec, "a vertex of a solid on another bone", Some(&image(0)), image(1));
}

/// The bytes of an image, up to its last list of structures.
#[cfg(feature = "bmd")]
fn words(header: &[u32], structures: impl Iterator<Item = u32>) -> impl Iterator<Item = u8> {
    let words = header.to_vec().into_iter().chain(structures);
    b"BMD1".iter().copied().chain(words.flat_map(u32::to_le_bytes))
}

/// Offers the file with headers of zstd frames that require a window of 256 MiB.
#[cfg(feature = "iyma")]
fn large_windows(base: &Drawn, candidates: &mut Candidates) {
    for at in 0..base.bytes.len().saturating_sub(1) {
        let mut bytes = base.bytes.clone();
        // No content size, no single segment; an exponent of 18.
        bytes[at..at + 2].copy_from_slice(&[0x00, 18 << 3]);
        candidates.offer_for(&["IYMA-WINDOW"], base.dialect, "a large window", Some(&base.bytes), bytes);
    }
}

/// Offers the file with other bytes in the descriptor, and the checksum of these.
#[cfg(feature = "iyma")]
fn other_descriptors(base: &Drawn, candidates: &mut Candidates) {
    const DESCRIPTOR: usize = 24;
    let word = |at: usize| base.bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let (Some(length), Some(data_checksum)) = (base.bytes.get(6..8), word(16)) else { return };
    let length = usize::from(length[0]) + 256 * usize::from(length[1]);
    for at in DESCRIPTOR..(DESCRIPTOR + length).min(base.bytes.len()) {
        for value in [0xff, 0x80, 0x00] {
            let mut bytes = base.bytes.clone();
            bytes[at] = value;
            let descriptor = &bytes[DESCRIPTOR..DESCRIPTOR + length];
            let checksum = iyma::__private::metadata(descriptor, data_checksum, base.dialect);
            bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
            candidates.offer_for(
                &["IYMA-DESCRIPTOR"],
                base.dialect,
                "another descriptor",
                Some(&base.bytes),
                bytes,
            );
        }
    }
}

/// Offers the file with a buffer repeated, and with an index that is too large.
#[cfg(feature = "iyma")]
fn change_document(base: &Drawn, candidates: &mut Candidates) {
    let options = ReadOptions::default().with_dialect(base.dialect);
    let Ok(document) = iyma::Document::read(&base.bytes, &options) else { return };
    let mut offer = |what, document: iyma::Document| {
        if let Ok(bytes) = document.write(&WriteOptions::lenient()) {
            candidates.offer(base.dialect, what, Some(&base.bytes), bytes);
        }
    };
    if let Some(attribute) = document.attributes.first() {
        let mut changed = document.clone();
        changed.attributes.push(attribute.clone());
        offer("a repeated attribute", changed);
    }
    for (index, mesh) in document.meshes.iter().enumerate().filter(|(_, mesh)| mesh.index_count > 0) {
        let mut changed = document.clone();
        if let Some(indices) = &document.indices {
            let mut values: Vec<u32> = indices.iter().collect();
            if let Some(value) = values.get_mut(mesh.first_index as usize) {
                *value = mesh.vertex_count;
            }
            changed.indices = Some(iyma::IndexBuffer::from_u32(&values));
            offer("an index that is too large", changed);
        }
        let mut changed = document.clone();
        changed.meshes[index].index_count = u32::MAX;
        offer("a range that is too large", changed);
    }
}
