//! Builds an outline of a file: its values as text, for programs that show them beside the bytes.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use super::text::size_on_one_line;
use super::wording::{LineItems, container_summary, quoted, short_doc, type_name, value_text};
use crate::layout::ToJson;
use crate::layout::covered_ranges::CoveredRanges;
use crate::layout::declaration::{BitRange, Type};
use crate::layout::expr::{Lookup, Value};
use crate::layout::walk::{Fault, Node, Segment, TRAILING, Visit, Visitor};
use crate::{Limits, Span, layout::walk};

/// The maximum number of items per list while the outline is below its limit of branches.
const MAX_ITEMS: u64 = 100;
/// The maximum number of items per list once the outline has its limit of branches.
const MAX_ITEMS_OVER_LIMIT: u64 = 4;

/// The values of a file as text, with their places. A [tree](crate::layout::tree::Tree) has the values themselves.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::dump::{Branch, Dump, Outline};
/// use meshspec::Dialect;
///
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let layout = meshspec::mesh::FORMAT.layout_of(&bytes, Dialect::SPEC).unwrap();
/// let Outline { root, .. } = Dump::new(layout, &bytes).outline(1_000);
/// let header = &root.parts[0];
/// let count: &Branch = header.parts.iter().find(|part| part.step == ".vertex_count").unwrap();
/// assert_eq!((count.offset, &*count.value), (3, "6 (0x00000006)"));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    /// The whole file.
    pub root: Branch,
    /// The unpacked blocks, in the order of the walk.
    pub blocks: Vec<UnpackedBlock>,
    /// The fault that ended the walk, if any.
    pub fault: Option<Fault>,
}

/// A packed block and its content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnpackedBlock {
    /// The range of the packed bytes in the file.
    pub packed: Range<u64>,
    /// The unpacked content.
    pub content: Vec<u8>,
}

/// A value, struct or list, and its parts.
#[derive(Debug, Clone, PartialEq, Default, ToJson)]
pub struct Branch {
    /// The part of the path after the parent's path: `header`, `.version`, `[3]`. Empty if both paths are equal.
    pub step: String,
    /// `magic`, `gap`, `trailing`, or the field name of a packed block; empty for other branches.
    #[json(optional)]
    pub label: String,
    /// The type; empty for bytes without one.
    #[json(optional, name = "type")]
    pub ty: String,
    /// The offset of the first byte, in the file or in the unpacked block.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
    /// The index in [`Outline::blocks`] of the block that the offset refers to; `None` for the file.
    pub block: Option<usize>,
    /// The index in [`Outline::blocks`] of the unpacked content, if the branch is a packed block.
    pub unpacks_to: Option<usize>,
    /// The bit range of a bit field.
    pub bits: Option<BitRange>,
    /// The value as text, without control characters.
    #[json(optional)]
    pub value: String,
    /// The first sentence of the documentation.
    #[json(optional)]
    pub meaning: String,
    /// The number of items in a list; `None` if `value` shows them. [`parts`](Branch::parts) may lack later items.
    pub count: Option<u64>,
    /// The size of each item in bytes; `None` if items may differ in size.
    pub stride: Option<u64>,
    /// The offset of each item after the parts, if items may differ in size.
    pub starts: Vec<u64>,
    /// Fields and items.
    pub parts: Vec<Branch>,
}

/// Builds the outline of `bytes`. Once it has `limit` branches, lists keep fewer items.
pub(super) fn build(ty: &'static Type, bytes: &[u8], limits: &Limits, limit: usize) -> Outline {
    let mut uniform = UniformLists::default();
    // The second walk returns any fault.
    let _ = walk::walk(ty, bytes, limits, &mut uniform);
    let mut builder = Builder {
        limit,
        uniform_lists: uniform.lists,
        ..Builder::default()
    };
    let fault = walk::walk(ty, bytes, limits, &mut builder).err();
    builder.finish(bytes, fault)
}

/// Finds the lists of structs whose items have equal sizes, determined by their arguments.
#[derive(Default)]
struct UniformLists {
    lists: HashSet<Vec<Segment>>,
}

impl Visitor for UniformLists {
    fn enter(&mut self, node: &Node) -> Visit {
        if has_fixed_items(node.ty) {
            Visit::Nothing
        } else {
            Visit::All
        }
    }

    fn visit_structs(&mut self, node: &Node, _: &dyn Lookup) -> bool {
        self.lists.insert(node.path.to_vec())
    }
}

/// Returns `true` for lists whose items have a fixed size, independent of arguments.
fn has_fixed_items(ty: &Type) -> bool {
    ty.item_type_and_count()
        .is_some_and(|(item, _)| item.size().is_some())
}

/// Builds the outline during the walk.
#[derive(Default)]
struct Builder {
    limit: usize,
    branch_count: usize,
    /// The paths of lists whose items have equal sizes.
    uniform_lists: HashSet<Vec<Segment>>,
    covered: CoveredRanges,
    open: Vec<OpenBranch>,
    root: Branch,
    blocks: Vec<UnpackedBlock>,
}

/// An open struct, list or block.
#[derive(Default)]
struct OpenBranch {
    branch: Branch,
    /// The number of segments in the branch's path.
    depth: usize,
    kind: BranchKind,
    /// The maximum number of items that become parts.
    shown: u64,
}

#[derive(Default, PartialEq)]
enum BranchKind {
    #[default]
    Group,
    /// A list on one line.
    Line(LineItems),
    /// A packed block. It is closed when the walk leaves its content.
    Block,
    /// A struct with the path of its parent; its parts are added to the parent.
    Inlined,
}

impl Builder {
    /// Returns the number of segments in the path of the innermost branch.
    fn depth(&self) -> usize {
        self.open.last().map_or(0, |open| open.depth)
    }

    fn new_branch(&self, node: &Node) -> Branch {
        let Range { start, end } = *node.span.range();
        Branch {
            step: step_text(node.path, self.depth()),
            ty: type_name(node, node.count),
            offset: start,
            size: end - start,
            block: self.block_index(&node.span),
            bits: node.bits,
            ..Branch::default()
        }
    }

    fn block_index(&self, span: &Span) -> Option<usize> {
        matches!(span, Span::Unpacked { .. }).then(|| self.blocks.len().saturating_sub(1))
    }

    fn push(&mut self, branch: Branch) {
        self.branch_count += 1;
        let parent = self
            .open
            .last_mut()
            .map_or(&mut self.root, |open| &mut open.branch);
        parent.parts.push(branch);
    }

    /// Records the offset of an omitted item. Returns `true` if the node is an omitted item.
    fn record_if_omitted(&mut self, node: &Node) -> bool {
        let Some(list) = self.open.last_mut() else {
            return false;
        };
        let Some([Segment::Index(index)]) = node.path.get(list.depth..) else {
            return false;
        };
        if *index < list.shown || list.branch.count == Some(0) {
            return false;
        }
        list.branch.starts.push(node.span.range().start);
        true
    }

    /// Closes the block whose content the walk has just left, if any.
    fn end_block(&mut self, path: &[Segment]) {
        let ends = |open: &OpenBranch| open.kind == BranchKind::Block && open.depth == path.len();
        if self.open.last().is_some_and(ends) {
            self.close();
        }
    }

    /// Closes the innermost branch and adds it to its parent.
    fn close(&mut self) {
        let Some(OpenBranch {
            mut branch, kind, ..
        }) = self.open.pop()
        else {
            return;
        };
        match kind {
            BranchKind::Inlined => {
                let parent = self
                    .open
                    .last_mut()
                    .map_or(&mut self.root, |open| &mut open.branch);
                parent.parts.append(&mut branch.parts);
            }
            _ if self.open.is_empty() => self.root = branch,
            _ => self.push(branch),
        }
    }

    fn finish(mut self, bytes: &[u8], fault: Option<Fault>) -> Outline {
        while let Some(open) = self.open.last_mut() {
            let branch = &mut open.branch;
            let own = branch
                .parts
                .iter()
                .filter(|part| part.block == branch.block);
            let end = own.map(|part| part.offset + part.size).max();
            branch.size = branch
                .size
                .max(end.unwrap_or_default().saturating_sub(branch.offset));
            if let BranchKind::Line(items) = &open.kind {
                branch.value = items.truncated_text();
            }
            self.close();
        }
        if fault.is_none() {
            for gap in std::mem::take(&mut self.covered).gaps(bytes.len() as u64) {
                self.push(uncovered_branch("gap", &Span::Bytes(gap)));
            }
        }
        Outline {
            root: self.root,
            blocks: self.blocks,
            fault,
        }
    }
}

/// Creates a branch for bytes without a field.
fn uncovered_branch(label: &str, span: &Span) -> Branch {
    let Range { start, end } = *span.range();
    Branch {
        label: label.to_owned(),
        offset: start,
        size: end - start,
        ..Branch::default()
    }
}

impl Visitor for Builder {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.record_if_omitted(node) {
            return Visit::Nothing;
        }
        let is_inlined = !self.open.is_empty()
            && node.path.len() == self.depth()
            && self
                .open
                .last()
                .is_some_and(|open| open.kind != BranchKind::Block);
        let mut branch = Branch {
            meaning: container_summary(node),
            ..self.new_branch(node)
        };
        let is_list = node.ty.item_type_and_count().is_some();
        let max_items = if self.branch_count < self.limit {
            MAX_ITEMS
        } else {
            MAX_ITEMS_OVER_LIMIT
        };
        let is_uniform = has_fixed_items(node.ty) || self.uniform_lists.contains(node.path);
        let kind = match size_on_one_line(node) {
            Some(_) => BranchKind::Line(LineItems::default()),
            None if is_inlined => BranchKind::Inlined,
            None => BranchKind::Group,
        };
        let is_long = is_list && node.count.is_none_or(|count| count > max_items);
        let is_shortened = is_long && kind == BranchKind::Group;
        if is_list {
            branch.count = node.count;
        }
        let shown = if is_shortened { max_items } else { u64::MAX };
        self.open.push(OpenBranch {
            branch,
            depth: node.path.len(),
            kind,
            shown,
        });
        if is_shortened && is_uniform {
            Visit::Items(0..max_items)
        } else {
            Visit::All
        }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.covered.add(&node.span);
        if let Some(OpenBranch {
            kind: BranchKind::Line(items),
            ..
        }) = self.open.last_mut()
        {
            items.push(node, value);
            return ControlFlow::Continue(());
        }
        if node.bit_field.is_some() {
            self.add_bit_field(node, value);
            return ControlFlow::Continue(());
        }
        if !self.record_if_omitted(node) {
            let (value, meaning) = (value_text(node, value), short_doc(node));
            self.push(Branch {
                value,
                meaning,
                ..self.new_branch(node)
            });
        }
        self.end_block(node.path);
        ControlFlow::Continue(())
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        let value = quoted(node.bytes);
        let branch = Branch {
            label: "magic".to_owned(),
            ty: String::new(),
            value,
            ..self.new_branch(node)
        };
        self.push(branch);
        ControlFlow::Continue(())
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        self.covered.add(&node.span);
        let block = node.field.and_then(|field| field.block);
        let branch = Branch {
            label: node.field.map_or("", |field| field.name).to_owned(),
            ty: block.map_or("", |block| block.packing.name()).to_owned(),
            meaning: short_doc(node),
            unpacks_to: Some(self.blocks.len()),
            ..self.new_branch(node)
        };
        let (depth, kind) = (node.path.len(), BranchKind::Block);
        self.open.push(OpenBranch {
            branch,
            depth,
            kind,
            shown: u64::MAX,
        });
        self.blocks.push(UnpackedBlock {
            packed: node.span.range().clone(),
            content: content.to_vec(),
        });
    }

    fn should_visit_partial_arrays(&self) -> bool {
        true
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.covered.add(&node.span);
        // Omitted items were not opened.
        if self.depth() != node.path.len() {
            return ControlFlow::Continue(());
        }
        let is_uniform = has_fixed_items(node.ty) || self.uniform_lists.contains(node.path);
        if let Some(OpenBranch { branch, kind, .. }) = self.open.last_mut() {
            branch.size = node.span.range().end - branch.offset;
            if let BranchKind::Line(items) = kind {
                branch.value = items.text(node);
                branch.count = None;
            } else if node.ty.item_type_and_count().is_some() {
                branch.count = node.count;
                branch.ty = type_name(node, node.count);
                let stride = node.count.and_then(|count| branch.size.checked_div(count));
                branch.stride = stride.filter(|_| is_uniform);
            }
        }
        self.close();
        self.end_block(node.path);
        ControlFlow::Continue(())
    }

    fn visit_trailing(&mut self, _: &[Segment], span: Span, _: &[u8]) {
        self.covered.add(&span);
        self.push(Branch {
            block: self.block_index(&span),
            ..uncovered_branch(TRAILING, &span)
        });
    }
}

impl Builder {
    /// Adds a bit field to the last reported word, or to a word within it.
    fn add_bit_field(&mut self, node: &Node, value: &Value) {
        let (value, meaning) = (value_text(node, value), short_doc(node));
        let mut branch = Branch {
            value,
            meaning,
            ..self.new_branch(node)
        };
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let (mut depth, mut parent) = (open.depth, &mut open.branch);
        if matches!(node.path.get(depth), Some(Segment::Index(index)) if *index >= open.shown) {
            return;
        }
        // Each nested word adds one segment to the path.
        while depth + 1 < node.path.len() && !parent.parts.is_empty() {
            let last = parent.parts.len() - 1;
            parent = &mut parent.parts[last];
            depth += 1;
        }
        branch.step = step_text(node.path, depth);
        parent.parts.push(branch);
        self.branch_count += 1;
    }
}

/// Returns the text of the path segments starting at `depth`.
fn step_text(path: &[Segment], depth: usize) -> String {
    path.iter()
        .enumerate()
        .skip(depth)
        .map(|(index, segment)| match segment {
            Segment::Field(name) if index == 0 => (*name).to_owned(),
            Segment::Field(name) => format!(".{name}"),
            Segment::Index(index) => format!("[{index}]"),
        })
        .collect()
}
