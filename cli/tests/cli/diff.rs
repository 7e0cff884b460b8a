//! `meshspec diff`.

use meshspec::mesh;
use serde_json::{Value, json};

use crate::dump::repository;
use crate::files::{Folder, Run, animated, triangle};

/// The corners of a strip of triangles.
fn positions(count: usize) -> Vec<[f32; 3]> {
    (0..count)
        .map(|index| [index as f32, (index % 2) as f32, 0.25])
        .collect()
}

fn strip(count: usize) -> mesh::Document {
    with_positions(positions(count), count)
}

/// Returns the strip of triangles of `count` vertices, with these positions.
fn with_positions(positions: Vec<[f32; 3]>, count: usize) -> mesh::Document {
    let vertices = mesh::Vertices::from_columns(&mesh::Columns {
        positions,
        ..Default::default()
    })
    .unwrap();
    let indices = (0..count as u32 - 2)
        .flat_map(|index| [index, index + 1, index + 2])
        .collect();
    mesh::Document {
        vertices,
        indices,
        ..triangle()
    }
}

/// Returns the strip with changed positions.
fn moved(count: usize, change: impl Fn(usize, &mut [f32; 3])) -> mesh::Document {
    let mut positions = positions(count);
    positions
        .iter_mut()
        .enumerate()
        .for_each(|(index, position)| change(index, position));
    with_positions(positions, count)
}

/// Runs `diff` on two documents; returns the lines after the first.
fn lines(folder: &Folder, a: &mesh::Document, b: &mesh::Document, options: &str) -> Vec<String> {
    folder.put_mesh("a.mesh", a);
    folder.put_mesh("b.mesh", b);
    let run = folder.run(&format!("diff a.mesh b.mesh{options}"));
    let lines: Vec<String> = run.stdout.lines().skip(1).map(str::to_owned).collect();
    assert_eq!(
        (run.status, &*run.stderr),
        (i32::from(!lines.is_empty()), ""),
        "{run:?}"
    );
    lines
}

#[test]
fn equal_files() {
    let folder = Folder::new();
    assert_eq!(lines(&folder, &animated(), &animated(), ""), [""; 0]);
    let text = folder.run("diff a.mesh b.mesh").fine();
    assert_eq!(text, "a.mesh and b.mesh: MESH, no differences\n");
}

#[test]
fn changed_values_are_shown_by_path() {
    let folder = Folder::new();
    let one = moved(6, |index, position| {
        position[2] += if index == 3 { 0.5 } else { 0.0 }
    });
    assert_eq!(
        lines(&folder, &strip(6), &one, ""),
        ["  vertices[3].position: [3, 1, 0.25] → [3, 1, 0.75], by 0.5"]
    );
}

#[test]
fn differences_of_one_list_are_grouped() {
    let folder = Folder::new();
    let several = moved(100, |index, position| {
        position[0] += if (3..90).contains(&index) { 0.25 } else { 0.0 }
    });
    assert_eq!(
        lines(&folder, &strip(100), &several, ""),
        ["  vertices[3..90].position: 87 differ, by at most 0.25"]
    );
    let each = lines(&folder, &strip(100), &several, " --verbose");
    assert_eq!(each.len(), 87);
    assert_eq!(
        each[86],
        "  vertices[89].position: [89, 1, 0.25] → [89.25, 1, 0.25], by 0.25"
    );
}

#[test]
fn two_values_differ_by_at_most_the_larger_difference() {
    let folder = Folder::new();
    let two = moved(6, |index, position| {
        position[0] += [0.0, 0.25, 0.5].get(index).copied().unwrap_or_default()
    });
    assert_eq!(
        lines(&folder, &strip(6), &two, ""),
        ["  vertices[1..3].position: 2 differ, by at most 0.5"]
    );
}

/// The count is in lines, although each line groups two differences.
#[test]
fn further_lines_are_counted() {
    let folder = Folder::new();
    let [before, after] = [0.0, 0.25].map(|offset| {
        let mut document = animated();
        let mut animation = document.animations.remove(0);
        animation
            .poses
            .iter_mut()
            .for_each(|pose| pose.position[0] += offset);
        document.animations = vec![animation; 24];
        document
    });
    let found = lines(&folder, &before, &after, "");
    assert_eq!(found.len(), 21);
    assert_eq!(
        found[19..],
        [
            "  animations[19].poses[0..2].position: 2 differ, by at most 0.25",
            "  and 4 more lines; --verbose lists all differences",
        ]
    );
    assert_eq!(lines(&folder, &before, &after, " --verbose").len(), 48);
}

#[test]
fn inserted_and_removed_items_are_aligned() {
    let folder = Folder::new();
    let mut shorter = strip(50);
    shorter.indices.drain(30..33);
    let found = lines(&folder, &strip(50), &shorter, "");
    assert_eq!(
        found,
        [
            "  header.index_count: 144 → 141, by 3",
            "  indices[30..33]: 3 removed"
        ]
    );
    let found = lines(&folder, &shorter, &strip(50), "");
    assert_eq!(
        found,
        [
            "  header.index_count: 141 → 144, by 3",
            "  indices[30..33]: 3 added"
        ]
    );
    // A vertex is removed at the front, so the last index is out of range.
    let fewer = with_positions(positions(50)[1..].to_vec(), 50);
    let found = lines(&folder, &strip(50), &fewer, "");
    assert_eq!(
        found,
        [
            "  header.vertex_count: 50 → 49, by 1",
            "  vertices[0]: 1 removed"
        ]
    );
    // Moving a value from the front to the end makes two differences, not fifty.
    let mut rotated = positions(50);
    rotated.rotate_left(1);
    let found = lines(&folder, &strip(50), &with_positions(rotated, 50), "");
    assert_eq!(
        found,
        ["  vertices[0]: 1 removed", "  vertices[49]: 1 added"]
    );
}

#[test]
fn optional_fields_are_removed_and_added() {
    let folder = Folder::new();
    let columns = mesh::Columns {
        positions: positions(6),
        normals: Some(vec![[0.0, 0.0, 1.0]; 6]),
        ..Default::default()
    };
    let with_normals = mesh::Document {
        vertices: mesh::Vertices::from_columns(&columns).unwrap(),
        ..strip(6)
    };
    assert_eq!(
        lines(&folder, &with_normals, &strip(6), ""),
        [
            "  header.format.normal: 1 → 0, by 1",
            "  vertices[0..6].normal: 6 removed"
        ]
    );
    assert_eq!(
        lines(&folder, &strip(6), &with_normals, ""),
        [
            "  header.format.normal: 0 → 1, by 1",
            "  vertices[0..6].normal: 6 added"
        ]
    );
}

#[test]
fn tolerance_applies_to_floats() {
    let folder = Folder::new();
    let near = moved(6, |_, position| position[1] += 0.125);
    assert_eq!(
        lines(&folder, &strip(6), &near, " --tolerance 0.125"),
        [""; 0]
    );
    assert_eq!(
        lines(&folder, &strip(6), &near, " --tolerance 0.124").len(),
        1
    );
    let other = mesh::Document {
        indices: vec![0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 4],
        ..strip(6)
    };
    assert_eq!(
        lines(&folder, &strip(6), &other, " --tolerance 2"),
        ["  indices[11]: 5 → 4, by 1"]
    );
    assert!(
        !folder
            .run("diff a.mesh b.mesh --tolerance=-1")
            .fails(2)
            .is_empty()
    );
}

#[test]
fn data_follows_the_schema() {
    let folder = Folder::new();
    let several = moved(9, |index, position| {
        position[0] += if index > 5 { 0.5 } else { 0.0 }
    });
    lines(&folder, &strip(9), &several, "");
    let run = folder.run("diff a.mesh b.mesh --json");
    assert_eq!(run.status, 1);
    let group =
        json!({"path": "vertices[6..9].position", "kind": "changed", "count": 3, "by": 0.5});
    let expected = json!({"a": "a.mesh", "b": "b.mesh", "compared": "values", "total": 3, "differences": [group]});
    assert_eq!(
        serde_json::from_str::<Value>(&run.stdout).unwrap(),
        expected
    );
    // The schema has exactly these keys.
    let schema: Value =
        serde_json::from_str(include_str!("../../../docs/diff.schema.json")).unwrap();
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let with_parts = json!({"a": 0, "b": 0, "compared": 0, "parts": 0, "uncompared_corners": 0, "total": 0,
        "differences": 0});
    assert_eq!(keys(&schema["properties"]), keys(&with_parts));
    let item = &schema["properties"]["differences"]["items"]["properties"];
    let single = json!({"path": 0, "kind": 0, "count": 0, "from": 0, "to": 0, "by": 0,
        "mean": 0, "of": 0, "unit": 0, "at": 0});
    assert_eq!(keys(item), keys(&single));
}

/// A difference between a number and NaN is not hidden by a smaller one, and JSON has no infinity.
#[test]
fn numbers_and_nan_differ_infinitely() {
    let folder = Folder::new();
    let broken = moved(3, |index, position| match index {
        0 => position[0] = f32::NAN,
        1 => position[0] += 0.5,
        _ => position[0] = f32::INFINITY,
    });
    assert_eq!(
        lines(&folder, &strip(3), &broken, ""),
        ["  vertices[0..3].position: 3 differ, by at most inf"]
    );
    let run = folder.run("diff a.mesh b.mesh --json");
    let output: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(output["differences"][0]["by"], "Infinity");
    // Scenes, whose mean is infinite, too.
    let obj = |u: &str| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt {u} 0\nf 1/1 2/1 3/1\n");
    folder.put("a.obj", obj("0"));
    folder.put("b.obj", obj("nan"));
    let run = folder.run("diff a.obj b.obj --json");
    let output: Value = serde_json::from_str(&run.stdout).unwrap();
    let uv = &output["differences"][0];
    assert_eq!(
        (&uv["by"], &uv["mean"]),
        (&json!("Infinity"), &json!("Infinity")),
        "{run:?}"
    );
}

#[test]
fn texts_are_compared_by_their_values() {
    let folder = Folder::new();
    let sample = std::fs::read_to_string(repository().join("samples/seed/facets.mesh")).unwrap();
    folder.put("a.mesh", &sample);
    folder.put(
        "b.mesh",
        sample
            .replacen("p 1, 1, 1", "p 1.0, 1, 1.50", 1)
            .replace("Tetrahedron", "Other"),
    );
    let run = folder.run("diff a.mesh b.mesh");
    assert_eq!(run.status, 1);
    let expected = "a.mesh and b.mesh: Seed, 2 differences
  properties[0].value: \"Tetrahedron\" → \"Other\"
  positions[0]: [1, 1, 1] → [1, 1, 1.5], by 0.5
";
    assert_eq!(run.stdout, expected);
}

/// Lines without a known identifier belong to no list.
#[test]
fn malformed_lines_are_compared() {
    let folder = Folder::new();
    let sample = std::fs::read_to_string(repository().join("samples/seed/facets.mesh")).unwrap();
    folder.put("a.mesh", &sample);
    folder.put(
        "b.mesh",
        format!("{sample}\nbogus 1 2 3\n[na\n# a comment\n"),
    );
    let run = folder.run("diff a.mesh b.mesh");
    let expected = "a.mesh and b.mesh: Seed, 2 differences\n  unreadable_lines[0..2]: 2 added\n";
    assert_eq!((run.status, &*run.stdout), (1, expected));
    folder.put("c.mesh", format!("{sample}\nVP 1\n"));
    let run = folder.run("diff a.mesh c.mesh");
    assert!(
        run.stdout
            .ends_with("  unreadable_lines[0]: added \"VP 1\"\n"),
        "{run:?}"
    );
}

/// The other lines stay comparable.
#[test]
fn malformed_lines_with_a_known_identifier_are_compared() {
    let folder = Folder::new();
    let sample = std::fs::read_to_string(repository().join("samples/seed/facets.mesh")).unwrap();
    folder.put("a.mesh", &sample);
    folder.put(
        "b.mesh",
        format!(
            "{}\np 1, x, 1\n",
            sample.replacen("p 1, 1, 1", "p 2, 1, 1", 1)
        ),
    );
    let run = folder.run("diff a.mesh b.mesh");
    let expected = "a.mesh and b.mesh: Seed, 2 differences
  positions[0]: [1, 1, 1] → [2, 1, 1], by 1
  unreadable_lines[0]: added \"p 1, x, 1\"
";
    assert_eq!((run.status, &*run.stdout), (1, expected), "{run:?}");
}

/// A text in UTF-16 has no readable line, but two such texts may differ.
#[test]
fn texts_in_another_encoding_are_compared() {
    let folder = Folder::new();
    let utf_16 = |text: &str| {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect::<Vec<u8>>()
    };
    folder.put("a.mesh", utf_16("p 1, 1, 1\n"));
    folder.put("b.mesh", utf_16("p 2, 1, 1\n"));
    let run = folder.run("diff a.mesh b.mesh");
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stdout.contains("  unreadable_lines[0]: "), "{run:?}");
    assert_eq!(folder.run("diff a.mesh a.mesh").status, 0);
}

/// Puts a sample with changed bytes.
fn put_changed(folder: &Folder, name: &str, sample: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(repository().join("samples").join(sample)).unwrap();
    change(&mut bytes);
    folder.put(name, bytes);
}

#[test]
fn bytes_without_a_field_are_compared() {
    let folder = Folder::new();
    // Gaps of 12 bytes after names.
    let [first, second] = [0x124, 0x164];
    let fill = |name: &str, at: usize, byte: u8| {
        put_changed(&folder, name, "bmd/pyramid.bmd", |bytes| {
            bytes[at..at + 12].fill(byte)
        });
    };
    fill("none.bmd", first, 0);
    fill("first.bmd", first, b'x');
    fill("second.bmd", second, b'x');
    fill("other.bmd", first, b'y');
    for (a, b, expected) in [
        ("none", "first", "added \"xxxxxxxxxxxx\""),
        ("first", "none", "removed \"xxxxxxxxxxxx\""),
        ("first", "other", "\"xxxxxxxxxxxx\" → \"yyyyyyyyyyyy\""),
        ("first", "second", "at 292 → at 356"),
    ] {
        let run = folder.run(&format!("diff {a}.bmd {b}.bmd"));
        let difference = format!("1 difference\n  gaps: {expected}\n");
        assert!(run.stdout.ends_with(&difference), "{run:?}");
    }
    put_changed(&folder, "a.cmodel", "crucible/tetrahedra.cmodel", |_| {});
    for (name, byte) in [("b.cmodel", b'x'), ("c.cmodel", b'y')] {
        put_changed(&folder, name, "crucible/tetrahedra.cmodel", |bytes| {
            // The length of the first chunk.
            bytes[11] += 1;
            bytes.insert(252, byte);
        });
    }
    for (a, b, expected) in [
        ("a", "b", "added \"x\""),
        ("b", "a", "removed \"x\""),
        ("b", "c", "\"x\" → \"y\""),
    ] {
        let run = folder.run(&format!("diff {a}.cmodel {b}.cmodel"));
        let difference = format!("  chunks[0].trailing: {expected}\n");
        assert!(run.stdout.ends_with(&difference), "{run:?}");
    }
}

#[test]
fn a_missing_nul_is_a_difference() {
    let folder = Folder::new();
    put_changed(&folder, "a.mesh", "mesh/tentacle.mesh", |_| {});
    put_changed(&folder, "b.mesh", "mesh/tentacle.mesh", |bytes| {
        bytes.pop();
    });
    let run = folder.run("diff a.mesh b.mesh");
    let expected = "  strings[1]: \"stretch\" → \"stretch\" without NUL\n";
    assert!(run.stdout.ends_with(expected), "{run:?}");
}

/// The equal items at the end are found in several steps.
#[test]
fn an_item_is_inserted_before_many_equal_ones() {
    let folder = Folder::new();
    let mut longer = strip(5_000);
    longer.indices.splice(3..3, [7, 7, 7]);
    let found = lines(&folder, &strip(5_000), &longer, "");
    let expected = [
        "  header.index_count: 14994 → 14997, by 3",
        "  indices[3..6]: 3 added",
    ];
    assert_eq!(found, expected);
}

/// Lists that are too long to align are compared item by item.
#[test]
fn very_long_lists_are_compared_in_order() {
    let folder = Folder::new();
    let found = |count: u32| {
        let mut document = strip(3);
        document.indices = (0..count).collect();
        let before = document.clone();
        document.indices.splice(1..1, [9; 3]);
        let last = document.indices.len() - 1;
        document.indices[last] = 0;
        lines(&folder, &before, &document, "")[1..].to_vec()
    };
    let aligned = [
        "  indices[1..4]: 3 added",
        "  indices[8999]: 8999 → 0, by 8999",
    ];
    assert_eq!(found(9_000), aligned);
    let count = (1 << 20) + 3;
    let in_order = [
        format!("  indices[1..{count}]: {} differ, by at most 8", count - 1),
        format!("  indices[{count}..{}]: 3 added", count + 3),
    ];
    assert_eq!(found(count), in_order);
}

/// Floats are compared exactly without a tolerance.
#[test]
fn zeros_of_different_signs_differ() {
    let folder = Folder::new();
    let negative = moved(6, |index, position| {
        position[1] = if index == 2 { -0.0 } else { position[1] }
    });
    assert_eq!(
        lines(&folder, &strip(6), &negative, ""),
        ["  vertices[2].position: [2, 0, 0.25] → [2, -0, 0.25], by 0"]
    );
    assert_eq!(
        lines(&folder, &strip(6), &negative, " --tolerance 0.001"),
        [""; 0]
    );
}

/// Lists stay in the bytes of the files: a tree with a node per value would exceed the memory.
#[cfg(target_os = "linux")]
#[test]
fn large_lists_are_compared_in_their_bytes() {
    let folder = Folder::new();
    let count = 400_000;
    folder.put_mesh("a.mesh", &strip(count));
    let changed = moved(count, |index, position| {
        position[0] += if index == count - 2 { 1.0 } else { 0.0 }
    });
    folder.put_mesh("b.mesh", &changed);
    let program = assert_cmd::cargo::cargo_bin!("meshspec");
    let script = "ulimit -v 200000; exec \"$0\" diff a.mesh b.mesh";
    let run = folder.run_shell(&["-c", script, program.to_str().unwrap()]);
    let expected = "a.mesh and b.mesh: MESH, 1 difference
  vertices[399998].position: [399998, 0, 0.25] → [399999, 0, 0.25], by 1
";
    assert_eq!((run.status, &*run.stdout), (1, expected), "{run:?}");
}

#[test]
fn json_documents_compare_as_the_files_they_encode() {
    let folder = Folder::new();
    for sample in [
        "mesh/tentacle.mesh",
        "iyma/quads.ima",
        "bmd/pyramid.bmd",
        "seed/channels.mesh",
    ] {
        let path = repository().join("samples").join(sample);
        folder
            .run(&format!("convert {} a.json --force", path.display()))
            .fine();
        let run = folder.run(&format!("diff {} a.json", path.display()));
        let is_by_value = !run.stdout.contains("scenes");
        assert!(
            run.status == 0 && is_by_value && run.stdout.ends_with("no differences\n"),
            "{sample}: {run:?}"
        );
    }
}

#[test]
fn different_formats_are_compared_as_scenes() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &animated());
    assert_eq!(folder.run("convert a.mesh a.glb").status, 0);
    let text = folder.run("diff a.mesh a.glb").fine();
    let parts = "counts, names, bounds, surfaces, materials, winding, joints and animations";
    assert_eq!(
        text,
        format!("a.mesh and a.glb: compared as scenes, no differences in {parts}\n")
    );
    assert_eq!(folder.run("convert a.mesh b.glb --scale 2").status, 0);
    let run = folder.run("diff a.mesh b.glb");
    assert_eq!(run.status, 1);
    let paths: Vec<&str> = run
        .stdout
        .lines()
        .skip(1)
        .filter_map(|line| line.trim().split(": ").next())
        .collect();
    assert_eq!(
        paths,
        [
            "not compared",
            "bounds.max",
            "surface",
            "animations[\"walk\"].translations",
            "animations[\"walk\"]@0.surface",
            "animations[\"walk\"]@0.625.surface",
            "animations[\"walk\"]@1.25.surface"
        ]
    );
    assert!(
        run.stdout
            .contains("bounds.max: [1, 2, 0.5] → [2, 4, 1], by 2 m\n"),
        "{run:?}"
    );
    // The corners are too far apart to be matched.
    let text = folder.run("diff a.mesh b.glb --tolerance 10").fine();
    assert!(
        text.lines().count() == 2
            && text.contains("\n  not compared: 0 corners of the first and 2 of the second file"),
        "{text}"
    );
    folder.put_mesh("c.mesh", &triangle());
    let run = folder.run("diff a.mesh c.mesh --scenes");
    assert!(
        run.stdout
            .contains("  joints: 1 → 0, by 1\n  animations[\"walk\"]: 1 removed\n"),
        "{run:?}"
    );
}

/// Holes are found even if all their corners are present.
#[test]
fn a_missing_triangle_is_far_from_the_surface() {
    let folder = Folder::new();
    let mut hole = strip(6);
    hole.indices.drain(3..6);
    folder.put_mesh("a.mesh", &strip(6));
    folder.put_mesh("b.mesh", &hole);
    let run = folder.run("diff a.mesh b.mesh --scenes");
    assert!(
        run.stdout
            .contains("  triangles: 4 → 3, by 1\n  surface: 1 of 19 differs, by 0."),
        "{run:?}"
    );
}

/// A square of two triangles, with texture coordinates and normals. The faces follow.
const SQUARE: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\nvn 0 0 1\n";

/// Returns the lines that `diff` prints below the first for two OBJ files.
fn obj_lines(a: &str, b: &str) -> Vec<String> {
    let folder = Folder::new();
    folder.put("a.obj", a);
    folder.put("b.obj", b);
    let run = folder.run("diff a.obj b.obj");
    run.stdout
        .lines()
        .skip(1)
        .map(|line| line.trim().to_owned())
        .collect()
}

#[test]
fn attributes_are_compared_by_corner() {
    let faces = "f 1/1/1 2/2/1 4/4/1\nf 1/1/1 4/4/1 3/3/1\n";
    let square = format!("{SQUARE}{faces}");
    let moved = square.replace("vt 1 0\n", "vt 0.5 0\n");
    assert_eq!(
        obj_lines(&square, &moved),
        ["attributes[\"uv0\"]: 1 of 6 differs, by 0.5 at [1, 0, 0]"]
    );
    let turned = square.replace("vn 0 0 1", "vn 0 0.6 0.8");
    let expected = [
        "attributes[\"normal\"]: 6 of 6 differ, by at most 36.8699° at [0, 0, 0], 36.8699° on average",
    ];
    assert_eq!(obj_lines(&square, &turned), expected);
    let without = format!("{SQUARE}f 1/1 2/2 4/4\nf 1/1 4/4 3/3\n");
    assert_eq!(
        obj_lines(&square, &without),
        ["attributes[\"normal\"]: 6 removed"]
    );
    assert_eq!(
        obj_lines(&without, &square),
        ["attributes[\"normal\"]: 6 added"]
    );
}

#[test]
fn reversed_triangles_and_uncompared_corners_are_counted() {
    let square = format!("{SQUARE}f 1/1/1 2/2/1 4/4/1\nf 1/1/1 4/4/1 3/3/1\n");
    let reversed = format!("{SQUARE}f 4/4/1 2/2/1 1/1/1\nf 1/1/1 4/4/1 3/3/1\n");
    assert_eq!(
        obj_lines(&square, &reversed),
        ["triangles.winding: 1 of 2 differs"]
    );
    let flat = format!("{square}f 2/2/1 2/2/1 4/4/1\n");
    let text =
        "not compared: 3 corners of the first and 3 of the second file of triangles without area";
    assert_eq!(obj_lines(&flat, &flat), [text]);
}

#[test]
fn order_and_triangulation_make_no_difference() {
    let square = format!("{SQUARE}f 1/1/1 2/2/1 4/4/1\nf 1/1/1 4/4/1 3/3/1\n");
    let reordered = format!("{SQUARE}f 4/4/1 3/3/1 1/1/1\nf 2/2/1 4/4/1 1/1/1\n");
    assert_eq!(obj_lines(&square, &reordered), [""; 0]);
    let other_diagonal = format!("{SQUARE}f 1/1/1 2/2/1 3/3/1\nf 2/2/1 4/4/1 3/3/1\n");
    assert_eq!(obj_lines(&square, &other_diagonal), [""; 0]);
    // A vertex in the middle: its attributes are interpolated on the other surface.
    let fan =
        "f 1/1/1 2/2/1 5/5/1\nf 2/2/1 4/4/1 5/5/1\nf 4/4/1 3/3/1 5/5/1\nf 3/3/1 1/1/1 5/5/1\n";
    let middle = |uv: &str| format!("{SQUARE}v 0.5 0.5 0\nvt {uv}\n{fan}");
    let counts = ["vertices: 4 → 5, by 1", "triangles: 2 → 4, by 2"];
    assert_eq!(obj_lines(&square, &middle("0.5 0.5")), counts);
    let found = obj_lines(&square, &middle("0.75 0.5"));
    assert!(
        found.len() == 3
            && found[2].contains("attributes[\"uv0\"]: 4 of 18 differ, by at most 0.25 "),
        "{found:?}"
    );
}

#[test]
fn materials_are_compared_by_value() {
    let folder = Folder::new();
    folder.put("a.mtl", "newmtl m\nKd 1 0 0\n");
    folder.put("b.mtl", "newmtl m\nKd 0 1 0\nd 0.5\n");
    for name in ["a", "b"] {
        let text = format!("mtllib {name}.mtl\n{SQUARE}usemtl m\nf 1/1/1 2/2/1 4/4/1\n");
        folder.put(&format!("{name}.obj"), text);
    }
    let run = folder.run("diff a.obj b.obj");
    let lines: Vec<_> = run.stdout.lines().skip(1).collect();
    let expected = [
        "  materials[\"m\"].base_color: [1.0, 0.0, 0.0, 1.0] → [0.0, 1.0, 0.0, 0.5], by 1",
        "  materials[\"m\"].alpha_mode: opaque → alpha blending",
    ];
    assert_eq!((run.status, &lines[..]), (1, &expected[..]));
}

/// Returns the files whose scene differs from itself, despite rounding, equal animation names, or negative rates.
fn differ_from_themselves(files: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let folder = Folder::new();
    let differs = |(format, file): &(String, String)| {
        let path = repository().join(file).display().to_string();
        folder
            .run(&format!("diff {path} {path} --scenes --from {format}"))
            .status
            != 0
    };
    files.filter(differs).map(|(_, file)| file).collect()
}

#[test]
fn scenes_do_not_differ_from_themselves() {
    let files = [
        ("mesh", "samples/mesh/tentacle.mesh"),
        ("bmd", "samples/bmd/tentacle.bmd"),
    ];
    let renderlib = |number: u32| format!("corpus/mesh/renderlib/valid/valid-{number}.mesh");
    let corpus = [2, 7, 20].map(|number| ("mesh".to_owned(), renderlib(number)));
    let files = files.map(|(format, file)| (format.to_owned(), file.to_owned()));
    assert_eq!(
        differ_from_themselves(files.into_iter().chain(corpus)),
        [""; 0]
    );
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn scenes_of_the_corpus_do_not_differ_from_themselves() {
    let index = std::fs::read_to_string(repository().join("corpus/index.jsonl")).unwrap();
    let entries = index
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let valid = entries.filter(|entry| entry["kind"] == "valid");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let files = valid.map(|entry| {
        (
            text(&entry["format"]),
            format!("corpus/{}", text(&entry["file"])),
        )
    });
    assert_eq!(differ_from_themselves(files), [""; 0]);
}

#[test]
fn point_clouds_differ_in_their_bounds() {
    let folder = Folder::new();
    let cloud = |x: u32| {
        let header = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
        format!("{header}end_header\n{x} 2 3\n")
    };
    folder.put("a.ply", cloud(1));
    folder.put("b.ply", cloud(7));
    folder.run("diff a.ply a.ply").fine();
    let run = folder.run("diff a.ply b.ply");
    assert!(
        run.status == 1
            && run
                .stdout
                .contains("bounds.min: [1, 2, 3] → [7, 2, 3], by 6 m"),
        "{run:?}"
    );
    let message = folder.run("diff - -").fails(2);
    assert_eq!(
        message,
        "error: standard input: can be used for one of the files only\n"
    );
}

#[test]
fn errors_name_the_file() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    let mut bytes = folder.get("a.mesh");
    bytes.truncate(40);
    folder.put("b.mesh", bytes);
    let message = folder.run("diff a.mesh b.mesh --from mesh").fails(1);
    assert!(message.starts_with("error: b.mesh: vertices"), "{message}");
    let message = folder.run("diff a.mesh missing.mesh").fails(3);
    assert!(message.starts_with("error: missing.mesh: "), "{message}");
}

/// Files of a custom format without scenes are compared by value only.
pub fn compares_by_a_declaration(folder: &Folder, run: impl Fn(&Folder, &str) -> Run) {
    folder.put("b.hfld", b"HFLD\x02\0\x01\0\0\0\xc0\x3f\0\0\x80\x40");
    let found = run(folder, "diff a.hfld b.hfld");
    assert_eq!(found.status, 1);
    assert_eq!(
        found.stdout.lines().nth(1),
        Some("  heights[1]: 2 → 4, by 2"),
        "{found:?}"
    );
    let message = run(folder, "diff a.hfld b.hfld --scenes").fails(2);
    assert!(message.contains("height_field has no scenes"), "{message}");
    let message = run(folder, "render a.hfld b.png").fails(2);
    assert!(message.contains("height_field has no scenes"), "{message}");
}

/// IyMA stores the names of custom usages as lists of bytes.
#[test]
fn names_are_shown_as_text() {
    let folder = Folder::new();
    let sample = repository()
        .join("samples/iyma/usages.ima")
        .display()
        .to_string();
    let edit = folder.run(&format!(
        "edit {sample} b.ima --set attributes[7].name=[99,111,108,100]"
    ));
    assert_eq!(edit.status, 0, "{edit:?}");
    let run = folder.run(&format!("diff {sample} b.ima"));
    assert!(
        run.stdout
            .ends_with("\n  descriptor.attributes[7].name: \"heat\" → \"cold\"\n"),
        "{run:?}"
    );
}
