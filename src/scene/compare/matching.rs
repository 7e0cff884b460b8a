//! Matches the corners of two models by their face and position.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::corner_index::{CornerIndex, MAX_RELATIVE_SHIFT};
use super::corners::{CornerSet, Spot};
use crate::scene::Surface;

/// The maximum number of compared pairs of triangles with the same corners. Larger groups, which no model needs, are
/// paired in order, for a bounded running time.
const MAX_PAIRS: usize = 1024;

/// The part of the shifts that are usual. Packing shifts almost all positions, along the surface, too, where shifts are
/// not known. An edit shifts some, and must not make the counterparts of all others uncertain.
const USUAL_PART: f64 = 0.9;

/// The identifier of unused positions.
const UNUSED: u32 = u32::MAX;

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

/// Calls `visit` with the corners of the first set, then with those of the second that are no counterpart of one. Where
/// several triangles correspond by position, `cost` decides.
pub fn match_corners(
    sets: [&CornerSet; 2],
    cost: &dyn Fn(&Spot, &Spot) -> f64,
    visit: &mut dyn FnMut(CornerMatch),
) -> MatchCounts {
    let Positions { ids, shifts } = identify_positions(sets);
    let triangles = [0, 1].map(|side| triangles_by_key(sets[side], &ids[side]));
    let Pairing { pairs, mut rest } = pair_by_key(triangles, sets[0].corners_per_triangle(), cost);
    let reversed = match sets[0].is_cloud() {
        true => Vec::new(),
        false => take_reversed(sets, &mut rest, &shifts),
    };
    let mut counts = MatchCounts {
        reversed_triangles: reversed.len() as u64,
        ..MatchCounts::default()
    };
    visit_pairs(sets, &pairs, [0, 1, 2], &mut counts, visit);
    visit_pairs(sets, &reversed, [0, 2, 1], &mut counts, visit);
    for (side, rest) in rest.iter_mut().enumerate() {
        let before = rest.len();
        rest.retain(|triangle| sets[side].has_area(triangle.triangle));
        let dropped = (before - rest.len()) * sets[side].corners_per_triangle();
        counts.without_area[side] += dropped as u64;
    }
    let indexes = [0, 1].map(|side| CornerIndex::new(sets[side], &ids[side]));
    visit_rest(&indexes, &rest, &shifts, cost, &mut counts, visit);
    counts
}

/// Takes the triangles of both sets that differ in their winding only. `shifts` are those of the positions.
fn take_reversed(
    sets: [&CornerSet; 2],
    rest: &mut [Vec<KeyedTriangle>; 2],
    shifts: &[f64],
) -> Vec<[KeyedTriangle; 2]> {
    // A shift of its corners may turn a thin triangle over.
    let has_front = |side: usize, triangle: &KeyedTriangle| {
        let tolerance = MAX_RELATIVE_SHIFT * triangle.largest_shift(shifts);
        sets[side].height(triangle.triangle) > tolerance && sets[side].has_area(triangle.triangle)
    };
    let [rest_of_a, rest_of_b] = rest;
    let mut by_key: HashMap<[u32; 3], Vec<KeyedTriangle>> = HashMap::new();
    // `pop` takes the triangles in their order.
    for triangle in rest_of_b
        .iter()
        .rev()
        .filter(|triangle| has_front(1, triangle))
    {
        by_key.entry(triangle.key).or_default().push(*triangle);
    }
    let mut reversed = Vec::new();
    rest_of_a.retain(|from| {
        let opposite = by_key
            .get_mut(&from.reversed_key())
            .filter(|_| has_front(0, from));
        let to = opposite.and_then(Vec::pop);
        reversed.extend(to.map(|to| [*from, to]));
        to.is_none()
    });
    let taken: HashSet<usize> = reversed.iter().map(|[_, to]| to.triangle).collect();
    rest_of_b.retain(|triangle| !taken.contains(&triangle.triangle));
    reversed
}

/// Visits the corners of paired triangles. `steps` are the corners of the second triangle that correspond to those of the
/// first, in the order of their keys.
fn visit_pairs(
    [a, b]: [&CornerSet; 2],
    pairs: &[[KeyedTriangle; 2]],
    steps: [usize; 3],
    counts: &mut MatchCounts,
    visit: &mut dyn FnMut(CornerMatch),
) {
    for [from, to] in pairs {
        // The area of one suffices: writers flatten triangles.
        let correspondence = match a.has_area(from.triangle) || b.has_area(to.triangle) {
            true => Correspondence::Triangle,
            false => Correspondence::FlatTriangle,
        };
        match correspondence {
            Correspondence::FlatTriangle => {
                counts.without_area.iter_mut().for_each(|count| *count += 3)
            }
            _ => counts.paired_triangles += 1,
        }
        for (step, other) in steps.into_iter().enumerate().take(a.corners_per_triangle()) {
            let (corner, candidates) = (from.corner_at(step), &[to.corner_at(other)]);
            visit(CornerMatch {
                side: 0,
                corner,
                candidates,
                correspondence,
            });
        }
    }
}

/// Visits the corners of triangles without a counterpart, whose own counterparts are near by.
fn visit_rest(
    indexes: &[CornerIndex; 2],
    rest: &[Vec<KeyedTriangle>; 2],
    shifts: &[f64],
    cost: &dyn Fn(&Spot, &Spot) -> f64,
    counts: &mut MatchCounts,
    visit: &mut dyn FnMut(CornerMatch),
) {
    let sets = [indexes[0].set(), indexes[1].set()];
    // The shifts of the corners of each triangle.
    let shifts_of_rest: [Vec<f64>; 2] = [0, 1].map(|side| {
        rest[side]
            .iter()
            .map(|triangle| {
                let off_surface =
                    indexes[1 - side].largest_surface_distance(sets[side], triangle.triangle);
                off_surface.max(triangle.largest_shift(shifts))
            })
            .collect()
    });
    let usual = usual_shift(
        shifts
            .iter()
            .chain(shifts_of_rest.iter().flatten())
            .copied()
            .collect(),
    );
    for side in [0, 1] {
        for (KeyedTriangle { triangle, .. }, shift) in rest[side].iter().zip(&shifts_of_rest[side])
        {
            let reach = MAX_RELATIVE_SHIFT * shift.max(usual);
            for corner in 0..sets[side].corners_per_triangle() {
                let own = Spot::Corner {
                    triangle: *triangle,
                    corner,
                };
                let cost = |found: &Spot| {
                    if side == 0 {
                        cost(&own, found)
                    } else {
                        cost(found, &own)
                    }
                };
                let candidates =
                    indexes[1 - side].candidates(&indexes[side], *triangle, corner, reach, cost);
                if candidates.is_empty() {
                    counts.without_counterpart[side] += 1;
                } else {
                    let (candidates, correspondence) = (&candidates[..], Correspondence::Position);
                    visit(CornerMatch {
                        side,
                        corner: own,
                        candidates,
                        correspondence,
                    });
                }
            }
        }
    }
}

/// Returns the shift that [`USUAL_PART`] of the shifts do not exceed; 0 without shifts.
fn usual_shift(mut shifts: Vec<f64>) -> f64 {
    let rank = (USUAL_PART * shifts.len() as f64).ceil() as usize;
    match rank {
        0 => 0.0,
        _ => *shifts.select_nth_unstable_by(rank - 1, f64::total_cmp).1,
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

    /// Returns the largest shift of the positions. Those of one model only have none.
    fn largest_shift(&self, shifts: &[f64]) -> f64 {
        self.key
            .iter()
            .filter_map(|position| shifts.get(*position as usize))
            .fold(0.0, |a, b| a.max(*b))
    }

    /// Returns the corner at a position of the key.
    fn corner_at(&self, step: usize) -> Spot {
        Spot::Corner {
            triangle: self.triangle,
            corner: (self.first + step) % 3,
        }
    }
}

/// Returns the triangles of a set, each with the positions of its corners, sorted by them.
fn triangles_by_key(set: &CornerSet, positions: &[u32]) -> Vec<KeyedTriangle> {
    let mut keyed: Vec<KeyedTriangle> = (0..set.model.triangles.len())
        .map(|triangle| {
            let mut key = set.model.triangles[triangle].map(|vertex| positions[vertex as usize]);
            let first = (0..3).min_by_key(|corner| key[*corner]).unwrap_or(0);
            // A rotation, unlike sorting, keeps the winding.
            key.rotate_left(first);
            KeyedTriangle {
                key,
                triangle,
                first,
            }
        })
        .collect();
    keyed.sort_unstable();
    keyed
}

/// Pairs of triangles of both sets, and the triangles without a partner.
#[derive(Default)]
struct Pairing {
    pairs: Vec<[KeyedTriangle; 2]>,
    rest: [Vec<KeyedTriangle>; 2],
}

/// Pairs the triangles with equal keys. Both lists are sorted by their keys.
fn pair_by_key(
    [in_a, in_b]: [Vec<KeyedTriangle>; 2],
    per_triangle: usize,
    cost: &dyn Fn(&Spot, &Spot) -> f64,
) -> Pairing {
    let mut pairing = Pairing::default();
    let [mut left, mut right] = [&in_a[..], &in_b[..]];
    while let (Some(from), Some(to)) = (left.first(), right.first()) {
        match from.key.cmp(&to.key) {
            Ordering::Less => {
                pairing.rest[0].push(*from);
                left = &left[1..];
            }
            Ordering::Greater => {
                pairing.rest[1].push(*to);
                right = &right[1..];
            }
            Ordering::Equal => {
                let key = from.key;
                let (same_left, others) =
                    left.split_at(left.partition_point(|other| other.key == key));
                left = others;
                let (same_right, others) =
                    right.split_at(right.partition_point(|other| other.key == key));
                right = others;
                pairing.add([same_left, same_right], per_triangle, cost);
            }
        }
    }
    pairing.rest[0].extend(left);
    pairing.rest[1].extend(right);
    pairing
}

impl Pairing {
    /// Pairs triangles with the same corners one to one, cheapest pairs first. Surplus triangles have no partner.
    fn add(
        &mut self,
        [left, right]: [&[KeyedTriangle]; 2],
        per_triangle: usize,
        cost: &dyn Fn(&Spot, &Spot) -> f64,
    ) {
        if left.len().saturating_mul(right.len()) > MAX_PAIRS || left.len() * right.len() == 1 {
            let count = left.len().min(right.len());
            self.pairs
                .extend(left.iter().zip(right).map(|(from, to)| [*from, *to]));
            self.rest[0].extend(&left[count..]);
            self.rest[1].extend(&right[count..]);
            return;
        }
        let mut costs = Vec::with_capacity(left.len() * right.len());
        for (i, from) in left.iter().enumerate() {
            for (j, to) in right.iter().enumerate() {
                let steps = 0..per_triangle;
                let total: f64 = steps
                    .map(|step| cost(&from.corner_at(step), &to.corner_at(step)))
                    .sum();
                costs.push((total, i, j));
            }
        }
        costs.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let mut is_paired = [vec![false; left.len()], vec![false; right.len()]];
        for (_, i, j) in costs {
            if !is_paired[0][i] && !is_paired[1][j] {
                (is_paired[0][i], is_paired[1][j]) = (true, true);
                self.pairs.push([left[i], right[j]]);
            }
        }
        for ((triangles, is_paired), rest) in [left, right]
            .into_iter()
            .zip(&is_paired)
            .zip(&mut self.rest)
        {
            let surplus = triangles
                .iter()
                .zip(is_paired)
                .filter(|(_, is_paired)| !**is_paired);
            rest.extend(surplus.map(|(triangle, _)| *triangle));
        }
    }
}

/// The identifiers of positions.
struct Positions {
    /// The identifier of the position of each point of both models. Equal and slightly shifted positions share one.
    ids: [Vec<u32>; 2],
    /// The distance between the positions of both models that share an identifier, for each of the first model.
    shifts: Vec<f64>,
}

fn identify_positions([a, b]: [&CornerSet; 2]) -> Positions {
    // Adding 0.0 makes -0.0 positive.
    let bits = |point: &DVec3| {
        point
            .to_array()
            .map(|coordinate| (coordinate + 0.0).to_bits())
    };
    let mut known: HashMap<[u64; 3], u32> = HashMap::new();
    let (mut distinct, mut max_shifts) = (Vec::new(), Vec::new());
    let mut ids_of_a = Vec::with_capacity(a.model.points.len());
    for (point, shift) in a.model.points.iter().zip(a.max_shifts()) {
        if !point.is_finite() {
            ids_of_a.push(UNUSED);
            continue;
        }
        let id = *known.entry(bits(point)).or_insert(distinct.len() as u32);
        if id as usize == distinct.len() {
            distinct.push(*point);
            max_shifts.push(f64::INFINITY);
        }
        max_shifts[id as usize] = shift.min(max_shifts[id as usize]);
        ids_of_a.push(id);
    }
    let mut next = distinct.len() as u32;
    let mut shifts = vec![0.0_f64; distinct.len()];
    let tree = OnceCell::new();
    let mut ids_of_b = Vec::with_capacity(b.model.points.len());
    for (point, shift) in b.model.points.iter().zip(b.max_shifts()) {
        if !point.is_finite() {
            ids_of_b.push(UNUSED);
            continue;
        }
        let id = *known.entry(bits(point)).or_insert_with(|| {
            let tree = tree
                .get_or_init(|| Surface::from_triangles(distinct.iter().map(|point| [*point; 3])));
            let nearest = tree.nearest(*point, shift, |candidate| {
                distinct[candidate].distance(*point) <= max_shifts[candidate]
            });
            nearest.map_or_else(
                || {
                    next += 1;
                    next - 1
                },
                |nearest| {
                    let known = &mut shifts[nearest.triangle];
                    *known = known.max(nearest.distance);
                    nearest.triangle as u32
                },
            )
        });
        ids_of_b.push(id);
    }
    Positions {
        ids: [ids_of_a, ids_of_b],
        shifts,
    }
}
