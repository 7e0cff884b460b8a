//! Compares this benchmark with an earlier build. The two programs run alternately, so that other load affects both.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Error, Spread};

const REPETITIONS: usize = 5;

/// Prints the speedup of this program over `binary` for each row that both have.
pub fn compare(binary: &Path, filter: Option<&str>) -> Result<(), Error> {
    let this = std::env::current_exe()?;
    let mut ratios = BTreeMap::<String, Vec<f64>>::new();
    for _ in 0..REPETITIONS {
        let (new, old) = (measure_rows(&this, filter)?, measure_rows(binary, filter)?);
        for (name, new) in new {
            if let Some(old) = old.get(&name) {
                ratios.entry(name).or_default().push(old / new);
            }
        }
    }
    println!("medians of {REPETITIONS} alternating runs, and the lowest and highest ratio");
    for (name, ratios) in ratios {
        let spread = Spread::of(ratios);
        println!(
            "{name:<32} {:>5.2} × before ({:.2}–{:.2})",
            spread.median, spread.lowest, spread.highest
        );
    }
    Ok(())
}

/// Runs a program once and returns the seconds that each row takes, by the name of the row.
fn measure_rows(program: &Path, filter: Option<&str>) -> Result<BTreeMap<String, f64>, Error> {
    let file = tempfile::NamedTempFile::new()?;
    let mut command = Command::new(program);
    command
        .args(filter)
        .arg("--json")
        .arg(file.path())
        .stdout(Stdio::null());
    let status = command
        .status()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !status.success() {
        return Err(format!("{}: {status}", program.display()).into());
    }
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(file.path())?)?;
    let row = |row: &serde_json::Value| {
        Some((row["name"].as_str()?.to_owned(), row["seconds"].as_f64()?))
    };
    Ok(rows.iter().filter_map(row).collect())
}
