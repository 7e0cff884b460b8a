//! Values without a type, parsed according to the type of the field at their path.

use super::node::{Leaf, TreeNode};
use crate::layout::declaration::Type;
use crate::layout::expr::Value;
use crate::layout::walk::{Segment, parse_field};
use crate::{Error, Result};

/// A value without a type. The type of the field at its path determines how text is parsed.
///
/// ```
/// use meshspec::layout::Layout;
/// use meshspec::layout::assemble::{Edit, edit};
/// use meshspec::layout::tree::UntypedValue;
///
/// let row = UntypedValue::List(vec!["7".into(), "0x8".into()]);
/// let edits = [Edit::set(meshspec::Path::default().index(1), row)];
/// let edited = edit(&<[[u8; 2]; 2] as Layout>::TYPE, &[1, 2, 3, 4], &edits, false, &Default::default())?;
/// assert_eq!(edited, [1, 2, 7, 8]);
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum UntypedValue {
    /// A number, packed word, flag, enum value or string: `7`, `-0x10`, `1.5`, `NaN`, `true`, a name.
    Text(String),
    /// A string without its terminating NUL.
    Unterminated(Vec<u8>),
    /// A string that need not be UTF-8.
    Bytes(Vec<u8>),
    /// The items of an array or list.
    List(Vec<UntypedValue>),
    /// The fields of a struct or packed word, by name. Omitted fields of a struct are computed.
    Struct(Vec<(String, UntypedValue)>),
}

impl UntypedValue {
    /// Converts the value to a node. `ty` is the type of the whole file, and `path` the path of the value.
    pub(in crate::layout) fn into_node<'b>(
        self,
        ty: &Type,
        path: &[Segment],
    ) -> Result<TreeNode<'b>> {
        self.build_node(ty, &mut path.to_vec())
    }

    fn build_node<'b>(self, ty: &Type, path: &mut Vec<Segment>) -> Result<TreeNode<'b>> {
        let value = match self {
            UntypedValue::Text(text) => Leaf::Text(text),
            UntypedValue::Unterminated(text) => Leaf::Unterminated(text),
            UntypedValue::Bytes(text) => Leaf::Value(Value::Text(text)),
            UntypedValue::List(items) => {
                let mut list = TreeNode::empty_group();
                for (index, item) in (0..).zip(items) {
                    path.push(Segment::Index(index));
                    list.parts_mut().items.push(item.build_node(ty, path)?);
                    path.pop();
                }
                return Ok(list);
            }
            UntypedValue::Struct(fields) => {
                let mut whole = TreeNode::empty_group();
                for (name, field) in fields {
                    let step = parse_field(ty, path, &name).ok_or_else(|| {
                        Error::inexpressible(format!("has no field `{name}`")).at(path.as_slice())
                    })?;
                    path.push(step);
                    let field = field.build_node(ty, path)?;
                    path.pop();
                    if let Some(slot) = whole.child_mut(step) {
                        *slot = field;
                    }
                }
                return Ok(whole);
            }
        };
        Ok(value.into())
    }
}

impl From<&String> for UntypedValue {
    fn from(text: &String) -> UntypedValue {
        UntypedValue::from(text.as_str())
    }
}

impl From<&str> for UntypedValue {
    fn from(text: &str) -> UntypedValue {
        UntypedValue::Text(text.to_owned())
    }
}

impl From<String> for UntypedValue {
    fn from(text: String) -> UntypedValue {
        UntypedValue::Text(text)
    }
}
