//! Compares the verdict and content of every reference file with an independent decoder.
//!
//! New index entries are tested without new code.

use crate::common::{Fixture, fixtures, fixtures_of, reference_text};
use meshspec::{FormatId, ReadOptions, WriteOptions};

/// Returns the built-in format of a fixture; `None` for other formats.
fn format_of(fixture: &Fixture) -> Option<FormatId> {
    fixture.format.parse().ok()
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn verdicts() {
    let mut wrong = Vec::new();
    for fixture in &fixtures() {
        let Some(format) = format_of(fixture) else { continue };
        let modes = [(fixture.strict, ReadOptions::default()), (fixture.lenient, ReadOptions::lenient())];
        for (accepts, options) in modes {
            let result = format.read(&fixture.bytes, &options);
            if accepts.is_some_and(|accepts| accepts != result.is_ok()) {
                wrong.push(format!("{} {:?}: {:?}", fixture.file, options.strictness, result.err()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn contents() {
    let mut compared = 0;
    for fixture in &fixtures() {
        let Some(format) = format_of(fixture) else { continue };
        let Ok(document) = format.read(&fixture.bytes, &ReadOptions::lenient()) else { continue };
        if let Some(expected) = &fixture.expected {
            compared +=
                usize::from(crate::content::compare(&fixture.file, &document, &fixture.bytes, expected));
        }
    }
    assert!(compared > 0, "no content was compared");
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn errors_name_their_location_and_rule() {
    for fixture in &fixtures() {
        let Some(format) = format_of(fixture) else { continue };
        let Err(error) = format.read(&fixture.bytes, &ReadOptions::default()) else { continue };
        let file = &fixture.file;
        assert!(error.rule().is_some(), "{file}: {error}: no rule");
        assert!(!error.path().is_empty() || error.span().is_some(), "{file}: {error}: no location");
        assert_eq!(error.format(), Some(format.name()), "{file}");
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn detection() {
    for fixture in fixtures().iter().filter(|f| f.strict == Some(true) && format_of(f).is_some()) {
        let detected = meshspec::detect(&fixture.bytes, None).ok().map(|detected| detected.format.name());
        let expected = format_of(fixture).map(FormatId::name);
        assert_eq!(detected, expected, "{}", fixture.file);
    }
}

/// The table of all F8A codes.
#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn f8a_codes() {
    crate::content::bmd::compare_f8a(&reference_text("bmd/f8a_table.txt"));
}

/// The author's newest BMD files, and all files of the author's encoder, are in canonical form.
#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn canonical_images_are_written_byte_by_byte() {
    let fixtures = fixtures_of("bmd");
    let newest = ["bmd/real/chair0.bmd", "bmd/real/couch0.bmd", "bmd/real/chicken1.bmd"];
    let canonical: Vec<_> = fixtures
        .iter()
        .filter(|f| newest.contains(&&*f.file) || f.file.starts_with("bmd/encoder/"))
        .collect();
    assert!(newest.iter().all(|name| canonical.iter().any(|fixture| fixture.file == **name)));
    for fixture in canonical {
        let document = FormatId::Bmd.read(&fixture.bytes, &ReadOptions::default()).unwrap();
        assert!(document.write(&WriteOptions::default()).unwrap() == fixture.bytes, "{}", fixture.file);
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn documents_can_be_written_back() {
    for fixture in &fixtures() {
        let Some(format) = format_of(fixture) else { continue };
        let Ok(document) = format.read(&fixture.bytes, &ReadOptions::lenient()) else { continue };
        let bytes = document.write(&WriteOptions::lenient()).expect(&fixture.file);
        let again = format.read(&bytes, &ReadOptions::lenient()).expect(&fixture.file);
        assert_eq!(again, document, "{}", fixture.file);
        let strict = document.write(&WriteOptions::default());
        // Reading drops spaces inside numbers.
        let strictly = format.read(&fixture.bytes, &ReadOptions::default());
        let is_text =
            strictly.is_err_and(|error| error.rule().is_some_and(|rule| rule.code == "SEED-SPACED-NUMBER"));
        assert!(is_text || strict.is_ok() == (fixture.strict == Some(true)), "{}", fixture.file);
    }
}
