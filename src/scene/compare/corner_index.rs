//! Finds counterparts of single corners by their positions.

use std::cell::OnceCell;

use glam::DVec3;

use super::corners::{CornerSet, Spot};
use crate::scene::Surface;
use crate::scene::exact::Extent;

/// The largest distance, as a fraction of the model size, from a corner to the surface on which its attributes are
/// interpolated. Writers that pack positions keep them within 1 % of the size.
const MAX_SURFACE_DISTANCE: f64 = 0.01;

/// The distance within which a corner without an obvious counterpart may have one, relative to the known shift of the
/// positions around it. Only shifts of up to a fraction of an edge, and those away from the surface, are known.
pub const MAX_RELATIVE_SHIFT: f64 = 2.0;

/// The fraction of the way to the centre of its triangle by which a corner moves before the nearest triangle is sought.
/// On an edge with a seam, this selects the triangle on the same side.
const INSET: f64 = 1e-3;

/// The maximum number of compared corners at one position, and of vertices near one. A fan may have thousands of corners
/// at its centre.
const MAX_CANDIDATES: usize = 64;

/// Data for finding counterparts of single corners, built on first use.
pub struct CornerIndex<'c> {
    set: &'c CornerSet,
    positions: &'c [u32],
    /// The corners, sorted by the identifier of their position.
    corners: OnceCell<Vec<PlacedCorner>>,
    surface: OnceCell<Surface>,
    /// A corner of each used vertex.
    vertices: OnceCell<Vec<Spot>>,
    /// The positions of `vertices`.
    points: OnceCell<Surface>,
    max_distance: f64,
}

#[derive(Debug, Clone, Copy)]
struct PlacedCorner {
    position: u32,
    triangle: usize,
    corner: usize,
}

/// A spot with its cost.
struct Priced {
    cost: f64,
    spot: Spot,
}

impl Priced {
    /// Returns the cheaper one, or the first of two that cost the same.
    fn cheaper(self, other: Priced) -> Priced {
        if other.cost < self.cost { other } else { self }
    }
}

impl<'c> CornerIndex<'c> {
    pub fn new(set: &'c CornerSet, positions: &'c [u32]) -> CornerIndex<'c> {
        let mut extent = Extent::default();
        set.model
            .points
            .iter()
            .filter(|point| point.is_finite())
            .for_each(|point| extent.add(*point));
        CornerIndex {
            set,
            positions,
            corners: OnceCell::new(),
            surface: OnceCell::new(),
            vertices: OnceCell::new(),
            points: OnceCell::new(),
            max_distance: MAX_SURFACE_DISTANCE * extent.size(),
        }
    }

    pub fn set(&self) -> &'c CornerSet {
        self.set
    }

    fn position_of(&self, triangle: usize, corner: usize) -> u32 {
        self.positions[self.set.model.triangles[triangle][corner] as usize]
    }

    fn corners(&self) -> &[PlacedCorner] {
        self.corners.get_or_init(|| {
            let mut corners = Vec::new();
            self.set.for_each_corner(|spot| {
                if let Spot::Corner { triangle, corner } = spot {
                    corners.push(PlacedCorner {
                        position: self.position_of(triangle, corner),
                        triangle,
                        corner,
                    });
                }
            });
            corners.sort_unstable_by_key(|corner| (corner.position, corner.triangle));
            corners
        })
    }

    fn surface(&self) -> &Surface {
        self.surface.get_or_init(|| Surface::new(&self.set.model))
    }

    fn vertices(&self) -> &[Spot] {
        self.vertices.get_or_init(|| {
            let mut is_known = vec![false; self.set.model.points.len()];
            let mut vertices = Vec::new();
            self.set.for_each_corner(|spot| {
                if let Spot::Corner { triangle, corner } = spot {
                    let vertex = self.set.model.triangles[triangle][corner] as usize;
                    if !std::mem::replace(&mut is_known[vertex], true) {
                        vertices.push(spot);
                    }
                }
            });
            vertices
        })
    }

    /// Returns the largest distance of a corner of another model from the surface, of those in reach.
    pub fn largest_surface_distance(&self, other: &CornerSet, triangle: usize) -> f64 {
        let corners = (0..other.corners_per_triangle()).map(|corner| other.point(triangle, corner));
        let nearest =
            corners.filter_map(|at| self.surface().nearest(at, self.max_distance, |_| true));
        nearest.map(|nearest| nearest.distance).fold(0.0, f64::max)
    }

    /// Returns the spots that may be the counterpart of a corner of another model, whose positions are shifted by up to
    /// `reach`. The cheapest is the first. Only a corner without a counterpart at its position has several: one value of
    /// each attribute is among them.
    pub fn candidates(
        &self,
        other: &CornerIndex,
        triangle: usize,
        corner: usize,
        reach: f64,
        cost: impl Fn(&Spot) -> f64,
    ) -> Vec<Spot> {
        // The orientation of a thin triangle may be due to the shift.
        let normal = match other.set.height(triangle) > reach {
            true => other.set.face_normal(triangle),
            false => DVec3::ZERO,
        };
        let at = other.set.point(triangle, corner);
        if let Some(here) =
            self.cheapest_at(other.position_of(triangle, corner), normal, reach, &cost)
        {
            // A shift may move a corner to the position of another one.
            let near = if here.cost > 0.0 {
                self.vertices_near(at, reach)
            } else {
                Vec::new()
            };
            let near = near.into_iter().map(|spot| Priced {
                cost: cost(&spot),
                spot,
            });
            return vec![near.fold(here, Priced::cheaper).spot];
        }
        let mut candidates: Vec<Spot> = self
            .spot_near(other.set, triangle, corner, normal, reach)
            .into_iter()
            .collect();
        candidates.extend(self.vertices_near(at, reach));
        let costs = candidates.iter().map(cost).enumerate();
        if let Some((cheapest, _)) = costs.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
            candidates.swap(0, cheapest);
        }
        candidates
    }

    /// Returns the cheapest corner at a position. A face with another orientation costs as much as another value of an
    /// attribute: two writers may cut a bent polygon into different triangles.
    fn cheapest_at(
        &self,
        position: u32,
        normal: DVec3,
        reach: f64,
        cost: &impl Fn(&Spot) -> f64,
    ) -> Option<Priced> {
        let corners = self.corners();
        let first = corners.partition_point(|corner| corner.position < position);
        corners[first..]
            .iter()
            .take_while(|corner| corner.position == position)
            .take(MAX_CANDIDATES)
            .map(
                |&PlacedCorner {
                     triangle, corner, ..
                 }| {
                    let spot = Spot::Corner { triangle, corner };
                    let averted = f64::from(u8::from(!self.is_facing(triangle, normal, reach)));
                    Priced {
                        cost: cost(&spot) + averted,
                        spot,
                    }
                },
            )
            .reduce(Priced::cheaper)
    }

    /// Returns `true` if a triangle has the orientation of `normal`, `normal` is zero, or the triangle is thinner than
    /// `reach`.
    fn is_facing(&self, triangle: usize, normal: DVec3, reach: f64) -> bool {
        normal == DVec3::ZERO
            || self.set.height(triangle) <= reach
            || self.set.face_normal(triangle).dot(normal) > 0.0
    }

    /// Returns a corner of each of the nearest vertices within `reach` metres.
    fn vertices_near(&self, at: DVec3, reach: f64) -> Vec<Spot> {
        if reach == 0.0 {
            return Vec::new();
        }
        let vertices = self.vertices();
        let points = self.points.get_or_init(|| {
            Surface::from_triangles(vertices.iter().map(|vertex| [self.set.position(vertex); 3]))
        });
        let near = points.nearest_within(at, reach, MAX_CANDIDATES);
        near.into_iter()
            .filter_map(|near| vertices.get(near.triangle).copied())
            .collect()
    }

    /// Returns the nearest point on the surface to a corner of another model.
    fn spot_near(
        &self,
        other: &CornerSet,
        triangle: usize,
        corner: usize,
        normal: DVec3,
        reach: f64,
    ) -> Option<Spot> {
        let at = other.point(triangle, corner);
        let center = other.model.triangle_points(triangle).iter().sum::<DVec3>() / 3.0;
        let inset = at.lerp(center, INSET);
        let is_candidate =
            |candidate| self.set.has_area(candidate) && self.is_facing(candidate, normal, reach);
        let nearest = self
            .surface()
            .nearest(inset, self.max_distance, is_candidate)?;
        let corners = self.set.model.triangle_points(nearest.triangle);
        Some(Spot::Inside {
            triangle: nearest.triangle,
            weights: barycentric(corners, at),
        })
    }
}

/// Returns the weights of a triangle's corners at the projection of a point, clamped to the triangle. For triangles
/// without area, returns the nearest corner.
fn barycentric([a, b, c]: [DVec3; 3], point: DVec3) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    if area > 0.0 {
        let of_a = (c - b).cross(point - b).dot(normal) / area;
        let of_b = (a - c).cross(point - c).dot(normal) / area;
        let weights = [of_a, of_b, 1.0 - of_a - of_b].map(|weight| weight.max(0.0));
        let sum: f64 = weights.iter().sum();
        return weights.map(|weight| weight / sum);
    }
    let distances = [a, b, c].map(|corner| corner.distance_squared(point));
    let nearest = (0..3).min_by(|i, j| distances[*i].total_cmp(&distances[*j]));
    [0, 1, 2].map(|corner| if Some(corner) == nearest { 1.0 } else { 0.0 })
}
