//! Writes documents as text: properties, then attributes in table order, then faces.

use super::super::columns::Column;
use super::super::schema::{Comment, CommentPlace, Document, LineKind, LineRef, Property};
use crate::layout::grammar::Attribute;

/// Encodes a document, which must be valid.
///
/// If `with_comments` is set, writes the comments of the document at their lines or, if `comments` is `None`, a heading
/// for each section.
pub(in crate::formats::seed) fn write(document: &Document, with_comments: bool) -> Vec<u8> {
    let comments = document.comments.as_deref().filter(|_| with_comments);
    let mut out = TextWriter {
        bytes: Vec::with_capacity(estimate_size(document)),
        comments: comments.unwrap_or_default(),
        has_headings: with_comments && comments.is_none(),
    };
    let (vertices, faces) = (document.vertex_count(), document.faces.len());
    out.write_heading(&format!("Seed mesh: {vertices} vertices, {faces} faces"));
    for (index, property) in document.properties.iter().enumerate() {
        out.write_line(CommentPlace::Property, index, |bytes| {
            append_property(bytes, property);
        });
    }
    for kind in LineKind::ALL {
        let column = document.column(kind);
        if column.len() > 0 {
            out.write_heading(kind.attribute().name);
        }
        match column {
            Column::Floats(values) => out.write_values(kind, values, append_float),
            Column::Integers(values) => {
                out.write_values(kind, values, |bytes, value| {
                    append_integer(bytes, kind, value)
                });
            }
        }
    }
    out.write_comments_up_to(CommentPlace::End);
    out.bytes
}

/// Estimates the size of the text in bytes.
fn estimate_size(document: &Document) -> usize {
    let lines =
        LineKind::ALL.map(|kind| document.line_count(kind) * (4 + 12 * kind.attribute().values));
    lines.iter().sum()
}

struct TextWriter<'d> {
    bytes: Vec<u8>,
    /// The comments that are not yet written.
    comments: &'d [Comment],
    has_headings: bool,
}

impl TextWriter<'_> {
    fn write_heading(&mut self, text: &str) {
        if self.has_headings {
            self.bytes
                .extend_from_slice(format!("# {text}\n").as_bytes());
        }
    }

    /// Writes a line with its comments.
    fn write_line(
        &mut self,
        place: impl Fn(LineRef) -> CommentPlace,
        index: usize,
        content: impl FnOnce(&mut Vec<u8>),
    ) {
        if self.comments.is_empty() {
            content(&mut self.bytes);
            self.bytes.push(b'\n');
            return;
        }
        self.write_comments_up_to(place(LineRef {
            index,
            is_trailing: false,
        }));
        content(&mut self.bytes);
        match self.comments {
            [comment, rest @ ..]
                if comment.place
                    == place(LineRef {
                        index,
                        is_trailing: true,
                    }) =>
            {
                self.comments = rest;
                self.bytes.push(b' ');
                self.write_comment(comment);
            }
            _ => self.bytes.push(b'\n'),
        }
    }

    /// Writes the comments up to and including `place`, one per line.
    fn write_comments_up_to(&mut self, place: CommentPlace) {
        while let [comment, rest @ ..] = self.comments
            && comment.place <= place
        {
            self.comments = rest;
            self.write_comment(comment);
        }
    }

    fn write_comment(&mut self, comment: &Comment) {
        self.bytes.push(b'#');
        self.bytes.extend_from_slice(comment.text.as_bytes());
        self.bytes.push(b'\n');
    }

    fn write_values<T: Copy>(
        &mut self,
        kind: LineKind,
        values: &[T],
        append: impl Fn(&mut Vec<u8>, T),
    ) {
        let attribute = kind.attribute();
        let identifier = attribute.identifier.as_bytes();
        for (index, line) in values.chunks_exact(attribute.values).enumerate() {
            let place = |line| CommentPlace::Line(kind, line);
            self.write_line(place, index, |bytes| {
                bytes.extend_from_slice(identifier);
                bytes.push(b' ');
                for (component, number) in line.iter().enumerate() {
                    if component > 0 {
                        bytes.extend_from_slice(b", ");
                    }
                    append(bytes, *number);
                }
            });
        }
    }
}

/// Appends the content of the line of a property.
pub(super) fn append_property(bytes: &mut Vec<u8>, property: &Property) {
    bytes.extend_from_slice(format!("[{}]={}", property.name, property.value).as_bytes());
}

/// Appends the content of the line at `index` among those of a column.
pub(super) fn append_line(bytes: &mut Vec<u8>, kind: LineKind, column: Column, index: usize) {
    let Attribute {
        identifier, values, ..
    } = kind.attribute();
    bytes.extend_from_slice(identifier.as_bytes());
    for value in 0..*values {
        bytes.extend_from_slice(if value == 0 { b" " } else { b", " });
        append_value(bytes, kind, column, index * values + value);
    }
}

/// Appends the value at `index` in a column.
pub(super) fn append_value(bytes: &mut Vec<u8>, kind: LineKind, column: Column, index: usize) {
    match column {
        Column::Floats(values) => append_float(bytes, values[index]),
        Column::Integers(values) => append_integer(bytes, kind, values[index]),
    }
}

fn append_integer(bytes: &mut Vec<u8>, kind: LineKind, value: u32) {
    match kind.attribute().words().get(value as usize) {
        Some(word) => bytes.extend_from_slice(word.as_bytes()),
        None => append_short(bytes, itoa::Buffer::new().format(value).as_bytes()),
    }
}

/// Appends the shortest decimal that parses to the same bits. Omits the decimal point of whole numbers and the plus
/// sign of exponents; the engine does not need them (S4).
fn append_float(bytes: &mut Vec<u8>, value: f32) {
    match zmij::Buffer::new().format_finite(value).as_bytes() {
        [digits @ .., b'.', b'0'] => append_short(bytes, digits),
        [digits @ .., b'+', a, b] => {
            append_short(bytes, digits);
            bytes.extend_from_slice(&[*a, *b]);
        }
        text => append_short(bytes, text),
    }
}

/// Appends a string. For 4 to 16 bytes, copies the first and the last 8 or 4 bytes, which may overlap. Copies of
/// constant size compile without a function call.
fn append_short(bytes: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        8..=16 => append_ends::<8>(bytes, text),
        4..8 => append_ends::<4>(bytes, text),
        _ => bytes.extend_from_slice(text),
    }
}

/// Appends a string of `N` to 2 · `N` bytes.
fn append_ends<const N: usize>(bytes: &mut Vec<u8>, text: &[u8]) {
    if let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) {
        let end = bytes.len() + text.len();
        bytes.extend_from_slice(first);
        bytes.truncate(end - N);
        bytes.extend_from_slice(last);
    }
}
