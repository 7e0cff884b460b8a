//! Output: atomically written files, standard output, and failures.

use std::fs;
use std::process::Stdio;

use meshspec::mesh;

use crate::files::{Folder, animated, broken_triangle, triangle};

#[test]
fn an_existing_file_is_kept_without_force() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    folder.put("out.json", "precious");
    assert_eq!(
        folder.run("convert in.mesh out.json").fails(2),
        "error: out.json: the file already exists\nhint: overwrite it with --force\n"
    );
    assert_eq!(folder.get("out.json"), b"precious");
    // Reported before anything is read.
    folder.run("convert missing.mesh out.json").fails(2);
    folder.run("convert in.mesh out.json --force").fine();
    assert!(folder.get("out.json").starts_with(b"{\n"));
    assert_eq!(folder.names(), ["in.mesh", "out.json"]);
}

#[test]
fn a_file_can_be_converted_in_place() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    folder.run("convert a.mesh a.mesh --to mesh").fails(2);
    folder
        .run("convert a.mesh a.mesh --to mesh --dialect renderlib --force")
        .fine();
    assert!(
        folder
            .run("info a.mesh")
            .fine()
            .contains("dialect renderlib")
    );
    assert_eq!(folder.names(), ["a.mesh"]);
}

#[test]
fn failures_keep_the_old_file() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    folder.put_mesh("walk.mesh", &animated());
    folder.put("out.mesh", "precious");
    folder
        .run("convert bad.mesh out.mesh --to mesh --force")
        .fails(1);
    folder
        .run("convert walk.mesh out.mesh --to mesh --dialect renderlib --strict --force")
        .fails(1);
    assert_eq!(folder.get("out.mesh"), b"precious");
    assert_eq!(folder.names(), ["bad.mesh", "out.mesh", "walk.mesh"]);
}

#[test]
fn missing_files_and_folders() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    assert!(
        folder
            .run("convert missing.mesh out.json")
            .fails(3)
            .starts_with("error: missing.mesh: ")
    );
    assert!(
        folder
            .run("convert in.mesh nowhere/out.json")
            .fails(3)
            .starts_with("error: nowhere/out.json: ")
    );
    fs::create_dir(folder.path("folder")).unwrap();
    folder
        .run("convert in.mesh folder --to json --force")
        .fails(3);
    folder.run("convert folder out.json").fails(3);
    assert_eq!(folder.names(), ["folder", "in.mesh"]);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new();
    let mode = |name: &str| {
        fs::metadata(folder.path(name))
            .unwrap()
            .permissions()
            .mode()
    };
    folder.put_mesh("in.mesh", &triangle());
    folder.run("convert in.mesh new.json").fine();
    assert_eq!(mode("new.json"), mode("in.mesh"));

    fs::set_permissions(folder.path("new.json"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("new.json", folder.path("link.json")).unwrap();
    folder.put("new.json", "old");
    folder.run("convert in.mesh link.json --force").fine();
    assert!(
        fs::symlink_metadata(folder.path("link.json"))
            .unwrap()
            .is_symlink()
    );
    assert!(folder.get("new.json").starts_with(b"{\n"));
    assert_eq!(mode("new.json") & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn devices_are_written_to_and_not_replaced() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    let device = folder.path("null");
    // Uses a link to the device, so that a bug cannot damage the device file.
    std::os::unix::fs::symlink("/dev/null", &device).unwrap();
    folder.run("convert in.mesh null --to json").fine();
    assert!(fs::symlink_metadata(&device).unwrap().is_symlink());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    for arguments in [
        "info in.mesh",
        "check in.mesh",
        "dump in.mesh",
        "dump --json in.mesh",
        "formats",
        "convert in.mesh - --to json",
        "man",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("meshspec"))
            .args(arguments.split(' '))
            .current_dir(folder.path(""))
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments}: {message}");
        assert!(
            message.starts_with("error: standard output: "),
            "{arguments}: {message}"
        );
    }
}

#[test]
fn closed_pipes_are_not_failures() {
    let folder = Folder::new();
    // More than the capacity of a pipe.
    folder.put_mesh(
        "big.mesh",
        &mesh::Document {
            indices: vec![0; 300_000],
            ..triangle()
        },
    );
    folder.put_mesh(
        "bad.mesh",
        &mesh::Document {
            indices: vec![9; 300],
            ..triangle()
        },
    );
    let many = format!("check{}", " bad.mesh".repeat(10));
    for arguments in [
        "convert big.mesh - --to json",
        "dump --json big.mesh",
        &many,
        &format!("{many} --json"),
    ] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("meshspec"))
            .args(arguments.split(' '))
            .current_dir(folder.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), &*output.stderr),
            (Some(0), &b""[..]),
            "{arguments}"
        );
    }
}
