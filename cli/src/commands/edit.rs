//! `meshspec edit`: changes values of a file and preserves all other bytes.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use meshspec::layout::assemble::{self, Change};
use meshspec::layout::tree::UntypedValue;
use meshspec::layout::walk::{self, Segment};
use meshspec::{Finding, Formats, Report, Strictness};

use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::name_of;
use crate::output;
use crate::path_resolver::PathResolver;
use crate::progress;
use crate::read_args::ReadArgs;
use crate::readable::Readable;
use crate::terminal::{Escaped, HINT, WARNING};
use crate::untyped_value;

/// Change values of a file by path, and preserve all other bytes.
///
/// First, values are set, then inserted, then removed, each in the order of the command line. Without --recount, only
/// the sizes of packed blocks are recomputed, so `--set header.vertex_count=7` alone breaks the file. PATH is a path as
/// printed by `dump`, or any unambiguous suffix. VALUE is a number, the name of an enum value, text, or a list or
/// struct as JSON.
#[derive(Debug, Args)]
pub struct Edit {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output. With --force, it may be IN.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Set an existing value.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Insert an item before the item with this path, or at the end of the list; or add a missing optional field.
    #[arg(long, value_name = "PATH=VALUE")]
    insert: Vec<String>,
    /// Remove an item of a list, or an optional field.
    #[arg(long, value_name = "PATH")]
    remove: Vec<String>,
    /// Recompute counts, sizes and offsets that no longer match.
    #[arg(long)]
    recount: bool,
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    read_args: ReadArgs,
}

/// The files that `edit` changes.
pub const READABLE: Readable = Readable {
    command: "edit",
    reads_format: |format| format.has_json(),
    reads_interchange: false,
    reads_json: false,
};

impl Edit {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_file(&self.input, || self.edit(formats))
    }

    fn edit(&self, formats: &Formats) -> Result<Status> {
        output::reject_existing(&self.output, self.force)?;
        let (bytes, encoding) = self.read_args.read(&self.input, READABLE, formats)?;
        let options = self.read_args.options(encoding, &bytes);
        let name = name_of(&self.input);
        let Encoding::Format(format) = encoding else {
            return Err(READABLE.failure(encoding, &self.input, formats));
        };
        let dialect = options.dialect.unwrap_or_default();
        let Some(layout) = format.values_of(&bytes, dialect) else {
            return Err(READABLE.failure(encoding, &self.input, formats));
        };
        let is_text = format.layout_of(&bytes, dialect).is_none();
        // A text contains no counts.
        let recount = self.recount || is_text;
        if is_text {
            let report = format.check(&bytes, &options);
            let report = report.map_err(|error| Failure::from_error(&name, &error))?;
            if let Some(finding) = report.first_rejected(Strictness::Lenient) {
                return Err(Failure::invalid(&name, finding));
            }
        }
        encoding.require_extension(&self.output, formats)?;
        let limits = &options.limits;
        let edits = self.parse_edits(&PathResolver {
            name: &name,
            layout,
            bytes: &bytes,
            limits,
        })?;
        let edited = assemble::edit(layout, &bytes, &edits, recount, limits)
            .map_err(|error| Failure::from_error(&name, &error))?;
        output::write(&self.output, self.force, |out| out.write_all(&edited))?;
        if let Some(fault) = walk::first_fault(layout, &edited, limits) {
            let was_broken = walk::first_fault(layout, &bytes, limits).is_some();
            let state = if was_broken {
                "still broken"
            } else {
                "broken now"
            };
            let hint =
                (!recount).then_some("--recount updates the values that depend on the changes");
            self.warn(&format!("the file is {state}: {fault}"), hint);
        } else if let (Ok(before), Ok(after)) = (
            format.check(&bytes, &options),
            format.check(&edited, &options),
        ) {
            self.warn_about_new_findings(&before, &after);
        }
        Ok(Status::Success)
    }

    fn parse_edits(&self, paths: &PathResolver) -> Result<Vec<assemble::Edit>> {
        let mut edits = Vec::new();
        for set in &self.set {
            let (path, value) = parse_assignment(set, paths)?;
            edits.push((
                resolve_after(path, paths, &edits, PathResolver::resolve)?,
                Change::Set(value),
            ));
        }
        for insert in &self.insert {
            let (path, value) = parse_assignment(insert, paths)?;
            edits.push((
                resolve_after(path, paths, &edits, PathResolver::resolve_new)?,
                Change::Insert(value),
            ));
        }
        for path in &self.remove {
            edits.push((
                resolve_after(path, paths, &edits, PathResolver::resolve)?,
                Change::Remove,
            ));
        }
        if edits.is_empty() {
            return Err(Failure::usage(
                paths.name,
                "nothing to change: specify a value with --set, --insert or --remove",
            ));
        }
        let edits = edits.into_iter();
        Ok(edits
            .map(|(path, change)| assemble::Edit {
                path: path.as_slice().into(),
                change,
            })
            .collect())
    }

    /// Warns about the first new finding of a rule that the output violates more often than the input.
    fn warn_about_new_findings(&self, before: &Report, after: &Report) {
        let is_new = |finding: &&Finding| {
            let (rule, path) = (finding.rule, &finding.path);
            after.count_of(rule.code) > before.count_of(rule.code)
                && !before
                    .findings()
                    .iter()
                    .any(|old| old.rule == rule && old.path == *path)
        };
        let mut new_findings = after.findings().iter().filter(is_new);
        if let Some(first) = new_findings.next() {
            let hint = new_findings.next().map(|_| "`meshspec check` lists more");
            self.warn(&format!("the file now violates a rule: {first}"), hint);
        }
    }

    /// Prints a warning about the output. Not an error, since the output may be invalid on purpose.
    fn warn(&self, message: &str, hint: Option<&str>) {
        let message = format!("{}: {message}", output::name_of(&self.output));
        let mut stderr = anstream::stderr().lock();
        // Ignores errors: standard error may be closed.
        let _ = writeln!(stderr, "{WARNING}warning{WARNING:#}: {}", Escaped(&message));
        if let Some(hint) = hint {
            let _ = writeln!(stderr, "{HINT}hint{HINT:#}: {hint}");
        }
    }
}

/// Returns the full path of a value after the earlier changes `before`. Path suffixes are resolved in the original
/// file, so a value inside anything that an earlier change replaced or moved requires its full path.
fn resolve_after<'f>(
    path: &str,
    paths: &PathResolver<'f>,
    before: &[(Vec<Segment>, Change)],
    resolve: fn(&PathResolver<'f>, &str) -> Result<Vec<Segment>>,
) -> Result<Vec<Segment>> {
    let changed = |(path, change): &'_ (Vec<Segment>, Change)| match (change, path.split_last()) {
        (Change::Set(UntypedValue::List(_) | UntypedValue::Struct(_)), _) => Some(path.clone()),
        (
            Change::Insert(_) | Change::Remove | Change::Repeat(_),
            Some((Segment::Index(_), list)),
        ) => Some(list.to_vec()),
        (Change::Insert(_) | Change::Remove | Change::Repeat(_), _) => Some(path.clone()),
        (Change::Set(_), _) => None,
    };
    let changed: Vec<_> = before.iter().filter_map(changed).collect();
    let full = walk::parse_path(paths.layout, path);
    if let Some(full) = full.filter(|full| changed.iter().any(|changed| full.starts_with(changed)))
    {
        return Ok(full);
    }
    let resolved = resolve(paths, path)?;
    match changed
        .iter()
        .find(|changed| resolved.len() > changed.len() && resolved.starts_with(changed))
    {
        Some(changed) => {
            let changed = walk::path_text(changed);
            let message =
                format!("`{path}` is inside `{changed}`, which an earlier change modifies");
            Err(Failure::usage(paths.name, message)
                .with_hint("give its full path after the earlier changes"))
        }
        None => Ok(resolved),
    }
}

/// Splits `PATH=VALUE`, and parses the value.
fn parse_assignment<'t>(text: &'t str, paths: &PathResolver) -> Result<(&'t str, UntypedValue)> {
    let Some((path, value)) = text.split_once('=') else {
        return Err(Failure::usage(
            paths.name,
            format!("`{text}` is not PATH=VALUE"),
        ));
    };
    let value = untyped_value::parse_option(value).map_err(|error| {
        Failure::usage(
            paths.name,
            format!("the value of `{path}` is not JSON: {error}"),
        )
    })?;
    Ok((path, value))
}
