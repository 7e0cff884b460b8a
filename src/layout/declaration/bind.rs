//! Binds imports of a declaration to constants.
//!
//! A format with dialects has one declaration, which imports the dialect. Binding that import yields the layout of one
//! dialect: the fields of other dialects are removed, and choices are resolved.

use std::borrow::Cow;

use super::{
    BitField, Block, Check, Checksum, Computed, Constraint, Declaration, Field, Requirement, Shape,
    Type, Variant,
};
use crate::layout::Layout;
use crate::layout::expr::{BinaryOp, Expr, Scope, UnaryOp, Value};

/// Returns the layout of `T` with its imports bound to `arguments`, in order. The names of changed declarations are
/// prefixed with `prefix`, so that layouts of several dialects can coexist. A number distinguishes declarations that
/// would otherwise have the same name. A field or bit field hides an import of the same name.
///
/// Each call builds the layout again and leaks it: store the result in a `static`.
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
    bind_partially(
        &T::TYPE,
        prefix,
        arguments.iter().cloned().map(Some).collect(),
    )
}

/// Like [`bind()`], but leaves an import unbound if its value is `None`. A later call can bind it.
pub(crate) fn bind_partially(
    ty: &Type,
    prefix: &'static str,
    values: Vec<Option<Value>>,
) -> &'static Type {
    let mut binder = Binder {
        prefix,
        results: Vec::new(),
        known: Vec::new(),
    };
    leak(binder.bind_type(ty, &values, &Scope::default()))
}

/// Returns the error message for the unbound imports of a declaration; `None` if the declaration has no imports.
pub(crate) fn unbound_message(ty: &Type) -> Option<String> {
    let Type::Declared(Declaration {
        name,
        imports: imports @ [_, ..],
        ..
    }) = ty
    else {
        return None;
    };
    let imports = imports.join(", ");
    Some(format!(
        "the imports of the declaration `{name}` are unbound ({imports}): bind them with \
         `layout::declaration::bind`, or use `DynFormat::layout_of`"
    ))
}

/// Leaks a value, since layouts consist of static references.
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn leak_all<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    items.collect::<Vec<_>>().leak()
}

/// Builds declarations with bound imports.
struct Binder {
    /// The prefix for the names of changed declarations.
    prefix: &'static str,
    /// The declarations bound so far: the original, the constants for its imports, and the result.
    results: Vec<(
        &'static Declaration,
        Vec<Option<Value>>,
        &'static Declaration,
    )>,
    /// The declarations in the result, each with a different name.
    known: Vec<&'static Declaration>,
}

impl Binder {
    /// Returns the declaration with its imports bound to `constants`; a constant of `None` leaves its import unbound.
    fn bind_declaration(
        &mut self,
        declaration: &'static Declaration,
        constants: Vec<Option<Value>>,
    ) -> &'static Declaration {
        let earlier = self
            .results
            .iter()
            .find(|(from, with, _)| *from == declaration && *with == constants);
        if let Some((.., bound)) = earlier {
            return bound;
        }
        let imports = declaration
            .imports
            .iter()
            .copied()
            .zip(declaration.import_types)
            .zip(&constants);
        let (mut remaining, mut remaining_types, mut scope) =
            (Vec::new(), Vec::new(), Scope::default());
        for ((name, ty), constant) in imports {
            match constant {
                Some(value) => scope.push(name, value.clone()),
                None => {
                    remaining.push(name);
                    remaining_types.push(*ty);
                }
            }
        }
        let shape = match declaration.shape {
            Shape::Struct(fields) => Shape::Struct(leak_all(
                fields
                    .iter()
                    .filter_map(|field| self.bind_field(field, &mut scope)),
            )),
            Shape::Choice(variants) => Shape::Choice(self.bind_variants(variants, &scope).leak()),
            shape @ (Shape::Enum { .. } | Shape::Bits { .. }) => shape,
        };
        let (imports, import_types) = (remaining.leak(), remaining_types.leak());
        let computed = leak_all(declaration.computed.iter().map(|computed| {
            let value = simplify(&computed.value, &scope);
            scope.remove(computed.name);
            Computed { value, ..*computed }
        }));
        let bound = Declaration {
            imports,
            import_types,
            shape,
            computed,
            ..*declaration
        };
        let bound = self.with_unique_name(declaration, bound);
        self.results.push((declaration, constants, bound));
        bound
    }

    /// Returns a packed word. Binds the names in `scope`, the imports of the enclosing struct, in its constraints. Bit
    /// fields hide imports of the same name.
    fn bind_word(&mut self, word: &'static Declaration, scope: &Scope) -> &'static Declaration {
        let Shape::Bits { size, fields } = word.shape else {
            return word;
        };
        let mut visible = scope.clone();
        fields.iter().for_each(|field| visible.remove(field.name));
        let fields = leak_all(fields.iter().map(|field| BitField {
            declared: field.declared.map(|inner| self.bind_word(inner, scope)),
            constraints: bind_constraints(field.constraints, &visible),
            ..*field
        }));
        self.with_unique_name(
            word,
            Declaration {
                shape: Shape::Bits { size, fields },
                ..*word
            },
        )
    }

    /// Returns `bound` with the prefix before its name, or `old` if both are equal. A number after the name
    /// distinguishes different declarations.
    fn with_unique_name(
        &mut self,
        old: &'static Declaration,
        bound: Declaration,
    ) -> &'static Declaration {
        let prefix = if bound == *old { "" } else { self.prefix };
        let base = format!("{prefix}{}", old.name);
        let numbered = (2..).map(|number| format!("{base}{number}"));
        let is_same = |known: &Declaration| {
            *known
                == Declaration {
                    name: known.name,
                    ..bound
                }
        };
        let is_free = |name: &String| {
            self.known
                .iter()
                .all(|known| known.name != name || is_same(known))
        };
        let name = std::iter::once(base.clone())
            .chain(numbered)
            .find(is_free)
            .unwrap_or_default();
        if let Some(known) = self.known.iter().find(|known| known.name == name) {
            return known;
        }
        let is_old = bound == *old && name == old.name;
        let named = if is_old {
            old
        } else {
            leak(Declaration {
                name: name.leak(),
                ..bound
            })
        };
        self.known.push(named);
        named
    }

    /// Returns the field with the names in `scope` bound; `None` if its condition is always false. Removes the name of
    /// the field from `scope`, since it hides an import of the same name from here on.
    fn bind_field(&mut self, field: &Field, scope: &mut Scope) -> Option<Field> {
        let before = scope.clone();
        scope.remove(field.name);
        let condition = bind_condition(field.condition, &before)?;
        let simplified = |expr: Option<Expr>| expr.map(|expr| simplify(&expr, &before));
        let (count, position) = (simplified(field.count), simplified(field.position));
        let mut field = Field {
            condition,
            count,
            position,
            ..*field
        };
        field.block = field.block.map(|block| {
            let (content, arguments) =
                self.bind_item(&block.content, block.arguments, &before, scope);
            let (encoding, size) = (simplified(block.encoding), simplified(block.size));
            Block {
                encoding,
                size,
                content,
                arguments,
                ..block
            }
        });
        field.checksum = field.checksum.map(|checksum| {
            let arguments = checksum
                .arguments
                .iter()
                .map(|argument| simplify(argument, &before));
            Checksum {
                arguments: leak_all(arguments),
                ..checksum
            }
        });
        let (ty, arguments) = self.bind_item(&field.ty, field.arguments, &before, scope);
        (field.ty, field.arguments) = (ty, arguments);
        let check = |check: &Check| Check {
            condition: simplify(&check.condition, scope),
            ..*check
        };
        field.checks = leak_all(field.checks.iter().map(check));
        field.constraints = bind_constraints(field.constraints, scope);
        field.plausible = bind_constraints(field.plausible, scope);
        if let Some(chosen) = only_variant(&field.ty) {
            (field.ty, field.count, field.arguments) = (chosen.ty, chosen.count, chosen.arguments);
            field.each = chosen.each;
            field.rule = chosen.rule.or(field.rule);
        }
        Some(field)
    }

    /// Returns the variants with the names in `scope` bound, except those that cannot be chosen.
    fn bind_variants(&mut self, variants: &[Variant], scope: &Scope) -> Vec<Variant> {
        let mut remaining = Vec::new();
        for variant in variants {
            let condition = simplify(&variant.condition, scope);
            if condition == Expr::Bool(false) {
                continue;
            }
            let field = self.bind_field(&variant.field, &mut scope.clone());
            remaining.extend(field.map(|field| Variant {
                condition,
                field,
                ..*variant
            }));
            if condition == Expr::Bool(true) {
                break;
            }
        }
        remaining
    }

    /// Binds those imports of a type whose arguments are constants. Returns the bound type and the other arguments.
    /// `before` is the scope of the arguments, and `scope` that of constraints in packed words.
    fn bind_item(
        &mut self,
        ty: &Type,
        arguments: &[Expr],
        before: &Scope,
        scope: &Scope,
    ) -> (Type, &'static [Expr]) {
        let arguments: Vec<Expr> = arguments
            .iter()
            .map(|argument| simplify(argument, before))
            .collect();
        let constants: Vec<Option<Value>> = arguments.iter().map(to_constant).collect();
        let remaining = arguments
            .iter()
            .zip(&constants)
            .filter(|(_, constant)| constant.is_none());
        let remaining = leak_all(remaining.map(|(argument, _)| *argument));
        (self.bind_type(ty, &constants, scope), remaining)
    }

    /// Returns the type with the imports of its declaration bound to `constants`. `scope` has the bound imports of the
    /// enclosing struct.
    fn bind_type(&mut self, ty: &Type, constants: &[Option<Value>], scope: &Scope) -> Type {
        match *ty {
            Type::Array(item, count) => {
                Type::Array(leak(self.bind_type(item, constants, scope)), count)
            }
            Type::BigEndian(number) => {
                Type::BigEndian(leak(self.bind_type(number, constants, scope)))
            }
            Type::List(item) => {
                let item = self.bind_type(item, constants, scope);
                let chosen = only_variant(&item)
                    .filter(|chosen| chosen.count.is_none() && chosen.rule.is_none());
                Type::list(leak(chosen.map_or(item, |chosen| chosen.ty)))
            }
            Type::Declared(
                word @ Declaration {
                    shape: Shape::Bits { .. },
                    ..
                },
            ) => Type::Declared(self.bind_word(word, scope)),
            Type::Declared(unbound) => {
                Type::Declared(self.bind_declaration(unbound, constants.to_vec()))
            }
            other => other,
        }
    }
}

/// Returns the field of the only variant, if `ty` is a choice without imports whose one variant is always chosen, and
/// the field has nothing but a type and a rule.
fn only_variant(ty: &Type) -> Option<&'static Field> {
    let Type::Declared(Declaration {
        shape: Shape::Choice([only]),
        imports: [],
        ..
    }) = ty
    else {
        return None;
    };
    let Field {
        name,
        doc,
        ty,
        count,
        arguments,
        rule,
        ..
    } = only.field;
    let is_plain = only.field
        == Field {
            name,
            doc,
            ty,
            count,
            arguments,
            rule,
            ..Field::PLAIN
        };
    (is_plain && only.condition == Expr::Bool(true)).then_some(&only.field)
}

/// Returns the constraints with the names in `scope` bound, except those whose condition is always false.
fn bind_constraints(constraints: &[Constraint], scope: &Scope) -> &'static [Constraint] {
    leak_all(
        constraints
            .iter()
            .filter_map(|constraint| bind_constraint(constraint, scope)),
    )
}

/// Returns the constraint with the names in `scope` bound; `None` if its condition is always false.
fn bind_constraint(constraint: &Constraint, scope: &Scope) -> Option<Constraint> {
    let simplified = |expr: Option<Expr>| expr.map(|expr| simplify(&expr, scope));
    let condition = bind_condition(constraint.condition, scope)?;
    let requirement = match constraint.requirement {
        Requirement::Below(limit) => Requirement::Below(simplify(&limit, scope)),
        Requirement::OneOf(values) => {
            Requirement::OneOf(leak_all(values.iter().map(|v| simplify(v, scope))))
        }
        Requirement::AtLeast(limit) => Requirement::AtLeast(simplify(&limit, scope)),
        Requirement::Holds(condition) => Requirement::Holds(simplify(&condition, scope)),
        Requirement::Some(condition) => Requirement::Some(simplify(&condition, scope)),
        Requirement::Within { list, first } => Requirement::Within {
            list,
            first: simplify(&first, scope),
        },
        Requirement::IndexInto {
            list,
            none,
            weights,
        } => Requirement::IndexInto {
            list,
            none: simplified(none),
            weights,
        },
        Requirement::Permutation { of, groups } => Requirement::Permutation {
            of,
            groups: simplified(groups),
        },
        Requirement::Forest {
            none,
            rooted,
            ids,
            parents_first,
        } => Requirement::Forest {
            none: simplified(none),
            rooted,
            ids,
            parents_first,
        },
        other => other,
    };
    let message = constraint.message_with(scope).map(|message| match message {
        Cow::Borrowed(unchanged) => unchanged,
        Cow::Owned(filled) => filled.leak(),
    });
    Some(Constraint {
        requirement,
        condition,
        message,
        ..*constraint
    })
}

/// Returns the condition with the names in `scope` bound: `Some(None)` if it is always true, `None` if always false.
fn bind_condition(condition: Option<Expr>, scope: &Scope) -> Option<Option<Expr>> {
    match condition.map(|condition| simplify(&condition, scope)) {
        Some(Expr::Bool(holds)) => holds.then_some(None),
        condition => Some(condition),
    }
}

/// Returns the value of a literal; `None` for other expressions.
fn to_constant(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Literal(number) => Some(Value::Int(*number)),
        Expr::Bool(value) => Some(Value::Bool(*value)),
        _ => None,
    }
}

/// Replaces each subexpression whose integer or boolean value `scope` determines by that value. Logic operators and
/// conditionals with a known operand are reduced.
fn simplify(expr: &Expr, scope: &Scope) -> Expr {
    match expr.eval(scope) {
        Ok(Value::Int(number)) => return Expr::Literal(number),
        Ok(Value::Bool(value)) => return Expr::Bool(value),
        _ => {}
    }
    match *expr {
        Expr::Unary(op, a) => match (op, simplify(a, scope)) {
            (UnaryOp::Not, Expr::Bool(value)) => Expr::Bool(!value),
            (op, a) => Expr::Unary(op, leak(a)),
        },
        Expr::Binary(op, a, b) => {
            match (op, simplify(a, scope), simplify(b, scope)) {
                (BinaryOp::And, Expr::Bool(true), other)
                | (BinaryOp::And, other, Expr::Bool(true)) => other,
                (BinaryOp::And, Expr::Bool(false), _) => Expr::Bool(false),
                (BinaryOp::Or, Expr::Bool(false), other)
                | (BinaryOp::Or, other, Expr::Bool(false)) => other,
                (BinaryOp::Or, Expr::Bool(true), _) => Expr::Bool(true),
                // The type of a shift is that of its left operand.
                (BinaryOp::ShiftLeft, left @ Expr::Literal(_), right) => {
                    let left = if let Expr::Cast(_, to) = *a {
                        Expr::Cast(leak(left), to)
                    } else {
                        left
                    };
                    Expr::Binary(op, leak(left), leak(right))
                }
                (op, a, b) => Expr::Binary(op, leak(a), leak(b)),
            }
        }
        Expr::Cast(a, to) => Expr::Cast(leak(simplify(a, scope)), to),
        Expr::If(a, b, c) => match (simplify(a, scope), simplify(b, scope), simplify(c, scope)) {
            (Expr::Bool(true), chosen, _) | (Expr::Bool(false), _, chosen) => chosen,
            (a, b, c) => Expr::If(leak(a), leak(b), leak(c)),
        },
        other => other,
    }
}
