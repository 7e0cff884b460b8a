//! `#[derive(Json)]` and `#[derive(ToJson)]` on types of another crate.

use binrw::binrw;
use meshspec::layout::{Json, Layout, ToJson};
use modular_bitfield::bitfield;
use modular_bitfield::specifiers::B7;
use serde_json::json;

/// A tile.
#[derive(Json, Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, PartialEq)]
struct Tile {
    #[br(temp)]
    #[bw(try_calc = u8::try_from(heights.len()))]
    count: u8,
    /// Heights in metres.
    #[br(count = count)]
    heights: Vec<f32>,
    corner: [f64; 2],
    #[br(if(count > 1))]
    normal: Option<[f32; 3]>,
    #[br(if(count > 2))]
    #[json(always)]
    note: Option<u8>,
    #[layout(one_of(0), rule = rules::RESERVED)]
    reserved: u16,
    #[json(name = "surface")]
    kind: Surface,
    flags: Flags,
}

mod rules {
    use meshspec::{Rule, Severity};

    pub static RESERVED: Rule =
        Rule::new("TILE-RESERVED", Severity::Warning, "Reserved fields are 0.");
}

#[derive(Json, Layout)]
#[binrw]
#[brw(repr = u8)]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Surface {
    GrassLand = 1,
    Water = 4,
}

#[derive(Json, Layout)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq)]
struct Flags {
    level: B7,
    is_hidden: bool,
}

#[derive(Json, Debug, Clone, PartialEq)]
enum Place {
    OnTile(u8, f32),
    OffGrid {
        distance: f32,
    },
    #[json(name = "gone")]
    Nowhere,
}

#[derive(ToJson)]
struct Summary<'a> {
    title: &'a str,
    size: f32,
    tiles: Vec<u8>,
    #[json(always)]
    gaps: Vec<u8>,
    note: Option<&'a str>,
}

fn tile() -> Tile {
    Tile {
        heights: vec![1.5, f32::NEG_INFINITY],
        corner: [0.1, f64::from_bits(0x7ff8_0000_0000_0001)],
        normal: None,
        note: None,
        reserved: 0,
        kind: Surface::GrassLand,
        flags: Flags::new().with_level(3),
    }
}

#[test]
fn fields_need_no_attribute() {
    let expected = json!({
        "heights": [1.5, "-Infinity"],
        "corner": [0.1, "NaN:7ff8000000000001"],
        "note": null,
        "surface": "GrassLand",
        "flags": { "level": 3, "is_hidden": false },
    });
    assert_eq!(serde_json::to_value(tile()).unwrap(), expected);
    let again: Tile = serde_json::from_value(expected).unwrap();
    assert_eq!(
        again.corner.map(f64::to_bits),
        tile().corner.map(f64::to_bits)
    );
    assert_eq!(again.heights, tile().heights);
    assert_eq!((again.normal, again.note, again.reserved), (None, None, 0));
    assert_eq!((again.flags.level(), again.flags.is_hidden()), (3, false));
    let full = Tile {
        normal: Some([0.0, 1.0, 0.0]),
        note: Some(7),
        reserved: 9,
        ..tile()
    };
    let data = serde_json::to_value(&full).unwrap();
    assert_eq!(
        (&data["normal"], &data["note"], &data["reserved"]),
        (&json!([0.0, 1.0, 0.0]), &json!(7), &json!(9))
    );
    let again: Tile = serde_json::from_value(data).unwrap();
    assert_eq!(
        (again.normal, again.note, again.reserved),
        (full.normal, full.note, full.reserved)
    );
}

#[test]
fn unknown_and_missing_keys_are_errors() {
    let error = |key: &str, value| {
        let mut data = serde_json::to_value(tile()).unwrap();
        let map = data.as_object_mut().unwrap();
        match value {
            Some(value) => drop(map.insert(key.to_owned(), value)),
            None => drop(map.remove(key).unwrap()),
        }
        serde_json::from_value::<Tile>(data).map_err(|error| error.to_string())
    };
    assert!(
        error("colour", Some(json!(1)))
            .unwrap_err()
            .starts_with("unknown field `colour`, expected one of `heights`")
    );
    assert_eq!(
        error("heights", None).unwrap_err(),
        "missing field `heights`"
    );
    // `temp` fields have no key.
    assert!(
        error("count", Some(json!(2)))
            .unwrap_err()
            .starts_with("unknown field `count`")
    );
    assert!(
        error("surface", Some(json!("grass_land")))
            .unwrap_err()
            .starts_with("unknown variant `grass_land`")
    );
    assert!(error("note", None).is_ok());
}

#[test]
fn variants_are_in_snake_case() {
    let places = vec![
        Place::OnTile(1, 0.5),
        Place::OffGrid {
            distance: f32::INFINITY,
        },
        Place::Nowhere,
    ];
    let data = serde_json::to_value(&places).unwrap();
    assert_eq!(
        data,
        json!([{ "on_tile": [1, 0.5] }, { "off_grid": { "distance": "Infinity" } }, "gone"])
    );
    assert_eq!(serde_json::from_value::<Vec<Place>>(data).unwrap(), places);
}

#[test]
fn reports_omit_empty_fields() {
    let summary = Summary {
        title: "Tiles",
        size: f32::INFINITY,
        tiles: Vec::new(),
        gaps: Vec::new(),
        note: None,
    };
    let expected = json!({ "title": "Tiles", "size": null, "gaps": [] });
    assert_eq!(serde_json::to_value(summary).unwrap(), expected);
}
