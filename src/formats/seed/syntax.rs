//! The pest parser of the grammar.

#![allow(missing_docs, reason = "the rules are documented in the grammar")]

use pest::Parser;

/// The parser of `grammar/seed.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/seed.pest"]
pub(super) struct SeedParser;

/// The text of the grammar.
pub(super) const SOURCE: &str = include_str!("../../../grammar/seed.pest");

/// The matches of rules in the text of a file.
pub(super) type Pairs<'t> = pest::iterators::Pairs<'t, Rule>;
/// The reason a string does not match a rule.
pub(super) type Error = pest::error::Error<Rule>;

/// Parses `text` from its start with a rule. Errors are boxed, because they are large and rare.
pub(super) fn parse(rule: Rule, text: &str) -> Result<Pairs<'_>, Box<Error>> {
    SeedParser::parse(rule, text).map_err(Box::new)
}

/// Returns the byte length of the prefix of `text` that a rule matches, or 0. The rule must not match the end of input.
pub(super) fn prefix_len(rule: Rule, text: &str) -> usize {
    parse(rule, text)
        .ok()
        .and_then(|mut pairs| pairs.next())
        .map_or(0, |pair| pair.as_span().end())
}
