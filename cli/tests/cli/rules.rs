//! `meshspec check`: explained rules, selected rules and changed severities, other output formats.

use meshspec::interop::Interchange;
use meshspec::layout::schema::declared_rules;
use meshspec::{Formats, Rule, mesh};
use serde_json::{Value, json};

use crate::files::{Folder, Run, broken_triangle, bytes_of, triangle};

/// A folder with a file that breaks `MESH-INDEX-RANGE`, one that breaks the warning `MESH-TRIANGLES`, and a correct one.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    folder.put_mesh(
        "odd.mesh",
        &mesh::Document {
            indices: vec![0, 1],
            ..triangle()
        },
    );
    folder.put_mesh("good.mesh", &triangle());
    folder
}

const EXPLAINED: &str = "\
MESH-INDEX-RANGE (error): Every index is below the vertex count.

Format:         MESH
Section:        Index data
";

#[test]
fn a_rule_is_explained_by_two_files() {
    let text = folder().run("check --explain mesh-index-range").fine();
    assert!(text.starts_with(EXPLAINED), "{text}");
    assert!(
        text.contains(
            "\nInterpretation: M13. Which indices are valid? They must be below the vertex count, unless"
        ),
        "{text}"
    );
    assert!(
        text.contains("\nEnforced by:    `Document.indices`, `RenderlibDocument.indices`: Each must be below `header.vertex_count`"),
        "{text}"
    );
    let (violating, correct) = text.split_once("Correct example, ").unwrap();
    assert!(
        violating.contains("Violating example, ") && violating.contains("^"),
        "{text}"
    );
    // Both examples show the same value, with bytes and meaning.
    assert_eq!(violating.matches("error: indices[").count(), 1, "{text}");
    let dump = |text: &str| {
        text.lines()
            .filter(|line| line.contains(" u32 ") && line.contains("indices["))
            .count()
    };
    assert_eq!((dump(violating), dump(correct)), (1, 1), "{text}");
    assert!(!correct.contains("error"), "{text}");
}

#[test]
fn every_rule_is_explained() {
    let folder = Folder::new();
    let codes = Formats::BUILT_IN
        .iter()
        .flat_map(|format| format.about().rules)
        .map(|rule| rule.code);
    let codes: Vec<_> = codes
        .chain(Interchange::ALL.iter().map(|format| format.rule().code))
        .collect();
    assert!(codes.len() > 100);
    // Examples of all formats are built the same way.
    for code in codes
        .iter()
        .step_by(7)
        .chain(["SEED-RANGE", "BMD-SHARING", "GLTF-READ"].iter())
    {
        let text = folder.run(&format!("check --explain {code}")).fine();
        assert!(
            text.contains(&format!(" [{code}")) && text.contains("\nCorrect example, "),
            "{code}: {text}"
        );
    }
    // Only a document in memory can break this rule.
    folder.run("check --explain SEED-COMMENT").fine();
    let text = folder.run("check --explain LAYOUT-VALUE").fine();
    assert!(
        text.ends_with(
            "\nFormat:         any declared format\n\n\
             No built-in format has this rule. Programs with custom formats show an example.\n"
        ),
        "{text}"
    );
}

#[test]
fn offsets_in_unpacked_blocks_are_marked() {
    let text = folder().run("check --explain IYMA-DESCRIPTOR").fine();
    let (violating, correct) = text.split_once("Correct example, ").unwrap();
    // The descriptor as stored, and unpacked.
    assert!(violating.contains("\n  00000010  "), "{text}");
    assert!(correct.contains("\n ~00000000  2a 00 "), "{text}");
    assert!(!correct.contains("\n  00000000  "), "{text}");
}

#[test]
fn rules_without_a_section_have_no_prefix() {
    let text = folder().run("check --explain CRUCIBLE-MAGIC").fine();
    assert!(
        text.contains("\n  = A container") && !text.contains("= :"),
        "{text}"
    );
}

#[test]
fn a_correct_checksum_is_one() {
    let text = folder().run("check --explain IYMA-DATA-CHECKSUM").fine();
    let computed = text
        .split(", expected ")
        .nth(1)
        .unwrap()
        .split([' ', '\n'])
        .next()
        .unwrap();
    let (_, correct) = text.split_once("Correct example, ").unwrap();
    assert!(
        computed.len() == 18 && correct.contains(&format!("({computed})")),
        "{text}"
    );
}

#[test]
fn unknown_codes_are_usage_errors() {
    let folder = folder();
    for option in ["--explain", "--ignore", "--only", "--error", "--warn"] {
        let file = if option == "--explain" {
            ""
        } else {
            " good.mesh"
        };
        let text = folder
            .run(&format!("check {option} MESH-INDEX-RAGE{file}"))
            .fails(2);
        assert!(
            text.starts_with(&format!(
                "error: {option}: unknown rule `MESH-INDEX-RAGE`\n"
            )),
            "{text}"
        );
        assert!(
            text.contains("hint: rules with similar codes: MESH-INDEX-RANGE"),
            "{text}"
        );
    }
    let text = folder.run("check --ignore QUUX good.mesh").fails(2);
    assert!(
        text.contains("hint: `meshspec check --explain` lists all rules"),
        "{text}"
    );
    folder
        .run("check --error MESH-EMPTY --warn MESH-EMPTY good.mesh")
        .fails(2);
    folder
        .run("check --deny warnings --lenient good.mesh")
        .fails(2);
    folder.run("check --explain MESH-EMPTY good.mesh").fails(2);
}

#[test]
fn policies_decide_the_exit_status() {
    let folder = folder();
    let status = |arguments: &str| folder.run(&format!("check {arguments}")).status;
    assert_eq!(status("odd.mesh"), 0);
    assert_eq!(status("odd.mesh --deny warnings"), 1);
    assert_eq!(status("good.mesh --deny warnings"), 0);
    assert_eq!(status("odd.mesh --error MESH-TRIANGLES"), 1);
    assert_eq!(
        status("odd.mesh --deny warnings --ignore MESH-EMPTY,MESH-TRIANGLES"),
        0
    );
    assert_eq!(status("bad.mesh --warn MESH-INDEX-RANGE"), 0);
    assert_eq!(
        status("bad.mesh --warn MESH-INDEX-RANGE --deny warnings"),
        1
    );
    assert_eq!(status("bad.mesh --ignore MESH-INDEX-RANGE"), 0);
    assert_eq!(status("bad.mesh --only MESH-TRIANGLES"), 0);
    assert_eq!(
        status("bad.mesh --only MESH-TRIANGLES --only MESH-INDEX-RANGE"),
        1
    );
    // An undecodable file remains invalid, unless its rule is ignored.
    folder.put("short.mesh", &bytes_of(&triangle())[..60]);
    assert_eq!(status("short.mesh --error MESH-TRUNCATED"), 1);
    assert_eq!(status("short.mesh --ignore MESH-TRUNCATED"), 0);
}

#[test]
fn undecodable_files_stay_invalid_unless_ignored() {
    let folder = folder();
    folder.put("version.mesh", [&[2], &bytes_of(&triangle())[1..]].concat());
    for policy in [
        "--only MESH-EMPTY",
        "--warn MESH-VERSION",
        "--only MESH-EMPTY --warn MESH-VERSION --lenient",
    ] {
        let run = folder.run(&format!(
            "check --from mesh --dialect spec --json version.mesh {policy}"
        ));
        let data: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (run.status, &data[0]["valid"], &data[0]["errors"]),
            (1, &json!(false), &json!(1)),
            "{policy}"
        );
        assert_eq!(data[0]["findings"][0]["rule"]["severity"], "fatal");
    }
    folder.put("bad.obj", "v 0 0 zero\n");
    folder
        .run("check bad.obj --only MESH-EMPTY --warn OBJ-READ")
        .fails(1);
    folder
        .run("check --from mesh --dialect spec version.mesh --ignore MESH-VERSION")
        .fine();
}

#[test]
fn options_without_effect_are_rejected() {
    let folder = folder();
    let text = folder
        .run("check bad.mesh --error MESH-TRIANGLES --lenient")
        .fails(2);
    assert!(
        text.contains("'--error <CODE>' cannot be used with '--lenient'"),
        "{text}"
    );
    for other in [
        "--format sarif",
        "--ignore MESH-EMPTY",
        "--lenient",
        "--max-findings 3",
        "bad.mesh",
    ] {
        let text = folder
            .run(&format!("check --explain MESH-EMPTY {other}"))
            .fails(2);
        assert!(
            text.contains("'--explain [<CODE>]' cannot be used with"),
            "{text}"
        );
    }
}

#[test]
fn lists_of_codes_may_have_blanks_and_prefixes_are_completed() {
    let folder = folder();
    let run = |codes: &str| {
        Run::of(
            folder
                .command()
                .args(["check", "odd.mesh", "--deny", "warnings", "--ignore", codes]),
        )
    };
    assert_eq!(
        run("MESH-EMPTY , MESH-TRIANGLES").fine(),
        "odd.mesh: 0 errors, 0 warnings\n"
    );
    assert_eq!(
        run("MESH-TRIANGLES,").fine(),
        "odd.mesh: 0 errors, 0 warnings\n"
    );
    assert!(
        run(" , ")
            .fails(2)
            .starts_with("error: --ignore: no rule code given\n")
    );
    let text = run("mesh").fails(2);
    assert!(
        text.contains("hint: rules with this prefix: MESH-"),
        "{text}"
    );
    let codes = mesh::FORMAT.about().rules.iter().map(|rule| rule.code);
    assert!(
        codes
            .filter(|code| code.starts_with("MESH-"))
            .all(|code| text.contains(code)),
        "{text}"
    );
}

#[test]
fn changed_severities_are_shown() {
    let folder = folder();
    let text = folder.run("check bad.mesh --warn MESH-INDEX-RANGE").fine();
    assert!(
        text.starts_with("warning: indices[2] (")
            && text.ends_with("bad.mesh: 0 errors, 1 warning\n"),
        "{text}"
    );
    let data: Value = serde_json::from_str(
        &folder
            .run("check odd.mesh --json --error MESH-TRIANGLES")
            .stdout,
    )
    .unwrap();
    assert_eq!(data[0]["findings"][0]["rule"]["severity"], "error");
    assert_eq!(
        (&data[0]["valid"], &data[0]["errors"], &data[0]["warnings"]),
        (&json!(false), &json!(1), &json!(0))
    );
    let data: Value = serde_json::from_str(
        &folder
            .run("check bad.mesh --json --ignore MESH-INDEX-RANGE")
            .fine(),
    )
    .unwrap();
    assert_eq!(
        (&data[0]["valid"], &data[0]["findings"]),
        (&json!(true), &json!([]))
    );
}

#[test]
fn findings_beyond_a_maximum_are_counted() {
    let folder = Folder::new();
    folder.put_mesh(
        "bad.mesh",
        &mesh::Document {
            indices: vec![9; 240],
            ..triangle()
        },
    );
    let text = folder.run("check bad.mesh --max-findings 6").stdout;
    assert_eq!(text.matches("error: indices[").count(), 6, "{text}");
    let end = "\nand 234 more of MESH-INDEX-RANGE\nbad.mesh: 240 errors, 0 warnings\n";
    assert!(text.ends_with(end), "{text}");
    let data = |arguments: &str| -> Value {
        serde_json::from_str(
            &folder
                .run(&format!("check bad.mesh --json {arguments}"))
                .stdout,
        )
        .unwrap()
    };
    let more = data("--max-findings 200");
    assert_eq!(more[0]["findings"].as_array().unwrap().len(), 200);
    assert_eq!(
        (
            &more[0]["errors"],
            &more[0]["suppressed"]["MESH-INDEX-RANGE"]
        ),
        (&json!(240), &json!(40))
    );
    let none = data("--max-findings 0");
    assert_eq!(
        (&none[0]["findings"], &none[0]["valid"], &none[0]["errors"]),
        (&json!([]), &json!(false), &json!(240))
    );
    // The maximum applies to all rules together.
    folder.put_mesh(
        "bad.mesh",
        &mesh::Document {
            indices: vec![9; 124],
            ..triangle()
        },
    );
    let one = data("--max-findings 1");
    assert_eq!(one[0]["findings"].as_array().unwrap().len(), 1);
    assert_eq!(one[0]["suppressed"], json!({ "MESH-INDEX-RANGE": 124 }));
    assert_eq!(
        (&one[0]["errors"], &one[0]["warnings"]),
        (&json!(124), &json!(1))
    );
    // Rules without any listed finding are also counted.
    let text = folder.run("check bad.mesh --max-findings 1").stdout;
    assert!(
        text.starts_with("warning: ") && text.ends_with(OTHERS),
        "{text}"
    );
    let counts = "124 of MESH-INDEX-RANGE\n1 of MESH-TRIANGLES\nbad.mesh: 124 errors, 1 warning\n";
    assert_eq!(folder.run("check bad.mesh --max-findings 0").stdout, counts);
    let quiet = counts.replace("1 of MESH-TRIANGLES\n", "");
    assert_eq!(
        folder.run("check bad.mesh --max-findings 0 --quiet").stdout,
        quiet
    );
    let xml = folder
        .run("check bad.mesh --max-findings 0 --format junit")
        .stdout;
    assert!(
        xml.contains(r#"<failure message="124 errors, 1 warning" type="MESH-INDEX-RANGE">"#),
        "{xml}"
    );
}

/// The end of the output for 124 errors of which none is listed, and a listed warning.
const OTHERS: &str = "\n124 of MESH-INDEX-RANGE\nbad.mesh: 124 errors, 1 warning\n";

#[test]
fn a_maximum_of_findings_applies_to_many_files() {
    let folder = Folder::new();
    for index in 0..30 {
        folder.put_mesh(&format!("{index}.mesh"), &triangle());
    }
    folder.put_mesh(
        "7.mesh",
        &mesh::Document {
            indices: vec![9; 124],
            ..triangle()
        },
    );
    let files = "check *.mesh --max-findings";
    let run = folder.run(&format!("{files} 1"));
    assert!(
        run.stdout.starts_with("warning: ") && run.stdout.ends_with(&OTHERS.replace("bad", "7")),
        "{run:?}"
    );
    assert_eq!(run.stderr, "30 files checked; --verbose lists all files\n");
    let run = folder.run(&format!("{files} 0"));
    assert!(
        run.stdout.starts_with("124 of MESH-INDEX-RANGE\n"),
        "{run:?}"
    );
    assert_eq!(run.stdout.lines().count(), 3, "{run:?}");
}

/// Checks the required properties of SARIF 2.1.0. `tests/external/sarif/run.sh` validates against the schema.
#[test]
fn sarif() {
    let folder = folder();
    let run = folder.run("check bad.mesh good.mesh missing.mesh --format sarif");
    assert_eq!(run.status, 3);
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let [run] = &log["runs"].as_array().unwrap()[..] else {
        panic!("{log}")
    };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "meshspec");
    assert_eq!(driver["rules"].as_array().unwrap().len(), 1);
    assert_eq!(driver["rules"][0]["id"], "MESH-INDEX-RANGE");
    assert_eq!(driver["rules"][0]["defaultConfiguration"]["level"], "error");
    let expected = json!([{
        "ruleId": "MESH-INDEX-RANGE",
        "level": "error",
        "message": { "text": "index 7 is not below the vertex count 3" },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": "bad.mesh" },
                "region": { "byteOffset": 57, "byteLength": 4 },
            },
            "logicalLocations": [{ "fullyQualifiedName": "indices[2]" }],
        }],
    }]);
    assert_eq!(run["results"], expected);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!((notes.len(), &notes[0]["level"]), (1, &json!("error")));
    assert_eq!(
        notes[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "missing.mesh"
    );
}

#[test]
fn sarif_of_texts_has_lines_and_uris() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("a b#")).unwrap();
    folder.put("a b#/é.obj", "v 0 0 0\nv 1 0 zérô\n");
    let run = folder.run("check --format sarif .");
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.ends_with("a%20b%23/%C3%A9.obj"), "{uri}");
    let region = &place["region"];
    assert_eq!(
        (
            &region["startLine"],
            &region["startColumn"],
            &region["endColumn"]
        ),
        (&json!(2), &json!(7), &json!(11))
    );
    assert_eq!(
        (&region["byteOffset"], &region["byteLength"]),
        (&json!(14), &json!(6))
    );
    run.fails(1);
}

#[test]
fn sarif_counts_omitted_findings() {
    let folder = Folder::new();
    folder.put_mesh(
        "bad.mesh",
        &mesh::Document {
            indices: vec![9; 240],
            ..triangle()
        },
    );
    let log: Value = serde_json::from_str(
        &folder
            .run("check bad.mesh --format sarif --max-findings 3")
            .stdout,
    )
    .unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 3);
    let note = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(
        note["message"]["text"],
        "237 more findings of MESH-INDEX-RANGE are not listed"
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

const JUNIT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="meshspec" tests="4" skipped="0" failures="1" errors="1">
    <testsuite name="meshspec check" tests="4" skipped="0" errors="1" failures="1">
        <testcase name="bad.mesh" classname="mesh">
            <failure message="1 error, 0 warnings" type="MESH-INDEX-RANGE">error: indices[2] (bytes 0x39..0x3d): index 7 is not below the vertex count 3 [MESH-INDEX-RANGE, M13]
</failure>
        </testcase>
        <testcase name="odd.mesh" classname="mesh">
            <system-out>warning: header.index_count (bytes 0x7..0xb): index count 2 is not a multiple of 3 [MESH-TRIANGLES, M13]
</system-out>
        </testcase>
        <testcase name="good.mesh" classname="mesh"/>
        <testcase name="missing.mesh">
            <error message="MESSAGE"/>
        </testcase>
    </testsuite>
</testsuites>
"#;

/// The elements and attributes of JUnit's schema, in its order.
#[test]
fn junit() {
    let folder = folder();
    let run = folder.run("check bad.mesh odd.mesh good.mesh missing.mesh --format junit");
    let message = run
        .stdout
        .split("<error message=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(message.starts_with("missing.mesh: "), "{}", run.stdout);
    assert_eq!(run.stdout.replace(message, "MESSAGE"), JUNIT);
    assert_eq!(run.status, 3);
    // A denied warning fails.
    let run = folder.run("check odd.mesh --format junit --deny warnings");
    assert!(
        run.stdout
            .contains(r#"<failure message="0 errors, 1 warning" type="MESH-TRIANGLES">"#),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn result_formats_are_mutually_exclusive() {
    let folder = folder();
    assert_eq!(
        folder.run("check good.mesh --format json").fine(),
        folder.run("check good.mesh --json").fine()
    );
    assert_eq!(
        folder.run("check good.mesh --format text").fine(),
        folder.run("check good.mesh").fine()
    );
    for other in ["--json", "--json-lines", "--log log.jsonl"] {
        folder
            .run(&format!("check good.mesh --format sarif {other}"))
            .fails(2);
    }
}

#[test]
fn every_constrained_field_is_explained() {
    let folder = Folder::new();
    for format in Formats::BUILT_IN {
        let declared = declared_rules(format.about().layouts());
        // The rule with the most fields.
        let count_of = |rule: &Rule| declared.iter().filter(|other| other.rule == rule).count();
        let Some(most) = declared
            .iter()
            .max_by_key(|declared| count_of(declared.rule))
        else {
            continue;
        };
        let text = folder
            .run(&format!("check --explain {}", most.rule.code))
            .fine();
        for declared in declared
            .iter()
            .filter(|declared| declared.rule == most.rule)
        {
            assert!(
                text.contains(&format!("`{}`", declared.field)),
                "{declared:?}: {text}"
            );
        }
    }
    let text = folder.run("check --explain BMD-INDEX-RANGE").fine();
    for (face, corners) in [
        ("Triangle32", 3),
        ("Quad32", 4),
        ("Triangle64", 3),
        ("Quad64", 4),
    ] {
        for corner in 0..corners {
            assert!(text.contains(&format!("`{face}.v{corner}`")), "{text}");
        }
    }
    assert!(
        text.contains(": Must be below `n_vtx`\n") && !text.contains("index into"),
        "{text}"
    );
    let rule: Value =
        serde_json::from_str(&folder.run("check --explain BMD-INDEX-RANGE --json").fine()).unwrap();
    assert_eq!(
        (&rule["severity"], rule["fields"].as_array().unwrap().len()),
        (&json!("error"), 14)
    );
    assert_eq!(rule["interpretations"][0]["row"], "B13");
}

#[test]
fn all_rules_are_listed() {
    let folder = Folder::new();
    let text = folder.run("check --explain").fine();
    let rules: Vec<Value> =
        serde_json::from_str(&folder.run("check --explain --json").fine()).unwrap();
    let of_formats = Formats::BUILT_IN
        .iter()
        .flat_map(|format| format.about().rules.iter().copied());
    let of_interchange = Interchange::ALL.iter().map(|format| format.rule());
    for rule in of_formats.chain(of_interchange) {
        let line = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(rule.code))
            .unwrap();
        assert!(
            line.contains(rule.severity.name()) && line.ends_with(rule.summary),
            "{line}"
        );
        assert_eq!(
            rules
                .iter()
                .filter(|listed| listed["code"] == rule.code)
                .count(),
            1,
            "{}",
            rule.code
        );
    }
    assert!(text.contains("LAYOUT-VALUE"), "{text}");
}

#[test]
fn interpretations_are_explained() {
    let folder = Folder::new();
    let text = folder.run("check --explain m13").fine();
    assert!(
        text.starts_with("M13: Which indices are valid?\n\nThey must be below the vertex count"),
        "{text}"
    );
    assert!(
        text.contains("\nRules:          MESH-INDEX-RANGE, MESH-TRIANGLES\n"),
        "{text}"
    );
    // Every interpretation that a rule cites.
    for rule in Formats::BUILT_IN
        .iter()
        .flat_map(|format| format.about().rules)
    {
        for row in rule.row.split(", ").filter(|row| !row.is_empty()) {
            let row: Value =
                serde_json::from_str(&folder.run(&format!("check --explain {row} --json")).fine())
                    .unwrap();
            assert!(
                row["rules"].as_array().unwrap().contains(&json!(rule.code)),
                "{row}"
            );
        }
    }
    folder.run("check --explain M99").fails(2);
}
