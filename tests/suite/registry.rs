//! Registries with custom and built-in formats.

use std::path::Path;

use crate::common::samples;
use binrw::binrw;
use meshspec::info::{Property, PropertyValue};
use meshspec::layout::Layout;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::{Type, bind};
use meshspec::layout::schema::{Schema, SchemaFile};
use meshspec::{
    About, AnyFormat, BinaryFormat, Confidence, Dialect, Enforcement, Error, ErrorKind, Format,
    Formats, Limits, ReadOptions, Report, Result, Rule, Severity, Strictness, WriteOptions, check,
    path,
};

/// Curves through points.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"CURV")]
#[br(import(dialect: Dialect))]
struct Curves {
    /// Number of curves.
    #[br(temp)]
    #[bw(try_calc = u8::try_from(curves.len()))]
    count: u8,
    /// The curves.
    #[br(count = count)]
    curves: Vec<Curve>,
    /// The curvature.
    #[br(if(dialect == Dialect::TANGENT))]
    tension: Option<f32>,
}

/// One curve.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Curve {
    /// Number of points.
    #[br(temp, assert(count >= 2, "a curve has 2 points at least"))]
    #[bw(try_calc = u8::try_from(points.len()))]
    count: u8,
    /// The points.
    #[br(count = count)]
    points: Vec<[u8; 2]>,
}

static LAYOUTS: std::sync::LazyLock<[(&str, &Type); 2]> = std::sync::LazyLock::new(|| {
    [
        ("curves", bind::<Curves>("", &[Dialect::SPEC.into()])),
        (
            "curves_tense",
            bind::<Curves>("Tense", &[Dialect::TANGENT.into()]),
        ),
    ]
});

static CLOSED: Rule = Rule {
    section: "Curves",
    enforced_by: Enforcement::Code("the last item of the last list"),
    ..Rule::new(
        "CURVES-CLOSED",
        Severity::Warning,
        "The file ends with a point at 0, 0.",
    )
};

static RULES: &[&Rule] = &[&CLOSED];

/// A file of curves.
struct CurvesFile(Vec<u8>);

impl Format for CurvesFile {
    const ABOUT: &'static About = &About::new("curves", "Curves", || &*LAYOUTS)
        .with_extensions(&["crv"])
        .with_rules(RULES)
        .with_dialects(&[Dialect::SPEC, Dialect::TANGENT]);

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<CurvesFile> {
        Self::require_valid(bytes, options)?;
        Ok(CurvesFile(bytes.to_vec()))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        Self::require_valid(&self.0, &options.to_read_options())?;
        Ok(self.0.clone())
    }

    fn check_content(
        bytes: &[u8],
        dialect: Dialect,
        _: &Limits,
        report: &mut Report,
    ) -> Result<()> {
        if dialect == Dialect::SPEC && !bytes.ends_with(&[0, 0]) {
            report.add(
                &CLOSED,
                path!(curves[0].points),
                "the last point is another one",
            );
        }
        Ok(())
    }
}

/// Two bytes without magic bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Pair {
    first: u8,
    #[br(assert(second > first, "the second is larger"))]
    second: u8,
}

impl BinaryFormat for Pair {
    const NAME: &'static str = "pair";
    const EXTENSIONS: &'static [&'static str] = &["pair"];
}

/// Another pair with the same bytes.
struct Other(Vec<u8>);

impl Format for Other {
    const ABOUT: &'static About =
        &About::new("other", "Others", || &[("other", &Pair::TYPE)]).with_extensions(&["other"]);

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Other> {
        Self::require_valid(bytes, options)?;
        Ok(Other(bytes.to_vec()))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        Self::require_valid(&self.0, &options.to_read_options())?;
        Ok(self.0.clone())
    }
}

fn formats() -> Formats {
    Formats::builtin()
        .with::<CurvesFile>()
        .unwrap()
        .with::<Pair>()
        .unwrap()
}

const TWO_CURVES: &[u8] = b"CURV\x02\x02abcd\x03abcd\0\0";

fn findings(format: AnyFormat, bytes: &[u8]) -> Vec<String> {
    let report = check(bytes, format, &ReadOptions::default()).unwrap();
    report.findings().iter().map(ToString::to_string).collect()
}

#[test]
fn a_format_is_found_by_its_name() {
    let formats = formats();
    assert_eq!(formats.iter().count(), Formats::BUILT_IN.len() + 2);
    let curves = formats.get("curves").unwrap();
    assert_eq!(curves.about().title, "Curves");
    for format in Formats::BUILT_IN {
        assert_eq!(formats.get(format.name()).unwrap(), *format);
    }
    let error = formats.get("curve").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "unknown format `curve`: the formats are {}",
            formats.names()
        )
    );
    assert!(formats.names().ends_with("curves, pair"));
}

#[test]
fn built_in_formats_have_json() {
    for (format, file) in samples() {
        let mut json = Vec::new();
        let options = ReadOptions::default();
        format.file_to_json(&file, &options, &mut json).unwrap();
        assert_eq!(
            format.json_to_file(&json, &Default::default()).unwrap(),
            file
        );
    }
}

/// The summary and the contents of a file have its dialect, and the errors of reading it.
#[test]
fn a_format_without_a_codec_has_its_dialects() {
    let curves = meshspec::format_of::<CurvesFile>();
    let tense = ReadOptions::default().with_dialect(Dialect::TANGENT);
    let file = b"CURV\x01\x02abcd\0\0\0\0";
    let info = curves.info(file, &tense).unwrap();
    assert_eq!(info.dialect, Dialect::TANGENT);
    assert_eq!(info.properties[0].name, "curves");
    let contents = curves.contents(file, &tense).unwrap();
    assert_eq!(contents.dialect, Dialect::TANGENT);
    assert!(contents.fields.is_some());
    let truncated = &file[..8];
    for error in [
        curves.info(truncated, &tense).unwrap_err(),
        curves.contents(truncated, &tense).unwrap_err(),
        curves.read(truncated, &tense).unwrap_err(),
    ] {
        assert_eq!(error.rule().map(|rule| rule.code), Some("LAYOUT-TRUNCATED"));
    }
}

#[test]
fn a_format_is_detected_by_magic_bytes_or_by_structure() {
    let formats = formats();
    let detected = |bytes: &[u8], path: Option<&str>| {
        formats
            .detect(bytes, path.map(Path::new))
            .map(|detected| (detected.format.name(), detected.dialect))
    };
    assert_eq!(
        detected(TWO_CURVES, None).unwrap(),
        ("curves", Dialect::SPEC)
    );
    assert_eq!(
        detected(b"CURV", None).unwrap(),
        ("curves", Dialect::SPEC),
        "damaged, but with magic bytes"
    );
    assert_eq!(detected(&[1, 2], None).unwrap(), ("pair", Dialect::SPEC));
    assert!(detected(&[2, 1], None).is_err());
    // Its extension identifies a damaged file.
    assert_eq!(detected(&[2, 1], Some("a.pair")).unwrap().0, "pair");
    let confidence = |bytes| formats.get("pair").unwrap().detect(bytes).confidence;
    assert_eq!(
        [confidence(&[1, 2]), confidence(&[1, 2, 3])],
        [Confidence::Structure, Confidence::None]
    );
}

#[test]
fn an_extension_decides_between_equal_matches() {
    let formats = Formats::new()
        .with::<Pair>()
        .unwrap()
        .with::<Other>()
        .unwrap();
    let error = formats.detect(&[1, 2], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "could be pair or other: specify the format"
    );
    let detected = formats.detect(&[1, 2], Some(Path::new("a.OTHER"))).unwrap();
    assert_eq!(detected.format.name(), "other");
}

#[test]
fn format_names_are_unique() {
    let error = formats().with::<Pair>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error
            .to_string()
            .starts_with("pair: the name is taken; choose one other than"),
        "{error}"
    );

    struct Named(Vec<u8>);
    impl Format for Named {
        const ABOUT: &'static About = &About::new("my-format", "", || &[]);

        fn read(bytes: &[u8], options: &ReadOptions) -> Result<Named> {
            Self::require_valid(bytes, options)?;
            Ok(Named(bytes.to_vec()))
        }

        fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
            Self::require_valid(&self.0, &options.to_read_options())?;
            Ok(self.0.clone())
        }
    }
    let error = Formats::new().with::<Named>().unwrap_err().to_string();
    assert!(
        error.contains("\"my-format\" cannot be the name of a format"),
        "{error}"
    );
}

#[test]
fn a_file_is_checked_by_its_declaration() {
    let curves = meshspec::format_of::<CurvesFile>();
    assert_eq!(findings(curves, TWO_CURVES), [""; 0]);
    assert_eq!(
        findings(curves, b"CURV\x01\x01ab"),
        ["curves[0].count (bytes 0x5..0x6): a curve has 2 points at least: found 1 [LAYOUT-VALUE]"]
    );
    assert_eq!(
        findings(curves, b"CURV\x01\x02abc"),
        ["curves[0].points (bytes 0x6..0x9): needs 4 bytes, but 3 remain [LAYOUT-TRUNCATED]"]
    );
    assert_eq!(
        findings(curves, b"CURT")[0].split('[').next_back().unwrap(),
        "LAYOUT-MAGIC]"
    );
    assert_eq!(
        findings(curves, b"CURV\x01\x02ab\0\0\0"),
        ["trailing (bytes 0xa..0xb): 1 byte follows the last field [LAYOUT-TRAILING]"]
    );
    assert_eq!(
        findings(curves, b"CURV\x01\x02ab\0\0\0\0"),
        ["trailing (bytes 0xa..0xc): 2 bytes follow the last field [LAYOUT-TRAILING]"]
    );
    // A rule in code, located by its path.
    let report = check(b"CURV\x01\x02abcd", curves, &ReadOptions::default()).unwrap();
    assert_eq!(
        report.findings()[0].to_string(),
        "curves[0].points (bytes 0x6..0xa): the last point is another one [CURVES-CLOSED]"
    );
    assert!(report.is_valid(Strictness::Strict));
}

#[test]
fn a_dialect_has_its_layout() {
    let curves = meshspec::format_of::<CurvesFile>();
    let tense = ReadOptions::default().with_dialect(Dialect::TANGENT);
    assert!(
        check(b"CURV\x01\x02abcd\0\0\0\0", curves, &tense)
            .unwrap()
            .findings()
            .is_empty()
    );
    assert!(
        !check(b"CURV\x01\x02abcd", curves, &tense)
            .unwrap()
            .findings()
            .is_empty()
    );
    let error: Error =
        check(TWO_CURVES, curves, &tense.with_dialect(Dialect::RENDERLIB)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "curves: dialect: curves has no renderlib dialect, only spec, tangent"
    );
}

#[test]
fn the_items_of_lists_are_counted() {
    let curves = meshspec::format_of::<CurvesFile>();
    let info = curves.info(TWO_CURVES, &ReadOptions::default()).unwrap();
    let count = |name: &str, count| Property {
        name: name.to_owned(),
        value: PropertyValue::Count(count),
    };
    assert_eq!(info.format, "curves");
    assert_eq!(
        info.properties,
        [count("curves", 2), count("curves.points", 5)]
    );
    let error = curves
        .info(b"CURV\x01\x02abc", &ReadOptions::default())
        .unwrap_err();
    assert_eq!(
        (error.format(), error.path().to_string()),
        (Some("curves"), "curves[0].points".to_owned())
    );
}

#[test]
fn a_file_is_edited_by_its_layout() {
    let layout = meshspec::format_of::<CurvesFile>()
        .layout_of(TWO_CURVES, Dialect::SPEC)
        .unwrap();
    let remove = Edit {
        path: path!(curves[0]).into(),
        change: Change::Remove,
    };
    let edited = edit(layout, TWO_CURVES, &[remove], true, &Default::default()).unwrap();
    assert_eq!(edited, b"CURV\x01\x03abcd\0\0");
}

#[test]
fn a_declaration_is_printed_in_every_language() {
    for language in Schema::ALL {
        let files = meshspec::format_of::<CurvesFile>().schema(*language);
        let has_names =
            |file: &SchemaFile| file.text.contains("points") || *language == Schema::Dictionary;
        assert!(
            !files.is_empty() && files.iter().all(has_names),
            "{language}"
        );
    }
}
