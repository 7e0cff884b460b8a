//! Search for the points inside a triangle.

use meshspec::scene::__private::{PointTree, contains_point, doubled_area};

/// For triangles of grid points, the search matches a plain loop, even after removing some points.
#[test]
fn the_search_matches_a_plain_loop() {
    let points: Vec<_> = (0..60)
        .map(|i| [f64::from(i * 7 % 11), f64::from(i * 5 % 13)])
        .collect();
    let mut tree = PointTree::new(&points, &vec![true; points.len()]);
    let mut present = vec![true; points.len()];
    for removed in (0..points.len()).step_by(3) {
        tree.set(removed, false);
        present[removed] = false;
        for step in 1..20 {
            let triangle =
                [0, 17 * step, 31 * step + 5].map(|place| points[(removed + place) % 60]);
            if doubled_area(triangle) <= 0.0 {
                continue;
            }
            let blocks =
                |point: &[f64; 2]| !triangle.contains(point) && contains_point(&triangle, *point);
            let expected = points
                .iter()
                .zip(&present)
                .any(|(point, present)| *present && blocks(point));
            assert_eq!(
                tree.any_inside(triangle, &mut 1000),
                expected,
                "{triangle:?}"
            );
        }
    }
}

#[test]
fn repeated_points_are_one_node() {
    let points = vec![[1.0, 1.0], [0.0, -0.0], [-0.0, 0.0], [1.0, 1.0]];
    let mut tree = PointTree::new(&points, &[true, true, true, false]);
    // A triangle between the two points visits all nodes.
    let mut visits = 10;
    assert!(!tree.any_inside([[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]], &mut visits));
    assert_eq!(visits, 8);
    let around_zero = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]];
    for corner in [1, 2] {
        assert!(tree.any_inside(around_zero, &mut 10));
        tree.set(corner, false);
    }
    assert!(!tree.any_inside(around_zero, &mut 10));
    // Without a budget, the result is unknown.
    assert!(tree.any_inside(around_zero, &mut 0));
}
