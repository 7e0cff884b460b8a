//! Compares the tables and lists of the specifications with the declarations.

#[cfg(feature = "bmd")]
mod bmd;
#[cfg(feature = "crucible")]
mod crucible;
#[cfg(feature = "iyma")]
mod iyma;
#[cfg(feature = "mesh")]
mod mesh;
#[cfg(feature = "seed")]
mod seed;

use meshspec::layout::Layout;
use meshspec::layout::declaration::{Declaration, Type};

fn declaration<T: Layout>() -> &'static Declaration {
    match T::TYPE {
        Type::Declared(declaration) => declaration,
        other => panic!("{other:?} is not declared"),
    }
}
