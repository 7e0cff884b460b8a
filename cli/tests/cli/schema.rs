//! `meshspec schema`.

use meshspec::Formats;
use meshspec::layout::schema::Schema;

use crate::files::Folder;

#[test]
fn single_files_are_printed() {
    let folder = Folder::new();
    for format in Formats::BUILT_IN {
        for language in Schema::ALL {
            let files = format.schema(*language);
            if let [file] = &files[..] {
                assert_eq!(
                    folder
                        .run(&format!("schema {format} --as {language}"))
                        .fine(),
                    file.text
                );
            }
        }
    }
    assert!(folder.names().is_empty());
}

#[test]
fn several_files_require_a_choice() {
    let folder = Folder::new();
    assert_eq!(
        folder.run("schema mesh --as kaitai").fails(2),
        "error: mesh: the schema has 2 files: mesh.ksy, mesh_renderlib.ksy\n\
         hint: write them with --out DIR, or choose one with --layout (mesh, mesh_renderlib)\n"
    );
    let files = meshspec::mesh::FORMAT.schema(Schema::Kaitai);
    assert_eq!(
        folder
            .run("schema mesh --as kaitai --layout mesh_renderlib")
            .fine(),
        files[1].text
    );
    assert_eq!(
        folder
            .run("schema mesh --as kaitai --layout klingon")
            .fails(2),
        "error: mesh: no layout `klingon`; the layouts are mesh, mesh_renderlib\n"
    );
    let markdown = folder
        .run("schema mesh --as markdown --layout mesh_renderlib")
        .fine();
    assert!(
        markdown.contains("RenderlibHeader") && !markdown.contains("`strings`"),
        "{markdown}"
    );
}

#[test]
fn all_files_are_written_to_a_folder() {
    let folder = Folder::new();
    let out = |name: &str| String::from_utf8(folder.get(name)).unwrap();
    assert_eq!(folder.run("schema mesh --as kaitai --out a/b").fine(), "");
    for file in meshspec::mesh::FORMAT.schema(Schema::Kaitai) {
        assert_eq!(out(&format!("a/b/{}", file.name)), file.text);
    }
    folder.run("schema mesh --as c --out a").fine();
    assert_eq!(
        out("a/mesh.h"),
        meshspec::mesh::FORMAT.schema(Schema::C)[0].text
    );
}

#[test]
fn existing_files_are_kept_without_force() {
    let folder = Folder::new();
    folder.put("mesh_renderlib.ksy", "precious");
    assert_eq!(
        folder.run("schema mesh --as kaitai --out .").fails(2),
        "error: ./mesh_renderlib.ksy: the file already exists\nhint: overwrite it with --force\n"
    );
    assert_eq!(folder.names(), ["mesh_renderlib.ksy"]);
    folder.run("schema mesh --as kaitai --out . --force").fine();
    assert_eq!(folder.names(), ["mesh.ksy", "mesh_renderlib.ksy"]);
    assert!(folder.get("mesh_renderlib.ksy").len() > 100);
    folder.put("file", "");
    folder.run("schema mesh --as c --out file/sub").fails(3);
}

#[test]
fn wrong_usage() {
    let folder = Folder::new();
    for arguments in [
        "schema",
        "schema mesh",
        "schema mesh --as cobol",
        "schema obj --as c",
    ] {
        folder.run(arguments).fails(2);
    }
}

/// The page names the languages that can express a text format.
#[test]
fn the_page_lists_the_languages_of_text_formats() {
    let folder = Folder::new();
    let page = include_str!("../../../docs/cli.md");
    let (_, sentence) = page
        .split_once("Text formats, which have an attribute table and a grammar, support only ")
        .unwrap();
    let (sentence, _) = sentence.split_once(".\n").unwrap();
    for format in Formats::BUILT_IN {
        for language in Schema::ALL {
            let is_listed = sentence.contains(&format!("`{language}`"));
            let is_binary = !format.about().layouts().is_empty();
            let run = folder.run(&format!(
                "schema {format} --as {language} --out {format}-{language}"
            ));
            assert_eq!(
                run.status == 0,
                is_binary || is_listed,
                "{format} {language}: {run:?}"
            );
        }
    }
    for language in Schema::ALL {
        assert!(page.contains(&format!("| `{language}` | ")), "{language}");
    }
}
