//! OBJ and MTL.

use std::io::{self, Write};

use meshspec::interop::Files;
use meshspec::interop::Interchange::Obj;
use meshspec::scene::{Colors, Indices, Material, Mesh, Texture, UvOrigin, Wrap};
use meshspec::{ErrorKind, Limit, Limits, Span};

use super::{Folder, error, list, read, scene, scene_of, triangle, write};

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn polygons_are_kept() {
    let (scene, losses) = scene(Obj, format!("{SQUARE}f 1 2 3 4\nf 1 2 3\n").as_bytes());
    assert_eq!(losses, "");
    let faces = &scene.meshes[0].faces;
    assert_eq!(faces.indices, Some(Indices::U32(vec![0, 1, 2, 3, 0, 1, 2])));
    assert_eq!(faces.corners, Some(vec![4, 3]));
}

#[test]
fn line_endings_comments_and_continuations() {
    let text = "\u{feff}# a comment\r\n\r\n  v 0 0 0 # not a weight\r\nv 1e0 +0 .0\r\nv\t0 \\\r\n 1 \\\n0\r\n\
                f 1 2 \\\n3 # 4\r\n";
    let (scene, losses) = scene(Obj, text.as_bytes());
    assert_eq!(losses, "");
    assert_eq!(scene.meshes, [triangle_of_a_file()]);
}

#[test]
fn lines_may_end_in_carriage_returns_alone() {
    let text = "# a comment\n\nmtllib m.mtl\no a b\nv 0 0 0\nv 1 0 0\nv 0 1 \\\n 0\nusemtl m\nf 1 2 \\\n3\n";
    let library = "# a comment\nnewmtl m\nKd 1 0 0\n";
    let read_with = |line_end: &str| {
        let folder = Folder::from([(
            "m.mtl".to_owned(),
            library.replace('\n', line_end).into_bytes(),
        )]);
        let (scene, losses) = read(Obj, text.replace('\n', line_end).as_bytes(), &folder).unwrap();
        (scene, list(&losses))
    };
    let (scene, losses) = read_with("\n");
    assert_eq!((&*scene.meshes[0].name, losses), ("a b", String::new()));
    assert_eq!(
        scene.meshes[0].material.base_color,
        Some([1.0, 0.0, 0.0, 1.0])
    );
    for line_end in ["\r", "\r\n"] {
        assert_eq!(
            read_with(line_end),
            (scene.clone(), String::new()),
            "{line_end:?}"
        );
    }
    assert_eq!(
        error(Obj, b"v 0 0 0\r# a comment\rv 1 x 0\r"),
        "line 3, column 5: expected a number, found `x`"
    );
    // The first window ends between the two bytes of a line end.
    let text = format!("{}\r\nv x", " ".repeat((1 << 20) - 1));
    assert_eq!(
        error(Obj, text.as_bytes()),
        "line 2, column 3: expected a number, found `x`"
    );
}

/// Returns the triangle with the texture origin of OBJ.
fn triangle_of_a_file() -> Mesh {
    Mesh {
        uv_origin: UvOrigin::BottomLeft,
        ..triangle()
    }
}

#[test]
fn indices_may_be_relative_or_refer_to_later_values() {
    let back = scene(Obj, format!("{SQUARE}f -4 -3 -2 -1\n").as_bytes());
    let forward = scene(
        Obj,
        format!("f 1 2 3 4\nf 1 2 3 4\n{SQUARE}f 1 2 3 4\n").as_bytes(),
    );
    assert_eq!(back.0.meshes[0].positions, forward.0.meshes[0].positions);
    assert_eq!(
        back.0.meshes[0].faces.indices,
        Some(Indices::U32(vec![0, 1, 2, 3]))
    );
    assert_eq!(
        forward.0.meshes[0].faces.indices,
        Some(Indices::U32([0, 1, 2, 3].repeat(3)))
    );
}

#[test]
fn corners_with_different_indices_are_different_vertices() {
    let text = format!(
        "{SQUARE}vt 0 0\nvt 0.5 0.25 0\nvn 0 0 1\nvn 0 0 -1\n\
         f 3/1/1 2/1/1 1/1/1\nf 3/1/1 1/2/1 4/1/1\nf 3/1/2 1/2/1 1/1/1\n"
    );
    let (scene, losses) = scene(Obj, text.as_bytes());
    assert_eq!(losses, "");
    let mesh = &scene.meshes[0];
    assert_eq!(
        mesh.faces.indices,
        Some(Indices::U32(vec![0, 1, 2, 0, 3, 4, 5, 3, 2]))
    );
    let [a, b, c, d] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    assert_eq!(mesh.positions, [c, b, a, a, d, c]);
    assert_eq!(
        mesh.uvs,
        [[
            [0.0; 2],
            [0.0; 2],
            [0.0; 2],
            [0.5, 0.25],
            [0.0; 2],
            [0.0; 2]
        ]]
    );
    let up = [0.0, 0.0, 1.0];
    assert_eq!(
        mesh.normals.as_deref().unwrap(),
        [up, up, up, up, up, [0.0, 0.0, -1.0]]
    );
    assert_eq!(mesh.uv_origin, UvOrigin::BottomLeft);
}

#[test]
fn objects_groups_and_materials_are_meshes() {
    let text = format!(
        "{SQUARE}f 1 2 3\no a b\nusemtl m 1\nf 1 2 3\ng left\nf 1 2 4\ng right\nf 1 3 4\nusemtl n\nf 2 3 4\n\
         g left\nusemtl m 1\nf 2 3 4\no a b\nf 1 2 3\ng a b\nf 1 2 3\n"
    );
    let (scene, losses) = scene(Obj, text.as_bytes());
    assert_eq!(losses, "");
    let name = |mesh: &Mesh| {
        (
            mesh.name.clone(),
            mesh.material.name.clone(),
            mesh.faces.corner_count(0) / 3,
        )
    };
    let names: Vec<_> = scene.meshes.iter().map(name).collect();
    let expected = [
        ("", "", 1),
        ("a b", "m 1", 1),
        ("a b/left", "m 1", 2),
        ("a b/right", "m 1", 1),
        ("a b/right", "n", 1),
        ("a b", "m 1", 1),
        ("a b", "m 1", 1),
    ];
    assert_eq!(
        names,
        expected.map(|(name, material, faces)| (name.into(), material.into(), faces))
    );
    // Although other parts use positions in between, vertices are still shared.
    let left = &scene.meshes[2];
    assert_eq!(
        (left.positions.len(), &left.faces.indices),
        (4, &Some(Indices::U32(vec![0, 1, 2, 1, 3, 2])))
    );
}

#[test]
fn libraries_define_material_colours() {
    let mut folder = Folder::new();
    let library = "# c\r\nnewmtl red one\r\nKd 1 0 0.5 # c\r\nNs 10\r\nmap_Kd -s 2 2 1 -clamp on my a.png\r\nnewmtl grey\nKd 0.2\n\
                   newmtl odd\nKd spectral a.rfl\nnewmtl grey\nKd 1 1 1\n";
    folder.insert("my colours.mtl".to_owned(), library.into());
    let text = format!(
        "mtllib my colours.mtl\nmtllib none.mtl my colours.mtl\n{SQUARE}usemtl red one\nf 1 2 3\nusemtl grey\n\
         f 1 2 3\nusemtl odd\nf 1 2 4\nusemtl absent\nf 1 3 4\n"
    );
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    let colors: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| mesh.material.base_color)
        .collect();
    assert_eq!(
        colors,
        [
            Some([1.0, 0.0, 0.5, 1.0]),
            Some([0.2, 0.2, 0.2, 1.0]),
            None,
            None
        ]
    );
    let mut texture = Texture::file("my a.png");
    texture.sampler.wrap = [Wrap::Clamp; 2];
    let textures: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| mesh.material.texture.clone())
        .collect();
    assert_eq!(textures, [Some(texture), None, None, None]);
    assert_eq!(
        list(&losses),
        "dropped: my colours.mtl: duplicate `newmtl`: only properties that the first definition lacks are added: \"grey\"\n\
         dropped: my colours.mtl: unsupported properties of materials: Kd, Ns\n\
         dropped: mtllib: `none.mtl my colours.mtl` is missing; its materials have only names"
    );
}

#[test]
fn one_line_may_name_several_libraries() {
    let folder = |names: &[(&str, &str)]| -> Folder {
        names
            .iter()
            .map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()))
            .collect()
    };
    let text = format!("mtllib a b.mtl\n{SQUARE}usemtl m\nf 1 2 3 4\n");
    let color_and_losses = |folder: Folder| {
        let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
        (scene.meshes[0].material.base_color, list(&losses))
    };
    let (one, two) = ("newmtl m\nKd 1 0 0\n", "newmtl m\nKd 0 1 0\n");
    let whole = folder(&[("a b.mtl", one), ("a", two), ("b.mtl", two)]);
    assert_eq!(
        color_and_losses(whole),
        (Some([1.0, 0.0, 0.0, 1.0]), String::new())
    );
    let missing = "dropped: mtllib: `a` is missing; its materials have only names";
    assert_eq!(
        color_and_losses(folder(&[("b.mtl", two)])),
        (Some([0.0, 1.0, 0.0, 1.0]), missing.to_owned())
    );
}

#[test]
fn libraries_have_a_limit_and_are_read_once() {
    let library = |color: &str, size: usize| {
        format!("newmtl m\nKd {color}\n#{}", "-".repeat(size)).into_bytes()
    };
    let folder = Folder::from([
        ("a.mtl".to_owned(), library("1 0 0", 1000)),
        ("b.mtl".to_owned(), library("0 1 0", 1000)),
    ]);
    let limits = Limits::default().with_max_libraries(1800);
    let losses = |names: &[&str]| {
        let lines: String = names
            .iter()
            .map(|name| format!("mtllib {name}\n"))
            .collect();
        let text = format!("{lines}{SQUARE}usemtl m\nf 1 2 3 4\n");
        let (scene, losses) = Obj
            .read(text.as_bytes(), &folder, &Default::default(), &limits)
            .unwrap();
        assert_eq!(
            scene.meshes[0].material.base_color,
            Some([1.0, 0.0, 0.0, 1.0])
        );
        list(&losses)
    };
    assert_eq!(losses(&["a.mtl", "a.mtl", "a.mtl"]), "");
    let expected = "dropped: mtllib: \"b.mtl\": the size limit of material libraries is exceeded; \
                    its materials have only names";
    assert_eq!(losses(&["a.mtl", "b.mtl"]), expected);
}

#[test]
fn a_malformed_library_is_a_loss() {
    let library = "newmtl m\nKd 1 2\nKd x\nnewmtl n\nKd 0 0 1\n";
    let folder = Folder::from([("a.mtl".to_owned(), library.into())]);
    let text = format!("mtllib a.mtl\n{SQUARE}usemtl m\nf 1 2 3 4\nusemtl n\nf 1 2 3 4\n");
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    let colors: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| mesh.material.base_color)
        .collect();
    assert_eq!(colors, [None, Some([0.0, 0.0, 1.0, 1.0])]);
    assert_eq!(
        list(&losses),
        "dropped: a.mtl: malformed numbers: 2, the first at line 2, column 7: the blue component is missing"
    );

    let folder = Folder::from([("a.mtl".to_owned(), "Kd x\n".repeat(1000).into_bytes())]);
    let (_, losses) = read(Obj, b"mtllib a.mtl\n", &folder).unwrap();
    assert_eq!(
        list(&losses),
        "dropped: a.mtl: malformed numbers: 100, the first at line 1, column 4: expected a number, found `x`\n\
         dropped: a.mtl: statements after 100 malformed numbers"
    );
}

/// A folder to which only one file can be written.
struct SingleFile(Folder);

impl Files for SingleFile {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.0.read(name, limit)
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        match name {
            "a.obj" => self.0.create(name),
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "one file only")),
        }
    }
}

#[test]
fn without_companion_files_materials_have_only_names() {
    let mut mesh = triangle();
    mesh.material = Material {
        name: "m".to_owned(),
        base_color: Some([1.0, 0.5, 0.0, 1.0]),
        ..Material::default()
    };
    let mut files = SingleFile(Folder::new());
    let losses = Obj
        .write(
            scene_of(vec![mesh]),
            "a.obj",
            &mut files,
            &Default::default(),
        )
        .unwrap();
    assert_eq!(
        list(&losses),
        "dropped: materials: \"a.mtl\": one file only; only the names of materials were written"
    );
    assert!(files.0["a.obj"].starts_with(b"o \nv 0 0 0\n"));
    let (scene, losses) = read(Obj, &files.0["a.obj"], &Folder::new()).unwrap();
    assert_eq!(
        (&*scene.meshes[0].material.name, list(&losses)),
        ("m", String::new())
    );
}

#[test]
fn a_scene_without_meshes_round_trips() {
    let (folder, _) = write(Obj, scene_of(Vec::new())).unwrap();
    assert_eq!(
        scene(Obj, &folder["file.obj"]),
        (scene_of(Vec::new()), String::new())
    );
}

#[test]
fn unsupported_statements_are_listed() {
    let text = format!(
        "{SQUARE}v 2 2 2 0.5\nvt 0 0 1\nvt 0\nvn 1 0 0\nvn 0 1 0\ns 1\nl 1 2\nl 2 3\ncstype bezier\n\
         f 1/1/1 2 3\nf 1 2\ns off\nf 1 2 3\n"
    );
    let (scene, losses) = scene(Obj, text.as_bytes());
    assert_eq!(
        losses,
        "dropped: cstype: unsupported statements: 1, the first at line 13, column 1\n\
         dropped: l: unsupported statements: 2, the first at line 11, column 1\n\
         dropped: v: weights of positions: 1\n\
         dropped: vt: third texture coordinates: 1\n\
         dropped: s: smooth shading of faces without normals: 2\n\
         dropped: v: values that no face uses, 2 of 5 values\n\
         dropped: vt: values that no face uses, 1 of 2 values\n\
         dropped: vn: values that no face uses, 1 of 2 values\n\
         dropped: meshes[0].faces: faces with fewer than 3 corners, 1 of 3 faces\n\
         changed: meshes[0].uvs[0]: missing values were replaced by texture coordinates (0, 0), 3 of 4 vertices\n\
         changed: meshes[0].normals: missing values were replaced by generated normals, 3 of 4 vertices"
    );
    let [x, z] = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(scene.meshes[0].normals.as_deref().unwrap(), [x, z, z, z]);
}

#[test]
fn colours_and_points() {
    let (scene, losses) = scene(
        Obj,
        b"o cloud\nv 0 0 0 1 0.5 0.25\nv 1 2 3\nv 1 2 3 0 0 0 0.5\n",
    );
    assert_eq!(
        losses,
        "changed: meshes[0].colors[0]: missing values were replaced by white, 1 of 3 vertices"
    );
    let mesh = &scene.meshes[0];
    assert_eq!(
        (
            &*mesh.name,
            mesh.positions.len(),
            mesh.faces.corner_count(3)
        ),
        ("cloud", 3, 0)
    );
    let colors = vec![[1.0, 0.5, 0.25, 1.0], [1.0; 4], [0.0, 0.0, 0.0, 0.5]];
    assert_eq!(mesh.colors, [Colors::F32(colors)]);
}

#[test]
fn errors_name_line_and_column() {
    let errors = [
        (
            "v 0 0",
            "line 1, column 6: a coordinate of the position is missing",
        ),
        (
            "v 0 0 0\r\nv 0 é 1",
            "line 2, column 5: expected a number, found `\\xc3\\xa9`",
        ),
        (
            "v 0 1,5 0",
            "line 1, column 5: expected a number, found `1,5`",
        ),
        (
            "v 0 0 0 1 2",
            "line 1, column 12: the blue component is missing",
        ),
        (
            "vn 1 # 2\n",
            "line 1, column 7: a coordinate of the normal is missing",
        ),
        (
            "vt \\\n  \\\n x",
            "line 3, column 2: expected a number, found `x`",
        ),
        (
            "\u{feff}v a",
            "line 1, column 3: expected a number, found `a`",
        ),
        (
            "v 0 0 0\nf 1 1 x",
            "line 2, column 7: `x` is not a vertex reference: expected `v`, `v/vt`, `v//vn` or `v/vt/vn`",
        ),
        (
            "v 0 0 0\nf 1 1/1/1/1 1",
            "line 2, column 5: `1/1/1/1` is not a vertex reference: expected `v`, `v/vt`, `v//vn` or `v/vt/vn`",
        ),
        (
            "v 0 0 0\nf 1 /1 1",
            "line 2, column 5: `/1` is not a vertex reference: expected `v`, `v/vt`, `v//vn` or `v/vt/vn`",
        ),
        (
            "v 0 0 0\nf 1 1/- 1",
            "line 2, column 5: `1/-` is not a vertex reference: expected `v`, `v/vt`, `v//vn` or `v/vt/vn`",
        ),
        (
            "v 0 0 0\nf 0 1 1",
            "line 2, column 3: `0` has the index 0, but indices start at 1",
        ),
        (
            "v 0 0 0\nf 1 -2 1",
            "line 2, column 5: -2 in `-2` is out of range: the number of positions so far is 1",
        ),
        (
            "f 1 4294967295 1",
            "line 1, column 5: 4294967295 in `4294967295` is out of range: the number of positions so far is 0",
        ),
        (
            "v 0 0 0\nf 1 1 3\nf 1 1 2",
            "line 2, column 7: position 3 is missing; the file has 1",
        ),
        (
            "hello world\nhow are you",
            "line 1, column 1: not OBJ: `hello` is not a statement, and no other line is one",
        ),
        ("", "line 1, column 1: not OBJ: no line is a statement"),
        (
            "\n# nothing\n",
            "line 1, column 1: not OBJ: no line is a statement",
        ),
        (
            "v 0 0 0\n\x00\x01\x02",
            "line 2, column 1: `\\x00\\x01\\x02` is not text",
        ),
    ];
    for (text, expected) in errors {
        assert_eq!(error(Obj, text.as_bytes()), expected, "{text}");
    }
    let error = read(Obj, b"\nv 1 x", &Folder::new()).unwrap_err();
    assert_eq!(
        error.span(),
        Some(&Span::Text {
            range: 5..6,
            line: 2,
            column: 5
        })
    );
}

#[test]
fn many_meshes_exceed_the_limits() {
    let text = format!("{SQUARE}{}", "o\nf 1 2 3\n".repeat(1000));
    let limits = Limits::default().with_max_decoded(100_000);
    let error = Obj
        .read(
            text.as_bytes(),
            &Folder::new(),
            &Default::default(),
            &limits,
        )
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::Decoded));
    assert!(error.to_string().starts_with("line "), "{error}");
    assert_eq!(scene(Obj, text.as_bytes()).0.meshes.len(), 1000);
}

#[test]
fn numbers_are_written_as_shortest_decimals() {
    let mut mesh = triangle();
    mesh.name = "a".to_owned();
    mesh.positions[0] = [0.1, -0.0, 1.0e-45];
    mesh.positions[1] = [f32::MAX, 16_777_216.0, 1.0 / 3.0];
    mesh.uvs = vec![vec![[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]]];
    let texture = Some(Texture::file("a b.png"));
    mesh.material = Material {
        name: "m".to_owned(),
        base_color: Some([1.0, 0.5, 0.0, 1.0]),
        texture,
        ..Material::default()
    };
    let mut second = triangle();
    second.normals = Some(vec![[0.0, 0.0, 1.0]; 3]);
    second.material.base_color = Some([0.00123, 2.0, 0.0, 1.0]);
    second.faces.corners = Some(vec![2, 1]);
    let (folder, losses) = write(Obj, scene_of(vec![mesh, second])).unwrap();
    let file = "mtllib file.mtl\no a\nv 0.1 -0 1e-45\nv 3.4028235e+38 16777216 0.33333334\nv 0 1 0\nvt 0 0\n\
                vt 0.5 0.75\nvt 1 1\nusemtl m\nf 1/1 2/2 3/3\no \nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 0 1\n\
                vn 0 0 1\nusemtl color_00ff00\n";
    assert_eq!(std::str::from_utf8(&folder["file.obj"]).unwrap(), file);
    let library = "newmtl m\nKd 1 0.5 0\nmap_Kd a b.png\nnewmtl color_00ff00\nKd 0.00123 2 0\n";
    assert_eq!(std::str::from_utf8(&folder["file.mtl"]).unwrap(), library);
    assert_eq!(
        losses,
        "renamed: meshes[1].material.name: OBJ materials must have unique names: \"\" becomes \"color_00ff00\"\n\
         dropped: meshes[1].faces: faces with fewer than 3 corners, 2 of 2 faces"
    );
}

#[test]
fn inexpressible_content_of_obj() {
    let mut mesh = triangle();
    mesh.name = " two\nlines\\".to_owned();
    mesh.normals = Some(vec![[f32::NAN, 0.0, 1.0]; 3]);
    mesh.colors = vec![Colors::U8(vec![[255, 0, 0, 128]; 3])];
    let (folder, losses) = write(Obj, scene_of(vec![mesh.clone()])).unwrap();
    assert_eq!(
        losses,
        "changed: meshes[0].normals: normals without a direction were replaced by those of the faces, 3 of 3 normals\n\
         dropped: meshes[0].colors[0]: OBJ does not store alpha of vertices\n\
         renamed: meshes[0].name: OBJ names are single lines without control characters: \" two\\nlines\\\\\" becomes \"two_lines_\""
    );
    assert!(folder["file.obj"].starts_with(b"o two_lines_\nv 0 0 0 1 0 0\n"));
    mesh.positions[2] = [0.0, f32::INFINITY, 0.0];
    let error = write(Obj, scene_of(vec![triangle(), mesh])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "meshes[1].positions[2]: (0, inf, 0) of vertex 2 of mesh \" two\nlines\\\" is not finite"
    );
    assert_eq!(error.kind(), ErrorKind::Inexpressible);
}

#[test]
fn texture_names_fit_on_a_line() {
    let material = Material {
        name: "skin".into(),
        texture: Some(Texture::file(" a\nb.png")),
        ..Material::default()
    };
    let (folder, losses) = write(
        Obj,
        scene_of(vec![Mesh {
            material,
            ..triangle()
        }]),
    )
    .unwrap();
    assert!(String::from_utf8_lossy(&folder["file.mtl"]).contains("map_Kd a_b.png\n"));
    assert!(
        losses.contains(
            "renamed: meshes[0].material.texture: OBJ names are single lines without control characters"
        ),
        "{losses}"
    );
}

#[test]
fn a_material_applies_until_the_next_one() {
    let mut red = triangle();
    red.material.name = "red".to_owned();
    let (folder, losses) = write(Obj, scene_of(vec![triangle(), red, triangle()])).unwrap();
    assert_eq!(
        losses,
        "renamed: meshes[2].material.name: OBJ materials must have unique names: \"\" becomes \"none\""
    );
    let (scene, _) = read(Obj, &folder["file.obj"], &folder).unwrap();
    let names: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| &*mesh.material.name)
        .collect();
    assert_eq!(names, ["", "red", "none"]);
}

/// Other programs read such files, because the positions are valid.
#[test]
fn missing_texture_coordinates_and_normals_are_dropped() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.25\nf 1/1/7 2/2/-3 3/-9/0\n";
    let (scene, losses) = scene(Obj, text.as_bytes());
    assert_eq!(
        losses,
        "dropped: f: references to missing texture coordinates: 2 corners\n\
         dropped: f: references to missing normals: 3 corners\n\
         changed: meshes[0].uvs[0]: missing values were replaced by texture coordinates (0, 0), 2 of 3 vertices"
    );
    let mesh = &scene.meshes[0];
    assert_eq!(
        mesh.positions,
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    );
    assert_eq!(
        (mesh.uvs[0][0], mesh.uvs[0][1], &mesh.normals),
        ([0.5, 0.25], [0.0; 2], &None)
    );
}

/// Reads a triangle with the material `m` of a library.
fn material_of(library: &str) -> (Material, String) {
    let folder = Folder::from([("m.mtl".to_owned(), library.as_bytes().to_vec())]);
    let text = format!("mtllib m.mtl\n{SQUARE}usemtl m\nf 1 2 3 4\n");
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    (scene.meshes[0].material.clone(), list(&losses))
}

#[test]
fn comments_and_names_are_not_continued() {
    for first in ["# C:\\models\\", "o C:\\models\\", "g a\\", "# a \\"] {
        let (scene, losses) = scene(
            Obj,
            format!("{first}\n{SQUARE}f 1 2 \\\n3 4 # C:\\\nf 1 2 3\n").as_bytes(),
        );
        assert_eq!(
            (scene.meshes[0].faces.corners.clone(), &*losses),
            (Some(vec![4, 3]), ""),
            "{first}"
        );
    }
}

#[test]
fn comments_may_follow_names() {
    for (library, color) in [
        ("newmtl m # red\nKd 1 0 0\n", 1.0),
        ("newmtl m #\nKD 1 0 0\n", 1.0),
        ("# C:\\\nNEWMTL m\nKd 1 0 0\n", 1.0),
    ] {
        let (material, losses) = material_of(library);
        assert_eq!(
            (material.base_color, &*losses),
            (Some([color, 0.0, 0.0, 1.0]), ""),
            "{library}"
        );
    }
    let (material, _) = material_of("newmtl m\nmap_Kd a #1.png -clamp on # oak\n");
    let texture = material.texture.unwrap();
    assert_eq!(
        (&*texture.name, texture.sampler.wrap),
        ("a #1.png", [Wrap::Clamp; 2])
    );
}

#[test]
fn ambiguous_materials_are_listed() {
    let (material, losses) = material_of("Kd 0 0 1\nnewmtl m\nKd 1 0 0\nnewmtl m\nKd 0 1 0\n");
    assert_eq!(material.base_color, Some([1.0, 0.0, 0.0, 1.0]));
    assert!(
        losses.contains("duplicate `newmtl`") && losses.contains("before the first `newmtl`"),
        "{losses}"
    );
    let (material, losses) = material_of("newmtl m\nKd 1 0 0\nTr 1.0\n");
    assert_eq!(material.base_color, Some([1.0, 0.0, 0.0, 1.0]));
    assert!(losses.contains("assumed opaque"), "{losses}");
}

#[test]
fn libraries_of_other_machines_are_found() {
    let folder = Folder::from([
        ("sub/m.mtl".to_owned(), b"newmtl m\nKd 1 0 0\n".to_vec()),
        ("m.mtl".to_owned(), b"newmtl m\nKd 1 0 0\n".to_vec()),
    ]);
    let moved = "changed: mtllib: files at absolute paths were not found; those of the same name beside the model were read: ";
    let absolute = |path: &str| format!("{moved}\"{path}\"");
    for (name, expected) in [
        (".\\sub\\m.mtl", String::new()),
        ("\"m.mtl\"", String::new()),
        ("C:\\a b\\m.mtl", absolute("C:\\a b\\m.mtl")),
        ("/home/a/m.mtl", absolute("/home/a/m.mtl")),
    ] {
        let text = format!("mtllib {name}\n{SQUARE}usemtl m\nf 1 2 3 4\n");
        let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
        let color = scene.meshes[0].material.base_color;
        assert_eq!(
            (color, list(&losses)),
            (Some([1.0, 0.0, 0.0, 1.0]), expected),
            "{name}"
        );
    }
}

#[test]
fn colors_from_0_to_255_are_scaled() {
    let (scene, losses) = scene(
        Obj,
        b"v 0 0 0 255 0 0\nv 1 0 0 0 255 0\nv 0 1 0 0 0 51\nf 1 2 3\n",
    );
    let Colors::F32(colors) = &scene.meshes[0].colors[0] else {
        panic!()
    };
    assert_eq!(colors[2], [0.0, 0.0, 0.2, 1.0]);
    assert!(losses.contains("scaled"), "{losses}");
}

#[test]
fn quoted_libraries_are_found() {
    let folder = Folder::from([
        ("a b.mtl".to_owned(), b"newmtl m\nKd 1 0 0\n".to_vec()),
        ("c d.mtl".to_owned(), b"newmtl n\nKd 0 1 0\n".to_vec()),
    ]);
    let text =
        format!("mtllib \"a b.mtl\" \"c d.mtl\"\n{SQUARE}usemtl m\nf 1 2 3\nusemtl n\nf 1 3 4\n");
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    let colors: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| mesh.material.base_color)
        .collect();
    assert_eq!(
        colors,
        [Some([1.0, 0.0, 0.0, 1.0]), Some([0.0, 1.0, 0.0, 1.0])]
    );
    assert_eq!(list(&losses), "");
}

#[test]
fn names_are_tried_literally_before_backslashes_are_replaced() {
    let color = |color: &str| format!("newmtl m\nKd {color}\n").into_bytes();
    let folder = Folder::from([
        ("a\\m.mtl".to_owned(), color("1 0 0")),
        ("a/m.mtl".to_owned(), color("0 1 0")),
        ("b/m.mtl".to_owned(), color("0 0 1")),
    ]);
    for (library, expected) in [
        ("a\\m.mtl", [1.0, 0.0, 0.0, 1.0]),
        ("b\\m.mtl", [0.0, 0.0, 1.0, 1.0]),
    ] {
        let text = format!("mtllib {library}\n{SQUARE}usemtl m\nf 1 2 3 4\n");
        let (scene, _) = read(Obj, text.as_bytes(), &folder).unwrap();
        assert_eq!(
            scene.meshes[0].material.base_color,
            Some(expected),
            "{library}"
        );
    }
}

#[test]
fn names_are_continued_by_separate_backslashes() {
    let text = format!("{SQUARE}g a b \\\n  c \\ \r\nd\nf 1 2 \\  \n3\n");
    let (scene, losses) = scene(Obj, text.as_bytes());
    assert_eq!(
        (&*scene.meshes[0].name, scene.triangles().count(), &*losses),
        (
            "a b c d",
            1,
            "dropped: v: values that no face uses, 1 of 4 values"
        )
    );
    let (material, losses) =
        material_of("newmtl m\nmap_Kd -clamp \\\n on a.png -s 1 1 1 \\\n -o 0 0 0\nKd 1 0 0\n");
    let texture = material.texture.unwrap();
    assert_eq!(
        (&*texture.name, texture.sampler.wrap, &*losses),
        ("a.png", [Wrap::Clamp; 2], "")
    );
    assert_eq!(material.base_color, Some([1.0, 0.0, 0.0, 1.0]));
}

/// Quadratic time would take hours.
#[test]
fn many_continuations_take_linear_time() {
    for start in ["", "f 1 2 3", "g a", "# a"] {
        let text = format!("{SQUARE}{start}{} 1\nf 1 2 3\n", " \\\n".repeat(200_000));
        let read = Obj.read(
            text.as_bytes(),
            &Folder::new(),
            &Default::default(),
            &Default::default(),
        );
        assert_eq!(
            read.unwrap().0.triangles().count(),
            if start.starts_with('f') { 3 } else { 1 },
            "{start:?}"
        );
    }
}

#[test]
fn keywords_may_be_in_upper_case() {
    let folder = Folder::from([("m.mtl".to_owned(), b"newmtl m\nKd 1 0 0\n".to_vec())]);
    let text = "MTLLIB m.mtl\nV 0 0 0\nv 1 0 0\nV 0 1 0\nVT 0 0\nVN 0 0 1\nO a\nG b\nUSEMTL m\nF 1/1/1 2/1/1 3/1/1\n";
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    assert_eq!(
        (&*scene.meshes[0].name, list(&losses)),
        ("a/b", String::new())
    );
    assert_eq!(
        scene.meshes[0].material.base_color,
        Some([1.0, 0.0, 0.0, 1.0])
    );
    assert_eq!(scene.triangles().count(), 1);
}

#[test]
fn comments_may_follow_numbers_directly() {
    let text = "v 0 0 0#a\nv 1 0 0# b\nv 0 1 0 # 1\nvt 0.5#c 2\nf 1/1 2/1 3/1#d 4\n";
    let (scene, losses) = scene(Obj, text.as_bytes());
    assert_eq!(
        (scene.meshes[0].faces.indices.clone(), &*losses),
        (Some(Indices::U32(vec![0, 1, 2])), "")
    );
    assert_eq!(scene.meshes[0].uvs[0][0], [0.5, 0.0]);
    assert_eq!(
        material_of("newmtl m\nKd 1 0 0#red\n").0.base_color,
        Some([1.0, 0.0, 0.0, 1.0])
    );
}

#[test]
fn comments_without_a_blank_are_ignored_unless_they_are_part_of_the_name() {
    let folder = Folder::from([(
        "m.mtl".to_owned(),
        b"newmtl red #1\nKd 1 0 0\nnewmtl green\nKd 0 1 0\nnewmtl blue #cold\nKd 0 0 1\n".to_vec(),
    )]);
    let material = |name: &str| {
        let text = format!("mtllib m.mtl #all\n{SQUARE}usemtl {name}\nf 1 2 3 4\n");
        let Material {
            name, base_color, ..
        } = read(Obj, text.as_bytes(), &folder)
            .unwrap()
            .0
            .meshes
            .remove(0)
            .material;
        (
            name,
            base_color.map(|[red, green, blue, _]| [red, green, blue]),
        )
    };
    assert_eq!(material("red #1"), ("red #1".into(), Some([1.0, 0.0, 0.0])));
    assert_eq!(
        material("green #leaf"),
        ("green".into(), Some([0.0, 1.0, 0.0]))
    );
    assert_eq!(
        material("blue"),
        ("blue #cold".into(), Some([0.0, 0.0, 1.0]))
    );
    assert_eq!(material("none #2"), ("none #2".into(), None));
}

#[test]
fn the_last_of_repeated_properties_applies() {
    let (material, losses) =
        material_of("newmtl m\nKd 1 0 0\nd 0.5\nmap_Kd a.png\nKd 0 1 0\nd 0.5\nmap_Kd b.png\n");
    assert_eq!(material.base_color, Some([0.0, 1.0, 0.0, 0.5]));
    assert_eq!(material.texture, Some(Texture::file("b.png")));
    assert_eq!(
        losses,
        "dropped: m.mtl: all but the last value of a property that a material repeats: Kd of \"m\", map_Kd of \"m\""
    );
}

#[test]
fn lists_of_libraries_say_how_many_are_missing() {
    let library: String = (0..30)
        .map(|index| format!("newmtl m\nnewmtl n{index:02}\nx{index:02} 1\n"))
        .collect();
    let (_, losses) = material_of(
        &library
            .replace("newmtl m\n", "")
            .replace("newmtl n00", "newmtl m"),
    );
    assert!(losses.contains("x18, x19 and 10 more"), "{losses}");
}

#[test]
fn only_used_materials_decide_whether_all_are_invisible() {
    let library = "newmtl m\nTr 1\nnewmtl other\nKd 1 0 0\n";
    let (material, losses) = material_of(library);
    assert_eq!(
        (material.base_color, losses.contains("assumed opaque")),
        (None, true),
        "{losses}"
    );
    let folder = Folder::from([("m.mtl".to_owned(), library.into())]);
    let text = format!("mtllib m.mtl\n{SQUARE}usemtl m\nf 1 2 3\nusemtl other\nf 1 3 4\n");
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    assert_eq!(
        scene.meshes[0].material.base_color,
        Some([1.0, 1.0, 1.0, 0.0])
    );
    assert_eq!(list(&losses), "");
}

#[test]
fn statements_of_many_kinds_are_counted() {
    let text: String = (0..60).map(|index| format!("x{index:02} 1\n")).collect();
    let (_, losses) = scene(Obj, format!("{SQUARE}{text}x59 2\n").as_bytes());
    assert!(
        losses.contains("dropped: x49:") && !losses.contains("dropped: x50:"),
        "{losses}"
    );
    assert!(
        losses.contains("dropped: more unsupported statements, of other kinds: 11"),
        "{losses}"
    );
}
