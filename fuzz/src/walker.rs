//! Compares the walker with the codec, and the output of the assembler with the file.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use meshspec::layout::declaration::Type;
use meshspec::layout::dump::{Dump, JsonHead};
use meshspec::layout::expr::Value;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{self, Node, Visitor};
use meshspec::{Document, ErrorKind, FormatId, Limits, ReadOptions, Severity, Span, iyma};

use super::Input;

/// Collects all leaves except bit fields.
#[derive(Default)]
pub struct Leaves {
    /// The path, span and value of each leaf.
    pub leaves: Vec<(String, Span, Value)>,
    /// The byte ranges of packed blocks whose unpacked content is empty.
    pub empty: Vec<Range<u64>>,
}

impl Visitor for Leaves {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_none() {
            self.leaves
                .push((walk::path_text(node.path), node.span.clone(), value.clone()));
        }
        ControlFlow::Continue(())
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        if content.is_empty() {
            self.empty.push(node.span.range().clone());
        }
    }
}

impl Leaves {
    /// Collects the leaves of a file.
    pub fn of(input: Input, limits: &Limits) -> Leaves {
        let mut leaves = Leaves::default();
        let layout = layout_of(input).expect("a binary format");
        walk::walk(layout, input.bytes, limits, &mut leaves).expect("a file that can be decoded");
        leaves
    }
}

fn layout_of(input: Input) -> Option<&'static Type> {
    input.format.layout_of(input.bytes, input.dialect)
}

/// Returns `true` if the document does not store the field, because it is computed on writing or describes the packing.
fn is_computed(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap();
    [
        "version",
        "format",
        "index_size",
        "attribute",
        "length",
        "compressed_size",
        "uncompressed_size",
    ]
    .contains(&name)
        || name.ends_with("_count")
}

/// Asserts that the walker and the document have the same values. Returns the number of compared values.
///
/// The fields of the file must be contiguous, which excludes BMD images: their lists may be anywhere, and their strings
/// may overlap.
pub fn assert_same_values(input: Input, limits: &Limits) -> usize {
    let options = ReadOptions::lenient()
        .with_dialect(input.dialect)
        .with_limits(*limits);
    let document = input
        .format
        .read(input.bytes, &options)
        .expect("a file that can be decoded");
    let leaves = Leaves::of(input, limits).leaves;
    if let Document::Iyma(document) = &document {
        return assert_same_buffers(document, leaves);
    }
    let (mut compared, format) = (0, input.format);
    let data = serde_json::to_value(&document).unwrap();
    for (path, _, value) in leaves {
        if is_computed(&path) {
            continue;
        }
        // Documents have no header: its stored fields are at the top level.
        let pointer = path
            .strip_prefix("header.")
            .unwrap_or(&path)
            .replace('[', "/")
            .replace(']', "");
        let pointer = format!("/{}", pointer.replace('.', "/"));
        let Some(ours) = data.pointer(&pointer) else {
            panic!("{format}: {path} is not in the document")
        };
        assert!(
            is_same_value(ours, &value),
            "{format}: {path}: {ours} in the document, {value} in the file"
        );
        compared += 1;
    }
    compared
}

/// Asserts that an IyMA file and its document have the same counts, meshes, attributes and buffers. Their fields have
/// different names. Returns the number of compared values in buffers.
fn assert_same_buffers(document: &iyma::Document, leaves: Vec<(String, Span, Value)>) -> usize {
    let vertices: Vec<u8> = document
        .attributes
        .iter()
        .flat_map(|attribute| attribute.data.to_vec())
        .collect();
    let indices: Vec<u32> = document
        .indices
        .iter()
        .flat_map(iyma::IndexBuffer::iter)
        .collect();
    let fields: HashMap<&str, &Value> = leaves
        .iter()
        .map(|(path, _, value)| (&**path, value))
        .collect();
    let of = |name: &str| fields.get(&*format!("descriptor.{name}")).copied();
    let number = |n: usize| Some(Value::Int(n as i128));
    assert_eq!(
        of("n_vertices").cloned(),
        number(document.n_vertices as usize)
    );
    assert_eq!(of("mesh_count").cloned(), number(document.meshes.len()));
    assert_eq!(of("n_indices").cloned(), number(indices.len()));
    for (index, mesh) in document.meshes.iter().enumerate() {
        let field = |name| of(&format!("meshes[{index}].{name}")).cloned();
        let numbers = [
            mesh.first_index,
            mesh.index_count,
            mesh.first_vertex,
            mesh.vertex_count,
        ];
        let names = ["first_index", "index_count", "first_vertex", "vertex_count"];
        assert_eq!(names.map(field), numbers.map(|n| number(n as usize)));
    }
    for (index, attribute) in document.attributes.iter().enumerate() {
        let format = of(&format!("attributes[{index}].format")).cloned();
        assert_eq!(format, number(attribute.format as usize));
        if let iyma::Usage::Custom(id, name) = &attribute.usage {
            assert_eq!(
                of(&format!("attributes[{index}].custom")).cloned(),
                number(*id as usize)
            );
            for (at, byte) in name.bytes().enumerate() {
                assert_eq!(
                    of(&format!("attributes[{index}].name[{at}]")).cloned(),
                    number(byte.into())
                );
            }
        }
    }
    let mut compared = 0;
    let lists = [
        ("data.user_data[", 0),
        ("data.indices[", 1),
        ("data.vertices[", 2),
    ];
    let mut counts = [0; 3];
    for (path, span, value) in &leaves {
        let Some((_, list)) = lists.iter().find(|(start, _)| path.starts_with(start)) else {
            continue;
        };
        let index = counts[*list];
        let expected = match list {
            0 => document.user_data[index].into(),
            1 => indices[index],
            _ => {
                let range = span.range();
                let end = index + (range.end - range.start) as usize;
                assert_eq!(
                    le_bytes(value)[..end - index],
                    vertices[index..end],
                    "{path}"
                );
                (counts[2], compared) = (end, compared + 1);
                continue;
            }
        };
        assert_eq!(*value, Value::Int(expected.into()), "{path}");
        (counts[*list], compared) = (index + 1, compared + 1);
    }
    assert_eq!(
        counts,
        [document.user_data.len(), indices.len(), vertices.len()]
    );
    compared
}

/// Returns the little-endian bytes of a number; those of an integer are more than a file has.
fn le_bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Int(number) => number.to_le_bytes().to_vec(),
        Value::Bits(word, _) => word.to_le_bytes().to_vec(),
        Value::F32(number) => number.to_le_bytes().to_vec(),
        Value::F64(number) => number.to_le_bytes().to_vec(),
        other => panic!("no number: {other:?}"),
    }
}

/// Returns `true` if a value in the JSON of a document equals a value of the walker.
fn is_same_value(data: &serde_json::Value, value: &Value) -> bool {
    match value {
        Value::F32(float) => match data {
            serde_json::Value::String(text) => match text.strip_prefix("NaN:") {
                Some(bits) => u32::from_str_radix(bits, 16) == Ok(float.to_bits()),
                None => text.parse::<f32>().unwrap().to_bits() == float.to_bits(),
            },
            number => (number.as_f64().unwrap() as f32).to_bits() == float.to_bits(),
        },
        Value::Int(int) => data.as_i64().map(i128::from) == Some(*int),
        // Text that is not UTF-8 is a list of bytes in JSON.
        Value::Text(text) => match data {
            serde_json::Value::String(string) => string.as_bytes() == text,
            bytes => *bytes == serde_json::json!(text),
        },
        other => panic!("no such leaf: {other:?}"),
    }
}

/// Returns `true` if the walker checks the fatal rule with this code.
fn is_structural(code: &str) -> bool {
    let codec_rules = [
        "MESH-POSE-JOINT",
        "MESH-NO-STRINGS",
        "MESH-TRAILING",
        "CRUCIBLE-COUNT",
        "CRUCIBLE-DUPLICATE",
        "BMD-VERTEX-COUNT",
        "BMD-FRAMES",
        "BMD-SHARING",
    ];
    !codec_rules.contains(&code)
}

/// Asserts that lenient reading and the walker both accept or both reject the file, unless it violates a rule that only
/// the codec checks. Returns `true` if both accept it.
pub fn assert_same_acceptance(input: Input, limits: &Limits) -> bool {
    let Input {
        format,
        dialect,
        bytes,
    } = input;
    let Some(layout) = layout_of(input) else {
        return false;
    };
    let result = format.read(
        bytes,
        &ReadOptions::lenient()
            .with_dialect(dialect)
            .with_limits(*limits),
    );
    let fault = walk::first_fault(layout, bytes, limits);
    match (&result, &fault) {
        (Ok(_), None) => true,
        (Err(error), _) if matches!(error.kind(), ErrorKind::LimitExceeded(_)) => false,
        (Err(error), fault) => {
            let rule = error
                .rule()
                .unwrap_or_else(|| panic!("{format}: {error}, {fault:?}: {bytes:02x?}"));
            assert_eq!(rule.severity, Severity::Fatal);
            // A BMD image that breaks another rule may also break the structure later.
            if format != FormatId::Bmd || is_structural(rule.code) {
                assert_eq!(
                    fault.is_some(),
                    is_structural(rule.code),
                    "{format}: {error}, but {fault:?}"
                );
            }
            false
        }
        (Ok(_), Some(fault)) => {
            panic!("{format}: the codec accepts a file that the walker rejects: {fault}")
        }
    }
}

/// Asserts that assembling the values of a file yields the same bytes. Returns `false` for a text file, or if the
/// walker does not reach the end of the file.
pub fn assert_assembles(input: Input, limits: &Limits) -> bool {
    let Some(layout) = layout_of(input) else {
        return false;
    };
    let Ok(values) = Tree::read(layout, input.bytes, limits) else {
        return false;
    };
    let assembled = values
        .assemble(limits)
        .unwrap_or_else(|error| panic!("{}: {error}", input.format));
    assert_eq!(
        first_difference(&assembled, input.bytes),
        None,
        "{}",
        input.format
    );
    true
}

/// Asserts that the JSON of a file without faults assembles to the same bytes.
pub fn assert_json_assembles(input: Input, limits: &Limits) {
    let Some(layout) = layout_of(input) else {
        return;
    };
    let mut json = Vec::new();
    let dump = Dump::new(layout, input.bytes).with_limits(limits);
    if dump
        .write_json(&JsonHead::default(), |_| None, &mut json)
        .unwrap()
        .is_some()
    {
        return;
    }
    let assembled = Tree::from_json(layout, &json).and_then(|tree| tree.assemble(limits));
    let assembled = assembled.unwrap_or_else(|error| panic!("{}: {error}", input.format));
    assert_eq!(
        first_difference(&assembled, input.bytes),
        None,
        "{}",
        input.format
    );
}

/// Returns the offset of the first difference between two files, with the byte of each, which is `None` after the end
/// of the file. Returns `None` if the files are equal.
pub fn first_difference<'f>(
    left: &'f [u8],
    right: &'f [u8],
) -> Option<(usize, Option<&'f u8>, Option<&'f u8>)> {
    let differs = |at: &usize| left.get(*at) != right.get(*at);
    (0..left.len().max(right.len()))
        .find(differs)
        .map(|at| (at, left.get(at), right.get(at)))
}
