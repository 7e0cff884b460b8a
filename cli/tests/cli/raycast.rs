//! Compares pictures with a reference renderer, which casts a ray through each sample at all triangles.

use std::path::Path;

use glam::{DVec2, DVec3, Vec3, Vec4Swizzles};
use meshspec::mesh;
use meshspec::scene::{Mesh, Scene, SceneOptions};

use crate::dump::repository;
use crate::files::{Folder, triangle};
use crate::render::Image;

/// The number of samples per pixel in each direction.
const SAMPLES: usize = 2;

/// The tolerated difference of a channel. The program shades a triangle once per pixel, the reference at each sample.
const TOLERANCE: u8 = 6;

/// A triangle in camera coordinates.
struct Face<'m> {
    mesh: &'m Mesh,
    axes: Axes,
    indices: [usize; 3],
    /// Right, up, and towards the viewer.
    corners: [DVec3; 3],
}

/// Right, up, and towards the viewer.
type Axes = [DVec3; 3];

fn axes(view: &str) -> Axes {
    let toward = match view {
        "front" => DVec3::Z,
        "back" => -DVec3::Z,
        "left" => -DVec3::X,
        "right" => DVec3::X,
        "top" => return [DVec3::X, -DVec3::Z, DVec3::Y],
        "iso" => DVec3::ONE.normalize(),
        view => panic!("{view}"),
    };
    let right = DVec3::Y.cross(toward).normalize();
    [right, toward.cross(right), toward]
}

fn seen(axes: &Axes, at: DVec3) -> DVec3 {
    DVec3::from(axes.map(|axis| axis.dot(at)))
}

/// Returns the model of a file in its rest pose.
fn scene(file: &Path) -> Scene {
    let bytes = std::fs::read(file).unwrap();
    let document = meshspec::read(&bytes, &Default::default()).unwrap();
    let options =
        SceneOptions::default().with_conventions(document.format().conventions().unwrap());
    let (mut scene, _) = document.into_scene(&options).unwrap();
    scene.apply_transform();
    let rest: Vec<_> = (0..scene.skeleton.joints.len())
        .map(|joint| scene.skeleton.rest_transform(joint))
        .collect();
    scene.apply_pose(&rest);
    if let Some(finest) = scene.lods.first().cloned() {
        let levels: Vec<usize> = scene
            .lods
            .iter()
            .flat_map(|lod| lod.meshes.clone())
            .collect();
        let all = std::mem::take(&mut scene.meshes).into_iter().enumerate();
        let drawn =
            all.filter(|(index, _)| finest.meshes.contains(index) || !levels.contains(index));
        scene.meshes = drawn.map(|(_, mesh)| mesh).collect();
    }
    for mesh in &mut scene.meshes {
        mesh.triangulate();
    }
    scene
}

fn faces<'s>(scene: &'s Scene, axes: &Axes) -> Vec<Face<'s>> {
    let of_mesh = |mesh: &'s Mesh| {
        let indices = mesh.faces.indices.clone().map(|indices| indices.into_u32());
        let indices = indices.unwrap_or_else(|| (0..mesh.positions.len() as u32).collect());
        let face = |corners: &[u32; 3]| {
            let indices = corners.map(|corner| corner as usize);
            let corners =
                indices.map(|index| seen(axes, DVec3::from(mesh.positions[index].map(f64::from))));
            Face {
                mesh,
                axes: *axes,
                indices,
                corners,
            }
        };
        indices.as_chunks().0.iter().map(face).collect::<Vec<_>>()
    };
    scene.meshes.iter().flat_map(of_mesh).collect()
}

/// Returns the linear premultiplied colours of all pixels.
fn picture(scene: &Scene, axes: &Axes, size: usize) -> Vec<[f64; 4]> {
    let faces = faces(scene, axes);
    let corners = faces.iter().flat_map(|face| face.corners);
    let (low, high) = corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), at| {
        (low.min(at), high.max(at))
    });
    let (width, height) = (high.x - low.x, high.y - low.y);
    let scale = 0.92 * size as f64 / width.max(height);
    let at = |column: usize, row: usize| {
        let [x, y] =
            [column, row].map(|place| (place as f64 + 0.5) / SAMPLES as f64 - 0.5 * size as f64);
        DVec2::new(
            (low.x + high.x) / 2.0 + x / scale,
            (low.y + high.y) / 2.0 - y / scale,
        )
    };
    let pixel = |index: usize| {
        let mut sum = [0.0; 4];
        for sample in 0..SAMPLES * SAMPLES {
            let (column, row) = (
                index % size * SAMPLES + sample % SAMPLES,
                index / size * SAMPLES + sample / SAMPLES,
            );
            if let Some(color) = cast(&faces, at(column, row)) {
                let [red, green, blue] = color.to_array();
                sum = std::array::from_fn(|channel| {
                    sum[channel] + [red, green, blue, 1.0][channel] / 4.0
                });
            }
        }
        sum
    };
    (0..size * size).map(pixel).collect()
}

/// Returns the colour of the nearest face at a point; `None` if there is none.
fn cast(faces: &[Face], at: DVec2) -> Option<DVec3> {
    let mut nearest: Option<(f64, &Face, DVec3)> = None;
    for face in faces {
        let [a, b, c] = face.corners.map(DVec3::truncate);
        let area = (b - a).perp_dot(c - a);
        let weights = DVec3::new(
            (c - b).perp_dot(at - b),
            (a - c).perp_dot(at - c),
            (b - a).perp_dot(at - a),
        ) / area;
        if weights.min_element() >= 0.0 {
            let depth = weights.dot(DVec3::from(face.corners.map(|corner| corner.z)));
            if nearest.as_ref().is_none_or(|(known, ..)| depth > *known) {
                nearest = Some((depth, face, weights));
            }
        }
    }
    nearest.map(|(_, face, weights)| face.color(weights))
}

impl Face<'_> {
    fn color(&self, weights: DVec3) -> DVec3 {
        let [a, b, c] = self.corners;
        let face = (b - a).cross(c - a).normalize();
        let face = face * face.z.signum();
        self.base(weights) * light(self.normal(weights, face))
    }

    /// Returns the product of material and vertex colours.
    fn base(&self, weights: DVec3) -> DVec3 {
        let base = self
            .mesh
            .material
            .base_color
            .map(|color| glam::Vec4::from(color).xyz().as_dvec3());
        let Some(colors) = self.mesh.colors.first().cloned() else {
            return base.unwrap_or(DVec3::new(0.62, 0.62, 0.6));
        };
        let colors = colors.into_f32();
        let corner = |corner: usize| {
            glam::Vec4::from(colors[self.indices[corner]])
                .xyz()
                .as_dvec3()
                * weights[corner]
        };
        (corner(0) + corner(1) + corner(2)) * base.unwrap_or(DVec3::ONE)
    }

    fn normal(&self, weights: DVec3, face: DVec3) -> DVec3 {
        let Some(normals) = &self.mesh.normals else {
            return face;
        };
        let normals = self
            .indices
            .map(|corner| seen(&self.axes, DVec3::from(normals[corner].map(f64::from))));
        let side = (normals[0] + normals[1] + normals[2]).dot(face).signum();
        let corner = |corner: usize| match normals[corner].try_normalize() {
            Some(normal) => side * normal * weights[corner],
            None => face * weights[corner],
        };
        (corner(0) + corner(1) + corner(2)).normalize()
    }
}

fn light(normal: DVec3) -> DVec3 {
    let lights = [
        (DVec3::new(-0.48, 0.64, 0.6), DVec3::new(0.9, 0.86, 0.8)),
        (DVec3::new(0.8, 0.0, 0.6), DVec3::new(0.24, 0.28, 0.34)),
        (DVec3::new(0.0, 0.8, -0.6), DVec3::splat(0.25)),
    ];
    let ambient = DVec3::splat(0.19 + 0.07 * normal.y);
    lights.iter().fold(ambient, |sum, (direction, color)| {
        sum + *color * normal.dot(*direction).max(0.0)
    })
}

/// Converts a colour to bytes.
fn bytes([red, green, blue, alpha]: [f64; 4]) -> [u8; 4] {
    let byte = |channel: f64| (channel.clamp(0.0, 1.0) * 255.0).round() as u8;
    let color = |channel: f64| {
        if alpha > 0.0 {
            byte((channel / alpha).sqrt())
        } else {
            0
        }
    };
    [color(red), color(green), color(blue), byte(alpha)]
}

/// Compares a picture of a file with the reference.
fn compare(folder: &Folder, file: &Path, view: &str, size: usize) {
    let sample = file.display();
    let arguments = format!(
        "render {} out.png --force --view {view} --size {size}",
        file.display()
    );
    folder.run(&arguments).fine();
    let found = Image::of(&folder.get("out.png"));
    assert_eq!((found.width, found.height), (size, size));
    let scene = scene(file);
    let expected = picture(&scene, &axes(view), size);
    let covered = expected.iter().filter(|color| color[3] > 0.0).count();
    assert!(
        covered * 20 > expected.len(),
        "{sample} {view}: {covered} pixels"
    );
    let expected = expected.into_iter().map(bytes);
    let differs = |(_, (found, expected)): &(usize, (&[u8; 4], [u8; 4]))| {
        found
            .iter()
            .zip(expected)
            .any(|(found, expected)| found.abs_diff(*expected) > TOLERANCE)
    };
    let differing: Vec<_> = found
        .pixels
        .iter()
        .zip(expected)
        .enumerate()
        .filter(differs)
        .collect();
    let (count, first) = (differing.len(), &differing[..differing.len().min(5)]);
    assert!(
        count * 200 <= found.pixels.len(),
        "{sample} {view}: {count} pixels differ, the first are {first:?}"
    );
}

/// An asymmetric tetrahedron with smooth normals. No two faces are coplanar, and no edge passes exactly through a sample,
/// where either side would be correct.
fn tetrahedron() -> mesh::Document {
    let positions = vec![
        [0.1, 0.0, 0.2],
        [1.3, 0.17, -0.4],
        [0.45, 1.21, 0.3],
        [0.62, 0.33, 1.1],
    ];
    let middle = Vec3::new(0.62, 0.43, 0.3);
    let normals = positions
        .iter()
        .map(|at| (Vec3::from(*at) - middle).normalize().into())
        .collect();
    let columns = mesh::Columns {
        positions,
        normals: Some(normals),
        ..Default::default()
    };
    let vertices = mesh::Vertices::from_columns(&columns).unwrap();
    mesh::Document {
        vertices,
        indices: vec![0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3],
        ..triangle()
    }
}

#[test]
fn pictures_match_ray_casting() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &tetrahedron());
    for view in ["front", "back", "left", "right", "top", "iso"] {
        compare(&folder, &folder.path("a.mesh"), view, 48);
    }
    for sample in [
        "seed/facets.mesh",
        "bmd/tentacle.bmd",
        "mesh/flag.mesh",
        "crucible/tetrahedron_u32.crmesh",
    ] {
        compare(
            &folder,
            &repository().join("samples").join(sample),
            "iso",
            64,
        );
    }
}
