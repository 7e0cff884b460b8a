//! Untyped values.

use super::tree::{Provided, Tree};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::{Segment, parse_field};
use crate::{Error, Result};

/// A value without a type: the field that it is for decides how text is parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A number, word, flag or enum value (`7`, `-0x10`, `1.5`, `NaN`, `true`, a name), or a string.
    Text(String),
    /// A string without its terminating NUL.
    Unterminated(Vec<u8>),
    /// A string that may not be UTF-8.
    Bytes(Vec<u8>),
    /// The items of an array.
    List(Vec<Part>),
    /// The fields of a struct or packed word, by name. Omitted fields are computed.
    Struct(Vec<(String, Part)>),
}

impl Part {
    /// Returns an upper bound on the size in bytes.
    pub(super) fn max_size(&self) -> u64 {
        match self {
            Part::Text(text) => 16 + text.len() as u64,
            Part::Unterminated(bytes) | Part::Bytes(bytes) => 1 + bytes.len() as u64,
            Part::List(items) => items.iter().map(Part::max_size).sum(),
            Part::Struct(fields) => fields.iter().map(|(_, field)| field.max_size()).sum(),
        }
    }

    /// Converts the value to a tree for the value of a file of type `ty` at `path`.
    pub(super) fn into_tree<'b>(self, ty: &Type, path: &[Segment]) -> Result<Tree<'b>> {
        self.tree(ty, &mut path.to_vec())
    }

    fn tree<'b>(self, ty: &Type, path: &mut Vec<Segment>) -> Result<Tree<'b>> {
        let given = match self {
            Part::Text(text) => Provided::Text(text),
            Part::Unterminated(text) => Provided::Unterminated(text),
            Part::Bytes(text) => Provided::Value(Value::Text(text)),
            Part::List(items) => {
                let mut list = Tree::default();
                let group = list.group();
                for (index, item) in (0..).zip(items) {
                    path.push(Segment::Index(index));
                    group.items.push(item.tree(ty, path)?);
                    path.pop();
                }
                return Ok(list);
            }
            Part::Struct(fields) => {
                let mut whole = Tree::default();
                whole.group();
                for (name, field) in fields {
                    let step = parse_field(ty, path, &name).ok_or_else(|| {
                        Error::inexpressible(format!("has no field `{name}`")).at(path.as_slice())
                    })?;
                    path.push(step);
                    let field = field.tree(ty, path)?;
                    path.pop();
                    if let Some(place) = whole.entry(step) {
                        *place = field;
                    }
                }
                return Ok(whole);
            }
        };
        Ok(given.into())
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Part {
        Part::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part::Text(text)
    }
}
