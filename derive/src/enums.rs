//! Enums: named integers, or a choice between structs.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DataEnum, Error, Expr, ExprLit, Fields, Lit, LitInt, Result, Variant};

use crate::attributes::{Container, Imports, Order};
use crate::directives::directives;
use crate::expression::{self, Scope};
use crate::{doc_of, name_of, structs};

/// Returns the `Shape` of an enum.
pub fn shape(data: &DataEnum, container: &Container, order: Order) -> Result<Tokens> {
    match &container.repr {
        Some(repr) => {
            check_order(data)?;
            let values = data.variants.iter().map(value).collect::<Result<Vec<_>>>()?;
            Ok(quote!(::meshspec::layout::declaration::Shape::Enum {
                size: ::core::mem::size_of::<#repr>() as u32,
                values: &[#(#values),*],
            }))
        }
        None => {
            let variants = data
                .variants
                .iter()
                .map(|v| alternative(v, &container.imports, order))
                .collect::<Result<Vec<_>>>()?;
            Ok(quote!(::meshspec::layout::declaration::Shape::Choice(&[#(#variants),*])))
        }
    }
}

/// Rejects numbers that do not ascend, since they are usually typos.
fn check_order(data: &DataEnum) -> Result<()> {
    let mut last = None;
    for variant in &data.variants {
        let Some(number) = variant.discriminant.as_ref().and_then(|(_, number)| literal(number)) else {
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

/// Returns the integer literal, even inside a macro's group.
fn literal(expr: &Expr) -> Option<&LitInt> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

fn value(variant: &Variant) -> Result<Tokens> {
    if let Some(directive) = directives(&variant.attrs)?.first() {
        return Err(directive.unknown());
    }
    let Some((_, number)) = &variant.discriminant else {
        return Err(Error::new_spanned(variant, "the stored value must be explicit"));
    };
    let (name, doc) = (name_of(&variant.ident), doc_of(&variant.attrs));
    Ok(quote!(::meshspec::layout::declaration::EnumValue { name: #name, doc: #doc, value: #number }))
}

fn alternative(variant: &Variant, imports: &Imports, order: Order) -> Result<Tokens> {
    let mut condition = None;
    for directive in directives(&variant.attrs)? {
        match directive.name.to_string().as_str() {
            "pre_assert" => condition = Some(directive.value()?),
            _ => return Err(directive.unknown()),
        }
    }
    let Some(condition) = condition else {
        return Err(Error::new_spanned(variant, "a variant needs a condition: `#[br(pre_assert(…))]`"));
    };
    let Fields::Unnamed(fields) = &variant.fields else {
        let message = "a variant holds one unnamed field: declare a struct with the named ones";
        return Err(Error::new_spanned(variant, message));
    };
    let mut fields = fields.unnamed.iter();
    let (Some(only), None) = (fields.next(), fields.next()) else {
        return Err(Error::new_spanned(variant, "a variant holds one unnamed field"));
    };
    let condition = expression::constant(&condition, &Scope::from(&*imports.values))?;
    let field = structs::only(only, imports, order)?;
    let (name, doc) = (name_of(&variant.ident), doc_of(&variant.attrs));
    Ok(quote!(::meshspec::layout::declaration::Variant {
        name: #name,
        doc: #doc,
        condition: #condition,
        field: #field,
    }))
}
