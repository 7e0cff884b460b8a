//! The values that the walker, assembler and generator process.

use super::model::{Argument, BlockStep, EachStep, FormId, Program, Step};
use crate::Rule;
use crate::layout::declaration::Constraint;
use crate::layout::decoding::Decoding;

/// A value to walk over, assemble or generate.
#[derive(Clone, Copy)]
pub(crate) struct Item {
    pub form: FormId,
    /// The field of the value. For an item of an array, the field that contains the array.
    pub step: Option<&'static Step>,
    /// The arguments for the imports of the type.
    pub arguments: &'static [Argument],
    /// Whether the value is an item of an array.
    pub is_array_item: bool,
    /// Whether expressions refer to the value, or to a part of it, by the list that contains it.
    pub has_columns: bool,
    /// For an item of a list, the other list that provides its arguments.
    pub each: Option<&'static EachStep>,
    /// Whether a string may lack its NUL at the end of the file or block. True for the items of a list without a count.
    pub may_lack_nul: bool,
    /// The number of items in a list; `None` if unknown.
    pub count: Option<u64>,
    pub decoding: Decoding,
}

impl Item {
    /// Returns the item for a whole file.
    pub fn root(program: &'static Program) -> Item {
        Item::new(program.root, None, &program.no_arguments)
    }

    /// Returns the item for the stored value of a field.
    pub fn of_field(step: &'static Step) -> Item {
        Item::new(step.form, Some(step), &step.arguments)
    }

    fn new(form: FormId, step: Option<&'static Step>, arguments: &'static [Argument]) -> Item {
        let decoding = step.map_or(Decoding::NONE, |step| step.field.decoding);
        Item {
            form,
            step,
            arguments,
            is_array_item: false,
            has_columns: false,
            each: None,
            may_lack_nul: false,
            count: None,
            decoding,
        }
    }

    /// Returns the item for the value of a field, or for the content of its block.
    pub fn content_of(step: &'static Step) -> Item {
        let item = Item::of_field(step);
        step.block
            .as_ref()
            .map_or(item, |block| item.block_content(block))
    }

    pub fn block_content(self, block: &'static BlockStep) -> Item {
        Item {
            form: block.form,
            arguments: &block.arguments,
            count: None,
            decoding: Decoding::NONE,
            ..self
        }
    }

    /// Returns the [`Item`] for the values in this array, whose form is `form`.
    pub fn array_item(self, form: FormId) -> Item {
        Item {
            form,
            is_array_item: true,
            has_columns: self.step.is_some_and(|step| !step.columns.is_empty()),
            each: self.own_step().and_then(|step| step.each.as_ref()),
            may_lack_nul: self.count.is_none(),
            count: None,
            ..self
        }
    }

    /// Returns the field of the value; `None` for the root and for items of arrays.
    pub fn own_step(&self) -> Option<&'static Step> {
        self.step.filter(|_| !self.is_array_item)
    }

    pub fn rule(&self) -> Option<&'static Rule> {
        self.step?.field.rule
    }

    /// Returns the constraints of the field that contains the value; empty for the root.
    pub fn constraints(&self) -> &'static [Constraint] {
        self.step.map_or(&[], |step| step.field.constraints)
    }
}
