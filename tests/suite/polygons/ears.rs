//! Triangulation of polygons with many corners: coverage and running time.

use meshspec::scene::__private::{VISITS_PER_CORNER, cut_ears, doubled_area};

type Polygon = Vec<[f64; 2]>;

const COUNT: usize = 6000;

/// Returns the triangles of a polygon, and the number of visits per corner.
fn triangulated(corners: &[[f64; 2]]) -> (Vec<[u32; 3]>, usize) {
    let budget = VISITS_PER_CORNER * corners.len();
    let mut visits = budget;
    let triangles = cut_ears(corners, &mut visits).as_chunks().0.to_vec();
    assert_eq!(triangles.len(), corners.len() - 2);
    (triangles, (budget - visits).div_ceil(corners.len()))
}

/// Returns twice the area of a polygon, and twice that of its triangles.
fn areas(corners: &[[f64; 2]], triangles: &[[u32; 3]]) -> [f64; 2] {
    let fan = corners
        .windows(2)
        .map(|pair| doubled_area([corners[0], pair[0], pair[1]]));
    let triangulated = triangles
        .iter()
        .map(|triangle| doubled_area(triangle.map(|corner| corners[corner as usize])).abs());
    [fan.sum(), triangulated.sum()]
}

fn around(radius: impl Fn(usize) -> f64, turns: f64) -> Polygon {
    let angle = |corner: usize| std::f64::consts::TAU * turns * corner as f64 / COUNT as f64;
    (0..COUNT)
        .map(|i| [radius(i) * angle(i).cos(), radius(i) * angle(i).sin()])
        .collect()
}

/// Returns a band along a line; the vector is the offset between its two sides.
fn band(line: impl Clone + DoubleEndedIterator<Item = [f64; 2]>, [x, y]: [f64; 2]) -> Polygon {
    line.clone()
        .chain(line.rev().map(|point| [point[0] + x, point[1] + y]))
        .collect()
}

/// Polygons that do not cross themselves, but may touch themselves.
fn simple() -> Vec<(&'static str, Polygon)> {
    let teeth = |height: f64| {
        (0..COUNT).map(move |i| [(COUNT - i) as f64, if i % 2 == 0 { height } else { 0.0 }])
    };
    let comb = |height| {
        [[0.0, -1.0], [COUNT as f64 + 1.0, -1.0]]
            .into_iter()
            .chain(teeth(height))
            .collect()
    };
    let tilted = |polygon: Polygon| polygon.into_iter().map(|[x, y]| [x + 9.0 * y, y]).collect();
    let zigzag = (0..COUNT / 2).map(|i| [i as f64, if i % 2 == 0 { 0.0 } else { 1e4 }]);
    let spiral = |step: f64| {
        let at = move |i: usize, width: f64| {
            let angle = step * i as f64;
            [(angle + width) * angle.cos(), (angle + width) * angle.sin()]
        };
        let outer = (0..COUNT / 2).map(move |i| at(i, 3.0));
        outer
            .chain((0..COUNT / 2).rev().map(move |i| at(i, 0.5)))
            .collect()
    };
    // Petals that start at a common point, and rows of holes connected by zero-width bridges.
    let petals = around(|i| if i % 3 == 0 { 0.0 } else { 1.0 }, 1.0);
    let mut holes: Polygon = vec![[-1.0, -1.0], [60.0, -1.0], [60.0, 60.0], [-1.0, 60.0]];
    for y in (0..20).map(|row| f64::from(59 - 3 * row)) {
        let half = |by: f64| {
            let hole = move |x: f64| [[x, y], [x, y + by], [x + 0.5, y + by], [x + 0.5, y]];
            (0..50).flat_map(move |column| hole(f64::from(column)))
        };
        holes.push([-1.0, y]);
        holes.extend(half(0.5));
        holes.extend(half(-0.25).collect::<Vec<_>>().into_iter().rev());
        holes.push([-1.0, y]);
    }
    vec![
        ("star", around(|i| if i % 2 == 0 { 1.0 } else { 0.5 }, 1.0)),
        (
            "waves",
            around(|i| 1.0 + 0.3 * (i as f64 * 0.02).sin(), 1.0),
        ),
        ("rays", around(|i| (i * 7919 % 1009 + 1) as f64, 1.0)),
        ("comb", comb(1000.0)),
        ("tilted comb", tilted(comb(1000.0))),
        ("zigzag", band(zigzag, [0.0, 1.0])),
        ("spiral", spiral(0.05)),
        ("spiral of three sides", spiral(2.1)),
        (
            "straight side",
            (0..COUNT)
                .map(|i| [i as f64, if i + 1 == COUNT { 1.0 } else { 0.0 }])
                .collect(),
        ),
        (
            "almost straight side",
            (0..COUNT)
                .map(|i| {
                    [
                        i as f64,
                        (i * i) as f64 * 1e-12 - if i % 2 == 0 { 1e-9 } else { 0.0 },
                    ]
                })
                .collect(),
        ),
        (
            "each point twice",
            comb(50.0)
                .into_iter()
                .flat_map(|point: [f64; 2]| [point; 2])
                .collect(),
        ),
        ("petals", petals),
        ("holes", holes),
    ]
}

#[test]
fn simple_polygons_are_covered_within_the_budget() {
    for (name, mut corners) in simple() {
        if areas(&corners, &[])[0] < 0.0 {
            corners.reverse();
        }
        let (triangles, visits) = triangulated(&corners);
        let [expected, covered] = areas(&corners, &triangles);
        assert!(
            (covered - expected).abs() <= 1e-9 * expected,
            "{name}: {covered}, not {expected}"
        );
        let mut is_used = vec![false; corners.len()];
        triangles
            .iter()
            .flatten()
            .for_each(|corner| is_used[*corner as usize] = true);
        assert!(is_used.iter().all(|is_used| *is_used), "{name}");
        assert!(visits <= 150, "{name}: {visits} visits per corner");
    }
}

#[test]
fn self_crossing_polygons_take_few_visits() {
    let mut state = 1_u32;
    let mut random = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from((state >> 16) % below)
    };
    let mut polygons = vec![
        around(|_| 1.0, 2999.0),
        around(|_| 1.0, 7.0 / 17.0 * COUNT as f64),
        (0..COUNT)
            .map(|i| [(i % 2) as f64, if i == 5 { 1.0 } else { 0.0 }])
            .collect(),
    ];
    for size in [4, 100, 60_000] {
        polygons.push((0..COUNT).map(|_| [random(size), random(size)]).collect());
        let few: Polygon = (0..17).map(|_| [random(size), random(size)]).collect();
        polygons.push(few.iter().copied().cycle().take(COUNT).collect());
    }
    for corners in polygons {
        let (_, visits) = triangulated(&corners);
        assert!(visits <= 100, "{visits} visits per corner");
    }
}

#[test]
fn the_rest_becomes_a_fan_without_a_budget() {
    let (_, corners) = simple().swap_remove(3);
    for budget in [0, 1, 100, 10_000] {
        let mut visits = budget;
        let triangles = cut_ears(&corners, &mut visits);
        assert_eq!(
            (visits, triangles.len()),
            (0, 3 * (corners.len() - 2)),
            "{budget} visits"
        );
    }
}
