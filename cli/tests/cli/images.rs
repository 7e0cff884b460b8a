//! `meshspec convert` and the image files that models refer to.

use std::fs;

use crate::files::{Folder, with_slashes};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and more";

/// A folder with `in/a.obj`, whose material has an image with this path.
fn model(image: &str) -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in/maps")).unwrap();
    fs::create_dir(folder.path("out")).unwrap();
    put_model(&folder, "a", image);
    folder.put("in/maps/oak bark.png", PNG);
    folder
}

fn put_model(folder: &Folder, name: &str, image: &str) {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n";
    folder.put(
        &format!("in/{name}.obj"),
        format!("mtllib {name}.mtl\n{text}"),
    );
    folder.put(
        &format!("in/{name}.mtl"),
        format!("newmtl m\nmap_Kd {image}\n"),
    );
}

const IMAGE: &str = "maps\\oak bark.png";

fn json_of(glb: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn images_are_copied_beside_an_output_in_another_folder() {
    let folder = model(IMAGE);
    let run = folder.run("convert in/a.obj out/a.glb --strict");
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(folder.get("out/maps/oak bark.png"), PNG);
    let json = json_of(&folder.get("out/a.glb"));
    assert_eq!(json["images"][0]["uri"], "maps/oak%20bark.png");
    // Converting back finds the same file.
    fs::create_dir(folder.path("back")).unwrap();
    let run = folder.run("convert out/a.glb back/b.obj --strict");
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(folder.get("back/maps/oak bark.png"), PNG);
    assert!(
        String::from_utf8_lossy(&folder.get("back/b.mtl")).contains("map_Kd maps/oak bark.png\n")
    );
    assert_eq!(folder.run("convert in/a.obj out/b.glb --strict").status, 0);
    // In the folder of the input, no copies are needed.
    assert_eq!(folder.run("convert in/a.obj in/a.glb --strict").status, 0);
    assert_eq!(folder.names(), ["back", "in", "out"]);
}

#[test]
fn a_different_file_is_never_replaced() {
    let folder = model(IMAGE);
    fs::create_dir(folder.path("out/maps")).unwrap();
    folder.put("out/maps/oak bark.png", "precious");
    for command in [
        "convert in/a.obj out/a.glb",
        "convert in/a.obj out/a.glb --force",
    ] {
        let messages = with_slashes(&folder.run(command).fails(2));
        assert!(
            messages.contains("error: out/maps/oak bark.png: a different file exists; not replaced by in/maps/oak bark.png\n"),
            "{messages}"
        );
        assert!(messages.contains("--embed-images"), "{messages}");
    }
    assert_eq!(folder.get("out/maps/oak bark.png"), b"precious");
    assert!(!folder.path("out/a.glb").exists());
    let run = folder.run("convert in/a.obj out/a.glb --embed-images --strict");
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn images_are_embedded_on_request() {
    let folder = model(IMAGE);
    for output in ["out/a.glb", "out/a.gltf"] {
        let run = folder.run(&format!(
            "convert in/a.obj {output} --embed-images --strict"
        ));
        assert_eq!(run.status, 0, "{run:?}");
    }
    let glb = folder.get("out/a.glb");
    assert!(glb.windows(PNG.len()).any(|bytes| bytes == PNG));
    assert_eq!(json_of(&glb)["images"][0]["mimeType"], "image/png");
    assert!(
        folder
            .get("out/a.bin")
            .windows(PNG.len())
            .any(|bytes| bytes == PNG)
    );
    assert!(!folder.path("out/maps").exists());
    // Other formats get image files.
    fs::create_dir(folder.path("back")).unwrap();
    assert_eq!(
        folder.run("convert out/a.glb back/a.obj --strict").status,
        0
    );
    assert_eq!(folder.get("back/a_oak bark.png"), PNG);
    let messages = folder
        .run("convert in/a.obj out/a.ply --embed-images")
        .fails(2);
    assert_eq!(
        messages,
        "error: --embed-images: applies to glb and gltf only, but the output is ply\n"
    );
}

#[test]
fn a_missing_image_is_a_warning() {
    let folder = model("none.png");
    put_model(&folder, "b", "nowhere.png");
    for command in [
        "convert in/a.obj out/a.glb --strict",
        "convert in/a.obj in/a.glb --strict",
        "convert in/a.obj out/b.glb --strict --embed-images",
    ] {
        let run = folder.run(command);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(
            run.stderr
                .contains("warning: missing images: \"none.png\"\n"),
            "{command}: {}",
            run.stderr
        );
    }
    fs::remove_file(folder.path("in/a.glb")).unwrap();
    let run = folder.run("convert in --out-dir many --to glb");
    assert_eq!(run.status, 0, "{run:?}");
    let messages = with_slashes(&run.stderr);
    assert!(
        messages.contains("warning: in/a.obj: missing images: \"none.png\"\n"),
        "{messages}"
    );
    assert!(
        messages.contains("warning: in/b.obj: missing images: \"nowhere.png\"\n"),
        "{messages}"
    );
    let run = folder.run("convert in/a.obj out/c.glb --json");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap()["warnings"],
        serde_json::json!(["missing images: \"none.png\""])
    );
}

/// The image path is valid in the input, but not in the output.
#[test]
fn unreachable_images_are_losses() {
    let folder = model("../secret.png");
    folder.put("secret.png", PNG);
    let messages = folder.run("convert in/a.obj out/a.glb --strict").fails(1);
    assert!(
        messages.contains("dropped: images: not copied to the output folder: \"../secret.png\""),
        "{messages}"
    );
    assert!(!folder.path("out/a.glb").exists());
    assert_eq!(folder.run("convert in/a.obj in/a.glb --strict").status, 0);
    let run = folder.run("convert in/a.obj in/b.glb --embed-images");
    assert!(
        run.stderr
            .contains("warning: image \"../secret.png\" not embedded: "),
        "{}",
        run.stderr
    );
    // Reported once.
    let messages = folder
        .run("convert in/a.obj out/b.glb --embed-images")
        .fails(0);
    assert_eq!(messages.matches("secret.png").count(), 1, "{messages}");
    assert!(
        messages.contains("dropped: images: not copied"),
        "{messages}"
    );
    let folder = model(IMAGE);
    let run = folder
        .command()
        .args(["convert", "in/a.obj", "-", "--to", "glb", "--strict"])
        .output()
        .unwrap();
    assert_eq!((run.status.code(), &*run.stdout), (Some(1), &b""[..]));
}

#[test]
fn a_remote_image_is_not_embedded() {
    let folder = model("http://host/leaf.png");
    let messages = folder
        .run("convert in/a.obj out/a.glb --embed-images")
        .fails(0);
    let expected =
        "warning: image \"http://host/leaf.png\" not embedded: remote images are not downloaded\n";
    assert!(messages.contains(expected), "{messages}");
    // The reference is kept.
    let messages = folder.run("convert in/a.obj out/b.glb --strict").fails(0);
    assert!(!messages.contains("leaf.png"), "{messages}");
}

/// Models of a batch share images; conflicting images are rejected.
#[test]
fn a_batch_copies_shared_images_once() {
    let folder = model(IMAGE);
    for index in 0..8 {
        put_model(&folder, &format!("m{index}"), IMAGE);
    }
    let run = folder.run("convert in --out-dir many --to glb --strict");
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(folder.get("many/maps/oak bark.png"), PNG);
    assert_eq!(fs::read_dir(folder.path("many")).unwrap().count(), 10);
}

#[test]
fn strict_conversion_keeps_textures_or_fails() {
    let folder = model(IMAGE);
    for target in [
        "out/a.mesh --to mesh",
        "out/a.stl",
        "out/a.cmodel",
        "out/a.ima --to iyma",
    ] {
        let messages = folder
            .run(&format!("convert in/a.obj {target} --strict"))
            .fails(1);
        assert!(
            messages.contains("textures: \"maps/oak bark.png\""),
            "{target}: {messages}"
        );
    }
}

/// A model whose texture has the name of a file of the output.
#[test]
fn images_do_not_overwrite_the_output() {
    for (image, output) in [
        ("out.glb", "out.glb"),
        ("o.bin", "o.gltf"),
        ("o.mtl", "o.obj"),
    ] {
        let folder = model(image);
        folder.put(&format!("in/{image}"), PNG);
        for option in ["--quiet", "--force"] {
            let messages = with_slashes(
                &folder
                    .run(&format!("convert in/a.obj out/{output} {option}"))
                    .fails(2),
            );
            let expected = format!(
                "error: out/{image}: the same file for the image in/{image} and the output\n"
            );
            assert!(messages.contains(&expected), "{messages}");
            assert_eq!(
                fs::read_dir(folder.path("out")).unwrap().count(),
                0,
                "{output} {option}"
            );
        }
        let messages = folder
            .run(&format!("convert in/a.obj in/{output} --force"))
            .fails(2);
        assert!(
            messages.contains("the same file for the image"),
            "{messages}"
        );
        assert_eq!(folder.get(&format!("in/{image}")), PNG);
    }
}

#[cfg(unix)]
#[test]
fn failed_conversions_leave_no_file() {
    let folder = model(IMAGE);
    // The folder of the image cannot be created.
    std::os::unix::fs::symlink("nowhere", folder.path("out/maps")).unwrap();
    folder.run("convert in/a.obj out/a.gltf").fails(2);
    assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 1);
}

/// Outputs of one model in several formats share its images.
#[test]
fn existing_copies_of_embedded_images_are_kept() {
    let folder = model(IMAGE);
    folder.run("convert in/a.obj a.glb --embed-images").fails(0);
    for output in ["out/a.obj", "out/a.ply"] {
        folder
            .run(&format!("convert a.glb {output} --quiet"))
            .fails(0);
    }
    assert_eq!(folder.get("out/a_oak bark.png"), PNG);
    folder.put("out/a_oak bark.png", "different");
    let messages = with_slashes(&folder.run("convert a.glb out/a.ply").fails(2));
    assert!(
        messages.contains("out/a.ply: the file already exists"),
        "{messages}"
    );
    fs::remove_file(folder.path("out/a.ply")).unwrap();
    let messages = with_slashes(&folder.run("convert a.glb out/a.ply").fails(2));
    assert!(
        messages.contains("out/a_oak bark.png: the file already exists"),
        "{messages}"
    );
}

#[test]
fn image_copies_in_the_log_are_replaced() {
    let folder = model(IMAGE);
    let command = "convert in --out-dir many --to glb --newer=hash --log log";
    let copy = "many/maps/oak bark.png";
    let change = |content: &str| {
        folder.put("in/maps/oak bark.png", content);
        // The model also changes.
        for name in ["a", "b"] {
            put_model(&folder, name, IMAGE);
            let text = String::from_utf8(folder.get(&format!("in/{name}.obj"))).unwrap();
            folder.put(&format!("in/{name}.obj"), format!("{text}# {content}\n"));
        }
    };
    change("first");
    folder.run(command).fails(0);
    change("second");
    folder.run(command).fails(0);
    assert_eq!(folder.get(copy), b"second");
    // A file that is not the program's own.
    folder.put(copy, "precious");
    change("third");
    for _ in 0..2 {
        let messages = with_slashes(&folder.run(command).fails(1));
        assert!(
            messages.contains("not replaced by in/maps/oak bark.png\nhint: remove it, "),
            "{messages}"
        );
        assert_eq!(folder.get(copy), b"precious");
    }
    folder.put(copy, "second");
    folder.run(command).fails(0);
    assert_eq!(folder.get(copy), b"third");
}

#[test]
fn images_of_others_are_not_replaced() {
    let folder = model(IMAGE);
    fs::create_dir_all(folder.path("many/maps")).unwrap();
    folder.put("many/maps/oak bark.png", PNG);
    let command = "convert in --out-dir many --to glb --newer=hash --log log";
    assert_eq!(folder.run(command).status, 0);
    folder.put("in/maps/oak bark.png", b"\x89PNG\r\n\x1a\n of another day");
    folder.put(
        "in/a.obj",
        [folder.get("in/a.obj"), b"# changed\n".to_vec()].concat(),
    );
    let message = folder.run(command).fails(1);
    assert!(message.contains("a different file exists"), "{message}");
    assert_eq!(folder.get("many/maps/oak bark.png"), PNG);
}

#[test]
fn images_do_not_overwrite_other_outputs() {
    let folder = model("b.glb");
    folder.put("in/b.glb", PNG);
    folder.put("in/b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for options in ["--force", "--newer"] {
        let run = folder.run(&format!(
            "convert in/a.obj in/b.obj --out-dir many --to glb {options}"
        ));
        assert_eq!(run.status, 1, "{run:?}");
        assert!(
            run.stderr
                .contains("the same file for another output and the image"),
            "{run:?}"
        );
        assert!(folder.get("many/b.glb").starts_with(b"glTF"));
    }
}

/// Input and output are in the current folder, so no image needs to be copied.
#[cfg(target_os = "linux")]
#[test]
fn images_in_the_current_folder_are_not_read() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).unwrap();
    put_model(&folder, "a", "large.png");
    for name in ["a.obj", "a.mtl"] {
        fs::rename(folder.path(&format!("in/{name}")), folder.path(name)).unwrap();
    }
    fs::File::create(folder.path("large.png"))
        .unwrap()
        .set_len(1 << 42)
        .unwrap();
    for output in ["a.glb", "./b.glb"] {
        let run = folder.run(&format!("convert a.obj {output} --strict"));
        assert_eq!(run.status, 0, "{run:?}");
    }
}

/// The file is sparse, and too large for memory.
#[cfg(target_os = "linux")]
#[test]
fn images_too_large_for_memory_are_losses() {
    let folder = model("large.png");
    fs::File::create(folder.path("in/large.png"))
        .unwrap()
        .set_len(1 << 42)
        .unwrap();
    folder.put("in/b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let run = folder.run("convert in --out-dir many --to glb --embed-images");
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.stderr.contains("\"large.png\": the file is too large"),
        "{run:?}"
    );
    assert!(
        folder.get("many/a.glb").starts_with(b"glTF")
            && folder.get("many/b.glb").starts_with(b"glTF")
    );
}
