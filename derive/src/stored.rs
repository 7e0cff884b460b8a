//! `#[derive(StoredFields)]`: the values of a struct that its file stores as they are.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Result};

use crate::attributes::{Container, Order};
use crate::directives::directives;
use crate::field_attributes::{self, is_of_bulk};
use crate::json::types;

/// Returns the implementation of `meshspec::layout::walk::StoredFields`.
pub fn expand(input: &DeriveInput) -> Result<Tokens> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "only structs have stored fields"));
    };
    let order = Container::parse(&input.attrs)?.order.unwrap_or(Order::Little);
    let mut arms = Vec::new();
    for field in &data.fields {
        if let (Some(ident), Some(encoding)) = (&field.ident, encoding(field)?) {
            let attributes = field_attributes::Field::parse(&field.attrs)?;
            let name = attributes.name_of(ident);
            let part = match encoding {
                Encoding::Bulk => quote!(::meshspec::layout::walk::Part::bulk(&self.#ident)),
                Encoding::Value => {
                    let function = match attributes.order.unwrap_or(order) {
                        Order::Little => quote!(::meshspec::layout::walk::Part::little_endian),
                        Order::Big => quote!(::meshspec::layout::walk::Part::big_endian),
                    };
                    match types::is_option(&field.ty) {
                        true => quote! {
                            self.#ident.as_ref().map_or(::meshspec::layout::walk::Part::Unknown, #function)
                        },
                        false => quote!(#function(&self.#ident)),
                    }
                }
            };
            arms.push(quote!(#name => #part));
        }
    }
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics ::meshspec::layout::walk::StoredFields for #ident #ty_generics #where_clause {
            fn stored(&self, name: &'static str) -> ::meshspec::layout::walk::Part<'_> {
                match name {
                    #(#arms,)*
                    _ => ::meshspec::layout::walk::Part::Unknown,
                }
            }
        }
    })
}

/// The way in which a field is encoded.
enum Encoding {
    /// By binrw, without arguments.
    Value,
    /// By `bulk::write`.
    Bulk,
}

/// Returns the encoding of a field; `None` if the file does not store its value, or stores another one.
fn encoding(field: &Field) -> Result<Option<Encoding>> {
    let mut encoding = Encoding::Value;
    for directive in directives(&field.attrs)? {
        match (&*directive.source, &*directive.name.to_string()) {
            ("bw", "write_with") if is_of_bulk(&directive.value()?) => encoding = Encoding::Bulk,
            (_, "temp" | "calc" | "try_calc" | "ignore" | "map" | "try_map" | "write_with")
            | ("bw" | "brw", "args") => return Ok(None),
            _ => {}
        }
    }
    Ok(Some(encoding))
}
