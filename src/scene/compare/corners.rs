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

/// The distance within which a corner without an obvious counterpart may have one, relative to the largest known shift
/// of a position. Only shifts of up to a fraction of an edge, and those away from the surface, are known.
const MAX_RELATIVE_SHIFT: f64 = 2.0;

/// The fraction of the way to the centre of its triangle by which a corner moves before the nearest triangle is sought.
/// On an edge with a seam, this selects the triangle on the same side.
const INSET: f64 = 1e-3;

/// The maximum number of compared pairs of triangles with the same corners. Larger groups, which no model needs, are
/// paired in order, for a bounded running time.
const MAX_PAIRS: usize = 1024;

/// The maximum number of compared corners at one position, and of vertices near one. A fan may have thousands of corners
/// at its centre.
const MAX_CANDIDATES: usize = 64;

/// The height of a triangle without area, relative to its largest coordinate: rounding of 64-bit products.
const FLAT_HEIGHT: f64 = 1e-12;

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

    pub fn is_cloud(&self) -> bool {
        self.is_cloud
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

    /// Returns the smallest height of a triangle.
    fn height(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.model.triangle_points(triangle);
        let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a)).sqrt();
        if longest > 0.0 { self.face_normal(triangle).length() / longest } else { 0.0 }
    }

    /// Returns `true` if a triangle has an area, or is a point of a model without triangles.
    fn has_area(&self, triangle: usize) -> bool {
        let points = self.model.triangle_points(triangle);
        let largest = points.iter().map(|point| point.abs().max_element()).fold(0.0, f64::max);
        self.is_cloud || self.height(triangle) > FLAT_HEIGHT * largest
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

impl KeyedTriangle {
    /// Returns the key of the same triangle with the opposite winding.
    fn reversed_key(&self) -> [u32; 3] {
        let [first, second, third] = self.key;
        [first, third, second]
    }

    /// Returns the corner at a position of the key.
    fn corner_at(&self, step: usize) -> Spot {
        Spot::Corner { triangle: self.triangle, corner: (self.first + step) % 3 }
    }
}

/// A corner of one model, and its counterparts in the other.
pub struct CornerMatch<'m> {
    /// The model of the corner: 0 or 1.
    pub side: usize,
    pub corner: Spot,
    /// The spots that may be the counterpart; the first is the likeliest.
    pub candidates: &'m [Spot],
    pub correspondence: Correspondence,
}

/// The reason why corners correspond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correspondence {
    /// Their triangles have the same corners.
    Triangle,
    /// Their triangles have the same corners and no area, so their attributes are invisible.
    FlatTriangle,
    /// The triangles differ, but the positions are near.
    Position,
}

/// Statistics of matched corners.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatchCounts {
    /// The number of pairs of triangles with the same corners.
    pub paired_triangles: u64,
    /// The number of these pairs whose windings differ.
    pub reversed_triangles: u64,
    /// The numbers of corners without a counterpart.
    pub without_counterpart: [u64; 2],
    /// The numbers of corners of triangles without an area, which are not compared.
    pub without_area: [u64; 2],
}

/// Calls `visit` with the corners of `a`, then with those of `b` that are no counterpart of one. Where several triangles
/// correspond by position, `cost` decides.
pub fn match_corners(
    sets: [&CornerSet; 2],
    cost: &dyn Fn(&Spot, &Spot) -> f64,
    visit: &mut dyn FnMut(CornerMatch),
) -> MatchCounts {
    let Positions { ids, largest_shift } = identify_positions(sets);
    let [a, b] = sets;
    let mut rest = [Vec::new(), Vec::new()];
    let mut pairs = Vec::new();
    pair_by_key([a.triangles_by_key(&ids[0]), b.triangles_by_key(&ids[1])], a, cost, &mut pairs, &mut rest);
    let mut counts = MatchCounts::default();
    let [rest_of_a, rest_of_b] = &mut rest;
    // The tolerance hides triangles that are too thin to have a front.
    let has_front = |set: &CornerSet, triangle: &KeyedTriangle| {
        set.height(triangle.triangle) > MAX_RELATIVE_SHIFT * largest_shift && set.has_area(triangle.triangle)
    };
    let mut reversed = Vec::new();
    if !a.is_cloud {
        let mut by_key: HashMap<[u32; 3], Vec<KeyedTriangle>> = HashMap::new();
        for triangle in rest_of_b.iter().rev().filter(|triangle| has_front(b, triangle)) {
            by_key.entry(triangle.key).or_default().push(*triangle);
        }
        rest_of_a.retain(|from| {
            let same = by_key.get_mut(&from.reversed_key()).filter(|_| has_front(a, from));
            let to = same.and_then(Vec::pop);
            reversed.extend(to.map(|to| [*from, to]));
            to.is_none()
        });
        let mut is_reversed = vec![false; b.model.triangles.len()];
        reversed.iter().for_each(|[_, to]| is_reversed[to.triangle] = true);
        rest_of_b.retain(|triangle| !is_reversed[triangle.triangle]);
    }
    for (pairs, steps) in [(&pairs, [0, 1, 2]), (&reversed, [0, 2, 1])] {
        for [from, to] in pairs {
            // The area of one suffices: writers flatten triangles.
            let correspondence = match a.has_area(from.triangle) || b.has_area(to.triangle) {
                true => Correspondence::Triangle,
                false => Correspondence::FlatTriangle,
            };
            match correspondence {
                Correspondence::FlatTriangle => counts.without_area.iter_mut().for_each(|count| *count += 3),
                _ => counts.paired_triangles += 1,
            }
            for (step, other) in steps.into_iter().enumerate().take(a.corners_per_triangle()) {
                let (corner, candidates) = (from.corner_at(step), &[to.corner_at(other)]);
                visit(CornerMatch { side: 0, corner, candidates, correspondence });
            }
        }
    }
    counts.reversed_triangles = reversed.len() as u64;
    let indexes = [CornerIndex::new(a, &ids[0]), CornerIndex::new(b, &ids[1])];
    let mut shift = largest_shift;
    for (side, rest) in rest.iter_mut().enumerate() {
        let (before, per_triangle) = (rest.len(), sets[side].corners_per_triangle());
        rest.retain(|triangle| sets[side].has_area(triangle.triangle));
        counts.without_area[side] += ((before - rest.len()) * per_triangle) as u64;
        let distances = rest
            .iter()
            .map(|triangle| indexes[1 - side].largest_surface_distance(sets[side], triangle.triangle));
        shift = distances.fold(shift, f64::max);
    }
    for (side, rest) in rest.iter().enumerate() {
        let other = &indexes[1 - side];
        for KeyedTriangle { triangle, .. } in rest {
            for corner in 0..sets[side].corners_per_triangle() {
                let own = Spot::Corner { triangle: *triangle, corner };
                let cost = |found: &Spot| if side == 0 { cost(&own, found) } else { cost(found, &own) };
                let candidates = other.candidates(&indexes[side], *triangle, corner, shift, cost);
                if candidates.is_empty() {
                    counts.without_counterpart[side] += 1;
                } else {
                    let (candidates, correspondence) = (&candidates[..], Correspondence::Position);
                    visit(CornerMatch { side, corner: own, candidates, correspondence });
                }
            }
        }
    }
    counts
}

/// Pairs the triangles with equal keys. Adds the others to `rest`.
fn pair_by_key(
    [in_a, in_b]: [Vec<KeyedTriangle>; 2],
    a: &CornerSet,
    cost: &dyn Fn(&Spot, &Spot) -> f64,
    pairs: &mut Vec<[KeyedTriangle; 2]>,
    rest: &mut [Vec<KeyedTriangle>; 2],
) {
    let [mut left, mut right] = [&in_a[..], &in_b[..]];
    while let (Some(from), Some(to)) = (left.first(), right.first()) {
        match from.key.cmp(&to.key) {
            Ordering::Less => {
                rest[0].push(*from);
                left = &left[1..];
            }
            Ordering::Greater => {
                rest[1].push(*to);
                right = &right[1..];
            }
            Ordering::Equal => {
                let key = from.key;
                let (same_left, others) = left.split_at(left.partition_point(|other| other.key == key));
                left = others;
                let (same_right, others) = right.split_at(right.partition_point(|other| other.key == key));
                right = others;
                pair_triangles([same_left, same_right], a.corners_per_triangle(), cost, pairs, rest);
            }
        }
    }
    rest[0].extend(left);
    rest[1].extend(right);
}

/// Pairs triangles with the same corners one to one, cheapest pairs first. Adds surplus triangles to `rest`.
fn pair_triangles(
    [left, right]: [&[KeyedTriangle]; 2],
    per_triangle: usize,
    cost: &dyn Fn(&Spot, &Spot) -> f64,
    pairs: &mut Vec<[KeyedTriangle; 2]>,
    rest: &mut [Vec<KeyedTriangle>; 2],
) {
    if left.len().saturating_mul(right.len()) > MAX_PAIRS || left.len() * right.len() == 1 {
        let count = left.len().min(right.len());
        pairs.extend(left.iter().zip(right).map(|(from, to)| [*from, *to]));
        rest[0].extend(&left[count..]);
        rest[1].extend(&right[count..]);
        return;
    }
    let mut costs = Vec::with_capacity(left.len() * right.len());
    for (i, from) in left.iter().enumerate() {
        for (j, to) in right.iter().enumerate() {
            let steps = 0..per_triangle;
            let total: f64 = steps.map(|step| cost(&from.corner_at(step), &to.corner_at(step))).sum();
            costs.push((total, i, j));
        }
    }
    costs.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let mut is_paired = [vec![false; left.len()], vec![false; right.len()]];
    for (_, i, j) in costs {
        if !is_paired[0][i] && !is_paired[1][j] {
            (is_paired[0][i], is_paired[1][j]) = (true, true);
            pairs.push([left[i], right[j]]);
        }
    }
    for ((triangles, is_paired), rest) in [left, right].into_iter().zip(&is_paired).zip(rest) {
        let surplus = triangles.iter().zip(is_paired).filter(|(_, is_paired)| !**is_paired);
        rest.extend(surplus.map(|(triangle, _)| *triangle));
    }
}

/// The identifiers of positions.
struct Positions {
    /// The identifier of the position of each point of both models. Equal and slightly shifted positions share one.
    ids: [Vec<u32>; 2],
    /// The largest distance between positions of both models that share an identifier.
    largest_shift: f64,
}

fn identify_positions([a, b]: [&CornerSet; 2]) -> Positions {
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
    let (mut next, mut largest_shift) = (distinct.len() as u32, 0.0_f64);
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
                |nearest| {
                    largest_shift = largest_shift.max(nearest.distance);
                    nearest.triangle as u32
                },
            )
        });
        ids_of_b.push(id);
    }
    Positions { ids: [ids_of_a, ids_of_b], largest_shift }
}

/// Data for finding counterparts of single corners, built on first use.
struct CornerIndex<'c> {
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

impl<'c> CornerIndex<'c> {
    fn new(set: &'c CornerSet, positions: &'c [u32]) -> CornerIndex<'c> {
        let mut extent = Extent::default();
        set.model.points.iter().filter(|point| point.is_finite()).for_each(|point| extent.add(*point));
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
    fn largest_surface_distance(&self, other: &CornerSet, triangle: usize) -> f64 {
        let corners = (0..other.corners_per_triangle()).map(|corner| other.point(triangle, corner));
        let nearest = corners.filter_map(|at| self.surface().nearest(at, self.max_distance, |_| true));
        nearest.map(|nearest| nearest.distance).fold(0.0, f64::max)
    }

    /// Returns the spots that may be the counterpart of a corner of another model, whose positions are shifted by about
    /// `shift`. The cheapest is the first.
    fn candidates(
        &self,
        other: &CornerIndex,
        triangle: usize,
        corner: usize,
        shift: f64,
        cost: impl Fn(&Spot) -> f64,
    ) -> Vec<Spot> {
        let reach = MAX_RELATIVE_SHIFT * shift;
        let position = other.position_of(triangle, corner);
        // The orientation of a thin triangle may be due to the shift.
        let normal = match other.set.height(triangle) > reach {
            true => other.set.face_normal(triangle),
            false => DVec3::ZERO,
        };
        let corners = self.corners();
        let first = corners.partition_point(|corner| corner.position < position);
        let here = corners[first..].iter().take_while(|corner| corner.position == position);
        // The face of the counterpart may have another direction, if the faces of a bent polygon were cut differently.
        let (facing, others): (Vec<_>, Vec<_>) =
            here.partition(|corner| self.is_facing(corner.triangle, normal, reach));
        let mut candidates: Vec<Spot> = facing
            .into_iter()
            .chain(others)
            .take(MAX_CANDIDATES)
            .map(|PlacedCorner { triangle, corner, .. }| Spot::Corner { triangle, corner })
            .collect();
        if candidates.is_empty() {
            candidates.extend(self.spot_near(other.set, triangle, corner, normal, reach));
        }
        if reach > 0.0 {
            candidates.extend(self.vertices_near(other.set.point(triangle, corner), reach));
        }
        let costs = candidates.iter().map(cost).enumerate();
        if let Some((cheapest, _)) = costs.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
            candidates.swap(0, cheapest);
        }
        candidates
    }

    /// Returns `true` if a triangle has the orientation of `normal`, `normal` is zero, or the triangle is thinner than
    /// `reach`.
    fn is_facing(&self, triangle: usize, normal: DVec3, reach: f64) -> bool {
        normal == DVec3::ZERO
            || self.set.height(triangle) <= reach
            || self.set.face_normal(triangle).dot(normal) > 0.0
    }

    /// Returns a corner of each of the nearest vertices within `reach` metres.
    fn vertices_near(&self, at: DVec3, reach: f64) -> impl Iterator<Item = Spot> {
        let vertices = self.vertices();
        let points = self.points.get_or_init(|| {
            Surface::from_triangles(vertices.iter().map(|vertex| [self.set.position(vertex); 3]))
        });
        let mut near = points.all_within(at, reach);
        near.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        near.into_iter().take(MAX_CANDIDATES).filter_map(|near| vertices.get(near.triangle).copied())
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
        let nearest = self.surface().nearest(inset, self.max_distance, is_candidate)?;
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
