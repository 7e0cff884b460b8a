//! Sizes of values and offsets of fields, computed from a declaration.

use std::ops::RangeInclusive;

use super::data::{Declaration, Field, Shape, Type};
use crate::layout::expr::{Expr, Lookup, Scope};

impl Type {
    /// Returns the size in bytes; `None` if it depends on the content, imports or explicit offsets.
    pub fn size(&self) -> Option<u64> {
        self.size_in(&Scope::default(), &[])
    }

    /// Returns the smallest and the largest size of a value in bytes; `None` if the size is unbounded or unknown.
    pub(crate) fn size_range(&self) -> Option<RangeInclusive<u64>> {
        match self {
            Type::Declared(declaration) => declaration.size_range(),
            Type::Array(item, count) => {
                let (min, max) = item.size_range()?.into_inner();
                Some(min.checked_mul(*count)?..=max.checked_mul(*count)?)
            }
            other => other.size().map(|size| size..=size),
        }
    }

    /// Returns the size in bytes for `arguments` evaluated in `scope`; `None` if `scope` does not determine the size.
    pub(crate) fn size_in(&self, scope: &dyn Lookup, arguments: &[Expr]) -> Option<u64> {
        match self {
            Type::Unsigned(n) | Type::Signed(n) | Type::Float(n) => Some((*n).into()),
            Type::Declared(declaration) => {
                let values: Result<Vec<_>, _> = arguments.iter().map(|a| a.eval(scope)).collect();
                declaration.size(&declaration.bind(values.ok()?))
            }
            Type::BigEndian(number) => number.size_in(scope, arguments),
            other => {
                let (item, count) = other.item_type_and_count()?;
                item.size_in(scope, arguments)?.checked_mul(count?)
            }
        }
    }
}

impl Declaration {
    /// Returns the size in bytes of a value whose imports are bound in `scope`; `None` if it depends on the content or
    /// on explicit offsets.
    pub fn size(&self, scope: &dyn Lookup) -> Option<u64> {
        match self.shape {
            Shape::Enum { size, .. } | Shape::Bits { size, .. } => Some(size.into()),
            Shape::Struct(fields) => fields.iter().try_fold(self.magic.len() as u64, |sum, f| {
                sum.checked_add(f.size(scope)?)
            }),
            Shape::Choice(variants) => variants
                .iter()
                .find(|v| v.condition.eval_bool(scope) == Ok(true))?
                .field
                .size(scope),
        }
    }

    /// Returns the smallest and the largest size of a value in bytes; `None` if the size is unbounded or unknown.
    pub(crate) fn size_range(&self) -> Option<RangeInclusive<u64>> {
        if let Some(size) = self.size(&Scope::default()) {
            return Some(size..=size);
        }
        let mut ranges = self.fields().map(|field| field.size_range());
        match self.shape {
            Shape::Enum { .. } | Shape::Bits { .. } => None,
            Shape::Struct(_) => {
                let magic = self.magic.len() as u64;
                ranges.try_fold(magic..=magic, |sum, range| {
                    let range = range?;
                    Some(
                        sum.start().checked_add(*range.start())?
                            ..=sum.end().checked_add(*range.end())?,
                    )
                })
            }
            Shape::Choice(_) => {
                let first = ranges.next()??;
                ranges.try_fold(first, |all, range| {
                    let range = range?;
                    Some(*all.start().min(range.start())..=*all.end().max(range.end()))
                })
            }
        }
    }

    /// Returns the offset of a field in bytes, and the field. `scope` has the values of the imports.
    ///
    /// Returns `None` if there is no such field, it is absent, its offset is explicit, or `scope` does not determine
    /// its condition or offset.
    ///
    /// ```
    /// use meshspec::layout::Layout;
    /// use meshspec::layout::expr::Scope;
    ///
    /// #[derive(Layout)]
    /// #[br(little, magic = b"HGT1")]
    /// struct Heights {
    ///     count: u16,
    ///     #[br(count = count)]
    ///     metres: Vec<f32>,
    ///     unit: u8,
    /// }
    ///
    /// let declaration = Heights::TYPE.own_declaration().unwrap();
    /// let offset_of = |name, scope: &Scope| declaration.offset_of(name, scope).map(|(offset, _)| offset);
    /// assert_eq!(offset_of("metres", &Scope::default()), Some(6));
    /// assert_eq!(offset_of("unit", &Scope::default()), None);
    /// assert_eq!(offset_of("unit", &Scope::new(vec![("count", 3.into())])), Some(18));
    /// ```
    pub fn offset_of(&self, name: &str, scope: &dyn Lookup) -> Option<(u64, &'static Field)> {
        let Shape::Struct(fields) = self.shape else {
            return None;
        };
        let mut offset = self.magic.len() as u64;
        for field in fields {
            if field.name == name {
                let is_present = field
                    .condition
                    .is_none_or(|c| c.eval_bool(scope) == Ok(true));
                return (is_present && field.position.is_none()).then_some((offset, field));
            }
            offset = offset.checked_add(field.size(scope)?)?;
        }
        None
    }
}

impl Field {
    /// Returns the size in bytes; `None` if `scope` does not determine it, or the offset is explicit. The size of a
    /// look-ahead, or of a field whose condition does not hold, is 0.
    pub(crate) fn size(&self, scope: &dyn Lookup) -> Option<u64> {
        if self.position.is_some() {
            return None;
        }
        let is_present = self
            .condition
            .map_or(Ok(true), |condition| condition.eval_bool(scope));
        if self.lookahead || !is_present.ok()? {
            return Some(0);
        }
        match (self.ty.item_type_and_count(), self.count) {
            (Some((item, None)), Some(count)) => {
                let count = u64::try_from(count.eval_int(scope).ok()?).ok()?;
                item.size_in(scope, self.arguments)?.checked_mul(count)
            }
            _ => self.ty.size_in(scope, self.arguments),
        }
    }

    /// Returns the smallest and the largest size in bytes. `None` if the size is unbounded or unknown, the offset is
    /// explicit, or the field is a look-ahead.
    fn size_range(&self) -> Option<RangeInclusive<u64>> {
        // The conditions of later fields may depend on a look-ahead, so the sizes are not independent.
        if self.position.is_some() || self.lookahead {
            return None;
        }
        if let Some(size) = self.size(&Scope::default()) {
            return Some(size..=size);
        }
        let range = self.ty.size_range()?;
        Some(if self.condition.is_some() {
            0..=*range.end()
        } else {
            range
        })
    }
}
