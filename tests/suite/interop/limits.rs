//! Files with too many triangles are rejected before memory is allocated for them.

use std::io::Read;

use meshspec::interop::Interchange::{self, Gltf, Obj, Ply, Stl};
use meshspec::scene::{Mesh, Placement, Scene, SceneOptions};
use meshspec::{ErrorKind, Limit, Limits};
use serde_json::json;

use super::{Folder, triangle_at_nodes};

/// Returns the message for a file that exceeds a limit.
fn rejected(format: Interchange, bytes: &[u8], max: u64) -> String {
    let limits = Limits::default().with_max_triangles(max);
    let error = format
        .read(bytes, &Folder::new(), &SceneOptions::default(), &limits)
        .unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::LimitExceeded(Limit::Triangles),
        "{error}"
    );
    error.to_string()
}

const OBJ: &[u8] = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf -1 -2 -3\n";
const PLY: &[u8] =
    b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                     element face 4\nproperty list uchar int vertex_indices\nend_header\n\
                     0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n3 0 1 2\n3 0 1 2\n";

#[test]
fn every_format_counts_triangles_and_vertices() {
    let stl = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    for (format, file, count) in [(Obj, OBJ, 4), (Ply, PLY, 4), (Stl, stl.as_bytes(), 3)] {
        let message = rejected(format, file, count - 1);
        assert!(
            message.contains(&format!(
                "{count} triangles or vertices, but the limit is {}",
                count - 1
            )),
            "{message}"
        );
        let limits = Limits::default().with_max_triangles(count);
        format
            .read(file, &Folder::new(), &SceneOptions::default(), &limits)
            .unwrap();
    }
}

/// Each combination of a position and a texture coordinate is a vertex, even in faces without triangles.
#[test]
fn corners_of_obj_faces_count_as_vertices() {
    let triangles = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n\
                     f 1/1 2/2 3/3\nf 1/2 2/3 3/1\nf 1/3 2/1 3/2\n";
    let pairs = triangles.replace("f 1/1 2/2 3/3", "f 1/1 2/2\nf 3/3");
    for file in [triangles, &pairs] {
        let limits = Limits::default().with_max_triangles(8);
        let (files, options) = (Folder::new(), SceneOptions::default());
        let read = Obj.read(file.as_bytes(), &files, &options, &limits);
        let streamed = Obj.read_from(&mut file.as_bytes(), &files, &options, &limits);
        for result in [read, streamed] {
            let message = result.unwrap_err().to_string();
            assert!(
                message.contains("9 triangles or vertices, but the limit is 8"),
                "{message}"
            );
        }
        let limits = Limits::default().with_max_triangles(9);
        Obj.read_from(&mut file.as_bytes(), &files, &options, &limits)
            .unwrap();
    }
}

/// A reader that repeats a line endlessly.
struct EndlessReader(&'static [u8], usize);

impl Read for EndlessReader {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        for byte in &mut *out {
            *byte = self.0[self.1 % self.0.len()];
            self.1 += 1;
        }
        Ok(out.len())
    }
}

#[test]
fn an_endless_input_is_rejected() {
    let limits = Limits::default().with_max_triangles(1_000_000);
    let lines: [&[u8]; 6] = [
        b"v 0 0 0\n",
        b"v 500000.1 0 0\n",
        b"vt 0 0\n",
        b"vn 0 0 1\n",
        b"v 0 0 0\nf -1 -1 -1\n",
        b"v 0 0 0 ",
    ];
    for line in lines {
        let options = SceneOptions::default();
        let error = Obj
            .read_from(
                &mut EndlessReader(line, 0),
                &Folder::new(),
                &options,
                &limits,
            )
            .unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::LimitExceeded(Limit::Triangles),
            "{}",
            line.escape_ascii()
        );
    }
    let zeros = Obj.read_from(
        &mut EndlessReader(b"\0", 0),
        &Folder::new(),
        &SceneOptions::default(),
        &limits,
    );
    assert!(zeros.unwrap_err().message().contains("without a line end"));
}

#[test]
fn copies_at_nodes_are_counted_before_they_are_made() {
    let nodes: Vec<_> = (0..1000)
        .map(|place| json!({ "mesh": 0, "translation": [place, 0, 0] }))
        .collect();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let (text, folder) = triangle_at_nodes(&corners, &nodes, &(0..1000).collect::<Vec<_>>());
    let limits = Limits::default().with_max_triangles(2999);
    let read = |options: SceneOptions| Gltf.read(text.as_bytes(), &folder, &options, &limits);
    let expected = "3000 triangles or vertices, but the limit is 2999";
    // Nodes are kept unless they must be applied.
    assert_eq!(
        read(SceneOptions::default().with_bake(true))
            .unwrap_err()
            .message(),
        expected
    );
    let (scene, _) = read(SceneOptions::default()).unwrap();
    assert_eq!(
        (scene.meshes.len(), scene.meshes[0].instance_count()),
        (1, 1000)
    );
    let options = SceneOptions::default().with_max_triangles(2999);
    for format in [Obj, Ply, Stl] {
        let error = format
            .write(scene.clone(), "out", &mut Folder::new(), &options)
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::LimitExceeded(Limit::Triangles), expected)
        );
    }
    Gltf.write(scene.clone(), "out", &mut Folder::new(), &options)
        .unwrap();
    let losses = Ply
        .write(scene, "out", &mut Folder::new(), &SceneOptions::default())
        .unwrap();
    assert!(
        losses
            .iter()
            .any(|loss| loss.message.contains("copied for each of its instances")),
        "{losses:?}"
    );
}

#[test]
fn names_and_extras_of_copies_are_counted_too() {
    let heavy = Mesh {
        positions: vec![[0.0; 3]],
        placements: vec![Placement::default(); 3000],
        extras: [("text".to_owned(), "x".repeat(100_000).into())]
            .into_iter()
            .collect(),
        ..Mesh::default()
    };
    let scene = Scene {
        meshes: vec![heavy],
        ..Scene::default()
    };
    let write = |format: Interchange| {
        let written = format.write(
            scene.clone(),
            "out",
            &mut Folder::new(),
            &SceneOptions::default(),
        );
        written.map_err(|error| error.to_string())
    };
    let expected =
        "300033000 bytes of names and extras in copies of meshes, but the limit is 268435456";
    assert!(write(Obj).unwrap_err().contains(expected));
    write(Gltf).unwrap();
}
