//! The data model of declarations, as constants.

use super::{BitField, Block, Checksum, Constraint};
use crate::Rule;
use crate::layout::decoding::Decoding;
use crate::layout::expr::{Expr, IntType, Scope, Value};

/// The stored type of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Type {
    /// An unsigned integer; the number is its size in bytes.
    Unsigned(u32),
    /// A signed integer; the number is its size in bytes.
    Signed(u32),
    /// An IEEE 754 number; the number is its size in bytes.
    Float(u32),
    /// A big-endian number, enum or packed word of several bytes. Other types are little-endian.
    BigEndian(&'static Type),
    /// An array with a fixed number of items, `[T; N]`.
    Array(&'static Type, u64),
    /// A list. Its number of items is the [count](Field::count) of its field; without a count, it extends to the end of
    /// the file or block.
    List(&'static Type),
    /// A string with a terminating NUL. The last string in a list without a count may lack the NUL.
    NulString,
    /// A declared struct, choice, enum or packed word.
    Declared(&'static Declaration),
}

/// A declared struct, choice, enum or packed word.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// The name of the Rust type, without lifetimes.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The names of the imports, for which the containing struct passes arguments.
    pub imports: &'static [&'static str],
    /// The integer type of each import; `None` if the import is not an integer, or its type is an alias.
    pub import_types: &'static [Option<IntType>],
    /// The magic bytes at the start; empty for a type without magic bytes.
    pub magic: &'static [u8],
    /// The content.
    pub shape: Shape,
    /// The values of a struct that a codec computes and that no file stores.
    pub computed: &'static [Computed],
    /// How the value of a packed word is decoded.
    pub decoding: Decoding,
}

impl PartialEq for Declaration {
    fn eq(&self, other: &Declaration) -> bool {
        let content = |declaration: &Declaration| {
            let Declaration {
                name,
                doc,
                imports,
                import_types,
                magic,
                shape,
                computed,
                decoding,
            } = *declaration;
            (
                name,
                doc,
                imports,
                import_types,
                magic,
                shape,
                computed,
                decoding,
            )
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
    /// A choice: the first variant whose condition on the imports holds.
    Choice(&'static [Variant]),
    /// An integer with named values.
    Enum {
        /// The size of the integer in bytes.
        size: u32,
        /// The values.
        values: &'static [EnumValue],
    },
    /// A packed word.
    Bits {
        /// The size of the word in bytes.
        size: u32,
        /// The bit fields, starting with the lowest bits.
        fields: &'static [BitField],
    },
}

/// One field of a struct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// The name; for a field of a tuple struct, its index.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The type, without the `Option` of a conditional field.
    pub ty: Type,
    /// The integer type of the field in a codec, if a function converts the stored value. `None` if both types are the
    /// same, or if the field is not an integer.
    pub codec_type: Option<IntType>,
    /// The condition under which the field exists; `None` if it always exists.
    pub condition: Option<Expr>,
    /// The number of items in a [`Type::List`], or the size of a [block](Field::block) in bytes.
    pub count: Option<Expr>,
    /// The arguments for the imports of the field's type or of its items.
    pub arguments: &'static [Expr],
    /// Another list, if each item of this list takes arguments from the item of that list with the same index. Both lists
    /// have the same number of items.
    pub each: Option<Each>,
    /// The explicit offset from the start of the file or unpacked block; `None` if the field follows the previous one.
    pub position: Option<Expr>,
    /// Whether the field is a look-ahead: the next field starts at the same offset.
    pub lookahead: bool,
    /// The conditions that decoding checks after reading the field.
    pub checks: &'static [Check],
    /// The constraints on the value. [`check_bytes`](crate::layout::check_bytes) checks them; the walker does not.
    pub constraints: &'static [Constraint],
    /// Constraints on plausible values, such as unit vectors. Generated files satisfy them if
    /// [plausible](crate::layout::generate::Config) files are requested; no check enforces them.
    pub plausible: &'static [Constraint],
    /// The structure that the bytes of the field contain.
    pub block: Option<Block>,
    /// The checksum of this field, or of a range of fields that ends with it.
    pub checksum: Option<Checksum>,
    /// The rule for failed checks, missing NULs and invalid blocks in this field, and for wrong checksums that it
    /// stores. `None` for the general rule of the format.
    pub rule: Option<&'static Rule>,
    /// How the stored value or its items are decoded.
    pub decoding: Decoding,
}

/// A list whose items provide arguments for the items of another list. Declared as binrw reads it:
/// `parse_with = args_iter(list.iter().map(|item| (item.field, …)))`.
///
/// ```
/// use binrw::binrw;
/// use binrw::helpers::args_iter;
/// use meshspec::layout::Layout;
/// use meshspec::layout::dump::Dump;
///
/// /// The number of samples of a channel.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Channel {
///     len: u8,
/// }
///
/// /// The samples of a channel.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// #[br(import(len: u8))]
/// struct Samples {
///     #[br(count = len)]
///     values: Vec<u16>,
/// }
///
/// /// All channels, then their samples.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Recording {
///     #[br(temp)]
///     #[bw(try_calc = u8::try_from(channels.len()))]
///     count: u8,
///     #[br(count = count)]
///     channels: Vec<Channel>,
///     #[br(parse_with = args_iter(channels.iter().map(|channel| (channel.len,))))]
///     samples: Vec<Samples>,
/// }
///
/// let mut text = Vec::new();
/// Dump::new(&Recording::TYPE, &[2, 0, 1, 7, 0]).write_text(&mut text, false)?;
/// let text = String::from_utf8(text).unwrap();
/// assert!(text.contains("samples[1]: Samples") && text.contains("[7]"), "{text}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Each {
    /// The path of the list in the struct.
    pub list: &'static [&'static str],
    /// The name of its current item in the [arguments](Field::arguments).
    pub item: &'static str,
}

/// A condition on fields that must hold for a file to be decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// The condition.
    pub condition: Expr,
    /// The error message if the condition does not hold.
    pub message: &'static str,
}

/// A value that a codec computes while reading (`calc`). An overflow is a fault of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Computed {
    /// The name of the field.
    pub name: &'static str,
    /// The expression over fields, imports and preceding computed values.
    pub value: Expr,
    /// The type of the value; `None` if it is not the name of an integer type.
    pub ty: Option<IntType>,
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
    /// The content of the variant. Its path is the path of the choice.
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

/// A type with its nested arrays and lists flattened.
#[derive(Debug, Clone)]
pub(crate) struct FlatType {
    /// The type of the innermost items.
    pub item: Type,
    /// The lengths of the dimensions, outermost first; `None` for a list. Empty for a type without items.
    pub dimensions: Vec<Option<u64>>,
}

impl FlatType {
    /// Returns `true` if a dimension is a list.
    pub fn is_list(&self) -> bool {
        self.dimensions.contains(&None)
    }

    /// Returns `true` for a list of bytes.
    pub fn is_bytes(&self) -> bool {
        self.item == Type::Unsigned(1) && self.dimensions == [None]
    }

    /// Returns the product of all fixed dimensions.
    pub fn fixed_item_count(&self) -> u64 {
        self.dimensions.iter().flatten().product()
    }
}

impl Type {
    /// Returns the type of a list of `item`.
    pub(crate) const fn list(item: &'static Type) -> Type {
        Type::List(item)
    }

    /// Returns the item type of an array or list, and the length of an array; `None` for other types.
    pub(crate) fn item_type_and_count(&self) -> Option<(&'static Type, Option<u64>)> {
        match *self {
            Type::Array(item, count) => Some((item, Some(count))),
            Type::List(item) => Some((item, None)),
            _ => None,
        }
    }

    /// Returns the type without [`Type::BigEndian`].
    pub(crate) fn without_byte_order(&self) -> &Type {
        if let Type::BigEndian(number) = self {
            number
        } else {
            self
        }
    }

    /// Returns the declaration of a struct, choice, enum or packed word in either byte order; `None` for other types.
    pub const fn own_declaration(&self) -> Option<&'static Declaration> {
        match *self {
            Type::Declared(declaration) => Some(declaration),
            Type::BigEndian(number) => number.own_declaration(),
            _ => None,
        }
    }

    /// Returns the type with its nested arrays and lists flattened.
    pub(crate) fn flatten(&self) -> FlatType {
        let mut flat = FlatType {
            item: *self,
            dimensions: Vec::new(),
        };
        while let Some((item, count)) = flat.item.item_type_and_count() {
            flat.item = *item;
            flat.dimensions.push(count);
        }
        flat
    }

    /// Returns the declaration of the type, or that of its innermost items; `None` for numbers and strings.
    pub(crate) fn declaration(&self) -> Option<&'static Declaration> {
        match self {
            Type::Declared(declaration) => Some(declaration),
            Type::BigEndian(number) => number.declaration(),
            other => other.item_type_and_count()?.0.declaration(),
        }
    }

    /// Returns the magic bytes of the type; empty if it has none.
    pub fn magic(&self) -> &'static [u8] {
        if let Type::Declared(declaration) = self {
            declaration.magic
        } else {
            &[]
        }
    }
}

impl Declaration {
    /// Returns the variants of a choice; empty for other declarations.
    pub(crate) fn variants(&self) -> &'static [Variant] {
        if let Shape::Choice(variants) = self.shape {
            variants
        } else {
            &[]
        }
    }

    /// Returns the fields of a struct, or the field of each variant of a choice; empty for other declarations.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static Field> + Clone + use<> {
        let fields: &[Field] = if let Shape::Struct(fields) = self.shape {
            fields
        } else {
            &[]
        };
        fields
            .iter()
            .chain(self.variants().iter().map(|variant| &variant.field))
    }

    /// Returns a scope with the values of the imports, given in order.
    pub fn bind(&self, arguments: impl IntoIterator<Item = Value>) -> Scope {
        Scope::new(self.imports.iter().copied().zip(arguments).collect())
    }
}

impl Field {
    /// A one-byte field without attributes, for use with struct update syntax.
    pub const PLAIN: Field = Field {
        name: "",
        doc: "",
        ty: Type::Unsigned(1),
        codec_type: None,
        condition: None,
        count: None,
        arguments: &[],
        each: None,
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

    /// Returns a field with the name, documentation, constraints and decoding of a bit field.
    pub(crate) fn from_bit_field(field: &BitField) -> Field {
        let BitField {
            name,
            doc,
            constraints,
            decoding,
            ..
        } = *field;
        Field {
            name,
            doc,
            constraints,
            decoding,
            ..Field::PLAIN
        }
    }

    /// Returns the type of the block's content, or the type of the field if it has no block.
    pub(crate) fn content_type(&self) -> Type {
        self.block.map_or(self.ty, |block| block.content)
    }
}
