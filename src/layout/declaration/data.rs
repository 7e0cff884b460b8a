//! The data model of declarations, as constants.

use super::{BitField, Block, Checksum, Constraint};
use crate::Rule;
use crate::layout::decoding::Decoding;
use crate::layout::expr::{Expr, Scope, Value};

/// The stored type of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Type {
    /// An unsigned integer of this many bytes.
    Unsigned(u32),
    /// A signed integer of this many bytes.
    Signed(u32),
    /// An IEEE 754 number of this many bytes.
    Float(u32),
    /// A big-endian number, enum or packed word of several bytes. All other types are little-endian.
    Big(&'static Type),
    /// A fixed number of items, `[T; N]`.
    Array(&'static Type, u64),
    /// A list with the [count](Field::count) of its field; without a count, it runs to the end.
    List(&'static Type),
    /// Bytes up to and including a NUL. In a list that runs to the end, the last string may lack it.
    NulString,
    /// A struct, choice, enum or packed word with a declaration.
    Declared(&'static Declaration),
}

/// A declared struct, choice, enum or packed word.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// The Rust name, without lifetimes.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The names of the arguments that the containing struct passes.
    pub imports: &'static [&'static str],
    /// The magic bytes at the start.
    pub magic: &'static [u8],
    /// The content.
    pub shape: Shape,
    /// The meaning of a packed word.
    pub decoding: Decoding,
}

impl PartialEq for Declaration {
    fn eq(&self, other: &Declaration) -> bool {
        let content = |declaration: &Declaration| {
            let Declaration { name, doc, imports, magic, shape, decoding } = *declaration;
            (name, doc, imports, magic, shape, decoding)
        };
        // Equal declarations are usually the same constant.
        std::ptr::eq(self, other) || content(self) == content(other)
    }
}

/// The content of a [`Declaration`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A sequence of fields.
    Struct(&'static [Field]),
    /// One of several variants: the first whose condition on the imports holds.
    Choice(&'static [Variant]),
    /// Named values of one integer.
    Enum {
        /// The size of the integer in bytes.
        size: u32,
        /// The values.
        values: &'static [EnumValue],
    },
    /// Bit fields of one word, lowest bits first.
    Bits {
        /// The size of the word in bytes.
        size: u32,
        /// The fields, lowest bit first.
        fields: &'static [BitField],
    },
}

/// One field of a struct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// The name; for an unnamed field, its index.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The type, without the `Option` of a conditional field.
    pub ty: Type,
    /// The condition under which the field exists.
    pub condition: Option<Expr>,
    /// The number of items of a [`Type::List`].
    pub count: Option<Expr>,
    /// Arguments for the imports of the field's type, or of its items.
    pub arguments: &'static [Expr],
    /// The offset from the start of the file, for a field that does not follow the previous one.
    pub position: Option<Expr>,
    /// Whether the next field starts at the same offset. A look-ahead is used only in expressions.
    pub lookahead: bool,
    /// Conditions verified after the field is read.
    pub checks: &'static [Check],
    /// The format's constraints on the value. [`check_bytes`](crate::layout::check_bytes) verifies them; the walker does
    /// not.
    pub constraints: &'static [Constraint],
    /// Properties of plausible values, such as unit vectors. Generated files satisfy them; nothing checks them.
    pub plausible: &'static [Constraint],
    /// The structure within the bytes of the field.
    pub block: Option<Block>,
    /// The checksum of this field, or of a range of fields that ends with it.
    pub checksum: Option<Checksum>,
    /// The rule for faults in this field, if it is not the general rule of the format.
    pub rule: Option<&'static Rule>,
    /// The meaning of the stored value or of its items.
    pub decoding: Decoding,
}

/// A condition on decoded fields that the format requires.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// The condition.
    pub condition: Expr,
    /// The message if it does not hold.
    pub message: &'static str,
}

/// A variant of a [`Shape::Choice`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant {
    /// The name.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The condition; the first variant whose condition holds is chosen.
    pub condition: Expr,
    /// The field, whose path is that of the choice itself.
    pub field: Field,
}

/// A named value of an enum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnumValue {
    /// The name.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The stored number.
    pub value: i128,
}

/// An array or list, with nested dimensions flattened.
#[derive(Debug, Clone)]
pub(crate) struct Flat {
    /// The type of the items.
    pub item: Type,
    /// The lengths of the dimensions, outermost first; `None` for a list.
    pub dimensions: Vec<Option<u64>>,
}

impl Flat {
    /// Returns `true` if the field determines the length of a dimension.
    pub fn is_list(&self) -> bool {
        self.dimensions.contains(&None)
    }

    /// Returns `true` for a list of bytes.
    pub fn is_bytes(&self) -> bool {
        self.item == Type::Unsigned(1) && self.dimensions == [None]
    }

    /// Returns the product of all fixed dimensions.
    pub fn items(&self) -> u64 {
        self.dimensions.iter().flatten().product()
    }
}

impl Type {
    /// Returns the type of a list.
    pub(crate) const fn list(item: &'static Type) -> Type {
        Type::List(item)
    }

    /// Returns the items of an array with their number, or those of a list with `None`; `None` for other types.
    pub(crate) fn items(&self) -> Option<(&'static Type, Option<u64>)> {
        match *self {
            Type::Array(item, count) => Some((item, Some(count))),
            Type::List(item) => Some((item, None)),
            _ => None,
        }
    }

    /// Returns the type of a number without its byte order.
    pub(crate) fn without_order(&self) -> &Type {
        if let Type::Big(number) = self { number } else { self }
    }

    /// Returns the declaration of the type itself, in either byte order; `None` for numbers, strings and lists.
    pub const fn own_declaration(&self) -> Option<&'static Declaration> {
        match *self {
            Type::Declared(declaration) => Some(declaration),
            Type::Big(number) => number.own_declaration(),
            _ => None,
        }
    }

    /// Returns the innermost item type and all dimensions.
    pub(crate) fn flat(&self) -> Flat {
        let mut flat = Flat { item: *self, dimensions: Vec::new() };
        while let Some((item, count)) = flat.item.items() {
            flat.item = *item;
            flat.dimensions.push(count);
        }
        flat
    }

    /// Returns the declaration of the type or of its innermost items, if any.
    pub(crate) fn declaration(&self) -> Option<&'static Declaration> {
        match self {
            Type::Declared(declaration) => Some(declaration),
            Type::Big(number) => number.declaration(),
            other => other.items()?.0.declaration(),
        }
    }

    /// Returns the magic bytes of the type; empty for most types.
    pub fn magic(&self) -> &'static [u8] {
        if let Type::Declared(declaration) = self { declaration.magic } else { &[] }
    }
}

impl Declaration {
    /// Returns the variants; empty unless the declaration is a choice.
    pub(crate) fn variants(&self) -> &'static [Variant] {
        if let Shape::Choice(variants) = self.shape { variants } else { &[] }
    }

    /// Returns the fields of a struct, or the field of each variant of a choice.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static Field> + Clone + use<> {
        let fields: &[Field] = if let Shape::Struct(fields) = self.shape { fields } else { &[] };
        fields.iter().chain(self.variants().iter().map(|variant| &variant.field))
    }

    /// Returns a scope that binds the imports to `arguments`, in order.
    pub fn bind(&self, arguments: impl IntoIterator<Item = Value>) -> Scope {
        Scope::new(self.imports.iter().copied().zip(arguments).collect())
    }
}

impl Field {
    /// A one-byte field without attributes, the base for all others.
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
        plausible: &[],
        block: None,
        checksum: None,
        rule: None,
        decoding: Decoding::NONE,
    };

    /// Returns a field with the documentation and constraints of a bit field.
    pub(crate) fn of_bits(field: &BitField) -> Field {
        Field {
            name: field.name,
            doc: field.doc,
            constraints: field.constraints,
            decoding: field.decoding,
            ..Field::PLAIN
        }
    }

    /// Returns the type of the content: that of the block, if the field holds one.
    pub(crate) fn content(&self) -> Type {
        self.block.map_or(self.ty, |block| block.content)
    }
}
