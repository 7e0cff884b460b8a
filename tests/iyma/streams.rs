//! Reading from streams, and no more than is wanted.

use std::io::{self, Read};

use meshspec::iyma::{Document, Reader, merge};
use meshspec::{Dialect, ErrorKind, Format, FormatId, ReadOptions};

use crate::{noise, strip, write};

/// Counts what is read from it, and gives no more than so many bytes at a time.
struct Slow<'b> {
    bytes: &'b [u8],
    most: usize,
    read: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(buffer.len());
        let read = self.bytes.read(&mut buffer[..most])?;
        self.read += read;
        Ok(read)
    }
}

#[test]
fn streams_give_what_memory_gives() {
    let (document, _) = merge(&[strip(300, "first"), strip(500, "")]).unwrap();
    for dialect in [Dialect::Spec, Dialect::Reference] {
        let (document, _) = document.clone().into_dialect(dialect).unwrap();
        let bytes = write(&document);
        for most in [1, 7, 1 << 20] {
            let open = |slow| Reader::new(slow, &ReadOptions::default()).unwrap();
            let slow = || Slow { bytes: &bytes, most, read: 0 };
            assert_eq!(*open(slow()).descriptor(), document.descriptor().unwrap());
            assert_eq!(open(slow()).user_data().unwrap(), "first");
            assert_eq!(open(slow()).document().unwrap(), document);
            for index in 0..2 {
                let mesh = open(slow()).mesh(index).unwrap();
                assert_eq!(mesh, document.mesh(index).unwrap());
            }
            assert!(open(slow()).mesh(2).unwrap_err().message().contains("no mesh 2"));
        }
    }
}

#[test]
fn no_more_is_read_than_is_wanted() {
    let mut document = strip(60_000, "some user data");
    document.attributes[0].data = noise(720_000);
    let bytes = write(&document);
    assert!(bytes.len() > 400_000);
    let mut slow = Slow { bytes: &bytes, most: 512, read: 0 };
    let reader = Reader::new(&mut slow, &ReadOptions::default()).unwrap();
    assert_eq!(reader.descriptor().n_vertices, 60_000);
    drop(reader);
    assert!(slow.read < 100, "{} bytes for the descriptor", slow.read);
    let mut slow = Slow { bytes: &bytes, most: 512, read: 0 };
    Reader::new(&mut slow, &ReadOptions::default()).unwrap().user_data().unwrap();
    // zstd unpacks whole blocks.
    assert!(slow.read < 140_000, "{} bytes for the user data", slow.read);
}

#[test]
fn streams_refuse_what_memory_refuses() {
    let Some(folder) = std::env::var_os("MESHSPEC_FIXTURES") else {
        eprintln!("skipped: MESHSPEC_FIXTURES does not name the folder of reference files");
        return;
    };
    let mut refused = 0;
    for entry in std::fs::read_dir(std::path::Path::new(&folder).join("iyma/bad")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for options in [ReadOptions::default(), ReadOptions::lenient()] {
            let memory = Document::read(&bytes, &options);
            let stream = Reader::new(&bytes[..], &options).and_then(Reader::document);
            match (memory, stream) {
                (Ok(memory), Ok(stream)) => assert_eq!(memory, stream),
                (Err(memory), Err(stream)) => {
                    refused += 1;
                    assert_eq!(stream.format(), Some(FormatId::Iyma), "{}: {stream}", path.display());
                    assert_eq!(
                        memory.rule().is_some(),
                        stream.rule().is_some() || stream.kind() == ErrorKind::LimitExceeded,
                        "{}: {memory} {stream}",
                        path.display()
                    );
                }
                (memory, stream) => panic!("{}: {memory:?}, but {stream:?}", path.display()),
            }
        }
    }
    assert!(refused > 80, "{refused} refused");
}
