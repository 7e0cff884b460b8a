//! Losses: categories, numbers, and groups.

use meshspec::{Affected, Category, Loss, LossGroup, LossKind, Path, Quantity, path};
use proptest::prelude::*;

fn dropped(path: impl Into<Path>, message: &str) -> Loss {
    Loss::new(LossKind::Dropped, path, message)
}

/// Returns the loss with a number of affected items.
fn with_affected(mut loss: Loss, count: u64, of: Option<u64>, items: &'static str) -> Loss {
    loss.affected = Some(Affected { count, of, items });
    loss
}

fn with_detail(mut loss: Loss, detail: &str) -> Loss {
    loss.detail = Some(detail.to_owned());
    loss
}

fn group_lines(losses: &[Loss]) -> Vec<String> {
    LossGroup::from_losses(losses)
        .iter()
        .map(LossGroup::to_string)
        .collect()
}

#[test]
fn losses_of_equal_kind_and_message_form_a_group() {
    let name = |mesh: usize, name: &str| {
        let loss = dropped(format!("meshes[{mesh}].name"), "no names");
        with_affected(with_detail(loss, name), mesh as u64, Some(10), "bytes")
    };
    let mut losses: Vec<_> = "abacde"
        .chars()
        .enumerate()
        .map(|(i, c)| name(i, &c.to_string()))
        .collect();
    losses.insert(1, Loss::new(LossKind::Merged, "meshes", "no names"));
    losses.push(Loss::new(LossKind::Merged, "meshes", "no names"));
    assert_eq!(
        group_lines(&losses),
        [
            "merged: meshes (2 times): no names",
            "dropped: meshes[0].name and 5 more, up to meshes[5].name: no names: a, b, c and 2 more, \
             15 of 60 bytes",
        ]
    );
}

fn packing_loss(mesh: usize, error: f64, size: f64) -> Loss {
    let path = format!("meshes[{mesh}].positions");
    let mut loss = Loss::new(LossKind::Quantized, path, "positions packed");
    (loss.quantity, loss.error) = (Some(Quantity::POSITIONS), Some(error));
    loss.with_mesh_size(size)
}

#[test]
fn a_group_has_the_largest_error_and_the_largest_fraction() {
    let path = "quantized: meshes[0].positions";
    assert_eq!(
        group_lines(&[packing_loss(0, 0.25, 0.0)]),
        [format!("{path}: positions packed, off by at most 0.25 m")]
    );
    assert_eq!(
        group_lines(&[
            packing_loss(0, 0.25, 10.0),
            packing_loss(1, 0.5, 200.0),
            packing_loss(2, f64::NAN, 1.0),
            packing_loss(3, 0.1, 0.2)
        ]),
        [format!(
            "{path} and 3 more, up to meshes[3].positions: positions packed, off by at most 0.5 m at \
             meshes[1].positions (0.25 % of the mesh), and by at most 50 % of the mesh at meshes[3].positions"
        )]
    );
    assert_eq!(
        group_lines(&[packing_loss(0, 0.25, 10.0), packing_loss(1, 0.5, 10.0)]),
        [format!(
            "{path} and 1 more, up to meshes[1].positions: positions packed, off by at most 0.5 m at \
             meshes[1].positions (5 % of the mesh)"
        )]
    );
}

/// Returns the printed error of a loss without a mesh size.
fn printed_error(error: f64) -> String {
    let line = group_lines(&[packing_loss(0, error, 0.0)]).remove(0);
    let (_, printed) = line.rsplit_once("off by at most ").unwrap();
    printed.strip_suffix(" m").unwrap().to_owned()
}

#[test]
fn printed_errors_are_rounded_up() {
    let cases = [
        (0.012, "0.012"),
        (0.0121, "0.013"),
        (0.5, "0.5"),
        (0.991, "1"),
        (99.5, "100"),
        (100.1, "110"),
        (9.91e-8, "1e-7"),
        (1.21e7, "1.3e7"),
        (f64::INFINITY, "inf"),
    ];
    for (error, printed) in cases {
        assert_eq!(printed_error(error), printed);
    }
    // 0.07 has no exact representation: 100 times the fraction is slightly more than 7 %.
    let line = group_lines(&[packing_loss(0, 0.07, 1.0)]).remove(0);
    assert!(line.ends_with("0.07 m (7.1 % of the mesh)"), "{line}");
}

proptest! {
    #[test]
    fn a_printed_error_is_a_close_upper_bound(error in prop_oneof![1e-12..1e12_f64, 0.0..1.0_f64, 1e-9..1e-3_f64]) {
        let printed: f64 = printed_error(error).parse().unwrap();
        prop_assert!(error <= printed && printed <= error * 1.1 + f64::MIN_POSITIVE, "{} for {}", printed, error);
    }
}

fn measured(path: &str, quantity: Quantity, error: f64, size: f64) -> Loss {
    let mut loss = Loss::new(LossKind::Quantized, path, "packed");
    (loss.quantity, loss.error) = (Some(quantity), Some(error));
    loss.with_mesh_size(size)
}

#[test]
fn groups_are_sorted_by_harm() {
    let uvs = |error| {
        measured(
            "meshes[0].uvs[0]",
            Quantity::TEXTURE_COORDINATES,
            error,
            0.0,
        )
    };
    let losses = [
        uvs(2e-7),
        measured("meshes[0].normals", Quantity::NORMALS, 1.8, 0.0),
        dropped("meshes[0].name", "no names"),
        Loss::new(LossKind::Split, "meshes[0].faces.corners", "triangulated"),
        with_affected(
            dropped("meshes[0].faces", "degenerate"),
            1,
            Some(1000),
            "faces",
        ),
        measured(
            "animations[0].channels.translation",
            Quantity::TRANSLATIONS,
            10.0,
            20.0,
        ),
        dropped("meshes[0].tangents", "no tangents"),
        measured("lods[0].distance", Quantity::DISTANCES, f64::NAN, 1.0),
    ];
    let groups = LossGroup::from_losses(&losses);
    let order: Vec<_> = groups
        .iter()
        .map(|group| (group.example.path.to_string(), group.harm))
        .collect();
    let expected = [
        ("meshes[0].tangents", 1.0),
        ("lods[0].distance", 1.0),
        ("animations[0].channels.translation", 0.5),
        ("meshes[0].normals", 0.01),
        ("meshes[0].faces.corners", 0.01),
        ("meshes[0].name", 0.01),
        ("meshes[0].faces", 0.001),
        ("meshes[0].uvs[0]", 2e-7),
    ];
    assert_eq!(order, expected.map(|(path, harm)| (path.to_owned(), harm)));
    // The harm of a group is that of its most harmful loss.
    let groups = LossGroup::from_losses(&[uvs(1e-7), uvs(0.2), uvs(1e-6)]);
    assert_eq!(
        groups.iter().map(|group| group.harm).collect::<Vec<_>>(),
        [0.2]
    );
}

#[test]
fn one_item_is_singular() {
    let line = |items| group_lines(&[with_affected(dropped("a", "x"), 1, None, items)]).remove(0);
    for (items, one) in [
        ("vertices", "vertex"),
        ("meshes", "mesh"),
        ("copies", "copy"),
        ("faces", "face"),
    ] {
        assert!(
            line(items).ends_with(&format!("x: 1 {one}")),
            "{}",
            line(items)
        );
    }
}

#[test]
fn incompatible_numbers_form_separate_groups() {
    let flat = |mesh: usize| dropped(format!("meshes[{mesh}].faces"), "flattened");
    let losses = [
        flat(0),
        with_affected(flat(1), 123, Some(200), "triangles"),
        with_affected(flat(2), 3, Some(10), "triangles"),
        with_detail(flat(3), "a"),
        with_affected(flat(4), 7, None, "corners"),
    ];
    assert_eq!(
        group_lines(&losses),
        [
            "dropped: meshes[0].faces and 1 more, up to meshes[3].faces: flattened: a",
            "dropped: meshes[4].faces: flattened: 7 corners",
            "dropped: meshes[1].faces and 1 more, up to meshes[2].faces: flattened, 126 of 210 triangles",
        ]
    );
    let numbers = [dropped("meshes", "1 gone"), dropped("meshes", "2 gone")];
    assert_eq!(
        group_lines(&numbers).len(),
        2,
        "values in messages are not swallowed"
    );
}

#[test]
fn groups_are_sorted_by_category() {
    let paths = [
        "nodes[0].name",
        "materials[0]",
        "cameras",
        "animations[0]",
        "skins[0]",
        "meshes[0].positions",
    ];
    let mut losses: Vec<_> = paths.iter().map(|path| dropped(*path, "x")).collect();
    let mut empty = dropped("nodes[7]", "an empty");
    empty.category = Category::Names;
    losses.push(empty);
    let order: Vec<_> = LossGroup::from_losses(&losses)
        .into_iter()
        .map(|group| group.example.path)
        .collect();
    let expected = [
        "meshes[0].positions",
        "skins[0]",
        "animations[0]",
        "materials[0]",
        "cameras",
        "nodes[0].name",
        "nodes[7]",
    ];
    assert_eq!(order, expected);
}

#[test]
fn groups_of_several_files_add_up() {
    let mut first = LossGroup::from_losses(&[packing_loss(0, 0.5, 1.0)]).remove(0);
    let mut second = LossGroup::from_losses(&[packing_loss(2, 0.75, 100.0)]).remove(0);
    first.prefix_paths("a.obj: ");
    second.prefix_paths("b.obj: ");
    first.merge(second);
    assert_eq!(
        first.format_at("a.obj and b.obj"),
        "quantized: a.obj and b.obj: positions packed, off by at most 0.75 m at b.obj: meshes[2].positions (0.75 % of \
         the mesh), and by at most 50 % of the mesh at a.obj: meshes[0].positions"
    );
}

#[test]
fn the_last_known_path_segment_sets_the_category() {
    let of = |path| dropped(path, "x").category;
    for path in [
        "meshes[0].positions",
        "vertex.x, y, z",
        "meshes[7]",
        "v",
        "nodes[3]",
        "facets.attributes",
    ] {
        assert_eq!(of(path), Category::Geometry, "{path}");
    }
    for path in [
        "meshes[0].skins[0].weights",
        "skeleton.joints[1].rest",
        "meshes[0].primitives[0].attributes.JOINTS_0",
    ] {
        assert_eq!(of(path), Category::Skin, "{path}");
    }
    assert_eq!(of("animations[0].channels[4]"), Category::Animation);
    assert_eq!(of("materials[2].alphaMode"), Category::Material);
    for path in [
        "meshes[0].name",
        "skeleton.joints.name",
        "animations[1].name",
        "nodes[0].extras",
        "user_data",
    ] {
        assert_eq!(of(path), Category::Names, "{path}");
    }
    for path in [
        "map_Kd",
        "TextureFile",
        "mtllib",
        "materials[0].extensions.skin",
    ] {
        assert_eq!(of(path), Category::Material, "{path}");
    }
    // Names in the file do not affect the category.
    for path in [
        "vertex.weights",
        "face.material",
        "meshes[0].primitives[0].attributes.skin",
    ] {
        assert_eq!(of(path), Category::Geometry, "{path}");
    }
    assert_eq!(of("nodes[0].extras.weights"), Category::Names);
    for path in ["", "extensionsUsed[0]", "cameras", "extensions.skin"] {
        assert_eq!(of(path), Category::Other, "{path}");
    }
}

#[test]
fn errors_are_rounded_for_display() {
    let numbers = [
        0.0,
        1.002_427_6,
        0.001_234,
        99.9,
        123_456.0,
        1e-9,
        1.5e-7,
        3.21e9,
        f64::INFINITY,
    ];
    let shown = numbers.map(|error| {
        let mut loss = Loss::new(LossKind::Quantized, "a", "b");
        loss.error = Some(error);
        loss.to_string()
    });
    let expected = [
        "0", "1.1", "0.0013", "100", "130000", "1e-9", "1.5e-7", "3.3e9", "inf",
    ];
    assert_eq!(
        shown,
        expected.map(|error| format!("quantized: a: b, off by at most {error}"))
    );
}

#[test]
fn paths_are_steps_or_text() {
    let steps = dropped(path!(faces.corners), "lost").within(path!(meshes[3]));
    assert_eq!(
        steps.path.segments(),
        Some(&path!(meshes[3].faces.corners)[..])
    );
    let text = dropped("faces.corners", "lost").within("meshes[3]");
    assert_eq!((text.path.segments(), &text.path), (None, &steps.path));
    assert_ne!(text.path, Path::from(path!(meshes[2].faces.corners)));
    assert_eq!(steps.to_string(), "dropped: meshes[3].faces.corners: lost");
    assert_eq!(
        serde_json::to_value(&steps).unwrap()["path"],
        "meshes[3].faces.corners"
    );
}
