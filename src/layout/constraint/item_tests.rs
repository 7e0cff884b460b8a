//! Compiles the constraints on an item whose [tag](crate::layout::program::Tag) determines its fields to tests.
//!
//! The walk over a list visits the first item with each tag. Items with the same tag that pass its tests are valid; the
//! walk visits those that fail one, and all of them if a constraint cannot be compiled.

use super::numbers::Numbers;
use super::predicate::Predicate;
use super::scalar::Scalar;
use crate::layout::declaration::{BitRange, Constraint, Declaration, Requirement, Shape, Type};
use crate::layout::expr::{BinaryOp, Expr, Scope};
use crate::layout::walk::{Node, Segment, TaggedItem, Test, Values};

/// The tests for the items with the tag of the item that is being visited.
pub(super) struct ItemTests {
    item: TaggedItem,
    /// `None` if a constraint cannot be compiled.
    tests: Option<Vec<Test>>,
}

/// A compiled constraint.
enum Compiled {
    /// All items with the tag satisfy it.
    Satisfied,
    /// The items that pass the test satisfy it.
    Test(Test),
    /// Only a visit shows whether an item satisfies it.
    Unknown,
}

/// The values that the expressions of a constraint refer to, in the items with one tag.
enum References {
    /// Only values that are the same in all items.
    Constants,
    /// The constrained bit field, and constants.
    Own,
    /// Other values in the item.
    Others,
}

impl ItemTests {
    pub fn new(item: TaggedItem) -> ItemTests {
        ItemTests {
            item,
            tests: Some(Vec::new()),
        }
    }

    pub fn finish(self) -> Option<Vec<Test>> {
        self.tests
    }

    /// Adds a constraint that compares the item with others.
    pub fn reject(&mut self) {
        self.tests = None;
    }

    /// Adds a constraint on a value of the item, whose rule is enabled. `predicate` is the evaluated requirement;
    /// `None` if the constraint does not apply to the item. `numbers` are the numbers that it applies to.
    pub fn add(
        &mut self,
        node: &Node,
        constraint: &Constraint,
        predicate: Option<&Predicate>,
        numbers: &Numbers,
    ) {
        match self.compile(node, constraint, predicate, numbers) {
            Compiled::Satisfied => {}
            Compiled::Test(test) => self.tests.iter_mut().for_each(|tests| tests.push(test)),
            Compiled::Unknown => self.tests = None,
        }
    }

    fn compile(
        &self,
        node: &Node,
        constraint: &Constraint,
        predicate: Option<&Predicate>,
        numbers: &Numbers,
    ) -> Compiled {
        let Some(offset) = self.bit_offset(node) else {
            return Compiled::Unknown;
        };
        let own = node.bits.unwrap_or(BitRange {
            offset: 0,
            width: 8 * node.bytes.len() as u32,
        });
        let own = own.after(offset);
        let references = self.references(node, offset, constraint);
        let values = match (references, &constraint.requirement) {
            (References::Constants, _) => {
                let is_constant =
                    matches!(constraint.requirement, Requirement::Holds(_)) || self.is_in_tag(own);
                match predicate {
                    None => return Compiled::Satisfied,
                    Some(predicate) if !is_constant => valid_values(predicate),
                    Some(predicate) if predicate.is_satisfied_by(numbers) => {
                        return Compiled::Satisfied;
                    }
                    Some(_) => None,
                }
            }
            (References::Own, Requirement::Holds(condition)) if constraint.condition.is_none() => {
                node.bit_field
                    .and_then(|field| values_of_condition(condition, field.name))
            }
            (References::Own | References::Others, _) => None,
        };
        match values {
            Some(values) if is_unsigned(node) => Compiled::Test(Test { bits: own, values }),
            _ => Compiled::Unknown,
        }
    }

    /// Returns the position of a number in the item, in bits; `None` if its bytes are in big-endian byte order.
    fn bit_offset(&self, node: &Node) -> Option<u32> {
        let is_big = matches!(node.ty, Type::BigEndian(_));
        let bytes = u16::try_from(node.span.range().start - self.item.start).ok()?;
        (!is_big).then_some(8 * u32::from(bytes))
    }

    fn is_in_tag(&self, bits: BitRange) -> bool {
        let tag = self.item.tag.bits;
        bits.offset >= tag.offset && bits.offset + bits.width <= tag.offset + tag.width
    }

    /// Returns what the expressions of a constraint refer to. `offset` is the position of the value in the item, in
    /// bits.
    fn references(&self, node: &Node, offset: u32, constraint: &Constraint) -> References {
        // In place of the list, the constraint may name its length: a number that may be in the item.
        let list = constraint.requirement.list().and_then(<[Segment]>::first);
        if let Some(Segment::Field(name)) = list
            && (self.has_field(name) || bits_named(node.ty, name).next().is_some())
        {
            return References::Others;
        }
        let mut references = References::Constants;
        let paths = constraint.expressions().flat_map(Expr::paths);
        for name in paths.filter_map(|path| path.first()) {
            if self.has_field(name) {
                return References::Others;
            }
            for bits in bits_named(node.ty, name) {
                match self.is_in_tag(bits.after(offset)) {
                    true => {}
                    false if node.bits == Some(bits) => references = References::Own,
                    false => return References::Others,
                }
            }
        }
        references
    }

    /// Returns `true` if the struct of the item has a field of this name.
    fn has_field(&self, name: &str) -> bool {
        self.item
            .ty
            .own_declaration()
            .is_none_or(|declaration| declaration.fields().any(|field| field.name == name))
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
        range: (low, high.min(Values::MAX)),
    }
}

/// Returns the values below a limit.
fn below(limit: u64) -> Values {
    limit
        .checked_sub(1)
        .map_or(range(1, 0), |high| range(0, high))
}

/// Returns the unsigned integers that satisfy a predicate; `None` if they are not consecutive, or if the predicate is
/// of another kind.
fn valid_values(predicate: &Predicate) -> Option<Values> {
    let to_unsigned = |number: i128| number.clamp(0, Values::MAX.into()) as u64;
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
    (value <= Values::MAX).then(|| range(value, value))
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
            ..range(1, Values::MAX)
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
        .filter(|value| *value <= Values::MAX)
}
