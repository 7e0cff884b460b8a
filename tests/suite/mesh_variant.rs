//! A variant of MESH, declared elsewhere: an engine's own format with one attribute more.

use binrw::binrw;
use meshspec::bulk;
use meshspec::layout::Layout;
use meshspec::mesh::schema::Animation;
use meshspec::mesh::{self, Joint};
use meshspec::{
    About, BinaryFormat, Confidence, Dialect, Format, Formats, ReadOptions, Rule, Severity,
};

/// A vertex of the engine.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Vertex {
    position: [f32; 3],
    /// Wetness of the surface; MESH has no such attribute.
    #[layout(at_least = 0, rule = WETNESS)]
    wetness: f32,
}

/// A file of the engine. Joints and animations are those of MESH.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"WETMESH")]
#[derive(Debug, PartialEq)]
struct WetMesh {
    #[br(temp)]
    #[bw(try_calc = u32::try_from(vertices.len()))]
    vertex_count: u32,
    #[br(temp)]
    #[bw(try_calc = u32::try_from(indices.len()))]
    index_count: u32,
    #[br(temp)]
    #[bw(try_calc = u8::try_from(joints.len()))]
    joint_count: u8,
    #[br(temp)]
    #[bw(try_calc = u8::try_from(animations.len()))]
    animation_count: u8,
    #[br(count = vertex_count)]
    vertices: Vec<Vertex>,
    #[br(count = index_count, parse_with = bulk::read)]
    #[bw(write_with = bulk::write)]
    #[layout(below = vertex_count, rule = INDEX)]
    indices: Vec<u32>,
    #[br(count = joint_count)]
    joints: Vec<Joint>,
    #[br(count = animation_count, args { inner: (joint_count, Dialect::RENDERLIB) })]
    #[bw(args(Dialect::RENDERLIB))]
    animations: Vec<Animation>,
}

static WETNESS: Rule = Rule::new("WET-WETNESS", Severity::Error, "Wetness is not negative.");
static INDEX: Rule = Rule::new("WET-INDEX", Severity::Error, "Indices are below the count.");

impl BinaryFormat for WetMesh {
    const NAME: &'static str = "wet_mesh";
    const EXTENSIONS: &'static [&'static str] = &["mesh"];
    const RULES: &'static [&'static Rule] = &[&WETNESS, &INDEX];
    const BASE: Option<&'static About> = Some(mesh::Document::ABOUT);
}

fn file() -> WetMesh {
    let tentacle = mesh::Document::read(
        &std::fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../samples/mesh/tentacle.mesh"
        ))
        .unwrap(),
        &ReadOptions::default(),
    );
    let (tentacle, _) = tentacle.unwrap().into_dialect(Dialect::RENDERLIB).unwrap();
    WetMesh {
        vertices: vec![Vertex::default(); 3],
        indices: vec![0, 1, 2],
        joints: tentacle.joints,
        animations: tentacle.animations,
    }
}

/// Codec, checks with the rules of both declarations, detection, JSON and generated files follow from the declaration.
#[test]
fn an_engine_declares_a_variant_of_mesh() {
    let formats = Formats::builtin().with::<WetMesh>().unwrap();
    let format = formats.get("wet_mesh").unwrap();
    let bytes = file().write(&Default::default()).unwrap();
    assert_eq!(WetMesh::read(&bytes, &Default::default()).unwrap(), file());
    assert_eq!(formats.detect(&bytes, None).unwrap().format, format);
    assert_eq!(mesh::FORMAT.detect(&bytes).confidence, Confidence::None);

    let mut json = Vec::new();
    format
        .file_to_json(&bytes, &Default::default(), &mut json)
        .unwrap();
    assert_eq!(
        format.json_to_file(&json, &Default::default()).unwrap(),
        bytes
    );

    // The code of MESH does not run, and general rules are listed once.
    let rules = format.about().rules;
    let has = |code| rules.iter().filter(|rule| rule.code == code).count();
    assert_eq!(
        [
            "WET-INDEX",
            "MESH-PARENT",
            "MESH-VERTEX-UNBOUND",
            "LAYOUT-VALUE"
        ]
        .map(has),
        [1, 1, 0, 1]
    );

    let mut broken = file();
    broken.vertices[2].wetness = -1.0;
    broken.joints[1].id = 0;
    let codes: Vec<_> = broken.check().rules().map(|(rule, _)| rule.code).collect();
    assert_eq!(codes, ["MESH-JOINT-ID", "MESH-JOINT-ORDER", "WET-WETNESS"]);

    let wrong = format.breakages(&bytes, &Default::default()).unwrap();
    let wrong: Vec<_> = wrong
        .filter_map(|file| file.rule.map(|rule| rule.code))
        .collect();
    for code in [
        "WET-WETNESS",
        "WET-INDEX",
        "MESH-PARENT",
        "MESH-POSE-JOINT",
        "MESH-TRUNCATED",
    ] {
        assert!(wrong.contains(&code), "{code}: {wrong:?}");
    }
}
