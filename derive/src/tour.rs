//! Compares the code in `docs/tour.md` with the output of the derives.
//!
//! `UPDATE_GOLDEN=1 cargo test -p meshspec-derive` rewrites the page.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use proc_macro2::TokenStream as Tokens;
use syn::File;

use crate::rejected::expand_derives;

/// The page shows the declarations, then each expansion under a heading, `### Layout for Track`.
#[test]
fn the_tour_shows_what_the_derives_make() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tour.md");
    let page = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\r\n", "\n");
    let (_, declarations) = page.split_once("```rust\n").unwrap();
    let (declarations, _) = declarations.split_once("```\n").unwrap();
    let mut expected = page.clone();
    for (name, expanded) in expand_derives(declarations) {
        let code = format_items(expanded.unwrap());
        let (before, after) = expected.split_once(&format!("\n### {name}\n")).unwrap();
        let (introduction, after) = after.split_once("```rust\n").unwrap();
        let (_, after) = after.split_once("```\n").unwrap();
        let mut page = before.to_owned();
        write!(
            page,
            "\n### {name}\n{introduction}```rust\n{code}```\n{after}"
        )
        .unwrap();
        expected = page;
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, expected).unwrap();
    } else {
        assert_eq!(page, expected, "docs/tour.md");
    }
}

fn format_items(items: Tokens) -> String {
    prettyplease::unparse(&syn::parse2::<File>(items).unwrap())
}
