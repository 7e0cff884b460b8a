//! Prints the report as Markdown, for a pull request or a wiki.

use std::io::{self, Write};

use super::{Report, location_text};
use crate::commands::conform::group::DisagreementGroup;
use crate::terminal::{format_size, is_terminal_control};

pub fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Conformance of {}\n",
        format_code(&report.command.join(" "))
    )?;
    let reading = if report.lenient { "lenient" } else { "strict" };
    writeln!(
        out,
        "{}: verdicts of {reading} reading, {}.",
        format_code(&report.index),
        report.summary()
    )?;
    if report.groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| problem | rule | files | what happens | file |")?;
    writeln!(out, "|---|---|---|---|---|")?;
    report
        .groups
        .iter()
        .try_for_each(|group| print_row(group, out))
}

fn print_row(group: &DisagreementGroup, out: &mut dyn Write) -> io::Result<()> {
    let mut details = escape_cell(group.message);
    details.push_str(&format!("<br>{}", escape_cell(group.smallest.description)));
    if let Some(location) = location_text(group) {
        details.push_str(&format!("<br>at {}", format_code(&location)));
    }
    if !group.stderr.is_empty() {
        details.push_str(&format!("<br>{}", format_code(group.stderr)));
    }
    let (file, size) = match &group.minimized {
        Some(minimized) => (&minimized.file, minimized.size),
        None => (&group.smallest.file, group.smallest.size),
    };
    writeln!(
        out,
        "| {} | {} | {} | {details} | {}, {} |",
        group.problem,
        escape_cell(&group.label),
        group.count,
        format_code(file),
        format_size(size)
    )
}

/// Escapes text for a table cell.
fn escape_cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.chars() {
        match c {
            '<' => cell.push_str("&lt;"),
            '&' => cell.push_str("&amp;"),
            c if is_terminal_control(c) => cell.push(' '),
            c if c.is_ascii_punctuation() && "\\|`*_[]".contains(c) => cell.extend(['\\', c]),
            c => cell.push(c),
        }
    }
    cell
}

/// Formats text as inline code, escaped for a table cell.
fn format_code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| {
            if is_terminal_control(c) || c == '`' {
                ' '
            } else {
                c
            }
        })
        .collect();
    format!("`{}`", text.replace('|', "\\|"))
}
