//! Reading from streams reads only the required bytes.

use std::io::{self, Read};

use meshspec::iyma::{DataChecksum, Document, Reader, merge};
use meshspec::{Dialect, ErrorKind, Format, Limit, Limits, ReadOptions, WriteOptions};

use super::{noise, strip, write};
use crate::common::{Fixture, fixtures_of};

/// A reader that counts the bytes read, and returns at most `most` bytes at a time.
struct SlowReader<'b> {
    bytes: &'b [u8],
    most: usize,
    read: usize,
}

impl Read for SlowReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(buffer.len());
        let read = self.bytes.read(&mut buffer[..most])?;
        self.read += read;
        Ok(read)
    }
}

#[test]
fn streams_read_like_memory() {
    let (document, _) = merge(&[strip(300, "first"), strip(500, "")]).unwrap();
    for dialect in [Dialect::SPEC, Dialect::REFERENCE] {
        let (document, _) = document.clone().into_dialect(dialect).unwrap();
        let bytes = write(&document);
        for most in [1, 7, 1 << 20] {
            let open = |slow| Reader::new(slow, &ReadOptions::default()).unwrap();
            let slow = || SlowReader {
                bytes: &bytes,
                most,
                read: 0,
            };
            assert_eq!(*open(slow()).descriptor(), document.descriptor().unwrap());
            assert_eq!(open(slow()).user_data().unwrap(), "first");
            assert_eq!(open(slow()).document().unwrap(), document);
            for index in 0..2 {
                let mesh = open(slow()).mesh(index).unwrap();
                assert_eq!(mesh, document.mesh(index).unwrap());
            }
            assert!(
                open(slow())
                    .mesh(2)
                    .unwrap_err()
                    .message()
                    .contains("no mesh 2")
            );
        }
    }
}

#[test]
fn only_needed_bytes_are_read() {
    let mut document = strip(60_000, "some user data");
    document.attributes[0].data = noise(720_000);
    let bytes = write(&document);
    assert!(bytes.len() > 400_000);
    let mut slow = SlowReader {
        bytes: &bytes,
        most: 512,
        read: 0,
    };
    let reader = Reader::new(&mut slow, &ReadOptions::default()).unwrap();
    assert_eq!(reader.descriptor().n_vertices, 60_000);
    drop(reader);
    assert!(slow.read < 100, "{} bytes for the descriptor", slow.read);
    let mut slow = SlowReader {
        bytes: &bytes,
        most: 512,
        read: 0,
    };
    Reader::new(&mut slow, &ReadOptions::default())
        .unwrap()
        .user_data()
        .unwrap();
    // zstd unpacks whole blocks.
    assert!(slow.read < 140_000, "{} bytes for the user data", slow.read);
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn streams_reject_like_memory() {
    let mut rejected = 0;
    for Fixture { file, bytes, .. } in fixtures_of("iyma") {
        for options in [ReadOptions::default(), ReadOptions::lenient()] {
            let memory = Document::read(&bytes, &options);
            let stream = Reader::new(&bytes[..], &options).and_then(Reader::document);
            match (memory, stream) {
                (Ok(memory), Ok(stream)) => assert_eq!(memory, stream),
                (Err(memory), Err(stream)) => {
                    rejected += 1;
                    assert_eq!(stream.format(), Some("iyma"), "{file}: {stream}");
                    assert_eq!(
                        memory.rule().is_some(),
                        stream.rule().is_some()
                            || matches!(stream.kind(), ErrorKind::LimitExceeded(_)),
                        "{file}: {memory} {stream}"
                    );
                }
                (memory, stream) => panic!("{file}: {memory:?}, but {stream:?}"),
            }
        }
    }
    assert!(rejected > 80, "{rejected} rejected");
}

/// A reader that is interrupted before every read.
struct InterruptedReader<'b>(&'b [u8], bool);

impl Read for InterruptedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            Err(io::ErrorKind::Interrupted.into())
        } else {
            self.0.read(buffer)
        }
    }
}

#[test]
fn interrupted_reads_are_retried() {
    let document = strip(300, "first");
    let bytes = write(&document);
    let open = || Reader::new(InterruptedReader(&bytes, false), &ReadOptions::default()).unwrap();
    assert_eq!(open().user_data().unwrap(), "first");
    assert_eq!(open().mesh(0).unwrap(), document);
    assert_eq!(open().document().unwrap(), document);
}

#[test]
fn strict_streams_verify_checksums() {
    let good = strip(300, "first");
    let wrong = Document {
        data_checksum: DataChecksum::Wrong(7.into()),
        ..good.clone()
    };
    let bytes = wrong.write(&WriteOptions::lenient()).unwrap();
    let open = |options: &ReadOptions| Reader::new(&bytes[..], options).unwrap();
    let strict = ReadOptions::default();
    for result in [
        open(&strict).mesh(0),
        open(&strict).document(),
        Document::read(&bytes, &strict),
    ] {
        assert_eq!(
            result.unwrap_err().rule().unwrap().code,
            "IYMA-DATA-CHECKSUM"
        );
    }
    assert_eq!(
        open(&strict).user_data().unwrap(),
        "first",
        "the rest of the data is not read"
    );
    assert_eq!(open(&ReadOptions::lenient()).mesh(0).unwrap(), good);
    assert_eq!(open(&ReadOptions::lenient()).document().unwrap(), wrong);

    let mut bytes = write(&good);
    bytes[8] ^= 1;
    let error = Reader::new(&bytes[..], &strict).unwrap_err();
    assert_eq!(error.rule().unwrap().code, "IYMA-METADATA-CHECKSUM");
    assert!(Reader::new(&bytes[..], &ReadOptions::lenient()).is_ok());
}

/// With each function that reads, a limit equal to the number of unpacked bytes suffices, and a smaller one does not.
#[test]
fn limits_apply_to_the_unpacked_part() {
    let (document, _) = merge(&[strip(300, "first"), strip(500, "")]).unwrap();
    let bytes = write(&document);
    let size = |document: &Document| document.descriptor().unwrap().data_len();
    type ReadFn<'a> = &'a dyn Fn(&ReadOptions) -> meshspec::Result<()>;
    let ways: [(u64, ReadFn); 4] = [
        (5, &|options| {
            Reader::new(&bytes[..], options)?.user_data().map(drop)
        }),
        (size(&document.mesh(1).unwrap()), &|options| {
            Reader::new(&bytes[..], options)?.mesh(1).map(drop)
        }),
        (size(&document), &|options| {
            Reader::new(&bytes[..], options)?.document().map(drop)
        }),
        (size(&document), &|options| {
            Document::read(&bytes, options).map(drop)
        }),
    ];
    for (way, (size, read)) in ways.iter().enumerate() {
        let with = |most| {
            read(&ReadOptions::default().with_limits(Limits::default().with_max_decoded(most)))
        };
        with(*size).unwrap_or_else(|error| panic!("{way}: {error}"));
        assert_eq!(
            with(size - 1).unwrap_err().kind(),
            ErrorKind::LimitExceeded(Limit::Decoded),
            "{way}"
        );
    }
}

#[test]
fn empty_data_has_no_frame() {
    let mut bytes = write(&Document {
        data_checksum: DataChecksum::Absent,
        ..Document::default()
    });
    bytes.truncate(24 + usize::from(u16::from_le_bytes([bytes[6], bytes[7]])));
    let stream = Reader::new(&bytes[..], &ReadOptions::default())
        .unwrap()
        .document();
    for result in [stream, Document::read(&bytes, &ReadOptions::default())] {
        assert_eq!(result.unwrap_err().rule().unwrap().code, "IYMA-PACKING");
    }
}
