//! Reading damaged files never panics, returns errors with a reason and a location, and uses bounded memory.

use libtest_mimic::Trial;
use meshspec::{AnyFormat, ReadOptions, Result};

use crate::common::{File, Mutator, accepted_fixtures, samples};
use crate::fuzz::assert_readable;
use crate::{MEBIBYTE, measure_peak, trial};

pub fn trials() -> Vec<Trial> {
    let truncated = trials_of_files("truncated_at_every_byte", truncated_at_every_byte);
    let mutated = trials_of_files("ten_thousand_mutations", ten_thousand_mutations);
    truncated.into_iter().chain(mutated).collect()
}

/// Returns a test of the samples, and an ignored test of the reference files, which requires MESHSPEC_FIXTURES.
fn trials_of_files(name: &str, test: fn(Vec<File>)) -> [Trial; 2] {
    [
        trial(format!("{}::samples::{name}", module_path!()), move || {
            test(samples())
        }),
        trial(
            format!("{}::reference_files::{name}", module_path!()),
            move || test(accepted_fixtures()),
        )
        .with_ignored_flag(true),
    ]
}

/// Reads a file strictly and leniently, and asserts that errors have a location and a rule. Returns the result of
/// lenient reading.
pub fn read(format: AnyFormat, bytes: &[u8]) -> Result<()> {
    assert_readable(
        format,
        bytes,
        &ReadOptions::default(),
        &ReadOptions::lenient(),
    )
}

/// Returns the maximum memory in bytes for reading a damaged version of a valid file.
fn memory_limit(file: &[u8]) -> usize {
    64 * MEBIBYTE + file.len()
}

fn truncated_at_every_byte(files: Vec<File>) {
    let mut rejected = 0;
    for (format, file) in files {
        // Truncates large files to every length below 64, then at intervals.
        let lengths = (0..file.len())
            .filter(|length| file.len() < 6000 || *length < 64 || length % 9973 == 0);
        for length in lengths {
            let (result, memory) = measure_peak(|| read(format, &file[..length]));
            assert!(
                memory <= memory_limit(&file),
                "{format}: {memory} bytes for {length} of {}",
                file.len()
            );
            rejected += usize::from(result.is_err());
        }
    }
    assert!(rejected > 1000, "only {rejected} truncations were rejected");
}

fn ten_thousand_mutations(files: Vec<File>) {
    let mut mutator = Mutator::new(1);
    let (mut rejected, mut accepted) = (0, 0);
    // Mutates small files in turn, and in every 500th round any file.
    let small: Vec<_> = files
        .iter()
        .filter(|(_, file)| file.len() < 50_000)
        .collect();
    for round in 0..10_000 {
        let (format, file) = if round % 500 == 0 {
            &files[mutator.below(files.len())]
        } else {
            small[round % small.len()]
        };
        let bytes = mutator.mutate(file);
        let (result, memory) = measure_peak(|| read(*format, &bytes));
        assert!(
            memory <= memory_limit(file),
            "{format}: {memory} bytes for a file of {}",
            file.len()
        );
        match result {
            Ok(()) => accepted += 1,
            Err(_) => rejected += 1,
        }
    }
    assert!(
        rejected > 1000 && accepted > 100,
        "{rejected} rejected, {accepted} accepted"
    );
}
