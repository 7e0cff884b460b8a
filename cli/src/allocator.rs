//! The program's global allocator. If an allocation fails, the program prints a message and exits with status 3; the
//! standard library would abort. Allocations inside `memory::with_fallible` return an error instead.

#![allow(
    unsafe_code,
    reason = "stable Rust has no other way to handle failed allocations"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

use meshspec_cli::memory::may_fail;

/// The exit status of I/O errors.
const IO_STATUS: i32 = 3;

/// The system's allocator, except that the program exits with status 3 if an infallible allocation fails.
pub struct ExitingAllocator;

// SAFETY: all methods forward to the system's allocator with unchanged arguments and results.
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc`.
        exit_if_null(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        exit_if_null(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `realloc`.
        exit_if_null(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Returns the pointer. Exits the program if it is null, unless allocations of this thread may fail.
fn exit_if_null(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && !may_fail() {
        exit_out_of_memory(size);
    }
    pointer
}

#[cold]
fn exit_out_of_memory(size: usize) -> ! {
    // This function must not allocate.
    let mut line = [0; 64];
    let mut rest = &mut line[..];
    let _ = writeln!(rest, "error: out of memory: cannot allocate {size} bytes");
    let length = 64 - rest.len();
    let _ = std::io::stderr().write_all(&line[..length]);
    std::process::exit(IO_STATUS)
}
