//! Breaks constraints on single values and lists.

use std::collections::BTreeSet;

use super::Breakage;
use super::attempt::{Alteration, Attempt};
use super::targets::{ConstrainedField, Leaf, Targets};
use super::verifier::last_name;
use crate::layout::declaration::{Constraint, Requirement, Type};
use crate::layout::expr::Value;
use crate::layout::walk::Segment;

/// The maximum number of other items that are tried as the parent of an item.
const MAX_PARENTS: usize = 4;

/// Returns all attempts on the constraints of a file, except conditions, which [numbers](super::numbers) breaks.
pub(super) fn attempts(targets: &Targets) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for target in &targets.constrained {
        for (constraint, numbers) in &target.constraints {
            attempts.extend(attempts_for(targets, target, constraint, numbers));
        }
    }
    attempts
}

fn attempts_for(
    targets: &Targets,
    target: &ConstrainedField,
    constraint: &'static Constraint,
    numbers: &[i128],
) -> Vec<Attempt> {
    let attempt = |changes| Attempt {
        field: last_name(&target.path).unwrap_or_default(),
        ..Attempt::new(Breakage::Constraint(constraint), changes)
    };
    let leaves = target.leaves.iter();
    let each = |texts: fn(&Leaf, &[i128]) -> Vec<String>| {
        leaves.clone().map(|leaf| attempt(leaf.changes_to(texts(leaf, numbers)))).collect()
    };
    let separately = |texts: fn(&Leaf, &[i128]) -> BTreeSet<String>| {
        let of = |leaf: &Leaf| -> Vec<Attempt> {
            texts(leaf, numbers).into_iter().map(|text| attempt(leaf.changes_to(vec![text]))).collect()
        };
        leaves.clone().flat_map(of).collect()
    };
    match &constraint.requirement {
        Requirement::Below(_) => {
            let limit = leaves.clone().map(|leaf| {
                let limits = numbers.iter().map(i128::to_string);
                attempt(leaf.changes_to(limits.collect()))
            });
            limit.chain(oversized_attempts(target, &attempt)).collect()
        }
        Requirement::AtLeast(_) => each(|leaf, numbers| {
            let less = numbers.iter().map(|limit| (limit - 1).to_string());
            less.chain([leaf.smallest()]).collect()
        }),
        Requirement::UnitVector => each(|_, _| vec!["2".to_owned(), "127".to_owned()]),
        // The neighbours of the allowed numbers on both sides, a number between them, and the largest number.
        Requirement::OneOf(_) => separately(|leaf, numbers| {
            let ends = [numbers.iter().min().map(|min| min - 1), numbers.iter().max().map(|max| max + 1)];
            let between = (0..).find(|number| !numbers.contains(number));
            let near = ends.into_iter().chain([between]).flatten().map(|number| number.to_string());
            near.chain([leaf.largest()]).collect()
        }),
        Requirement::Finite => {
            let of = |texts: &'static [&str]| {
                move |leaf: &Leaf| {
                    attempt(leaf.changes_to(texts.iter().map(|text| text.to_string()).collect()))
                }
            };
            let infinite = leaves.clone().map(|leaf| {
                let limits = vec![leaf.largest(), leaf.smallest()];
                Attempt { limits, ..of(&["Infinity", "-Infinity"])(leaf) }
            });
            leaves.clone().map(of(&["NaN"])).chain(infinite).collect()
        }
        Requirement::Unique => {
            let others = || compared_leaves(targets, target);
            leaves
                .map(|leaf| {
                    let equal =
                        others().filter(|other| other.path != leaf.path).map(|other| edit_text(&other.value));
                    attempt(leaf.changes_to(equal.collect()))
                })
                .collect()
        }
        Requirement::Ordered => {
            let last =
                target.leaves.last().into_iter().flat_map(|last| last.changes_to(vec![last.smallest()]));
            let first = compared_leaves(targets, target).take(1);
            let first: Vec<_> = first.flat_map(|first| first.changes_to(vec![first.largest()])).collect();
            let equal = compared_leaves(targets, target).take(1).map(|first| edit_text(&first.value));
            vec![Attempt { limits: equal.collect(), ..attempt(last.chain(first).collect()) }]
        }
        Requirement::Sum { of, tolerance, .. } => {
            let name = |leaf: &&Leaf| of.is_none_or(|of| leaf.path.last() == Some(&Segment::Field(of)));
            let attempts = leaves.filter(name).flat_map(|leaf| {
                let (beyond, within) = (leaf.shifted(1.01 * tolerance), leaf.shifted(0.98 * tolerance));
                let far = if matches!(leaf.value, Value::Int(_)) { &[][..] } else { &["2", "0"] };
                let far = far.iter().map(|number| number.to_string()).collect();
                let less = leaf.shifted(-1.01 * tolerance);
                [
                    Attempt { limits: within, ..attempt(leaf.changes_to(beyond)) },
                    Attempt { limits: leaf.shifted(-0.98 * tolerance), ..attempt(leaf.changes_to(less)) },
                    attempt(leaf.changes_to(far)),
                ]
            });
            attempts.collect()
        }
        Requirement::ReservedZero => {
            let masks = |leaf: &Leaf| match leaf.value {
                Value::Bits(word, declaration) => {
                    let reserved =
                        declaration.all_bit_fields().into_iter().filter(|(.., field)| field.reserved);
                    // All bits, the lowest and the highest.
                    let masks = reserved.flat_map(|(_, bits, _)| {
                        let (mask, low) = (bits.mask(), 1 << bits.offset);
                        [mask, low, low << (bits.width - 1)]
                    });
                    let masks: BTreeSet<u128> = masks.collect();
                    masks.into_iter().rev().map(|mask| format!("{:#x}", word | mask)).collect()
                }
                _ => Vec::new(),
            };
            let of = |leaf: &Leaf| -> Vec<_> {
                masks(leaf).into_iter().map(|word: String| attempt(leaf.changes_to(vec![word]))).collect()
            };
            leaves.flat_map(of).collect()
        }
        // Bytes can only be removed at the end of a file.
        Requirement::Terminated => vec![attempt(vec![Alteration::Truncate(target.end.saturating_sub(1))])],
        Requirement::IndexInto { .. } => {
            let text =
                |leaf: &Leaf, text: Option<String>| attempt(leaf.changes_to(text.into_iter().collect()));
            let none = numbers.get(1).map(i128::to_string);
            let after = leaves.clone().map(|leaf| {
                let limits = none.iter().cloned().collect();
                Attempt { limits, ..text(leaf, numbers.first().map(i128::to_string)) }
            });
            after.chain(oversized_attempts(target, &attempt)).collect()
        }
        // A range that is one item too long, and the largest numbers that the field can store.
        Requirement::Within { .. } => separately(|leaf, numbers| {
            let more = match *numbers {
                [len, first, ..] => Some((len - first + 1).to_string()),
                _ => None,
            };
            more.into_iter().chain(leaf.sign_bit()).chain([leaf.largest()]).collect()
        }),
        Requirement::Counts { .. } => separately(|leaf, numbers| {
            let near = numbers.iter().flat_map(|count| [count + 1, count - 1]).filter(|count| *count >= 0);
            near.map(|count| count.to_string()).chain([leaf.largest()]).collect()
        }),
        Requirement::Position => {
            let others: Vec<_> = compared_leaves(targets, target).collect();
            let swaps = leaves.flat_map(|leaf| {
                let swap = |other: &&Leaf| Alteration::Swap {
                    path: leaf.path.clone(),
                    text: edit_text(&other.value),
                    other: (other.path.clone(), edit_text(&leaf.value)),
                    recount: leaf.recount,
                };
                others.iter().filter(|other| other.path != leaf.path).map(swap).collect::<Vec<_>>()
            });
            vec![attempt(swaps.collect())]
        }
        Requirement::Equal => each(|leaf, _| {
            let next = if let Value::Int(number) = leaf.value { number + 1 } else { 1 };
            vec![next.to_string(), "0".to_owned(), leaf.largest()]
        }),
        Requirement::Permutation { of, .. } => {
            let name = |leaf: &&Leaf| of.is_none_or(|of| leaf.path.last() == Some(&Segment::Field(of)));
            let others: Vec<_> = compared_leaves(targets, target).filter(name).collect();
            let changes = leaves.filter(name).flat_map(|leaf| {
                let equal = others
                    .iter()
                    .filter(|other| other.path != leaf.path)
                    .map(|other| edit_text(&other.value));
                [attempt(leaf.changes_to(equal.collect())), attempt(leaf.changes_to(vec![leaf.largest()]))]
            });
            changes.collect()
        }
        Requirement::Forest { .. } => {
            // The parent is the item itself, does not exist, or is a descendant, which closes a cycle.
            let count = compared_leaves(targets, target).count() as u64;
            let parents = |leaf: &Leaf| {
                let own = leaf.path.iter().rev().find_map(|step| match step {
                    Segment::Index(index) => Some(*index),
                    Segment::Field(_) => None,
                });
                let others = (0..count).rev().filter(|other| Some(*other) != own).take(MAX_PARENTS);
                let numbers = own.into_iter().chain([count]).chain(others).map(|number| number.to_string());
                numbers.chain([leaf.largest(), "254".to_owned()]).collect()
            };
            leaves.map(|leaf| attempt(leaf.changes_to(parents(leaf)))).collect()
        }
        Requirement::SameLength => {
            let last = target.leaves.last().and_then(|last| {
                let end = last.path[target.path.len()..].first()?;
                Some(Alteration::RemoveItem([&target.path[..], &[*end]].concat()))
            });
            vec![attempt(last.into_iter().collect())]
        }
        Requirement::Some(_) => {
            let item = target.path.iter().rposition(|step| matches!(step, Segment::Index(_)));
            let removed = item.map(|item| Alteration::RemoveItem(target.path[..=item].to_vec()));
            let others = leaves.flat_map(|leaf| {
                let bits = (0..16).map(|bit| format!("{:#x}", 1_u32 << bit));
                leaf.changes_to([0.to_string()].into_iter().chain(bits).collect())
            });
            // The finding is about the list, not the field.
            vec![Attempt { field: "", ..attempt(removed.into_iter().chain(others).collect()) }]
        }
        Requirement::Holds(_) => Vec::new(),
    }
}

/// Returns attempts with oversized numbers: the largest, one that is negative if read as signed, and those that
/// truncation to fewer bits turns into 0.
fn oversized_attempts(
    target: &ConstrainedField,
    attempt: &dyn Fn(Vec<Alteration>) -> Attempt,
) -> Vec<Attempt> {
    let of = |leaf: &Leaf| {
        let numbers = [leaf.largest()].into_iter().chain(leaf.sign_bit()).chain(leaf.zero_if_narrowed());
        numbers.map(|number| attempt(leaf.changes_to(vec![number]))).collect::<Vec<_>>()
    };
    target.leaves.iter().flat_map(of).collect()
}

/// Returns the values that a constraint compares: all values of a list, or one field of all structs in a list.
fn compared_leaves<'p>(targets: &'p Targets, target: &'p ConstrainedField) -> impl Iterator<Item = &'p Leaf> {
    let is_list = target.is_list;
    let index = target.path.iter().rposition(|step| matches!(step, Segment::Index(_)));
    let list = if is_list { &target.path[..] } else { &target.path[..index.unwrap_or(0)] };
    let field = target.path.get(list.len() + 1..).unwrap_or_default();
    let same = move |other: &&ConstrainedField| {
        other.path.starts_with(list) && other.path.get(list.len() + 1..).unwrap_or_default() == field
    };
    targets.constrained.iter().filter(same).flat_map(|other| &other.leaves)
}

impl Leaf {
    /// Returns a change to each of `texts` that differs from this value.
    fn changes_to(&self, texts: Vec<String>) -> Vec<Alteration> {
        let texts = texts.into_iter().filter(|other| *other != edit_text(&self.value));
        let set = |text| Alteration::Set { path: self.path.clone(), text, recount: self.recount };
        texts.map(set).collect()
    }

    pub fn largest(&self) -> String {
        if let Some((_, largest)) = self.range {
            return largest.to_string();
        }
        match self.ty.without_order() {
            Type::Signed(_) => self.ty.int_type().map_or(0, |int| int.range().1).to_string(),
            Type::Float(4) => format!("{:e}", f32::MAX),
            Type::Float(_) => format!("{:e}", f64::MAX),
            ty => (u128::MAX >> (128 - 8 * ty.size().unwrap_or(1).clamp(1, 16))).to_string(),
        }
    }

    /// Returns a float plus `distance`, or an integer plus 1 with the sign of `distance`; empty for other values.
    fn shifted(&self, distance: f64) -> Vec<String> {
        match self.value {
            Value::Int(number) if distance.is_sign_positive() => vec![(number + 1).to_string()],
            Value::Int(number) => vec![(number - 1).to_string()],
            Value::F32(number) => vec![(number + distance as f32).to_string()],
            Value::F64(number) => vec![(number + distance).to_string()],
            _ => Vec::new(),
        }
    }

    /// Returns those of 2⁸, 2¹⁶ and 2³² that fit; they become 0 if they are truncated to 8, 16 or 32 bits.
    fn zero_if_narrowed(&self) -> Vec<String> {
        let largest = self.largest_unsigned();
        let numbers = [8, 16, 32].map(|bits| 1_i128 << bits);
        numbers.into_iter().filter(|number| *number <= largest).map(|number| number.to_string()).collect()
    }

    /// Returns the unsigned integer with only the highest bit set.
    fn sign_bit(&self) -> Option<String> {
        let largest = self.largest_unsigned();
        (largest > 0).then(|| (largest / 2 + 1).to_string())
    }

    /// Returns the largest unsigned integer; 0 for other types.
    fn largest_unsigned(&self) -> i128 {
        match (self.range, self.ty.without_order()) {
            (Some((_, largest)), _) => largest,
            (None, Type::Unsigned(size @ 1..16)) => (1 << (8 * size)) - 1,
            _ => 0,
        }
    }

    fn smallest(&self) -> String {
        match self.ty.without_order() {
            Type::Float(4) => format!("{:e}", f32::MIN),
            Type::Float(_) => format!("{:e}", f64::MIN),
            ty => ty.int_type().map_or(0, |int| int.range().0).to_string(),
        }
    }
}

/// Formats a value so that an edit can parse it.
fn edit_text(value: &Value) -> String {
    match value {
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        other => other.to_string(),
    }
}
