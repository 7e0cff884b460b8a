//! The rows of conversions to and from GLB.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use meshspec::bmd::{self, VertexColumns};
use meshspec::bulk::{self, PlainData};
use meshspec::interop::{Files, Interchange};
use meshspec::scene::SceneOptions;
use meshspec::{AnyFormat, Document, Limits, ReadOptions, WriteOptions, mesh as mesh_format, seed};
use serde_json::Value;

use super::{crucible, iyma, mesh};
use crate::{Bench, Error, Sheet, sheet};

/// A file store that reads and writes the same file for every name.
struct SingleFile(PathBuf);

impl Files for SingleFile {
    fn read(&self, _: &str, _: u64) -> io::Result<Vec<u8>> {
        std::fs::read(&self.0)
    }

    fn create(&mut self, _: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(File::create(&self.0)?))
    }
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    add_rows_to_glb(bench)?;
    add_rows_from_glb(bench)
}

/// Adds the rows that convert to a GLB file. The baseline decodes the document and writes the same number of bytes.
fn add_rows_to_glb(bench: &mut Bench) -> Result<(), Error> {
    let options = SceneOptions::default();
    // The largest sheet that fits in a BMD image.
    let (scene, _) = Document::Iyma(iyma::document(sheet(400))?).into_scene(&options)?;
    let (bmd, _) = Document::from_scene(bmd::FORMAT, scene, &options)?;
    let documents = [
        ("gltf/from mesh", Document::Mesh(mesh::document()?)),
        (
            "gltf/from crucible",
            Document::Crucible(crucible::document(sheet(950))),
        ),
        ("gltf/from bmd", bmd),
        (
            "gltf/from iyma",
            Document::Iyma(iyma::document(sheet(1000))?),
        ),
    ];
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("out");
    for (name, document) in documents
        .into_iter()
        .filter(|(name, _)| bench.is_selected(name))
        .collect::<Vec<_>>()
    {
        let (format, bytes) = (document.format(), document.write(&WriteOptions::default())?);
        drop(document);
        let read = || Document::read(format, &bytes, &ReadOptions::default());
        let convert = || -> Result<(), Error> {
            let (scene, _) = read()?.into_scene(&options)?;
            Interchange::Glb.write(scene, "out", &mut SingleFile(path.clone()), &options)?;
            Ok(())
        };
        convert()?;
        let size = std::fs::metadata(&path)?.len();
        let content = vec![1_u8; size as usize];
        let baseline = || -> Result<_, Error> {
            let document = read()?;
            let unpacked = unpack(&document);
            File::create(&path)?.write_all(&content)?;
            Ok((document, unpacked))
        };
        bench.add_row(name, size, convert, "decode and write", baseline);
    }
    Ok(())
}

/// Decodes the packed vertices and faces of a BMD document; empty for other documents.
fn unpack(document: &Document) -> Vec<(VertexColumns, Vec<[u32; 3]>)> {
    let Document::Bmd(document) = document else {
        return Vec::new();
    };
    let meshes = document.meshes.iter();
    meshes
        .map(|mesh| (mesh.vertices.columns(), mesh.faces.triangles()))
        .collect()
}

/// Adds the rows that convert a GLB in memory. The baseline copies its columns and writes a document with them.
fn add_rows_from_glb(bench: &mut Bench) -> Result<(), Error> {
    let options = SceneOptions::default();
    let rows = [
        (
            "gltf/to mesh",
            meshspec::mesh::FORMAT,
            Document::Mesh(mesh::document()?),
        ),
        (
            "gltf/to crucible",
            meshspec::crucible::FORMAT,
            Document::Crucible(crucible::document(sheet(950))),
        ),
        (
            "gltf/to seed",
            seed::FORMAT,
            Document::Iyma(iyma::document(sheet(448))?),
        ),
        (
            "gltf/to iyma",
            meshspec::iyma::FORMAT,
            Document::Iyma(iyma::document(sheet(1000))?),
        ),
        // The largest sheet that fits in a BMD mesh.
        (
            "gltf/to bmd",
            bmd::FORMAT,
            Document::Iyma(iyma::document(sheet(180))?),
        ),
    ];
    for (name, format, document) in rows
        .into_iter()
        .filter(|(name, ..)| bench.is_selected(name))
        .collect::<Vec<_>>()
    {
        let mut files = BTreeMap::new();
        Interchange::Glb.write(
            document.into_scene(&options)?.0,
            "glb",
            &mut files,
            &options,
        )?;
        let glb = files.remove("glb").ok_or("no GLB")?;
        let convert = || -> Result<_, Error> {
            let (scene, _) = Interchange::Glb.read(&glb, &files, &options, &Limits::default())?;
            let (document, _) = Document::from_scene(format, scene, &options)?;
            Ok(document.write(&WriteOptions::default())?)
        };
        let baseline = || -> Result<_, Error> {
            Ok(document_from_columns(format, parse_columns(&glb)?)?
                .write(&WriteOptions::default())?)
        };
        let (size, expected) = (convert()?.len(), baseline()?.len());
        // Sizes differ slightly: flipped texture coordinates pack differently, and BMD avoids degenerate triangles.
        if size.abs_diff(expected) > expected / 8 {
            return Err(format!("{name}: {size} bytes, but the baseline writes {expected}").into());
        }
        bench.add_row(name, glb.len() as u64, convert, "parse and write", baseline);
    }
    Ok(())
}

/// The columns of the only mesh in a GLB.
struct Columns {
    sheet: Sheet,
    joint_ids: Option<Vec<[u8; 4]>>,
    joint_weights: Option<Vec<[u8; 4]>>,
}

/// Parses the columns from the buffer views of a valid file.
fn parse_columns(glb: &[u8]) -> Result<Columns, Error> {
    let length = u32::from_le_bytes(*glb[12..].first_chunk().ok_or("no length")?) as usize;
    let (json, binary): (Value, _) = (
        serde_json::from_slice(&glb[20..20 + length])?,
        &glb[28 + length..],
    );
    fn column<T: PlainData>(json: &Value, binary: &[u8], accessor: &Value) -> Option<Vec<T>> {
        let view = json["accessors"][accessor.as_u64()? as usize]["bufferView"].as_u64()?;
        let view = &json["bufferViews"][view as usize];
        let (start, length) = (
            view["byteOffset"].as_u64()? as usize,
            view["byteLength"].as_u64()? as usize,
        );
        Some(bulk::to_vec(binary.get(start..start + length)?))
    }
    let primitive = &json["meshes"][0]["primitives"][0];
    let attributes = &primitive["attributes"];
    let index_accessor = &primitive["indices"];
    let is_narrow =
        json["accessors"][index_accessor.as_u64().unwrap_or(0) as usize]["componentType"] == 5123;
    let indices = if is_narrow {
        column::<u16>(&json, binary, index_accessor)
            .map(|indices| indices.into_iter().map(u32::from).collect())
    } else {
        column(&json, binary, index_accessor)
    };
    Ok(Columns {
        sheet: Sheet {
            positions: column(&json, binary, &attributes["POSITION"]).ok_or("no positions")?,
            normals: column(&json, binary, &attributes["NORMAL"]).ok_or("no normals")?,
            uvs: column(&json, binary, &attributes["TEXCOORD_0"])
                .ok_or("no texture coordinates")?,
            indices: indices.ok_or("no indices")?,
        },
        joint_ids: column(&json, binary, &attributes["JOINTS_0"]),
        joint_weights: column(&json, binary, &attributes["WEIGHTS_0"]),
    })
}

/// Returns a document of a format with the given columns.
fn document_from_columns(format: AnyFormat, columns: Columns) -> Result<Document, Error> {
    let Columns {
        sheet,
        joint_ids,
        joint_weights,
    } = columns;
    Ok(match format.name() {
        "mesh" => {
            let Sheet {
                positions,
                normals,
                uvs,
                indices,
            } = sheet;
            let mut columns = mesh_format::Columns {
                positions,
                normals: Some(normals),
                uvs: Some(uvs),
                ..Default::default()
            };
            (columns.joint_ids, columns.joint_weights) = (joint_ids, joint_weights);
            let vertices = mesh_format::Vertices::from_columns(&columns)?;
            Document::Mesh(mesh_format::Document {
                vertices,
                indices,
                joints: mesh::joints(),
                ..Default::default()
            })
        }
        "crucible" => Document::Crucible(crucible::document(sheet)),
        "seed" => Document::Seed(seed::Document {
            positions: sheet.positions,
            normals: sheet.normals,
            uvs: vec![sheet.uvs],
            faces: sheet.indices.as_chunks().0.to_vec(),
            ..Default::default()
        }),
        "iyma" => Document::Iyma(iyma::document(sheet)?),
        "bmd" => {
            let Sheet {
                positions,
                normals,
                uvs,
                indices,
            } = sheet;
            let attributes = bmd::Attributes {
                positions,
                normals: Some(normals),
                st: Some(uvs),
                ..Default::default()
            };
            let (sizes, tolerance) = (bmd::VertexSizes::PerVertex, bmd::Tolerance::default());
            let (vertices, _) =
                bmd::Vertices::encode(&attributes, bmd::Surface::Textured, sizes, &tolerance)?;
            let faces: Vec<_> = indices
                .as_chunks()
                .0
                .iter()
                .copied()
                .map(bmd::Face::Triangle)
                .collect();
            let mesh = bmd::Mesh::new(Some("".into()), vertices, bmd::Faces::encode(&faces)?);
            Document::Bmd(bmd::Document {
                meshes: vec![mesh],
                ..Default::default()
            })
        }
        other => return Err(format!("no baseline for {other}").into()),
    })
}
