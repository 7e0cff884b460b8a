//! Scenes, JSON documents and summaries of a custom format.

use binrw::binrw;
use meshspec::layout::Layout;
use meshspec::scene::{
    Animation, Conventions, Faces, FromScene, Joint, Material, Mesh, Scene, SceneConversions,
    SceneOptions, ToScene,
};
use meshspec::{
    AnyFormat, BinaryFormat, Format, Formats, Loss, LossKind, ReadOptions, Result, Rule, Severity,
    WriteOptions,
};

/// Triangles.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"TRIS")]
#[derive(Debug, Clone, PartialEq)]
struct Triangles {
    #[br(temp)]
    #[bw(try_calc = u8::try_from(positions.len()))]
    count: u8,
    #[br(count = count)]
    #[layout(below = 100, rule = LARGE)]
    positions: Vec<[f32; 3]>,
    corners: [u32; 3],
}

static LARGE: Rule = Rule::new(
    "TRIANGLES-LARGE",
    Severity::Error,
    "Positions are below 100.",
);

impl BinaryFormat for Triangles {
    const NAME: &'static str = "triangles";
    const RULES: &'static [&'static Rule] = &[&LARGE];
    const SCENES: Option<SceneConversions<Triangles>> = Some(SceneConversions::both());
}

impl ToScene for Triangles {
    const CONVENTIONS: Conventions = Conventions {
        evidence: "declared here",
        ..Conventions::GLTF
    };

    fn into_scene(self, _: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let mut scene = Scene {
            meshes: vec![Mesh {
                positions: self.positions,
                faces: Faces::triangles(self.corners.to_vec()),
                material: Material {
                    name: "clay".to_owned(),
                    ..Material::default()
                },
                ..Mesh::default()
            }],
            ..Scene::default()
        };
        scene.skeleton.joints.push(Joint {
            name: "hip".to_owned(),
            ..Joint::default()
        });
        scene.animations.push(Animation {
            name: "turn".to_owned(),
            rate: 1.0,
            duration: 2.0,
            looped: false,
            times: Vec::new(),
            channels: Vec::new(),
        });
        Ok((scene, vec![Loss::new(LossKind::Dropped, "corners", "told")]))
    }
}

impl FromScene for Triangles {
    const NEEDS_NORMALS: bool = true;

    fn from_scene(scene: Scene, _: &SceneOptions) -> Result<(Triangles, Vec<Loss>)> {
        let positions = scene
            .meshes
            .into_iter()
            .flat_map(|mesh| mesh.positions)
            .collect();
        Ok((
            Triangles {
                positions,
                corners: [0, 1, 2],
            },
            Vec::new(),
        ))
    }
}

fn format() -> AnyFormat {
    meshspec::format_of::<Triangles>()
}

fn triangle(corners: [u32; 3]) -> Vec<u8> {
    let triangles = Triangles {
        positions: vec![[0.0; 3], [1.0; 3], [2.0; 3]],
        corners,
    };
    triangles.write(&WriteOptions::default()).unwrap()
}

#[test]
fn a_file_becomes_a_scene_that_is_checked() {
    let read =
        |file: &[u8]| format().read_scene(file, &ReadOptions::default(), &SceneOptions::default());
    let (scene, losses) = read(&triangle([0, 1, 2])).unwrap();
    assert_eq!((scene.meshes[0].positions.len(), losses.len()), (3, 1));
    let error = read(&triangle([0, 1, 7])).unwrap_err();
    assert_eq!(
        (error.format(), &*error.path().to_string()),
        (Some("triangles"), "meshes[0].faces.indices")
    );
    assert!(format().needs_normals() && format().can_write_scenes());
    assert_eq!(
        format()
            .conventions()
            .map(|conventions| conventions.evidence),
        Some("declared here")
    );
}

#[test]
fn a_scene_is_checked_before_it_becomes_a_file() {
    let scene = |corner, size| Scene {
        meshes: vec![Mesh {
            positions: vec![[0.0; 3], [1.0; 3], [size; 3]],
            faces: Faces::triangles(vec![0, 1, corner]),
            ..Mesh::default()
        }],
        ..Scene::default()
    };
    let write = |scene, options: &WriteOptions| {
        format()
            .write_scene(scene, &SceneOptions::default(), options)
            .map(|(file, _)| file)
    };
    assert_eq!(
        write(scene(2, 2.0), &WriteOptions::default()).unwrap(),
        triangle([0, 1, 2])
    );
    assert!(write(scene(3, 2.0), &WriteOptions::default()).is_err());
    let rejected = write(scene(2, 100.0), &WriteOptions::default()).unwrap_err();
    assert_eq!(rejected.rule(), Some(&LARGE));
    assert!(write(scene(2, 100.0), &WriteOptions::lenient()).is_ok());
}

/// A registry opens and saves files of its own formats, of built-in formats and of interchange formats.
#[test]
fn a_registry_opens_and_saves_scenes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.tri"), triangle([0, 1, 2])).unwrap();
    let options = ReadOptions::default();
    assert!(
        Formats::builtin()
            .open_scene(path("a.tri"), &options)
            .is_err()
    );

    let formats = Formats::new().with::<Triangles>().unwrap();
    let (scene, losses) = formats.open_scene(path("a.tri"), &options).unwrap();
    assert_eq!((scene.meshes.len(), losses.len()), (1, 1));
    for (name, format) in [
        ("b.glb", None),
        ("b.crmesh", Some(meshspec::crucible::FORMAT)),
        ("b.data", Some(format())),
    ] {
        let options = SceneOptions::default();
        formats
            .save_scene(&scene, path(name), format, &options)
            .unwrap();
    }
    assert_eq!(std::fs::read(path("b.data")).unwrap(), triangle([0, 1, 2]));
    let (again, _) = Scene::open(path("b.crmesh")).unwrap();
    assert_eq!(again.meshes[0].positions, scene.meshes[0].positions);
    let error = formats
        .save_scene(&scene, path("c.unknown"), None, &SceneOptions::default())
        .unwrap_err();
    assert!(error.to_string().contains("unknown extension"), "{error}");
    assert!(!path("c.unknown").exists());
}

#[test]
fn a_summary_has_the_parts_of_the_scene() {
    let info = format()
        .info(&triangle([0, 1, 2]), &ReadOptions::default())
        .unwrap();
    let names: Vec<_> = info
        .properties
        .iter()
        .map(|property| &*property.name)
        .collect();
    assert_eq!((names, info.meshes[0].vertices), (vec!["positions"], 3));
    assert_eq!(info.skeleton.unwrap().names, ["hip"]);
    assert_eq!(info.animations[0].name.as_deref(), Some("turn"));
    assert_eq!(info.materials, ["clay"]);
}

#[test]
fn json_has_the_values_of_the_layout() {
    let file = triangle([0, 1, 2]);
    let options = ReadOptions::default();
    let mut text = Vec::new();
    let format = meshspec::format_of::<Triangles>();
    format.file_to_json(&file, &options, &mut text).unwrap();
    assert!(text.starts_with(b"{\n  \"format\": \"triangles\",\n  \"layout\": \"triangles\","));
    assert_eq!(
        format
            .json_to_file(&text, &WriteOptions::default())
            .unwrap(),
        file
    );
}
