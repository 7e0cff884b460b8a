//! Errors of the derives, rendered in the style of rustc.
//!
//! `UPDATE_GOLDEN=1 cargo test -p meshspec-derive` rewrites the expected messages.

#![allow(clippy::unwrap_used, clippy::panic)]

use proc_macro2::TokenStream as Tokens;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, DeriveInput, Error, Item, Path, Token};

/// Runs on syntax trees rather than in rustc, which would build binrw and meshspec again.
#[test]
fn declarations_are_rejected_where_they_are_wrong() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut files: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    assert!(files.len() >= 14, "{} files", files.len());
    for path in files {
        let source = std::fs::read_to_string(&path)
            .unwrap()
            .replace("\r\n", "\n");
        let name = format!("tests/ui/{}", path.file_name().unwrap().to_str().unwrap());
        let errors: Vec<String> = errors(&source)
            .iter()
            .map(|error| render_error(error, &name, &source))
            .collect();
        let (messages, golden) = (errors.join("\n\n") + "\n", path.with_extension("stderr"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&golden, messages).unwrap();
        } else {
            let expected = std::fs::read_to_string(golden)
                .unwrap()
                .replace("\r\n", "\n");
            assert_eq!(messages, expected, "{name}");
        }
    }
}

/// Returns the errors of the types in a file. Panics if a type is accepted.
fn errors(source: &str) -> Vec<Error> {
    expand_derives(source)
        .into_iter()
        .flat_map(|(_, expanded)| expanded.unwrap_err())
        .collect()
}

/// Runs each `Layout`, `StoredFields` and `ToJson` derive in a file. Returns its name, such as
/// `Layout for Track`, and the generated items or the error.
pub fn expand_derives(source: &str) -> Vec<(String, Result<Tokens, Error>)> {
    let mut expansions = Vec::new();
    for item in syn::parse_file(source).unwrap().items {
        if !matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Union(_)) {
            continue;
        }
        let mut input: DeriveInput = syn::parse2(item.to_token_stream()).unwrap();
        let derives = input
            .attrs
            .iter()
            .find(|attribute| is_derive(attribute))
            .unwrap();
        let derives = derives
            .parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
            .unwrap();
        // rustc also removes these attributes before it calls a derive.
        input.attrs.retain(|attribute| !is_derive(attribute));
        for derive in derives {
            let name = derive.segments.last().unwrap().ident.to_string();
            let expanded = match &*name {
                "Layout" => crate::expand(&input),
                "StoredFields" => crate::stored::expand(&input),
                "ToJson" => crate::to_json::expand(&input),
                _ => continue,
            };
            expansions.push((format!("{name} for {}", input.ident), expanded));
        }
    }
    expansions
}

fn is_derive(attribute: &Attribute) -> bool {
    attribute.path().is_ident("derive")
}

fn render_error(error: &Error, name: &str, source: &str) -> String {
    let (start, end) = (error.span().start(), error.span().end());
    let margin = end.line.to_string().len();
    let blank = " ".repeat(margin);
    let mut text = format!(
        "error: {error}\n{blank}--> {name}:{}:{}\n{blank} |\n",
        start.line,
        start.column + 1
    );
    let lines = source
        .lines()
        .zip(1..)
        .skip(start.line - 1)
        .take(end.line - start.line + 1);
    for (line, number) in lines {
        let edge = match number {
            _ if start.line == end.line => "",
            _ if number == start.line => "/ ",
            _ => "| ",
        };
        text += &format!("{number:margin$} | {edge}{line}\n");
    }
    text + &match start.line == end.line {
        true => {
            let carets = "^".repeat(end.column - start.column);
            format!("{blank} | {}{carets}", " ".repeat(start.column))
        }
        false => format!("{blank} | |{}^", "_".repeat(end.column)),
    }
}
