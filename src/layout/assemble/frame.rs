//! What the expressions of a struct see, and which values of the file the names in them stand for.

use crate::layout::walk::Segment;
use crate::layout::{Declaration, Expr, Scope, Value};

/// The names that the fields of one struct see. A value that is left out has no name yet.
#[derive(Clone)]
pub(super) struct Frame<'f> {
    pub(super) scope: Scope,
    imports: &'static [&'static str],
    /// What stands for the imports, and the struct that says so.
    outer: Option<(&'f Frame<'f>, &'static [Expr])>,
    /// Number of segments of the struct's path.
    depth: usize,
}

impl<'f> Frame<'f> {
    /// What the root sees: nothing.
    pub(super) fn root() -> Frame<'f> {
        Frame { scope: Scope::default(), imports: &[], outer: None, depth: 0 }
    }

    /// What the fields of a declaration see, whose path has `depth` segments, given these arguments.
    pub(super) fn within(
        &'f self,
        declaration: &'static Declaration,
        arguments: &'static [Expr],
        depth: usize,
    ) -> Frame<'f> {
        let known = declaration.imports.iter().zip(arguments);
        let known = known.filter_map(|(name, argument)| Some((*name, argument.eval(&self.scope).ok()?)));
        let scope = Scope::new(known.collect());
        Frame { scope, imports: declaration.imports, outer: Some((self, arguments)), depth }
    }

    /// Number of names that are imported.
    pub(super) fn imported(&self) -> usize {
        self.imports.iter().filter(|name| self.scope.get(name).is_some()).count()
    }

    /// The path of the value that names in an expression stand for, where `path` is that of a part of the struct.
    pub(super) fn path_of(&self, names: &[&'static str], path: &[Segment]) -> Option<Vec<Segment>> {
        let (first, rest) = names.split_first()?;
        let Some(import) = self.imports.iter().position(|name| name == first) else {
            let names = names.iter().map(|name| Segment::Field(name));
            return Some(path.get(..self.depth)?.iter().copied().chain(names).collect());
        };
        let (outer, arguments) = self.outer?;
        let mut argument = arguments.get(import)?;
        while let Expr::Cast(inner, _) = argument {
            argument = inner;
        }
        match argument {
            Expr::Path(outer_names) => outer.path_of(&[outer_names, rest].concat(), path),
            _ => None,
        }
    }

    /// The values that an expression depends on.
    pub(super) fn leaves_of(&self, expr: &Expr, path: &[Segment]) -> Vec<Vec<Segment>> {
        let mut leaves = Vec::new();
        expr.visit(&mut |part| {
            if let Expr::Path(names) | Expr::Matches(names, _) = part {
                let leaf = self.path_of(names, path).filter(|leaf| !leaves.contains(leaf));
                leaves.extend(leaf);
            }
        });
        leaves
    }

    /// The value as an integer, if all that it depends on is known.
    pub(super) fn int(&self, expr: &Expr) -> Option<i128> {
        expr.eval_int(&self.scope).ok()
    }

    /// The value as a truth value, if all that it depends on is known.
    pub(super) fn truth(&self, expr: &Expr) -> Option<bool> {
        expr.eval_bool(&self.scope).ok()
    }

    pub(super) fn push(&mut self, name: &'static str, value: Option<Value>) {
        if let Some(value) = value {
            self.scope.push(name, value);
        }
    }
}
