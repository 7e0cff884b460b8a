//! A search tree for points in a triangle.

use std::cmp::Ordering;

/// A k-d tree of distinct points that splits the longer side of its bounds at every level. The root of the tree, and of
/// each subtree, is in the middle of its range in `nodes`. Corners at the same point share a node.
pub struct PointTree {
    nodes: Vec<Node>,
    /// The node index of each corner; past the end for corners outside the tree.
    node_of_corner: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    point: [f64; 2],
    /// The bounds of all points in the node's subtree.
    min: [f64; 2],
    max: [f64; 2],
    /// The number of corners in the tree at the point.
    count: u32,
    /// The number of corners in the node's subtree.
    subtree_count: u32,
}

impl PointTree {
    /// Creates a tree of the corners with `true` in `is_chosen`.
    pub fn new(corners: &[[f64; 2]], is_chosen: &[bool]) -> PointTree {
        // Adding 0 turns -0 into 0.
        let numbered = (0..).zip(corners.iter().map(|corner| corner.map(|x| x + 0.0)));
        let mut chosen: Vec<(u32, _)> = numbered
            .zip(is_chosen)
            .filter_map(|(corner, chosen)| chosen.then_some(corner))
            .collect();
        chosen.sort_unstable_by(|(_, a), (_, b)| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        let mut distinct: Vec<(u32, [f64; 2])> = Vec::new();
        let mut groups = vec![u32::MAX; corners.len()];
        for (corner, point) in chosen {
            if distinct.last().is_none_or(|(_, last)| *last != point) {
                distinct.push((distinct.len() as u32, point));
            }
            groups[corner as usize] = distinct.len() as u32 - 1;
        }
        let mut nodes = vec![Node::default(); distinct.len()];
        build_subtree(&mut distinct, &mut nodes);
        let mut node_of_group = vec![0; distinct.len()];
        for (node_index, (group, _)) in (0..).zip(&distinct) {
            node_of_group[*group as usize] = node_index;
        }
        let node_index = |group: u32| {
            node_of_group
                .get(group as usize)
                .copied()
                .unwrap_or(u32::MAX)
        };
        let mut tree = PointTree {
            nodes,
            node_of_corner: groups.into_iter().map(node_index).collect(),
        };
        (0..corners.len()).for_each(|corner| tree.set(corner, true));
        tree
    }

    /// Adds or removes a corner that was chosen when the tree was created; ignores other corners.
    pub fn set(&mut self, corner: usize, is_present: bool) {
        let change = |count: &mut u32| if is_present { *count += 1 } else { *count -= 1 };
        let mut node_index = self.node_of_corner[corner] as usize;
        let Some(node) = self.nodes.get_mut(node_index) else {
            return;
        };
        change(&mut node.count);
        let mut nodes = &mut self.nodes[..];
        loop {
            let middle = nodes.len() / 2;
            change(&mut nodes[middle].subtree_count);
            match node_index.cmp(&middle) {
                Ordering::Less => nodes = &mut nodes[..middle],
                Ordering::Equal => return,
                Ordering::Greater => {
                    nodes = &mut nodes[middle + 1..];
                    node_index -= middle + 1;
                }
            }
        }
    }

    /// Returns `true` if a point of the tree is inside a counter-clockwise triangle or on its border. Ignores points
    /// equal to corners of the triangle. Subtracts 1 from `visits` per node; returns `true` if `visits` is exhausted.
    pub fn any_inside(&self, triangle: [[f64; 2]; 3], visits: &mut usize) -> bool {
        let [a, b, c] = triangle;
        let center = [0, 1].map(|axis| (a[axis] + b[axis] + c[axis]) / 3.0);
        any_inside(&self.nodes, &triangle, center, visits)
    }
}

fn any_inside(
    nodes: &[Node],
    triangle: &[[f64; 2]; 3],
    center: [f64; 2],
    visits: &mut usize,
) -> bool {
    let middle = nodes.len() / 2;
    let Some(node) = nodes.get(middle).filter(|node| node.subtree_count > 0) else {
        return false;
    };
    let Some(left) = visits.checked_sub(1) else {
        return true;
    };
    *visits = left;
    if is_disjoint(node.min, node.max, triangle) {
        return false;
    }
    if node.count > 0 && !triangle.contains(&node.point) && contains_point(triangle, node.point) {
        return true;
    }
    let axis = node.split_axis();
    let halves = [&nodes[..middle], &nodes[middle + 1..]];
    // Searches the half with the triangle's centre first, since its points are more likely inside.
    let near = usize::from(center[axis] > node.point[axis]);
    any_inside(halves[near], triangle, center, visits)
        || any_inside(halves[1 - near], triangle, center, visits)
}

impl Node {
    fn split_axis(&self) -> usize {
        usize::from(self.max[1] - self.min[1] > self.max[0] - self.min[0])
    }
}

/// Sorts numbered points into the order of their nodes, and initialises the nodes.
fn build_subtree(points: &mut [(u32, [f64; 2])], nodes: &mut [Node]) {
    let middle = points.len() / 2;
    if points.is_empty() {
        return;
    }
    let mut node = Node {
        min: [f64::INFINITY; 2],
        max: [f64::NEG_INFINITY; 2],
        ..Node::default()
    };
    for (_, point) in points.iter() {
        node.min = [0, 1].map(|axis| node.min[axis].min(point[axis]));
        node.max = [0, 1].map(|axis| node.max[axis].max(point[axis]));
    }
    let axis = node.split_axis();
    points.select_nth_unstable_by(middle, |(_, a), (_, b)| a[axis].total_cmp(&b[axis]));
    node.point = points[middle].1;
    nodes[middle] = node;
    build_subtree(&mut points[..middle], &mut nodes[..middle]);
    build_subtree(&mut points[middle + 1..], &mut nodes[middle + 1..]);
}

/// Returns twice the area of a triangle, positive if it is counter-clockwise.
pub fn doubled_area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Returns `true` if a point is inside a counter-clockwise triangle or on its border.
pub fn contains_point([a, b, c]: &[[f64; 2]; 3], point: [f64; 2]) -> bool {
    [[*a, *b, point], [*b, *c, point], [*c, *a, point]]
        .into_iter()
        .all(|triangle| doubled_area(triangle) >= 0.0)
}

/// Returns `true` if a box and a counter-clockwise triangle have no point in common.
fn is_disjoint(min: [f64; 2], max: [f64; 2], [a, b, c]: &[[f64; 2]; 3]) -> bool {
    let is_outside_on_axis = |axis: usize| {
        a[axis].max(b[axis]).max(c[axis]) < min[axis]
            || a[axis].min(b[axis]).min(c[axis]) > max[axis]
    };
    let is_right_of = |[a, b]: [&[f64; 2]; 2]| {
        // The box corner farthest to the left of the side.
        let x = if b[1] > a[1] { min[0] } else { max[0] };
        let y = if b[0] > a[0] { max[1] } else { min[1] };
        doubled_area([*a, *b, [x, y]]) < 0.0
    };
    (0..2).any(is_outside_on_axis) || [[a, b], [b, c], [c, a]].into_iter().any(is_right_of)
}
