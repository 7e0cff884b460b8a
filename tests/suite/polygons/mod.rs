//! Triangulation of polygons.

mod ears;
mod point_tree;

use glam::DVec3;
use meshspec::Loss;
use meshspec::scene::{Faces, Indices, Mesh, Scene};

/// Returns the signed area of each triangle of a polygon in the plane z = 0.
fn areas(corners: &[[f32; 2]]) -> Vec<f32> {
    let mut mesh = Mesh {
        positions: corners.iter().map(|[x, y]| [*x, *y, 0.0]).collect(),
        ..Mesh::default()
    };
    mesh.faces = Faces {
        indices: None,
        corners: Some(vec![corners.len() as u32]),
    };
    assert_eq!(mesh.triangulate(), None, "{corners:?}");
    let mut areas = Vec::new();
    mesh.faces.for_each_triangle(corners.len(), |triangle| {
        let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
        areas.push(((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0);
    });
    areas
}

/// Asserts that all triangles have the orientation of the polygon, and together its area, so that none is outside.
#[track_caller]
fn assert_covers(corners: &[[f32; 2]], area: f32) {
    for first in 0..corners.len() {
        let mut corners = corners.to_vec();
        corners.rotate_left(first);
        for side in [1.0, -1.0] {
            let areas = areas(&corners);
            assert_eq!(areas.len(), corners.len() - 2, "{corners:?}");
            assert!(
                areas.iter().all(|area| area * side >= 0.0),
                "{corners:?}: {areas:?}"
            );
            assert_eq!(areas.iter().sum::<f32>(), area * side, "{corners:?}");
            corners.reverse();
        }
    }
}

#[test]
fn triangles_are_inside() {
    assert_covers(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]], 4.0);
    // An arrow, and a quad with a corner on an edge.
    assert_covers(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]], 4.0);
    assert_covers(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 2.0]], 2.0);
    assert_covers(
        &[
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 1.0],
            [1.0, 1.0],
            [1.0, 4.0],
            [0.0, 4.0],
        ],
        7.0,
    );
    // A comb with corners on the straight edges of its back.
    assert_covers(
        &[
            [0.0, 0.0],
            [2.0, 0.0],
            [4.0, 0.0],
            [6.0, 0.0],
            [6.0, 3.0],
            [5.0, 1.0],
            [4.0, 3.0],
            [3.0, 1.0],
            [2.0, 3.0],
            [1.0, 1.0],
            [0.0, 3.0],
        ],
        12.0,
    );
}

#[test]
fn convex_polygons_and_those_without_a_plane_are_fans() {
    let fan = |positions: Vec<[f32; 3]>| {
        let count = positions.len() as u32;
        let faces = Faces {
            indices: None,
            corners: Some(vec![2, count - 2]),
        };
        let mut mesh = Mesh {
            positions,
            faces,
            ..Mesh::default()
        };
        mesh.triangulate();
        mesh.faces.indices
    };
    let expected = Some(Indices::U32(vec![2, 3, 4, 2, 4, 5, 2, 5, 6]));
    let convex = [
        [0.0; 2],
        [0.0; 2],
        [0.0, 0.0],
        [2.0, 0.0],
        [3.0, 1.0],
        [2.0, 2.0],
        [0.0, 2.0],
    ];
    assert_eq!(fan(convex.map(|[x, y]| [5.0, x, y]).to_vec()), expected);
    assert_eq!(fan(vec![[1.0; 3]; 7]), expected);
    assert_eq!(fan(vec![[f32::NAN; 3]; 7]), expected);
}

fn triangulate(corners: impl IntoIterator<Item = [f32; 2]>) -> (Mesh, Option<Loss>) {
    let positions: Vec<_> = corners.into_iter().map(|[x, y]| [x, 3.0, y]).collect();
    let faces = Faces {
        indices: None,
        corners: Some(vec![positions.len() as u32]),
    };
    let mut mesh = Mesh {
        positions,
        faces,
        ..Mesh::default()
    };
    let loss = mesh.triangulate();
    (mesh, loss)
}

#[test]
fn self_crossing_polygons_are_listed() {
    // Figures of eight: with lobes that cancel out, with unequal lobes, and with many corners.
    let even = [
        [-2.0, -1.0],
        [2.0, 1.0],
        [3.0, 0.0],
        [2.0, -1.0],
        [-2.0, 1.0],
        [-3.0, 0.0],
    ];
    let bow = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [3.0, 2.0], [3.0, 4.0]];
    let turns = |turns: f32, count: u16| {
        let angle =
            move |corner: u16| turns * std::f32::consts::TAU * f32::from(corner) / f32::from(count);
        (0..count).map(move |corner| {
            [
                angle(corner).sin(),
                (2.0 * angle(corner)).sin() + 0.3 * angle(corner).cos(),
            ]
        })
    };
    for corners in [even.to_vec(), bow.to_vec(), turns(1.0, 500).collect()] {
        let (mesh, loss) = triangulate(corners.iter().copied());
        let expected = format!(
            "changed: faces: triangles of self-intersecting or too complex polygons overlap or leave gaps: \
             the first is faces[0] with {} corners, 1 of 1 faces",
            corners.len()
        );
        assert_eq!(loss.map(|loss| loss.to_string()), Some(expected));
        assert_eq!(
            mesh.faces.corner_count(corners.len()),
            3 * (corners.len() - 2)
        );
    }
}

#[test]
fn polygons_without_area_are_not_listed() {
    for corners in [
        [[1.0, 1.0], [1.0, 1.0]],
        [[0.0, 0.0], [1.0, 3.0]],
        [[f32::NAN, 0.0], [1.0, f32::INFINITY]],
    ] {
        for count in [10, 1000] {
            let (mesh, loss) = triangulate(corners.into_iter().cycle().take(count));
            assert_eq!(loss, None, "{corners:?}");
            assert_eq!(mesh.faces.corner_count(count), 3 * (count - 2));
        }
    }
}

#[test]
fn polygons_lie_in_any_plane() {
    let l = [
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, 1.0],
        [1.0, 1.0],
        [1.0, 4.0],
        [0.0, 4.0],
    ];
    for axis in 0..3 {
        for (side, first) in [(1.0, l), (-1.0, [l[5], l[4], l[3], l[2], l[1], l[0]])] {
            let mut positions = first.map(|[x, y]| [x, y, 7.0]);
            positions
                .iter_mut()
                .for_each(|position| position.rotate_right(axis));
            let faces = Faces {
                indices: None,
                corners: Some(vec![6]),
            };
            let mut mesh = Mesh {
                positions: positions.to_vec(),
                faces,
                ..Mesh::default()
            };
            mesh.triangulate();
            mesh.faces.for_each_triangle(6, |triangle| {
                let [a, b, c] =
                    triangle.map(|corner| DVec3::from(positions[corner as usize].map(f64::from)));
                let normal = (b - a).cross(c - a);
                assert!(
                    normal[(2 + axis) % 3] * side > 0.0,
                    "{axis} {side}: {normal}"
                );
            });
        }
    }
}

#[test]
fn polygons_count_as_their_triangles() {
    let faces = |corners| Faces {
        corners,
        ..Faces::triangles(vec![0; 9])
    };
    let mesh = |faces| Mesh {
        positions: vec![[0.0; 3]; 12],
        faces,
        ..Mesh::default()
    };
    let scene = Scene {
        meshes: vec![
            mesh(faces(Some(vec![3, 4, 2]))),
            mesh(faces(None)),
            mesh(Faces::default()),
        ],
        ..Scene::default()
    };
    let counts: Vec<_> = scene
        .info()
        .meshes
        .iter()
        .map(|(_, triangles)| *triangles)
        .collect();
    assert_eq!(counts, [3, 3, 4]);
}
