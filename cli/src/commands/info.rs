//! `meshspec info`: summarizes the content of files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::info::{
    AnimationInfo, AttributeInfo, Info as DocumentInfo, MeshInfo, Property, PropertyValue, SceneInfo,
    SkeletonInfo,
};
use meshspec::scene::SceneOptions;
use meshspec::{Dialect, Formats};
use serde::Serialize;

use crate::batch_args::BatchArgs;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, SiblingFiles, name_of};
use crate::json;
use crate::messages::Verbosity;
use crate::output_format::OutputFormat::{self, Json, Text};
use crate::per_file::{FileResult, Files};
use crate::reading::{Bounds, Reading};
use crate::sections::{self, Parts};
use crate::terminal::{Escaped, TITLE, coordinate, counted, number, shortened};

/// The maximum number of meshes, properties and packed blocks shown per file.
const FEW: usize = 4;
/// The maximum number of names and animations shown per file.
const NAMES: usize = 10;

/// Summarize files: counts, attributes, bounds, materials, skeleton, animations and sizes.
#[derive(Debug, Args)]
pub struct Info {
    /// The files, folders of files, or patterns such as `*.glb`; `-` is standard input.
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON; short for --format json.
    #[arg(long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    json: OutputFormat,
    /// Print results in this format [default: text]
    #[arg(long, value_parser = OutputFormat::among(&[Text, Json]), conflicts_with_all = ["json", "json_lines", "log"])]
    format: Option<OutputFormat>,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    bounds: Bounds,
}

#[derive(Serialize)]
struct FileInfo {
    file: String,
    size: u64,
    format: &'static str,
    #[serde(skip)]
    title: &'static str,
    #[serde(flatten)]
    content: Content,
    #[serde(flatten)]
    parts: Parts,
    #[serde(skip)]
    verbosity: Verbosity,
}

/// The summary of a document or scene.
#[derive(Serialize)]
struct Content {
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<Dialect>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
    meshes: Vec<Mesh>,
    skeleton: Option<SkeletonInfo>,
    animations: Vec<AnimationInfo>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    materials: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    textures: Vec<String>,
}

#[derive(Serialize)]
struct Mesh {
    #[serde(flatten)]
    info: MeshInfo,
    /// The number of triangles after triangulation.
    triangles: u64,
}

impl From<DocumentInfo> for Content {
    fn from(info: DocumentInfo) -> Content {
        let mesh = |info: MeshInfo| Mesh { triangles: info.indices / 3, info };
        Content {
            dialect: Some(info.dialect),
            properties: info.properties,
            meshes: info.meshes.into_iter().map(mesh).collect(),
            skeleton: info.skeleton,
            animations: info.animations,
            materials: info.materials,
            textures: Vec::new(),
        }
    }
}

impl From<SceneInfo> for Content {
    fn from(info: SceneInfo) -> Content {
        let mesh = |(info, triangles)| Mesh { info, triangles };
        Content {
            dialect: None,
            properties: info.properties,
            meshes: info.meshes.into_iter().map(mesh).collect(),
            skeleton: info.skeleton,
            animations: info.animations,
            materials: info.materials,
            textures: info.textures,
        }
    }
}

impl Info {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        let files = Files::new(&self.batch, &self.files, "info", &(&self.reading, &self.bounds), formats)?;
        let look_at = |path: &Path| self.look_at(path, formats);
        match self.format.unwrap_or(self.json) {
            Json => files.print_json(look_at),
            _ => files.print_text(look_at),
        }
    }

    fn look_at(&self, path: &Path, formats: &Formats) -> Result<FileInfo> {
        let bytes = input::read(path)?;
        let encoding = self.reading.encoding_of(&bytes, path, formats)?;
        let options = self.reading.options(encoding, &bytes).with_limits(self.bounds.limits());
        let fail = |error| Failure::in_file(&name_of(path), &error, &bytes);
        let content = match encoding {
            Encoding::Format(format) => format.info(&bytes, &options).map_err(fail)?.into(),
            Encoding::Json => match json::read_document(&bytes) {
                Ok(document) => document.info().into(),
                Err(error) => return Err(Failure::invalid(&name_of(path), error)),
            },
            Encoding::Interchange(format) => {
                let files = SiblingFiles::new(path);
                let scene_options = SceneOptions::default().with_strictness(options.strictness);
                let (scene, _) =
                    format.read(&bytes, &files, &scene_options, &options.limits).map_err(fail)?;
                Content::from(scene.info())
            }
        };
        let layout = match encoding {
            Encoding::Format(format) => format.layout_of(&bytes, options.dialect.unwrap_or_default()),
            _ => None,
        };
        Ok(FileInfo {
            file: path.display().to_string(),
            size: bytes.len() as u64,
            format: encoding.name(),
            title: encoding.title(),
            content,
            parts: layout.map(|layout| sections::parts(layout, &bytes, &options.limits)).unwrap_or_default(),
            verbosity: self.verbosity,
        })
    }
}

impl FileResult for FileInfo {
    fn status(&self) -> Status {
        Status::Fine
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if self.verbosity.quiet {
            return Ok(());
        }
        let FileInfo { content, parts, .. } = self;
        write!(out, "{TITLE}{}{TITLE:#}: {}", Escaped(&self.file), self.title)?;
        if let Some(dialect) = content.dialect {
            write!(out, ", dialect {dialect}")?;
        }
        writeln!(out, ", {}", bytes(self.size))?;
        let few = if self.verbosity.verbose { usize::MAX } else { FEW };
        let (properties, others) = split(&content.properties, few.saturating_mul(2));
        print_properties(properties, out)?;
        print_others(others.len(), "property", "properties", out)?;
        let (meshes, others) = split(&content.meshes, few);
        for (index, mesh) in meshes.iter().enumerate() {
            mesh.print(index, out)?;
        }
        print_other_meshes(others, out)?;
        let names = if self.verbosity.verbose { usize::MAX } else { NAMES };
        for (title, list) in [("materials", &content.materials), ("textures", &content.textures)] {
            if !list.is_empty() {
                writeln!(out, "  {title}: {}", listed(list, names))?;
            }
        }
        if let Some(skeleton) = &content.skeleton {
            let joints = counted(skeleton.joints, "joint", "joints");
            write!(out, "  skeleton: {joints}, {}", counted(skeleton.roots, "root", "roots"))?;
            let colon = if skeleton.names.is_empty() { "" } else { ": " };
            writeln!(out, "{colon}{}", listed(&skeleton.names, names))?;
        }
        let (animations, others) = split(&content.animations, names);
        for (index, animation) in animations.iter().enumerate() {
            print_animation(index, animation, out)?;
        }
        print_others(others.len(), "animation", "animations", out)?;
        print_parts(parts, few, out)
    }
}

/// Splits off the first few items; all if only one more would be left.
fn split<T>(items: &[T], few: usize) -> (&[T], &[T]) {
    items.split_at(if items.len() <= few.saturating_add(1) { items.len() } else { few })
}

/// Formats names as `"a", "b" and 3 more`.
fn listed(names: &[String], few: usize) -> String {
    let (shown, others) = split(names, few);
    let shown: Vec<_> = shown.iter().map(|name| format!("\"{}\"", Escaped(&shortened(name)))).collect();
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    shown.join(", ") + &more
}

fn print_others(count: usize, one: &str, many: &str, out: &mut impl Write) -> io::Result<()> {
    if count == 0 { Ok(()) } else { writeln!(out, "  and {} more", counted(count as u64, one, many)) }
}

fn print_other_meshes(meshes: &[Mesh], out: &mut impl Write) -> io::Result<()> {
    if meshes.is_empty() {
        return Ok(());
    }
    let sum = |count: fn(&Mesh) -> u64| meshes.iter().map(count).sum();
    let count = counted(meshes.len() as u64, "mesh", "meshes");
    let vertices = counted(sum(|mesh| mesh.info.vertices), "vertex", "vertices");
    let triangles = counted(sum(|mesh| mesh.triangles), "triangle", "triangles");
    writeln!(out, "  and {count} more: {vertices}, {triangles}; --verbose lists them")
}

fn print_properties(properties: &[Property], out: &mut impl Write) -> io::Result<()> {
    if !properties.is_empty() {
        writeln!(out, "  properties:")?;
    }
    for Property { name, value } in properties {
        write!(out, "    {:<15} ", Escaped(&shortened(name)).to_string())?;
        match value {
            PropertyValue::Text(text) => writeln!(out, "\"{}\"", Escaped(&shortened(text)))?,
            PropertyValue::Bytes(size) => writeln!(out, "{}", bytes(*size))?,
            PropertyValue::Count(count) => writeln!(out, "{count}")?,
            PropertyValue::Word(word) => writeln!(out, "{word}")?,
            _ => writeln!(out)?,
        }
    }
    Ok(())
}

impl Mesh {
    fn print(&self, index: usize, out: &mut impl Write) -> io::Result<()> {
        let Mesh { info, triangles } = self;
        write!(out, "  mesh {index}: {}", counted(info.vertices, "vertex", "vertices"))?;
        if let Some(start) = info.start {
            write!(out, " from vertex {}", start.first_vertex)?;
        }
        match info.index_bits {
            0 => write!(out, ", no indices")?,
            bits => write!(
                out,
                ", {}",
                counted(info.indices, &format!("{bits}-bit index"), &format!("{bits}-bit indices"))
            )?,
        }
        if let (Some(start), 1..) = (info.start, info.index_bits) {
            write!(out, " from index {}", start.first_index)?;
        }
        if info.index_bits > 0 {
            write!(out, ", {}", counted(*triangles, "triangle", "triangles"))?;
        }
        if let Some(copies @ 2..) = info.copies {
            write!(out, ", {copies} copies")?;
        }
        writeln!(out)?;
        for (name, forms) in forms(&info.attributes) {
            writeln!(out, "    {:<15} {}", Escaped(name).to_string(), forms.join(", "))?;
        }
        match &info.bounds {
            Some(bounds) => {
                writeln!(out, "    {:<15} {} to {}", "bounds", point(bounds.min), point(bounds.max))
            }
            None => Ok(()),
        }
    }
}

/// Groups attributes by name, with all their forms, of which vertices of BMD may have several.
fn forms(attributes: &[AttributeInfo]) -> Vec<(&str, Vec<&str>)> {
    let mut list: Vec<(&str, Vec<&str>)> = Vec::new();
    for AttributeInfo { name, components } in attributes {
        match list.iter_mut().find(|(known, _)| known == name) {
            Some((_, forms)) => forms.push(components),
            None => list.push((name, vec![components])),
        }
    }
    list
}

fn point(coordinates: [f32; 3]) -> String {
    format!("[{}]", coordinates.map(coordinate).join(", "))
}

fn print_animation(index: usize, animation: &AnimationInfo, out: &mut impl Write) -> io::Result<()> {
    write!(out, "  animation {index}")?;
    if let Some(name) = &animation.name {
        write!(out, " \"{}\"", Escaped(name))?;
    }
    write!(out, ": {} ticks", number(animation.ticks))?;
    if let Some(seconds) = animation.seconds {
        write!(out, ", {} s", number(seconds))?;
    }
    writeln!(out, ", {}", counted(animation.poses, "pose", "poses"))
}

fn print_parts(Parts { sections, packed }: &Parts, few: usize, out: &mut impl Write) -> io::Result<()> {
    // Text files have no sections.
    if !sections.is_empty() {
        writeln!(out, "  sections:")?;
    }
    for section in sections {
        let path = Escaped(section.path.as_deref().unwrap_or("(no field)")).to_string();
        let range = format!("{:#x}..{:#x}", section.start, section.end);
        writeln!(out, "    {path:<15} {range:<20} {}", bytes(section.size()))?;
    }
    if packed.blocks.is_empty() {
        return Ok(());
    }
    let blocks = counted(packed.blocks.len() as u64, "block", "blocks");
    writeln!(out, "  packed: {blocks}, {}, {} unpacked", bytes(packed.size), bytes(packed.unpacked_size))?;
    let (blocks, others) = split(&packed.blocks, few.saturating_mul(2));
    for block in blocks {
        let range = format!("{:#x}..{:#x}", block.start, block.end);
        let (size, unpacked) = (bytes(block.end - block.start), bytes(block.unpacked_size));
        writeln!(
            out,
            "    {:<15} {range:<20} {size}, {unpacked} unpacked",
            Escaped(&block.path).to_string()
        )?;
    }
    print_others(others.len(), "packed block", "packed blocks", out)
}

fn bytes(size: u64) -> String {
    counted(size, "byte", "bytes")
}
