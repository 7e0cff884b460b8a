//! Orthographic cameras that fit a model into a picture.

use clap::ValueEnum;
use glam::{DVec3, Mat3, Vec3};

/// The empty margin at each side, as a fraction of the size of the picture.
const MARGIN: f32 = 0.04;

/// √½: the sine and cosine of 45°.
const DIAGONAL: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The sines and cosines of the eight directions of a turntable, from the front to the right.
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

/// The sine and cosine of the elevation of a turntable, about 16°.
const ELEVATION: (f32, f32) = (0.28, 0.96);

/// The side that a model is seen from. Its front faces +Z, as in glTF; left and right are those of the viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    Front,
    Back,
    Left,
    Right,
    Top,
    /// From the front, the right and above, with all axes foreshortened alike.
    Iso,
    /// From eight sides in turn, slightly above.
    Turntable,
}

impl View {
    /// Returns the axes of each camera: right, up, and towards the viewer are the rows.
    pub fn rotations(self) -> Vec<Mat3> {
        // The elevation of the isometric view has the sine √⅓.
        let (third, two_thirds) = ((1.0_f32 / 3.0).sqrt(), (2.0_f32 / 3.0).sqrt());
        match self {
            View::Front => vec![rotation((0.0, 1.0), (0.0, 1.0))],
            View::Back => vec![rotation((0.0, -1.0), (0.0, 1.0))],
            View::Left => vec![rotation((-1.0, 0.0), (0.0, 1.0))],
            View::Right => vec![rotation((1.0, 0.0), (0.0, 1.0))],
            View::Top => vec![rotation((0.0, 1.0), (1.0, 0.0))],
            View::Iso => vec![rotation((DIAGONAL, DIAGONAL), (third, two_thirds))],
            View::Turntable => TURNS.iter().map(|turn| rotation(*turn, ELEVATION)).collect(),
        }
    }
}

/// Returns the axes of a camera, given sine and cosine of its angle from +Z towards +X, and of its elevation.
fn rotation((sin, cos): (f32, f32), (high, level): (f32, f32)) -> Mat3 {
    let right = Vec3::new(cos, 0.0, -sin);
    let toward = Vec3::new(sin * level, high, cos * level);
    Mat3::from_cols(right, toward.cross(right), toward).transpose()
}

/// An orthographic camera.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    /// From the axes of the model to right, up, and towards the viewer.
    pub rotation: Mat3,
    /// The centre of the box around the model.
    center: DVec3,
    /// Pixels per metre.
    scale: f32,
    /// The pixel coordinates of that centre.
    origin: [f32; 2],
}

impl Camera {
    /// Fits points into pictures of this size, one for each rotation. Several cameras share one scale
    /// and are centred on the bounds.
    pub fn fit<'p>(
        rotations: &[Mat3],
        points: impl Iterator<Item = &'p DVec3> + Clone,
        [width, height]: [u32; 2],
    ) -> Vec<Camera> {
        let finite = points.filter(|point| point.is_finite());
        let all = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let [low, high] = finite.clone().fold(all, |[low, high], at| [low.min(*at), high.max(*at)]);
        let center = low * 0.5 + high * 0.5;
        let extent = |rotation: &Mat3| {
            let seen = finite.clone().map(|point| *rotation * (*point - center).as_vec3());
            seen.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
        };
        let boxes: Vec<[Vec3; 2]> = rotations.iter().map(extent).collect();
        let boxes: Vec<[Vec3; 2]> = match boxes[..] {
            [_] => boxes,
            _ => {
                let largest =
                    boxes.iter().flatten().fold(Vec3::ZERO, |largest, corner| largest.max(corner.abs()));
                vec![[-largest, largest]; boxes.len()]
            }
        };
        let [width, height] = [width as f32, height as f32];
        let camera = |(rotation, [low, high]): (&Mat3, &[Vec3; 2])| {
            let size = (*high - *low).max(Vec3::splat(f32::MIN_POSITIVE));
            let free = 1.0 - 2.0 * MARGIN;
            let scale = (free * width / size.x).min(free * height / size.y).min(f32::MAX);
            let middle = (*low + *high) * 0.5;
            let origin = [0.5 * width - scale * middle.x, 0.5 * height + scale * middle.y];
            Camera { rotation: *rotation, center, scale, origin }
        };
        rotations.iter().zip(&boxes).map(camera).collect()
    }

    /// Returns the place of a point in the picture: pixels to the right and down, and towards the viewer.
    pub fn place(&self, point: DVec3) -> Vec3 {
        let seen = self.rotation * (point - self.center).as_vec3();
        let [x, y] = self.origin;
        Vec3::new(x + self.scale * seen.x, y - self.scale * seen.y, self.scale * seen.z)
    }
}
