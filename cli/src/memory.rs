//! Allocations that may fail.

use std::cell::Cell;

thread_local! {
    /// Whether allocations of this thread may fail.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function whose allocations may fail, such as `try_reserve`.
pub fn fallible<T>(allocate: impl FnOnce() -> T) -> T {
    let before = MAY_FAIL.replace(true);
    let result = allocate();
    MAY_FAIL.set(before);
    result
}

/// Returns `true` if allocations of this thread may fail now.
pub fn may_fail() -> bool {
    MAY_FAIL.get()
}
