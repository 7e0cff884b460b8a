//! The generated files in `docs/` match the declarations and rules.

#[path = "../../examples/generate_docs.rs"]
#[allow(dead_code, reason = "its main function is the program's")]
mod generate_docs;

use crate::common::ROOT;

#[test]
fn committed_files_are_up_to_date() {
    let outdated: Vec<_> = generate_docs::outdated_files(ROOT.as_ref())
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert!(
        outdated.is_empty(),
        "run `cargo run --example generate_docs`: {outdated:?}"
    );
}

#[test]
fn pages_name_the_specifications() {
    for format in meshspec::Formats::BUILT_IN {
        let meshspec::Specification {
            title,
            project,
            url,
        } = format.about().specification.unwrap();
        for page in [
            "docs/interpretations.md".to_owned(),
            format!("src/formats/{format}/mod.rs"),
        ] {
            let mut text = std::fs::read_to_string(std::path::Path::new(ROOT).join(&page)).unwrap();
            if page.ends_with(".rs") {
                let docs: Vec<_> = text
                    .lines()
                    .map_while(|line| line.strip_prefix("//!"))
                    .collect();
                text = docs.concat();
            }
            assert!(
                text.contains(title) && text.contains(project) && text.contains(url),
                "{format}: {text}"
            );
        }
    }
}

#[test]
fn files_that_the_pages_name_exist() {
    let root = std::path::Path::new(ROOT);
    let folders = [
        "src/",
        "cli/",
        "derive/",
        "docs/",
        "tests/",
        "examples/",
        "samples/",
        "grammar/",
        ".ci/",
        ".github/",
    ];
    let mut found = 0;
    for page in [
        include_str!("../../ARCHITECTURE.md"),
        include_str!("../../CONTRIBUTING.md"),
    ] {
        for name in page
            .split('`')
            .filter(|name| folders.iter().any(|folder| name.starts_with(folder)))
        {
            // `NAME` is any format; a large module is a folder of the same name.
            let path = root.join(name.split(' ').next().unwrap().replace("NAME", "bmd"));
            assert!(
                path.exists() || path.with_extension("").is_dir(),
                "there is no {name}"
            );
            found += 1;
        }
    }
    assert!(found > 40, "{found} names");
}
