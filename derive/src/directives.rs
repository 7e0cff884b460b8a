//! Parses the directives of attributes: `name`, `name = tokens`, `name(tokens)`, `name { tokens }`.

use proc_macro2::{Delimiter, Group, TokenStream as Tokens, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Ident, LitStr, Path, Result, Token};

/// A directive of an attribute: `name`, `name = tokens`, `name(tokens)` or `name { tokens }`.
pub struct Directive {
    /// The name of its attribute: br, bw, brw, layout, bitfield or json.
    pub source: String,
    /// The index of its attribute, from 0.
    pub attribute: usize,
    pub name: Ident,
    value: Option<Tokens>,
}

impl Directive {
    /// Parses the tokens after `=` or between the delimiters.
    pub fn value<T: Parse>(&self) -> Result<T> {
        self.value_with(T::parse)
    }

    /// Like [`value`](Directive::value), but with the given parser.
    pub fn value_with<T>(&self, parser: impl Fn(ParseStream) -> Result<T>) -> Result<T> {
        let tokens = self
            .value
            .clone()
            .ok_or_else(|| Error::new(self.name.span(), "a value is missing"))?;
        parser.parse2(tokens)
    }

    /// Parses the path of a rule, `rules::NAME`.
    pub fn rule(&self) -> Result<Path> {
        self.value_with(|input| {
            if input.peek(LitStr) {
                let message =
                    "a rule must be the path of a `static` or `const`: `rule = rules::NAME`";
                return Err(input.error(message));
            }
            input.call(Path::parse_mod_style)
        })
    }

    /// Parses a list of expressions, `args(a, b)`.
    pub fn expressions(&self) -> Result<Vec<Expr>> {
        self.value_with(parse_expressions)
    }

    /// Returns `true` if this directive affects only the written value, not the layout.
    pub fn is_write_only(&self) -> bool {
        const POSITIONING: &str = "align_after align_before big is_big is_little magic pad_after pad_before \
            pad_size_to restore_position seek_before";
        self.source == "bw" && !POSITIONING.split(' ').any(|name| self.name == name)
    }

    pub fn unsupported_error(&self) -> Error {
        let hint = match self.name.to_string().as_str() {
            "magic" => {
                ": only structs can have magic bytes; select a variant by `pre_assert` on a look-ahead field \
                 (`restore_position`)"
            }
            "map" | "try_map" => {
                ": use `parse_with` and `write_with`, with `#[layout(stored_as = Type)]`"
            }
            "align_after" | "align_before" | "pad_after" | "pad_before" | "pad_size_to" => {
                ": declare the padding as a field, `#[br(count = …)] padding: Vec<u8>`, so that it is preserved"
            }
            "is_big" | "is_little" => {
                ": the byte order is part of the declaration, `big` or `little`"
            }
            "default" | "ignore" => ": use `calc = …` for a field that is not stored",
            _ => "",
        };
        let message = format!(
            "Layout does not support `{}({})` here{hint}",
            self.source, self.name
        );
        Error::new(self.name.span(), message)
    }
}

struct Directives(Vec<(Ident, Option<Tokens>)>);

impl Parse for Directives {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut list = Vec::new();
        while !input.is_empty() {
            let name = Ident::parse_any(input)?;
            let value = if input.peek(Token![=]) {
                input.parse::<Token![=]>()?;
                Some(parse_until_comma(input)?)
            } else if input.peek(syn::token::Paren) || input.peek(syn::token::Brace) {
                Some(contents(&input.parse()?))
            } else {
                None
            };
            list.push((name, value));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Directives(list))
    }
}

/// Parses `a, b`.
pub fn parse_expressions(input: ParseStream) -> Result<Vec<Expr>> {
    Ok(Punctuated::<Expr, Token![,]>::parse_terminated(input)?
        .into_iter()
        .collect())
}

fn parse_until_comma(input: ParseStream) -> Result<Tokens> {
    let mut tokens = Tokens::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// Returns the tokens between the delimiters. Braces are kept, since `args { … }` takes named arguments in binrw.
fn contents(group: &Group) -> Tokens {
    match group.delimiter() {
        Delimiter::Brace => TokenTree::Group(group.clone()).into(),
        _ => group.stream(),
    }
}

/// Returns the directives of all attributes that describe a layout, in order.
pub fn parse_directives(attrs: &[Attribute]) -> Result<Vec<Directive>> {
    parse_directives_of(attrs, &["br", "bw", "brw", "layout", "bitfield"])
}

/// Returns the directives of all attributes whose names are in `sources`, in order.
pub fn parse_directives_of(attrs: &[Attribute], sources: &[&str]) -> Result<Vec<Directive>> {
    let mut all = Vec::new();
    for (attribute, attr) in attrs.iter().enumerate() {
        let Some(source) = attr.path().get_ident().map(Ident::to_string) else {
            continue;
        };
        if !sources.contains(&source.as_str()) {
            continue;
        }
        let Directives(list) = attr.parse_args()?;
        let directive = |(name, value)| Directive {
            source: source.clone(),
            attribute,
            name,
            value,
        };
        all.extend(list.into_iter().map(directive));
    }
    Ok(all)
}
