//! Measures the peak memory and the time of commands on large files.
//!
//! `cargo bench -p meshspec-cli --bench memory -- [START] [--mib SIZE] [--against PROGRAM]`. START is a prefix of row
//! names, such as `bmd` or `bmd/diff`. SIZE is the size of each file in MiB, 20 by default. PROGRAM is another build of
//! `meshspec`; it runs alternately with this one on the same files, which this one wrote.
//!
//! Peak memory is given as a multiple of the size of the file. The resident set is polled, so Linux is required.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use meshspec::scene::{Faces, Mesh, Scene, SceneOptions};
use meshspec::{AnyFormat, Document, Formats};

type Error = Box<dyn std::error::Error>;

/// The number of vertices per side of a mesh. BMD and Crucible need meshes with at most 65,536 vertices.
const SIDE: u32 = 200;

/// The time between two readings of the peak, which the kernel keeps: only growth just before the end is missed.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The number of runs per program and row. The fastest counts.
const RUNS: usize = 3;

/// The measured commands: the name of the row, and the arguments. `IN` is the file, `IN.json` its document,
/// `IN.dump` the output of `dump --json`, `EDITED` a copy with another value, `OUT` a new file, and `PATH` the value
/// to edit.
const COMMANDS: &[(&str, &[&str])] = &[
    ("check", &["check", "IN"]),
    ("to json", &["convert", "IN", "OUT.json", "--force"]),
    ("from json", &["convert", "IN.json", "OUT", "--force"]),
    ("dump", &["dump", "IN", "--json"]),
    ("assemble", &["assemble", "IN.dump", "OUT", "--force"]),
    (
        "edit",
        &["edit", "IN", "OUT", "--force", "--recount", "--set", "PATH"],
    ),
    ("diff", &["diff", "IN", "EDITED"]),
    ("view", &["view", "IN", "--out", "OUT.html", "--force"]),
];

/// The measured formats, each with a value to edit.
const FORMATS: [(&str, &str); 4] = [
    ("mesh", "indices[0]=1"),
    ("crucible", "chunks[0].indices.data[0]=1"),
    ("bmd", "meshes[0].resv3=1"),
    ("iyma", "data.indices[0]=1"),
];

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let option = |name: &str| {
        let position = arguments.iter().position(|argument| argument == name)?;
        arguments.get(position + 1)
    };
    let start = arguments
        .first()
        .filter(|argument| !argument.starts_with("--"))
        .map_or("", String::as_str);
    let size = option("--mib").map_or(Ok(20), |size| size.parse::<usize>())? << 20;
    let this = Path::new(env!("CARGO_BIN_EXE_meshspec"));
    let other = option("--against").map(PathBuf::from);
    let folder = tempfile::tempdir()?;
    println!(
        "{:<18} {:>8} {:>8} {:>8}",
        "row", "seconds", "MiB", "/ file"
    );
    for (name, edit) in FORMATS {
        let rows = COMMANDS
            .iter()
            .filter(|(command, _)| format!("{name}/{command}").starts_with(start))
            .collect::<Vec<_>>();
        if rows.is_empty() {
            continue;
        }
        let format = Formats::BUILT_IN
            .iter()
            .find(|format| format.name() == name)
            .ok_or("no such format")?;
        let files = Files::create(folder.path(), *format, size, edit)?;
        for (command, arguments) in rows {
            let row = format!("{name}/{command}");
            let arguments: Vec<_> = arguments.iter().map(|word| files.resolve(word)).collect();
            let mut best = [None::<Measurement>; 2];
            for _ in 0..RUNS {
                for (program, best) in [Some(this), other.as_deref()].iter().zip(&mut best) {
                    let Some(program) = program else { continue };
                    let measured = measure(program, &arguments)?;
                    *best = Some(best.map_or(measured, |best| best.min(measured)));
                }
            }
            print!("{row:<18}");
            for measured in best.iter().flatten() {
                let ratio = measured.peak as f64 / files.size as f64;
                let mebibytes = measured.peak >> 20;
                print!(" {:>8.2} {mebibytes:>8} {ratio:>7.1}×", measured.seconds);
            }
            println!();
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Measurement {
    seconds: f64,
    /// The peak of the resident set in bytes.
    peak: u64,
}

impl Measurement {
    fn min(self, other: Measurement) -> Measurement {
        Measurement {
            seconds: self.seconds.min(other.seconds),
            peak: self.peak.min(other.peak),
        }
    }
}

/// Runs a program without output, and measures it. Exit status 1 is the verdict of `check` and `diff`.
fn measure(program: &Path, arguments: &[String]) -> Result<Measurement, Error> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let text = std::fs::read_to_string(&status_file).unwrap_or_default();
        let kibibytes = text
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak = kibibytes.map_or(Ok(peak), |number| number.parse::<u64>().map(|n| n << 10))?;
        std::thread::sleep(POLL_INTERVAL);
    };
    let seconds = start.elapsed().as_secs_f64();
    if peak == 0 {
        return Err("the peak is unknown: /proc is missing, or the program is too fast".into());
    }
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(format!("{} {}: {status}", program.display(), arguments.join(" ")).into());
    }
    Ok(Measurement { seconds, peak })
}

/// The files that the commands read and write.
struct Files {
    /// The path of the file without extension.
    stem: String,
    extension: &'static str,
    edit: &'static str,
    size: usize,
}

impl Files {
    fn create(
        folder: &Path,
        format: AnyFormat,
        size: usize,
        edit: &'static str,
    ) -> Result<Files, Error> {
        let one = encode(format, 1)?.len();
        let bytes = encode(format, size.div_ceil(one))?;
        let files = Files {
            stem: folder.join("file").display().to_string(),
            extension: format.about().extensions[0],
            edit,
            size: bytes.len(),
        };
        std::fs::write(files.resolve("IN"), bytes)?;
        let program = Path::new(env!("CARGO_BIN_EXE_meshspec"));
        for arguments in [
            ["convert", "IN", "IN.json", "--force"].as_slice(),
            &[
                "edit",
                "IN",
                "EDITED",
                "--force",
                "--recount",
                "--set",
                "PATH",
            ],
        ] {
            let arguments: Vec<_> = arguments.iter().map(|word| files.resolve(word)).collect();
            measure(program, &arguments)?;
        }
        let dump = std::fs::File::create(files.resolve("IN.dump"))?;
        let arguments = ["dump", "IN", "--json"].map(|word| files.resolve(word));
        let status = Command::new(program)
            .args(&arguments)
            .stdout(dump)
            .status()?;
        if !status.success() {
            return Err(format!("{}: {status}", arguments.join(" ")).into());
        }
        Ok(files)
    }

    /// Replaces the name of a file, or `PATH`, in an argument.
    fn resolve(&self, word: &str) -> String {
        let Files {
            stem, extension, ..
        } = self;
        match word {
            "IN" => format!("{stem}.{extension}"),
            "EDITED" => format!("{stem}-edited.{extension}"),
            "OUT" => format!("{stem}-out.{extension}"),
            "IN.json" | "IN.dump" => word.replace("IN", stem),
            "OUT.json" | "OUT.html" => word.replace("OUT", &format!("{stem}-out")),
            "PATH" => self.edit.to_owned(),
            word => word.to_owned(),
        }
    }
}

/// Returns a file with this number of meshes.
fn encode(format: AnyFormat, meshes: usize) -> Result<Vec<u8>, Error> {
    let scene = Scene {
        meshes: (0..meshes).map(|height| sheet(height as f32)).collect(),
        ..Scene::default()
    };
    let (document, _) = Document::from_scene(format, scene, &SceneOptions::default())?;
    Ok(document.write(&Default::default())?)
}

/// Returns a wavy grid at a height, with two triangles per cell.
fn sheet(height: f32) -> Mesh {
    let places = || (0..SIDE * SIDE).map(|vertex| ((vertex % SIDE) as f32, (vertex / SIDE) as f32));
    let corners = (0..(SIDE - 1) * (SIDE - 1)).flat_map(|cell| {
        let first = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
        let (right, below) = (first + 1, first + SIDE);
        [first, below, right, right, below, below + 1]
    });
    let wave = |x: f32, z: f32| (x * 0.07).sin() * (z * 0.05).cos();
    Mesh {
        positions: places()
            .map(|(x, z)| [x / 8.0, height + wave(x, z), z / 8.0])
            .collect(),
        normals: Some(vec![[0.0, 1.0, 0.0]; (SIDE * SIDE) as usize]),
        uvs: vec![
            places()
                .map(|(x, z)| [x / SIDE as f32, z / SIDE as f32])
                .collect(),
        ],
        faces: Faces::triangles(corners.collect()),
        ..Mesh::default()
    }
}
