//! Resolved declarations (programs): their defects, and the example in ARCHITECTURE.md.

#![allow(
    dead_code,
    reason = "the declarations are only resolved, never decoded"
)]

use std::fmt::Write;
use std::ops::ControlFlow;

use binrw::binrw;
use binrw::io::SeekFrom;
use meshspec::layout::declaration::{ChecksumFunction, Type};
use meshspec::layout::expr::Value;
use meshspec::layout::program::problems;
use meshspec::layout::schema::Schema;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{self, Node, Visitor, path_text};
use meshspec::layout::{Layout, generate};
use meshspec::{Formats, Limits};

fn defects(ty: &'static Type) -> Vec<String> {
    let problems = problems(ty);
    // The assembler rejects a defective declaration.
    let rejected = Tree::new(ty)
        .assemble(&Limits::default())
        .unwrap_err()
        .to_string();
    assert_eq!(
        rejected,
        format!("the declaration is defective: {}", problems[0])
    );
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn built_in_formats_have_no_defects() {
    let layouts: Vec<_> = Formats::BUILT_IN
        .iter()
        .flat_map(|format| format.about().layouts())
        .collect();
    assert_eq!(layouts.len(), 9);
    for (name, ty) in layouts {
        assert_eq!(problems(ty), [], "{name}");
    }
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Undecided {
    scale: f32,
    #[br(count = scale as u64)]
    heights: Vec<u16>,
    #[br(if(scale as u64 == 1))]
    more: Option<u8>,
}

#[derive(Layout)]
#[br(little)]
struct Endless {
    names: Vec<u8>,
    count: u8,
}

#[derive(Layout)]
#[br(little)]
struct EndlessPart {
    names: Names,
    count: u8,
}

#[derive(Layout)]
#[br(little)]
struct Names {
    names: Vec<u8>,
}

const SUM: ChecksumFunction = ChecksumFunction {
    name: "sum",
    compute: |_, _| 0,
};

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Twice {
    offset: u32,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    first: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    second: u8,
    sum: u32,
    #[br(count = 2)]
    #[layout(content = [u8; 2], checksum = sum, by = SUM())]
    bytes: Vec<u8>,
    #[br(count = 2)]
    #[layout(content = [u8; 2], checksum = sum, by = SUM())]
    more: Vec<u8>,
}

#[test]
fn defects_name_the_fields() {
    assert_eq!(
        defects(&Undecided::TYPE),
        [
            "Undecided.heights: the number of items depends on a value that is not an integer",
            "Undecided.more: the presence depends on a value that is not an integer",
        ]
    );
    assert_eq!(
        defects(&Endless::TYPE),
        ["Endless.names: runs to the end of the bytes, but `count` follows"]
    );
    assert_eq!(
        defects(&EndlessPart::TYPE),
        ["EndlessPart.names: runs to the end of the bytes, but `count` follows"]
    );
    assert_eq!(
        defects(&Twice::TYPE),
        [
            "Twice.second: `Twice.offset` cannot be both its offset and the offset of `first`",
            "Twice.more: `Twice.sum` cannot be both its checksum and the checksum of `bytes`",
        ]
    );
}

/// Alternatives that share an offset.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct EitherAt {
    is_wide: u8,
    offset: u32,
    #[br(if(is_wide == 0), seek_before = SeekFrom::Start(offset as u64), restore_position)]
    narrow: Option<u8>,
    #[br(if(is_wide != 0), seek_before = SeekFrom::Start(offset as u64), restore_position)]
    wide: Option<u16>,
    #[br(if(is_wide == 0))]
    rest: Option<u8>,
}

#[test]
fn alternatives_share_a_place() {
    assert_eq!(problems(&EitherAt::TYPE), []);
}

/// Marks on a terrain.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"MRK")]
struct Marks {
    /// Number of marks.
    #[br(assert(count < 10, "there are too many marks"))]
    count: u8,
    /// Where the name lies.
    name_offset: u8,
    /// The heights.
    #[br(count = count)]
    heights: Vec<u16>,
    /// The name.
    #[br(seek_before = SeekFrom::Start(name_offset as u64), restore_position)]
    name: [u8; 2],
}

/// ARCHITECTURE.md shows the output of each driver for the declaration above.
#[test]
fn the_trace_in_the_architecture_is_up_to_date() {
    let page = include_str!("../../ARCHITECTURE.md");
    let mut missing = String::new();
    let mut shows = |text: &str| {
        let is_missing = |line: &&str| page.lines().all(|other| other.trim() != line.trim());
        text.lines()
            .filter(is_missing)
            .for_each(|line| missing += &format!("{line}\n"));
    };
    let program = Schema::Program
        .print("marks", "Marks", &[("marks", &Marks::TYPE)])
        .remove(0)
        .text;
    shows(program.split_once("== marks: Marks\n").unwrap().1);

    let mut values = Tree::new(&Marks::TYPE);
    for (path, value) in [
        ("heights[0]", "7"),
        ("heights[1]", "8"),
        ("name[0]", "0x41"),
        ("name[1]", "0x42"),
    ] {
        values.set(path, value).unwrap();
    }
    let bytes = values.assemble(&Limits::default()).unwrap();
    shows(&format!("{bytes:02x?}"));

    let mut paths = LeafLines(String::new());
    walk::walk(&Marks::TYPE, &bytes, &Limits::default(), &mut paths).unwrap();
    shows(&paths.0);

    let generated = generate::file(
        &Marks::TYPE,
        &[2, 28, 32, 260, 264],
        &generate::Config::default(),
    );
    shows(&format!("{:02x?}", generated.unwrap()));

    let broken = generate::breakages(&Marks::TYPE, &bytes, &[], &Limits::default()).unwrap();
    let broken: Vec<_> = broken.map(|broken| broken.to_string()).collect();
    shows(&broken.join("\n"));
    assert!(
        missing.is_empty(),
        "ARCHITECTURE.md does not show:\n{missing}"
    );
}

/// Collects the leaves as lines of span, path and value.
struct LeafLines(String);

impl Visitor for LeafLines {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        writeln!(self.0, "{} {} = {value}", node.span, path_text(node.path)).unwrap();
        ControlFlow::Continue(())
    }
}
