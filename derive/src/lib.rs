//! `#[derive(Layout)]`: turns a binrw or modular-bitfield declaration into constant data.
//!
//! The derive is placed above `#[binrw]` or `#[bitfield]`, reads the same attributes, and emits an implementation
//! of `meshspec::layout::Layout`. It supports a subset of binrw. Anything unsupported is a compile error, so the
//! layout is never less precise than the codec.
//!
//! The derive supports:
//!
//! - on a struct or enum: `little` or `big`, `magic = b"…"`, `import(name: Type, …)`, `repr = u8`. Imported
//!   references are visible only to the codec, except slices, which are lists;
//! - on a field: `count`, `if(…)`, `args(…)`, `args { inner: (…) }`, `assert(…, "message")`;
//!   `seek_before = SeekFrom::Start(…)` with `restore_position`; `restore_position` alone (a look-ahead at the next
//!   field); `temp`; `calc` and `try_calc` (a field that is not stored); `parse_with` with a function of
//!   `meshspec::bulk`, with `args_iter(list.iter().map(|item| (…)))`, or with `#[layout(stored_as = Type)]`; and directives of `bw` on values, such as
//!   `bw(calc = …)`;
//! - on a variant: `pre_assert(…)`;
//! - `#[bitfield(bits = N)]` with `#[bits]` and `#[skip]`;
//! - `#[repr(C)]` structs of plain numbers without binrw's attributes, which implement `meshspec::bulk::PlainData` and
//!   are read in bulk;
//! - `#[layout(…)]`, for properties that neither crate can express:
//!   - on a byte field that contains another structure: `content = Type`, `packing = …`, `size = …`, `args(…)`,
//!     `inline`. A packing is `stored`, `lz4`, `zstd` or the name of a constant: `NAME`, or `NAME(dialect)` with a
//!     value that selects its encoding;
//!   - `checksum = field` with `by = CONSTANT(…)`; optionally also `from = field` or `from = self`, and `none = 0`;
//!   - constraints (`constraints.rs`) and `rule = rules::NAME`;
//!   - the decoding of a stored value or packed word: `decoded = function`, `formula = "x / 255"` and
//!     `unit = "m"`;
//!   - `stored_as = Type`, and `name = "…"` for the field's name in the layout;
//!   - on packed words: `outer(count)`, the fields and imports of the enclosing struct that constraints of bit
//!     fields refer to;
//!   - on bit fields: `signed`, `reserved`, and `declared` for a nested packed word with a layout.

#![forbid(unsafe_code)]

mod attributes;
mod bits;
mod columns;
mod constraints;
mod directives;
mod enums;
mod expression;
mod field_attributes;
#[cfg(test)]
mod rejected;
mod stored;
mod structs;
mod to_json;
#[cfg(test)]
mod tour;
mod types;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;

use attributes::{Container, Endian};
use expression::{int_type_constant, option_constant};
use syn::ext::IdentExt;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Ident, Lit, Meta, MetaNameValue, Result,
};

/// Implements `meshspec::layout::Layout`. See the [crate documentation](crate).
#[proc_macro_derive(Layout, attributes(br, bw, brw, bits, skip, layout))]
pub fn derive_layout(input: TokenStream) -> TokenStream {
    derive(input, expand)
}

/// Generates typed columns for a list of records, from the declaration of a record whose attributes depend on a
/// format word. The options are `#[columns(records = Vertices, format = VertexFormat)]` on the struct and
/// `#[columns(name = plural)]` on fields.
///
/// Emits a struct `Columns` with one list per attribute. The record gets a method `mismatch`. The type of the records
/// gets a method per attribute, `to_columns` and `from_columns`; it must provide `column(name)`, `fill(name, values)`
/// and `zeroed(format, count)`.
#[proc_macro_derive(Columns, attributes(columns))]
pub fn derive_columns(input: TokenStream) -> TokenStream {
    derive(input, columns::expand)
}

/// Implements `meshspec::layout::walk::StoredFields`: the fields that a file stores without conversion, by their names
/// in the layout. Fields that binrw removes (`temp`), ignores, computes (`calc`), maps, writes with arguments, or
/// writes with a function other than `bulk::write` are excluded.
#[proc_macro_derive(StoredFields, attributes(br, bw, brw, bits, skip, layout))]
pub fn derive_stored_fields(input: TokenStream) -> TokenStream {
    derive(input, stored::expand)
}

/// Implements serde's `Serialize` for a report. Expands to nothing unless meshspec's feature `serde` is enabled.
///
/// Absent options and empty lists are omitted. Floats that are not finite are `null`. The variants of an enum are named in
/// snake case. The attributes of binrw and modular-bitfield have no effect: a packed word is no report.
///
/// `#[json(…)]` declares exceptions:
///
/// - on an enum: serde's `untagged`;
/// - on a field: `always` (`null` or an empty list if absent), `optional` (omitted if it is the default), `skip`,
///   `flatten`, `name = "…"`, and `with = "function"`;
/// - on a variant: `name = "…"`.
#[proc_macro_derive(ToJson, attributes(json))]
pub fn derive_to_json(input: TokenStream) -> TokenStream {
    derive(input, to_json::expand)
}

/// Returns the code that a derive generates for a type, or a compile error.
fn derive(input: TokenStream, expand: impl FnOnce(&DeriveInput) -> Result<Tokens>) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

fn expand(input: &DeriveInput) -> Result<Tokens> {
    let container = Container::parse(&input.attrs)?;
    if !attributes::has_layout_attributes(&input.attrs) {
        return Err(Error::new(
            input.ident.span(),
            "no codec attribute found: place the derive above `#[binrw]` or `#[bitfield]`; a struct read in \
             bulk needs `#[repr(C)]`",
        ));
    }
    let has_fields = matches!(input.data, Data::Struct(_)) && container.bits.is_none();
    if let (Some(magic), false) = (&container.magic, has_fields) {
        return Err(Error::new(
            magic.span(),
            "only structs with fields can have magic bytes",
        ));
    }
    let with_endian = |endian: Endian| {
        let (shape, computed, constants) = match &input.data {
            Data::Struct(data) => match container.bits {
                Some(bits) => {
                    let (shape, constants) =
                        bits::word_shape(&input.ident, &data.fields, bits, &container.outer)?;
                    (shape, Vec::new(), constants)
                }
                None => {
                    let (shape, computed) =
                        structs::struct_shape(&data.fields, &container.imports, endian)?;
                    (shape, computed, structs::plain_impl(input, &data.fields))
                }
            },
            Data::Enum(data) => (
                enums::enum_shape(data, &container, endian)?,
                Vec::new(),
                quote!(),
            ),
            Data::Union(data) => {
                return Err(Error::new(
                    data.union_token.span,
                    "Layout supports only structs and enums",
                ));
            }
        };
        Ok((
            type_constant(input, &container, (&shape, &computed), endian),
            constants,
        ))
    };
    let (ty, constants) = with_endian(container.endian.unwrap_or(Endian::Little))?;
    let ident = &input.ident;
    let big = match (container.endian, container.bits) {
        // Bulk data has a fixed byte order.
        _ if !attributes::has_codec(&input.attrs) => None,
        (None, None) => Some(with_endian(Endian::Big)?.0),
        (None, Some(9..)) => {
            let message = format!(
                "the packed word {ident} in a big-endian struct must declare its byte order: `#[brw(big)]` or `#[brw(little)]`"
            );
            Some(quote!(::core::panic!(#message)))
        }
        _ => None,
    };
    let big = big.map(|big| quote!(const BIG: ::meshspec::layout::declaration::Type = #big;));
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics ::meshspec::layout::Layout for #ident #ty_generics #where_clause {
            const TYPE: ::meshspec::layout::declaration::Type = #ty;
            #big
        }
        #constants
    })
}

/// Returns the `Type` of a declaration with this shape and these computed values.
fn type_constant(
    input: &DeriveInput,
    container: &Container,
    (shape, computed): (&Tokens, &[Tokens]),
    endian: Endian,
) -> Tokens {
    let name = unraw_name(&input.ident);
    let (doc, decoding) = (doc_text(&input.attrs), &container.decoding);
    let imports = &container.imports.values;
    let import_types = container
        .imports
        .types
        .iter()
        .map(|ty| option_constant(ty.map(int_type_constant)));
    let magic = container
        .magic
        .as_ref()
        .map_or_else(|| quote!(&[]), |magic| quote!(#magic));
    let declared = quote! {
        ::meshspec::layout::declaration::Type::Declared(&::meshspec::layout::declaration::Declaration {
            name: #name,
            doc: #doc,
            imports: &[#(#imports),*],
            import_types: &[#(#import_types),*],
            magic: #magic,
            shape: #shape,
            computed: &[#(#computed),*],
            decoding: #decoding,
        })
    };
    // An enum or packed word is stored as a number; a byte has no byte order.
    let size = match (&container.repr, container.bits) {
        _ if endian == Endian::Little => return declared,
        (Some(repr), _) => quote!(::core::mem::size_of::<#repr>()),
        (None, Some(bits)) => quote!(#bits / 8),
        (None, None) => return declared,
    };
    quote! {{
        const DECLARED: ::meshspec::layout::declaration::Type = #declared;
        if #size > 1 { ::meshspec::layout::declaration::Type::BigEndian(&DECLARED) } else { DECLARED }
    }}
}

/// Returns the name without the `r#` of a raw identifier.
fn unraw_name(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// Returns the text of the doc comment: its lines without the leading space, trimmed.
fn doc_text(attrs: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attr in attrs {
        if let Meta::NameValue(MetaNameValue { path, value, .. }) = &attr.meta
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = value
            && path.is_ident("doc")
        {
            let line = text.value();
            lines.push(line.strip_prefix(' ').map(str::to_owned).unwrap_or(line));
        }
    }
    lines.join("\n").trim().to_owned()
}
