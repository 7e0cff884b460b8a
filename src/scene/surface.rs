//! Distances between the surfaces of models.

use std::convert::Infallible;

use glam::DVec3;

use super::Model;
use crate::parallel;

/// The maximum number of triangles per leaf.
const MAX_LEAF_TRIANGLES: usize = 4;

/// The largest distance that counts as 0 because of rounding errors, relative to the largest coordinate.
const ROUNDING: f64 = 1e-12;

/// The surface of a model: a bounding volume hierarchy of its triangles, for nearest-point queries.
///
/// See [`Model`] for an example.
pub struct Surface {
    triangles: Vec<SurfaceTriangle>,
    nodes: Vec<BvhNode>,
}

/// A triangle of the hierarchy.
struct SurfaceTriangle {
    corners: [DVec3; 3],
    /// The index of the triangle before it was sorted.
    index: usize,
}

/// The point of a surface that is nearest to a given point.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearestPoint {
    /// The index of the triangle.
    pub triangle: usize,
    /// The distance in metres.
    pub distance: f64,
}

/// A node of the hierarchy: a range of triangles and its bounding box.
struct BvhNode {
    min: DVec3,
    max: DVec3,
    first: usize,
    count: usize,
    /// The index of the second child; `None` for a leaf. The first child is the next node.
    second: Option<usize>,
}

impl Surface {
    /// Builds the hierarchy of a model's triangles.
    pub fn new(model: &Model) -> Surface {
        Surface::from_triangles(
            (0..model.triangles.len()).map(|triangle| model.triangle_points(triangle)),
        )
    }

    /// Builds the hierarchy of triangles with finite corners. Triangles may be points.
    pub(super) fn from_triangles(triangles: impl Iterator<Item = [DVec3; 3]>) -> Surface {
        let triangles = triangles
            .enumerate()
            .map(|(index, corners)| SurfaceTriangle { corners, index })
            .collect();
        let mut surface = Surface {
            triangles,
            nodes: Vec::new(),
        };
        surface.add_node(0, surface.triangles.len());
        surface
    }

    /// Returns `true` if there are no triangles.
    pub(super) fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Adds the node for `count` triangles starting at `first`, and its children. Each child has half of the triangles,
    /// so the depth is logarithmic.
    fn add_node(&mut self, first: usize, count: usize) {
        let range = &mut self.triangles[first..first + count];
        let corners = range.iter().flat_map(|triangle| &triangle.corners);
        let (min, max) = corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), at| {
            (min.min(*at), max.max(*at))
        });
        let node = self.nodes.len();
        self.nodes.push(BvhNode {
            min,
            max,
            first,
            count,
            second: None,
        });
        if count <= MAX_LEAF_TRIANGLES {
            return;
        }
        let axis = (max - min).max_position();
        let center = |triangle: &SurfaceTriangle| {
            triangle
                .corners
                .iter()
                .map(|corner| corner[axis])
                .sum::<f64>()
        };
        range.select_nth_unstable_by(count / 2, |a, b| center(a).total_cmp(&center(b)));
        self.add_node(first, count / 2);
        self.nodes[node].second = Some(self.nodes.len());
        self.add_node(first + count / 2, count - count / 2);
    }

    /// Returns the distance of a point from the surface, in metres.
    fn distance(&self, point: DVec3) -> f64 {
        let distance = self
            .nearest(point, f64::INFINITY, |_| true)
            .map_or(f64::INFINITY, |nearest| nearest.distance);
        let largest = self
            .nodes
            .first()
            .map_or(0.0, |all| all.min.abs().max(all.max.abs()).max_element());
        if distance <= ROUNDING * largest {
            0.0
        } else {
            distance
        }
    }

    /// Returns the nearest point of the triangles for which `is_candidate` returns `true`, by their index; `None` if
    /// there are no such triangles nearer than `reach` metres.
    pub(super) fn nearest(
        &self,
        point: DVec3,
        reach: f64,
        is_candidate: impl Fn(usize) -> bool,
    ) -> Option<NearestPoint> {
        let mut nearest = NearestPoint {
            triangle: usize::MAX,
            distance: reach * reach,
        };
        self.update_nearest(0, point, &is_candidate, &mut nearest);
        let distance = nearest.distance.sqrt();
        (nearest.triangle != usize::MAX).then_some(NearestPoint {
            distance,
            ..nearest
        })
    }

    /// Returns the `max` nearest triangles within `reach` metres of a point, the nearest first.
    pub(super) fn nearest_within(
        &self,
        point: DVec3,
        mut reach: f64,
        max: usize,
    ) -> Vec<NearestPoint> {
        let mut found: Vec<NearestPoint> = Vec::new();
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let Some(bounds) = self.nodes.get(node) else {
                continue;
            };
            let distance = bounds.distance_squared(point);
            // Triangles that are as far as the farthest one found cannot replace it.
            if distance > reach * reach || (found.len() == max && distance >= reach * reach) {
                continue;
            }
            if let Some(second) = bounds.second {
                // The nearer one is searched first, which reduces `reach`.
                let mut children = [node + 1, second];
                children.sort_by(|a, b| {
                    let distance = |child: usize| self.nodes[child].distance_squared(point);
                    distance(*b).total_cmp(&distance(*a))
                });
                open.extend(children);
                continue;
            }
            for triangle in &self.triangles[bounds.first..bounds.first + bounds.count] {
                let distance = nearest_point_of(triangle.corners, point).distance(point);
                if distance <= reach {
                    let rank = found.partition_point(|nearer| nearer.distance <= distance);
                    found.insert(
                        rank,
                        NearestPoint {
                            triangle: triangle.index,
                            distance,
                        },
                    );
                    found.truncate(max);
                }
            }
            // Farther ones cannot be among the nearest.
            if found.len() == max {
                reach = found.last().map_or(reach, |farthest| farthest.distance);
            }
        }
        found
    }

    /// Replaces `nearest`, with a squared distance, if a candidate in the node is nearer.
    fn update_nearest(
        &self,
        node: usize,
        point: DVec3,
        is_candidate: &impl Fn(usize) -> bool,
        nearest: &mut NearestPoint,
    ) {
        let Some(BvhNode {
            first,
            count,
            second,
            ..
        }) = self.nodes.get(node)
        else {
            return;
        };
        let Some(second) = *second else {
            for triangle in &self.triangles[*first..first + count] {
                let distance = nearest_point_of(triangle.corners, point).distance_squared(point);
                if distance < nearest.distance && is_candidate(triangle.index) {
                    *nearest = NearestPoint {
                        triangle: triangle.index,
                        distance,
                    };
                }
            }
            return;
        };
        let mut children =
            [node + 1, second].map(|child| (self.nodes[child].distance_squared(point), child));
        if children[1].0 < children[0].0 {
            children.swap(0, 1);
        }
        for (distance, child) in children {
            if distance < nearest.distance {
                self.update_nearest(child, point, is_candidate, nearest);
            }
        }
    }

    /// Returns the distances from the surface to a model's vertices and triangle centres.
    pub fn distances(&self, model: &Model) -> Distances {
        let distance = |point: DVec3| {
            if point.is_finite() {
                self.distance(point)
            } else {
                0.0
            }
        };
        let Ok(vertices) = parallel::try_map(&model.points, |_, point| {
            Ok::<_, Infallible>(distance(*point))
        });
        let Ok(centers) = parallel::try_map(&model.triangles, |triangle, _| {
            let center = model.triangle_points(triangle).iter().sum::<DVec3>() / 3.0;
            Ok::<_, Infallible>(distance(center))
        });
        Distances { vertices, centers }
    }
}

/// Distances of a model from a surface, in metres.
pub struct Distances {
    /// The distances of the vertices; 0 for unused vertices.
    pub vertices: Vec<f64>,
    /// The distances of the triangle centres. They reveal a hole in the surface even if no vertex around the hole is
    /// missing.
    pub centers: Vec<f64>,
}

impl Distances {
    /// Returns all distances.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        self.vertices.iter().chain(&self.centers).copied()
    }
}

impl BvhNode {
    /// Returns the squared distance of a point from the box.
    fn distance_squared(&self, point: DVec3) -> f64 {
        point.clamp(self.min, self.max).distance_squared(point)
    }
}

/// Returns the point of a triangle that is nearest to `point`: a corner, a point on an edge, or an inner point.
fn nearest_point_of([a, b, c]: [DVec3; 3], point: DVec3) -> DVec3 {
    let normal = (b - a).cross(c - a);
    let is_inside = |from: DVec3, to: DVec3| (to - from).cross(point - from).dot(normal) >= 0.0;
    if normal != DVec3::ZERO && is_inside(a, b) && is_inside(b, c) && is_inside(c, a) {
        return point - normal * ((point - a).dot(normal) / normal.length_squared());
    }
    let of_edge = |from: DVec3, to: DVec3| {
        let along = (point - from).dot(to - from) / from.distance_squared(to);
        // `along` is NaN for an edge of length 0.
        if along > 0.0 {
            from.lerp(to, along.min(1.0))
        } else {
            from
        }
    };
    let edges = [of_edge(a, b), of_edge(b, c), of_edge(c, a)];
    let nearer = |x: DVec3, y: DVec3| {
        if y.distance_squared(point) < x.distance_squared(point) {
            y
        } else {
            x
        }
    };
    nearer(nearer(edges[0], edges[1]), edges[2])
}
