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
        start: first_line_offset(text),
        out: text[..first_line_offset(text)].to_vec(),
    };
    let properties = Change::of(old.properties.len(), new.properties.len(), |a, b| {
        old.properties[a] == new.properties[b]
    });
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
                let old = counts.kinds[kind as usize];
                counts.kinds[kind as usize] += 1;
                let change = &kinds[kind as usize];
                let add = |updater: &mut Updater, index| updater.add_line(kind, index);
                updater.copy(old, change, add, |updater, new| match new {
                    None => updater.out.extend(whole),
                    Some(new) => {
                        updater.write_changed(kind, [old, new], line, &whole[line.len()..]);
                    }
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
    /// Finds the first and the last items that differ. `is_same` compares an old item with a new one.
    fn of(old: usize, new: usize, is_same: impl Fn(usize, usize) -> bool) -> Change {
        let shared = old.min(new);
        let start = (0..shared)
            .take_while(|index| is_same(*index, *index))
            .count();
        let from_end = |index: &usize| is_same(old - 1 - index, new - 1 - index);
        let end = (0..shared - start).take_while(from_end).count();
        Change {
            old: start..old - end,
            new: start..new - end,
        }
    }
}

struct Updater<'d> {
    old: &'d Document,
    new: &'d Document,
    line_ending: &'static [u8],
    /// The offset of the first line.
    start: usize,
    out: Vec<u8>,
}

impl Updater<'_> {
    fn change_of(&self, kind: LineKind) -> Change {
        let [old, new] = [self.old, self.new].map(|document| document.line_count(kind));
        let values = kind.attribute().values;
        let of_line = |line: usize| line * values..(line + 1) * values;
        Change::of(old, new, |a, b| {
            let mut pairs = of_line(a).zip(of_line(b));
            pairs.all(|(old, new)| self.is_same_value(kind, old, new))
        })
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
        if self.out.len() > self.start && !self.out.ends_with(b"\n") {
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
    fn write_changed(
        &mut self,
        kind: LineKind,
        [old, index]: [usize; 2],
        line: &[u8],
        ending: &[u8],
    ) {
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
            let is_same = self.is_same_value(kind, old * count + value, index * count + value);
            self.out.extend(if is_same { text } else { &*written });
            copied = range.end;
        }
        self.out.extend(&line[copied..]);
        self.out.extend(ending);
    }

    /// Returns `true` if an old value, at its index in a column, equals a new one. 0 and -0 differ.
    fn is_same_value(&self, kind: LineKind, old: usize, new: usize) -> bool {
        match (self.old.column(kind), self.new.column(kind)) {
            (Column::Floats(before), Column::Floats(after)) => {
                before[old].to_bits() == after[new].to_bits()
            }
            (Column::Integers(before), Column::Integers(after)) => before[old] == after[new],
            _ => false,
        }
    }
}
