//! `meshspec render`.

use meshspec::mesh;

use crate::dump::repository;
use crate::files::{Folder, Run, animated, broken_triangle, triangle};

/// A decoded picture.
pub struct Image {
    pub width: usize,
    pub height: usize,
    /// Red, green, blue and alpha.
    pub pixels: Vec<[u8; 4]>,
}

impl Image {
    pub fn of(bytes: &[u8]) -> Image {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let pixels = match info.color_type {
            png::ColorType::Rgba => pixels.as_chunks().0.to_vec(),
            png::ColorType::Rgb => pixels
                .as_chunks()
                .0
                .iter()
                .map(|[r, g, b]| [*r, *g, *b, 255])
                .collect(),
            other => panic!("{other:?}"),
        };
        Image {
            width: info.width as usize,
            height: info.height as usize,
            pixels,
        }
    }

    pub fn at(&self, x: usize, y: usize) -> [u8; 4] {
        self.pixels[y * self.width + x]
    }

    /// Returns the mean position of the non-transparent pixels, and their number.
    fn middle(&self) -> ([f64; 2], usize) {
        let visible = self
            .pixels
            .iter()
            .enumerate()
            .filter(|(_, [.., alpha])| *alpha > 0);
        let places: Vec<[usize; 2]> = visible
            .map(|(place, _)| [place % self.width, place / self.width])
            .collect();
        let mean = |axis: usize| {
            places.iter().map(|place| place[axis] as f64).sum::<f64>() / places.len() as f64
        };
        ([mean(0), mean(1)], places.len())
    }
}

/// A square with the material `m`, which shows a whole image.
const SQUARE: &str = "mtllib a.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl m
f 1/1 2/2 3/3 4/4
";

fn sample(name: &str) -> String {
    repository()
        .join("samples")
        .join(name)
        .display()
        .to_string()
}

/// Renders with these arguments.
fn render(folder: &Folder, arguments: &str) -> Image {
    folder
        .run(&format!("render {arguments} out.png --force"))
        .fine();
    Image::of(&folder.get("out.png"))
}

/// A right-angled triangle with the corner at the origin, 2 m along +X and 1 m along +Y. A smaller one is behind it,
/// along −Z.
fn shape() -> mesh::Document {
    scaled_shape(1.0)
}

fn scaled_shape(factor: f32) -> mesh::Document {
    let positions = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, -1.0],
        [0.0, 0.5, 0.0],
    ];
    let positions = positions
        .map(|position| position.map(|coordinate: f32| coordinate * factor))
        .to_vec();
    let columns = mesh::Columns {
        positions,
        ..Default::default()
    };
    let vertices = mesh::Vertices::from_columns(&columns).unwrap();
    mesh::Document {
        vertices,
        indices: vec![0, 1, 2, 3, 4, 5],
        ..triangle()
    }
}

#[test]
fn each_view_shows_its_side() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &shape());
    let front = render(&folder, "a.mesh --size 100 --view front");
    let [left, right] = [front.at(6, 70), front.at(93, 33)].map(|[.., alpha]| alpha);
    assert!(
        left > 0 && right == 0,
        "the right angle is at the lower left"
    );
    let back = render(&folder, "a.mesh --size 100 --view back");
    assert!(
        back.at(93, 70)[3] > 0 && back.at(6, 33)[3] == 0,
        "the right angle is at the lower right"
    );
    // The small triangle is visible from the sides. −Z points away from the front, so it is to the right when seen from +X.
    let right = render(&folder, "a.mesh --size 100 --view right").middle();
    let left = render(&folder, "a.mesh --size 100 --view left").middle();
    assert!(right.0[0] < 50.0 && left.0[0] > 50.0, "{right:?} {left:?}");
    let iso = render(&folder, "a.mesh --size 100 --view iso");
    assert!(iso.pixels == render(&folder, "a.mesh --size 100").pixels);
    // Seen from above, the faces are edge-on.
    let run = folder.run("render a.mesh out.png --force --view top");
    assert_eq!(run.status, 0);
    assert_eq!(
        run.stderr,
        "warning: a.mesh: no triangle is visible from this side\n"
    );
}

#[test]
fn a_turntable_has_eight_sides() {
    let folder = Folder::new();
    let image = render(
        &folder,
        &format!(
            "{} --view turntable --size 40x30",
            sample("seed/facets.mesh")
        ),
    );
    assert_eq!((image.width, image.height), (160, 60));
    let cells: Vec<Vec<[u8; 4]>> = (0..8)
        .map(|cell| {
            let (left, top) = (cell % 4 * 40, cell / 4 * 30);
            (0..40 * 30)
                .map(|place| image.at(left + place % 40, top + place / 40))
                .collect()
        })
        .collect();
    for (index, cell) in cells.iter().enumerate() {
        assert!(cell.iter().any(|[.., alpha]| *alpha > 0), "{index}");
        assert!(!cells[..index].contains(cell), "{index}");
    }
}

#[test]
fn sheets_have_a_cell_for_each_file() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    folder.put_mesh("b.mesh", &broken_triangle());
    folder.put_mesh("c.mesh", &triangle());
    let run = folder.run("render a.mesh b.mesh c.mesh sheet.png --size 20");
    assert!(
        run.status == 1 && run.stderr.contains("MESH-INDEX-RANGE"),
        "{run:?}"
    );
    let image = Image::of(&folder.get("sheet.png"));
    assert_eq!((image.width, image.height), (40, 40));
    let is_empty = |left: usize, top: usize| {
        (0..400).all(|place| image.at(left + place % 20, top + place / 20)[3] == 0)
    };
    assert_eq!(
        [(0, 0), (20, 0), (0, 20), (20, 20)].map(|(left, top)| is_empty(left, top)),
        [false, true, false, true]
    );
}

#[test]
fn backgrounds() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    for (name, color) in [
        ("transparent", [0, 0, 0, 0]),
        ("white", [255; 4]),
        ("black", [0, 0, 0, 255]),
        ("#1234ff", [0x12, 0x34, 0xff, 255]),
        ("1234ff", [0x12, 0x34, 0xff, 255]),
    ] {
        let image = render(&folder, &format!("a.mesh --size 16 --background {name}"));
        assert_eq!(image.at(0, 0), color, "{name}");
    }
    assert!(
        folder
            .run("render a.mesh b.png --background 12345g")
            .fails(2)
            .contains("six hexadecimal digits")
    );
}

#[test]
fn edges_are_drawn_on_request() {
    let folder = Folder::new();
    let file = sample("seed/facets.mesh");
    let picture =
        |option: &str| render(&folder, &format!("{file} --size 96 --view front{option}")).pixels;
    let (plain, edges) = (picture(""), picture(" --wireframe"));
    let brightest = |pixel: &[u8; 4]| i32::from(pixel[..3].iter().copied().max().unwrap_or(0));
    let darkened = plain
        .iter()
        .zip(&edges)
        .filter(|(plain, edges)| brightest(plain) > brightest(edges) + 60);
    let count = darkened.count();
    // The outline, and two diagonals.
    assert!((250..700).contains(&count), "{count}");
}

#[test]
fn poses_follow_time_and_animation() {
    let folder = Folder::new();
    let file = sample("mesh/tentacle.mesh");
    let rest = render(&folder, &format!("{file} --size 64")).pixels;
    let moved = render(&folder, &format!("{file} --size 64 --time 0.5")).pixels;
    assert!(rest != moved);
    assert!(
        render(
            &folder,
            &format!("{file} --size 64 --time 0.5 --animation 0")
        )
        .pixels
            == moved
    );
    let message = folder
        .run(&format!("render {file} b.png --time 99"))
        .fails(2);
    assert!(message.contains("the animation lasts from"), "{message}");
    let message = folder
        .run(&format!("render {file} b.png --animation fly"))
        .fails(2);
    assert!(
        message.contains("no animation \"fly\": expected one of"),
        "{message}"
    );
    folder.put_mesh("a.mesh", &triangle());
    assert!(
        folder
            .run("render a.mesh b.png --time 0")
            .fails(2)
            .contains("the scene has none")
    );
}

#[test]
fn interchange_files_and_json_are_drawn_alike() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &animated());
    let expected = render(&folder, "a.mesh --size 64").pixels;
    for other in ["a.glb", "a.obj", "a.ply", "a.json"] {
        assert_eq!(folder.run(&format!("convert a.mesh {other}")).status, 0);
        assert!(
            render(&folder, &format!("{other} --size 64")).pixels == expected,
            "{other}"
        );
    }
}

/// A GLB can embed its texture: the upper half of the image is red, the lower one blue.
#[test]
fn textures_are_upright_and_faults_are_reported() {
    let folder = Folder::new();
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, 2, 2);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&[255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255])
        .unwrap();
    writer.finish().unwrap();
    folder.put("image.png", &image);
    folder.put("a.mtl", "newmtl m\nmap_Kd image.png\n");
    folder.put("a.obj", SQUARE);
    let image = render(&folder, "a.obj --size 32 --view front");
    let ([red, _, low, _], [high, _, blue, _]) = (image.at(16, 9), image.at(16, 23));
    assert!(
        red > 150 && low < 60 && high < 60 && blue > 150,
        "{red} {low} {high} {blue}"
    );
    assert_eq!(folder.run("convert a.obj a.glb --embed-images").status, 0);
    assert!(render(&folder, "a.glb --size 32 --view front").pixels == image.pixels);

    folder.put("image.png", b"\x89PNG\r\n\x1a\nand no more");
    let run = folder.run("render a.obj b.png");
    assert!(
        run.status == 0
            && run
                .stderr
                .contains("warning: a.obj: texture \"image\" not drawn: "),
        "{run:?}"
    );
    folder.put("a.mtl", "newmtl m\nmap_Kd missing.png\n");
    let run = folder.run("render a.obj b.png --force");
    assert!(
        run.status == 0 && run.stderr.contains("texture \"missing.png\" not drawn: "),
        "{run:?}"
    );
}

#[test]
fn a_picture_has_the_same_bytes_on_any_number_of_threads() {
    let folder = Folder::new();
    let file = sample("bmd/tentacle.bmd");
    let mut all = ["1", "2", "7"].map(|threads| {
        let mut command = folder.command();
        let name = format!("{threads}.png");
        let run = Run::of(
            command
                .env("RAYON_NUM_THREADS", threads)
                .args(["render", &file, &name, "--time", "0.4", "--size", "99"]),
        );
        assert_eq!(run.status, 0, "{run:?}");
        folder.get(&name)
    });
    all.sort();
    assert!(all[0] == all[1] && all[1] == all[2]);
}

#[test]
fn rejected_requests() {
    let folder = Folder::new();
    folder.put("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n");
    let message = folder.run("render a.ply b.png").fails(1);
    assert_eq!(
        message,
        "error: a.ply: nothing to draw: no triangles, only 1 vertices\n"
    );
    folder.put_mesh("a.mesh", &triangle());
    let message = folder.run("render a.mesh a.ply").fails(2);
    assert!(
        message.contains("a.ply: the last path is the picture to write"),
        "{message}"
    );
    folder.put("a.json", b"kept");
    assert!(
        folder
            .run("render a.mesh a.json --force")
            .fails(2)
            .contains("is the picture to write")
    );
    assert_eq!(folder.get("a.json"), b"kept");
    folder.put("b.png", b"kept");
    assert!(
        folder
            .run("render a.mesh b.png")
            .fails(2)
            .contains("the file already exists")
    );
    assert_eq!(folder.get("b.png"), b"kept");
    for size in ["0", "4097", "9x", "-1"] {
        assert!(
            !folder
                .run(&format!("render a.mesh c.png --size={size}"))
                .fails(2)
                .is_empty(),
            "{size}"
        );
    }
    assert!(
        folder
            .run("render a.mesh c.png --diff")
            .fails(2)
            .contains("requires two files")
    );
    assert_eq!(folder.names(), ["a.json", "a.mesh", "a.ply", "b.png"]);
}

#[test]
fn differences_are_coloured() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &shape());
    let mut other = shape();
    other.indices.truncate(3);
    folder.put_mesh("b.mesh", &other);
    let run = folder.run("render a.mesh b.mesh out.png --diff --view right --size 60");
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stderr.starts_with("largest distance: 1 m"), "{run:?}");
    let is_red = |image: &Image| {
        image
            .pixels
            .iter()
            .any(|[r, g, b, _]| *r > 150 && *g < 110 && *b < 60)
    };
    assert!(is_red(&Image::of(&folder.get("out.png"))));
    let run = folder.run("render a.mesh a.mesh out.png --diff --view right --size 60 --force");
    assert!(
        run.status == 0 && run.stderr.starts_with("largest distance: 0 m"),
        "{run:?}"
    );
    assert!(!is_red(&Image::of(&folder.get("out.png"))));
}

/// A grey JPEG of 8 × 16 pixels: dark above, bright below.
fn jpeg() -> Vec<u8> {
    let segments: [&[u8]; 5] = [
        // All 64 quantization steps are 8.
        &[&[0xff, 0xdb, 0, 67, 0], &[8; 64][..]].concat(),
        &[0xff, 0xc0, 0, 11, 8, 0, 16, 0, 8, 1, 1, 0x11, 0],
        // The means of consecutive blocks differ by numbers of 7 or 8 bits.
        &[
            0xff, 0xc4, 0, 21, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8,
        ],
        // Nothing else follows in a block.
        &[
            0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        // 28, and 200 more.
        &[
            0xff,
            0xda,
            0,
            8,
            1,
            1,
            0,
            0,
            63,
            0,
            0b0001_1011,
            0b0101_1001,
            0b0000_1111,
        ],
    ];
    [&[0xff, 0xd8], &segments.concat()[..], &[0xff, 0xd9]].concat()
}

#[test]
fn jpeg_textures() {
    let folder = Folder::new();
    folder.put("image.jpg", jpeg());
    folder.put("a.mtl", "newmtl m\nmap_Kd image.jpg\n");
    folder.put("a.obj", SQUARE);
    let image = render(&folder, "a.obj --size 32 --view front");
    let ([dark, ..], [bright, ..]) = (image.at(16, 6), image.at(16, 26));
    assert!((20..36).contains(&dark) && bright > 180, "{dark} {bright}");
}

/// Models of any size, from the smallest floats to the largest, look alike.
#[test]
fn tiny_and_huge_models() {
    let folder = Folder::new();
    let scaled = |factor: f32| {
        folder.put_mesh("a.mesh", &scaled_shape(factor));
        render(&folder, "a.mesh --size 60 --view iso").pixels
    };
    let expected = scaled(1.0);
    // Powers of two, so that the coordinates are exact.
    for exponent in [-120, -60, 60, 120] {
        assert!(scaled(2.0_f32.powi(exponent)) == expected, "{exponent}");
    }
    let covered = |pixels: &[[u8; 4]]| pixels.iter().filter(|[.., alpha]| *alpha > 0).count();
    for factor in [1e-30, 1e30, 1.6e38] {
        assert!(
            covered(&scaled(factor)).abs_diff(covered(&expected)) < 20,
            "{factor}"
        );
    }
    // An unused vertex with a NaN coordinate.
    let corners = "0 0 0\n2e30 0 0\n0 1e30 0\nnan 0 0\n";
    let head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    folder.put("a.ply", format!("{head}{corners}3 0 1 2\n"));
    let run = folder.run("render a.ply out.png --size 60 --view front --force");
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        Image::of(&folder.get("out.png"))
            .pixels
            .iter()
            .any(|[.., alpha]| *alpha > 0)
    );
}
