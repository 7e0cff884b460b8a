//! Describes how rules are enforced, and which interpretations they cite.

use super::About;
use crate::layout::grammar::Grammar;
use crate::layout::schema::declared_rules;
use crate::{Enforcement, Rule};

/// Returns how a rule is enforced, in Markdown: by requirements of the declaration, by the structure, or by code.
pub(super) fn enforcement_text(about: &About, grammar: Option<&Grammar>, rule: &Rule) -> String {
    match rule.enforced_by {
        Enforcement::Declaration => {
            let declared = fields_by_requirement(about, rule);
            let declared = declared
                .iter()
                .map(|(requirement, fields)| format!("{}: {requirement}", fields.join(", ")));
            let columns = grammar.map_or(&[][..], |grammar| grammar.rules).iter();
            let columns = columns
                .filter(|c| c.rule == rule)
                .map(|c| format!("column `{}`", c.column));
            declared.chain(columns).collect::<Vec<_>>().join("; ")
        }
        Enforcement::Structure => "structure".to_owned(),
        Enforcement::Code(reason) => format!("code: {reason}"),
    }
}

/// Returns the requirements of a rule, each with the fields that declare it, in Markdown.
fn fields_by_requirement(about: &About, rule: &Rule) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for declared in declared_rules(about.layouts())
        .into_iter()
        .filter(|declared| declared.rule == rule)
    {
        let field = format!("`{}`", declared.field);
        match groups
            .iter_mut()
            .find(|(requirement, _)| *requirement == declared.requirement)
        {
            Some((_, fields)) => fields.push(field),
            None => groups.push((declared.requirement, vec![field])),
        }
    }
    groups
}

/// Returns the note in a format's schemas: an explanation of ids and codes, and the rules that no field declares.
pub(super) fn schema_note(about: &About) -> String {
    let others = about
        .rules
        .iter()
        .filter(|rule| rule.enforced_by != Enforcement::Declaration);
    let others = others.map(|r| {
        format!(
            "- {} ({}): {}\n",
            r.reference(),
            r.severity.name(),
            r.summary
        )
    });
    format!(
        "An id in parentheses, a letter and a number, is a row of {REPOSITORY}/blob/main/docs/interpretations.md,\n\
         with the interpretation of an unclear sentence in the specification. A code in capitals is a rule:\n\
         `meshspec check --explain CODE` explains it.\n\nRules that are not declared at a field:\n\n{}",
        others.collect::<String>()
    )
}

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// An interpretation of an unclear sentence in a specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interpretation {
    /// The id, such as `M13`.
    pub row: &'static str,
    /// The question that the specification leaves open.
    pub question: &'static str,
    /// The chosen interpretation, in Markdown.
    pub reading: &'static str,
}

const PAGE_TEXT: &str = include_str!("../../docs/interpretations.md");

impl Interpretation {
    /// Returns the interpretation with the given id; `None` if it is unknown.
    ///
    /// ```
    /// use meshspec::Interpretation;
    ///
    /// assert_eq!(Interpretation::find("M13").unwrap().question, "Which indices are valid?");
    /// ```
    pub fn find(id: &str) -> Option<Interpretation> {
        PAGE_TEXT.lines().find_map(|line| {
            let (row, rest) = line
                .strip_prefix("| ")?
                .strip_suffix(" |")?
                .split_once(" | ")?;
            let (question, reading) = rest.split_once(" | ")?;
            (row == id).then_some(Interpretation {
                row,
                question,
                reading,
            })
        })
    }
}
