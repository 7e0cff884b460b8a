//! Every reference file against its verdicts, and its content against what an independent decoder found in it.
//!
//! A new entry of the index is tested without new code.

use crate::common::{Fixture, fixtures};
use meshspec::{FormatId, ReadOptions, WriteOptions};

/// The format of a fixture, unless it is not built in.
fn format_of(fixture: &Fixture) -> Option<FormatId> {
    fixture.format.parse().ok()
}

#[test]
fn verdicts() {
    let Some(fixtures) = fixtures() else { return };
    let mut wrong = Vec::new();
    for fixture in &fixtures {
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
fn contents() {
    let Some(fixtures) = fixtures() else { return };
    let mut compared = 0;
    for fixture in &fixtures {
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
fn errors_name_their_place_and_rule() {
    let Some(fixtures) = fixtures() else { return };
    for fixture in &fixtures {
        let Some(format) = format_of(fixture) else { continue };
        let Err(error) = format.read(&fixture.bytes, &ReadOptions::default()) else { continue };
        let file = &fixture.file;
        assert!(error.rule().is_some(), "{file}: {error}: no rule");
        assert!(!error.path().is_empty() || error.span().is_some(), "{file}: {error}: no place");
        assert_eq!(error.format(), Some(format), "{file}");
    }
}

#[test]
fn detection() {
    let Some(fixtures) = fixtures() else { return };
    for fixture in fixtures.iter().filter(|f| f.strict == Some(true) && format_of(f).is_some()) {
        let detected = meshspec::detect(&fixture.bytes, None).ok().map(|detected| detected.format.name());
        let expected = format_of(fixture).map(FormatId::name);
        assert_eq!(detected, expected, "{}", fixture.file);
    }
}

/// The table of all F8A codes.
#[test]
fn f8a_codes() {
    if let Some(table) = crate::common::fixture_text("bmd/f8a_table.txt") {
        crate::content::bmd::compare_f8a(&table);
    }
}

/// The newest files of the author of BMD, and all that his encoder writes, are in canonical form.
#[test]
fn canonical_images_are_written_byte_by_byte() {
    let Some(fixtures) = crate::common::fixtures_of("bmd") else { return };
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
fn what_is_read_can_be_written() {
    let Some(fixtures) = fixtures() else { return };
    for fixture in &fixtures {
        let Some(format) = format_of(fixture) else { continue };
        let Ok(document) = format.read(&fixture.bytes, &ReadOptions::lenient()) else { continue };
        let bytes = document.write(&WriteOptions::lenient()).expect(&fixture.file);
        let again = format.read(&bytes, &ReadOptions::lenient()).expect(&fixture.file);
        assert_eq!(again, document, "{}", fixture.file);
        let strict = document.write(&WriteOptions::default());
        // Blanks inside numbers are gone once they are read.
        let strictly = format.read(&fixture.bytes, &ReadOptions::default());
        let is_text =
            strictly.is_err_and(|error| error.rule().is_some_and(|rule| rule.code == "SEED-SPACED-NUMBER"));
        assert!(is_text || strict.is_ok() == (fixture.strict == Some(true)), "{}", fixture.file);
    }
}
