//! `#[derive(StoredFields)]`: the struct fields that a file stores without conversion.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Result};

use crate::attributes::{Container, Endian};
use crate::directives::parse_directives;
use crate::field_attributes::{self, is_bulk_function};
use crate::types;

/// Returns the implementation of `meshspec::layout::walk::StoredFields`.
pub fn expand(input: &DeriveInput) -> Result<Tokens> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            "StoredFields requires a struct",
        ));
    };
    let endian = Container::parse(&input.attrs)?
        .endian
        .unwrap_or(Endian::Little);
    let mut arms = Vec::new();
    for field in &data.fields {
        if let (Some(ident), Some(encoding)) = (&field.ident, stored_encoding(field)?) {
            let attributes = field_attributes::Field::parse(&field.attrs)?;
            let name = attributes.layout_name(ident);
            let value = match encoding {
                FieldEncoding::Bulk => {
                    quote!(::meshspec::layout::walk::DocumentValue::bulk(&self.#ident))
                }
                FieldEncoding::Value => {
                    let function = match attributes.endian.unwrap_or(endian) {
                        Endian::Little => {
                            quote!(::meshspec::layout::walk::DocumentValue::little_endian)
                        }
                        Endian::Big => quote!(::meshspec::layout::walk::DocumentValue::big_endian),
                    };
                    match types::is_option(&field.ty) {
                        true => quote! {
                            self.#ident.as_ref().map_or(::meshspec::layout::walk::DocumentValue::Unknown, #function)
                        },
                        false => quote!(#function(&self.#ident)),
                    }
                }
            };
            arms.push(quote!(#name => #value));
        }
    }
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics ::meshspec::layout::walk::StoredFields for #ident #ty_generics #where_clause {
            fn stored_field(&self, name: &'static str) -> ::meshspec::layout::walk::DocumentValue<'_> {
                match name {
                    #(#arms,)*
                    _ => ::meshspec::layout::walk::DocumentValue::Unknown,
                }
            }
        }
    })
}

enum FieldEncoding {
    /// Encoded by binrw, without arguments.
    Value,
    /// Encoded by `bulk::write`.
    Bulk,
}

/// Returns the encoding of a field; `None` if its value is not stored or is converted.
fn stored_encoding(field: &Field) -> Result<Option<FieldEncoding>> {
    let mut encoding = FieldEncoding::Value;
    for directive in parse_directives(&field.attrs)? {
        match (&*directive.source, &*directive.name.to_string()) {
            ("bw", "write_with") if is_bulk_function(&directive.value()?) => {
                encoding = FieldEncoding::Bulk
            }
            (_, "temp" | "calc" | "try_calc" | "ignore" | "map" | "try_map" | "write_with")
            | ("bw" | "brw", "args") => return Ok(None),
            _ => {}
        }
    }
    Ok(Some(encoding))
}
