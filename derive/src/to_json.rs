//! `#[derive(ToJson)]`: serde's `Serialize` for reports, with meshspec's JSON conventions.
//!
//! The derive emits a copy of the type with serde's attributes (a *remote* definition), and an implementation that calls
//! its method. Everything is wrapped in `meshspec::__json!`, which discards it unless meshspec has the feature `serde`.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, LitStr, Result, Variant};

use crate::directives::{Directive, parse_directives_of};
use crate::{types, unraw_name};

/// Returns the implementation of `Serialize` for a type.
pub fn expand(input: &DeriveInput) -> Result<Tokens> {
    let (ident, name) = (&input.ident, unraw_name(&input.ident));
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let mut serde =
        vec![quote!(crate = "::meshspec::__private::serde", remote = #name, rename = #name)];
    for directive in parse_directives_of(&input.attrs, &["json"])? {
        match directive.name.to_string().as_str() {
            "untagged" => serde.push(quote!(untagged)),
            _ => return Err(unknown_option(&directive, "`untagged`")),
        }
    }
    let definition = match &input.data {
        Data::Struct(data) => {
            let fields = remote_fields(&data.fields)?;
            match &data.fields {
                Fields::Named(_) => {
                    quote!(struct Remote #impl_generics #where_clause { #fields })
                }
                _ => quote!(struct Remote #impl_generics (#fields) #where_clause;),
            }
        }
        Data::Enum(data) => {
            serde.push(quote!(rename_all = "snake_case"));
            let variants = data.variants.iter().map(remote_variant);
            let variants = variants.collect::<Result<Vec<_>>>()?;
            quote!(enum Remote #impl_generics #where_clause { #(#variants),* })
        }
        Data::Union(data) => {
            let message = "JSON requires a struct or an enum";
            return Err(Error::new(data.union_token.span, message));
        }
    };
    Ok(quote! {
        ::meshspec::__json! {
            const _: () = {
                #[derive(::meshspec::__private::serde::Serialize)]
                #[serde(#(#serde),*)]
                #[allow(dead_code, non_camel_case_types)]
                #definition

                impl #impl_generics ::meshspec::__private::serde::Serialize for #ident #ty_generics #where_clause {
                    fn serialize<S: ::meshspec::__private::serde::Serializer>(
                        &self,
                        serializer: S,
                    ) -> ::core::result::Result<S::Ok, S::Error> {
                        Remote::serialize(self, serializer)
                    }
                }
            };
        }
    })
}

fn remote_fields(fields: &Fields) -> Result<Tokens> {
    let members = fields.iter().map(remote_field);
    let members = members.collect::<Result<Vec<_>>>()?;
    Ok(quote!(#(#members),*))
}

fn remote_variant(variant: &Variant) -> Result<Tokens> {
    let ident = &variant.ident;
    let rename = variant_name(&variant.attrs)?.map(|name| quote!(#[serde(rename = #name)]));
    let members = remote_fields(&variant.fields)?;
    Ok(match &variant.fields {
        Fields::Named(_) => quote!(#rename #ident { #members }),
        Fields::Unnamed(_) => quote!(#rename #ident(#members)),
        Fields::Unit => quote!(#rename #ident),
    })
}

/// Returns a field with the serde attributes that follow from its type and its options.
fn remote_field(field: &Field) -> Result<Tokens> {
    let (ident, colon, ty) = (&field.ident, &field.colon_token, &field.ty);
    let (mut serde, mut presence, mut has_function) = (Vec::new(), None, false);
    for directive in parse_directives_of(&field.attrs, &["json"])? {
        match directive.name.to_string().as_str() {
            "name" => {
                let name: LitStr = directive.value()?;
                serde.push(quote!(rename = #name));
            }
            "with" => {
                let function: LitStr = directive.value()?;
                serde.push(quote!(serialize_with = #function));
                has_function = true;
            }
            name => {
                let Some(known) = PRESENCES.iter().find(|known| **known == name) else {
                    let known = format!("`name`, `with`, {}", list_of_presences("or"));
                    return Err(unknown_option(&directive, &known));
                };
                if presence.replace(*known).is_some() {
                    let message = format!("at most one of {} is allowed", list_of_presences("and"));
                    return Err(Error::new(directive.name.span(), message));
                }
            }
        }
    }
    let is_default = quote!(skip_serializing_if = "::meshspec::__private::is_default");
    serde.extend(match presence {
        Some("skip") => Some(quote!(skip)),
        Some("flatten") => Some(quote!(flatten)),
        Some("optional") => Some(is_default),
        None if types::is_option(ty) => Some(quote!(
            skip_serializing_if = "::core::option::Option::is_none"
        )),
        // A function decides what it writes for an empty list.
        None if types::is_list(ty) && !has_function => Some(is_default),
        _ => None,
    });
    let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
    Ok(quote!(#serde #ident #colon #ty))
}

/// The options of a field that determine whether it is written. At most one is allowed.
const PRESENCES: [&str; 4] = ["always", "optional", "skip", "flatten"];

fn list_of_presences(conjunction: &str) -> String {
    let [always, optional, skip, flatten] = PRESENCES;
    format!("`{always}`, `{optional}`, `{skip}` {conjunction} `{flatten}`")
}

/// Returns the declared JSON name of a variant, if any.
fn variant_name(attrs: &[Attribute]) -> Result<Option<LitStr>> {
    let mut name = None;
    for directive in parse_directives_of(attrs, &["json"])? {
        match directive.name.to_string().as_str() {
            "name" => name = Some(directive.value()?),
            _ => return Err(unknown_option(&directive, "`name`")),
        }
    }
    Ok(name)
}

fn unknown_option(directive: &Directive, known: &str) -> Error {
    let message = format!("unknown `json({})`: expected {known}", directive.name);
    Error::new(directive.name.span(), message)
}
