//! Converts every valid reference file to GLB and compares the positions with the output of an independent decoder. The
//! comparison uses neither scenes nor the glTF reader of this crate.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use meshspec::interop::Interchange;
use meshspec::scene::SceneOptions;
use meshspec::{AnyFormat, Error, ErrorKind, Formats};
use serde_json::Value;

use super::poses::{matrices, numbers};
use crate::common::{Fixture, bits, fixtures, sha256};

/// Returns the stored positions of each primitive of a GLB.
fn positions_of(glb: &[u8]) -> Vec<Vec<[f32; 3]>> {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let numbers = glb.get(28 + length..).unwrap_or_default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let primitives = list(&json["meshes"])
        .into_iter()
        .flat_map(|mesh| list(&mesh["primitives"]));
    let positions = primitives.map(|primitive| {
        let accessor =
            &json["accessors"][primitive["attributes"]["POSITION"].as_u64().unwrap() as usize];
        assert_eq!(
            (&accessor["componentType"], &accessor["type"]),
            (&5126.into(), &"VEC3".into())
        );
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        assert!(
            view["byteStride"]
                .as_u64()
                .is_none_or(|stride| stride == 12)
        );
        let start =
            view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
        let bytes = &numbers[start as usize..][..12 * accessor["count"].as_u64().unwrap() as usize];
        meshspec::bulk::to_vec::<f32>(bytes)
            .as_chunks::<3>()
            .0
            .to_vec()
    });
    positions.collect()
}

/// Converts a file to GLB.
fn to_glb(format: AnyFormat, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let document = format.read(bytes, &Default::default()).unwrap();
    let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
    let mut files = BTreeMap::new();
    Interchange::Glb.write(scene, "x.glb", &mut files, &SceneOptions::default())?;
    Ok(files.remove("x.glb").unwrap())
}

#[derive(Debug, Default)]
struct ComparisonCounts {
    /// Files with equal positions, by checksum or value by value.
    compared: usize,
    /// Files without a sidecar, or whose sidecar lacks positions.
    without_positions: usize,
    rejected: Vec<String>,
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn positions_in_glb_match_the_sidecars() {
    let mut counts = ComparisonCounts::default();
    for fixture in fixtures()
        .iter()
        .filter(|fixture| fixture.strict == Some(true))
    {
        let format = Formats::builtin().get(&fixture.format).unwrap();
        match to_glb(format, &fixture.bytes) {
            Ok(glb) => match compare(fixture, format, positions_of(&glb)) {
                true => counts.compared += 1,
                false => counts.without_positions += 1,
            },
            Err(error) => {
                assert!(has_vertex_path(&error), "{}: {error}", fixture.file);
                counts.rejected.push(fixture.file.clone());
            }
        }
    }
    println!("{counts:?}");
    assert_eq!(
        counts.rejected, REJECTED,
        "rejected for positions that are not finite"
    );
    assert!(counts.compared > 6 * counts.without_positions, "{counts:?}");
}

/// The files with non-finite positions, which glTF cannot store.
const REJECTED: [&str; 0] = [];

/// Returns `true` if the error reports a non-finite position, with the path of its vertex.
fn has_vertex_path(error: &Error) -> bool {
    let path = error.path().to_string();
    let vertex = path
        .split_once(".positions[")
        .map(|(_, rest)| rest.trim_end_matches(']'));
    let finite = ["NaN", "inf"]
        .iter()
        .all(|word| !error.message().contains(word));
    let named = vertex.is_some_and(|vertex| error.message().contains(&format!("vertex {vertex} ")));
    error.kind() == ErrorKind::Inexpressible && named && !finite
}

/// Asserts that the positions match the sidecar. Returns `false` if the sidecar has no positions.
fn compare(fixture: &Fixture, format: AnyFormat, found: Vec<Vec<[f32; 3]>>) -> bool {
    let Some(expected) = &fixture.expected else {
        return false;
    };
    let expected = expected.get("expected").unwrap_or(expected);
    let file = &*fixture.file;
    match format.name() {
        "mesh" => mesh(file, &found.concat(), expected),
        "crucible" => crucible(file, &found.concat(), expected),
        "seed" => seed(file, &found.concat(), expected),
        "iyma" => iyma(file, &found.concat(), expected),
        "bmd" => bmd(file, found, expected),
        other => panic!("{file}: no comparison for {other}"),
    }
}

fn hash(positions: &[[f32; 3]]) -> String {
    sha256(&meshspec::bulk::as_bytes(positions.as_flattened()))
}

/// Compares positions of MESH, whose axes are those of glTF.
fn mesh(file: &str, found: &[[f32; 3]], expected: &Value) -> bool {
    let column = &expected["streams"]["position"];
    if column.is_null() {
        assert!(found.is_empty(), "{file}");
        return true;
    }
    assert_eq!(column["size"], 12 * found.len(), "{file}");
    assert_eq!(
        expected["first_vertex"]["position_bits"],
        bits(found[0]),
        "{file}"
    );
    assert_eq!(
        expected["last_vertex"]["position_bits"],
        bits(found[found.len() - 1]),
        "{file}"
    );
    assert_eq!(column["sha256"], hash(found), "{file}");
    true
}

/// Compares positions of Crucible, whose first axis is negated. Some files have only two coordinates.
fn crucible(file: &str, found: &[[f32; 3]], expected: &Value) -> bool {
    let turned: Vec<[f32; 3]> = found.iter().map(|[x, y, z]| [-x, *y, *z]).collect();
    // Sidecars of containers have no content.
    let Some(streams) = expected["streams"].as_array() else {
        return false;
    };
    let stream = |name: &str| streams.iter().find(|stream| stream["name"] == name);
    let (stream, hash) = match (stream("position_3d"), stream("position_2d")) {
        (Some(stream), _) => (stream, hash(&turned)),
        (None, Some(stream)) => {
            let flat: Vec<[f32; 2]> = turned.iter().map(|[x, y, _]| [*x, *y]).collect();
            assert!(turned.iter().all(|[.., z]| *z == 0.0), "{file}");
            (
                stream,
                sha256(&meshspec::bulk::as_bytes(flat.as_flattened())),
            )
        }
        (None, None) => {
            // Vertices without positions are at the origin.
            assert!(
                turned
                    .iter()
                    .all(|position| position.iter().all(|x| *x == 0.0)),
                "{file}"
            );
            assert!(
                found.is_empty() || expected["vertex_count"] == found.len(),
                "{file}"
            );
            return false;
        }
    };
    assert_eq!(stream["count"], turned.len(), "{file}");
    assert_eq!(stream["sha256"], hash, "{file}");
    ends(file, &turned, stream);
    true
}

/// Compares positions of Seed, whose axes are those of glTF.
fn seed(file: &str, found: &[[f32; 3]], expected: &Value) -> bool {
    let attribute = &expected["attributes"]["p"];
    if attribute.is_null() {
        assert!(found.is_empty(), "{file}");
        return true;
    }
    assert_eq!(attribute["count"], found.len(), "{file}");
    assert_eq!(attribute["sha256_le"], hash(found), "{file}");
    ends(file, found, attribute);
    true
}

/// Asserts that the first and the last position match.
fn ends(file: &str, found: &[[f32; 3]], expected: &Value) {
    for (value, found) in [
        (&expected["first"], found.first()),
        (&expected["last"], found.last()),
    ] {
        let Some(found) = found else { continue };
        let value = numbers(value);
        assert_eq!(value, found[..value.len()], "{file}");
    }
}

/// Compares positions of IyMA, whose axes are those of glTF. The buffer contains the vertices of all meshes; in GLB,
/// shared vertices are repeated.
fn iyma(file: &str, found: &[[f32; 3]], expected: &Value) -> bool {
    let descriptor = &expected["descriptor"];
    let ranges: Vec<[usize; 4]> = serde_json::from_value(descriptor["meshes"].clone()).unwrap();
    let total: usize = ranges.iter().map(|[.., vertices]| vertices).sum();
    assert_eq!(total, found.len(), "{file}");
    let buffers = expected["buffers"].as_array().unwrap();
    let Some(buffer) = buffers
        .iter()
        .find(|buffer| buffer["usage"]["name"] == "Position")
    else {
        assert!(found.iter().all(|position| *position == [0.0; 3]), "{file}");
        return false;
    };
    assert_eq!(buffer["format"], "Float32x3", "{file}");
    let mut next = 0;
    let in_a_row = ranges.iter().all(|[_, _, first, count]| {
        let follows = *first == next;
        next += count;
        follows
    });
    if in_a_row && descriptor["n_vertices"] == next {
        assert_eq!(buffer["sha256"], hash(found), "{file}");
        return true;
    }
    // The sidecar contains only the first values of the buffer.
    let values = numbers(&buffer["first_values"]);
    let mut start = 0;
    let mut compared = 0;
    for [_, _, first, count] in ranges {
        for (vertex, position) in (first..).zip(&found[start..start + count]) {
            if let Some(value) = values.get(3 * vertex..3 * vertex + 3) {
                assert_eq!(value, position, "{file}: vertex {vertex}");
                compared += 1;
            }
        }
        start += count;
    }
    compared > 0
}

/// Compares positions of BMD, which are transformed from bone space to model space, with z up. Meshes without a
/// material are not drawn.
fn bmd(file: &str, mut found: Vec<Vec<[f32; 3]>>, expected: &Value) -> bool {
    let matrices = matrices(expected["bones"].as_array().unwrap(), None);
    let meshes = expected["meshes"].as_array().unwrap();
    let drawn = meshes
        .iter()
        .filter(|mesh| !mesh["material"].is_null() && mesh["n_vtx"] != 0);
    let drawn: Vec<Vec<[f32; 3]>> = drawn.map(|mesh| in_model(mesh, &matrices)).collect();
    assert_eq!(found.len(), drawn.len(), "{file}: number of meshes");
    for (index, expected) in drawn.iter().enumerate() {
        // Levels of detail follow the meshes that are always shown.
        let place = found.iter().position(|found| is_near(found, expected));
        let place = place.unwrap_or_else(|| panic!("{file}: meshes[{index}] is not in the GLB"));
        found.remove(place);
    }
    true
}

/// Returns `true` if the positions are equal within the rounding of a few products.
fn is_near(found: &[[f32; 3]], expected: &[[f32; 3]]) -> bool {
    let near = |(found, expected): (&[f32; 3], &[f32; 3])| {
        let (found, expected) = (Vec3::from(*found), Vec3::from(*expected));
        found.distance(expected) <= 1e-5 * expected.length().max(1.0)
    };
    found.len() == expected.len() && found.iter().zip(expected).all(near)
}

fn in_model(mesh: &Value, matrices: &[Mat4]) -> Vec<[f32; 3]> {
    let vertices = mesh["pos"]
        .as_array()
        .unwrap()
        .iter()
        .zip(mesh["bone"].as_array().unwrap());
    let positions = vertices.map(|(position, bone)| {
        let matrix = matrices
            .get(bone.as_u64().unwrap() as usize)
            .copied()
            .unwrap_or(Mat4::IDENTITY);
        let [x, y, z] = matrix
            .transform_point3(Vec3::from_slice(&numbers(position)))
            .to_array();
        [x, z, -y]
    });
    positions.collect()
}
