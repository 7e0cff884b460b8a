//! Progress bars on a terminal, for work that takes longer than a second.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::input::{is_standard, name_of};
use crate::terminal::Escaped;

/// The delay before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The update interval.
const TICK: Duration = Duration::from_millis(100);

/// Runs work on a file, with progress.
pub fn on_file<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    shown(&naming(path), work)
}

/// Runs work on a file that prints its results meanwhile. Shows no progress if standard output is a terminal.
pub fn on_printed_file<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    if io::stdout().is_terminal() { work() } else { on_file(path, work) }
}

/// Runs work that converts a file to another.
pub fn on_files<T>(input: &Path, output: &Path, work: impl FnOnce() -> T) -> T {
    if is_standard(output) { on_printed_file(input, work) } else { on_file(input, work) }
}

/// Returns a bar for [`shown`] that counts files, or names a single file.
pub fn of(files: &[impl AsRef<Path>]) -> ProgressBar {
    match files {
        [file] => naming(file.as_ref()),
        files => hidden(Some(files.len() as u64), "{bar:40} {pos}/{len} {eta}"),
    }
}

/// Runs work, and shows the bar after a second.
pub fn shown<T>(bar: &ProgressBar, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (working, waiting) = mpsc::channel::<()>();
    thread::scope(move |scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(TICK);
                // Returns when the work ends.
                let _ = waiting.recv();
                bar.finish_and_clear();
            }
        });
        let result = work();
        drop(working);
        result
    })
}

fn naming(file: &Path) -> ProgressBar {
    let bar = hidden(None, "{spinner} {msg} ({elapsed})");
    bar.set_message(Escaped(&name_of(file)).to_string());
    bar
}

fn hidden(count: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(count, ProgressDrawTarget::hidden());
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
