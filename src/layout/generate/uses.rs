//! What the expressions of a declaration use values for.

use crate::layout::walk::Segment;
use crate::layout::{BinaryOp, Declaration, Expr, Field, Shape, Type};

/// What a value is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It follows from what is written: an offset, a size, a checksum.
    Derived,
    /// It is a number of items.
    Count,
}

/// A value, by the names that lead to it from a struct, and what it is used for.
pub(super) type Used = (Vec<&'static str>, Use);

/// What the fields of a struct use the values for that they can see, imports among them.
pub(super) fn of_fields(fields: &'static [Field]) -> Vec<Used> {
    let mut used = Vec::new();
    for field in fields {
        let mut add = |expr: &Expr, what| used.extend(paths(expr).into_iter().map(|path| (path, what)));
        if let Some(position) = &field.position {
            add(position, Use::Derived);
        }
        if let Some(count) = &field.count {
            // Of a size that items are counted by, any number would do that they fill.
            let is_size = field.block.is_some() || matches!(count, Expr::Binary(BinaryOp::Divide, ..));
            add(count, if is_size { Use::Derived } else { Use::Count });
        }
        if let Some(block) = &field.block {
            block.size.iter().for_each(|size| add(size, Use::Derived));
            block.checksum.iter().for_each(|checksum| add(&checksum.stored, Use::Derived));
            used.extend(passed(&block.content, block.arguments));
        }
        used.extend(passed(&field.ty, field.arguments));
    }
    used
}

/// What a type uses the values for that it is passed.
fn passed(ty: &Type, arguments: &'static [Expr]) -> Vec<Used> {
    let Some(declaration) = ty.declaration() else { return Vec::new() };
    let inner = of_declaration(declaration);
    let imports = declaration.imports.iter().zip(arguments);
    imports
        .flat_map(|(import, argument)| {
            let own: Vec<_> = inner.iter().filter(|(path, _)| path.first() == Some(import)).collect();
            paths(argument).into_iter().flat_map(move |path| {
                own.clone().into_iter().map(move |(inner, what)| ([&path[..], &inner[1..]].concat(), *what))
            })
        })
        .collect()
}

fn of_declaration(declaration: &Declaration) -> Vec<Used> {
    match declaration.shape {
        Shape::Struct(fields) => of_fields(fields),
        Shape::Choice(variants) => {
            variants.iter().flat_map(|variant| of_fields(std::slice::from_ref(&variant.field))).collect()
        }
        Shape::Enum { .. } | Shape::Bits { .. } => Vec::new(),
    }
}

/// What is used of the parts of the field called `name`.
pub(super) fn within(used: &[Used], name: &str) -> Vec<Used> {
    let own = used.iter().filter(|(path, _)| path.len() > 1 && path[0] == name);
    own.map(|(path, what)| (path[1..].to_vec(), *what)).collect()
}

/// What the field called `name` is used for; that it follows from others says more than that it is a count.
pub(super) fn of_name(used: &[Used], name: &str) -> Option<Use> {
    let own = || used.iter().filter(|(path, _)| *path == [name]).map(|(_, what)| *what);
    own().find(|what| *what == Use::Derived).or_else(|| own().next())
}

/// What a number of items is called that one value decides.
pub(super) fn name_of_count(count: &Expr) -> Option<Segment> {
    match &paths(count)[..] {
        [path] => path.last().map(|name| Segment::Field(name)),
        _ => None,
    }
}

/// The names that an expression sees.
fn paths(expr: &Expr) -> Vec<Vec<&'static str>> {
    let mut found = Vec::new();
    expr.visit(&mut |part| {
        if let Expr::Path(path) | Expr::Matches(path, _) = part {
            found.push(path.to_vec());
        }
    });
    found
}
