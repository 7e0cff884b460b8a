//! The assembler: runs the program of a declaration over the given values.

use std::collections::HashSet;
use std::ops::Range;

use super::equation::{ConditionalField, Equation, PendingChecksum};
use super::region::{Region, RegionState};
use super::sparse_buffer::{RegionId, SparseBuffer, WriteError};
use super::used::UsedValues;
use super::variable::{NumbersByPath, SlotOrigin, Variables};
use crate::layout::declaration::Type;
use crate::layout::program::{FormId, FormKind, Frames, Item, Program, Unit, UnitId};
use crate::layout::tree::number::describe_type;
use crate::layout::tree::{ItemEncoding, Items, Section, StoredItems, Tree, TreeNode};
use crate::layout::walk::{Segment, path_text};
use crate::{Error, Limits, Result};

/// The maximum number of runs. Each run determines the values that depend on those of the run before, and the last run
/// confirms them all: formats have chains of two or three values each of which selects what follows it, such as a tag
/// in a variant that another tag selects.
const MAX_RUNS: usize = 16;

/// The maximum number of values that an error names.
const MAX_NAMED: usize = 4;

/// The error for a given value that was not written.
const NO_FIELD: &str = "is given, but the file has no field for it";

/// The number of bytes that any file may leave uncovered between fields at explicit offsets.
const MAX_UNCOVERED: u64 = 16 << 20;

/// Returns the bytes of a file with the values of a tree. With `recounts`, given values are recomputed if they conflict
/// with others. Fails like [`Tree::assemble`].
pub(super) fn assemble(tree: &Tree, recounts: bool, limits: &Limits) -> Result<Vec<u8>> {
    let program = Program::of(tree.ty);
    if let Some(problem) = program.problems.first() {
        return Err(Error::inexpressible(format!(
            "the declaration is defective: {problem}"
        )));
    }
    let max_size = MAX_UNCOVERED.saturating_add(tree.max_size().saturating_mul(2));
    let mut known = NumbersByPath::default();
    let mut runs = 0;
    loop {
        runs += 1;
        let mut run = Assembler {
            program,
            limits,
            max: limits.max_decoded.min(max_size),
            tree,
            recounts,
            used: UsedValues::default(),
            known: &known,
            path: Vec::new(),
            frames: Frames::new(program),
            regions: Vec::new(),
            variables: Variables::default(),
            equations: Vec::new(),
            checksums: Vec::new(),
            lookaheads: HashSet::new(),
            last_field: None,
            conditional_fields: Vec::new(),
            deferred_error: None,
        };
        let written = run.write_file();
        if written.is_err() {
            // An error here is ignored: the error from `write_file` is reported.
            let _ = run.solve_pending();
        }
        let determined = run.variables.determined();
        let determined: NumbersByPath = determined
            .into_iter()
            .map(|(path, number)| (path.to_vec(), number))
            .collect();
        let is_final = match &written {
            // The error may disappear once more values are known.
            Err(_) => includes(&known, &determined),
            // Another run with the same values would write the same bytes.
            Ok(_) if run.is_provisional() => determined == known,
            // The bytes depend on known values only, which the run must confirm.
            Ok(_) => includes(&determined, &known),
        };
        if is_final {
            let bytes = written?;
            return run.into_error().map_or(Ok(bytes), Err);
        }
        if runs == MAX_RUNS {
            return Err(written.err().unwrap_or_else(|| run.divergence_error()));
        }
        match written {
            Ok(_) => known = determined,
            Err(_) => known.extend(determined),
        }
    }
}

/// Returns `true` if all of the `others` are among the values.
fn includes(values: &NumbersByPath, others: &NumbersByPath) -> bool {
    let mut others = others.iter();
    others.all(|(path, number)| values.get(path) == Some(number))
}

/// The region and offset at which a value is written, and the given value.
#[derive(Clone, Copy)]
pub(super) struct WriteTarget<'p> {
    pub region: RegionId,
    pub at: u64,
    /// The given value; `None` if it is omitted.
    pub given: Option<&'p TreeNode<'p>>,
    /// The given value of the enclosing struct.
    pub outer: Option<&'p TreeNode<'p>>,
    /// Whether the value is the content of an inline block, so that `given` is that of the struct that contains the block.
    pub is_inline: bool,
}

/// The byte range of a field in its region.
pub(super) type FieldRange = (RegionId, Range<u64>);

/// The result of writing a value.
pub(super) struct Written {
    /// The offset after the last byte.
    pub end: u64,
    /// The number of items in an array or list, or of bytes in a block; 0 for other values.
    pub count: u64,
}

pub(super) struct Assembler<'a> {
    pub program: &'static Program,
    pub limits: &'a Limits,
    /// The maximum size of a region in bytes. The maximum bounds memory use, since a given offset may be any number.
    pub max: u64,
    pub tree: &'a Tree<'a>,
    /// Whether given values are recomputed if they conflict with others.
    pub recounts: bool,
    pub used: UsedValues,
    /// The values that earlier runs determined.
    pub known: &'a NumbersByPath,
    pub path: Vec<Segment>,
    pub frames: Frames<SlotOrigin>,
    pub regions: Vec<Region>,
    pub variables: Variables,
    /// The equations that are not solved yet, such as conditions and equations with several unknown values.
    pub equations: Vec<Equation>,
    pub checksums: Vec<PendingChecksum>,
    /// The places of look-aheads. If given values are recomputed, the values there are variables.
    pub lookaheads: HashSet<(RegionId, u64)>,
    /// The range of the field written last; `None` if its condition excluded it.
    pub last_field: Option<FieldRange>,
    pub conditional_fields: Vec<ConditionalField>,
    /// The first error that may disappear once all values are known: an overlap, or content that cannot be packed.
    deferred_error: Option<Error>,
}

impl Assembler<'_> {
    pub fn error(&self, message: impl ToString) -> Error {
        Error::inexpressible(message).at(self.path.as_slice())
    }

    /// Adds a region for a file or block, or for a field whose offset counts from the start of `base`.
    pub fn add_region(&mut self, base: Option<RegionId>) -> RegionId {
        let id = self.regions.len();
        let (base, buffer) = (base.unwrap_or(id), SparseBuffer::new(self.max));
        let state = RegionState::Open;
        self.regions.push(Region {
            buffer,
            base,
            state,
            placed_end: 0,
            placed_fields: Vec::new(),
        });
        id
    }

    pub fn write(&mut self, region: RegionId, at: u64, bytes: &[u8]) -> Result<()> {
        let result = self.regions[region].buffer.write(at, bytes);
        self.defer_clash(result)
    }

    /// Stores an error that may disappear once all values are known. Keeps only the first.
    pub fn defer_error(&mut self, message: String) {
        let error = self.error(message);
        self.deferred_error.get_or_insert(error);
    }

    /// Defers a [`WriteError::Clash`]; returns any other error.
    pub fn defer_clash(&mut self, result: Result<(), WriteError>) -> Result<()> {
        match result {
            Ok(()) => Ok(()),
            Err(WriteError::TooLarge(message)) => Err(self.error(message)),
            Err(WriteError::Clash(message)) => {
                self.defer_error(message);
                Ok(())
            }
        }
    }

    /// Returns `true` if written bytes depend on values that were determined later, or an error may disappear once
    /// these are known.
    fn is_provisional(&self) -> bool {
        self.variables.has_stale_dependency() || self.deferred_error.is_some()
    }

    /// Returns the error for values that each run determines differently. Values that depend on these may be among
    /// them.
    fn divergence_error(&self) -> Error {
        let determined = self.variables.determined().into_iter();
        let differing = determined.filter(|(path, number)| self.known.get(*path) != Some(number));
        let mut names: Vec<_> = differing
            .map(|(path, _)| format!("`{}`", path_text(path)))
            .collect();
        let more = names.len().saturating_sub(MAX_NAMED);
        names.truncate(MAX_NAMED);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        Error::inexpressible(match names.split_last() {
            None => "computed values do not converge".to_owned(),
            Some((only, [])) => format!("{only} does not converge"),
            Some((last, others)) => format!("{} and {last} do not converge", others.join(", ")),
        })
    }

    /// Returns the error of a complete run, if any.
    fn into_error(mut self) -> Option<Error> {
        if let Some(path) = self.variables.first_undetermined() {
            return Some(Error::inexpressible("is omitted and cannot be determined").at(path));
        }
        self.excluded_field_error()
            .or_else(|| self.conflict_error())
            .or_else(|| self.deferred_error.take())
            .or_else(|| self.unused_value_error())
    }

    /// Returns an error for the first given value that was not written.
    fn unused_value_error(&self) -> Option<Error> {
        let mut path = Vec::new();
        let error = Error::inexpressible(NO_FIELD);
        self.used
            .has_unused(&self.tree.root, &mut path)
            .then(|| error.at(&path[..]))
    }

    /// Writes a number, string, array, list, struct or choice.
    pub fn write_value(&mut self, target: WriteTarget, item: &Item) -> Result<Written> {
        match self.program.forms[item.form].kind {
            FormKind::Number(_) | FormKind::Text => self.write_scalar(target, item),
            FormKind::Items(inner, count) => self.write_items(target, item, inner, count),
            FormKind::Struct(unit) => {
                self.reject_leaf(target, item)?;
                self.write_unit(item, unit, |assembler, unit| {
                    let magic = match unit.declaration.magic {
                        [] => &[],
                        // Magic bytes can be given for the struct that contains the block, but not for its content.
                        magic if target.is_inline => magic,
                        magic => assembler.given_magic(target.given).unwrap_or(magic),
                    };
                    assembler.write(target.region, target.at, magic)?;
                    let first = WriteTarget {
                        at: target.at + magic.len() as u64,
                        ..target
                    };
                    let end =
                        assembler.write_fields((target.region, target.at), first, &unit.steps)?;
                    Ok(Written { end, count: 0 })
                })
            }
            FormKind::Choice(unit) => self.write_unit(item, unit, |assembler, unit| {
                let step = assembler.choose_variant(&unit.steps)?;
                assembler.write_field(
                    WriteTarget {
                        outer: target.given,
                        ..target
                    },
                    step,
                )
            }),
        }
    }

    /// Returns an error if a single value is given for a struct or array.
    fn reject_leaf(&self, target: WriteTarget, item: &Item) -> Result<()> {
        match target.given {
            Some(TreeNode { leaf: Some(_), .. }) => {
                let ty = describe_type(self.program.forms[item.form].ty);
                Err(self.error(format!("found a single value, expected {ty}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the given magic bytes of a struct; `None` if they are omitted.
    pub fn given_magic<'p>(&mut self, given: Option<&'p TreeNode<'p>>) -> Option<&'p [u8]> {
        let magic = given?.parts.as_ref()?.magic.as_ref()?;
        self.used.add(magic);
        Some(magic)
    }

    /// Writes a struct or choice with `body`, in a new frame for the slots of the unit.
    fn write_unit(
        &mut self,
        item: &Item,
        unit: UnitId,
        body: impl FnOnce(&mut Self, &'static Unit) -> Result<Written>,
    ) -> Result<Written> {
        let unit = &self.program.units[unit];
        self.record_argument_dependencies(item.arguments);
        let (outer, _) = self.frames.enter(unit, item.arguments);
        let written = body(self, unit)?;
        self.frames.leave_value(outer, item);
        Ok(written)
    }

    fn write_items(
        &mut self,
        target: WriteTarget,
        list: &Item,
        inner: FormId,
        fixed: Option<u64>,
    ) -> Result<Written> {
        self.reject_leaf(target, list)?;
        let given = target.given.and_then(|node| node.parts.as_ref());
        let given = given.map(|parts| &parts.items);
        let count = fixed
            .or_else(|| self.recounted_items(target, list))
            .or_else(|| given.map(Items::len))
            .unwrap_or_else(|| self.count_of_follower(target, list).unwrap_or_default());
        // The count of a field with a block is the size of the block.
        let field = list
            .step
            .filter(|step| step.block.is_none())
            .map(|step| step.field);
        let is_counted = fixed.is_some() || field.is_some_and(|field| field.count.is_some());
        let item = Item {
            may_lack_nul: !is_counted,
            ..list.array_item(inner)
        };
        self.frames.start_columns(list);
        self.check_item_count(list, count)?;
        let mut next = target;
        let mut index = 0;
        for section in given.into_iter().flat_map(Items::sections) {
            match section {
                Section::Stored(stored) => {
                    self.used.add(stored);
                    let Some(stored) = stored.first(count - index) else {
                        return Err(self.error("its stored items cannot be decoded"));
                    };
                    let end = index + stored.len();
                    next.at = self.write_stored(next, &stored, &item, index..count)?;
                    index = end;
                }
                Section::Given(nodes) => {
                    let end = count.min(index + nodes.len() as u64);
                    next.at = self.write_each(next, &item, index..end, count, nodes)?;
                    index = end;
                }
            }
        }
        // The omitted items of a fixed-size array.
        next.at = self.write_each(next, &item, index..count, count, &[])?;
        if given.is_some_and(|items| items.len() > count)
            && self.recounted_items(target, list).is_none()
        {
            self.path.push(Segment::Index(count));
            self.defer_error(NO_FIELD.to_owned());
            self.path.pop();
        }
        Ok(Written {
            end: next.at,
            count,
        })
    }

    /// Returns the number of given items in the list of the same struct whose items take arguments from those of `list`;
    /// `None` if there is none.
    fn count_of_follower(&self, target: WriteTarget, list: &Item) -> Option<u64> {
        let unit = self.frames.visible_values().unit?;
        let follower = unit.follower_of(list.own_step()?)?;
        let node = target.outer?.field(follower.field.name)?;
        Some(node.parts.as_ref()?.items.len())
    }

    /// Returns the number of items in a list of computed numbers, if given values are recomputed. Drops the other numbers.
    fn recounted_items(&mut self, target: WriteTarget, list: &Item) -> Option<u64> {
        let is_computed = list
            .own_step()
            .is_some_and(|step| step.is_computed && !step.is_padding);
        let count = self
            .count_of_follower(target, list)
            .filter(|_| self.recounts && is_computed)?;
        let parts = target.given.and_then(|node| node.parts.as_ref());
        for section in parts.iter().flat_map(|parts| parts.items.sections()) {
            if let Section::Given(nodes) = section {
                nodes
                    .iter()
                    .filter_map(|node| node.leaf.as_ref())
                    .for_each(|leaf| self.used.add(leaf));
            }
        }
        Some(count)
    }

    /// Returns an error if a list has another number of items than the list from which its items take arguments.
    fn check_item_count(&self, list: &Item, count: u64) -> Result<()> {
        let Some(step) = list.own_step() else {
            return Ok(());
        };
        let (Some(each), Some(expected)) = (&step.each, &step.count) else {
            return Ok(());
        };
        match self.frames.eval_int(expected) {
            Ok(expected) if expected != count.into() => {
                let other = each.each.list.join(".");
                let unit = if count == 1 { "item" } else { "items" };
                Err(self.error(format!("has {count} {unit}, but `{other}` has {expected}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes the items with these indices of a list of `count` items, and returns their end. `nodes` has their given
    /// values; the others are omitted.
    fn write_each(
        &mut self,
        target: WriteTarget,
        item: &Item,
        indices: Range<u64>,
        count: u64,
        nodes: &[TreeNode],
    ) -> Result<u64> {
        let mut nodes = nodes.iter();
        let mut at = target.at;
        for index in indices {
            self.path.push(Segment::Index(index));
            let variables = &self.variables;
            self.frames
                .set_current_item(item, index, |origin| variables.cell(origin));
            let next = WriteTarget {
                at,
                given: nodes.next(),
                is_inline: false,
                ..target
            };
            let mut end = self.write_value(next, item)?.end;
            if index + 1 < count && next.given.is_some_and(TreeNode::lacks_nul) {
                // Only the last string of a list can lack its NUL.
                self.write(target.region, end, &[0])?;
                end += 1;
            }
            self.path.pop();
            if end == at && item.each.is_none() && !item.has_columns {
                // The item is empty, so all further items are also empty.
                break;
            }
            at = end;
        }
        Ok(at)
    }

    /// Writes items that a file stores, and returns their end. `indices` starts with their first index, and ends at the
    /// end of the list.
    fn write_stored(
        &mut self,
        target: WriteTarget,
        stored: &StoredItems,
        item: &Item,
        indices: Range<u64>,
    ) -> Result<u64> {
        let ty = self.program.forms[item.form].ty;
        let bytes = stored.bytes();
        match stored.encoding() {
            ItemEncoding::Numbers(own) if *own != ty => {
                return self.write_numbers(target, ty, (own, bytes), indices.start);
            }
            ItemEncoding::Walked(layout) if *layout.ty() != *ty => {
                return self.write_decoded(target, stored, item, indices);
            }
            ItemEncoding::Numbers(_) => {}
            ItemEncoding::Walked(_) => self.check_item_sizes(item, stored)?,
        }
        self.write(target.region, target.at, bytes)?;
        let end = target.at + bytes.len() as u64;
        let is_last = indices.start + stored.len() == indices.end;
        if *ty == Type::NulString && bytes.last() != Some(&0) && !is_last {
            // The last string of the file lacked its NUL. Another string follows it now.
            self.write(target.region, end, &[0])?;
            return Ok(end + 1);
        }
        Ok(end)
    }

    /// Writes stored items of another type by the names of their fields, and returns their end.
    fn write_decoded(
        &mut self,
        target: WriteTarget,
        stored: &StoredItems,
        item: &Item,
        indices: Range<u64>,
    ) -> Result<u64> {
        let nodes = stored.decode_all();
        let own = indices.start..indices.start + stored.len();
        // The nodes are temporary, so their addresses mean nothing afterwards.
        let outer = std::mem::take(&mut self.used);
        let written = self.write_each(target, item, own, indices.end, &nodes);
        let used = std::mem::replace(&mut self.used, outer);
        for (index, node) in (indices.start..).zip(&nodes) {
            let mut path = [&self.path[..], &[Segment::Index(index)]].concat();
            if used.has_unused(node, &mut path) {
                return Err(Error::inexpressible(NO_FIELD).at(&path[..]));
            }
        }
        written
    }

    /// If given values are recomputed, returns an error for stored items whose size differs from the size that the
    /// current values require.
    fn check_item_sizes(&mut self, item: &Item, stored: &StoredItems) -> Result<()> {
        let (count, found) = (stored.len(), stored.bytes().len());
        let size = self
            .frames
            .form_size(item.form, item.arguments)
            .and_then(|size| size.checked_mul(count));
        match size.filter(|size| self.recounts && *size != found as u64) {
            Some(size) => Err(self.error(format!(
                "a changed value requires {size} bytes for its {count} items, found {found}: set the items as well"
            ))),
            None => Ok(()),
        }
    }
}
