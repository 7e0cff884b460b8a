//! Memory of reading from streams, which keep input in memory until its checksum is verified.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use libtest_mimic::Trial;
use meshspec::iyma::{Attribute, Bytes, Document, Reader, Usage, VertexFormat};
use meshspec::{ErrorKind, Format, Limit, Limits, ReadOptions, WriteOptions};

use crate::{MEBIBYTE, measure_peak};

pub fn trials() -> Vec<Trial> {
    trials![
        packed_bytes_are_kept_once,
        packed_bytes_without_a_checksum_are_not_kept,
        reading_stops_at_the_limit
    ]
}

/// Returns bytes that zstd cannot compress.
fn noise(size: usize) -> Bytes {
    let mut state = 1u64;
    let bytes = (0..size).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    });
    bytes.collect()
}

/// Returns an incompressible document.
fn incompressible_document() -> Document {
    let values = noise(24 * MEBIBYTE);
    let attribute = Attribute {
        usage: Usage::Custom(0, String::new()),
        format: VertexFormat::Uint32,
        data: values,
    };
    Document::from_mesh(None, vec![attribute]).unwrap()
}

fn packed_bytes_are_kept_once() {
    let document = incompressible_document();
    let file = document.write(&WriteOptions::default()).unwrap();
    let size = document.attributes[0].data.len();
    assert!(file.len() >= size);
    let (read, peak) = measure_peak(|| {
        Reader::new(&file[..], &ReadOptions::default())
            .unwrap()
            .document()
            .unwrap()
    });
    assert_eq!(read, document);
    let kept = peak - size;
    println!(
        "{kept} bytes in addition to {size}, of {} in the file",
        file.len()
    );
    assert!(
        kept as f64 <= 1.2 * file.len() as f64,
        "{kept} bytes are kept of {}",
        file.len()
    );
    let (mesh, peak) = measure_peak(|| {
        Reader::new(&file[..], &ReadOptions::default())
            .unwrap()
            .mesh(0)
            .unwrap()
    });
    assert_eq!(mesh, document);
    assert!(
        peak as f64 <= 2.2 * file.len() as f64 + MEBIBYTE as f64,
        "{peak} bytes for one mesh"
    );
}

fn packed_bytes_without_a_checksum_are_not_kept() {
    let document = incompressible_document();
    let file = document
        .write(&WriteOptions::default().with_data_checksum(false))
        .unwrap();
    let size = document.attributes[0].data.len();
    let (read, peak) = measure_peak(|| {
        Reader::new(&file[..], &ReadOptions::default())
            .unwrap()
            .document()
            .unwrap()
    });
    assert_eq!(read.attributes, document.attributes);
    assert!(
        peak <= size + size / 16 + MEBIBYTE,
        "{peak} bytes for {size}"
    );
}

/// A reader that counts the bytes read from another one.
struct CountingReader<R> {
    source: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

fn reading_stops_at_the_limit() {
    let document = Document {
        user_data: Bytes::from_static(b"small"),
        ..Document::default()
    };
    let file = document.write(&WriteOptions::default()).unwrap();
    for limit in [0, 5, 47, 48, 1 << 20, 3 << 20] {
        let count = Rc::new(Cell::new(0));
        // An endless stream.
        let source = CountingReader {
            source: (&file[..]).chain(io::repeat(0)),
            count: count.clone(),
        };
        let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(limit));
        let reader = Reader::new(source, &options).unwrap();
        let start = count.get();
        assert_eq!(
            reader.document().unwrap_err().kind(),
            ErrorKind::LimitExceeded(Limit::Decoded)
        );
        assert!(
            count.get() - start <= limit + 1,
            "{} bytes for {limit}",
            count.get() - start
        );
    }
}
