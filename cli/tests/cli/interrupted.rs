//! Signals and limits at any moment leave either the old file or the new one, and no other.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use meshspec::mesh;
use rustix::process::{Pid, Signal, kill_process};

use crate::files::{Folder, triangle};

/// The number of runs per signal or limit.
const RUN_COUNT: u32 = 200;

/// A folder with the file to convert, and the old and new content of its two outputs.
struct Conversion {
    folder: Folder,
    old: [Vec<u8>; 2],
    new: [Vec<u8>; 2],
    /// The duration of a conversion.
    duration: Duration,
}

const FILES: [&str; 2] = ["out.bin", "out.gltf"];

impl Conversion {
    fn new() -> Conversion {
        let folder = Folder::new();
        let positions: Vec<_> = (0..60_000).map(|index| [index as f32, 0.5, 1.0]).collect();
        let columns = mesh::Columns {
            positions,
            ..Default::default()
        };
        let vertices = mesh::Vertices::from_columns(&columns).unwrap();
        folder.put_mesh(
            "big.mesh",
            &mesh::Document {
                vertices,
                indices: (0..60_000).collect(),
                ..triangle()
            },
        );
        folder.put_mesh("small.mesh", &triangle());
        folder.run("convert big.mesh out.gltf").fails(0);
        let new = FILES.map(|name| folder.get(name));
        folder.run("convert small.mesh out.gltf --force").fails(0);
        let old = FILES.map(|name| folder.get(name));
        let mut conversion = Conversion {
            folder,
            old,
            new,
            duration: Duration::ZERO,
        };
        let start = Instant::now();
        assert!(conversion.start(&[]).wait().unwrap().success());
        conversion.duration = start.elapsed();
        conversion.check_outputs_and_restore("without a signal");
        conversion
    }

    /// Starts the conversion; its command line follows the words of `shell`.
    fn start(&self, shell: &[&str]) -> Child {
        let program = assert_cmd::cargo::cargo_bin!("meshspec");
        let mut command = match shell {
            [] => std::process::Command::new(program),
            [first, others @ ..] => {
                let mut command = std::process::Command::new(first);
                command.args(others).arg(program);
                command
            }
        };
        command.args(["convert", "big.mesh", "out.gltf", "--force", "--quiet"]);
        command
            .current_dir(self.folder.path(""))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Fails unless both files are old or both are new, and no other file exists. Restores the old files, and returns
    /// whether they were replaced.
    fn check_outputs_and_restore(&self, what: &str) -> bool {
        assert_eq!(
            self.folder.names(),
            ["big.mesh", FILES[0], FILES[1], "small.mesh"],
            "{what}"
        );
        let found = FILES.map(|name| self.folder.get(name));
        assert!(
            found == self.old || found == self.new,
            "{what}: {:?}",
            found.map(|file| file.len())
        );
        for (name, old) in FILES.iter().zip(&self.old) {
            self.folder.put(name, old);
        }
        found == self.new
    }
}

/// Yields numbers from 0 to 1 that are evenly distributed for any count.
fn evenly_spread_fractions() -> impl Iterator<Item = f64> {
    (1..=RUN_COUNT).map(|index| (f64::from(index) * 0.618_033_988_749_895).fract())
}

fn signal_at_any_moment(signal: Signal) {
    let conversion = Conversion::new();
    let (mut interrupted, mut finished) = (0, 0);
    for fraction in evenly_spread_fractions() {
        let mut child = conversion.start(&[]);
        std::thread::sleep(conversion.duration.mul_f64(1.2 * fraction));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = child.wait().unwrap();
        let replaced = conversion.check_outputs_and_restore(&format!("{signal:?} at {fraction}"));
        if status.success() {
            assert!(replaced, "{signal:?} at {fraction}");
            finished += 1;
        } else {
            assert_eq!(
                status.signal(),
                Some(signal.as_raw()),
                "{signal:?} at {fraction}: {status}"
            );
            interrupted += 1;
        }
    }
    // The test is meaningful only if some signals hit the conversion.
    assert!(
        interrupted > 0 && interrupted + finished == RUN_COUNT,
        "{interrupted}, {finished}"
    );
}

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn interrupted_conversions_are_atomic() {
    signal_at_any_moment(Signal::INT);
}

#[test]
fn terminated_conversions_are_atomic() {
    signal_at_any_moment(Signal::TERM);
}

#[test]
fn interrupted_batches_leave_no_partial_files() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    for index in 0..40 {
        folder.put_mesh(
            &format!("in/{index:02}.mesh"),
            &mesh::Document {
                indices: vec![0; 30_000],
                ..triangle()
            },
        );
    }
    let convert = || {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("meshspec"));
        command.args([
            "convert",
            "in",
            "--out-dir",
            "out",
            "--to",
            "glb",
            "--quiet",
        ]);
        command.current_dir(folder.path("")).spawn().unwrap()
    };
    let start = Instant::now();
    assert!(convert().wait().unwrap().success());
    let duration = start.elapsed();
    let whole = folder.get("out/00.glb");
    for fraction in evenly_spread_fractions().take(20) {
        std::fs::remove_dir_all(folder.path("out")).unwrap();
        let mut child = convert();
        std::thread::sleep(duration.mul_f64(fraction));
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        child.wait().unwrap();
        std::fs::create_dir_all(folder.path("out")).unwrap();
        assert_eq!(folder.names(), ["in", "out"]);
        for file in std::fs::read_dir(folder.path("out")).unwrap() {
            let path = file.unwrap().path();
            assert!(
                path.extension().is_some_and(|extension| extension == "glb"),
                "{}",
                path.display()
            );
            assert!(std::fs::read(&path).unwrap() == whole, "{}", path.display());
        }
    }
}

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn a_file_size_limit_names_the_output_and_leaves_the_old_files() {
    let conversion = Conversion::new();
    let size = conversion.new[0].len() as f64;
    let (mut rejected, mut written) = (0, 0);
    for fraction in evenly_spread_fractions() {
        // Blocks of 512 or 1024 bytes, depending on the shell.
        let blocks = (1.5 * fraction * size / 512.0) as u64;
        let limit = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let output = conversion
            .start(&["sh", "-c", &limit])
            .wait_with_output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let replaced = conversion.check_outputs_and_restore(&limit);
        if output.status.success() {
            assert!(replaced && message.is_empty(), "{limit}: {message}");
            written += 1;
        } else {
            assert_eq!(
                output.status.code(),
                Some(3),
                "{limit}: {}: {message}",
                ended(output.status)
            );
            let names_output = FILES
                .iter()
                .any(|name| message.starts_with(&format!("error: {name}: ")));
            assert!(
                names_output && message.lines().count() == 1,
                "{limit}: {message}"
            );
            rejected += 1;
        }
    }
    assert!(rejected > 0 && written > 0, "{rejected}, {written}");
}

fn ended(status: ExitStatus) -> String {
    status
        .signal()
        .map_or_else(|| status.to_string(), |signal| format!("signal {signal}"))
}

#[test]
fn a_full_device_is_named() {
    let folder = Folder::new();
    folder.put_mesh("in.mesh", &triangle());
    for out in ["full.stl", "full.json", "full.glb"] {
        std::os::unix::fs::symlink("/dev/full", folder.path(out)).unwrap();
        let message = folder
            .run(&format!("convert in.mesh {out} --quiet"))
            .fails(3);
        assert_eq!(
            message,
            format!("error: {out}: No space left on device (os error 28)\n")
        );
    }
}
