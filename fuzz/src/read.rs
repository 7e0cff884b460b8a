//! Properties of reading: lenient reading accepts every file that strict reading accepts, and errors have a rule and a
//! location.

use meshspec::{AnyFormat, ErrorKind, ReadOptions, Result, Span, Strictness};

use super::input::{Input, limits};

/// Tests reading of a file in the format and dialect of the input, and in the detected ones.
pub fn read(data: &[u8]) {
    let Some(input) = Input::of(data) else { return };
    let [strict, lenient] =
        [Strictness::Strict, Strictness::Lenient].map(|strictness| input.options(strictness));
    let _ = assert_readable(input.format, input.bytes, &strict, &lenient);
    if let Ok(detected) = meshspec::detect(input.bytes, None) {
        let strict = ReadOptions::default().with_limits(limits());
        let lenient = ReadOptions::lenient().with_limits(limits());
        let _ = assert_readable(detected.format, input.bytes, &strict, &lenient);
    }
}

/// Reads a file strictly and leniently. Returns the error of lenient reading if it rejects the file.
///
/// # Panics
///
/// Panics if strict reading accepts a file that lenient reading rejects, or an error lacks its rule or location.
pub fn assert_readable(
    format: AnyFormat,
    bytes: &[u8],
    strict: &ReadOptions,
    lenient: &ReadOptions,
) -> Result<()> {
    let strict = format.read(bytes, strict);
    let lenient = format.read(bytes, lenient);
    for result in [&strict, &lenient] {
        let Err(error) = result else { continue };
        assert_eq!(error.format(), Some(format.name()), "{error}");
        if matches!(error.kind(), ErrorKind::LimitExceeded(_)) {
            continue;
        }
        assert!(error.rule().is_some(), "no rule: {error}");
        let span = error
            .span()
            .unwrap_or_else(|| panic!("no location: {error}"));
        // A line of a text file may belong to no field.
        assert!(
            !error.path().is_empty() || matches!(span, Span::Text { .. }),
            "no path: {error}"
        );
        assert!(span.range().start <= span.range().end, "{error}");
    }
    assert!(
        lenient.is_ok() || strict.is_err(),
        "lenient reading rejects what strict reading accepts"
    );
    lenient.map(drop)
}
