//! Textures and material colours between OBJ, PLY and glTF.

use std::sync::Arc;

use meshspec::Category;
use meshspec::interop::Interchange::{Glb, Gltf, Obj, Ply};
use meshspec::interop::{embed_images, image_files};
use meshspec::scene::{AlphaMode, Filter, Image, Material, Mesh, Sampler, Scene, Texture, Wrap};
use serde_json::{Value, json};

use super::{Folder, list, read, scene_of, triangle, write};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and more";

/// A triangle with texture coordinates.
fn textured(texture: Texture) -> Mesh {
    Mesh {
        uvs: vec![vec![[0.0, 0.0], [1.0, 0.0], [0.0, 0.25]]],
        material: Material {
            name: "m".to_owned(),
            texture: Some(texture),
            ..Material::default()
        },
        ..triangle()
    }
}

fn embedded(name: &str, bytes: &[u8]) -> Texture {
    let image = Image {
        media_type: "image/png".to_owned(),
        bytes: bytes.into(),
    };
    Texture {
        image: Some(image),
        ..Texture::file(name)
    }
}

/// Returns the scene and the losses of an OBJ file with the given material library.
fn with_library(library: &str) -> (Scene, String) {
    let folder = Folder::from([("m.mtl".to_owned(), library.as_bytes().to_vec())]);
    let text = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 0.25\nusemtl m\nf 1/1 2/2 3/3\n";
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    (scene, list(&losses))
}

fn parse_glb_json(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn texture(scene: &Scene) -> &Texture {
    scene.meshes[0].material.texture.as_ref().unwrap()
}

#[test]
fn an_obj_image_round_trips_through_gltf() {
    let (scene, losses) =
        with_library("newmtl m\nKd 0.00123 0.5 1\nmap_Kd -clamp on .\\maps\\oak bärk#1.png\n");
    assert_eq!(losses, "");
    let (folder, losses) = write(Glb, scene).unwrap();
    assert_eq!(losses, "");
    let json = parse_glb_json(&folder["file.glb"]);
    assert_eq!(
        json["images"],
        json!([{ "uri": "maps/oak%20b%C3%A4rk%231.png" }])
    );
    assert_eq!(
        json["samplers"],
        json!([{ "wrapS": 33071, "wrapT": 33071 }])
    );
    assert_eq!(json["textures"], json!([{ "source": 0, "sampler": 0 }]));
    assert_eq!(
        json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"],
        json!({ "index": 0 })
    );
    assert_eq!(json["materials"][0].get("extras"), None);
    let (scene, losses) = read(Gltf, &folder["file.glb"], &folder).unwrap();
    assert_eq!(losses, []);
    let (folder, losses) = write(Obj, scene).unwrap();
    assert_eq!(losses, "");
    let library = std::str::from_utf8(&folder["file.mtl"]).unwrap();
    assert_eq!(
        library,
        "newmtl m\nKd 0.00123 0.5 1\nmap_Kd -clamp on maps/oak bärk#1.png\n"
    );
}

#[test]
fn embedded_images_become_files_beside_obj_and_ply() {
    let other = &b"\x89PNG\r\n\x1a\n another"[..];
    let mut same = textured(embedded("oak/bark", PNG));
    same.material.double_sided = true;
    let meshes = vec![
        textured(embedded("oak/bark", PNG)),
        same,
        textured(embedded("oak/bark", other)),
        textured(embedded("", PNG)),
        textured(Texture::file("FILE_oak_bark_1.png")),
    ];
    let (folder, _) = write(Obj, scene_of(meshes)).unwrap();
    let names: Vec<_> = folder.keys().map(String::as_str).collect();
    let images = [
        "file_oak_bark.png",
        "file_oak_bark_2.png",
        "file_texture2.png",
    ];
    assert_eq!(
        names,
        ["file.mtl", "file.obj", images[0], images[1], images[2]]
    );
    assert_eq!(
        (
            &*folder[images[0]],
            &*folder[images[1]],
            &*folder[images[2]]
        ),
        (PNG, other, PNG)
    );
    let (scene, losses) = read(Obj, &folder["file.obj"], &folder).unwrap();
    assert_eq!(losses, []);
    let found: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| &*mesh.material.texture.as_ref().unwrap().name)
        .collect();
    assert_eq!(
        found,
        [
            images[0],
            images[0],
            images[1],
            images[2],
            "FILE_oak_bark_1.png"
        ]
    );

    let (folder, losses) = write(Ply, scene_of(vec![textured(embedded("bark", PNG))])).unwrap();
    assert!(
        losses.ends_with("PLY does not store materials: \"m\""),
        "{losses}"
    );
    assert_eq!(folder["file_bark.png"], PNG);
    let (scene, _) = read(Ply, &folder["file.ply"], &folder).unwrap();
    assert_eq!(texture(&scene), &Texture::file("file_bark.png"));
}

#[test]
fn audio_files_are_not_images() {
    let folder = Folder::from([
        ("a.webp".to_owned(), b"RIFF\x04\0\0\0WEBP".to_vec()),
        ("b.wav".to_owned(), b"RIFF\x04\0\0\0WAVE".to_vec()),
    ]);
    let mut scene = scene_of(
        ["a.webp", "b.wav"]
            .map(|name| textured(Texture::file(name)))
            .to_vec(),
    );
    let failed: Vec<_> = embed_images(&mut scene, &folder)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(failed, ["b.wav"]);
}

#[test]
fn image_files_are_embedded_on_request() {
    let folder = Folder::from([
        ("a/oak.png".to_owned(), PNG.to_vec()),
        ("b.tga".to_owned(), vec![0; 20]),
    ]);
    let names = ["a/oak.png", "b.tga", "none.png", "a/oak.png"];
    let mut scene = scene_of(names.map(|name| textured(Texture::file(name))).to_vec());
    assert_eq!(
        image_files(&scene).into_iter().collect::<Vec<_>>(),
        ["a/oak.png", "b.tga", "none.png"]
    );
    let failed: Vec<_> = embed_images(&mut scene, &folder)
        .into_iter()
        .map(|(name, error)| (name, error.to_string()))
        .collect();
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert_eq!((&*failed[0].0, &*failed[1].0), ("b.tga", "none.png"));
    assert!(
        failed[0]
            .1
            .contains("not a PNG, JPEG, WebP, KTX2 or DDS image"),
        "{failed:?}"
    );
    let images: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| mesh.material.texture.as_ref().unwrap().image.as_ref())
        .collect();
    let bytes = |index: usize| &images[index].unwrap().bytes;
    assert!(Arc::ptr_eq(bytes(0), bytes(3)), "one copy of the bytes");
    assert_eq!((&**bytes(0), images[1], images[2]), (PNG, None, None));
    assert_eq!(texture(&scene), &embedded("oak", PNG));
    let (folder, losses) = write(Glb, scene).unwrap();
    assert!(
        losses.contains(
            "changed: meshes[1].material.texture: glTF readers may support PNG and JPEG images only"
        ),
        "{losses}"
    );
    assert_eq!(
        parse_glb_json(&folder["file.glb"])["images"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn offset_and_scale_of_images_move_the_texture_coordinates() {
    let (scene, losses) = with_library("newmtl m\nmap_Kd -s 2 4 1 -o 0.5 -mm 0 1 a.png\n");
    assert_eq!(
        losses,
        "dropped: m.mtl: unsupported properties of materials: map_Kd -mm\n\
         changed: map_Kd: offset and scale of images were applied to the texture coordinates: \"m\""
    );
    assert_eq!(
        scene.meshes[0].uvs[0],
        [[0.5, 0.0], [2.5, 0.0], [0.5, 1.0]],
        "from the bottom left"
    );
    assert_eq!(
        with_library("newmtl m\nmap_Kd -s 1 1 1 -o 0 0 0 a.png\n").1,
        ""
    );
}

#[test]
fn losses_of_libraries_are_in_the_category_of_materials() {
    let library = b"newmtl m\nKd x\nNs 5\nmap_Kd -s 2 2 /a.png\n".to_vec();
    let folder = Folder::from([("skins.mtl".to_owned(), library)]);
    let text =
        b"mtllib skins.mtl\nskin 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\nl 1 2\n";
    let (_, losses) = read(Obj, text, &folder).unwrap();
    let found: Vec<_> = losses
        .iter()
        .map(|loss| (loss.path.to_string(), loss.category))
        .collect();
    let materials = ["skins.mtl", "skins.mtl", "skins.mtl", "map_Kd"]
        .map(|path| (path.to_owned(), Category::Material));
    let statements = [
        ("l".to_owned(), Category::Geometry),
        ("skin".to_owned(), Category::Other),
    ];
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(
        materials
            .iter()
            .chain(&statements)
            .all(|loss| found.contains(loss)),
        "{found:?}"
    );
}

#[test]
fn paths_of_images_are_relative_to_the_model() {
    let path = |written: &str| {
        let (scene, losses) = with_library(&format!("newmtl m\nmap_Kd {written}\n"));
        (texture(&scene).name.clone(), losses)
    };
    let moved = |path: &str| {
        format!("renamed: m.mtl: only the file names of absolute image paths are kept: \"{path}\"")
    };
    for written in [
        "C:\\my maps\\oak.png",
        "/home/me/oak.png",
        "\\\\server\\oak.png",
    ] {
        assert_eq!(path(written), ("oak.png".to_owned(), moved(written)));
    }
    assert_eq!(
        path("..\\a\\.\\b\\..\\oak.png"),
        ("../a/oak.png".to_owned(), String::new())
    );
    assert_eq!(
        path("http://host/oak.png"),
        ("http://host/oak.png".to_owned(), String::new())
    );
    // Paths are relative to the library.
    let folder = Folder::from([(
        "lib/m.mtl".to_owned(),
        b"newmtl m\nmap_Kd ../maps/a.png\n".to_vec(),
    )]);
    let text = b"mtllib lib/m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
    assert_eq!(
        texture(&read(Obj, text, &folder).unwrap().0),
        &Texture::file("maps/a.png")
    );
}

#[test]
fn opacity_is_the_alpha_of_the_base_colour() {
    let material = |library: &str| with_library(library).0.meshes[0].material.clone();
    let found = material("newmtl m\nTr 0.9\nd 0.25\nKd 1 0 0\n");
    assert_eq!(
        (found.base_color, found.alpha_mode),
        (Some([1.0, 0.0, 0.0, 0.25]), AlphaMode::Blend)
    );
    let found = material("newmtl m\nTr 0.25\n");
    assert_eq!(
        (found.base_color, found.alpha_mode),
        (Some([1.0, 1.0, 1.0, 0.75]), AlphaMode::Blend)
    );
    let found = material("newmtl m\nd 1\n");
    assert_eq!(
        (found.base_color, found.alpha_mode),
        (None, AlphaMode::Opaque)
    );
    let library = "newmtl m\nd x\nKd nan 0 0\nd -halo 0.5\n";
    let (_, losses) = with_library(library);
    assert!(
        losses.starts_with("dropped: m.mtl: malformed numbers: 2, the first at line 2"),
        "{losses}"
    );
    assert!(
        losses.ends_with("unsupported properties of materials: d"),
        "{losses}"
    );
}

#[test]
fn materials_that_no_face_uses_are_listed() {
    let (_, losses) = with_library("newmtl z\nnewmtl m\nKd 1 0 0\nnewmtl a b\n");
    assert_eq!(losses, "dropped: mtllib: unused materials: \"a b\", \"z\"");
}

#[test]
fn unsupported_surfaces_are_listed() {
    let mut mesh = textured(Texture::file("a.png"));
    mesh.uvs.push(vec![[0.5; 2]; 3]);
    let texture = mesh.material.texture.as_mut().unwrap();
    texture.uv_set = 1;
    mesh.material.alpha_mode = AlphaMode::Mask { cutoff: 0.25 };
    mesh.material.base_color = Some([1.0, 1.0, 1.0, 0.5]);
    mesh.material.double_sided = true;
    mesh.material.roughness = 0.5;
    let (folder, losses) = write(Obj, scene_of(vec![mesh])).unwrap();
    let lines: Vec<_> = losses
        .lines()
        .filter(|line| !line.starts_with("quantized"))
        .collect();
    assert_eq!(
        lines,
        [
            "renamed: meshes[0].uvs[1]: textures of OBJ use uvs[0]; this set was moved to uvs[0]",
            "dropped: meshes[0].material.double_sided: OBJ has no double-sided surfaces",
            "dropped: meshes[0].material.metallic: OBJ does not store metallic or rough surfaces: metallic 0, roughness 0.5",
            "dropped: meshes[0].uvs[1]: OBJ supports at most one set of texture coordinates",
            "dropped: meshes[0].material.base_color.alpha: OBJ does not store alpha of surfaces without blending: 0.5",
            "dropped: meshes[0].material.alpha_mode: OBJ does not store transparency of images: alpha mask, cutoff 0.25",
        ]
    );
    assert!(String::from_utf8_lossy(&folder["file.obj"]).contains("vt 0.5 0.5\n"));
}

#[test]
fn unsupported_filters_are_listed() {
    let losses_of = |magnify, minify, wrap| {
        let mut texture = embedded("", &[0; 12_345]);
        texture.sampler = Sampler {
            wrap: [wrap; 2],
            magnify,
            minify,
        };
        [Obj, Ply].map(|format| {
            let (_, losses) = write(format, scene_of(vec![textured(texture.clone())])).unwrap();
            losses
                .lines()
                .filter(|line| line.contains(".sampler"))
                .collect::<Vec<_>>()
                .join("\n")
        })
    };
    let (nearest, linear) = (Filter::Nearest, Filter::Linear);
    let path = "dropped: meshes[0].material.texture.sampler";
    assert_eq!(
        losses_of(Some(nearest), Some((nearest, None)), Wrap::Clamp),
        [
            format!(
                "{path}: OBJ does not store texture filters: magnified nearest, minified nearest, no mip levels"
            ),
            format!(
                "{path}: PLY does not store clamped or mirrored textures: embedded image/png, 12 kB\n\
                 {path}: PLY does not store texture filters: magnified nearest, minified nearest, no mip levels"
            ),
        ]
    );
    // The usual filters of renderers are no loss.
    assert_eq!(
        losses_of(Some(linear), Some((linear, Some(linear))), Wrap::Repeat),
        ["", ""]
    );
    assert_eq!(losses_of(None, None, Wrap::Repeat), ["", ""]);
}

#[test]
fn factors_and_cutoffs_are_clamped_for_gltf() {
    let mut mesh = triangle();
    mesh.material.metallic = 2.0;
    mesh.material.alpha_mode = AlphaMode::Mask { cutoff: -0.5 };
    let (_, losses) = write(Glb, scene_of(vec![mesh])).unwrap();
    assert_eq!(
        losses,
        "changed: meshes[0].material.metallic: values were clamped to the range of glTF factors, 0 to 1\n\
         changed: meshes[0].material.alpha_mode: the alpha cutoff was clamped to 0, the minimum in glTF"
    );
}

#[test]
fn a_texture_needs_texture_coordinates_in_gltf() {
    let mesh = Mesh {
        uvs: Vec::new(),
        ..textured(Texture::file("a.png"))
    };
    let (folder, losses) = write(Glb, scene_of(vec![mesh])).unwrap();
    assert_eq!(
        losses,
        "dropped: meshes[0].material.texture: no texture coordinates for the texture: \"a.png\""
    );
    assert_eq!(parse_glb_json(&folder["file.glb"]).get("textures"), None);
}

#[test]
fn names_of_images_round_trip_through_libraries() {
    let names = [
        "-s.png",
        "- a.png",
        "a -s 2.png",
        "a -clamp on.png",
        "a # b.png",
        "a #2.png",
        "a.png #2",
        "a  b.png",
        "\"a\".png",
        "\"a.png\"",
        "a -type \"b.png",
        "#a.png",
        "a.png # b",
    ];
    for name in names {
        let (folder, losses) = write(Obj, scene_of(vec![textured(Texture::file(name))])).unwrap();
        let found = read(Obj, &folder["file.obj"], &folder).unwrap().0;
        let library = String::from_utf8_lossy(&folder["file.mtl"]);
        match name {
            // A quote could end the quoted name.
            "a -type \"b.png" => {
                assert_eq!(texture(&found).name, "a -type _b.png", "{library}");
                assert!(
                    losses.contains("renamed: meshes[0].material.texture"),
                    "{losses}"
                );
            }
            _ => assert_eq!((&*texture(&found).name, &*losses), (name, ""), "{library}"),
        }
    }
}

/// Comments are part of OBJ and MTL, not of PLY.
#[test]
fn names_of_images_round_trip_through_ply() {
    for name in ["a # b.png", "#.png", "-s a.png", "a.png #2", "a.png # b"] {
        let mut mesh = textured(Texture::file(name));
        mesh.material.name.clear();
        let (folder, losses) = write(Ply, scene_of(vec![mesh])).unwrap();
        let found = read(Ply, &folder["file.ply"], &folder).unwrap().0;
        assert_eq!((&*texture(&found).name, &*losses), (name, ""));
    }
}

#[test]
fn options_of_maps_have_the_right_number_of_arguments() {
    for (options, listed) in [
        (
            "-type sphere -colorspace sRGB",
            "map_Kd -colorspace, map_Kd -type",
        ),
        (
            "-blendu off -BLENDV off -cc on",
            "map_Kd -BLENDV, map_Kd -blendu, map_Kd -cc",
        ),
        (
            "-boost 1 -bm 0.5 -imfchan r -texres 512",
            "map_Kd -bm, map_Kd -boost, map_Kd -imfchan, map_Kd -texres",
        ),
        ("-mm 0 1 -t 0.1", "map_Kd -mm, map_Kd -t"),
        ("-t 1 2 3 -mm 0", "map_Kd -mm, map_Kd -t"),
    ] {
        for line in [
            format!("map_Kd {options} a b.png"),
            format!("map_Kd a b.png {options}"),
        ] {
            let (scene, losses) = with_library(&format!("newmtl m\n{line}\n"));
            let expected = format!("dropped: m.mtl: unsupported properties of materials: {listed}");
            assert_eq!(
                (&*texture(&scene).name, losses),
                ("a b.png", expected),
                "{line}"
            );
        }
    }
    let (_, losses) = with_library("newmtl m\nmap_Kd a.png -clamp on b c\n");
    assert_eq!(
        losses,
        "dropped: m.mtl: words after the options of `map_Kd`: \"b c\""
    );
}

#[test]
fn absolute_images_are_found_beside_the_library() {
    let folder = Folder::from([(
        "lib/m.mtl".to_owned(),
        b"newmtl m\nmap_Kd C:\\maps\\a.png\n".to_vec(),
    )]);
    let text = b"mtllib lib/m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
    assert_eq!(
        texture(&read(Obj, text, &folder).unwrap().0),
        &Texture::file("lib/a.png")
    );
}

#[test]
fn comments_after_names_of_images_are_ignored_unless_the_file_exists() {
    let found = |name: &str, files: &[&str]| {
        let mut folder: Folder = files
            .iter()
            .map(|name| ((*name).to_owned(), PNG.to_vec()))
            .collect();
        folder.insert(
            "m.mtl".to_owned(),
            format!("newmtl m\nmap_Kd {name}\n").into_bytes(),
        );
        let text = b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n";
        texture(&read(Obj, text, &folder).unwrap().0).name.clone()
    };
    assert_eq!(found("a.png #2", &[]), "a.png");
    assert_eq!(found("a.png #2", &["a.png"]), "a.png");
    assert_eq!(found("a.png #2", &["a.png #2", "a.png"]), "a.png #2");
    assert_eq!(found("a #2.png", &["a"]), "a");
    assert_eq!(found("a #2.png", &[]), "a #2.png");
}

/// The names of glTF contain no comments, and missing properties of materials remain missing.
#[test]
fn absent_properties_of_materials_remain_absent() {
    let (text, folder) = super::triangle_at_nodes(
        &[[0.0; 3], [1.0, 0.0, -0.0], [-0.0, 1.0, -0.0]],
        &[json!({ "mesh": 0 })],
        &[0],
    );
    let mut json: Value = serde_json::from_str(&text).unwrap();
    json["materials"] = json!([{ "name": "a" }]);
    json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let (scene, losses) = read(Gltf, json.to_string().as_bytes(), &folder).unwrap();
    assert_eq!(losses, []);
    assert_eq!(
        (
            scene.meshes[0].material.metallic,
            scene.meshes[0].material.roughness
        ),
        (1.0, 1.0)
    );
    let (written, losses) = write(Glb, scene.clone()).unwrap();
    assert_eq!(losses, "");
    let found = parse_glb_json(&written["file.glb"]);
    assert_eq!(found["materials"], json!([{ "name": "a" }]));
    assert_eq!(
        read(Gltf, &written["file.glb"], &folder).unwrap().0.meshes[0].material,
        scene.meshes[0].material
    );
    // Bounds contain no −0.
    for bounds in [&found["accessors"][0]["min"], &found["accessors"][0]["max"]] {
        assert!(!bounds.to_string().contains('-'), "{bounds}");
    }
}
