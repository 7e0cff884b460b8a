//! The rows of conversion to GLB.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use meshspec::bmd::VertexColumns;
use meshspec::interop::{Files, Interchange};
use meshspec::scene::SceneOptions;
use meshspec::{Document, FormatId, ReadOptions, WriteOptions};

use super::{crucible, iyma, mesh};
use crate::{Bench, Error};

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
pub fn rows(bench: &mut Bench) -> Result<(), Error> {
    let options = SceneOptions::default();
    // As large a sheet as an image of BMD holds.
    let (sheet, _) = Document::Iyma(iyma::document(400)?).into_scene(&options)?;
    let (bmd, _) = Document::from_scene(FormatId::Bmd, sheet, &options)?;
    let documents = [
        ("gltf/from mesh", Document::Mesh(mesh::document()?)),
        ("gltf/from crucible", Document::Crucible(crucible::document())),
        ("gltf/from bmd", bmd),
        ("gltf/from iyma", Document::Iyma(iyma::document(1000)?)),
    ];
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("out");
    for (name, document) in documents.into_iter().filter(|(name, _)| bench.wants(name)).collect::<Vec<_>>() {
        let (format, bytes) = (document.format(), document.write(&WriteOptions::default())?);
        drop(document);
        let read = || format.read(&bytes, &ReadOptions::default());
        let convert = || -> Result<(), Error> {
            let (scene, _) = read()?.into_scene(&options)?;
            Interchange::Glb.write(scene, "out", &mut Single(path.clone()), &options)?;
            Ok(())
        };
        convert()?;
        let size = std::fs::metadata(&path)?.len();
        let content = vec![1_u8; size as usize];
        let yardstick = || -> Result<_, Error> {
            let document = read()?;
            let unpacked = unpack(&document);
            File::create(&path)?.write_all(&content)?;
            Ok((document, unpacked))
        };
        bench.pair(name, size, convert, "decode and write", yardstick);
    }
    Ok(())
}

/// What is still packed in a document that has been read, decoded: the vertices and faces of BMD.
fn unpack(document: &Document) -> Vec<(VertexColumns, Vec<[u32; 3]>)> {
    let Document::Bmd(document) = document else { return Vec::new() };
    let meshes = document.meshes.iter();
    meshes.map(|mesh| (mesh.vertices.columns(), mesh.faces.triangles())).collect()
}
