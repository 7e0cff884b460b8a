//! In every format, strict writing rejects a document that breaks a rule.

use meshspec::{
    Dialect, Document, ErrorKind, Format, ReadOptions, Strictness, WriteOptions, bmd, crucible,
    iyma, mesh, seed,
};

fn sample<D: Format>(bytes: &[u8]) -> D {
    D::read(bytes, &ReadOptions::default()).unwrap()
}

#[test]
fn documents_that_break_a_rule_are_not_written() {
    let mut mesh: mesh::Document = sample(include_bytes!("../../samples/mesh/tetrahedron.mesh"));
    mesh.indices[1] = 4;
    let mut crucible: crucible::Document =
        sample(include_bytes!("../../samples/crucible/tetrahedron.crmesh"));
    crucible.chunks[0].indices = crucible::Indices::U32(vec![0, 1, 4]);
    let mut iyma: iyma::Document = sample(include_bytes!("../../samples/iyma/quads.ima"));
    iyma.meshes[0].vertex_count = 0;
    let mut bmd: bmd::Document = sample(include_bytes!("../../samples/bmd/pyramid.bmd"));
    bmd.lods.push(bmd::LodDef {
        id_mesh: 200,
        n_mesh: 1,
        ..Default::default()
    });
    let mut seed: seed::Document = sample(include_bytes!("../../samples/seed/facets.mesh"));
    seed.positions[0][0] = f32::NAN;

    let documents: [(Document, &str); 5] = [
        (mesh.into(), "MESH-INDEX-RANGE"),
        (crucible.into(), "CRUCIBLE-INDEX-RANGE"),
        (iyma.into(), "IYMA-INDEX-RANGE"),
        (bmd.into(), "BMD-LOD-RANGE"),
        (seed.into(), "SEED-NUMBER"),
    ];
    for (document, code) in documents {
        let found = document
            .check()
            .first_rejected(Strictness::Strict)
            .map(|finding| finding.rule.code);
        assert_eq!(found, Some(code));
        let error = document.write(&WriteOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Inexpressible, "{error}");
        assert_eq!(error.format(), Some(document.format().name()), "{error}");
        assert_eq!(error.rule().map(|rule| rule.code), Some(code), "{error}");
    }
}

/// Renderlib stores the joint of a pose in a byte.
#[test]
fn joints_of_poses_fit_in_a_byte_in_renderlib() {
    let mut document = mesh::Document::read(
        include_bytes!("../../samples/mesh/tentacle_renderlib.mesh"),
        &ReadOptions::default().with_dialect(Dialect::RENDERLIB),
    )
    .unwrap();
    document.animations[0].poses[1].joint = 256;
    let error = document.write(&WriteOptions::lenient()).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.path().to_string()),
        (ErrorKind::Inexpressible, "animations[0].poses[1].joint"),
        "{error}"
    );
}

#[test]
fn channels_have_a_line_per_vertex() {
    let codes = |change: fn(&mut seed::Document)| {
        let mut document: seed::Document = sample(include_bytes!("../../samples/seed/facets.mesh"));
        change(&mut document);
        let report = document.check();
        let found = report.findings().iter();
        found
            .map(|finding| (finding.rule.code, finding.path.to_string()))
            .collect::<Vec<_>>()
    };
    let lines = |path: &str| vec![("SEED-LINES", path.to_owned())];
    assert_eq!(codes(|_| {}), []);
    assert_eq!(
        codes(|document| document.uvs = vec![Vec::new()]),
        lines("uvs[0]")
    );
    assert_eq!(
        codes(|document| document.uvs = vec![vec![[0.0; 2]]]),
        lines("uvs[0]")
    );
    assert_eq!(
        codes(|document| document.colors = vec![Vec::new()]),
        lines("colors[0]")
    );
}
