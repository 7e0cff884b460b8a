//! The allocator of the program. Where the standard library would abort after a failed allocation, it prints a message
//! and exits with a status, unless the allocation may fail.

#![allow(unsafe_code, reason = "stable Rust has no other way to handle failed allocations")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

use meshspec_cli::memory::may_fail;

/// The exit status of I/O errors.
const STATUS: i32 = 3;

/// The system's allocator; exits with status 3 if memory is exhausted.
pub struct OrExit;

// SAFETY: all methods forward to the system's allocator with unchanged arguments and results.
unsafe impl GlobalAlloc for OrExit {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc`.
        require(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        require(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `realloc`.
        require(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn require(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && !may_fail() {
        exit(size);
    }
    pointer
}

#[cold]
fn exit(size: usize) -> ! {
    // Nothing here may allocate.
    let mut line = [0; 64];
    let mut rest = &mut line[..];
    let _ = writeln!(rest, "error: out of memory: cannot allocate {size} bytes");
    let length = 64 - rest.len();
    let _ = std::io::stderr().write_all(&line[..length]);
    std::process::exit(STATUS)
}
