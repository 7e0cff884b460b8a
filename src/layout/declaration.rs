//! The data model: declarations as constants.

use super::{BitField, Block, Constraint, Decoding, Expr, Scope, Value};

/// How a value lies in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Type {
    /// An unsigned integer of this many bytes.
    Unsigned(u32),
    /// A signed integer of this many bytes.
    Signed(u32),
    /// An IEEE 754 number of this many bytes.
    Float(u32),
    /// A fixed number of items, `[T; N]`.
    Array(&'static Type, u64),
    /// Items whose number the field's [count](Field::count) gives, or that run to the end where it has none.
    List(&'static Type),
    /// Bytes up to and including a NUL. Only the last one of a list that runs to the end may lack its NUL.
    NulString,
    /// A struct, packed word or enum with a declaration of its own.
    Declared(&'static Declaration),
}

/// A declared struct, packed word or enum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Declaration {
    /// The Rust name, without lifetimes.
    pub name: &'static str,
    /// The documentation comment.
    pub doc: &'static str,
    /// Names of the arguments that the containing struct passes.
    pub imports: &'static [&'static str],
    /// The bytes that a value starts with.
    pub magic: &'static [u8],
    /// What it is made of.
    pub shape: Shape,
    /// What a packed word stands for.
    pub decoding: Decoding,
}

/// What a [`Declaration`] is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Fields one after the other.
    Struct(&'static [Field]),
    /// One of several structs, chosen by the arguments that the container passes: the first whose condition holds.
    Choice(&'static [Variant]),
    /// Named values of one integer.
    Enum {
        /// Size of the integer in bytes.
        size: u32,
        /// The values.
        values: &'static [EnumValue],
    },
    /// Bit fields of one little-endian word, the lowest bits first.
    Bits {
        /// Size of the word in bytes.
        size: u32,
        /// The fields, lowest bit first.
        fields: &'static [BitField],
    },
}

/// One field of a struct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// The name; the position as a number where the field has none.
    pub name: &'static str,
    /// The documentation comment.
    pub doc: &'static str,
    /// The type, without the `Option` of a conditional field.
    pub ty: Type,
    /// The field exists only where this holds.
    pub condition: Option<Expr>,
    /// Number of items of a [`Type::List`].
    pub count: Option<Expr>,
    /// Values for the imports of the field's type, or of its items.
    pub arguments: &'static [Expr],
    /// Offset from the start of the file, for a field that does not follow the one before it.
    pub position: Option<Expr>,
    /// Whether the next field starts where this one does: a look ahead, for expressions only.
    pub lookahead: bool,
    /// What must hold once the field is read, with the message for when it does not.
    pub checks: &'static [Check],
    /// What its values must be for the rules of the format to hold; the walker does not look at them, [`check`](super::check) does.
    pub constraints: &'static [Constraint],
    /// What the bytes of the field hold in turn.
    pub block: Option<Block>,
    /// Code of the rule that a fault in this field breaks, where it is not the format's general one.
    pub rule: Option<&'static str>,
    /// What the stored value stands for, or each of its items.
    pub decoding: Decoding,
}

/// A condition on decoded fields that the format demands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// What must hold.
    pub condition: Expr,
    /// The message for when it does not.
    pub message: &'static str,
}

/// One alternative of a [`Shape::Choice`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant {
    /// The name.
    pub name: &'static str,
    /// The documentation comment.
    pub doc: &'static str,
    /// When this alternative is the one.
    pub condition: Expr,
    /// Its only field, whose place in paths is that of the choice itself.
    pub field: Field,
}

/// One named value of an integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnumValue {
    /// The name.
    pub name: &'static str,
    /// The documentation comment.
    pub doc: &'static str,
    /// The number in the file.
    pub value: i128,
}

impl Type {
    /// The bytes that a value starts with, whatever it is; none for most types.
    pub fn magic(&self) -> &'static [u8] {
        if let Type::Declared(declaration) = self { declaration.magic } else { &[] }
    }

    /// The size in bytes, if neither content nor arguments have a say in it.
    pub fn size(&self) -> Option<u64> {
        self.size_in(&Scope::default(), &[])
    }

    /// The size in bytes of a value with these arguments from `scope`, if its own content has no say in it.
    pub(crate) fn size_in(&self, scope: &Scope, arguments: &[Expr]) -> Option<u64> {
        match self {
            Type::Unsigned(n) | Type::Signed(n) | Type::Float(n) => Some((*n).into()),
            Type::Array(item, n) => item.size_in(scope, arguments)?.checked_mul(*n),
            Type::List(_) | Type::NulString => None,
            Type::Declared(declaration) => {
                let values: Result<Vec<_>, _> = arguments.iter().map(|a| a.eval(scope)).collect();
                declaration.size(&declaration.bind(values.ok()?))
            }
        }
    }
}

impl Declaration {
    /// The scope in which the fields see `arguments` under the names of the imports.
    pub fn bind(&self, arguments: impl IntoIterator<Item = Value>) -> Scope {
        Scope::new(self.imports.iter().copied().zip(arguments).collect())
    }

    /// The size in bytes of a value whose imports are bound in `scope`, if its own content has no say in it.
    pub fn size(&self, scope: &Scope) -> Option<u64> {
        match self.shape {
            Shape::Enum { size, .. } | Shape::Bits { size, .. } => Some(size.into()),
            Shape::Struct(fields) => {
                fields.iter().try_fold(self.magic.len() as u64, |sum, f| sum.checked_add(f.size(scope)?))
            }
            Shape::Choice(variants) => {
                let chosen = variants.iter().find(|v| v.condition.eval_bool(scope) == Ok(true))?;
                chosen.field.size(scope)
            }
        }
    }

    /// Offset and field of `name` in a value whose imports are bound in `scope`; `None` if it is not there or its
    /// offset depends on the value's content.
    pub fn offset_of(&self, name: &str, scope: &Scope) -> Option<(u64, &'static Field)> {
        let Shape::Struct(fields) = self.shape else { return None };
        let mut offset = self.magic.len() as u64;
        for field in fields {
            if field.name == name {
                let there = field.condition.is_none_or(|c| c.eval_bool(scope) == Ok(true));
                return (there && field.position.is_none()).then_some((offset, field));
            }
            offset = offset.checked_add(field.size(scope)?)?;
        }
        None
    }
}

impl Field {
    /// A field that simply follows the one before it: what the others are made from.
    pub const PLAIN: Field = Field {
        name: "",
        doc: "",
        ty: Type::Unsigned(1),
        condition: None,
        count: None,
        arguments: &[],
        position: None,
        lookahead: false,
        checks: &[],
        constraints: &[],
        block: None,
        rule: None,
        decoding: Decoding::NONE,
    };

    /// The size in bytes where it can be known from `scope` alone; 0 if the field's condition does not hold.
    pub(crate) fn size(&self, scope: &Scope) -> Option<u64> {
        if self.position.is_some() {
            return None;
        }
        if self.lookahead {
            return Some(0);
        }
        match self.condition.map(|c| c.eval_bool(scope)) {
            Some(Ok(false)) => return Some(0),
            Some(Err(_)) => return None,
            Some(Ok(true)) | None => {}
        }
        match (self.ty, self.count) {
            (Type::List(item), Some(count)) => {
                let count = u64::try_from(count.eval_int(scope).ok()?).ok()?;
                item.size_in(scope, self.arguments)?.checked_mul(count)
            }
            (ty, _) => ty.size_in(scope, self.arguments),
        }
    }
}
