//! Breaks constraints on scalars and lists.

use std::collections::BTreeSet;

use super::Breakage;
use super::attempt::{Alteration, Attempt, Patch};
use super::targets::{ConstrainedField, Leaf, Targets};
use super::verifier::last_name;
use crate::layout::declaration::{Constraint, Requirement, Type};
use crate::layout::expr::Value;
use crate::layout::walk::Segment;

/// The maximum number of other items that are tried as the parent of an item.
const MAX_PARENTS: usize = 4;

/// Returns all attempts on the constraints of a file, except conditions, which [numbers](super::numbers) breaks.
pub(super) fn attempts(targets: &Targets) -> Vec<Attempt> {
    let attempts = targets.constrained.iter().flat_map(|target| {
        let constraints = target.constraints.iter();
        constraints
            .flat_map(|(constraint, numbers)| attempts_for(targets, target, constraint, numbers))
    });
    attempts.collect()
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
    // `on` returns one attempt that tries all texts, `separately` one attempt for each text.
    let on = |leaf: &Leaf, texts: Vec<String>| attempt(leaf.changes_to(texts));
    let separately = |texts: &dyn Fn(&Leaf) -> BTreeSet<String>| -> Vec<Attempt> {
        let each = leaves
            .clone()
            .flat_map(|leaf| texts(leaf).into_iter().map(move |text| (leaf, text)));
        each.map(|(leaf, text)| on(leaf, vec![text])).collect()
    };
    let limited = |allowed_values, attempt: Attempt| Attempt {
        allowed_values,
        ..attempt
    };
    let compared = || compared_leaves(targets, target);
    let is_in = |leaf: &Leaf, of: Option<&'static str>| {
        of.is_none_or(|of| leaf.path.last() == Some(&Segment::Field(of)))
    };
    let others = |leaf: &Leaf, of: Option<&'static str>| -> Vec<String> {
        let others = compared().filter(|other| other.path != leaf.path && is_in(other, of));
        others.map(|other| other.value.plain_text()).collect()
    };
    match &constraint.requirement {
        Requirement::Below(_) => {
            let limit = leaves
                .clone()
                .map(|leaf| on(leaf, numbers.iter().map(i128::to_string).collect()));
            limit.chain(oversized(target, &attempt)).collect()
        }
        Requirement::AtLeast(_) => {
            let less = || numbers.iter().map(|limit| (limit - 1).to_string());
            leaves
                .map(|leaf| on(leaf, less().chain([leaf.smallest()]).collect()))
                .collect()
        }
        Requirement::UnitVector => leaves.map(|leaf| on(leaf, texts(&["2", "127"]))).collect(),
        // The numbers below and above the allowed ones, the first number from 0 that is not allowed, and the largest.
        Requirement::OneOf(_) => separately(&|leaf| {
            let ends = [
                numbers.iter().min().map(|min| min - 1),
                numbers.iter().max().map(|max| max + 1),
            ];
            let between = (0..).find(|number| !numbers.contains(number));
            let near = ends
                .into_iter()
                .chain([between])
                .flatten()
                .map(|number| number.to_string());
            near.chain([leaf.largest()]).collect()
        }),
        Requirement::Finite => {
            let infinite = leaves.clone().map(|leaf| {
                limited(
                    vec![leaf.largest(), leaf.smallest()],
                    on(leaf, texts(&["Infinity", "-Infinity"])),
                )
            });
            leaves
                .clone()
                .map(|leaf| on(leaf, texts(&["NaN"])))
                .chain(infinite)
                .collect()
        }
        Requirement::Unique => leaves.map(|leaf| on(leaf, others(leaf, None))).collect(),
        Requirement::Ordered => {
            let last = target.leaves.last().into_iter();
            let last = last.flat_map(|last| last.changes_to(vec![last.smallest()]));
            let first = compared()
                .take(1)
                .flat_map(|first| first.changes_to(vec![first.largest()]));
            let equal = compared().take(1).map(|first| first.value.plain_text());
            vec![limited(
                equal.collect(),
                attempt(last.chain(first).collect()),
            )]
        }
        Requirement::Sum { of, tolerance, .. } => {
            let attempts = leaves.filter(|leaf| is_in(leaf, *of)).flat_map(|leaf| {
                let far = if matches!(leaf.value, Value::Int(_)) {
                    &[][..]
                } else {
                    &["2", "0"]
                };
                let more = on(leaf, leaf.shifted(1.01 * tolerance));
                let less = on(leaf, leaf.shifted(-1.01 * tolerance));
                [
                    limited(leaf.shifted(0.98 * tolerance), more),
                    limited(leaf.shifted(-0.98 * tolerance), less),
                    on(leaf, texts(far)),
                ]
            });
            attempts.collect()
        }
        Requirement::ReservedZero => {
            let words = |leaf: &Leaf| -> Vec<String> {
                let Value::Bits(word, declaration) = leaf.value else {
                    return Vec::new();
                };
                let reserved = declaration
                    .all_bit_fields()
                    .into_iter()
                    .filter(|(.., field)| field.reserved);
                // For each reserved field: all bits, the lowest bit, the highest bit.
                let masks = reserved.flat_map(|(_, bits, _)| {
                    let (mask, low) = (bits.mask(), 1 << bits.offset);
                    [mask, low, low << (bits.width - 1)]
                });
                let masks: BTreeSet<u128> = masks.collect();
                masks
                    .into_iter()
                    .rev()
                    .map(|mask| format!("{:#x}", word | mask))
                    .collect()
            };
            let each =
                leaves.flat_map(|leaf| words(leaf).into_iter().map(move |word| (leaf, word)));
            each.map(|(leaf, word)| on(leaf, vec![word])).collect()
        }
        // Bytes can only be removed at the end of a file.
        Requirement::Terminated => {
            vec![attempt(vec![Alteration::patch(
                &[],
                Patch::Truncate(target.end.saturating_sub(1)),
            )])]
        }
        Requirement::IndexInto { .. } => {
            let (end, none) = (
                numbers.first().map(i128::to_string),
                numbers.get(1).map(i128::to_string),
            );
            let after = leaves.clone().map(|leaf| {
                limited(
                    none.iter().cloned().collect(),
                    on(leaf, end.iter().cloned().collect()),
                )
            });
            after.chain(oversized(target, &attempt)).collect()
        }
        // A count that ends the range one item past the list, the sign bit, and the largest number.
        Requirement::Within { .. } => separately(&|leaf| {
            let more = match *numbers {
                [len, first, ..] => Some((len - first + 1).to_string()),
                _ => None,
            };
            more.into_iter()
                .chain(leaf.sign_bit())
                .chain([leaf.largest()])
                .collect()
        }),
        Requirement::Counts { .. } => separately(&|leaf| {
            let near = numbers
                .iter()
                .flat_map(|count| [count + 1, count - 1])
                .filter(|count| *count >= 0);
            near.map(|count| count.to_string())
                .chain([leaf.largest()])
                .collect()
        }),
        Requirement::Position => {
            let swap = |leaf: &Leaf, other: &Leaf| {
                leaf.change_to(other.value.plain_text())
                    .and(other.change_to(leaf.value.plain_text()))
            };
            let pairs = leaves.flat_map(|leaf| compared().map(move |other| (leaf, other)));
            let swaps = pairs.filter(|(leaf, other)| leaf.path != other.path);
            vec![attempt(
                swaps.map(|(leaf, other)| swap(leaf, other)).collect(),
            )]
        }
        Requirement::Equal => {
            let attempts = leaves.map(|leaf| {
                let next = if let Value::Int(number) = leaf.value {
                    number + 1
                } else {
                    1
                };
                on(leaf, vec![next.to_string(), "0".to_owned(), leaf.largest()])
            });
            attempts.collect()
        }
        Requirement::Permutation { of, .. } => {
            let attempts = leaves.filter(|leaf| is_in(leaf, *of));
            attempts
                .flat_map(|leaf| [on(leaf, others(leaf, *of)), on(leaf, vec![leaf.largest()])])
                .collect()
        }
        Requirement::Forest { .. } => {
            // The parent is the item itself, does not exist, or is a descendant, which closes a cycle.
            let count = compared().count() as u64;
            let parents = |leaf: &Leaf| {
                let own = leaf.path.iter().rev().find_map(|step| match step {
                    Segment::Index(index) => Some(*index),
                    Segment::Field(_) => None,
                });
                let others = (0..count)
                    .rev()
                    .filter(|other| Some(*other) != own)
                    .take(MAX_PARENTS);
                let numbers = own
                    .into_iter()
                    .chain([count])
                    .chain(others)
                    .map(|number| number.to_string());
                numbers.chain([leaf.largest(), "254".to_owned()]).collect()
            };
            leaves.map(|leaf| on(leaf, parents(leaf))).collect()
        }
        Requirement::SameLength => {
            let last = target.leaves.last().and_then(|last| {
                let end = last.path[target.path.len()..].first()?;
                Some(Alteration::remove(&[&target.path[..], &[*end]].concat()))
            });
            vec![attempt(last.into_iter().collect())]
        }
        Requirement::Some(_) => {
            let item = target
                .path
                .iter()
                .rposition(|step| matches!(step, Segment::Index(_)));
            let removed = item.map(|item| Alteration::remove(&target.path[..=item]));
            let bits = (0..16).map(|bit| format!("{:#x}", 1_u32 << bit));
            let values: Vec<_> = ["0".to_owned()].into_iter().chain(bits).collect();
            let others = leaves.flat_map(|leaf| leaf.changes_to(values.clone()));
            // The finding is about the list, not the field.
            vec![Attempt {
                field: "",
                ..attempt(removed.into_iter().chain(others).collect())
            }]
        }
        Requirement::Holds(_) => Vec::new(),
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

/// Returns attempts with oversized numbers: the largest, one that is negative if read as signed, and those that
/// truncation to fewer bits turns into 0.
fn oversized(
    target: &ConstrainedField,
    attempt: &dyn Fn(Vec<Alteration>) -> Attempt,
) -> Vec<Attempt> {
    let attempts = target.leaves.iter().flat_map(|leaf| {
        let numbers = [leaf.largest()]
            .into_iter()
            .chain(leaf.sign_bit())
            .chain(leaf.zero_if_narrowed());
        numbers.map(move |number| attempt(leaf.changes_to(vec![number])))
    });
    attempts.collect()
}

/// Returns the collected values that a constraint compares: those of a list, or of one field of the structs in a list.
fn compared_leaves<'p>(
    targets: &'p Targets,
    target: &'p ConstrainedField,
) -> impl Iterator<Item = &'p Leaf> {
    let index = target
        .path
        .iter()
        .rposition(|step| matches!(step, Segment::Index(_)));
    let list = if target.is_list {
        &target.path[..]
    } else {
        &target.path[..index.unwrap_or(0)]
    };
    let field = target.path.get(list.len() + 1..).unwrap_or_default();
    let same = move |other: &&ConstrainedField| {
        other.path.starts_with(list)
            && other.path.get(list.len() + 1..).unwrap_or_default() == field
    };
    targets
        .constrained
        .iter()
        .filter(same)
        .flat_map(|other| &other.leaves)
}

impl Leaf {
    /// Returns a change to each of `texts` that differs from this value.
    pub fn changes_to(&self, texts: Vec<String>) -> Vec<Alteration> {
        let texts = texts
            .into_iter()
            .filter(|other| *other != self.value.plain_text());
        texts.map(|text| self.change_to(text)).collect()
    }

    fn change_to(&self, text: String) -> Alteration {
        Alteration::set(&self.path, text, self.recount)
    }

    pub fn largest(&self) -> String {
        match (self.range, self.ty.without_byte_order()) {
            (Some((_, largest)), _) => largest.to_string(),
            (_, Type::Signed(_)) => self
                .ty
                .int_type()
                .map_or(0, |int| int.range().1)
                .to_string(),
            (_, Type::Float(4)) => format!("{:e}", f32::MAX),
            (_, Type::Float(_)) => format!("{:e}", f64::MAX),
            (_, ty) => (u128::MAX >> (128 - 8 * ty.size().unwrap_or(1).clamp(1, 16))).to_string(),
        }
    }

    /// Returns a float plus `distance`, or an integer ± 1 with the sign of `distance`; empty for other values.
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
        numbers
            .into_iter()
            .filter(|number| *number <= largest)
            .map(|number| number.to_string())
            .collect()
    }

    /// Returns the number with only the highest bit of [`largest_unsigned`](Leaf::largest_unsigned) set; `None` if that
    /// is 0.
    fn sign_bit(&self) -> Option<String> {
        let largest = self.largest_unsigned();
        (largest > 0).then(|| (largest / 2 + 1).to_string())
    }

    /// Returns the largest value of a bit field, or of an unsigned integer below 128 bits; 0 for other types.
    fn largest_unsigned(&self) -> i128 {
        match (self.range, self.ty.without_byte_order()) {
            (Some((_, largest)), _) => largest,
            (None, Type::Unsigned(size @ 1..16)) => (1 << (8 * size)) - 1,
            _ => 0,
        }
    }

    fn smallest(&self) -> String {
        match self.ty.without_byte_order() {
            Type::Float(4) => format!("{:e}", f32::MIN),
            Type::Float(_) => format!("{:e}", f64::MIN),
            ty => ty.int_type().map_or(0, |int| int.range().0).to_string(),
        }
    }
}
