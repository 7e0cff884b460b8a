//! The rows of BMD: decode vertices and faces, encode positions, and read, check and write whole images.

mod by_hand;

use meshspec::bmd::{self, F8A, Face, Faces, Surface, Triple, Vertices};
use meshspec::{Format, ReadOptions, WriteOptions};

use crate::{Bench, Error};

/// The number of items in each row except those of whole images. The columns of the vertices take 37 MB.
const ITEM_COUNT: usize = 1_000_000;

/// A pseudo-random number generator.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Returns vertices with random tags from `tags`.
fn vertices(tags: &[u8], surface: Surface) -> Result<Vertices, Error> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut words = Vec::new();
    for _ in 0..ITEM_COUNT {
        let tag = tags[(noise.next() >> 32) as usize % tags.len()];
        let size = match tag {
            0..0xf0 => 2,
            0xf0..0xfc => 3,
            0xfc.. => 4,
        };
        let mut vertex = [0; 4].map(|_: u32| noise.next() as u32);
        if size == 4 {
            // Coordinates from 0.5 to 1, of either sign: no infinities or subnormals.
            vertex[0] = vertex[0] & 0x83ff_83ff | 0x3800_3800;
            vertex[1] = vertex[1] & 0x00ff_83ff | 0x3800;
        }
        vertex[1] = vertex[1] & 0x00ff_ffff | u32::from(tag) << 24;
        if size > 2 {
            // Limits the bone index to 0 and 1.
            vertex[size - 1] &= 0x01ff_ffff;
        }
        words.extend(&vertex[..size]);
    }
    Ok(Vertices::from_words(words, surface)?)
}

/// Returns faces with random tags from `tags`.
fn faces(tags: &[u32]) -> Result<Faces, Error> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut words = Vec::new();
    for _ in 0..ITEM_COUNT {
        let tag = tags[(noise.next() >> 32) as usize % tags.len()];
        words.push(noise.next() as u32 & !3 | tag);
        if tag >= 2 {
            // Tag2 is 0.
            words.push(noise.next() as u32 >> 2);
        }
    }
    Ok(Faces::from_words(words)?)
}

fn add_face_rows(bench: &mut Bench) -> Result<(), Error> {
    let forms: [(&'static str, &[u32]); 5] = [
        ("bmd/faces triangles 32", &[0]),
        ("bmd/faces quads 32", &[1]),
        ("bmd/faces triangles 64", &[2]),
        ("bmd/faces quads 64", &[3]),
        ("bmd/faces mixed", &[0, 1, 2, 3]),
    ];
    for (name, tags) in forms {
        let list = faces(tags)?;
        let by_hand = || by_hand::decode_triangles(list.words(), ITEM_COUNT);
        if list.triangles() != by_hand() {
            return Err(format!("{name}: the baseline returns other triangles").into());
        }
        bench.add_row(
            name,
            ITEM_COUNT as u64,
            || list.triangles(),
            "shifts by hand",
            by_hand,
        );
    }
    Ok(())
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    // The allocator reuses blocks up to this size after one was freed. Otherwise, page faults would dominate.
    drop(std::hint::black_box(vec![1_u8; 31 << 20]));
    add_vertex_rows(bench)?;
    add_face_rows(bench)?;
    add_encode_row(bench)?;
    add_image_rows(bench)
}

/// A vertex form: the name of its row, the name of a second row with a copy of the columns as baseline, the surface,
/// and the tags.
type VertexForm = (&'static str, Option<&'static str>, Surface, &'static [u8]);

fn add_vertex_rows(bench: &mut Bench) -> Result<(), Error> {
    let tables = by_hand::Tables {
        f8a: std::array::from_fn(|code| F8A::from(code as u8).value()),
        colors: std::array::from_fn(|code| {
            let [r, g, b] = bmd::shade_color(code as u8);
            [r, g, b, 255]
        }),
    };
    use Surface::{Flat, Textured};
    let forms: [VertexForm; 6] = [
        (
            "bmd/decode 64 textured",
            Some("bmd/decode 64 textured, copy"),
            Textured,
            &[0, 1, 2, 3],
        ),
        (
            "bmd/decode 64 flat",
            Some("bmd/decode 64 flat, copy"),
            Flat,
            &[0, 1, 2, 3],
        ),
        (
            "bmd/decode 96",
            Some("bmd/decode 96, copy"),
            Textured,
            &[0xf8, 0xf9, 0xfa, 0xfb],
        ),
        (
            "bmd/decode 128",
            Some("bmd/decode 128, copy"),
            Textured,
            &[0xfd],
        ),
        ("bmd/decode 64 and 96", None, Textured, &[0, 1, 0xf8, 0xfb]),
        (
            "bmd/decode all sizes",
            None,
            Flat,
            &[0, 1, 0xf8, 0xf9, 0xfd, 0xfd],
        ),
    ];
    for (name, against_copy, surface, tags) in forms {
        let list = vertices(tags, surface)?;
        let ours = || list.columns();
        let by_hand =
            || by_hand::decode_vertices(list.words(), surface == Flat, ITEM_COUNT, &tables);
        let (a, b) = (ours(), by_hand());
        let same = a.positions == b.positions && a.st == b.st && a.normals == b.normals;
        if !(same && a.colors == b.colors && a.bones == b.bones) {
            return Err(format!("{name}: the baseline returns other vertices").into());
        }
        bench.add_row(name, ITEM_COUNT as u64, ours, "shifts by hand", by_hand);
        if let Some(name) = against_copy {
            bench.add_row(name, ITEM_COUNT as u64, ours, "copy of the columns", || {
                a.clone()
            });
        }
    }
    Ok(())
}

/// Adds the row that encodes a million positions.
fn add_encode_row(bench: &mut Bench) -> Result<(), Error> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut coordinate = || (noise.next() >> 40) as f32 / 65_536.0 - 128.0;
    let positions: Vec<[f32; 3]> = (0..ITEM_COUNT)
        .map(|_| [0; 3].map(|_| coordinate()))
        .collect();
    let ours = || Triple::nearest_all(&positions);
    let by_hand = || by_hand::encode_triples(&positions);
    if ours()?.iter().map(|triple| triple.word()).ne(by_hand()) {
        return Err("bmd/encode triples: the baseline returns other words".into());
    }
    bench.add_row(
        "bmd/encode triples",
        ITEM_COUNT as u64,
        ours,
        "plain loop by hand",
        by_hand,
    );
    Ok(())
}

/// Returns an image with this number of meshes, each with 60,000 vertices and 30,000 triangles: a quarter of the meshes per
/// vertex size, and a quarter with mixed sizes.
pub fn image(meshes: usize) -> Result<bmd::Document, Error> {
    let tags: [&[u8]; 4] = [&[0, 1], &[0xf8, 0xfb], &[0xfd], &[0, 0xf9, 0xfd]];
    let mut document = bmd::Document::default();
    for tags in tags.iter().cycle().take(meshes) {
        let mut list = vertices(tags, Surface::Textured)?
            .packed_items()
            .take(60_000)
            .collect::<Vec<_>>()
            .into_iter();
        let mut mesh = bmd::Mesh {
            material: Some("gfx/bench".into()),
            ..Default::default()
        };
        list.try_for_each(|vertex| mesh.vertices.push(vertex))?;
        let faces: Vec<Face> = (0..30_000)
            .map(|i| Face::Triangle([i, i + 1, 2 * i]))
            .collect();
        mesh.faces = Faces::encode(&faces)?;
        mesh.flags = mesh.fitting_flags();
        document.meshes.push(mesh);
    }
    document.lods.push(bmd::LodDef::default());
    document.bones = vec![bmd::Bone::default(); 2];
    Ok(document)
}

/// Adds the rows that read, check and write an image of 16 meshes.
fn add_image_rows(bench: &mut Bench) -> Result<(), Error> {
    let document = image(16)?;
    let bytes = document.write(&WriteOptions::default())?;
    let size = bytes.len() as u64;
    let (read, write) = (ReadOptions::default(), WriteOptions::default());
    bench.add_row(
        "bmd/read",
        size,
        || bmd::Document::read(&bytes, &read),
        "copy",
        || bytes.to_vec(),
    );
    let check = || meshspec::check(&bytes, bmd::FORMAT, &read);
    bench.add_row("bmd/check", size, check, "reading", || {
        bmd::Document::read(&bytes, &read)
    });
    let mut broken = document.clone();
    let mesh = &mut broken.meshes[7];
    let faces = mesh.faces.packed_items().map(bmd::PackedFace::value);
    let faces: Vec<Face> = faces.chain([Face::Triangle([0, 1, 60_000])]).collect();
    mesh.faces = Faces::encode(&faces)?;
    let broken = broken.write(&WriteOptions::lenient())?;
    bench.add_row(
        "bmd/check (broken face)",
        size,
        || meshspec::check(&broken, bmd::FORMAT, &read),
        "checking a valid image",
        check,
    );
    bench.add_row(
        "bmd/write",
        size,
        || document.write(&write),
        "copy",
        || bytes.to_vec(),
    );
    Ok(())
}
