//! Bytes held against the constraints of a declaration.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::bound::Seen;
use super::{Constraints, Requirement};
use crate::layout::bits::word;
use crate::layout::declaration::Flat;
use crate::layout::walk::{Fault, Node, Segment, Visit, Visitor, walk};
use crate::layout::{Declaration, Field, Lookup, Scope, Type};
use crate::{Limits, Path, Report, Rule, Span};

/// Adds a finding for each value in `bytes`, a value of type `ty`, that breaks a constraint of one of these rules, with
/// its path and its bytes. Lists of numbers are gone through at once, lists of structs one by one.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{self, Layout};
/// use meshspec::{Report, Rule, Severity};
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Indices {
///     vertex_count: u8,
///     #[br(count = 3)]
///     #[layout(below = vertex_count, rule = "INDEX-RANGE")]
///     indices: Vec<u16>,
/// }
///
/// static RULE: Rule = Rule {
///     code: "INDEX-RANGE",
///     severity: Severity::Error,
///     summary: "Every index is below the vertex count.",
///     section: "",
///     row: "",
/// };
/// let mut report = Report::default();
/// layout::check(&Indices::TYPE, &[2, 0, 0, 1, 0, 2, 0], &[&RULE], &Default::default(), &mut report).unwrap();
/// let [finding] = report.findings() else { panic!("one") };
/// assert_eq!(
///     finding.to_string(),
///     "indices[2] (bytes 0x5..0x7): found 2, expected less than 2 [INDEX-RANGE]"
/// );
/// ```
///
/// # Errors
///
/// The first [`Fault`] of the structure; the report has everything before it.
pub fn check(
    ty: &'static Type,
    bytes: &[u8],
    rules: &[&'static Rule],
    limits: &Limits,
    report: &mut Report,
) -> Result<(), Fault> {
    walk(ty, bytes, limits, &mut Checker { rules, report, lists: Vec::new() }).map(drop)
}

struct Checker<'c> {
    rules: &'c [&'static Rule],
    report: &'c mut Report,
    /// Of the lists of structs that are gone through, what was seen of fields that are compared.
    lists: Vec<List>,
}

/// What was seen of a field of the structs in a list.
struct List {
    path: Vec<Segment>,
    field: &'static Field,
    seen: Vec<Seen>,
}

impl Visitor for Checker<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        if node.ty.is_constrained() { Visit::All } else { Visit::Nothing }
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.lists.retain(|list| list.path != node.path);
        ControlFlow::Continue(())
    }

    fn constrained(&mut self, node: &Node, values: &dyn Lookup) {
        let Some(field) = node.field else { return };
        let mut constraints = Constraints::of(field, values, self.rules);
        let flat = field.ty.flat();
        let list = node.path.iter().rposition(|step| matches!(step, Segment::Index(_)));
        let compares = |requirement| matches!(requirement, Requirement::Unique | Requirement::Ordered);
        let compared = !flat.is_list() && field.constraints.iter().any(|c| compares(c.requirement));
        let Some(list) = list.filter(|_| compared) else {
            return check_items(&mut constraints, node, &flat, self.report);
        };
        let path = &node.path[..list];
        let known =
            self.lists.iter().position(|known| known.path == path && std::ptr::eq(known.field, field));
        let mut list = known.map(|known| self.lists.swap_remove(known)).unwrap_or_else(|| List {
            path: path.to_vec(),
            field,
            seen: vec![Seen::default(); field.constraints.len()],
        });
        constraints.exchange(&mut list.seen);
        check_items(&mut constraints, node, &flat, self.report);
        constraints.exchange(&mut list.seen);
        self.lists.push(list);
    }
}

/// Checks the values that lie at a node: one, or the items of a list.
fn check_items(constraints: &mut Constraints, node: &Node, flat: &Flat, report: &mut Report) {
    let range = node.span.range();
    let (is_list, items) = (flat.is_list(), flat.items());
    let size = if is_list { flat.item.size().unwrap_or_default() * items } else { range.end - range.start };
    let place = |index: usize| {
        let mut path = Path::from(node.path);
        let mut range = range.clone();
        if is_list {
            range = range.start + size * index as u64..range.start + size * (index as u64 + 1);
            path = path.index(index);
        }
        (path, Some(within(&node.span, range)))
    };
    if let Type::NulString = flat.item {
        return check_strings(constraints, node, flat, report);
    }
    let field = node.field.and_then(|field| {
        field.constraints.iter().find_map(|c| match c.requirement {
            Requirement::Sum { of, .. } => of,
            _ => None,
        })
    });
    let (ty, bytes) = match (flat.item, field) {
        (Type::Declared(declaration), Some(field)) => gather(declaration, field, node.bytes),
        (item, _) => (item, Cow::Borrowed(node.bytes)),
    };
    let items = items as usize;
    macro_rules! check {
        ($number:ty) => {{
            let (numbers, _) = bytes.as_chunks::<{ size_of::<$number>() }>();
            let numbers: Vec<_> = numbers.iter().map(|bytes| <$number>::from_le_bytes(*bytes)).collect();
            constraints.check_at(numbers.chunks_exact(items.max(1)), place, report);
        }};
    }
    match ty {
        Type::Unsigned(1) => check!(u8),
        Type::Unsigned(2) => check!(u16),
        Type::Unsigned(4) => check!(u32),
        Type::Unsigned(8) => check!(u64),
        Type::Signed(1) => check!(i8),
        Type::Signed(2) => check!(i16),
        Type::Signed(4) => check!(i32),
        Type::Signed(8) => check!(i64),
        Type::Float(4) => check!(f32),
        Type::Float(8) => check!(f64),
        other => {
            let size = other.size().unwrap_or_default().max(1) as usize;
            // The bits of a word, also of the largest.
            let numbers: Vec<_> = bytes.chunks_exact(size).map(|bytes| word(bytes) as i128).collect();
            constraints.check_at(numbers.chunks_exact(items.max(1)), place, report);
        }
    }
}

/// Checks how the strings at a node end: the last byte stands for them.
fn check_strings(constraints: &mut Constraints, node: &Node, flat: &Flat, report: &mut Report) {
    let place = |_| {
        let terminated = node.bytes.iter().rposition(|byte| *byte == 0).map_or(0, |last| last + 1);
        let range = node.span.range();
        let span = within(&node.span, range.start + terminated as u64..range.end);
        let path = Path::from(node.path);
        let strings = node.bytes.iter().filter(|byte| **byte == 0).count();
        (if flat.is_list() { path.index(strings) } else { path }, Some(span))
    };
    constraints.check_at(node.bytes.last().map(|last| [*last]), place, report);
}

/// The bytes of a field of all the structs in `bytes`, and its type.
fn gather<'b>(declaration: &'static Declaration, name: &str, bytes: &'b [u8]) -> (Type, Cow<'b, [u8]>) {
    let there = declaration.offset_of(name, &Scope::default());
    let stride = declaration.size(&Scope::default());
    let (Some((offset, field)), Some(stride)) = (there, stride) else {
        return (Type::Unsigned(1), Cow::Borrowed(&[]));
    };
    let (offset, size) = (offset as usize, field.ty.size().unwrap_or_default() as usize);
    let structs = bytes.chunks_exact((stride as usize).max(1));
    let values = structs.flat_map(|bytes| bytes.get(offset..offset + size).unwrap_or_default());
    (field.ty, values.copied().collect())
}

/// Part of a span.
fn within(span: &Span, range: Range<u64>) -> Span {
    match span {
        Span::Unpacked { packed, .. } => Span::Unpacked { packed: packed.clone(), range },
        _ => Span::Bytes(range),
    }
}
