//! Strategies that generate valid Seed texts: what a document says, in any notation.

use proptest::collection::vec;
use proptest::prelude::*;

use super::columns::Column;
use super::strategy::documents;
use super::{Document, Kind, Property};

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
