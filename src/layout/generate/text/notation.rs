//! Varies the notation of lines.

use super::TextLine;

/// Formats lines with variations drawn from `choices`, which are reused from the start when exhausted. The lines of
/// each group keep their order.
pub(super) fn format_varied(groups: Vec<Vec<TextLine>>, choices: Vec<u8>) -> Vec<u8> {
    Formatter { choices, next: 0 }.format_text(groups)
}

struct Formatter {
    choices: Vec<u8>,
    next: usize,
}

impl Formatter {
    /// Draws a number less than `end`.
    fn draw_below(&mut self, end: usize) -> usize {
        self.next += 1;
        usize::from(self.choices[self.next % self.choices.len()]) % end
    }

    fn pick(&mut self, options: &[&'static str]) -> &'static str {
        options[self.draw_below(options.len())]
    }

    fn format_text(&mut self, mut groups: Vec<Vec<TextLine>>) -> Vec<u8> {
        groups.iter_mut().for_each(|group| group.reverse());
        groups.retain(|group| !group.is_empty());
        let mut out = if self.draw_below(4) == 0 {
            vec![0xef, 0xbb, 0xbf]
        } else {
            Vec::new()
        };
        while !groups.is_empty() {
            let (group_index, run) = (self.draw_below(groups.len()), self.draw_below(4) + 1);
            let group = &mut groups[group_index];
            for line in group
                .split_off(group.len().saturating_sub(run))
                .into_iter()
                .rev()
            {
                let content = self.format_content(&line);
                self.write_line(&content, &mut out);
            }
            groups.retain(|group| !group.is_empty());
        }
        if self.draw_below(4) == 0 {
            out.truncate(out.trim_ascii_end().len());
        }
        out
    }

    fn write_line(&mut self, content: &str, out: &mut Vec<u8>) {
        let between = self.pick(&[
            "",
            "",
            "",
            "",
            "\n",
            " \t\r\n",
            "# p 1, 2\n",
            "\x0b#\u{e9}\n",
        ]);
        let comment = self.pick(&["", "", "", "", "#", " # c", "\t#\u{20ac} #"]);
        out.extend_from_slice(
            [between, self.draw_whitespace(), content, comment]
                .concat()
                .as_bytes(),
        );
        if !comment.is_empty() && self.draw_below(3) == 0 {
            // Not UTF-8.
            out.extend([0xe9, b' ', 0xff]);
        }
        out.extend_from_slice(self.pick(&["\n", "\n", "\r\n"]).as_bytes());
    }

    fn draw_whitespace(&mut self) -> &'static str {
        self.pick(&["", "", "", "", " ", "\t", "\x0b \x0c"])
    }

    fn format_content(&mut self, line: &TextLine) -> String {
        let (identifier, numbers): (_, Vec<String>) = match line {
            TextLine::Property(name, value) => {
                let [a, b, c, d] = std::array::from_fn(|_| self.draw_whitespace());
                return format!("[{a}{name}{b}]{c}={d}{value}");
            }
            TextLine::Floats(identifier, values) => (
                identifier,
                values
                    .iter()
                    .map(|value| self.format_float(*value))
                    .collect(),
            ),
            TextLine::Integers(identifier, values) => (
                identifier,
                values
                    .iter()
                    .map(|value| self.format_integer(*value))
                    .collect(),
            ),
            TextLine::Words(identifier, words) => {
                (identifier, words.iter().map(|w| w.to_string()).collect())
            }
        };
        let mut line = format!(
            "{identifier}{}{}",
            self.pick(&[" ", "\t", "  "]),
            self.draw_whitespace()
        );
        for (position, number) in numbers.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            line += &format!(
                "{comma}{}{number}{}",
                self.draw_whitespace(),
                self.draw_whitespace()
            );
        }
        line
    }

    /// Formats a float in one of the notations that read back to the same bits.
    fn format_float(&mut self, value: f32) -> String {
        let plus = if value.is_sign_positive() && self.draw_below(3) == 0 {
            "+"
        } else {
            ""
        };
        let number = match self.draw_below(6) {
            0 => format!("{value:e}"),
            1 => format!("{value:E}"),
            2 => format!("{value:.60}"),
            3 => format!("{value:.60}").trim_end_matches('0').to_owned(),
            4 => format!("{value}"),
            _ => format!("{:e}", f64::from(value)),
        };
        let number = match self.draw_below(3) {
            0 => number.replacen(
                "0.",
                ".",
                usize::from(number.trim_start_matches('-').starts_with("0.")),
            ),
            _ => number,
        };
        let has_digits = !matches!(&*number, "." | "-." | "-.e0" | ".e0");
        format!(
            "{plus}{}",
            if has_digits {
                number
            } else {
                format!("{value:?}")
            }
        )
    }

    fn format_integer(&mut self, value: u32) -> String {
        match (self.draw_below(4), value) {
            (0, 0) => "-0".to_owned(),
            (0, value) => format!("+{value}"),
            (1, value) => format!("{value:04}"),
            (_, value) => value.to_string(),
        }
    }
}
