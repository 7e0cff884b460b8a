//! What a Seed file says.

use super::schema::Kind;
use crate::Text;

/// A Seed file: everything in it but the order of its lines, which means nothing (S2), and whitespace.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Document {
    /// The properties, in the order of the file.
    #[cfg_attr(feature = "serde", serde(default))]
    pub properties: Vec<Property>,
    /// Position of each vertex (X, Y, Z): right-handed, +Y up, +Z forward (X3).
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub positions: Vec<[f32; 3]>,
    /// Normal of each vertex, a unit vector. Only lenient reading accepts a file without normals (S1).
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "crate::float", skip_serializing_if = "Vec::is_empty")
    )]
    pub normals: Vec<[f32; 3]>,
    /// Primary and secondary color of each vertex, if present: red, green, blue, alpha, each from 0 to 1.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "crate::float", skip_serializing_if = "Vec::is_empty")
    )]
    pub colors: Vec<Vec<[f32; 4]>>,
    /// The UV channels that are present, up to 8: (U, V) of each vertex, (0, 0) is the top left of the image.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "crate::float", skip_serializing_if = "Vec::is_empty")
    )]
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// The vertices of each triangle, counted from 0, counter-clockwise.
    pub faces: Vec<[u32; 3]>,
    /// The comments in the order of the lines that they belong to; `None` if
    /// [`ReadOptions::comments`](crate::ReadOptions::comments) was not set. Then writing generates headings.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub comments: Option<Vec<Comment>>,
}

/// A property: `[name]=value`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Property {
    /// The name: a letter, then letters, digits and `_` (S7).
    pub name: String,
    /// The value, without whitespace around it; may be empty.
    pub value: String,
}

/// A comment and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Comment {
    /// What follows the `#`.
    pub text: Text,
    /// The line that it belongs to.
    pub place: Place,
}

/// The place of a comment. Places are ordered as their lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Place {
    /// A property.
    Property(LineRef),
    /// A line of an attribute, or a face.
    Line(Kind, LineRef),
    /// The end of the file.
    End,
}

/// The line that a comment belongs to.
///
/// Comments on lines before it come first, then the one on the line itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct LineRef {
    /// The number of the line among those of its kind, counted from 0.
    pub index: usize,
    /// Whether it follows the content of the line; else it is on a line of its own before it.
    #[cfg_attr(feature = "serde", serde(rename = "behind"))]
    pub trailing: bool,
}

/// The values of the lines of a kind.
#[derive(Debug)]
pub(super) enum Column<'d> {
    Two(&'d [[f32; 2]]),
    Three(&'d [[f32; 3]]),
    Four(&'d [[f32; 4]]),
    Faces(&'d [[u32; 3]]),
}

impl Column<'_> {
    /// Number of lines.
    pub(super) fn len(&self) -> usize {
        match self {
            Column::Two(values) => values.len(),
            Column::Three(values) => values.len(),
            Column::Four(values) => values.len(),
            Column::Faces(values) => values.len(),
        }
    }
}

/// As [`Column`], to be added to.
#[derive(Debug)]
pub(super) enum ColumnMut<'d> {
    Two(&'d mut Vec<[f32; 2]>),
    Three(&'d mut Vec<[f32; 3]>),
    Four(&'d mut Vec<[f32; 4]>),
    Faces(&'d mut Vec<[u32; 3]>),
}

impl Document {
    /// The value of the first property with this name.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|property| property.name == name).map(|property| &*property.value)
    }

    /// Number of vertices: that of the positions.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// The values of the lines of a kind; none if the channel does not exist.
    pub(super) fn column(&self, kind: Kind) -> Column<'_> {
        let color = |index: usize| Column::Four(self.colors.get(index).map_or(&[], |values| values));
        let uv = |index: usize| Column::Two(self.uvs.get(index).map_or(&[], |values| values));
        match kind {
            Kind::P => Column::Three(&self.positions),
            Kind::N => Column::Three(&self.normals),
            Kind::C0 | Kind::C1 => color(channel(kind)),
            Kind::F => Column::Faces(&self.faces),
            _ => uv(channel(kind)),
        }
    }

    /// As [`column`](Document::column), but adds the channels up to this one if they do not exist.
    pub(super) fn column_mut(&mut self, kind: Kind) -> ColumnMut<'_> {
        match kind {
            Kind::P => ColumnMut::Three(&mut self.positions),
            Kind::N => ColumnMut::Three(&mut self.normals),
            Kind::C0 | Kind::C1 => ColumnMut::Four(nth(&mut self.colors, channel(kind))),
            Kind::F => ColumnMut::Faces(&mut self.faces),
            _ => ColumnMut::Two(nth(&mut self.uvs, channel(kind))),
        }
    }

    /// Whether the document has lines of this kind, or an empty channel for them.
    pub(super) fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::P | Kind::N | Kind::F => self.column(kind).len() > 0,
            Kind::C0 | Kind::C1 => channel(kind) < self.colors.len(),
            _ => channel(kind) < self.uvs.len(),
        }
    }
}

/// The number of the color or UV channel.
fn channel(kind: Kind) -> usize {
    let first = if kind >= Kind::U0 { Kind::U0 } else { Kind::C0 };
    kind as usize - first as usize
}

fn nth<T>(channels: &mut Vec<Vec<T>>, index: usize) -> &mut Vec<T> {
    if channels.len() <= index {
        channels.resize_with(index + 1, Vec::new);
    }
    &mut channels[index]
}
