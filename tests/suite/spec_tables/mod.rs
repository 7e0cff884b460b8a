//! Compares the tables and lists of the specifications with the declarations.

mod bmd;
mod crucible;
mod iyma;
mod mesh;
mod seed;

use meshspec::layout::Layout;
use meshspec::layout::declaration::{Declaration, Type};

fn declaration<T: Layout>() -> &'static Declaration {
    match T::TYPE {
        Type::Declared(declaration) => declaration,
        other => panic!("{other:?} is not declared"),
    }
}
