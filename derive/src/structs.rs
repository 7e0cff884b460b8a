//! Structs: consecutive fields.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Attribute, DeriveInput, Error, Fields, Result};

use crate::attributes::{self, Endian, Imports};
use crate::expression::{self, Scope, option_constant};
use crate::field_attributes::{self, Block, Checksum, Each};
use crate::{constraints, doc_text, unraw_name};

/// Returns the `Shape` of a struct with these fields, and its `Computed` constants. The expressions of the fields can
/// refer to its imports and earlier fields.
pub fn struct_shape(
    fields: &Fields,
    imports: &Imports,
    endian: Endian,
) -> Result<(Tokens, Vec<Tokens>)> {
    let mut scope = Scope::from(&*imports.values);
    let attributes = fields
        .iter()
        .map(|field| field_attributes::Field::parse(&field.attrs));
    let attributes = attributes.collect::<Result<Vec<_>>>()?;
    let names = |field: &syn::Field, attributes: &field_attributes::Field| {
        field
            .ident
            .as_ref()
            .map(|ident| (unraw_name(ident), attributes.layout_name(ident)))
    };
    // A checksum may be stored after the fields that it covers.
    let mut struct_scope = scope.clone();
    let all = fields
        .iter()
        .zip(&attributes)
        .filter(|(_, attributes)| !attributes.computed);
    let all_names = all.filter_map(|(field, attributes)| names(field, attributes));
    all_names.for_each(|(name, in_layout)| struct_scope.push(name, in_layout));
    // Only computed values can refer to computed values.
    let mut codec_scope = scope.clone();
    let (mut constants, mut computed) = (Vec::new(), Vec::new());
    for (index, (field, attributes)) in fields.iter().zip(&attributes).enumerate() {
        let named = names(field, attributes);
        if attributes.computed {
            computed.extend(computed_constant(field, attributes, &codec_scope));
        } else {
            constants.push(field_constant(
                index,
                field,
                attributes,
                (&scope, &struct_scope),
                (imports, endian),
            )?);
            named
                .iter()
                .cloned()
                .for_each(|(name, in_layout)| scope.push(name, in_layout));
        }
        named
            .into_iter()
            .for_each(|(name, in_layout)| codec_scope.push(name, in_layout));
    }
    Ok((
        quote!(::meshspec::layout::declaration::Shape::Struct(&[#(#constants),*])),
        computed,
    ))
}

/// Returns a `calc` field as a `Computed` constant; `None` if the layout cannot evaluate its expression.
fn computed_constant(
    field: &syn::Field,
    attributes: &field_attributes::Field,
    scope: &Scope,
) -> Option<Tokens> {
    let name = attributes.layout_name(field.ident.as_ref()?);
    let mut value = expression::to_constant(attributes.calculation.as_ref()?, scope).ok()?;
    if let Some(condition) = &attributes.condition {
        let condition = expression::to_constant(condition, scope).ok()?;
        let absent = quote!(::meshspec::layout::expr::Expr::Literal(0));
        value = quote!(::meshspec::layout::expr::Expr::If(&#condition, &#value, &#absent));
    }
    let ty = int_type_option(&field.ty);
    Some(quote!(::meshspec::layout::declaration::Computed { name: #name, value: #value, ty: #ty }))
}

/// Returns the `Option` constant of an integer type.
fn int_type_option(ty: &syn::Type) -> Tokens {
    option_constant(expression::int_type(ty).map(expression::int_type_constant))
}

/// Implements `meshspec::bulk::PlainData` for a `#[repr(C)]` struct without a codec, which can only be read in bulk.
/// Emits nothing for other structs.
pub fn plain_impl(input: &DeriveInput, fields: &Fields) -> Tokens {
    let is_c = |attr: &Attribute| {
        attr.path().is_ident("repr")
            && attr
                .meta
                .require_list()
                .is_ok_and(|list| list.tokens.to_string().starts_with('C'))
    };
    if attributes::has_codec(&input.attrs) || !input.attrs.iter().any(is_c) {
        return Tokens::new();
    }
    let (ident, members) = (&input.ident, fields.members().collect::<Vec<_>>());
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        impl #impl_generics ::meshspec::bulk::PlainData for #ident #ty_generics #where_clause {
            fn swap_bytes(self) -> Self {
                Self { #(#members: ::meshspec::bulk::PlainData::swap_bytes(self.#members)),* }
            }
        }
    }
}

/// Returns the only field of a variant as a `Field` constant.
pub fn variant_field(field: &syn::Field, imports: &Imports, endian: Endian) -> Result<Tokens> {
    let (attributes, scope) = (
        field_attributes::Field::parse(&field.attrs)?,
        Scope::from(&*imports.values),
    );
    if let Some(Checksum { stored, .. }) = &attributes.checksum {
        return Err(Error::new_spanned(
            stored,
            "a checksum must cover fields of a struct, not a variant",
        ));
    }
    field_constant(0, field, &attributes, (&scope, &scope), (imports, endian))
}

/// Returns a field as a `Field` constant. Expressions can refer to the names in `scope`. The expression of a stored
/// checksum can refer to all stored fields of the struct, in `struct_scope`.
fn field_constant(
    index: usize,
    field: &syn::Field,
    attributes: &field_attributes::Field,
    (scope, struct_scope): (&Scope, &Scope),
    (imports, endian): (&Imports, Endian),
) -> Result<Tokens> {
    let name = field
        .ident
        .as_ref()
        .map_or_else(|| index.to_string(), |ident| attributes.layout_name(ident));
    let doc = doc_text(&field.attrs);
    let ty = attributes.stored_as.as_ref().unwrap_or(&field.ty);
    let codec_type = match &attributes.stored_as {
        Some(_) => int_type_option(&field.ty),
        None => quote!(::core::option::Option::None),
    };
    let condition = expression::to_optional_constant(attributes.condition.as_ref(), scope)?;
    let count = expression::to_optional_constant(attributes.count.as_ref(), scope)?;
    let arguments = attributes
        .arguments
        .iter()
        .filter(|argument| !imports.is_reference(argument));
    let arguments: Vec<_> = arguments.cloned().collect();
    let (each, arguments) = match &attributes.each {
        Some(each) => each_constant(each, scope)?,
        None => (
            quote!(::core::option::Option::None),
            expression::to_constant_list(&arguments, scope)?,
        ),
    };
    let position = expression::to_optional_constant(attributes.position.as_ref(), scope)?;
    // Checks and constraints can use the value of their field.
    let mut with_field = scope.clone();
    with_field.push(
        field
            .ident
            .as_ref()
            .map_or_else(|| name.clone(), unraw_name),
        name.clone(),
    );
    let mut checks = Vec::new();
    for (condition, message) in &attributes.checks {
        let condition = expression::to_constant(condition, &with_field)?;
        checks.push(
            quote!(::meshspec::layout::declaration::Check { condition: #condition, message: #message }),
        );
    }
    let constraints = constraints::rule_constraints(&attributes.constraints, &with_field)?;
    let plausible = constraints::plausible_constraints(&attributes.constraints, &with_field)?;
    let (lookahead, decoding) = (attributes.lookahead, &attributes.decoding);
    let endian_constant = attributes.endian.unwrap_or(endian).constant();
    let block = attributes
        .block
        .as_ref()
        .map(|block| block_constant(block, scope, endian));
    let block = option_constant(block.transpose()?);
    let checksum = attributes
        .checksum
        .as_ref()
        .map(|sum| checksum_constant(sum, scope, struct_scope, imports));
    let checksum = option_constant(checksum.transpose()?);
    let rule = option_constant(attributes.rule.as_ref().map(constraints::rule_reference));
    Ok(quote!(::meshspec::layout::declaration::Field {
        name: #name,
        doc: #doc,
        ty: <#ty as ::meshspec::layout::Layout>::#endian_constant,
        codec_type: #codec_type,
        condition: #condition,
        count: #count,
        arguments: #arguments,
        each: #each,
        position: #position,
        lookahead: #lookahead,
        checks: &[#(#checks),*],
        constraints: #constraints,
        plausible: #plausible,
        block: #block,
        checksum: #checksum,
        rule: #rule,
        decoding: #decoding,
    }))
}

/// Returns the `Option<Each>` constant of a field, and its arguments.
fn each_constant(each: &Each, scope: &Scope) -> Result<(Tokens, Tokens)> {
    let item = unraw_name(&each.item);
    if scope.has(&item) {
        let message = format!("`{item}` is a field or an import: give the item another name");
        return Err(Error::new_spanned(&each.item, message));
    }
    let list = expression::path_names(&each.list, scope)?;
    let mut with_item = scope.clone();
    with_item.push(item.clone(), item.clone());
    let arguments = expression::to_constant_list(&each.arguments, &with_item)?;
    if expression::to_constant_list(&each.arguments, scope).is_ok() {
        let message = format!("no argument depends on `{item}`: declare a list with a `count`");
        return Err(Error::new_spanned(&each.item, message));
    }
    let constant = quote!(::core::option::Option::Some(::meshspec::layout::declaration::Each {
        list: &[#(#list),*],
        item: #item,
    }));
    Ok((constant, arguments))
}

fn block_constant(block: &Block, scope: &Scope, endian: Endian) -> Result<Tokens> {
    let packing = match block.packing.to_string().as_str() {
        "stored" => quote!(::meshspec::layout::declaration::Packing::Stored),
        "lz4" => quote!(::meshspec::layout::declaration::Packing::Lz4),
        "zstd" => quote!(::meshspec::layout::declaration::Packing::Zstd),
        name if name.chars().all(|c| c.is_ascii_uppercase() || c == '_') => {
            let constant = &block.packing;
            quote!(#constant)
        }
        _ => {
            let known =
                "`stored`, `lz4`, `zstd` or the name of a constant, `NAME` or `NAME(encoding)`";
            return Err(Error::new(
                block.packing.span(),
                format!("a packing must be {known}"),
            ));
        }
    };
    let encoding = expression::to_optional_constant(block.encoding.as_ref(), scope)?;
    let size = expression::to_optional_constant(block.size.as_ref(), scope)?;
    let arguments = expression::to_constant_list(&block.arguments, scope)?;
    let (content, endian_constant) = (&block.content, endian.constant());
    let inline = block.inline;
    Ok(quote!(::meshspec::layout::declaration::Block {
        packing: #packing,
        encoding: #encoding,
        size: #size,
        content: <#content as ::meshspec::layout::Layout>::#endian_constant,
        arguments: #arguments,
        inline: #inline,
    }))
}

fn checksum_constant(
    checksum: &Checksum,
    scope: &Scope,
    struct_scope: &Scope,
    imports: &Imports,
) -> Result<Tokens> {
    let stored = expression::to_constant(&checksum.stored, struct_scope)?;
    let function = &checksum.function;
    let arguments = expression::to_constant_list(&checksum.arguments, scope)?;
    if let Some(from) = &checksum.from
        && from != "self"
        && (!scope.has(from) || imports.values.contains(from))
    {
        let message = format!(
            "`from` is an earlier field or `self`, the start of the struct: `{from}` is neither"
        );
        return Err(Error::new_spanned(&checksum.stored, message));
    }
    let (from, none) = (
        option_constant(checksum.from.as_ref()),
        option_constant(checksum.none.as_ref()),
    );
    Ok(quote!(::meshspec::layout::declaration::Checksum {
        stored: #stored,
        function: #function,
        arguments: #arguments,
        from: #from,
        none: #none,
    }))
}
