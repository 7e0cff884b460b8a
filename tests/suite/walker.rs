//! The walker against the codec: two decoders made from one declaration must agree.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::{ControlFlow, Range};

use crate::common::{Damage, File, samples};
use binrw::io::SeekFrom;
use binrw::{BinRead, BinWrite, binrw};
use meshspec::layout::walk::{self, Node, Segment, Visitor};
use meshspec::layout::{Field, Layout, Shape, Type, Value};
use meshspec::{Document, FormatId, Limits, ReadOptions, Severity, Span, iyma};

/// Notes every leaf: its path, its place and its value.
#[derive(Default)]
struct Leaves {
    leaves: Vec<(String, Span, Value)>,
    rest: Vec<Span>,
    /// The places of packed blocks that unpack to nothing.
    empty: Vec<Range<u64>>,
}

impl Visitor for Leaves {
    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_none() {
            self.leaves.push((walk::path_text(node.path), node.span.clone(), value.clone()));
        }
        ControlFlow::Continue(())
    }

    fn trailing(&mut self, _: &[Segment], span: Span, _: &[u8]) {
        self.rest.push(span);
    }

    fn unpacked(&mut self, node: &Node, content: &[u8]) {
        if content.is_empty() {
            self.empty.push(node.span.range().clone());
        }
    }
}

fn leaves(format: FormatId, bytes: &[u8]) -> Leaves {
    let mut leaves = Leaves::default();
    let layout = format.layout_of(bytes, format.detect(bytes).dialect).unwrap();
    let end = walk::walk(layout, bytes, &Limits::default(), &mut leaves).unwrap();
    assert_eq!(end, bytes.len() as u64);
    assert!(leaves.rest.is_empty(), "{:?}", leaves.rest);
    leaves
}

/// One of each kind of number.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, PartialEq)]
struct Numbers {
    a: i8,
    b: i16,
    c: i64,
    d: u32,
    e: u128,
    f: f32,
    g: f64,
    h: [u16; 2],
}

#[test]
fn numbers() {
    let numbers =
        Numbers { a: -1, b: -2, c: i64::MIN, d: u32::MAX, e: 1 << 100, f: -0.0, g: 1e300, h: [1, 2] };
    let mut bytes = Cursor::new(Vec::new());
    numbers.write(&mut bytes).unwrap();
    let mut leaves = Leaves::default();
    walk::walk(&Numbers::TYPE, &bytes.into_inner(), &Limits::default(), &mut leaves).unwrap();
    let values: Vec<_> =
        leaves.leaves.iter().map(|(path, span, value)| (&**path, span.range(), value)).collect();
    let expected = [
        ("a", 0..1, Value::Int(-1)),
        ("b", 1..3, Value::Int(-2)),
        ("c", 3..11, Value::Int(i64::MIN.into())),
        ("d", 11..15, Value::Int(u32::MAX.into())),
        ("e", 15..31, Value::Int(1 << 100)),
        ("f", 31..35, Value::F32(-0.0)),
        ("g", 35..43, Value::F64(1e300)),
        ("h[0]", 43..45, Value::Int(1)),
        ("h[1]", 45..47, Value::Int(2)),
    ];
    assert_eq!(values, expected.iter().map(|(p, range, v)| (*p, range, v)).collect::<Vec<_>>());
    assert!(matches!(values[5].2, Value::F32(zero) if zero.is_sign_negative()));
}

/// A field that has another name in the layout, and a count that is one of two.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, PartialEq)]
struct Renamed {
    #[layout(name = "size")]
    byte: u8,
    #[br(count = if byte < 3 { byte } else { 1 })]
    bytes: Vec<u8>,
}

#[test]
fn names_and_choices_of_counts() {
    for (size, count) in [(0, 0), (2, 2), (3, 1)] {
        let value = Renamed { byte: size, bytes: vec![7; count] };
        let mut bytes = Cursor::new(Vec::new());
        value.write(&mut bytes).unwrap();
        let bytes = bytes.into_inner();
        assert_eq!(Renamed::read(&mut Cursor::new(&bytes)).unwrap(), value);
        let mut leaves = Leaves::default();
        let end = walk::walk(&Renamed::TYPE, &bytes, &Limits::default(), &mut leaves);
        assert_eq!((end, leaves.leaves.len()), (Ok(1 + count as u64), 1 + count));
        assert_eq!(leaves.leaves[0].0, "size");
    }
}

/// A checked field at an offset, and a check of a field that is missing.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, PartialEq)]
struct Checked {
    offset: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position, assert(version < 3, "too new"))]
    version: u8,
    #[br(if(offset == 9), assert(offset != 4, "offset 4 is reserved"))]
    extra: Option<u8>,
}

#[test]
fn failed_checks_have_the_place_of_their_field() {
    let fault = |bytes: &[u8]| {
        assert!(Checked::read(&mut Cursor::new(bytes)).is_err());
        let fault = walk::first_fault(&Checked::TYPE, bytes, &Limits::default()).unwrap();
        (fault.path.to_string(), fault.span, fault.message)
    };
    let too_new = |span| ("version".to_owned(), Span::Bytes(span), "too new: found 3".to_owned());
    assert_eq!(fault(&[5, 0, 0, 0, 0, 3]), too_new(5..6));
    let reserved = ("extra".to_owned(), Span::Bytes(1..1), "offset 4 is reserved".to_owned());
    assert_eq!(fault(&[4, 0, 0, 0, 0]), reserved);
}

#[test]
fn blocks_unpack_no_further_than_the_limits() {
    let (format, file) = samples().into_iter().find(|(format, _)| *format == FormatId::Crucible).unwrap();
    let limits = Limits::default().with_max_decoded(20);
    let fault =
        walk::first_fault(format.layout_of(&file, format.detect(&file).dialect).unwrap(), &file, &limits)
            .unwrap();
    assert_eq!((fault.kind, &*fault.path.to_string()), (walk::FaultKind::Limit, "chunks[0].indices.data"));
}

of_files!(
    same_values,
    every_byte_is_covered_once,
    same_acceptance_of_truncations,
    same_acceptance_of_ten_thousand_mutations
);

/// Those with a layout that are small enough to note every leaf.
fn small(files: Vec<File>) -> Vec<File> {
    let has_layout = |(format, file): &File| format.layout_of(file, format.detect(file).dialect).is_some();
    let files: Vec<_> =
        files.into_iter().filter(has_layout).filter(|(_, file)| file.len() < 100_000).collect();
    assert!(files.len() >= 4);
    files
}

/// Those whose fields follow one another. The lists of a BMD image lie where it says, its strings where others lie,
/// too; `bmd.rs` beside this file compares its values.
fn in_sequence(files: Vec<File>) -> impl Iterator<Item = File> {
    small(files).into_iter().filter(|(format, _)| *format != FormatId::Bmd)
}

/// Fields that the document does not store: they are computed at writing, or say how the rest is packed.
fn is_computed(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap();
    ["version", "format", "index_size", "attribute", "length", "compressed_size", "uncompressed_size"]
        .contains(&name)
        || name.ends_with("_count")
}

fn same_values(files: Vec<File>) {
    let mut compared = 0;
    for (format, file) in in_sequence(files) {
        let document = format.read(&file, &ReadOptions::lenient()).unwrap();
        if let Document::Iyma(document) = &document {
            compared += same_buffers(document, leaves(format, &file).leaves);
            continue;
        }
        let data = serde_json::to_value(&document).unwrap();
        for (path, _, value) in leaves(format, &file).leaves {
            if is_computed(&path) {
                continue;
            }
            // Documents have no header: what it says and cannot be computed stands at the top.
            let pointer = path.strip_prefix("header.").unwrap_or(&path).replace('[', "/").replace(']', "");
            let pointer = format!("/{}", pointer.replace('.', "/"));
            let Some(ours) = data.pointer(&pointer) else {
                panic!("{format}: {path} is not in the document")
            };
            assert!(same(ours, &value), "{format}: {path}: {ours} in the document, {value} in the file");
            compared += 1;
        }
    }
    assert!(compared > 500, "only {compared} values were compared");
}

/// IyMA's data as it is in the file, and its document, have the same buffers under other names.
fn same_buffers(document: &iyma::Document, leaves: Vec<(String, Span, Value)>) -> usize {
    let vertices: Vec<u8> =
        document.attributes.iter().flat_map(|attribute| attribute.data.to_vec()).collect();
    let indices: Vec<u32> = document.indices.iter().flat_map(iyma::IndexBuffer::iter).collect();
    let fields: HashMap<&str, &Value> = leaves.iter().map(|(path, _, value)| (&**path, value)).collect();
    let of = |name: &str| fields.get(&*format!("descriptor.{name}")).copied();
    let number = |n: usize| Some(Value::Int(n as i128));
    assert_eq!(of("n_vertices").cloned(), number(document.n_vertices as usize));
    assert_eq!(of("mesh_count").cloned(), number(document.meshes.len()));
    assert_eq!(of("n_indices").cloned(), number(indices.len()));
    for (index, mesh) in document.meshes.iter().enumerate() {
        let field = |name| of(&format!("meshes[{index}].{name}")).cloned();
        let numbers = [mesh.first_index, mesh.index_count, mesh.first_vertex, mesh.vertex_count];
        let names = ["first_index", "index_count", "first_vertex", "vertex_count"];
        assert_eq!(names.map(field), numbers.map(|n| number(n as usize)));
    }
    for (index, attribute) in document.attributes.iter().enumerate() {
        let format = of(&format!("attributes[{index}].format")).cloned();
        assert_eq!(format, number(attribute.format as usize));
        if let iyma::Usage::Custom(id, name) = &attribute.usage {
            assert_eq!(of(&format!("attributes[{index}].custom")).cloned(), number(*id as usize));
            for (at, byte) in name.bytes().enumerate() {
                assert_eq!(of(&format!("attributes[{index}].name[{at}]")).cloned(), number(byte.into()));
            }
        }
    }
    let mut compared = 0;
    let lists = [("data.user_data[", 0), ("data.indices[", 1), ("data.vertices[", 2)];
    let mut counts = [0; 3];
    for (path, _, value) in &leaves {
        let Some((_, list)) = lists.iter().find(|(start, _)| path.starts_with(start)) else { continue };
        let index = counts[*list];
        let expected = match list {
            0 => document.user_data[index].into(),
            1 => indices[index],
            _ => vertices[index].into(),
        };
        assert_eq!(*value, Value::Int(expected.into()), "{path}");
        (counts[*list], compared) = (index + 1, compared + 1);
    }
    assert_eq!(counts, [document.user_data.len(), indices.len(), vertices.len()]);
    compared
}

/// Whether a value of the document as data is the same as a value of the walker.
fn same(data: &serde_json::Value, value: &Value) -> bool {
    match value {
        Value::F32(float) => match data {
            serde_json::Value::String(text) => match text.strip_prefix("NaN:") {
                Some(bits) => u32::from_str_radix(bits, 16) == Ok(float.to_bits()),
                None => text.parse::<f32>().unwrap().to_bits() == float.to_bits(),
            },
            number => (number.as_f64().unwrap() as f32).to_bits() == float.to_bits(),
        },
        Value::Int(int) => data.as_i64().map(i128::from) == Some(*int),
        Value::Text(text) => data.as_str().unwrap().as_bytes() == text,
        other => panic!("no such leaf: {other:?}"),
    }
}

fn every_byte_is_covered_once(files: Vec<File>) {
    for (format, file) in in_sequence(files) {
        let mut spans: Vec<(Option<Range<u64>>, Range<u64>)> = Vec::new();
        let found = leaves(format, &file);
        let is_zstd = format == FormatId::Iyma;
        for (_, span, _) in found.leaves {
            match span {
                Span::Bytes(range) => spans.push((None, range)),
                Span::Unpacked { packed, range } => spans.push((Some(packed), range)),
                other => panic!("{other}"),
            }
        }
        // The packed bytes count as covered by what they unpack to.
        let packed: Vec<_> = spans.iter().filter_map(|(packed, _)| packed.clone()).collect();
        let mut covered: Vec<Range<u64>> =
            spans.iter().filter(|(p, _)| p.is_none()).map(|(_, r)| r.clone()).collect();
        // An LZ4 block of nothing is one byte, which counts as covered; frames of nothing are several.
        covered.extend(found.empty.into_iter().filter(|_| is_zstd));
        let mut packed: Vec<_> = packed.into_iter().map(|range| (range.start, range.end)).collect();
        packed.sort_unstable();
        packed.dedup();
        covered.extend(packed.iter().map(|(start, end)| *start..*end));
        assert_gapless(&format!("{format}"), covered, file.len() as u64, &declared_magic(format, &file));
        for (start, end) in packed {
            let inside: Vec<_> = spans
                .iter()
                .filter(|(p, _)| *p == Some(start..end))
                .map(|(_, range)| range.clone())
                .collect();
            let size = inside.iter().map(|range| range.end).max().unwrap();
            assert_gapless(&format!("{format} {start:#x}"), inside, size, &[]);
        }
    }
}

/// The bytes that the declaration itself gives, and streams that unpack to nothing.
fn declared_magic(format: FormatId, file: &[u8]) -> Vec<u8> {
    match format.layout_of(file, format.detect(file).dialect) {
        Some(Type::Declared(declaration)) => match declaration.shape {
            // The magic bytes of IyMA are those of its header.
            Shape::Struct([Field { ty: Type::Declared(header), .. }, ..]) if declaration.magic.is_empty() => {
                header.magic.to_vec()
            }
            _ => declaration.magic.to_vec(),
        },
        _ => Vec::new(),
    }
}

fn assert_gapless(what: &str, mut ranges: Vec<Range<u64>>, size: u64, magic: &[u8]) {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut end = magic.len() as u64;
    for range in ranges {
        // An empty stream is one byte that unpacks to no field.
        assert!(range.start == end || range.start == end + 1, "{what}: {range:?} after {end}");
        end = range.end;
    }
    assert!(end == size || end + 1 == size, "{what}: covered to {end} of {size}");
}

/// Rules that are not about structure: the walker cannot know them.
fn is_structural(code: &str) -> bool {
    let others = [
        "MESH-POSE-JOINT",
        "MESH-NO-STRINGS",
        "MESH-TRAILING",
        "CRUCIBLE-COUNT",
        "CRUCIBLE-DUPLICATE",
        "BMD-VERTEX-COUNT",
        "BMD-FRAMES",
        "BMD-SHARING",
    ];
    !others.contains(&code)
}

fn assert_same_acceptance(format: FormatId, bytes: &[u8]) -> bool {
    let result = format.read(bytes, &ReadOptions::lenient());
    let fault = walk::first_fault(
        format.layout_of(bytes, format.detect(bytes).dialect).unwrap(),
        bytes,
        &Limits::default(),
    );
    match (&result, &fault) {
        (Ok(_), None) => true,
        (Err(error), fault) => {
            let rule = error.rule().unwrap_or_else(|| panic!("{format}: {error}, {fault:?}: {bytes:02x?}"));
            assert_eq!(rule.severity, Severity::Fatal);
            // An image that breaks another rule may break the structure further on.
            if format != FormatId::Bmd || is_structural(rule.code) {
                assert_eq!(fault.is_some(), is_structural(rule.code), "{format}: {error}, but {fault:?}");
            }
            false
        }
        (Ok(_), Some(fault)) => panic!("{format}: the codec accepts what the walker refuses: {fault}"),
    }
}

fn same_acceptance_of_truncations(files: Vec<File>) {
    for (format, file) in small(files) {
        for length in (0..file.len()).filter(|length| file.len() < 3000 || length % 101 == 0) {
            assert_same_acceptance(format, &file[..length]);
        }
    }
}

fn same_acceptance_of_ten_thousand_mutations(files: Vec<File>) {
    let files: Vec<_> = small(files).into_iter().filter(|(_, file)| file.len() < 6000).collect();
    let mut damage = Damage::new(2);
    let accepted = (0..10_000)
        .filter(|round| {
            let (format, file) = &files[round % files.len()];
            assert_same_acceptance(*format, &damage.mutate(file))
        })
        .count();
    assert!(
        (500..9500).contains(&accepted),
        "{accepted} of 10,000 accepted: the mutations are too wild or too tame"
    );
}
