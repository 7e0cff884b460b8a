//! Generates `docs/schema/` and `docs/rules.md` from the declarations and rules.
//!
//! `cargo run --example generate_docs` writes the files; with `--check`, it only lists those that differ.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshspec::layout::schema::Schema;
use meshspec::{
    About, AnyFormat, Enforcement, Format, Formats, ReadOptions, Rule, Specification, WriteOptions,
};

fn main() -> ExitCode {
    let check = std::env::args().any(|argument| argument == "--check");
    let outdated = outdated_files(Path::new(env!("CARGO_MANIFEST_DIR")));
    for (path, text) in &outdated {
        if check {
            println!(
                "{} is outdated: run the example generate_docs",
                path.display()
            );
        } else if let Err(error) = write(path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        } else {
            println!("{}", path.display());
        }
    }
    if check && !outdated.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

/// Returns the outdated files of the repository in `root`, with their expected content.
pub fn outdated_files(root: &Path) -> Vec<(PathBuf, String)> {
    let docs = root.join("docs");
    let mut files = vec![(docs.join("rules.md"), rules_page())];
    for format in Formats::BUILT_IN {
        let printed = Schema::ALL.iter().flat_map(|schema| format.schema(*schema));
        files.extend(printed.map(|file| (docs.join("schema").join(file.name), file.text)));
    }
    files.retain(|(path, text)| std::fs::read_to_string(path).ok().as_ref() != Some(text));
    files
}

/// Returns the page of all rules.
fn rules_page() -> String {
    let mut out = String::from(
        "# Rules\n\n\
         The rules of `meshspec check`. Codes are stable. Strict reading rejects errors and fatal findings, lenient reading\n\
         only fatal ones, which cannot be decoded unambiguously.\n\n\
         ```sh\n\
         meshspec check --explain MESH-INDEX-RANGE   # a rule, with a violating and a correct example\n\
         ```\n\n\
         `--only`, `--ignore`, `--error`, `--warn` and `--deny` [select rules and change their severity](cli.md#explain-and-select-rules).\n\n\
         | column | content |\n\
         |---|---|\n\
         | section | the section of the format's specification |\n\
         | row | the [interpretation](interpretations.md) of the specification, where the specification is ambiguous |\n\
         | enforced by | a constraint in the [declaration](schema/); the declared structure (magic bytes, counts, packed \
         blocks, the end of the file, the grammar of a text format); or code, with the reason why no declaration can express the rule |\n",
    );
    for format in Formats::BUILT_IN {
        let about = format.about();
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## {}\n\n", about.title);
        if let Some(Specification {
            title,
            project,
            url,
        }) = about.specification
        {
            let _ = write!(out, "[{title}]({url}), from {project}.\n\n");
        }
        let _ = writeln!(out, "{}\n", summary(about.rules));
        out.push_str(&table(*format));
    }
    out.push_str(
        "\n## Custom formats\n\n\
         These rules apply to formats [declared elsewhere](extending.md), unless the format declares a rule for the same \
         requirement.\n\n",
    );
    out + &table(meshspec::format_of::<CustomFormat>())
}

/// A placeholder for custom formats, whose rules are the generic ones.
struct CustomFormat(Vec<u8>);

impl Format for CustomFormat {
    const ABOUT: &'static About = &About::new("own", "Own", || &[]);

    fn read(bytes: &[u8], options: &ReadOptions) -> meshspec::Result<CustomFormat> {
        Self::require_valid(bytes, options)?;
        Ok(CustomFormat(bytes.to_vec()))
    }

    fn write(&self, options: &WriteOptions) -> meshspec::Result<Vec<u8>> {
        Self::require_valid(&self.0, &options.to_read_options())?;
        Ok(self.0.clone())
    }
}

/// Returns a sentence with the number of rules by their enforcement.
fn summary(rules: &[&Rule]) -> String {
    let count = |counts: fn(&Rule) -> bool| rules.iter().filter(|rule| counts(rule)).count();
    let declared = count(|rule| rule.enforced_by == Enforcement::Declaration);
    let structural = count(|rule| rule.enforced_by == Enforcement::Structure);
    let code = count(|rule| matches!(rule.enforced_by, Enforcement::Code(_)));
    format!(
        "{} rules: {declared} declared, {structural} structural, {code} in code.",
        rules.len()
    )
}

fn table(format: AnyFormat) -> String {
    let rows: String = format
        .about()
        .rules
        .iter()
        .map(|rule| row(format, rule) + "\n")
        .collect();
    format!(
        "| code | severity | rule | section | row | enforced by |\n|---|---|---|---|---|---|\n{rows}"
    )
}

fn row(format: AnyFormat, rule: &Rule) -> String {
    let enforced_by = format.enforcement_of(rule);
    let code = format!("`{}`", rule.code);
    let cells = [
        &code,
        rule.severity.name(),
        rule.summary,
        rule.section,
        rule.row,
        &enforced_by,
    ];
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |", cells.join(" | "))
        .replace("|  |", "| |")
        .replace("|  |", "| |")
}
