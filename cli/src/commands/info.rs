//! `meshspec info`: what is in a file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use meshspec::info::{AnimationInfo, MeshInfo, Property, SkeletonInfo};
use meshspec::{Dialect, FormatId};
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::input::{self, Reading, name_of};
use crate::per_file::{self, FileResult};
use crate::sections::{self, Parts};
use crate::terminal::{Escaped, TITLE, counted};

/// Show what is in files: counts, attributes, bounds, skeleton, animations, sizes.
#[derive(Debug, Args)]
pub struct Info {
    /// The files; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print data for other programs.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct FileInfo {
    file: String,
    size: u64,
    format: FormatId,
    dialect: Dialect,
    meshes: Vec<Mesh>,
    skeleton: Option<SkeletonInfo>,
    animations: Vec<AnimationInfo>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
    #[serde(flatten)]
    parts: Parts,
}

#[derive(Serialize)]
struct Mesh {
    #[serde(flatten)]
    info: MeshInfo,
    /// Whole triangles that the indices make.
    triangles: u64,
}

impl From<MeshInfo> for Mesh {
    fn from(info: MeshInfo) -> Mesh {
        Mesh { triangles: info.indices / 3, info }
    }
}

impl Info {
    pub fn run(&self) -> Result<Status> {
        per_file::run(&self.files, self.json, |path| self.look_at(path))
    }

    fn look_at(&self, path: &Path) -> Result<FileInfo> {
        let bytes = input::read(path)?;
        let format = self.reading.format_of(&bytes, path)?;
        let options = self.reading.options();
        let document = format
            .read(&bytes, &options)
            .map_err(|error| Failure::in_file(&name_of(path), &error, &bytes))?;
        let info = document.info();
        let layout = format.layout_of(&bytes, Some(info.dialect));
        Ok(FileInfo {
            file: path.display().to_string(),
            size: bytes.len() as u64,
            format,
            dialect: info.dialect,
            meshes: info.meshes.into_iter().map(Mesh::from).collect(),
            skeleton: info.skeleton,
            animations: info.animations,
            properties: info.properties,
            parts: layout.map(|layout| sections::parts(layout, &bytes, &options.limits)).unwrap_or_default(),
        })
    }
}

impl FileResult for FileInfo {
    fn status(&self) -> Status {
        Status::Fine
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let title = self.format.about().title;
        let size = bytes(self.size);
        writeln!(out, "{TITLE}{}{TITLE:#}: {title}, dialect {}, {size}", Escaped(&self.file), self.dialect)?;
        for (index, mesh) in self.meshes.iter().enumerate() {
            mesh.print(index, out)?;
        }
        if let Some(skeleton) = &self.skeleton {
            let joints = counted(skeleton.joints, "joint", "joints");
            writeln!(out, "  skeleton: {joints}, {}", counted(skeleton.roots, "root", "roots"))?;
        }
        for (index, animation) in self.animations.iter().enumerate() {
            print_animation(index, animation, out)?;
        }
        for Property { name, value } in &self.properties {
            writeln!(out, "  {name}: {value}")?;
        }
        print_parts(&self.parts, out)
    }
}

impl Mesh {
    fn print(&self, index: usize, out: &mut impl Write) -> io::Result<()> {
        let Mesh { info, triangles } = self;
        write!(out, "  mesh {index}: {}", counted(info.vertices, "vertex", "vertices"))?;
        if let Some(start) = info.start {
            write!(out, " from {}", start.first_vertex)?;
        }
        match info.index_bits {
            0 => write!(out, ", no indices")?,
            bits => write!(out, ", {} of {bits} bits", counted(info.indices, "index", "indices"))?,
        }
        if let (Some(start), 1..) = (info.start, info.index_bits) {
            write!(out, " from {}", start.first_index)?;
        }
        match info.index_bits {
            0 => writeln!(out)?,
            _ => writeln!(out, ", {}", counted(*triangles, "triangle", "triangles"))?,
        }
        for attribute in &info.attributes {
            let name = Escaped(&attribute.name).to_string();
            writeln!(out, "    {name:<15} {}", attribute.components)?;
        }
        match &info.bounds {
            Some(bounds) => writeln!(out, "    {:<15} {:?} to {:?}", "bounds", bounds.min, bounds.max),
            None => Ok(()),
        }
    }
}

fn print_animation(index: usize, animation: &AnimationInfo, out: &mut impl Write) -> io::Result<()> {
    write!(out, "  animation {index}")?;
    if let Some(name) = &animation.name {
        write!(out, " \"{}\"", Escaped(name))?;
    }
    write!(out, ": {} ticks", animation.ticks)?;
    if let Some(seconds) = animation.seconds {
        write!(out, ", {seconds} s")?;
    }
    writeln!(out, ", {}", counted(animation.poses, "pose", "poses"))
}

fn print_parts(Parts { sections, packed }: &Parts, out: &mut impl Write) -> io::Result<()> {
    // A text has none.
    if !sections.is_empty() {
        writeln!(out, "  sections:")?;
    }
    for section in sections {
        let path = section.path.as_deref().unwrap_or("(no field)");
        let range = format!("{:#x}..{:#x}", section.start, section.end);
        writeln!(out, "    {path:<15} {range:<20} {}", bytes(section.size()))?;
    }
    if packed.blocks.is_empty() {
        return Ok(());
    }
    let blocks = counted(packed.blocks.len() as u64, "block", "blocks");
    writeln!(out, "  packed: {blocks}, {}, {} unpacked", bytes(packed.size), bytes(packed.unpacked_size))?;
    for block in &packed.blocks {
        let range = format!("{:#x}..{:#x}", block.start, block.end);
        let (size, unpacked) = (bytes(block.end - block.start), bytes(block.unpacked_size));
        writeln!(out, "    {:<15} {range:<20} {size}, {unpacked} unpacked", block.path)?;
    }
    Ok(())
}

fn bytes(size: u64) -> String {
    counted(size, "byte", "bytes")
}
