//! A program for a custom format, height fields, and all built-in formats.

use std::process::ExitCode;

use binrw::binrw;
use meshspec::layout::Layout;
use meshspec::{BinaryFormat, Formats};

/// A height field.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"HFLD")]
pub struct HeightField {
    /// Number of columns.
    #[br(assert(columns >= 2, "a height field has at least 2 columns"))]
    pub columns: u16,
    /// Number of rows.
    pub rows: u16,
    /// Heights in metres, row by row.
    #[br(count = columns as u32 * rows as u32)]
    pub heights: Vec<f32>,
}

impl BinaryFormat for HeightField {
    const NAME: &'static str = "height_field";
    const TITLE: &'static str = "Height field";
    const SUMMARY: &'static str = "heights in rows";
    const EXTENSIONS: &'static [&'static str] = &["hfld"];
}

fn main() -> meshspec::Result<ExitCode> {
    let formats = Formats::builtin().with::<HeightField>()?;
    Ok(meshspec_cli::run(&formats, std::env::args_os()))
}
