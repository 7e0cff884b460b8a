//! Textures in glTF: images, samplers, texture coordinates and transforms.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use meshspec::interop::Interchange;
use meshspec::scene::{AlphaMode, Filter, Sampler, Scene, Texture, Wrap};
use serde_json::{Value, json};

use super::malformed::{add, losses_of, numbers, triangle};
use super::{parts, read, read_json, write};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and more";

/// Returns the JSON of a file with a triangle, which has two equal UV sets and a material.
fn textured(surface: Value) -> Value {
    let mut json = triangle();
    let view = json!({ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC2" });
    add(&mut json, "accessors", view);
    let primitive = &mut json["meshes"][0]["primitives"][0];
    primitive["material"] = 0.into();
    primitive["attributes"]["TEXCOORD_0"] = 2.into();
    primitive["attributes"]["TEXCOORD_1"] = 2.into();
    json["materials"] = json!([{ "name": "bark", "pbrMetallicRoughness": surface }]);
    json["textures"] = json!([{ "source": 0, "name": "of the texture" }]);
    json["images"] = json!([{ "uri": "img/oak%20bark.png" }]);
    json
}

fn base(more: Value) -> Value {
    let mut info = json!({ "index": 0 });
    info.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    textured(json!({ "baseColorTexture": info, "metallicFactor": 0.0 }))
}

fn texture(scene: &Scene) -> Texture {
    scene.meshes[0].material.texture.clone().unwrap()
}

fn scene(json: &Value) -> Scene {
    let (scene, losses) = read_json(json, &numbers()).unwrap();
    assert_eq!(losses, []);
    scene
}

/// Writes a scene as `.glb`. Returns the JSON and the binary chunk.
fn write_glb(scene: Scene) -> (Value, Vec<u8>) {
    let (files, losses) = write(Interchange::Glb, scene).unwrap();
    assert_eq!(losses, []);
    let (json, numbers) = parts(&files["a scene.glb"]);
    (json, numbers.to_vec())
}

fn uri(bytes: &[u8]) -> String {
    format!("data:image/png;base64,{}", BASE64.encode(bytes))
}

#[test]
fn image_files_stay_files() {
    let json = base(json!({}));
    assert_eq!(texture(&scene(&json)), Texture::file("img/oak bark.png"));
    let (json, _) = write_glb(scene(&json));
    assert_eq!(json["images"], json!([{ "uri": "img/oak%20bark.png" }]));
    assert_eq!(json["textures"], json!([{ "source": 0 }]));
}

#[test]
fn embedded_images_stay_embedded() {
    let mut json = base(json!({}));
    json["images"] = json!([{ "uri": uri(PNG), "name": "of the image" }]);
    let found = texture(&scene(&json));
    let image = found.image.as_ref().unwrap();
    assert_eq!(
        (&*found.name, &*image.media_type, &*image.bytes),
        ("of the image", "image/png", PNG)
    );
    let (again, numbers) = write_glb(scene(&json));
    let view = &again["bufferViews"][again["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    assert_eq!(
        &numbers[start..start + view["byteLength"].as_u64().unwrap() as usize],
        PNG
    );
    assert_eq!(view.get("target"), None);
    assert_eq!(
        (&again["images"][0]["mimeType"], &again["images"][0]["name"]),
        (&json!("image/png"), &json!("of the image"))
    );
    for format in [Interchange::Glb, Interchange::Gltf] {
        let (files, _) = write(format, scene(&json)).unwrap();
        assert_eq!(texture(&read(format, &files).unwrap().0), found, "{format}");
    }
    // Magic bytes take precedence over the declared media type.
    json["images"] = json!([{ "bufferView": 2, "mimeType": "image/jpeg" }]);
    json["buffers"][0]["byteLength"] = (numbers_with(PNG).len()).into();
    add(
        &mut json,
        "bufferViews",
        json!({ "buffer": 0, "byteOffset": numbers_with(PNG).len() - PNG.len(), "byteLength": PNG.len() }),
    );
    let (found, losses) = read_json(&json, &numbers_with(PNG)).unwrap();
    assert_eq!(losses, []);
    let found = texture(&found);
    assert_eq!(
        (&*found.name, &*found.image.as_ref().unwrap().media_type),
        ("of the texture", "image/png")
    );
    assert_eq!(&*found.image.unwrap().bytes, PNG);
}

fn numbers_with(image: &[u8]) -> Vec<u8> {
    [numbers(), image.to_vec()].concat()
}

#[test]
fn surfaces_and_samplers_are_kept() {
    let mut json = base(json!({ "texCoord": 1 }));
    json["materials"][0]["alphaMode"] = "MASK".into();
    json["materials"][0]["alphaCutoff"] = 0.75.into();
    json["materials"][0]["doubleSided"] = true.into();
    json["materials"][0]["pbrMetallicRoughness"]["metallicFactor"] = 0.25.into();
    json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] =
        json!([0.00123, 0.5, 1.0, 0.25]);
    json["samplers"] =
        json!([{ "wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9986 }]);
    json["textures"][0]["sampler"] = 0.into();
    let found = scene(&json);
    let material = &found.meshes[0].material;
    assert_eq!(material.base_color, Some([0.00123, 0.5, 1.0, 0.25]));
    assert_eq!(material.alpha_mode, AlphaMode::Mask { cutoff: 0.75 });
    let sampler = Sampler {
        wrap: [Wrap::Clamp, Wrap::Mirror],
        magnify: Some(Filter::Nearest),
        minify: Some((Filter::Nearest, Some(Filter::Linear))),
    };
    assert_eq!(
        (texture(&found).uv_set, texture(&found).sampler),
        (1, sampler)
    );
    let (again, _) = write_glb(found.clone());
    assert_eq!(again["samplers"], json["samplers"]);
    let (files, _) = write(Interchange::Glb, found.clone()).unwrap();
    assert_eq!(
        read(Interchange::Glb, &files).unwrap().0.meshes[0].material,
        *material
    );
    for code in [9728, 9729, 9984, 9985, 9986, 9987] {
        json["samplers"] = json!([{ "minFilter": code }]);
        assert_eq!(write_glb(scene(&json)).0["samplers"], json["samplers"]);
    }
}

#[test]
fn the_set_of_texture_coordinates_is_found_by_its_number() {
    let mut json = base(json!({ "texCoord": 3 }));
    let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
    attributes["TEXCOORD_3"] = 2.into();
    attributes.as_object_mut().unwrap().remove("TEXCOORD_1");
    let (scene, _) = read_json(&json, &numbers()).unwrap();
    assert_eq!(texture(&scene).uv_set, 1);
    // The texture cannot be shown without its UV set.
    json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["texCoord"] = 2.into();
    let (scene, _) = read_json(&json, &numbers()).unwrap();
    let (_, losses) = write(Interchange::Glb, scene).unwrap();
    assert_eq!(losses[0].path, "meshes[0].material.texture");
}

#[test]
fn texture_transforms_are_applied_to_texture_coordinates() {
    let turn = std::f64::consts::FRAC_PI_2;
    let transform =
        json!({ "offset": [0.5, 0.25], "rotation": turn, "scale": [2, 4], "texCoord": 1 });
    let mut json = base(json!({ "extensions": { "KHR_texture_transform": transform } }));
    json["extensionsUsed"] = json!(["KHR_texture_transform"]);
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    let list: Vec<_> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        list,
        [
            "changed: materials: texture transforms were applied to the texture coordinates: materials[0] \"bark\""
        ]
    );
    let (plain, _) = read_json(&base(json!({})), &numbers()).unwrap();
    let [before, after] = [&plain, &scene].map(|scene| &scene.meshes[0].uvs);
    assert_eq!(after[0], before[0], "the other set stays");
    for ([u, v], [x, y]) in before[1].iter().zip(&after[1]) {
        // Scaled, rotated counter-clockwise with v pointing down, then translated.
        let expected = [4.0 * v + 0.5, -2.0 * u + 0.25];
        assert!(
            (expected[0] - x).abs() < 1e-6 && (expected[1] - y).abs() < 1e-6,
            "{u} {v} {x} {y}"
        );
    }
    assert_eq!(texture(&scene).uv_set, 1);
}

#[test]
fn textures_that_cannot_be_read_are_losses() {
    let lines =
        |json: &Value| -> Vec<String> { losses_of(json).iter().map(ToString::to_string).collect() };
    let mut json = base(json!({}));
    json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] = 4.into();
    let at = "dropped: materials[0].pbrMetallicRoughness.baseColorTexture";
    let unused = "dropped: images: images that are not used as base colours: images[0] \"img/oak%20bark.png\"";
    assert_eq!(
        lines(&json),
        [
            format!("{at}: refers to textures[4], but the texture count is 1"),
            unused.to_owned()
        ]
    );
    let mut json = base(json!({}));
    json["textures"][0]["source"] = 7.into();
    assert_eq!(
        lines(&json)[0],
        "dropped: textures[0].source: refers to images[7], but the image count is 1"
    );
    json["textures"][0]
        .as_object_mut()
        .unwrap()
        .remove("source");
    assert_eq!(
        lines(&json)[0],
        "dropped: textures[0].source: no image of a known type"
    );
    let mut json = base(json!({}));
    json["images"] = json!([{ "bufferView": 9 }]);
    assert_eq!(
        lines(&json),
        ["dropped: images[0]: bufferViews[9]: out of range: the buffer view count is 2"]
    );
    json["images"] = json!([{ "uri": "data:image/png" }]);
    assert_eq!(
        lines(&json),
        ["dropped: images[0]: the data URI has no comma before its content"]
    );
    json["images"] = json!([{}]);
    assert_eq!(
        lines(&json),
        ["dropped: images[0]: has neither `uri` nor `bufferView`"]
    );
}

#[test]
fn images_of_other_types_need_an_extension() {
    let mut json = base(json!({}));
    json["images"] = json!([{ "uri": "oak.webp" }]);
    json["textures"] = json!([{ "extensions": { "EXT_texture_webp": { "source": 0 } } }]);
    json["extensionsUsed"] = json!(["EXT_texture_webp"]);
    let (again, _) = write_glb(scene(&json));
    assert_eq!(again["textures"], json["textures"]);
    assert_eq!(again["extensionsUsed"], json["extensionsUsed"]);
    assert_eq!(again["extensionsRequired"], json["extensionsUsed"]);
}

#[test]
fn the_diffuse_colour_of_older_materials_is_the_base_colour() {
    let mut json = base(json!({}));
    let older = json!({ "diffuseFactor": [0.5, 0.25, 0, 1], "diffuseTexture": { "index": 0 } });
    json["materials"][0] =
        json!({ "extensions": { "KHR_materials_pbrSpecularGlossiness": older } });
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert!(
        losses[0]
            .path
            .to_string()
            .ends_with("KHR_materials_pbrSpecularGlossiness"),
        "{losses:?}"
    );
    assert_eq!(
        scene.meshes[0].material.base_color,
        Some([0.5, 0.25, 0.0, 1.0])
    );
    assert_eq!(texture(&scene), Texture::file("img/oak bark.png"));
}

/// Equal images are written once, however many meshes and materials use them.
#[test]
fn images_are_written_once() {
    let mut json = base(json!({}));
    json["images"] = json!([{ "uri": uri(PNG) }]);
    let mut scene = scene(&json);
    let mut other = scene.meshes[0].clone();
    other.material.name = "other".to_owned();
    scene.meshes.extend([other, scene.meshes[0].clone()]);
    let (json, _) = write_glb(scene);
    let count = |list: &str| json[list].as_array().unwrap().len();
    assert_eq!(
        (count("materials"), count("textures"), count("images")),
        (2, 1, 1)
    );
}
