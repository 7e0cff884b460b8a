//! Resolution of partial paths.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::Limits;
use meshspec::layout::Layout;
use meshspec::layout::walk::{self, Selection};

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Animations {
    animations: [Animation; 2],
}

#[derive(Layout, Clone, Copy)]
#[binrw]
#[brw(little)]
struct Animation {
    transform: [[u8; 1]; 3],
}

#[test]
fn partial_paths_are_suffixes() {
    let whole = "animations[1].transform[2][0]";
    let finds = |path| match walk::select(&Animations::TYPE, &[0; 6], path, &Limits::default()) {
        Selection::One(found) => walk::path_text(&found) == whole,
        Selection::Several { first, .. } => first.iter().any(|found| found == whole),
        Selection::None => false,
    };
    for (pattern, expected) in [
        ("animations[1].transform[2][0]", true),
        ("animations.transform[2][0]", true),
        ("transform[2][0]", true),
        ("[1].transform[2][0]", true),
        ("[2][0]", true),
        ("[0]", true),
        ("transform", false),
        ("transform[0]", false),
        ("transform[2]", false),
        ("animations[0].transform[2][0]", false),
        ("[0].transform[2][0]", false),
        ("form[2][0]", false),
        ("file.animations[1].transform[2][0]", false),
    ] {
        assert_eq!(finds(pattern), expected, "{pattern}");
    }
    for path in [
        "", ".", "a..b", "a.", "a[", "a[x]", "a[1]b", "a.[0]", "[-1]",
    ] {
        assert_eq!(
            walk::select(&Animations::TYPE, &[0; 6], path, &Limits::default()),
            Selection::None,
            "{path}"
        );
    }
}
