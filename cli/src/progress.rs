//! Progress bars on a terminal, shown if work takes longer than a second.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::input::{is_standard, name_of};
use crate::terminal::Escaped;

/// The delay before the progress bar appears.
const DELAY: Duration = Duration::from_secs(1);
/// The interval between updates of the progress bar.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work` on a file and shows its progress.
pub fn on_file<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    run_with_bar(&file_bar(path), work)
}

/// Like [`on_file`], for work that prints results while it runs: shows no progress if standard output is a terminal.
pub fn on_printed_file<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    if io::stdout().is_terminal() {
        work()
    } else {
        on_file(path, work)
    }
}

/// Like [`on_file`], for work that writes `output`: shows no progress if `output` is standard output on a terminal.
pub fn on_files<T>(input: &Path, output: &Path, work: impl FnOnce() -> T) -> T {
    if is_standard(output) {
        on_printed_file(input, work)
    } else {
        on_file(input, work)
    }
}

/// Returns a progress bar for [`run_with_bar`] that counts files; for a single file, a spinner with its name.
pub fn bar_for(files: &[impl AsRef<Path>]) -> ProgressBar {
    match files {
        [file] => file_bar(file.as_ref()),
        files => new_hidden_bar(Some(files.len() as u64), "{bar:40} {pos}/{len} {eta}"),
    }
}

/// Runs `work`. Shows the bar after [`DELAY`] if standard error is a terminal.
pub fn run_with_bar<T>(bar: &ProgressBar, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (working, waiting) = mpsc::channel::<()>();
    thread::scope(move |scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(TICK);
                // Returns an error when `work` ends, since that drops the sender.
                let _ = waiting.recv();
                bar.finish_and_clear();
            }
        });
        let result = work();
        drop(working);
        result
    })
}

fn file_bar(file: &Path) -> ProgressBar {
    let bar = new_hidden_bar(None, "{spinner} {msg} ({elapsed})");
    bar.set_message(Escaped(&name_of(file)).to_string());
    bar
}

fn new_hidden_bar(count: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(count, ProgressDrawTarget::hidden());
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
