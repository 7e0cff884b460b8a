//! Binds imports to constants, which leaves the layout of one dialect.
//!
//! A format with dialects is one declaration that imports the dialect. Printers and walkers of one dialect need
//! the layout with the dialect bound: other dialects' fields are removed, and choices are resolved.

use super::{Block, Check, Checksum, Constraint, Declaration, Field, Requirement, Shape, Type, Variant};
use crate::layout::Layout;
use crate::layout::expr::{BinaryOp, Expr, Scope, UnaryOp, Value};

/// Returns the layout of `T` with these arguments for its imports, in order. Declarations that the arguments
/// change get `prefix` before their names, so layouts of several dialects can coexist.
///
/// Each call builds the layout again and leaks it: keep it in a `static`.
///
/// ```
/// use std::sync::LazyLock;
///
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::layout::declaration::{Type, bind};
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// #[br(import(version: u8))]
/// struct Height {
///     metres: f32,
///     #[br(if(version > 1))]
///     error: Option<f32>,
/// }
///
/// static FIRST: LazyLock<&Type> = LazyLock::new(|| bind::<Height>("", &[1u8.into()]));
/// static SECOND: LazyLock<&Type> = LazyLock::new(|| bind::<Height>("Second", &[2u8.into()]));
/// assert_eq!((FIRST.size(), SECOND.size()), (Some(4), Some(8)));
/// ```
pub fn bind<T: Layout>(prefix: &'static str, arguments: &[Value]) -> &'static Type {
    bind_some(&T::TYPE, prefix, arguments.iter().cloned().map(Some).collect())
}

/// As [`bind()`], but `None` leaves an import unbound; a later call can bind it with another prefix.
pub(crate) fn bind_some(ty: &Type, prefix: &'static str, arguments: Vec<Option<Value>>) -> &'static Type {
    keep(Binder { prefix, bound: Vec::new() }.with(ty, &arguments))
}

/// Returns the message for a declaration whose imports are unbound; `None` if it has no imports.
pub(crate) fn unbound(ty: &Type) -> Option<String> {
    let Type::Declared(Declaration { name, imports: imports @ [_, ..], .. }) = ty else { return None };
    let imports = imports.join(", ");
    Some(format!(
        "the declaration `{name}` takes arguments ({imports}): set them with `layout::declaration::bind`, or use \
         `FormatId::layout_of`"
    ))
}

/// Leaks a value: layouts are static data, even those built at run time.
fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn keep_all<T>(values: Vec<T>) -> &'static [T] {
    Vec::leak(values)
}

struct Binder {
    prefix: &'static str,
    /// Declarations already bound, with their constants and results.
    bound: Vec<(&'static Declaration, Vec<Option<Value>>, &'static Declaration)>,
}

impl Binder {
    /// Returns the declaration without the imports that have a constant.
    fn declaration(
        &mut self,
        declaration: &'static Declaration,
        constants: Vec<Option<Value>>,
    ) -> &'static Declaration {
        let known = self.bound.iter().find(|(from, with, _)| *from == declaration && *with == constants);
        if let Some((.., bound)) = known {
            return bound;
        }
        let imports = declaration.imports.iter().copied().zip(&constants);
        let (mut left, mut scope) = (Vec::new(), Scope::default());
        for (name, constant) in imports {
            match constant {
                Some(value) => scope.push(name, value.clone()),
                None => left.push(name),
            }
        }
        let shape = match declaration.shape {
            Shape::Struct(fields) => {
                Shape::Struct(keep_all(fields.iter().filter_map(|field| self.field(field, &scope)).collect()))
            }
            Shape::Choice(variants) => Shape::Choice(keep_all(self.variants(variants, &scope))),
            shape @ (Shape::Enum { .. } | Shape::Bits { .. }) => shape,
        };
        let mut bound = Declaration { imports: keep_all(left), shape, ..*declaration };
        let bound = if bound == *declaration {
            declaration
        } else {
            bound.name = String::leak(format!("{}{}", self.prefix, declaration.name));
            keep(bound)
        };
        self.bound.push((declaration, constants, bound));
        bound
    }

    /// Returns the field, or `None` if its condition is always false.
    fn field(&mut self, field: &Field, scope: &Scope) -> Option<Field> {
        let condition = field.condition.map(|condition| simplify(&condition, scope));
        let mut field = Field { condition, ..*field };
        match condition {
            Some(Expr::Bool(false)) => return None,
            Some(Expr::Bool(true)) => field.condition = None,
            _ => {}
        }
        field.count = field.count.map(|count| simplify(&count, scope));
        field.position = field.position.map(|position| simplify(&position, scope));
        let check = |check: &Check| Check { condition: simplify(&check.condition, scope), ..*check };
        field.checks = keep_all(field.checks.iter().map(check).collect());
        field.constraints = keep_all(field.constraints.iter().filter_map(|c| constraint(c, scope)).collect());
        let (ty, arguments) = self.item(&field.ty, field.arguments, scope);
        (field.ty, field.arguments) = (ty, arguments);
        field.block = field.block.map(|block| {
            let (content, arguments) = self.item(&block.content, block.arguments, scope);
            let bound = |expr: Option<Expr>| expr.map(|expr| simplify(&expr, scope));
            let (encoding, size) = (bound(block.encoding), bound(block.size));
            Block { encoding, size, content, arguments, ..block }
        });
        field.checksum = field.checksum.map(|checksum| {
            let arguments = checksum.arguments.iter().map(|argument| simplify(argument, scope));
            Checksum { arguments: keep_all(arguments.collect()), ..checksum }
        });
        if let Some(chosen) = chosen(&field.ty) {
            (field.ty, field.count, field.arguments) = (chosen.ty, chosen.count, chosen.arguments);
        }
        Some(field)
    }

    /// Returns the variants that can still be chosen.
    fn variants(&mut self, variants: &[Variant], scope: &Scope) -> Vec<Variant> {
        let mut left = Vec::new();
        for variant in variants {
            let condition = simplify(&variant.condition, scope);
            if condition == Expr::Bool(false) {
                continue;
            }
            left.extend(self.field(&variant.field, scope).map(|field| Variant {
                condition,
                field,
                ..*variant
            }));
            if condition == Expr::Bool(true) {
                break;
            }
        }
        left
    }

    /// Returns the type with its constant arguments bound, and the remaining arguments.
    fn item(&mut self, ty: &Type, arguments: &[Expr], scope: &Scope) -> (Type, &'static [Expr]) {
        let arguments: Vec<Expr> = arguments.iter().map(|argument| simplify(argument, scope)).collect();
        let constants: Vec<Option<Value>> = arguments.iter().map(constant).collect();
        let left = arguments.iter().zip(&constants).filter(|(_, constant)| constant.is_none());
        let left = keep_all(left.map(|(argument, _)| *argument).collect());
        (self.with(ty, &constants), left)
    }

    fn with(&mut self, ty: &Type, constants: &[Option<Value>]) -> Type {
        match *ty {
            Type::Array(item, count) => Type::Array(keep(self.with(item, constants)), count),
            Type::List(item) => {
                let item = self.with(item, constants);
                let chosen = chosen(&item).filter(|chosen| chosen.count.is_none());
                Type::list(keep(chosen.map_or(item, |chosen| chosen.ty)))
            }
            Type::Declared(declaration) => Type::Declared(self.declaration(declaration, constants.to_vec())),
            other => other,
        }
    }
}

/// Returns the field of a choice with only one variant left.
fn chosen(ty: &Type) -> Option<&'static Field> {
    match ty {
        Type::Declared(Declaration { shape: Shape::Choice([only]), imports: [], .. }) => {
            Some(&only.field).filter(|_| only.condition == Expr::Bool(true))
        }
        _ => None,
    }
}

/// Returns the constraint, or `None` if it never applies.
fn constraint(constraint: &Constraint, scope: &Scope) -> Option<Constraint> {
    let condition = constraint.condition.map(|condition| simplify(&condition, scope));
    let requirement = match constraint.requirement {
        Requirement::Below(limit) => Requirement::Below(simplify(&limit, scope)),
        Requirement::OneOf(values) => {
            Requirement::OneOf(keep_all(values.iter().map(|value| simplify(value, scope)).collect()))
        }
        Requirement::AtLeast(limit) => Requirement::AtLeast(simplify(&limit, scope)),
        Requirement::Holds(condition) => Requirement::Holds(simplify(&condition, scope)),
        Requirement::Within { list, first } => Requirement::Within { list, first: simplify(&first, scope) },
        Requirement::IndexInto { list, none, weights } => {
            Requirement::IndexInto { list, none: none.map(|none| simplify(&none, scope)), weights }
        }
        Requirement::Permutation { of, groups } => {
            Requirement::Permutation { of, groups: groups.map(|groups| simplify(&groups, scope)) }
        }
        Requirement::Forest { none, rooted, ids, parents_first } => {
            Requirement::Forest { none: none.map(|none| simplify(&none, scope)), rooted, ids, parents_first }
        }
        other => other,
    };
    match condition {
        Some(Expr::Bool(false)) => None,
        Some(Expr::Bool(true)) => Some(Constraint { requirement, condition: None, ..*constraint }),
        condition => Some(Constraint { requirement, condition, ..*constraint }),
    }
}

fn constant(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Literal(number) => Some(Value::Int(*number)),
        Expr::Bool(value) => Some(Value::Bool(*value)),
        _ => None,
    }
}

/// Evaluates the parts of an expression that `scope` determines.
fn simplify(expr: &Expr, scope: &Scope) -> Expr {
    match expr.eval(scope) {
        Ok(Value::Int(number)) => return Expr::Literal(number),
        Ok(Value::Bool(value)) => return Expr::Bool(value),
        _ => {}
    }
    match *expr {
        Expr::Unary(op, a) => match (op, simplify(a, scope)) {
            (UnaryOp::Not, Expr::Bool(value)) => Expr::Bool(!value),
            (op, a) => Expr::Unary(op, keep(a)),
        },
        Expr::Binary(op, a, b) => match (op, simplify(a, scope), simplify(b, scope)) {
            (BinaryOp::And, Expr::Bool(true), other) | (BinaryOp::And, other, Expr::Bool(true)) => other,
            (BinaryOp::And, Expr::Bool(false), _) => Expr::Bool(false),
            (BinaryOp::Or, Expr::Bool(false), other) | (BinaryOp::Or, other, Expr::Bool(false)) => other,
            (BinaryOp::Or, Expr::Bool(true), _) => Expr::Bool(true),
            (op, a, b) => Expr::Binary(op, keep(a), keep(b)),
        },
        Expr::Cast(a, to) => Expr::Cast(keep(simplify(a, scope)), to),
        Expr::If(a, b, c) => match (simplify(a, scope), simplify(b, scope), simplify(c, scope)) {
            (Expr::Bool(true), chosen, _) | (Expr::Bool(false), _, chosen) => chosen,
            (a, b, c) => Expr::If(keep(a), keep(b), keep(c)),
        },
        other => other,
    }
}
