//! Measures relative throughput: for each row, runs the measured code and a baseline alternately, and prints the median
//! ratio.
//!
//! `cargo bench --bench throughput --all-features -- [START] [--json FILE] [--against PROGRAM]`. START is a subject,
//! such as `seed`, or a longer prefix of row names, such as `seed/check`. PROGRAM is an earlier build of this
//! benchmark.
//!
//! A ratio above 1.0 means that the measured code is faster. The range of the ratios follows, without the
//! lowest and the highest quarter. Measured code and baseline allocate new buffers of the same sizes in every run.

mod against;
mod rows;

use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 21;

type Error = Box<dyn std::error::Error>;

/// A function that adds the rows of a subject.
type AddRows = fn(&mut Bench) -> Result<(), Error>;

/// The subjects: the prefix of their row names, and the function that adds the rows.
const SUBJECTS: [(&str, AddRows); 7] = [
    ("mesh", rows::mesh::add_rows),
    ("crucible", rows::crucible::add_rows),
    ("bmd", rows::bmd::add_rows),
    ("iyma", rows::iyma::add_rows),
    ("seed", rows::seed::add_rows),
    ("layout", rows::layout::add_rows),
    ("gltf", rows::gltf::add_rows),
];

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let json = arguments
        .iter()
        .position(|a| a == "--json")
        .and_then(|i| arguments.get(i + 1));
    let against = arguments
        .iter()
        .position(|a| a == "--against")
        .and_then(|i| arguments.get(i + 1));
    let filter = arguments.first().filter(|a| !a.starts_with("--"));
    println!("{}", describe_machine());
    if let Some(program) = against {
        return against::compare(program.as_ref(), filter.map(|filter| &**filter));
    }
    let mut bench = Bench {
        rows: Vec::new(),
        filter: filter.cloned(),
        rounds: ROUNDS,
    };
    for (subject, add_rows) in SUBJECTS {
        if bench
            .filter
            .as_ref()
            .is_none_or(|filter| filter.starts_with(subject))
        {
            add_rows(&mut bench)?;
        }
    }
    if let Some(file) = json {
        std::fs::write(file, bench.to_json())?;
    }
    Ok(())
}

/// Returns the processor model, the number of cores, the operating system and the architecture.
fn describe_machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split(": ").nth(1));
    let (os, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    format!(
        "{}, {cores} cores, {os} on {architecture}",
        model.unwrap_or("unknown processor")
    )
}

/// The median of measurements, and their range.
struct Spread {
    lowest: f64,
    median: f64,
    highest: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        Spread {
            lowest: values[0],
            median: values[values.len() / 2],
            highest: values[values.len() - 1],
        }
    }

    /// Returns the spread without the lowest and the highest quarter of the values.
    fn of_middle(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let quarter = values.len() / 4;
        Spread::of(values[quarter..values.len() - quarter].to_vec())
    }
}

struct Row {
    name: &'static str,
    /// The number of bytes per run; in some rows, of fields, vertices or faces.
    amount: u64,
    seconds: f64,
    baseline: &'static str,
    ratio: Spread,
}

struct Bench {
    rows: Vec<Row>,
    filter: Option<String>,
    rounds: usize,
}

impl Bench {
    fn is_selected(&self, name: &str) -> bool {
        self.filter
            .as_ref()
            .is_none_or(|filter| name.starts_with(&**filter))
    }

    /// Runs `ours` and the baseline `theirs` alternately, prints the row and adds it. The results of both are dropped
    /// outside the measured time. `amount` is the number of bytes or items that each run processes.
    fn add_row<A, B>(
        &mut self,
        name: &'static str,
        amount: u64,
        ours: impl FnMut() -> A,
        baseline: &'static str,
        theirs: impl FnMut() -> B,
    ) {
        self.add_scaled_row(name, amount, ours, baseline, theirs, 1.0);
    }

    /// Like [`add_row`](Bench::add_row), but multiplies ratios by `scale`, for baselines with more or less work.
    fn add_scaled_row<A, B>(
        &mut self,
        name: &'static str,
        amount: u64,
        mut ours: impl FnMut() -> A,
        baseline: &'static str,
        mut theirs: impl FnMut() -> B,
        scale: f64,
    ) {
        if !self.is_selected(name) {
            return;
        }
        let mut seconds = Vec::new();
        let mut ratios = Vec::new();
        for _ in 0..self.rounds {
            let (a, b) = (measure_seconds(&mut ours), measure_seconds(&mut theirs));
            seconds.push(a);
            ratios.push(scale * b / a);
        }
        let (seconds, ratio) = (Spread::of(seconds).median, Spread::of_middle(ratios));
        println!(
            "{name:<32} {:>7.1} M/s   {:>5.2} × {baseline} ({:.2}–{:.2})",
            amount as f64 / seconds / 1e6,
            ratio.median,
            ratio.lowest,
            ratio.highest
        );
        self.rows.push(Row {
            name,
            amount,
            seconds,
            baseline,
            ratio,
        });
    }

    fn to_json(&self) -> String {
        let rows = self.rows.iter().map(|Row { name, amount, seconds, baseline, ratio }| {
            let Spread { lowest, median, highest } = ratio;
            format!(
                "  {{\"name\": \"{name}\", \"bytes\": {amount}, \"seconds\": {seconds:.6}, \"yardstick\": \"{baseline}\", \
                 \"ratio\": {median:.3}, \"spread\": [{lowest:.3}, {highest:.3}]}}"
            )
        });
        format!("[\n{}\n]\n", rows.collect::<Vec<_>>().join(",\n"))
    }
}

fn measure_seconds<T>(work: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    let result = black_box(work());
    let seconds = start.elapsed().as_secs_f64();
    drop(result);
    seconds
}

/// A wavy sheet with slight noise, like a scan or sculpted terrain.
struct Sheet {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

/// Returns a sheet of `side`² vertices.
fn sheet(side: usize) -> Sheet {
    let mut state = 1u32;
    let mut noise = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 16_777_216.0
    };
    let mut sheet = Sheet {
        positions: Vec::new(),
        normals: Vec::new(),
        uvs: Vec::new(),
        indices: Vec::new(),
    };
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
