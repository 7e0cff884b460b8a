//! Groups the disagreements of a loader by rule, and finds the smallest file of each group.

use std::collections::BTreeMap;

use meshspec::Formats;
use meshspec::conformance::corpus::Verdict;
use serde::Serialize;

use super::corpus::CorpusFile;
use super::disagreement::{Disagreement, DisagreementKind};
use super::loader_test::TestResult;
use crate::input::text_of;
use crate::shell::shell_quoted;

/// The loader's result for one file of the corpus.
#[derive(Debug)]
pub struct LoaderOutcome<'a> {
    pub case: &'a CorpusFile,
    pub expected: Verdict,
    pub result: TestResult,
}

impl LoaderOutcome<'_> {
    /// Records missing contents as a disagreement.
    pub fn require_contents(&mut self) {
        if let Some(missing) = self
            .result
            .printed
            .as_ref()
            .and_then(Disagreement::missing_contents)
        {
            self.result.disagreement = Some(missing);
        }
    }

    /// Returns the kind of the disagreement; `None` if the loader agrees.
    pub fn disagreement_kind(&self) -> Option<DisagreementKind> {
        self.result
            .disagreement
            .as_ref()
            .map(|disagreement| disagreement.kind)
    }
}

/// Disagreements that are probably caused by the same bug.
#[derive(Debug, Serialize)]
pub struct DisagreementGroup<'a> {
    pub problem: DisagreementKind,
    /// The code of the rule; without a rule, the kind and format of the files.
    pub label: String,
    pub rule: Option<&'a str>,
    pub summary: Option<&'static str>,
    pub expected: Verdict,
    /// The disagreement about the smallest file.
    pub message: &'a str,
    /// The most informative line of the loader's standard error for the smallest file.
    pub stderr: &'a str,
    pub smallest: SmallestFile<'a>,
    /// The minimised variant of the smallest file, if any.
    pub minimized: Option<MinimizedFile>,
    /// The `meshspec check` command for the minimised file or, without one, the smallest file.
    pub check: Option<String>,
    pub count: usize,
    /// All files, smallest first.
    pub files: Vec<String>,
    /// The name for the minimised file, without extension.
    #[serde(skip)]
    pub stem: String,
    #[serde(skip)]
    pub first: &'a LoaderOutcome<'a>,
    #[serde(skip)]
    pub disagreement: &'a Disagreement,
}

#[derive(Debug, Serialize)]
pub struct SmallestFile<'a> {
    pub file: String,
    pub size: u64,
    pub description: &'a str,
    pub path: Option<&'a str>,
    pub bytes: Option<[u64; 2]>,
}

/// A variant of the smallest file that causes the same disagreement, with fewer bytes or more zeros.
#[derive(Debug, Serialize)]
pub struct MinimizedFile {
    pub file: String,
    pub size: u64,
    /// The number of loader runs to find the file.
    pub runs: usize,
}

/// Groups the disagreements of a loader: first by kind, then by rule and subject.
pub fn group_by_rule<'a>(
    outcomes: &'a [LoaderOutcome<'a>],
    formats: &Formats,
) -> Vec<DisagreementGroup<'a>> {
    let mut groups: BTreeMap<_, Vec<(&LoaderOutcome, &Disagreement)>> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(disagreement) = &outcome.result.disagreement {
            let key = (
                disagreement.kind,
                label_of(outcome.case),
                &*disagreement.subject,
            );
            groups.entry(key).or_default().push((outcome, disagreement));
        }
    }
    let groups = groups.into_iter().filter_map(|((_, label, _), mut files)| {
        files.sort_by_key(|(outcome, _)| outcome.case.size);
        new_group(label, &files, formats)
    });
    let mut groups: Vec<DisagreementGroup> = groups.collect();
    number_stems(&mut groups);
    groups
}

/// Appends a number to each stem that is equal to the stem of an earlier group, ignoring case.
fn number_stems(groups: &mut [DisagreementGroup]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for group in groups {
        let count = counts.entry(group.stem.to_ascii_lowercase()).or_default();
        *count += 1;
        if *count > 1 {
            // `--` occurs in no other stem.
            group.stem.push_str(&format!("--{count}"));
        }
    }
}

fn new_group<'a>(
    label: String,
    files: &[(&'a LoaderOutcome<'a>, &'a Disagreement)],
    formats: &Formats,
) -> Option<DisagreementGroup<'a>> {
    let (first, disagreement) = *files.first()?;
    let entry = &first.case.entry;
    let format = formats.get(&entry.format).ok();
    let rule = first.case.rule();
    let declared = rule.and_then(|code| format?.about().rule(code));
    let stem = file_stem(&format!(
        "{label} {} {}",
        disagreement.kind, disagreement.subject
    ));
    Some(DisagreementGroup {
        problem: disagreement.kind,
        label,
        rule,
        summary: declared.map(|rule| rule.summary),
        expected: first.expected,
        message: &disagreement.message,
        stderr: &first.result.stderr,
        smallest: SmallestFile {
            file: text_of(&first.case.file),
            size: first.case.size,
            description: &entry.description,
            // Without a rule, the path and bytes would be the location of a warning.
            path: rule.and(entry.path.as_deref()),
            bytes: rule.and(entry.bytes),
        },
        minimized: None,
        check: None,
        count: files.len(),
        files: files
            .iter()
            .map(|(outcome, _)| text_of(&outcome.case.file))
            .collect(),
        stem,
        first,
        disagreement,
    })
}

/// Returns the code of the rule that a file tests; without a rule, the kind and format of the file.
fn label_of(case: &CorpusFile) -> String {
    let entry = &case.entry;
    match case.rule() {
        Some(rule) => rule.to_owned(),
        None => format!("{} {} files", entry.kind.name(), entry.format),
    }
}

/// Returns a file name made of the words in `text`, truncated to [`MAX_STEM_LEN`] characters.
fn file_stem(text: &str) -> String {
    let words: Vec<_> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    let mut stem = words.join("-");
    stem.truncate(MAX_STEM_LEN);
    stem.truncate(stem.trim_end_matches('-').len());
    stem
}

/// The maximum length of a file name without number and extension, in characters.
const MAX_STEM_LEN: usize = 120;

/// Returns the `meshspec check` command for the file of a group, quoted for a shell; `None` if the format is unknown.
pub fn check_command(
    group: &DisagreementGroup,
    is_lenient: bool,
    formats: &Formats,
) -> Option<String> {
    let entry = &group.first.case.entry;
    let format = formats.get(&entry.format).ok()?;
    let file = group
        .minimized
        .as_ref()
        .map_or(&group.smallest.file, |minimized| &minimized.file);
    let lenient = if is_lenient { " --lenient" } else { "" };
    let (format, dialect) = (format.name(), entry.dialect);
    Some(format!(
        "meshspec check --from {format} --dialect {dialect}{lenient} {}",
        shell_quoted(file)
    ))
}
