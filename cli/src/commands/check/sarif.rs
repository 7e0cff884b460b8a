//! Writes results as SARIF 2.1.0, for code scanning.

use std::borrow::Cow;
use std::path::Path;

use meshspec::{Finding, Rule, Severity, Span};
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use serde::Serialize;

use super::checked::CheckResult;

/// The characters in paths that are percent-encoded in URIs.
const PERCENT_ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':');

/// A SARIF log with one run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor>,
}

/// The description of a rule with findings.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    default_configuration: Configuration,
    properties: RuleProperties,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct RuleProperties {
    severity: Severity,
    #[serde(skip_serializing_if = "str::is_empty")]
    section: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    interpretation: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

/// A message about a file that is not a finding, such as a read error.
#[derive(Serialize)]
pub struct Notification {
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct Message {
    text: Cow<'static, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SarifResult {
    rule_id: &'static str,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(skip)]
    rule: &'static Rule,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

/// The byte range of a finding; for a value in a packed block, the range of the block.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    byte_offset: u64,
    byte_length: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    text: Option<TextRegion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<RegionProperties>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextRegion {
    start_line: u64,
    start_column: u64,
    end_column: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RegionProperties {
    unpacked_offset: u64,
    unpacked_length: u64,
}

/// The path of the field that a finding is about.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
}

/// The results and notifications for one file.
#[derive(Default)]
pub struct FileResults {
    results: Vec<SarifResult>,
    notifications: Vec<Notification>,
    is_read: bool,
}

impl FileResults {
    pub fn of(checked: &CheckResult) -> FileResults {
        let (file, report) = (Path::new(&checked.file), &checked.report);
        let results = report
            .findings()
            .iter()
            .map(|finding| sarif_result(file, finding, &checked.bytes));
        let notifications = report.suppressed().map(|(code, count)| {
            notification(
                "note",
                format!("{count} more findings of {code} are not listed"),
                file,
            )
        });
        FileResults {
            results: results.collect(),
            notifications: notifications.collect(),
            is_read: true,
        }
    }

    /// Returns the results for a file that cannot be read: a notification.
    pub fn failed(file: &Path, message: &str) -> FileResults {
        let notifications = vec![notification("error", message.to_owned(), file)];
        FileResults {
            notifications,
            ..FileResults::default()
        }
    }
}

impl SarifLog {
    pub fn new() -> SarifLog {
        let driver = Driver {
            name: "meshspec",
            semantic_version: env!("CARGO_PKG_VERSION"),
            information_uri: env!("CARGO_PKG_REPOSITORY"),
            rules: Vec::new(),
        };
        let invocation = Invocation {
            execution_successful: true,
            tool_execution_notifications: Vec::new(),
        };
        SarifLog {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [Run {
                tool: Tool { driver },
                invocations: [invocation],
                column_kind: "unicodeCodePoints",
                results: Vec::new(),
            }],
        }
    }

    /// Adds the results of a file, and the descriptions of their rules.
    pub fn add(&mut self, file: FileResults) {
        let [
            Run {
                tool: Tool { driver },
                invocations: [invocation],
                results,
                ..
            },
        ] = &mut self.runs;
        for rule in file.results.iter().map(|result| result.rule) {
            if driver.rules.iter().all(|known| known.id != rule.code) {
                driver.rules.push(descriptor(rule));
            }
        }
        results.extend(file.results);
        invocation.execution_successful &= file.is_read;
        invocation
            .tool_execution_notifications
            .extend(file.notifications);
    }
}

fn descriptor(rule: &'static Rule) -> Descriptor {
    Descriptor {
        id: rule.code,
        short_description: Message {
            text: rule.summary.into(),
        },
        default_configuration: Configuration {
            level: rule.severity.label(),
        },
        properties: RuleProperties {
            severity: rule.severity,
            section: rule.section,
            interpretation: rule.row,
        },
    }
}

fn sarif_result(file: &Path, finding: &Finding, bytes: &[u8]) -> SarifResult {
    let Finding {
        rule,
        path,
        span,
        message,
        ..
    } = finding;
    let mut location = location(file);
    location.physical_location.region = span.as_ref().map(|span| region(span, bytes));
    if !path.is_empty() {
        location.logical_locations.push(LogicalLocation {
            fully_qualified_name: path.to_string(),
        });
    }
    SarifResult {
        rule_id: rule.code,
        level: rule.severity.label(),
        message: Message {
            text: message.clone().into(),
        },
        locations: [location],
        rule,
    }
}

fn notification(level: &'static str, text: String, file: &Path) -> Notification {
    Notification {
        level,
        message: Message { text: text.into() },
        locations: [location(file)],
    }
}

fn location(file: &Path) -> Location {
    let artifact_location = ArtifactLocation { uri: uri(file) };
    Location {
        physical_location: PhysicalLocation {
            artifact_location,
            region: None,
        },
        logical_locations: Vec::new(),
    }
}

/// Converts a path to a URI; relative paths become relative URIs.
fn uri(path: &Path) -> String {
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    if cfg!(windows) {
        bytes
            .iter_mut()
            .filter(|byte| **byte == b'\\')
            .for_each(|byte| *byte = b'/');
    }
    let encoded = percent_encode(&bytes, PERCENT_ENCODED);
    match (path.is_absolute(), bytes.starts_with(b"/")) {
        (true, true) => format!("file://{encoded}"),
        (true, false) => format!("file:///{encoded}"),
        (false, _) => encoded.to_string(),
    }
}

fn region(span: &Span, bytes: &[u8]) -> Region {
    let (range, packed) = (
        span.range(),
        if let Span::Unpacked { packed, .. } = span {
            Some(packed)
        } else {
            None
        },
    );
    let bytes_range = packed.unwrap_or(range);
    let text = match span {
        Span::Text { line, column, .. } => {
            let marked = bytes
                .get(range.start as usize..range.end as usize)
                .unwrap_or_default();
            let characters = String::from_utf8_lossy(marked).chars().count() as u64;
            Some(TextRegion {
                start_line: *line,
                start_column: *column,
                end_column: column + characters,
            })
        }
        _ => None,
    };
    Region {
        byte_offset: bytes_range.start,
        byte_length: bytes_range.end.saturating_sub(bytes_range.start),
        text,
        properties: packed.map(|_| RegionProperties {
            unpacked_offset: range.start,
            unpacked_length: range.end.saturating_sub(range.start),
        }),
    }
}
