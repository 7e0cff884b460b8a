//! Compares MESH documents with sidecars.

use meshspec::mesh::{Document, Joint, Pose, Vertex};
use meshspec::{Dialect, Path, bulk};
use serde_json::{Value, json};

use crate::common::{bits, sha256};

pub fn compare(file: &str, document: &Document, bytes: &[u8], expected: &Value) -> bool {
    if expected.get("error").is_some() {
        return false;
    }
    assert_header(file, document, &expected["header"]);
    assert_sections(file, document, bytes, &expected["sections"]);
    assert_vertices(file, document, expected);
    if !document.indices.is_empty() {
        let indices = &expected["indices"];
        assert_ends(file, &document.indices, indices);
        assert_eq!(indices["max"], json!(document.indices.iter().max()), "{file}");
    }
    if let (Some(first), Some(last)) = (document.joints.first(), document.joints.last()) {
        assert_joint(file, first, &expected["joints"]["first"]);
        assert_joint(file, last, &expected["joints"]["last"]);
        let ids: Vec<u8> = document.joints.iter().map(|j| j.id).collect();
        let parents: Vec<u8> = document.joints.iter().map(|j| j.parent).collect();
        assert_eq!(expected["joints"]["ids"], json!(ids), "{file}");
        assert_eq!(expected["joints"]["parents"], json!(parents), "{file}");
    }
    assert_animations(file, document, expected["animations"].as_array().unwrap());
    if document.dialect == Dialect::Spec {
        let strings: Vec<_> = document.strings.iter().map(String::from_utf8_lossy).collect();
        assert_eq!(expected["strings"], json!(strings), "{file}");
        assert_eq!(expected["strings_unterminated"], document.strings.is_unterminated(), "{file}");
    }
    true
}

fn assert_header(file: &str, document: &Document, expected: &Value) {
    let format = document.vertices.format().into_bytes();
    assert_eq!(expected["format"], u16::from_le_bytes(format), "{file}");
    assert_eq!(expected["vertex_count"], document.vertices.len(), "{file}");
    assert_eq!(expected["index_count"], document.indices.len(), "{file}");
    assert_eq!(expected["joint_count"], document.joints.len(), "{file}");
    assert_eq!(expected["animation_count"], document.animations.len(), "{file}");
    let root: Option<Vec<f32>> = document.root_transform.map(|t| t.into_flattened_vec());
    assert_eq!(expected.get("root_transform"), root.map(|r| json!(r)).as_ref(), "{file}");
}

trait Flatten {
    fn into_flattened_vec(self) -> Vec<f32>;
}

impl Flatten for [[f32; 4]; 4] {
    fn into_flattened_vec(self) -> Vec<f32> {
        self.as_flattened().to_vec()
    }
}

/// Asserts that the sections have the offsets of the layout, and the hashes from the independent decoder.
fn assert_sections(file: &str, document: &Document, bytes: &[u8], expected: &Value) {
    let layout = meshspec::FormatId::Mesh.layout_of(bytes, document.dialect).unwrap();
    let names = [
        ("vertex_data", "vertices"),
        ("index_data", "indices"),
        ("joint_data", "joints"),
        ("animation_data", "animations"),
        ("strings", "strings"),
    ];
    for (theirs, ours) in names {
        let Some(section) = expected.get(theirs) else { continue };
        let path = Path::default().field(ours);
        let span = meshspec::layout::walk::find(layout, bytes, &path, &Default::default()).unwrap();
        let (start, end) = (span.range().start, span.range().end);
        assert_eq!(section["offset"], start, "{file}: {ours}");
        assert_eq!(section["size"], end - start, "{file}: {ours}");
        assert_eq!(section["sha256"], sha256(&bytes[start as usize..end as usize]), "{file}: {ours}");
    }
    assert_eq!(expected["vertex_data"]["sha256"], sha256(document.vertices.as_bytes()), "{file}");
    assert_eq!(expected["index_data"]["sha256"], sha256(&bulk::as_bytes(&document.indices)), "{file}");
}

fn assert_vertices(file: &str, document: &Document, expected: &Value) {
    let vertices = &document.vertices;
    assert_eq!(expected["vertex_stride"], vertices.stride(), "{file}");
    let attributes: Vec<&str> =
        expected["attributes"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
    let ours = [
        ("position", true),
        ("normal", vertices.normals().is_some()),
        ("uv", vertices.uvs().is_some()),
        ("joint_ids", vertices.joint_ids().is_some()),
        ("joint_weights", vertices.joint_weights().is_some()),
    ];
    let ours: Vec<&str> = ours.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    assert_eq!(attributes, ours, "{file}");
    if vertices.is_empty() {
        return;
    }
    assert_vertex(file, &vertices.get(0).unwrap(), &expected["first_vertex"]);
    assert_vertex(file, &vertices.get(vertices.len() - 1).unwrap(), &expected["last_vertex"]);
    let streams = &expected["streams"];
    assert_column(file, &vertices.positions().to_vec(), &streams["position"]);
    vertices.normals().inspect(|c| assert_column(file, &c.to_vec(), &streams["normal"]));
    vertices.uvs().inspect(|c| assert_column(file, &c.to_vec(), &streams["uv"]));
    vertices.joint_ids().inspect(|c| assert_column(file, &c.to_vec(), &streams["joint_ids"]));
    vertices.joint_weights().inspect(|c| assert_column(file, &c.to_vec(), &streams["joint_weights"]));
}

fn assert_column<T: bulk::PlainData>(file: &str, values: &[T], expected: &Value) {
    assert_eq!(expected["size"], size_of_val(values), "{file}");
    assert_eq!(expected["sha256"], sha256(&bulk::as_bytes(values)), "{file}");
}

fn assert_vertex(file: &str, vertex: &Vertex, expected: &Value) {
    assert_eq!(expected["position_bits"], bits(vertex.position), "{file}");
    assert_eq!(expected.get("normal_bits"), vertex.normal.map(bits).as_ref(), "{file}");
    assert_eq!(expected.get("uv_bits"), vertex.uv.map(bits).as_ref(), "{file}");
    assert_eq!(expected.get("joint_ids"), vertex.joint_ids.map(|ids| json!(ids)).as_ref(), "{file}");
    assert_eq!(expected.get("joint_weights"), vertex.joint_weights.map(|w| json!(w)).as_ref(), "{file}");
}

/// Asserts that the first and the last values match.
fn assert_ends(file: &str, values: &[u32], expected: &Value) {
    let first: Vec<u64> = expected["first"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
    let last: Vec<u64> = expected["last"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
    let values: Vec<u64> = values.iter().map(|v| u64::from(*v)).collect();
    assert!(values.starts_with(&first) && values.ends_with(&last), "{file}: {first:?} … {last:?}");
}

fn assert_joint(file: &str, joint: &Joint, expected: &Value) {
    assert_eq!(expected["joint_id"], joint.id, "{file}");
    assert_eq!(expected["parent_id"], joint.parent, "{file}");
    let flat: [f32; 16] = joint.transform.as_flattened().try_into().unwrap();
    assert_eq!(expected["bits"], bits(flat), "{file}");
}

fn assert_animations(file: &str, document: &Document, expected: &[Value]) {
    for (animation, expected) in document.animations.iter().zip(expected) {
        assert_eq!(expected.get("name_index"), animation.name.map(|n| json!(n)).as_ref(), "{file}");
        let name = document.animation_name(animation).map(|name| name.to_string());
        assert_eq!(expected.get("name").and_then(Value::as_str), name.as_deref(), "{file}");
        assert_eq!(json!([expected["duration_bits"]]), bits([animation.duration]), "{file}");
        assert_eq!(json!([expected["speed_bits"]]), bits([animation.speed]), "{file}");
        assert_eq!(expected["pose_count"], animation.timestamps.len(), "{file}");
        let times = bulk::as_bytes(&animation.timestamps);
        assert_eq!(expected["timestamps"]["sha256"], sha256(&times), "{file}");
        let poses = &expected["poses"];
        assert_eq!(poses["entries"], animation.poses.len(), "{file}");
        if let (Some(first), Some(last)) = (animation.poses.first(), animation.poses.last()) {
            assert_pose(file, first, &poses["first"]);
            assert_pose(file, last, &poses["last"]);
        }
        let transforms: Vec<f32> = animation.poses.iter().flat_map(numbers).collect();
        if let Some(hash) = poses.get("trs_sha256") {
            assert_eq!(*hash, sha256(&bulk::as_bytes(&transforms)), "{file}");
        }
    }
}

fn numbers(pose: &Pose) -> [f32; 10] {
    let [x, y, z] = pose.position;
    let [a, b, c, d] = pose.rotation;
    let [u, v, w] = pose.scale;
    [x, y, z, a, b, c, d, u, v, w]
}

fn assert_pose(file: &str, pose: &Pose, expected: &Value) {
    assert_eq!(expected["joint_id"], pose.joint, "{file}");
    assert_eq!(expected["bits"], bits(numbers(pose)), "{file}");
}
