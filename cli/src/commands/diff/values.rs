//! Compares two files of the same format, value by value.

use std::ops::Range;

use meshspec::layout::expr::Expr;
use meshspec::layout::tree::{Tree, TreeValue};
use meshspec::layout::walk::{Segment, TRAILING};

use super::align::{align, ranges};
use super::content::{Content, format_text, format_value, is_number_list, joined};
use super::difference::{Difference, DifferenceKind, Differences};
use super::digest::Digests;

/// The maximum number of items that are aligned, since alignment needs about 200 bytes for each. Of longer lists,
/// without the equal items at both ends, items with the same index are compared.
const MAX_ALIGNED: u64 = 1 << 20;

/// The number of items that are decoded together to find the equal items at the ends of two lists.
const CHUNK_LEN: u64 = 1024;

pub struct ValueComparison<'d> {
    /// The largest difference between floats that is ignored.
    pub tolerance: f64,
    /// Whether the files are text, which does not contain the lengths of lists.
    pub is_text: bool,
    pub digests: &'d Digests,
    pub differences: &'d mut Differences,
}

/// Returns `false` for a list of numbers and a list of other values.
fn has_same_kind(before: &TreeValue, after: &TreeValue) -> bool {
    let has_items = before.item_count() > 0 && after.item_count() > 0;
    !has_items || is_number_list(before) == is_number_list(after)
}

/// Returns the trailing bytes of an inline block, which the tree keeps in a field with the name of the block.
fn trailing_of_inline_block<'v>(field: &'v TreeValue) -> Option<&'v [u8]> {
    let has_value = field.ty().is_some() || field.fields().next().is_some();
    field.trailing().filter(|_| !has_value)
}

/// Two lists.
struct ListPair<'l> {
    before: &'l TreeValue<'l>,
    after: &'l TreeValue<'l>,
    /// Whether items with the same bytes are equal.
    has_same_encoding: bool,
    digests: &'l Digests,
}

/// Returns a range of indices that count from `start`.
fn from_start(start: u64, range: Range<usize>) -> Range<u64> {
    start + range.start as u64..start + range.end as u64
}

impl ListPair<'_> {
    /// Returns, for each pair of items in the ranges, whether they are equal.
    fn are_equal(
        &self,
        own: Range<u64>,
        others: Range<u64>,
    ) -> Box<dyn Iterator<Item = bool> + '_> {
        if self.has_same_encoding {
            let own = self.before.encoded_items(own);
            return Box::new(
                own.zip(self.after.encoded_items(others))
                    .map(|(a, b)| a == b),
            );
        }
        let own = self.digests_of(self.before, own);
        Box::new(
            own.zip(self.digests_of(self.after, others))
                .map(|(a, b)| a == b),
        )
    }

    /// Returns the number of equal items at the start of both lists.
    fn equal_start(&self) -> u64 {
        let all = 0..u64::MAX;
        let equal = self.are_equal(all.clone(), all);
        equal.take_while(|is_equal| *is_equal).count() as u64
    }

    /// Returns the number of equal items at the end of both lists, at most `max`.
    fn equal_end(&self, max: u64) -> u64 {
        let mut equal = 0;
        while equal < max {
            let len = CHUNK_LEN.min(max - equal);
            let [own, others] = [self.before, self.after].map(|list| {
                let end = list.item_count() - equal;
                end - len..end
            });
            let pairs: Vec<_> = self.are_equal(own, others).collect();
            let found = pairs.iter().rev().take_while(|is_equal| **is_equal).count() as u64;
            equal += found;
            if found < len {
                break;
            }
        }
        equal
    }

    /// Returns a digest of each item.
    fn digests_of<'i>(
        &'i self,
        list: &'i TreeValue,
        indices: Range<u64>,
    ) -> Box<dyn Iterator<Item = u64> + 'i> {
        if self.has_same_encoding {
            let items = list.encoded_items(indices);
            return Box::new(items.map(|bytes| self.digests.of_bytes(bytes)));
        }
        let items = list.items(indices);
        Box::new(items.map(|item| self.digests.of_value(&item)))
    }
}

impl ValueComparison<'_> {
    pub fn compare_files(&mut self, before: &Tree, after: &Tree) {
        let path = &mut Vec::new();
        self.compare(path, &before.root(), &after.root());
        let [own, others] = [before, after].map(|tree| {
            let gaps = tree.gaps();
            gaps.flat_map(|(_, bytes)| bytes)
                .copied()
                .collect::<Vec<u8>>()
        });
        self.compare_bytes(path, "gaps", &own, &others);
        // Other differences move the bytes of gaps.
        let [from, to] = [before, after].map(|tree| joined(tree.gaps().map(|(offset, _)| offset)));
        if self.differences.total == 0 && from != to {
            let [from, to] = [from, to].map(|offsets| format!("at {offsets}"));
            let difference = Difference::changed("gaps".to_owned(), from, to, None);
            self.differences.push(difference);
        }
    }

    /// Compares bytes that are no field. They are missing if they are empty.
    pub fn compare_bytes(
        &mut self,
        path: &mut Vec<Segment>,
        name: &'static str,
        before: &[u8],
        after: &[u8],
    ) {
        if before == after {
            return;
        }
        let [from, to] = [before, after].map(format_text);
        self.with_segment(path, Segment::Field(name), |this, path| {
            this.differences.add_at(path, |path| {
                if after.is_empty() {
                    Difference::missing(path, DifferenceKind::Removed, Some(from))
                } else if before.is_empty() {
                    Difference::missing(path, DifferenceKind::Added, Some(to))
                } else {
                    Difference::changed(path, from, to, None)
                }
            });
        });
    }

    /// Compares lines of text as the items of a list.
    pub fn compare_lines(&mut self, list: &'static str, before: &[Vec<u8>], after: &[Vec<u8>]) {
        let [own, others] = [before, after].map(|lines| {
            let lines = lines.iter();
            lines
                .map(|line| self.digests.of_bytes(line))
                .collect::<Vec<_>>()
        });
        let mut add = |index: usize, difference: &dyn Fn(String) -> Difference| {
            let path = [Segment::Field(list), Segment::Index(index as u64)];
            self.differences.add_at(&path, difference);
        };
        for (own, others) in align(&own, &others) {
            let pairs = own.len().min(others.len());
            for (index, other) in own.clone().zip(others.clone()) {
                let [from, to] = [&before[index], &after[other]].map(|line| format_text(line));
                add(index, &|path| {
                    Difference::changed(path, from.clone(), to.clone(), None)
                });
            }
            for (kind, lines, range) in [
                (DifferenceKind::Removed, before, own.start + pairs..own.end),
                (
                    DifferenceKind::Added,
                    after,
                    others.start + pairs..others.end,
                ),
            ] {
                for index in range {
                    let line = format_text(&lines[index]);
                    add(index, &|path| {
                        Difference::missing(path, kind, Some(line.clone()))
                    });
                }
            }
        }
    }

    fn compare(&mut self, path: &mut Vec<Segment>, before: &TreeValue, after: &TreeValue) {
        let contents = (Content::of(before), Content::of(after));
        match &contents {
            (Content::Parts, Content::Parts) if has_same_kind(before, after) => {
                self.compare_fields(path, before, after);
                self.compare_items(path, before, after);
            }
            (Content::Text(own), Content::Text(other)) if own == other => {}
            (Content::Numbers(own), Content::Numbers(others)) if own.len() == others.len() => {
                let pairs = || own.iter().zip(others);
                if !pairs().all(|(a, b)| a.is_equal(*b, self.tolerance)) {
                    let by = pairs().map(|(a, b)| a.distance(*b)).reduce(f64::max);
                    self.add_change(path, before, after, by);
                }
            }
            _ => self.add_change(path, before, after, None),
        }
        let [before, after] = [before, after].map(|value| value.trailing().unwrap_or_default());
        self.compare_bytes(path, TRAILING, before, after);
    }

    fn add_change(
        &mut self,
        path: &[Segment],
        before: &TreeValue,
        after: &TreeValue,
        by: Option<f64>,
    ) {
        let [from, to] = [before, after].map(format_value);
        self.differences
            .add_at(path, |path| Difference::changed(path, from, to, by));
    }

    fn compare_fields(&mut self, path: &mut Vec<Segment>, before: &TreeValue, after: &TreeValue) {
        let is_shown = |name: &str, of: &TreeValue| !self.is_text || !is_length(name, of);
        let [own, others] = [before, after].map(|value| {
            let fields = value.fields();
            fields
                .filter(|(name, _)| is_shown(name, value))
                .collect::<Vec<_>>()
        });
        for (name, field) in &own {
            let other = others.iter().find(|(other, _)| other == name);
            let other = other.map(|(_, other)| other);
            let other_trailing = other.and_then(trailing_of_inline_block);
            match (other, trailing_of_inline_block(field)) {
                (_, Some(trailing)) => {
                    let other_trailing = other_trailing.unwrap_or_default();
                    self.compare_bytes(path, TRAILING, trailing, other_trailing);
                }
                (Some(other), None) => {
                    self.with_segment(path, Segment::Field(name), |this, path| {
                        this.compare(path, field, other);
                    });
                }
                (None, None) => {
                    self.add_missing(path, DifferenceKind::Removed, Segment::Field(name), field)
                }
            }
        }
        for (name, field) in &others {
            if own.iter().any(|(other, _)| other == name) {
                continue;
            }
            match trailing_of_inline_block(field) {
                Some(trailing) => self.compare_bytes(path, TRAILING, &[], trailing),
                None => self.add_missing(path, DifferenceKind::Added, Segment::Field(name), field),
            }
        }
    }

    fn compare_items(&mut self, path: &mut Vec<Segment>, before: &TreeValue, after: &TreeValue) {
        let counts = [before, after].map(TreeValue::item_count);
        if counts == [0, 0] || before.is_encoded_alike(after) {
            return;
        }
        let lists = ListPair {
            before,
            after,
            has_same_encoding: before.has_same_encoding(after),
            digests: self.digests,
        };
        let start = lists.equal_start();
        let end = lists.equal_end(counts[0].min(counts[1]) - start);
        let [own, others] = counts.map(|count| start..count - end);
        if (own.end - start).max(others.end - start) > MAX_ALIGNED {
            return self.compare_in_order(path, &lists, own, others);
        }
        let [own, others] = [
            lists.digests_of(before, own).collect::<Vec<_>>(),
            lists.digests_of(after, others).collect::<Vec<_>>(),
        ];
        for (own, others) in align(&own, &others) {
            self.compare_hunk(
                path,
                &lists,
                from_start(start, own),
                from_start(start, others),
            );
        }
    }

    /// Compares the items of two ranges with each other, without alignment.
    fn compare_in_order(
        &mut self,
        path: &mut Vec<Segment>,
        lists: &ListPair,
        own: Range<u64>,
        others: Range<u64>,
    ) {
        let pairs = (own.end - own.start).min(others.end - others.start);
        let [own_end, others_end] = [own.start + pairs, others.start + pairs];
        let are_equal = lists.are_equal(own.start..own_end, others.start..others_end);
        let unequal = are_equal.enumerate().filter(|(_, is_equal)| !is_equal);
        for range in ranges(unequal.map(|(index, _)| index)) {
            let own = from_start(own.start, range.clone());
            self.compare_hunk(path, lists, own, from_start(others.start, range));
        }
        self.compare_hunk(path, lists, own_end..own.end, others_end..others.end);
    }

    /// Compares the items of two ranges in order. The last items of the longer range are removed or added.
    fn compare_hunk(
        &mut self,
        path: &mut Vec<Segment>,
        lists: &ListPair,
        own: Range<u64>,
        others: Range<u64>,
    ) {
        let pairs = (own.end - own.start).min(others.end - others.start);
        let items = lists.before.items(own.start..own.start + pairs);
        let other_items = lists.after.items(others.start..others.start + pairs);
        for ((item, other), index) in items.zip(other_items).zip(own.clone()) {
            self.with_segment(path, Segment::Index(index), |this, path| {
                this.compare(path, &item, &other);
            });
        }
        for (kind, list, range) in [
            (
                DifferenceKind::Removed,
                lists.before,
                own.start + pairs..own.end,
            ),
            (
                DifferenceKind::Added,
                lists.after,
                others.start + pairs..others.end,
            ),
        ] {
            for (item, index) in list.items(range.clone()).zip(range) {
                self.add_missing(path, kind, Segment::Index(index), &item);
            }
        }
    }

    fn with_segment(
        &mut self,
        path: &mut Vec<Segment>,
        segment: Segment,
        compare: impl FnOnce(&mut Self, &mut Vec<Segment>),
    ) {
        path.push(segment);
        compare(self, path);
        path.pop();
    }

    /// Adds the difference for a removed or added value, or one for each item of a list of structs, vectors or strings.
    fn add_missing(
        &mut self,
        path: &mut Vec<Segment>,
        kind: DifferenceKind,
        segment: Segment,
        value: &TreeValue,
    ) {
        let content = Content::of(value);
        let is_list = matches!(content, Content::Parts)
            && value.item_count() > 0
            && value.fields().next().is_none()
            && !is_number_list(value);
        self.with_segment(path, segment, |this, path| {
            if is_list {
                let items = value.items(0..value.item_count());
                for (item, index) in items.zip(0..) {
                    this.add_missing(path, kind, Segment::Index(index), &item);
                }
                return;
            }
            let text = match content {
                Content::Parts => None,
                _ => Some(format_value(value)),
            };
            this.differences
                .add_at(path, |path| Difference::missing(path, kind, text));
        });
    }
}

/// Returns `true` for a field that contains the length of a list of the struct, or the lengths of several lists.
fn is_length(name: &str, of: &TreeValue) -> bool {
    of.fields()
        .filter_map(|(_, field)| field.field())
        .any(|field| {
            let is_count = matches!(field.count, Some(Expr::Path([own])) if *own == name);
            is_count || field.each.is_some_and(|each| each.list == [name])
        })
}

#[cfg(test)]
mod tests {
    use meshspec::layout::Layout;

    use super::*;

    /// Returns the differences between two values of a type.
    fn differences<T: Layout>(before: &[u8], after: &[u8]) -> Vec<String> {
        let mut differences = Differences::default();
        let limits = Default::default();
        let trees = [before, after].map(|bytes| Tree::read(&T::TYPE, bytes, &limits));
        let [Ok(before), Ok(after)] = &trees else {
            return vec![format!("{trees:?}")];
        };
        let mut comparison = ValueComparison {
            tolerance: 0.0,
            is_text: false,
            digests: &Digests::new(true),
            differences: &mut differences,
        };
        comparison.compare_files(before, after);
        let list = differences.list.iter();
        list.map(ToString::to_string).collect()
    }

    /// Bytes may follow a value of any type.
    #[test]
    fn trailing_bytes_follow_numbers_and_lists() {
        let files: [(&[u8], &[u8]); 2] = [(b"ab", b"ac"), (b"ab", b"a")];
        let expected = [["trailing: \"b\" → \"c\""], ["trailing: removed \"b\""]];
        for ((before, after), expected) in files.into_iter().zip(expected) {
            assert_eq!(differences::<u8>(before, after), expected);
            assert_eq!(differences::<[u8; 1]>(before, after), expected);
        }
    }

    #[test]
    fn arrays_of_large_numbers_are_compared() {
        let large = [u128::MAX.to_le_bytes(), 1_u128.to_le_bytes()];
        let swapped = [large[1], large[0]];
        let found = differences::<[u128; 2]>(&large.concat(), &swapped.concat());
        assert_eq!(found.len(), 1);
        assert_eq!(
            differences::<[u128; 2]>(&large.concat(), &large.concat()),
            [""; 0]
        );
    }
}
