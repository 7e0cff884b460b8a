//! The rasteriser: finds the nearest triangle at each sample of a picture.
//!
//! Positions are rounded to a fixed grid, and edges are compared in integers. Therefore, adjacent triangles neither
//! overlap nor leave gaps, and the result is the same on every machine.

use glam::{Vec2, Vec3};

/// The number of samples per pixel along each axis.
pub const SAMPLES_PER_AXIS: usize = 2;

/// The number of grid steps per sample along each axis.
const STEPS_PER_SAMPLE: i32 = 256;

/// The number of grid steps per pixel along each axis.
const STEPS_PER_PIXEL: f32 = (SAMPLES_PER_AXIS as i32 * STEPS_PER_SAMPLE) as f32;

/// Rounds x and y, which must not be negative, to the grid. Keeps the depth.
pub fn on_grid(at: Vec3) -> Vec3 {
    let rounded =
        |coordinate: f32| (coordinate * STEPS_PER_PIXEL + 0.5) as i32 as f32 / STEPS_PER_PIXEL;
    Vec3::new(rounded(at.x), rounded(at.y), at.z)
}

/// Returns the position of a sample in the picture, in pixels.
pub fn sample_position(column: usize, row: usize) -> Vec2 {
    Vec2::new(column as f32 + 0.5, row as f32 + 0.5) / SAMPLES_PER_AXIS as f32
}

/// The nearest triangle at a sample, and its depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The position towards the viewer, in pixels.
    depth: f32,
    /// The index of the triangle plus 1; 0 for none.
    triangle_plus_one: u32,
}

impl Sample {
    /// A sample that no triangle covers.
    pub const EMPTY: Sample = Sample {
        depth: f32::NEG_INFINITY,
        triangle_plus_one: 0,
    };

    /// Returns the index of the triangle; `None` if no triangle covers the sample.
    pub fn triangle(self) -> Option<usize> {
        (self.triangle_plus_one as usize).checked_sub(1)
    }
}

/// A range of sample rows of a picture.
pub struct Band<'s> {
    /// The number of samples in a row.
    pub width: usize,
    /// The index of the first row of samples in the picture.
    pub first_row: usize,
    pub samples: &'s mut [Sample],
}

/// A corner on the grid.
#[derive(Debug, Clone, Copy)]
struct Corner {
    x: i32,
    y: i32,
    depth: f32,
}

impl Corner {
    /// Converts picture coordinates. Returns `None` if x or y is NaN, or has a magnitude of at least 32768 pixels. Only
    /// non-finite positions have such coordinates.
    fn new(at: Vec3) -> Option<Corner> {
        let on_grid = |coordinate: f32| {
            let scaled = coordinate * STEPS_PER_PIXEL;
            (scaled.abs() < (1 << 24) as f32).then_some(scaled as i32)
        };
        Some(Corner {
            x: on_grid(at.x)?,
            y: on_grid(at.y)?,
            depth: at.z,
        })
    }
}

/// Twice the signed area of the triangle formed by an edge and a point, as a linear function of the point.
struct Edge {
    /// The increments per sample to the right and down.
    right: i64,
    down: i64,
    /// The value at sample (0, 0), adjusted so that points on upper and left edges are inside.
    start: i64,
}

impl Edge {
    fn new(a: Corner, b: Corner) -> Edge {
        let (x, y) = (i64::from(b.x - a.x), i64::from(b.y - a.y));
        let is_upper_or_left = y < 0 || (y == 0 && x > 0);
        let half = i64::from(STEPS_PER_SAMPLE / 2);
        let at_start = x * (half - i64::from(a.y)) - y * (half - i64::from(a.x));
        let start = at_start - i64::from(!is_upper_or_left);
        Edge {
            right: -y * i64::from(STEPS_PER_SAMPLE),
            down: x * i64::from(STEPS_PER_SAMPLE),
            start,
        }
    }

    fn value_at(&self, column: usize, row: usize) -> i64 {
        self.start + self.right * column as i64 + self.down * row as i64
    }
}

/// Returns the indices, below `limit`, of the samples whose centres are between two grid coordinates.
fn samples_between(low: i32, high: i32, limit: usize) -> std::ops::Range<usize> {
    let first = (low - STEPS_PER_SAMPLE / 2 + STEPS_PER_SAMPLE - 1)
        .div_euclid(STEPS_PER_SAMPLE)
        .max(0) as usize;
    let after = ((high - STEPS_PER_SAMPLE / 2).div_euclid(STEPS_PER_SAMPLE) + 1).max(0) as usize;
    first..after.min(limit)
}

impl Band<'_> {
    /// Draws a triangle with corners on the grid, wherever it is nearer than the triangles drawn before. Draws a sample
    /// only if `is_visible` returns `true` for its column and row.
    pub fn draw(
        &mut self,
        triangle: usize,
        corners: [Vec3; 3],
        is_visible: impl Fn(usize, usize) -> bool,
    ) {
        let [Some(a), Some(b), Some(c)] = corners.map(Corner::new) else {
            return;
        };
        let last_row = self.first_row + self.samples.len() / self.width;
        let rows = samples_between(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), last_row);
        let rows = rows.start.max(self.first_row)..rows.end;
        let columns = samples_between(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), self.width);
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        let area = i64::from(b.x - a.x) * i64::from(c.y - a.y)
            - i64::from(b.y - a.y) * i64::from(c.x - a.x);
        let [b, c] = match area {
            0 => return,
            1.. => [b, c],
            _ => [c, b],
        };
        let edges = [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)];
        let plane = DepthPlane::new([a, b, c], area.abs());
        for row in rows {
            let depth_of_row = plane.depth_of_row(row);
            let [mut u, mut v, mut w] =
                [0, 1, 2].map(|edge: usize| edges[edge].value_at(columns.start, row));
            let start = (row - self.first_row) * self.width;
            let samples = &mut self.samples[start + columns.start..start + columns.end];
            for (column, sample) in columns.clone().zip(samples) {
                if u | v | w >= 0 {
                    let depth = depth_of_row + plane.right * column as f32;
                    if depth > sample.depth && is_visible(column, row) {
                        *sample = Sample {
                            depth,
                            triangle_plus_one: triangle as u32 + 1,
                        };
                    }
                }
                u += edges[0].right;
                v += edges[1].right;
                w += edges[2].right;
            }
        }
    }
}

/// The depth of a triangle as a linear function of a sample's column and row.
struct DepthPlane {
    right: f32,
    down: f32,
    start: f32,
}

impl DepthPlane {
    fn new([a, b, c]: [Corner; 3], area: i64) -> DepthPlane {
        let [bx, by, cx, cy] =
            [b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y].map(|distance| distance as f32);
        let [to_b, to_c] = [b.depth - a.depth, c.depth - a.depth];
        let per_sample = STEPS_PER_SAMPLE as f32 / area as f32;
        let right = (to_b * cy - to_c * by) * per_sample;
        let down = (to_c * bx - to_b * cx) * per_sample;
        let of_sample =
            |coordinate: i32| (coordinate - STEPS_PER_SAMPLE / 2) as f32 / STEPS_PER_SAMPLE as f32;
        DepthPlane {
            right,
            down,
            start: a.depth - right * of_sample(a.x) - down * of_sample(a.y),
        }
    }

    fn depth_of_row(&self, row: usize) -> f32 {
        self.start + self.down * row as f32
    }
}
