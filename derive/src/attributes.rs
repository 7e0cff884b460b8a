//! Parses the attributes of structs, enums and packed words: `#[br]`, `#[bw]`, `#[brw]`, `#[bitfield]`, `#[layout]`.

use crate::directives::{Directive, parse_directives};
use crate::expression::{int_type, option_constant};
use crate::unraw_name;
use proc_macro2::{Span, TokenStream as Tokens};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Ident, LitByteStr, LitInt, LitStr, Result, Token, Type};

/// Returns `true` if `repr`, `bitfield` or an attribute of binrw is present. binrw and modular-bitfield remove their
/// attributes on expansion, so a derive below them would describe the wrong layout.
pub fn has_layout_attributes(attrs: &[Attribute]) -> bool {
    has_any(attrs, &["repr", "bitfield"]) || has_codec(attrs)
}

/// Returns `true` if binrw generates a codec for the type.
pub fn has_codec(attrs: &[Attribute]) -> bool {
    has_any(attrs, &["binrw", "binread", "binwrite", "br", "brw"])
}

fn has_any(attrs: &[Attribute], names: &[&str]) -> bool {
    let mut last = attrs.iter().filter_map(|attr| attr.path().segments.last());
    last.any(|segment| names.iter().any(|name| segment.ident == name))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    Little,
    Big,
}

impl Endian {
    /// Returns the name of the constant in `Layout`: `BIG` or `TYPE`.
    pub fn constant(self) -> Ident {
        Ident::new(
            if self == Endian::Big { "BIG" } else { "TYPE" },
            Span::call_site(),
        )
    }
}

/// The attributes of a struct, enum or packed word.
#[derive(Default)]
pub struct Container {
    pub magic: Option<LitByteStr>,
    /// The names of the arguments that the enclosing struct passes.
    pub imports: Imports,
    pub repr: Option<Type>,
    /// The byte order, if it is declared.
    pub endian: Option<Endian>,
    /// The number of bits in a packed word.
    pub bits: Option<u32>,
    /// The fields and imports of the enclosing struct that the constraints of a packed word refer to.
    pub outer: Vec<Ident>,
    /// The decoding of a packed word.
    pub decoding: Decoding,
}

/// The options `decoded`, `formula` and `unit` of a stored value or packed word.
#[derive(Default)]
pub struct Decoding {
    pub function: Option<Expr>,
    pub formula: Option<Expr>,
    pub unit: Option<String>,
}

impl Decoding {
    /// Parses `decoded`, `formula` or `unit`. Returns `false` for other directives.
    pub fn parse_directive(&mut self, directive: &Directive) -> Result<bool> {
        match (
            directive.source.as_str(),
            directive.name.to_string().as_str(),
        ) {
            ("layout", "decoded") => self.function = Some(directive.value()?),
            ("layout", "formula") => self.formula = Some(directive.value()?),
            ("layout", "unit") => self.unit = Some(directive.value::<LitStr>()?.value()),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Emits the decoding as a constant.
impl ToTokens for Decoding {
    fn to_tokens(&self, tokens: &mut Tokens) {
        let unit = self.unit.as_deref().unwrap_or_default();
        let function = self.function.as_ref();
        let name = function.map_or_else(
            || quote!(""),
            |function| quote!(::core::stringify!(#function)),
        );
        let decode = function
            .map(|function| quote!(|value| ::meshspec::__private::decode(value, #function)));
        let decode = option_constant(decode);
        let formula = self
            .formula
            .as_ref()
            .map_or_else(|| quote!(""), ToTokens::to_token_stream);
        tokens.extend(quote!(::meshspec::layout::decoding::Decoding {
            name: #name,
            decode: #decode,
            formula: #formula,
            unit: #unit,
        }));
    }
}

impl Container {
    pub fn parse(attrs: &[Attribute]) -> Result<Container> {
        let mut container = Container::default();
        let (mut decoding, mut maps) = (None, Vec::new());
        for directive in parse_directives(attrs)? {
            let name = directive.name.to_string();
            match (directive.source.as_str(), name.as_str()) {
                ("bitfield", "bits") => {
                    container.bits = Some(directive.value::<LitInt>()?.base10_parse()?)
                }
                // The map of a packed word only converts it to or from bytes or an integer: the layout stays the same.
                ("br" | "bw", "map") if container.bits.is_some() => maps.push(directive),
                ("layout", "outer") if container.bits.is_some() => {
                    let names =
                        directive.value_with(Punctuated::<Ident, Token![,]>::parse_terminated)?;
                    container.outer = names.into_iter().collect();
                }
                ("br" | "brw", "magic") => container.magic = Some(directive.value()?),
                ("br" | "brw", "import") => {
                    container.imports = directive.value_with(parse_imports)?
                }
                ("br" | "brw", "repr") => container.repr = Some(directive.value()?),
                ("br" | "brw", "little") => container.endian = Some(Endian::Little),
                ("br" | "brw", "big") => container.endian = Some(Endian::Big),
                _ if directive.is_write_only() => {}
                _ if container.decoding.parse_directive(&directive)? => {
                    decoding = Some(directive.name.span())
                }
                _ => return Err(directive.unsupported_error()),
            }
        }
        if container.bits > Some(8) {
            maps.iter()
                .try_for_each(|map| check_word_order(map, container.endian))?;
        }
        match decoding {
            Some(span) if container.bits.is_none() => {
                let message =
                    "only packed words can be decoded as a whole: decode the fields instead";
                Err(Error::new(span, message))
            }
            _ => Ok(container),
        }
    }
}

/// Returns an error if a map by `from_bytes` or `into_bytes`, which is little-endian, is declared `big`, or if another
/// map has no declared byte order.
fn check_word_order(map: &Directive, endian: Option<Endian>) -> Result<()> {
    let function = map.value::<Tokens>()?.to_string();
    let is_little = function.contains("from_bytes") || function.contains("into_bytes");
    let message = match (is_little, endian) {
        (true, Some(Endian::Big)) => {
            "the bytes of a packed word are little-endian: write `#[repr(u32)]`, \
             `br(map = |word: u32| Self::from(word))` and `bw(map = |word: &Self| u32::from(*word))`"
        }
        (false, None) => {
            "a packed word must declare its byte order: `#[brw(big)]` or `#[brw(little)]`"
        }
        _ => return Ok(()),
    };
    Err(Error::new(map.name.span(), message))
}

#[derive(Default)]
pub struct Imports {
    /// The names of values, visible to expressions.
    pub values: Vec<String>,
    /// The bits and the sign of each value, if its type is the name of an integer type.
    pub types: Vec<Option<(u32, bool)>>,
    /// The names of references except slices, visible only to the codec.
    references: Vec<String>,
}

impl Imports {
    /// Returns `true` if `argument` is an imported reference, which the layout omits.
    pub fn is_reference(&self, argument: &Expr) -> bool {
        matches!(argument, Expr::Path(path)
            if path.path.get_ident().is_some_and(|ident| self.references.contains(&unraw_name(ident))))
    }
}

/// Parses `name: Type, …`.
fn parse_imports(input: ParseStream) -> Result<Imports> {
    let mut imports = Imports::default();
    while !input.is_empty() {
        let name = unraw_name(&input.parse::<Ident>()?);
        input.parse::<Token![:]>()?;
        match input.parse::<Type>()? {
            Type::Reference(reference) if !matches!(*reference.elem, Type::Slice(_)) => {
                imports.references.push(name);
            }
            // A slice is a list whose items provide arguments.
            ty => {
                imports.values.push(name);
                imports.types.push(int_type(&ty));
            }
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(imports)
}
