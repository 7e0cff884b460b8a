//! `meshspec info`: summarises the content of files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::info::{
    AnimationInfo, AttributeInfo, Info as DocumentInfo, MeshInfo, Property, PropertyValue,
    SceneInfo, SkeletonInfo,
};
use meshspec::scene::SceneOptions;
use meshspec::{Dialect, Formats, ReadOptions, Strictness};
use serde::Serialize;

use crate::batch_args::BatchArgs;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{SiblingFiles, name_of, text_of};
use crate::json::{self, FileFromJson};
use crate::messages::Verbosity;
use crate::output_format::OutputFormat::{self, Json};
use crate::output_format::{FilePrinter, Printers};
use crate::per_file::{FileResult, InputFiles};
use crate::read_args::{LimitArgs, ReadArgs};
use crate::readable::Readable;
use crate::sections::{self, FileSections};
use crate::terminal::{
    Escaped, TITLE, counted, format_coordinate, format_number, format_size, shortened,
};

/// The number of meshes to print per file without `--verbose`; see [`split_off_hidden`]. Twice as many properties and
/// packed blocks are printed.
const MAX_ITEMS: usize = 4;
/// The number of names to print per list, and the number of animations to print, without `--verbose`.
const MAX_NAMES: usize = 10;

/// The output formats of `info`.
const PRINTERS: Printers<FilePrinter<FileInfo>> = Printers {
    text: |files, process| files.print_text(process),
    others: &[(Json, |files, process| files.print_json(process))],
};

/// Summarise files: counts, attributes, bounds, materials, skeleton, animations and sizes.
#[derive(Debug, Args)]
pub struct Info {
    /// The files, folders or patterns such as `*.glb`; `-` is standard input.
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON; short for --format json.
    #[arg(long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    json: OutputFormat,
    /// Print results in this format [default: text]
    #[arg(long, value_parser = PRINTERS.parser(), conflicts_with_all = ["json", "json_lines", "log"])]
    format: Option<OutputFormat>,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    read_args: ReadArgs,
    #[command(flatten)]
    limit_args: LimitArgs,
}

#[derive(Serialize)]
struct FileInfo {
    file: String,
    size: u64,
    format: &'static str,
    #[serde(skip)]
    title: &'static str,
    #[serde(flatten)]
    content: ContentSummary,
    #[serde(flatten)]
    sections: FileSections,
    #[serde(skip)]
    verbosity: Verbosity,
}

/// The summary of a document or scene.
#[derive(Serialize)]
struct ContentSummary {
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<Dialect>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root_transform: Option<[[f32; 4]; 4]>,
    meshes: Vec<MeshSummary>,
    skeleton: Option<SkeletonInfo>,
    animations: Vec<AnimationInfo>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    materials: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    textures: Vec<String>,
}

#[derive(Serialize)]
struct MeshSummary {
    #[serde(flatten)]
    info: MeshInfo,
    /// The number of triangles after triangulation.
    triangles: u64,
}

impl From<DocumentInfo> for ContentSummary {
    fn from(info: DocumentInfo) -> ContentSummary {
        let mesh = |info: MeshInfo| MeshSummary {
            triangles: info.indices / 3,
            info,
        };
        ContentSummary {
            dialect: Some(info.dialect),
            properties: info.properties,
            root_transform: info.root_transform,
            meshes: info.meshes.into_iter().map(mesh).collect(),
            skeleton: info.skeleton,
            animations: info.animations,
            materials: info.materials,
            textures: Vec::new(),
        }
    }
}

impl From<SceneInfo> for ContentSummary {
    fn from(info: SceneInfo) -> ContentSummary {
        let mesh = |(info, triangles)| MeshSummary { info, triangles };
        ContentSummary {
            dialect: None,
            properties: info.properties,
            root_transform: None,
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
        let files = InputFiles::new(
            &self.batch,
            &self.files,
            "info",
            &(&self.read_args, &self.limit_args),
            formats,
        )?;
        let summarize = |path: &Path| self.summarize(path, formats);
        PRINTERS.get(self.format.unwrap_or(self.json))(&files, &summarize)
    }

    fn summarize(&self, path: &Path, formats: &Formats) -> Result<FileInfo> {
        let (bytes, encoding) = self.read_args.read(path, Readable::ALL, formats)?;
        let options = self
            .read_args
            .options(encoding, &bytes)
            .with_limits(self.limit_args.limits());
        let fail = |error, reads_leniently: &dyn Fn() -> bool| {
            Failure::from_file_error(
                &name_of(path),
                &error,
                &bytes,
                self.read_args.from,
                reads_leniently,
            )
        };
        let lenient = options.clone().with_strictness(Strictness::Lenient);
        let content = match encoding {
            Encoding::Format(format) => {
                let info = format.info(&bytes, &options);
                info.map_err(|error| fail(error, &|| format.info(&bytes, &lenient).is_ok()))?
                    .into()
            }
            Encoding::Json => {
                let file = FileFromJson::read(&bytes, formats);
                let info = file.and_then(|file| {
                    let info = file.format.info(&file.bytes, &file.options());
                    info.map_err(json::message_of)
                });
                info.map_err(|error| Failure::invalid(&name_of(path), error))?
                    .into()
            }
            Encoding::Interchange(format) => {
                let files = SiblingFiles::new(path);
                let read = |options: &ReadOptions| {
                    let scene_options = SceneOptions::default().with_strictness(options.strictness);
                    format.read(&bytes, &files, &scene_options, &options.limits)
                };
                let (scene, _) =
                    read(&options).map_err(|error| fail(error, &|| read(&lenient).is_ok()))?;
                ContentSummary::from(scene.info())
            }
        };
        let layout = match encoding {
            Encoding::Format(format) => {
                format.layout_of(&bytes, options.dialect.unwrap_or_default())
            }
            _ => None,
        };
        Ok(FileInfo {
            file: text_of(path),
            size: bytes.len() as u64,
            format: encoding.name(),
            title: encoding.title(),
            content,
            sections: layout
                .map(|layout| sections::find_sections(layout, &bytes, &options.limits))
                .unwrap_or_default(),
            verbosity: self.verbosity,
        })
    }
}

impl FileResult for FileInfo {
    fn status(&self) -> Status {
        Status::Success
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if self.verbosity.quiet {
            return Ok(());
        }
        let FileInfo {
            content, sections, ..
        } = self;
        write!(
            out,
            "{TITLE}{}{TITLE:#}: {}",
            Escaped(&self.file),
            self.title
        )?;
        if let Some(dialect) = content.dialect {
            write!(out, ", dialect {dialect}")?;
        }
        writeln!(out, ", {}", format_size(self.size))?;
        let max = if self.verbosity.verbose {
            usize::MAX
        } else {
            MAX_ITEMS
        };
        let (properties, hidden) = split_off_hidden(&content.properties, max.saturating_mul(2));
        print_properties(properties, out)?;
        print_hidden_count(hidden.len(), "more property", "more properties", out)?;
        if let Some(transform) = &content.root_transform {
            print_transform(transform, out)?;
        }
        let (meshes, hidden) = split_off_hidden(&content.meshes, max);
        for (index, mesh) in meshes.iter().enumerate() {
            mesh.print(index, out)?;
        }
        print_hidden_meshes(hidden, out)?;
        let names = if self.verbosity.verbose {
            usize::MAX
        } else {
            MAX_NAMES
        };
        for (title, list) in [
            ("materials", &content.materials),
            ("textures", &content.textures),
        ] {
            if !list.is_empty() {
                writeln!(out, "  {title}: {}", join_names(list, names))?;
            }
        }
        if let Some(skeleton) = &content.skeleton {
            let joints = counted(skeleton.joints, "joint", "joints");
            write!(
                out,
                "  skeleton: {joints}, {}",
                counted(skeleton.roots, "root", "roots")
            )?;
            let colon = if skeleton.names.is_empty() { "" } else { ": " };
            writeln!(out, "{colon}{}", join_names(&skeleton.names, names))?;
        }
        let (animations, hidden) = split_off_hidden(&content.animations, names);
        for (index, animation) in animations.iter().enumerate() {
            print_animation(index, animation, out)?;
        }
        print_hidden_count(hidden.len(), "more animation", "more animations", out)?;
        print_sections(sections, max, out)
    }
}

/// Splits items into those to print, at most `max`, and the hidden rest. If only one item would be hidden, prints it,
/// too.
fn split_off_hidden<T>(items: &[T], max: usize) -> (&[T], &[T]) {
    items.split_at(if items.len() <= max.saturating_add(1) {
        items.len()
    } else {
        max
    })
}

/// Formats up to `max` names: `"a", "b" and 3 more`.
fn join_names(names: &[String], max: usize) -> String {
    let (shown, hidden) = split_off_hidden(names, max);
    let shown: Vec<_> = shown
        .iter()
        .map(|name| format!("\"{}\"", Escaped(&shortened(name))))
        .collect();
    let more = if hidden.is_empty() {
        String::new()
    } else {
        format!(" and {} more", hidden.len())
    };
    shown.join(", ") + &more
}

fn print_hidden_count(count: usize, one: &str, many: &str, out: &mut impl Write) -> io::Result<()> {
    if count == 0 {
        Ok(())
    } else {
        writeln!(out, "  and {}", counted(count as u64, one, many))
    }
}

fn print_hidden_meshes(meshes: &[MeshSummary], out: &mut impl Write) -> io::Result<()> {
    if meshes.is_empty() {
        return Ok(());
    }
    let sum = |count: fn(&MeshSummary) -> u64| meshes.iter().map(count).sum();
    let count = counted(meshes.len() as u64, "more mesh", "more meshes");
    let vertices = counted(sum(|mesh| mesh.info.vertices), "vertex", "vertices");
    let triangles = counted(sum(|mesh| mesh.triangles), "triangle", "triangles");
    writeln!(
        out,
        "  and {count}: {vertices}, {triangles}; --verbose lists them"
    )
}

fn print_properties(properties: &[Property], out: &mut impl Write) -> io::Result<()> {
    if !properties.is_empty() {
        writeln!(out, "  properties:")?;
    }
    for Property { name, value } in properties {
        write!(out, "    {:<15} ", Escaped(&shortened(name)).to_string())?;
        match value {
            PropertyValue::Text(text) => writeln!(out, "\"{}\"", Escaped(&shortened(text)))?,
            PropertyValue::Bytes(size) => writeln!(out, "{}", format_size(*size))?,
            PropertyValue::Count(count) => writeln!(out, "{count}")?,
            PropertyValue::Keyword(word) => writeln!(out, "{word}")?,
            _ => writeln!(out)?,
        }
    }
    Ok(())
}

/// Prints the transform of the whole model: its rows, or `identity`.
fn print_transform(transform: &[[f32; 4]; 4], out: &mut impl Write) -> io::Result<()> {
    const IDENTITY: [[f32; 4]; 4] = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    if *transform == IDENTITY {
        return writeln!(out, "  root transform: identity");
    }
    let rows = transform.map(|row| format!("[{}]", row.map(format_coordinate).join(", ")));
    writeln!(out, "  root transform: {}", rows.join(", "))
}

impl MeshSummary {
    fn print(&self, index: usize, out: &mut impl Write) -> io::Result<()> {
        let MeshSummary { info, triangles } = self;
        write!(
            out,
            "  mesh {index}: {}",
            counted(info.vertices, "vertex", "vertices")
        )?;
        if let Some(start) = info.start {
            write!(out, " from vertex {}", start.first_vertex)?;
        }
        match info.index_bits {
            0 => write!(out, ", no indices")?,
            bits => write!(
                out,
                ", {}",
                counted(
                    info.indices,
                    &format!("{bits}-bit index"),
                    &format!("{bits}-bit indices")
                )
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
        for (name, forms) in group_by_name(&info.attributes) {
            writeln!(
                out,
                "    {:<15} {}",
                Escaped(name).to_string(),
                forms.join(", ")
            )?;
        }
        match &info.bounds {
            Some(bounds) => {
                writeln!(
                    out,
                    "    {:<15} {} to {}",
                    "bounds",
                    format_point(bounds.min),
                    format_point(bounds.max)
                )
            }
            None => Ok(()),
        }
    }
}

/// Groups attributes by name. Returns each name with the components of its attributes; in BMD, several attributes may
/// have the same name.
fn group_by_name(attributes: &[AttributeInfo]) -> Vec<(&str, Vec<&str>)> {
    let mut list: Vec<(&str, Vec<&str>)> = Vec::new();
    for AttributeInfo { name, components } in attributes {
        match list.iter_mut().find(|(known, _)| known == name) {
            Some((_, forms)) => forms.push(components),
            None => list.push((name, vec![components])),
        }
    }
    list
}

fn format_point(coordinates: [f32; 3]) -> String {
    format!("[{}]", coordinates.map(format_coordinate).join(", "))
}

fn print_animation(
    index: usize,
    animation: &AnimationInfo,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "  animation {index}")?;
    if let Some(name) = &animation.name {
        write!(out, " \"{}\"", Escaped(name))?;
    }
    write!(out, ": {} ticks", format_number(animation.ticks))?;
    if let Some(seconds) = animation.seconds {
        write!(out, ", {} s", format_number(seconds))?;
    }
    writeln!(out, ", {}", counted(animation.poses, "pose", "poses"))
}

fn print_sections(
    FileSections { sections, packed }: &FileSections,
    max: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    // Only binary formats have sections.
    if !sections.is_empty() {
        writeln!(out, "  sections:")?;
    }
    for section in sections {
        let path = Escaped(section.path.as_deref().unwrap_or("(no field)")).to_string();
        let range = format!("{:#x}..{:#x}", section.start, section.end);
        writeln!(
            out,
            "    {path:<15} {range:<20} {}",
            format_size(section.size())
        )?;
    }
    if packed.blocks.is_empty() {
        return Ok(());
    }
    let blocks = counted(packed.blocks.len() as u64, "block", "blocks");
    writeln!(
        out,
        "  packed: {blocks}, {}, {} unpacked",
        format_size(packed.size),
        format_size(packed.unpacked_size)
    )?;
    let (blocks, hidden) = split_off_hidden(&packed.blocks, max.saturating_mul(2));
    for block in blocks {
        let range = format!("{:#x}..{:#x}", block.start, block.end);
        let (size, unpacked) = (
            format_size(block.end - block.start),
            format_size(block.unpacked_size),
        );
        writeln!(
            out,
            "    {:<15} {range:<20} {size}, {unpacked} unpacked",
            Escaped(&block.path).to_string()
        )?;
    }
    print_hidden_count(hidden.len(), "more packed block", "more packed blocks", out)
}
