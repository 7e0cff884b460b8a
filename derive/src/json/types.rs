//! Inspects the syntax of types and expressions.

use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, PathSegment, Type};

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

/// Returns `true` for floats and for arrays, options and lists of them.
pub fn is_float(ty: &Type) -> bool {
    if let Type::Array(array) = without_parentheses(ty) {
        return is_float(&array.elem);
    }
    let is_number = |segment: &PathSegment| segment.ident == "f32" || segment.ident == "f64";
    let inner = item(ty, "Option").or_else(|| item(ty, "Vec"));
    inner.map_or_else(|| last_segment(ty).is_some_and(is_number), is_float)
}

/// Returns `true` for a literal 0.
pub fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_digits() == "0")
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
