//! Writes what is made from the declarations and rules: `docs/schema/` and `docs/rules.md`.
//!
//! `cargo run --example generate_docs` writes the files, with `--check` it only says which of them differ.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshspec::layout::schema::Schema;
use meshspec::{About, AnyFormat, Declared, Enforcement, FormatId, Rule, Specification};

fn main() -> ExitCode {
    let check = std::env::args().any(|argument| argument == "--check");
    let differing = differing();
    for (path, text) in &differing {
        if check {
            println!("{} is not what the declarations say: run the example generate_docs", path.display());
        } else if let Err(error) = write(path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        } else {
            println!("{}", path.display());
        }
    }
    if check && !differing.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

/// The generated files whose content is not as it should be, with what it should be.
pub fn differing() -> Vec<(PathBuf, String)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut files = vec![(docs.join("rules.md"), rules())];
    for format in FormatId::ALL {
        let printed = Schema::ALL.iter().flat_map(|schema| format.schema(*schema));
        files.extend(printed.map(|file| (docs.join("schema").join(file.name), file.text)));
    }
    files.retain(|(path, text)| std::fs::read_to_string(path).ok().as_ref() != Some(text));
    files
}

/// Every rule of every format.
fn rules() -> String {
    let mut out = String::from(
        "# Rules\n\n\
         What `meshspec check` looks for. Codes are stable. Strict reading refuses errors and fatal findings, lenient\n\
         reading only fatal ones: there, decoding would be guessing. The section is that of the format's\n\
         specification, the row that of the [interpretations](interpretations.md): how this project reads the\n\
         specification where it leaves a choice. The last column names what enforces the rule: the requirement that the\n\
         [declaration](schema/) of the format states, its structure (magic bytes, counts, packed blocks, the end of the\n\
         file, the grammar of a text), or code, with the reason why no declaration states it.\n\n\
         `meshspec check --explain CODE` shows a violating and a correct example of each rule. `--only`, `--ignore`, `--error`,\n\
         `--warn` and `--deny` [select rules and change their severity](cli.md#rules).\n",
    );
    for format in FormatId::ALL {
        let about = format.about();
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## {}\n\n", about.title);
        if let Some(Specification { title, project, url }) = about.specification {
            let _ = write!(out, "[{title}]({url}), from {project}.\n\n");
        }
        let _ = writeln!(out, "{}\n", summary(about.rules));
        out.push_str(&table((*format).into()));
    }
    out.push_str(
        "\n## Formats of one's own\n\n\
         What any declaration requires, where a format that is [declared elsewhere](extending.md) has no rules of its own.\n\n",
    );
    out + &table(AnyFormat::of::<Own>())
}

/// Any format of one's own.
struct Own;

impl Declared for Own {
    const ABOUT: &'static About = &About::new("own", "Own", || &[]);
}

/// The number of rules by what enforces them.
fn summary(rules: &[&Rule]) -> String {
    let count = |counts: fn(&Rule) -> bool| rules.iter().filter(|rule| counts(rule)).count();
    let declared = count(|rule| rule.enforced_by == Enforcement::Declaration);
    let structural = count(|rule| rule.enforced_by == Enforcement::Structure);
    let code = count(|rule| matches!(rule.enforced_by, Enforcement::Code(_)));
    format!("{} rules: {declared} declared, {structural} structural, {code} in code.", rules.len())
}

fn table(format: AnyFormat) -> String {
    let rows: String = format.about().rules.iter().map(|rule| row(format, rule) + "\n").collect();
    format!("| code | severity | rule | section | row | enforced by |\n|---|---|---|---|---|---|\n{rows}")
}

fn row(format: AnyFormat, rule: &Rule) -> String {
    let enforced_by = format.enforcement_of(rule);
    let code = format!("`{}`", rule.code);
    let cells = [&code, rule.severity.name(), rule.summary, rule.section, rule.row, &enforced_by];
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |", cells.join(" | ")).replace("|  |", "| |").replace("|  |", "| |")
}
