//! Conversion between IyMA documents and scenes.

use meshspec::iyma::{
    Attribute, Document, IndexBuffer, IndexFormat, MeshInfo, Usage, VertexFormat,
};
use meshspec::scene::{self, Colors, FromScene, SceneOptions, ToScene, Weights};
use meshspec::{Dialect, Format};

use super::strip;

fn scene_of(document: Document) -> (scene::Scene, Vec<String>) {
    let (scene, losses) = document.into_scene(&SceneOptions::default()).unwrap();
    (scene, losses.iter().map(ToString::to_string).collect())
}

/// Returns a document of one vertex with one attribute.
fn vertex(usage: Usage, format: VertexFormat, values: &[f32]) -> Document {
    Document::from_mesh(None, vec![Attribute::from_f32(usage, format, values)]).unwrap()
}

#[test]
fn vertex_values_in_a_scene() {
    let color = [1.0, 0.6, 0.2, 0.4];
    for format in [VertexFormat::Unorm8x4, VertexFormat::Unorm8x4Bgra] {
        let (scene, _) = scene_of(vertex(Usage::Color, format, &color));
        assert_eq!(
            scene.meshes[0].colors,
            [Colors::U8(vec![[255, 153, 51, 102]])],
            "{format:?}"
        );
    }
    let (scene, _) = scene_of(vertex(Usage::Color, VertexFormat::Float32x3, &color[..3]));
    assert_eq!(
        scene.meshes[0].colors,
        [Colors::F32(vec![[1.0, 0.6, 0.2, 1.0]])]
    );
    let (scene, _) = scene_of(vertex(
        Usage::Tangent,
        VertexFormat::Float32x3,
        &[0.0, 1.0, 0.0],
    ));
    assert_eq!(scene.meshes[0].tangents, Some(vec![[0.0, 1.0, 0.0, 1.0]]));
}

#[test]
fn joint_indices_that_change_are_listed() {
    let losses = |format, joints: &[f32]| {
        let weights = Attribute::from_f32(
            Usage::JointWeight,
            VertexFormat::Unorm8x4,
            &[1.0, 0.0, 0.0, 0.0],
        );
        let attributes = vec![
            Attribute::from_f32(Usage::JointIndex, format, joints),
            weights,
        ];
        let (_, mut losses) = scene_of(Document::from_mesh(None, attributes).unwrap());
        losses.retain(|loss| loss.contains("joint indices"));
        losses
    };
    assert_eq!(
        losses(VertexFormat::Float32x4, &[0.0, 1.0, 300.0, 65534.0]),
        [""; 0]
    );
    let changed = [
        "changed: attributes: negative or fractional joint indices were converted to whole numbers",
    ];
    for joint in [-1.0, 0.5, f32::NAN] {
        assert_eq!(
            losses(VertexFormat::Float32x4, &[0.0, 1.0, 2.0, joint]),
            changed,
            "{joint}"
        );
    }
    assert_eq!(
        losses(VertexFormat::Snorm16x4, &[0.5, 0.0, 0.0, 0.0]),
        changed
    );
    assert_eq!(
        losses(VertexFormat::Uint32x2, &[1.0, 70000.0]),
        ["dropped: attributes: joint indices of 65535 or more"]
    );
}

#[test]
fn values_that_floats_round_are_listed() {
    let positions = "quantized: attributes[0]: positions rounded from integers to 32-bit floats, off by at most 1 m";
    // Rounding changes the length of a normal on an axis, but not its angle.
    let normals =
        "changed: attributes[0]: lengths of normals rounded from integers to 32-bit floats";
    for (usage, format, what) in [
        (Usage::Position, VertexFormat::Uint32x3, positions),
        (Usage::Position, VertexFormat::Uint32x4, positions),
        (Usage::Normal, VertexFormat::Uint32x3, normals),
    ] {
        let mut document = vertex(usage, format, &[0.0; 4][..format.components()]);
        document.attributes[0].data = [16_777_217_u32, 0, 0, 0].map(u32::to_le_bytes).concat()
            [..format.size()]
            .to_vec()
            .into();
        let (_, losses) = scene_of(document);
        assert!(
            losses.iter().any(|loss| loss == what),
            "{format:?}: {losses:?}"
        );
    }
}

#[test]
fn scene_meshes_are_concatenated() {
    let mut wide = strip(9, "");
    wide.indices = wide.indices.map(|indices| indices.to_u32());
    let documents = [strip(5, ""), wide, strip(7, "")];
    let mut joined = scene::Scene::default();
    for document in &documents {
        joined.meshes.extend(scene_of(document.clone()).0.meshes);
    }
    let (document, _) = Document::from_scene(joined, &SceneOptions::default()).unwrap();
    assert_eq!(
        document.indices.as_ref().map(|indices| indices.format),
        Some(IndexFormat::U32)
    );
    for (index, expected) in documents.iter().enumerate() {
        let mesh = document.mesh(index).unwrap();
        assert!(
            mesh.indices
                .iter()
                .flat_map(IndexBuffer::iter)
                .eq(expected.indices.iter().flat_map(IndexBuffer::iter))
        );
        assert_eq!(mesh.attributes[0], expected.attributes[0], "{index}");
    }
}

#[test]
fn a_second_set_of_texture_coordinates() {
    let mut document = vertex(Usage::Uv, VertexFormat::Float32x2, &[0.25, 0.5]);
    document.attributes.push(Attribute::from_f32(
        Usage::Uv1,
        VertexFormat::Float32x2,
        &[0.75, 1.0],
    ));
    document.dialect = Dialect::REFERENCE;
    let (scene, _) = scene_of(document.clone());
    for (dialect, usage) in [
        (Dialect::REFERENCE, Usage::Uv1),
        (Dialect::SPEC, Usage::Custom(1, "uv1".into())),
    ] {
        let mut options = SceneOptions::default();
        options.dialect = Some(dialect);
        let (again, _) = Document::from_scene(scene.clone(), &options).unwrap();
        assert_eq!(again.dialect(), dialect);
        assert_eq!(
            again.attribute(&usage).map(|uvs| &uvs.data),
            Some(&document.attributes[1].data),
            "{usage:?}"
        );
    }
}

#[test]
fn shared_vertices_are_not_lost() {
    let mut document = strip(8, "");
    document.indices = None;
    for (ranges, lost) in [
        ([(0, 8), (0, 8)], 0),
        ([(0, 6), (1, 6)], 1),
        ([(0, 3), (1, 2)], 5),
    ] {
        let mesh = |(first_vertex, vertex_count)| MeshInfo {
            first_vertex,
            vertex_count,
            ..MeshInfo::default()
        };
        document.meshes = ranges.map(mesh).to_vec();
        let losses = scene_of(document.clone()).1;
        let expected = format!("vertices that no mesh uses: {lost}");
        assert_eq!(
            losses.iter().any(|loss| loss.contains(&expected)),
            lost > 0,
            "{ranges:?}: {losses:?}"
        );
        assert_eq!(losses.is_empty(), lost == 0, "{ranges:?}: {losses:?}");
    }
}

#[test]
fn unused_joint_slots_have_no_weight() {
    let joints = vec![[3, scene::Skin::NONE, scene::Skin::NONE, scene::Skin::NONE]];
    for weights in [
        Weights::U8(vec![[155, 100, 0, 0]]),
        Weights::F32(vec![[0.6, 0.4, 0.0, 0.0]]),
    ] {
        let skins = vec![scene::Skin {
            joints: joints.clone(),
            weights,
        }];
        let mesh = scene::Mesh {
            positions: vec![[0.0; 3]],
            skins,
            ..scene::Mesh::default()
        };
        let scene = scene::Scene {
            meshes: vec![mesh],
            ..scene::Scene::default()
        };
        let (document, _) = Document::from_scene(scene, &SceneOptions::default()).unwrap();
        let weights = document
            .attributes
            .iter()
            .find(|found| found.info().usage == Usage::JointWeight);
        let weights = weights.unwrap().to_f32();
        assert!(weights[0] > 0.5 && weights[1..] == [0.0; 3], "{weights:?}");
    }
}
