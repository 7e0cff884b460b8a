//! Finds the parts of a file to break. Only the first and the last item of each list are used.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use super::dependencies::Dependency;
use crate::layout::constraint::ListCounts;
use crate::layout::declaration::{BitField, Constraint, Declaration, Field, Packing, Shape, Type};
use crate::layout::expr::{IntType, Lookup, Value};
use crate::layout::program::Role;
use crate::layout::walk::{Fault, Node, Segment, Visit, Visitor, walk};
use crate::{Limits, Span};

/// The breakable parts of a file.
#[derive(Default)]
pub(super) struct Targets<'d> {
    pub numbers: Vec<Number<'d>>,
    pub constrained: Vec<ConstrainedField>,
    /// Values of enums.
    pub enums: Vec<Leaf>,
    /// Non-empty lists with a count, and their number of items.
    pub lists: Vec<(Vec<Segment>, u64)>,
    pub magics: Vec<(Vec<Segment>, Range<u64>)>,
    /// Packed blocks, with their byte ranges.
    pub blocks: Vec<(Vec<Segment>, Range<u64>)>,
    /// The offsets at which fields start and end.
    pub boundaries: BTreeSet<u64>,
}

/// A number that expressions depend on.
#[derive(Clone)]
pub(super) struct Number<'d> {
    pub path: Vec<Segment>,
    pub value: i128,
    /// The smallest and the largest number that fit.
    pub range: (i128, i128),
    /// Whether the number is in a packed block, whose size and checksum are then recomputed.
    pub recount: bool,
    pub dependencies: Vec<&'d Dependency>,
}

/// A scalar that breakages replace.
#[derive(Clone)]
pub(super) struct Leaf {
    pub path: Vec<Segment>,
    pub ty: &'static Type,
    pub value: Value,
    /// Whether the value is in a packed block, or a checksum may cover it.
    pub recount: bool,
    /// The smallest and the largest value of a bit field; `None` for other values.
    pub range: Option<(i128, i128)>,
}

/// A field or bit field with constraints.
pub(super) struct ConstrainedField {
    pub path: Vec<Segment>,
    pub is_list: bool,
    /// The constraints, each with the known length of its list and the known values of its expressions. Constraints
    /// whose condition does not hold are included.
    pub constraints: Vec<(&'static Constraint, Vec<i128>)>,
    /// The value, or the first and the last item.
    pub leaves: Vec<Leaf>,
    /// The end offset of the field.
    pub end: u64,
}

impl<'d> Targets<'d> {
    pub fn of(
        ty: &'static Type,
        bytes: &[u8],
        dependencies: &'d [Dependency],
        limits: &Limits,
    ) -> Result<Targets<'d>, Fault> {
        let has_checksums = dependencies.iter().any(|d| d.role == Role::Checksum);
        let mut list_counts = ListCounts::new(ty);
        walk(ty, bytes, limits, &mut list_counts)?;
        let (open, leaves, targets) = Default::default();
        let mut finder = Finder {
            list_counts,
            dependencies,
            has_checksums,
            open,
            leaves,
            targets,
        };
        walk(ty, bytes, limits, &mut finder)?;
        Ok(finder.targets)
    }
}

struct Finder<'d> {
    list_counts: ListCounts,
    dependencies: &'d [Dependency],
    has_checksums: bool,
    /// The declarations of the open groups; `None` for an array or list.
    open: Vec<Option<&'static Declaration>>,
    /// The values visited so far.
    leaves: Vec<Leaf>,
    targets: Targets<'d>,
}

impl Finder<'_> {
    fn record_boundaries(&mut self, span: &Span) {
        if let Span::Bytes(range) = span {
            self.targets.boundaries.extend([range.start, range.end]);
        }
    }

    fn new_leaf(&self, node: &Node, value: Value) -> Leaf {
        let recount = self.has_checksums || !matches!(node.span, Span::Bytes(_));
        Leaf {
            path: node.path.to_vec(),
            ty: node.ty,
            value,
            recount,
            range: None,
        }
    }

    /// Adds a field of a struct or a bit field, if it is a number that expressions depend on.
    fn record_number(&mut self, node: &Node, value: &Value) {
        let declaration = match (node.bit_field, node.path) {
            (Some(_), [.., _]) => declaring_word(node),
            (None, [.., Segment::Field(_)]) => self.open.last().copied().flatten(),
            _ => None,
        };
        let (Some(declaration), Some(Segment::Field(name))) = (declaration, node.path.last())
        else {
            return;
        };
        let Some((value, range)) = int_and_range(node, value) else {
            return;
        };
        let is_own =
            |d: &&Dependency| d.origin.name == *name && d.origin.declaration == declaration;
        let dependencies: Vec<_> = self.dependencies.iter().filter(is_own).collect();
        if !dependencies.is_empty() {
            let recount = !matches!(node.span, Span::Bytes(_));
            let path = node.path.to_vec();
            self.targets.numbers.push(Number {
                path,
                value,
                range,
                recount,
                dependencies,
            });
        }
    }
}

impl Visitor for Finder<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        self.open
            .push(if let Type::Declared(declaration) = node.ty {
                Some(declaration)
            } else {
                None
            });
        Visit::Ends { first: 1, last: 1 }
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.open.pop();
        self.record_boundaries(&node.span);
        if let (
            Some(Field {
                count: Some(_),
                block: None,
                ..
            }),
            Some(count @ 1..),
        ) = (node.field, node.count)
        {
            self.targets.lists.push((node.path.to_vec(), count));
        }
        ControlFlow::Continue(())
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.record_number(node, value);
        if node.bit_field.is_some() {
            return ControlFlow::Continue(());
        }
        self.record_boundaries(&node.span);
        let leaf = self.new_leaf(node, value.clone());
        if let Type::Declared(Declaration {
            shape: Shape::Enum { .. },
            ..
        }) = node.ty.without_byte_order()
        {
            self.targets.enums.push(leaf.clone());
        }
        self.leaves.push(leaf);
        ControlFlow::Continue(())
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.record_boundaries(&node.span);
        if let Span::Bytes(range) = &node.span {
            self.targets
                .magics
                .push((node.path.to_vec(), range.clone()));
        }
        ControlFlow::Continue(())
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        self.record_boundaries(&node.span);
        let packing = node
            .field
            .and_then(|field| field.block)
            .map_or(Packing::Stored, |block| block.packing);
        if let (Span::Bytes(range), true) = (&node.span, packing != Packing::Stored) {
            self.targets.blocks.push((node.own_path(), range.clone()));
        }
        true
    }

    fn visit_constrained(&mut self, node: &Node, values: &dyn Lookup) {
        let numbers = |constraint: &'static Constraint| {
            let list = constraint.requirement.list();
            let size = list
                .and_then(|list| self.list_counts.find(node.path, list))
                .map(i128::from);
            let values = constraint
                .expressions()
                .filter_map(|expr| expr.eval_int(values).ok());
            (constraint, size.into_iter().chain(values).collect())
        };
        let constraints = node.constraints().iter().map(numbers).collect();
        let leaves = match (node.bit_field, node.bits) {
            (Some(field), Some(bits)) => {
                let value = BitField { bits, ..*field }.value(node.ty.read_word(node.bytes));
                let range = int_and_range(node, &value).map(|(_, range)| range);
                vec![Leaf {
                    range,
                    ..self.new_leaf(node, value)
                }]
            }
            _ => {
                let start = self
                    .leaves
                    .iter()
                    .rposition(|leaf| !leaf.path.starts_with(node.path));
                self.leaves[start.map_or(0, |before| before + 1)..].to_vec()
            }
        };
        let (path, end) = (node.path.to_vec(), node.span.range().end);
        let is_list = node.bit_field.is_none() && node.ty.flatten().is_list();
        self.targets.constrained.push(ConstrainedField {
            path,
            is_list,
            constraints,
            leaves,
            end,
        });
    }
}

/// Returns the packed word that declares the bit field of a node.
fn declaring_word(node: &Node) -> Option<&'static Declaration> {
    let (outer, field) = (node.ty.own_declaration()?, node.bit_field?);
    outer
        .all_bit_fields()
        .into_iter()
        .find(|(.., own)| std::ptr::eq(*own, field))
        .map(|(word, ..)| word)
}

/// Returns a value as an integer, and the limits of its field; `None` for floats, text, and fields wider than 64 bits.
pub(super) fn int_and_range(node: &Node, value: &Value) -> Option<(i128, (i128, i128))> {
    let value = value.to_int().ok()?;
    let int = match node.bit_field {
        Some(field) => field.int_type(),
        None => IntType {
            bits: 8 * node.bytes.len() as u32,
            signed: matches!(node.ty.without_byte_order(), Type::Signed(_)),
        },
    };
    (1..=64).contains(&int.bits).then(|| (value, int.range()))
}
