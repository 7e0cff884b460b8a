//! The field names of a declaration, and suggestions for misspelt names.

use meshspec::layout::declaration::{Declaration, Field, Shape, Type};

/// Returns the field names most similar to `name`, best first; only `name` itself if it exists.
pub fn near(layout: &Type, name: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    collect(layout, &mut names);
    names.sort_unstable();
    names.dedup();
    if let Some(same) = names.iter().find(|other| **other == name) {
        return vec![same];
    }
    similar(name, names)
}

/// Returns up to three names similar to a misspelt one, best first.
pub fn similar<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let rated = names.into_iter().map(|other| (strsim::jaro(name, other), other));
    let mut near: Vec<_> = rated.filter(|(similarity, _)| *similarity > 0.8).collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

fn collect(ty: &Type, names: &mut Vec<&'static str>) {
    match ty {
        Type::Array(item, _) | Type::List(item) => collect(item, names),
        Type::Declared(declaration) => collect_declared(declaration, names),
        _ => {}
    }
}

fn collect_declared(declaration: &Declaration, names: &mut Vec<&'static str>) {
    let below = |field: &Field, names: &mut _| match &field.block {
        Some(block) => collect(&block.content, names),
        None => collect(&field.ty, names),
    };
    match declaration.shape {
        Shape::Struct(fields) => {
            for field in fields {
                names.push(field.name);
                below(field, names);
            }
        }
        // Paths omit the variants of a choice.
        Shape::Choice(variants) => variants.iter().for_each(|variant| below(&variant.field, names)),
        Shape::Bits { fields, .. } => {
            for field in fields {
                names.push(field.name);
                if let Some(word) = field.declared {
                    collect_declared(word, names);
                }
            }
        }
        Shape::Enum { .. } => {}
    }
}
