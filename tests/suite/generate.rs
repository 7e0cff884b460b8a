//! Files that are generated from declarations.

#![allow(dead_code, reason = "some declarations are only described, never decoded")]

use binrw::binrw;
use meshspec::layout::{self, Layout, Type, generate};
use meshspec::{FormatId, Limits, Report, Rule, Severity};
use modular_bitfield::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

const fn rule(code: &'static str, severity: Severity) -> Rule {
    Rule { code, severity, summary: "", section: "", row: "" }
}

static BELOW: Rule = rule("BELOW", Severity::Error);
static FINITE: Rule = rule("FINITE", Severity::Warning);
static RULES: &[&Rule] = &[&BELOW, &FINITE];

/// Everything that constraints say of single values.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Constrained {
    #[layout(holds(vertex_count > 1), rule = "BELOW", message = "too few")]
    vertex_count: u8,
    #[br(count = 3)]
    #[layout(below = vertex_count, rule = "BELOW")]
    indices: Vec<u16>,
    #[layout(one_of(3, 9), rule = "BELOW")]
    kind: u32,
    #[br(count = 4)]
    #[layout(finite, rule = "FINITE")]
    #[layout(ordered, rule = "FINITE")]
    times: Vec<f32>,
    #[layout(reserved_zero, rule = "BELOW")]
    flags: Flags,
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

/// An item whose form a look-ahead tells.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Ahead {
    #[br(restore_position)]
    #[bw(ignore)]
    first: u8,
    #[br(if(first < 0xf0))]
    small: Option<u8>,
    #[br(if(first >= 0xf0))]
    large: Option<u32>,
}

fn file(ty: &'static Type, seed: u64, config: &generate::Config) -> Vec<u8> {
    // Any numbers will do that are far from each other.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let choices: Vec<u64> = (0..seed % 400).map(next).collect();
    generate::file(ty, &choices, config).unwrap_or_else(|error| panic!("{seed}: {error}"))
}

fn findings(bytes: &[u8]) -> Vec<String> {
    let mut report = Report::default();
    layout::check(&Constrained::TYPE, bytes, RULES, &Limits::default(), &mut report).unwrap();
    report.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn constraints_are_respected() {
    let plausible = generate::Config { plausible: true, rules: RULES, ..Default::default() };
    let config = generate::Config { plausible: false, ..plausible };
    let mut warnings = 0;
    for seed in 1..500 {
        assert_eq!(findings(&file(&Constrained::TYPE, seed, &plausible)), [""; 0], "{seed}");
        let found = findings(&file(&Constrained::TYPE, seed, &config));
        assert!(found.iter().all(|finding| finding.contains("[FINITE]")), "{seed}: {found:?}");
        warnings += found.len();
    }
    // What is no error is reached as well.
    assert!(warnings > 100, "{warnings}");
}

#[test]
fn look_aheads_tell_what_follows() {
    let files: Vec<_> = (0..200).map(|seed| file(&Ahead::TYPE, seed, &Default::default())).collect();
    let small = files.iter().filter(|file| file.len() == 1 && file[0] < 0xf0).count();
    let large = files.iter().filter(|file| file.len() == 4 && file[0] >= 0xf0).count();
    assert_eq!(small + large, files.len());
    assert!(small > 10 && large > 10, "{small} {large}");
}

/// But for IyMA, whose descriptor must fit data that no expression says anything about.
#[test]
fn every_layout_can_be_generated() {
    let layouts = FormatId::ALL.iter().filter(|format| format.name() != "iyma");
    let layouts: Vec<_> = layouts.flat_map(|format| format.about().layouts()).collect();
    assert_eq!(layouts.len(), 7);
    for (name, ty) in layouts {
        let files: Vec<_> = (0..300).map(|seed| file(ty, seed, &Default::default())).collect();
        // The walker has gone through all of them.
        let sizes: Vec<_> = files.iter().map(Vec::len).collect();
        assert!(sizes.iter().max() > sizes.iter().min(), "{name}: {sizes:?}");
    }
}

#[test]
fn what_nothing_satisfies_is_an_error() {
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

#[test]
fn no_choices_make_the_smallest_file() {
    let about = FormatId::Mesh.about();
    let smallest = |config| generate::file(about.layouts()[0].1, &[], &config).unwrap();
    let config = generate::Config { rules: about.rules, ..Default::default() };
    assert_eq!(smallest(config), [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // A triangle and its vertex.
    assert_eq!(
        smallest(generate::Config { plausible: true, ..config })[..11],
        [1, 1, 0, 1, 0, 0, 0, 3, 0, 0, 0]
    );
}

#[test]
fn files_shrink_to_the_fewest_items() {
    let strategy = generate::valid::<Vertices>(Default::default());
    let has_none = |bytes: Vec<u8>| {
        prop_assert_eq!(bytes[0], 0);
        Ok(())
    };
    let Err(TestError::Fail(_, smallest)) = TestRunner::deterministic().run(&strategy, has_none) else {
        panic!("none has a vertex")
    };
    assert_eq!(smallest, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// Positions with their number.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Vertices {
    count: u8,
    #[br(count = count)]
    positions: Vec<[f32; 3]>,
}
