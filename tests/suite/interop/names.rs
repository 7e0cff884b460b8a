//! Names of materials and images in OBJ and MTL, and the files they refer to.

use std::cell::RefCell;
use std::io::{self, Write};

use meshspec::interop::Files;
use meshspec::interop::Interchange::Obj;
use meshspec::scene::{Material, Texture};

use super::{Folder, list, read, scene_of, triangle, write};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

/// A folder that records the names of the files it reads.
struct RecordedFolder {
    files: Folder,
    names: RefCell<Vec<String>>,
}

impl Files for RecordedFolder {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.names.borrow_mut().push(name.to_owned());
        self.files.read(name, limit)
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        self.files.create(name)
    }
}

#[test]
fn paths_outside_the_folder_are_not_looked_up() {
    for path in [
        "..\\..\\oak.png",
        "a\\..\\..\\oak.png",
        "C:\\oak.png",
        "\\\\server\\oak.png",
        "../oak.png #2",
    ] {
        let library = format!("newmtl m\nmap_Kd {path}\n").into_bytes();
        let files = Folder::from([("m.mtl".to_owned(), library)]);
        let folder = RecordedFolder {
            files,
            names: RefCell::default(),
        };
        let text = format!("mtllib m.mtl\n{TRIANGLE}usemtl m\nf 1 2 3\n");
        Obj.read(
            text.as_bytes(),
            &folder,
            &Default::default(),
            &Default::default(),
        )
        .unwrap();
        let names = folder.names.into_inner();
        assert!(
            names.iter().all(|name| name == "m.mtl"),
            "{path}: {names:?}"
        );
    }
}

/// Only the backslash would be read as something else: the quotes keep the comment mark.
#[test]
fn trailing_backslashes_of_images_are_replaced_alone() {
    let mut mesh = triangle();
    mesh.material.name = "m".to_owned();
    mesh.material.texture = Some(Texture::file("a # b\\"));
    let (folder, losses) = write(Obj, scene_of(vec![mesh])).unwrap();
    assert_eq!(folder["file.mtl"], b"newmtl m\nmap_Kd \"a # b_\"\n");
    assert!(
        losses.contains("\"a # b\\\\\" becomes \"a # b_\""),
        "{losses}"
    );
}

#[test]
fn materials_found_by_a_part_of_their_name_are_listed() {
    let folder = Folder::from([(
        "m.mtl".to_owned(),
        b"newmtl Material #25\nKd 1 0 0\nnewmtl Material #26\nKd 0 1 0\n".to_vec(),
    )]);
    let text =
        format!("mtllib m.mtl\n{TRIANGLE}usemtl Material\nf 1 2 3\nusemtl Material #26\nf 1 2 3\n");
    let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    let names: Vec<_> = scene
        .meshes
        .iter()
        .map(|mesh| &*mesh.material.name)
        .collect();
    assert_eq!(names, ["Material #25", "Material #26"]);
    assert_eq!(
        list(&losses),
        "changed: usemtl: undefined materials were replaced by those whose names continue with ` #`: \
         \"Material\" becomes \"Material #25\""
    );
}

/// In a name, only a `#` between blanks begins a comment.
#[test]
fn names_with_numbers_are_continued_like_others() {
    for (statement, expected) in [
        ("Material #25 \\\nleft", "Material #25 left"),
        ("Material \\\n#25 \\\nleft", "Material #25 left"),
        ("Material # 25 \\", "Material"),
        ("Material #25\\", "Material #25\\"),
    ] {
        let text = format!("{TRIANGLE}usemtl {statement}\nf 1 2 3\n");
        let (scene, losses) = read(Obj, text.as_bytes(), &Folder::new()).unwrap();
        let material = Material {
            name: expected.to_owned(),
            ..Material::default()
        };
        assert_eq!(
            (&scene.meshes[0].material, list(&losses)),
            (&material, String::new()),
            "{statement}"
        );
        let folder = Folder::from([(
            "m.mtl".to_owned(),
            format!("newmtl {statement}\nKd 1 0 0\n").into_bytes(),
        )]);
        let text = format!("mtllib m.mtl\n{TRIANGLE}usemtl {expected}\nf 1 2 3\n");
        let (scene, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
        let material = Material {
            base_color: Some([1.0, 0.0, 0.0, 1.0]),
            ..material
        };
        assert_eq!(
            (&scene.meshes[0].material, list(&losses)),
            (&material, String::new()),
            "{statement}"
        );
    }
}

#[test]
fn further_items_of_lists_are_counted_once() {
    let repeated: String = (0..30)
        .map(|index| format!("x{index:02} 1\nx{index:02} 1\n"))
        .collect();
    let folder = Folder::from([(
        "m.mtl".to_owned(),
        format!("newmtl m\n{repeated}").into_bytes(),
    )]);
    let text = format!("mtllib m.mtl\n{TRIANGLE}usemtl m\nf 1 2 3\n");
    let (_, losses) = read(Obj, text.as_bytes(), &folder).unwrap();
    let losses = list(&losses);
    assert!(losses.contains("x18, x19 and 10 more"), "{losses}");
}
