//! Speeds as ratios: each row runs what it measures and a yardstick in turn, and gives the median of their ratios.
//!
//! `cargo bench --bench throughput --all-features [-- NAME] [-- --json FILE]`
//!
//! A ratio of 1.0 is as fast as the yardstick, above is faster. Both take fresh buffers of the same sizes.

mod bmd;

use std::fs::File;
#[path = "iyma.rs"]
mod iyma_rows;
#[path = "rows/seed.rs"]
mod seed_rows;

use std::hint::black_box;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use meshspec::interop::{Files, Interchange};
use meshspec::layout::Value;
use meshspec::layout::walk::{Node, Visitor, walk};
use meshspec::scene::SceneOptions;
use meshspec::{Document, Format, Limits, ReadOptions, WriteOptions, crucible, mesh};

const ROUNDS: usize = 21;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let json = arguments.iter().position(|a| a == "--json").and_then(|i| arguments.get(i + 1));
    let filter = arguments.first().filter(|a| !a.starts_with("--"));
    let mut bench = Bench { rows: Vec::new(), filter: filter.cloned(), rounds: ROUNDS };
    mesh_rows(&mut bench)?;
    crucible_rows(&mut bench)?;
    bmd::rows(&mut bench)?;
    iyma_rows::rows(&mut bench)?;
    seed_rows::rows(&mut bench)?;
    walker_rows(&mut bench)?;
    gltf_rows(&mut bench)?;
    if let Some(file) = json {
        std::fs::write(file, bench.to_json())?;
    }
    Ok(())
}

struct Row {
    name: &'static str,
    /// Bytes, or fields for the walker.
    amount: u64,
    seconds: f64,
    yardstick: &'static str,
    ratio: f64,
}

struct Bench {
    rows: Vec<Row>,
    filter: Option<String>,
    rounds: usize,
}

impl Bench {
    /// Runs both in turn; what they return is dropped outside the measured time.
    fn pair<A, B>(
        &mut self,
        name: &'static str,
        amount: u64,
        ours: impl FnMut() -> A,
        yardstick: &'static str,
        theirs: impl FnMut() -> B,
    ) {
        self.scaled(name, amount, ours, yardstick, theirs, 1.0);
    }

    /// As [`pair`](Bench::pair), with ratios that are multiplied by `scale`: for yardsticks that do more or less work.
    fn scaled<A, B>(
        &mut self,
        name: &'static str,
        amount: u64,
        mut ours: impl FnMut() -> A,
        yardstick: &'static str,
        mut theirs: impl FnMut() -> B,
        scale: f64,
    ) {
        if self.filter.as_ref().is_some_and(|filter| !name.contains(&**filter)) {
            return;
        }
        let mut seconds = Vec::new();
        let mut ratios = Vec::new();
        for _ in 0..self.rounds {
            let (a, b) = (time(&mut ours), time(&mut theirs));
            seconds.push(a);
            ratios.push(scale * b / a);
        }
        let row = Row { name, amount, seconds: median(seconds), yardstick, ratio: median(ratios) };
        println!(
            "{:<28} {:>9.1} M/s   {:>5.2} × {}",
            row.name,
            row.amount as f64 / row.seconds / 1e6,
            row.ratio,
            row.yardstick
        );
        self.rows.push(row);
    }

    fn to_json(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            format!(
                "  {{\"name\": \"{}\", \"bytes\": {}, \"seconds\": {:.6}, \"yardstick\": \"{}\", \"ratio\": {:.3}}}",
                row.name, row.amount, row.seconds, row.yardstick, row.ratio
            )
        });
        format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"))
    }
}

fn time<T>(work: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    let result = black_box(work());
    let seconds = start.elapsed().as_secs_f64();
    drop(result);
    seconds
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A wavy sheet of `side`² vertices with a little noise, as a scan or a sculpted terrain has.
struct Sheet {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

fn sheet(side: usize) -> Sheet {
    let mut state = 1u32;
    let mut noise = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 16_777_216.0
    };
    let mut sheet =
        Sheet { positions: Vec::new(), normals: Vec::new(), uvs: Vec::new(), indices: Vec::new() };
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        let (u, v) = (x as f32 / side as f32, y as f32 / side as f32);
        let height = (u * 7.0).sin() * (v * 5.0).cos() + noise() * 0.01;
        let slope = [(u * 7.0).cos(), 1.0, (v * 5.0).sin()];
        let length = slope.iter().map(|x| x * x).sum::<f32>().sqrt();
        sheet.positions.push([u * 10.0, height, v * 10.0]);
        sheet.normals.push(slope.map(|x| x / length));
        sheet.uvs.push([u, v]);
        if x + 1 < side && y + 1 < side {
            let [a, b, c, d] = [0, 1, side, side + 1].map(|offset| (y * side + x + offset) as u32);
            sheet.indices.extend([a, b, c, b, d, c]);
        }
    }
    sheet
}

/// 1 M vertices with all attributes, 2 M triangles.
fn mesh_document() -> Result<mesh::Document, Error> {
    let Sheet { positions, normals, uvs, indices } = sheet(1000);
    let joints = mesh::JointColumns {
        ids: (0..positions.len()).map(|i| [(i % 2) as u8, 1, 255, 255]).collect(),
        weights: vec![[128, 127, 0, 0]; positions.len()],
    };
    let columns = mesh::Columns { positions, normals: Some(normals), uvs: Some(uvs), joints: Some(joints) };
    let joint = |id, parent| mesh::Joint { id, parent, transform: [[0.0; 4]; 4] };
    Ok(mesh::Document {
        vertices: mesh::Vertices::from_columns(&columns)?,
        indices,
        joints: vec![joint(0, 255), joint(1, 0)],
        ..Default::default()
    })
}

fn mesh_rows(bench: &mut Bench) -> Result<(), Error> {
    let document = mesh_document()?;
    let bytes = document.write(&WriteOptions::default())?;
    let size = bytes.len() as u64;
    let copy = || bytes.to_vec();
    let options = ReadOptions::default();
    bench.pair("mesh/read", size, || mesh::Document::read(&bytes, &options), "copy", copy);
    let options = WriteOptions::default();
    bench.pair("mesh/write", size, || document.write(&options), "copy", copy);
    Ok(())
}

/// 50 MB of positions, normals, UVs and indices.
fn crucible_document() -> crucible::Document {
    let Sheet { positions, normals, uvs, indices } = sheet(950);
    crucible::Document {
        chunks: vec![crucible::Chunk {
            indices: crucible::Indices::U32(indices),
            streams: vec![
                crucible::Stream::Position3d(positions),
                crucible::Stream::Normal(normals),
                crucible::Stream::Uv(uvs),
            ],
            ..Default::default()
        }],
        ..Default::default()
    }
}

fn crucible_rows(bench: &mut Bench) -> Result<(), Error> {
    let document = crucible_document();
    let bytes = document.write(&WriteOptions::default())?;
    let mut raw: Vec<Vec<u8>> =
        document.chunks[0].streams.iter().map(|stream| stream.to_bytes().into_owned()).collect();
    if let crucible::Indices::U32(indices) = &document.chunks[0].indices {
        raw.push(meshspec::bulk::as_bytes(indices).into_owned());
    }
    let size = raw.iter().map(|stream| stream.len() as u64).sum();
    let packed: Vec<(Vec<u8>, usize)> =
        raw.iter().map(|stream| (lz4_flex::block::compress(stream), stream.len())).collect();
    let most = raw.iter().map(|stream| lz4_flex::block::get_maximum_output_size(stream.len())).sum();

    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, two) = (pool(1)?, pool(2)?);
    let options = ReadOptions::default();
    let read = || crucible::Document::read(&bytes, &options);
    let c = || -> Vec<_> {
        let unpacked = packed.iter().map(|(packed, size)| {
            let mut buffer = vec![0u8; *size];
            lz4::block::decompress_to_buffer(packed, Some(*size as i32), &mut buffer).map(|_| buffer)
        });
        unpacked.collect()
    };
    bench.pair("crucible/read", size, || one.install(read), "C LZ4_decompress_safe", c);
    bench.pair("crucible/read parallel", size, || two.install(read), "one thread", || one.install(read));
    let options = WriteOptions::default();
    let compress = || {
        let mut file = vec![0u8; most];
        let mut end = 0;
        for stream in &raw {
            end += lz4_flex::block::compress_into(stream, &mut file[end..]).unwrap_or(0);
        }
        file.truncate(end);
        file
    };
    bench.pair("crucible/write", size, || document.write(&options), "lz4_flex", compress);
    Ok(())
}

/// Counts fields.
struct Count(u64);

impl Visitor for Count {
    fn leaf(&mut self, _: &Node, _: &Value) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

fn walker_rows(bench: &mut Bench) -> Result<(), Error> {
    let document = Document::Mesh(mesh_document()?);
    let bytes = document.write(&WriteOptions::default())?;
    let layout = document.format().layout_of(&bytes, None).ok_or("no layout")?;
    let count = || {
        let mut count = Count(0);
        walk(layout, &bytes, &Limits::default(), &mut count).map(|_| count.0)
    };
    let fields = count()?;
    bench.pair("layout/walk (fields)", fields, count, "copy", || bytes.to_vec());
    Ok(())
}

/// One file, whatever its name.
struct Single(PathBuf);

impl Files for Single {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        std::fs::read(&self.0)
    }

    fn create(&mut self, _: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(File::create(&self.0)?))
    }
}

/// Conversion into a file, against decoding and writing as many bytes as they are.
fn gltf_rows(bench: &mut Bench) -> Result<(), Error> {
    let documents = [
        ("mesh to glb", Document::Mesh(mesh_document()?)),
        ("crucible to glb", Document::Crucible(crucible_document())),
    ];
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("out");
    let options = SceneOptions::default();
    for (name, document) in documents {
        let (format, bytes) = (document.format(), document.write(&WriteOptions::default())?);
        drop(document);
        let decode = || format.read(&bytes, &ReadOptions::default());
        let convert = || -> Result<(), Error> {
            let (scene, _) = decode()?.into_scene(&options)?;
            Interchange::Glb.write(scene, "out", &mut Single(path.clone()), &options)?;
            Ok(())
        };
        convert()?;
        let size = std::fs::metadata(&path)?.len();
        let content = vec![1_u8; size as usize];
        let yardstick = || -> Result<Document, Error> {
            let document = decode()?;
            File::create(&path)?.write_all(&content)?;
            Ok(document)
        };
        bench.pair(name, size, convert, "decode and write", yardstick);
    }
    Ok(())
}
