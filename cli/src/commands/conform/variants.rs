//! Variants of a binary file with fewer items in its lists.

use std::ops::ControlFlow;

use meshspec::Limits;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::Type;
use meshspec::layout::tree::UntypedValue;
use meshspec::layout::walk::{self, Node, Segment, Visit, Visitor};

/// The maximum number of parts into which a list is divided.
const MAX_PARTS: u64 = 16;

/// Yields variants of a file in which one list has fewer items: first an empty list, then a list without one half, one
/// quarter, one eighth or one sixteenth of its items. Counts, sizes and offsets are recomputed.
pub fn with_fewer_items(layout: &'static Type, bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let limits = Limits::default();
    let mut lists = ListCollector::default();
    // In a damaged file, finds the lists before the first error.
    let _ = walk::walk(layout, bytes, &limits, &mut lists);
    let emptied = lists
        .0
        .clone()
        .into_iter()
        .map(|(path, _)| vec![Edit::set(path.as_slice(), UntypedValue::List(Vec::new()))]);
    let halves = std::iter::successors(Some(2), |parts| Some(parts * 2))
        .take_while(|parts| *parts <= MAX_PARTS);
    let shortened = halves.flat_map(move |parts| {
        let lists = lists
            .0
            .clone()
            .into_iter()
            .filter(move |(_, count)| *count >= parts);
        lists.flat_map(move |(path, count)| {
            (0..parts).map(move |part| without_part(&path, count, part, parts))
        })
    });
    let bytes = bytes.to_vec();
    emptied
        .chain(shortened)
        .filter_map(move |edits| edit(layout, &bytes, &edits, true, &limits).ok())
}

/// Returns the edits that remove part number `part` of `parts` from a list, starting with the last item.
fn without_part(list: &[Segment], count: u64, part: u64, parts: u64) -> Vec<Edit> {
    let items = count * part / parts..count * (part + 1) / parts;
    let removed = |index| {
        let path = [list, &[Segment::Index(index)]].concat();
        Edit {
            path: path.as_slice().into(),
            change: Change::Remove,
        }
    };
    items.rev().map(removed).collect()
}

/// Collects the path and length of each non-empty list in a file.
#[derive(Default)]
struct ListCollector(Vec<(Vec<Segment>, u64)>);

impl Visitor for ListCollector {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::All
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Type::List(_), Some(count @ 1..)) = (node.ty, node.count) {
            self.0.push((node.path.to_vec(), count));
        }
        ControlFlow::Continue(())
    }
}
