//! Peak memory of reading and converting.
//!
//! The tests measure the memory of the whole process, including the threads of the library. Therefore they run one by
//! one on one thread, without Rust's test harness, which would start further threads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// Creates a list of tests from functions.
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

/// Returns the result of `work`, and the bytes by which peak memory exceeds the memory in use before.
fn measure_peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = work();
    (result, MEMORY.peak_usage().saturating_sub(before))
}

/// Returns a test that fails if the function panics.
fn trial(name: String, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
        test();
        Ok(())
    })
}

fn main() {
    let arguments = Arguments {
        test_threads: Some(1),
        ..Arguments::from_args()
    };
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
