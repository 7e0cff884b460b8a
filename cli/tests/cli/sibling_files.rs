//! Companion files of inputs, and irregular files.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::files::{Folder, Run, triangle};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

fn fifo(folder: &Folder, name: &str) {
    assert!(
        Command::new("mkfifo")
            .arg(folder.path(name))
            .status()
            .unwrap()
            .success()
    );
}

/// Returns glTF of a triangle whose positions are the first 36 bytes of this file.
fn gltf(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":36,"uri":"{uri}"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"nodes":[{{"mesh":0}}],
        "scenes":[{{"nodes":[0]}}]}}"#
    )
}

fn numbers() -> Vec<u8> {
    [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// Converts glTF with a buffer of this name, in the folder `in`.
fn convert(folder: &Folder, uri: &str) -> Run {
    folder.put("in/a.gltf", gltf(uri));
    folder.run("convert in/a.gltf out.obj --force")
}

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in/deep")).unwrap();
    folder
}

#[test]
fn a_buffer_is_read_up_to_its_length() {
    let folder = folder();
    // A sparse file that does not fit in memory.
    folder.put("in/a.bin", numbers());
    std::fs::File::options()
        .write(true)
        .open(folder.path("in/a.bin"))
        .unwrap()
        .set_len(1 << 41)
        .unwrap();
    let run = convert(&folder, "a.bin");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        folder.get("out.obj"),
        b"o \nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    );

    folder.put("in/a.bin", &numbers()[..35]);
    let message = convert(&folder, "a.bin").fails(1);
    assert!(
        message.contains("buffers[0]: byteLength 36 exceeds the buffer size 35"),
        "{message}"
    );
}

#[test]
fn buffers_and_libraries_are_regular_files() {
    let folder = folder();
    fifo(&folder, "in/fifo");
    let _socket = UnixListener::bind(folder.path("in/socket")).unwrap();
    symlink("fifo", folder.path("in/link")).unwrap();
    for (name, kind) in [
        ("fifo", "a FIFO"),
        ("socket", "a socket"),
        ("link", "a FIFO"),
        ("deep", "a folder"),
    ] {
        let message = convert(&folder, name).fails(3);
        let expected = format!("buffers[0]: {name}: {kind}, not a regular file: not read");
        assert!(message.contains(&expected), "{message}");

        folder.put(
            "in/a.obj",
            format!("mtllib {name}\n{TRIANGLE}usemtl m\nf 1 2 3\n"),
        );
        let run = folder.run("convert in/a.obj out.stl --force");
        let expected = format!(
            "mtllib: \"{name}\": {kind}, not a regular file: not read; its materials have only names"
        );
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
}

#[test]
fn links_out_of_the_folder_are_rejected() {
    let folder = folder();
    folder.put("in/deep/a.bin", numbers());
    folder.put("outside.bin", numbers());
    symlink("deep/a.bin", folder.path("in/inside.bin")).unwrap();
    symlink("../outside.bin", folder.path("in/link.bin")).unwrap();
    symlink("/dev/zero", folder.path("in/zero.bin")).unwrap();
    symlink("..", folder.path("in/up")).unwrap();
    assert_eq!(convert(&folder, "inside.bin").status, 0);
    for name in ["link.bin", "up/outside.bin", "zero.bin"] {
        let message = convert(&folder, name).fails(1);
        let expected = format!(
            "buffers[0]: {name}: not read for safety, since it is a link to a file outside the folder"
        );
        assert!(message.contains(&expected), "{message}");
    }
    for name in ["../outside.bin", "/dev/zero", "http://host/a.bin"] {
        let message = convert(&folder, name).fails(1);
        let expected = format!(
            "buffers[0]: {name}: not read for safety, since it is outside the folder of the file"
        );
        assert!(message.contains(&expected), "{message}");
    }
    // The folder itself may be a link.
    symlink("in", folder.path("other")).unwrap();
    assert_eq!(folder.run("info other/a.gltf").status, 1);
    convert(&folder, "inside.bin");
    assert_eq!(folder.run("info other/a.gltf").status, 0);
}

#[test]
fn a_fifo_in_a_folder_does_not_stop_the_others() {
    let folder = folder();
    folder.put_mesh("in/a.mesh", &triangle());
    fifo(&folder, "in/b.obj");
    folder.put("in/c.obj", format!("{TRIANGLE}f 1 2 3\n"));
    folder.put("list", "in/a.mesh\nin/b.obj\n");
    let rejected = "error: in/b.obj: a FIFO, not a regular file: not read\n\
                   hint: to read it, give its path on the command line\n";
    for command in [
        "info in",
        "check in",
        "info in/*",
        "info --files-from list",
        "check in --log log --newer=hash",
    ] {
        assert!(folder.run(command).fails(3).contains(rejected), "{command}");
    }
    for input in ["in", "in/*.*", "--files-from list"] {
        let messages = folder
            .run(&format!("convert {input} --out-dir out --to stl --force"))
            .fails(1);
        assert!(
            messages.contains(rejected) && messages.contains(" converted, 1 failed\n"),
            "{messages}"
        );
    }
    assert!(folder.path("out/a.stl").is_file() && folder.path("out/c.stl").is_file());
}

#[test]
fn explicit_fifos_are_read() {
    let folder = folder();
    fifo(&folder, "b.obj");
    let path = folder.path("b.obj");
    for command in [
        "info b.obj",
        "convert b.obj out.stl",
        "check b.obj --log log --newer=hash",
    ] {
        let path = path.clone();
        let writer =
            std::thread::spawn(move || std::fs::write(path, format!("{TRIANGLE}f 1 2 3\n")));
        assert_eq!(folder.run(command).status, 0, "{command}");
        writer.join().unwrap().unwrap();
    }
}
