//! What `#[derive(Layout)]` refuses, and where its errors point.
//!
//! `TRYBUILD=overwrite cargo test -p meshspec-derive --test refused` writes the expected messages anew.

#[test]
fn what_the_derive_refuses() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
