//! Varies the notation of lines.

use super::Line;

/// Formats lines with variations drawn from choices, which are repeated as needed. The lines of each group stay in
/// order.
pub(super) fn varied(groups: Vec<Vec<Line>>, choices: Vec<u8>) -> Vec<u8> {
    Formatter { choices, next: 0 }.text(groups)
}

struct Formatter {
    choices: Vec<u8>,
    next: usize,
}

impl Formatter {
    /// Draws a number less than `end`.
    fn choose(&mut self, end: usize) -> usize {
        self.next += 1;
        usize::from(self.choices[self.next % self.choices.len()]) % end
    }

    fn pick(&mut self, options: &[&'static str]) -> &'static str {
        options[self.choose(options.len())]
    }

    fn text(&mut self, mut groups: Vec<Vec<Line>>) -> Vec<u8> {
        groups.iter_mut().for_each(|group| group.reverse());
        groups.retain(|group| !group.is_empty());
        let mut out = if self.choose(4) == 0 { vec![0xef, 0xbb, 0xbf] } else { Vec::new() };
        while !groups.is_empty() {
            let (number, run) = (self.choose(groups.len()), self.choose(4) + 1);
            let group = &mut groups[number];
            for line in group.split_off(group.len().saturating_sub(run)).into_iter().rev() {
                let content = self.content(&line);
                self.line(&content, &mut out);
            }
            groups.retain(|group| !group.is_empty());
        }
        if self.choose(4) == 0 {
            out.truncate(out.trim_ascii_end().len());
        }
        out
    }

    fn line(&mut self, content: &str, out: &mut Vec<u8>) {
        let between = self.pick(&["", "", "", "", "\n", " \t\r\n", "# p 1, 2\n", "\x0b#\u{e9}\n"]);
        let comment = self.pick(&["", "", "", "", "#", " # c", "\t#\u{20ac} #"]);
        for part in [between, self.whitespace(), content, comment] {
            out.extend_from_slice(part.as_bytes());
        }
        if !comment.is_empty() && self.choose(3) == 0 {
            // Not UTF-8.
            out.extend([0xe9, b' ', 0xff]);
        }
        out.extend_from_slice(self.pick(&["\n", "\n", "\r\n"]).as_bytes());
    }

    fn whitespace(&mut self) -> &'static str {
        self.pick(&["", "", "", "", " ", "\t", "\x0b \x0c"])
    }

    fn content(&mut self, line: &Line) -> String {
        let (identifier, numbers): (_, Vec<String>) = match line {
            Line::Property(name, value) => {
                let mut whitespace = || self.whitespace();
                return format!(
                    "[{}{name}{}]{}={}{value}",
                    whitespace(),
                    whitespace(),
                    whitespace(),
                    whitespace()
                );
            }
            Line::Floats(identifier, values) => {
                (identifier, values.iter().map(|value| self.float(*value)).collect())
            }
            Line::Integers(identifier, values) => {
                (identifier, values.iter().map(|value| self.integer(*value)).collect())
            }
            Line::Words(identifier, words) => {
                (identifier, words.iter().map(|word| word.to_string()).collect())
            }
        };
        let mut line = format!("{identifier}{}{}", self.pick(&[" ", "\t", "  "]), self.whitespace());
        for (position, number) in numbers.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            line += &format!("{comma}{}{number}{}", self.whitespace(), self.whitespace());
        }
        line
    }

    /// Formats a float in one of the notations that read back to the same bits.
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
        let has_digits = !matches!(&*number, "." | "-." | "-.e0" | ".e0");
        format!("{plus}{}", if has_digits { number } else { format!("{value:?}") })
    }

    fn integer(&mut self, value: u32) -> String {
        match (self.choose(4), value) {
            (0, 0) => "-0".to_owned(),
            (0, value) => format!("+{value}"),
            (1, value) => format!("{value:04}"),
            (_, value) => value.to_string(),
        }
    }
}
