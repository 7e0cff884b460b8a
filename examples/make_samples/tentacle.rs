//! A tentacle: a column on a chain of joints, with up to four joints per vertex and two animations.

use std::error::Error;

use meshspec::scene::{FromScene, SceneOptions};
use meshspec::{Dialect, Document, Format, bmd, mesh};

const JOINT_COUNT: u8 = 4;
/// The number of rings of four vertices each.
const RING_COUNT: u8 = 5;

/// Returns the tentacle as MESH.
pub fn as_mesh() -> Result<mesh::Document, Box<dyn Error>> {
    let corners = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    let of_rings = (0..RING_COUNT).flat_map(|ring| (0..4).map(move |corner: usize| (ring, corner)));
    let (ids, weights): (Vec<_>, Vec<_>) =
        of_rings.clone().map(|(ring, _)| influences(ring)).unzip();
    let mut columns = mesh::Columns {
        positions: of_rings
            .clone()
            .map(|(ring, corner)| {
                [
                    corners[corner][0],
                    f32::from(ring) * 0.75,
                    corners[corner][1],
                ]
            })
            .collect(),
        normals: Some(
            of_rings
                .clone()
                .map(|(_, corner)| corner_normal(corners[corner]))
                .collect(),
        ),
        uvs: Some(
            of_rings
                .map(|(ring, corner)| [corner as f32 / 4.0, f32::from(ring) / 4.0])
                .collect(),
        ),
        ..Default::default()
    };
    columns.joint_ids = Some(ids);
    columns.joint_weights = Some(weights);
    // The joints are stacked, one unit apart.
    let joint = |id: u8| mesh::Joint {
        id,
        parent: id.checked_sub(1).unwrap_or(255),
        transform: [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, -f32::from(id)],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ],
    };
    Ok(mesh::Document {
        vertices: mesh::Vertices::from_columns(&columns)?,
        indices: sides(),
        joints: (0..JOINT_COUNT).map(joint).collect(),
        animations: vec![sway(), stretch()],
        strings: ["sway", "stretch"].into_iter().collect(),
        ..Default::default()
    })
}

/// Returns the tentacle in the renderlib dialect. The root transform halves its size and moves it by 1 along x.
pub fn as_renderlib() -> Result<mesh::Document, Box<dyn Error>> {
    let (mut document, _) = as_mesh()?.into_dialect(Dialect::RENDERLIB)?;
    document.root_transform = Some([
        [0.5, 0.0, 0.0, 1.0],
        [0.0, 0.5, 0.0, 0.0],
        [0.0, 0.0, 0.5, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);
    Ok(document)
}

/// Returns the tentacle as BMD. Vertices with several joints are bound to pseudo-bones.
pub fn as_bmd() -> Result<bmd::Document, Box<dyn Error>> {
    let options = SceneOptions::default();
    let (scene, _) = Document::Mesh(as_mesh()?).into_scene(&options)?;
    Ok(bmd::Document::from_scene(scene, &options)?.0)
}

fn corner_normal([x, z]: [f32; 2]) -> [f32; 3] {
    [
        x * std::f32::consts::SQRT_2,
        0.0,
        z * std::f32::consts::SQRT_2,
    ]
}

/// Returns the joints and weights of the vertices in a ring: one to four joints.
fn influences(ring: u8) -> ([u8; 4], [u8; 4]) {
    match ring {
        0 => ([0, 255, 255, 255], [255, 0, 0, 0]),
        1 => ([0, 1, 255, 255], [128, 127, 0, 0]),
        2 => ([0, 1, 2, 255], [51, 102, 102, 0]),
        3 => ([0, 1, 2, 3], [15, 48, 96, 96]),
        _ => ([3, 255, 255, 255], [255, 0, 0, 0]),
    }
}

/// Returns the triangles of the sides, counter-clockwise from outside: two for each quad between neighbouring rings.
fn sides() -> Vec<u32> {
    let cells =
        (0..u32::from(RING_COUNT) - 1).flat_map(|ring| (0..4).map(move |side| (ring, side)));
    let corners = cells.flat_map(|(ring, side)| {
        let (a, b) = (4 * ring + side, 4 * ring + (side + 1) % 4);
        [a, a + 4, b, b, a + 4, b + 4]
    });
    corners.collect()
}

/// Returns an animation that sways to both sides. The poses of each timestamp are in reverse order, which is valid.
fn sway() -> mesh::Animation {
    let poses = [0.0, 0.3, 0.0, -0.3, 0.0]
        .into_iter()
        .flat_map(|angle: f32| {
            (0..u32::from(JOINT_COUNT)).rev().map(move |joint| {
                let (sin, cos) = (angle / 2.0).sin_cos();
                let rotation = if joint == 0 {
                    [1.0, 0.0, 0.0, 0.0]
                } else {
                    [cos, 0.0, 0.0, sin]
                };
                mesh::Pose {
                    joint,
                    position: rest_translation(joint),
                    rotation,
                    scale: [1.0; 3],
                }
            })
        });
    animation(0, 20.0, vec![0.0, 10.0, 20.0, 30.0, 40.0], poses.collect())
}

/// Returns an animation that stretches the tentacle, with keys at uneven times.
fn stretch() -> mesh::Animation {
    let poses = [1.0, 1.5, 1.25].into_iter().flat_map(|factor: f32| {
        (0..u32::from(JOINT_COUNT)).map(move |joint| {
            let [x, y, z] = rest_translation(joint);
            let scale = if joint == 3 {
                [0.5, factor, 0.5]
            } else {
                [1.0; 3]
            };
            mesh::Pose {
                joint,
                position: [x, y * factor, z],
                rotation: [1.0, 0.0, 0.0, 0.0],
                scale,
            }
        })
    });
    animation(1, 10.0, vec![0.0, 2.5, 10.0], poses.collect())
}

/// Returns an animation that ends at its last timestamp. Fields added to the declaration have their default.
pub fn animation(
    name: u32,
    speed: f32,
    timestamps: Vec<f32>,
    poses: Vec<mesh::Pose>,
) -> mesh::Animation {
    let duration = timestamps.last().copied().unwrap_or_default();
    #[expect(
        clippy::needless_update,
        reason = "a new field is edited in the schema, not here"
    )]
    let animation = mesh::Animation {
        name: Some(name),
        duration,
        speed,
        timestamps,
        poses,
        ..mesh::Animation::default()
    };
    animation
}

/// Returns the rest translation of a joint relative to its parent.
fn rest_translation(joint: u32) -> [f32; 3] {
    [0.0, if joint == 0 { 0.0 } else { 1.0 }, 0.0]
}
