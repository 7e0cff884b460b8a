//! Runs the fuzz targets with inputs that once failed, and with the samples.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use crate::fuzz::TARGETS;

/// The inputs are in `fuzz/kept/TARGET/`; CONTRIBUTING.md describes how to add one.
#[test]
fn kept_inputs_pass() {
    let kept = Path::new(crate::common::ROOT).join("fuzz/kept");
    let mut replayed = 0;
    for folder in fs::read_dir(kept).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name();
        let known = TARGETS.iter().find(|(target, _)| name == **target);
        let (target, run) = known.unwrap_or_else(|| panic!("no target {}", name.display()));
        for entry in fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let data = fs::read(&path).unwrap();
            assert!(
                catch_unwind(|| run(&data)).is_ok(),
                "{target} fails with {}",
                path.display()
            );
            replayed += 1;
        }
    }
    assert!(replayed > 0);
}

/// No target fails with the samples or empty input.
#[test]
fn samples_pass() {
    for (format, bytes) in crate::common::samples() {
        let data = crate::fuzz::Input::detected(format, &bytes)
            .to_data()
            .unwrap();
        TARGETS.iter().for_each(|(_, run)| run(&data));
    }
    TARGETS.iter().for_each(|(_, run)| run(&[]));
}
