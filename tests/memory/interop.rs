//! Reading damaged OBJ, PLY and STL files never panics, returns clear errors, and uses bounded memory.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use meshspec::ErrorKind;
use meshspec::interop::Interchange::{self, Obj, Ply, Stl};

use crate::common::Mutator;
use crate::{MEBIBYTE, measure_peak};

pub fn trials() -> Vec<Trial> {
    trials![damaged_files]
}

const OBJ: &str = "mtllib a.mtl\no cube\nv 0 0 0\nv 1 0 0 1\nv 1 1 0 1 0.5 0\nv 0 1 0\nvt 0 0\nvt 1 0.5\nvn 0 0 1\n\
                   usemtl red\nf 1/1/1 2/2/1 3/1/1 4/2/1\ng left\ns 1\nf -1 -2 -3\nl 1 2\n";
const MTL: &str = "newmtl red\nKd 1 0.5 0\nNs 10\n";
const ASCII_STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
                         endfacet\nendsolid a\n";
const ASCII_PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty short z\n\
                         property uchar red\nproperty uchar green\nproperty uchar blue\nproperty list uchar int l\n\
                         element face 1\nproperty list uchar int vertex_indices\nend_header\n\
                         0 0 0 1 2 3 0\n1 0 0 1 2 3 1 7\n0 1 0 1 2 3 0\n3 0 1 2\n";

fn folder(library: &[u8]) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([("a.mtl".to_owned(), library.to_vec())])
}

/// Returns files of each format and encoding.
fn files() -> Vec<(Interchange, Vec<u8>)> {
    let (scene, _) = Obj
        .read(
            OBJ.as_bytes(),
            &folder(MTL.as_bytes()),
            &Default::default(),
            &Default::default(),
        )
        .unwrap();
    let mut files: Vec<_> = [(Obj, OBJ), (Stl, ASCII_STL), (Ply, ASCII_PLY)]
        .map(|(format, text)| (format, text.into()))
        .into();
    for format in [Obj, Ply, Stl] {
        let mut folder = BTreeMap::new();
        format
            .write(scene.clone(), "a", &mut folder, &Default::default())
            .unwrap();
        files.push((format, folder["a"].clone()));
    }
    let big = [
        "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty int y\n",
        "end_header\n",
    ];
    files.push((
        Ply,
        [big.concat().as_bytes(), &[0x3f, 0x80, 0, 0, 0, 0, 0, 1]].concat(),
    ));
    files
}

/// Reads a file, and writes its scene in all formats. Errors must have a location. Returns `true` if the file can be
/// read.
fn read(format: Interchange, bytes: &[u8], library: &[u8]) -> bool {
    let folder = folder(library);
    let (result, memory) =
        measure_peak(|| format.read(bytes, &folder, &Default::default(), &Default::default()));
    assert!(
        memory < MEBIBYTE,
        "{format}: {memory} bytes for {}",
        bytes.len()
    );
    match result {
        Ok((scene, _)) => {
            scene
                .check()
                .unwrap_or_else(|error| panic!("{format}: {error}"));
            for target in Interchange::ALL {
                let written = target.write(
                    scene.clone(),
                    "a",
                    &mut BTreeMap::new(),
                    &Default::default(),
                );
                assert!(
                    written.is_ok_and(|_| true) || *target != Ply,
                    "PLY stores every number"
                );
            }
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
            let span = error
                .span()
                .unwrap_or_else(|| panic!("no location: {error}"));
            assert!(span.range().start <= span.range().end, "{error}");
            false
        }
    }
}

fn damaged_files() {
    let files = files();
    let (mut rejected, mut accepted) = (0, 0);
    let mut count = |accept: bool| if accept { accepted += 1 } else { rejected += 1 };
    for (format, file) in &files {
        for length in 0..file.len() {
            count(read(*format, &file[..length], MTL.as_bytes()));
        }
    }
    let mut mutator = Mutator::new(7);
    for round in 0..20_000 {
        let (format, file) = &files[round % files.len()];
        count(read(*format, &mutator.mutate(file), MTL.as_bytes()));
        if round % 10 == 0 {
            count(read(Obj, OBJ.as_bytes(), &mutator.mutate(MTL.as_bytes())));
        }
    }
    assert!(
        rejected > 2000 && accepted > 2000,
        "{rejected} rejected, {accepted} accepted"
    );

    // Reads every file as each of the formats.
    for (_, file) in &files {
        for format in [Obj, Ply, Stl] {
            read(format, file, b"");
        }
    }
}
