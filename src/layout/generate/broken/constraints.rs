//! Breaks constraints on single values and lists.

use std::collections::BTreeSet;

use super::Breakage;
use super::attempt::{Alteration, Attempt};
use super::places::{Constrained, Leaf, Places};
use super::verifier::last_name;
use crate::layout::declaration::{Constraint, Requirement, Type};
use crate::layout::expr::Value;
use crate::layout::walk::Segment;

/// The maximum number of other items that are tried as the parent of an item.
const MAX_PARENTS: usize = 4;

/// Returns all attempts on the constraints of a file, except conditions, which [numbers](super::numbers) breaks.
pub(super) fn attempts(places: &Places) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for place in &places.constrained {
        for (constraint, numbers) in &place.constraints {
            attempts.extend(attempts_on(places, place, constraint, numbers));
        }
    }
    attempts
}

fn attempts_on(
    places: &Places,
    place: &Constrained,
    constraint: &'static Constraint,
    numbers: &[i128],
) -> Vec<Attempt> {
    let attempt = |changes| Attempt {
        field: last_name(&place.path).unwrap_or_default(),
        ..Attempt::new(Breakage::Constraint(constraint), changes)
    };
    let leaves = place.leaves.iter();
    let each = |texts: fn(&Leaf, &[i128]) -> Vec<String>| {
        leaves.clone().map(|leaf| attempt(leaf.set_to(texts(leaf, numbers)))).collect()
    };
    let separately = |texts: fn(&Leaf, &[i128]) -> BTreeSet<String>| {
        let of = |leaf: &Leaf| -> Vec<Attempt> {
            texts(leaf, numbers).into_iter().map(|text| attempt(leaf.set_to(vec![text]))).collect()
        };
        leaves.clone().flat_map(of).collect()
    };
    match &constraint.requirement {
        Requirement::Below(_) => {
            let limit = leaves.clone().map(|leaf| {
                let limits = numbers.iter().map(i128::to_string);
                attempt(leaf.set_to(limits.collect()))
            });
            limit.chain(far(place, &attempt)).collect()
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
                move |leaf: &Leaf| attempt(leaf.set_to(texts.iter().map(|text| text.to_string()).collect()))
            };
            let infinite = leaves.clone().map(|leaf| {
                let limits = vec![leaf.largest(), leaf.smallest()];
                Attempt { limits, ..of(&["Infinity", "-Infinity"])(leaf) }
            });
            leaves.clone().map(of(&["NaN"])).chain(infinite).collect()
        }
        Requirement::Unique => {
            let others = || list_of(places, place);
            leaves
                .map(|leaf| {
                    let equal =
                        others().filter(|other| other.path != leaf.path).map(|other| text(&other.value));
                    attempt(leaf.set_to(equal.collect()))
                })
                .collect()
        }
        Requirement::Ordered => {
            let last = place.leaves.last().into_iter().flat_map(|last| last.set_to(vec![last.smallest()]));
            let first = list_of(places, place).take(1);
            let first: Vec<_> = first.flat_map(|first| first.set_to(vec![first.largest()])).collect();
            let equal = list_of(places, place).take(1).map(|first| text(&first.value));
            vec![Attempt { limits: equal.collect(), ..attempt(last.chain(first).collect()) }]
        }
        Requirement::Sum { of, tolerance, .. } => {
            let name = |leaf: &&Leaf| of.is_none_or(|of| leaf.path.last() == Some(&Segment::Field(of)));
            let attempts = leaves.filter(name).flat_map(|leaf| {
                let (beyond, within) = (leaf.moved(1.01 * tolerance), leaf.moved(0.98 * tolerance));
                let far = if matches!(leaf.value, Value::Int(_)) { &[][..] } else { &["2", "0"] };
                let far = far.iter().map(|number| number.to_string()).collect();
                let less = leaf.moved(-1.01 * tolerance);
                [
                    Attempt { limits: within, ..attempt(leaf.set_to(beyond)) },
                    Attempt { limits: leaf.moved(-0.98 * tolerance), ..attempt(leaf.set_to(less)) },
                    attempt(leaf.set_to(far)),
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
                masks(leaf).into_iter().map(|word: String| attempt(leaf.set_to(vec![word]))).collect()
            };
            leaves.flat_map(of).collect()
        }
        // Bytes can only be removed at the end of a file.
        Requirement::Terminated => vec![attempt(vec![Alteration::Cut(place.end.saturating_sub(1))])],
        Requirement::IndexInto { .. } => {
            let text = |leaf: &Leaf, text: Option<String>| attempt(leaf.set_to(text.into_iter().collect()));
            let none = numbers.get(1).map(i128::to_string);
            let after = leaves.clone().map(|leaf| {
                let limits = none.iter().cloned().collect();
                Attempt { limits, ..text(leaf, numbers.first().map(i128::to_string)) }
            });
            after.chain(far(place, &attempt)).collect()
        }
        // One item too many after the first, and the maximum that the field can store.
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
            let others: Vec<_> = list_of(places, place).collect();
            let swaps = leaves.flat_map(|leaf| {
                let swap = |other: &&Leaf| Alteration::Swap {
                    path: leaf.path.clone(),
                    text: text(&other.value),
                    other: (other.path.clone(), text(&leaf.value)),
                    recounts: leaf.recounts,
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
            let others: Vec<_> = list_of(places, place).filter(name).collect();
            let changes = leaves.filter(name).flat_map(|leaf| {
                let equal =
                    others.iter().filter(|other| other.path != leaf.path).map(|other| text(&other.value));
                [attempt(leaf.set_to(equal.collect())), attempt(leaf.set_to(vec![leaf.largest()]))]
            });
            changes.collect()
        }
        Requirement::Forest { .. } => {
            // An item that is its parent, a missing parent, or a descendant as parent, which closes a cycle.
            let count = list_of(places, place).count() as u64;
            let parents = |leaf: &Leaf| {
                let own = leaf.path.iter().rev().find_map(|step| match step {
                    Segment::Index(index) => Some(*index),
                    Segment::Field(_) => None,
                });
                let others = (0..count).rev().filter(|other| Some(*other) != own).take(MAX_PARENTS);
                let numbers = own.into_iter().chain([count]).chain(others).map(|number| number.to_string());
                numbers.chain([leaf.largest(), "254".to_owned()]).collect()
            };
            leaves.map(|leaf| attempt(leaf.set_to(parents(leaf)))).collect()
        }
        Requirement::SameLength => {
            let last = place.leaves.last().and_then(|last| {
                let end = last.path[place.path.len()..].first()?;
                Some(Alteration::Remove([&place.path[..], &[*end]].concat()))
            });
            vec![attempt(last.into_iter().collect())]
        }
        Requirement::Some(_) => {
            let item = place.path.iter().rposition(|step| matches!(step, Segment::Index(_)));
            let removed = item.map(|item| Alteration::Remove(place.path[..=item].to_vec()));
            let others = leaves.flat_map(|leaf| {
                let bits = (0..16).map(|bit| format!("{:#x}", 1_u32 << bit));
                leaf.set_to([0.to_string()].into_iter().chain(bits).collect())
            });
            // The finding is about the list, not the field.
            vec![Attempt { field: "", ..attempt(removed.into_iter().chain(others).collect()) }]
        }
        Requirement::Holds(_) => Vec::new(),
    }
}

/// Returns attempts with numbers that are much too large: the largest, one that a signed reader sees as negative,
/// and those that a narrowing reader sees as 0.
fn far(place: &Constrained, attempt: &dyn Fn(Vec<Alteration>) -> Attempt) -> Vec<Attempt> {
    let of = |leaf: &Leaf| {
        let numbers = [leaf.largest()].into_iter().chain(leaf.sign_bit()).chain(leaf.zero_if_narrowed());
        numbers.map(|number| attempt(leaf.set_to(vec![number]))).collect::<Vec<_>>()
    };
    place.leaves.iter().flat_map(of).collect()
}

/// Returns the values that a constraint compares: those of a list, or of the same field in all its structs.
fn list_of<'p>(places: &'p Places, place: &'p Constrained) -> impl Iterator<Item = &'p Leaf> {
    let is_list = place.is_list;
    let index = place.path.iter().rposition(|step| matches!(step, Segment::Index(_)));
    let list = if is_list { &place.path[..] } else { &place.path[..index.unwrap_or(0)] };
    let field = place.path.get(list.len() + 1..).unwrap_or_default();
    let same = move |other: &&Constrained| {
        other.path.starts_with(list) && other.path.get(list.len() + 1..).unwrap_or_default() == field
    };
    places.constrained.iter().filter(same).flat_map(|other| &other.leaves)
}

impl Leaf {
    /// Returns changes of this value to each text that differs from it.
    fn set_to(&self, texts: Vec<String>) -> Vec<Alteration> {
        let texts = texts.into_iter().filter(|other| *other != text(&self.value));
        let set = |text| Alteration::Set { path: self.path.clone(), text, recounts: self.recounts };
        texts.map(set).collect()
    }

    pub(super) fn largest(&self) -> String {
        if let Some((_, largest)) = self.range {
            return largest.to_string();
        }
        match self.ty.without_order() {
            Type::Signed(_) => self.ty.int().map_or(0, |int| int.range().1).to_string(),
            Type::Float(4) => format!("{:e}", f32::MAX),
            Type::Float(_) => format!("{:e}", f64::MAX),
            ty => (u128::MAX >> (128 - 8 * ty.size().unwrap_or(1).clamp(1, 16))).to_string(),
        }
    }

    /// Returns a float moved by `distance`, or an integer by 1 in the same direction.
    fn moved(&self, distance: f64) -> Vec<String> {
        match self.value {
            Value::Int(number) if distance.is_sign_positive() => vec![(number + 1).to_string()],
            Value::Int(number) => vec![(number - 1).to_string()],
            Value::F32(number) => vec![(number + distance as f32).to_string()],
            Value::F64(number) => vec![(number + distance).to_string()],
            _ => Vec::new(),
        }
    }

    /// Returns the powers of two whose lowest 8, 16 or 32 bits are 0, as far as they fit.
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
            ty => ty.int().map_or(0, |int| int.range().0).to_string(),
        }
    }
}

/// Formats a value so that an edit can parse it.
fn text(value: &Value) -> String {
    match value {
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        other => other.to_string(),
    }
}
