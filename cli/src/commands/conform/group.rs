//! Groups the disagreements of a loader by rule, each with its smallest file.

use std::collections::BTreeMap;

use meshspec::Formats;
use meshspec::conformance::corpus::Verdict;
use serde::Serialize;

use super::corpus::Case;
use super::disagreement::{Disagreement, Problem};
use super::loader_test::TestResult;

/// A file of the corpus and the result of the loader.
#[derive(Debug)]
pub struct Outcome<'a> {
    pub case: &'a Case,
    pub expected: Verdict,
    pub result: TestResult,
}

impl Outcome<'_> {
    /// Counts missing contents as wrong.
    pub fn require_contents(&mut self) {
        if let Some(missing) = self.result.printed.as_ref().and_then(Disagreement::no_contents) {
            self.result.disagreement = Some(missing);
        }
    }

    /// Returns the kind of the disagreement.
    pub fn problem(&self) -> Option<Problem> {
        self.result.disagreement.as_ref().map(|disagreement| disagreement.problem)
    }
}

/// Disagreements that are likely one bug.
#[derive(Debug, Serialize)]
pub struct Group<'a> {
    pub problem: Problem,
    /// The rule, or the kind of its files.
    pub label: String,
    pub rule: Option<&'a str>,
    /// The summary of the rule.
    pub summary: Option<&'static str>,
    pub expected: Verdict,
    /// The disagreement about the smallest file.
    pub message: &'a str,
    /// A line of the loader's standard error for that file.
    pub stderr: &'a str,
    pub smallest: File<'a>,
    /// A variant of the smallest file.
    pub minimized: Option<Minimized>,
    /// The `check` command for the smallest of these files.
    pub check: Option<String>,
    pub count: usize,
    /// All files, smallest first.
    pub files: Vec<String>,
    /// The name of the minimized file, without extension.
    #[serde(skip)]
    pub stem: String,
    #[serde(skip)]
    pub first: &'a Outcome<'a>,
    #[serde(skip)]
    pub disagreement: &'a Disagreement,
}

/// A file of the corpus.
#[derive(Debug, Serialize)]
pub struct File<'a> {
    pub file: String,
    pub size: u64,
    pub description: &'a str,
    pub path: Option<&'a str>,
    pub bytes: Option<[u64; 2]>,
}

/// A smaller file with the same disagreement.
#[derive(Debug, Serialize)]
pub struct Minimized {
    pub file: String,
    pub size: u64,
    /// The number of loader runs to find it.
    pub runs: usize,
}

/// Groups the disagreements of a loader: crashes first, then by rule.
pub fn by_rule<'a>(outcomes: &'a [Outcome<'a>], formats: &Formats) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<_, Vec<(&Outcome, &Disagreement)>> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(disagreement) = &outcome.result.disagreement {
            let key = (disagreement.problem, label(outcome.case), &*disagreement.subject);
            groups.entry(key).or_default().push((outcome, disagreement));
        }
    }
    let groups = groups.into_iter().filter_map(|((_, label, _), mut files)| {
        files.sort_by_key(|(outcome, _)| outcome.case.size);
        group(label, &files, formats)
    });
    let mut groups: Vec<Group> = groups.collect();
    number_stems(&mut groups);
    groups
}

/// Appends a number to each stem that an earlier group has, ignoring case.
fn number_stems(groups: &mut [Group]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for group in groups {
        let count = counts.entry(group.stem.to_ascii_lowercase()).or_default();
        *count += 1;
        if *count > 1 {
            // Stems never contain `--`.
            group.stem.push_str(&format!("--{count}"));
        }
    }
}

fn group<'a>(
    label: String,
    files: &[(&'a Outcome<'a>, &'a Disagreement)],
    formats: &Formats,
) -> Option<Group<'a>> {
    let (first, disagreement) = *files.first()?;
    let entry = &first.case.entry;
    let format = formats.get(&entry.format).ok();
    let rule = first.case.rule();
    let declared = rule.and_then(|code| format?.about().rule(code));
    let stem = stem(&format!("{label} {} {}", disagreement.problem, disagreement.subject));
    Some(Group {
        problem: disagreement.problem,
        label,
        rule,
        summary: declared.map(|rule| rule.summary),
        expected: first.expected,
        message: &disagreement.message,
        stderr: &first.result.stderr,
        smallest: File {
            file: first.case.file.display().to_string(),
            size: first.case.size,
            description: &entry.description,
            // Without a rule, path and bytes would be those of a warning.
            path: rule.and(entry.path.as_deref()),
            bytes: rule.and(entry.bytes),
        },
        minimized: None,
        check: None,
        count: files.len(),
        files: files.iter().map(|(outcome, _)| outcome.case.file.display().to_string()).collect(),
        stem,
        first,
        disagreement,
    })
}

/// Returns the rule that a file tests, or its kind.
fn label(case: &Case) -> String {
    let entry = &case.entry;
    match case.rule() {
        Some(rule) => rule.to_owned(),
        None => format!("{} {} files", entry.kind.name(), entry.format),
    }
}

/// Builds a file name from the words of a text, short enough for every file system.
fn stem(text: &str) -> String {
    let words: Vec<_> = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let mut stem = words.join("-");
    stem.truncate(MAX_STEM);
    stem.truncate(stem.trim_end_matches('-').len());
    stem
}

/// The maximum number of characters of a file name without number and extension.
const MAX_STEM: usize = 120;

/// Returns the `check` command for a shell; `None` if this program does not support the format.
pub fn check_command(group: &Group, is_lenient: bool, formats: &Formats) -> Option<String> {
    let entry = &group.first.case.entry;
    let format = formats.get(&entry.format).ok()?;
    let file = group.minimized.as_ref().map_or(&group.smallest.file, |minimized| &minimized.file);
    let lenient = if is_lenient { " --lenient" } else { "" };
    let (format, dialect) = (format.name(), entry.dialect);
    Some(format!("meshspec check --from {format} --dialect {dialect}{lenient} {}", quoted(file)))
}

/// Quotes an argument for a shell, if needed.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=:,./@".contains(c);
    match argument.chars().all(is_plain) && !argument.starts_with('-') {
        true => argument.to_owned(),
        false if argument.starts_with('-') => quoted(&format!("./{argument}")),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}
