//! `#[derive(ToJson)]` on types of another crate.

use meshspec::layout::ToJson;
use serde_json::json;

#[derive(ToJson)]
enum Place {
    OnTile(u8, f32),
    OffGrid {
        distance: f32,
    },
    #[json(name = "gone")]
    Nowhere,
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
    assert_eq!(
        serde_json::to_value(&places).unwrap(),
        json!([{ "on_tile": [1, 0.5] }, { "off_grid": { "distance": null } }, "gone"])
    );
}

#[derive(ToJson)]
struct Summary<'a> {
    title: &'a str,
    size: f32,
    tiles: Vec<u8>,
    #[json(always)]
    gaps: Vec<u8>,
    note: Option<&'a str>,
    #[json(always, name = "place")]
    at: Option<Place>,
    #[json(with = "total")]
    costs: Vec<u8>,
    #[json(optional)]
    errors: u8,
    #[json(skip)]
    _key: u8,
    #[json(flatten)]
    size_of_map: Option<Size>,
}

#[derive(ToJson)]
struct Size {
    width: u8,
}

fn total<S: serde::Serializer>(costs: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(costs.iter().sum())
}

#[test]
fn reports_omit_empty_fields() {
    let summary = |errors, width: Option<u8>| Summary {
        title: "Tiles",
        size: f32::INFINITY,
        tiles: Vec::new(),
        gaps: Vec::new(),
        note: None,
        at: None,
        costs: Vec::new(),
        errors,
        _key: 7,
        size_of_map: width.map(|width| Size { width }),
    };
    let mut expected =
        json!({ "title": "Tiles", "size": null, "gaps": [], "place": null, "costs": 0 });
    assert_eq!(serde_json::to_value(summary(0, None)).unwrap(), expected);
    expected["errors"] = json!(2);
    expected["width"] = json!(3);
    assert_eq!(serde_json::to_value(summary(2, Some(3))).unwrap(), expected);
}
