//! Generated C headers compile without warnings. A C program that uses only the header reads the same uncompressed
//! numbers as the walker.

use std::ffi::OsString;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use meshspec::Formats;
use meshspec::layout::declaration::{Packing, Type};
use meshspec::layout::expr::Value;
use meshspec::layout::schema::Schema;
use meshspec::layout::walk::{self, Node, Visitor};
use tempfile::TempDir;

use crate::common::{File, accepted_fixtures, samples};

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow"];

/// Creates a temporary folder with all headers.
fn folder() -> TempDir {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for format in Formats::BUILT_IN {
        for file in format.schema(Schema::C) {
            fs::write(folder.path().join(file.name), file.text).unwrap();
        }
    }
    folder
}

fn compile(compiler: &str, arguments: &[OsString]) {
    let output = Command::new(compiler)
        .args(WARNINGS)
        .args(arguments)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn cc() -> String {
    let default = if cfg!(windows) { "gcc" } else { "cc" };
    std::env::var("CC").unwrap_or_else(|_| default.to_owned())
}

/// Compiles a file that includes each header twice, as programs do.
fn compile_headers(compiler: &str, language: &str, standard: &str) {
    let folder = folder();
    let headers = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let golden = Path::new(crate::common::ROOT).join("tests/golden/sample.h");
    let headers: Vec<_> = headers.chain([golden]).collect();
    assert!(headers.len() > 4, "{headers:?}");
    let source = folder.path().join("twice.c");
    for header in headers {
        let include = format!("#include \"{}\"\n", header.display());
        fs::write(
            &source,
            format!("{include}{include}int main(void) {{ return 0; }}\n"),
        )
        .unwrap();
        let options = ["-fsyntax-only", standard, "-x", language].map(OsString::from);
        compile(
            compiler,
            &options
                .into_iter()
                .chain([source.clone().into()])
                .collect::<Vec<_>>(),
        );
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

/// Each layout with the program that reads it, and a macro to define if the program requires one.
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
fn c_matches_the_walker_on_samples() {
    assert_c_matches_the_walker(samples());
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn c_matches_the_walker_on_reference_files() {
    assert_c_matches_the_walker([samples(), accepted_fixtures()].concat());
}

fn assert_c_matches_the_walker(files: Vec<File>) {
    let folder = folder();
    let sources = Path::new(crate::common::ROOT).join("tests/c_header");
    // IyMA's header only locates bitcode and zstd frames.
    let formats = Formats::BUILT_IN
        .iter()
        .filter(|format| **format != meshspec::iyma::FORMAT);
    let layouts = formats
        .flat_map(|format| format.about().layouts())
        .map(|(name, _)| *name);
    assert!(
        layouts.eq(PROGRAMS.map(|(layout, ..)| layout)),
        "every layout has a program"
    );
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
            let Some(ty) = format.layout_of(bytes, format.detect(bytes).dialect) else {
                continue;
            };
            if format.about().layouts().contains(&(layout, ty)) {
                compared += compare(&program, ty, bytes);
            }
        }
        println!("{compared} numbers of {layout} files compared");
        assert!(compared > 50, "{layout}: {compared}");
    }
}

/// Asserts that the program prints the numbers that the walker finds. Returns the number of lines.
fn compare(program: &Path, ty: &'static Type, bytes: &[u8]) -> usize {
    let path = program.with_extension("file");
    fs::write(&path, bytes).unwrap();
    let output = Command::new(program).arg(&path).output().unwrap();
    let name = path.display();
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut numbers = ExpectedLines::default();
    walk::walk(ty, bytes, &Default::default(), &mut numbers).unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = output.lines().collect();
    let first = lines
        .iter()
        .zip(&numbers.0)
        .find(|(found, expected)| found != expected);
    assert!(
        lines == numbers.0,
        "{name}: {} lines, {first:?}",
        lines.len()
    );
    lines.len()
}

/// The numbers that the walker finds, as lines in the output format of the C program.
#[derive(Default)]
struct ExpectedLines(Vec<String>);

impl Visitor for ExpectedLines {
    fn should_unpack(&mut self, node: &Node) -> bool {
        node.field
            .and_then(|field| field.block)
            .is_none_or(|block| block.packing == Packing::Stored)
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let text = match value {
            Value::Int(value) => value.to_string(),
            Value::Bool(value) => u8::from(*value).to_string(),
            Value::F32(value) => value.to_bits().to_string(),
            Value::Bits(word, _) => word.to_string(),
            Value::Wide(_) | Value::F64(_) | Value::Text(_) | Value::Struct(_) => {
                return ControlFlow::Continue(());
            }
        };
        self.0
            .push(format!("{} {text}", walk::path_text(node.path)));
        ControlFlow::Continue(())
    }
}
