//! What of the columns has a meaning to a scene.

use meshspec::iyma::{Attribute, Document, Usage, VertexFormat};
use meshspec::scene::{Colors, FromScene, SceneOptions};

#[test]
fn colours_and_tangents_of_a_scene() {
    let attribute = |usage, format, bytes: &[u8]| Attribute { usage, format, data: bytes.to_vec().into() };
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    let document = Document::from_mesh(
        None,
        vec![
            Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &[0.0, 1.0, 2.0]),
            attribute(Usage::Tangent, VertexFormat::Float32x3, &floats(&[0.0, 1.0, 0.0])),
            attribute(Usage::Color, VertexFormat::Unorm8x4Bgra, &[1, 2, 3, 4]),
            attribute(Usage::Custom(1, "color1".to_owned()), VertexFormat::Float32x4, &floats(&[0.5; 4])),
        ],
    )
    .unwrap();
    let (scene, losses) = document.into_scene(&SceneOptions::default()).unwrap();
    assert_eq!(losses, []);
    let mesh = &scene.meshes[0];
    // Red and blue change places; a tangent without a side has the usual one.
    assert_eq!(mesh.colors, [Colors::U8(vec![[3, 2, 1, 4]]), Colors::F32(vec![[0.5; 4]])]);
    assert_eq!(mesh.tangents, Some(vec![[0.0, 1.0, 0.0, 1.0]]));
}
