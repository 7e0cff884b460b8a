//! BMD: vertices and faces decoded and encoded, whole images read.

mod by_hand;

use meshspec::bmd::{self, Faces, Surface, Vertices};

use crate::{Bench, Error};

/// 37 MB of columns.
const VERTICES: usize = 65_535;

/// Numbers that look like chance.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Words of vertices whose tags are chosen among these.
fn vertices(tags: &[u8]) -> Result<Vertices, Error> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut words = Vec::new();
    for _ in 0..VERTICES {
        let tag = tags[(noise.next() >> 32) as usize % tags.len()];
        let size = match tag {
            0..0xf0 => 2,
            0xf0..0xfc => 3,
            0xfc.. => 4,
        };
        let mut vertex = [0; 4].map(|_: u32| noise.next() as u32);
        if size == 4 {
            // Positions of about one unit: no infinities, hardly any subnormals.
            vertex[0] = vertex[0] & 0x83ff_83ff | 0x3800_3800;
            vertex[1] = vertex[1] & 0x00ff_83ff | 0x3800;
        }
        vertex[1] = vertex[1] & 0x00ff_ffff | u32::from(tag) << 24;
        words.extend(&vertex[..size]);
    }
    Ok(Vertices::from_words(words)?)
}

/// Words of faces whose tags are chosen among these.
fn faces(tags: &[u32]) -> Result<Faces, Error> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut words = Vec::new();
    for _ in 0..VERTICES {
        let tag = tags[(noise.next() >> 32) as usize % tags.len()];
        words.push(noise.next() as u32 & !3 | tag);
        if tag >= 2 {
            // Tag2 is 0.
            words.push(noise.next() as u32 >> 2);
        }
    }
    Ok(Faces::from_words(words)?)
}

fn face_rows(bench: &mut Bench) -> Result<(), Error> {
    let forms: [(&'static str, &[u32]); 5] = [
        ("bmd/faces triangles 32", &[0]),
        ("bmd/faces quads 32", &[1]),
        ("bmd/faces triangles 64", &[2]),
        ("bmd/faces quads 64", &[3]),
        ("bmd/faces mixed", &[0, 1, 2, 3]),
    ];
    for (name, tags) in forms {
        let list = faces(tags)?;
        let by_hand = || by_hand::triangles(list.words(), VERTICES);
        if list.triangles() != by_hand() {
            return Err(format!("{name}: the yardstick decodes otherwise").into());
        }
        bench.pair(name, VERTICES as u64, || list.triangles(), "shifts by hand", by_hand);
    }
    Ok(())
}

pub fn rows(bench: &mut Bench) -> Result<(), Error> {
    let tables = by_hand::Tables {
        f8a: std::array::from_fn(|code| bmd::F8A::from(code as u8).value()),
        colors: std::array::from_fn(|code| {
            let [r, g, b] = bmd::shade_color(code as u8);
            [r, g, b, 255]
        }),
    };
    let forms: [(&'static str, &'static str, Surface, &[u8]); 6] = [
        ("bmd/decode 64 textured", "bmd/copy 64 textured", Surface::Textured, &[0, 1, 2, 3]),
        ("bmd/decode 64 flat", "", Surface::Flat, &[0, 1, 2, 3]),
        ("bmd/decode 96", "", Surface::Textured, &[0xf8, 0xf9, 0xfa, 0xfb]),
        ("bmd/decode 128", "", Surface::Textured, &[0xfd]),
        ("bmd/decode 64 and 96 mixed", "", Surface::Textured, &[0, 1, 0xf8, 0xfb]),
        ("bmd/decode all mixed", "", Surface::Flat, &[0, 1, 0xf8, 0xf9, 0xfd, 0xfd]),
    ];
    for (name, copy, surface, tags) in forms {
        let list = vertices(tags)?;
        let ours = || list.columns(surface);
        let by_hand = || by_hand::vertices(list.words(), surface == Surface::Flat, VERTICES, &tables);
        let (a, b) = (ours(), by_hand());
        let same = a.positions == b.positions && a.st == b.st && a.normals == b.normals;
        if !(same && a.colors == b.colors && a.bones == b.bones) {
            return Err(format!("{name}: the yardstick decodes otherwise").into());
        }
        bench.pair(name, VERTICES as u64, ours, "shifts by hand", by_hand);
        let copied =
            || (b.positions.clone(), b.st.clone(), b.normals.clone(), b.colors.clone(), b.bones.clone());
        if !copy.is_empty() {
            bench.pair(copy, VERTICES as u64, copied, "decode", ours);
        }
    }
    face_rows(bench)?;
    Ok(())
}
