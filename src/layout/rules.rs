//! Lists the rules that declarations enforce.

use super::declaration::{Field, Type};
use super::program::{ListingOrder, reachable};
use super::wording::{readable_expr, requirement_text};
use crate::Rule;

/// A rule, with the requirement and the field that declares it.
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

/// Returns the rules of all constraints in these layouts, and the rules of all fields with checks, once per field and
/// requirement.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout::schema::{DeclaredRule, declared_rules};
///
/// let rules = declared_rules(meshspec::mesh::FORMAT.about().layouts());
/// let is_strings = |rule: &&DeclaredRule| rule.field == "Document.strings";
/// assert_eq!(rules.iter().find(is_strings).unwrap().requirement, "The last string must end with a NUL");
/// # }
/// ```
pub fn declared_rules(layouts: &[(&str, &'static Type)]) -> Vec<DeclaredRule> {
    let code = |text: &str| format!("`{text}`");
    let mut rules: Vec<DeclaredRule> = Vec::new();
    for reached in reachable(layouts, ListingOrder::ContainersFirst) {
        let bits = reached
            .declaration
            .bit_fields()
            .iter()
            .map(Field::from_bit_field);
        let names = reached.names;
        let variants = reached.declaration.variants();
        for (index, field) in reached
            .declaration
            .fields()
            .copied()
            .chain(bits)
            .enumerate()
        {
            let name = variants
                .get(index)
                .map_or(field.name, |variant| variant.name);
            let constraints = field
                .constraints
                .iter()
                .map(|c| (c.rule, requirement_text(c, &field, &names, code)));
            let condition =
                |condition| format!("{} must hold", code(&readable_expr(condition, &names)));
            let checks = field.checks.iter().map(|check| condition(&check.condition));
            let checks = checks.filter_map(|text| Some((field.rule?, text)));
            for (rule, requirement) in constraints.chain(checks) {
                let field = format!("{}.{name}", reached.declaration.name);
                let declared = DeclaredRule {
                    rule,
                    field,
                    requirement,
                };
                // Layouts of several dialects may contain declarations of the same name.
                if !rules.contains(&declared) {
                    rules.push(declared);
                }
            }
        }
    }
    rules
}
