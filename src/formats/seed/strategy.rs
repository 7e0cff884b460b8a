//! Strategies that generate valid Seed documents and texts, for tests of other loaders.
//!
//! They are made by hand: the grammar says how a line is written, but no expression says which lines a document has.
//! Floats take every finite value.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::codec::window::{Counts, Window};
use super::columns::{Column, MAX_VALUES, Values};
use super::schema::{KINDS, PROPERTIES};
use super::{Comment, Document, Kind, LineRef, Place, Property};
use crate::Text;
use crate::formats::plausible::unit;
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
            let vectors = vectors.prop_map(|vector| unit(vector, [0.0, 0.0, 1.0]));
            vectors.prop_map(|[x, y, z]| Values::Floats([x, y, z, 0.0])).boxed()
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

/// Texts that strict reading accepts and what they say, without comments: lines in any order, numbers in any notation,
/// with whitespace, empty lines and comments wherever they may be, LF and CRLF, with and without byte order mark.
pub fn texts() -> impl Strategy<Value = (Document, Vec<u8>)> {
    (documents(), vec(any::<u8>(), 1..200)).prop_map(|(document, choices)| {
        let document = Document { comments: None, ..document };
        let text = Formatter { choices, next: 0 }.text(&document);
        (document, text)
    })
}

/// Writes a document with variations that a list of choices decides, which is repeated as needed.
struct Formatter {
    choices: Vec<u8>,
    next: usize,
}

impl Formatter {
    /// A number below `end`.
    fn choose(&mut self, end: usize) -> usize {
        self.next += 1;
        usize::from(self.choices[self.next % self.choices.len()]) % end
    }

    fn pick(&mut self, options: &[&str]) -> String {
        let choice = self.choose(options.len());
        options[choice].to_owned()
    }

    fn text(&mut self, document: &Document) -> Vec<u8> {
        let mut queues: Vec<Vec<String>> = Kind::ALL.map(|kind| self.lines(document, kind)).to_vec();
        let properties = document.properties.iter();
        queues.push(properties.map(|property| self.property(property)).collect());
        queues.iter_mut().for_each(|queue| queue.reverse());
        queues.retain(|queue| !queue.is_empty());
        let mut out = if self.choose(4) == 0 { vec![0xef, 0xbb, 0xbf] } else { Vec::new() };
        // Each queue keeps its order.
        while !queues.is_empty() {
            let (number, run) = (self.choose(queues.len()), self.choose(4) + 1);
            let queue = &mut queues[number];
            for line in queue.split_off(queue.len().saturating_sub(run)).into_iter().rev() {
                self.line(&line, &mut out);
            }
            queues.retain(|queue| !queue.is_empty());
        }
        if self.choose(4) == 0 {
            out.truncate(out.trim_ascii_end().len());
        }
        out
    }

    fn line(&mut self, content: &str, out: &mut Vec<u8>) {
        let between = self.pick(&["", "", "", "", "\n", " \t\r\n", "# p 1, 2\n", "\x0b#\u{e9}\n"]);
        let comment = self.pick(&["", "", "", "", "#", " # c", "\t#\u{20ac} #"]);
        for part in [&*between, &*self.whitespace(), content, &*comment] {
            out.extend_from_slice(part.as_bytes());
        }
        if !comment.is_empty() && self.choose(3) == 0 {
            // Not UTF-8.
            out.extend([0xe9, b' ', 0xff]);
        }
        out.extend_from_slice(self.pick(&["\n", "\n", "\r\n"]).as_bytes());
    }

    fn whitespace(&mut self) -> String {
        self.pick(&["", "", "", "", " ", "\t", "\x0b \x0c"])
    }

    fn property(&mut self, Property { name, value }: &Property) -> String {
        let mut whitespace = || self.whitespace();
        format!("[{}{name}{}]{}={}{value}", whitespace(), whitespace(), whitespace(), whitespace())
    }

    fn lines(&mut self, document: &Document, kind: Kind) -> Vec<String> {
        let values = kind.attribute().values;
        let lines: Vec<Vec<String>> = match document.column(kind) {
            Column::Floats(floats) => floats.chunks_exact(values).map(|line| self.floats(line)).collect(),
            Column::Indices(indices) => {
                let line = |line: &[u32]| line.iter().map(|index| self.index(*index)).collect();
                indices.chunks_exact(values).map(line).collect()
            }
        };
        let lines = lines.into_iter().map(|numbers| {
            let mut line = format!(
                "{}{}{}",
                kind.attribute().identifier,
                self.pick(&[" ", "\t", "  "]),
                self.whitespace()
            );
            for (position, number) in numbers.iter().enumerate() {
                let comma = if position == 0 { "" } else { "," };
                line += &format!("{comma}{}{number}{}", self.whitespace(), self.whitespace());
            }
            line
        });
        lines.collect()
    }

    fn floats(&mut self, values: &[f32]) -> Vec<String> {
        values.iter().map(|value| self.float(*value)).collect()
    }

    /// A notation that is read back to the same bits.
    fn float(&mut self, value: f32) -> String {
        let plus = if value.is_sign_positive() && self.choose(3) == 0 { "+" } else { "" };
        let number = match self.choose(6) {
            0 => format!("{value:e}"),
            1 => format!("{value:E}"),
            2 => format!("{value:.60}"),
            3 => format!("{value:.60}").trim_end_matches('0').to_owned(),
            4 => format!("{value}"),
            _ => format!("{:e}", f64::from(value)),
        };
        let number = match self.choose(3) {
            0 => number.replacen("0.", ".", usize::from(number.trim_start_matches('-').starts_with("0."))),
            _ => number,
        };
        format!(
            "{plus}{}",
            if matches!(&*number, "." | "-." | "-.e0" | ".e0") { format!("{value:?}") } else { number }
        )
    }

    fn index(&mut self, value: u32) -> String {
        match (self.choose(4), value) {
            (0, 0) => "-0".to_owned(),
            (0, value) => format!("+{value}"),
            (1, value) => format!("{value:04}"),
            (_, value) => value.to_string(),
        }
    }
}
