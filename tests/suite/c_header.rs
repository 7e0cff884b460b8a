//! The generated C headers compile without a warning, and a C program that knows a format only by its header finds
//! every number of a file where the walker finds it, as far as it is not compressed.

use std::ffi::OsString;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use meshspec::layout::walk::{self, Node, Visitor};
use meshspec::layout::{Packing, Schema, Type, Value};
use meshspec::{Dialect, Format, FormatId, WriteOptions, mesh};
use tempfile::TempDir;

use crate::common::{File, accepted_fixtures, samples};

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow"];

/// A folder with all headers in it.
fn folder() -> TempDir {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for format in FormatId::ALL {
        for file in format.schema(Schema::C) {
            fs::write(folder.path().join(file.name), file.text).unwrap();
        }
    }
    folder
}

fn compile(compiler: &str, arguments: &[OsString]) {
    let output = Command::new(compiler).args(WARNINGS).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn cc() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

/// Compiles each header twice in one file, as programs do.
fn compile_headers(compiler: &str, language: &str, standard: &str) {
    let folder = folder();
    let headers = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sample.h");
    let headers: Vec<_> = headers.chain([golden]).collect();
    assert!(headers.len() > 4, "{headers:?}");
    let source = folder.path().join("twice.c");
    for header in headers {
        let include = format!("#include \"{}\"\n", header.display());
        fs::write(&source, format!("{include}{include}int main(void) {{ return 0; }}\n")).unwrap();
        let options = ["-fsyntax-only", standard, "-x", language].map(OsString::from);
        compile(compiler, &options.into_iter().chain([source.clone().into()]).collect::<Vec<_>>());
    }
}

#[test]
fn headers_are_c() {
    compile_headers(&cc(), "c", "-std=c11");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn headers_are_cpp() {
    compile_headers("c++", "c++", "-std=c++11");
}

/// For each layout the program that reads it and a definition that the program needs.
const PROGRAMS: [(&str, &str, Option<&str>); 7] = [
    ("mesh", "read_mesh", None),
    ("mesh_renderlib", "read_mesh", Some("-DRENDERLIB")),
    ("crucible_chunk", "read_crucible", None),
    ("crucible_model", "read_crucible", None),
    ("crucible_chunk_tangent", "read_crucible", None),
    ("crucible_model_tangent", "read_crucible", None),
    ("bmd", "read_bmd", None),
];

#[test]
fn c_reads_what_the_walker_reads_in_samples() {
    c_reads_what_the_walker_reads(samples());
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn c_reads_what_the_walker_reads_in_reference_files() {
    c_reads_what_the_walker_reads([samples(), accepted_fixtures()].concat());
}

fn c_reads_what_the_walker_reads(mut files: Vec<File>) {
    let folder = folder();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_header");
    for dialect in [Dialect::Spec, Dialect::Renderlib] {
        let (document, _) = sample().into_dialect(dialect).unwrap();
        files.push((FormatId::Mesh, document.write(&WriteOptions::default()).unwrap()));
    }
    // Of IyMA a header can only say where bitcode and zstd frames lie.
    let formats = FormatId::ALL.iter().filter(|format| **format != FormatId::Iyma);
    let layouts = formats.flat_map(|format| format.about().layouts()).map(|(name, _)| *name);
    assert!(layouts.eq(PROGRAMS.map(|(layout, ..)| layout)), "every layout has a program");
    for (layout, source, definition) in PROGRAMS {
        let program = folder.path().join(layout);
        let mut arguments = vec!["-std=c11".into(), "-I".into(), folder.path().into()];
        arguments.extend([
            sources.join(source).with_extension("c").into(),
            "-o".into(),
            program.clone().into(),
        ]);
        arguments.extend(definition.map(OsString::from));
        compile(&cc(), &arguments);
        let mut compared = 0;
        for (format, bytes) in &files {
            let Some(ty) = format.layout_of(bytes, format.detect(bytes).dialect) else { continue };
            if format.about().layouts().contains(&(layout, ty)) {
                compared += compare(&program, ty, bytes);
            }
        }
        println!("{compared} numbers of {layout} files compared");
        assert!(compared > 50, "{layout}: {compared}");
    }
}

/// Number of lines that are the same on both sides, which is all of them.
fn compare(program: &Path, ty: &'static Type, bytes: &[u8]) -> usize {
    let path = program.with_extension("file");
    fs::write(&path, bytes).unwrap();
    let output = Command::new(program).arg(&path).output().unwrap();
    let name = path.display();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let mut numbers = Numbers::default();
    walk::walk(ty, bytes, &Default::default(), &mut numbers).unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = output.lines().collect();
    let first = lines.iter().zip(&numbers.0).find(|(found, expected)| found != expected);
    assert!(lines == numbers.0, "{name}: {} lines, {first:?}", lines.len());
    lines.len()
}

/// Every number as the C program prints it.
#[derive(Default)]
struct Numbers(Vec<String>);

impl Visitor for Numbers {
    fn unpack(&mut self, node: &Node) -> bool {
        node.field.and_then(|field| field.block).is_none_or(|block| block.packing == Packing::Stored)
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let text = match value {
            Value::Int(value) => value.to_string(),
            Value::Bool(value) => u8::from(*value).to_string(),
            Value::F32(value) => value.to_bits().to_string(),
            Value::Bits(word, _) => word.to_string(),
            Value::F64(_) | Value::Text(_) | Value::Struct(_) => return ControlFlow::Continue(()),
        };
        self.0.push(format!("{} {text}", walk::path_text(node.path)));
        ControlFlow::Continue(())
    }
}

/// A mesh with all attributes, a skeleton and two animations.
fn sample() -> mesh::Document {
    let n = 5u8;
    let each = |f: fn(f32) -> f32| (0..n).map(|i| f(i.into())).collect::<Vec<_>>();
    let (xs, ys) = (each(|x| x * 1.5), each(|x| -x / 3.0));
    let joint = |id: u8| mesh::Joint {
        id,
        parent: if id == 0 { 255 } else { id - 1 },
        transform: [[1.0, 2.0, 3.0, id.into()], [0.5; 4], [-0.0; 4], [0.0, 0.0, 0.0, 1.0]],
    };
    let pose = |i: u32| mesh::Pose {
        joint: i % 3,
        position: [i as f32, 0.25, -1.0],
        rotation: [1.0, 0.0, 0.0, 0.0],
        scale: [1.0, 1.0, 0.125],
    };
    let animation = |poses: u32| mesh::Animation {
        name: Some(poses - 1),
        duration: 10.0,
        speed: 24.0,
        timestamps: (0..poses).map(|t| t as f32).collect(),
        poses: (0..3 * poses).map(pose).collect(),
    };
    mesh::Document {
        vertices: mesh::Vertices::from_columns(&mesh::Columns {
            positions: xs.iter().zip(&ys).map(|(x, y)| [*x, *y, 7.0]).collect(),
            normals: Some(vec![[0.0, 1.0, 0.0]; n.into()]),
            uvs: Some(xs.iter().zip(&ys).map(|(x, y)| [*y, *x]).collect()),
            joint_ids: Some((0..n).map(|i| [i % 3, 255, 255, 255]).collect()),
            joint_weights: Some(vec![[255, 0, 0, 0]; n.into()]),
        })
        .unwrap(),
        indices: vec![0, 1, 2, 2, 3, 4],
        joints: (0..3).map(joint).collect(),
        animations: vec![animation(1), animation(2)],
        strings: ["walk", "run"].into_iter().collect(),
        ..Default::default()
    }
}
