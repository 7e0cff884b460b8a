//! Colours of PLY.

use meshspec::interop::Interchange::Ply;
use meshspec::scene::Colors;

use super::ply::with_vertex_properties;
use super::scene;

const WRAPPED: &str =
    "changed: vertex.red, green, blue: negative components were read as unsigned integers";

/// Returns the colours of three vertices, and the losses.
fn read(number: &str, values: [&str; 3]) -> (Vec<[f32; 4]>, String) {
    let properties = ["red", "green", "blue"].map(|channel| format!("{number} {channel}"));
    let text = with_vertex_properties(&properties.each_ref().map(|property| &**property), values);
    let (mut scene, losses) = scene(Ply, text.as_bytes());
    (scene.meshes.remove(0).colors.remove(0).into_f32(), losses)
}

#[test]
fn colours_of_any_type_and_name() {
    let scaled = |names: &str| {
        format!("changed: vertex.{names}: colours from 0 to 255 were scaled to 0 to 1")
    };
    let rgb = "red, green, blue";
    let bytes = Colors::U8(vec![[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 51, 255]]);
    let floats = |last: f32| {
        Colors::F32(vec![
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 1.0],
            [0.0, 0.0, last, 1.0],
        ])
    };
    let to_255 = ["255 0 0", "0 255 0", "0 0 51"];
    let cases = [
        (
            "uchar",
            ["red", "green", "blue"],
            to_255,
            bytes.clone(),
            String::new(),
        ),
        (
            "uchar",
            ["r", "g", "b"],
            to_255,
            bytes.clone(),
            String::new(),
        ),
        (
            "uchar",
            ["diffuse_red", "diffuse_green", "diffuse_blue"],
            to_255,
            bytes.clone(),
            String::new(),
        ),
        (
            "uint8",
            ["ambient_red", "ambient_green", "ambient_blue"],
            to_255,
            bytes.clone(),
            String::new(),
        ),
        (
            "ushort",
            ["red", "green", "blue"],
            ["65535 0 0", "0 65535 0", "0 0 32768"],
            floats(32768.0 / 65535.0),
            String::new(),
        ),
        (
            "int",
            ["red", "green", "blue"],
            to_255,
            floats(0.2),
            scaled(rgb),
        ),
        (
            "short",
            ["r", "g", "b"],
            to_255,
            floats(0.2),
            scaled("r, g, b"),
        ),
        (
            "uint",
            ["red", "green", "blue"],
            ["65535 0 0", "0 65535 0", "0 0 13107"],
            floats(0.2),
            scaled(rgb).replace("255", "65535"),
        ),
        (
            "int",
            ["red", "green", "blue"],
            ["1 0 0", "0 1 0", "0 0 0"],
            floats(0.0),
            String::new(),
        ),
        (
            "uchar",
            ["diffuse_r", "diffuse_g", "diffuse_b"],
            to_255,
            bytes,
            String::new(),
        ),
        (
            "char",
            ["red", "green", "blue"],
            ["-1 0 0", "0 -1 0", "0 0 51"],
            floats(0.2),
            format!(
                "changed: vertex.{rgb}: negative components were read as unsigned integers\n{}",
                scaled(rgb)
            ),
        ),
        (
            "short",
            ["red", "green", "blue"],
            ["-1 0 0", "0 -1 0", "0 0 13107"],
            floats(0.2),
            format!(
                "changed: vertex.{rgb}: negative components were read as unsigned integers\n{}",
                scaled(rgb).replace("255", "65535")
            ),
        ),
        (
            "float",
            ["red", "green", "blue"],
            to_255,
            floats(0.2),
            scaled(rgb),
        ),
        (
            "double",
            ["red", "green", "blue"],
            ["255 0 0", "0 255 0", "0 0 127.5"],
            floats(0.5),
            scaled(rgb),
        ),
        (
            "float",
            ["red", "green", "blue"],
            ["1 0 0", "0 1 0", "0 0 .25"],
            floats(0.25),
            String::new(),
        ),
        // High dynamic range.
        (
            "float",
            ["red", "green", "blue"],
            ["1 0 0", "0 1 0", "0 0 2.5"],
            floats(2.5),
            String::new(),
        ),
    ];
    for (number, names, values, expected, losses) in cases {
        let properties = names.map(|name| format!("{number} {name}"));
        let text =
            with_vertex_properties(&properties.each_ref().map(|property| &**property), values);
        let (scene, found) = scene(Ply, text.as_bytes());
        assert_eq!(
            (found, &scene.meshes[0].colors),
            (losses, &vec![expected]),
            "{number} {names:?}"
        );
        assert!(scene.meshes[0].custom.is_empty());
    }
}

#[test]
fn alpha_has_its_own_type_and_range() {
    let read = |properties: [&str; 4], value: &str| {
        let text = with_vertex_properties(&properties, [value; 3]);
        scene(Ply, text.as_bytes()).0.meshes[0].colors[0].clone()
    };
    let bytes = [
        "uchar diffuse_red",
        "uchar diffuse_green",
        "uchar diffuse_blue",
        "uchar alpha",
    ];
    assert_eq!(read(bytes, "1 2 3 4"), Colors::U8(vec![[1, 2, 3, 4]; 3]));
    let mixed = ["uchar red", "uchar green", "uchar blue", "float alpha"];
    assert_eq!(
        read(mixed, "255 0 51 0.5"),
        Colors::F32(vec![[1.0, 0.0, 0.2, 0.5]; 3])
    );
    let floats = ["float r", "float g", "float b", "float a"];
    assert_eq!(
        read(floats, "255 0 51 1"),
        Colors::F32(vec![[1.0, 0.0, 0.2, 1.0]; 3])
    );
    assert_eq!(
        read(floats, "255 0 51 51"),
        Colors::F32(vec![[1.0, 0.0, 0.2, 0.2]; 3])
    );
    let integers = ["int red", "int green", "int blue", "int alpha"];
    assert_eq!(
        read(integers, "255 0 51 1"),
        Colors::F32(vec![[1.0, 0.0, 0.2, 1.0]; 3])
    );
    assert_eq!(
        read(integers, "255 0 51 51"),
        Colors::F32(vec![[1.0, 0.0, 0.2, 0.2]; 3])
    );
    let chars = ["char red", "char green", "char blue", "char alpha"];
    assert_eq!(
        read(chars, "1 0 1 -1"),
        Colors::F32(vec![[1.0 / 255.0, 0.0, 1.0 / 255.0, 1.0]; 3])
    );
    assert_eq!(
        read(integers, "1 0 1 255"),
        Colors::F32(vec![[1.0 / 255.0, 0.0, 1.0 / 255.0, 1.0]; 3])
    );
}

/// Otherwise, one negative number would darken all others.
#[test]
fn negative_integers_beside_bytes_are_clamped() {
    for number in ["short", "int"] {
        let (colors, losses) = read(number, ["-1 0 0", "0 255 0", "0 -7 51"]);
        assert_eq!(
            colors,
            [
                [0.0, 0.0, 0.0, 1.0],
                [0.0, 1.0, 0.0, 1.0],
                [0.0, 0.0, 0.2, 1.0]
            ],
            "{number}"
        );
        assert_eq!(
            losses,
            "changed: vertex.red, green, blue: negative components were clamped to 0: 2 numbers\n\
             changed: vertex.red, green, blue: colours from 0 to 255 were scaled to 0 to 1",
            "{number}"
        );
    }
}

#[test]
fn the_channels_of_a_colour_have_one_range() {
    for (number, range) in [("char", 255.0), ("short", 65535.0)] {
        let (colors, losses) = read(number, ["-1 0 0", "0 1 0", "0 0 1"]);
        let expected = [
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0 / range, 0.0, 1.0],
            [0.0, 0.0, 1.0 / range, 1.0],
        ];
        assert_eq!(colors, expected, "{number}");
        let scaled = format!(
            "changed: vertex.red, green, blue: colours from 0 to {range} were scaled to 0 to 1"
        );
        assert_eq!(losses, format!("{WRAPPED}\n{scaled}"));
    }
}
