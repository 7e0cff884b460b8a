//! Finds the fields of a file that JSON omits, since the assembler computes them.

use std::ptr;

use super::super::items::{Section, StoredItems};
use super::super::node::{Leaf, TreeNode};
use super::super::{ItemEncoding, Tree};
use super::encode::Encoder;
use crate::layout::declaration::{Declaration, Field, Packing, Type};
use crate::layout::program::{FormId, FormKind, Program, Step};
use crate::layout::walk::{Fault, ItemLayout, Node, Segment};
use crate::{Limits, Path};

/// The fields of a file that JSON omits. The assembler computes the values that the file has.
#[derive(Debug)]
pub(in crate::layout) struct ComputedFields {
    /// Counts, sizes, offsets, checksums and padding.
    numbers: Vec<&'static Field>,
    /// Blocks, if packing their content yields the bytes of the file.
    blocks: Vec<&'static Field>,
    /// The fields whose conditions depend on computed numbers.
    optional: Vec<&'static Field>,
    /// Whether any value is at an explicit offset.
    has_offsets: bool,
    /// Whether the places of these values are given, since the assembler would choose others.
    gives_places: bool,
    /// Whether the bytes between values and the size of the file are computed.
    has_gaps: bool,
}

impl ComputedFields {
    /// Finds the computed fields of a file of type `ty`. A field is not computed if one of its values differs from the
    /// computed one.
    ///
    /// # Errors
    ///
    /// Returns the first structural fault of the file.
    pub fn find(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Result<ComputedFields, Fault> {
        let tree = Tree::read(ty, bytes, limits)?;
        let mut computed = ComputedFields::candidates(Program::of(ty));
        computed.keep_wrong_items(&tree.root);
        loop {
            let mut given = tree.clone();
            computed.remove_from(&mut given);
            let is_complete = match given.assemble(limits) {
                Ok(file) if file == bytes => true,
                // The offsets may differ only because the places do.
                Ok(_) if computed.give_places() => false,
                Ok(file) => {
                    let assembled = Tree::read(ty, &file, limits);
                    let kept = assembled.is_ok_and(|assembled| {
                        computed.keep_differing_blocks(&tree.root, &assembled.root)
                            || computed.keep_differing_numbers(&tree.root, &assembled.root)
                    });
                    !kept && !computed.keep_more()
                }
                Err(error) => !computed.keep_at(&tree, error.path()) && !computed.keep_more(),
            };
            if is_complete {
                return Ok(computed);
            }
        }
    }

    fn candidates(program: &Program) -> ComputedFields {
        let steps = || program.units.iter().flat_map(|unit| &unit.steps);
        let fields = |is_included: fn(&Step) -> bool| {
            let steps = steps().filter(|step| is_included(step));
            steps.map(|step| step.field).collect()
        };
        ComputedFields {
            numbers: fields(|step| step.is_computed),
            blocks: fields(|step| {
                let block = step.field.block;
                block.is_some_and(|block| block.packing != Packing::Stored)
            }),
            optional: fields(|step| step.shows_absence),
            has_offsets: steps().any(|step| step.position.is_some()),
            gives_places: false,
            has_gaps: true,
        }
    }

    /// Returns `true` if the value of a node is computed.
    pub fn contains(&self, node: &Node) -> bool {
        node.bit_field.is_none() && node.field.is_some_and(|field| has(&self.numbers, field))
    }

    /// Returns `true` if packing the content of a block yields the bytes of the file.
    pub fn contains_packing(&self, block: &'static Field) -> bool {
        has(&self.blocks, block)
    }

    /// Returns `true` if the absence of a field follows from no given value.
    pub fn shows_absence(&self, field: &'static Field) -> bool {
        has(&self.optional, field)
    }

    /// Returns `true` if the bytes between values and the size of the file are computed.
    pub fn has_gaps(&self) -> bool {
        self.has_gaps
    }

    /// Returns `true` if the places of values at explicit offsets are given.
    pub fn gives_places(&self) -> bool {
        self.gives_places
    }

    /// Gives the places of values at explicit offsets. Returns `false` if they are given, or there are none.
    fn give_places(&mut self) -> bool {
        self.has_offsets && !std::mem::replace(&mut self.gives_places, true)
    }

    /// Gives what no single value explains: the places, then the bytes between values, then all values. Returns `false` if
    /// all are given.
    fn keep_more(&mut self) -> bool {
        if self.give_places() || std::mem::take(&mut self.has_gaps) {
            return true;
        }
        self.optional.clear();
        let had_numbers = !std::mem::take(&mut self.numbers).is_empty();
        let had_blocks = !std::mem::take(&mut self.blocks).is_empty();
        had_numbers || had_blocks
    }

    /// Keeps the field at a path of the file, which cannot be determined. Returns `false` if it is not omitted.
    fn keep_at(&mut self, tree: &Tree, path: &Path) -> bool {
        let field = tree.get(path.clone()).and_then(|value| value.field());
        field.is_some_and(|field| remove(&mut self.numbers, field))
    }

    /// Removes the computed values from a tree, and the places of all other values.
    fn remove_from(&self, tree: &mut Tree) {
        let place = tree.root.span.clone().filter(|_| self.gives_places);
        self.remove_parts(&mut tree.root);
        tree.root.span = place;
        if self.has_gaps {
            tree.gaps.clear();
            tree.file_size = None;
        }
    }

    fn remove_parts(&self, node: &mut TreeNode) {
        let ty = node.ty;
        let Some(parts) = &mut node.parts else { return };
        let is_computed = |node: &TreeNode| node.field.is_some_and(|own| has(&self.numbers, own));
        parts.fields.retain(|(_, field)| !is_computed(field));
        if let Some(packed) = &parts.packed
            && packed.is_open
            && packed.field.is_some_and(|own| has(&self.blocks, own))
        {
            parts.packed = None;
        }
        if let Some(packed) = &mut parts.packed {
            packed.span = None;
        }
        for (name, field) in &mut parts.fields {
            self.remove_parts(field);
            if !self.gives_places || !is_placed(ty, &Segment::Field(name)) {
                field.span = None;
            }
        }
        for item in parts.items.given_mut() {
            self.remove_parts(item);
            item.span = None;
        }
    }

    /// Keeps the blocks whose packed bytes in `new` differ from those in `old`. Returns `false` if there are none.
    fn keep_differing_blocks(&mut self, old: &TreeNode, new: &TreeNode) -> bool {
        let mut differ = false;
        for_each_pair(old, new, &mut |old, new| {
            if let Some(packed) = old.packed()
                && new.packed().map(|block| &block.bytes) != Some(&packed.bytes)
            {
                differ |= packed
                    .field
                    .is_some_and(|field| remove(&mut self.blocks, field));
            }
        });
        differ
    }

    /// Keeps the fields whose numbers in `new` differ from those in `old`. Returns `false` if there are none.
    fn keep_differing_numbers(&mut self, old: &TreeNode, new: &TreeNode) -> bool {
        let mut differ = false;
        for_each_pair(old, new, &mut |old, new| {
            for (name, number) in old.parts.iter().flat_map(|parts| &parts.fields) {
                if let Some(field) = number.field
                    && has(&self.numbers, field)
                    && !new.field(name).is_some_and(|new| is_same(number, new))
                {
                    differ |= remove(&mut self.numbers, field);
                }
            }
        });
        differ
    }

    /// Keeps the fields of stored items whose computed values differ.
    fn keep_wrong_items(&mut self, node: &TreeNode) {
        let Some(parts) = &node.parts else { return };
        for (_, field) in &parts.fields {
            self.keep_wrong_items(field);
        }
        for section in parts.items.sections() {
            match section {
                Section::Given(items) => items.iter().for_each(|item| self.keep_wrong_items(item)),
                Section::Stored(items) => {
                    if let ItemEncoding::Walked(layout) = items.encoding()
                        && !self.are_computed(items, layout)
                    {
                        for_each_field(layout.program(), layout.item().form, &mut |field| {
                            remove(&mut self.numbers, field);
                        });
                    }
                }
            }
        }
    }

    /// Returns `true` if encoding stored items without their computed values yields the same bytes.
    fn are_computed(&self, items: &StoredItems, layout: &ItemLayout) -> bool {
        let mut has_computed = false;
        for_each_field(layout.program(), layout.item().form, &mut |field| {
            has_computed |= has(&self.numbers, field);
        });
        if !has_computed {
            return true;
        }
        let mut frames = layout.frames();
        let mut encoded = Vec::new();
        items.with_bytes().all(|(mut node, bytes)| {
            self.remove_parts(&mut node);
            encoded.clear();
            let mut encoder = Encoder {
                program: layout.program(),
                frames: &mut frames,
                bytes: &mut encoded,
            };
            encoder.encode(&node, &layout.item()) && encoded == bytes
        })
    }
}

/// Calls `each` with the fields in values of a form.
fn for_each_field(program: &Program, form: FormId, each: &mut impl FnMut(&'static Field)) {
    match program.forms[form].kind {
        FormKind::Struct(unit) | FormKind::Choice(unit) => {
            for step in &program.units[unit].steps {
                each(step.field);
                for_each_field(program, step.content().0, each);
            }
        }
        FormKind::Items(inner, _) => for_each_field(program, inner, each),
        FormKind::Number(_) | FormKind::Text => {}
    }
}

/// Calls `each` with the values that have the same path in two trees, except those in stored lists.
fn for_each_pair(old: &TreeNode, new: &TreeNode, each: &mut impl FnMut(&TreeNode, &TreeNode)) {
    each(old, new);
    let (Some(old), Some(new)) = (&old.parts, &new.parts) else {
        return;
    };
    for (name, field) in &old.fields {
        if let Some((_, other)) = new.fields.iter().find(|(own, _)| own == name) {
            for_each_pair(field, other, each);
        }
    }
    let mut index = 0;
    for section in old.items.sections() {
        let Section::Given(items) = section else {
            index += section.len();
            continue;
        };
        for item in items {
            if let Some(other) = new.items.get(index) {
                for_each_pair(item, &other, each);
            }
            index += 1;
        }
    }
}

/// Returns `true` for the same number, the same numbers in a list, or the same bytes of padding.
fn is_same(a: &TreeNode, b: &TreeNode) -> bool {
    a.leaf == b.leaf && (a.leaf.is_some() || items_of(a) == items_of(b))
}

/// Returns the bytes of the stored items in a list, and the values of the others.
fn items_of(list: &TreeNode) -> (Vec<u8>, Vec<Option<Leaf>>) {
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for section in list.parts.iter().flat_map(|parts| parts.items.sections()) {
        match section {
            Section::Stored(stored) => bytes.extend(stored.bytes()),
            Section::Given(nodes) => values.extend(nodes.iter().map(|node| node.leaf.clone())),
        }
    }
    (bytes, values)
}

/// Returns `true` if the field at a step of a path in a struct is at an explicit offset.
pub(in crate::layout) fn is_placed(ty: Option<&Type>, step: &Segment) -> bool {
    let mut fields = ty
        .and_then(Type::declaration)
        .into_iter()
        .flat_map(Declaration::fields);
    fields.any(|field| Some(field.name) == step.name() && field.position.is_some())
}

fn has(fields: &[&'static Field], field: &Field) -> bool {
    fields.iter().any(|own| ptr::eq(*own, field))
}

/// Removes a field. Returns `false` if it is missing.
fn remove(fields: &mut Vec<&'static Field>, field: &Field) -> bool {
    let count = fields.len();
    fields.retain(|own| !ptr::eq(*own, field));
    fields.len() < count
}
