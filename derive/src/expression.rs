//! Converts the Rust expressions of attributes to `meshspec::layout::expr::Expr` constants.

use crate::unraw_name;
use proc_macro2::TokenStream as Tokens;
use quote::{ToTokens, quote};
use syn::{BinOp, Block, Error, Expr, ExprLit, Ident, Lit, Member, Result, Stmt, UnOp};

/// The imports and earlier fields visible to an expression, each with its names in Rust and in the layout.
#[derive(Clone, Default)]
pub struct Scope(Vec<(String, String)>);

impl Scope {
    /// Adds a field or import.
    pub fn push(&mut self, name: String, in_layout: String) {
        self.0.push((name, in_layout));
    }

    /// Returns `true` if a field or import has this name in the layout.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(_, in_layout)| in_layout == name)
    }

    fn in_layout(&self, ident: &Ident) -> Option<String> {
        let name = unraw_name(ident);
        // A later field shadows earlier ones with the same name.
        self.0
            .iter()
            .rev()
            .find(|(rust, _)| *rust == name)
            .map(|(_, in_layout)| in_layout.clone())
    }
}

impl From<&[String]> for Scope {
    fn from(imports: &[String]) -> Scope {
        Scope(
            imports
                .iter()
                .map(|name| (name.clone(), name.clone()))
                .collect(),
        )
    }
}

/// Converts an expression to a constant. Names in the expression must be in scope.
pub fn to_constant(expr: &Expr, scope: &Scope) -> Result<Tokens> {
    let unsupported = || unsupported_error(expr);
    let tokens = match expr {
        Expr::Paren(inner) => return to_constant(&inner.expr, scope),
        Expr::Group(inner) => return to_constant(&inner.expr, scope),
        Expr::Reference(reference) => return to_constant(&reference.expr, scope),
        // A dereference does not change the value, so the constant omits it.
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
            return to_constant(&unary.expr, scope);
        }
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => {
            // The upper half of `u128` does not fit in a literal of the layout, but its bits do.
            match number.base10_parse::<u128>() {
                Ok(wide) if wide > i128::MAX as u128 && number.suffix() != "i128" => {
                    literal(wide as i128, "u128")
                }
                _ => literal(number.base10_parse::<i128>()?, number.suffix()),
            }
        }
        Expr::Lit(ExprLit {
            lit: Lit::Byte(byte),
            ..
        }) => {
            let value = i128::from(byte.value());
            quote!(Literal(#value))
        }
        Expr::Lit(ExprLit {
            lit: Lit::Bool(value),
            ..
        }) => quote!(Bool(#value)),
        Expr::MethodCall(call) if call.method == "matches" => {
            let (
                1,
                Some(Expr::Lit(ExprLit {
                    lit: Lit::Str(pattern),
                    ..
                })),
            ) = (call.args.len(), call.args.first())
            else {
                return Err(unsupported());
            };
            let names = path_names(&call.receiver, scope)?;
            quote!(Matches(&[#(#names),*], #pattern))
        }
        // A named value of an enum, or a constant.
        Expr::Path(path) if path.path.segments.len() > 1 => match is_dialect(&path.path) {
            true => quote!(Literal(#path.number() as i128)),
            false => quote!(Literal(#path as i128)),
        },
        Expr::Path(_) | Expr::Field(_) | Expr::MethodCall(_) => {
            let names = path_names(expr, scope)?;
            quote!(Path(&[#(#names),*]))
        }
        Expr::Unary(unary) => match (&unary.op, &*unary.expr) {
            // The smallest number of a type is not the negation of a number of that type.
            (
                UnOp::Neg(_),
                Expr::Lit(ExprLit {
                    lit: Lit::Int(number),
                    ..
                }),
            ) if !number.suffix().is_empty() => {
                let digits = format!("-{}", number.base10_digits());
                literal(digits.parse().map_err(|_| unsupported())?, number.suffix())
            }
            (op, operand) => {
                let operand = to_constant(operand, scope)?;
                let op = match op {
                    UnOp::Not(_) => quote!(Not),
                    UnOp::Neg(_) => quote!(Negate),
                    _ => return Err(unsupported()),
                };
                quote!(Unary(::meshspec::layout::expr::UnaryOp::#op, &#operand))
            }
        },
        Expr::Binary(binary) => {
            let (mut left, right) = (
                to_constant(&binary.left, scope)?,
                to_constant(&binary.right, scope)?,
            );
            if let (BinOp::Shl(_) | BinOp::Shr(_), Expr::Path(path)) = (&binary.op, &*binary.left)
                && path.path.segments.len() > 1
            {
                // The right operand does not determine the type of a shifted constant.
                left = quote!(::meshspec::layout::expr::Expr::Cast(
                    &#left,
                    ::meshspec::__private::int_type_of(&#path)
                ));
            }
            let op = binary_op(&binary.op).ok_or_else(unsupported)?;
            quote!(Binary(::meshspec::layout::expr::BinaryOp::#op, &#left, &#right))
        }
        Expr::Cast(cast) => {
            let ty = int_type_constant(int_type(&cast.ty).ok_or_else(unsupported)?);
            let operand = to_constant(&cast.expr, scope)?;
            quote!(Cast(&#operand, #ty))
        }
        Expr::If(choice) => {
            let Some((_, otherwise)) = &choice.else_branch else {
                return Err(unsupported());
            };
            let condition = to_constant(&choice.cond, scope)?;
            let then = only_expression(&choice.then_branch).ok_or_else(unsupported)?;
            let then = to_constant(then, scope)?;
            let otherwise = to_constant(otherwise, scope)?;
            quote!(If(&#condition, &#then, &#otherwise))
        }
        Expr::Block(block) => {
            return to_constant(
                only_expression(&block.block).ok_or_else(unsupported)?,
                scope,
            );
        }
        _ => return Err(unsupported()),
    };
    Ok(quote!(::meshspec::layout::expr::Expr::#tokens))
}

/// Returns a literal; its type, if known, decides when an expression overflows.
fn literal(value: i128, ty: &str) -> Tokens {
    match int_type_by_name(ty).map(int_type_constant) {
        Some(ty) => quote!(Cast(&::meshspec::layout::expr::Expr::Literal(#value), #ty)),
        None => quote!(Literal(#value)),
    }
}

/// Returns `true` for a path to a dialect, such as `Dialect::SPEC`. Dialects are converted to their numbers.
fn is_dialect(path: &syn::Path) -> bool {
    path.segments
        .iter()
        .rev()
        .nth(1)
        .is_some_and(|segment| segment.ident == "Dialect")
}

/// Returns the expression of a block without statements; `None` for other blocks.
fn only_expression(block: &Block) -> Option<&Expr> {
    match &*block.stmts {
        [Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}

/// Converts an optional expression to an `Option` constant.
pub fn to_optional_constant(expr: Option<&Expr>, scope: &Scope) -> Result<Tokens> {
    Ok(option_constant(
        expr.map(|expr| to_constant(expr, scope)).transpose()?,
    ))
}

pub fn option_constant(value: Option<impl ToTokens>) -> Tokens {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Converts several expressions to a constant slice.
pub fn to_constant_list(exprs: &[Expr], scope: &Scope) -> Result<Tokens> {
    let items = exprs
        .iter()
        .map(|expr| to_constant(expr, scope))
        .collect::<Result<Vec<_>>>()?;
    Ok(quote!(&[#(#items),*]))
}

fn unsupported_error(expr: &Expr) -> Error {
    Error::new_spanned(
        expr,
        "Layout cannot evaluate this: use literals, values of enums, fields, getters without arguments, casts to \
         integers, arithmetic, comparisons, boolean operators and `if` with `else`",
    )
}

/// Returns the names in `a.b.c()`.
pub fn path_names(expr: &Expr, scope: &Scope) -> Result<Vec<String>> {
    match expr {
        Expr::Path(path) => {
            let ident = path
                .path
                .get_ident()
                .ok_or_else(|| unsupported_error(expr))?;
            let message = || format!("`{ident}` is neither an import nor an earlier field");
            let name = scope
                .in_layout(ident)
                .ok_or_else(|| Error::new(ident.span(), message()))?;
            Ok(vec![name])
        }
        Expr::Field(field) => {
            let mut names = path_names(&field.base, scope)?;
            names.push(match &field.member {
                Member::Named(name) => unraw_name(name),
                Member::Unnamed(index) => index.index.to_string(),
            });
            Ok(names)
        }
        Expr::MethodCall(call) if call.args.is_empty() && call.turbofish.is_none() => {
            let mut names = path_names(&call.receiver, scope)?;
            names.push(unraw_name(&call.method));
            Ok(names)
        }
        Expr::Paren(inner) => path_names(&inner.expr, scope),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => path_names(&unary.expr, scope),
        _ => Err(unsupported_error(expr)),
    }
}

fn binary_op(op: &BinOp) -> Option<Tokens> {
    Some(match op {
        BinOp::Add(_) => quote!(Add),
        BinOp::Sub(_) => quote!(Subtract),
        BinOp::Mul(_) => quote!(Multiply),
        BinOp::Div(_) => quote!(Divide),
        BinOp::Rem(_) => quote!(Remainder),
        BinOp::BitAnd(_) => quote!(BitAnd),
        BinOp::BitOr(_) => quote!(BitOr),
        BinOp::BitXor(_) => quote!(BitXor),
        BinOp::Shl(_) => quote!(ShiftLeft),
        BinOp::Shr(_) => quote!(ShiftRight),
        BinOp::Eq(_) => quote!(Equal),
        BinOp::Ne(_) => quote!(NotEqual),
        BinOp::Lt(_) => quote!(Less),
        BinOp::Le(_) => quote!(LessOrEqual),
        BinOp::Gt(_) => quote!(Greater),
        BinOp::Ge(_) => quote!(GreaterOrEqual),
        BinOp::And(_) => quote!(And),
        BinOp::Or(_) => quote!(Or),
        _ => return None,
    })
}

/// Returns the bits and the sign of an integer type; `None` for other types and for aliases.
pub fn int_type(ty: &syn::Type) -> Option<(u32, bool)> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    int_type_by_name(&path.path.get_ident()?.to_string())
}

/// Returns the `IntType` with these bits and this sign.
pub fn int_type_constant((bits, signed): (u32, bool)) -> Tokens {
    quote!(::meshspec::layout::expr::IntType { bits: #bits, signed: #signed })
}

fn int_type_by_name(name: &str) -> Option<(u32, bool)> {
    let (sign, bits) = name.split_at_checked(1)?;
    let bits = if bits == "size" {
        64
    } else {
        bits.parse().ok()?
    };
    match sign {
        "u" => Some((bits, false)),
        "i" => Some((bits, true)),
        _ => None,
    }
}
