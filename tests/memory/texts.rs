//! Memory of reading large Seed files and invalid text files.

use libtest_mimic::Trial;
use meshspec::ReadOptions;

use crate::common::Mutator;
use crate::damaged::read;
use crate::{MEBIBYTE, measure_peak};

pub fn trials() -> Vec<Trial> {
    let mut trials = trials![texts_use_the_result_and_32_mebibytes];
    // Takes ten seconds of processor time: `.ci/run` runs it.
    trials.extend(
        trials![junk_uses_bounded_memory]
            .into_iter()
            .map(|trial| trial.with_ignored_flag(true)),
    );
    trials
}

/// Returns a valid Seed file with `vertices` vertices and twice as many faces.
fn seed_text(vertices: usize) -> Vec<u8> {
    let mut text = String::from("[name]=Large\n");
    for i in 0..vertices {
        text += &format!("p {i}.25, -1.5, 0.125\nn 0,0,1\nu0 0.5,0.5\n");
    }
    for i in 0..2 * vertices {
        text += &format!("f {}, {}, 2\n", i % vertices, (i + 1) % vertices);
    }
    text.into_bytes()
}

fn texts_use_the_result_and_32_mebibytes() {
    let vertices = 400_000;
    let text = seed_text(vertices);
    let decoded = vertices * (12 + 12 + 8 + 2 * 12);
    for options in [ReadOptions::default(), ReadOptions::lenient()] {
        let (result, memory) =
            measure_peak(|| meshspec::seed::FORMAT.read(&text, &options).unwrap());
        assert!(
            memory <= decoded + 32 * MEBIBYTE,
            "{memory} bytes for {decoded}"
        );
        assert_eq!(result.info().meshes[0].vertices, vertices as u64);
    }
}

fn junk_uses_bounded_memory() {
    let size = 3 * MEBIBYTE;
    let mut random = Mutator::new(5);
    let repeated = |unit: &[u8]| unit.repeat(size / unit.len());
    // Each thread keeps a piece of the text in memory.
    let two = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    for (what, junk, most) in [
        (
            "bytes",
            (0..size).map(|_| random.below(256) as u8).collect(),
            MEBIBYTE,
        ),
        ("lines", repeated(b"x\n"), size - MEBIBYTE),
        ("blank lines", repeated(b"\n"), MEBIBYTE),
        (
            "alternating lines",
            repeated(b"q 1\n#\nr 2\n\n"),
            size - MEBIBYTE,
        ),
        (
            "a line",
            [b"p 1,2,3 ".to_vec(), repeated(b"9")].concat(),
            2 * MEBIBYTE,
        ),
        ("zeros", repeated(b"\0"), 2 * MEBIBYTE),
        ("UTF-16", repeated(b"p\0 \x001\0,\0"), MEBIBYTE),
    ] {
        let check =
            || meshspec::check(&junk, meshspec::seed::FORMAT, &ReadOptions::default()).unwrap();
        let (report, memory) = measure_peak(|| two.install(check));
        assert!(
            report.errors() > 0 && memory <= most,
            "{what}: {memory} bytes"
        );
        let (result, memory) = measure_peak(|| two.install(|| read(meshspec::seed::FORMAT, &junk)));
        assert!(result.is_err() && memory <= most, "{what}: {memory} bytes");
    }
}
