//! The choices that determine a generated file, and a trace of them.

use std::collections::{HashMap, VecDeque};

use crate::layout::expr::Expr;
use crate::layout::walk::Segment;

/// A source of choices. After its end, all choices are 0. Records each choice in a trace.
pub(super) struct Choices<'c> {
    source: ChoiceSource<'c>,
    pub trace: Trace,
    /// The indices of the choices of item counts, by the last step of their path.
    counts: HashMap<Segment, Vec<usize>>,
}

enum ChoiceSource<'c> {
    Sequence(std::slice::Iter<'c, u64>),
    /// The choices of each value, independent of the rest of the file.
    ByPath(HashMap<&'c [Segment], VecDeque<u64>>),
}

/// The choices in the order drawn.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace {
    pub choices: Vec<Choice>,
    pub lists: Vec<ListChoice>,
}

#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// The path of the value; a value may need several choices.
    pub path: Vec<Segment>,
    /// The smallest number with the same effect.
    pub number: u64,
}

/// A list whose number of items is a choice.
#[derive(Debug, Clone)]
pub(super) struct ListChoice {
    pub path: Vec<Segment>,
    /// The index of the choice.
    pub choice_index: usize,
}

impl<'c> Choices<'c> {
    pub fn sequence(numbers: &'c [u64]) -> Choices<'c> {
        Choices::of(ChoiceSource::Sequence(numbers.iter()))
    }

    fn of(source: ChoiceSource<'c>) -> Choices<'c> {
        Choices {
            source,
            trace: Trace::default(),
            counts: HashMap::new(),
        }
    }

    pub fn replay_by_path(choices: &'c [Choice]) -> Choices<'c> {
        let mut numbers: HashMap<_, VecDeque<u64>> = HashMap::new();
        for Choice { path, number } in choices {
            numbers.entry(&**path).or_default().push_back(*number);
        }
        Choices::of(ChoiceSource::ByPath(numbers))
    }

    /// Returns the next choice for the value at a path, reduced by `least` to the smallest number with the same effect.
    pub fn next_choice(&mut self, path: &[Segment], least: impl Fn(u64) -> u64) -> u64 {
        let number = match &mut self.source {
            ChoiceSource::Sequence(numbers) => numbers.next().copied(),
            ChoiceSource::ByPath(numbers) => numbers.get_mut(path).and_then(VecDeque::pop_front),
        };
        let number = least(number.unwrap_or_default());
        self.trace.choices.push(Choice {
            path: path.to_vec(),
            number,
        });
        number
    }

    /// Like [`next_choice`](Choices::next_choice), for a number of items.
    pub fn next_count(&mut self, path: &[Segment], least: impl Fn(u64) -> u64) -> u64 {
        let count = self.next_choice(path, least);
        self.record_count(path);
        count
    }

    /// Records that the last choice is a number of items.
    pub fn record_count(&mut self, path: &[Segment]) {
        if let (Some(name), Some(last)) = (path.last(), self.trace.choices.len().checked_sub(1)) {
            self.counts.entry(*name).or_default().push(last);
        }
    }

    /// Records a list of `items` items; `name` is the field that stores their number.
    pub fn record_list(&mut self, path: &[Segment], name: Segment, items: u64) {
        let choices = &self.trace.choices;
        let last_of = |name: &Segment, is_count: &dyn Fn(&Choice) -> bool| {
            let mut counts = self.counts.get(name)?.iter().rev().copied();
            // Indices of choices that were replaced in the meantime may be out of range.
            counts.find(|count| choices.get(*count).is_some_and(is_count))
        };
        // An item count that is drawn with the list has the path of the list.
        let own = path
            .last()
            .and_then(|own| last_of(own, &|choice| choice.path == path));
        let stored = last_of(&name, &|choice| {
            choice.number == items && choice.path.last() == Some(&name)
        });
        if let Some(count) = own.max(stored) {
            self.trace.lists.push(ListChoice {
                path: path.to_vec(),
                choice_index: count,
            });
        }
    }
}

impl Trace {
    /// Returns the choices with one number replaced.
    pub fn with_number(&self, choice: usize, number: u64) -> Vec<Choice> {
        let mut choices = self.choices.clone();
        choices[choice].number = number;
        choices
    }

    /// Returns the choices that remain if an item of a list is removed.
    pub fn without_item(&self, list: &ListChoice, item: u64) -> Vec<Choice> {
        let count = self.choices[list.choice_index].number;
        let mut choices = self.with_number(list.choice_index, count.saturating_sub(1));
        choices.retain_mut(
            |choice| match choice.path.split_at_mut_checked(list.path.len()) {
                Some((path, [Segment::Index(index), ..]))
                    if path == list.path && *index >= item =>
                {
                    // Later items move down by one.
                    let is_kept = *index > item;
                    *index -= u64::from(is_kept);
                    is_kept
                }
                _ => true,
            },
        );
        choices
    }
}

/// Returns the name of the only value in the expression of a count; `None` if it contains no or several values.
pub(super) fn count_name(count: &Expr) -> Option<Segment> {
    if let [[.., name]] = count.paths()[..] {
        Some(Segment::Field(name))
    } else {
        None
    }
}
