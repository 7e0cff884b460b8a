//! Suggestions for misspelt names, such as field names of a declaration.

use meshspec::layout::declaration::{Declaration, Field, Shape, Type};

/// Returns up to three field names of a layout that are similar to `name`, the most similar first; only `name` itself
/// if it exists.
pub fn similar_fields(layout: &Type, name: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    collect_names(layout, &mut names);
    names.sort_unstable();
    names.dedup();
    if let Some(same) = names.iter().find(|other| **other == name) {
        return vec![same];
    }
    similar_names(name, names)
}

/// Returns up to three of `names` that are similar to a misspelt `name`, the most similar first.
pub fn similar_names<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let rated = names
        .into_iter()
        .map(|other| (strsim::jaro(name, other), other));
    let mut similar: Vec<_> = rated.filter(|(similarity, _)| *similarity > 0.8).collect();
    similar.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    similar.into_iter().take(3).map(|(_, name)| name).collect()
}

fn collect_names(ty: &Type, names: &mut Vec<&'static str>) {
    match ty {
        Type::Array(item, _) | Type::List(item) => collect_names(item, names),
        Type::Declared(declaration) => collect_declared_names(declaration, names),
        _ => {}
    }
}

fn collect_declared_names(declaration: &Declaration, names: &mut Vec<&'static str>) {
    let collect_content = |field: &Field, names: &mut _| match &field.block {
        Some(block) => collect_names(&block.content, names),
        None => collect_names(&field.ty, names),
    };
    match declaration.shape {
        Shape::Struct(fields) => {
            for field in fields {
                names.push(field.name);
                collect_content(field, names);
            }
        }
        // Paths do not contain the variants of a choice.
        Shape::Choice(variants) => variants
            .iter()
            .for_each(|variant| collect_content(&variant.field, names)),
        Shape::Bits { fields, .. } => {
            for field in fields {
                names.push(field.name);
                if let Some(word) = field.declared {
                    collect_declared_names(word, names);
                }
            }
        }
        Shape::Enum { .. } => {}
    }
}
