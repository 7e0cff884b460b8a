//! Orthographic cameras that fit a model into a picture.

use clap::ValueEnum;
use glam::{DVec3, Mat3, Vec3};

/// The width of the margin on each side, as a fraction of the picture size.
const MARGIN: f64 = 0.04;

/// √½: the sine and cosine of 45°.
const DIAGONAL: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The sines and cosines of the eight turntable angles, starting from the front and turning to the right.
const TURNS: [(f32, f32); 8] = [
    (0.0, 1.0),
    (DIAGONAL, DIAGONAL),
    (1.0, 0.0),
    (DIAGONAL, -DIAGONAL),
    (0.0, -1.0),
    (-DIAGONAL, -DIAGONAL),
    (-1.0, 0.0),
    (-DIAGONAL, DIAGONAL),
];

/// The sine and cosine of a turntable's elevation, about 16°.
const ELEVATION: (f32, f32) = (0.28, 0.96);

/// The side from which a model is seen. The front of a model faces +Z, as in glTF; left and right are as seen from the
/// front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    Front,
    Back,
    Left,
    Right,
    Top,
    /// From the front, the right and above, with equal foreshortening of all axes.
    Iso,
    /// From eight sides, slightly above.
    Turntable,
}

impl View {
    /// Returns the rotation of each camera. Its rows are the directions right, up, and towards the viewer.
    pub fn rotations(self) -> Vec<Mat3> {
        // The sine of the isometric view's elevation is √⅓.
        let (third, two_thirds) = ((1.0_f32 / 3.0).sqrt(), (2.0_f32 / 3.0).sqrt());
        match self {
            View::Front => vec![rotation((0.0, 1.0), (0.0, 1.0))],
            View::Back => vec![rotation((0.0, -1.0), (0.0, 1.0))],
            View::Left => vec![rotation((-1.0, 0.0), (0.0, 1.0))],
            View::Right => vec![rotation((1.0, 0.0), (0.0, 1.0))],
            View::Top => vec![rotation((0.0, 1.0), (1.0, 0.0))],
            View::Iso => vec![rotation((DIAGONAL, DIAGONAL), (third, two_thirds))],
            View::Turntable => TURNS
                .iter()
                .map(|turn| rotation(*turn, ELEVATION))
                .collect(),
        }
    }
}

/// Returns the rotation of a camera, from the sines and cosines of its angle from +Z towards +X and of its elevation.
fn rotation((sin, cos): (f32, f32), (high, level): (f32, f32)) -> Mat3 {
    let right = Vec3::new(cos, 0.0, -sin);
    let toward = Vec3::new(sin * level, high, cos * level);
    Mat3::from_cols(right, toward.cross(right), toward).transpose()
}

/// An orthographic camera. Computes with 64-bit floats relative to the model size, so it supports models of any size.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    /// Rotates model axes to the directions right, up, and towards the viewer.
    pub rotation: Mat3,
    /// The centre of the bounding box.
    center: DVec3,
    /// Half the longest side of the bounding box, in metres; 1 if that is 0.
    radius: f64,
    /// The number of pixels per `radius`.
    scale: f64,
    /// The pixel coordinates of the centre.
    origin: [f64; 2],
}

impl Camera {
    /// Returns a camera for each rotation. Each camera fits all points into a picture of `width` × `height` pixels. If
    /// there are several rotations, all cameras share one scale and centre the bounding box. Ignores non-finite points.
    pub fn fit<'p>(
        rotations: &[Mat3],
        points: impl Iterator<Item = &'p DVec3> + Clone,
        [width, height]: [u32; 2],
    ) -> Vec<Camera> {
        let [min, max] = bounding_box(points.clone().copied());
        let center = min * 0.5 + max * 0.5;
        let half = (max * 0.5 - min * 0.5).max_element();
        let radius = if half > 0.0 { half } else { 1.0 };
        let extent = |rotation: &Mat3| {
            let rotation = rotation.as_dmat3();
            bounding_box(
                points
                    .clone()
                    .map(|point| rotation * ((*point - center) / radius)),
            )
        };
        let boxes: Vec<[DVec3; 2]> = rotations.iter().map(extent).collect();
        let boxes: Vec<[DVec3; 2]> = match boxes[..] {
            [_] => boxes,
            _ => {
                let largest = boxes
                    .iter()
                    .flatten()
                    .fold(DVec3::ZERO, |largest, corner| largest.max(corner.abs()));
                vec![[-largest, largest]; boxes.len()]
            }
        };
        let [width, height] = [width, height].map(f64::from);
        let camera = |(rotation, [min, max]): (&Mat3, &[DVec3; 2])| {
            let size = (*max - *min).max(DVec3::splat(f64::EPSILON));
            let free = 1.0 - 2.0 * MARGIN;
            let scale = (free * width / size.x).min(free * height / size.y);
            let middle = (*min + *max) * 0.5;
            let origin = [
                0.5 * width - scale * middle.x,
                0.5 * height + scale * middle.y,
            ];
            Camera {
                rotation: *rotation,
                center,
                radius,
                scale,
                origin,
            }
        };
        rotations.iter().zip(&boxes).map(camera).collect()
    }

    /// Projects a point to picture coordinates in pixels: to the right, down, and towards the viewer.
    pub fn project(&self, point: DVec3) -> Vec3 {
        let view_point = self.rotation.as_dmat3() * ((point - self.center) / self.radius);
        let [x, y] = self.origin;
        DVec3::new(
            x + self.scale * view_point.x,
            y - self.scale * view_point.y,
            self.scale * view_point.z,
        )
        .as_vec3()
    }
}

/// Returns the minimum and maximum corner of the box that bounds the finite points. Without such points, the minimum is
/// infinity and the maximum negative infinity.
fn bounding_box(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points
        .filter(|point| point.is_finite())
        .fold(empty, |[min, max], at| [min.min(at), max.max(at)])
}
