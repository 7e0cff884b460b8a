//! Reads and writes Seed files.
//!
//! Reading first estimates the number of lines of each kind and allocates the document. Then, it reads chunks of the
//! file in parallel, each into its [window](window::Window) of the columns. Plain lines take the [fast] path. The
//! grammar parses all other lines ([line]).

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
pub(super) mod update;
pub(super) mod window;
pub(super) mod write;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::schema::Document;
use crate::parallel::map_reduce;
use diagnostic::{Diagnostics, LocatedDiagnostic};
#[cfg(feature = "proptest")]
pub use line::MAX_PARSED_BYTES;
pub use reader::Options;
use reader::{ChunkContent, ChunkReader};
use window::{LineCounts, Window};

/// Minimum size of a chunk in bytes, except in tests.
pub const MIN_CHUNK_SIZE: usize = 1 << 16;
/// Approximate maximum number of chunks per file.
const MAX_CHUNKS: usize = 1 << 10;

/// The result of reading: complete, or up to the first diagnostic that stops reading.
#[derive(Debug, Default)]
pub(super) struct ReadOutcome {
    pub document: Document,
    pub diagnostics: Diagnostics,
    /// Whether reading stopped at a diagnostic.
    pub is_stopped: bool,
}

/// Returns the read result as text; no document if reading stopped. Floats with different bits are printed differently.
#[cfg(feature = "proptest")]
pub fn read_to_text(text: &[u8], options: &Options) -> String {
    let read = read(text, options);
    let mut report = crate::Report::new(&options.limits);
    read.diagnostics.report(text, &mut report);
    // Values before an error may differ between the fast path and the grammar.
    let document = if read.is_stopped {
        String::new()
    } else {
        format!("{:?}", read.document)
    };
    format!(
        "{document} {report:?} {:?} {}",
        read.diagnostics.unreadable, read.is_stopped
    )
}

pub(super) fn read(file: &[u8], options: &Options) -> ReadOutcome {
    if let Some(encoding) = text::other_encoding(file) {
        let mut diagnostics = Diagnostics::default();
        let diagnostic = messages::encoding_error(encoding);
        diagnostics.add(
            LocatedDiagnostic {
                diagnostic,
                start: 0,
                index: 0,
            },
            &options.limits,
        );
        return ReadOutcome {
            diagnostics,
            is_stopped: true,
            ..ReadOutcome::default()
        };
    }
    let chunks: Vec<_> =
        text::chunks(file, options.min_chunk_size.max(file.len() / MAX_CHUNKS)).collect();
    let count = |chunk| vec![fast::estimate_line_counts(&file[chunk])];
    let counts = map_reduce(chunks.clone(), count, |mut counts, next| {
        counts.extend(next);
        counts
    });
    let (outcome, exact_counts) = read_chunks(file, &chunks, &counts, options);
    if exact_counts == counts {
        return outcome;
    }
    // The estimate was wrong: lines are malformed, or reading stopped. Reads again with the exact counts.
    drop(outcome);
    read_chunks(file, &chunks, &exact_counts, options).0
}

/// Reads chunks, given the expected number of lines of each kind in each chunk. Also returns the actual numbers.
fn read_chunks(
    file: &[u8],
    chunks: &[Range<usize>],
    counts: &[LineCounts],
    options: &Options,
) -> (ReadOutcome, Vec<LineCounts>) {
    let mut document = Document::default();
    let windows = Window::split(&mut document, counts);
    // The first chunk in which reading stopped. Later chunks are skipped.
    let stopped_at = AtomicUsize::new(usize::MAX);
    let read = |((number, chunk), window)| {
        if stopped_at.load(Ordering::Relaxed) < number {
            return ChunkContent {
                counts: vec![LineCounts::default()],
                ..ChunkContent::default()
            };
        }
        let content = ChunkReader {
            file,
            options,
            window,
            content: ChunkContent::default(),
        }
        .read(chunk);
        if content.is_stopped {
            stopped_at.fetch_min(number, Ordering::Relaxed);
        }
        content
    };
    let work = chunks.iter().cloned().enumerate().zip(windows).collect();
    let content = map_reduce(work, read, |content, next| {
        content.append(next, &options.limits)
    });
    let ChunkContent {
        properties,
        comments,
        diagnostics,
        is_stopped,
        counts,
    } = content;
    document.properties = properties;
    document.comments = options.comments.then(|| comments.finish());
    (
        ReadOutcome {
            document,
            diagnostics,
            is_stopped,
        },
        counts,
    )
}
