//! The program as its users have it: the real binary, on files that the tests make with the library.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bmd;
mod check;
mod convert;
mod docs;
mod dump;
mod files;
mod formats;
mod info;
mod json;
mod output;
mod packed;
mod schema;
mod shell;
