//! Where fields go that have positions of their own.
//!
//! A field whose offset is left out goes behind everything else. When a file is counted anew, fields stay in their order:
//! what grows moves what lies behind it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::layout::reach::{Order, reachable};
use crate::layout::walk::Segment;
use crate::layout::{BinaryOp, Check, Expr, Type};

/// A field with a position of its own.
pub(super) struct Chunk {
    pub(super) path: Vec<Segment>,
    /// Where it was written; `None` if its offset is not known yet.
    pub(super) at: Option<u64>,
    pub(super) size: u64,
    /// Where it was in the file that the values come from.
    pub(super) origin: Option<Range<u64>>,
}

impl Chunk {
    /// How much larger it is than it was.
    fn growth(&self) -> u64 {
        let size = self.origin.as_ref().map_or(self.size, |origin| origin.end - origin.start);
        self.size.saturating_sub(size)
    }
}

/// Places for fields.
#[derive(Default)]
pub(super) struct Placement {
    alignment: u64,
    state: State,
    /// Whether something has no place yet, or grew.
    is_needed: bool,
    places: HashMap<Vec<Segment>, u64>,
    /// How much is put in before which offset of the original file, or block, that was placed last.
    growths: BTreeMap<u64, u64>,
}

/// Sizes are final once nothing else is found out: only then there are places.
#[derive(Default, PartialEq)]
enum State {
    #[default]
    Measuring,
    Placing,
    Placed,
}

impl Placement {
    pub(super) fn new(alignment: u64) -> Placement {
        Placement { alignment, ..Placement::default() }
    }

    pub(super) fn place_of(&self, path: &[Segment]) -> Option<u64> {
        self.places.get(path).copied()
    }

    /// Whether places are still to be found, now that nothing else is.
    pub(super) fn goes_on(&mut self) -> bool {
        match self.state {
            State::Measuring if self.is_needed => {
                self.state = State::Placing;
                true
            }
            State::Placing => {
                self.state = State::Placed;
                !self.places.is_empty()
            }
            State::Measuring | State::Placed => false,
        }
    }

    /// Finds places in a file, or a block, of `end` bytes.
    pub(super) fn place(&mut self, chunks: &[Chunk], end: u64) {
        if self.state != State::Placing {
            self.is_needed |= chunks.iter().any(|chunk| chunk.at.is_none() || chunk.growth() > 0);
            return;
        }
        self.growths.clear();
        for chunk in chunks {
            let growth = aligned(chunk.growth(), self.alignment);
            if let Some(origin) = chunk.origin.as_ref().filter(|origin| growth > 0 && !origin.is_empty()) {
                let most = self.growths.entry(origin.end).or_default();
                *most = growth.max(*most);
            }
        }
        let mut end = self.growths.values().fold(end, |end, growth| end.saturating_add(*growth));
        for chunk in chunks {
            let was_empty = chunk.origin.as_ref().is_some_and(Range::is_empty);
            let place = match (chunk.at, chunk.size) {
                (Some(at), 0) => at,
                (Some(at), _) if !was_empty => self.moved(at),
                (None, 0) => 0,
                _ => {
                    let place = aligned(end, self.alignment);
                    end = place.saturating_add(chunk.size);
                    place
                }
            };
            if chunk.at != Some(place) {
                self.places.insert(chunk.path.clone(), place);
            }
        }
    }

    /// Where what was at an offset of the original file lies now.
    pub(super) fn moved(&self, offset: u64) -> u64 {
        self.growths.range(..=offset).fold(offset, |moved, (_, growth)| moved.saturating_add(*growth))
    }
}

/// What offsets are multiples of, by the checks of a declaration and its parts.
pub(super) fn alignment(ty: &'static Type) -> u64 {
    let reached = reachable(&[("", ty)], Order::Parts);
    let fields: Vec<_> = reached.iter().flat_map(|reached| reached.declaration.fields()).collect();
    let is_offset = |name| fields.iter().any(|field| field.position.is_some_and(|expr| ends_in(&expr, name)));
    let multiples = fields.iter().filter(|field| is_offset(field.name)).flat_map(|field| field.checks);
    multiples.filter_map(multiple).max().unwrap_or(1)
}

/// Whether an expression is the value of a field of this name, as it is or cast.
fn ends_in(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Path(names) => names.last() == Some(&name),
        Expr::Cast(inner, _) => ends_in(inner, name),
        _ => false,
    }
}

/// n of a check that a field is a multiple of n.
fn multiple(check: &Check) -> Option<u64> {
    match check.condition {
        Expr::Binary(
            BinaryOp::Equal,
            Expr::Binary(BinaryOp::Remainder, Expr::Path([_]), Expr::Literal(n)),
            Expr::Literal(0),
        ) => u64::try_from(*n).ok().filter(|n| *n > 0),
        _ => None,
    }
}

fn aligned(offset: u64, alignment: u64) -> u64 {
    offset.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}
