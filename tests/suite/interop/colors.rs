//! Negative colours of PLY.

use meshspec::interop::Interchange::Ply;
use meshspec::scene::Colors;

use super::scene;

const WRAPPED: &str = "changed: vertex.red, green, blue: negative components were read as unsigned integers";

/// Returns the colours of three vertices, and the losses.
fn read(number: &str, values: [&str; 3]) -> (Vec<[f32; 4]>, String) {
    let mut text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n".to_owned();
    for channel in ["red", "green", "blue"] {
        text += &format!("property {number} {channel}\n");
    }
    text += "end_header\n";
    for value in values {
        text += &format!("0 0 {value}\n");
    }
    let (mut scene, losses) = scene(Ply, text.as_bytes());
    match scene.meshes.remove(0).colors.remove(0) {
        Colors::F32(colors) => (colors, losses),
        Colors::U8(colors) => panic!("{colors:?}"),
    }
}

/// Otherwise, one negative number would darken all others.
#[test]
fn negative_integers_beside_bytes_are_clamped() {
    for number in ["short", "int"] {
        let (colors, losses) = read(number, ["-1 0 0", "0 255 0", "0 -7 51"]);
        assert_eq!(colors, [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.2, 1.0]], "{number}");
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
        let expected = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0 / range, 0.0, 1.0], [0.0, 0.0, 1.0 / range, 1.0]];
        assert_eq!(colors, expected, "{number}");
        let scaled =
            format!("changed: vertex.red, green, blue: colours from 0 to {range} were scaled to 0 to 1");
        assert_eq!(losses, format!("{WRAPPED}\n{scaled}"));
    }
}
