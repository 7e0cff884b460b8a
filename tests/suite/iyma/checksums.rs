//! Compares hashes and descriptors with the test vectors of the reference files.

use meshspec::Dialect;
use meshspec::iyma::__private as hash;
use meshspec::iyma::Descriptor;

use crate::common::reference_text;

fn hexadecimal(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// Returns the input of a test vector.
fn input(size: usize) -> Vec<u8> {
    (0..size)
        .map(|i| (((i * 131 + 7) & 0xff) ^ ((i >> 8) & 0xff)) as u8)
        .collect()
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn hashes() {
    let text = reference_text("iyma/rapidhash_vectors.txt");
    let (one_shot, metadata) = text.split_once("\nmetadata:").unwrap();
    let mut count = 0;
    for line in one_shot.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let [size, value, ..] = words[..] else {
            continue;
        };
        let Ok(size) = size.parse() else { continue };
        let (bytes, expected) = (input(size), hexadecimal(value));
        // The vectors come from the crate with the bug.
        assert_eq!(
            hash::one_shot_hash(&[&bytes], Dialect::REFERENCE),
            expected,
            "{size}"
        );
        assert_eq!(
            hash::one_shot_hash(&[&bytes], Dialect::SPEC) == expected,
            size != 48,
            "{size}"
        );
        assert!(hash::is_one_shot_hash(expected, &[&bytes]));
        count += 1;
    }
    let mut size = 0;
    for line in metadata.lines().filter(|line| line.contains(" stream=")) {
        let value = |name: &str| {
            let word = line
                .split_whitespace()
                .find_map(|word| word.strip_prefix(name));
            word.map(hexadecimal)
        };
        let first = line.split_whitespace().next().unwrap();
        let mut checksum = 0;
        if first != "(dck=0)" {
            size = first.parse().unwrap();
            checksum = 0x0123_4567_89ab_cdef;
        }
        let bytes = input(size);
        let stream = value("stream=").unwrap();
        assert_eq!(
            hash::metadata_checksum(&bytes, checksum, Dialect::REFERENCE),
            stream,
            "{size}"
        );
        assert!(
            !hash::is_metadata_checksum(stream, &bytes, checksum, Dialect::SPEC),
            "{size}"
        );
        if let Some(one_shot) = value("oneshot_concat=") {
            // The one-shot vectors show the bug if descriptor, length and checksum have 48 bytes in total.
            assert!(
                hash::is_metadata_checksum(one_shot, &bytes, checksum, Dialect::SPEC),
                "{size}"
            );
            assert!(
                !hash::is_metadata_checksum(one_shot, &bytes, checksum, Dialect::REFERENCE),
                "{size}"
            );
        }
        count += 1;
    }
    assert!(count > 50, "only {count} vectors");
}

/// Returns the bytes in a line such as `len=7 04000400000000`; `None` if it has another form.
fn encoded(line: &str) -> Option<Vec<u8>> {
    let (size, digits) = line.split_once("len=")?.1.split_once(' ')?;
    let bytes: Vec<u8> = (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect();
    assert_eq!(bytes.len().to_string(), size);
    Some(bytes)
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn descriptors() {
    let text = reference_text("iyma/bitcode_vectors.txt");
    let lines: Vec<_> = text.lines().collect();
    let mut count = 0;
    for pair in lines.windows(2) {
        let Some(bytes) = encoded(pair[0]) else {
            continue;
        };
        let (own, other) = match pair[0].as_bytes()[0] {
            b'S' => (Dialect::SPEC, Dialect::REFERENCE),
            _ => (Dialect::REFERENCE, Dialect::SPEC),
        };
        let descriptor = Descriptor::decode(&bytes, own).expect(pair[0]);
        assert_eq!(
            descriptor.clone().encode(own),
            Ok(bytes.clone()),
            "{}",
            pair[0]
        );
        let decodes = Descriptor::decode(&bytes, other).is_ok();
        assert_eq!(
            decodes,
            pair[1].contains("types: Ok"),
            "{} as {other}",
            pair[0]
        );
        let is_told = !decodes || own == Dialect::SPEC || pair[0].contains("Uv0");
        assert!(
            !is_told || Descriptor::guess_dialect(&bytes) == own,
            "{}",
            pair[0]
        );
        count += 1;
    }
    assert!(count > 20, "only {count} vectors");
}

#[test]
fn the_metadata_checksum_depends_on_the_dialect() {
    for size in 0..300 {
        let bytes = input(size);
        let [spec, reference] =
            [Dialect::SPEC, Dialect::REFERENCE].map(|d| hash::metadata_checksum(&bytes, 7, d));
        assert!(!hash::is_metadata_checksum(
            spec,
            &bytes,
            7,
            Dialect::REFERENCE
        ));
        assert!(!hash::is_metadata_checksum(
            reference,
            &bytes,
            7,
            Dialect::SPEC
        ));
    }
}

#[test]
fn concatenated_parts_hash_like_the_whole() {
    for size in 96..500 {
        let bytes = input(size);
        for start in (48..=size - 48).step_by(48) {
            let (first, last) = bytes.split_at(start);
            for dialect in [Dialect::SPEC, Dialect::REFERENCE] {
                let whole = hash::one_shot_hash(&[&bytes], dialect);
                assert_eq!(
                    hash::one_shot_hash(&[first, last], dialect),
                    whole,
                    "{start} of {size}"
                );
            }
        }
        let thirds = [&bytes[..48], &[], &bytes[48..]];
        assert_eq!(
            hash::one_shot_hash(&thirds, Dialect::SPEC),
            hash::one_shot_hash(&[&bytes], Dialect::SPEC)
        );
    }
}
