//! Reads and writes Seed.
//!
//! Reading first counts the lines of each kind and allocates the document. Chunks of the file are then read in
//! parallel, each into its [window](window::Window) of the columns. Plain lines take the [fast] path; the grammar
//! parses every other [line].

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

/// Minimum size of a chunk in bytes, except in tests.
pub const CHUNK: usize = 1 << 16;
/// Approximate maximum number of chunks per file.
const MAX_CHUNKS: usize = 1 << 10;

/// The result of reading, complete or up to the first fault.
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
    // Values before an error may differ between the fast path and the grammar.
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
    // Some lines are malformed, so the first count was wrong. Read again with the exact counts.
    drop(outcome);
    read_chunks(file, &chunks, &exact, options).0
}

/// Reads chunks, given the expected number of lines of each kind per chunk. Also returns the actual numbers.
fn read_chunks(
    file: &[u8],
    chunks: &[Range<usize>],
    counts: &[Counts],
    options: &Options,
) -> (Outcome, Vec<Counts>) {
    let mut document = Document::default();
    let windows = Window::split(&mut document, counts);
    // The first chunk in which reading stopped; later chunks can be skipped.
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
