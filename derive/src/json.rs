//! `#[derive(Json)]` and `#[derive(ToJson)]`: serde implementations that follow meshspec's JSON conventions.
//!
//! Except for packed words, both derives emit a copy of the type with serde's attributes (a *remote* definition), and
//! implementations that call its methods. Everything is wrapped in `meshspec::__json!`, which discards it unless
//! meshspec has the feature `serde`.

mod attribute;
pub mod types;

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Result, Variant};

use self::attribute::{ContainerOptions, FieldOptions, Presence, variant_name};
use crate::attributes;
use crate::directives::parse_directives;

/// The directions that a derive implements.
#[derive(Clone, Copy, PartialEq)]
pub enum Direction {
    /// Writes and reads, for documents (`Json`).
    Both,
    /// Only writes, for reports (`ToJson`).
    Write,
}

/// Returns the serde implementations for a type.
pub fn expand(input: &DeriveInput, direction: Direction) -> Result<Tokens> {
    if let Data::Struct(_) = &input.data
        && attributes::is_bitfield(&input.attrs)
    {
        return Ok(word_impls(input));
    }
    if let (Direction::Both, Some(parameter)) = (direction, input.generics.params.first()) {
        let message = "a type with generic parameters can only be written: derive `ToJson`";
        return Err(Error::new_spanned(parameter, message));
    }
    let options = ContainerOptions::parse(&input.attrs)?;
    let (impl_generics, _, where_clause) = input.generics.split_for_impl();
    let serde = options.serde_attributes(input, direction)?;
    let definition = match &input.data {
        Data::Struct(data) => match remote_fields(&data.fields, direction)? {
            named if matches!(data.fields, Fields::Named(_)) => {
                quote!(struct Remote #impl_generics #where_clause { #named })
            }
            unnamed => quote!(struct Remote #impl_generics (#unnamed) #where_clause;),
        },
        Data::Enum(data) => {
            let variants = data
                .variants
                .iter()
                .map(|variant| remote_variant(variant, direction));
            let variants = variants.collect::<Result<Vec<_>>>()?;
            quote!(enum Remote #impl_generics #where_clause { #(#variants),* })
        }
        Data::Union(data) => {
            return Err(Error::new(
                data.union_token.span,
                "JSON requires a struct or an enum",
            ));
        }
    };
    let write = serialize_impl(input, &quote!(Remote::serialize(self, serializer)));
    let read = (direction == Direction::Both)
        .then(|| deserialize_impl(&input.ident, &quote!(Remote::deserialize(deserializer))));
    Ok(quote! {
        ::meshspec::__json! {
            const _: () = {
                #serde
                #definition
                #write
                #read
            };
        }
    })
}

fn serialize_impl(input: &DeriveInput, body: &Tokens) -> Tokens {
    let (ident, (impl_generics, ty_generics, where_clause)) =
        (&input.ident, input.generics.split_for_impl());
    quote! {
        impl #impl_generics ::meshspec::__private::serde::Serialize for #ident #ty_generics #where_clause {
            fn serialize<S: ::meshspec::__private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                #body
            }
        }
    }
}

fn deserialize_impl(ident: &Ident, body: &Tokens) -> Tokens {
    quote! {
        impl<'de> ::meshspec::__private::serde::Deserialize<'de> for #ident {
            fn deserialize<D: ::meshspec::__private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                #body
            }
        }
    }
}

/// Returns implementations that convert a packed word to and from a map of its bit fields.
fn word_impls(input: &DeriveInput) -> Tokens {
    let write = quote! {
        let implied = ::core::default::Default::default();
        ::meshspec::__private::word::serialize::<Self, S>(&self.into_bytes(), implied, serializer)
    };
    let read = quote! {
        let implied = ::core::default::Default::default();
        ::meshspec::__private::word::deserialize::<Self, _, D>(implied, deserializer).map(Self::from_bytes)
    };
    let (write, read) = (
        serialize_impl(input, &write),
        deserialize_impl(&input.ident, &read),
    );
    quote!(::meshspec::__json! { #write #read })
}

/// Returns the fields of a struct or variant, except fields that binrw removes.
fn remote_fields(fields: &Fields, direction: Direction) -> Result<Tokens> {
    let mut members = Vec::new();
    for field in fields {
        if !is_temporary(field)? {
            members.push(remote_field(field, direction)?);
        }
    }
    Ok(quote!(#(#members),*))
}

fn remote_variant(variant: &Variant, direction: Direction) -> Result<Tokens> {
    let ident = &variant.ident;
    let rename = variant_name(&variant.attrs)?.map(|name| quote!(#[serde(rename = #name)]));
    let members = remote_fields(&variant.fields, direction)?;
    Ok(match &variant.fields {
        Fields::Named(_) => quote!(#rename #ident { #members }),
        Fields::Unnamed(_) => quote!(#rename #ident(#members)),
        Fields::Unit => quote!(#rename #ident),
    })
}

fn is_temporary(field: &Field) -> Result<bool> {
    let directives = parse_directives(&field.attrs)?;
    Ok(directives
        .iter()
        .any(|directive| directive.source.starts_with('b') && directive.name == "temp"))
}

/// Returns a field with the serde attributes that follow from its type, constraints and options.
fn remote_field(field: &Field, direction: Direction) -> Result<Tokens> {
    let (ident, colon, ty) = (&field.ident, &field.colon_token, &field.ty);
    let options = FieldOptions::parse(&field.attrs)?;
    let mut serde = Vec::new();
    if let Some(name) = &options.name {
        serde.push(quote!(rename = #name));
    }
    match (&options.with, direction) {
        (Some(module), Direction::Both) => serde.push(quote!(with = #module)),
        (Some(function), Direction::Write) => serde.push(quote!(serialize_with = #function)),
        // In reports, floats are numbers or null, for readability.
        (None, Direction::Both) if types::is_float(ty) => {
            serde.push(quote!(with = "::meshspec::__private::float"));
        }
        (None, _) => {}
    }
    let is_option = types::is_option(ty);
    let is_written_list =
        direction == Direction::Write && options.with.is_none() && types::is_list(ty);
    let is_absent = match options.presence {
        Presence::Optional => Some(quote!("::meshspec::__private::is_default")),
        Presence::Unspecified if is_option => Some(quote!("::core::option::Option::is_none")),
        Presence::Unspecified if is_written_list || must_be_zero(field)? => {
            Some(quote!("::meshspec::__private::is_default"))
        }
        _ => None,
    };
    let has_default = match options.presence {
        Presence::Always => is_option,
        Presence::Default => true,
        _ => is_absent.is_some(),
    };
    match options.presence {
        Presence::Skip => serde.push(quote!(skip)),
        Presence::Flatten => serde.push(quote!(flatten)),
        _ => serde.extend(is_absent.map(|is_absent| quote!(skip_serializing_if = #is_absent))),
    }
    if has_default && direction == Direction::Both {
        serde.push(quote!(default));
    }
    let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
    Ok(quote!(#serde #ident #colon #ty))
}

/// Returns `true` for a reserved field, whose constraint is `one_of(0)`.
fn must_be_zero(field: &Field) -> Result<bool> {
    for directive in parse_directives(&field.attrs)? {
        if directive.source == "layout" && directive.name == "one_of" {
            return Ok(matches!(&*directive.expressions()?, [only] if types::is_zero(only)));
        }
    }
    Ok(false)
}
