//! Parses the attributes of fields.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Error, Expr, Ident, LitInt, LitStr, Pat, Path, Result, Token, Type};

use crate::attributes::{Decoding, Endian};
use crate::constraints::{self, Constraint, FieldKind};
use crate::directives::{Directive, parse_directives, parse_expressions};
use crate::unraw_name;

/// The content of a byte field, from `#[layout(…)]`.
pub struct Block {
    pub packing: Ident,
    /// The expression that selects among several encodings of the packing.
    pub encoding: Option<Expr>,
    pub size: Option<Expr>,
    pub content: Type,
    pub arguments: Vec<Expr>,
    pub inline: bool,
}

/// The checksum of the bytes up to the end of a field.
pub struct Checksum {
    /// The expression for the field with the stored checksum.
    pub stored: Expr,
    /// The constant with the checksum function.
    pub function: Path,
    pub arguments: Vec<Expr>,
    /// The first covered field, or `self` for the start of the struct; `None` to cover only this field.
    pub from: Option<String>,
    /// The stored number that means "no checksum".
    pub none: Option<LitInt>,
}

/// A list whose items provide the arguments for the items of the field, from `args_iter`.
pub struct Each {
    pub list: Expr,
    /// The name of an item in the arguments.
    pub item: Ident,
    pub arguments: Vec<Expr>,
}

/// The attributes of a field.
#[derive(Default)]
pub struct Field {
    pub condition: Option<Expr>,
    pub count: Option<Expr>,
    pub arguments: Vec<Expr>,
    pub each: Option<Each>,
    pub position: Option<Expr>,
    /// Whether the next field starts at the same offset.
    pub lookahead: bool,
    pub checks: Vec<(Expr, String)>,
    pub constraints: Vec<Constraint>,
    pub rule: Option<Path>,
    pub block: Option<Block>,
    pub checksum: Option<Checksum>,
    /// Whether the field is computed while reading instead of stored.
    pub computed: bool,
    /// The expression of a `calc` field.
    pub calculation: Option<Expr>,
    /// The stored type, if a function reads the field.
    pub stored_as: Option<Type>,
    /// The name in the layout, if it differs from the field's name.
    name: Option<String>,
    pub decoding: Decoding,
    /// The byte order, if it is declared; `Little` for fields that are read in bulk.
    pub endian: Option<Endian>,
}

impl Field {
    /// Returns the name of the field `ident` in the layout.
    pub fn layout_name(&self, ident: &Ident) -> String {
        self.name.clone().unwrap_or_else(|| unraw_name(ident))
    }

    pub fn parse(attrs: &[Attribute]) -> Result<Field> {
        let mut field = Field::default();
        let mut content: Option<Type> = None;
        let (mut packing, mut encoding) = (Ident::new("stored", Span::call_site()), None);
        let (mut size, mut arguments, mut inline) = (None, Vec::new(), false);
        let (mut stored, mut function): (Option<Expr>, Option<(Path, Vec<Expr>)>) = (None, None);
        let (mut from, mut none) = (None, None);
        let (mut needs_content, mut needs_checksum): (Option<Span>, Option<Span>) = (None, None);
        let (mut restores_position, mut moving_directive) = (false, None);
        let mut reader: Option<Expr> = None;
        let mut all = parse_directives(attrs)?;
        field.constraints = constraints::take_constraints(&mut all)?;
        for directive in all {
            let (name, span) = (directive.name.to_string(), directive.name.span());
            match (directive.source.as_str(), name.as_str()) {
                ("layout", "packing" | "size" | "args" | "inline") => needs_content = Some(span),
                ("layout", "from" | "none") => needs_checksum = Some(span),
                _ => {}
            }
            match (directive.source.as_str(), name.as_str()) {
                ("br", "count") => field.count = Some(directive.value()?),
                ("br" | "brw", "if") => field.condition = Some(directive.value()?),
                ("br" | "brw", "args") => field.arguments = parse_arguments(&directive)?,
                ("br" | "brw", "assert") => field.checks.push(directive.value_with(parse_check)?),
                ("br" | "brw", "seek_before") => {
                    field.position = Some(directive.value_with(parse_seek)?)
                }
                ("br" | "brw", "restore_position") => restores_position = true,
                ("bw", "seek_before" | "restore_position") => moving_directive = Some(directive),
                ("br", "temp") => {}
                ("br", "calc") => {
                    // Only the codec evaluates expressions that are not data.
                    (field.computed, field.calculation) = (true, directive.value().ok());
                }
                ("br", "try_calc") => field.computed = true,
                ("br", "parse_with") => {
                    let function: Expr = directive.value()?;
                    match args_iter_argument(&function) {
                        Some(argument) => field.each = Some(parse_each(argument)?),
                        None => reader = Some(function),
                    }
                }
                ("br" | "brw", "little") => field.endian = Some(Endian::Little),
                ("br" | "brw", "big") => field.endian = Some(Endian::Big),
                ("layout", "stored_as") => field.stored_as = Some(directive.value()?),
                ("layout", "name") => field.name = Some(directive.value::<LitStr>()?.value()),
                ("layout", "rule") => field.rule = Some(directive.rule()?),
                ("layout", "content") => content = Some(directive.value()?),
                ("layout", "packing") => {
                    (packing, encoding) = directive.value_with(parse_packing)?
                }
                ("layout", "size") => size = Some(directive.value()?),
                ("layout", "checksum") => stored = Some(directive.value()?),
                ("layout", "by") => function = Some(directive.value_with(parse_function)?),
                ("layout", "from") => {
                    from = Some(unraw_name(&directive.value_with(Ident::parse_any)?))
                }
                ("layout", "none") => none = Some(directive.value()?),
                ("layout", "args") => arguments = directive.expressions()?,
                ("layout", "inline") => inline = true,
                _ if directive.is_write_only() => {}
                _ if field.decoding.parse_directive(&directive)? => {}
                _ => return Err(constraints::unsupported_error(&directive)),
            }
        }
        match &field.position {
            Some(position) if !restores_position => {
                let message = "a field with `seek_before` needs `restore_position`";
                return Err(Error::new_spanned(position, message));
            }
            Some(_) => {}
            None => match moving_directive {
                Some(directive) => return Err(directive.unsupported_error()),
                None => field.lookahead = restores_position,
            },
        }
        field.checksum = match (stored, function) {
            (Some(stored), Some((function, arguments))) => Some(Checksum {
                stored,
                function,
                arguments,
                from,
                none,
            }),
            (Some(stored), None) => {
                let message = "`checksum` needs a checksum function: `by = CONSTANT`";
                return Err(Error::new_spanned(stored, message));
            }
            (None, Some((function, _))) => {
                return Err(Error::new_spanned(
                    function,
                    "`by` needs a field: `checksum = field`",
                ));
            }
            (None, None) => None,
        };
        if let (Some(span), None) = (needs_checksum, &field.checksum) {
            return Err(Error::new(span, "this needs `checksum = field`"));
        }
        if let (Some(span), None) = (needs_content, &content) {
            return Err(Error::new(span, "this needs `content = Type`"));
        }
        field.block = content.map(|content| Block {
            packing,
            encoding,
            size,
            content,
            arguments,
            inline,
        });
        if reader.as_ref().is_some_and(is_bulk_function) {
            if field.endian == Some(Endian::Big) {
                return Err(Error::new_spanned(
                    reader,
                    "`bulk` reads little-endian numbers",
                ));
            }
            field.endian = Some(Endian::Little);
        }
        if let (Some(each), Some(_)) = (&field.each, &field.count) {
            let message = "the list in `args_iter` determines the number of items";
            return Err(Error::new_spanned(&each.list, message));
        }
        if let (Some(each), Some(_)) = (&field.each, &field.block) {
            let message = "a field with `content` contains bytes, not items with arguments";
            return Err(Error::new_spanned(&each.list, message));
        }
        let kind = match &field {
            Field { computed: true, .. } => FieldKind::Computed,
            Field { block: Some(_), .. } => FieldKind::Block,
            Field { count: Some(_), .. } | Field { each: Some(_), .. } => FieldKind::List,
            _ => FieldKind::Value,
        };
        field
            .constraints
            .iter()
            .try_for_each(|constraint| constraint.check_kind(kind))?;
        match (&reader, &field.stored_as) {
            (Some(reader), None) if !is_bulk_function(reader) => Err(Error::new_spanned(
                reader,
                "Layout cannot determine what this function reads: declare its type with `#[layout(stored_as = Type)]`",
            )),
            (None, Some(stored_as)) => Err(Error::new_spanned(
                stored_as,
                "`stored_as` needs a function that reads it: `parse_with`",
            )),
            _ => Ok(field),
        }
    }
}

/// Returns `true` for a function of `meshspec::bulk`, which reads the declared type of the field.
pub fn is_bulk_function(function: &Expr) -> bool {
    let path = match function {
        Expr::Call(call) => &*call.func,
        other => other,
    };
    matches!(path, Expr::Path(path)
        if path.path.segments.len() > 1 && path.path.segments.iter().rev().nth(1).is_some_and(|s| s.ident == "bulk"))
}

/// Returns `iterator` in `args_iter(iterator)`; `None` for other expressions.
fn args_iter_argument(function: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = function else {
        return None;
    };
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    let is_args_iter = path.path.segments.last()?.ident == "args_iter";
    call.args
        .first()
        .filter(|_| is_args_iter && call.args.len() == 1)
}

/// Parses `list.iter().map(|item| (a, b))`.
fn parse_each(iterator: &Expr) -> Result<Each> {
    let parts = || {
        let Expr::MethodCall(map) = iterator else {
            return None;
        };
        let (Expr::MethodCall(iter), Some(Expr::Closure(closure))) =
            (&*map.receiver, map.args.first())
        else {
            return None;
        };
        let (Some(Pat::Ident(item)), 1) = (closure.inputs.first(), closure.inputs.len()) else {
            return None;
        };
        let Expr::Tuple(arguments) = &*closure.body else {
            return None;
        };
        (map.method == "map" && iter.method == "iter").then(|| Each {
            list: (*iter.receiver).clone(),
            item: item.ident.clone(),
            arguments: arguments.elems.iter().cloned().collect(),
        })
    };
    parts().ok_or_else(|| {
        let message = "Layout supports only `args_iter(list.iter().map(|item| (a, b)))`";
        Error::new_spanned(iterator, message)
    })
}

/// Parses `packing` or `PACKING(encoding)`.
fn parse_packing(input: ParseStream) -> Result<(Ident, Option<Expr>)> {
    let packing = input.parse()?;
    if input.is_empty() {
        return Ok((packing, None));
    }
    let encoding;
    syn::parenthesized!(encoding in input);
    Ok((packing, Some(encoding.parse()?)))
}

/// Parses `CONSTANT` or `CONSTANT(a, b)`.
fn parse_function(input: ParseStream) -> Result<(Path, Vec<Expr>)> {
    let constant = input.call(Path::parse_mod_style)?;
    if input.is_empty() {
        return Ok((constant, Vec::new()));
    }
    let arguments;
    syn::parenthesized!(arguments in input);
    Ok((constant, parse_expressions(&arguments)?))
}

/// Parses the arguments of `args(a, b)` or `args { inner: (a, b) }`.
fn parse_arguments(directive: &Directive) -> Result<Vec<Expr>> {
    directive.value_with(|input| {
        if !input.peek(syn::token::Brace) {
            return parse_expressions(input);
        }
        let named;
        syn::braced!(named in input);
        let name: Ident = named.parse()?;
        if name != "inner" {
            return Err(Error::new(
                name.span(),
                "Layout supports only `args { inner: (…) }`",
            ));
        }
        named.parse::<Token![:]>()?;
        let inner;
        syn::parenthesized!(inner in named);
        named.parse::<Option<Token![,]>>()?;
        parse_expressions(&inner)
    })
}

/// Parses `condition, "message"`.
fn parse_check(input: ParseStream) -> Result<(Expr, String)> {
    let condition: Expr = input.parse()?;
    if input.is_empty() {
        return Err(Error::new_spanned(condition, "a check needs a message"));
    }
    input.parse::<Token![,]>()?;
    let message: LitStr = input.parse()?;
    if message.value().contains('{') {
        return Err(Error::new(
            message.span(),
            "the message cannot have placeholders, since it is data",
        ));
    }
    input.parse::<Option<Token![,]>>()?;
    Ok((condition, message.value()))
}

/// Parses `SeekFrom::Start(expression)`.
fn parse_seek(input: ParseStream) -> Result<Expr> {
    let call: syn::ExprCall = input.parse()?;
    let is_from_start = matches!(&*call.func, Expr::Path(path)
        if path.path.segments.last().is_some_and(|segment| segment.ident == "Start"));
    match (is_from_start, call.args.len()) {
        (true, 1) => Ok(call.args[0].clone()),
        _ => Err(Error::new_spanned(
            call,
            "Layout supports only `SeekFrom::Start(offset)`",
        )),
    }
}
