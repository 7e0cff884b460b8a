//! Reads the values of a file into a tree of fields and list items.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Fault, Node as WalkNode, Segment, TRAILING, Visit, Visitor};
use meshspec::{AnyFormat, Limits, Span};

/// The maximum length of a fixed-size array that is compared as one value, such as a vector or a matrix.
const MAX_TUPLE_LEN: u64 = 16;

/// The values of a file. In `nodes`, fields and items follow their parent in the order of the file.
#[derive(Default)]
pub struct ValueTree {
    nodes: Vec<ValueNode>,
    numbers: Vec<Number>,
}

/// A field or a list item.
pub struct ValueNode {
    pub segment: Segment,
    pub content: NodeContent,
    /// The hash of all values in the node, to find equal nodes.
    pub digest: u64,
    /// The index after the last descendant of the node.
    end: usize,
}

pub enum NodeContent {
    /// Fields or items.
    Group,
    /// A range of the tree's numbers: one value if `is_tuple` is set, otherwise the items of a list.
    Numbers {
        first: usize,
        count: usize,
        is_tuple: bool,
    },
    Text(Vec<u8>),
}

#[derive(Debug, Clone, Copy)]
pub enum Number {
    Int(i64),
    /// An integer above `i64::MAX`.
    Large(u64),
    F32(f32),
    F64(f64),
}

impl Number {
    /// Converts an integer; `None` if it does not fit in 64 bits.
    fn from_integer(number: i128) -> Option<Number> {
        let small = i64::try_from(number).ok().map(Number::Int);
        small.or_else(|| u64::try_from(number).ok().map(Number::Large))
    }

    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Large(number) => number as f64,
            Number::F32(number) => number.into(),
            Number::F64(number) => number,
        }
    }

    /// Returns a key for exact comparison: a number for the type, and the bits of the value.
    pub fn key(self) -> (u8, u64) {
        match self {
            Number::Int(number) => (0, number as u64),
            Number::F32(number) => (1, number.to_bits().into()),
            Number::F64(number) => (2, number.to_bits()),
            Number::Large(number) => (3, number),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(number) => number.fmt(f),
            Number::Large(number) => number.fmt(f),
            Number::F32(number) => number.fmt(f),
            Number::F64(number) => number.fmt(f),
        }
    }
}

impl ValueTree {
    /// Reads the values of a binary file with the layout `ty`.
    ///
    /// # Errors
    ///
    /// Returns the first structural error of the file.
    pub fn of_binary(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Result<ValueTree, Fault> {
        let mut builder = Builder::default();
        builder.open_group(Segment::Field(""));
        walk::walk(ty, bytes, limits, &mut builder)?;
        let gaps = walk::uncovered(ty, bytes, limits)?
            .into_iter()
            .filter(|gap| !builder.trailing_ends.contains(&gap.end))
            .flat_map(|gap| {
                bytes
                    .get(gap.start as usize..gap.end as usize)
                    .unwrap_or_default()
            })
            .copied()
            .collect::<Vec<u8>>();
        if !gaps.is_empty() {
            builder.enter_groups(&[]);
            builder.add_leaf(Segment::Field("gaps"), Leaf::Text(gaps));
        }
        Ok(builder.finish())
    }

    /// Reads the values in the lines of a text file. Combines the lines of a list, even if they are not adjacent.
    pub fn of_text(format: AnyFormat, bytes: &[u8]) -> ValueTree {
        let mut lists: BTreeMap<&'static str, Vec<(u64, Leaf)>> = BTreeMap::new();
        format.lines(bytes, &mut |line| {
            if !line.list.is_empty() {
                lists
                    .entry(line.list)
                    .or_default()
                    .push((line.index as u64, parse_line(line.bytes)));
            } else if !line.findings.is_empty() {
                let unreadable = lists.entry("unreadable_lines").or_default();
                let text = Leaf::Text(line.bytes.trim_ascii().to_owned());
                unreadable.push((unreadable.len() as u64, text));
            }
            ControlFlow::Continue(())
        });
        let mut builder = Builder::default();
        builder.open_group(Segment::Field(""));
        for (list, items) in lists {
            builder.open_group(Segment::Field(list));
            for (index, leaf) in items {
                builder.add_leaf(Segment::Index(index), leaf);
            }
            builder.close_group();
        }
        builder.finish()
    }

    pub fn node(&self, index: usize) -> Option<&ValueNode> {
        self.nodes.get(index)
    }

    /// Returns the indices of a node's children: its fields or items.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes.get(index).map_or(0, |node| node.end);
        let next = move |child: &usize| self.nodes.get(*child).map(|node| node.end);
        std::iter::successors(Some(index + 1), next).take_while(move |child| *child < end)
    }

    /// Returns `true` if all children of a node are items: if it is a list, or has none.
    pub fn has_only_items(&self, index: usize) -> bool {
        let mut children = self.children(index).filter_map(|child| self.node(child));
        children.all(|child| matches!(child.segment, Segment::Index(_)))
    }

    /// Returns the numbers of a node; empty if the node has none.
    pub fn numbers(&self, content: &NodeContent) -> &[Number] {
        match content {
            NodeContent::Numbers { first, count, .. } => {
                self.numbers.get(*first..first + count).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

/// A value to be added to a tree.
enum Leaf {
    Numbers(Vec<Number>),
    Text(Vec<u8>),
}

/// Returns the numbers after the first word of a line. If no words follow, or any of them is not a number, returns the
/// line as text.
fn parse_line(line: &[u8]) -> Leaf {
    let text = line.trim_ascii();
    let words = std::str::from_utf8(text).unwrap_or_default();
    let words = words
        .split(|c: char| c.is_ascii_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .skip(1);
    let integers: Option<Vec<_>> = words
        .clone()
        .map(|word| word.parse().ok().map(Number::Int))
        .collect();
    let floats = || {
        words
            .map(|word| word.parse().ok().map(Number::F32))
            .collect()
    };
    match integers.or_else(floats) {
        Some(numbers) if !numbers.is_empty() => Leaf::Numbers(numbers),
        _ => Leaf::Text(text.to_owned()),
    }
}

/// Returns the bytes of a list if the name of its field ends with `name` and the content is printable UTF-8; otherwise
/// `None`.
fn parse_name(list: &WalkNode, numbers: &[Number]) -> Option<Vec<u8>> {
    let is_name = list.field.is_some_and(|field| field.name.ends_with("name"));
    let (true, Type::List(Type::Unsigned(1))) = (is_name, list.ty) else {
        return None;
    };
    let byte = |number: &Number| {
        if let Number::Int(byte) = number {
            u8::try_from(*byte).ok()
        } else {
            None
        }
    };
    let bytes: Vec<u8> = numbers.iter().map(byte).collect::<Option<_>>()?;
    let is_text = str::from_utf8(&bytes).is_ok_and(|text| !text.chars().any(char::is_control));
    is_text.then_some(bytes)
}

/// Builds a tree from its leaves.
#[derive(Default)]
struct Builder {
    tree: ValueTree,
    /// The indices of the open groups.
    open_groups: Vec<usize>,
    /// The path length of the list or array of numbers that is being read; `None` outside of such a list.
    number_list_depth: Option<usize>,
    /// The ends of the trailing bytes of the file and of its blocks.
    trailing_ends: HashSet<u64>,
}

impl Builder {
    fn open_group(&mut self, segment: Segment) {
        self.open_groups.push(self.tree.nodes.len());
        self.tree.nodes.push(ValueNode {
            segment,
            content: NodeContent::Group,
            digest: 0,
            end: 0,
        });
    }

    /// Closes the innermost group, and computes its hash.
    fn close_group(&mut self) {
        let Some(index) = self.open_groups.pop() else {
            return;
        };
        let end = self.tree.nodes.len();
        self.tree.nodes[index].end = end;
        let mut hasher = DefaultHasher::new();
        for child in self.tree.children(index).collect::<Vec<_>>() {
            let ValueNode {
                segment, digest, ..
            } = &self.tree.nodes[child];
            // Excludes the index of an item from the hash.
            if let Segment::Field(name) = segment {
                name.hash(&mut hasher);
            }
            digest.hash(&mut hasher);
        }
        self.tree.nodes[index].digest = hasher.finish();
    }

    fn add_leaf(&mut self, segment: Segment, leaf: Leaf) {
        let content = match leaf {
            Leaf::Text(text) => NodeContent::Text(text),
            Leaf::Numbers(numbers) => {
                let first = self.tree.numbers.len();
                self.tree.numbers.extend(&numbers);
                NodeContent::Numbers {
                    first,
                    count: numbers.len(),
                    is_tuple: true,
                }
            }
        };
        self.add_node(segment, content);
    }

    fn add_node(&mut self, segment: Segment, content: NodeContent) {
        let end = self.tree.nodes.len() + 1;
        let mut node = ValueNode {
            segment,
            content,
            digest: 0,
            end,
        };
        node.digest = self.tree.digest(&node.content);
        self.tree.nodes.push(node);
    }

    /// Closes the open groups that are not in `path`, and opens the groups in `path` that are not open. The outermost
    /// group is the file.
    fn enter_groups(&mut self, path: &[Segment]) {
        let open = self
            .open_groups
            .iter()
            .skip(1)
            .map(|index| self.tree.nodes[*index].segment);
        let common = open
            .zip(path)
            .take_while(|(open, segment)| open == *segment)
            .count();
        while self.open_groups.len() > common + 1 {
            self.close_group();
        }
        for segment in &path[common..] {
            self.open_group(*segment);
        }
    }

    fn finish(mut self) -> ValueTree {
        while !self.open_groups.is_empty() {
            self.close_group();
        }
        self.tree
    }
}

impl ValueTree {
    /// Returns the hash of a leaf's content.
    fn digest(&self, content: &NodeContent) -> u64 {
        let mut hasher = DefaultHasher::new();
        match content {
            NodeContent::Text(text) => text.hash(&mut hasher),
            content => self
                .numbers(content)
                .iter()
                .for_each(|number| number.key().hash(&mut hasher)),
        }
        hasher.finish()
    }
}

impl Visitor for Builder {
    fn enter(&mut self, node: &WalkNode) -> Visit {
        let items = match *node.ty {
            Type::Array(item, count) => Some((item, Some(count))),
            Type::List(item) => Some((item, None)),
            _ => None,
        };
        if let (None, Some((Type::Unsigned(_) | Type::Signed(_) | Type::Float(_), count))) =
            (self.number_list_depth, items)
            && let Some((last, groups)) = node.path.split_last()
        {
            self.enter_groups(groups);
            let first = self.tree.numbers.len();
            let is_tuple = count.is_some_and(|count| count <= MAX_TUPLE_LEN);
            self.add_node(
                *last,
                NodeContent::Numbers {
                    first,
                    count: 0,
                    is_tuple,
                },
            );
            self.number_list_depth = Some(node.path.len());
        }
        Visit::All
    }

    fn visit_leaf(&mut self, node: &WalkNode, value: &Value) -> ControlFlow<()> {
        let number = match value {
            // The fields of a packed word or struct are visited separately.
            Value::Bits(..) | Value::Struct(_) => return ControlFlow::Continue(()),
            Value::Bool(truth) => Some(Number::Int((*truth).into())),
            Value::Int(number) => Number::from_integer(*number),
            Value::F32(number) => Some(Number::F32(*number)),
            Value::F64(number) => Some(Number::F64(*number)),
            Value::Wide(_) | Value::Text(_) => None,
        };
        if let (Some(_), Some(number)) = (self.number_list_depth, number) {
            self.tree.numbers.push(number);
            return ControlFlow::Continue(());
        }
        let leaf = match (number, value) {
            (Some(number), _) => Leaf::Numbers(vec![number]),
            (None, Value::Text(text)) => Leaf::Text(text.clone()),
            (None, value) => Leaf::Text(value.to_string().into_bytes()),
        };
        if let Some((last, groups)) = node.path.split_last() {
            self.enter_groups(groups);
            self.add_leaf(*last, leaf);
        }
        ControlFlow::Continue(())
    }

    fn leave(&mut self, node: &WalkNode) -> ControlFlow<()> {
        if self
            .number_list_depth
            .take_if(|depth| *depth == node.path.len())
            .is_some()
        {
            let ValueTree { nodes, numbers } = &mut self.tree;
            if let Some(ValueNode { content, .. }) = nodes.last_mut()
                && let NodeContent::Numbers { first, count, .. } = content
            {
                *count = numbers.len() - *first;
                if let Some(text) = parse_name(node, &numbers[*first..]) {
                    numbers.truncate(*first);
                    *content = NodeContent::Text(text);
                }
            }
            let digest = self
                .tree
                .nodes
                .last()
                .map(|node| self.tree.digest(&node.content));
            if let (Some(node), Some(digest)) = (self.tree.nodes.last_mut(), digest) {
                node.digest = digest;
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        self.trailing_ends.insert(span.range().end);
        self.enter_groups(path);
        self.add_leaf(Segment::Field(TRAILING), Leaf::Text(bytes.to_vec()));
    }
}
