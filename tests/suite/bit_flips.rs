//! Checks that every declared field affects the document, its JSON and the written file. Flips bits of each field in
//! the samples. If the file can still be decoded, all three must change, except for computed fields.
//!
//! The list of fields comes from the layout, so new fields are tested without new code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use meshspec::bmd::schema::Form;
use meshspec::bmd::{PackedFace, PackedVertex};
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Node, Visit, Visitor};
use meshspec::{
    AnyFormat, Dialect, Document, Format, ReadOptions, Span, Strictness, WriteOptions, bmd,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::common::{computed_fields, is_thorough, samples_of};
use crate::fuzz::exact_text;

/// The leaves of a file with their paths and byte ranges. For long arrays, only some items are listed.
#[derive(Default)]
struct Leaves {
    /// Leaves in the file itself.
    plain: Vec<(String, Range<usize>)>,
    /// Leaves in packed blocks: path, range of the block in the file, and range in the unpacked content.
    unpacked: Vec<(String, Range<usize>, Range<usize>)>,
    blocks: Vec<Block>,
}

/// A packed block.
struct Block {
    path: String,
    packing: &'static str,
    place: Range<usize>,
    content: Vec<u8>,
}

impl Visitor for Leaves {
    fn enter(&mut self, node: &Node) -> Visit {
        match node.span {
            // Visits all items of short lists in packed blocks, since an encoded byte may contain several values.
            Span::Unpacked { .. } if node.count <= Some(256) => Visit::All,
            _ => Visit::Ends { first: 2, last: 1 },
        }
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        // Bit fields share the bytes of their word.
        if node.bit_field.is_none() {
            let path = walk::path_text(node.path);
            match &node.span {
                Span::Bytes(range) => self.plain.push((path, to_usize_range(range))),
                Span::Unpacked { packed, range } => {
                    self.unpacked
                        .push((path, to_usize_range(packed), to_usize_range(range)));
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        let packing = node
            .field
            .and_then(|field| field.block)
            .map_or("", |block| block.packing.name());
        self.blocks.push(Block {
            path: walk::path_text(node.path),
            packing,
            place: to_usize_range(node.span.range()),
            content: content.to_vec(),
        });
    }
}

fn to_usize_range(range: &Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn leaves(format: AnyFormat, dialect: Dialect, bytes: &[u8]) -> Option<Leaves> {
    let layout = format.layout_of(bytes, dialect)?;
    let mut leaves = Leaves::default();
    walk::walk(layout, bytes, &Default::default(), &mut leaves).ok()?;
    Some(leaves)
}

/// Returns copies of the bytes, each with one bit of the range flipped.
fn flips(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Vec<u8>> {
    (0..8 * range.len()).map(move |bit| {
        let mut flipped = bytes.to_vec();
        flipped[range.start + bit / 8] ^= 1 << (bit % 8);
        flipped
    })
}

/// Builds a zstd frame without magic bytes, with uncompressed content.
fn zstd_frame(content: &[u8]) -> Vec<u8> {
    let last_raw_block = 1 | (content.len() as u32) << 3;
    [&[0, 0x40], &last_raw_block.to_le_bytes()[..3], content].concat()
}

/// Builds a raw LZ4 block of literals only.
fn lz4_literals(content: &[u8]) -> Vec<u8> {
    let Some(more) = content.len().checked_sub(15) else {
        return [&[(content.len() as u8) << 4], content].concat();
    };
    [
        &[0xf0][..],
        &vec![255; more / 255],
        &[(more % 255) as u8],
        content,
    ]
    .concat()
}

/// Adds `difference` to the little-endian number in a byte range of the file.
fn add_to_number(file: &mut [u8], range: &Range<usize>, difference: i64) {
    let mut number = [0; 8];
    number[..range.len()].copy_from_slice(&file[range.clone()]);
    let number = i64::from_le_bytes(number) + difference;
    file[range.clone()].copy_from_slice(&number.to_le_bytes()[..range.len()]);
}

fn lenient(dialect: Dialect) -> ReadOptions {
    ReadOptions::lenient().with_dialect(dialect)
}

/// A sample, its document and its values as text.
struct Original<'b> {
    bytes: &'b [u8],
    document: Document,
    text: String,
}

/// Returns a message about the first output that does not change with the flipped bit; `None` if all change. With
/// `has_json`, the JSON is one of them.
fn unaffected_output(
    original: &Original,
    flipped: &[u8],
    document: &Document,
    has_json: bool,
) -> Option<&'static str> {
    // Compares text, because 0.0 equals -0.0.
    if *document == original.document
        && format!("{document:?}") == format!("{:?}", original.document)
    {
        return Some("the document is the same");
    }
    let text = exact_text(document);
    if text == original.text {
        return Some("the values are the same");
    }
    if has_json && let Some(fault) = json_fault(flipped, document) {
        return Some(fault);
    }
    let mut options = WriteOptions::default().with_compression_level(1);
    options.strictness = Strictness::Lenient;
    let written = match document.write(&options) {
        Ok(written) => written,
        // IyMA's reference dialect has a map with unique keys (I1).
        Err(error) if error.message().starts_with("duplicate usage") => return None,
        Err(_) => return Some("the document cannot be written"),
    };
    if written == flipped {
        return None;
    }
    if written == original.bytes {
        return Some("the file that is written is the old one");
    }
    match Document::read(document.format(), &written, &lenient(document.dialect())) {
        Ok(again) if exact_text(&again) == text => None,
        _ => Some("the file that is written is not the document"),
    }
}

/// Returns a message if the JSON of a file does not give the file back.
fn json_fault(flipped: &[u8], document: &Document) -> Option<&'static str> {
    let format = document.format();
    let mut json = Vec::new();
    let options = lenient(document.dialect());
    if format.file_to_json(flipped, &options, &mut json).is_err() {
        return Some("the file has no JSON");
    }
    match format.json_to_file(&json, &WriteOptions::lenient()) {
        Ok(back) if back == flipped => None,
        Ok(_) => Some("the JSON gives another file"),
        Err(_) => Some("the JSON cannot be read back"),
    }
}

/// Removes the indices from a path.
fn without_indices(path: &str) -> String {
    let parts = path
        .split('[')
        .map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    parts.collect()
}

/// Flips the bits of each leaf of a file, and adds the numbers of decodable files per field to `accepted`. By default,
/// flips only every 25th bit where a bit of the same field was flipped before: in an earlier file, or in an earlier
/// item of a list. The JSON of every 25th file is compared by default. Fields for which `is_computed` returns `true`
/// may leave the document unchanged.
fn count_decodable_flips(
    format: AnyFormat,
    bytes: &[u8],
    is_computed: impl Fn(&str) -> bool,
    accepted: &mut BTreeMap<String, usize>,
) {
    let dialect = meshspec::detect(bytes, None).unwrap().dialect;
    let document = Document::read(format, bytes, &lenient(dialect)).unwrap();
    let original = Original {
        bytes,
        text: exact_text(&document),
        document,
    };
    let leaves = leaves(format, dialect, bytes).unwrap();
    let mut known = accepted.clone();
    known.retain(|_, count| *count > 0);
    let mut bits = 0;
    let mut check = |path: &str, number: usize, flipped: Vec<u8>| {
        let field = without_indices(path);
        let is_computed = is_computed(&field);
        let is_first = !known.contains_key(&field)
            && path.split('[').skip(1).all(|part| part.starts_with("0]"));
        let seen = accepted.entry(field).or_insert(0);
        bits += 1;
        // 25 has no common factor with 8, so eight steps reach every bit of a byte. `.ci/run` flips all bits.
        let is_sampled = is_thorough() || bits % 25 == 0;
        if !is_sampled && !is_first {
            return;
        }
        let Ok(changed) = Document::read(format, &flipped, &lenient(dialect)) else {
            return;
        };
        *seen += 1;
        if is_computed && changed == original.document {
            return;
        }
        if let Some(fault) = unaffected_output(&original, &flipped, &changed, is_sampled) {
            panic!("{format} {dialect}, bit {number} of {path}: {fault}");
        }
    };
    for (path, range) in &leaves.plain {
        flips(bytes, range.clone())
            .enumerate()
            .for_each(|(bit, flipped)| check(path, bit, flipped));
    }
    for Block {
        path,
        packing,
        place,
        content,
    } in &leaves.blocks
    {
        let around =
            |packed: Vec<u8>| [&bytes[..place.start], &packed, &bytes[place.end..]].concat();
        match *packing {
            "zstd" => {
                // Unpacked vertex and index data is too large to flip every bit.
                let content_leaves = leaves
                    .unpacked
                    .iter()
                    .filter(|(_, block, _)| block == place);
                let bits = content_leaves.flat_map(|(path, _, range)| {
                    flips(content, range.clone())
                        .enumerate()
                        .map(move |(bit, content)| (path, bit, content))
                });
                for (path, bit, content) in bits.step_by(5) {
                    check(path, bit, around(zstd_frame(&content)));
                }
            }
            // Encoded bits that change no field have no meaning.
            "bitcode" => {
                for (bit, flipped) in flips(bytes, place.clone()).enumerate() {
                    let means = |leaves: Leaves| {
                        leaves.blocks.iter().any(|block| block.content == *content)
                    };
                    let same = self::leaves(format, dialect, &flipped).is_some_and(means);
                    if !same {
                        check(path, bit, flipped);
                    }
                }
            }
            // Updates the stated sizes of the block and of the enclosing chunk.
            "lz4" => {
                let stream = path.strip_suffix("data").unwrap();
                let chunk = path.split_once('.').unwrap().0;
                let sizes = [
                    format!("{stream}compressed_size"),
                    format!("{chunk}.length"),
                ];
                for (path, _, range) in leaves
                    .unpacked
                    .iter()
                    .filter(|(_, block, _)| block == place)
                {
                    for (bit, content) in flips(content, range.clone()).enumerate() {
                        let packed = lz4_literals(&content);
                        let difference = packed.len() as i64 - place.len() as i64;
                        let mut flipped = around(packed);
                        for (_, range) in
                            leaves.plain.iter().filter(|(path, _)| sizes.contains(path))
                        {
                            add_to_number(&mut flipped, range, difference);
                        }
                        check(path, bit, flipped);
                    }
                }
            }
            packing => println!("{format}: {path} is packed as {packing}"),
        }
    }
}

#[test]
fn mesh() {
    let (mut accepted, mut dialects) = (BTreeMap::new(), BTreeSet::new());
    for bytes in samples_of(meshspec::mesh::FORMAT) {
        dialects.insert(meshspec::mesh::FORMAT.detect(&bytes).dialect.to_string());
        count_decodable_flips(meshspec::mesh::FORMAT, &bytes, |_| false, &mut accepted);
    }
    assert_eq!(dialects.len(), 2, "{dialects:?}");
    // Changed versions, counts and joints of poses are rejected.
    for (field, count) in &accepted {
        let rejected = ["version", "_count", "poses.joint"];
        assert!(
            *count > 0 || rejected.iter().any(|name| field.ends_with(name)),
            "{field}: {accepted:#?}"
        );
    }
    for field in [
        "vertices.uv",
        "joints.transform",
        "animations.poses.rotation",
        "strings",
    ] {
        assert!(accepted.contains_key(field), "{field}: {accepted:#?}");
    }
}

#[test]
fn crucible() {
    let (mut accepted, mut dialects) = (BTreeMap::new(), BTreeSet::new());
    for bytes in samples_of(meshspec::crucible::FORMAT) {
        let layout = meshspec::crucible::FORMAT
            .layout_of(&bytes, meshspec::crucible::FORMAT.detect(&bytes).dialect);
        let layouts = meshspec::crucible::FORMAT.about().layouts();
        dialects.extend(
            layouts
                .iter()
                .filter(|(_, ty)| Some(*ty) == layout)
                .map(|(name, _)| *name),
        );
        count_decodable_flips(meshspec::crucible::FORMAT, &bytes, |_| false, &mut accepted);
    }
    assert_eq!(dialects.len(), 4, "{dialects:?}");
    // An attribute has exactly one bit, and wrong sizes are rejected.
    for (field, count) in &accepted {
        let rejected = [
            "attribute",
            "compressed_size",
            "uncompressed_size",
            "length",
        ];
        assert!(
            *count > 0 || rejected.iter().any(|name| field.ends_with(name)),
            "{field}: {accepted:#?}"
        );
    }
    for field in [
        "indices.data",
        "streams.data",
        "streams.data.influence",
        "index_size",
    ] {
        assert!(
            accepted.contains_key(&format!("chunks.{field}")),
            "{field}: {accepted:#?}"
        );
    }
}

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn iyma() {
    let mut accepted = BTreeMap::new();
    for bytes in samples_of(meshspec::iyma::FORMAT) {
        count_decodable_flips(
            meshspec::iyma::FORMAT,
            &bytes,
            |_| false,
            &mut BTreeMap::new(),
        );
        // A data checksum would detect every change of the data.
        let document = meshspec::iyma::FORMAT
            .read(&bytes, &Default::default())
            .unwrap();
        let bytes = document
            .write(&WriteOptions::default().with_data_checksum(false))
            .unwrap();
        count_decodable_flips(meshspec::iyma::FORMAT, &bytes, |_| false, &mut accepted);
    }
    let fields = [
        "header.metadata_checksum",
        "descriptor",
        "data.user_data",
        "data.indices",
        "data.vertices",
    ];
    for field in fields {
        assert!(accepted[field] > 0, "{field}: {accepted:#?}");
    }
}

#[test]
fn bmd() {
    let mut files: Vec<_> = samples_of(bmd::FORMAT).collect();
    // Covers all forms of vertices and faces.
    let mut runner = TestRunner::deterministic();
    let mut forms = BTreeSet::new();
    while forms.len() < PackedVertex::FORMS.len() + PackedFace::FORMS.len() {
        let document = bmd::strategy::documents()
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let known = forms.len();
        for mesh in &document.meshes {
            // In long lists, only some items are flipped, always including the first.
            forms.extend(
                mesh.vertices
                    .packed_items()
                    .next()
                    .map(|vertex| vertex.form_name()),
            );
            forms.extend(
                mesh.faces
                    .packed_items()
                    .next()
                    .map(|face| face.form_name()),
            );
        }
        if forms.len() > known {
            files.push(document.write(&WriteOptions::default()).unwrap());
        }
    }
    let computed = computed_fields(bmd::FORMAT.about().layouts()[0].1);
    // Two triangle counts are correct (B12), so a flipped count may also be valid.
    let is_computed = |field: &str| {
        field == "meshes.n_tris" || computed.contains(field.rsplit('.').next().unwrap())
    };
    let mut accepted = BTreeMap::new();
    for bytes in files {
        count_decodable_flips(bmd::FORMAT, &bytes, is_computed, &mut accepted);
    }
    // No other count or size fits the lists.
    accepted.retain(|field, _| !is_computed(field));
    assert!(accepted.values().all(|count| *count > 0), "{accepted:#?}");
    for (list, forms) in [
        ("vertices", PackedVertex::FORMS),
        ("faces", PackedFace::FORMS),
    ] {
        for form in forms {
            assert!(
                accepted.contains_key(&format!("meshes.{list}.{}", form.name)),
                "{}",
                form.name
            );
        }
    }
}
