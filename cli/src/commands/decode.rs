//! `meshspec decode`: prints the decoded contents of a file.

use std::fmt::{self, Display};
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::contents::{Animation, Array, Contents, FieldValue, Keys, Mesh, Pose, Skeleton};
use meshspec::{Formats, Strictness};

use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{name_of, text_of};
use crate::json::{self, FileFromJson};
use crate::output_format::OutputFormat::{self, Json};
use crate::pages::page;
use crate::progress;
use crate::read_args::ReadArgs;
use crate::readable::Readable;
use crate::terminal::{Escaped, TITLE, counted};

/// The maximum number of rows to print per array without `--all`.
const DEFAULT_ROWS: usize = 8;
/// The number of scalars to print per row if the items of an array are scalars.
const SCALARS_PER_ROW: usize = 8;

/// The help of `decode`.
const ABOUT: &str = concat!(
    "Show the decoded contents of a file: the data that a loader should have in memory after reading the file.\n\n",
    "The contents have the same structure for every format: attributes, indices, skeleton, keys, and skinned positions \
     at three times of each animation. Values are in the coordinate system of the file. With --json, the output \
     includes the bits of floats; ",
    page!("contents.md"),
    " describes the data.",
);

/// Show the decoded contents of a file: the data that a loader should have in memory after reading the file.
#[derive(Debug, Args)]
#[command(long_about = ABOUT)]
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
    read_args: ReadArgs,
}

impl Decode {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_printed_file(&self.file, || self.decode(formats))
    }

    fn decode(&self, formats: &Formats) -> Result<Status> {
        let (bytes, encoding) = self.read_args.read(&self.file, READABLE, formats)?;
        let name = name_of(&self.file);
        let from_json;
        let contents = match encoding {
            Encoding::Format(format) => {
                let options = self.read_args.options(encoding, &bytes);
                format.contents(&bytes, &options).map_err(|error| {
                    let lenient = options.clone().with_strictness(Strictness::Lenient);
                    Failure::from_file_error(&name, &error, &bytes, self.read_args.from, || {
                        format.contents(&bytes, &lenient).is_ok()
                    })
                })?
            }
            Encoding::Json => {
                from_json = FileFromJson::read(&bytes, formats)
                    .map_err(|error| Failure::invalid(&name, error))?;
                let contents = from_json
                    .format
                    .contents(&from_json.bytes, &from_json.options());
                contents.map_err(|error| Failure::invalid(&name, json::message_of(error)))?
            }
            Encoding::Interchange(_) => return Err(READABLE.failure(encoding, &self.file, formats)),
        };
        if self.output_format == Json {
            let mut out = BufWriter::new(io::stdout().lock());
            json::write_line(&contents, &mut out)?;
            out.flush()?;
        } else {
            // `anstream` strips colours unless standard output is a terminal.
            let mut out = BufWriter::new(anstream::stdout().lock());
            let max_rows = if self.all { usize::MAX } else { DEFAULT_ROWS };
            let title = formats
                .get(contents.format)
                .map_or(contents.format, |format| format.about().title);
            let (name, dialect) = (text_of(&self.file), contents.dialect);
            writeln!(
                out,
                "{TITLE}{}{TITLE:#}: {title}, dialect {dialect}",
                Escaped(&name)
            )?;
            TextPrinter {
                out: &mut out,
                max_rows,
            }
            .print_contents(&contents)?;
            out.flush()?;
        }
        Ok(Status::Success)
    }
}

/// The files that `decode` shows.
pub const READABLE: Readable = Readable {
    command: "decode",
    reads_interchange: false,
    ..Readable::ALL
};

struct TextPrinter<'o, W> {
    out: &'o mut W,
    /// The maximum number of rows to print per array.
    max_rows: usize,
}

impl<W: Write> TextPrinter<'_, W> {
    fn print_contents(&mut self, contents: &Contents) -> io::Result<()> {
        for property in &contents.properties {
            writeln!(
                self.out,
                "  {} = \"{}\"",
                Escaped(&property.name),
                Escaped(&property.value)
            )?;
        }
        self.print_optional("  user_data", contents.user_data.as_ref())?;
        self.print_optional("  root_transform", contents.root_transform.as_ref())?;
        for (index, mesh) in contents.meshes.iter().enumerate() {
            self.print_mesh(index, mesh)?;
        }
        for (index, lod) in contents.lods.iter().enumerate() {
            let (count, first) = (
                counted(lod.mesh_count.into(), "mesh", "meshes"),
                lod.first_mesh,
            );
            writeln!(self.out, "  lod {index}: {count} from {first} on")?;
            self.print_array("    scale", &lod.scale)?;
        }
        if let Some(skeleton) = &contents.skeleton {
            self.print_skeleton(skeleton)?;
        }
        for (index, animation) in contents.animations.iter().enumerate() {
            self.print_animation(index, animation)?;
        }
        contents
            .poses
            .iter()
            .try_for_each(|pose| self.print_pose(pose))?;
        let mut written = Ok(());
        if let Some(fields) = &contents.fields {
            fields.for_each(|path, value| {
                written = self.print_field(path, &value);
                if written.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        }
        written
    }

    fn print_mesh(&mut self, index: usize, mesh: &Mesh) -> io::Result<()> {
        write!(
            self.out,
            "  mesh {index}: {}",
            counted(mesh.vertices as u64, "vertex", "vertices")
        )?;
        if let Some(material) = &mesh.material {
            write!(
                self.out,
                ", material \"{}\"",
                Escaped(&material.to_string())
            )?;
        }
        writeln!(self.out)?;
        for attribute in &mesh.attributes {
            self.print_array(
                &format!("    {}", Escaped(&attribute.name)),
                &attribute.array,
            )?;
        }
        self.print_optional("    indices", mesh.indices.as_ref())?;
        self.print_optional("    face_sizes", mesh.face_sizes.as_ref())?;
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

    fn print_skeleton(&mut self, skeleton: &Skeleton) -> io::Result<()> {
        writeln!(
            self.out,
            "  skeleton: {}",
            counted(skeleton.joints as u64, "joint", "joints")
        )?;
        for (joint, name) in skeleton.names.iter().flatten().enumerate() {
            if let Some(name) = name {
                writeln!(
                    self.out,
                    "    joint {joint} \"{}\"",
                    Escaped(&name.to_string())
                )?;
            }
        }
        self.print_optional("    ids", skeleton.ids.as_ref())?;
        self.print_array("    parents", &skeleton.parents)?;
        self.print_optional("    inverse_bind", skeleton.inverse_bind.as_ref())?;
        self.print_optional("    translations", skeleton.translations.as_ref())?;
        self.print_optional("    rotations", skeleton.rotations.as_ref())?;
        for blend in &skeleton.blends {
            self.print_array(&format!("    joint {} follows", blend.joint), &blend.joints)?;
            self.print_array("    with weights", &blend.weights)?;
        }
        self.print_optional("    solids", skeleton.solids.as_ref())
    }

    fn print_animation(&mut self, index: usize, animation: &Animation) -> io::Result<()> {
        let name = animation
            .name
            .as_ref()
            .map(|name| format!(" \"{}\"", Escaped(&name.to_string())));
        let frames = counted(animation.frames, "frame", "frames");
        let looped = if animation.is_loop == Some(true) {
            ", loops"
        } else {
            ""
        };
        writeln!(
            self.out,
            "  animation {index}{}: {frames}{looped}",
            name.unwrap_or_default()
        )?;
        self.print_optional("    times", animation.times.as_ref())?;
        self.print_optional("    duration", animation.duration.as_ref())?;
        self.print_optional("    rate", animation.rate.as_ref())?;
        self.print_keys("translations", animation.translations.as_ref())?;
        self.print_keys("rotations", animation.rotations.as_ref())?;
        self.print_keys("scales", animation.scales.as_ref())
    }

    fn print_keys(&mut self, name: &str, keys: Option<&Keys>) -> io::Result<()> {
        let Some(Keys {
            joints,
            frames,
            values,
        }) = keys
        else {
            return Ok(());
        };
        let label = |row: usize| match (joints.numbers.text(row), frames.numbers.text(row)) {
            (Some(joint), Some(frame)) => format!("joint {joint}, frame {frame}: "),
            _ => String::new(),
        };
        self.print_rows(&format!("    {name}"), values, label)
    }

    fn print_pose(&mut self, pose: &Pose) -> io::Result<()> {
        match (pose.animation, pose.frame) {
            (Some(animation), Some(frame)) => {
                writeln!(self.out, "  pose of animation {animation} at frame {frame}")?;
            }
            _ => writeln!(self.out, "  rest pose")?,
        }
        self.print_optional("    translations", pose.translations.as_ref())?;
        self.print_optional("    rotations", pose.rotations.as_ref())?;
        self.print_optional("    scales", pose.scales.as_ref())?;
        for (mesh, positions) in pose.positions.iter().enumerate() {
            self.print_array(&format!("    positions of mesh {mesh}"), positions)?;
        }
        Ok(())
    }

    fn print_field(&mut self, path: &str, value: &FieldValue) -> io::Result<()> {
        match value {
            FieldValue::Numbers(array) => self.print_array(&format!("  {}", Escaped(path)), array),
            FieldValue::Text(text) => {
                writeln!(
                    self.out,
                    "  {} = \"{}\"",
                    Escaped(path),
                    Escaped(&text.to_string())
                )
            }
            _ => Ok(()),
        }
    }

    fn print_optional(&mut self, name: &str, array: Option<&Array>) -> io::Result<()> {
        array.map_or(Ok(()), |array| self.print_array(name, array))
    }

    fn print_array(&mut self, name: &str, array: &Array) -> io::Result<()> {
        self.print_rows(name, array, |_| String::new())
    }

    /// Prints a heading and the rows of an array, each after its label. A row is an item or, for scalar items, up to
    /// [`SCALARS_PER_ROW`] of them. A single scalar is printed in the heading.
    fn print_rows(
        &mut self,
        name: &str,
        array: &Array,
        label: impl Fn(usize) -> String,
    ) -> io::Result<()> {
        let Array {
            shape,
            numbers,
            tolerance,
        } = array;
        let is_single = numbers.len() == 1 && shape.len() == 1;
        write!(self.out, "{name}  {}", numbers.type_name())?;
        if is_single {
            return writeln!(self.out, "  {}", ArrayRow(array, 0, 1));
        }
        write!(self.out, " {shape:?}")?;
        if let Some(tolerance) = tolerance {
            write!(self.out, " ±{tolerance:.1e}")?;
        }
        writeln!(self.out)?;
        let width = match shape.get(1..) {
            Some(components) if !components.is_empty() => components.iter().product(),
            _ => SCALARS_PER_ROW,
        };
        let width = width.max(1);
        let count = numbers.len().div_ceil(width);
        for row in 0..count.min(self.max_rows) {
            writeln!(
                self.out,
                "      {}{}",
                label(row),
                ArrayRow(array, row * width, width)
            )?;
        }
        match count.saturating_sub(self.max_rows) {
            0 => Ok(()),
            rest => {
                writeln!(
                    self.out,
                    "      … {}; --all shows them",
                    counted(rest as u64, "more row", "more rows")
                )
            }
        }
    }
}

/// A row of an array: the array, the index of the first number, and the maximum count of numbers.
struct ArrayRow<'a>(&'a Array, usize, usize);

impl Display for ArrayRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArrayRow(array, first, count) = *self;
        let numbers =
            (first..first.saturating_add(count)).map_while(|index| array.numbers.text(index));
        for (position, number) in numbers.enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            // In arrays with a tolerance, NaN represents undefined values.
            f.write_str(if array.tolerance.is_some() && number == "NaN" {
                "undefined"
            } else {
                &number
            })?;
        }
        Ok(())
    }
}
