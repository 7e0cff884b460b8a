//! Writes JUnit XML.

use std::io::{self, Write};

use quick_junit::Report;

use crate::terminal::Escaped;

/// Writes a report as XML.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let xml = report.to_string().map_err(io::Error::other)?;
    out.write_all(xml.as_bytes())
}

/// Escapes the control characters of untrusted text, except for line feeds.
pub fn escaped(text: &str) -> String {
    let lines: Vec<_> = text
        .split('\n')
        .map(|line| Escaped(line).to_string())
        .collect();
    lines.join("\n")
}
