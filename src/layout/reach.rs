//! What some roots are made of: every declaration they reach, once, and what expressions may say of it.
//!
//! Every back end starts here. A [`Declaration`] names its imports but not their types; those follow from the
//! arguments that the containing struct passes, so they are found while going down.

use super::{BinaryOp, Block, Declaration, Expr, Field, IntType, Packing, Shape, Type, UnaryOp};

/// What kind of value a name in an expression stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// An integer; the type is unknown for literals and for imports of a root.
    Int(Option<IntType>),
    /// A truth value.
    Bool,
    /// A packed word.
    Bits(&'static Declaration),
    /// An enum.
    Enum(&'static Declaration),
    /// A struct.
    Struct(&'static Declaration),
    /// Nothing that an expression can use.
    Other,
}

/// The names that the expressions of a declaration can see.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(Vec<(&'static str, Kind)>);

/// A declaration that was reached, with what is known of it by then.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    /// The declaration.
    pub declaration: &'static Declaration,
    /// The kind of each import, in order.
    pub imports: Vec<Kind>,
    /// Whether it lies in a block that must be unpacked first, so that its positions count from the block's start.
    pub packed: bool,
}

/// In which order to list declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// What a declaration is made of comes before it.
    Parts,
    /// A declaration comes before what it is made of, as one reads a specification.
    Reading,
}

/// All declarations that the roots reach, each once.
pub(super) fn reachable(roots: &[(&str, &'static Type)], order: Order) -> Vec<Reached> {
    let mut collector = Collector { order, seen: Vec::new(), found: Vec::new() };
    for (_, root) in roots {
        collector.visit(root, &[], &Names::default(), false);
    }
    collector.found
}

struct Collector {
    order: Order,
    seen: Vec<&'static Declaration>,
    found: Vec<Reached>,
}

impl Collector {
    fn visit(&mut self, ty: &'static Type, arguments: &[Expr], names: &Names, packed: bool) {
        let Some(declaration) = ty.declaration() else { return };
        if self.seen.contains(&declaration) {
            return;
        }
        self.seen.push(declaration);
        let kinds = arguments.iter().map(|argument| names.kind(argument));
        let unknown = std::iter::repeat(Kind::Int(None));
        let imports: Vec<_> = kinds.chain(unknown).take(declaration.imports.len()).collect();
        let reached = Reached { declaration, imports, packed };
        let names = reached.names();
        if self.order == Order::Reading {
            self.found.push(reached.clone());
        }
        for field in declaration.fields() {
            self.visit_field(field, &names, packed);
        }
        if let Shape::Bits { fields, .. } = declaration.shape {
            for inner in fields.iter().filter_map(|field| field.declared) {
                self.visit_declared(inner, packed);
            }
        }
        if self.order == Order::Parts {
            self.found.push(reached);
        }
    }

    fn visit_field(&mut self, field: &'static Field, names: &Names, packed: bool) {
        match &field.block {
            Some(block) => {
                let packed = packed || block.packing != Packing::Stored;
                self.visit(&block.content, block.arguments, names, packed);
            }
            None => self.visit(&field.ty, field.arguments, names, packed),
        }
    }

    /// A packed word within a packed word.
    fn visit_declared(&mut self, declaration: &'static Declaration, packed: bool) {
        if !self.seen.contains(&declaration) {
            self.seen.push(declaration);
            self.found.push(Reached { declaration, imports: Vec::new(), packed });
        }
    }
}

impl Reached {
    /// The names that every expression of the declaration can see: its imports and its fields.
    pub(super) fn names(&self) -> Names {
        let imports = self.declaration.imports.iter().copied().zip(self.imports.iter().copied());
        let fields = match self.declaration.shape {
            Shape::Struct(fields) => fields,
            _ => &[],
        };
        // What is encoded can be named as if it stood there decoded.
        let kind = |field: &Field| match &field.block {
            Some(Block { packing: Packing::Coded { .. }, content, .. }) => content.kind(),
            _ => field.ty.kind(),
        };
        Names(imports.chain(fields.iter().map(|field| (field.name, kind(field)))).collect())
    }
}

impl Type {
    fn kind(&self) -> Kind {
        match self {
            Type::Unsigned(size) => Kind::Int(Some(IntType { bits: 8 * size, signed: false })),
            Type::Signed(size) => Kind::Int(Some(IntType { bits: 8 * size, signed: true })),
            Type::Declared(declaration) => match declaration.shape {
                Shape::Bits { .. } => Kind::Bits(declaration),
                Shape::Enum { .. } => Kind::Enum(declaration),
                Shape::Struct(_) => Kind::Struct(declaration),
                Shape::Choice(_) => Kind::Other,
            },
            _ => Kind::Other,
        }
    }
}

impl Declaration {
    fn kind_of(&self, name: &str) -> Kind {
        match self.shape {
            Shape::Struct(fields) => {
                fields.iter().find(|f| f.name == name).map_or(Kind::Other, |f| f.ty.kind())
            }
            Shape::Bits { fields, .. } => match fields.iter().find(|f| f.name == name) {
                Some(field) if field.flag => Kind::Bool,
                Some(field) => match field.declared {
                    Some(declaration) => Kind::Bits(declaration),
                    None => Kind::Int(Some(IntType { bits: field.bits.width, signed: field.signed })),
                },
                None => Kind::Other,
            },
            Shape::Enum { .. } | Shape::Choice(_) => Kind::Other,
        }
    }
}

impl Names {
    /// The kind of each step of a path.
    pub(super) fn steps(&self, path: &[&str]) -> Vec<Kind> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let mut kind = self.0.iter().rev().find(|(name, _)| name == first).map_or(Kind::Other, |(_, k)| *k);
        let mut kinds = vec![kind];
        for name in rest {
            kind = match kind {
                Kind::Struct(declaration) | Kind::Bits(declaration) => declaration.kind_of(name),
                _ => Kind::Other,
            };
            kinds.push(kind);
        }
        kinds
    }

    /// The kind of an expression's value.
    pub(super) fn kind(&self, expr: &Expr) -> Kind {
        match expr {
            Expr::Literal(_) => Kind::Int(None),
            Expr::Bool(_) | Expr::Unary(UnaryOp::Not, _) | Expr::Matches(..) => Kind::Bool,
            Expr::Path(path) => self.steps(path).last().copied().unwrap_or(Kind::Other),
            Expr::Unary(UnaryOp::Negate, a) => self.kind(a),
            Expr::Binary(op, a, b) => match (op.class(), self.kind(a)) {
                (Class::Comparison | Class::Logic, _) => Kind::Bool,
                (_, Kind::Int(None)) => self.kind(b),
                (_, kind) => kind,
            },
            Expr::Cast(_, to) => Kind::Int(Some(*to)),
            Expr::If(_, a, b) => match self.kind(a) {
                Kind::Int(None) => self.kind(b),
                kind => kind,
            },
        }
    }
}

/// What sort of operator it is; parentheses follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// `* / %`
    Product,
    /// `+ -`
    Sum,
    /// `& | ^ << >>`
    Bits,
    /// `== < …`
    Comparison,
    /// `&& ||`
    Logic,
}

impl BinaryOp {
    pub(super) const fn class(self) -> Class {
        match self {
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => Class::Product,
            BinaryOp::Add | BinaryOp::Subtract => Class::Sum,
            BinaryOp::And | BinaryOp::Or => Class::Logic,
            BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => Class::Bits,
            _ => Class::Comparison,
        }
    }
}
