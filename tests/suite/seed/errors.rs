//! The error messages of Seed: location, found and expected text, hint.

use meshspec::{Format, ReadOptions, Report, WriteOptions, seed};

/// Returns a valid file with its first position replaced by `line`.
fn with_line(line: &str) -> String {
    let rest = "p 1,0,0\np 0,1,0\nn 0,0,1\nn 0,0,1\nn 0,0,1\nu0 0,0\nu0 1,0\nu0 0,1\nf 0,1,2\n";
    format!("[name]=T\n[mat0]=M\n[type]=STATIC\n{line}\n{rest}")
}

/// Malformed lines with their messages.
const LINES: &[(&str, &str)] = &[
    (
        "p 0 0 0",
        "positions[0] (line 4, column 5): found `0`, expected `,`; values are separated by commas [SEED-COMMA, S3]",
    ),
    (
        "p 0,0",
        "positions[0] (line 4, column 6): found 2 values, but `p` takes 3 [SEED-COUNT, S3]",
    ),
    (
        "p 0,0,0,1",
        "positions[0] (line 4, column 9): found 4 values, but `p` takes 3 [SEED-COUNT, S3]",
    ),
    (
        "p 0,0,0,1,2,3",
        "positions[0] (line 4, column 9): found 6 values, but `p` takes 3 [SEED-COUNT, S3]",
    ),
    (
        "p",
        "positions[0] (line 4, column 2): found no values, but `p` takes 3 [SEED-COUNT, S3]",
    ),
    (
        "p   # none",
        "positions[0] (line 4, column 2): found no values, but `p` takes 3 [SEED-COUNT, S3]",
    ),
    (
        "p 0,,0",
        "positions[0] (line 4, column 5): found `,`, expected a decimal number [SEED-NUMBER, S4]",
    ),
    (
        "p 0,0,",
        "positions[0] (line 4, column 7): found the end of the line, expected a decimal number [SEED-NUMBER, S4]",
    ),
    (
        "p nan,0,0",
        "positions[0] (line 4, column 3): found `nan`, expected a decimal number; infinity and NaN are not allowed [SEED-NUMBER, S4]",
    ),
    (
        "p 0,-INFINITY,0",
        "positions[0] (line 4, column 5): found `-INFINITY`, expected a decimal number; infinity and NaN are not allowed [SEED-NUMBER, S4]",
    ),
    (
        "p 1.0f,0,0",
        "positions[0] (line 4, column 3): found `1.0f`, expected a decimal number; remove the suffix [SEED-NUMBER, S4]",
    ),
    (
        "p 0x10,0,0",
        "positions[0] (line 4, column 3): found `0x10`, expected a decimal number; hexadecimal numbers are not allowed [SEED-NUMBER, S4]",
    ),
    (
        "p 1e,0,0",
        "positions[0] (line 4, column 3): found `1e`, expected a decimal number; the exponent has no digits [SEED-NUMBER, S4]",
    ),
    (
        "p 1_000,0,0",
        "positions[0] (line 4, column 3): found `1_000`, expected a decimal number; digit separators are not allowed [SEED-NUMBER, S4]",
    ),
    (
        "p \u{2212}1,0,0",
        "positions[0] (line 4, column 3): found `\u{2212}1`, expected a decimal number; the minus sign is `-` [SEED-NUMBER, S4]",
    ),
    (
        "p 0;0;0",
        "positions[0] (line 4, column 3): found `0;0;0`, expected a decimal number; values are separated by commas [SEED-NUMBER, S4]",
    ),
    (
        "p 0,\u{a0}0,0",
        "positions[0] (line 4, column 5): found `\u{a0}0`, expected a decimal number; replace the no-break space U+00A0 with a space [SEED-NUMBER, S4]",
    ),
    (
        "p 1e39,0,0",
        "positions[0] (line 4, column 3): `1e39` exceeds the largest 32-bit float, 3.4028235e38 [SEED-NUMBER, S4]",
    ),
    (
        "p 1 2,3,4",
        "positions[0] (line 4, column 3): found `1 2`, expected one number without whitespace, or a comma [SEED-SPACED-NUMBER, S3]",
    ),
    (
        "p 0,0,0 // c",
        "positions[0] (line 4, column 9): found `//`, expected the end of the line; comments start with `#` [SEED-COUNT, S3]",
    ),
    (
        "// c",
        "line 4, column 1: found `//`, expected an identifier, `[` or `#`; comments start with `#` [SEED-IDENTIFIER, S3]",
    ),
    (
        "p0,0,0",
        "positions[0] (line 4, column 1): unknown identifier `p0`; expected whitespace after `p` [SEED-IDENTIFIER, S3]",
    ),
    (
        "c00,0,0,0",
        "colors[0][0] (line 4, column 1): unknown identifier `c00`; expected whitespace after `c0` [SEED-IDENTIFIER, S3]",
    ),
    (
        "\u{feff}p 0,0,0",
        "positions[0] (line 4, column 1): found `\u{feff}p`, expected an identifier, `[` or `#`; a byte order mark U+FEFF is allowed only at the start of the file [SEED-IDENTIFIER, S3]",
    ),
    (
        "name = x # c",
        "line 4, column 1: found `name`, expected a property: `[name]=x` [SEED-IDENTIFIER, S3]",
    ),
    (
        "p-1,0,0",
        "positions[0] (line 4, column 2): found `-1`, expected whitespace after `p` [SEED-BLANK, S3]",
    ),
    (
        "P 0,0,0",
        "positions[0] (line 4, column 1): unknown identifier `P`; identifiers are lower case: `p` [SEED-IDENTIFIER, S3]",
    ),
    (
        "v 0 0 0",
        "positions[0] (line 4, column 1): unknown identifier `v`; the identifier of positions is `v` in OBJ, but `p` in Seed [SEED-IDENTIFIER, S3]",
    ),
    (
        "u8 0,0",
        "line 4, column 1: unknown identifier `u8`; the channels are `u0` to `u7` [SEED-IDENTIFIER, S3]",
    ),
    (
        "u10 0,0",
        "line 4, column 1: unknown identifier `u10`; the channels are `u0` to `u7` [SEED-IDENTIFIER, S3]",
    ),
    (
        "c2 0,0,0,0",
        "line 4, column 1: unknown identifier `c2`; the channels are `c0` to `c1` [SEED-IDENTIFIER, S3]",
    ),
    (
        "u 0,0",
        "uvs[0][0] (line 4, column 1): unknown identifier `u`; the channels are `u0` to `u7` [SEED-IDENTIFIER, S3]",
    ),
    (
        "f 0,1",
        "faces[0] (line 4, column 6): found 2 values, but `f` takes 3 [SEED-COUNT, S3]",
    ),
    (
        "f 0.5,1,2",
        "faces[0] (line 4, column 3): found `0.5`, expected an integer, the index of a vertex [SEED-INDEX, S5]",
    ),
    (
        "f 0/0/0,1/1/1,2/2/2",
        "faces[0] (line 4, column 3): found `0/0/0`, expected an integer; unlike in OBJ, one index refers to all attributes of a vertex [SEED-INDEX, S5]",
    ),
    (
        "f 1//1 2//2 3//3",
        "faces[0] (line 4, column 3): found `1//1`, expected an integer; unlike in OBJ, one index refers to all attributes of a vertex [SEED-INDEX, S5]",
    ),
    (
        "f 0,1,2// c",
        "faces[0] (line 4, column 8): found `//`, expected the end of the line; comments start with `#` [SEED-COUNT, S3]",
    ),
    (
        "f 0,1,-1",
        "faces[0] (line 4, column 7): found `-1`, expected an index of 0 or more; negative indices are only allowed in OBJ [SEED-INDEX, S5]",
    ),
    (
        "f 0,1,99999999999",
        "faces[0] (line 4, column 7): found `99999999999`, expected an index up to 2147483647 [SEED-INDEX, S5]",
    ),
    (
        "f 0,1,2147483648",
        "faces[0] (line 4, column 7): found `2147483648`, expected an index up to 2147483647 [SEED-INDEX, S5]",
    ),
    (
        "[1a]=x",
        "line 4, column 2: found `1a]=x`, expected a property name; names are a letter followed by letters, digits and `_` [SEED-PROPERTY, S7]",
    ),
    (
        "[a-b]=x",
        "line 4, column 3: found `-b]=x`, expected `]`; names are a letter followed by letters, digits and `_` [SEED-PROPERTY, S7]",
    ),
    (
        "[a] x",
        "line 4, column 5: found `x`, expected `=` [SEED-PROPERTY, S7]",
    ),
    (
        "p 0,0,0\u{85}",
        "positions[0] (line 4, column 8): found the control character U+0085 [SEED-CONTROL, S9]",
    ),
    (
        "p 0,0,0 # \0",
        "positions[0] (line 4, column 11): found the control character U+0000 [SEED-CONTROL, S9]",
    ),
    (
        "p 0,0,0 # \u{7f}",
        "positions[0] (line 4, column 11): found the control character U+007F [SEED-CONTROL, S9]",
    ),
    // Columns count characters.
    (
        "p 0,0,0 # \u{e9}\u{20ac} \0",
        "positions[0] (line 4, column 14): found the control character U+0000 [SEED-CONTROL, S9]",
    ),
    (
        "p 0,0,0\rp 0,0,0",
        "positions[0] (line 4, column 8): found the control character U+000D; a carriage return is allowed only before a line feed [SEED-CONTROL, S9]",
    ),
];

#[test]
fn lines() {
    for (line, expected) in LINES {
        let error =
            seed::Document::read(with_line(line).as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("seed: {expected}"), "{line:?}");
    }
}

/// Faulty files with their messages.
#[test]
fn files() {
    let valid = with_line("p 0,0,0");
    let without = |start: &str| {
        let lines = valid.lines().filter(|line| !line.starts_with(start));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let files = [
        (
            without("n "),
            "normals (line 10, column 8): missing attribute `n`: Normal is required; lenient reading accepts the file without it [SEED-REQUIRED, S1]",
        ),
        (
            without("f "),
            "faces (line 12, column 7): missing attribute `f`: Face is required [SEED-MISSING, S1]",
        ),
        (
            valid.replacen("n 0,0,1\n", "", 1),
            "normals (line 8, column 1): found 2 `n` lines for 3 vertices [SEED-LINES, S1]",
        ),
        (
            valid.replace("u0 ", "u1 "),
            "uvs[1] (line 12, column 1): `u1` requires `u0`, which is missing [SEED-REQUIRES, S8]",
        ),
        (
            valid.clone() + &"c1 0,0,0,1\n".repeat(3),
            "colors[1] (line 16, column 1): `c1` requires `c0`, which is missing [SEED-REQUIRES, S8]",
        ),
        (
            valid.replace("f 0,1,2", "f 1, 2 ,3"),
            "faces[0][2] (line 13, column 9): found 3, expected an index below 3; \
             indices count from 0, not from 1 as in OBJ [SEED-INDEX-RANGE, S5]",
        ),
        // A malformed line in the middle of a run of lines.
        (
            valid.replace("p 0,1,0", "p-1,1,0"),
            "positions[2] (line 6, column 2): found `-1`, expected whitespace after `p` [SEED-BLANK, S3]",
        ),
        (
            valid.replace("[mat0]", "[name]"),
            "properties[1] (line 2, column 1): duplicate property `name`; \
             lenient reading uses the first [SEED-DUPLICATE-PROPERTY, S7]",
        ),
        (
            "\u{feff}".to_owned() + &valid.replace("[name]=T", "[name]"),
            "line 1, column 7: found the end of the line, expected `=` [SEED-PROPERTY, S7]",
        ),
    ];
    for (text, expected) in files {
        let error = seed::Document::read(text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("seed: {expected}"), "{text}");
    }
    let wide: Vec<u8> = valid.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let error = seed::Document::read(&wide, &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "seed: line 1, column 1: the file is UTF-16, expected UTF-8 [SEED-ENCODING, S9]"
    );
}

fn check(text: &[u8]) -> Report {
    meshspec::check(text, seed::FORMAT, &ReadOptions::default()).unwrap()
}

fn codes(report: &Report) -> Vec<&str> {
    report
        .findings()
        .iter()
        .map(|finding| finding.rule.code)
        .collect()
}

/// The check continues after an error, and a malformed line does not affect others.
#[test]
fn all_errors_are_listed() {
    let text = with_line("p 0;0;0").replace("n 0,0,1\n", "n 0,0,x\n");
    let report = check(text.as_bytes());
    assert_eq!(codes(&report), ["SEED-NUMBER"; 4], "{report:?}");
    // A malformed line counts as one of its kind, if the kind is known.
    for line in [
        "v 1 0 0",
        "P 1, 0, 0",
        "p1, 0, 0",
        "\u{feff}p 1, 0, 0",
        "\u{a0}p 1, 0, 0",
        "p\u{a0}1, 0, 0",
    ] {
        let report = check(with_line(line).as_bytes());
        assert_eq!(report.findings().len(), 1, "{line}: {report:?}");
    }
    // If the kind is unknown, nothing is reported as missing.
    for line in ["1, 0, 0", "q 1, 0, 0", "u8 0, 0", "=1"] {
        let report = check(with_line(line).as_bytes());
        assert_eq!(codes(&report), ["SEED-IDENTIFIER"], "{line}: {report:?}");
    }
    for line in ["[mat0", "[mat0]=D\u{85}", "[m 0]=D", "mat0=D"] {
        let report = check(with_line("p 0,0,0").replace("[mat0]=M", line).as_bytes());
        assert_eq!(report.findings().len(), 1, "{line}: {report:?}");
    }
    let report = check(with_line("").as_bytes());
    assert!(codes(&report).contains(&"SEED-LINES"), "{report:?}");
}

/// Malformed properties are not counted as properties.
#[test]
fn findings_on_properties_name_their_line() {
    let report = check(
        with_line("p 0,0,0")
            .replace("[name]=T", "[na me]=x\n[a]=1\nb=3\n[a]=2")
            .as_bytes(),
    );
    let places: Vec<_> = report.findings().iter().map(ToString::to_string).collect();
    assert!(
        places[2].starts_with("properties[1] (line 4, column 1): duplicate property `a`"),
        "{places:?}"
    );
    assert_eq!(places.len(), 3, "{places:?}");
}

/// The name of the property is longer than the limit of fallible rules.
#[test]
fn long_properties_are_reported_as_properties() {
    let name = "n".repeat(3_000_000);
    for (line, column, expected) in [
        (
            format!("[{name}"),
            3_000_002,
            "found the end of the line, expected `]`",
        ),
        (format!("[{name} x"), 3_000_003, "found `x`, expected `]`"),
        (format!("[{name}] x"), 3_000_004, "found `x`, expected `=`"),
        (
            format!("[n]={name}\0"),
            3_000_005,
            "found the control character U+0000",
        ),
    ] {
        let report = check(with_line("p 0,0,0").replace("[name]=T", &line).as_bytes());
        let text = report.findings()[0].to_string();
        assert!(
            text.starts_with(&format!("line 1, column {column}: {expected}")),
            "{text}"
        );
    }
}

/// The hint about OBJ is given only if it applies.
#[test]
fn indices_from_one_get_a_hint() {
    let texts = |faces| -> Vec<String> {
        let report = check(with_line("p 0,0,0").replace("f 0,1,2", faces).as_bytes());
        report
            .findings()
            .iter()
            .map(|finding| finding.message.clone())
            .collect()
    };
    let plain = |index| format!("found {index}, expected an index below 3");
    let hint = "; indices count from 0, not from 1 as in OBJ";
    assert_eq!(texts("f 1,2,3\nf 1,9,2"), [plain(3) + hint, plain(9)]);
    assert_eq!(texts("f 1,2,3\nf 0,1,2"), [plain(3)]);
}

/// A file is detected although every line is malformed.
#[test]
fn malformed_lines_are_still_detected() {
    let text = with_line("p 0,0,0").replace(',', " ").replace('[', "#");
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n";
    for text in [&text, obj] {
        assert_eq!(
            meshspec::detect(text.as_bytes(), None).unwrap().format,
            seed::FORMAT,
            "{text}"
        );
    }
    for text in [
        "n words",
        "solid x\nfacet normal 0 0 1\n",
        "ply\nformat ascii 1.0\n",
        "x 1 2 3\n",
    ] {
        assert!(meshspec::detect(text.as_bytes(), None).is_err(), "{text}");
    }
}

#[test]
fn comments_are_kept_on_request() {
    let text = "\
# head\n[name]=T # the name\n[mat0]=M\n[type]=STATIC\n\
p 0, 0, 0 # first\n# before\n# the second\np 1, 0, 0\np 0, 1, 0\n\
n 0, 0, 1\nn 0, 0, 1\nn 0, 0, 1\nu0 0, 0\nu0 1, 0\nu0 0, 1\nf 0, 1, 2\n# end\n";
    let document =
        seed::Document::read(text.as_bytes(), &ReadOptions::default().with_comments(true)).unwrap();
    assert_eq!(document.comments.as_ref().unwrap().len(), 6);
    assert_eq!(
        String::from_utf8(document.write(&WriteOptions::default()).unwrap()).unwrap(),
        text
    );
    // First without comments or headings.
    let plain = document
        .write(&WriteOptions::default().with_comments(false))
        .unwrap();
    assert!(!plain.contains(&b'#'));
    let document = seed::Document::read(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(document.comments, None);
    assert_eq!(
        document
            .write(&WriteOptions::default().with_comments(false))
            .unwrap(),
        plain
    );
}

#[test]
fn decimals_are_the_shortest() {
    let mut document =
        seed::Document::read(with_line("p 0,0,0").as_bytes(), &ReadOptions::default()).unwrap();
    document.positions[0] = [0.1, -16_777_216.0, f32::MIN_POSITIVE];
    document.positions[1] = [f32::MAX, f32::from_bits(1), -0.0];
    document.positions[2] = [1.0 / 3.0, 5e-7, 1e21];
    let text = document.write(&WriteOptions::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with("p ")).collect();
    let expected = [
        "p 0.1, -16777216, 1.1754944e-38",
        "p 3.4028235e38, 1e-45, -0",
        "p 0.33333334, 5e-7, 1e21",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn inexpressible_texts_are_not_written() {
    let valid =
        seed::Document::read(with_line("p 0,0,0").as_bytes(), &ReadOptions::default()).unwrap();
    let property = |name: &str, value: &str| seed::Document {
        properties: vec![seed::Property {
            name: name.to_owned(),
            value: value.to_owned(),
        }],
        ..valid.clone()
    };
    let mut infinite = valid.clone();
    infinite.normals[1][2] = f32::INFINITY;
    let mut comment = valid.clone();
    comment.comments = Some(vec![seed::Comment {
        text: "a\nb".into(),
        place: seed::CommentPlace::End,
    }]);
    for (document, path) in [
        (property("a b", ""), "properties[0].name"),
        (property("", ""), "properties[0].name"),
        (property("a", " b"), "properties[0].value"),
        (property("a", "b#"), "properties[0].value"),
        (property("a", "b\nf 0,0,0"), "properties[0].value"),
        (infinite, "normals[1][2]"),
        (comment, "comments[0].text"),
    ] {
        let error = document.write(&WriteOptions::lenient()).unwrap_err();
        assert_eq!(
            (error.kind(), &*error.path().to_string()),
            (meshspec::ErrorKind::Inexpressible, path),
            "{error}"
        );
    }
}

#[test]
fn long_lines_do_not_overflow_the_stack() {
    let texts = [
        format!("p 1,{}2,3\n", " ".repeat(300_000)),
        format!("p {}1,2,3\n", "0".repeat(300_000)),
        format!("p {}1\n", "0,".repeat(150_000)),
        format!("[{}]=x\n", "a".repeat(300_000)),
        format!("[a]={}\n", "[b]= ".repeat(60_000)),
        format!("#{}\n", "#".repeat(300_000)),
        "p".repeat(300_000),
        "p ".repeat(150_000),
    ];
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let read = move || {
        texts.map(|text| seed::Document::read(text.as_bytes(), &ReadOptions::default()).is_ok())
    };
    // None of these texts is a complete file.
    assert_eq!(small.spawn(read).unwrap().join().unwrap(), [false; 8]);
}
