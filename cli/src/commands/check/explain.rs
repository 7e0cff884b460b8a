//! `meshspec check --explain`: explains a rule with a violating and a correct example.

use std::collections::BTreeMap;
use std::io::{self, Write};

use meshspec::layout::declaration::Type;
use meshspec::layout::dump::Dump;
use meshspec::layout::schema::declared_rules;
use meshspec::layout::walk;
use meshspec::{
    Dialect, Finding, Formats, Interpretation, Limits, ReadOptions, Report, RuleExample,
    Specification,
};
use serde::Serialize;

use super::codes::{self, CheckedRule};
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::output;
use crate::output_format::OutputFormat;
use crate::pages;
use crate::printed_finding::{FindingPrinter, PrintedFinding};
use crate::terminal::{HINT, TITLE, counted};

/// Explains a rule or an interpretation, as text or JSON.
pub fn explain(code: &str, output_format: OutputFormat, formats: &Formats) -> Result<Status> {
    if let Some(interpretation) = Interpretation::find(&code.to_ascii_uppercase()) {
        return explain_interpretation(interpretation, output_format, formats);
    }
    let checked_rule = codes::find_rule("--explain", code, formats)?;
    if output_format == OutputFormat::Json {
        output::print_json(&RuleData::of(checked_rule))?;
        return Ok(Status::Success);
    }
    let mut out = anstream::stdout();
    print_rule(checked_rule, &mut out)?;
    let example = match checked_rule.encoding {
        Some(Encoding::Format(format)) => format.example_of(checked_rule.rule),
        Some(Encoding::Interchange(format)) => Some(format.rule_example()),
        _ => None,
    };
    match (checked_rule.encoding, example) {
        (Some(encoding), Some(example)) => ExamplePrinter {
            encoding,
            example: &example,
            limits: Limits::default(),
        }
        .print(&mut out)?,
        (None, _) => writeln!(
            out,
            "\nNo built-in format has this rule. Programs with custom formats show an example."
        )?,
        _ => writeln!(out, "\nThere is no example of this rule.")?,
    }
    Ok(Status::Success)
}

/// Lists all rules by format, as text or JSON.
pub fn list(output_format: OutputFormat, formats: &Formats) -> Result<Status> {
    if output_format == OutputFormat::Json {
        let rules: Vec<_> = codes::all_rules(formats).map(RuleData::of).collect();
        output::print_json(&rules)?;
        return Ok(Status::Success);
    }
    let mut out = anstream::stdout().lock();
    let mut format = None;
    for CheckedRule { rule, encoding } in codes::all_rules(formats) {
        let title = encoding.map_or(ANY_FORMAT, Encoding::title);
        if format != Some(title) {
            let gap = if format.is_some() { "\n" } else { "" };
            writeln!(out, "{gap}{TITLE}{title}{TITLE:#}:")?;
            format = Some(title);
        }
        writeln!(
            out,
            "  {:<28} {:<8} {}",
            rule.code,
            rule.severity.name(),
            rule.summary
        )?;
    }
    Ok(Status::Success)
}

/// The name for the formats of generic rules.
const ANY_FORMAT: &str = "any declared format";

/// Explains an interpretation, and lists the rules that cite it.
fn explain_interpretation(
    interpretation: Interpretation,
    output_format: OutputFormat,
    formats: &Formats,
) -> Result<Status> {
    let Interpretation {
        row,
        question,
        reading,
    } = interpretation;
    let citing: Vec<_> = codes::all_rules(formats)
        .map(|known| known.rule)
        .filter(|rule| rule.row.split(", ").any(|cited| cited == row))
        .collect();
    let rules: Vec<_> = citing.iter().map(|rule| rule.code).collect();
    if output_format == OutputFormat::Json {
        output::print_json(&InterpretationData {
            row,
            question,
            reading,
            rules,
        })?;
        return Ok(Status::Success);
    }
    let mut out = anstream::stdout().lock();
    writeln!(out, "{TITLE}{row}{TITLE:#}: {question}\n\n{reading}\n")?;
    if !rules.is_empty() {
        writeln!(out, "{:<16}{}", "Rules:", rules.join(", "))?;
    }
    writeln!(out, "{:<16}{}", "Page:", pages::INTERPRETATIONS)?;
    Ok(Status::Success)
}

/// A rule as JSON.
#[derive(Serialize)]
struct RuleData {
    code: &'static str,
    severity: &'static str,
    summary: &'static str,
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    section: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    specification: Option<Specification>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    interpretations: Vec<InterpretationData>,
    /// The mechanism that enforces the rule, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    enforced_by: Option<String>,
    /// The fields that declare the rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldData>,
}

#[derive(Serialize)]
struct InterpretationData {
    row: &'static str,
    question: &'static str,
    reading: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<&'static str>,
}

#[derive(Serialize)]
struct FieldData {
    field: String,
    /// The requirement in Markdown.
    requirement: String,
}

impl RuleData {
    fn of(CheckedRule { rule, encoding }: CheckedRule) -> RuleData {
        let format = if let Some(Encoding::Format(format)) = encoding {
            Some(format)
        } else {
            None
        };
        let interpretations = format
            .map(|format| format.interpretations_of(rule))
            .unwrap_or_default();
        let declared = format
            .map(|format| declared_rules(format.about().layouts()))
            .unwrap_or_default();
        RuleData {
            code: rule.code,
            severity: rule.severity.name(),
            summary: rule.summary,
            format: encoding.map(Encoding::name),
            section: rule.section,
            specification: format.and_then(|format| format.about().specification),
            interpretations: interpretations
                .into_iter()
                .map(
                    |Interpretation {
                         row,
                         question,
                         reading,
                     }| InterpretationData {
                        row,
                        question,
                        reading,
                        rules: Vec::new(),
                    },
                )
                .collect(),
            enforced_by: format.map(|format| format.enforcement_of(rule)),
            fields: declared
                .into_iter()
                .filter(|declared| declared.rule == rule)
                .map(|declared| FieldData {
                    field: declared.field,
                    requirement: declared.requirement,
                })
                .collect(),
        }
    }
}

fn print_rule(CheckedRule { rule, encoding }: CheckedRule, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{TITLE}{}{TITLE:#} ({}): {}\n",
        rule.code,
        rule.severity.name(),
        rule.summary
    )?;
    let mut print_row = |label: &str, text: &str| match text {
        "" => Ok(()),
        text => writeln!(out, "{:<16}{text}", format!("{label}:")),
    };
    print_row("Format", encoding.map_or(ANY_FORMAT, Encoding::title))?;
    print_row("Section", rule.section)?;
    let Some(Encoding::Format(format)) = encoding else {
        return Ok(());
    };
    if let Some(specification) = format.about().specification {
        print_row(
            "Specification",
            &format!("{}, {}", specification.title, specification.url),
        )?;
    }
    let interpretations = format.interpretations_of(rule);
    for interpretation in &interpretations {
        let (id, question, reading) = (
            interpretation.row,
            interpretation.question,
            interpretation.reading,
        );
        print_row("Interpretation", &format!("{id}. {question} {reading}"))?;
    }
    if interpretations.is_empty() {
        print_row("Interpretation", rule.row)?;
    }
    print_row("Enforced by", &format.enforcement_of(rule))
}

/// Prints the files of an example with their findings.
struct ExamplePrinter<'e> {
    encoding: Encoding,
    example: &'e RuleExample,
    limits: Limits,
}

impl ExamplePrinter<'_> {
    fn print(&self, out: &mut impl Write) -> Result<()> {
        let RuleExample {
            violating, correct, ..
        } = self.example;
        let report = self.check(violating)?;
        writeln!(
            out,
            "\n{TITLE}Violating example{TITLE:#}, {}:\n",
            self.describe_size(violating)
        )?;
        let mut printer = FindingPrinter::new(self.layout(violating), violating, &self.limits);
        for finding in report.findings() {
            printer.print(&PrintedFinding::of_finding(finding), out)?;
        }
        let Some(finding) = report.findings().first() else {
            return Ok(());
        };
        self.print_value(violating, finding, out)?;
        writeln!(
            out,
            "{TITLE}Correct example{TITLE:#}, {}:\n",
            self.describe_size(correct)
        )?;
        let layout = self.layout(correct);
        let location =
            layout.and_then(|layout| walk::find(layout, correct, &finding.path, &self.limits));
        if let Some(span) = location.as_ref().or(finding.span.as_ref()) {
            FindingPrinter::new(layout, correct, &self.limits).print_excerpt(span, HINT, out)?;
            writeln!(out)?;
        }
        self.print_value(correct, finding, out)
    }

    fn check(&self, file: &[u8]) -> Result<Report> {
        let options = ReadOptions::default().with_dialect(self.example.dialect);
        let report = match self.encoding {
            Encoding::Format(format) => format.check(file, &options),
            Encoding::Interchange(format) => format.check(file, &NO_FILES, &options),
            Encoding::Json => return Ok(Report::default()),
        };
        report.map_err(|error| Failure::from_error("example", &error))
    }

    fn layout(&self, file: &[u8]) -> Option<&'static Type> {
        match self.encoding {
            Encoding::Format(format) => format.layout_of(file, self.example.dialect),
            _ => None,
        }
    }

    /// Describes the size of a file, and its dialect unless that is the dialect of the specification.
    fn describe_size(&self, file: &[u8]) -> String {
        let size = counted(file.len() as u64, "byte", "bytes");
        match self.example.dialect {
            Dialect::SPEC => size,
            dialect => format!("{size}, {dialect} dialect"),
        }
    }

    /// Prints the dump of the value that a finding is about.
    fn print_value(&self, file: &[u8], finding: &Finding, out: &mut impl Write) -> Result<()> {
        if let (Some(layout), Some(path @ [_, ..])) = (self.layout(file), finding.path.segments()) {
            let mut dump = Vec::new();
            Dump::new(layout, file)
                .with_path(path.to_vec())
                .write_text(&mut dump, true)?;
            if !dump.is_empty() {
                out.write_all(&dump)?;
                writeln!(out)?;
            }
        }
        Ok(())
    }
}

/// The companion files of an example: none.
static NO_FILES: BTreeMap<String, Vec<u8>> = BTreeMap::new();
