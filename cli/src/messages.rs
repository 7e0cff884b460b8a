//! Prints notes, warnings and losses to standard error: at most 20 lines and every loss above 1 %, or all with
//! `--verbose`. `--quiet` omits notes.

use std::collections::HashMap;
use std::io::Write;

use clap::Args;
use meshspec::{HIDEABLE_HARM, Loss, LossGroup};

use crate::terminal::{Escaped, HINT, WARNING, counted};

/// The maximum number of lines to print without `--verbose`.
pub const MAX_LINES: usize = 20;

/// The verbosity of messages.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Verbosity {
    /// List every item individually instead of grouping, counting or omitting items.
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print only errors, losses, the warnings of conversions, and warnings that --deny rejects.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The messages from all conversions. Equal notes and the losses of each group are merged and counted.
#[derive(Debug, Default)]
pub struct Messages {
    notes: Vec<(Note, usize)>,
    /// The warnings, each with the name of its file.
    warnings: Vec<String>,
    losses: Vec<GroupedLosses>,
    /// The index into `losses`, by the pattern of the group.
    loss_indices: HashMap<String, usize>,
}

/// The label of a note that refers to a page. Such notes are not about files.
pub const HINT_LABEL: &str = "hint";

/// A message that is neither a warning nor a loss, such as `assumed: ...` or `moved: ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub label: &'static str,
    pub text: String,
}

/// Losses of one group in one or several files.
#[derive(Debug)]
struct GroupedLosses {
    group: LossGroup,
    /// The number of files with losses in the group; `None` if there is a single input file.
    file_count: Option<usize>,
}

impl Messages {
    /// Adds the messages of a file. `file` is its name; `None` if there is a single input file.
    pub fn add(
        &mut self,
        file: Option<&str>,
        notes: &[Note],
        losses: &[Loss],
        warnings: &[String],
    ) {
        let prefix = file.map(|file| format!("{file}: ")).unwrap_or_default();
        self.warnings
            .extend(warnings.iter().map(|text| format!("{prefix}{text}")));
        for (index, note) in notes.iter().enumerate() {
            if notes[..index].contains(note) {
                continue;
            }
            match self.notes.iter_mut().find(|(known, _)| known == note) {
                Some((_, files)) => *files += 1,
                None => self.notes.push((note.clone(), 1)),
            }
        }
        for mut group in LossGroup::from_losses(losses) {
            if let Some(file) = file {
                group.prefix_paths(&format!("{file}: "));
            }
            let index = *self
                .loss_indices
                .entry(group.pattern.clone())
                .or_insert(self.losses.len());
            match self.losses.get_mut(index) {
                Some(known) => {
                    known.group.merge(group);
                    known.file_count = known.file_count.map(|count| count + 1);
                }
                None => self.losses.push(GroupedLosses {
                    group,
                    file_count: file.map(|_| 1),
                }),
            }
        }
    }

    /// Prints at most [`MAX_LINES`] lines of messages, the most harmful losses first, and more lines for losses with a
    /// harm above [`HIDEABLE_HARM`]. With `--quiet`, prints no notes. Ignores errors from writing to standard error.
    pub fn print(&self, verbosity: Verbosity) {
        let mut stderr = anstream::stderr().lock();
        let notes: &[_] = if verbosity.quiet { &[] } else { &self.notes };
        let (notes, other_notes) = notes.split_at(shown_count(notes.len(), MAX_LINES / 2));
        for (Note { label, text }, files) in notes {
            let is_counted = *files > 1 && *label != HINT_LABEL;
            let files = if is_counted {
                format!(" ({files} files)")
            } else {
                String::new()
            };
            let _ = writeln!(stderr, "{HINT}{label}{HINT:#}{files}: {}", Escaped(text));
        }
        if !other_notes.is_empty() {
            print_more(
                &counted(other_notes.len() as u64, "other note", "other notes"),
                &mut stderr,
            );
        }
        let (warnings, other_warnings) = self
            .warnings
            .split_at(shown_count(self.warnings.len(), MAX_LINES / 4));
        for text in warnings {
            print_warning(text, &mut stderr);
        }
        if !other_warnings.is_empty() {
            print_more(
                &counted(
                    other_warnings.len() as u64,
                    "other warning",
                    "other warnings",
                ),
                &mut stderr,
            );
        }
        let mut losses: Vec<&GroupedLosses> = self.losses.iter().collect();
        losses.sort_by(|a, b| a.group.compare_importance(&b.group));
        let harmful = losses.partition_point(|losses| losses.group.harm > HIDEABLE_HARM);
        let count_lines =
            usize::from(!other_notes.is_empty()) + usize::from(!other_warnings.is_empty());
        let max = MAX_LINES - notes.len() - warnings.len() - count_lines;
        let (losses, other_losses) = losses.split_at(shown_count(losses.len(), max).max(harmful));
        for losses in losses {
            print_loss(&losses.text(), &mut stderr);
        }
        if !other_losses.is_empty() {
            let count = other_losses
                .iter()
                .map(|losses| losses.group.count as u64)
                .sum();
            let count = counted(count, "other loss", "other losses");
            let kinds = counted(other_losses.len() as u64, "kind", "kinds");
            print_more(
                &format!("{count} of {kinds}, none above {} %", 100.0 * HIDEABLE_HARM),
                &mut stderr,
            );
        }
    }
}

/// Returns the number of messages to print in at most `max` lines, the last of which counts the others.
fn shown_count(count: usize, max: usize) -> usize {
    if count > max { max - 1 } else { count }
}

fn print_more(count: &str, out: &mut impl Write) {
    let _ = writeln!(out, "and {count}; --verbose lists all");
}

impl GroupedLosses {
    fn text(&self) -> String {
        let group = &self.group;
        let more = match (group.count - 1, self.file_count) {
            (_, None) => return group.to_string(),
            (0, _) => String::new(),
            (others, Some(1)) => format!(" and {others} more"),
            (others, Some(files)) => format!(" and {others} more ({files} files)"),
        };
        group.format_at(&format!("{}{more}", group.example.path))
    }
}

/// Prints all notes, warnings and losses, each after `prefix`.
pub fn print_all(prefix: &str, notes: &[Note], losses: &[Loss], warnings: &[String]) {
    let mut stderr = anstream::stderr().lock();
    for Note { label, text } in notes {
        let _ = writeln!(
            stderr,
            "{}{HINT}{label}{HINT:#}: {}",
            Escaped(prefix),
            Escaped(text)
        );
    }
    for text in warnings {
        print_warning(&format!("{prefix}{text}"), &mut stderr);
    }
    for loss in losses {
        let _ = write!(stderr, "{}", Escaped(prefix));
        print_loss(&loss.to_string(), &mut stderr);
    }
}

/// Prints the notes, warnings and losses from converting a single file.
pub fn print(verbosity: Verbosity, notes: &[Note], losses: &[Loss], warnings: &[String]) {
    if verbosity.verbose {
        return print_all("", notes, losses, warnings);
    }
    let mut messages = Messages::default();
    messages.add(None, notes, losses, warnings);
    messages.print(verbosity);
}

/// Prints a line to standard error. Ignores errors, since the stream may be closed.
pub fn print_line(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

fn print_warning(text: &str, out: &mut impl Write) {
    let _ = writeln!(out, "{WARNING}warning{WARNING:#}: {}", Escaped(text));
}

/// Prints a loss, and highlights its kind, which is the text before the first colon.
fn print_loss(text: &str, out: &mut impl Write) {
    let (kind, rest) = text.split_once(": ").unwrap_or(("lost", text));
    let _ = writeln!(out, "{WARNING}{kind}{WARNING:#}: {}", Escaped(rest));
}
