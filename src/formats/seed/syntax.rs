//! The grammar as a parser: the only place that names the type of its rules, which pest generates.

#![allow(missing_docs, reason = "the rules are documented in the grammar")]

use pest::Parser;

/// The parser of `grammar/seed.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/seed.pest"]
pub(super) struct Seed;

/// The text of the grammar.
pub(super) const SOURCE: &str = include_str!("../../../grammar/seed.pest");

/// The tokens of a text.
pub(super) type Pairs<'t> = pest::iterators::Pairs<'t, Rule>;
/// Why a text does not follow a rule.
pub(super) type Error = pest::error::Error<Rule>;

/// Parses the whole of `text` by a rule. The error is large, and rare.
pub(super) fn parse(rule: Rule, text: &str) -> Result<Pairs<'_>, Box<Error>> {
    Seed::parse(rule, text).map_err(Box::new)
}

/// Length in bytes of the part of `text` that follows a rule which accepts every beginning.
pub(super) fn prefix(rule: Rule, text: &str) -> usize {
    parse(rule, text).ok().and_then(|mut pairs| pairs.next()).map_or(0, |pair| pair.as_span().end())
}
