//! The annotated hex dump.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::line::{Line, Paint, place};
use super::wording::{grouped, heading_of, meaning_of, quoted, size, type_of, value_of, with_decoded};
use crate::Span;
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::{Node, Segment, TRAILING, Visit, Visitor, path_text};

/// The maximum number of items of an array shown in full.
const MAX_ITEMS: u64 = 8;
/// The same for the outermost array, to which a dump may be restricted.
const MAX_OUTER_ITEMS: u64 = 400;
/// The number of first items shown of larger arrays, in addition to the last item.
const FIRST_ITEMS: u64 = 4;

/// Writes the dump during the walk.
pub(super) struct Text<'d, W> {
    out: &'d mut W,
    written: io::Result<()>,
    paint: Paint,
    /// Whether every item of large arrays is shown.
    all: bool,
    file: &'d [u8],
    covered: CoveredRanges,
    /// The open structs and arrays.
    groups: Vec<Group>,
    /// The number of open groups at the last heading, which belongs to the innermost of them.
    headed: Option<usize>,
}

struct Group {
    /// The number of segments in its path.
    depth: usize,
    /// The items so far of an array shown on one line, and their decoded values.
    values: Option<(Vec<String>, Vec<String>)>,
    /// The number of hidden items, and the index of the next shown item.
    hidden: Option<(u64, u64)>,
    /// The maximum number of shown items, for a list that runs to the end.
    at_most: Option<u64>,
}

impl<'d, W: Write> Text<'d, W> {
    pub(super) fn new(out: &'d mut W, colour: bool, all: bool, file: &'d [u8]) -> Text<'d, W> {
        Text {
            out,
            written: Ok(()),
            paint: Paint { colour },
            all,
            file,
            covered: CoveredRanges::default(),
            groups: Vec::new(),
            headed: None,
        }
    }

    /// Ends the dump; after a whole file, adds the gaps between the fields.
    pub(super) fn finish(mut self, whole: bool) -> io::Result<()> {
        if whole {
            for gap in std::mem::take(&mut self.covered).gaps(self.file.len() as u64) {
                self.uncovered("gap", Span::Bytes(gap));
            }
        }
        self.written
    }

    fn put(&mut self, text: impl std::fmt::Display) -> ControlFlow<()> {
        if self.written.is_ok() {
            self.written = write!(self.out, "{text}");
        }
        if self.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn heading(&mut self, title: &str, rest: &str) -> ControlFlow<()> {
        let blank = if self.headed.is_some() { "\n" } else { "" };
        self.headed = Some(self.groups.len());
        let title = self.paint.title(title);
        self.put(format_args!("{blank}{title}{rest}\n"))
    }

    fn group_heading(&mut self, node: &Node) -> ControlFlow<()> {
        let (path, ty) = (path_text(node.path), type_of(node));
        let separator = if path.is_empty() { "" } else { ": " };
        let doc = heading_of(node);
        let dash = if doc.is_empty() { "" } else { " — " };
        self.heading(&path, &format!("{separator}{ty} at {}{dash}{doc}", place(&node.span)))
    }

    /// Writes a continuation heading, unless the last heading is that of the current group.
    fn continue_group(&mut self, path: &[Segment]) -> ControlFlow<()> {
        let Some(group) = self.groups.last() else { return ControlFlow::Continue(()) };
        if self.headed == Some(self.groups.len()) {
            return ControlFlow::Continue(());
        }
        let path = path_text(&path[..group.depth]);
        self.heading(if path.is_empty() { "file" } else { &path }, ", continued")
    }

    /// Writes the number of hidden items before this one.
    fn skip_to(&mut self, path: &[Segment]) -> ControlFlow<()> {
        let Some(group) = self.groups.last_mut() else { return ControlFlow::Continue(()) };
        match (group.hidden, path.get(group.depth)) {
            (Some((hidden, next)), Some(Segment::Index(index))) if *index == next => {
                group.hidden = None;
                self.more_items(hidden)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn more_items(&mut self, count: u64) -> ControlFlow<()> {
        let items = if count == 1 { "item" } else { "items" };
        self.put(format_args!("{:12}… {} more {items}\n", "", grouped(count)))
    }

    /// Writes a line with the path relative to its group.
    fn line(&mut self, node: &Node, value: String) -> ControlFlow<()> {
        self.skip_to(node.path)?;
        self.continue_group(node.path)?;
        let depth = self.groups.last().map_or(0, |group| group.depth);
        self.put(Line {
            ty: type_of(node),
            name: path_text(&node.path[depth..]),
            value,
            meaning: meaning_of(node),
            ..Line::of(node, self.paint)
        })
    }

    /// Writes bytes that no field covers.
    fn uncovered(&mut self, what: &str, span: Span) {
        let range = span.range().clone();
        let bytes = match &span {
            Span::Bytes(range) | Span::Text { range, .. } => {
                self.file.get(range.start as usize..range.end as usize).unwrap_or_default()
            }
            Span::Unpacked { .. } => &[],
        };
        let count = size(range.end - range.start);
        let rest = format!(": {count} at {} that no field covers", place(&span));
        let (ty, name, value, meaning) = (what.to_owned(), String::new(), count, String::new());
        let line = Line { span: &span, bytes, bits: None, ty, name, value, meaning, paint: self.paint };
        // `finish` returns any write error.
        let _ = self.heading(what, &rest);
        let _ = self.put(line);
    }

    /// Whether to show an array on one line. A truncated array is shown item by item, up to the fault.
    fn fits_a_line(&self, node: &Node) -> bool {
        let Some(size) = size_on_a_line(node) else { return false };
        match &node.span {
            Span::Bytes(range) | Span::Text { range, .. } => {
                range.start.saturating_add(size) <= self.file.len() as u64
            }
            Span::Unpacked { .. } => true,
        }
    }

    /// Opens a group and returns the part to show.
    fn open(&mut self, node: &Node) -> ControlFlow<(), Visit> {
        self.skip_to(node.path)?;
        let limit = match self.groups.is_empty() {
            _ if self.all => u64::MAX,
            true => MAX_OUTER_ITEMS,
            false => MAX_ITEMS,
        };
        let mut group = Group { depth: node.path.len(), values: None, hidden: None, at_most: None };
        let mut visit = Visit::All;
        match (node.ty.items().is_some(), node.count) {
            _ if self.fits_a_line(node) => group.values = Some(Default::default()),
            (true, Some(count)) if count > limit => {
                group.hidden = Some((count - FIRST_ITEMS - 1, count - 1));
                visit = Visit::Ends { first: FIRST_ITEMS, last: 1 };
            }
            (true, None) => {
                group.at_most = Some(limit);
                visit = Visit::Ends { first: limit, last: 0 };
            }
            _ => {}
        }
        let on_a_line = group.values.is_some();
        self.groups.push(group);
        if !on_a_line {
            self.group_heading(node)?;
        }
        ControlFlow::Continue(visit)
    }
}

impl<W: Write> Visitor for Text<'_, W> {
    fn enter(&mut self, node: &Node) -> Visit {
        match self.open(node) {
            ControlFlow::Continue(visit) => visit,
            ControlFlow::Break(()) => Visit::Stop,
        }
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.covered.add(&node.span);
        match self.groups.last_mut().and_then(|group| group.values.as_mut()) {
            Some((values, decoded)) => {
                values.push(value.to_string());
                decoded.extend(node.decoded(value).0.map(|decoded| decoded.to_string()));
                ControlFlow::Continue(())
            }
            None => self.line(node, value_of(node, value)),
        }
    }

    fn magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let (ty, value) = ("magic".to_owned(), quoted(node.bytes));
        self.put(Line { ty, value, ..Line::of(node, self.paint) })
    }

    fn unpacked(&mut self, node: &Node, content: &[u8]) {
        self.covered.add(&node.span);
        let (path, block) = (path_text(node.path), node.field.and_then(|field| field.block));
        let packing = block.map_or("", |block| block.packing.name());
        let unpacked = size(content.len() as u64);
        let rest = format!(
            ": {packing} block at {}, {} — unpacks to {unpacked}; offsets marked ~ refer to them",
            place(&node.span),
            size(node.bytes.len() as u64),
        );
        let (ty, meaning) = (packing.to_owned(), meaning_of(node));
        let line = Line { ty, meaning, ..Line::of(node, self.paint) };
        // The next line ends the walk after a write error.
        let _ = self.heading(&path, &rest);
        let _ = self.put(line);
        // The next lines need another heading.
        self.headed = Some(usize::MAX);
    }

    fn visits_partial_arrays(&self) -> bool {
        true
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let Some(group) = self.groups.pop() else { return ControlFlow::Continue(()) };
        if let Some((values, decoded)) = group.values {
            let list = |items: &[String]| format!("[{}]", items.join(", "));
            let decoded = (!decoded.is_empty()).then(|| list(&decoded));
            return self.line(node, with_decoded(list(&values), decoded, node.decoding.unit));
        }
        match (group.at_most, node.count) {
            (Some(shown), Some(count)) if count > shown => self.more_items(count - shown),
            _ => ControlFlow::Continue(()),
        }
    }

    fn trailing(&mut self, _: &[Segment], span: Span, _: &[u8]) {
        self.covered.add(&span);
        self.uncovered(TRAILING, span);
    }
}

/// Returns the size in bytes of an array of plain numbers, if it is short enough for one line.
pub(super) fn size_on_a_line(node: &Node) -> Option<u64> {
    let (Type::Unsigned(size) | Type::Signed(size) | Type::Float(size)) = node.ty.items()?.0.without_order()
    else {
        return None;
    };
    let (count, size) = (node.count?, node.count?.checked_mul(u64::from(*size))?);
    (count > 0 && (count <= 4 || size <= 16)).then_some(size)
}
