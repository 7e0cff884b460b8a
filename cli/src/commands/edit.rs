//! `meshspec edit`: changes values of a file and preserves all other bytes.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use meshspec::layout::assemble::{self, Change, Part};
use meshspec::layout::walk::{self, Segment};
use meshspec::{AnyFormat, Finding, Formats, Report};

use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, name_of};
use crate::output;
use crate::part;
use crate::progress;
use crate::reading::Reading;
use crate::selection::Paths;
use crate::terminal::{Escaped, HINT, WARNING};

/// Change values of a file by path, and preserve all other bytes.
///
/// Values are first set, then inserted, then removed, each in the order of the command line. Without --recount, only the
/// sizes of packed blocks are recomputed: `--set header.vertex_count=7` alone breaks the file. PATH is a path as printed by
/// `dump`, or any unambiguous suffix. VALUE is a number, the name of an enum value, text, or a list or struct as JSON.
#[derive(Debug, Args)]
pub struct Edit {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output. With --force it may be IN.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Set an existing value.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Insert an item before the one with this path or at the end of its list, or add a missing field.
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
    reading: Reading,
}

impl Edit {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_file(&self.input, || self.edit(formats))
    }

    fn edit(&self, formats: &Formats) -> Result<Status> {
        output::reject_existing(&self.output, self.force)?;
        let bytes = input::read(&self.input)?;
        let encoding = self.reading.encoding_of(&bytes, &self.input, formats)?;
        let options = self.reading.options(encoding, &bytes);
        let place = name_of(&self.input);
        let format = if let Encoding::Format(format) = encoding { Some(format) } else { None };
        let layout_of = |format: AnyFormat| format.layout_of(&bytes, options.dialect.unwrap_or_default());
        let (Some(format), Some(layout)) = (format, format.and_then(layout_of)) else {
            let with_layout = formats.iter().filter(|format| !format.about().layouts().is_empty());
            let names: Vec<_> = with_layout.map(|format| format.name()).collect();
            let message = format!("edit changes {} only, not {encoding}", names.join(", "));
            return Err(Failure::usage(&place, message));
        };
        let limits = &options.limits;
        let edits = self.edits(&Paths { place: &place, layout, bytes: &bytes, limits })?;
        let edited = assemble::edit(layout, &bytes, &edits, self.recount, limits)
            .map_err(|error| Failure::of(&place, &error))?;
        output::write(&self.output, self.force, |out| out.write_all(&edited))?;
        if let Some(fault) = walk::first_fault(layout, &edited, limits) {
            let was_broken = walk::first_fault(layout, &bytes, limits).is_some();
            let state = if was_broken { "still broken" } else { "broken now" };
            let hint = (!self.recount).then_some("--recount updates the values that depend on the changes");
            self.warn(&format!("the file is {state}: {fault}"), hint);
        } else if let (Ok(before), Ok(after)) =
            (format.check(&bytes, &options), format.check(&edited, &options))
        {
            self.compare(&before, &after);
        }
        Ok(Status::Fine)
    }

    fn edits(&self, paths: &Paths) -> Result<Vec<assemble::Edit>> {
        let mut edits = Vec::new();
        for set in &self.set {
            let (path, value) = split(set, paths)?;
            edits.push((select(path, paths, &edits, Paths::select)?, Change::Set(value)));
        }
        for insert in &self.insert {
            let (path, value) = split(insert, paths)?;
            edits.push((select(path, paths, &edits, Paths::select_place)?, Change::Insert(value)));
        }
        for path in &self.remove {
            edits.push((select(path, paths, &edits, Paths::select)?, Change::Remove));
        }
        if edits.is_empty() {
            return Err(Failure::usage(
                paths.place,
                "nothing to change: name a value with --set, --insert or --remove",
            ));
        }
        let edits = edits.into_iter();
        Ok(edits.map(|(path, change)| assemble::Edit { path: path.as_slice().into(), change }).collect())
    }

    /// Warns about a rule that the output violates more often than the input.
    fn compare(&self, before: &Report, after: &Report) {
        let is_new = |finding: &&Finding| {
            let (rule, path) = (finding.rule, &finding.path);
            after.count_of(rule.code) > before.count_of(rule.code)
                && !before.findings().iter().any(|old| old.rule == rule && old.path == *path)
        };
        let mut new = after.findings().iter().filter(is_new);
        if let Some(first) = new.next() {
            let hint = new.next().map(|_| "`meshspec check` lists more");
            self.warn(&format!("the file violates a rule now: {first}"), hint);
        }
    }

    /// Warns about the output, which may be invalid on purpose.
    fn warn(&self, message: &str, hint: Option<&str>) {
        let message = format!("{}: {message}", output::name_of(&self.output));
        let mut stderr = anstream::stderr().lock();
        // Ignores a closed standard error.
        let _ = writeln!(stderr, "{WARNING}warning{WARNING:#}: {}", Escaped(&message));
        if let Some(hint) = hint {
            let _ = writeln!(stderr, "{HINT}hint{HINT:#}: {hint}");
        }
    }
}

/// Returns the full path of a value after the previous changes. Path suffixes are resolved in the original file, so inside
/// anything replaced or moved by an earlier change, the full path is required.
fn select<'f>(
    path: &str,
    paths: &Paths<'f>,
    before: &[(Vec<Segment>, Change)],
    select: fn(&Paths<'f>, &str) -> Result<Vec<Segment>>,
) -> Result<Vec<Segment>> {
    let changed = |(path, change): &'_ (Vec<Segment>, Change)| match (change, path.split_last()) {
        (Change::Set(Part::List(_) | Part::Struct(_)), _) => Some(path.clone()),
        (Change::Insert(_) | Change::Remove | Change::Repeat(_), Some((Segment::Index(_), list))) => {
            Some(list.to_vec())
        }
        (Change::Insert(_) | Change::Remove | Change::Repeat(_), _) => Some(path.clone()),
        (Change::Set(_), _) => None,
    };
    let changed: Vec<_> = before.iter().filter_map(changed).collect();
    let whole = walk::parse_path(paths.layout, path);
    if let Some(whole) = whole.filter(|whole| changed.iter().any(|changed| whole.starts_with(changed))) {
        return Ok(whole);
    }
    let found = select(paths, path)?;
    match changed.iter().find(|changed| found.len() > changed.len() && found.starts_with(changed)) {
        Some(changed) => {
            let changed = walk::path_text(changed);
            let message = format!("`{path}` lies in `{changed}`, which an earlier change modifies");
            Err(Failure::usage(paths.place, message)
                .with_hint("give its full path, as it is after the earlier changes"))
        }
        None => Ok(found),
    }
}

/// Splits `PATH=VALUE`.
fn split<'t>(text: &'t str, paths: &Paths) -> Result<(&'t str, Part)> {
    let Some((path, value)) = text.split_once('=') else {
        return Err(Failure::usage(paths.place, format!("`{text}` is not PATH=VALUE")));
    };
    let value = part::of_option(value).map_err(|error| {
        Failure::usage(paths.place, format!("the value of `{path}` is not JSON: {error}"))
    })?;
    Ok((path, value))
}
