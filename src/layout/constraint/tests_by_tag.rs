//! Fast tests of the items of a list whose [tag](Tag) determines their fields.
//!
//! The constraints on the first item with a tag are compiled to masks and ranges. An item that fails a test, or whose tag
//! has a constraint of another kind, is walked over like any other value.

use super::numbers::Numbers;
use super::predicate::Predicate;
use super::scalar::Scalar;
use crate::layout::declaration::{BitRange, Constraint, Declaration, Requirement, Shape, Type};
use crate::layout::expr::{BinaryOp, Expr, Scope};
use crate::layout::program::Tag;
use crate::layout::walk::{MAX_TESTED, Node, Segment, Skipped, TaggedItems, Test, Values};

/// The tests for the items of one list.
pub(super) struct TestsByTag {
    /// The path of the list.
    pub list: Vec<Segment>,
    items: TaggedItems,
    /// Whether an item with the tag was walked over.
    is_known: [bool; 256],
    /// The item that the walk is at; `None` if its tag was known before.
    item: Option<CompiledItem>,
    is_next_known: bool,
}

/// The item that the walk is at.
struct CompiledItem {
    /// The offset of the item, as in the spans of its values.
    start: u64,
    declaration: Option<&'static Declaration>,
    /// `None` if a constraint cannot be compiled.
    tests: Option<Vec<Test>>,
}

/// What a constraint does to the items with one tag.
enum Compiled {
    /// All items satisfy it.
    Satisfied,
    /// The items that pass the test satisfy it.
    Test(Test),
    /// Only a walk shows which items satisfy it.
    Unknown,
}

impl TestsByTag {
    pub fn new(list: &[Segment], tag: Tag) -> TestsByTag {
        TestsByTag {
            list: list.to_vec(),
            items: TaggedItems::new(tag),
            is_known: [false; 256],
            item: None,
            is_next_known: false,
        }
    }

    /// Returns the items at the start of `bytes` that need no walk, at most `max`. A walk over the item after them follows.
    pub fn skip(&mut self, bytes: &[u8], max: u64) -> Skipped {
        let skipped = self.items.skip(bytes, max);
        let next = self.items.tag.read(&bytes[skipped.size as usize..]);
        self.is_next_known = next.is_some_and(|tag| self.is_known[tag]);
        skipped
    }

    /// Notes that a walk enters `node`.
    pub fn enter(&mut self, node: &Node) {
        if !self.is_next_known && self.is_item(node) {
            self.item = Some(CompiledItem {
                start: node.span.range().start,
                declaration: node.ty.own_declaration(),
                tests: Some(Vec::new()),
            });
        }
    }

    /// Stores the tests of an item at its end.
    pub fn leave(&mut self, node: &Node) {
        if !self.is_item(node) {
            return;
        }
        if let (Some(item), Some(tag)) = (self.item.take(), self.items.tag.read(node.bytes)) {
            self.is_known[tag] = true;
            if let Some(tests) = item.tests {
                self.items.learn(tag, node.bytes.len() as u64, &tests);
            }
        }
    }

    /// Notes that the walk is at a constraint that a single item cannot satisfy.
    pub fn reject(&mut self) {
        if let Some(item) = &mut self.item {
            item.tests = None;
        }
    }

    fn is_item(&self, node: &Node) -> bool {
        matches!(
            node.path.strip_prefix(&*self.list),
            Some([Segment::Index(_)])
        )
    }

    /// Adds a constraint on a value of the item. `predicate` is the evaluated requirement; `None` if the constraint does not
    /// apply to the item. `numbers` are the numbers that it applies to.
    pub fn add(
        &mut self,
        node: &Node,
        constraint: &Constraint,
        predicate: Option<&Predicate>,
        numbers: &Numbers,
    ) {
        let Some(item) = &mut self.item else { return };
        let compiled = item.compile(self.items.tag, node, constraint, predicate, numbers);
        match (&mut item.tests, compiled) {
            (Some(tests), Compiled::Test(test)) => tests.push(test),
            (tests, Compiled::Unknown) => *tests = None,
            (_, Compiled::Satisfied) | (None, _) => {}
        }
    }
}

impl CompiledItem {
    fn compile(
        &self,
        tag: Tag,
        node: &Node,
        constraint: &Constraint,
        predicate: Option<&Predicate>,
        numbers: &Numbers,
    ) -> Compiled {
        let Ok(at) = u16::try_from(node.span.range().start - self.start) else {
            return Compiled::Unknown;
        };
        if matches!(node.ty, Type::BigEndian(_)) {
            return Compiled::Unknown;
        }
        let at = 8 * u32::from(at);
        let own = node.bits.unwrap_or(BitRange {
            offset: 0,
            width: 8 * node.bytes.len() as u32,
        });
        let is_tag = |bits: BitRange| {
            let bits = bits.after(at);
            bits.offset >= tag.bits.offset
                && bits.offset + bits.width <= tag.bits.offset + tag.bits.width
        };
        let in_item =
            |name: &str| self.has_field(name) || bits_named(node.ty, name).next().is_some();
        let list = constraint.requirement.list().and_then(<[Segment]>::first);
        if list.and_then(|first| first.name()).is_some_and(in_item) {
            // The limit may be a number in the item.
            return Compiled::Unknown;
        }
        let mut refers_to_own = false;
        let paths = constraint.expressions().flat_map(Expr::paths);
        for name in paths.filter_map(|path| path.first()) {
            let bits: Vec<BitRange> = bits_named(node.ty, name).collect();
            // The tag decides constraints that only refer to its bits.
            let is_own = |bits: &BitRange| node.bit_field.is_some() && *bits == own;
            if bits.iter().any(|bits| !is_tag(*bits) && !is_own(bits)) || self.has_field(name) {
                return Compiled::Unknown;
            }
            refers_to_own |= bits.iter().any(|bits| !is_tag(*bits));
        }
        let test = match &constraint.requirement {
            Requirement::Holds(condition) if refers_to_own && constraint.condition.is_none() => {
                let values = node
                    .bit_field
                    .and_then(|own| values_of_condition(condition, own.name));
                if values.is_some() && predicate.is_none() {
                    // The rule is disabled.
                    return Compiled::Satisfied;
                }
                values
            }
            _ if refers_to_own => None,
            Requirement::Holds(_) => return Compiled::of_constant(predicate, numbers),
            _ if is_tag(own) => return Compiled::of_constant(predicate, numbers),
            _ => match predicate {
                None => return Compiled::Satisfied,
                Some(predicate) => valid_values(predicate),
            },
        };
        let test = test.filter(|_| is_unsigned(node));
        test.map_or(Compiled::Unknown, |values| {
            let bits = own.after(at);
            Compiled::Test(Test { bits, values })
        })
    }

    /// Returns `true` if the struct of the item has a field of this name.
    fn has_field(&self, name: &str) -> bool {
        self.declaration
            .is_none_or(|declaration| declaration.fields().any(|field| field.name == name))
    }
}

impl Compiled {
    /// Returns the result for a constraint that the tag and the arguments of the items decide.
    fn of_constant(predicate: Option<&Predicate>, numbers: &Numbers) -> Compiled {
        if predicate.is_none_or(|predicate| predicate.is_satisfied_by(numbers)) {
            Compiled::Satisfied
        } else {
            Compiled::Unknown
        }
    }
}

/// Returns the ranges of the bit fields of a word that have this name.
fn bits_named(word: &Type, name: &str) -> impl Iterator<Item = BitRange> {
    let fields = word
        .own_declaration()
        .map(Declaration::all_bit_fields)
        .unwrap_or_default();
    fields
        .into_iter()
        .filter(move |(.., field)| field.name == name)
        .map(|(_, bits, _)| bits)
}

/// Returns `true` if the value of a node is an unsigned integer.
fn is_unsigned(node: &Node) -> bool {
    match (node.bit_field, node.ty) {
        (Some(field), _) => !field.signed,
        (None, Type::Declared(declaration)) => matches!(declaration.shape, Shape::Bits { .. }),
        (None, ty) => matches!(ty, Type::Unsigned(_)),
    }
}

/// Returns the values in a range.
fn range(low: u64, high: u64) -> Values {
    Values {
        mask: u64::MAX,
        inverted: 0,
        range: (low, high.min(MAX_TESTED)),
    }
}

/// Returns the values below a limit.
fn below(limit: u64) -> Values {
    limit
        .checked_sub(1)
        .map_or(range(1, 0), |high| range(0, high))
}

/// Returns the unsigned integers that satisfy a predicate; `None` if they are not consecutive, or if the predicate is of
/// another kind.
fn valid_values(predicate: &Predicate) -> Option<Values> {
    let to_unsigned = |number: i128| number.clamp(0, MAX_TESTED.into()) as u64;
    match predicate {
        Predicate::Below(Scalar::Int(limit)) => Some(below(to_unsigned(*limit))),
        Predicate::OneOf(values) => match values[..] {
            [Scalar::Int(value)] => equal_to(u64::try_from(value).ok()?),
            _ => None,
        },
        Predicate::IndexInto {
            len,
            none,
            weights: None,
        } => match none {
            Some(none) if *len == 0 => equal_to(u64::try_from(*none).ok()?),
            Some(none) if !(0..*len).contains(none) => None,
            _ => Some(below(to_unsigned(*len))),
        },
        _ => None,
    }
}

fn equal_to(value: u64) -> Option<Values> {
    (value <= MAX_TESTED).then(|| range(value, value))
}

/// Returns the values of the field `own` for which a condition such as `own & 0x7C00 != 0x7C00` holds; `None` for other
/// conditions.
fn values_of_condition(condition: &Expr, own: &str) -> Option<Values> {
    let Expr::Binary(operator, value, limit) = condition else {
        return None;
    };
    let limit = constant(limit)?;
    let mask = match value {
        Expr::Path([name]) if *name == own => u64::MAX,
        Expr::Binary(BinaryOp::BitAnd, Expr::Path([name]), mask) if *name == own => constant(mask)?,
        _ => return None,
    };
    let values = match operator {
        BinaryOp::Equal => range(limit, limit),
        // Inverting the bits of the limit turns the limit itself into 0.
        BinaryOp::NotEqual => Values {
            inverted: limit,
            ..range(1, MAX_TESTED)
        },
        BinaryOp::Less => below(limit),
        _ => return None,
    };
    Some(Values { mask, ..values })
}

/// Returns the value of an expression without names; `None` if it is not a number below 2^63.
fn constant(expr: &Expr) -> Option<u64> {
    let value = expr.eval_int(&Scope::default()).ok()?;
    u64::try_from(value)
        .ok()
        .filter(|value| *value <= MAX_TESTED)
}
