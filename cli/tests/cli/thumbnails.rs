//! The files in `cli/share`, for thumbnails in file managers.

use std::collections::BTreeMap;
use std::path::Path;

use meshspec::Formats;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::dump::repository;
use crate::files::{Folder, Run};
use crate::render::Image;

const THUMBNAILER: &str = include_str!("../../share/thumbnailers/meshspec.thumbnailer");
const TYPES: &str = include_str!("../../share/mime/packages/meshspec.xml");

/// The identification of a type.
#[derive(Debug, Default)]
struct MimeType {
    patterns: Vec<String>,
    /// Possible magic bytes of a file.
    magic: Vec<Vec<u8>>,
}

fn attribute(element: &BytesStart, name: &str) -> String {
    let found = element
        .try_get_attribute(name)
        .unwrap()
        .unwrap_or_else(|| panic!("no {name}"));
    String::from_utf8(found.value.into_owned()).unwrap()
}

/// Reads the types from the XML, which must be well-formed.
fn types() -> BTreeMap<String, MimeType> {
    let mut reader = Reader::from_str(TYPES);
    reader.config_mut().check_comments = true;
    let mut types: BTreeMap<String, MimeType> = BTreeMap::new();
    let mut name = String::new();
    loop {
        let event = reader.read_event().unwrap();
        let (Event::Start(element) | Event::Empty(element)) = &event else {
            if matches!(event, Event::Eof) {
                return types;
            }
            continue;
        };
        match element.name().as_ref() {
            b"mime-type" => name = attribute(element, "type"),
            b"glob" => types
                .entry(name.clone())
                .or_default()
                .patterns
                .push(attribute(element, "pattern")),
            b"match" => {
                assert_eq!(attribute(element, "offset"), "0");
                let value = attribute(element, "value");
                let bytes = match &*attribute(element, "type") {
                    "byte" => vec![value.parse().unwrap()],
                    _ => value.replace("\\n", "\n").into_bytes(),
                };
                types.entry(name.clone()).or_default().magic.push(bytes);
            }
            _ => {}
        }
    }
}

#[test]
fn types_match_format_detection() {
    let types = types();
    let names: Vec<String> = Formats::BUILT_IN
        .iter()
        .map(|format| format!("model/x-{}", format.name()))
        .collect();
    assert!(
        names.iter().all(|name| types.contains_key(name)) && types.len() == names.len(),
        "{types:?}"
    );
    for format in Formats::BUILT_IN {
        let known = &types[&format!("model/x-{}", format.name())];
        let extensions: Vec<String> = format
            .about()
            .extensions
            .iter()
            .map(|end| format!("*.{end}"))
            .collect();
        let same = |pattern: &String| extensions.contains(pattern);
        assert!(
            known.patterns.iter().all(same) && known.patterns.len() == extensions.len(),
            "{format}: {known:?}"
        );
        for file in std::fs::read_dir(repository().join("samples").join(format.name())).unwrap() {
            let path = file.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(
                meshspec::detect(&bytes, Some(&path)).unwrap().format,
                *format
            );
            let by_magic: Vec<&String> = types
                .iter()
                .filter(|(_, known)| known.magic.iter().any(|magic| bytes.starts_with(magic)))
                .map(|(name, _)| name)
                .collect();
            let end = format!("*.{}", path.extension().unwrap().display());
            let by_name: Vec<&String> = types
                .iter()
                .filter(|(_, known)| known.patterns.contains(&end))
                .map(|(name, _)| name)
                .collect();
            // As in file managers, magic bytes decide between types with the same extension.
            let found: Vec<_> = by_name
                .iter()
                .filter(|name| by_name.len() == 1 || by_magic.contains(name))
                .collect();
            // Chunks of Crucible are not marked.
            assert!(
                by_magic.iter().any(|name| name.ends_with(format.name())) || end == "*.crmesh",
                "{}",
                path.display()
            );
            assert_eq!(
                found,
                [&&format!("model/x-{}", format.name())],
                "{}",
                path.display()
            );
        }
    }
}

/// Runs the command line like a file manager, which first creates an empty file for the picture.
fn thumbnail(folder: &Folder, input: &Path) -> Run {
    let line = THUMBNAILER
        .lines()
        .find_map(|line| line.strip_prefix("Exec=meshspec "))
        .unwrap();
    folder.put("thumbnail", b"");
    let output = folder.path("thumbnail");
    let line = line
        .replace("%i", &input.display().to_string())
        .replace("%o", &output.display().to_string());
    folder.run(&line.replace("%s", "64"))
}

#[test]
fn the_command_line_draws_a_sample_of_each_type() {
    let folder = Folder::new();
    assert!(THUMBNAILER.starts_with("[Thumbnailer Entry]\n"));
    for name in types().keys() {
        assert!(THUMBNAILER.contains(&format!("{name};")), "{name}");
    }
    for sample in [
        "mesh/flag.mesh",
        "seed/facets.mesh",
        "crucible/tetrahedra.cmodel",
        "iyma/quads.ima",
        "bmd/pyramid.bmd",
    ] {
        thumbnail(&folder, &repository().join("samples").join(sample)).fine();
        let image = Image::of(&folder.get("thumbnail"));
        assert_eq!((image.width, image.height), (64, 64));
        assert!(
            image.pixels.iter().any(|[.., alpha]| *alpha == 255),
            "{sample}"
        );
    }
}
