//! Packed words: structs of bit fields, lowest bits first.

use proc_macro2::{Ident, TokenStream as Tokens};
use quote::{format_ident, quote};
use syn::{Error, Field, Fields, Result, Type};

use crate::attributes::Decoding;
use crate::directives::parse_directives;
use crate::expression::Scope;
use crate::{constraints, doc_text, unraw_name};

/// Returns the `Shape` of a packed word, a `BitRange` constant per field, and conversions to and from `Value`.
pub fn word_shape(
    name: &Ident,
    fields: &Fields,
    bits: u32,
    outer: &[Ident],
) -> Result<(Tokens, Tokens)> {
    if bits == 0 || bits > 128 || !bits.is_multiple_of(8) {
        return Err(Error::new(
            name.span(),
            "a packed word must have 8 to 128 bits, in whole bytes",
        ));
    }
    let size = bits / 8;
    let (mut shapes, mut scope) = (Vec::new(), Scope::default());
    outer
        .iter()
        .map(unraw_name)
        .for_each(|name| scope.push(name.clone(), name));
    let mut constants = Vec::new();
    let mut previous = quote!(::meshspec::layout::declaration::BitRange {
        offset: 0,
        width: 0
    });
    for (index, field) in fields.iter().enumerate() {
        let ident = field
            .ident
            .clone()
            .unwrap_or_else(|| format_ident!("_{index}"));
        let constant = format_ident!("{}", unraw_name(&ident).to_uppercase());
        let ty = &field.ty;
        let doc = format!("The bits of `{ident}`.");
        constants.push(quote! {
            #[doc = #doc]
            pub const #constant: ::meshspec::layout::declaration::BitRange =
                #previous.then(<#ty as ::meshspec::__private::Specifier>::BITS as u32);
        });
        previous = quote!(Self::#constant);
        scope.push(unraw_name(&ident), unraw_name(&ident));
        shapes.push(bit_field_constant(name, &ident, &constant, field, &scope)?);
    }
    let shape = quote!(::meshspec::layout::declaration::Shape::Bits { size: #size, fields: &[#(#shapes),*] });
    let constants = quote! {
        #[allow(dead_code, reason = "hot loops read only some fields of a word")]
        impl #name { #(#constants)* }

        impl ::core::convert::From<#name> for ::meshspec::layout::expr::Value {
            fn from(word: #name) -> ::meshspec::layout::expr::Value {
                ::meshspec::layout::expr::Value::bits::<#name>(&word.into_bytes())
            }
        }

        impl ::meshspec::__private::FromValue for #name {
            fn from_value(value: &::meshspec::layout::expr::Value) -> ::core::option::Option<#name> {
                value.to_bytes().map(#name::from_bytes)
            }
        }
    };
    Ok((shape, constants))
}

fn bit_field_constant(
    word: &Ident,
    ident: &Ident,
    constant: &Ident,
    field: &Field,
    scope: &Scope,
) -> Result<Tokens> {
    let is_skipped = field.attrs.iter().any(|attr| attr.path().is_ident("skip"));
    let (mut signed, mut declared, mut reserved) = (false, false, is_skipped);
    let mut decoding = Decoding::default();
    let mut all = parse_directives(&field.attrs)?;
    let constraints =
        constraints::rule_constraints(&constraints::take_constraints(&mut all)?, scope)?;
    for directive in all {
        if decoding.parse_directive(&directive)? {
            continue;
        }
        match directive.name.to_string().as_str() {
            "signed" => signed = true,
            "reserved" => reserved = true,
            "declared" => declared = true,
            _ => return Err(directive.unsupported_error()),
        }
    }
    let (name, doc, ty) = (unraw_name(ident), doc_text(&field.attrs), &field.ty);
    let flag = matches!(ty, Type::Path(path) if path.path.is_ident("bool"));
    let declared = match declared {
        true => quote!(<#ty as ::meshspec::layout::Layout>::TYPE.own_declaration()),
        false => quote!(::core::option::Option::None),
    };
    Ok(quote!(::meshspec::layout::declaration::BitField {
        name: #name,
        doc: #doc,
        bits: #word::#constant,
        signed: #signed,
        reserved: #reserved,
        flag: #flag,
        declared: #declared,
        constraints: #constraints,
        decoding: #decoding,
    }))
}
