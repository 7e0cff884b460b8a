//! Reading from streams: what is kept of the input until its checksum is known.

use libtest_mimic::Trial;
use meshspec::iyma::{Attribute, Bytes, Document, Reader, Usage, VertexFormat};
use meshspec::{Format, ReadOptions, WriteOptions};

use crate::{MEBIBYTE, measured};

pub fn trials() -> Vec<Trial> {
    trials![packed_bytes_are_kept_once]
}

/// Bytes of which zstd cannot take off any.
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

fn packed_bytes_are_kept_once() {
    let values = noise(24 * MEBIBYTE);
    let attribute =
        Attribute { usage: Usage::Custom(0, String::new()), format: VertexFormat::Uint32, data: values };
    let document = Document::from_mesh(None, vec![attribute]).unwrap();
    let file = document.write(&WriteOptions::default()).unwrap();
    let size = document.attributes[0].data.len();
    assert!(file.len() >= size);
    let (read, peak) =
        measured(|| Reader::new(&file[..], &ReadOptions::default()).unwrap().document().unwrap());
    assert_eq!(read, document);
    let kept = peak - size;
    println!("{kept} bytes beside {size}, of {} in the file", file.len());
    assert!(kept as f64 <= 1.2 * file.len() as f64, "{kept} bytes are kept of {}", file.len());
    let (mesh, peak) = measured(|| Reader::new(&file[..], &ReadOptions::default()).unwrap().mesh(0).unwrap());
    assert_eq!(mesh, document);
    assert!(peak as f64 <= 2.2 * file.len() as f64 + MEBIBYTE as f64, "{peak} bytes for one mesh");
}
