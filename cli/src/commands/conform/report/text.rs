//! Prints the report as text, for a terminal.

use std::io::{self, Write};

use super::{Report, location_text};
use crate::commands::conform::group::DisagreementGroup;
use crate::terminal::format_size;
use crate::terminal::{ERROR, Escaped, TITLE, counted};

pub fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for group in &report.groups {
        print_group(group, out)?;
    }
    writeln!(
        out,
        "{TITLE}{}{TITLE:#}: {}",
        Escaped(&report.index),
        report.summary()
    )
}

fn print_group(group: &DisagreementGroup, out: &mut dyn Write) -> io::Result<()> {
    let count = counted(group.count as u64, "file", "files");
    let label = Escaped(&group.label);
    writeln!(
        out,
        "{ERROR}{}{ERROR:#}: {TITLE}{label}{TITLE:#}, {count}: {}",
        group.problem,
        Escaped(group.message)
    )?;
    let mut line = |name: &str, text: &str| writeln!(out, "  {name:<10} {}", Escaped(text));
    if let Some(summary) = group.summary {
        line("rule", summary)?;
    }
    line(
        "smallest",
        &format!(
            "{}, {}",
            group.smallest.file,
            format_size(group.smallest.size)
        ),
    )?;
    line("", group.smallest.description)?;
    if let Some(location) = location_text(group) {
        line("at", &location)?;
    }
    if let Some(minimized) = &group.minimized {
        let runs = counted(minimized.runs as u64, "run", "runs");
        line(
            "minimized",
            &format!(
                "{}, {} after {runs}",
                minimized.file,
                format_size(minimized.size)
            ),
        )?;
    }
    if !group.stderr.is_empty() {
        line("stderr", group.stderr)?;
    }
    if let Some(check) = &group.check {
        line("check", check)?;
    }
    writeln!(out)
}
