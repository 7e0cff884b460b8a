//! Tests on the syntax of types and expressions.

use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, PathSegment, Type};

/// Returns `true` for `Option<…>`.
pub fn is_option(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Option")
}

/// Returns `true` for `Vec<…>`.
pub fn is_list(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Vec")
}

/// Returns `true` for floats and for arrays, options and lists of them.
pub fn is_float(ty: &Type) -> bool {
    if let Type::Array(array) = without_parentheses(ty) {
        return is_float(&array.elem);
    }
    let Some(PathSegment { ident, arguments }) = last_segment(ty) else { return false };
    match arguments {
        PathArguments::None => ident == "f32" || ident == "f64",
        PathArguments::AngleBracketed(arguments) if ident == "Option" || ident == "Vec" => {
            matches!(arguments.args.first(), Some(GenericArgument::Type(item)) if is_float(item))
        }
        _ => false,
    }
}

/// Returns `true` for a literal 0.
pub fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_digits() == "0")
}

/// Returns the last segment of a path.
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
