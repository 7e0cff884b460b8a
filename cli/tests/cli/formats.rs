//! `meshspec formats`.

use meshspec::FormatId;
use meshspec::interop::Interchange;

use crate::files::Folder;

#[test]
fn every_format_is_listed() {
    let text = Folder::new().run("formats").fine();
    for format in FormatId::ALL {
        let about = format.about();
        let line = format!("{format}: {}, {}\n", about.title, about.summary);
        assert!(text.contains(&line), "{text}");
    }
    for format in Interchange::ALL {
        let lines = format!("{format}: {}, {}\n  extensions: .{format}\n", format.title(), format.summary());
        assert!(text.contains(&lines), "{text}");
    }
    assert!(text.contains("  extensions: .mesh\n  dialects:   spec, renderlib\n"), "{text}");
}

#[test]
fn the_same_as_data() {
    let data: serde_json::Value = serde_json::from_str(&Folder::new().run("formats --json").fine()).unwrap();
    assert_eq!(data.as_array().unwrap().len(), FormatId::ALL.len() + Interchange::ALL.len());
    let mesh = data.as_array().unwrap().iter().find(|format| format["name"] == "mesh").unwrap();
    assert_eq!(
        *mesh,
        serde_json::json!({
            "name": "mesh",
            "title": "MESH",
            "summary": "interleaved vertices, a skeleton, sampled animations",
            "extensions": ["mesh"],
            "dialects": ["spec", "renderlib"],
        })
    );
}
