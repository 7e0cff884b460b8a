//! `meshspec decode`: prints the contents of a file as plain numbers.

use std::fmt::{self, Display};
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::Formats;
use meshspec::contents::{Animation, Array, Contents, FieldValue, Keys, Mesh, Pose, Skeleton};

use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, name_of};
use crate::json;
use crate::output_format::OutputFormat::{self, Json};
use crate::progress;
use crate::reading::Reading;
use crate::terminal::{Escaped, TITLE, counted};

/// The maximum number of shown rows of an array without `--all`.
const FEW: usize = 8;

/// Show the contents of a file as plain numbers: the data that a loader should have in memory after reading.
///
/// The structure is the same for every format: attributes, indices, skeleton, keys, and skinned positions at three times of
/// each animation. Values stay in the coordinate system of the file. With --json, floats also have their bits;
/// docs/contents.md describes the data.
#[derive(Debug, Args)]
pub struct Decode {
    /// The file; `-` is standard input.
    file: PathBuf,
    /// Show every row of long arrays.
    #[arg(long)]
    all: bool,
    /// Print JSON.
    #[arg(id = "json", long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    output_format: OutputFormat,
    #[command(flatten)]
    reading: Reading,
}

impl Decode {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_printed_file(&self.file, || self.decode(formats))
    }

    fn decode(&self, formats: &Formats) -> Result<Status> {
        let bytes = input::read(&self.file)?;
        let encoding = self.reading.encoding_of(&bytes, &self.file, formats)?;
        let place = name_of(&self.file);
        let contents = match encoding {
            Encoding::Format(format) => format
                .contents(&bytes, &self.reading.options(encoding, &bytes))
                .map_err(|error| Failure::in_file(&place, &error, &bytes))?,
            Encoding::Json => {
                json::read_document(&bytes).map_err(|error| Failure::invalid(&place, error))?.contents()
            }
            Encoding::Interchange(_) => {
                let message = format!("decode shows {} only, not {encoding}", formats.names());
                return Err(Failure::usage(&place, message));
            }
        };
        if self.output_format == Json {
            let mut out = BufWriter::new(io::stdout().lock());
            json::write_line(&contents, &mut out)?;
            out.flush()?;
        } else {
            // The stream strips colours unless it is a terminal.
            let mut out = BufWriter::new(anstream::stdout().lock());
            let rows = if self.all { usize::MAX } else { FEW };
            let title = formats.get(contents.format).map_or(contents.format, |format| format.about().title);
            let (name, dialect) = (self.file.display().to_string(), contents.dialect);
            writeln!(out, "{TITLE}{}{TITLE:#}: {title}, dialect {dialect}", Escaped(&name))?;
            Text { out: &mut out, rows }.contents(&contents)?;
            out.flush()?;
        }
        Ok(Status::Fine)
    }
}

/// Prints contents as text.
struct Text<'o, W> {
    out: &'o mut W,
    /// The maximum number of shown rows of an array.
    rows: usize,
}

impl<W: Write> Text<'_, W> {
    fn contents(&mut self, contents: &Contents) -> io::Result<()> {
        for property in &contents.properties {
            writeln!(self.out, "  {} = \"{}\"", Escaped(&property.name), Escaped(&property.value))?;
        }
        self.optional("  user_data", contents.user_data.as_ref())?;
        self.optional("  root_transform", contents.root_transform.as_ref())?;
        for (index, mesh) in contents.meshes.iter().enumerate() {
            self.mesh(index, mesh)?;
        }
        for (index, lod) in contents.lods.iter().enumerate() {
            let (count, first) = (counted(lod.mesh_count.into(), "mesh", "meshes"), lod.first_mesh);
            writeln!(self.out, "  lod {index}: {count} from {first} on")?;
            self.array("    scale", &lod.scale)?;
        }
        if let Some(skeleton) = &contents.skeleton {
            self.skeleton(skeleton)?;
        }
        for (index, animation) in contents.animations.iter().enumerate() {
            self.animation(index, animation)?;
        }
        contents.poses.iter().try_for_each(|pose| self.pose(pose))?;
        let mut written = Ok(());
        if let Some(fields) = &contents.fields {
            fields.for_each(|path, value| {
                written = self.field(path, &value);
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        written
    }

    fn mesh(&mut self, index: usize, mesh: &Mesh) -> io::Result<()> {
        write!(self.out, "  mesh {index}: {}", counted(mesh.vertices as u64, "vertex", "vertices"))?;
        if let Some(material) = &mesh.material {
            write!(self.out, ", material \"{}\"", Escaped(&material.to_string()))?;
        }
        writeln!(self.out)?;
        for attribute in &mesh.attributes {
            self.array(&format!("    {}", Escaped(&attribute.name)), &attribute.array)?;
        }
        self.optional("    indices", mesh.indices.as_ref())?;
        self.optional("    face_sizes", mesh.face_sizes.as_ref())?;
        for (index, part) in mesh.parts.iter().flatten().enumerate() {
            let (vertices, indices) = (part.vertex_count, part.index_count);
            writeln!(
                self.out,
                "    part {index}: {} from {}, {} from {}",
                counted(vertices.into(), "vertex", "vertices"),
                part.first_vertex,
                counted(indices.into(), "index", "indices"),
                part.first_index,
            )?;
        }
        Ok(())
    }

    fn skeleton(&mut self, skeleton: &Skeleton) -> io::Result<()> {
        writeln!(self.out, "  skeleton: {}", counted(skeleton.joints as u64, "joint", "joints"))?;
        for (joint, name) in skeleton.names.iter().flatten().enumerate() {
            if let Some(name) = name {
                writeln!(self.out, "    joint {joint} \"{}\"", Escaped(&name.to_string()))?;
            }
        }
        self.optional("    ids", skeleton.ids.as_ref())?;
        self.array("    parents", &skeleton.parents)?;
        self.optional("    inverse_bind", skeleton.inverse_bind.as_ref())?;
        self.optional("    translations", skeleton.translations.as_ref())?;
        self.optional("    rotations", skeleton.rotations.as_ref())?;
        for blend in &skeleton.blends {
            self.array(&format!("    joint {} follows", blend.joint), &blend.joints)?;
            self.array("    with weights", &blend.weights)?;
        }
        self.optional("    solids", skeleton.solids.as_ref())
    }

    fn animation(&mut self, index: usize, animation: &Animation) -> io::Result<()> {
        let name = animation.name.as_ref().map(|name| format!(" \"{}\"", Escaped(&name.to_string())));
        let frames = counted(animation.frames, "frame", "frames");
        let looped = if animation.is_loop == Some(true) { ", loops" } else { "" };
        writeln!(self.out, "  animation {index}{}: {frames}{looped}", name.unwrap_or_default())?;
        self.optional("    times", animation.times.as_ref())?;
        self.optional("    duration", animation.duration.as_ref())?;
        self.optional("    rate", animation.rate.as_ref())?;
        self.keys("translations", animation.translations.as_ref())?;
        self.keys("rotations", animation.rotations.as_ref())?;
        self.keys("scales", animation.scales.as_ref())
    }

    fn keys(&mut self, name: &str, keys: Option<&Keys>) -> io::Result<()> {
        let Some(Keys { joints, frames, values }) = keys else { return Ok(()) };
        let place = |row: usize| match (joints.numbers.text(row), frames.numbers.text(row)) {
            (Some(joint), Some(frame)) => format!("joint {joint}, frame {frame}: "),
            _ => String::new(),
        };
        self.rows(&format!("    {name}"), values, place)
    }

    fn pose(&mut self, pose: &Pose) -> io::Result<()> {
        match (pose.animation, pose.frame) {
            (Some(animation), Some(frame)) => {
                writeln!(self.out, "  pose of animation {animation} at frame {frame}")?;
            }
            _ => writeln!(self.out, "  rest pose")?,
        }
        self.optional("    translations", pose.translations.as_ref())?;
        self.optional("    rotations", pose.rotations.as_ref())?;
        self.optional("    scales", pose.scales.as_ref())?;
        for (mesh, positions) in pose.positions.iter().enumerate() {
            self.array(&format!("    positions of mesh {mesh}"), positions)?;
        }
        Ok(())
    }

    fn field(&mut self, path: &str, value: &FieldValue) -> io::Result<()> {
        match value {
            FieldValue::Numbers(array) => self.array(&format!("  {}", Escaped(path)), array),
            FieldValue::Text(text) => {
                writeln!(self.out, "  {} = \"{}\"", Escaped(path), Escaped(&text.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn optional(&mut self, name: &str, array: Option<&Array>) -> io::Result<()> {
        array.map_or(Ok(()), |array| self.array(name, array))
    }

    fn array(&mut self, name: &str, array: &Array) -> io::Result<()> {
        self.rows(name, array, |_| String::new())
    }

    /// Prints a heading and the rows of an array, each after its label. Each vector is a row.
    fn rows(&mut self, name: &str, array: &Array, place: impl Fn(usize) -> String) -> io::Result<()> {
        let Array { shape, numbers, tolerance } = array;
        let is_one = numbers.len() == 1 && shape.len() == 1;
        write!(self.out, "{name}  {}", numbers.type_name())?;
        if is_one {
            return writeln!(self.out, "  {}", Row(array, 0, 1));
        }
        write!(self.out, " {shape:?}")?;
        if let Some(tolerance) = tolerance {
            write!(self.out, " ±{tolerance:.1e}")?;
        }
        writeln!(self.out)?;
        let width = match shape.get(1..) {
            Some(components) if !components.is_empty() => components.iter().product(),
            _ => FEW,
        };
        let width = width.max(1);
        let count = numbers.len().div_ceil(width);
        for row in 0..count.min(self.rows) {
            writeln!(self.out, "      {}{}", place(row), Row(array, row * width, width))?;
        }
        match count.saturating_sub(self.rows) {
            0 => Ok(()),
            rest => {
                writeln!(self.out, "      … {} more, --all shows them", counted(rest as u64, "row", "rows"))
            }
        }
    }
}

/// A row of an array: the index of its first number, and the number of numbers.
struct Row<'a>(&'a Array, usize, usize);

impl Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row(array, first, count) = *self;
        let numbers = (first..first.saturating_add(count)).map_while(|index| array.numbers.text(index));
        for (place, number) in numbers.enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            // In an array with a tolerance, NaN marks undefined values.
            f.write_str(if array.tolerance.is_some() && number == "NaN" { "undefined" } else { &number })?;
        }
        Ok(())
    }
}
