//! `meshspec view`: the content of pages, which are self-contained.

use std::path::Path;

use meshspec::{Format, WriteOptions, mesh};

use crate::files::{Folder, animated, broken_triangle, bytes_of, triangle};

/// The maximum size of a page without data, in bytes.
const MAX_SIZE: usize = 150_000;

/// Returns the page of a file.
fn page(folder: &Folder, file: &str) -> String {
    let run = folder.run(&format!("view {file} --out - --force"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.stdout
}

/// Returns the initial data of a page's script.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// Returns the data of the first file.
fn about(page: &str) -> serde_json::Value {
    data(page)["file"].take()
}

/// Returns the bytes of an array in a page.
fn array(page: &str, array: &serde_json::Value) -> Vec<u8> {
    let id = &array["id"];
    let start = format!("<script type=\"application/octet-stream;base64\" id=\"array-{id}\">");
    let (_, rest) = page.split_once(&*start).unwrap();
    from_base64(rest.split_once("</script>").unwrap().0)
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter(|byte| *byte != b'=')
        .map(|byte| DIGITS.iter().position(|d| *d == byte));
    let digits: Vec<usize> = digits.map(Option::unwrap).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let word = four.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - four.len()));
        [word >> 16, word >> 8, word]
            .map(|byte| byte as u8)
            .into_iter()
            .take(four.len() - 1)
    });
    bytes.collect()
}

fn floats(bytes: Vec<u8>) -> Vec<f32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect()
}

/// Returns the branch at this path.
fn branch<'t>(tree: &'t serde_json::Value, steps: &[&str]) -> &'t serde_json::Value {
    steps.iter().fold(tree, |tree, step| {
        let parts = tree["parts"].as_array().unwrap();
        parts
            .iter()
            .find(|part| part["step"] == *step)
            .unwrap_or_else(|| panic!("{step} in {tree:#}"))
    })
}

#[test]
fn the_page_is_written_next_to_the_input() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    let run = folder.run("view a.mesh");
    assert_eq!(
        (run.status, &*run.stderr, &*run.stdout),
        (0, "a.mesh.html: written\n", "")
    );
    assert_eq!(folder.names(), ["a.mesh", "a.mesh.html"]);
    let message = folder.run("view a.mesh").fails(2);
    assert!(
        message.contains("exists") && message.contains("--force"),
        "{message}"
    );
    assert_eq!(
        folder.run("view a.mesh --force --out a.mesh.html").status,
        0
    );
    assert!(
        folder
            .run_with("view -", bytes_of(&triangle()))
            .fails(2)
            .contains("--out")
    );
    assert!(
        folder
            .run("view missing.mesh")
            .fails(3)
            .contains("missing.mesh")
    );
    folder.put("a.json", folder.run("convert a.mesh - --to json").fine());
    assert!(folder.run("view a.json").fails(2).contains("JSON"));
}

#[test]
fn pages_are_self_contained() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &animated());
    let page = page(&folder, "a.mesh");
    for address in [
        "http:", "https:", "//cdn", "@import", "url(", " src=", "import(", "eval(",
    ] {
        assert!(!page.contains(address), "{address}");
    }
    // Module imports are resolved when the page is built.
    assert!(
        page.lines()
            .all(|line| !line.starts_with("import ") && !line.starts_with("export "))
    );
    assert!(page.contains("default-src 'none'; connect-src 'none'"));
    assert!(page.len() < MAX_SIZE, "{} bytes", page.len());
}

/// All modules, styles and markup, including comments that a build would strip.
#[test]
fn the_page_is_small_without_its_data() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/view");
    let files = std::fs::read_dir(sources).unwrap().map(Result::unwrap);
    let sizes: Vec<u64> = files.map(|file| file.metadata().unwrap().len()).collect();
    assert!(
        sizes.len() > 15 && sizes.iter().sum::<u64>() < MAX_SIZE as u64,
        "{sizes:?}"
    );
}

#[test]
fn pages_contain_model_places_and_bytes() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &animated());
    let page = page(&folder, "a.mesh");
    let about = about(&page);
    assert_eq!(
        (&about["file"], &about["dialect"]),
        (&"a.mesh".into(), &"spec".into())
    );
    assert_eq!(array(&page, &about["bytes"]), folder.get("a.mesh"));
    assert_eq!(about["is_converted"], true);
    let mesh = &about["model"]["meshes"][0];
    assert_eq!(
        (&mesh["vertices"], &mesh["triangles"]),
        (&3.into(), &1.into())
    );
    let positions = floats(array(&page, &mesh["positions"]));
    assert_eq!(positions, [0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 2.0, 0.0]);
    let indices = array(&page, &mesh["indices"]);
    assert_eq!(
        indices
            .as_chunks::<4>()
            .0
            .iter()
            .map(|i| u32::from_le_bytes(*i))
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
    let animation = &about["model"]["animations"][0];
    assert_eq!(
        (&animation["name"], &animation["rate"]),
        (&"walk".into(), &24.0.into())
    );
    let moved = animation["channels"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["property"] == "translation")
        .unwrap();
    assert_eq!(
        floats(array(&page, &moved["values"])),
        [0.0, 0.0, 0.0, 1.5, 0.0, 0.0]
    );
    let places = &about["places"];
    assert_eq!(places["meshes"][0]["vertices"][0]["list"], "vertices");
    assert_eq!(places["joints"][0], "joints[0]");
    assert_eq!(places["animations"][0]["list"], "animations[0].poses");
}

#[test]
fn the_tree_contains_values_places_and_meanings() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    let about = about(&page(&folder, "a.mesh"));
    let position = branch(&about["tree"], &["vertices", "[1]", ".position"]);
    assert_eq!(position["value"], "[1.0, 0.0, 0.5]");
    assert_eq!(
        (&position["offset"], &position["size"]),
        (&25.into(), &12.into())
    );
    assert_eq!(position["meaning"], "Vertex coordinate (X, Y, Z).");
    let vertices = branch(&about["tree"], &["vertices"]);
    assert_eq!(
        (&vertices["count"], &vertices["stride"]),
        (&3.into(), &12.into())
    );
    let flag = branch(&about["tree"], &["header", ".format", ".position"]);
    assert_eq!(
        (&flag["value"], &flag["bits"]["offset"]),
        (&"true".into(), &0.into())
    );
}

#[test]
fn long_lists_contain_places_of_omitted_items() {
    let folder = Folder::new();
    let positions = (0..1000).map(|x| [x as f32, 0.0, 0.0]).collect();
    let columns = mesh::Columns {
        positions,
        ..Default::default()
    };
    let vertices = mesh::Vertices::from_columns(&columns).unwrap();
    folder.put_mesh(
        "a.mesh",
        &mesh::Document {
            vertices,
            ..triangle()
        },
    );
    let list = about(&page(&folder, "a.mesh"))["tree"].clone();
    let vertices = branch(&list, &["vertices"]);
    assert_eq!(vertices["parts"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&vertices["count"], &vertices["stride"]),
        (&1000.into(), &12.into())
    );

    // Lines differ in length.
    let lines: String = (0..1000).map(|x| format!("p {x}, 0, 0\n")).collect();
    folder.put("text.mesh", format!("[name]=a\n[mat0]=b\n{lines}"));
    let about = about(&page(&folder, "text.mesh"));
    let positions = branch(&about["tree"], &["positions"]);
    let starts = positions["starts"].as_array().unwrap();
    assert_eq!((starts.len(), &positions["count"]), (900, &1000.into()));
    let text = String::from_utf8(folder.get("text.mesh")).unwrap();
    assert_eq!(starts[899], text.find("p 999").unwrap());
}

#[test]
fn broken_files_are_shown_up_to_the_fault() {
    let folder = Folder::new();
    folder.put_mesh("index.mesh", &broken_triangle());
    let index = about(&page(&folder, "index.mesh"));
    assert_eq!(index["findings"][0]["rule"]["code"], "MESH-INDEX-RANGE");
    assert_eq!(index["findings"][0]["path"], "indices[2]");
    // The model keeps the order of triangles; the missing corner becomes vertex 0.
    assert_eq!(index["model"]["meshes"][0]["triangles"], 1);
    assert_eq!(index["is_converted"], false);

    let bytes = bytes_of(&animated());
    folder.put("short.mesh", &bytes[..150]);
    let short = about(&page(&folder, "short.mesh"));
    assert_eq!(short["model"], serde_json::Value::Null);
    assert!(
        short["fault"]["path"]
            .as_str()
            .unwrap()
            .starts_with("animations[0]"),
        "{}",
        short["fault"]
    );
    assert_eq!(
        branch(&short["tree"], &["vertices", "[2]", ".position"])["value"],
        "[0.0, 2.0, 0.0]"
    );
    assert_eq!(
        branch(&short["tree"], &["animations", "[0]", ".duration"])["value"],
        "30.0 ticks"
    );

    folder.put("bad.obj", "v 0 0 zero\n");
    let bad = about(&page(&folder, "bad.obj"));
    assert!(bad["findings"].as_array().unwrap().len() == 1 && bad["model"].is_null());
}

#[test]
fn packed_blocks_are_unpacked() {
    let folder = Folder::new();
    let columns = meshspec::crucible::Document {
        chunks: vec![meshspec::crucible::Chunk {
            streams: vec![
                meshspec::crucible::Values::Position3d(vec![[0.0; 3], [1.0; 3], [2.0; 3]]).into(),
            ],
            ..Default::default()
        }],
        ..Default::default()
    };
    folder.put("a.crmesh", columns.write(&WriteOptions::default()).unwrap());
    let page = page(&folder, "a.crmesh");
    let about = about(&page);
    let block = branch(
        &about["tree"],
        &["chunks", "[0]", ".streams", "[0]", ".data"],
    );
    let number = block["unpacks_to"].as_u64().unwrap() as usize;
    let content = &block["parts"][0];
    assert_eq!(
        (&content["step"], &content["block"]),
        (&"".into(), &number.into())
    );
    assert_eq!(content["parts"][2]["value"], "[2.0, 2.0, 2.0]");
    let unpacked = array(&page, &about["blocks"][number]["bytes"]);
    assert_eq!(
        unpacked,
        [0.0_f32, 1.0, 2.0]
            .map(|x| [x; 3])
            .as_flattened()
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<_>>()
    );
    assert_eq!(
        about["places"]["meshes"][0]["vertices"][0]["list"],
        "chunks[0].streams[0].data"
    );
}

#[test]
fn hostile_names_are_escaped() {
    let folder = Folder::new();
    let hostile = "</script><script>alert(1)</script><!--";
    let mut document = animated();
    document.strings = [hostile].into_iter().collect();
    folder.put_mesh("a.mesh", &document);
    let page = page(&folder, "a.mesh");
    assert!(!page.contains("alert(1)</script>"));
    assert_eq!(about(&page)["model"]["animations"][0]["name"], hostile);
    // Besides the arrays, the page has two scripts: its data and its code.
    let arrays = page
        .matches("<script type=\"application/octet-stream;base64\"")
        .count();
    assert_eq!(page.matches("<script").count(), arrays + 2);
    assert_eq!(page.matches("</script>").count(), arrays + 2);
}

/// Two squares: the second lacks a triangle, and a corner is 0.5 m higher.
fn squares() -> [mesh::Document; 2] {
    let square = |height: f32, indices: &[u32]| {
        let positions = vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [3.0, 0.0, 0.0],
            [3.0, 3.0, height],
        ];
        let vertices = mesh::Vertices::from_columns(&mesh::Columns {
            positions,
            ..Default::default()
        });
        mesh::Document {
            vertices: vertices.unwrap(),
            indices: indices.to_vec(),
            ..triangle()
        }
    };
    [
        square(0.0, &[0, 1, 2, 1, 3, 4, 1, 4, 2]),
        square(0.5, &[0, 1, 2, 1, 3, 4]),
    ]
}

#[test]
fn two_files_are_shown_with_their_differences_and_distances() {
    let folder = Folder::new();
    for (name, document) in ["a.mesh", "b.mesh"].iter().zip(squares()) {
        folder.put_mesh(name, &document);
    }
    assert_eq!(
        folder.run("view a.mesh b.mesh").stderr,
        "a.mesh-b.mesh.html: written\n"
    );
    let page = String::from_utf8(folder.get("a.mesh-b.mesh.html")).unwrap();
    let data = data(&page);
    assert_eq!(
        [&data["file"]["file"], &data["other"]["file"]],
        ["a.mesh", "b.mesh"]
    );
    // The same list as that of `diff`.
    let listed = folder.run("diff a.mesh b.mesh");
    let expected: Vec<_> = listed.stdout.lines().skip(1).map(str::trim).collect();
    let comparison = &data["comparison"];
    let found: Vec<_> = comparison["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["text"])
        .collect();
    assert!(
        !expected.is_empty() && found == expected,
        "{found:?} {expected:?}"
    );
    assert_eq!(
        (&comparison["compared"], &comparison["total"]),
        (&"values".into(), &5.into())
    );
    let changed = &comparison["differences"][1];
    assert_eq!(
        (&changed["path"], &changed["kind"]),
        (&"vertices[4].position".into(), &"changed".into())
    );

    let [own, other] = ["file", "other"].map(|side| &data[side]["model"]["meshes"][0]);
    let [of_own, of_other] = [own, other].map(|mesh| floats(array(&page, &mesh["distances"])));
    assert_eq!(
        (&of_own[..4], &of_other[..4]),
        (&[0.0; 4][..], &[0.0; 4][..])
    );
    // Nearer than along the axis, to both slanting surfaces.
    let largest = comparison["largest"].as_f64().unwrap();
    assert!(
        (0.3..0.5).contains(&of_own[4]) && (0.3..=0.5).contains(&of_other[4]),
        "{of_own:?} {of_other:?}"
    );
    assert!(
        f64::from(of_own[4].max(of_other[4])) <= largest + 1e-6,
        "{largest}"
    );
    let equal = self::data(&folder.run("view a.mesh a.mesh --out -").stdout);
    assert_eq!(equal["comparison"]["total"], 0);
    assert_eq!(equal["comparison"]["largest"], 0.0);
}

/// A missing triangle whose corners all exist has a distance at its centre.
#[test]
fn missing_triangles_have_distances() {
    let folder = Folder::new();
    let [whole, _] = squares();
    let mut holed = whole.clone();
    // The corners of the triangle belong to others.
    holed.indices = vec![0, 1, 2, 1, 3, 4];
    folder.put_mesh("a.mesh", &whole);
    folder.put_mesh("b.mesh", &holed);
    let page = folder.run("view a.mesh b.mesh --out -").stdout;
    let data = data(&page);
    let mesh = &data["file"]["model"]["meshes"][0];
    assert_eq!(floats(array(&page, &mesh["distances"])), [0.0; 5]);
    let indices = array(&page, &mesh["centers"]["indices"]);
    let indices: Vec<u32> = indices
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect();
    let distances = floats(array(&page, &mesh["centers"]["distances"]));
    assert!(
        indices == [1, 4, 2] && distances.len() == 1 && distances[0] > 0.1,
        "{indices:?} {distances:?}"
    );
    assert_eq!(
        data["other"]["model"]["meshes"][0]["centers"],
        serde_json::Value::Null
    );
}

#[test]
fn incomparable_files_are_shown_with_the_reason() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &animated());
    folder.put("short.mesh", &bytes_of(&animated())[..150]);
    let page = folder.run("view a.mesh short.mesh --out -");
    assert_eq!(page.status, 0, "{}", page.stderr);
    let notes = data(&page.stdout)["comparison"]["notes"].clone();
    assert!(
        notes[0]
            .as_str()
            .unwrap()
            .starts_with("The files cannot be compared: "),
        "{notes}"
    );
    assert!(
        notes[1].as_str().unwrap().starts_with("No distances: "),
        "{notes}"
    );
    // Of different formats: as scenes.
    assert_eq!(folder.run("convert a.mesh a.glb").status, 0);
    let page = folder.run("view a.mesh a.glb --out -").stdout;
    assert_eq!(data(&page)["comparison"]["compared"], "scenes");
    assert!(folder.run("view a.mesh -").fails(2).contains("--out"));
    assert!(
        folder
            .run("view - - --out b.html")
            .fails(2)
            .contains("can be used for one of the files only")
    );
    assert!(
        folder
            .run("view --serve . a.mesh")
            .fails(2)
            .contains("--serve")
    );
}

#[test]
fn images_of_base_colours_are_embedded_once() {
    let folder = Folder::new();
    let mut image = Vec::new();
    png::Encoder::new(&mut image, 1, 1)
        .write_header()
        .unwrap()
        .write_image_data(&[9])
        .unwrap();
    folder.put("image.png", &image);
    folder.put(
        "a.mtl",
        "newmtl m\nmap_Kd image.png\nnewmtl n\nmap_Kd image.png\nnewmtl o\nmap_Kd missing.png\n",
    );
    folder.put("a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\nusemtl n\nf 1/1 3/3 2/2\nusemtl o\nf 2/2 3/3 1/1\n");
    let page = page(&folder, "a.obj");
    let about = about(&page);
    let model = &about["model"];
    assert_eq!(model["images"].as_array().unwrap().len(), 1);
    assert_eq!(model["images"][0]["media_type"], "image/png");
    assert_eq!(array(&page, &model["images"][0]["bytes"]), image);
    let texture = &model["meshes"][0]["texture"];
    assert_eq!(
        (&texture["image"], &texture["wrap"][0]),
        (&0.into(), &"REPEAT".into())
    );
    assert_eq!(model["meshes"][1]["texture"]["image"], 0);
    assert_eq!(model["meshes"][2]["texture"], serde_json::Value::Null);
    let notes = about["notes"].to_string();
    assert!(
        notes.contains("Texture \\\"missing.png\\\" not shown: "),
        "{notes}"
    );
}

#[test]
fn large_images_are_omitted() {
    let folder = Folder::new();
    folder.put("image.png", b"\x89PNG\r\n\x1a\n");
    let image = std::fs::OpenOptions::new()
        .write(true)
        .open(folder.path("image.png"))
        .unwrap();
    image.set_len(64 << 20).unwrap();
    folder.put("a.mtl", "newmtl m\nmap_Kd image.png\n");
    folder.put(
        "a.obj",
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n",
    );
    let page = page(&folder, "a.obj");
    assert!(page.len() < 1 << 20, "{}", page.len());
    let notes = about(&page)["notes"].to_string();
    assert!(
        notes.contains("Texture \\\"image.png\\\" not shown: the images exceed 64 MiB"),
        "{notes}"
    );
}
