//! Changes to a file: some values of it, all else byte by byte as it was.

use std::ops::{ControlFlow, Range};

use super::number;
use super::part::Part;
use super::record::record;
use super::tree::{Given, Tree};
use super::values::Values;
use crate::layout::declaration::{Declaration, Shape, Type};
use crate::layout::expr::Value;
use crate::layout::walk::{self, Node, Segment, Visit, Visitor, path_text, walk};
use crate::{Error, Limits, Path, Result, Span};

/// A change to one value of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The value, by its whole path.
    pub path: Path,
    /// What becomes of it.
    pub change: Change,
}

/// What becomes of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It is another one.
    Set(Part),
    /// An item is put before the one with the path, or at the end of the list; a field is put where none was.
    Insert(Part),
    /// An item or field is taken out.
    Remove,
}

/// The bytes of a file with these changes, made in order, and all else byte by byte as it was.
///
/// Nothing else follows: a changed count leaves a broken file. Only the size of a packed block follows from a change of
/// its content. With `recount`, counts, sizes and offsets that no longer agree with the rest are computed
/// anew, unless they were changed themselves.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::assemble::{Change, Edit, edit};
/// use meshspec::{Dialect, FormatId, path};
///
/// let file = include_bytes!("../../../samples/mesh/tentacle.mesh");
/// let layout = FormatId::Mesh.layout_of(file, Dialect::Spec).unwrap();
/// let edits = [Edit { path: path!(header.vertex_count).into(), change: Change::Set("0x01020304".into()) }];
/// let broken = edit(layout, file, &edits, false, &Default::default())?;
/// assert_eq!(broken[3..7], [4, 3, 2, 1]);
/// assert_eq!((&broken[..3], &broken[7..]), (&file[..3], &file[7..]));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// If a path names no value, a value does not fit its field, the rest of the file would have to move and cannot be
/// walked to its end, or a packed block no longer unpacks.
pub fn edit(
    ty: &'static Type,
    bytes: &[u8],
    edits: &[Edit],
    recount: bool,
    limits: &Limits,
) -> Result<Vec<u8>> {
    let steps = |edit: &Edit| edit.path.segments().unwrap_or_default().to_vec();
    let paths: Vec<Vec<Segment>> = edits.iter().map(steps).collect();
    if !recount && let Some(patched) = patch(ty, bytes, edits, &paths, limits)? {
        return Ok(patched);
    }
    let before = |index| edits.iter().zip(&paths).take(index);
    let near = paths.iter().enumerate().filter_map(|(index, path)| original(path, before(index)));
    let near: Vec<_> = near.collect();
    let contents = record(ty, bytes, limits, Some(&near)).map_err(|fault| {
        let message = format!("the file cannot be walked to its end: {}", fault.message);
        Error::inexpressible(message).at(&fault.path).with_span(Some(fault.span))
    })?;
    let mut values = Values { ty, contents };
    values.contents.recounts = recount;
    for (edit, path) in edits.iter().zip(&paths) {
        values.change(path, &edit.change)?;
        if edit.change != Change::Remove
            && let Some(changed) = values.contents.entry(path)
        {
            changed.is_fixed = true;
        }
    }
    let changes_blocks = !recount && !values.contents.block_sizes.is_empty();
    let edited = values.assemble(limits)?;
    match changes_blocks.then(|| walk::first_fault(ty, &edited, limits)).flatten() {
        Some(fault) => {
            let message = format!("the change of a packed block breaks the file: {}", fault.message);
            Err(Error::inexpressible(message).at(&fault.path))
        }
        None => Ok(edited),
    }
}

/// Where a value lies in the file as it was before these changes; `None` if one of them put it there.
fn original<'e>(
    path: &[Segment],
    changes: impl DoubleEndedIterator<Item = (&'e Edit, &'e Vec<Segment>)>,
) -> Option<Vec<Segment>> {
    let mut path = path.to_vec();
    for (edit, place) in changes.rev() {
        let Some((Segment::Index(changed), list)) = place.split_last() else { continue };
        let Some([Segment::Index(index), ..]) = path.strip_prefix(list) else { continue };
        let index = match edit.change {
            Change::Insert(_) if index == changed => return None,
            Change::Insert(_) if index > changed => index - 1,
            Change::Remove if index >= changed => index.saturating_add(1),
            _ => continue,
        };
        path[list.len()] = Segment::Index(index);
    }
    Some(path)
}

impl Values<'_> {
    fn change(&mut self, path: &[Segment], change: &Change) -> Result<()> {
        let error = |message: &str| Error::inexpressible(message).at(path);
        // A field may be left out so far, an item is there or not.
        let steps = self.contents.way(path).count() - 1;
        let inserts = matches!(change, Change::Insert(_)) && steps + 1 == path.len();
        if matches!(path.get(steps), Some(Segment::Index(_))) && !inserts {
            return Err(error("no such value"));
        }
        if let Change::Insert(value) = change {
            self.contents.size += value.max_size();
        }
        let ty = self.ty;
        let (Some((last, outer)), Change::Insert(_) | Change::Remove) = (path.split_last(), change) else {
            let Change::Set(value) = change else { return Err(error("the file as a whole stays")) };
            return self.replace(path, value.clone());
        };
        let group = self.contents.entry(outer).ok_or_else(|| error("no such value"))?.group();
        match (change, last) {
            (Change::Insert(value), Segment::Index(index)) => {
                let place = usize::try_from(*index).ok().filter(|place| *place <= group.items.len());
                let place = place.ok_or_else(|| error("the list ends before it"))?;
                group.items.insert(place, value.clone().into_tree(ty, path)?);
            }
            (Change::Insert(value), Segment::Field(name)) => {
                if group.fields.iter().any(|(own, _)| own == name) {
                    return Err(error("is there already"));
                }
                group.fields.push((name, value.clone().into_tree(ty, path)?));
            }
            (_, Segment::Index(index)) => {
                let place = usize::try_from(*index).ok().filter(|place| *place < group.items.len());
                let _: Tree = group.items.remove(place.ok_or_else(|| error("no such value"))?);
            }
            (_, Segment::Field(name)) => {
                let count = group.fields.len();
                group.fields.retain(|(own, _)| own != name);
                if group.fields.len() == count {
                    return Err(error("no such value"));
                }
            }
        }
        Ok(())
    }

    /// Gives a value another content.
    fn replace(&mut self, path: &[Segment], value: Part) -> Result<()> {
        let leaf = self.contents.way(path).nth(path.len()).and_then(|tree| tree.leaf.as_ref());
        if let (Some(Given::Value(Value::Bits(_, declaration))), Part::Text(text)) =
            (leaf.map(|leaf| leaf.peek()), &value)
        {
            // As a word, and no text, it can be changed further, bit by bit.
            let word = number::parse(&Type::Declared(declaration), text);
            let word = Given::Value(word.map_err(|message| Error::inexpressible(message).at(path))?);
            if let Some(tree) = self.contents.entry(path) {
                tree.put(word.into());
            }
            return Ok(());
        }
        self.set_at(path, value)
    }
}

/// The file with other bytes in the places of these values; `None` if that is not enough.
fn patch(
    ty: &'static Type,
    bytes: &[u8],
    edits: &[Edit],
    paths: &[Vec<Segment>],
    limits: &Limits,
) -> Result<Option<Vec<u8>>> {
    let mut patches = Vec::new();
    for (edit, path) in edits.iter().zip(paths) {
        let Change::Set(Part::Text(text)) = &edit.change else { return Ok(None) };
        let mut finder = Finder { path, text, found: None };
        // What comes before a fault can be changed.
        let fault = walk(ty, bytes, limits, &mut finder).err();
        match (finder.found, fault) {
            (Some(Found::Patch(patch)), _) => {
                patches.push(patch.map_err(|message| Error::inexpressible(message).at(path.as_slice()))?)
            }
            (Some(Found::Other), _) => return Ok(None),
            (None, fault) => {
                let reason = fault.map(|fault| format!(" before the fault: {fault}")).unwrap_or_default();
                let message = format!("no field `{}`{reason}", path_text(path));
                return Err(Error::inexpressible(message));
            }
        }
    }
    let mut patched = bytes.to_vec();
    for Patch { range, word, mask } in patches {
        let place = patched.get_mut(range.start as usize..range.end as usize).unwrap_or_default();
        for ((byte, word), mask) in place.iter_mut().zip(word).zip(mask) {
            *byte = *byte & !mask | word & mask;
        }
    }
    Ok(Some(patched))
}

/// Bits to be written.
struct Patch {
    range: Range<u64>,
    word: Vec<u8>,
    mask: Vec<u8>,
}

enum Found {
    Patch(Result<Patch, String>),
    /// A value that may become larger or smaller, or lies in a packed block.
    Other,
}

struct Finder<'p> {
    path: &'p [Segment],
    text: &'p str,
    found: Option<Found>,
}

impl Visitor for Finder<'_> {
    fn enter(&mut self, node: &Node) -> Visit {
        match self.path.strip_prefix(node.path) {
            _ if self.found.is_some() => Visit::Stop,
            None => Visit::Nothing,
            Some([]) => {
                self.found = Some(Found::Other);
                Visit::Stop
            }
            Some([Segment::Index(index), ..]) => Visit::Items(*index..index.saturating_add(1)),
            Some([Segment::Field(_), ..]) => Visit::All,
        }
    }

    fn unpack(&mut self, node: &Node) -> bool {
        self.path.starts_with(node.path)
    }

    fn leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        if node.path != self.path {
            return ControlFlow::Continue(());
        }
        let patch = patch_of(node, self.text);
        self.found = Some(patch.map_or_else(
            |message| Found::Patch(Err(message)),
            |patch| patch.map_or(Found::Other, |patch| Found::Patch(Ok(patch))),
        ));
        ControlFlow::Break(())
    }
}

fn patch_of(node: &Node, text: &str) -> Result<Option<Patch>, String> {
    let Span::Bytes(range) = node.span.clone() else { return Ok(None) };
    let size = node.bytes.len();
    if let (Some(field), Some(bits)) = (node.bit_field, node.bits) {
        let word = bits.put(0, number::bits_of_number(number::integer(text)?, field)?);
        let [word, mask] = [word, bits.mask()].map(|bits| bits.to_le_bytes()[..size.min(16)].to_vec());
        return Ok(Some(Patch { range, word, mask }));
    }
    if let Type::Declared(Declaration { shape: Shape::Struct(_) | Shape::Choice(_), .. }) = node.ty {
        return Ok(None);
    }
    let word = match number::parse(node.ty, text)? {
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
    Ok(Some(Patch { range, mask: vec![0xff; word.len()], word }))
}
