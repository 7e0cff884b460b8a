//! Peak memory of reading and converting.
//!
//! The tests measure the memory of the whole process, including the threads of the library. So they run in sequence on
//! one thread, without Rust's test harness, which would start others.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// Returns functions as tests.
macro_rules! trials {
    ($($test:ident),+ $(,)?) => {
        vec![$(crate::trial(concat!(module_path!(), "::", stringify!($test)).to_owned(), $test)),+]
    };
}

#[path = "../common/mod.rs"]
mod common;
mod conversion;
mod damaged;
#[allow(dead_code, unused_imports, reason = "only reading is measured")]
#[path = "../../fuzz/src/lib.rs"]
mod fuzz;
mod hostile;
mod interop;
mod lists;
mod packed;
mod streams;
mod texts;

use libtest_mimic::{Arguments, Trial};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MEBIBYTE: usize = 1 << 20;

/// Returns the result, and the peak memory above the previous use.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = work();
    (result, MEMORY.peak_usage().saturating_sub(before))
}

/// Returns a test that fails on panic.
fn trial(name: String, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
        test();
        Ok(())
    })
}

fn main() {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trials = [
        conversion::trials(),
        damaged::trials(),
        hostile::trials(),
        interop::trials(),
        lists::trials(),
        packed::trials(),
        streams::trials(),
        texts::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit();
}
