//! The generated files in `docs/` are what the declarations and rules say.

#[path = "../../examples/generate_docs.rs"]
#[allow(dead_code, reason = "its main function is the program's")]
mod generate_docs;

#[test]
fn committed_files_are_up_to_date() {
    let differing: Vec<_> = generate_docs::differing().into_iter().map(|(path, _)| path).collect();
    assert!(differing.is_empty(), "run `cargo run --example generate_docs`: {differing:?}");
}
