//! Marks allocations that may fail without ending the program.

use std::cell::Cell;

thread_local! {
    /// Whether failed allocations of this thread return an error instead of ending the program.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function that handles failed allocations itself, for example with `try_reserve`.
pub fn with_fallible<T>(allocate: impl FnOnce() -> T) -> T {
    let before = MAY_FAIL.replace(true);
    let result = allocate();
    MAY_FAIL.set(before);
    result
}

/// Returns `true` inside [`with_fallible`] on this thread.
pub fn may_fail() -> bool {
    MAY_FAIL.get()
}
