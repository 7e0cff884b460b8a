//! The pictures in `docs/` match the output of the program. `UPDATE_GOLDEN=1` updates them.

use crate::dump::repository;
use crate::files::Folder;

/// The largest size of a picture in bytes.
const MAX_SIZE: usize = 30_000;

/// The pictures, each with its command in the folder `samples`.
const PICTURES: [(&str, &str); 7] = [
    ("mesh", "mesh/tentacle.mesh --time 0.5 --size 160"),
    ("crucible", "crucible/tetrahedra.cmodel --size 160"),
    ("seed", "seed/facets.mesh --view front --size 160"),
    ("iyma", "iyma/quads.ima --size 160"),
    (
        "bmd",
        "bmd/tentacle.bmd --animation stretch --time 0.5 --wireframe --size 160",
    ),
    (
        "turntable",
        "mesh/tentacle.mesh --time 0.5 --view turntable --size 80x110",
    ),
    (
        "diff",
        "mesh/tentacle.mesh bmd/tentacle.bmd --diff --animation stretch --time 0.5 --size 160",
    ),
];

#[test]
fn committed_pictures_are_up_to_date() {
    let folder = Folder::new();
    for (name, command) in PICTURES {
        let mut program = folder.command();
        program
            .current_dir(repository().join("samples"))
            .arg("render")
            .args(command.split(' '));
        let output = program
            .arg(folder.path("out.png"))
            .arg("--force")
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        let drawn = folder.get("out.png");
        assert!(drawn.len() <= MAX_SIZE, "{name}: {} bytes", drawn.len());
        let committed = repository()
            .join("docs/pictures")
            .join(name)
            .with_extension("png");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(committed.parent().unwrap()).unwrap();
            std::fs::write(&committed, drawn).unwrap();
            continue;
        }
        let is_same = std::fs::read(&committed).is_ok_and(|committed| committed == drawn);
        assert!(
            is_same,
            "{name}: run `UPDATE_GOLDEN=1 cargo test -p meshspec-cli pictures`"
        );
    }
}

/// Every picture is shown on a page, and the folder has no others.
#[test]
fn pages_show_the_pictures() {
    let names: Vec<String> = PICTURES
        .iter()
        .map(|(name, _)| format!("{name}.png"))
        .collect();
    let mut found: Vec<String> = std::fs::read_dir(repository().join("docs/pictures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort_by_key(|name| names.iter().position(|known| known == name));
    assert_eq!(found, names);
    let pages = [
        include_str!("../../../README.md"),
        include_str!("../../../docs/cli.md"),
    ]
    .concat();
    for name in names {
        assert!(pages.contains(&format!("pictures/{name})")), "{name}");
    }
}
