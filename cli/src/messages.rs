//! Prints notes, warnings and losses to standard error: all, up to a screen, or none.

use std::collections::HashMap;
use std::io::Write;

use clap::Args;
use meshspec::{Loss, LossGroup};

use crate::terminal::{Escaped, HINT, WARNING, counted};

/// The maximum number of lines without `--verbose`.
pub const SCREEN: usize = 20;

/// The verbosity of messages.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Verbosity {
    /// List everything individually instead of grouped, counted or omitted.
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print only errors and losses.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The messages of all conversions. Equal messages are merged and counted.
#[derive(Debug, Default)]
pub struct Messages {
    notes: Vec<(Note, usize)>,
    /// The warnings, each with its file.
    warnings: Vec<String>,
    losses: Vec<FileLosses>,
    /// The index of each pattern of losses in the list.
    places: HashMap<String, usize>,
}

/// A message about a conversion other than a warning or loss, such as `assumed: ...` or `moved: ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub label: &'static str,
    pub text: String,
}

/// Losses of one group in one or several files.
#[derive(Debug)]
struct FileLosses {
    group: LossGroup,
    /// The number of files with such losses; `None` for a single input file.
    files: Option<usize>,
}

impl Messages {
    /// Adds the messages of a file. `file` is its name, if there are several files.
    pub fn add(&mut self, file: Option<&str>, notes: &[Note], losses: &[Loss], warnings: &[String]) {
        let prefix = file.map(|file| format!("{file}: ")).unwrap_or_default();
        self.warnings.extend(warnings.iter().map(|text| format!("{prefix}{text}")));
        for (index, note) in notes.iter().enumerate() {
            if notes[..index].contains(note) {
                continue;
            }
            match self.notes.iter_mut().find(|(known, _)| known == note) {
                Some((_, files)) => *files += 1,
                None => self.notes.push((note.clone(), 1)),
            }
        }
        for mut group in LossGroup::of(losses) {
            if let Some(file) = file {
                group.prefix_paths(&format!("{file}: "));
            }
            let place = *self.places.entry(group.pattern.clone()).or_insert(self.losses.len());
            match self.losses.get_mut(place) {
                Some(known) => {
                    known.group.merge(group);
                    known.files = known.files.map(|files| files + 1);
                }
                None => self.losses.push(FileLosses { group, files: file.map(|_| 1) }),
            }
        }
    }

    /// Prints at most a screen of messages, the most important losses first. Ignores a closed standard error.
    pub fn print(&self, verbosity: Verbosity) {
        let mut stderr = anstream::stderr().lock();
        let notes = match verbosity.quiet {
            true => &[],
            false => &self.notes[..self.notes.len().min(SCREEN / 2)],
        };
        for (Note { label, text }, files) in notes {
            let files = if *files > 1 { format!(" ({files} files)") } else { String::new() };
            let _ = writeln!(stderr, "{HINT}{label}{HINT:#}{files}: {}", Escaped(text));
        }
        let mut losses: Vec<&FileLosses> = self.losses.iter().collect();
        losses.sort_by_key(|losses| losses.group.example.category);
        let warnings = &self.warnings[..self.warnings.len().min(SCREEN / 4)];
        for text in warnings {
            print_warning(text, &mut stderr);
        }
        if self.warnings.len() > warnings.len() {
            let more = self.warnings.len() - warnings.len();
            let count = counted(more as u64, "other warning", "other warnings");
            let _ = writeln!(stderr, "and {count}; --verbose lists all");
        }
        let shown = match SCREEN - 1 - notes.len() - warnings.len() {
            most if losses.len() > most => most - 1,
            _ => losses.len(),
        };
        let (shown, hidden) = losses.split_at(shown);
        for losses in shown {
            print_loss(&losses.text(), &mut stderr);
        }
        if !hidden.is_empty() {
            let count = hidden.iter().map(|losses| losses.group.count as u64).sum();
            let count = counted(count, "other loss", "other losses");
            let kinds = counted(hidden.len() as u64, "kind", "kinds");
            let _ = writeln!(stderr, "and {count} of {kinds}; --verbose lists all");
        }
    }
}

impl FileLosses {
    fn text(&self) -> String {
        let group = &self.group;
        let more = match (group.count - 1, self.files) {
            (_, None) => return group.to_string(),
            (0, _) => String::new(),
            (others, Some(1)) => format!(" and {others} more"),
            (others, Some(files)) => format!(" and {others} more in {files} files"),
        };
        group.at(&format!("{}{more}", group.example.path))
    }
}

/// Prints notes, warnings and losses individually.
pub fn print_all(prefix: &str, notes: &[Note], losses: &[Loss], warnings: &[String]) {
    let mut stderr = anstream::stderr().lock();
    for Note { label, text } in notes {
        let _ = writeln!(stderr, "{}{HINT}{label}{HINT:#}: {}", Escaped(prefix), Escaped(text));
    }
    for text in warnings {
        print_warning(&format!("{prefix}{text}"), &mut stderr);
    }
    for loss in losses {
        let _ = write!(stderr, "{}", Escaped(prefix));
        print_loss(&loss.to_string(), &mut stderr);
    }
}

/// Prints the notes, warnings and losses of one conversion.
pub fn print(verbosity: Verbosity, notes: &[Note], losses: &[Loss], warnings: &[String]) {
    if verbosity.verbose {
        return print_all("", notes, losses, warnings);
    }
    let mut messages = Messages::default();
    messages.add(None, notes, losses, warnings);
    messages.print(verbosity);
}

fn print_warning(text: &str, out: &mut impl Write) {
    let _ = writeln!(out, "{WARNING}warning{WARNING:#}: {}", Escaped(text));
}

/// Prints a loss. Its kind precedes the first colon.
fn print_loss(text: &str, out: &mut impl Write) {
    let (kind, rest) = text.split_once(": ").unwrap_or(("lost", text));
    let _ = writeln!(out, "{WARNING}{kind}{WARNING:#}: {}", Escaped(rest));
}
