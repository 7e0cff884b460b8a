//! What commands say on standard error besides errors: everything, as much as fits on a screen, or nothing.

use std::collections::HashMap;
use std::io::Write;

use clap::Args;
use meshspec::{Loss, LossGroup};

use crate::terminal::{Escaped, HINT, WARNING, counted};

/// Lines that a person reads at a time.
pub const SCREEN: usize = 20;

/// How much is said.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Verbosity {
    /// List one by one what is otherwise grouped, counted or left out.
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// What there is to say of conversions, gathered over all of them. Equal messages are one with a count.
#[derive(Debug, Default)]
pub struct Messages {
    assumed: Vec<(String, usize)>,
    losses: Vec<FileLosses>,
    /// Where each pattern of losses is in the list.
    places: HashMap<String, usize>,
}

/// Losses of one group in one or several files.
#[derive(Debug)]
struct FileLosses {
    group: LossGroup,
    /// The file of the group: the first one that has such losses, or the one with the largest error. `None` where there
    /// is one file only.
    file: Option<String>,
    /// How many there are in all files.
    count: usize,
    /// How many files have some.
    files: usize,
}

impl Messages {
    /// Adds those of one file, which is named where there are several.
    pub fn add(&mut self, file: Option<&str>, assumed: &[String], losses: &[Loss]) {
        for (index, text) in assumed.iter().enumerate() {
            if assumed[..index].contains(text) {
                continue;
            }
            match self.assumed.iter_mut().find(|(known, _)| known == text) {
                Some((_, files)) => *files += 1,
                None => self.assumed.push((text.clone(), 1)),
            }
        }
        for group in LossGroup::of(losses) {
            let place = *self.places.entry(group.pattern.clone()).or_insert(self.losses.len());
            match self.losses.get_mut(place) {
                Some(known) => known.add(group, file),
                None => {
                    let (file, count) = (file.map(str::to_owned), group.count);
                    self.losses.push(FileLosses { group, file, count, files: 1 });
                }
            }
        }
    }

    /// Says them, at most a screen. If standard error is closed there is nobody to tell.
    pub fn print(&self, verbosity: Verbosity) {
        if verbosity.quiet {
            return;
        }
        let mut stderr = anstream::stderr().lock();
        let assumed = &self.assumed[..self.assumed.len().min(SCREEN / 2)];
        for (text, files) in assumed {
            let files = if *files > 1 { format!(" ({files} files)") } else { String::new() };
            let _ = writeln!(stderr, "{HINT}assumed{HINT:#}{files}: {}", Escaped(text));
        }
        let shown = match SCREEN - 1 - assumed.len() {
            most if self.losses.len() > most => most - 1,
            _ => self.losses.len(),
        };
        let (shown, hidden) = self.losses.split_at(shown);
        for losses in shown {
            print_loss(&losses.text(), &mut stderr);
        }
        if !hidden.is_empty() {
            let count = hidden.iter().map(|losses| losses.count as u64).sum();
            let count = counted(count, "other loss", "other losses");
            let kinds = counted(hidden.len() as u64, "kind", "kinds");
            let _ = writeln!(stderr, "and {count} of {kinds}; --verbose lists all");
        }
    }
}

impl FileLosses {
    fn add(&mut self, group: LossGroup, file: Option<&str>) {
        self.count += group.count;
        self.files += 1;
        if group.example.error > self.group.example.error {
            (self.group, self.file) = (group, file.map(str::to_owned));
        }
    }

    fn text(&self) -> String {
        let Some(file) = &self.file else { return self.group.to_string() };
        let mut example = self.group.example.clone();
        let more = match (self.count - 1, self.files) {
            (0, _) => String::new(),
            (others, 1) => format!(" and {others} more"),
            (others, files) => format!(" and {others} more in {files} files"),
        };
        example.path = format!("{file}: {}{more}", example.path);
        example.to_string()
    }
}

/// Says one by one what was assumed and lost.
pub fn print_all(prefix: &str, assumed: &[String], losses: &[Loss]) {
    let mut stderr = anstream::stderr().lock();
    for text in assumed {
        let _ = writeln!(stderr, "{}{HINT}assumed{HINT:#}: {}", Escaped(prefix), Escaped(text));
    }
    for loss in losses {
        let _ = write!(stderr, "{}", Escaped(prefix));
        print_loss(&loss.to_string(), &mut stderr);
    }
}

/// Says of one conversion what was assumed and lost.
pub fn print(verbosity: Verbosity, assumed: &[String], losses: &[Loss]) {
    if verbosity.verbose {
        return print_all("", assumed, losses);
    }
    let mut messages = Messages::default();
    messages.add(None, assumed, losses);
    messages.print(verbosity);
}

/// The kind of a loss stands before the first colon.
fn print_loss(text: &str, out: &mut impl Write) {
    let (kind, rest) = text.split_once(": ").unwrap_or(("lost", text));
    let _ = writeln!(out, "{WARNING}{kind}{WARNING:#}: {}", Escaped(rest));
}
