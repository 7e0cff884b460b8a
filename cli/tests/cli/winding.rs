//! Warnings about meshes that are inside out.

use std::fmt::Write;

use crate::dump::repository;
use crate::files::Folder;

const NEGATIVE: &str = "inside out: the surface is closed, but its volume is negative: ";
const OPPOSING: &str = "inside out: the winding of most faces opposes their normals: ";

/// Returns a cube of this size in OBJ, as one object, at `center` on the x axis. `start` is the number of vertices before it.
fn cube(size: f32, center: f32, start: usize, is_inverted: bool, has_normals: bool) -> String {
    let mut text = format!("o {size}\n");
    for corner in 0..8 {
        let [x, y, z] = [1, 2, 4].map(|bit| if corner & bit == 0 { -size } else { size });
        writeln!(text, "v {} {y} {z}\nvn {x} {y} {z}", x + center).unwrap();
    }
    for [a, b, c, d] in [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ] {
        let face = if is_inverted {
            [d, c, b, a]
        } else {
            [a, b, c, d]
        };
        let corners = face.map(|corner| match (corner + start + 1, has_normals) {
            (index, true) => format!("{index}//{index}"),
            (index, false) => index.to_string(),
        });
        writeln!(text, "f {}", corners.join(" ")).unwrap();
    }
    text
}

/// Returns the warnings of `convert`, and asserts that `check` prints the same as hints.
fn warnings(file: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.put(file, content);
    let converted = folder.run(&format!("convert {file} out.glb --verbose"));
    assert_eq!(converted.status, 0, "{}", converted.stderr);
    let warnings: Vec<_> = converted
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("warning: "))
        .collect();
    let checked = folder.run(&format!("check {file} --deny warnings"));
    assert_eq!(checked.status, 0, "hints are no findings");
    let hints: Vec<_> = checked
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("hint: "))
        .collect();
    assert_eq!(hints, warnings);
    assert!(
        !folder
            .run(&format!("check {file} --quiet"))
            .stdout
            .contains("hint")
    );
    warnings.join("\n")
}

#[test]
fn closed_meshes_of_negative_volume_are_reported() {
    assert_eq!(
        warnings("a.obj", cube(1.0, 0.0, 0, true, false)),
        format!("{NEGATIVE}meshes[0] \"1\"")
    );
    assert_eq!(warnings("a.obj", cube(1.0, 0.0, 0, false, false)), "");
    // Corners at the same position need not share a vertex, and −0 is 0.
    let stl = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
               facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n\
               facet normal 0 0 0\nouter loop\nvertex 0 0 -0\nvertex 0 0 1\nvertex 1 0 0\nendloop\nendfacet\n\
               facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    assert_eq!(warnings("a.stl", stl), format!("{NEGATIVE}meshes[0]"));
}

/// Conversions that need no scene warn, too.
#[test]
fn every_conversion_warns() {
    let folder = Folder::new();
    folder.put("a.obj", cube(1.0, 0.0, 0, true, false));
    for conversion in [
        "a.obj a.bmd",
        "a.bmd b.bmd",
        "a.bmd a.json",
        "a.json c.bmd",
        "a.obj a.cmodel",
        "a.cmodel b.json",
    ] {
        let run = folder.run(&format!("convert {conversion}"));
        assert_eq!(run.status, 0, "{run:?}");
        assert!(
            run.stderr.contains("warning: inside out: "),
            "{conversion}: {}",
            run.stderr
        );
    }
}

/// The normals of the cube point outwards.
#[test]
fn faces_that_oppose_their_normals_are_reported() {
    assert_eq!(
        warnings("a.obj", cube(1.0, 0.0, 0, true, true)),
        format!("{OPPOSING}meshes[0] \"1\"")
    );
    assert_eq!(warnings("a.obj", cube(1.0, 0.0, 0, false, true)), "");
    let open = cube(1.0, 0.0, 0, true, true).replacen("f 3//3", "# f 3//3", 1);
    assert_eq!(
        warnings("a.obj", open),
        format!("{OPPOSING}meshes[0] \"1\"")
    );
}

#[test]
fn open_and_flat_surfaces_have_no_volume() {
    let inverted = cube(1.0, 0.0, 0, true, false);
    let face = inverted.rfind("f ").unwrap();
    assert_eq!(warnings("a.obj", &inverted[..face]), "");
    let flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n";
    assert_eq!(warnings("a.obj", flat), "");
}

/// Walls of cavities, and rooms with furniture.
#[test]
fn meshes_that_are_seen_from_within_are_not_reported() {
    let [outer, inner] = [
        cube(2.0, 0.0, 0, false, false),
        cube(1.0, 0.0, 8, true, false),
    ];
    assert_eq!(warnings("a.obj", outer.clone() + &inner), "");
    let [room, table] = [
        cube(2.0, 0.0, 0, true, false),
        cube(1.0, 0.0, 8, false, false),
    ];
    assert_eq!(warnings("a.obj", room + &table), "");
    let beside = cube(1.0, 5.0, 8, true, false);
    assert_eq!(
        warnings("a.obj", outer + &beside),
        format!("{NEGATIVE}meshes[1] \"1\"")
    );
}

/// Returns the content as a single object.
fn in_one_object(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("o "));
    format!("o all\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}

/// The parts of a mesh are judged like meshes.
#[test]
fn parts_that_are_seen_from_within_are_not_reported() {
    let [room, table] = [
        cube(2.0, 0.0, 0, true, false),
        cube(1.0, 0.0, 8, false, false),
    ];
    assert_eq!(warnings("a.obj", in_one_object(&(room + &table))), "");
    let [solid, cavity] = [
        cube(2.0, 0.0, 0, false, false),
        cube(1.0, 0.0, 8, true, false),
    ];
    assert_eq!(
        warnings("a.obj", in_one_object(&(solid.clone() + &cavity))),
        ""
    );
    // Of more negative than positive volume.
    let [inverted, beside] = [
        cube(3.0, 9.0, 8, true, false),
        cube(1.0, -9.0, 16, false, false),
    ];
    let found = warnings("a.obj", in_one_object(&(solid + &inverted + &beside)));
    assert_eq!(found, format!("{NEGATIVE}meshes[0] \"all\""));
}

/// Rooms with a table, solids with a cavity, and inverted cubes, apart from each other.
#[test]
fn each_of_many_meshes_is_compared_with_its_neighbours() {
    let mut text = String::new();
    let mut count = 0;
    let mut put = |size, center, is_inverted| {
        text += &cube(size, center, 8 * count, is_inverted, false);
        count += 1;
    };
    for index in 0..40_u8 {
        let center = 15.0 * f32::from(index);
        put(2.0, center, true);
        put(1.0, center, false);
        put(2.0, center + 5.0, false);
        put(1.0, center + 5.0, true);
        put(1.0, center + 10.0, true);
    }
    let named: Vec<_> = (0..5)
        .map(|index| format!("meshes[{}] \"1\"", 5 * index + 4))
        .collect();
    assert_eq!(
        warnings("a.obj", text),
        format!("{NEGATIVE}{} and 35 more", named.join(", "))
    );
}

#[test]
fn many_meshes_are_counted() {
    let cubes = (0..7_u8).map(|index| {
        cube(
            1.0,
            5.0 * f32::from(index),
            8 * usize::from(index),
            true,
            false,
        )
    });
    let named: Vec<_> = (0..5)
        .map(|index| format!("meshes[{index}] \"1\""))
        .collect();
    assert_eq!(
        warnings("a.obj", cubes.collect::<String>()),
        format!("{NEGATIVE}{} and 2 more", named.join(", "))
    );
}

/// A change of handedness mirrors the mesh and reverses its winding.
#[test]
fn left_handed_axes_keep_the_front() {
    let folder = Folder::new();
    folder.put("a.obj", cube(1.0, 0.0, 0, false, true));
    let run = folder.run("convert a.obj a.glb --axes +x,+y,+z");
    assert!(
        run.status == 0 && !run.stderr.contains("inside out"),
        "{}",
        run.stderr
    );
    let run = folder.run("convert a.glb b.obj --out-axes +x,+y,+z");
    assert!(
        run.status == 0 && !run.stderr.contains("inside out"),
        "{}",
        run.stderr
    );
}

#[test]
fn no_sample_is_inside_out() {
    let folder = Folder::new();
    let mut program = folder.command();
    let output = program
        .current_dir(repository())
        .args(["check", "samples", "--verbose"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("tentacle.bmd") && !text.contains("inside out"),
        "{text}"
    );
}
