//! Decoded fields: the contents of custom formats.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use meshspec_derive::ToJson;

use super::array::{Array, Numbers};
use crate::layout::declaration::{Shape, Type};
use crate::layout::expr::Value;
use crate::layout::walk::{self, Fault, Node, Segment, Visit, Visitor, path_text};
use crate::{Limits, Text};

/// The decoded fields of a file. Each call of [`Fields::for_each`] decodes them again.
///
/// ```
/// use meshspec::contents::{FieldValue, Fields};
/// use meshspec::layout::Layout;
///
/// let fields = Fields::new(&<[u16; 2]>::TYPE, &[1, 0, 2, 0][..], &Default::default()).unwrap();
/// let mut texts = Vec::new();
/// fields.for_each(|_, value| {
///     let FieldValue::Numbers(array) = value else { unreachable!() };
///     texts.extend((0..2).filter_map(|index| array.numbers.text(index)));
///     std::ops::ControlFlow::Continue(())
/// });
/// assert_eq!(texts, ["1", "2"]);
/// ```
#[derive(Clone)]
pub struct Fields<'f> {
    ty: &'static Type,
    bytes: Cow<'f, [u8]>,
    limits: Limits,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, ToJson)]
#[json(untagged)]
#[non_exhaustive]
pub enum FieldValue {
    /// A number, or all numbers in a list.
    Numbers(Array),
    /// A string.
    Text(Text),
}

impl<'f> Fields<'f> {
    /// Reads `bytes` as one value of type `ty`.
    ///
    /// # Errors
    ///
    /// Returns an error if `bytes` does not match the declaration.
    pub fn new(
        ty: &'static Type,
        bytes: impl Into<Cow<'f, [u8]>>,
        limits: &Limits,
    ) -> Result<Fields<'f>, Fault> {
        let bytes = bytes.into();
        walk::walk(ty, &bytes, limits, &mut ())?;
        Ok(Fields {
            ty,
            bytes,
            limits: *limits,
        })
    }

    /// Calls `visit` with the path and value of each field, until `visit` breaks. A list of numbers is one value; empty
    /// lists are omitted.
    pub fn for_each(&self, visit: impl FnMut(&str, FieldValue) -> ControlFlow<()>) {
        let mut visitor = FieldVisitor { visit, list: None };
        // Cannot fail: `new` has checked the bytes.
        let _ = walk::walk(self.ty, &self.bytes, &self.limits, &mut visitor);
    }
}

impl fmt::Debug for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields")
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

/// Passes the value of each field to a closure.
struct FieldVisitor<F> {
    visit: F,
    /// The list whose numbers are being visited.
    list: Option<NumberList>,
}

/// A list of numbers, possibly nested.
struct NumberList {
    path: String,
    /// The number of segments in `path`.
    depth: usize,
    numbers: Option<Numbers>,
    /// The largest length of the lists at each nesting level.
    shape: Vec<usize>,
}

/// Returns the type of the stored number: the integer type for an enum, otherwise `ty` without its byte order.
fn stored_type(ty: &Type) -> Type {
    match ty.declaration().map(|declaration| declaration.shape) {
        Some(Shape::Enum { size, .. }) => Type::Unsigned(size),
        _ => *ty.without_byte_order(),
    }
}

/// Returns `true` for a number, and for a list that contains only numbers, at any nesting level.
fn is_numeric(ty: &Type) -> bool {
    match ty.item_type_and_count() {
        Some((item, _)) => is_numeric(item),
        None => matches!(
            stored_type(ty),
            Type::Unsigned(_) | Type::Signed(_) | Type::Float(_)
        ),
    }
}

impl<F: FnMut(&str, FieldValue) -> ControlFlow<()>> Visitor for FieldVisitor<F> {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.list.is_none() && node.ty.item_type_and_count().is_some() && is_numeric(node.ty) {
            let (path, depth) = (path_text(node.path), node.path.len());
            self.list = Some(NumberList {
                path,
                depth,
                numbers: None,
                shape: Vec::new(),
            });
        }
        Visit::All
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let ty = stored_type(node.ty);
        if let Some(list) = &mut self.list {
            list.push(node.path, &ty, value);
            return ControlFlow::Continue(());
        }
        let value = match value {
            Value::Text(text) => Some(FieldValue::Text(text.clone().into())),
            value => {
                Numbers::from_first(&ty, value).map(|numbers| FieldValue::Numbers(numbers.into()))
            }
        };
        // A packed word has no value: its bit fields follow.
        value.map_or(ControlFlow::Continue(()), |value| {
            (self.visit)(&path_text(node.path), value)
        })
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        match self.list.take_if(|list| list.depth == node.path.len()) {
            Some(NumberList {
                path,
                numbers: Some(numbers),
                shape,
                ..
            }) => {
                // Lists of unequal lengths have no common shape.
                let is_regular = shape.iter().product::<usize>() == numbers.len();
                let flat = Array::from(numbers);
                let array = if is_regular {
                    Array { shape, ..flat }
                } else {
                    flat
                };
                (self.visit)(&path, FieldValue::Numbers(array))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl NumberList {
    fn push(&mut self, path: &[Segment], ty: &Type, value: &Value) {
        for (level, segment) in path.iter().skip(self.depth).enumerate() {
            let Segment::Index(index) = segment else {
                continue;
            };
            let length = usize::try_from(*index)
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            match self.shape.get_mut(level) {
                Some(largest) => *largest = length.max(*largest),
                None => self.shape.push(length),
            }
        }
        match &mut self.numbers {
            Some(numbers) => numbers.push(value),
            numbers @ None => *numbers = Numbers::from_first(ty, value),
        }
    }
}

#[cfg(feature = "serde")]
mod serde_impls {
    use std::ops::ControlFlow;

    use serde::ser::SerializeMap;
    use serde::{Serialize, Serializer};

    use super::Fields;

    impl Serialize for Fields<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            let mut written = Ok(());
            self.for_each(|path, value| {
                written = map.serialize_entry(path, &value);
                if written.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            written?;
            map.end()
        }
    }
}
