//! The values of a Seed file, and changes of its text.

use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::Type;
use meshspec::layout::tree::{Tree, UntypedValue};
use meshspec::{Dialect, Limits};

use crate::common::{accepted_fixtures, samples_of, values_of};
use crate::corpus;
use crate::tree_json::assert_comes_back_from_json;
use meshspec::conformance::corpus::CaseKind;

fn values() -> &'static Type {
    let seed = meshspec::seed::FORMAT;
    seed.values_of(&[], Dialect::SPEC).unwrap()
}

/// Spaces, a line ending of Windows, a comment, a blank line, and no line ending at the end.
const TEXT: &str = "# a quad\r
[name]=Quad # the name\r
p  0.0, 1.50,0 # first\r
p 1, 0, 0\r
\r
f 0,1,2 # one\r
u0 0, 0\r
f 2,1,0";

/// Returns the text after a change of its values.
#[track_caller]
fn changed(change: impl FnOnce(&mut Tree)) -> String {
    let mut tree = Tree::read(values(), TEXT.as_bytes(), &Limits::default()).unwrap();
    // A text contains no counts.
    let counts = [
        "property_count",
        "position_count",
        "normal_count",
        "color_count",
        "color_counts",
        "uv_count",
        "uv_counts",
        "face_count",
    ];
    for count in counts {
        tree.remove(count).unwrap();
    }
    change(&mut tree);
    String::from_utf8(tree.assemble(&Limits::default()).unwrap()).unwrap()
}

fn list(numbers: &[&str]) -> UntypedValue {
    UntypedValue::List(
        numbers
            .iter()
            .map(|number| UntypedValue::from(*number))
            .collect(),
    )
}

#[test]
fn unchanged_text_stays() {
    assert_eq!(changed(|_| ()), TEXT);
}

#[test]
fn only_changed_numbers_change() {
    let text = changed(|tree| tree.set("positions[0][2]", "-2.5").unwrap());
    assert_eq!(text, TEXT.replace("1.50,0 #", "1.50,-2.5 #"));
    let text = changed(|tree| tree.set("faces[1][0]", "7").unwrap());
    assert_eq!(text, TEXT.replace("f 2,1,0", "f 7,1,0"));
    let text = changed(|tree| tree.set("properties[0].value", "Square").unwrap());
    assert_eq!(text, TEXT.replace("=Quad", "=Square"));
}

#[test]
fn lines_are_added_and_removed() {
    let text = changed(|tree| tree.remove("faces[0]").unwrap());
    assert_eq!(text, TEXT.replace("f 0,1,2 # one\r\n", ""));
    let text = changed(|tree| tree.remove("positions[0]").unwrap());
    assert_eq!(text, TEXT.replace("p  0.0, 1.50,0 # first\r\n", ""));
    let text = changed(|tree| {
        tree.insert("positions[0]", list(&["3", "4", "5.5"]))
            .unwrap()
    });
    assert_eq!(text, TEXT.replace("p  0.0", "p 3, 4, 5.5\r\np  0.0"));
    let text = changed(|tree| {
        tree.insert("positions[1]", list(&["3", "4", "5.5"]))
            .unwrap()
    });
    assert_eq!(text, TEXT.replace("p 1, 0, 0", "p 3, 4, 5.5\r\np 1, 0, 0"));
    let text = changed(|tree| tree.insert("faces[2]", list(&["0", "0", "1"])).unwrap());
    assert_eq!(text, format!("{TEXT}\r\nf 0, 0, 1\r\n"));
    let text = changed(|tree| {
        tree.insert(
            "colors[0]",
            UntypedValue::List(vec![list(&["0", "0.5", "1", "1"])]),
        )
        .unwrap()
    });
    assert_eq!(text, format!("{TEXT}\r\nc0 0, 0.5, 1, 1\r\n"));
    let text = changed(|tree| tree.remove("properties[0]").unwrap());
    assert_eq!(text, TEXT.replace("[name]=Quad # the name\r\n", ""));
}

#[test]
fn invalid_values_are_rejected() {
    let mut tree = Tree::read(values(), TEXT.as_bytes(), &Limits::default()).unwrap();
    tree.set("positions[0][0]", "NaN").unwrap();
    let error = tree.assemble(&Limits::default()).unwrap_err();
    assert!(error.to_string().contains("[SEED-"), "{error}");
}

#[test]
fn channels_without_a_place_are_rejected() {
    let assembled = |uvs: usize| {
        let channel = vec![[0, 0]; 2];
        let value = serde_json::json!({
            "properties": [], "positions": [[0, 0, 0], [1, 1, 1]], "normals": [], "colors": [],
            "uvs": vec![channel; uvs], "faces": [],
        });
        let json = serde_json::json!({"value": value}).to_string();
        let tree = Tree::from_json(values(), json.as_bytes()).unwrap();
        tree.assemble(&Limits::default())
    };
    // Values may contradict each other: there are no normals.
    let text = String::from_utf8(assembled(8).unwrap()).unwrap();
    assert!(
        text.contains("\np 1, 1, 1\n") && text.ends_with("u7 0, 0\nu7 0, 0\n"),
        "{text}"
    );
    let error = assembled(9).unwrap_err().to_string();
    assert_eq!(error, "9 UV channels are given, but a file has at most 8");
}

#[test]
fn edits_add_and_remove_channels() {
    let text = include_bytes!("../../../samples/seed/facets.mesh");
    let change = |path: &str, change: Change| Edit {
        path: path.into(),
        change,
    };
    let edited = |edits: &[Edit]| {
        let edited = edit(values(), text, edits, true, &Limits::default()).unwrap();
        String::from_utf8(edited).unwrap()
    };
    let channel = UntypedValue::List(vec![list(&["0.5", "0.25"]); 12]);
    let added = edited(&[change("uvs[1]", Change::Insert(channel))]);
    let original = String::from_utf8(text.to_vec()).unwrap();
    assert_eq!(added, format!("{original}{}", "u1 0.5, 0.25\n".repeat(12)));
    let removed = edited(&[change("uvs[0]", Change::Remove)]);
    let kept = |line: &&str| !line.starts_with("u0 ");
    assert!(removed.lines().eq(original.lines().filter(kept)));
}

#[test]
fn samples_and_valid_files_of_the_corpus_come_back() {
    let valid = corpus::cases()
        .filter(|(entry, _)| entry.format == "seed" && entry.kind == CaseKind::Valid);
    let files: Vec<_> = samples_of(meshspec::seed::FORMAT)
        .chain(valid.map(|(_, bytes)| bytes))
        .collect();
    assert!(files.len() > 20, "{}", files.len());
    for bytes in files {
        assert_comes_back_from_json(values(), &bytes);
        // Counts are computed.
        let json = String::from_utf8(values_of(values(), &bytes)).unwrap();
        assert!(!json.contains("_count"), "{json:.500}");
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn reference_files_come_back() {
    let seed = meshspec::seed::FORMAT;
    let mut count = 0;
    let seeds = accepted_fixtures()
        .into_iter()
        .filter(|(id, _)| *id == meshspec::seed::FORMAT);
    for (_, bytes) in seeds {
        let mut json = Vec::new();
        seed.file_to_json(&bytes, &Default::default(), &mut json)
            .unwrap();
        assert!(seed.json_to_file(&json, &Default::default()).unwrap() == bytes);
        count += 1;
    }
    assert_eq!(count, 57);
}
