//! Which numbers the expressions of declarations depend on, and for what.

use crate::layout::reach::{Order, reachable};
use crate::layout::{BinaryOp, Check, Constraint, Declaration, Expr, Field, Requirement, Shape, Type};

/// How often an argument may be passed on.
const MAX_DEPTH: usize = 8;

/// A number that an expression depends on.
pub(super) struct Dependency {
    /// The struct or packed word that has it as a field.
    pub(super) declaration: &'static Declaration,
    pub(super) name: &'static str,
    pub(super) dependent: Dependent,
    /// The numbers that the expression names.
    pub(super) literals: Vec<i128>,
}

/// What depends on a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Dependent {
    Check(&'static Check),
    /// A constraint that an expression holds, of the field with this name, if it is known.
    Holds(&'static Constraint, &'static str),
    /// A number of items, or of bytes, which are so many an item.
    Count(i128),
    Offset,
    UnpackedSize,
    /// A checksum; the rule of the field that has it.
    Checksum(&'static str),
    /// Which alternative it is.
    Choice,
}

/// All of them, in whatever a value of this type is made of.
pub(super) fn dependencies(ty: &'static Type) -> Vec<Dependency> {
    let reached = reachable(&[("", ty)], Order::Reading);
    let declarations: Vec<_> = reached.iter().map(|reached| reached.declaration).collect();
    let mut found = Vec::new();
    for declaration in &declarations {
        for (expr, dependent) in dependents(declaration) {
            let mut resolver = Resolver { declarations: &declarations, dependent, found: &mut found };
            resolver.expr(declaration, expr, &[], &[], 0);
        }
    }
    found
}

/// The expressions of a declaration that can be broken.
fn dependents(declaration: &'static Declaration) -> Vec<(&'static Expr, Dependent)> {
    let mut found = Vec::new();
    let is_choice = matches!(declaration.shape, Shape::Choice(_));
    if let Shape::Choice(variants) = declaration.shape {
        found.extend(variants.iter().map(|variant| (&variant.condition, Dependent::Choice)));
    }
    for field in declaration.fields() {
        found.extend(field.checks.iter().map(|check| (&check.condition, Dependent::Check(check))));
        for constraint in field.constraints {
            if let Requirement::Holds(condition) = &constraint.requirement {
                // In paths, an alternative has the name of the field that is the choice.
                let name = if is_choice { "" } else { field.name };
                found.push((condition, Dependent::Holds(constraint, name)));
            }
        }
        if let Some(count) = &field.count {
            let size = match count {
                Expr::Binary(BinaryOp::Divide, _, Expr::Literal(size)) => *size,
                _ => 1,
            };
            found.push((count, Dependent::Count(size)));
        }
        found.extend(field.position.iter().map(|position| (position, Dependent::Offset)));
        if let Some(block) = &field.block {
            found.extend(block.size.iter().map(|size| (size, Dependent::UnpackedSize)));
            found.extend(block.checksum.iter().map(|sum| (&sum.stored, Dependent::Checksum(""))));
        }
    }
    found
}

struct Resolver<'r> {
    declarations: &'r [&'static Declaration],
    dependent: Dependent,
    found: &'r mut Vec<Dependency>,
}

impl Resolver<'_> {
    /// Notes the numbers that an expression of a declaration names; `rest` are names within each of them.
    fn expr(
        &mut self,
        declaration: &'static Declaration,
        expr: &Expr,
        rest: &[&'static str],
        literals: &[i128],
        depth: usize,
    ) {
        let (mut paths, mut literals) = (Vec::new(), literals.to_vec());
        expr.visit(&mut |part| match part {
            Expr::Path(path) => paths.push([path, rest].concat()),
            Expr::Literal(number) => literals.push(*number),
            _ => {}
        });
        for path in paths {
            self.path(declaration, &path, &literals, depth);
        }
    }

    fn path(
        &mut self,
        declaration: &'static Declaration,
        path: &[&'static str],
        literals: &[i128],
        depth: usize,
    ) {
        let Some((name, rest)) = path.split_first() else { return };
        let field = match declaration.shape {
            Shape::Struct(fields) => fields.iter().find(|field| field.name == *name),
            Shape::Bits { .. } => return self.add(declaration, name, None, literals),
            _ => None,
        };
        match (field, rest) {
            (None, _) => self.import(declaration, path, literals, depth),
            (Some(field), []) => self.add(declaration, name, field.rule, literals),
            (Some(field), rest) => {
                if let Type::Declared(inner) = content(field) {
                    self.path(inner, rest, literals, depth);
                }
            }
        }
    }

    /// What the containers of a declaration pass under the first of these names.
    fn import(
        &mut self,
        declaration: &'static Declaration,
        path: &[&'static str],
        literals: &[i128],
        depth: usize,
    ) {
        let Some((name, rest)) = path.split_first() else { return };
        let place = declaration.imports.iter().position(|import| import == name);
        let Some(place) = place.filter(|_| depth < MAX_DEPTH) else { return };
        for outer in self.declarations {
            for field in outer.fields() {
                let (ty, arguments) = match &field.block {
                    Some(block) => (&block.content, block.arguments),
                    None => (&field.ty, field.arguments),
                };
                if let Some(argument) = arguments.get(place)
                    && ty.declaration() == Some(declaration)
                {
                    self.expr(outer, argument, rest, literals, depth + 1);
                }
            }
        }
    }

    fn add(
        &mut self,
        declaration: &'static Declaration,
        name: &'static str,
        rule: Option<&'static str>,
        literals: &[i128],
    ) {
        let dependent = match (self.dependent, rule) {
            (Dependent::Checksum(_), Some(rule)) => Dependent::Checksum(rule),
            // Nothing says that it has to be right.
            (Dependent::Checksum(_), None) => return,
            (dependent, _) => dependent,
        };
        let known = self
            .found
            .iter_mut()
            .find(|known| (known.name, known.dependent, known.declaration) == (name, dependent, declaration));
        match known {
            Some(known) => known.literals.extend(literals),
            None => {
                self.found.push(Dependency { declaration, name, dependent, literals: literals.to_vec() });
            }
        }
    }
}

fn content(field: &'static Field) -> &'static Type {
    field.block.as_ref().map_or(&field.ty, |block| &block.content)
}
