//! Prints every value that the walker decodes, one JSON object per line, for comparison with other decoders.
//!
//! `dump_values FILE [FORMAT [DIALECT]]`; a missing format or dialect is detected. The first line contains the layout;
//! if the file is malformed, it is the only line. Floats are printed as their bits in hexadecimal, strings as
//! hexadecimal bytes. A packed word precedes its fields. Violations of constraints are listed on standard error. For a
//! value in a packed block, `packed` is the block's byte range in the file, and `offset` counts in the unpacked
//! content.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use meshspec::layout::declaration::{BitRange, Type};
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Node, Visitor};
use meshspec::{AnyFormat, Detected, Formats, Report, Span, detect, layout};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = PathBuf::from(
        arguments
            .next()
            .ok_or("usage: dump_values FILE [FORMAT [DIALECT]]")?,
    );
    let mut names = arguments.map(|name| name.to_string_lossy().into_owned());
    let format: Option<AnyFormat> = names
        .next()
        .map(|name| Formats::builtin().get(&name))
        .transpose()?;
    let dialect = names.next();
    let bytes = std::fs::read(&path)?;
    let detected = match format {
        Some(format) => Detected {
            format,
            dialect: format.detect(&bytes).dialect,
        },
        None => detect(&bytes, Some(&path))?,
    };
    let format = detected.format;
    let dialect = match dialect {
        Some(name) => format.about().dialect(&name)?,
        None => detected.dialect,
    };
    let ty = format
        .layout_of(&bytes, dialect)
        .ok_or("a text format has no layout")?;
    let name = format
        .about()
        .layouts()
        .iter()
        .find(|(_, layout)| *layout == ty)
        .map_or("", |(name, _)| *name);
    println!("{{\"layout\": \"{name}\"}}");
    print!("{}", dump(ty, &bytes)?);
    let mut report = Report::default();
    layout::check_bytes(ty, &bytes, &Default::default(), &mut report)?;
    report
        .findings()
        .iter()
        .for_each(|finding| eprintln!("{finding}"));
    Ok(())
}

/// Returns a line for each leaf in the bytes of a value of type `ty`.
pub fn dump(ty: &'static Type, bytes: &[u8]) -> Result<String, walk::Fault> {
    let mut lines = ValueLines(String::new());
    walk::walk(ty, bytes, &Default::default(), &mut lines)?;
    Ok(lines.0)
}

struct ValueLines(String);

impl Visitor for ValueLines {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.push_line(&walk::path_text(node.path), &node.span, node.bits, value);
        ControlFlow::Continue(())
    }
}

impl ValueLines {
    fn push_line(&mut self, path: &str, span: &Span, bits: Option<BitRange>, value: &Value) {
        let (kind, text) = match value {
            Value::Int(value) => ("int", value.to_string()),
            Value::Wide(value) => ("int", value.to_string()),
            Value::Bool(value) => ("bool", value.to_string()),
            Value::F32(value) => ("f32", format!("\"{:#010x}\"", value.to_bits())),
            Value::F64(value) => ("f64", format!("\"{:#018x}\"", value.to_bits())),
            Value::Bits(word, _) => ("word", word.to_string()),
            Value::Text(bytes) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                ("bytes", format!("\"{hex}\""))
            }
            Value::Struct(_) => return,
        };
        let (start, size) = (span.range().start, span.range().end - span.range().start);
        // Writing to a string cannot fail.
        let _ = write!(
            self.0,
            "{{\"path\": \"{path}\", \"offset\": {start}, \"size\": {size}"
        );
        if let Span::Unpacked { packed, .. } = span {
            let _ = write!(self.0, ", \"packed\": [{}, {}]", packed.start, packed.end);
        }
        if let Some(BitRange { offset, width }) = bits {
            let _ = write!(self.0, ", \"bits\": [{offset}, {width}]");
        }
        let _ = writeln!(self.0, ", \"type\": \"{kind}\", \"value\": {text}}}");
    }
}
