//! The fields that become parts of a scene.

use super::Document;
use crate::scene::{MeshPlaces, Places, Share};

pub(super) fn places(document: &Document) -> Places {
    let meshes = document.chunks.iter().enumerate().map(|(index, chunk)| {
        let streams = 0..chunk.streams.len();
        let indices = format!("chunks[{index}].indices.data");
        MeshPlaces {
            vertices: streams
                .map(|stream| Share::single(format!("chunks[{index}].streams[{stream}].data")))
                .collect(),
            faces: vec![Share { width: 3, ..Share::single(indices) }],
        }
    });
    Places { meshes: meshes.collect(), ..Places::default() }
}
