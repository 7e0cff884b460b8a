//! Parses `#[json(…)]`, which declares exceptions to meshspec's JSON conventions.

use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Error, LitStr, Result};

use super::Direction;
use crate::attributes;
use crate::directives::{Directive, parse_directives_of};
use crate::unraw_name;

/// The options in `#[json(…)]` on a struct or enum.
#[derive(Default)]
pub struct ContainerOptions {
    /// The options, as attributes of serde.
    serde: Vec<Tokens>,
    transparent: bool,
}

impl ContainerOptions {
    pub fn parse(attrs: &[Attribute]) -> Result<ContainerOptions> {
        let mut options = ContainerOptions::default();
        for directive in parse_directives_of(attrs, &["json"])? {
            let name = &directive.name;
            options.serde.push(match name.to_string().as_str() {
                "tag" | "content" => {
                    let value: LitStr = directive.value()?;
                    quote!(#name = #value)
                }
                "untagged" | "transparent" => quote!(#name),
                _ => {
                    return Err(unknown_option(
                        &directive,
                        "`tag`, `content`, `untagged` or `transparent`",
                    ));
                }
            });
            options.transparent |= name == "transparent";
        }
        Ok(options)
    }

    /// Returns the attributes of the remote definition.
    pub fn serde_attributes(&self, input: &DeriveInput, direction: Direction) -> Result<Tokens> {
        let name = unraw_name(&input.ident);
        let mut serde =
            vec![quote!(crate = "::meshspec::__private::serde", remote = #name, rename = #name)];
        serde.extend_from_slice(&self.serde);
        let is_struct = matches!(input.data, Data::Struct(_));
        if is_struct && direction == Direction::Both && !self.transparent {
            serde.push(quote!(deny_unknown_fields));
        }
        // The values of a declared enum keep their declared names.
        if !is_struct && !attributes::has_repr(&input.attrs)? {
            serde.push(quote!(rename_all = "snake_case"));
        }
        let derives = match direction {
            Direction::Both => quote!(::meshspec::__private::serde::Deserialize),
            Direction::Write => quote!(),
        };
        // serde must know `repr(packed)`, since references to packed fields are errors.
        let repr = input
            .attrs
            .iter()
            .filter(|attr| is_struct && attr.path().is_ident("repr"));
        let repr = repr.map(ToTokens::to_token_stream);
        Ok(quote! {
            #[derive(::meshspec::__private::serde::Serialize, #derives)]
            #[serde(#(#serde),*)]
            #[allow(dead_code, non_camel_case_types)]
            #(#repr)*
        })
    }
}

/// Whether a field is written, and whether it is required on reading.
#[derive(Default, PartialEq)]
pub enum Presence {
    /// Determined by the type and constraints of the field.
    #[default]
    Unspecified,
    /// Always written; an absent option is `null`.
    Always,
    /// Always written; read as the default if missing.
    Default,
    /// Omitted if it is the default; read as the default if missing.
    Optional,
    /// Never written; always read as the default.
    Skip,
    /// Flattened into the fields of the enclosing struct.
    Flatten,
}

/// The options in `#[json(…)]` on a field.
#[derive(Default)]
pub struct FieldOptions {
    pub name: Option<LitStr>,
    pub presence: Presence,
    /// A module that writes and reads the value, or a function if the type is only written.
    pub with: Option<LitStr>,
}

impl FieldOptions {
    pub fn parse(attrs: &[Attribute]) -> Result<FieldOptions> {
        let mut options = FieldOptions::default();
        for directive in parse_directives_of(attrs, &["json"])? {
            let presence = match directive.name.to_string().as_str() {
                "name" => {
                    options.name = Some(directive.value()?);
                    continue;
                }
                "with" => {
                    options.with = Some(directive.value()?);
                    continue;
                }
                "always" => Presence::Always,
                "default" => Presence::Default,
                "optional" => Presence::Optional,
                "skip" => Presence::Skip,
                "flatten" => Presence::Flatten,
                _ => {
                    let known =
                        "`name`, `with`, `always`, `default`, `optional`, `skip` or `flatten`";
                    return Err(unknown_option(&directive, known));
                }
            };
            if options.presence != Presence::Unspecified {
                let message = "at most one of `always`, `default`, `optional`, `skip` and `flatten` is allowed";
                return Err(Error::new(directive.name.span(), message));
            }
            options.presence = presence;
        }
        Ok(options)
    }
}

/// Returns the declared JSON name of a variant, if any.
pub fn variant_name(attrs: &[Attribute]) -> Result<Option<LitStr>> {
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
