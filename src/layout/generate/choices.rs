//! The numbers that decide about a file, and what each of them decided.

use std::collections::{HashMap, VecDeque};

use crate::layout::Expr;
use crate::layout::walk::Segment;

/// Where numbers come from; behind their end they are 0. Each that is taken is written down.
pub(super) struct Choices<'c> {
    source: Source<'c>,
    pub trace: Trace,
}

enum Source<'c> {
    Sequence(std::slice::Iter<'c, u64>),
    /// Those of each value, whatever else the file has.
    OfValues(HashMap<&'c [Segment], VecDeque<u64>>),
}

/// What was chosen, in the order of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace {
    pub choices: Vec<Choice>,
    pub lists: Vec<List>,
}

#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// The value that it is for; a value may take several.
    pub path: Vec<Segment>,
    /// The least number that decides the same.
    pub number: u64,
}

/// A list whose number of items is a choice.
#[derive(Debug, Clone)]
pub(super) struct List {
    pub path: Vec<Segment>,
    /// Which of the choices is the number of its items.
    pub count: usize,
}

impl<'c> Choices<'c> {
    pub fn sequence(numbers: &'c [u64]) -> Choices<'c> {
        Choices { source: Source::Sequence(numbers.iter()), trace: Trace::default() }
    }

    pub fn of_values(choices: &'c [Choice]) -> Choices<'c> {
        let mut numbers: HashMap<_, VecDeque<u64>> = HashMap::new();
        for Choice { path, number } in choices {
            numbers.entry(&**path).or_default().push_back(*number);
        }
        Choices { source: Source::OfValues(numbers), trace: Trace::default() }
    }

    /// The next number for the value with this path, as the least that decides the same.
    pub fn next(&mut self, path: &[Segment], least: impl Fn(u64) -> u64) -> u64 {
        let number = match &mut self.source {
            Source::Sequence(numbers) => numbers.next().copied(),
            Source::OfValues(numbers) => numbers.get_mut(path).and_then(VecDeque::pop_front),
        };
        let number = least(number.unwrap_or_default());
        self.trace.choices.push(Choice { path: path.to_vec(), number });
        number
    }

    /// Writes down a list of so many items; `name` is what their number is called.
    pub fn list(&mut self, path: &[Segment], name: Segment, items: u64) {
        // A number of items that is drawn with the list has its path.
        let is_count = |choice: &Choice| {
            choice.path == path || choice.number == items && choice.path.last() == Some(&name)
        };
        if let Some(count) = self.trace.choices.iter().rposition(is_count) {
            self.trace.lists.push(List { path: path.to_vec(), count });
        }
    }
}

impl Trace {
    /// The choices, with one of them another number.
    pub fn with(&self, choice: usize, number: u64) -> Vec<Choice> {
        let mut choices = self.choices.clone();
        choices[choice].number = number;
        choices
    }

    /// The choices without those of one item of a list, which is there.
    pub fn without_item(&self, list: &List, item: u64) -> Vec<Choice> {
        let mut choices = self.with(list.count, self.choices[list.count].number.saturating_sub(1));
        choices.retain_mut(|choice| match choice.path.split_at_mut_checked(list.path.len()) {
            Some((path, [Segment::Index(index), ..])) if path == list.path && *index >= item => {
                // Of those behind it, each takes the place before it.
                let is_kept = *index > item;
                *index -= u64::from(is_kept);
                is_kept
            }
            _ => true,
        });
        choices
    }
}

/// Returns the name of the only value that decides a number of items; `None` if several do.
pub(super) fn name_of_count(count: &Expr) -> Option<Segment> {
    let mut names = Vec::new();
    count.visit(&mut |part| {
        if let Expr::Path(path) | Expr::Matches(path, _) = part {
            names.push(path.last().map(|name| Segment::Field(name)));
        }
    });
    match names[..] {
        [name] => name,
        _ => None,
    }
}
