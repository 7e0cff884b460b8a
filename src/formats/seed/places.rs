//! The fields that become parts of a scene.

use super::Document;
use crate::scene::{MeshPlaces, Places, Share};

pub(super) fn places(document: &Document) -> Places {
    let Document { normals, colors, uvs, .. } = document;
    let normals = (!normals.is_empty()).then(|| "normals".to_owned());
    let colors = (0..colors.len()).map(|channel| format!("colors[{channel}]"));
    let uvs = (0..uvs.len()).map(|channel| format!("uvs[{channel}]"));
    let lists = ["positions".to_owned()].into_iter().chain(normals).chain(colors).chain(uvs);
    let mesh =
        MeshPlaces { vertices: lists.map(Share::single).collect(), faces: vec![Share::single("faces")] };
    Places { meshes: vec![mesh], ..Places::default() }
}
