//! The loader harness: verdicts, causes, coverage, reports.

mod page;

use meshspec::conformance::{FileKind, Mismatch, RunReport};
use meshspec::{Dialect, Format, ReadOptions, bmd, check, conformance, crucible, iyma, mesh, seed};

use crate::common::is_thorough;

fn rules(report: &RunReport) -> Vec<&'static str> {
    let mut rules: Vec<_> = report
        .disagreements()
        .iter()
        .filter_map(|found| found.rule)
        .map(|rule| rule.code)
        .collect();
    rules.dedup();
    rules
}

macro_rules! agree {
    ($($test:ident $format:ident),+) => {$(
        #[test]
        fn $test() {
            let read = |bytes: &[u8]| $format::Document::read(bytes, &ReadOptions::default());
            let cases = if is_thorough() { 8 } else { 4 };
            let report = conformance::<$format::Document>().cases(cases).run(read);
            assert!(report.agrees(), "{report}");
            let kinds = [FileKind::Valid, FileKind::Mutated];
            assert!(kinds.iter().all(|kind| report.files(*kind) > 0), "{report}");
        }
    )+};
}

agree!(
    reading_mesh_agrees mesh,
    reading_crucible_agrees crucible,
    reading_seed_agrees seed,
    reading_iyma_agrees iyma,
    reading_bmd_agrees bmd
);

#[test]
fn a_loader_that_accepts_everything_breaks_every_rule() {
    let report = conformance::<mesh::Document>().cases(32).run(|_| true);
    assert!(!report.agrees());
    let found = rules(&report);
    for rule in [
        "MESH-TRUNCATED",
        "MESH-VERSION",
        "MESH-INDEX-RANGE",
        "MESH-JOINT-ID",
        "MESH-NAME",
    ] {
        assert!(found.contains(&rule), "{rule}: {report}");
    }
    // Each rule is one group, and the smallest file comes first.
    let unique: std::collections::BTreeSet<_> = found.iter().collect();
    assert_eq!(unique.len(), found.len(), "{found:?}");
    let sizes: Vec<_> = report
        .disagreements()
        .iter()
        .map(|found| found.bytes.len())
        .collect();
    assert_eq!(sizes.first(), sizes.iter().min());
    assert!(
        report
            .disagreements()
            .iter()
            .all(|found| found.mismatch == Mismatch::Accepted)
    );
}

#[test]
fn a_loader_that_rejects_everything_has_one_cause() {
    let report = conformance::<crucible::Document>()
        .cases(8)
        .run(|_| None::<()>);
    let [found] = report.disagreements() else {
        panic!("{report}")
    };
    assert_eq!(found.mismatch, Mismatch::Rejected(String::new()));
    // A chunk without indices and streams.
    assert_eq!(found.bytes.len(), 11, "{report}");
    assert!(found.files > 8, "{report}");
}

#[test]
fn a_panic_is_a_disagreement() {
    // This loader does not check the count.
    let load = |bytes: &[u8]| {
        let vertices = u32::from_le_bytes(bytes[3..7].try_into().unwrap());
        vertices < 3
    };
    let report = conformance::<mesh::Document>().cases(8).run(load);
    let panic = report
        .disagreements()
        .iter()
        .find_map(|found| match &found.mismatch {
            Mismatch::Panicked(message) => Some((message, found.bytes.len())),
            _ => None,
        });
    let (message, size) = panic.expect("a panic");
    assert!(
        message.contains("out of range") && message.contains(&format!("{}:", file!())),
        "{message}"
    );
    assert_eq!(size, 0);
    // Other bugs are also found.
    assert!(rules(&report).contains(&"MESH-INDEX-RANGE"), "{report}");
    // Panics outside loaders unwind as usual.
    assert!(std::panic::catch_unwind(|| panic!("no loader")).is_err());
}

#[test]
fn contents_are_compared() {
    let load = |bytes: &[u8]| {
        let document = crucible::Document::read(bytes, &ReadOptions::default()).ok()?;
        let uvs = |chunk: &crucible::Chunk| {
            chunk
                .uvs()
                .map(|uvs| uvs.iter().map(|[u, v]| [*v, *u]).collect())
        };
        Some(
            document
                .chunks
                .iter()
                .map(uvs)
                .collect::<Vec<Option<Vec<[f32; 2]>>>>(),
        )
    };
    let expected = |document: &crucible::Document| -> Vec<Option<Vec<[f32; 2]>>> {
        document
            .chunks
            .iter()
            .map(|chunk| chunk.uvs().map(<[_]>::to_vec))
            .collect()
    };
    let report = conformance::<crucible::Document>()
        .cases(32)
        .compare(expected, load);
    let [found] = report.disagreements() else {
        panic!("{report}")
    };
    let Mismatch::Contents { text, .. } = &found.mismatch else {
        panic!("{report}")
    };
    // The shrunk file has one vertex, with different coordinates.
    assert!(text.starts_with("expected `"), "{text}");
    assert!(found.bytes.len() <= 80, "{report}");
}

#[test]
fn the_same_settings_give_the_same_report() {
    let run = |seed| {
        conformance::<crucible::Document>()
            .seed(seed)
            .cases(4)
            .run(|_| true)
            .to_string()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn an_unknown_dialect_is_a_disagreement() {
    let report = conformance::<bmd::Document>()
        .dialect(Dialect::TANGENT)
        .run(|_| true);
    assert!(!report.agrees());
    assert!(
        report.to_string().contains("no tangent dialect"),
        "{report}"
    );
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn coverage_counts_files_by_rule() {
    let read = |bytes: &[u8]| bmd::Document::read(bytes, &ReadOptions::default());
    let report = conformance::<bmd::Document>().cases(32).run(read);
    let of = |code: &str| {
        *report
            .coverage()
            .iter()
            .find(|coverage| coverage.rule.code == code)
            .unwrap()
    };
    for code in ["BMD-INDEX-RANGE", "BMD-LOD-RANGE"] {
        assert!(
            of(code).broken > 0 && of(code).almost_broken > 0,
            "{report}"
        );
    }
    // Code enforces these rules: wrong numbers break them.
    for code in ["BMD-TRIANGLE-COUNT", "BMD-KEY-RANGE", "BMD-FRAMES-TRAILING"] {
        assert!(of(code).broken > 0, "{code}: {report}");
    }
}

#[test]
fn report_shows_the_smallest_file_per_rule() {
    let lenient = |bytes: &[u8]| {
        mesh::Document::read(bytes, &ReadOptions::lenient().with_dialect(Dialect::SPEC))
    };
    let report = conformance::<mesh::Document>().cases(16).run(lenient);
    let text = report.to_string();
    assert_eq!(text, format!("{report:?}"));
    let group = text
        .split("MESH-INDEX-RANGE: Every index is below the vertex count.")
        .nth(1)
        .expect("a group");
    let lines: Vec<_> = group.lines().skip(2).take(4).collect();
    assert_eq!(lines[0], "accepts an invalid file");
    assert!(
        lines[1].starts_with("  strict reading rejects it: indices[0] (bytes 0x"),
        "{group}"
    );
    assert!(
        lines[2].contains("broken, indices[0] = ") && lines[2].contains(" bytes, one of "),
        "{group}"
    );
    assert!(lines[3].contains("00000000  01 01 00"), "{group}");
}

/// A loader that returns `None` for files with findings.
fn load_without_findings(bytes: &[u8]) -> Option<()> {
    let options = ReadOptions::default().with_dialect(Dialect::SPEC);
    let report = check(bytes, mesh::FORMAT, &options).ok()?;
    report.findings().is_empty().then_some(())
}

#[test]
fn warnings_of_valid_files_are_reported() {
    let report = conformance::<mesh::Document>()
        .cases(16)
        .run(load_without_findings);
    let rejected = report
        .disagreements()
        .iter()
        .find(|found| found.rule.is_none())
        .expect("a valid file");
    let codes: Vec<_> = rejected.warnings.iter().map(|rule| rule.code).collect();
    assert!(!codes.is_empty() && codes.is_sorted(), "{report}");
    let line = format!(
        "\n  strict reading accepts it, with warnings: {}\n",
        codes.join(", ")
    );
    assert!(rejected.to_string().contains(&line), "{report}");
}

#[test]
fn ignored_rules_are_skipped() {
    let harness = || conformance::<mesh::Document>().cases(16);
    let lenient = |bytes: &[u8]| {
        mesh::Document::read(bytes, &ReadOptions::lenient().with_dialect(Dialect::SPEC))
    };
    assert!(rules(&harness().run(lenient)).contains(&"MESH-INDEX-RANGE"));
    let report = harness().ignoring(&["MESH-INDEX-RANGE"]).run(lenient);
    assert!(
        !report.agrees() && !rules(&report).contains(&"MESH-INDEX-RANGE"),
        "{report}"
    );
    let tested = |report: &RunReport| {
        let coverage = report
            .coverage()
            .iter()
            .find(|coverage| coverage.rule.code == "MESH-INDEX-RANGE");
        coverage.unwrap().broken
    };
    assert_eq!(tested(&report), 0);
    let report = harness().ignoring(&["MESH-INDEX"]).run(lenient);
    assert!(!report.agrees());
    assert!(
        report
            .to_string()
            .contains("cannot ignore MESH-INDEX: the format has no such rule"),
        "{report}"
    );
}

#[test]
fn documents_show_their_items() {
    let mut document = bmd::Document::default();
    let mut mesh = bmd::Mesh::default();
    let vertex = bmd::PackedVertex::Textured64(bmd::schema::TexturedVertex64::new().with_bone(3));
    mesh.vertices.push(vertex).unwrap();
    document.meshes.push(mesh);
    let text = format!("{document:?}");
    assert!(
        text.contains("bone: 3") && !text.contains("PhantomData"),
        "{text}"
    );
}

#[test]
fn differences_have_paths() {
    #[derive(Debug, PartialEq)]
    struct Model {
        chunks: Vec<Part>,
    }
    #[derive(Debug, PartialEq)]
    struct Part {
        vertices: usize,
        faces: Faces,
    }
    #[derive(Debug, PartialEq)]
    struct Faces {
        corners: usize,
    }
    let model = |document: &crucible::Document, extra: usize| {
        let part = |chunk: &crucible::Chunk| Part {
            vertices: chunk.vertex_count(),
            faces: Faces {
                corners: chunk.indices.iter().count() + extra,
            },
        };
        Model {
            chunks: document.chunks.iter().map(part).collect(),
        }
    };
    let load = |bytes: &[u8]| {
        let document = crucible::Document::read(bytes, &ReadOptions::default()).ok()?;
        Some(model(&document, 1))
    };
    let report = conformance::<crucible::Document>()
        .cases(8)
        .compare(|document| model(document, 0), load);
    let [found] = report.disagreements() else {
        panic!("{report}")
    };
    let Mismatch::Contents { path, .. } = &found.mismatch else {
        panic!("{report}")
    };
    assert_eq!(path, "chunks.faces.corners");
}

#[test]
fn a_stated_dialect_is_not_detected() {
    let report = conformance::<crucible::Document>()
        .dialect(Dialect::TANGENT)
        .cases(32)
        .run(|_| true);
    // Files without tangents could be of either dialect.
    assert_eq!(report.files(FileKind::Valid), 32);
}
