//! Lists the rules that declarations enforce.

use super::declaration::{Field, Type};
use super::program::{Order, reachable};
use super::wording::{readable, requirement_text};
use crate::Rule;

/// A rule, the field that declares it, and its requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredRule {
    /// The rule.
    pub rule: &'static Rule,
    /// The field, such as `Header.version`, or the variant of a choice.
    pub field: String,
    /// The requirement in Markdown: ``Must be below `vertex_count` ``.
    pub requirement: String,
}

/// Returns the rules that these layouts declare: by constraints, and by checks of fields that name their rule.
/// Rules common to several layouts are listed once.
pub fn declared_rules(layouts: &[(&str, &'static Type)]) -> Vec<DeclaredRule> {
    let mut rules: Vec<(&str, DeclaredRule)> = Vec::new();
    for reached in reachable(layouts, Order::Reading) {
        let bits = reached.declaration.bit_fields().iter().map(Field::of_bits);
        let names = reached.names;
        let code = |text: &str| format!("`{text}`");
        let variants = reached.declaration.variants();
        for (index, field) in reached.declaration.fields().copied().chain(bits).enumerate() {
            let name = variants.get(index).map_or(field.name, |variant| variant.name);
            let constraints =
                field.constraints.iter().map(|c| (c.rule, requirement_text(c, &field, &names, code)));
            let condition = |condition| format!("{} must hold", code(&readable(condition, &names)));
            let checks = field.checks.iter().map(|check| condition(&check.condition));
            let checks = checks.filter_map(|text| Some((field.rule?, text)));
            for (by, requirement) in constraints.chain(checks) {
                let is_known = |(known, rule): &(&str, DeclaredRule)| {
                    *known == name && rule.rule == by && rule.requirement == requirement
                };
                if !rules.iter().any(is_known) {
                    let place = format!("{}.{name}", reached.declaration.name);
                    rules.push((name, DeclaredRule { rule: by, field: place, requirement }));
                }
            }
        }
    }
    rules.into_iter().map(|(_, rule)| rule).collect()
}
