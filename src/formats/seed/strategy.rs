//! Strategies that generate valid Seed documents and texts, for tests of other loaders.
//!
//! Floats take every finite value.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::{At, Comment, Document, Kind, Place, Property};
use crate::Text;

const MOST_VERTICES: usize = 12;
const MOST_FACES: usize = 12;

/// Documents that strict reading accepts: any properties, every number of color and UV channels, with and without
/// comments.
pub fn documents() -> impl Strategy<Value = Document> {
    (3..=MOST_VERTICES, 0..=2usize, 1..=8usize)
        .prop_flat_map(|(vertices, colors, uvs)| {
            (
                properties(),
                vec([floats(), floats(), floats()], vertices),
                vec([floats(), floats(), floats()], vertices),
                vec(vec([floats(), floats(), floats(), floats()], vertices), colors),
                vec(vec([floats(), floats()], vertices), uvs),
                vec([0..vertices as u32, 0..vertices as u32, 0..vertices as u32], 1..=MOST_FACES),
            )
        })
        .prop_map(|(properties, positions, normals, colors, uvs, faces)| Document {
            properties,
            positions,
            normals,
            colors,
            uvs,
            faces,
            comments: None,
        })
        .prop_flat_map(|document| {
            let comments = prop::option::of(comments(&document));
            comments.prop_map(move |comments| Document { comments, ..document.clone() })
        })
}

/// Every finite float.
fn floats() -> impl Strategy<Value = f32> {
    use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![4 => -10.0..10.0f32, 1 => POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO]
}

/// Properties with different names.
fn properties() -> impl Strategy<Value = Vec<Property>> {
    let value = "[!-\"$-~é€😀]{0,6}( [!-\"$-~]{1,5}){0,2}".prop_map(|value| value.trim().to_owned());
    vec(("[A-Za-z][A-Za-z0-9_]{0,5}", value), 0..5).prop_map(|mut pairs| {
        pairs.sort();
        pairs.dedup_by(|a, b| a.0 == b.0);
        let pairs = pairs.into_iter().rev();
        pairs.map(|(name, value)| Property { name, value }).collect()
    })
}

/// Comments on any lines, in their order.
fn comments(document: &Document) -> impl Strategy<Value = Vec<Comment>> + use<> {
    let mut places = vec![Place::End];
    for index in 0..document.properties.len() {
        places.extend([false, true].map(|behind| Place::Property(At { index, behind })));
    }
    for kind in Kind::ALL {
        for index in 0..document.column(kind).len() {
            places.extend([false, true].map(|behind| Place::Line(kind, At { index, behind })));
        }
    }
    let text = prop_oneof![
        "[ -~\té€]{0,8}".prop_map(|text| Text::from(&*text)),
        // Not UTF-8.
        vec(0xa0..=0xffu8, 1..4).prop_map(Text::from),
    ];
    vec((select(places), text), 0..6).prop_map(|comments| {
        let comments = comments.into_iter().map(|(place, text)| Comment { text, place });
        let mut comments: Vec<_> = comments.collect();
        comments.sort_by_key(|comment| comment.place);
        // Only one fits behind a line.
        comments.dedup_by(|b, a| {
            a.place == b.place && matches!(a.place, Place::Property(at) | Place::Line(_, at) if at.behind)
        });
        comments
    })
}
