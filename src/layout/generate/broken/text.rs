//! Changes the lines of a text file according to its grammar.

use crate::layout::grammar::{Attribute, Domain, Grammar, Occurrence, ValueType};

/// Copies of a text file, each with the same kind of change.
pub(crate) struct TextAttempt {
    /// The description of the defect.
    pub(crate) defect: &'static str,
    /// The index of the changed line, from 0.
    pub(crate) line: usize,
    /// Copies that may be invalid.
    pub(crate) breaking: Vec<Vec<u8>>,
    /// Copies at the limit of what is valid.
    pub(crate) limits: Vec<Vec<u8>>,
}

/// Returns changed copies of a text file: attributes with missing, duplicate or changed lines, changed properties, and
/// too few vertices. Only the first and the last line of each attribute are changed.
pub(crate) fn attempts(grammar: &Grammar, text: &[u8]) -> Vec<TextAttempt> {
    let text = FileLines(text.split_inclusive(|byte| *byte == b'\n').collect());
    let mut attempts = Vec::new();
    let vertices = grammar
        .attributes
        .iter()
        .filter(|attribute| attribute.occurs == Occurrence::Vertex);
    let vertices = vertices
        .map(|attribute| text.indices_of(attribute).len())
        .max()
        .unwrap_or_default();
    for attribute in grammar.attributes {
        let lines = text.indices_of(attribute);
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            continue;
        };
        attempts.push(text.without_lines("all lines of an attribute are missing", &lines));
        attempts.push(text.without_lines("a line is missing", &lines[..1]));
        match attribute.occurs {
            Occurrence::File => attempts.push(text.with_duplicate(*first, "a duplicate line")),
            Occurrence::Vertex => attempts.push(text.with_duplicate(*first, "one line too many")),
            Occurrence::Face => {}
        }
        attempts.extend(text.attempts_on_line(attribute, *first, vertices));
        if last != first {
            attempts.extend(text.attempts_on_line(attribute, *last, vertices));
        }
    }
    attempts.push(text.with_two_vertices(grammar));
    let properties = (0..text.0.len()).filter(|line| text.0[*line].starts_with(b"["));
    attempts.extend(properties.flat_map(|line| text.attempts_on_property(line)));
    attempts
}

/// The lines of a text file, with their line ends.
struct FileLines<'t>(Vec<&'t [u8]>);

impl FileLines<'_> {
    /// Returns the indices of an attribute's lines.
    fn indices_of(&self, attribute: &Attribute) -> Vec<usize> {
        let is_match = |line: &&[u8]| parse_values(line, attribute.identifier).is_some();
        (0..self.0.len())
            .filter(|index| is_match(&self.0[*index]))
            .collect()
    }

    /// Returns the file with one line replaced.
    fn with_line(&self, line: usize, text: &str) -> Vec<u8> {
        [
            &self.0[..line].concat(),
            text.as_bytes(),
            b"\n",
            &self.0[line + 1..].concat(),
        ]
        .concat()
    }

    fn without_lines(&self, defect: &'static str, lines: &[usize]) -> TextAttempt {
        let kept = (0..self.0.len())
            .filter(|line| !lines.contains(line))
            .map(|line| self.0[line]);
        let line = lines.first().copied().unwrap_or_default();
        TextAttempt {
            defect,
            line,
            breaking: vec![kept.collect::<Vec<_>>().concat()],
            limits: Vec::new(),
        }
    }

    fn with_duplicate(&self, line: usize, defect: &'static str) -> TextAttempt {
        let text = String::from_utf8_lossy(self.0[line]);
        let breaking = vec![self.with_line(line, &[&text, text.trim_end()].concat())];
        TextAttempt {
            defect,
            line,
            breaking,
            limits: vec![],
        }
    }

    /// Replaces a line with `text` and a byte that is not UTF-8.
    fn with_invalid_utf8(&self, line: usize, text: &str) -> TextAttempt {
        let mut invalid = self.with_line(line, text);
        invalid.insert(self.0[..line].concat().len() + text.len(), 0xff);
        TextAttempt {
            defect: "bytes that are not UTF-8",
            line,
            breaking: vec![invalid],
            limits: vec![],
        }
    }

    fn attempts_on_line(
        &self,
        attribute: &Attribute,
        line: usize,
        vertices: usize,
    ) -> Vec<TextAttempt> {
        let identifier = attribute.identifier;
        let Some(values) = parse_values(self.0[line], identifier) else {
            return Vec::new();
        };
        let joined = |values: &[&str]| format!("{identifier} {}", values.join(", "));
        let attempt = |defect, breaking: Vec<String>, limits: Vec<String>| {
            let copies = |texts: Vec<String>| {
                texts
                    .iter()
                    .map(|text| self.with_line(line, text))
                    .collect()
            };
            TextAttempt {
                defect,
                line,
                breaking: copies(breaking),
                limits: copies(limits),
            }
        };
        let (all, fewer) = (joined(&values), joined(&values[..values.len() - 1]));
        let once = |from: &str, to: &str| all.replacen(from, to, 1);
        let mut attempts = vec![
            attempt("a value is missing", vec![fewer], vec![]),
            attempt("one value too many", vec![format!("{all}, 0")], vec![]),
            attempt("a trailing comma", vec![format!("{all},")], vec![]),
            attempt("an unknown identifier", vec![format!("x{all}")], vec![]),
            attempt(
                "no whitespace after the identifier",
                vec![once(" ", "")],
                vec![once(" ", "\t")],
            ),
            attempt(
                "no comma between values",
                vec![once(", ", " ")],
                vec![once(", ", ",")],
            ),
            attempt(
                "a control character",
                ["\r ", "\u{7f}", "\u{85}"]
                    .map(|text| format!("{all}{text}"))
                    .to_vec(),
                vec![format!("{all}\u{b}\u{c}")],
            ),
        ];
        attempts.push(self.with_invalid_utf8(line, &all));
        for slot in [0, values.len() - 1] {
            let with = |value: &str| {
                let mut values = values.clone();
                values[slot] = value;
                joined(&values)
            };
            let with_all =
                |texts: &[String]| texts.iter().map(|text| with(text)).collect::<Vec<_>>();
            let [wrong, outside, limits] = number_texts(attribute, values[slot], vertices);
            attempts.push(attempt(
                "a value that is not a number",
                with_all(&wrong),
                vec![],
            ));
            let spaced = vec![with(&format!("- {}", values[slot])), with("1 0")];
            attempts.push(attempt("whitespace in a number", spaced, vec![]));
            attempts.push(attempt(
                "a value out of range",
                with_all(&outside),
                with_all(&limits),
            ));
        }
        attempts
    }

    /// Returns the file with only its first two vertices, and with faces that only use vertex 0.
    fn with_two_vertices(&self, grammar: &Grammar) -> TextAttempt {
        let mut lines: Vec<Vec<u8>> = self.0.iter().map(|line| line.to_vec()).collect();
        for attribute in grammar.attributes {
            let own = self.indices_of(attribute);
            if attribute.occurs == Occurrence::Vertex {
                own.iter().skip(2).for_each(|line| lines[*line].clear());
            }
            if attribute.value_type == ValueType::Index {
                let zeros = vec!["0"; attribute.values].join(", ");
                let line_of_zeros = format!("{} {zeros}\n", attribute.identifier);
                own.iter()
                    .for_each(|line| lines[*line] = line_of_zeros.clone().into());
            }
        }
        TextAttempt {
            defect: "too few vertices",
            line: 0,
            breaking: vec![lines.concat()],
            limits: vec![],
        }
    }

    fn attempts_on_property(&self, line: usize) -> Vec<TextAttempt> {
        let text = String::from_utf8_lossy(self.0[line]);
        let text = text.trim_end();
        let name = text.split(']').next().unwrap_or_default();
        let attempt = |defect, texts: Vec<String>| {
            let breaking = texts
                .iter()
                .map(|text| self.with_line(line, text))
                .collect();
            TextAttempt {
                defect,
                line,
                breaking,
                limits: vec![],
            }
        };
        vec![
            self.with_invalid_utf8(line, text),
            self.without_lines("a property is missing", &[line]),
            attempt("a duplicate property", vec![format!("{text}\n{text}")]),
            attempt(
                "an invalid property",
                vec![text.replacen('[', "[1", 1), text.replacen(']', "", 1)],
            ),
            attempt(
                "an invalid name",
                vec![text.replacen('[', "[_", 1), text.replacen(']', "-x]", 1)],
            ),
            attempt("an unknown value of a property", vec![format!("{name}]=?")]),
        ]
    }
}

/// Returns invalid values, values out of range, and values at the limits.
fn number_texts(attribute: &Attribute, value: &str, vertices: usize) -> [Vec<String>; 3] {
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| text.to_string())
            .collect::<Vec<_>>()
    };
    let (max, count) = (format!("{:e}", f32::MAX), vertices.to_string());
    let last = vertices.saturating_sub(1).to_string();
    let no_integers = texts(&["x", "1.5", "-1", "2147483648"]);
    match (attribute.value_type, attribute.domain) {
        (ValueType::Index, _) => [no_integers, texts(&[&count, "2147483647"]), texts(&[&last])],
        (ValueType::Integer, _) => {
            let (min, max) = attribute.integer_range().into_inner();
            let below = min.checked_sub(1).map(|below| below.to_string());
            let outside = below.into_iter().chain([(max + 1).to_string()]).collect();
            [no_integers, outside, vec![min.to_string(), max.to_string()]]
        }
        (ValueType::Word, _) => [
            texts(&["0", "?"]),
            texts(&["unknown"]),
            texts(attribute.words()),
        ],
        (ValueType::Float, Domain::UnitVector) => [
            texts(&["x", "inf", "-1e39"]),
            texts(&["2", &max]),
            texts(&[value]),
        ],
        (ValueType::Float, Domain::Range(min, max)) => {
            let (above, below) = ((max as f32).next_up(), (min as f32).next_down());
            let outside = [above, below].map(|x| format!("{x:e}")).to_vec();
            [
                texts(&["x", "nan", "1e39"]),
                outside,
                vec![max.to_string(), min.to_string()],
            ]
        }
        (ValueType::Float, _) => [texts(&["x", "nan"]), texts(&["1e39"]), texts(&[&max])],
    }
}

/// Returns the values of a line that starts with `identifier`; `None` for other lines and for lines with a comment.
fn parse_values<'t>(line: &'t [u8], identifier: &str) -> Option<Vec<&'t str>> {
    let text = str::from_utf8(line).ok()?.trim();
    let values = text.strip_prefix(identifier)?.strip_prefix([' ', '\t'])?;
    (!values.contains('#')).then(|| values.split(',').map(str::trim).collect())
}
