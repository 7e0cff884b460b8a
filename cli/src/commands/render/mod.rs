//! `meshspec render`: draws pictures of models, without a GPU or a display.

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
use meshspec::scene::{Distances, Model, Scene, Surface};

use crate::encoding::Encoding;
use crate::extension;
use crate::failure::{Failure, Result, Status};
use crate::input::{SiblingFiles, name_of};
use crate::listing::{self, InputFile};
use crate::messages::{self, Note, Verbosity};
use crate::output::{self, StagedOutput};
use crate::pose_selection::PoseSelection;
use crate::progress;
use crate::read_args::{LimitArgs, ReadArgs};
use crate::readable::Readable;
use crate::scenes;
use crate::terminal::format_rounded_up;
use camera::{Camera, View};
use picture::Picture;
use shade::Paint;
use texture::Textures;

/// The maximum width and height in pixels of the picture of one model, and of a whole sheet.
const MAX_SIDE: u32 = 4096;
const MAX_SHEET_SIDE: usize = 8192;

/// The number of columns for the eight pictures of a turntable.
const TURNTABLE_COLUMNS: usize = 4;

/// Draw one or several models into a PNG picture.
///
/// The model is fitted to the picture in parallel projection; its front faces +Z, as in glTF. It is drawn with the
/// colours of materials and vertices and with PNG or JPEG textures. Both sides of faces are drawn. Missing normals are
/// generated from the faces. A scene is drawn in its rest pose unless --time or --animation is given. The same input
/// produces the same bytes on every machine.
#[derive(Debug, Args)]
#[command(override_usage = "meshspec render [OPTIONS] <FILE>... <OUT.png>")]
pub struct Render {
    /// The files, folders or patterns to draw, and the picture to write; `-` is standard input or output. Several files
    /// are drawn side by side, in rows from the top left.
    #[arg(value_name = "FILE… OUT.png", required = true)]
    paths: Vec<PathBuf>,
    /// The size of the picture of one model in pixels: one number, or WIDTHxHEIGHT.
    #[arg(long, value_name = "SIZE", default_value = "512")]
    size: PictureSize,
    /// The side to view the model from; left and right as seen from the front. `turntable` draws eight sides.
    #[arg(long, value_enum, default_value = "iso")]
    view: View,
    /// Draw the visible edges of all triangles.
    #[arg(long)]
    wireframe: bool,
    /// The background colour: `transparent`, `white`, `black`, or six hexadecimal digits RRGGBB.
    #[arg(long, value_name = "COLOR", default_value = "transparent")]
    background: Background,
    /// Draw the pose at this time of the animation.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<f32>,
    /// The name or number of the animation for --time; by default, the first.
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// Draw two files with the same camera, coloured by surface distance: grey for 0, then blue and yellow, up to red
    /// for the largest distance.
    #[arg(long)]
    diff: bool,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    read_args: ReadArgs,
    #[command(flatten)]
    limit_args: LimitArgs,
}

/// A width and a height in pixels.
#[derive(Debug, Clone, Copy)]
struct PictureSize([u32; 2]);

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<PictureSize, String> {
        let (width, height) = text.split_once('x').unwrap_or((text, text));
        match [width, height].map(str::parse) {
            [Ok(width @ 1..=MAX_SIDE), Ok(height @ 1..=MAX_SIDE)] => {
                Ok(PictureSize([width, height]))
            }
            _ => Err(format!(
                "expected a number from 1 to {MAX_SIDE}, or two as in 640x480"
            )),
        }
    }
}

/// A background colour with linear channels.
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
                Ok(Background(Vec4::new(
                    red * red,
                    green * green,
                    blue * blue,
                    1.0,
                )))
            }
            _ => Err("expected transparent, white, black, or six hexadecimal digits".to_owned()),
        }
    }
}

/// The files that `render` draws.
pub const READABLE: Readable = Readable {
    command: "render",
    reads_format: |format| format.conventions().is_some(),
    ..Readable::ALL
};

impl Render {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        let [paths @ .., out] = &*self.paths else {
            return Ok(Status::Usage);
        };
        if paths.is_empty() {
            return Err(
                Failure::usage(&name_of(out), "the output picture is missing")
                    .with_hint("give the path of a .png file as the last argument"),
            );
        }
        let staged = StagedOutput::new(out, self.force);
        require_picture(out, formats)?;
        staged.reject_existing()?;
        let files = listing::list_at_least_one(paths, None, &|path| {
            listing::has_mesh_extension(path, formats)
        })?;
        progress::on_files(&paths[0], out, || self.draw(&files, staged, formats))
    }

    /// Draws all files into a picture, and writes it.
    fn draw(
        &self,
        files: &[InputFile],
        mut out: StagedOutput,
        formats: &Formats,
    ) -> Result<Status> {
        let mut picture = self.empty_picture(files.len())?;
        let status = match files {
            [a, b] if self.diff => self.draw_comparison([a, b], &mut picture, formats)?,
            _ if self.diff => {
                return Err(Failure::usage(
                    "--diff",
                    "requires two files and the picture to write",
                ));
            }
            files => self.draw_each(files, &mut picture, formats)?,
        };
        out.write(|out| picture.write(out))?;
        out.commit()?;
        Ok(status)
    }

    fn empty_picture(&self, file_count: usize) -> Result<Picture> {
        let view_count = self.view.rotations().len();
        let cell_count = file_count * view_count;
        let columns = match view_count {
            1 => (1..).find(|side| side * side >= cell_count).unwrap_or(1),
            _ => TURNTABLE_COLUMNS,
        };
        let PictureSize(size) = self.size;
        let counts = [columns, cell_count.div_ceil(columns)];
        if counts
            .iter()
            .zip(size)
            .any(|(count, side)| count.saturating_mul(side as usize) > MAX_SHEET_SIDE)
        {
            let [columns, rows] = counts;
            let message = format!(
                "a sheet of {columns} × {rows} pictures is larger than {MAX_SHEET_SIDE} pixels; use a smaller size"
            );
            return Err(Failure::usage("--size", message));
        }
        Ok(Picture::new(size, columns, cell_count, self.background.0))
    }

    /// Draws each file. If there are several, reports files that cannot be drawn, and leaves their cells empty.
    fn draw_each(
        &self,
        files: &[InputFile],
        picture: &mut Picture,
        formats: &Formats,
    ) -> Result<Status> {
        let mut status = Status::Success;
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

    fn draw_file(
        &self,
        file: &InputFile,
        picture: &mut Picture,
        index: usize,
        formats: &Formats,
    ) -> Result<()> {
        let mut scene = self.read_scene(file, formats)?;
        let name = name_of(&file.file);
        let (textures, texture_warnings) = Textures::of(&mut scene, &SiblingFiles::new(&file.file));
        let mut warnings: Vec<_> = texture_warnings
            .iter()
            .map(|warning| format!("{name}: {warning}"))
            .collect();
        let model = Model::new(scene).map_err(|error| Failure::invalid(&name, error))?;
        let PictureSize(size) = self.size;
        let cameras = Camera::fit(&self.view.rotations(), model.points.iter(), size);
        if !self.draw_views(&model, &Paint::Own(&textures), &cameras, picture, index) {
            warnings.push(format!("{name}: no triangle is visible from this side"));
        }
        messages::print(Verbosity::default(), &[], &[], &warnings);
        Ok(())
    }

    /// Draws two files, coloured by the distances between their surfaces.
    fn draw_comparison(
        &self,
        files: [&InputFile; 2],
        picture: &mut Picture,
        formats: &Formats,
    ) -> Result<Status> {
        let [a, b] = files.map(|file| {
            Model::new(self.read_scene(file, formats)?)
                .map_err(|error| Failure::invalid(&name_of(&file.file), error))
        });
        let [a, b] = [a?, b?];
        let distances = [
            Surface::new(&b).distances(&a),
            Surface::new(&a).distances(&b),
        ];
        let largest = distances
            .iter()
            .flat_map(Distances::iter)
            .fold(0.0, f64::max);
        let PictureSize(size) = self.size;
        let cameras = Camera::fit(
            &self.view.rotations(),
            a.points.iter().chain(&b.points),
            size,
        );
        for (index, (model, distances)) in [a, b].iter().zip(&distances).enumerate() {
            let paint = Paint::Distances(distances, largest);
            self.draw_views(model, &paint, &cameras, picture, index);
        }
        let text = format!("{} m (red)", format_rounded_up(largest));
        messages::print(
            Verbosity::default(),
            &[Note {
                label: "largest distance",
                text,
            }],
            &[],
            &[],
        );
        Ok(Status::Success)
    }

    /// Reads a file and applies the selected pose.
    fn read_scene(&self, file: &InputFile, formats: &Formats) -> Result<Scene> {
        file.require_readable()?;
        let mut scene = scenes::read(&file.file, &self.read_args, &self.limit_args, formats)?;
        let pose = PoseSelection {
            animation: self.animation.clone(),
            time: self.time,
        };
        let posed = pose.apply(&mut scene);
        posed.map_err(|error| Failure::usage(&name_of(&file.file), error))?;
        Ok(scene)
    }

    /// Draws all views of the model with the given index. Returns `true` if it is visible in any view.
    fn draw_views(
        &self,
        model: &Model,
        paint: &Paint,
        cameras: &[Camera],
        picture: &mut Picture,
        index: usize,
    ) -> bool {
        let first = index * cameras.len();
        let draw =
            |(view, camera)| picture.draw(first + view, model, paint, camera, self.wireframe);
        cameras
            .iter()
            .enumerate()
            .map(draw)
            .filter(|is_visible| *is_visible)
            .count()
            > 0
    }
}

/// Returns a usage error if the last path has the extension of a model or `.json`, since the picture was probably
/// forgotten, or of another kind of file.
fn require_picture(out: &Path, formats: &Formats) -> Result<()> {
    match listing::has_mesh_extension(out, formats)
        || Encoding::by_extension(out, formats).is_some()
    {
        true => Err(Failure::usage(
            &output::name_of(out),
            "the last path is the picture to write, a .png file",
        )),
        false => extension::require(out, &["png"], "a PNG picture", formats),
    }
}
