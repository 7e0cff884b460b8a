//! Test files in a temporary folder, and runs of the program in it.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use meshspec::{Dialect, Format, WriteOptions, mesh};
use tempfile::TempDir;

/// A temporary folder for a test.
pub struct Folder(TempDir);

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn put_mesh(&self, name: &str, document: &mesh::Document) {
        self.put(name, bytes_of(document));
    }

    pub fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Returns the sorted names of the files and folders in it.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self) -> Command {
        command(self.0.path())
    }

    /// Runs the program with these arguments, separated by blanks.
    pub fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, [])
    }

    pub fn run_with(&self, arguments: &str, stdin: impl Into<Vec<u8>>) -> Run {
        Run::of(self.command().args(arguments.split(' ')).write_stdin(stdin))
    }

    /// Runs a shell command.
    #[cfg(target_os = "linux")]
    pub fn run_shell(&self, arguments: &[&str]) -> Run {
        Run::of(
            Command::new("sh")
                .current_dir(self.0.path())
                .args(arguments),
        )
    }

    /// Runs a program other than `meshspec`.
    pub fn run_program(&self, program: &Path, arguments: &str) -> Run {
        Run::of(
            Command::new(program)
                .current_dir(self.0.path())
                .args(arguments.split(' ')),
        )
    }
}

/// Removes the single quotes around words of a command, which contain no blanks.
pub fn unquoted(command: &str) -> String {
    command
        .split(' ')
        .map(|word| word.trim_matches('\''))
        .collect::<Vec<_>>()
        .join(" ")
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("meshspec"));
    command.current_dir(folder);
    command
}

impl Run {
    pub fn of(command: &mut Command) -> Run {
        let output = command.output().unwrap();
        Run {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the output of a run, which must have succeeded without messages.
    #[track_caller]
    pub fn fine(self) -> String {
        assert_eq!((self.status, &*self.stderr), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Returns the messages of a run, which must have failed with this status.
    #[track_caller]
    pub fn fails(self, status: i32) -> String {
        assert_eq!(self.status, status, "{self:?}");
        self.stderr
    }
}

/// Converts paths in `text` to Unix style on every system.
pub fn with_slashes(text: &str) -> String {
    text.replace(std::path::MAIN_SEPARATOR, "/")
}

pub fn bytes_of(document: &impl Format) -> Vec<u8> {
    document.write(&WriteOptions::lenient()).unwrap()
}

/// A triangle.
pub fn triangle() -> mesh::Document {
    mesh::Document {
        vertices: mesh::Vertices::from_columns(&mesh::Columns {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 2.0, 0.0]],
            ..Default::default()
        })
        .unwrap(),
        indices: vec![0, 1, 2],
        ..Default::default()
    }
}

/// A triangle with an index out of range.
pub fn broken_triangle() -> mesh::Document {
    mesh::Document {
        indices: vec![0, 1, 7],
        ..triangle()
    }
}

/// A triangle bound to an animated joint.
pub fn animated() -> mesh::Document {
    let transform =
        std::array::from_fn(|row| std::array::from_fn(|column| f32::from(row == column)));
    let pose = |x| mesh::Pose {
        joint: 0,
        position: [x, 0.0, 0.0],
        rotation: [1.0, 0.0, 0.0, 0.0],
        scale: [1.0; 3],
    };
    mesh::Document {
        joints: vec![mesh::Joint {
            id: 0,
            parent: 255,
            transform,
        }],
        animations: vec![mesh::Animation {
            name: Some(0),
            duration: 30.0,
            speed: 24.0,
            timestamps: vec![0.0, 30.0],
            poses: vec![pose(0.0), pose(1.5)],
        }],
        strings: ["walk"].into_iter().collect(),
        ..triangle()
    }
}

/// The same triangle in the renderlib dialect, twice as wide.
pub fn renderlib() -> mesh::Document {
    let (mut document, _) = animated().into_dialect(Dialect::RENDERLIB).unwrap();
    document.root_transform.as_mut().unwrap()[0][0] = 2.0;
    document
}

/// The triangle with coordinates that are difficult to write as decimals.
pub fn awkward() -> mesh::Document {
    let positions = vec![
        [
            f32::NAN,
            f32::from_bits(0xffc0_0001),
            f32::from_bits(0x7f80_0001),
        ],
        [f32::INFINITY, f32::NEG_INFINITY, -0.0],
        [f32::from_bits(1), f32::MAX, 0.1],
    ];
    let columns = mesh::Columns {
        positions,
        ..Default::default()
    };
    mesh::Document {
        vertices: mesh::Vertices::from_columns(&columns).unwrap(),
        ..triangle()
    }
}
