//! Inspects the syntax of types.

use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// Returns `true` for `Option<…>`.
pub fn is_option(ty: &Type) -> bool {
    item(ty, "Option").is_some()
}

/// Returns `true` for `Vec<…>`.
pub fn is_list(ty: &Type) -> bool {
    item(ty, "Vec").is_some()
}

/// Returns the type `T` of `container<T>`; `None` for other types.
pub fn item<'t>(ty: &'t Type, container: &str) -> Option<&'t Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == container)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(GenericArgument::Type(item)) => Some(item),
        _ => None,
    }
}

/// Returns the last segment of a type's path; `None` for a type that is not a path.
fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match without_parentheses(ty) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// Returns the type without parentheses, and without the group around a macro's `$type:ty`.
fn without_parentheses(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => without_parentheses(&group.elem),
        Type::Paren(paren) => without_parentheses(&paren.elem),
        other => other,
    }
}
