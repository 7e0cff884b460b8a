//! Strategies that generate valid Seed documents, for tests of other loaders.
//!
//! They are made by hand: the grammar says how a line is written, but no expression says which lines a document has.
//! Floats take every finite value.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub use super::texts::texts;

use super::codec::window::{Counts, Window};
use super::columns::{MAX_VALUES, Values};
use super::schema::{KINDS, PROPERTIES};
use super::{Comment, Document, Kind, LineRef, Place, Property};
use crate::Text;
use crate::layout::generate::Config;
use crate::layout::{Domain, Number};

/// Documents that strict reading accepts: any properties, every set of attributes, with and without comments.
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config { max_items: 12, ..Config::default() })
}

/// Documents that strict reading accepts, of this size and sort. Those that are plausible have no findings at all: the
/// built-in properties, unit normals, colors and texture coordinates from 0 to 1.
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let Config { plausible, max_items, .. } = config;
    let max = max_items as usize;
    (3..=max.max(3), 1..=max.max(1), vec(prop::bool::weighted(0.75), KINDS))
        .prop_flat_map(move |(vertices, faces, wanted)| {
            let mut counts = [0; KINDS];
            for (kind, wanted) in Kind::ALL.into_iter().zip(wanted) {
                let attribute = kind.attribute();
                let allowed =
                    attribute.requires.and_then(Kind::of).is_none_or(|other| counts[other as usize] > 0);
                if attribute.required || (allowed && wanted) {
                    counts[kind as usize] = if attribute.is_per_vertex() { vertices } else { faces };
                }
            }
            let lines = |kind| vec(values(kind, vertices, plausible), counts[kind as usize]);
            (properties(plausible), Kind::ALL.map(lines).to_vec(), Just(counts))
        })
        .prop_map(|(properties, lines, kinds)| {
            let mut document = Document { properties, ..Document::default() };
            let counts = Counts { kinds, ..Counts::default() };
            for mut window in Window::split(&mut document, &[counts]) {
                for (kind, lines) in Kind::ALL.into_iter().zip(&lines) {
                    lines.iter().for_each(|values| window.push(kind, values));
                }
            }
            document
        })
        .prop_flat_map(|document| {
            let comments = prop::option::of(comments(&document));
            comments.prop_map(move |comments| Document { comments, ..document.clone() })
        })
}

/// The values of a line of a document with so many vertices.
fn values(kind: Kind, vertices: usize, plausible: bool) -> BoxedStrategy<Values> {
    let (number, domain) = (kind.attribute().number, kind.attribute().constraint);
    match (number, domain, plausible) {
        (Number::F32, Domain::UnitVector, true) => {
            let vectors = [-1.0..1.0f32, -1.0..1.0, -1.0..1.0];
            vectors.prop_map(|vector| Values::Floats(unit(vector))).boxed()
        }
        (Number::F32, Domain::UnitInterval, true) => {
            [(); MAX_VALUES].map(|()| 0.0..=1.0f32).prop_map(Values::Floats).boxed()
        }
        (Number::F32, _, true) => [(); MAX_VALUES].map(|()| -10.0..10.0f32).prop_map(Values::Floats).boxed(),
        (Number::F32, ..) => [(); MAX_VALUES].map(|()| floats()).prop_map(Values::Floats).boxed(),
        (Number::Index, ..) => {
            [(); MAX_VALUES].map(|()| 0..vertices as u32).prop_map(Values::Indices).boxed()
        }
    }
}

/// The vector with length 1, followed by 0; along Z if it has no length.
fn unit(vector: [f32; 3]) -> [f32; MAX_VALUES] {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let [x, y, z] = if length.is_normal() { vector.map(|x| x / length) } else { [0.0, 0.0, 1.0] };
    [x, y, z, 0.0]
}

/// Every finite float, boundaries among them.
fn floats() -> impl Strategy<Value = f32> {
    use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        4 => -10.0..10.0f32,
        1 => POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
        1 => select(&[0.0, -0.0, 1.0, -1.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE][..]),
    ]
}

/// Properties with different names; the built-in ones among them where they are plausible.
fn properties(plausible: bool) -> impl Strategy<Value = Vec<Property>> {
    let value = "[!-\"$-~é€😀]{0,6}( [!-\"$-~]{1,5}){0,2}".prop_map(|value| value.trim().to_owned());
    let others = vec(("[A-Za-z][A-Za-z0-9_]{0,5}", value), 0..5);
    let built_in = PROPERTIES.each_ref().map(|property| match property.values {
        [] => "[a-z]{1,6}".boxed(),
        values => select(values).prop_map(str::to_owned).boxed(),
    });
    (others, built_in).prop_map(move |(mut pairs, built_in)| {
        if plausible {
            let names = PROPERTIES.iter().map(|property| property.name);
            pairs.retain(|(name, _)| names.clone().all(|built_in| name != built_in));
            pairs.extend(names.map(str::to_owned).zip(built_in));
        }
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
        places.extend([false, true].map(|trailing| Place::Property(LineRef { index, trailing })));
    }
    for kind in Kind::ALL {
        for index in 0..document.lines(kind) {
            places.extend([false, true].map(|trailing| Place::Line(kind, LineRef { index, trailing })));
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
        // Only one fits after the content of a line.
        comments.dedup_by(|b, a| a.place == b.place && a.place.is_trailing());
        comments
    })
}
