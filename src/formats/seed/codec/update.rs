//! Changes values in the text of a file, and keeps the rest of the text.

use std::ops::Range;

use super::super::columns::Column;
use super::super::schema::{Document, LineKind};
use super::fast;
use super::line::{LineContent, parse_line};
use super::locate::value_range;
use super::text::{content_range, first_line_offset, split_line};
use super::window::LineCounts;
use super::write::{append_line, append_property, append_value};

/// Returns the text with the values of `new`. `old` has the values of the text.
///
/// Lines whose values stay keep their text. Of the other lines, only the changed values are written. New lines follow
/// the preceding line of their kind; a removed line is removed with its comment.
pub(in crate::formats::seed) fn update(text: &[u8], old: &Document, new: &Document) -> Vec<u8> {
    let (first_line, _) = split_line(&text[first_line_offset(text)..]);
    let is_windows = text[first_line_offset(text)..]
        .get(first_line.len()..)
        .is_some_and(|ending| ending.starts_with(b"\r\n"));
    let mut updater = Updater {
        old,
        new,
        line_ending: if is_windows { b"\r\n" } else { b"\n" },
        out: text[..first_line_offset(text)].to_vec(),
    };
    let properties = Change::of(&old.properties, &new.properties);
    let kinds = LineKind::ALL.map(|kind| updater.change_of(kind));
    let mut counts = LineCounts::default();
    let mut rest = &text[first_line_offset(text)..];
    while !rest.is_empty() {
        let (line, size) = split_line(rest);
        let (whole, following) = rest.split_at(size);
        rest = following;
        match content_of(line) {
            LineContent::Empty => updater.out.extend(whole),
            LineContent::Property { .. } => {
                let index = counts.properties;
                counts.properties += 1;
                let ending = &whole[line.len()..];
                updater.copy(
                    index,
                    &properties,
                    Updater::add_property,
                    |updater, index| match index {
                        None => updater.out.extend(whole),
                        Some(index) => {
                            let property = &new.properties[index];
                            let content = content_range(line);
                            updater.out.extend(&line[..content.start]);
                            append_property(&mut updater.out, property);
                            updater.out.extend(&line[content.end..]);
                            updater.out.extend(ending);
                        }
                    },
                );
            }
            LineContent::Values(kind, _) => {
                let index = counts.kinds[kind as usize];
                counts.kinds[kind as usize] += 1;
                let change = &kinds[kind as usize];
                let add = |updater: &mut Updater, index| updater.add_line(kind, index);
                updater.copy(index, change, add, |updater, index| match index {
                    None => updater.out.extend(whole),
                    Some(index) => updater.write_changed(kind, index, line, &whole[line.len()..]),
                });
            }
        }
    }
    // The kinds of which the text had no line.
    if old.properties.is_empty() {
        (0..new.properties.len()).for_each(|index| updater.add_property(index));
    }
    for kind in LineKind::ALL {
        if old.line_count(kind) == 0 {
            (0..new.line_count(kind)).for_each(|index| updater.add_line(kind, index));
        }
    }
    updater.out
}

fn content_of(line: &[u8]) -> LineContent<'_> {
    match fast::read_line(line) {
        Some(plain) => plain.content,
        None => parse_line(line).map_or(LineContent::Empty, |line| line.content),
    }
}

/// The items of a list that differ: those in `old` become those in `new`.
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

impl Change {
    fn of<T: PartialEq>(old: &[T], new: &[T]) -> Change {
        let same = |(a, b): &(&T, &T)| a == b;
        let start = old.iter().zip(new).take_while(same).count();
        let (old_rest, new_rest) = (old[start..].iter().rev(), new[start..].iter().rev());
        let end = old_rest.zip(new_rest).take_while(same).count();
        Change {
            old: start..old.len() - end,
            new: start..new.len() - end,
        }
    }
}

struct Updater<'d> {
    old: &'d Document,
    new: &'d Document,
    line_ending: &'static [u8],
    out: Vec<u8>,
}

impl Updater<'_> {
    fn change_of(&self, kind: LineKind) -> Change {
        let values = kind.attribute().values;
        match (self.old.column(kind), self.new.column(kind)) {
            (Column::Floats(old), Column::Floats(new)) => {
                let bits = |numbers: &[f32]| -> Vec<Vec<u32>> {
                    let lines = numbers.chunks(values);
                    lines
                        .map(|line| line.iter().map(|number| number.to_bits()).collect())
                        .collect()
                };
                Change::of(&bits(old), &bits(new))
            }
            (Column::Integers(old), Column::Integers(new)) => {
                let old: Vec<_> = old.chunks(values).collect();
                Change::of(&old, &new.chunks(values).collect::<Vec<_>>())
            }
            // A kind has the same type in every document.
            _ => Change::of::<u8>(&[], &[]),
        }
    }

    /// Copies the line of an old item with `write`, which receives the index of the new item if it differs. Adds the
    /// new items that follow the line.
    fn copy(
        &mut self,
        index: usize,
        Change { old, new }: &Change,
        add: impl Fn(&mut Self, usize),
        write: impl FnOnce(&mut Self, Option<usize>),
    ) {
        let added = (new.start + old.len()).min(new.end)..new.end;
        // Without a preceding line, new items come before the first.
        if index == 0 && old.end == 0 {
            added.clone().for_each(|index| add(self, index));
        }
        if !old.contains(&index) {
            write(self, None);
        } else if index - old.start < new.len() {
            write(self, Some(new.start + index - old.start));
        }
        if index + 1 == old.end {
            added.for_each(|index| add(self, index));
        }
    }

    fn end_line(&mut self) {
        if self.out.last().is_some_and(|last| *last != b'\n') {
            self.out.extend(self.line_ending);
        }
    }

    fn add_property(&mut self, index: usize) {
        self.end_line();
        append_property(&mut self.out, &self.new.properties[index]);
        self.out.extend(self.line_ending);
    }

    fn add_line(&mut self, kind: LineKind, index: usize) {
        self.end_line();
        append_line(&mut self.out, kind, self.new.column(kind), index);
        self.out.extend(self.line_ending);
    }

    /// Writes a line whose values differ. Values that stay keep their text.
    fn write_changed(&mut self, kind: LineKind, index: usize, line: &[u8], ending: &[u8]) {
        let count = kind.attribute().values;
        let ranges: Option<Vec<_>> = (0..count).map(|value| value_range(line, value)).collect();
        let Some(ranges) = ranges else {
            let content = content_range(line);
            self.out.extend(&line[..content.start]);
            append_line(&mut self.out, kind, self.new.column(kind), index);
            self.out.extend(&line[content.end..]);
            self.out.extend(ending);
            return;
        };
        let mut copied = 0;
        for (value, range) in ranges.into_iter().enumerate() {
            let text = &line[range.clone()];
            let mut written = Vec::new();
            append_value(
                &mut written,
                kind,
                self.new.column(kind),
                index * count + value,
            );
            self.out.extend(&line[copied..range.start]);
            let is_same = self.is_same_value(kind, text, index * count + value);
            self.out.extend(if is_same { text } else { &*written });
            copied = range.end;
        }
        self.out.extend(&line[copied..]);
        self.out.extend(ending);
    }

    /// Returns `true` if a text is the new value.
    fn is_same_value(&self, kind: LineKind, text: &[u8], index: usize) -> bool {
        let Ok(text) = std::str::from_utf8(text) else {
            return false;
        };
        match self.new.column(kind) {
            Column::Floats(values) => {
                let number = fast_float2::parse::<f32, _>(text);
                number.is_ok_and(|number| number.to_bits() == values[index].to_bits())
            }
            Column::Integers(values) => text.parse() == Ok(values[index]),
        }
    }
}
