//! Resolved declarations, and their defects.
//!
//! A [`Declaration`](super::declaration::Declaration) refers to values by name; a `Program` has a slot for each of
//! them. The walker, the assembler, the generator and the breaker run programs, and printers list their units.
//! [`Schema::Program`](super::schema::Schema::Program) prints programs.

mod build;
mod code;
mod draft;
mod equation;
mod frames;
mod infer;
mod item;
mod listing;
mod model;
mod names;
mod print;
mod problem;
mod safety;
mod size;
mod solve;
mod tag;

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

#[cfg(feature = "serde")]
pub(crate) use code::Slot;
pub(crate) use code::{Cell, Code, field_value};
pub(crate) use equation::{Role, ValueOrigin};
#[cfg(feature = "serde")]
pub(crate) use frames::EnclosingUnit;
pub(crate) use frames::{Frames, SlotMark};
pub(crate) use item::Item;
pub(super) use listing::{ListingOrder, Reached, reachable};
pub use model::Problem;
pub(crate) use model::{
    Argument, BlockStep, ChecksumStep, ComparedValues, ComputedStep, FormId, FormKind, FormSize,
    Program, Step, Unit, UnitId, ValueUse,
};
pub(crate) use names::{Names, ValueKind};
pub(super) use print::print;
pub(crate) use solve::{is_exact, solve_for, to_equation};
pub(crate) use tag::Tag;

use super::declaration::{Constraint, Type};

/// Returns the defects of a declaration, such as a value that cannot be determined, or is determined twice.
pub fn problems(ty: &'static Type) -> &'static [Problem] {
    &Program::of(ty).problems
}

/// The programs resolved so far, by the address of their type.
static PROGRAMS: LazyLock<RwLock<HashMap<usize, &'static Program>>> =
    LazyLock::new(RwLock::default);

impl Program {
    /// Returns the program of a type. It is resolved on first use and kept until the process ends.
    pub(crate) fn of(ty: &'static Type) -> &'static Program {
        let key = std::ptr::from_ref(ty).addr();
        let known = PROGRAMS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .copied();
        known.unwrap_or_else(|| {
            let program = Box::leak(Box::new(Program::new(ty)));
            PROGRAMS
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(key)
                .or_insert(program)
        })
    }

    /// Returns all constraints. A declaration with several units yields its constraints once per unit.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = &'static Constraint> {
        self.units
            .iter()
            .flat_map(|unit| unit.declaration.constraints())
    }
}
