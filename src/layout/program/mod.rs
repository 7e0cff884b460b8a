//! Declarations, resolved once.
//!
//! A [`Declaration`](super::Declaration) names values; a [`Program`] has a slot for each of them. It is what the walker runs.

mod build;
mod code;
mod equation;
mod frames;
mod model;
mod print;
mod size;

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

pub(crate) use code::Code;
pub(crate) use equation::Role;
pub(crate) use frames::Frames;
pub use model::Program;
pub(crate) use model::{BlockStep, Body, Call, Compared, FormId, Kind, Step, Unit, Use};
pub(super) use print::print;

use super::Type;

/// The programs of all types so far, by the address of the type.
static PROGRAMS: LazyLock<RwLock<HashMap<usize, &'static Program>>> = LazyLock::new(RwLock::default);

impl Program {
    /// The program of a type. It is made once and kept for as long as the process runs.
    pub fn of(ty: &'static Type) -> &'static Program {
        let key = std::ptr::from_ref(ty).addr();
        let known = PROGRAMS.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        known.unwrap_or_else(|| {
            let program = Box::leak(Box::new(Program::new(ty)));
            PROGRAMS.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(program)
        })
    }
}
