//! Constraints: what values must be, and which rule they break where they are not. Each stands in an attribute of its own,
//! `#[layout(below = vertex_count, rule = "CODE")]`:
//!
//! - what is required: `below = …`, `one_of(…, …)`, `finite`, `unique`, `ordered`, `sum = 1.0` with `tolerance = …` and,
//!   of structs, `of = field`; `reserved_zero` of a packed word; `terminated` of strings; `holds(…)` for a condition on the field and earlier ones;
//! - `rule = "CODE"`; and where there is more to say, `if(…)` and `message = "…"`.

use proc_macro2::{Span, TokenStream as Tokens};
use quote::quote;
use syn::{Error, Expr, Ident, Lit, LitStr, Result};

use crate::directives::Directive;
use crate::expression::{self, Scope};
use crate::name_of;

/// One constraint of a field.
pub struct Constraint {
    /// The word that it starts with, for errors.
    word: Ident,
    requirement: Requirement,
    condition: Option<Expr>,
    rule: String,
    message: Option<LitStr>,
}

enum Requirement {
    Below(Expr),
    OneOf(Vec<Expr>),
    Finite,
    Unique,
    Ordered,
    Sum { of: Option<Ident>, total: f64, tolerance: f64 },
    ReservedZero,
    Terminated,
    Holds(Expr),
}

/// What a field has that constraints look at.
#[derive(Clone, Copy)]
pub enum FieldKind {
    /// A value, or an array of them.
    Value,
    /// As many items as its count says.
    List,
    /// The bytes of another structure.
    Block,
    /// Nothing in the file.
    Computed,
}

/// The words that make an attribute a constraint.
const WORDS: [&str; 9] =
    ["below", "one_of", "finite", "unique", "ordered", "sum", "reserved_zero", "terminated", "holds"];

/// Takes the constraints out of the directives of a field.
pub fn take(directives: &mut Vec<Directive>) -> Result<Vec<Constraint>> {
    let is_word = |directive: &&Directive| {
        directive.source == "layout" && WORDS.iter().any(|word| directive.name == word)
    };
    let mut attributes: Vec<usize> = directives.iter().filter(is_word).map(|d| d.attribute).collect();
    attributes.dedup();
    attributes
        .into_iter()
        .map(|attribute| {
            let (own, rest) = directives.drain(..).partition(|directive| directive.attribute == attribute);
            *directives = rest;
            Constraint::parse(own)
        })
        .collect()
}

impl Constraint {
    /// The constraint that the directives of one attribute say.
    fn parse(directives: Vec<Directive>) -> Result<Constraint> {
        let mut found: Option<(Ident, Requirement)> = None;
        let (mut condition, mut rule, mut message) = (None, None, None);
        let (mut of, mut tolerance) = (None, 0.0);
        for directive in &directives {
            let requirement = match directive.name.to_string().as_str() {
                "below" => Requirement::Below(directive.value()?),
                "one_of" => Requirement::OneOf(directive.expressions()?),
                "finite" => Requirement::Finite,
                "unique" => Requirement::Unique,
                "ordered" => Requirement::Ordered,
                "sum" => Requirement::Sum { of: None, total: float(directive)?, tolerance: 0.0 },
                "reserved_zero" => Requirement::ReservedZero,
                "terminated" => Requirement::Terminated,
                "holds" => Requirement::Holds(directive.value()?),
                other => {
                    match other {
                        "of" => of = Some(directive.value::<Ident>()?),
                        "tolerance" => tolerance = float(directive)?,
                        "if" => condition = Some(directive.value()?),
                        "rule" => rule = Some(directive.value::<LitStr>()?.value()),
                        "message" => message = Some(directive.value::<LitStr>()?),
                        _ => return Err(directive.unknown()),
                    }
                    continue;
                }
            };
            if found.replace((directive.name.clone(), requirement)).is_some() {
                let message = "each constraint stands in a `#[layout(…)]` of its own, with its rule";
                return Err(Error::new(directive.name.span(), message));
            }
        }
        let (word, mut requirement) =
            found.ok_or_else(|| Error::new(Span::call_site(), "nothing is required"))?;
        let Some(rule) = rule else {
            return Err(Error::new(
                word.span(),
                "a constraint needs the rule that it belongs to: `rule = \"CODE\"`",
            ));
        };
        match &mut requirement {
            Requirement::Sum { of: field, tolerance: room, .. } => (*field, *room) = (of, tolerance),
            _ if of.is_some() || tolerance != 0.0 => {
                return Err(Error::new(word.span(), "only a `sum` has `of` and `tolerance`"));
            }
            Requirement::Holds(_) if message.is_none() => {
                return Err(Error::new(
                    word.span(),
                    "`holds` needs a message for when it does not: `message = \"…\"`",
                ));
            }
            _ => {}
        }
        Ok(Constraint { word, requirement, condition, rule, message })
    }

    /// Refuses what such a field has no values for.
    pub fn check_kind(&self, kind: FieldKind) -> Result<()> {
        let message = match (kind, &self.requirement) {
            (FieldKind::Computed, _) => {
                "a field that is computed lies nowhere: constrain what it is computed from"
            }
            (FieldKind::Block, _) => "these bytes hold another structure: constrain its fields",
            (FieldKind::List, Requirement::Holds(_) | Requirement::ReservedZero) => {
                "this looks at one value, not at the items of a list: constrain a field of the items"
            }
            _ => return Ok(()),
        };
        Err(Error::new(self.word.span(), message))
    }

    fn constant(&self, scope: &Scope) -> Result<Tokens> {
        let requirement = match &self.requirement {
            Requirement::Below(limit) => {
                let limit = expression::constant(limit, scope)?;
                quote!(Below(#limit))
            }
            Requirement::OneOf(values) => {
                let values = expression::list(values, scope)?;
                quote!(OneOf(#values))
            }
            Requirement::Finite => quote!(Finite),
            Requirement::Unique => quote!(Unique),
            Requirement::Ordered => quote!(Ordered),
            Requirement::Sum { of, total, tolerance } => {
                let of = optional(of.as_ref().map(name_of));
                quote!(Sum { of: #of, total: #total, tolerance: #tolerance })
            }
            Requirement::ReservedZero => quote!(ReservedZero),
            Requirement::Terminated => quote!(Terminated),
            Requirement::Holds(condition) => {
                let condition = expression::constant(condition, scope)?;
                quote!(Holds(#condition))
            }
        };
        let condition = expression::optional(self.condition.as_ref(), scope)?;
        self.message.iter().try_for_each(|message| check_template(message, scope))?;
        let (rule, message) = (&self.rule, optional(self.message.as_ref().map(LitStr::value)));
        Ok(quote!(::meshspec::layout::Constraint {
            requirement: ::meshspec::layout::Requirement::#requirement,
            condition: #condition,
            rule: #rule,
            message: #message,
        }))
    }
}

/// The constraints as a constant slice.
pub fn list(constraints: &[Constraint], scope: &Scope) -> Result<Tokens> {
    let constants =
        constraints.iter().map(|constraint| constraint.constant(scope)).collect::<Result<Vec<_>>>()?;
    Ok(quote!(&[#(#constants),*]))
}

fn optional(text: Option<String>) -> Tokens {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

/// A number, with a point or without one.
fn float(directive: &Directive) -> Result<f64> {
    match directive.value()? {
        Lit::Float(number) => number.base10_parse(),
        Lit::Int(number) => number.base10_parse(),
        other => Err(Error::new(other.span(), "expected a number")),
    }
}

/// Refuses placeholders of a message that stand for nothing.
fn check_template(message: &LitStr, scope: &Scope) -> Result<()> {
    for part in message.value().split('{').skip(1) {
        let name = part.split(['}', ':', '.']).next().unwrap_or_default();
        let is_known = ["found", "limit", "previous"].contains(&name) || scope.has(name);
        if !part.contains('}') || !is_known {
            let known = "the placeholders of a message are {found}, {limit}, {previous} and names of fields";
            return Err(Error::new(message.span(), known));
        }
    }
    Ok(())
}
