//! Draws camera views side by side into a picture, and writes it as PNG.

use std::io::{self, Write};

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use super::camera::Camera;
use super::raster::{Band, SAMPLES_PER_AXIS, Sample, sample_position};
use super::shade::{Paint, Shader};
use meshspec::scene::Model;

/// The number of bands per thread, to balance the load. A band is a range of pixel rows.
const BANDS_PER_THREAD: usize = 8;

/// The maximum number of bands: each triangle is listed in every band that it may cover.
const MAX_BANDS: usize = 64;

/// The number of triangles that one task sorts into bands.
const TRIANGLES_PER_CHUNK: usize = 1 << 14;

/// The minimum number of pixels for fast compression, which increases the file size by about 50 %.
const FAST_COMPRESSION_PIXELS: usize = 1 << 19;

/// The number of samples per pixel.
const SAMPLES_PER_PIXEL: usize = SAMPLES_PER_AXIS * SAMPLES_PER_AXIS;

/// An image of several cells, initially in the background colour.
pub struct Picture {
    /// The size of a cell, in pixels.
    cell: [usize; 2],
    columns: usize,
    rows: usize,
    /// The sRGB colours, not premultiplied by alpha.
    pixels: Vec<[u8; 4]>,
    background: Vec4,
}

impl Picture {
    /// Creates a picture with the given number of cells, in rows of `columns` cells. `cell` is the size of a cell in
    /// pixels.
    pub fn new(cell: [u32; 2], columns: usize, cell_count: usize, background: Vec4) -> Picture {
        let cell = cell.map(|side| side as usize);
        let rows = cell_count.div_ceil(columns);
        let pixels = vec![encode_color(background); cell[0] * cell[1] * columns * rows];
        Picture {
            cell,
            columns,
            rows,
            pixels,
            background,
        }
    }

    /// Draws a model into a cell. Returns `true` if any triangle is visible.
    pub fn draw(
        &mut self,
        cell: usize,
        model: &Model,
        paint: &Paint,
        camera: &Camera,
        with_edges: bool,
    ) -> bool {
        let shader = Shader::new(model, paint, camera, with_edges);
        let [width, height] = self.cell;
        let line = width * self.columns;
        let (left, top) = (cell % self.columns * width, cell / self.columns * height);
        let background = self.background;
        let count = (rayon::current_num_threads() * BANDS_PER_THREAD)
            .min(MAX_BANDS)
            .min(height);
        let band_height = height.div_ceil(count);
        let bins = sort_into_bands(&shader, model.triangles.len(), band_height, count);
        let rows = &mut self.pixels[top * line..(top + height) * line];
        let bands = rows.par_chunks_mut(band_height * line).enumerate();
        let draw_band = |(index, rows): (usize, &mut [[u8; 4]])| {
            let first_row = index * band_height;
            let triangles = bins.iter().filter_map(|bands| bands.get(index)).flatten();
            let samples = nearest_triangles(
                &shader,
                model,
                triangles,
                [width, first_row, rows.len() / line],
            );
            let mut is_visible = false;
            for (row, pixels) in rows.chunks_mut(line).enumerate() {
                for (column, pixel) in pixels[left..left + width].iter_mut().enumerate() {
                    if let Some(color) =
                        resolve_pixel(&shader, &samples, width, first_row, [column, row])
                    {
                        *pixel = encode_color(color + background * (1.0 - color.w));
                        is_visible = true;
                    }
                }
            }
            is_visible
        };
        bands.map(draw_band).reduce(|| false, |a, b| a || b)
    }

    /// Writes the picture as PNG.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let [width, height] = [self.cell[0] * self.columns, self.cell[1] * self.rows];
        let mut encoder = png::Encoder::new(out, width as u32, height as u32);
        encoder.set_depth(png::BitDepth::Eight);
        let is_large = self.pixels.len() >= FAST_COMPRESSION_PIXELS;
        encoder.set_compression(if is_large {
            png::Compression::Fast
        } else {
            png::Compression::Balanced
        });
        let is_opaque = self.pixels.iter().all(|[.., alpha]| *alpha == u8::MAX);
        encoder.set_color(if is_opaque {
            png::ColorType::Rgb
        } else {
            png::ColorType::Rgba
        });
        let channels = if is_opaque { 3 } else { 4 };
        let bytes: Vec<u8> = self
            .pixels
            .iter()
            .flat_map(|pixel| &pixel[..channels])
            .copied()
            .collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        Ok(writer.finish()?)
    }
}

/// Returns the triangles that may be visible in each band, in ascending order: for each chunk of triangles, a list per
/// band.
fn sort_into_bands(
    shader: &Shader,
    triangle_count: usize,
    band_height: usize,
    band_count: usize,
) -> Vec<Vec<Vec<u32>>> {
    let sort_chunk = |chunk: usize| {
        let mut bins = vec![Vec::new(); band_count];
        for triangle in
            chunk * TRIANGLES_PER_CHUNK..triangle_count.min((chunk + 1) * TRIANGLES_PER_CHUNK)
        {
            let [a, b, c] = shader.projected_corners(triangle).map(|corner| corner.y);
            // Casts to integers saturate.
            let [first, last] =
                [a.min(b).min(c), a.max(b).max(c)].map(|y| y as usize / band_height);
            for bin in bins.iter_mut().take(last.saturating_add(1)).skip(first) {
                bin.push(triangle as u32);
            }
        }
        bins
    };
    (0..triangle_count.div_ceil(TRIANGLES_PER_CHUNK))
        .into_par_iter()
        .map(sort_chunk)
        .collect()
}

/// Returns the nearest of `triangles` at each sample of `rows` pixel rows, starting at `first_row`.
fn nearest_triangles<'t>(
    shader: &Shader,
    model: &Model,
    triangles: impl Iterator<Item = &'t u32>,
    [width, first_row, rows]: [usize; 3],
) -> Vec<Sample> {
    let width = width * SAMPLES_PER_AXIS;
    let mut samples = vec![Sample::EMPTY; width * rows * SAMPLES_PER_AXIS];
    let mut band = Band {
        width,
        first_row: first_row * SAMPLES_PER_AXIS,
        samples: &mut samples,
    };
    let with_alpha = model.drawn_meshes.iter().any(|mesh| shader.has_alpha(mesh));
    for triangle in triangles.map(|triangle| *triangle as usize) {
        let corners = shader.projected_corners(triangle);
        match with_alpha && shader.has_alpha(model.drawn_mesh_of(triangle)) {
            true => band.draw(triangle, corners, |x, y| shader.is_visible(triangle, x, y)),
            false => band.draw(triangle, corners, |_, _| true),
        }
    }
    samples
}

/// Returns the colour of a pixel, linear and premultiplied by alpha; `None` if no triangle is visible in it.
fn resolve_pixel(
    shader: &Shader,
    samples: &[Sample],
    width: usize,
    first_row: usize,
    [column, row]: [usize; 2],
) -> Option<Vec4> {
    let sample_coordinates = |sample: usize| {
        (
            column * SAMPLES_PER_AXIS + sample % SAMPLES_PER_AXIS,
            row * SAMPLES_PER_AXIS + sample / SAMPLES_PER_AXIS,
        )
    };
    let sample_triangles: [Option<usize>; SAMPLES_PER_PIXEL] = std::array::from_fn(|sample| {
        let (x, y) = sample_coordinates(sample);
        samples[y * width * SAMPLES_PER_AXIS + x].triangle()
    });
    let mut sum = Vec4::ZERO;
    for (first, triangle) in sample_triangles.iter().enumerate() {
        let Some(triangle) = triangle.filter(|_| !sample_triangles[..first].contains(triangle))
        else {
            continue;
        };
        // Shades each triangle once per pixel, at the mean position of its samples.
        let samples = (first..SAMPLES_PER_PIXEL)
            .filter(|sample| sample_triangles[*sample] == Some(triangle))
            .map(sample_coordinates);
        let (position_sum, count) = samples.fold((Vec2::ZERO, 0.0), |(sum, count), (x, y)| {
            (
                sum + sample_position(x, y + first_row * SAMPLES_PER_AXIS),
                count + 1.0,
            )
        });
        sum += shader.shade(triangle, position_sum / count).extend(1.0) * count;
    }
    (sum.w > 0.0).then(|| sum / SAMPLES_PER_PIXEL as f32)
}

/// Converts a linear colour with premultiplied alpha to sRGB bytes with straight alpha. The square root approximates
/// the sRGB curve within 4 % of white, and has the same result on every machine.
fn encode_color(color: Vec4) -> [u8; 4] {
    let byte = |channel: f32| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    let straight = if color.w > 0.0 {
        color.truncate() / color.w
    } else {
        Vec3::ZERO
    };
    let [red, green, blue] = straight
        .to_array()
        .map(|channel| byte(channel.max(0.0).sqrt()));
    [red, green, blue, byte(color.w)]
}
