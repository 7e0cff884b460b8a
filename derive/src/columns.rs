//! `#[derive(Columns)]`: typed columns for a list of records whose attributes depend on a format word.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Fields, Ident, Result, Type};

use crate::types;
use crate::{doc_text, field_attributes, unraw_name};

/// The options of `#[columns(records = Vertices, format = VertexFormat)]`.
struct RecordOptions {
    /// The type that contains the records, with the methods `column`, `fill` and `zeroed`.
    records: Ident,
    /// The type of the word whose flags select the attributes of a record.
    format: Ident,
}

/// An attribute of a record.
struct Column {
    field: Ident,
    name: String,
    /// The name of the column: the plural from `#[columns(name = …)]`, by default the field's name.
    column: Ident,
    doc: String,
    /// The field's type, without `Option`.
    value: Type,
    /// The flag in the format word; `None` if the attribute is always present.
    flag: Option<Ident>,
}

pub fn expand(input: &DeriveInput) -> Result<Tokens> {
    let RecordOptions { records, format } = parse_options(&input.attrs, &input.ident)?;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            "Columns requires a struct: one record",
        ));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(
            input.ident.span(),
            "the fields of a record need names",
        ));
    };
    let columns = fields
        .named
        .iter()
        .map(parse_column)
        .collect::<Result<Vec<_>>>()?;
    let Some(first) = columns.iter().find(|column| column.flag.is_none()) else {
        return Err(Error::new(
            input.ident.span(),
            "a record needs an attribute that is always present",
        ));
    };
    let (record, first) = (&input.ident, &first.column);
    let lists = columns.iter().map(
        |Column {
             column,
             doc,
             value,
             flag,
             ..
         }| match flag {
            Some(_) => {
                quote!(#[doc = #doc] pub #column: ::core::option::Option<::std::vec::Vec<#value>>,)
            }
            None => quote!(#[doc = #doc] pub #column: ::std::vec::Vec<#value>,),
        },
    );
    let accessors = columns.iter().map(|Column { column, name, doc, value, flag, .. }| match flag {
        Some(_) => quote! {
            #[doc = #doc]
            pub fn #column(&self) -> ::core::option::Option<::meshspec::bulk::Column<'_, #value>> {
                self.column(#name)
            }
        },
        None => quote! {
            #[doc = #doc]
            pub fn #column(&self) -> ::meshspec::bulk::Column<'_, #value> {
                self.column(#name).unwrap_or_default()
            }
        },
    });
    let to_lists = columns
        .iter()
        .map(|Column { column, flag, .. }| match flag {
            Some(_) => quote!(#column: self.#column().map(|column| column.to_vec()),),
            None => quote!(#column: self.#column().to_vec(),),
        });
    let arrays = columns.iter().map(|Column { column, name, flag, .. }| match flag {
        Some(_) => quote!(arrays.extend(self.#column.map(|rows| (#name, ::meshspec::contents::Array::from_rows(rows))));),
        None => quote!(arrays.push((#name, ::meshspec::contents::Array::from_rows(self.#column)));),
    });
    let flags = columns_by_flag(&columns)
        .into_iter()
        .map(|(flag, columns)| {
            let setter = Ident::new(&format!("set_{flag}"), flag.span());
            quote!(format.#setter(#(columns.#columns.is_some())||*);)
        });
    let fills = columns.iter().map(
        |Column {
             column, name, flag, ..
         }| match flag {
            Some(_) => quote!(records.fill(#name, columns.#column.as_deref())?;),
            None => quote!(records.fill(#name, ::core::option::Option::Some(&columns.#column))?;),
        },
    );
    let mismatches = columns.iter().filter_map(
        |Column {
             field, name, flag, ..
         }| {
            let flag = flag.as_ref()?;
            Some(quote!(if self.#field.is_some() != format.#flag() {
                return ::core::option::Option::Some((#name, self.#field.is_some()));
            }))
        },
    );
    Ok(quote! {
        /// Lists of equal length, one per attribute; `None` for an attribute that the records lack.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Columns {
            #(#lists)*
        }

        impl Columns {
            /// Returns the present attributes as arrays, with the names of their fields.
            pub fn into_arrays(self) -> ::std::vec::Vec<(&'static str, ::meshspec::contents::Array)> {
                let mut arrays = ::std::vec::Vec::new();
                #(#arrays)*
                arrays
            }
        }

        impl #records {
            #(#accessors)*

            /// Copies each attribute into a list; an absent attribute is `None`.
            pub fn to_columns(&self) -> Columns {
                Columns { #(#to_lists)* }
            }

            /// Creates records from one list per attribute.
            ///
            /// # Errors
            ///
            /// Returns an error if the lists differ in length, or only some lists of the same flag are present.
            pub fn from_columns(columns: &Columns) -> ::meshspec::Result<Self> {
                let mut format = #format::default();
                #(#flags)*
                let mut records = Self::zeroed(format, columns.#first.len());
                #(#fills)*
                ::core::result::Result::Ok(records)
            }
        }

        impl #record {
            /// Returns the name of the first attribute whose presence differs from its flag in `format`, and `true` if
            /// the attribute is present. Returns `None` if all attributes match.
            pub fn mismatch(&self, format: #format) -> ::core::option::Option<(&'static str, bool)> {
                #(#mismatches)*
                ::core::option::Option::None
            }
        }
    })
}

/// Returns each flag with the columns of its attributes.
fn columns_by_flag(columns: &[Column]) -> Vec<(&Ident, Vec<&Ident>)> {
    let mut flags: Vec<(&Ident, Vec<&Ident>)> = Vec::new();
    for column in columns {
        let Some(flag) = &column.flag else { continue };
        match flags.iter_mut().find(|(known, _)| *known == flag) {
            Some((_, columns)) => columns.push(&column.column),
            None => flags.push((flag, vec![&column.column])),
        }
    }
    flags
}

fn parse_options(attrs: &[Attribute], record: &Ident) -> Result<RecordOptions> {
    let (mut records, mut format) = (None, None);
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("columns")) {
        attr.parse_nested_meta(|meta| {
            let slot = match meta.path.get_ident().map(Ident::to_string).as_deref() {
                Some("records") => &mut records,
                Some("format") => &mut format,
                _ => return Err(meta.error("expected `records` or `format`")),
            };
            *slot = Some(meta.value()?.parse::<Ident>()?);
            Ok(())
        })?;
    }
    match (records, format) {
        (Some(records), Some(format)) => Ok(RecordOptions { records, format }),
        _ => Err(Error::new(
            record.span(),
            "Columns needs `#[columns(records = Type, format = Type)]`",
        )),
    }
}

fn parse_column(field: &syn::Field) -> Result<Column> {
    let Some(ident) = field.ident.clone() else {
        return Err(Error::new_spanned(
            field,
            "the fields of a record need names",
        ));
    };
    let mut column = None;
    for attr in field
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("columns"))
    {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("name") {
                return Err(meta.error("expected `name`"));
            }
            column = Some(meta.value()?.parse::<Ident>()?);
            Ok(())
        })?;
    }
    let condition = field_attributes::Field::parse(&field.attrs)?.condition;
    let (value, flag) = match condition {
        None => (field.ty.clone(), None),
        Some(condition) => {
            let error = || {
                Error::new_spanned(
                    &field.ty,
                    "an attribute with a condition must be an `Option`",
                )
            };
            let value = types::item(&field.ty, "Option").ok_or_else(error)?;
            (value.clone(), Some(flag_name(&condition)?))
        }
    };
    Ok(Column {
        name: unraw_name(&ident),
        column: column.unwrap_or_else(|| ident.clone()),
        doc: doc_text(&field.attrs),
        field: ident,
        value,
        flag,
    })
}

/// Returns the name `flag` in the expression `format.flag()`.
fn flag_name(condition: &Expr) -> Result<Ident> {
    match condition {
        Expr::MethodCall(call)
            if call.args.is_empty() && matches!(*call.receiver, Expr::Path(_)) =>
        {
            Ok(call.method.clone())
        }
        _ => Err(Error::new_spanned(
            condition,
            "the condition of an attribute must be a flag: `if(format.flag())`",
        )),
    }
}
