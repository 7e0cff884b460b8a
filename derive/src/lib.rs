//! `#[derive(Layout)]`: a binrw or modular-bitfield declaration as constant data.
//!
//! The derive stands above `#[binrw]` or `#[bitfield]`, reads the same attributes as they do, and emits an
//! implementation of `meshspec::layout::Layout`. It understands a subset of what binrw does; whatever it does not
//! understand is a compile error, so that the description can never say less than the codec does.
//!
//! Understood are
//!
//! - on a struct or enum: `little` or `big`, `magic = b"…"`, `import(name: Type, …)`, `repr = u8`; imported references are the
//!   codec's own business;
//! - on a field: `count`, `if(…)`, `args(…)`, `args { inner: (…) }`, `assert(…, "message")`,
//!   `seek_before = SeekFrom::Start(…)` with `restore_position`, `restore_position` alone (a look ahead at what the
//!   next field is), `temp`, `calc` and `try_calc` (the field lies nowhere), `parse_with` with a function of
//!   `meshspec::bulk` or with `#[layout(stored_as = Type)]`, and what `bw` says of values, such as `bw(calc = …)`;
//! - on a variant: `pre_assert(…)`;
//! - `#[bitfield(bits = N)]` with `#[bits]` and `#[skip]`;
//! - `#[repr(C)]` structs of plain numbers without binrw's attributes: they implement `meshspec::bulk::Plain` and are read
//!   in bulk;
//! - what neither crate can say: `#[layout(…)]` with `content = Type`, `packing = …` (`stored`, `lz4`, `zstd` or the
//!   name of a constant, `NAME`, with what chooses between its encodings where it has several, `NAME(dialect)`),
//!   `size = …`, `args(…)`, `inline` (a field of bytes that hold another structure), `checksum = field` with `by = CONSTANT(…)`
//!   and perhaps `from = field`, `from = self`, `none = 0`, constraints (`constraints.rs`), `rule = rules::NAME`, `decoded = function`, `formula = "x / 255"` and `unit = "m"`
//!   (what the stored value stands for, also above packed words), `stored_as = Type`, `name = "…"` (what the field is called in the
//!   layout), above packed words `outer(count)` (fields and imports of the struct around the word, for constraints of its bit
//!   fields), and on bit fields `signed`, `reserved`, `declared` (the bits are a packed word with a layout of its own).

#![forbid(unsafe_code)]

mod attributes;
mod bits;
mod columns;
mod constraints;
mod directives;
mod enums;
mod expression;
mod field_attributes;
mod json;
#[cfg(test)]
mod refused;
mod structs;
#[cfg(test)]
mod tour;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;

use attributes::{Container, Order};
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprLit, Ident, Lit, Meta, Result};

/// Implements `meshspec::layout::Layout`. See the [crate documentation](crate).
#[proc_macro_derive(Layout, attributes(br, bw, brw, bits, skip, layout))]
pub fn derive_layout(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|error| error.into_compile_error()).into()
}

/// Makes typed columns for a list of records, from the declaration of one record whose attributes a format word chooses:
/// `#[columns(records = Vertices, format = VertexFormat)]`, and `#[columns(name = plural)]` on fields.
///
/// It writes a struct `Columns` with one list per attribute, and for the type that holds the records a method per
/// attribute, `to_columns` and `from_columns`. These use its methods `column(name)`, `fill(name, values)` and
/// `zeroed(format, count)`.
#[proc_macro_derive(Columns, attributes(columns))]
pub fn derive_columns(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    columns::expand(&input).unwrap_or_else(|error| error.into_compile_error()).into()
}

/// Implements serde's `Serialize` and `Deserialize` where meshspec has its feature `serde`, so that a document is JSON and
/// back without a loss.
///
/// A field needs no attribute. Floats are numbers, or strings where JSON has no number for their bits. An absent option, and
/// a reserved field (`one_of(0)`) that is 0, is left out. Unknown keys of structs are an error. Packed words are maps of their bit
/// fields. The variants of an enum are in snake case; the values of a declared enum (`repr = u8`) have their declared names.
/// Omits fields that binrw removes (`temp`).
///
/// `#[json(…)]` makes exceptions:
///
/// - on a struct or enum: serde's `tag = "…"`, `content = "…"`, `untagged` and `transparent`;
/// - on a field: `always` (written even if it is absent, as `null`), `default` (written, but may be missing), `optional` (left
///   out where it is the default), `skip`, `flatten`, `name = "…"`, and `with = "module"` with the functions `serialize` and
///   `deserialize`;
/// - on a variant: `name = "…"`.
#[proc_macro_derive(Json, attributes(br, bw, brw, bits, skip, layout, json))]
pub fn derive_json(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    json::expand(&input, json::Direction::Both).unwrap_or_else(|error| error.into_compile_error()).into()
}

/// Implements serde's `Serialize` alone, for reports: as [`Json`](derive@Json), but floats that JSON lacks are `null`, and
/// `with` is the path of a function.
#[proc_macro_derive(ToJson, attributes(json))]
pub fn derive_to_json(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    json::expand(&input, json::Direction::Write).unwrap_or_else(|error| error.into_compile_error()).into()
}

fn expand(input: &DeriveInput) -> Result<Tokens> {
    let container = Container::parse(&input.attrs)?;
    if !attributes::shows_its_layout(&input.attrs) {
        return Err(Error::new(
            input.ident.span(),
            "Layout sees no attribute that says how this lies in a file: it must stand above `#[binrw]` or \
             `#[bitfield]`; a struct that is read in bulk needs `#[repr(C)]`",
        ));
    }
    if let (Some(magic), false) =
        (&container.magic, matches!(input.data, Data::Struct(_)) && container.bits.is_none())
    {
        return Err(Error::new(magic.span(), "only structs of fields start with magic bytes"));
    }
    let in_order = |order: Order| {
        let (shape, constants) = match &input.data {
            Data::Struct(data) => match container.bits {
                Some(bits) => bits::shape(&input.ident, &data.fields, bits, &container.outer)?,
                None => {
                    let shape = structs::shape(&data.fields, &container.imports, order)?;
                    (shape, structs::plain(input, &data.fields))
                }
            },
            Data::Enum(data) => (enums::shape(data, &container, order)?, quote!()),
            Data::Union(data) => {
                return Err(Error::new(data.union_token.span, "Layout describes structs and enums"));
            }
        };
        Ok((description(input, &container, &shape, order), constants))
    };
    let (ty, constants) = in_order(container.order.unwrap_or(Order::Little))?;
    // The bytes of packed words, and of what is read in bulk, have one order.
    let inherits =
        container.order.is_none() && container.bits.is_none() && attributes::has_codec(&input.attrs);
    let big = match inherits {
        true => {
            let (big, _) = in_order(Order::Big)?;
            quote!(const BIG: ::meshspec::layout::declaration::Type = #big;)
        }
        false => quote!(),
    };
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics ::meshspec::layout::Layout for #ident #ty_generics #where_clause {
            const TYPE: ::meshspec::layout::declaration::Type = #ty;
            #big
        }
        #constants
    })
}

/// The `Type` of a declaration with this shape.
fn description(input: &DeriveInput, container: &Container, shape: &Tokens, order: Order) -> Tokens {
    let name = name_of(&input.ident);
    let (doc, decoding) = (doc_of(&input.attrs), &container.decoding);
    let imports = &container.imports.values;
    let magic = container.magic.as_ref().map_or_else(|| quote!(&[]), |magic| quote!(#magic));
    let declared = quote! {
        ::meshspec::layout::declaration::Type::Declared(&::meshspec::layout::declaration::Declaration {
            name: #name,
            doc: #doc,
            imports: &[#(#imports),*],
            magic: #magic,
            shape: #shape,
            decoding: #decoding,
        })
    };
    match &container.repr {
        // An enum is one number; a byte has no order.
        Some(repr) if order == Order::Big => quote! {{
            const DECLARED: ::meshspec::layout::declaration::Type = #declared;
            if ::core::mem::size_of::<#repr>() > 1 { ::meshspec::layout::declaration::Type::Big(&DECLARED) } else { DECLARED }
        }},
        _ => declared,
    }
}

/// The name without the `r#` that a word of Rust needs.
fn name_of(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// The text of the documentation comment, lines joined, common leading blank removed.
fn doc_of(attrs: &[Attribute]) -> String {
    let lines: Vec<String> = attrs
        .iter()
        .filter_map(|attr| match &attr.meta {
            Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}
