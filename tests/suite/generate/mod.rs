//! Files generated from declarations.

#![allow(
    dead_code,
    reason = "some declarations are only described, never decoded"
)]

mod large;
mod look_aheads;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use binrw::binrw;
use binrw::io::SeekFrom;
use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Node, Visitor};
use meshspec::layout::{self, Layout, generate};
use meshspec::{
    Dialect, Document, Format, Formats, Limits, ReadOptions, Report, Rule, Severity, bmd, bulk,
    crucible, iyma, mesh, seed,
};
use modular_bitfield::prelude::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestError, TestRunner};

static BELOW: Rule = Rule::new("BELOW", Severity::Error, "");
static FINITE: Rule = Rule::new("FINITE", Severity::Warning, "");

/// All kinds of constraints on single values.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Constrained {
    #[layout(holds(vertex_count > 1), rule = BELOW, message = "too few")]
    vertex_count: u8,
    #[br(count = 3)]
    #[layout(below = vertex_count, rule = BELOW)]
    indices: Vec<u16>,
    #[layout(one_of(3, 9), rule = BELOW)]
    kind: u32,
    #[br(count = 4)]
    #[layout(finite, rule = FINITE)]
    #[layout(ordered, rule = FINITE)]
    times: Vec<f32>,
    #[layout(reserved_zero, rule = BELOW)]
    flags: Flags,
    #[layout(sum = 255.0, rule = BELOW)]
    weights: [u8; 4],
    #[layout(sum = 1.0, of = influence, tolerance = 0.001, rule = FINITE)]
    influences: [Influence; 3],
    #[br(count = 3)]
    #[layout(unique, rule = BELOW)]
    ids: Vec<u8>,
    #[br(count = 3)]
    bones: Vec<Bone>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Bone {
    #[layout(unique, rule = BELOW)]
    id: i8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Influence {
    bone: u8,
    influence: f32,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Clone, Copy)]
struct Flags {
    first: bool,
    #[layout(reserved)]
    reserved: B7,
}

fn file(ty: &'static Type, seed: u64, config: &generate::Config) -> Vec<u8> {
    try_file(ty, seed, config).unwrap_or_else(|error| panic!("{seed}: {error}"))
}

fn try_file(ty: &'static Type, seed: u64, config: &generate::Config) -> meshspec::Result<Vec<u8>> {
    // The quality of the random numbers hardly matters.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let choices: Vec<u64> = (0..seed % 400).map(next).collect();
    generate::file(ty, &choices, config)
}

fn findings(bytes: &[u8]) -> Vec<String> {
    let mut report = Report::default();
    layout::check_bytes(&Constrained::TYPE, bytes, &Limits::default(), &mut report).unwrap();
    report.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn constraints_are_respected() {
    let plausible = generate::Config {
        plausible: true,
        ..Default::default()
    };
    let config = generate::Config {
        plausible: false,
        ..plausible
    };
    let mut warnings = 0;
    for seed in 1..500 {
        assert_eq!(
            findings(&file(&Constrained::TYPE, seed, &plausible)),
            [""; 0],
            "{seed}"
        );
        let found = findings(&file(&Constrained::TYPE, seed, &config));
        assert!(
            found.iter().all(|finding| finding.contains("[FINITE]")),
            "{seed}: {found:?}"
        );
        warnings += found.len();
    }
    // Violations that are only warnings are also generated.
    assert!(warnings > 100, "{warnings}");
}

/// Files of every layout can be generated, except for IyMA, where no expression relates the descriptor to the data.
#[test]
fn every_layout_can_be_generated() {
    let layouts = Formats::BUILT_IN
        .iter()
        .filter(|format| format.name() != "iyma");
    let layouts: Vec<_> = layouts
        .flat_map(|format| format.about().layouts())
        .collect();
    assert_eq!(layouts.len(), 7);
    for (name, ty) in layouts {
        let files: Vec<_> = (0..300)
            .flat_map(|seed| try_file(ty, seed, &Default::default()))
            .collect();
        // For some choices, generation fails, since constraints on several values are violated. The walker accepts all
        // generated files.
        assert!(files.len() > 250, "{name}: {} of 300", files.len());
        let sizes: Vec<_> = files.iter().map(Vec::len).collect();
        assert!(sizes.iter().max() > sizes.iter().min(), "{name}: {sizes:?}");
    }
}

#[test]
fn unsatisfiable_declarations_are_errors() {
    let error = generate::file(&Outer::TYPE, &[], &Default::default()).unwrap_err();
    assert!(error.to_string().contains("never"), "{error}");
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Inner {
    #[br(assert(value % 2 == 2, "never"))]
    value: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Middle {
    #[br(assert(inner.value % 2 == 2, "never"))]
    inner: Inner,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Outer {
    #[br(assert(middle.inner.value % 2 == 2, "never"))]
    middle: Middle,
}

/// Collects the values that are neither 0 nor empty, with their paths. Omits packed words; floats are shown as bits.
#[derive(Default)]
struct NonZero(Vec<String>);

impl Visitor for NonZero {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let text = match value {
            Value::Int(0) | Value::Bool(false) | Value::Bits(..) => {
                return ControlFlow::Continue(());
            }
            Value::F32(number) if number.to_bits() == 0 => return ControlFlow::Continue(()),
            Value::Text(text) if text.is_empty() => return ControlFlow::Continue(()),
            Value::F32(number) => format!("{:#x}", number.to_bits()),
            other => other.to_string(),
        };
        self.0
            .push(format!("{} = {text}", walk::path_text(node.path)));
        ControlFlow::Continue(())
    }
}

/// Returns the non-zero values of a MESH file in the specification's dialect.
fn non_zero(bytes: &[u8]) -> Vec<String> {
    let mut values = NonZero::default();
    let layout = mesh::FORMAT.about().layouts()[0].1;
    walk::walk(layout, bytes, &Limits::default(), &mut values).unwrap();
    values.0
}

/// Returns the smallest MESH file.
fn smallest_file(config: generate::Config) -> Vec<u8> {
    generate::file(mesh::FORMAT.about().layouts()[0].1, &[], &config).unwrap()
}

#[test]
fn without_choices_the_smallest_file_is_generated() {
    let config = generate::Config::default();
    let smallest = smallest_file(config);
    let document = mesh::Document::read(&smallest, &ReadOptions::default()).unwrap();
    assert!(
        document.vertices.positions().is_empty()
            && document.indices.is_empty()
            && document.joints.is_empty()
    );
    // Every set bit is necessary.
    for bit in (0..8 * smallest.len()).filter(|bit| smallest[bit / 8] & 1 << (bit % 8) != 0) {
        let mut cleared = smallest.clone();
        cleared[bit / 8] ^= 1 << (bit % 8);
        let options = ReadOptions::default().with_dialect(Dialect::SPEC);
        let report = meshspec::check(&cleared, mesh::FORMAT, &options).unwrap();
        assert!(
            report.errors() > 0,
            "bit {bit} of {:?}",
            non_zero(&smallest)
        );
    }
    // A triangle and its vertex.
    let plausible = non_zero(&smallest_file(generate::Config {
        plausible: true,
        ..config
    }));
    for value in ["header.vertex_count = 1", "header.index_count = 3"] {
        assert!(
            plausible.iter().any(|other| other == value),
            "{plausible:?}"
        );
    }
}

#[test]
fn files_shrink_to_the_fewest_items() {
    let strategy = generate::valid::<Vertices>(Default::default());
    let has_none = |bytes: Vec<u8>| {
        prop_assert_eq!(bytes[0], 0);
        Ok(())
    };
    let Err(TestError::Fail(_, smallest)) = TestRunner::deterministic().run(&strategy, has_none)
    else {
        panic!("none has a vertex")
    };
    assert_eq!(smallest, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// Returns the non-zero values of the smallest failing MESH file that are not in the smallest valid file.
fn smallest_mesh(has_bug: impl Fn(&mesh::Document) -> bool) -> Vec<String> {
    let test = |document: mesh::Document| {
        prop_assert!(document.dialect == Dialect::RENDERLIB || !has_bug(&document));
        Ok(())
    };
    // The default limit is 1,024 shrink steps.
    let smallest = TestRunner::deterministic().run(&mesh::strategy::documents(), test);
    let Err(TestError::Fail(_, document)) = smallest else {
        panic!("{smallest:?}")
    };
    let mut values = non_zero(&document.write(&Default::default()).unwrap());
    let usual = non_zero(&smallest_file(generate::Config::default()));
    values.retain(|value| !usual.contains(value));
    values
}

fn is_signalling(float: &f32) -> bool {
    float.is_nan() && float.to_bits() & 0x40_0000 == 0
}

#[test]
fn a_bug_that_needs_one_vertex_shrinks_to_one() {
    let one_nan = |values: &[String], attribute: &str| {
        let [value] = values else {
            panic!("{values:?}")
        };
        assert!(
            value.starts_with(attribute) && value.ends_with(" = 0x7f800001"),
            "{value}"
        );
    };
    let nan_in = |vectors: bulk::Column<[f32; 3]>| {
        vectors
            .iter()
            .any(|vector| vector.iter().any(is_signalling))
    };
    let values = smallest_mesh(|document| nan_in(document.vertices.positions()));
    assert_eq!(values[..1], ["header.vertex_count = 1"]);
    one_nan(&values[1..], "vertices[0].position[");
    let values = smallest_mesh(|document| document.vertices.normals().is_some_and(nan_in));
    assert_eq!(
        values[..2],
        ["header.format.normal = true", "header.vertex_count = 1"]
    );
    one_nan(&values[2..], "vertices[0].normal[");
}

#[test]
fn a_bug_that_needs_several_values_keeps_only_these() {
    let values = smallest_mesh(|document| document.indices.iter().any(|index| *index >= 1));
    // Without vertices, indices are not checked.
    assert_eq!(values, ["header.index_count = 1", "indices[0] = 1"]);
    // A pose needs a joint and a time; the animation has an empty name.
    let values = smallest_mesh(|document| {
        document
            .animations
            .iter()
            .any(|animation| !animation.poses.is_empty())
    });
    let counts = ["header.joint_count = 1", "header.animation_count = 1"];
    assert_eq!(values[..2], counts);
    assert_eq!(
        values[2..],
        ["joints[0].parent = 255", "animations[0].pose_count = 1"]
    );
    // Only the relevant item is left. Its index has changed, but not its value.
    let values = smallest_mesh(|document| {
        document
            .joints
            .iter()
            .any(|joint| joint.transform[3][3] == 1.0)
    });
    let joint = [
        "joints[0].parent = 255",
        "joints[0].transform[3][3] = 0x3f800000",
    ];
    assert_eq!(values[..1], counts[..1]);
    assert_eq!(values[1..], joint);
    let values = smallest_mesh(|document| {
        document
            .strings
            .iter()
            .any(|text| std::str::from_utf8(text).is_err())
    });
    assert_eq!(values, [r#"strings[0] = "\x80""#]);
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn many_joints_shrink_to_the_number_that_a_bug_needs() {
    let config = generate::Config {
        max_items: 200,
        ..Default::default()
    };
    let test = |document: mesh::Document| {
        prop_assert!(document.joints.len() < 128);
        Ok(())
    };
    let smallest = TestRunner::deterministic().run(&mesh::strategy::documents_with(config), test);
    let Err(TestError::Fail(_, document)) = smallest else {
        panic!("{smallest:?}")
    };
    assert_eq!(
        (
            document.joints.len(),
            document.vertices.len(),
            document.indices.len()
        ),
        (128, 0, 0)
    );
}

/// Reserved bits that only cause warnings are set occasionally, unless files must be plausible.
#[test]
fn reserved_bits_are_set_where_rules_only_warn() {
    let has_reserved = |config: generate::Config| {
        let documents = bmd::strategy::documents_with(config);
        let mut runner = TestRunner::deterministic();
        let is_reserved = |report: &Report| {
            report.findings().iter().any(|found| {
                found.rule.code == "BMD-RESERVED" && found.path.to_string().ends_with("flags")
            })
        };
        (0..200)
            .filter(|_| is_reserved(&documents.new_tree(&mut runner).unwrap().current().check()))
            .count()
    };
    assert!(has_reserved(Default::default()) > 0);
    assert_eq!(has_reserved(generate::Config::plausible()), 0);
}

/// Enum values, and a field that is present unless its offset is 0.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Drawn {
    #[br(count = 3)]
    kinds: Vec<Kind>,
    offset: u8,
    #[br(if(offset != 0), seek_before = SeekFrom::Start(offset as u64), restore_position)]
    #[bw(ignore)]
    placed: Option<u16>,
}

#[derive(Layout, Clone, Copy)]
#[binrw]
#[brw(repr = u8)]
enum Kind {
    First = 1,
    Second = 2,
    Last = 9,
}

#[test]
fn all_enum_values_are_drawn() {
    let kinds = |seed| file(&Drawn::TYPE, seed, &Default::default())[..3].to_vec();
    let drawn: BTreeSet<u8> = (0..100).flat_map(kinds).collect();
    assert_eq!(drawn, BTreeSet::from([1, 2, 9]));
}

/// The offset follows from the place of the field, so the condition is unknown when fields are drawn.
#[test]
fn fields_with_offsets_are_present_in_some_files() {
    let is_present = |seed| file(&Drawn::TYPE, seed, &Default::default())[3] != 0;
    let drawn: BTreeSet<bool> = (0..100).map(is_present).collect();
    assert_eq!(drawn, BTreeSet::from([false, true]));
}

/// Generates 100 documents, and returns the reports of those with findings.
fn reports_with_findings(documents: impl Strategy<Value = Document>) -> Vec<Report> {
    let mut runner = TestRunner::deterministic();
    let reports = (0..100).map(|_| documents.new_tree(&mut runner).unwrap().current().check());
    reports
        .filter(|report| !report.findings().is_empty())
        .collect()
}

#[test]
fn plausible_documents_have_no_findings() {
    for max_items in [6, 20] {
        let config = generate::Config {
            plausible: true,
            max_items,
            ..Default::default()
        };
        let none = [const { Vec::<Report>::new() }; 5];
        let found = [
            reports_with_findings(mesh::strategy::documents_with(config).prop_map(Document::Mesh)),
            reports_with_findings(
                crucible::strategy::documents_with(config).prop_map(Document::Crucible),
            ),
            reports_with_findings(seed::strategy::documents_with(config).prop_map(Document::Seed)),
            reports_with_findings(iyma::strategy::documents_with(config).prop_map(Document::Iyma)),
            reports_with_findings(bmd::strategy::documents_with(config).prop_map(Document::Bmd)),
        ];
        assert_eq!(format!("{found:?}"), format!("{none:?}"));
    }
}

/// Numbers that code, not a constraint, derives from the document: bones of pseudo-bones, mesh indices, vertex and
/// triangle counts, bytes of UTF-8 texts.
const FITTED: &[&str] = &[
    "bones.pseudo.bone_0",
    "bones.pseudo.bone_1",
    "bones.pseudo.bone_2",
    "bones.pseudo.bone_3",
    "data.indices",
    "descriptor.attributes.name",
    "descriptor.n_vertices",
    "meshes.n_tris",
];

#[test]
#[ignore = "takes half a minute of processor time: `.ci/run` runs it"]
fn documents_have_every_kind_of_value() {
    let mut never = Vec::new();
    for format in Formats::BUILT_IN.iter().copied() {
        // Enough choices for bones and animations after many meshes.
        let config = generate::Config {
            max_choices: 1024,
            ..Default::default()
        };
        let documents = generated_files::documents(format, config, 2000);
        assert_eq!(documents.len(), 2000, "{format}");
        let coverage = generated_files::coverage(format, &documents).unwrap();
        // Lists have at most a few items here, and documents have no notation.
        let is_free = |(field, kind): &(&str, &str)| {
            !FITTED.contains(field) && *field != "(notation)" && *kind != "more than 255 items"
        };
        never.extend(
            coverage
                .missing()
                .filter(is_free)
                .map(|(field, kind)| format!("{field}: {kind}")),
        );
    }
    assert_eq!(
        never,
        [
            // A check rejects it.
            "header.format.position: false",
        ]
    );
}

#[path = "../../../examples/generated_files.rs"]
mod generated_files;

/// Positions with their number.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Vertices {
    count: u8,
    #[br(count = count)]
    positions: Vec<[f32; 3]>,
}
