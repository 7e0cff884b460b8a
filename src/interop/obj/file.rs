//! The content of an OBJ file, and its losses.

use std::collections::BTreeMap;

use super::corners::{Corner, CornerParser};
use super::values::ValueLists;
use crate::interop::shared::polygons::Polygons;
use crate::{Category, Loss, Span};

#[derive(Debug, Default)]
pub(super) struct ObjFile {
    pub lists: ValueLists,
    pub parts: Vec<MeshPart>,
    /// The arguments of `mtllib` statements, one per line.
    pub libraries: Vec<u8>,
    /// The names of the current object and group.
    pub name: MeshName,
    /// The content that is dropped while reading, unsupported or malformed.
    pub dropped: DroppedContent,
}

/// The names of the object and group that faces belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MeshName {
    /// The number of the object, which distinguishes objects with the same name.
    pub number: usize,
    pub object: Vec<u8>,
    pub group: Vec<u8>,
}

/// The vertices and faces that become one mesh.
#[derive(Debug)]
pub(super) struct MeshPart {
    pub name: MeshName,
    pub material: Vec<u8>,
    pub vertices: Vec<Corner>,
    pub faces: Polygons,
}

/// The content that is dropped while reading, unsupported or malformed.
#[derive(Debug, Default)]
pub(super) struct DroppedContent {
    /// The count and first location of each unsupported statement.
    pub statements: BTreeMap<Vec<u8>, (usize, Span)>,
    /// The number of unsupported statements that are not in `statements`.
    pub other_statement_count: usize,
    /// The number of smooth-shaded faces in which at least one corner lacks a normal.
    pub smooth_face_count: usize,
    /// For texture coordinates and normals, the number of corners that refer to missing values.
    pub missing_counts: [usize; 3],
    /// The number of faces that are unreadable, or whose positions are missing or not finite.
    pub face_count: usize,
    /// Whether lenient reading dropped a truncated last line.
    pub is_truncated: bool,
}

impl MeshPart {
    /// Adds a face and returns the number of new vertices. `index` is the index of the part, and `positions` the number
    /// of positions so far.
    #[inline]
    pub fn add_face(
        &mut self,
        index: u32,
        face: &[Corner],
        positions: usize,
        parser: &mut CornerParser,
    ) -> usize {
        let known = self.vertices.len();
        for corner in face {
            let vertex = parser.add_vertex(index, *corner, positions, &mut self.vertices);
            self.faces.push_corner(vertex);
        }
        self.faces.finish_face();
        self.vertices.len() - known
    }
}

impl ObjFile {
    /// Records losses for the content that scenes cannot represent.
    pub fn record_losses(&self, losses: &mut Vec<Loss>) {
        let ObjFile { lists, dropped, .. } = self;
        for (keyword, (count, span)) in &dropped.statements {
            let detail = format!("{count}, the first at {span}");
            let loss = Loss::dropped(keyword.escape_ascii().to_string(), "unsupported statements");
            losses.push(loss.in_category(category(keyword)).with_detail(detail));
        }
        let counts = [
            (
                "",
                dropped.other_statement_count,
                "statements",
                "more unsupported statements, of other kinds",
            ),
            ("v", lists.weight_count, "weights", "weights of positions"),
            (
                "vt",
                lists.third_coordinate_count,
                "coordinates",
                "third texture coordinates",
            ),
            (
                "s",
                dropped.smooth_face_count,
                "faces",
                "smooth shading of faces without normals",
            ),
            (
                "f",
                dropped.face_count,
                "faces",
                "faces that are unreadable, or whose positions are missing or not finite",
            ),
            (
                "f",
                dropped.missing_counts[1],
                "corners",
                "references to missing texture coordinates",
            ),
            (
                "f",
                dropped.missing_counts[2],
                "corners",
                "references to missing normals",
            ),
        ];
        for (path, count, items, message) in counts {
            losses.extend(
                Loss::dropped(path, message)
                    .with_count(count, items)
                    .if_any(),
            );
        }
        if dropped.is_truncated {
            losses.push(Loss::dropped("", "the last line, which is truncated"));
        }
    }
}

/// Returns the category of an unsupported statement: lines, points, curves and surfaces are geometry.
fn category(keyword: &[u8]) -> Category {
    match keyword {
        b"l" | b"p" | b"vp" | b"cstype" | b"deg" | b"curv" | b"curv2" | b"surf" | b"parm"
        | b"end" => Category::Geometry,
        b"maplib" | b"usemap" => Category::Material,
        _ => Category::Other,
    }
}
