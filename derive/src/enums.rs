//! Enums: named integers, or a choice between types.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DataEnum, Error, Expr, ExprLit, Fields, Lit, LitInt, Result, Variant};

use crate::attributes::{Container, Endian, Imports};
use crate::directives::parse_directives;
use crate::expression::{self, Scope};
use crate::{doc_text, structs, unraw_name};

pub fn enum_shape(data: &DataEnum, container: &Container, endian: Endian) -> Result<Tokens> {
    match &container.repr {
        Some(repr) => {
            check_ascending(data)?;
            let values = data
                .variants
                .iter()
                .map(value_constant)
                .collect::<Result<Vec<_>>>()?;
            Ok(quote!(::meshspec::layout::declaration::Shape::Enum {
                size: ::core::mem::size_of::<#repr>() as u32,
                values: &[#(#values),*],
            }))
        }
        None => {
            let variants = data
                .variants
                .iter()
                .map(|v| variant_constant(v, &container.imports, endian))
                .collect::<Result<Vec<_>>>()?;
            Ok(quote!(::meshspec::layout::declaration::Shape::Choice(&[#(#variants),*])))
        }
    }
}

/// Returns an error if the numbers do not ascend, since that is usually a typo.
fn check_ascending(data: &DataEnum) -> Result<()> {
    let mut last = None;
    for variant in &data.variants {
        let Some(number) = variant
            .discriminant
            .as_ref()
            .and_then(|(_, number)| int_literal(number))
        else {
            continue;
        };
        let number = number.base10_parse::<u128>()?;
        if let Some(last) = last.filter(|last| *last >= number) {
            let message = format!("the numbers must ascend: {number} follows {last}");
            return Err(Error::new_spanned(variant, message));
        }
        last = Some(number);
    }
    Ok(())
}

/// Returns the integer literal of an expression, also inside the group around a macro's argument; `None` for other
/// expressions.
fn int_literal(expr: &Expr) -> Option<&LitInt> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => Some(number),
        Expr::Group(group) => int_literal(&group.expr),
        _ => None,
    }
}

fn value_constant(variant: &Variant) -> Result<Tokens> {
    if let Some(directive) = parse_directives(&variant.attrs)?.first() {
        return Err(directive.unsupported_error());
    }
    let Some((_, number)) = &variant.discriminant else {
        return Err(Error::new_spanned(
            variant,
            "the stored value must be explicit",
        ));
    };
    let (name, doc) = (unraw_name(&variant.ident), doc_text(&variant.attrs));
    Ok(
        quote!(::meshspec::layout::declaration::EnumValue { name: #name, doc: #doc, value: #number }),
    )
}

fn variant_constant(variant: &Variant, imports: &Imports, endian: Endian) -> Result<Tokens> {
    let mut condition = None;
    for directive in parse_directives(&variant.attrs)? {
        match directive.name.to_string().as_str() {
            "pre_assert" => condition = Some(directive.value()?),
            _ => return Err(directive.unsupported_error()),
        }
    }
    let Some(condition) = condition else {
        return Err(Error::new_spanned(
            variant,
            "a variant needs a condition: `#[br(pre_assert(…))]`",
        ));
    };
    let Fields::Unnamed(fields) = &variant.fields else {
        let message =
            "a variant needs exactly one unnamed field: declare a struct with the named fields";
        return Err(Error::new_spanned(variant, message));
    };
    let mut fields = fields.unnamed.iter();
    let (Some(only), None) = (fields.next(), fields.next()) else {
        return Err(Error::new_spanned(
            variant,
            "a variant needs exactly one unnamed field",
        ));
    };
    let condition = expression::to_constant(&condition, &Scope::from(&*imports.values))?;
    let field = structs::variant_field(only, imports, endian)?;
    let (name, doc) = (unraw_name(&variant.ident), doc_text(&variant.attrs));
    Ok(quote!(::meshspec::layout::declaration::Variant {
        name: #name,
        doc: #doc,
        condition: #condition,
        field: #field,
    }))
}
