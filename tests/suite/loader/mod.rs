//! Hand-written loaders with bugs that can be enabled. The harness finds each bug with a small file.

mod bmd;
mod crucible;
mod mesh;

use std::fmt::Debug;

use meshspec::conformance::RunReport;

fn bits<'a>(floats: impl IntoIterator<Item = &'a f32>) -> Vec<u32> {
    floats.into_iter().map(|float| float.to_bits()).collect()
}

fn require_agreement(reports: &[RunReport]) {
    for report in reports {
        println!("{report}");
        assert!(report.agrees(), "{report}");
    }
}

/// Requires that up to 256 valid files, and files derived from them, expose each bug. Half of the smallest files must
/// have at most `median` bytes.
fn require_all_found<B: Debug + Copy>(
    bugs: &[B],
    median: usize,
    run: impl Fn(B, u32) -> Vec<RunReport>,
) {
    let mut sizes = Vec::new();
    for bug in bugs {
        // A smaller number of files is a prefix of a larger one.
        let found = [16, 64, 256].into_iter().find_map(|cases| {
            let reports = run(*bug, cases);
            let smallest = reports
                .iter()
                .flat_map(RunReport::disagreements)
                .min_by_key(|d| d.bytes.len())?;
            Some((cases, smallest.clone()))
        });
        let Some((cases, smallest)) = found else {
            panic!("{bug:?} is not found")
        };
        println!(
            "{bug:?}: {} runs, of {cases} files {smallest}",
            smallest.runs
        );
        sizes.push(smallest.bytes.len());
    }
    sizes.sort_unstable();
    println!("{} bugs, sizes {sizes:?}", sizes.len());
    assert!(sizes[sizes.len() / 2] <= median, "{sizes:?}");
}
