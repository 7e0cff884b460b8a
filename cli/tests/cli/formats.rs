//! `meshspec formats`.

use meshspec::Formats;
use meshspec::interop::Interchange;

use crate::files::Folder;

#[test]
fn every_format_is_listed() {
    let text = Folder::new().run("formats").fine();
    for format in Formats::BUILT_IN {
        let about = format.about();
        let line = format!("{format}: {}, {}\n", about.title, about.summary);
        assert!(text.contains(&line), "{text}");
    }
    for format in Interchange::ALL {
        let lines = format!(
            "{format}: {}, {}\n  extensions: .{format}\n",
            format.title(),
            format.summary()
        );
        assert!(text.contains(&lines), "{text}");
    }
    let mesh = "\x20 extensions: .mesh
  dialects:   spec, renderlib
  specification: MESH format specification v1.0, from Surviveler by RookieGameDevs
    https://github.com/RookieGameDevs/surviveler/blob/c9acfd48ea8fdb7c89105650e5dd5cb0a3d41c5b/MESH_FORMAT.md
";
    assert!(text.contains(mesh), "{text}");
}

#[test]
fn json_output() {
    let data: serde_json::Value =
        serde_json::from_str(&Folder::new().run("formats --json").fine()).unwrap();
    assert_eq!(
        data.as_array().unwrap().len(),
        Formats::BUILT_IN.len() + Interchange::ALL.len()
    );
    let mesh = data
        .as_array()
        .unwrap()
        .iter()
        .find(|format| format["name"] == "mesh")
        .unwrap();
    assert_eq!(
        *mesh,
        serde_json::json!({
            "name": "mesh",
            "title": "MESH",
            "summary": "interleaved vertices, a skeleton, sampled animations",
            "extensions": ["mesh"],
            "dialects": ["spec", "renderlib"],
            "specification": {
                "title": "MESH format specification v1.0",
                "project": "Surviveler by RookieGameDevs",
                "url": meshspec::mesh::FORMAT.about().specification.unwrap().url,
            },
        })
    );
}
