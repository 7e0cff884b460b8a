//! The annotated hex dump.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};

use super::line::{DumpLine, Paint, offset_text};
use super::wording::{
    LineItems, byte_count_text, container_summary, group_digits, quoted, short_doc, type_name,
    value_text,
};
use crate::Span;
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::{Node, Segment, TRAILING, Visit, Visitor, path_text};

/// The maximum number of items in an array that is shown in full.
const MAX_ITEMS: u64 = 8;
/// The maximum for the outermost array, such as the array that a dump is restricted to.
const MAX_OUTER_ITEMS: u64 = 400;
/// The number of leading items shown for larger arrays, in addition to the last item.
const FIRST_ITEMS: u64 = 4;

/// Writes the dump during the walk.
pub(super) struct HexDump<'d, W> {
    out: &'d mut W,
    result: io::Result<()>,
    paint: Paint,
    /// Whether every item of large arrays is shown.
    shows_all: bool,
    file: &'d [u8],
    covered: CoveredRanges,
    /// The open structs and arrays.
    groups: Vec<OpenGroup>,
    /// The number of open groups at the last heading; `None` before any heading.
    heading_depth: Option<usize>,
}

struct OpenGroup {
    /// The number of segments in the group's path.
    depth: usize,
    /// The items collected so far for an array on one line.
    line: Option<LineItems>,
    /// The indices of the hidden items, until their number is shown.
    hidden: Option<Range<u64>>,
    /// The maximum number of shown items, for a list that runs to the end.
    max_shown: Option<u64>,
}

impl<'d, W: Write> HexDump<'d, W> {
    pub fn new(out: &'d mut W, color: bool, all: bool, file: &'d [u8]) -> HexDump<'d, W> {
        HexDump {
            out,
            result: Ok(()),
            paint: Paint { is_enabled: color },
            shows_all: all,
            file,
            covered: CoveredRanges::default(),
            groups: Vec::new(),
            heading_depth: None,
        }
    }

    /// Ends the dump. If it covers the whole file, adds the gaps between the fields.
    pub fn finish(mut self, whole: bool) -> io::Result<()> {
        if whole {
            for gap in std::mem::take(&mut self.covered).gaps(self.file.len() as u64) {
                self.write_uncovered("gap", Span::Bytes(gap));
            }
        }
        self.result
    }

    fn write(&mut self, text: impl std::fmt::Display) -> ControlFlow<()> {
        if self.result.is_ok() {
            self.result = write!(self.out, "{text}");
        }
        if self.result.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn write_heading(&mut self, title: &str, rest: &str) -> ControlFlow<()> {
        let blank = if self.heading_depth.is_some() {
            "\n"
        } else {
            ""
        };
        self.heading_depth = Some(self.groups.len());
        let title = self.paint.heading(title);
        self.write(format_args!("{blank}{title}{rest}\n"))
    }

    fn write_group_heading(&mut self, node: &Node) -> ControlFlow<()> {
        let (path, ty) = (path_text(node.path), type_name(node, node.count));
        let separator = if path.is_empty() { "" } else { ": " };
        let doc = container_summary(node);
        let dash = if doc.is_empty() { "" } else { " — " };
        self.write_heading(
            &path,
            &format!("{separator}{ty} at {}{dash}{doc}", offset_text(&node.span)),
        )
    }

    /// Writes a continuation heading, unless the last heading belongs to the current group.
    fn continue_group(&mut self, path: &[Segment]) -> ControlFlow<()> {
        let Some(group) = self.groups.last() else {
            return ControlFlow::Continue(());
        };
        if self.heading_depth == Some(self.groups.len()) {
            return ControlFlow::Continue(());
        }
        let path = path_text(&path[..group.depth]);
        self.write_heading(if path.is_empty() { "file" } else { &path }, ", continued")
    }

    /// Writes the number of hidden items if the item at `path` follows them.
    fn write_hidden_count(&mut self, path: &[Segment]) -> ControlFlow<()> {
        let Some(group) = self.groups.last_mut() else {
            return ControlFlow::Continue(());
        };
        match (group.hidden.clone(), path.get(group.depth)) {
            (Some(hidden), Some(Segment::Index(index))) if *index == hidden.end => {
                group.hidden = None;
                self.write_more_items(hidden.end - hidden.start)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn write_more_items(&mut self, count: u64) -> ControlFlow<()> {
        let items = if count == 1 { "item" } else { "items" };
        self.write(format_args!(
            "{:12}… {} more {items}\n",
            "",
            group_digits(count)
        ))
    }

    /// Writes the line of a value, named by its path within the group.
    fn write_line(&mut self, node: &Node, value: String) -> ControlFlow<()> {
        self.write_hidden_count(node.path)?;
        self.continue_group(node.path)?;
        let depth = self.groups.last().map_or(0, |group| group.depth);
        self.write(DumpLine {
            ty: type_name(node, node.count),
            name: path_text(&node.path[depth..]),
            value,
            meaning: short_doc(node),
            ..DumpLine::of(node, self.paint)
        })
    }

    /// Writes bytes that no field covers.
    fn write_uncovered(&mut self, what: &str, span: Span) {
        let Range { start, end } = *span.range();
        let bytes = match &span {
            Span::Unpacked { .. } => &[],
            _ => self
                .file
                .get(start as usize..end as usize)
                .unwrap_or_default(),
        };
        let count = byte_count_text(end - start);
        let rest = format!(": {count} at {} that no field covers", offset_text(&span));
        let (ty, name, value, meaning) = (what.to_owned(), String::new(), count, String::new());
        let line = DumpLine {
            span: &span,
            bytes,
            bits: None,
            ty,
            name,
            value,
            meaning,
            paint: self.paint,
        };
        // `finish` returns any write error.
        let _ = self.write_heading(what, &rest);
        let _ = self.write(line);
    }

    /// Returns `true` if an array is shown on one line. Outside unpacked blocks, a truncated array is shown item by
    /// item, up to the fault.
    fn fits_on_one_line(&self, node: &Node) -> bool {
        let Some(size) = size_on_one_line(node) else {
            return false;
        };
        let is_unpacked = matches!(node.span, Span::Unpacked { .. });
        is_unpacked || node.span.range().start.saturating_add(size) <= self.file.len() as u64
    }

    /// Opens a group and returns the part to show.
    fn open_group(&mut self, node: &Node) -> ControlFlow<(), Visit> {
        self.write_hidden_count(node.path)?;
        let limit = match self.groups.is_empty() {
            _ if self.shows_all => u64::MAX,
            true => MAX_OUTER_ITEMS,
            false => MAX_ITEMS,
        };
        let mut group = OpenGroup {
            depth: node.path.len(),
            line: None,
            hidden: None,
            max_shown: None,
        };
        let mut visit = Visit::All;
        match (node.ty.item_type_and_count().is_some(), node.count) {
            _ if self.fits_on_one_line(node) => group.line = Some(LineItems::default()),
            (true, Some(count)) if count > limit => {
                group.hidden = Some(FIRST_ITEMS..count - 1);
                visit = Visit::Ends {
                    first: FIRST_ITEMS,
                    last: 1,
                };
            }
            (true, None) => {
                group.max_shown = Some(limit);
                visit = Visit::Ends {
                    first: limit,
                    last: 0,
                };
            }
            _ => {}
        }
        let is_one_line = group.line.is_some();
        self.groups.push(group);
        if !is_one_line {
            self.write_group_heading(node)?;
        }
        ControlFlow::Continue(visit)
    }
}

impl<W: Write> Visitor for HexDump<'_, W> {
    fn enter(&mut self, node: &Node) -> Visit {
        self.open_group(node)
            .continue_value()
            .unwrap_or(Visit::Stop)
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let Some(items) = self.groups.last_mut().and_then(|group| group.line.as_mut()) else {
            return self.write_line(node, value_text(node, value));
        };
        items.push(node, value);
        ControlFlow::Continue(())
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let (ty, value) = ("magic".to_owned(), quoted(node.bytes));
        self.write(DumpLine {
            ty,
            value,
            ..DumpLine::of(node, self.paint)
        })
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        self.covered.add(&node.span);
        let (path, block) = (
            path_text(node.path),
            node.field.and_then(|field| field.block),
        );
        let packing = block.map_or("", |block| block.packing.name());
        let unpacked = byte_count_text(content.len() as u64);
        let rest = format!(
            ": {packing} block at {}, {} — unpacks to {unpacked}; offsets marked ~ refer to them",
            offset_text(&node.span),
            byte_count_text(node.bytes.len() as u64),
        );
        let (ty, meaning) = (packing.to_owned(), short_doc(node));
        let line = DumpLine {
            ty,
            meaning,
            ..DumpLine::of(node, self.paint)
        };
        // After a write error, the next line ends the walk.
        let _ = self.write_heading(&path, &rest);
        let _ = self.write(line);
        // The next lines need another heading.
        self.heading_depth = Some(usize::MAX);
    }

    fn should_visit_partial_arrays(&self) -> bool {
        true
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let Some(group) = self.groups.pop() else {
            return ControlFlow::Continue(());
        };
        if let Some(items) = group.line {
            return self.write_line(node, items.text(node));
        }
        match (group.max_shown, node.count) {
            (Some(shown), Some(count)) if count > shown => self.write_more_items(count - shown),
            _ => ControlFlow::Continue(()),
        }
    }

    fn visit_trailing(&mut self, _: &[Segment], span: Span, _: &[u8]) {
        self.covered.add(&span);
        self.write_uncovered(TRAILING, span);
    }
}

/// Returns the size in bytes of an array of plain numbers, if the array is short enough for one line.
pub(super) fn size_on_one_line(node: &Node) -> Option<u64> {
    let (Type::Unsigned(size) | Type::Signed(size) | Type::Float(size)) =
        node.ty.item_type_and_count()?.0.without_byte_order()
    else {
        return None;
    };
    let (count, size) = (node.count?, node.count?.checked_mul(u64::from(*size))?);
    (count > 0 && (count <= 4 || size <= 16)).then_some(size)
}
