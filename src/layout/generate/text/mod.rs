//! Strategies for text files, based on the tables of their grammar.

mod notation;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::Config;
use crate::layout::grammar::{Attribute, Domain, Grammar, Occurrence, ValueType};

/// A text file in two notations. Both are valid in strict mode.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeneratedText {
    /// The lines in the order of the tables, with comments.
    pub text: Vec<u8>,
    /// The same content with the lines of different attributes interleaved, and numbers in various notations.
    /// Whitespace, empty lines, comments, CRLF and a byte order mark may be added where they are allowed.
    pub varied: Vec<u8>,
}

/// A line of a generated text file.
#[derive(Debug, Clone)]
enum TextLine {
    Property(String, String),
    Floats(&'static str, Vec<f32>),
    Integers(&'static str, Vec<u32>),
    Words(&'static str, Vec<&'static str>),
}

/// A strategy for text files with the properties and lines of a grammar. Covers every allowed set of attributes, with
/// numbers of vertices and faces up to the limit of the configuration. Floats cover all finite values; in plausible
/// files, they are in the domain of their attribute. Plausible files have all built-in properties.
///
/// ```
/// # #[cfg(feature = "seed")] {
/// use meshspec::layout::generate::{Config, texts};
/// use proptest::prelude::*;
///
/// let files = texts(&meshspec::seed::schema::GRAMMAR, Config::plausible());
/// proptest!(ProptestConfig::with_cases(2), |(file in files)| {
///     let read = |text: &[u8]| meshspec::read(text, &Default::default()).unwrap();
///     prop_assert_eq!(read(&file.text).info().meshes, read(&file.varied).info().meshes);
/// });
/// # }
/// ```
pub fn texts(grammar: &'static Grammar, config: Config) -> impl Strategy<Value = GeneratedText> {
    let Config {
        plausible,
        max_items,
        large_items,
        ..
    } = config;
    let max = max_items.max(large_items) as usize;
    let wanted = vec(prop::bool::weighted(0.75), grammar.attributes.len());
    let groups =
        (3..=max.max(3), 1..=max.max(1), wanted).prop_flat_map(move |(vertices, faces, wanted)| {
            let mut present: Vec<&str> = Vec::new();
            let mut groups = vec![property_strategy(grammar, plausible).boxed()];
            for (attribute, wanted) in grammar.attributes.iter().zip(wanted) {
                let is_allowed = attribute
                    .requires
                    .is_none_or(|other| present.contains(&other));
                if attribute.required || is_allowed && wanted {
                    present.push(attribute.identifier);
                    let count = match attribute.occurs {
                        Occurrence::File => 1,
                        Occurrence::Vertex => vertices,
                        Occurrence::Face => faces,
                    };
                    groups.push(vec(line_strategy(attribute, vertices, plausible), count).boxed());
                }
            }
            groups
        });
    (groups, comment_strategy(), vec(any::<u8>(), 1..200)).prop_map(
        |(groups, comments, choices)| {
            let text = with_comments(
                groups.iter().flatten().map(TextLine::to_bytes).collect(),
                comments,
            );
            GeneratedText {
                text,
                varied: notation::format_varied(groups, choices),
            }
        },
    )
}

impl TextLine {
    fn to_bytes(&self) -> Vec<u8> {
        let joined =
            |identifier, values: Vec<String>| format!("{identifier} {}", values.join(", "));
        let text = match self {
            TextLine::Property(name, value) => format!("[{name}]={value}"),
            TextLine::Floats(name, values) => {
                joined(name, values.iter().map(|x| format!("{x:e}")).collect())
            }
            TextLine::Integers(name, values) => {
                joined(name, values.iter().map(u32::to_string).collect())
            }
            TextLine::Words(identifier, words) => format!("{identifier} {}", words.join(", ")),
        };
        text.into_bytes()
    }
}

/// A strategy for a line of an attribute in a file with `vertices` vertices.
fn line_strategy(
    attribute: &'static Attribute,
    vertices: usize,
    plausible: bool,
) -> BoxedStrategy<TextLine> {
    let Attribute {
        identifier,
        values,
        value_type,
        domain,
        ..
    } = attribute;
    let integers = |integers: BoxedStrategy<u32>| {
        vec(integers, *values)
            .prop_map(|values| TextLine::Integers(identifier, values))
            .boxed()
    };
    match value_type {
        ValueType::Float => {}
        ValueType::Integer => return integers(attribute.integer_range().boxed()),
        ValueType::Index => return integers((0..vertices as u32).boxed()),
        ValueType::Word => {
            let words = vec(select(attribute.words()), *values);
            return words
                .prop_map(|words| TextLine::Words(identifier, words))
                .boxed();
        }
    }
    let floats = match domain {
        _ if !plausible => float_strategy().boxed(),
        Domain::Range(min, max) => (*min as f32..=*max as f32).boxed(),
        Domain::UnitVector => (-1.0..1.0f32).boxed(),
        Domain::Any | Domain::OneOf(_) => (-10.0..10.0f32).boxed(),
    };
    let is_unit = plausible && *domain == Domain::UnitVector;
    let unit = move |values| if is_unit { normalize(values) } else { values };
    vec(floats, *values)
        .prop_map(move |values| TextLine::Floats(identifier, unit(values)))
        .boxed()
}

/// Normalises a vector. If the length is 0, subnormal or not finite, returns the last axis.
fn normalize(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let last = vector.len().saturating_sub(1);
    let component = |(axis, x)| {
        if length.is_normal() {
            x / length
        } else {
            f32::from(u8::from(axis == last))
        }
    };
    vector.into_iter().enumerate().map(component).collect()
}

/// A strategy for finite floats, including boundaries.
fn float_strategy() -> impl Strategy<Value = f32> {
    use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        4 => -10.0..10.0f32,
        1 => POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
        1 => select(&[0.0, -0.0, 1.0, -1.0, f32::MAX, f32::MIN, f32::MIN_POSITIVE][..]),
    ]
}

/// A strategy for properties with distinct names, including some of the built-in properties; in plausible files, all
/// of them.
fn property_strategy(
    grammar: &'static Grammar,
    plausible: bool,
) -> impl Strategy<Value = Vec<TextLine>> {
    let value =
        "[!-\"$-~é€😀]{0,6}( [!-\"$-~]{1,5}){0,2}".prop_map(|value| value.trim().to_owned());
    let others = vec(("[A-Za-z][A-Za-z0-9_]{0,5}", value), 0..5);
    let built_in = grammar
        .properties
        .iter()
        .map(|property| match property.values {
            [] => "[a-z]{1,6}".boxed(),
            values => select(values).prop_map(str::to_owned).boxed(),
        });
    let wanted = vec(any::<bool>(), grammar.properties.len());
    (others, built_in.collect::<Vec<_>>(), wanted).prop_map(move |(mut pairs, built_in, wanted)| {
        let names = grammar.properties.iter().map(|property| property.name);
        pairs.retain(|(name, _)| names.clone().all(|built_in| name != built_in));
        let built_in = names.map(str::to_owned).zip(built_in).zip(wanted);
        pairs.extend(
            built_in
                .filter(|(_, wanted)| plausible || *wanted)
                .map(|(pair, _)| pair),
        );
        pairs.sort();
        pairs.dedup_by(|a, b| a.0 == b.0);
        pairs
            .into_iter()
            .rev()
            .map(|(name, value)| TextLine::Property(name, value))
            .collect()
    })
}

/// A strategy for comments, each with a line, a flag (`true` for a separate line before it) and the text.
fn comment_strategy() -> impl Strategy<Value = Vec<(Index, bool, Vec<u8>)>> {
    let text = prop_oneof![
        "[ -~\té€]{0,8}".prop_map(String::into_bytes),
        // Not UTF-8.
        vec(0xa0..=0xffu8, 1..4),
    ];
    vec((any::<Index>(), any::<bool>(), text), 0..6)
}

fn with_comments(mut lines: Vec<Vec<u8>>, comments: Vec<(Index, bool, Vec<u8>)>) -> Vec<u8> {
    lines.push(Vec::new());
    let count = lines.len();
    let mut before: Vec<Vec<u8>> = vec![Vec::new(); count];
    for (index, has_own_line, text) in comments {
        let index = index.index(count);
        // A line can have one comment after its content, and the end of the file none.
        let has_own_line = has_own_line || index + 1 == count || lines[index].contains(&b'#');
        let target = if has_own_line {
            &mut before[index]
        } else {
            &mut lines[index]
        };
        target.extend([b"#", &text[..]].concat());
        if has_own_line {
            target.push(b'\n');
        }
    }
    lines.pop();
    let end = before.pop().unwrap_or_default();
    let lines = lines
        .into_iter()
        .zip(before)
        .map(|(line, before)| [before, line].concat());
    lines.chain([end]).collect::<Vec<_>>().join(&b'\n')
}
