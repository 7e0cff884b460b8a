//! Matches the corners of two models by their face and position.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::HashMap;

use glam::DVec3;

use crate::scene::exact::Extent;
use crate::scene::{Model, Surface};

/// The largest distance between matched positions, as a fraction of the shortest edge at either. Half an edge away,
/// another vertex could be meant.
const MAX_SHIFT: f64 = 0.25;

/// The largest distance, as a fraction of the model size, from a corner to the surface on which its attributes are
/// interpolated. Writers that pack positions keep them within 1 % of the size.
const MAX_SURFACE_DISTANCE: f64 = 0.01;

/// The fraction of the way to the centre of its triangle by which a corner moves before the nearest triangle is sought.
/// On an edge with a seam, this selects the triangle on the same side.
const INSET: f64 = 1e-3;

/// The maximum number of compared pairs of triangles with the same corners. Larger groups, which no model needs, are
/// paired in order, for a bounded running time.
const MAX_PAIRS: usize = 1024;

/// The maximum number of compared corners at one position. A fan may have thousands at its centre.
const MAX_CANDIDATES: usize = 64;

/// The identifier of unused positions.
const UNUSED: u32 = u32::MAX;

/// The corners of a model's triangles.
pub struct CornerSet {
    pub model: Model,
    /// Whether the triangles are points.
    is_cloud: bool,
}

/// A point of a model with attributes.
#[derive(Debug, Clone, Copy)]
pub enum Spot {
    /// A corner, 0 to 2, of a triangle.
    Corner { triangle: usize, corner: usize },
    /// A point on a triangle, as the weights of its corners.
    Inside { triangle: usize, weights: [f64; 3] },
}

impl Spot {
    pub fn triangle(&self) -> usize {
        match *self {
            Spot::Corner { triangle, .. } | Spot::Inside { triangle, .. } => triangle,
        }
    }
}

impl CornerSet {
    pub fn new(model: Model) -> CornerSet {
        CornerSet { model, is_cloud: false }
    }

    /// Makes a triangle of each finite point, for models without triangles.
    pub fn add_points(&mut self) {
        self.is_cloud = true;
        let Model { drawn_meshes, triangles, points, .. } = &mut self.model;
        let ends = drawn_meshes.iter().skip(1).map(|next| next.first_vertex).chain([points.len()]);
        let ends: Vec<usize> = ends.collect();
        for (drawn, end) in drawn_meshes.iter_mut().zip(ends) {
            let first = triangles.len();
            let finite = (drawn.first_vertex..end).filter(|vertex| points[*vertex].is_finite());
            triangles.extend(finite.map(|vertex| [vertex as u32; 3]));
            drawn.triangles = first..triangles.len();
        }
    }

    /// The number of corners per triangle with attributes of their own.
    fn corners_per_triangle(&self) -> usize {
        if self.is_cloud { 1 } else { 3 }
    }

    pub fn corner_count(&self) -> u64 {
        (self.model.triangles.len() * self.corners_per_triangle()) as u64
    }

    /// Calls `visit` with every corner.
    pub fn for_each_corner(&self, mut visit: impl FnMut(Spot)) {
        for triangle in 0..self.model.triangles.len() {
            for corner in 0..self.corners_per_triangle() {
                visit(Spot::Corner { triangle, corner });
            }
        }
    }

    fn point(&self, triangle: usize, corner: usize) -> DVec3 {
        self.model.points[self.model.triangles[triangle][corner] as usize]
    }

    /// Returns the position of a spot.
    pub fn position(&self, spot: &Spot) -> DVec3 {
        match *spot {
            Spot::Corner { triangle, corner } => self.point(triangle, corner),
            Spot::Inside { triangle, weights } => {
                let corners = self.model.triangle_points(triangle);
                corners.iter().zip(weights).map(|(corner, weight)| *corner * weight).sum()
            }
        }
    }

    /// Returns the normal of a triangle's plane, with the length of twice its area.
    fn face_normal(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.model.triangle_points(triangle);
        (b - a).cross(c - a)
    }

    /// Returns the largest distance by which the vertex of each point may be shifted; infinity without edges.
    fn max_shifts(&self) -> Vec<f64> {
        let mut shifts = vec![f64::INFINITY; self.model.points.len()];
        for triangle in &self.model.triangles {
            for corner in 0..3 {
                let [from, to] = [triangle[corner], triangle[(corner + 1) % 3]].map(|vertex| vertex as usize);
                let length = self.model.points[from].distance(self.model.points[to]);
                if length > 0.0 {
                    shifts[from] = shifts[from].min(MAX_SHIFT * length);
                    shifts[to] = shifts[to].min(MAX_SHIFT * length);
                }
            }
        }
        shifts
    }

    /// Returns the triangles, each with the positions of its corners, sorted by them.
    fn triangles_by_key(&self, positions: &[u32]) -> Vec<KeyedTriangle> {
        let mut keyed: Vec<KeyedTriangle> = (0..self.model.triangles.len())
            .map(|triangle| {
                let mut key = self.model.triangles[triangle].map(|vertex| positions[vertex as usize]);
                let first = (0..3).min_by_key(|corner| key[*corner]).unwrap_or(0);
                // A rotation, unlike sorting, keeps the winding.
                key.rotate_left(first);
                KeyedTriangle { key, triangle, first }
            })
            .collect();
        keyed.sort_unstable();
        keyed
    }
}

/// A triangle with the identifiers of its positions, starting with the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KeyedTriangle {
    key: [u32; 3],
    triangle: usize,
    /// The corner with the smallest identifier.
    first: usize,
}

/// Data for finding counterparts of single corners, built on first use.
struct CornerIndex<'c> {
    set: &'c CornerSet,
    positions: &'c [u32],
    /// The corners, sorted by the identifier of their position.
    corners: OnceCell<Vec<PlacedCorner>>,
    surface: OnceCell<Surface>,
    max_distance: f64,
}

#[derive(Debug, Clone, Copy)]
struct PlacedCorner {
    position: u32,
    triangle: usize,
    corner: usize,
}

/// Calls `visit` with each pair of corresponding spots: one of `a`, one of `b`. At least one is a corner. Where several
/// corners correspond by position, `cost` decides. The flag is `true` if the triangles have the same corners.
pub fn match_corners(
    [a, b]: [&CornerSet; 2],
    cost: &dyn Fn(&Spot, &Spot) -> f64,
    visit: &mut dyn FnMut(&Spot, &Spot, bool),
) {
    let [of_a, of_b] = identify_positions([a, b]);
    let [in_a, in_b] = [a.triangles_by_key(&of_a), b.triangles_by_key(&of_b)];
    let [mut rest_of_a, mut rest_of_b] = [Vec::new(), Vec::new()];
    let [mut left, mut right] = [&in_a[..], &in_b[..]];
    let per_triangle = a.corners_per_triangle();
    let mut visit_pair = |from: &KeyedTriangle, to: &KeyedTriangle| {
        for step in 0..per_triangle {
            let [from, to] = [from, to].map(|KeyedTriangle { triangle, first, .. }| Spot::Corner {
                triangle: *triangle,
                corner: (first + step) % 3,
            });
            visit(&from, &to, true);
        }
    };
    while let (Some(from), Some(to)) = (left.first(), right.first()) {
        match from.key.cmp(&to.key) {
            Ordering::Less => {
                rest_of_a.push(from.triangle);
                left = &left[1..];
            }
            Ordering::Greater => {
                rest_of_b.push(to.triangle);
                right = &right[1..];
            }
            Ordering::Equal => {
                let key = from.key;
                let (same_left, others) = left.split_at(left.partition_point(|other| other.key == key));
                left = others;
                let (same_right, others) = right.split_at(right.partition_point(|other| other.key == key));
                right = others;
                pair_triangles([same_left, same_right], per_triangle, cost, &mut visit_pair);
            }
        }
    }
    rest_of_a.extend(left.iter().map(|rest| rest.triangle));
    rest_of_b.extend(right.iter().map(|rest| rest.triangle));
    let [index_of_a, index_of_b] =
        [(a, &of_a), (b, &of_b)].map(|(set, positions)| CornerIndex::new(set, positions));
    for triangle in rest_of_a {
        index_of_b.match_triangle(triangle, &index_of_a, cost, |own, found| visit(own, found, false));
    }
    let swapped = |own: &Spot, found: &Spot| cost(found, own);
    for triangle in rest_of_b {
        index_of_a.match_triangle(triangle, &index_of_b, &swapped, |own, found| visit(found, own, false));
    }
}

/// Pairs triangles with the same corners, cheapest pairs first. Each surplus triangle is paired with the cheapest one
/// of the other list.
fn pair_triangles(
    [left, right]: [&[KeyedTriangle]; 2],
    per_triangle: usize,
    cost: &dyn Fn(&Spot, &Spot) -> f64,
    visit: &mut dyn FnMut(&KeyedTriangle, &KeyedTriangle),
) {
    if left.len().saturating_mul(right.len()) > MAX_PAIRS || left.len() * right.len() == 1 {
        for index in 0..left.len().max(right.len()) {
            if let (Some(from), Some(to)) =
                (left.get(index.min(left.len() - 1)), right.get(index.min(right.len() - 1)))
            {
                visit(from, to);
            }
        }
        return;
    }
    let mut pairs = Vec::with_capacity(left.len() * right.len());
    for (i, from) in left.iter().enumerate() {
        for (j, to) in right.iter().enumerate() {
            let total: f64 = (0..per_triangle)
                .map(|step| {
                    let [from, to] = [from, to].map(|KeyedTriangle { triangle, first, .. }| Spot::Corner {
                        triangle: *triangle,
                        corner: (first + step) % 3,
                    });
                    cost(&from, &to)
                })
                .sum();
            pairs.push((total, i, j));
        }
    }
    pairs.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let (mut left_done, mut right_done) = (vec![false; left.len()], vec![false; right.len()]);
    // The first pass pairs one to one, the second one pairs the surplus.
    for is_surplus in [false, true] {
        for &(_, i, j) in &pairs {
            let is_open =
                if is_surplus { !left_done[i] || !right_done[j] } else { !left_done[i] && !right_done[j] };
            if is_open {
                (left_done[i], right_done[j]) = (true, true);
                visit(&left[i], &right[j]);
            }
        }
    }
}

/// Returns an identifier of the position of each point. Equal and slightly shifted positions share an identifier.
fn identify_positions([a, b]: [&CornerSet; 2]) -> [Vec<u32>; 2] {
    // Adding 0.0 makes -0.0 positive.
    let bits = |point: &DVec3| point.to_array().map(|coordinate| (coordinate + 0.0).to_bits());
    let mut known: HashMap<[u64; 3], u32> = HashMap::new();
    let (mut distinct, mut shifts) = (Vec::new(), Vec::new());
    let mut ids_of_a = Vec::with_capacity(a.model.points.len());
    for (point, shift) in a.model.points.iter().zip(a.max_shifts()) {
        if !point.is_finite() {
            ids_of_a.push(UNUSED);
            continue;
        }
        let id = *known.entry(bits(point)).or_insert(distinct.len() as u32);
        if id as usize == distinct.len() {
            distinct.push(*point);
            shifts.push(f64::INFINITY);
        }
        shifts[id as usize] = shift.min(shifts[id as usize]);
        ids_of_a.push(id);
    }
    let mut next = distinct.len() as u32;
    let tree = OnceCell::new();
    let mut ids_of_b = Vec::with_capacity(b.model.points.len());
    for (point, shift) in b.model.points.iter().zip(b.max_shifts()) {
        if !point.is_finite() {
            ids_of_b.push(UNUSED);
            continue;
        }
        let id = *known.entry(bits(point)).or_insert_with(|| {
            let tree = tree.get_or_init(|| Surface::from_triangles(distinct.iter().map(|point| [*point; 3])));
            let nearest = tree.nearest(*point, shift, |candidate| {
                distinct[candidate].distance(*point) <= shifts[candidate]
            });
            nearest.map_or_else(
                || {
                    next += 1;
                    next - 1
                },
                |nearest| nearest.triangle as u32,
            )
        });
        ids_of_b.push(id);
    }
    [ids_of_a, ids_of_b]
}

impl<'c> CornerIndex<'c> {
    fn new(set: &'c CornerSet, positions: &'c [u32]) -> CornerIndex<'c> {
        let mut extent = Extent::default();
        set.model.points.iter().filter(|point| point.is_finite()).for_each(|point| extent.add(*point));
        let max_distance = MAX_SURFACE_DISTANCE * extent.size();
        CornerIndex { set, positions, corners: OnceCell::new(), surface: OnceCell::new(), max_distance }
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

    /// Calls `visit` with each corner of a triangle of `other` and its counterpart in this model, if any.
    fn match_triangle(
        &self,
        triangle: usize,
        other: &CornerIndex,
        cost: &dyn Fn(&Spot, &Spot) -> f64,
        mut visit: impl FnMut(&Spot, &Spot),
    ) {
        let normal = other.set.face_normal(triangle);
        for corner in 0..other.set.corners_per_triangle() {
            let own = Spot::Corner { triangle, corner };
            let found = self
                .corner_at(other.position_of(triangle, corner), normal, |found| cost(&own, found))
                .or_else(|| self.spot_near(other.set, triangle, corner, normal));
            if let Some(found) = found {
                visit(&own, &found);
            }
        }
    }

    /// Returns the cheapest corner at a position, on a face with the orientation of `normal`.
    fn corner_at(&self, position: u32, normal: DVec3, cost: impl Fn(&Spot) -> f64) -> Option<Spot> {
        let corners = self.corners();
        let first = corners.partition_point(|corner| corner.position < position);
        let mut best: Option<(f64, Spot)> = None;
        let here = corners[first..].iter().take_while(|corner| corner.position == position);
        let facing = here.filter(|corner| self.is_facing(corner.triangle, normal));
        for PlacedCorner { triangle, corner, .. } in facing.take(MAX_CANDIDATES) {
            let spot = Spot::Corner { triangle: *triangle, corner: *corner };
            let cost = cost(&spot);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, spot));
            }
        }
        best.map(|(_, spot)| spot)
    }

    /// Returns `true` if a triangle has the orientation of `normal`, or either has no area.
    fn is_facing(&self, triangle: usize, normal: DVec3) -> bool {
        let own = self.set.face_normal(triangle);
        own == DVec3::ZERO || normal == DVec3::ZERO || own.dot(normal) > 0.0
    }

    /// Returns the nearest point on the surface to a corner of another model.
    fn spot_near(&self, other: &CornerSet, triangle: usize, corner: usize, normal: DVec3) -> Option<Spot> {
        let surface = self.surface.get_or_init(|| Surface::new(&self.set.model));
        let at = other.point(triangle, corner);
        let center = other.model.triangle_points(triangle).iter().sum::<DVec3>() / 3.0;
        let inset = at.lerp(center, INSET);
        let nearest =
            surface.nearest(inset, self.max_distance, |candidate| self.is_facing(candidate, normal))?;
        let corners = self.set.model.triangle_points(nearest.triangle);
        Some(Spot::Inside { triangle: nearest.triangle, weights: barycentric(corners, at) })
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
