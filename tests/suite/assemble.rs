//! The assembler against the walker: what the walker reads, the assembler writes again.

use crate::common::{fixtures, samples};
use meshspec::layout::Type;
use meshspec::layout::assemble::Values;
use meshspec::{FormatId, Limits};

fn layout_of(format: FormatId, bytes: &[u8]) -> Option<&'static Type> {
    format.layout_of(bytes, format.detect(bytes).dialect)
}

/// Whether the file can be walked to its end; then its values must assemble to the same bytes.
fn comes_back(name: &str, format: FormatId, bytes: &[u8]) -> bool {
    let limits = Limits::default();
    let Some(layout) = layout_of(format, bytes) else { return false };
    let Ok(values) = Values::of(layout, bytes, &limits) else { return false };
    let assembled = values.assemble(&limits).unwrap_or_else(|error| panic!("{name}: {error}"));
    let differs = assembled.iter().zip(bytes).position(|(a, b)| a != b);
    assert!(
        assembled == bytes,
        "{name}: differs from {differs:?} on, {} of {}",
        assembled.len(),
        bytes.len()
    );
    true
}

#[test]
fn samples_come_back() {
    let count = samples().iter().filter(|(format, bytes)| comes_back("sample", *format, bytes)).count();
    assert!(count > 10, "{count}");
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn reference_files_come_back() {
    let mut count = 0;
    for fixture in fixtures() {
        let Ok(format) = fixture.format.parse() else { continue };
        count += usize::from(comes_back(&fixture.file, format, &fixture.bytes));
    }
    println!("{count} reference files come back");
    assert!(count > 140, "{count}");
}
