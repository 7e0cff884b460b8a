//! The rows of Seed: about 200,000 vertices and 400,000 faces.

use std::fmt::Write as _;

use meshspec::{Format, ReadOptions, WriteOptions, seed};

use crate::{Bench, Error, Sheet, sheet};

/// Returns a document whose numbers have at most six decimals, as in files of exporters.
fn document() -> seed::Document {
    fn round<const N: usize>(values: Vec<[f32; N]>) -> Vec<[f32; N]> {
        values
            .into_iter()
            .map(|value| value.map(|x| (x * 1e6).round() / 1e6))
            .collect()
    }
    let Sheet {
        positions,
        normals,
        uvs,
        indices,
    } = sheet(448);
    let property = |name: &str, value: &str| seed::Property {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    seed::Document {
        properties: vec![
            property("name", "Sheet"),
            property("mat0", "DEFAULT"),
            property("type", "STATIC"),
        ],
        positions: round(positions),
        normals: round(normals),
        uvs: vec![round(uvs)],
        faces: indices
            .chunks_exact(3)
            .map(|face| [face[0], face[1], face[2]])
            .collect(),
        ..Default::default()
    }
}

/// Returns the mesh as OBJ text.
fn to_obj(document: &seed::Document) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for [x, y, z] in &document.positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for [x, y, z] in &document.normals {
        writeln!(out, "vn {x} {y} {z}")?;
    }
    for [u, v] in &document.uvs[0] {
        writeln!(out, "vt {u} {v}")?;
    }
    for face in &document.faces {
        let [a, b, c] = face.map(|index| index + 1);
        writeln!(out, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}")?;
    }
    Ok(out)
}

/// Parses a valid file without a grammar, as a baseline for the cost of the grammar. Returns `None` if a number is
/// malformed.
fn parse_by_hand(text: &[u8]) -> Option<seed::Document> {
    let mut document = seed::Document {
        uvs: vec![Vec::new()],
        ..Default::default()
    };
    let mut at = 0;
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            (b'p', Some(b' ')) => document.positions.push(parse_floats(text, &mut at, 2)?),
            (b'n', Some(b' ')) => document.normals.push(parse_floats(text, &mut at, 2)?),
            (b'u', Some(b'0')) => document.uvs[0].push(parse_floats(text, &mut at, 3)?),
            (b'f', Some(b' ')) => document.faces.push(parse_indices(text, &mut at)?),
            _ => {
                while text.get(at).is_some_and(|byte| *byte != b'\n') {
                    at += 1;
                }
            }
        }
        at += 1;
    }
    Some(document)
}

fn skip_separators(text: &[u8], at: &mut usize) {
    while text
        .get(*at)
        .is_some_and(|byte| matches!(byte, b' ' | b',' | b'\t'))
    {
        *at += 1;
    }
}

fn parse_floats<const N: usize>(
    text: &[u8],
    at: &mut usize,
    identifier_len: usize,
) -> Option<[f32; N]> {
    let mut values = [0.0; N];
    *at += identifier_len;
    for value in &mut values {
        skip_separators(text, at);
        let (number, length) = fast_float2::parse_partial::<f32, _>(&text[*at..]).ok()?;
        *value = number;
        *at += length;
    }
    (text.get(*at) == Some(&b'\n')).then_some(values)
}

fn parse_indices(text: &[u8], at: &mut usize) -> Option<[u32; 3]> {
    let mut values = [0; 3];
    *at += 2;
    for value in &mut values {
        skip_separators(text, at);
        while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
            *value = *value * 10 + u32::from(digit - b'0');
            *at += 1;
        }
    }
    (text.get(*at) == Some(&b'\n')).then_some(values)
}

/// Reorders the lines: position, normal and texture coordinates of each vertex in turn, then all faces.
fn alternate_lines(text: &[u8]) -> Vec<u8> {
    let lines_of = |start: &'static [u8]| {
        text.split_inclusive(|byte| *byte == b'\n')
            .filter(move |line| line.starts_with(start))
    };
    let mut out = Vec::with_capacity(text.len());
    for ((p, n), u) in lines_of(b"p ").zip(lines_of(b"n ")).zip(lines_of(b"u0 ")) {
        out.extend([p, n, u].concat());
    }
    lines_of(b"f ").for_each(|line| out.extend(line));
    out
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    let document = document();
    let text = document.write(&WriteOptions::default())?;
    let obj = to_obj(&document)?;
    let size = text.len() as u64;
    let baseline = parse_by_hand(&text).ok_or("the baseline cannot read the file")?;
    if baseline.positions != document.positions || baseline.faces != document.faces {
        return Err("the baseline reads other values".into());
    }

    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, two) = (pool(1)?, pool(2)?);
    let options = ReadOptions::default();
    let read = || seed::Document::read(&text, &options);
    let read_one = || one.install(read);
    let tobj = || {
        let options = tobj::LoadOptions {
            single_index: true,
            ..Default::default()
        };
        tobj::load_obj_buf(&mut obj.as_bytes(), &options, |_| {
            Err(tobj::LoadError::OpenFileFailed)
        })
    };
    let by_hand = || parse_by_hand(&text);
    bench.add_scaled_row(
        "seed/read (per byte)",
        size,
        read_one,
        "tobj",
        tobj,
        size as f64 / obj.len() as f64,
    );
    bench.add_row("seed/read (per mesh)", size, read_one, "tobj", tobj);
    bench.add_row("seed/read", size, read_one, "by hand, fast-float2", by_hand);
    let mixed = alternate_lines(&text);
    let read_mixed = || one.install(|| seed::Document::read(&mixed, &options));
    bench.add_row(
        "seed/read alternating",
        mixed.len() as u64,
        read_mixed,
        "by hand",
        || parse_by_hand(&mixed),
    );
    let check = || one.install(|| meshspec::check(&text, seed::FORMAT, &options));
    bench.add_row("seed/check", size, check, "reading", read_one);
    bench.add_row(
        "seed/read parallel",
        size,
        || two.install(read),
        "one thread",
        read_one,
    );
    let options = WriteOptions::default();
    bench.add_row(
        "seed/write",
        size,
        || document.write(&options),
        "reading by hand",
        by_hand,
    );
    Ok(())
}
