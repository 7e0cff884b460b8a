//! Tests a Rust crate as `docs/conformance.md` describes, with the loader of `examples/loaders`.

use meshspec::{bmd, conformance};

#[path = "../../../examples/loaders/bmd_loader.rs"]
#[allow(dead_code, reason = "it is a program")]
mod bmd_loader;

const PAGE: &str = include_str!("../../../docs/conformance.md");

#[test]
#[ignore = "takes half a minute of processor time: `.ci/run` runs it"]
fn the_loader_agrees_once_it_is_fixed() {
    let run = |is_fixed| {
        conformance::<bmd::Document>()
            .cases(64)
            .run(|bytes| bmd_loader::load(bytes, is_fixed))
    };
    let report = run(false);
    let [disagreement] = report.disagreements() else {
        panic!("{report}")
    };
    let text = report.to_string();
    let shown = PAGE
        .split("```text\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    assert!(text.contains(shown.trim_end()), "{text}");
    assert_eq!(disagreement.rule.unwrap().code, "BMD-LOD-RANGE");
    assert!(run(true).agrees(), "{:?}", run(true));
    assert!(PAGE.contains("conformance::<bmd::Document>().cases(64).run(|bytes| load(bytes))"));
}
