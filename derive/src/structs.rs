//! Structs: fields one after the other.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Attribute, DeriveInput, Fields, Result};

use crate::attributes::{self, Block, Checksum, Imports};
use crate::constraints;
use crate::expression::{self, Scope};
use crate::{doc_of, name_of};

/// The `Shape` of a struct with these fields, whose expressions see its imports and earlier fields.
pub fn shape(fields: &Fields, imports: &Imports) -> Result<Tokens> {
    let mut scope = Scope::from(&*imports.values);
    let mut constants = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let attributes = attributes::Field::parse(&field.attrs)?;
        if !attributes.computed {
            let names = field.ident.as_ref().map(|ident| (name_of(ident), attributes.name_of(ident)));
            constants.push(constant(index, field, attributes, &scope, imports)?);
            if let Some((name, in_layout)) = names {
                scope.push(name, in_layout);
            }
        }
    }
    Ok(quote!(::meshspec::layout::Shape::Struct(&[#(#constants),*])))
}

/// Returns the implementation of `meshspec::bulk::Plain` for a `#[repr(C)]` struct without a codec: it can be read in bulk
/// only.
pub fn plain(input: &DeriveInput, fields: &Fields) -> Tokens {
    let is_c = |attr: &Attribute| {
        attr.path().is_ident("repr")
            && attr.meta.require_list().is_ok_and(|list| list.tokens.to_string().starts_with('C'))
    };
    if attributes::has_codec(&input.attrs) || !input.attrs.iter().any(is_c) {
        return Tokens::new();
    }
    let (ident, members) = (&input.ident, fields.members().collect::<Vec<_>>());
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        impl #impl_generics ::meshspec::bulk::Plain for #ident #ty_generics #where_clause {
            fn swap_bytes(self) -> Self {
                Self { #(#members: ::meshspec::bulk::Plain::swap_bytes(self.#members)),* }
            }
        }
    }
}

/// The only field of a variant as a `Field` constant.
pub fn only(field: &syn::Field, imports: &Imports) -> Result<Tokens> {
    constant(0, field, attributes::Field::parse(&field.attrs)?, &Scope::from(&*imports.values), imports)
}

/// One field as a `Field` constant.
fn constant(
    index: usize,
    field: &syn::Field,
    attributes: attributes::Field,
    scope: &Scope,
    imports: &Imports,
) -> Result<Tokens> {
    let name = field.ident.as_ref().map_or_else(|| index.to_string(), |ident| attributes.name_of(ident));
    let doc = doc_of(&field.attrs);
    let ty = attributes.stored_as.as_ref().unwrap_or(&field.ty);
    let condition = expression::optional(attributes.condition.as_ref(), scope)?;
    let count = expression::optional(attributes.count.as_ref(), scope)?;
    let arguments: Vec<_> =
        attributes.arguments.into_iter().filter(|argument| !imports.is_reference(argument)).collect();
    let arguments = expression::list(&arguments, scope)?;
    let position = expression::optional(attributes.position.as_ref(), scope)?;
    // A check sees its own field, too.
    let mut with_field = scope.clone();
    with_field.push(field.ident.as_ref().map_or_else(|| name.clone(), name_of), name.clone());
    let checks = attributes
        .checks
        .iter()
        .map(|(condition, message)| {
            let condition = expression::constant(condition, &with_field)?;
            Ok(quote!(::meshspec::layout::Check { condition: #condition, message: #message }))
        })
        .collect::<Result<Vec<_>>>()?;
    let constraints = constraints::list(&attributes.constraints, &with_field)?;
    let plausible = constraints::plausible(&attributes.constraints, &with_field)?;
    let (lookahead, decoding) = (attributes.lookahead, &attributes.decoding);
    let block = option(attributes.block.as_ref().map(|b| block(b, scope)).transpose()?);
    let rule = option(attributes.rule.as_ref().map(constraints::rule));
    Ok(quote!(::meshspec::layout::Field {
        name: #name,
        doc: #doc,
        ty: <#ty as ::meshspec::layout::Layout>::TYPE,
        condition: #condition,
        count: #count,
        arguments: #arguments,
        position: #position,
        lookahead: #lookahead,
        checks: &[#(#checks),*],
        constraints: #constraints,
        plausible: #plausible,
        block: #block,
        rule: #rule,
        decoding: #decoding,
    }))
}

fn option(tokens: Option<Tokens>) -> Tokens {
    tokens.map_or_else(
        || quote!(::core::option::Option::None),
        |tokens| quote!(::core::option::Option::Some(#tokens)),
    )
}

fn block(block: &Block, scope: &Scope) -> Result<Tokens> {
    let packing = match block.packing.to_string().as_str() {
        "stored" => quote!(::meshspec::layout::Packing::Stored),
        "lz4" => quote!(::meshspec::layout::Packing::Lz4),
        "zstd" => quote!(::meshspec::layout::Packing::Zstd),
        name if name.chars().all(|c| c.is_ascii_uppercase() || c == '_') => {
            let constant = &block.packing;
            quote!(#constant)
        }
        _ => {
            let message =
                "a packing is `stored`, `lz4`, `zstd` or the name of a constant, `NAME` or `NAME(encoding)`";
            return Err(syn::Error::new(block.packing.span(), message));
        }
    };
    let encoding = expression::optional(block.encoding.as_ref(), scope)?;
    let size = expression::optional(block.size.as_ref(), scope)?;
    let checksum = option(block.checksum.as_ref().map(|sum| checksum(sum, scope)).transpose()?);
    let arguments = expression::list(&block.arguments, scope)?;
    let content = &block.content;
    let inline = block.inline;
    Ok(quote!(::meshspec::layout::Block {
        packing: #packing,
        encoding: #encoding,
        size: #size,
        checksum: #checksum,
        content: <#content as ::meshspec::layout::Layout>::TYPE,
        arguments: #arguments,
        inline: #inline,
    }))
}

fn checksum(checksum: &Checksum, scope: &Scope) -> Result<Tokens> {
    let stored = expression::constant(&checksum.stored, scope)?;
    let function = &checksum.function;
    let arguments = expression::list(&checksum.arguments, scope)?;
    Ok(quote!(::meshspec::layout::Checksum { stored: #stored, function: #function, arguments: #arguments }))
}
