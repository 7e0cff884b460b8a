//! Edits the values of a file.

use std::ops::{ControlFlow, Range};

use crate::layout::constraint::wrong_counts;
use crate::layout::declaration::{Declaration, Shape, Type, unbound_message};
use crate::layout::expr::Value;
use crate::layout::tree::{Recomputation, Tree, UntypedValue, number};
use crate::layout::walk::{self, Node, Segment, Subtree, Visit, Visitor, path_text, walk};
use crate::{Error, Limits, Path, Result, Span};

/// An edit of one value in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The full path of the value, from [`path!`](crate::path!) or a string.
    pub path: Path,
    /// The change.
    pub change: Change,
}

impl Edit {
    /// Creates an edit that replaces a value, or adds a missing field as described at [`edit`]. Text is parsed as the
    /// type of the field.
    pub fn set(path: impl Into<Path>, value: impl Into<UntypedValue>) -> Edit {
        Edit {
            path: path.into(),
            change: Change::Set(value.into()),
        }
    }
}

/// A change to a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Replaces the value.
    Set(UntypedValue),
    /// Inserts an item (before the item at the path, or at the end of the list), or adds a missing field.
    Insert(UntypedValue),
    /// Removes an item or field.
    Remove,
    /// Inserts this many copies of an item after it.
    Repeat(u16),
}

/// Applies edits in order and returns the new file.
///
/// Other values and bytes stay unchanged, so changing a count breaks the file. Only the stored sizes of an edited
/// packed block are updated. If `recount` is `true`, stored values that no longer match are recomputed, unless an edit
/// sets them. These are counts, sizes, offsets, checksums, and flags of added or removed fields.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::assemble::{Edit, edit};
/// use meshspec::{Dialect, path};
///
/// let file = std::fs::read("samples/mesh/tentacle.mesh")?;
/// let layout = meshspec::mesh::FORMAT.layout_of(&file, Dialect::SPEC).unwrap();
/// let edits = [Edit::set(path!(header.vertex_count), "0x01020304")];
/// let broken = edit(layout, &file, &edits, false, &Default::default())?;
/// assert_eq!(broken[3..7], [4, 3, 2, 1]);
/// assert_eq!((&broken[..3], &broken[7..]), (&file[..3], &file[7..]));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns an error if:
///
/// - the declaration has imports that are not [bound](crate::layout::declaration::bind());
/// - a path has no value, or a value does not fit its field;
/// - the file has a structural fault, and `recount` is `true` or an edit cannot be made in place;
/// - a change in a packed block breaks the file, or the file [cannot be assembled](Tree::assemble).
pub fn edit(
    ty: &'static Type,
    bytes: &[u8],
    edits: &[Edit],
    recount: bool,
    limits: &Limits,
) -> Result<Vec<u8>> {
    apply(ty, bytes, edits, recount, limits)
        .map_err(|error| unbound_message(ty).map_or(error, Error::unsupported))
}

fn apply(
    ty: &'static Type,
    bytes: &[u8],
    edits: &[Edit],
    recount: bool,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let paths = edits
        .iter()
        .map(|edit| segments_of(ty, &edit.path))
        .collect::<Result<Vec<_>>>()?;
    if !recount && let Some(patched) = patch_in_place(ty, bytes, edits, &paths, limits)? {
        return Ok(patched);
    }
    let edited = rewrite(ty, bytes, (edits, &paths), recount, limits)?;
    if !recount {
        return Ok(edited);
    }
    // Counts that reading does not use (`Requirement::Counts`) have no equation. The second rewrite sets those that the
    // edits made wrong.
    let (before, mut wrong) = (
        wrong_counts(ty, bytes, limits),
        wrong_counts(ty, &edited, limits),
    );
    let later = |index| edits.iter().zip(&paths).skip(index);
    wrong.retain(|(path, _)| {
        let was_wrong =
            original_path(path, later(0)).is_some_and(|path| before.iter().any(|b| b.0 == path));
        let is_given = edits.iter().enumerate().any(|(index, edit)| {
            matches!(edit.change, Change::Set(_) | Change::Insert(_))
                && original_path(path, later(index + 1))
                    .is_some_and(|path| path.starts_with(&paths[index]))
        });
        !was_wrong && !is_given
    });
    if wrong.is_empty() {
        return Ok(edited);
    }
    let (paths, counts): (Vec<_>, Vec<_>) = wrong.into_iter().unzip();
    let set = |(path, count): (&Vec<Segment>, u64)| Edit::set(path.as_slice(), count.to_string());
    let edits: Vec<_> = paths.iter().zip(counts).map(set).collect();
    rewrite(ty, &edited, (&edits, &paths), recount, limits)
}

/// Returns the segments of a path. Parses the path if it was created from a string.
fn segments_of(ty: &Type, path: &Path) -> Result<Vec<Segment>> {
    match path.segments() {
        Some(segments) => Ok(segments.to_vec()),
        None => walk::parse_full_path(ty, &path.to_string()),
    }
}

/// Applies edits to the values of a file, and assembles the file again.
fn rewrite(
    ty: &'static Type,
    bytes: &[u8],
    (edits, paths): (&[Edit], &[Vec<Segment>]),
    recount: bool,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let edit_paths: Vec<_> = paths
        .iter()
        .enumerate()
        .filter_map(|(index, path)| original_path(path, edits.iter().zip(paths).take(index)))
        .collect();
    let tree = Tree::read_to_change(ty, bytes, limits, &edit_paths);
    let mut tree = tree.map_err(|fault| {
        let message = format!("the file has a structural fault: {}", fault.message);
        Error::inexpressible(message)
            .at(&fault.path)
            .with_span(Some(fault.span))
    })?;
    let mut changes_blocks = false;
    for (edit, path) in edits.iter().zip(paths) {
        changes_blocks |= tree.mark_block_sizes(path);
        tree.apply_change(path, &edit.change)?;
        if matches!(edit.change, Change::Set(_) | Change::Insert(_))
            && let Some(changed) = tree.get_or_insert(path)
        {
            changed.set_recomputation(Recomputation::Never);
        }
    }
    if recount {
        return tree.assemble_recounted(limits);
    }
    let edited = tree.assemble(limits)?;
    if changes_blocks && let Some(fault) = walk::first_fault(ty, &edited, limits) {
        let message = format!(
            "the change in a packed block breaks the file: {}",
            fault.message
        );
        return Err(Error::inexpressible(message).at(&fault.path));
    }
    Ok(edited)
}

/// Returns the path that a value had before `changes`; `None` if one of them inserted the value.
fn original_path<'e>(
    path: &[Segment],
    changes: impl DoubleEndedIterator<Item = (&'e Edit, &'e Vec<Segment>)>,
) -> Option<Vec<Segment>> {
    let mut path = path.to_vec();
    for (edit, location) in changes.rev() {
        let Some((Segment::Index(changed), list)) = location.split_last() else {
            continue;
        };
        let Some([Segment::Index(index), ..]) = path.strip_prefix(list) else {
            continue;
        };
        let index = match edit.change {
            Change::Insert(_) if index == changed => return None,
            Change::Insert(_) if index > changed => index - 1,
            Change::Remove if index >= changed => index.saturating_add(1),
            Change::Repeat(copies) if index > changed => {
                index.saturating_sub(copies.into()).max(*changed)
            }
            _ => continue,
        };
        path[list.len()] = Segment::Index(index);
    }
    Some(path)
}

impl Tree<'_> {
    fn apply_change(&mut self, path: &[Segment], change: &Change) -> Result<()> {
        match change {
            Change::Set(value) => {
                // Setting a missing field adds it. Items can only be added by an insertion.
                let steps = self.root.existing_steps(path);
                if matches!(path.get(steps), Some(Segment::Index(_))) {
                    return Err(Error::inexpressible("no such value").at(path));
                }
                self.set(path, value.clone())
            }
            Change::Insert(value) => self.insert(path, value.clone()),
            Change::Remove => self.remove(path),
            Change::Repeat(copies) => self.repeat(path, *copies),
        }
    }

    /// Lets the assembler recompute the stored sizes of the packed blocks that contain the value at `path`. Returns
    /// `true` if there are any.
    fn mark_block_sizes(&mut self, path: &[Segment]) -> bool {
        let mut is_in_block = false;
        let mut node = &mut self.root;
        for (depth, step) in path.iter().enumerate() {
            let fields = node.parts.iter().flat_map(|parts| &parts.fields);
            let size_paths: Vec<_> = fields
                .filter_map(|(name, field)| Some((name, field.packed()?)))
                .filter(|(name, block)| block.is_inline() || *step == Segment::Field(name))
                .inspect(|_| is_in_block = true)
                .flat_map(|(_, block)| block.size_paths())
                .collect();
            for names in size_paths {
                if let Some(size) = node.nested_field_mut(names)
                    && size.recomputation != Recomputation::Never
                {
                    size.recomputation = Recomputation::Always;
                }
            }
            if depth + 1 == path.len() {
                break;
            }
            // Does not create missing fields.
            if node.child(*step).is_none() {
                break;
            }
            match node.child_mut(*step) {
                Some(child) => node = child,
                None => break,
            }
        }
        is_in_block
    }
}

/// Returns the file with the values overwritten; `None` if an edit cannot be made in place.
fn patch_in_place(
    ty: &'static Type,
    bytes: &[u8],
    edits: &[Edit],
    paths: &[Vec<Segment>],
    limits: &Limits,
) -> Result<Option<Vec<u8>>> {
    let mut patches = Vec::new();
    for (edit, path) in edits.iter().zip(paths) {
        let Change::Set(UntypedValue::Text(text)) = &edit.change else {
            return Ok(None);
        };
        let mut finder = PatchFinder { text, found: None };
        // Values before the first fault can be changed.
        let fault = walk(ty, bytes, limits, &mut Subtree::new(path, &mut finder)).err();
        match finder.found {
            Some(Ok(Some(patch))) => patches.push(patch),
            Some(Ok(None)) => return Ok(None),
            Some(Err(message)) => return Err(Error::inexpressible(message).at(path.as_slice())),
            None => {
                let reason = fault
                    .map(|fault| format!(" before the fault: {fault}"))
                    .unwrap_or_default();
                return Err(Error::inexpressible(format!(
                    "no field `{}`{reason}",
                    path_text(path)
                )));
            }
        }
    }
    let mut patched = bytes.to_vec();
    for Patch { range, word, mask } in patches {
        let target = patched
            .get_mut(range.start as usize..range.end as usize)
            .unwrap_or_default();
        for ((byte, word), mask) in target.iter_mut().zip(word).zip(mask) {
            *byte = *byte & !mask | word & mask;
        }
    }
    Ok(Some(patched))
}

/// New bits for a range of the file.
struct Patch {
    range: Range<u64>,
    /// The new bytes.
    word: Vec<u8>,
    /// The bits to overwrite.
    mask: Vec<u8>,
}

/// Parses `text` as the new value of the first value visited.
struct PatchFinder<'p> {
    text: &'p str,
    /// The result of [`parse_patch`]; `Ok(None)` for a struct or list.
    found: Option<Result<Option<Patch>, String>>,
}

impl Visitor for PatchFinder<'_> {
    fn enter(&mut self, _: &Node) -> Visit {
        self.found = Some(Ok(None));
        Visit::Stop
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        self.found = Some(parse_patch(node, self.text));
        ControlFlow::Break(())
    }
}

/// Parses the new value of a node. Returns `None` if it cannot be written in place.
fn parse_patch(node: &Node, text: &str) -> Result<Option<Patch>, String> {
    let Span::Bytes(range) = node.span.clone() else {
        return Ok(None);
    };
    let size = node.bytes.len();
    if let (Some(field), Some(bits)) = (node.bit_field, node.bits) {
        let word = bits.insert(0, number::encode_bits(number::parse_integer(text)?, field)?);
        let [word, mask] = [word, bits.mask()].map(|bits| {
            let mut bytes = bits.to_le_bytes()[..size.min(16)].to_vec();
            if matches!(node.ty, Type::BigEndian(_)) {
                bytes.reverse();
            }
            bytes
        });
        return Ok(Some(Patch { range, word, mask }));
    }
    if let Type::Declared(Declaration {
        shape: Shape::Struct(_) | Shape::Choice(_),
        ..
    }) = node.ty
    {
        return Ok(None);
    }
    let word = match number::parse_value(node.ty, text)? {
        Value::Text(text) => {
            let is_terminated = node.bytes.last() == Some(&0);
            if text.contains(&0) || !is_terminated || text.len() + 1 != size {
                return Ok(None);
            }
            [&text[..], &[0]].concat()
        }
        value => {
            let (bytes, size) = number::encode(node.ty, &value)?;
            bytes[..size].to_vec()
        }
    };
    Ok(Some(Patch {
        range,
        mask: vec![0xff; word.len()],
        word,
    }))
}
