//! Resolves partial paths.
//!
//! A partial path is a suffix of a full path: `timestamps`, `[1].timestamps` and `animations.timestamps` all match
//! `animations[1].timestamps`. A partial path selects a value only if no other value matches. Indices after a name may
//! be omitted, except those of the value itself. A path that is the full path of a value matches only that value.

use std::ops::ControlFlow;

use super::{Node, Segment, TRAILING, Visit, Visitor, find, path_text, walk};
use crate::layout::declaration::{Field, Type};
use crate::layout::expr::Value;
use crate::{Error, Limits, Path, Result, Span};

/// The result of resolving a partial path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The full path of the only match.
    One(Vec<Segment>),
    /// No value matches.
    None,
    /// Several values match.
    Several {
        /// The full paths of the first ten matches.
        first: Vec<String>,
        /// The number of matches.
        count: u64,
    },
}

/// Finds the value that a partial path matches. Values after the first fault are not searched.
///
/// ```
/// use meshspec::layout::{Layout, walk::{self, Selection}};
///
/// let pairs = &<[[u8; 2]; 2] as Layout>::TYPE;
/// let select = |path| walk::select(pairs, &[1, 2, 3, 4], path, &Default::default());
/// assert!(matches!(select("[1][0]"), Selection::One(_)));
/// assert_eq!(select("[2]"), Selection::None);
/// ```
pub fn select(ty: &'static Type, bytes: &[u8], path: &str, limits: &Limits) -> Selection {
    let Some(pattern) = Pattern::parse(path) else {
        return Selection::None;
    };
    if let Some(path) = pattern.to_full_path(ty)
        && find(ty, bytes, path.as_slice(), limits).is_some()
    {
        return Selection::One(path);
    }
    let mut selector = Selector {
        pattern,
        first_paths: Vec::new(),
        last_path: Vec::new(),
        count: 0,
    };
    // Values before a fault can be found.
    let _ = walk(ty, bytes, limits, &mut selector);
    match selector.count {
        0 => Selection::None,
        1 => Selection::One(selector.last_path),
        count => Selection::Several {
            first: selector.first_paths,
            count,
        },
    }
}

/// Parses a full path, with names as declared; `None` if the path is empty, or no value of the type can have it.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::walk::{find, parse_path, path_text};
/// use meshspec::Dialect;
///
/// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// let layout = meshspec::mesh::FORMAT.layout_of(&bytes, Dialect::SPEC).unwrap();
/// let path = parse_path(layout, "joints[1].parent").unwrap();
/// let parent = find(layout, &bytes, &*path, &Default::default()).unwrap();
/// assert_eq!((path_text(&path[..2]), parent.range().end - parent.range().start), ("joints[1]".into(), 1));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn parse_path(ty: &Type, path: &str) -> Option<Vec<Segment>> {
    Pattern::parse(path)?
        .to_full_path(ty)
        .filter(|path| can_contain(ty, path))
}

/// Parses a full path, or the empty path of the whole file. Returns an error if no value of the type can have it.
pub(crate) fn parse_full_path(ty: &Type, path: &str) -> Result<Vec<Segment>> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    parse_path(ty, path).ok_or_else(|| {
        Error::inexpressible("the layout has no value at this path").at(Path::text(path))
    })
}

/// Returns the path segment for the field `name` of the struct at `path`; `None` if values of type `ty` cannot have
/// this field.
pub(crate) fn parse_field(ty: &Type, path: &[Segment], name: &str) -> Option<Segment> {
    let field = Segment::Field(declared_name(ty, name)?);
    can_contain(ty, &[path, &[field]].concat()).then_some(field)
}

/// A partial path: names, each with the indices after it.
struct Pattern<'p>(Vec<PatternStep<'p>>);

struct PatternStep<'p> {
    /// Empty only if the path starts with an index.
    name: &'p str,
    indices: Vec<Segment>,
}

impl<'p> Pattern<'p> {
    fn parse(path: &'p str) -> Option<Pattern<'p>> {
        let steps = path
            .split('.')
            .map(PatternStep::parse)
            .collect::<Option<Vec<_>>>()?;
        let are_named = steps.iter().skip(1).all(|step| !step.name.is_empty());
        let is_empty = steps
            .first()
            .is_none_or(|step| step.name.is_empty() && step.indices.is_empty());
        (are_named && !is_empty).then_some(Pattern(steps))
    }

    /// Returns the pattern as a full path; `None` if the declaration lacks one of the names.
    fn to_full_path(&self, ty: &Type) -> Option<Vec<Segment>> {
        let mut path = Vec::new();
        for step in &self.0 {
            if !step.name.is_empty() {
                path.push(Segment::Field(declared_name(ty, step.name)?));
            }
            path.extend(&step.indices);
        }
        Some(path)
    }

    fn matches(&self, path: &[Segment]) -> bool {
        let mut rest = path;
        let last = self.0.len() - 1;
        self.0.iter().enumerate().rev().all(|(number, step)| {
            let (names, indices) = split_indices(rest);
            if step.name.is_empty() {
                return indices.ends_with(&step.indices);
            }
            let Some((Segment::Field(name), before)) = names.split_last() else {
                return false;
            };
            rest = before;
            let are_indices_omitted = step.indices.is_empty() && number != last;
            *name == step.name && (are_indices_omitted || indices == step.indices)
        })
    }
}

impl<'p> PatternStep<'p> {
    fn parse(text: &'p str) -> Option<PatternStep<'p>> {
        let (name, mut rest) = text.split_at(text.find('[').unwrap_or(text.len()));
        let mut indices = Vec::new();
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            indices.push(Segment::Index(index.parse().ok()?));
            rest = after;
        }
        Some(PatternStep { name, indices })
    }
}

/// Splits a path after its last name, before the indices that follow.
fn split_indices(path: &[Segment]) -> (&[Segment], &[Segment]) {
    let names = path
        .iter()
        .rposition(|segment| matches!(segment, Segment::Field(_)));
    path.split_at(names.map_or(0, |last| last + 1))
}

struct Selector<'p> {
    pattern: Pattern<'p>,
    first_paths: Vec<String>,
    last_path: Vec<Segment>,
    count: u64,
}

impl Selector<'_> {
    fn record_match(&mut self, path: &[Segment]) {
        // A struct that replaces its container, as in a choice, has the path of the container.
        if !self.pattern.matches(path) || (self.count > 0 && self.last_path == path) {
            return;
        }
        self.count += 1;
        self.last_path = path.to_vec();
        if self.first_paths.len() < 10 {
            self.first_paths.push(path_text(path));
        }
    }
}

impl Visitor for Selector<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        self.record_match(node.path);
        let Some(step) = self.pattern.0.last() else {
            return Visit::Stop;
        };
        let (names, indices) = split_indices(node.path);
        if matches!(names.last(), Some(Segment::Field(name)) if *name == step.name)
            && let Some(Segment::Index(index)) = step.indices.get(indices.len())
        {
            return Visit::Items(*index..index.saturating_add(1));
        }
        // Skips items that cannot contain a match, since there may be millions.
        let can_match = step.name.is_empty() || declared_name(node.ty, step.name).is_some();
        if can_match {
            Visit::All
        } else {
            Visit::Items(0..0)
        }
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        self.record_match(node.path);
        ControlFlow::Continue(())
    }

    fn should_visit_partial_arrays(&self) -> bool {
        true
    }

    fn visit_trailing(&mut self, path: &[Segment], _: Span, _: &[u8]) {
        self.record_match(&[path, &[Segment::Field(TRAILING)]].concat());
    }
}

/// Returns the declared name, if values of type `ty` can contain a field `name`.
fn declared_name(ty: &Type, name: &str) -> Option<&'static str> {
    if name == TRAILING {
        return Some(TRAILING);
    }
    let named = |own: &'static str| (own == name).then_some(own);
    let declaration = ty.declaration()?;
    let bits = || {
        declaration
            .all_bit_fields()
            .into_iter()
            .find_map(|(.., field)| named(field.name))
    };
    let field =
        |field: &Field| named(field.name).or_else(|| declared_name(&field.content_type(), name));
    declaration.fields().find_map(field).or_else(bits)
}

/// Returns `true` if values of type `ty` can contain a value at `path`.
fn can_contain(ty: &Type, path: &[Segment]) -> bool {
    let Some((step, rest)) = path.split_first() else {
        return true;
    };
    if *step == Segment::Field(TRAILING) && rest.is_empty() {
        return true;
    }
    if let Some((item, count)) = ty.item_type_and_count() {
        let is_item = |index| count.is_none_or(|count| index < count) && can_contain(item, rest);
        return matches!(step, Segment::Index(index) if is_item(*index));
    }
    let Some(declaration) = ty.own_declaration() else {
        return false;
    };
    let is_choice = !declaration.variants().is_empty();
    let has_field = declaration.fields().any(|field| {
        let content = field.content_type();
        // Inline content has the path of the struct or choice that contains it.
        let is_inline = is_choice || field.block.is_some_and(|block| block.inline);
        let is_named = !is_choice && *step == Segment::Field(field.name);
        (is_named && can_contain(&content, rest)) || (is_inline && can_contain(&content, path))
    });
    let names = || {
        path.iter()
            .map(|segment| segment.name())
            .collect::<Option<Vec<_>>>()
    };
    has_field || names().is_some_and(|names| declaration.bit_field_at(&names).is_some())
}
