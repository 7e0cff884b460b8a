//! Writes the files in `samples/`, which cover every format, dialect and form, and are small enough to read as a hex
//! dump.
//!
//! `cargo run --example make_samples`

mod forms;
mod tentacle;
mod vertices;

use std::fs;
use std::path::Path;

use meshspec::{Dialect, Format, Text, WriteOptions, bmd, crucible, iyma, mesh, seed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let options = WriteOptions::default();
    let plain = tetrahedron();
    let skinned = skinned_mesh()?;
    let (renderlib, _) = skinned.clone().into_dialect(Dialect::RENDERLIB)?;
    let chunk = chunk(&[]);
    let tangents = vec![crucible::Values::Tangent(vec![[1.0, 0.0, 0.0]; 4])];
    let model = crucible::Document {
        container: crucible::Container::Model,
        chunks: vec![chunk.clone(), chunk.clone()],
        ..Default::default()
    };
    let bare = crucible::Document {
        chunks: vec![chunk],
        ..Default::default()
    };
    let tangent = crucible::Document {
        dialect: Dialect::TANGENT,
        chunks: vec![self::chunk(&tangents)],
        ..Default::default()
    };
    let tangent_model = crucible::Document {
        container: crucible::Container::Model,
        chunks: vec![self::chunk(&[]), self::chunk(&tangents)],
        ..tangent.clone()
    };
    let quads = quads()?;
    let (quads_reference, _) = quads.clone().into_dialect(Dialect::REFERENCE)?;
    let large = crucible::Document {
        chunks: vec![crucible::Chunk {
            indices: crucible::Indices::U32(FACES.map(u32::from).to_vec()),
            streams: vec![crucible::Values::Position3d(CORNERS.to_vec()).into()],
            ..Default::default()
        }],
        ..Default::default()
    };
    let [formats, formats_reference] = [Dialect::SPEC, Dialect::REFERENCE].map(vertices::formats);
    let [usages, usages_reference] = [Dialect::SPEC, Dialect::REFERENCE].map(vertices::usages);
    let files = [
        ("mesh/tetrahedron.mesh", plain.write(&options)?),
        ("mesh/flag.mesh", skinned.write(&options)?),
        ("mesh/flag_renderlib.mesh", renderlib.write(&options)?),
        ("mesh/tentacle.mesh", tentacle::as_mesh()?.write(&options)?),
        (
            "mesh/tentacle_renderlib.mesh",
            tentacle::as_renderlib()?.write(&options)?,
        ),
        ("crucible/tetrahedron.crmesh", bare.write(&options)?),
        (
            "crucible/tetrahedron_tangent.crmesh",
            tangent.write(&options)?,
        ),
        ("crucible/tetrahedra.cmodel", model.write(&options)?),
        (
            "crucible/tetrahedra_tangent.cmodel",
            tangent_model.write(&options)?,
        ),
        ("crucible/tetrahedron_u32.crmesh", large.write(&options)?),
        ("iyma/quads.ima", quads.write(&options)?),
        ("iyma/quads_reference.ima", quads_reference.write(&options)?),
        ("iyma/formats.ima", formats?.write(&options)?),
        (
            "iyma/formats_reference.ima",
            formats_reference?.write(&options)?,
        ),
        ("iyma/usages.ima", usages?.write(&options)?),
        (
            "iyma/usages_reference.ima",
            usages_reference?.write(&options)?,
        ),
        ("seed/facets.mesh", seed_tetrahedron().write(&options)?),
        ("seed/channels.mesh", seed_channels().write(&options)?),
        ("bmd/pyramid.bmd", pyramid()?.write(&options)?),
        ("bmd/tentacle.bmd", tentacle::as_bmd()?.write(&options)?),
        ("bmd/forms.bmd", forms::all_forms()?.write(&options)?),
        (
            "bmd/undefined_forms.bmd",
            forms::undefined_forms()?.write(&options)?,
        ),
    ];
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

const CORNERS: [[f32; 3]; 4] = [
    [1.0, 1.0, 1.0],
    [-1.0, -1.0, 1.0],
    [-1.0, 1.0, -1.0],
    [1.0, -1.0, -1.0],
];
const FACES: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];

fn tetrahedron() -> mesh::Document {
    mesh::Document {
        vertices: columns(mesh::Columns {
            positions: CORNERS.to_vec(),
            ..Default::default()
        }),
        indices: FACES.map(u32::from).to_vec(),
        ..Default::default()
    }
}

fn columns(columns: mesh::Columns) -> mesh::Vertices {
    mesh::Vertices::from_columns(&columns).unwrap_or_default()
}

/// Returns a flag: a strip of two squares on a pole, with two joints and an animation that waves it.
fn skinned_mesh() -> Result<mesh::Document, Box<dyn std::error::Error>> {
    let positions: Vec<[f32; 3]> = (0..6)
        .map(|i| [(i / 2) as f32, (i % 2) as f32, 0.0])
        .collect();
    let ids = |i| {
        if i < 2 {
            [0, 255, 255, 255]
        } else {
            [0, 1, 255, 255]
        }
    };
    let weights = |i| {
        if i < 2 {
            [255, 0, 0, 0]
        } else {
            [128, 127, 0, 0]
        }
    };
    let mut attributes = mesh::Columns {
        normals: Some(vec![[0.0, 0.0, 1.0]; 6]),
        uvs: Some(positions.iter().map(|[x, y, _]| [x / 2.0, *y]).collect()),
        positions,
        ..Default::default()
    };
    attributes.joint_ids = Some((0..6).map(ids).collect());
    attributes.joint_weights = Some((0..6).map(weights).collect());
    let vertices = columns(attributes);
    let identity = |x: f32| {
        [
            [1.0, 0.0, 0.0, -x],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    };
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
            mesh::Joint {
                id: 0,
                parent: 255,
                transform: identity(0.0),
            },
            mesh::Joint {
                id: 1,
                parent: 0,
                transform: identity(1.0),
            },
        ],
        animations: vec![tentacle::animation(
            0,
            24.0,
            vec![0.0, 24.0, 48.0],
            vec![
                pose(0, still),
                pose(1, still),
                pose(0, still),
                pose(1, turned),
                pose(0, still),
                pose(1, still),
            ],
        )],
        strings: ["wave"].into_iter().collect(),
        ..Default::default()
    })
}

/// Returns a tetrahedron with every attribute of the specification, and `extra_streams`.
fn chunk(extra_streams: &[crucible::Values]) -> crucible::Chunk {
    let bound = |bone, influence| crucible::BoneWeight { bone, influence };
    let mut streams = vec![
        crucible::Values::Position3d(CORNERS.to_vec()),
        crucible::Values::Position2d(CORNERS.iter().map(|[x, y, _]| [*x, *y]).collect()),
        crucible::Values::Normal(CORNERS.iter().map(|c| c.map(|x| x / 3f32.sqrt())).collect()),
        crucible::Values::Uv(
            CORNERS
                .iter()
                .map(|[x, y, _]| [x / 2.0 + 0.5, 0.5 - y / 2.0])
                .collect(),
        ),
        crucible::Values::Color(vec![
            [255, 0, 0, 255],
            [0, 255, 0, 255],
            [0, 0, 255, 255],
            [255; 4],
        ]),
        crucible::Values::BoneWeights(vec![
            [
                bound(0, 0.75),
                bound(1, 0.25),
                bound(0, 0.0),
                bound(0, 0.0)
            ];
            4
        ]),
    ];
    streams.extend_from_slice(extra_streams);
    let streams = streams.into_iter().map(crucible::Stream::from).collect();
    crucible::Chunk {
        indices: crucible::Indices::U16(FACES.to_vec()),
        streams,
        ..Default::default()
    }
}

/// Returns two quads with separate indices and a custom attribute.
fn quads() -> meshspec::Result<iyma::Document> {
    use iyma::{Attribute, IndexBuffer, Usage, VertexFormat};
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
        iyma::Document::from_mesh(Some(IndexBuffer::from_u16(&[0, 1, 2, 2, 1, 3])), attributes)
    };
    let wind = || Usage::Custom(7, "wind".into());
    let (mut document, _) = iyma::merge(&[quad(0.0, wind())?, quad(1.0, wind())?])?;
    document.user_data = iyma::Bytes::from_static(b"two quads");
    Ok(document)
}

/// Returns a tetrahedron with separate vertices for each face, so that normals are flat.
fn seed_tetrahedron() -> seed::Document {
    let property = |name: &str, value: &str| seed::Property {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let corners: Vec<_> = FACES
        .iter()
        .map(|corner| CORNERS[usize::from(*corner)])
        .collect();
    // The normal of a face points away from the opposite corner.
    let normal = |face: &[u16]| {
        (0..4)
            .find(|corner| !face.contains(corner))
            .map(|corner| CORNERS[usize::from(corner)])
    };
    let normals = FACES
        .chunks(3)
        .filter_map(normal)
        .flat_map(|away| [away.map(|x| -x / 3f32.sqrt()); 3])
        .collect();
    seed::Document {
        properties: vec![
            property("name", "Tetrahedron"),
            property("mat0", "DEFAULT"),
            property("type", "STATIC"),
        ],
        colors: vec![
            corners
                .iter()
                .map(|[x, y, z]| [x / 2.0 + 0.5, y / 2.0 + 0.5, z / 2.0 + 0.5, 1.0])
                .collect(),
        ],
        uvs: vec![[[0.5, 0.0], [0.0, 1.0], [1.0, 1.0]].repeat(4)],
        positions: corners,
        normals,
        faces: vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]],
        ..Default::default()
    }
}

/// Returns a triangle with all attributes: two colours and eight sets of texture coordinates.
fn seed_channels() -> seed::Document {
    let channel = |channel: u8| vec![[f32::from(channel), 0.0], [0.0, 0.25], [0.5, 1.0]];
    let property = |name: &str, value: &str| seed::Property {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    seed::Document {
        properties: vec![
            property("name", "Channels"),
            property("mat0", "FIRST"),
            property("mat1", "SECOND"),
            property("type", "STATIC"),
            property("author", ""),
        ],
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, -0.125]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        colors: vec![
            vec![[1.0, 0.5, 0.25, 1.0]; 3],
            vec![[0.0, 0.125, 1.0, 0.5]; 3],
        ],
        uvs: (0..8).map(channel).collect(),
        faces: vec![[0, 1, 2]],
        ..Default::default()
    }
}

/// Returns a pyramid with both kinds of surfaces, all vertex sizes, a solid, a pseudo-bone half-way up, and an
/// animation that rotates the top.
fn pyramid() -> meshspec::Result<bmd::Document> {
    let bone = |name: &str, x: u32, id_solid| bmd::Bone {
        transform: bmd::Transform::Bone(
            bmd::schema::BoneTransform::new().with_origin(bmd::Triple::from(15 << 27 | x)),
        ),
        name: Some(Text::from(name)),
        id_solid,
        ..Default::default()
    };
    let half_way = bmd::Bone {
        transform: bmd::Transform::Pseudo(bmd::schema::PseudoTransform::from_bytes([
            0, 1, 0, 0, 0x60, 0x60, 0, 0,
        ])),
        id_parent: bmd::Bone::PSEUDO,
        ..bone("half_way", 0, 0)
    };
    let turn = |frame, code: [u8; 4]| bmd::TrackKey {
        frame,
        rotation: Some(bmd::Rotation::from_bytes(code)),
        ..Default::default()
    };
    // A quarter turn around z after two seconds, and back.
    let turns = [
        turn(0, [0, 0, 0, 0x70]),
        turn(40, [0, 0, 0x67, 0x67]),
        turn(79, [0, 0, 0, 0x70]),
    ];
    Ok(bmd::Document {
        meshes: vec![
            visible_pyramid("#55AAFF", false)?,
            visible_pyramid("resource/gfx/stone.tga", true)?,
            solid_pyramid()?,
        ],
        lods: vec![bmd::LodDef {
            id_mesh: 0,
            n_mesh: 2,
            ld_sc: bmd::F8A::ONE,
            ..bmd::LodDef::default()
        }],
        bones: vec![bone("base", 0, 0), bone("top", 64, 2), half_way],
        animations: vec![bmd::Animation {
            name: Some(Text::from("turn")),
            n_frames: 80,
            fl_hz: bmd::AnimRate::new().with_quarter_hz(80),
            tracks: vec![bmd::Track::default(), bmd::Track::from_keys(turns)?],
            ..Default::default()
        }],
        ..Default::default()
    })
}

/// The corners of the pyramid in units of 1/256: four on the ground, and the top.
const PYRAMID: [[u32; 3]; 5] = [
    [0, 0, 0],
    [128, 0, 0],
    [128, 128, 0],
    [0, 128, 0],
    [64, 64, 255],
];

fn packed_position([x, y, z]: [u32; 3]) -> bmd::Triple {
    bmd::Triple::from(14 << 27 | z << 18 | y << 9 | x)
}

/// Returns the faces of the pyramid: a quad, and four triangles that meet at the top.
fn pyramid_faces() -> meshspec::Result<bmd::Faces> {
    let mut faces = bmd::Faces::default();
    let sides = (0..4).map(|i| bmd::Face::Triangle([i, (i + 1) % 4, 4]));
    let all = std::iter::once(bmd::Face::Quad([3, 2, 1, 0])).chain(sides);
    all.filter_map(bmd::PackedFace::smallest)
        .try_for_each(|face| faces.push(face))?;
    Ok(faces)
}

/// Returns a visible pyramid: flat, or textured with larger forms of the vertices 3 and 4 than necessary.
fn visible_pyramid(material: &str, is_textured: bool) -> meshspec::Result<bmd::Mesh> {
    let mut vertices = bmd::Vertices::default();
    for (index, position) in PYRAMID.into_iter().map(packed_position).enumerate() {
        let normal = bmd::schema::Normal::from_bytes([0, 0, if index == 4 { 0x70 } else { 0xf0 }]);
        vertices.push(match (index, is_textured) {
            (3, true) => bmd::PackedVertex::Fine96(
                bmd::schema::FineVertex96::new()
                    .with_position(position)
                    .with_tag(0xF8)
                    .with_normal(normal)
                    .with_color_or_bone(0x1f),
            ),
            (4, true) => bmd::PackedVertex::Vertex128(
                // 0.25 and 1.0 as binary16.
                bmd::schema::Vertex128::new()
                    .with_org_x(0x3400)
                    .with_org_y(0x3400)
                    .with_org_z(0x3c00)
                    .with_tag(0xFD)
                    .with_normal(normal),
            ),
            (_, false) => bmd::PackedVertex::Flat64(
                bmd::schema::FlatVertex64::new()
                    .with_position(position)
                    .with_normal(normal),
            ),
            _ => bmd::PackedVertex::Textured64(
                bmd::schema::TexturedVertex64::new()
                    .with_position(position)
                    .with_bone(1),
            ),
        })?;
    }
    Ok(bmd::Mesh::new(
        Some(Text::from(material)),
        vertices,
        pyramid_faces()?,
    ))
}

/// Returns the solid of a bone: a closed, invisible pyramid.
fn solid_pyramid() -> meshspec::Result<bmd::Mesh> {
    let mut vertices = bmd::Vertices::default();
    for position in PYRAMID.into_iter().map(packed_position) {
        let vertex = bmd::schema::TexturedVertex64::new().with_position(position);
        vertices.push(bmd::PackedVertex::Textured64(vertex))?;
    }
    Ok(bmd::Mesh::new(None, vertices, pyramid_faces()?))
}
