//! Writes the seeds of the fuzz targets to `fuzz/corpus/`: the samples, their values as JSON, and their scenes in
//! the interchange formats.
//!
//! `cargo run --all-features --example fuzz_seeds`, before `cargo fuzz run` (see CONTRIBUTING.md).

#[allow(dead_code, reason = "the fuzz targets use the other items")]
#[path = "../fuzz/src/input.rs"]
mod input;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use input::Input;
use meshspec::Formats;
use meshspec::interop::Interchange;

/// The targets for files of the five formats. The first byte of their inputs selects format and dialect.
const CODEC_TARGETS: [&str; 7] = [
    "read", "verdicts", "rewrite", "walker", "assemble", "json", "scenes",
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for format in Formats::BUILT_IN {
        for entry in fs::read_dir(root.join("samples").join(format.name()))? {
            let entry = entry?;
            let (name, bytes) = (entry.file_name(), fs::read(entry.path())?);
            let data = Input::detected(*format, &bytes)
                .to_data()
                .ok_or("a dialect that the format lacks")?;
            for target in CODEC_TARGETS {
                write_seed(root, target, &name.to_string_lossy(), &data)?;
            }
            let document = format.read(&bytes, &Default::default())?;
            let mut json = Vec::new();
            document.write_json(&Default::default(), &mut json)?;
            let json_name = format!("{}.json", name.to_string_lossy());
            write_seed(root, "json", &json_name, &json)?;
            let (scene, _) = document.into_scene(&Default::default())?;
            for interchange in Interchange::ALL {
                let target = if *interchange == Interchange::Glb {
                    "gltf"
                } else {
                    interchange.name()
                };
                let name = format!("{}.{interchange}", name.to_string_lossy());
                let mut files = BTreeMap::new();
                interchange.write(scene.clone(), &name, &mut files, &Default::default())?;
                write_seed(root, target, &name, &files[&name])?;
            }
        }
    }
    Ok(())
}

fn write_seed(root: &Path, target: &str, name: &str, data: &[u8]) -> std::io::Result<()> {
    let folder = root.join("fuzz/corpus").join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), data)
}
