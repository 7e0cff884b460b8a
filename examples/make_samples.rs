//! Writes the files in `samples/`: one per format and dialect, small enough to be read as hex.
//!
//! `cargo run --example make_samples`

use std::fs;
use std::path::Path;

use meshspec::{Dialect, Format, Text, WriteOptions, crucible, iyma, mesh, seed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let options = WriteOptions::default();
    let plain = tetrahedron();
    let skinned = skinned_mesh()?;
    let (renderlib, _) = skinned.clone().into_dialect(Dialect::Renderlib)?;
    let chunk = chunk(&[]);
    let tangents = vec![crucible::Stream::Tangent(vec![[1.0, 0.0, 0.0]; 4])];
    let model = crucible::Document {
        container: crucible::Container::Model,
        chunks: vec![chunk.clone(), chunk.clone()],
        ..Default::default()
    };
    let bare = crucible::Document { chunks: vec![chunk], ..Default::default() };
    let tangent = crucible::Document {
        dialect: Dialect::Tangent,
        chunks: vec![self::chunk(&tangents)],
        ..Default::default()
    };
    let tangent_model = crucible::Document {
        container: crucible::Container::Model,
        chunks: vec![self::chunk(&[]), self::chunk(&tangents)],
        ..tangent.clone()
    };
    let quads = quads()?;
    let (quads_reference, _) = quads.clone().into_dialect(Dialect::Reference)?;
    let files = [
        ("mesh/tetrahedron.mesh", plain.write(&options)?),
        ("mesh/flag.mesh", skinned.write(&options)?),
        ("mesh/flag_renderlib.mesh", renderlib.write(&options)?),
        ("crucible/tetrahedron.crmesh", bare.write(&options)?),
        ("crucible/tetrahedron_tangent.crmesh", tangent.write(&options)?),
        ("crucible/tetrahedra.cmodel", model.write(&options)?),
        ("crucible/tetrahedra_tangent.cmodel", tangent_model.write(&options)?),
        ("iyma/quads.ima", quads.write(&options)?),
        ("iyma/quads_reference.ima", quads_reference.write(&options)?),
        ("seed/facets.mesh", seed_tetrahedron().write(&options)?),
    ];
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

const CORNERS: [[f32; 3]; 4] = [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
const FACES: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];

fn tetrahedron() -> mesh::Document {
    mesh::Document {
        vertices: columns(mesh::Columns { positions: CORNERS.to_vec(), ..Default::default() }),
        indices: FACES.map(u32::from).to_vec(),
        ..Default::default()
    }
}

fn columns(columns: mesh::Columns) -> mesh::Vertices {
    mesh::Vertices::from_columns(&columns).unwrap_or_default()
}

/// A strip of two squares on a pole of two joints, which an animation waves.
fn skinned_mesh() -> Result<mesh::Document, Box<dyn std::error::Error>> {
    let positions: Vec<[f32; 3]> = (0..6).map(|i| [(i / 2) as f32, (i % 2) as f32, 0.0]).collect();
    let joints = mesh::JointColumns {
        ids: (0..6).map(|i| if i < 2 { [0, 255, 255, 255] } else { [0, 1, 255, 255] }).collect(),
        weights: (0..6).map(|i| if i < 2 { [255, 0, 0, 0] } else { [128, 127, 0, 0] }).collect(),
    };
    let vertices = columns(mesh::Columns {
        normals: Some(vec![[0.0, 0.0, 1.0]; 6]),
        uvs: Some(positions.iter().map(|[x, y, _]| [x / 2.0, *y]).collect()),
        joints: Some(joints),
        positions,
    });
    let identity =
        |x: f32| [[1.0, 0.0, 0.0, -x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let pose = |joint: u32, rotation| mesh::Pose {
        joint,
        position: [joint as f32, 0.0, 0.0],
        rotation,
        scale: [1.0; 3],
    };
    let still = [1.0, 0.0, 0.0, 0.0];
    // Half a radian around the pole.
    let turned = [0.968_912_4, 0.0, 0.247_403_96, 0.0];
    Ok(mesh::Document {
        vertices,
        indices: vec![0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5],
        joints: vec![
            mesh::Joint { id: 0, parent: 255, transform: identity(0.0) },
            mesh::Joint { id: 1, parent: 0, transform: identity(1.0) },
        ],
        animations: vec![mesh::Animation {
            name: Some(0),
            duration: 48.0,
            speed: 24.0,
            timestamps: vec![0.0, 24.0, 48.0],
            poses: vec![
                pose(0, still),
                pose(1, still),
                pose(0, still),
                pose(1, turned),
                pose(0, still),
                pose(1, still),
            ],
        }],
        strings: vec![Text::from("wave")],
        ..Default::default()
    })
}

/// A tetrahedron with every attribute of the specification, and `more`.
fn chunk(more: &[crucible::Stream]) -> crucible::Chunk {
    let bound = |bone, influence| crucible::BoneWeight { bone, influence };
    let mut streams = vec![
        crucible::Stream::Position3d(CORNERS.to_vec()),
        crucible::Stream::Position2d(CORNERS.iter().map(|[x, y, _]| [*x, *y]).collect()),
        crucible::Stream::Normal(CORNERS.iter().map(|c| c.map(|x| x / 3f32.sqrt())).collect()),
        crucible::Stream::Uv(CORNERS.iter().map(|[x, y, _]| [x / 2.0 + 0.5, 0.5 - y / 2.0]).collect()),
        crucible::Stream::Color(vec![[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4]]),
        crucible::Stream::BoneWeights(vec![
            [bound(0, 0.75), bound(1, 0.25), bound(0, 0.0), bound(0, 0.0)];
            4
        ]),
    ];
    streams.extend_from_slice(more);
    crucible::Chunk { indices: crucible::Indices::U16(FACES.to_vec()), streams, ..Default::default() }
}

/// Two quads, each with indices of its own, and a custom attribute.
fn quads() -> meshspec::Result<iyma::Document> {
    use iyma::{Attribute, Indices, Usage, VertexFormat};
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    let quad = |z: f32, usage| {
        let positions: Vec<f32> = corners.iter().flat_map(|[x, y]| [*x, *y, z]).collect();
        let normals = [0.0, 0.0, 1.0, 0.0].repeat(4);
        let colors = [z, 1.0 - z, 0.2, 1.0].repeat(4);
        let attributes = vec![
            Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &positions),
            Attribute::from_f32(Usage::Normal, VertexFormat::Snorm8x4, &normals),
            Attribute::from_f32(Usage::Uv, VertexFormat::Float16x2, corners.as_flattened()),
            Attribute::from_f32(Usage::Color, VertexFormat::Unorm8x4, &colors),
            Attribute::from_f32(usage, VertexFormat::Uint8, &[0.0, 0.0, 1.0, 1.0]),
        ];
        iyma::Document::from_mesh(Some(Indices::from_u16(&[0, 1, 2, 2, 1, 3])), attributes)
    };
    let wind = || Usage::Custom(7, "wind".into());
    let (mut document, _) = iyma::merge(&[quad(0.0, wind())?, quad(1.0, wind())?])?;
    document.user_data = iyma::Bytes::from_static(b"two quads");
    Ok(document)
}

/// A tetrahedron with a vertex per corner of each face, so that faces have a normal each.
fn seed_tetrahedron() -> seed::Document {
    let property =
        |name: &str, value: &str| seed::Property { name: name.to_owned(), value: value.to_owned() };
    let corners: Vec<_> = FACES.iter().map(|corner| CORNERS[usize::from(*corner)]).collect();
    // The normal of a face points away from the corner that it does not have.
    let normal = |face: &[u16]| {
        (0..4).find(|corner| !face.contains(corner)).map(|corner| CORNERS[usize::from(corner)])
    };
    let normals =
        FACES.chunks(3).filter_map(normal).flat_map(|away| [away.map(|x| -x / 3f32.sqrt()); 3]).collect();
    seed::Document {
        properties: vec![
            property("name", "Tetrahedron"),
            property("mat0", "DEFAULT"),
            property("type", "STATIC"),
        ],
        colors: vec![
            corners.iter().map(|[x, y, z]| [x / 2.0 + 0.5, y / 2.0 + 0.5, z / 2.0 + 0.5, 1.0]).collect(),
        ],
        uvs: vec![[[0.5, 0.0], [0.0, 1.0], [1.0, 1.0]].repeat(4)],
        positions: corners,
        normals,
        faces: vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]],
        comments: None,
    }
}
