//! Decoded fields by path, for formats without a codec.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use meshspec_derive::ToJson;

use super::array::{Array, Numbers};
use crate::layout::declaration::{Shape, Type};
use crate::layout::expr::Value;
use crate::layout::walk::{self, Fault, Node, Segment, Visit, Visitor, path_text};
use crate::{Limits, Text};

/// The fields of a file by their declaration. Each visit decodes them again.
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
    /// A number, or all numbers of a list.
    Numbers(Array),
    /// A text.
    Text(Text),
}

impl<'f> Fields<'f> {
    /// Reads these bytes as one value of type `ty`.
    ///
    /// # Errors
    ///
    /// If the bytes do not follow the declaration.
    pub fn new(
        ty: &'static Type,
        bytes: impl Into<Cow<'f, [u8]>>,
        limits: &Limits,
    ) -> Result<Fields<'f>, Fault> {
        let bytes = bytes.into();
        walk::walk(ty, &bytes, limits, &mut ())?;
        Ok(Fields { ty, bytes, limits: *limits })
    }

    /// Calls `each` with the path and value of each field, until it breaks. A list of numbers is one value.
    pub fn for_each(&self, each: impl FnMut(&str, FieldValue) -> ControlFlow<()>) {
        let mut visitor = Each { each, list: None };
        // `new` has already checked the bytes.
        let _ = walk::walk(self.ty, &self.bytes, &self.limits, &mut visitor);
    }
}

impl fmt::Debug for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// Passes the value of each field to a closure.
struct Each<F> {
    each: F,
    /// The list whose numbers are being visited.
    list: Option<List>,
}

/// A list of numbers, or of lists of numbers.
struct List {
    path: String,
    /// The number of path segments.
    depth: usize,
    numbers: Option<Numbers>,
    /// The largest index at each nesting level, plus 1.
    shape: Vec<usize>,
}

/// Returns the integer type that stores an enum; other types are returned unchanged.
fn stored(ty: &Type) -> Type {
    match ty.declaration().map(|declaration| declaration.shape) {
        Some(Shape::Enum { size, .. }) => Type::Unsigned(size),
        _ => *ty.without_order(),
    }
}

/// Returns `true` if a list contains only numbers.
fn is_of_numbers(ty: &Type) -> bool {
    match ty.items() {
        Some((item, _)) => is_of_numbers(item),
        None => matches!(stored(ty), Type::Unsigned(_) | Type::Signed(_) | Type::Float(_)),
    }
}

impl<F: FnMut(&str, FieldValue) -> ControlFlow<()>> Visitor for Each<F> {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.list.is_none() && node.ty.items().is_some() && is_of_numbers(node.ty) {
            self.list = Some(List {
                path: path_text(node.path),
                depth: node.path.len(),
                numbers: None,
                shape: Vec::new(),
            });
        }
        Visit::All
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let ty = stored(node.ty);
        if let Some(list) = &mut self.list {
            list.push(node.path, &ty, value);
            return ControlFlow::Continue(());
        }
        let value = match value {
            Value::Text(text) => FieldValue::Text(text.clone().into()),
            value => match Numbers::of_type(&ty, value) {
                Some(mut numbers) => {
                    numbers.push(value);
                    FieldValue::Numbers(numbers.into())
                }
                // A packed word has no value: its bit fields follow.
                None => return ControlFlow::Continue(()),
            },
        };
        (self.each)(&path_text(node.path), value)
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        match self.list.take_if(|list| list.depth == node.path.len()) {
            Some(List { path, numbers: Some(numbers), shape, .. }) => {
                // Lists of unequal lengths have no common shape.
                let is_even = shape.iter().product::<usize>() == numbers.len();
                let flat = Array::from(numbers);
                let array = if is_even { Array { shape, ..flat } } else { flat };
                (self.each)(&path, FieldValue::Numbers(array))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl List {
    fn push(&mut self, path: &[Segment], ty: &Type, value: &Value) {
        let indices = path.iter().skip(self.depth).enumerate();
        for (level, segment) in indices {
            let Segment::Index(index) = segment else { continue };
            let length = usize::try_from(*index).unwrap_or(usize::MAX).saturating_add(1);
            match self.shape.get_mut(level) {
                Some(largest) => *largest = length.max(*largest),
                None => self.shape.push(length),
            }
        }
        if self.numbers.is_none() {
            self.numbers = Numbers::of_type(ty, value);
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.push(value);
        }
    }
}

#[cfg(feature = "serde")]
mod data {
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
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            written?;
            map.end()
        }
    }
}
