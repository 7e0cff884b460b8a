//! Decoded values in dumps and in their JSON.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::bmd::schema::{AnimRate, Normal, Rotation, TexturedVertex64};
use meshspec::layout::Layout;
use meshspec::layout::declaration::Type;
use meshspec::layout::decoding::{snorm8, unorm8};
use meshspec::layout::dump::Dump;
use modular_bitfield::prelude::*;
use serde_json::{Value, json};

use crate::common::json_of;

/// Values of all sorts.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Values {
    #[layout(decoded = unorm8)]
    weights: [u8; 4],
    #[layout(decoded = snorm8)]
    tilt: i8,
    #[layout(unit = "s")]
    time: f32,
    angle: Angle,
    #[layout(unit = "°")]
    angles: [Angle; 2],
    #[layout(decoded = |stored: u16| 1.0 / f64::from(stored), unit = "Hz")]
    periods: [u16; 9],
    /// A number beyond the range of i8.
    #[layout(decoded = snorm8)]
    large: u8,
}

/// An angle and whether it is exact.
#[derive(Layout)]
#[layout(decoded = Angle::degrees, unit = "deg")]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |angle: &Self| angle.into_bytes())]
#[derive(Clone, Copy)]
struct Angle {
    /// Whole turns are 128.
    #[layout(decoded = turns, unit = "turns")]
    turn: B7,
    exact: bool,
}

impl Angle {
    fn degrees(self) -> u32 {
        u32::from(self.turn()) * 360 / 128
    }
}

fn turns(stored: u8) -> f32 {
    f32::from(stored) / 128.0
}

const VALUES: &[u8] = &[
    255, 0, 51, 0, 0x80, 0, 0, 0x20, 0x40, 0xa0, 32, 64, 1, 0, 2, 0, 4, 0, 5, 0, 8, 0, 10, 0, 16,
    0, 20, 0, 50, 0, 200,
];

/// Returns the columns of each dump line after the bytes or bits: type, name, value and note, separated by single
/// spaces.
fn lines(ty: &'static Type, bytes: &[u8]) -> Vec<String> {
    let mut text = Vec::new();
    assert_eq!(
        Dump::new(ty, bytes).write_text(&mut text, false).unwrap(),
        None
    );
    let columns = |line: &str| {
        Some(
            line.get(37..)?
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        )
    };
    String::from_utf8(text)
        .unwrap()
        .lines()
        .filter_map(columns)
        .collect()
}

/// Returns the value of a file as JSON.
fn json_value(ty: &'static Type, bytes: &[u8]) -> Value {
    let json = json_of(&Dump::new(ty, bytes));
    serde_json::from_slice::<Value>(&json).unwrap()["value"].take()
}

#[test]
fn the_dump_shows_decoded_values() {
    let lines = lines(&Values::TYPE, VALUES);
    for line in [
        "u8[4] weights [255, 0, 51, 0] = [1, 0, 0.2, 0]",
        "i8 tilt -128 (0x80) = -1",
        "f32 time 2.5 s",
        "Angle angle 0xa0: exact = 90 deg",
        "u7 angle.turn 32 (0x20) = 0.25 turns Whole turns are 128.",
        "Angle [0] 0x20 = 90 °",
        "u16 [8] 50 (0x0032) = 0.02 Hz",
        "u8 large 200 (0xc8) A number beyond the range of i8.",
    ] {
        assert!(
            lines.iter().any(|found| found == line),
            "{line}: {lines:#?}"
        );
    }
}

#[test]
fn json_has_decoded_values_and_units() {
    let json = json_value(&Values::TYPE, VALUES);
    let of = |value: &Value| {
        ["$value", "$decoded", "$unit"].map(|key| value.get(key).cloned().unwrap_or_default())
    };
    let null = Value::Null;
    assert_eq!(
        of(&json["weights"]["$items"][2]),
        [json!(51), json!(0.2), null.clone()]
    );
    assert_eq!(of(&json["time"]), [json!(2.5), null.clone(), json!("s")]);
    assert_eq!(json["angles"]["$items"][1]["$decoded"], 180);
    assert_eq!(
        of(&json["angle"]["exact"]),
        [json!(true), null.clone(), null.clone()]
    );
    let periods = &json["periods"];
    assert_eq!(
        of(&periods["$items"][1]),
        [json!(2), json!(0.5), null.clone()]
    );
    let units = [&periods["$unit"], &periods["$items"][0]["$unit"]];
    assert_eq!(units, [&json!("Hz"), &json!("Hz")]);
    let rotation = json_value(&Rotation::TYPE, &[0, 0, 0, 0x70]);
    assert_eq!(rotation["$decoded"], json!([0.0, 0.0, 0.0, 1.0]));
    assert!(rotation.get("$unit").is_none());
}

#[test]
fn words_of_bmd_are_decoded() {
    let position = 0x7000_0080_u32.to_le_bytes();
    let vertex = [&position[..], &[0, 2, 0x60], &[7]].concat();
    let lines = lines(&TexturedVertex64::TYPE, &vertex);
    for line in [
        "Triple position 0x70000080 = [0.5, 0, 0] m Position in bone space.",
        "ScaledSt st 0x600200 = [0, 2] Texture coordinate.",
    ] {
        assert!(
            lines.iter().any(|found| found.contains(line)),
            "{line}: {lines:#?}"
        );
    }
    let rate = self::lines(&AnimRate::TYPE, &[60]).join("\n");
    assert!(rate.contains("0x3c = 15 frames/s"), "{rate}");
    let normal = self::lines(&Normal::TYPE, &[0x70, 0xf0, 0]).join("\n");
    assert!(
        normal.contains("= [1, -1, 0]") && normal.contains("x 112 (0x70) = 1"),
        "{normal}"
    );
}
