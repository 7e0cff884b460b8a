//! The values of a file as a tree of fields and items.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Fault, Node as Found, Segment, TRAILING, Visit, Visitor};
use meshspec::{AnyFormat, Limits, Span};

/// The maximum length of a fixed-size array that counts as one value, such as a vector or a matrix.
const TUPLE: u64 = 16;

/// The values of a file. Fields and items follow their parent, in the order of the file.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    numbers: Vec<Number>,
}

/// A field or an item.
pub struct Node {
    pub segment: Segment,
    pub kind: Kind,
    /// The hash of all values, for finding equal items.
    pub digest: u64,
    /// The index of the node after all nodes within.
    after: usize,
}

/// The content of a node.
pub enum Kind {
    /// Fields or items.
    Group,
    /// A range of the tree's numbers: one value, or the items of a list.
    Numbers {
        first: usize,
        count: usize,
        is_tuple: bool,
    },
    Text(Vec<u8>),
}

/// A stored number.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    Int(i64),
    /// An integer above `i64::MAX`.
    Large(u64),
    F32(f32),
    F64(f64),
}

impl Number {
    /// Returns an integer of up to 64 bits.
    fn of_integer(number: i128) -> Option<Number> {
        let small = i64::try_from(number).ok().map(Number::Int);
        small.or_else(|| u64::try_from(number).ok().map(Number::Large))
    }

    pub fn value(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Large(number) => number as f64,
            Number::F32(number) => number.into(),
            Number::F64(number) => number,
        }
    }

    /// Returns the type and the bits of the number.
    pub fn bits(self) -> (u8, u64) {
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

impl Tree {
    /// Reads the values of a file by its declaration.
    ///
    /// # Errors
    ///
    /// Returns the place where the bytes do not follow the declaration.
    pub fn of_binary(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Result<Tree, Fault> {
        let mut builder = Builder::default();
        builder.open(Segment::Field(""));
        walk::walk(ty, bytes, limits, &mut builder)?;
        Ok(builder.finish())
    }

    /// Reads the values of the lines of a text. Lines of the same list are combined, even if they are not adjacent.
    pub fn of_text(format: AnyFormat, bytes: &[u8]) -> Tree {
        let mut lists: BTreeMap<&'static str, Vec<(u64, Leaf)>> = BTreeMap::new();
        format.lines(bytes, &mut |line| {
            if !line.list.is_empty() {
                lists.entry(line.list).or_default().push((line.index as u64, leaf_of(line.bytes)));
            }
            ControlFlow::Continue(())
        });
        let mut builder = Builder::default();
        builder.open(Segment::Field(""));
        for (list, items) in lists {
            builder.open(Segment::Field(list));
            for (index, leaf) in items {
                builder.leaf(Segment::Index(index), leaf);
            }
            builder.close();
        }
        builder.finish()
    }

    pub fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    /// Returns the indices of the fields or items of a node.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes.get(index).map_or(0, |node| node.after);
        let next = move |child: &usize| self.nodes.get(*child).map(|node| node.after);
        std::iter::successors(Some(index + 1), next).take_while(move |child| *child < end)
    }

    /// Returns the numbers of a node.
    pub fn numbers(&self, kind: &Kind) -> &[Number] {
        match kind {
            Kind::Numbers { first, count, .. } => self.numbers.get(*first..first + count).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// A value that is added to a tree.
enum Leaf {
    Numbers(Vec<Number>),
    Text(Vec<u8>),
}

/// Returns the numbers of a line after its first word, or the line if there is other text.
fn leaf_of(line: &[u8]) -> Leaf {
    let text = line.trim_ascii();
    let words = std::str::from_utf8(text).unwrap_or_default();
    let words =
        words.split(|c: char| c.is_ascii_whitespace() || c == ',').filter(|word| !word.is_empty()).skip(1);
    let integers: Option<Vec<_>> = words.clone().map(|word| word.parse().ok().map(Number::Int)).collect();
    let floats = || words.map(|word| word.parse().ok().map(Number::F32)).collect();
    match integers.or_else(floats) {
        Some(numbers) if !numbers.is_empty() => Leaf::Numbers(numbers),
        _ => Leaf::Text(text.to_owned()),
    }
}

/// Returns the bytes of a list whose field is a name and whose content is printable UTF-8.
fn name_of(list: &Found, numbers: &[Number]) -> Option<Vec<u8>> {
    let is_name = list.field.is_some_and(|field| field.name.ends_with("name"));
    let (true, Type::List(Type::Unsigned(1))) = (is_name, list.ty) else { return None };
    let byte = |number: &Number| if let Number::Int(byte) = number { u8::try_from(*byte).ok() } else { None };
    let bytes: Vec<u8> = numbers.iter().map(byte).collect::<Option<_>>()?;
    let is_text = str::from_utf8(&bytes).is_ok_and(|text| !text.chars().any(char::is_control));
    is_text.then_some(bytes)
}

/// Builds a tree from its leaves.
#[derive(Default)]
struct Builder {
    tree: Tree,
    /// The indices of the open groups.
    open: Vec<usize>,
    /// The length of the path of the open list of numbers.
    numbers: Option<usize>,
}

impl Builder {
    fn open(&mut self, segment: Segment) {
        self.open.push(self.tree.nodes.len());
        self.tree.nodes.push(Node { segment, kind: Kind::Group, digest: 0, after: 0 });
    }

    /// Closes the innermost group.
    fn close(&mut self) {
        let Some(index) = self.open.pop() else { return };
        let after = self.tree.nodes.len();
        self.tree.nodes[index].after = after;
        let mut hasher = DefaultHasher::new();
        for child in self.tree.children(index).collect::<Vec<_>>() {
            let Node { segment, digest, .. } = &self.tree.nodes[child];
            // The hash of an item does not depend on its index.
            if let Segment::Field(name) = segment {
                name.hash(&mut hasher);
            }
            digest.hash(&mut hasher);
        }
        self.tree.nodes[index].digest = hasher.finish();
    }

    fn leaf(&mut self, segment: Segment, leaf: Leaf) {
        let kind = match leaf {
            Leaf::Text(text) => Kind::Text(text),
            Leaf::Numbers(numbers) => {
                let first = self.tree.numbers.len();
                self.tree.numbers.extend(&numbers);
                Kind::Numbers { first, count: numbers.len(), is_tuple: true }
            }
        };
        self.push(segment, kind);
    }

    fn push(&mut self, segment: Segment, kind: Kind) {
        let after = self.tree.nodes.len() + 1;
        let mut node = Node { segment, kind, digest: 0, after };
        node.digest = self.tree.digest(&node.kind);
        self.tree.nodes.push(node);
    }

    /// Opens the groups that contain a value, and closes the others. The first group is the file.
    fn go_to(&mut self, path: &[Segment]) {
        let open = self.open.iter().skip(1).map(|index| self.tree.nodes[*index].segment);
        let common = open.zip(path).take_while(|(open, segment)| open == *segment).count();
        while self.open.len() > common + 1 {
            self.close();
        }
        for segment in &path[common..] {
            self.open(*segment);
        }
    }

    fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.close();
        }
        self.tree
    }
}

impl Tree {
    /// Returns the hash of a leaf.
    fn digest(&self, kind: &Kind) -> u64 {
        let mut hasher = DefaultHasher::new();
        match kind {
            Kind::Text(text) => text.hash(&mut hasher),
            kind => self.numbers(kind).iter().for_each(|number| number.bits().hash(&mut hasher)),
        }
        hasher.finish()
    }
}

impl Visitor for Builder {
    fn enter(&mut self, node: &Found) -> Visit {
        let items = match *node.ty {
            Type::Array(item, count) => Some((item, Some(count))),
            Type::List(item) => Some((item, None)),
            _ => None,
        };
        if let (None, Some((Type::Unsigned(_) | Type::Signed(_) | Type::Float(_), count))) =
            (self.numbers, items)
            && let Some((last, groups)) = node.path.split_last()
        {
            self.go_to(groups);
            let first = self.tree.numbers.len();
            let is_tuple = count.is_some_and(|count| count <= TUPLE);
            self.push(*last, Kind::Numbers { first, count: 0, is_tuple });
            self.numbers = Some(node.path.len());
        }
        Visit::All
    }

    fn leaf(&mut self, node: &Found, value: &Value) -> ControlFlow<()> {
        let number = match value {
            // The fields of a packed word follow it.
            Value::Bits(..) | Value::Struct(_) => return ControlFlow::Continue(()),
            Value::Bool(truth) => Some(Number::Int((*truth).into())),
            Value::Int(number) => Number::of_integer(*number),
            Value::F32(number) => Some(Number::F32(*number)),
            Value::F64(number) => Some(Number::F64(*number)),
            Value::Text(_) => None,
        };
        if let (Some(_), Some(number)) = (self.numbers, number) {
            self.tree.numbers.push(number);
            return ControlFlow::Continue(());
        }
        let leaf = match (number, value) {
            (Some(number), _) => Leaf::Numbers(vec![number]),
            (None, Value::Text(text)) => Leaf::Text(text.clone()),
            (None, value) => Leaf::Text(value.to_string().into_bytes()),
        };
        if let Some((last, groups)) = node.path.split_last() {
            self.go_to(groups);
            self.leaf(*last, leaf);
        }
        ControlFlow::Continue(())
    }

    fn leave(&mut self, node: &Found) -> ControlFlow<()> {
        if self.numbers.take_if(|depth| *depth == node.path.len()).is_some() {
            let Tree { nodes, numbers } = &mut self.tree;
            if let Some(Node { kind, .. }) = nodes.last_mut()
                && let Kind::Numbers { first, count, .. } = kind
            {
                *count = numbers.len() - *first;
                if let Some(text) = name_of(node, &numbers[*first..]) {
                    numbers.truncate(*first);
                    *kind = Kind::Text(text);
                }
            }
            let digest = self.tree.nodes.last().map(|node| self.tree.digest(&node.kind));
            if let (Some(node), Some(digest)) = (self.tree.nodes.last_mut(), digest) {
                node.digest = digest;
            }
        }
        ControlFlow::Continue(())
    }

    fn trailing(&mut self, path: &[Segment], _: Span, bytes: &[u8]) {
        self.go_to(path);
        self.leaf(Segment::Field(TRAILING), Leaf::Text(bytes.to_vec()));
    }
}
