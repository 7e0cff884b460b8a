//! Computes the size of a table's entries at compile time.

use super::declaration::{Declaration, Field, Shape, Type};
use super::expr::{BinaryOp, Expr};

impl Type {
    /// Returns the size of a value in bytes; `None` for choices, and if values may differ in size. Can be used in
    /// constant expressions, for example for the size of a table entry.
    ///
    /// Ignores look-aheads and fields at explicit offsets. Two successive fields with opposite conditions and equal
    /// sizes count once.
    ///
    /// ```
    /// use binrw::binrw;
    /// use meshspec::layout::Layout;
    ///
    /// #[derive(Layout)]
    /// #[binrw]
    /// #[brw(little)]
    /// struct Entry {
    ///     kind: u8,
    ///     #[br(if(kind == 0))]
    ///     near: Option<u16>,
    ///     #[br(if(kind != 0))]
    ///     far: Option<[u8; 2]>,
    /// }
    ///
    /// impl Entry {
    ///     const SIZE: u64 = Entry::TYPE.stride().expect("entries have a fixed size");
    /// }
    ///
    /// assert_eq!(Entry::SIZE, 3);
    /// ```
    pub const fn stride(&self) -> Option<u64> {
        match *self {
            Type::BigEndian(number) => number.stride(),
            Type::Unsigned(size) | Type::Signed(size) | Type::Float(size) => Some(size as u64),
            Type::Array(item, count) => match item.stride() {
                Some(size) => size.checked_mul(count),
                None => None,
            },
            Type::List(_) | Type::NulString => None,
            Type::Declared(declaration) => declaration.stride(),
        }
    }
}

impl Declaration {
    const fn stride(&self) -> Option<u64> {
        let fields = match self.shape {
            Shape::Enum { size, .. } | Shape::Bits { size, .. } => return Some(size as u64),
            Shape::Choice(_) => return None,
            Shape::Struct(fields) => fields,
        };
        let (mut stride, mut index) = (self.magic.len() as u64, 0);
        while index < fields.len() {
            let field = &fields[index];
            index += 1;
            if field.position.is_some() || field.lookahead {
                continue;
            }
            let Some(size) = field.ty.stride() else {
                return None;
            };
            if field.condition.is_some() {
                if index == fields.len() || !field.is_alternative_to(&fields[index]) {
                    return None;
                }
                index += 1;
            }
            let Some(sum) = stride.checked_add(size) else {
                return None;
            };
            stride = sum;
        }
        Some(stride)
    }
}

impl Field {
    /// Returns `true` if the fields have opposite conditions and equal sizes.
    const fn is_alternative_to(&self, other: &Field) -> bool {
        let has_equal_size =
            matches!((self.ty.stride(), other.ty.stride()), (Some(a), Some(b)) if a == b);
        let has_opposite_condition = match (&self.condition, &other.condition) {
            (Some(Expr::Binary(op, a, b)), Some(Expr::Binary(other, c, d))) => {
                op.is_opposite_of(*other) && a.is_same_operand(c) && b.is_same_operand(d)
            }
            _ => false,
        };
        has_equal_size && has_opposite_condition
    }
}

impl BinaryOp {
    const fn is_opposite_of(self, other: BinaryOp) -> bool {
        matches!(
            (self, other),
            (BinaryOp::Equal, BinaryOp::NotEqual) | (BinaryOp::NotEqual, BinaryOp::Equal)
        )
    }
}

impl Expr {
    /// Returns `true` if both expressions are the same number or path.
    const fn is_same_operand(&self, other: &Expr) -> bool {
        match (self, other) {
            (Expr::Path(a), Expr::Path(b)) => {
                let mut index = 0;
                while index < a.len() && index < b.len() && is_same_name(a[index], b[index]) {
                    index += 1;
                }
                index == a.len() && index == b.len()
            }
            _ => matches!((self.as_literal(), other.as_literal()), (Some(a), Some(b)) if a == b),
        }
    }
}

const fn is_same_name(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}
