//! Ear clipping for polygons with many corners.

use std::collections::VecDeque;

use super::point_tree::{PointTree, area};

/// The maximum number of tree nodes visited per corner of a polygon: 100,000 corners take at most about a second.
/// Simple polygons take about 30 visits per corner, or up to 200 with long thin ears that pass many others.
pub const VISITS_PER_CORNER: usize = 250;

/// Marks a corner that was cut off, in place of its next corner.
const CUT: usize = usize::MAX;

/// Triangulates a counter-clockwise polygon with at least three corners by ear clipping. Returns three corner indices
/// per triangle; n corners always result in n − 2 triangles.
///
/// The rest becomes a fan if it has no ear, as in self-intersecting polygons, or if `visits` is exhausted. The
/// total area of the triangles then exceeds that of the polygon.
///
/// A corner is tested again only after a neighbour was cut off: at most three tests per corner on average.
pub fn cut_ears(corners: &[[f64; 2]], visits: &mut usize) -> Vec<u32> {
    let count = corners.len();
    let around = |corner| [(corner + count - 1) % count, corner, (corner + 1) % count];
    let is_reflex: Vec<_> =
        (0..count).map(|corner| area(around(corner).map(|corner| corners[corner])) <= 0.0).collect();
    let mut ring = Ring {
        corners,
        previous: (0..count).map(|corner| around(corner)[0]).collect(),
        next: (0..count).map(|corner| around(corner)[2]).collect(),
        reflex: PointTree::new(corners, &is_reflex),
        is_reflex,
        triangles: Vec::with_capacity(3 * count.saturating_sub(2)),
        left: count,
    };
    let fan = ring.cut(visits);
    while ring.left >= 3 {
        ring.cut_off(ring.next[fan]);
    }
    ring.triangles
}

/// The remaining corners of a polygon, and the triangles cut off so far.
struct Ring<'a> {
    corners: &'a [[f64; 2]],
    previous: Vec<usize>,
    next: Vec<usize>,
    /// Corners with an angle of at least half a turn. A triangle that contains any corner contains one of these.
    is_reflex: Vec<bool>,
    reflex: PointTree,
    triangles: Vec<u32>,
    left: usize,
}

/// The classification of a corner.
enum Shape {
    /// A corner to cut off.
    Ear,
    /// A corner whose triangle has no area, to cut off if no ear is left.
    Straight,
    /// A corner to test again after a neighbour is cut off.
    Blocked,
}

impl Ring<'_> {
    /// Cuts off ears until three corners are left, no ear is left or the visits are used up. Returns a remaining corner.
    fn cut(&mut self, visits: &mut usize) -> usize {
        let count = self.corners.len();
        let mut waiting: VecDeque<usize> = (0..count).collect();
        let mut times_waiting = vec![1_u32; count];
        let mut straight = Vec::new();
        let mut last = 0;
        while self.left > 3 && *visits > 0 {
            let corner = if let Some(corner) = waiting.pop_front() {
                times_waiting[corner] -= 1;
                // Neighbours of a cut corner move to the end of the queue, so that triangles do not all share one
                // corner.
                if times_waiting[corner] > 0 || self.next[corner] == CUT {
                    continue;
                }
                match self.shape(corner, visits) {
                    Shape::Ear => corner,
                    Shape::Straight => {
                        straight.push(corner);
                        continue;
                    }
                    Shape::Blocked => continue,
                }
            } else {
                let Some(corner) = straight.pop() else { break };
                if self.next[corner] == CUT || area(self.triangle(corner)) != 0.0 {
                    continue;
                }
                corner
            };
            let neighbours = [self.previous[corner], self.next[corner]];
            self.cut_off(corner);
            for neighbour in neighbours {
                self.set_reflex(neighbour, area(self.triangle(neighbour)) <= 0.0);
                times_waiting[neighbour] += 1;
                waiting.push_back(neighbour);
            }
            last = neighbours[1];
        }
        last
    }

    fn shape(&self, corner: usize, visits: &mut usize) -> Shape {
        let triangle @ [a, b, c] = self.triangle(corner);
        let area = area(triangle);
        if area == 0.0 {
            let ahead = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
            // A repeated point, or the tip of a spike.
            return if ahead > 0.0 { Shape::Straight } else { Shape::Ear };
        }
        if area > 0.0 && !self.reflex.any_in(triangle, visits) { Shape::Ear } else { Shape::Blocked }
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
        self.triangles.extend([before, corner, after].map(|corner| corner as u32));
        (self.next[before], self.previous[after]) = (after, before);
        self.next[corner] = CUT;
        self.set_reflex(corner, false);
        self.left -= 1;
    }
}
