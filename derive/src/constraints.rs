//! Parses constraints: requirements on values, and the rules that they enforce. Constraints in one attribute share the
//! rule, condition and message, as in `#[layout(below = vertex_count, ordered, rule = rules::INDEX_RANGE)]`. A
//! constraint consists of:
//!
//! - requirements on values: `below = …`, `at_least = …`, `unit_vector`, `one_of(…, …)`, `finite`, `unique`,
//!   `ordered`, `sum = 1.0` with `tolerance = …` and, for structs, `of = field`; `reserved_zero` for packed words;
//!   `terminated` for strings; `holds(…)` for a condition on the field and earlier fields; `some(…)` for a
//!   condition on at least one item of the list;
//! - relations: `index_into = list` with `none = …` and `weights = field`; `within = list` with `first = …`;
//!   `counts = list`; `position`; `equal`; `same_length`; `permutation` with `of = field` and `groups = …`;
//!   `forest` with `none = …`, `rooted`, `ids = field` and `parents_first`;
//! - the rule: `rule = rules::NAME`, or `plausible` for a property of plausible files that no check requires;
//!   optionally `if(…)` and `message = "…"`.

use proc_macro2::{Span, TokenStream as Tokens};
use quote::quote;
use syn::{Error, Expr, Ident, Lit, LitStr, Path, Result};

use crate::directives::Directive;
use crate::expression::{self, Scope, option_constant};
use crate::unraw_name;

/// A constraint on a field.
pub struct Constraint {
    /// The directive that starts the constraint.
    directive: Ident,
    /// The fields of the variant of `Requirement`, with their names; the name is empty in a tuple variant.
    parts: Vec<(&'static str, Part)>,
    condition: Option<Expr>,
    /// The rule; `None` for plausible values, which are not checked.
    rule: Option<Path>,
    message: Option<LitStr>,
}

/// A field of a variant of `Requirement`.
enum Part {
    Expression(Expr),
    Optional(Option<Expr>),
    Expressions(Vec<Expr>),
    /// The path of a list.
    List(Expr),
    /// The name of a field.
    Name(Option<Ident>),
    Number(f64),
    Flag(bool),
}

impl Part {
    fn to_constant(&self, scope: &Scope) -> Result<Tokens> {
        match self {
            Part::Expression(expr) => expression::to_constant(expr, scope),
            Part::Optional(expr) => expression::to_optional_constant(expr.as_ref(), scope),
            Part::Expressions(values) => expression::to_constant_list(values, scope),
            Part::List(path) => list_path(path),
            Part::Name(name) => Ok(option_constant(name.as_ref().map(unraw_name))),
            Part::Number(number) => Ok(quote!(#number)),
            Part::Flag(flag) => Ok(quote!(#flag)),
        }
    }
}

/// The options of requirements, by directive.
const REQUIREMENT_OPTIONS: [(&str, &[&str]); 5] = [
    ("sum", &["of", "tolerance"]),
    ("index_into", &["none", "weights"]),
    ("within", &["first"]),
    ("permutation", &["of", "groups"]),
    ("forest", &["none", "rooted", "ids", "parents_first"]),
];

/// The kind of field, which determines the constraints that it can have.
#[derive(Clone, Copy)]
pub enum FieldKind {
    /// An individual value, an array, or a list without a count.
    Value,
    /// A list with a count.
    List,
    /// The bytes of another structure.
    Block,
    /// A field without stored bytes.
    Computed,
}

/// The directives that start a constraint.
const REQUIREMENTS: &str = "below at_least unit_vector one_of finite unique ordered sum reserved_zero terminated \
    holds some index_into within counts position equal same_length permutation forest";

/// The options shared by all constraints of an attribute.
const COMMON_OPTIONS: [&str; 4] = ["if", "rule", "message", "plausible"];

/// The placeholders of a message, in addition to the names of fields, each with the constraints that support it. An
/// empty list means all constraints. `Requirement::has_placeholder` must agree.
const PLACEHOLDERS: [(&str, &[&str]); 7] = [
    ("found", &[]),
    ("position", &[]),
    ("items", &[]),
    (
        "limit",
        &[
            "below",
            "at_least",
            "one_of",
            "sum",
            "index_into",
            "within",
            "counts",
            "permutation",
        ],
    ),
    ("previous", &["ordered", "equal", "same_length"]),
    ("first", &["within"]),
    ("problem", &["permutation", "forest"]),
];

/// Removes the constraints and their options from the directives of a field, and parses them.
pub fn take_constraints(directives: &mut Vec<Directive>) -> Result<Vec<Constraint>> {
    let is_requirement = |directive: &Directive| {
        directive.source == "layout" && REQUIREMENTS.split(' ').any(|name| directive.name == name)
    };
    let mut attributes: Vec<usize> = directives
        .iter()
        .filter(|directive| is_requirement(directive))
        .map(|d| d.attribute)
        .collect();
    attributes.dedup();
    let mut constraints = Vec::new();
    for attribute in attributes {
        let is_allowed = |directive: &Directive| {
            let mut names = COMMON_OPTIONS
                .iter()
                .chain(REQUIREMENT_OPTIONS.iter().flat_map(|(_, parts)| *parts));
            is_requirement(directive) || names.any(|name| directive.name == name)
        };
        let is_own =
            |directive: &Directive| directive.attribute == attribute && is_allowed(directive);
        let (own, rest): (Vec<_>, Vec<_>) = directives.drain(..).partition(is_own);
        *directives = rest;
        let (requirements, options): (Vec<_>, Vec<_>) = own.into_iter().partition(is_requirement);
        check_options(&requirements, &options)?;
        for requirement in requirements {
            constraints.push(Constraint::parse(&requirement, &options)?);
        }
    }
    Ok(constraints)
}

/// Returns the error for an unsupported directive of a field. For `#[layout]`, the error lists the constraints.
pub fn unsupported_error(directive: &Directive) -> Error {
    let error = directive.unsupported_error();
    if directive.source != "layout" {
        return error;
    }
    let constraints = REQUIREMENTS.replace(' ', ", ");
    Error::new(
        error.span(),
        format!("{error}; expected an option of the field or a constraint: {constraints}"),
    )
}

/// Returns an error if the attribute has an option without its constraint.
fn check_options(requirements: &[Directive], options: &[Directive]) -> Result<()> {
    let is_common =
        |directive: &Directive| COMMON_OPTIONS.iter().any(|name| directive.name == name);
    for directive in options.iter().filter(|directive| !is_common(directive)) {
        let has = |(_, parts): &&(&str, &[&str])| parts.iter().any(|name| directive.name == name);
        let owners: Vec<_> = REQUIREMENT_OPTIONS
            .iter()
            .filter(has)
            .map(|(owner, _)| *owner)
            .collect();
        if !owners.iter().any(|owner| {
            requirements
                .iter()
                .any(|requirement| requirement.name == owner)
        }) {
            let message = format!("`{}` requires `{}`", directive.name, owners.join("` or `"));
            return Err(Error::new(directive.name.span(), message));
        }
    }
    Ok(())
}

impl Constraint {
    /// Parses a constraint from its directive and the options of its attribute.
    fn parse(requirement: &Directive, options: &[Directive]) -> Result<Constraint> {
        let directive = requirement.name.clone();
        let option = |name: &str| options.iter().find(|option| option.name == name);
        let expression = |name: &str| option(name).map(Directive::value).transpose();
        let optional = |name| Ok::<_, Error>((name, Part::Optional(expression(name)?)));
        let field = |name| {
            Ok::<_, Error>((
                name,
                Part::Name(option(name).map(Directive::value).transpose()?),
            ))
        };
        let flag = |name| (name, Part::Flag(option(name).is_some()));
        let list = || Ok::<_, Error>(("list", Part::List(requirement.value()?)));
        let parts = match directive.to_string().as_str() {
            "below" | "at_least" | "holds" | "some" => {
                vec![("", Part::Expression(requirement.value()?))]
            }
            "one_of" => vec![("", Part::Expressions(requirement.expressions()?))],
            "sum" => {
                let (of, total) = (field("of")?, Part::Number(parse_number(requirement)?));
                let tolerance = option("tolerance").map_or(Ok(0.0), parse_number)?;
                vec![of, ("total", total), ("tolerance", Part::Number(tolerance))]
            }
            "index_into" => vec![list()?, optional("none")?, field("weights")?],
            "within" => {
                let missing = || {
                    Error::new(
                        directive.span(),
                        "`within` needs the index of the first item: `first = …`",
                    )
                };
                vec![
                    list()?,
                    (
                        "first",
                        Part::Expression(expression("first")?.ok_or_else(missing)?),
                    ),
                ]
            }
            "counts" => vec![list()?],
            "permutation" => vec![field("of")?, optional("groups")?],
            "forest" => vec![
                optional("none")?,
                flag("rooted"),
                field("ids")?,
                flag("parents_first"),
            ],
            _ => Vec::new(),
        };
        let condition = expression("if")?;
        let message = option("message")
            .map(Directive::value::<LitStr>)
            .transpose()?;
        let rule = match (option("rule"), option("plausible")) {
            (Some(rule), None) => Some(rule.rule()?),
            (None, Some(_)) => None,
            (Some(_), Some(plausible)) => {
                let message = "plausible values are not checked, so they have no rule";
                return Err(Error::new(plausible.name.span(), message));
            }
            (None, None) => {
                let message = "a constraint needs a rule: `rule = rules::NAME`";
                return Err(Error::new(directive.span(), message));
            }
        };
        if (directive == "holds" || directive == "some") && message.is_none() && rule.is_some() {
            let needs = format!("`{directive}` needs a message for violations: `message = \"…\"`");
            return Err(Error::new(directive.span(), needs));
        }
        Ok(Constraint {
            directive,
            parts,
            condition,
            rule,
            message,
        })
    }

    /// Returns an error if a field of this kind cannot have the constraint.
    pub fn check_kind(&self, kind: FieldKind) -> Result<()> {
        let message = match kind {
            FieldKind::Computed => {
                "a computed field is not stored: constrain the fields that it is computed from"
            }
            FieldKind::Block => "these bytes contain another structure: constrain its fields",
            FieldKind::List if self.directive == "reserved_zero" => {
                "this constraint applies to a single value: constrain a field of the items instead"
            }
            _ => return Ok(()),
        };
        Err(Error::new(self.directive.span(), message))
    }

    fn to_constant(&self, scope: &Scope) -> Result<Tokens> {
        let variant = variant_name(&self.directive);
        let values = self.parts.iter().map(|(_, part)| part.to_constant(scope));
        let values = values.collect::<Result<Vec<_>>>()?;
        let requirement = match &*self.parts {
            [] => quote!(#variant),
            [("", _)] => quote!(#variant(#(#values)*)),
            parts => {
                let names = parts
                    .iter()
                    .map(|(name, _)| Ident::new(name, Span::call_site()));
                quote!(#variant { #(#names: #values),* })
            }
        };
        let condition = expression::to_optional_constant(self.condition.as_ref(), scope)?;
        self.message
            .iter()
            .try_for_each(|message| self.check_template(message, scope))?;
        let message = option_constant(self.message.as_ref().map(LitStr::value));
        let rule = match &self.rule {
            Some(path) => rule_reference(path),
            None => quote!(&::meshspec::__private::PLAUSIBLE),
        };
        Ok(quote!(::meshspec::layout::declaration::Constraint {
            requirement: ::meshspec::layout::declaration::Requirement::#requirement,
            condition: #condition,
            rule: #rule,
            message: #message,
        }))
    }

    /// Returns an error for an unknown placeholder in the message.
    fn check_template(&self, message: &LitStr, scope: &Scope) -> Result<()> {
        let applies = |(_, owners): &&(&str, &[&str])| {
            owners.is_empty() || owners.iter().any(|owner| self.directive == owner)
        };
        let placeholders: Vec<_> = PLACEHOLDERS
            .iter()
            .filter(applies)
            .map(|(name, _)| *name)
            .collect();
        for part in message.value().split('{').skip(1) {
            let name = part.split(['}', ':', '.']).next().unwrap_or_default();
            if !part.contains('}') || !(placeholders.contains(&name) || scope.has(name)) {
                let known = placeholders.join("}, {");
                let error =
                    format!("unknown placeholder, expected {{{known}}} or the name of a field");
                return Err(Error::new(message.span(), error));
            }
        }
        Ok(())
    }
}

/// Returns the variant of `Requirement` for a directive: `UnitVector` for `unit_vector`.
fn variant_name(directive: &Ident) -> Ident {
    let name = directive.to_string();
    let parts = name
        .split('_')
        .map(|part| part[..1].to_uppercase() + &part[1..]);
    Ident::new(&parts.collect::<String>(), Span::call_site())
}

/// Returns a reference to a rule. The `const` block lets a constant refer to a `static`.
pub fn rule_reference(path: &Path) -> Tokens {
    quote!(const { &#path })
}

/// Returns the path of a list, such as `joints` or `streams[0].data`, as a constant.
fn list_path(path: &Expr) -> Result<Tokens> {
    fn collect(path: &Expr, segments: &mut Vec<Tokens>) -> Result<()> {
        match path {
            Expr::Path(name) => {
                let name = unraw_name(name.path.require_ident()?);
                segments.push(quote!(Field(#name)));
            }
            Expr::Field(syn::ExprField {
                base,
                member: syn::Member::Named(name),
                ..
            }) => {
                collect(base, segments)?;
                let name = unraw_name(name);
                segments.push(quote!(Field(#name)));
            }
            Expr::Index(syn::ExprIndex { expr, index, .. }) => {
                collect(expr, segments)?;
                segments.push(quote!(Index(#index)));
            }
            other => {
                let message =
                    "expected the path of a list of an enclosing struct: `joints`, `header.names`";
                return Err(Error::new_spanned(other, message));
            }
        }
        Ok(())
    }
    let mut all = Vec::new();
    collect(path, &mut all)?;
    Ok(quote!(&[#(::meshspec::layout::walk::Segment::#all),*]))
}

/// Returns the constraints with a rule as a constant slice.
pub fn rule_constraints(constraints: &[Constraint], scope: &Scope) -> Result<Tokens> {
    constant_slice(
        constraints
            .iter()
            .filter(|constraint| constraint.rule.is_some()),
        scope,
    )
}

/// Returns the constraints on plausible values as a constant slice.
pub fn plausible_constraints(constraints: &[Constraint], scope: &Scope) -> Result<Tokens> {
    constant_slice(
        constraints
            .iter()
            .filter(|constraint| constraint.rule.is_none()),
        scope,
    )
}

fn constant_slice<'c>(
    constraints: impl Iterator<Item = &'c Constraint>,
    scope: &Scope,
) -> Result<Tokens> {
    let constants = constraints
        .map(|constraint| constraint.to_constant(scope))
        .collect::<Result<Vec<_>>>()?;
    Ok(quote!(&[#(#constants),*]))
}

/// Parses a number, with or without a decimal point.
fn parse_number(directive: &Directive) -> Result<f64> {
    match directive.value()? {
        Lit::Float(number) => number.base10_parse(),
        Lit::Int(number) => number.base10_parse(),
        other => Err(Error::new(other.span(), "expected a number")),
    }
}
