//! Ear clipping for polygons with many corners.

use std::collections::VecDeque;

use super::point_tree::{PointTree, doubled_area};

/// The maximum number of tree nodes visited per corner of a polygon: 100,000 corners take at most about a second.
/// Simple polygons take about 30 visits per corner, and up to 200 if long thin ears pass many other corners.
pub const VISITS_PER_CORNER: usize = 250;

/// The value in [`RemainingPolygon::next`] of a corner that was cut off.
const CUT: usize = usize::MAX;

/// Triangulates a counter-clockwise polygon with at least three corners by ear clipping. Returns three corner indices
/// per triangle; n corners always result in n − 2 triangles.
///
/// The remaining polygon becomes a fan if it has no ear, as in self-intersecting polygons, or if `visits` is exhausted.
/// The total area of the triangles may then exceed the area of the polygon.
///
/// A corner is tested again only after a neighbour is cut off, so corners are tested at most three times on average.
pub fn cut_ears(corners: &[[f64; 2]], visits: &mut usize) -> Vec<u32> {
    let count = corners.len();
    let around = |corner| [(corner + count - 1) % count, corner, (corner + 1) % count];
    let is_reflex: Vec<_> = (0..count)
        .map(|corner| doubled_area(around(corner).map(|corner| corners[corner])) <= 0.0)
        .collect();
    let mut polygon = RemainingPolygon {
        corners,
        previous: (0..count).map(|corner| around(corner)[0]).collect(),
        next: (0..count).map(|corner| around(corner)[2]).collect(),
        reflex: PointTree::new(corners, &is_reflex),
        is_reflex,
        triangles: Vec::with_capacity(3 * count.saturating_sub(2)),
        remaining: count,
    };
    let fan = polygon.clip_ears(visits);
    while polygon.remaining >= 3 {
        polygon.cut_off(polygon.next[fan]);
    }
    polygon.triangles
}

/// The remaining corners of a polygon, and the triangles cut off so far.
struct RemainingPolygon<'a> {
    corners: &'a [[f64; 2]],
    /// The neighbours of each corner.
    previous: Vec<usize>,
    next: Vec<usize>,
    /// Whether the angle at each corner is at least 180°. A triangle that contains any corner also contains a reflex
    /// corner, so only reflex corners are tested.
    is_reflex: Vec<bool>,
    /// The reflex corners.
    reflex: PointTree,
    triangles: Vec<u32>,
    remaining: usize,
}

enum CornerClass {
    /// The corner can be cut off.
    Ear,
    /// The corner is on the line between its neighbours; it is cut off if no ear is left.
    Straight,
    /// The corner cannot be cut off; it is tested again after a neighbour is cut off.
    Blocked,
}

impl RemainingPolygon<'_> {
    /// Cuts off ears until only three corners or no ears remain, or `visits` is exhausted. Returns a remaining corner.
    fn clip_ears(&mut self, visits: &mut usize) -> usize {
        let count = self.corners.len();
        let mut waiting: VecDeque<usize> = (0..count).collect();
        let mut times_waiting = vec![1_u32; count];
        let mut straight = Vec::new();
        let mut last = 0;
        while self.remaining > 3 && *visits > 0 {
            let corner = if let Some(corner) = waiting.pop_front() {
                times_waiting[corner] -= 1;
                // Neighbours of a cut corner move to the end of the queue, so that not all triangles share one corner.
                if times_waiting[corner] > 0 || self.next[corner] == CUT {
                    continue;
                }
                match self.classify(corner, visits) {
                    CornerClass::Ear => corner,
                    CornerClass::Straight => {
                        straight.push(corner);
                        continue;
                    }
                    CornerClass::Blocked => continue,
                }
            } else {
                let Some(corner) = straight.pop() else { break };
                if self.next[corner] == CUT || doubled_area(self.triangle(corner)) != 0.0 {
                    continue;
                }
                corner
            };
            let neighbors = [self.previous[corner], self.next[corner]];
            self.cut_off(corner);
            for neighbor in neighbors {
                self.set_reflex(neighbor, doubled_area(self.triangle(neighbor)) <= 0.0);
                times_waiting[neighbor] += 1;
                waiting.push_back(neighbor);
            }
            last = neighbors[1];
        }
        last
    }

    fn classify(&self, corner: usize, visits: &mut usize) -> CornerClass {
        let triangle @ [a, b, c] = self.triangle(corner);
        let area = doubled_area(triangle);
        if area == 0.0 {
            let ahead = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
            // A repeated point, or the tip of a spike.
            return if ahead > 0.0 {
                CornerClass::Straight
            } else {
                CornerClass::Ear
            };
        }
        let is_ear = area > 0.0 && !self.reflex.any_inside(triangle, visits);
        if is_ear {
            CornerClass::Ear
        } else {
            CornerClass::Blocked
        }
    }

    fn triangle(&self, corner: usize) -> [[f64; 2]; 3] {
        [self.previous[corner], corner, self.next[corner]].map(|corner| self.corners[corner])
    }

    fn set_reflex(&mut self, corner: usize, is_reflex: bool) {
        if self.is_reflex[corner] != is_reflex {
            self.is_reflex[corner] = is_reflex;
            self.reflex.set(corner, is_reflex);
        }
    }

    fn cut_off(&mut self, corner: usize) {
        let [before, after] = [self.previous[corner], self.next[corner]];
        self.triangles
            .extend([before, corner, after].map(|corner| corner as u32));
        (self.next[before], self.previous[after]) = (after, before);
        self.next[corner] = CUT;
        self.set_reflex(corner, false);
        self.remaining -= 1;
    }
}
