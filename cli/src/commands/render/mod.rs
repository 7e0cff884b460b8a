//! `meshspec render`: pictures of models, without a GPU or a display.

mod camera;
mod picture;
mod raster;
mod shade;
mod texture;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use glam::Vec4;
use meshspec::Formats;
use meshspec::scene::Scene;

use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{SiblingFiles, name_of};
use crate::listing::{self, Listed};
use crate::messages::{self, Note, Verbosity};
use crate::model::{Model, Moment};
use crate::output::{self, Staged};
use crate::progress;
use crate::reading::{Bounds, Reading};
use crate::scenes;
use crate::surface::{Distances, Surface};
use crate::terminal::number;
use camera::{Camera, View};
use picture::Picture;
use shade::Paint;
use texture::Textures;

/// The longest side of a picture of one model, and of a whole sheet, in pixels.
const MAX_SIDE: u32 = 4096;
const MAX_SHEET: usize = 8192;

/// The number of columns of a turntable's eight pictures.
const TURNTABLE_COLUMNS: usize = 4;

/// Draw models into a PNG picture: one, or a sheet of several.
///
/// Parallel projection, fitted to the model; its front faces +Z, as in glTF. The colours are those of materials, vertices and PNG or
/// JPEG textures. Both sides of faces are drawn. Files without normals get them from their faces. A scene is drawn in its rest pose unless
/// --time or --animation is given. The same input gives the same bytes on every machine.
#[derive(Debug, Args)]
#[command(override_usage = "meshspec render [OPTIONS] <FILE>... <OUT.png>")]
pub struct Render {
    /// The files to draw, folders of files or patterns, and the picture to write; `-` is standard input or output. Several
    /// files are drawn side by side, in rows from the top left.
    #[arg(value_name = "FILE… OUT.png", required = true)]
    paths: Vec<PathBuf>,
    /// The size of the picture of one model in pixels: one number, or WIDTHxHEIGHT.
    #[arg(long, value_name = "SIZE", default_value = "512")]
    size: Size,
    /// The side to look at; left and right are those of the viewer. `turntable` draws eight sides.
    #[arg(long, value_enum, default_value = "iso")]
    view: View,
    /// Draw the visible edges of all triangles.
    #[arg(long)]
    wireframe: bool,
    /// The colour behind the model: `transparent`, `white`, `black`, or six hexadecimal digits RRGGBB.
    #[arg(long, value_name = "COLOR", default_value = "transparent")]
    background: Background,
    /// Draw the pose at this time of the animation.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<f32>,
    /// The name or the number of the animation. Without it, --time is a time of the first.
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// Draw two files with the same camera, coloured by their distances from each other: grey for none, blue, yellow, and
    /// red for the largest.
    #[arg(long)]
    diff: bool,
    /// Overwrite a file that exists.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    bounds: Bounds,
}

/// A width and a height in pixels.
#[derive(Debug, Clone, Copy)]
struct Size([u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let (width, height) = text.split_once('x').unwrap_or((text, text));
        match [width, height].map(str::parse) {
            [Ok(width @ 1..=MAX_SIDE), Ok(height @ 1..=MAX_SIDE)] => Ok(Size([width, height])),
            _ => Err(format!("expected a number from 1 to {MAX_SIDE}, or two as in 640x480")),
        }
    }
}

/// A background colour, linear.
#[derive(Debug, Clone, Copy)]
struct Background(Vec4);

impl FromStr for Background {
    type Err = String;

    fn from_str(text: &str) -> Result<Background, String> {
        let digits = match text {
            "transparent" => return Ok(Background(Vec4::ZERO)),
            "white" => "ffffff",
            "black" => "000000",
            text => text.strip_prefix('#').unwrap_or(text),
        };
        let is_color = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        match u32::from_str_radix(digits, 16) {
            Ok(color) if is_color => {
                let [_, channels @ ..] = color.to_be_bytes();
                let [red, green, blue] = channels.map(|byte| f32::from(byte) / 255.0);
                Ok(Background(Vec4::new(red * red, green * green, blue * blue, 1.0)))
            }
            _ => Err("expected transparent, white, black, or six hexadecimal digits".to_owned()),
        }
    }
}

impl Render {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        let [paths @ .., out] = &*self.paths else { return Ok(Status::Usage) };
        if paths.is_empty() {
            return Err(Failure::usage(&name_of(out), "the output picture is missing")
                .with_hint("name a .png file after it"));
        }
        let staged = Staged::new(out, self.force);
        require_picture(out, formats)?;
        staged.reject_existing()?;
        let files = listing::list_some(paths, &|path| listing::is_mesh(path, formats))?;
        progress::on_files(&paths[0], out, || self.draw(&files, staged, formats))
    }

    /// Draws all files.
    fn draw(&self, files: &[Listed], mut out: Staged, formats: &Formats) -> Result<Status> {
        let mut picture = self.empty_picture(files.len())?;
        let status = match files {
            [a, b] if self.diff => self.draw_both([a, b], &mut picture, formats)?,
            _ if self.diff => {
                return Err(Failure::usage("--diff", "requires two files and the picture to write"));
            }
            files => self.draw_each(files, &mut picture, formats)?,
        };
        out.write(|out| picture.write(out))?;
        out.commit()?;
        Ok(status)
    }

    fn empty_picture(&self, files: usize) -> Result<Picture> {
        let views = self.view.rotations().len();
        let cells = files * views;
        let columns = match views {
            1 => (1..).find(|side| side * side >= cells).unwrap_or(1),
            _ => TURNTABLE_COLUMNS,
        };
        let Size(size) = self.size;
        let counts = [columns, cells.div_ceil(columns)];
        if counts.iter().zip(size).any(|(count, side)| count.saturating_mul(side as usize) > MAX_SHEET) {
            let [columns, rows] = counts;
            let message = format!(
                "a sheet of {columns} × {rows} pictures is larger than {MAX_SHEET} pixels; use a smaller size"
            );
            return Err(Failure::usage("--size", message));
        }
        Ok(Picture::new(size, columns, cells, self.background.0))
    }

    /// Draws each file. Reports files that cannot be drawn and leaves their cells empty.
    fn draw_each(&self, files: &[Listed], picture: &mut Picture, formats: &Formats) -> Result<Status> {
        let mut status = Status::Fine;
        for (index, file) in files.iter().enumerate() {
            match self.draw_file(file, picture, index, formats) {
                Ok(()) => {}
                Err(failure) if files.len() == 1 => return Err(failure),
                Err(failure) => {
                    status = status.max(failure.status);
                    failure.report();
                }
            }
        }
        Ok(status)
    }

    fn draw_file(&self, file: &Listed, picture: &mut Picture, index: usize, formats: &Formats) -> Result<()> {
        let mut scene = self.scene(file, formats)?;
        let place = name_of(&file.file);
        let (textures, problems) = Textures::of(&mut scene, &SiblingFiles::new(&file.file));
        let mut warnings: Vec<_> = problems.iter().map(|problem| format!("{place}: {problem}")).collect();
        let model = Model::new(scene, &place)?;
        let Size(size) = self.size;
        let cameras = Camera::fit(&self.view.rotations(), model.points.iter(), size);
        if !self.draw_views(&model, &Paint::Own(&textures), &cameras, picture, index) {
            warnings.push(format!("{place}: no triangle is visible from this side"));
        }
        messages::print(Verbosity::default(), &[], &[], &warnings);
        Ok(())
    }

    /// Draws two files, coloured by their distance from each other.
    fn draw_both(&self, files: [&Listed; 2], picture: &mut Picture, formats: &Formats) -> Result<Status> {
        let [a, b] = files.map(|file| Model::new(self.scene(file, formats)?, &name_of(&file.file)));
        let [a, b] = [a?, b?];
        let distances = [Surface::of(&b).distances(&a), Surface::of(&a).distances(&b)];
        let largest = distances.iter().flat_map(Distances::iter).fold(0.0, f64::max);
        let Size(size) = self.size;
        let cameras = Camera::fit(&self.view.rotations(), a.points.iter().chain(&b.points), size);
        for (index, (model, distances)) in [a, b].iter().zip(&distances).enumerate() {
            let paint = Paint::Distances(distances, largest);
            self.draw_views(model, &paint, &cameras, picture, index);
        }
        let text = format!("{} m (red)", number(largest as f32));
        messages::print(Verbosity::default(), &[Note { label: "largest distance", text }], &[], &[]);
        Ok(Status::Fine)
    }

    /// Reads a file and applies the selected pose.
    fn scene(&self, file: &Listed, formats: &Formats) -> Result<Scene> {
        file.require_readable()?;
        let mut scene = scenes::read(&file.file, &self.reading, &self.bounds, formats)?;
        let moment = Moment { animation: self.animation.clone(), time: self.time };
        let posed = moment.apply(&mut scene);
        posed.map_err(|error| Failure::usage(&name_of(&file.file), error))?;
        Ok(scene)
    }

    /// Draws all views of the model at `index`. Returns `true` if it is visible in any of them.
    fn draw_views(
        &self,
        model: &Model,
        paint: &Paint,
        cameras: &[Camera],
        picture: &mut Picture,
        index: usize,
    ) -> bool {
        let first = index * cameras.len();
        let draw = |(view, camera)| picture.draw(first + view, model, paint, camera, self.wireframe);
        cameras.iter().enumerate().map(draw).filter(|is_visible| *is_visible).count() > 0
    }
}

/// Returns a usage error if the output has a model extension: the output was probably forgotten.
fn require_picture(out: &Path, formats: &Formats) -> Result<()> {
    match listing::is_mesh(out, formats) || Encoding::of_path(out, formats).is_some() {
        true => {
            Err(Failure::usage(&output::name_of(out), "the last path is the picture to write, a .png file"))
        }
        false => Ok(()),
    }
}
