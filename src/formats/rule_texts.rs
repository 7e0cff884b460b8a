//! Texts about rules: what enforces them, and the interpretations that they cite.

use super::About;
use crate::layout::grammar::Grammar;
use crate::layout::schema::declared_rules;
use crate::{Enforcement, Rule};

/// Describes in Markdown what enforces a rule: requirements of the declaration, the structure, or code.
pub(super) fn text(about: &About, grammar: Option<&Grammar>, rule: &Rule) -> String {
    match rule.enforced_by {
        Enforcement::Declaration => {
            let declared =
                declared_rules(about.layouts()).into_iter().filter(|declared| declared.rule == rule);
            let declared = declared.map(|declared| format!("`{}`: {}", declared.field, declared.requirement));
            let columns = grammar.map_or(&[][..], |grammar| grammar.rules).iter();
            let columns = columns.filter(|column| column.rule == rule);
            let columns = columns.map(|column| format!("column `{}`", column.column));
            declared.chain(columns).collect::<Vec<_>>().join("; ")
        }
        Enforcement::Structure => "structure".to_owned(),
        Enforcement::Code(reason) => format!("code: {reason}"),
    }
}

/// Returns the note in a format's schemas that explains ids and codes and lists the rules enforced in code.
pub(super) fn note(about: &About) -> String {
    let others = about.rules.iter().filter(|rule| rule.enforced_by != Enforcement::Declaration);
    let others =
        others.map(|rule| format!("- {} ({}): {}\n", rule.reference(), rule.severity.name(), rule.summary));
    format!(
        "An id of a letter and a number in parentheses is a row of {REPOSITORY}/blob/main/docs/interpretations.md,\n\
         which says how an unclear sentence of the specification is read. A code in capitals is a rule:\n\
         `meshspec check --explain CODE` explains it.\n\nRules that no field states:\n\n{}",
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
    /// The chosen reading, in Markdown.
    pub reading: &'static str,
}

const PAGE: &str = include_str!("../../docs/interpretations.md");

impl Interpretation {
    /// Returns the row with this id.
    pub(super) fn of(id: &str) -> Option<Interpretation> {
        PAGE.lines().find_map(|line| {
            let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
            let (row, rest) = cells.split_once(" | ")?;
            let (question, reading) = rest.split_once(" | ")?;
            (row == id).then_some(Interpretation { row, question, reading })
        })
    }
}
