//! The report as Markdown, for a pull request or a wiki.

use std::io::{self, Write};

use super::{Report, bytes, place};
use crate::commands::conform::group::Group;
use crate::terminal::steers;

pub fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Conformance of {}\n", code(&report.command.join(" ")))?;
    let reading = if report.lenient { "lenient" } else { "strict" };
    writeln!(out, "{}: verdicts of {reading} reading, {}.", code(&report.index), report.summary())?;
    if report.groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| problem | rule | files | what happens | file |")?;
    writeln!(out, "|---|---|---|---|---|")?;
    report.groups.iter().try_for_each(|group| print_row(group, out))
}

fn print_row(group: &Group, out: &mut dyn Write) -> io::Result<()> {
    let mut what = cell(group.message);
    what.push_str(&format!("<br>{}", cell(group.smallest.description)));
    if let Some(place) = place(group) {
        what.push_str(&format!("<br>at {}", code(&place)));
    }
    if !group.stderr.is_empty() {
        what.push_str(&format!("<br>{}", code(group.stderr)));
    }
    let (file, size) = match &group.minimized {
        Some(minimized) => (&minimized.file, minimized.size),
        None => (&group.smallest.file, group.smallest.size),
    };
    writeln!(
        out,
        "| {} | {} | {} | {what} | {}, {} |",
        group.problem,
        cell(&group.label),
        group.count,
        code(file),
        bytes(size)
    )
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.chars() {
        match c {
            '<' => cell.push_str("&lt;"),
            '&' => cell.push_str("&amp;"),
            c if steers(c) => cell.push(' '),
            c if c.is_ascii_punctuation() && "\\|`*_[]".contains(c) => cell.extend(['\\', c]),
            c => cell.push(c),
        }
    }
    cell
}

/// Formats text as code, also in a table cell.
fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if steers(c) || c == '`' { ' ' } else { c }).collect();
    format!("`{}`", text.replace('|', "\\|"))
}
