//! Reads and writes Seed.
//!
//! Reading first counts the lines of each kind, so that the document can be allocated and chunks of the file be read in
//! parallel, each into its [window](window::Window) of the columns. Plain lines take the [fast] path; every other
//! [line] is parsed by the grammar.

mod comments;
pub(super) mod detect;
pub(super) mod diagnostic;
pub(super) mod fast;
pub(super) mod intent;
pub(super) mod line;
pub(super) mod locate;
pub(super) mod messages;
mod reader;
pub(super) mod text;
pub(super) mod window;
pub(super) mod write;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::schema::Document;
use crate::parallel::map_reduce;
use diagnostic::{Diagnostics, Located};
#[cfg(feature = "proptest")]
pub use line::MAX_PARSED;
pub use reader::Options;
use reader::{Part, Reader};
use window::{Counts, Window};

/// The least number of bytes of a chunk, except in tests.
pub const CHUNK: usize = 1 << 16;
/// The most chunks of a file, more or less.
const MAX_CHUNKS: usize = 1 << 10;

/// What a file says, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub document: Document,
    pub diagnostics: Diagnostics,
    /// Whether reading stopped at a diagnostic.
    pub stopped: bool,
}

/// The complete read result as text, in which floats differ if their bits do.
#[cfg(feature = "proptest")]
pub fn outcome(text: &[u8], options: &Options) -> String {
    let read = read(text, options);
    let mut report = crate::Report::new(&options.limits);
    read.diagnostics.report(text, &mut report);
    // Values before an error may differ.
    let document = if read.stopped { String::new() } else { format!("{:?}", read.document) };
    format!("{document} {report:?} {:?} {}", read.diagnostics.unreadable, read.stopped)
}

/// Reads a file.
pub(super) fn read(file: &[u8], options: &Options) -> Outcome {
    if let Some(encoding) = text::other_encoding(file) {
        let mut diagnostics = Diagnostics::default();
        let diagnostic = messages::encoding(encoding);
        diagnostics.add(Located { diagnostic, start: 0, index: 0 }, &options.limits);
        return Outcome { diagnostics, stopped: true, ..Outcome::default() };
    }
    let chunks: Vec<_> = text::chunks(file, options.chunk.max(file.len() / MAX_CHUNKS)).collect();
    let count = |chunk| vec![fast::count(&file[chunk])];
    let counts = map_reduce(chunks.clone(), count, |mut counts, next| {
        counts.extend(next);
        counts
    });
    let (outcome, exact) = read_chunks(file, &chunks, &counts, options);
    if exact == counts {
        return outcome;
    }
    // Some lines are malformed: only now it is known how many count as lines of which kind.
    drop(outcome);
    read_chunks(file, &chunks, &exact, options).0
}

/// Reads chunks of which it is known how many lines of each kind they have. Returns also how many there really are.
fn read_chunks(
    file: &[u8],
    chunks: &[Range<usize>],
    counts: &[Counts],
    options: &Options,
) -> (Outcome, Vec<Counts>) {
    let mut document = Document::default();
    let windows = Window::split(&mut document, counts);
    // The first chunk in which reading stopped: those after it need not be read.
    let stopped = AtomicUsize::new(usize::MAX);
    let read = |((number, chunk), window)| {
        if stopped.load(Ordering::Relaxed) < number {
            return Part { counts: vec![Counts::default()], ..Part::default() };
        }
        let part = Reader { file, options, window, part: Part::default() }.read(chunk);
        if part.stopped {
            stopped.fetch_min(number, Ordering::Relaxed);
        }
        part
    };
    let work = chunks.iter().cloned().enumerate().zip(windows).collect();
    let Part { properties, comments, diagnostics, stopped, counts } =
        map_reduce(work, read, |part, next| part.append(next, &options.limits));
    document.properties = properties;
    document.comments = options.comments.then(|| comments.finish());
    (Outcome { document, diagnostics, stopped }, counts)
}
