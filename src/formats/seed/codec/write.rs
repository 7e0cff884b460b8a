//! Writes properties, then attributes in table order, then faces.

use super::super::columns::Column;
use super::super::schema::{Comment, Document, Kind, LineRef, Place};

/// Encodes a document that follows the rules.
///
/// If `comments` is set, writes the document's comments in place. A document read without comments gets a heading for
/// each section.
pub(in crate::formats::seed) fn write(document: &Document, comments: bool) -> Vec<u8> {
    let kept = document.comments.as_deref().filter(|_| comments);
    let mut out = Output {
        bytes: Vec::with_capacity(size(document)),
        comments: kept.unwrap_or_default(),
        headings: comments && kept.is_none(),
    };
    out.write_heading(&format!(
        "Seed mesh: {} vertices, {} faces",
        document.vertex_count(),
        document.faces.len()
    ));
    for (index, property) in document.properties.iter().enumerate() {
        out.write_line(Place::Property, index, |bytes| {
            for part in ["[", &property.name, "]=", &property.value] {
                bytes.extend_from_slice(part.as_bytes());
            }
        });
    }
    for kind in Kind::ALL {
        let column = document.column(kind);
        if column.len() > 0 {
            out.write_heading(kind.attribute().name);
        }
        match column {
            Column::Floats(values) => out.write_values(kind, values, put_float),
            Column::Integers(values) => {
                let words = kind.attribute().words();
                out.write_values(kind, values, |bytes, value| match words.get(value as usize) {
                    Some(word) => bytes.extend_from_slice(word.as_bytes()),
                    None => put_integer(bytes, value),
                });
            }
        }
    }
    out.write_comments_before(Place::End);
    out.bytes
}

/// Estimates the size of the text in bytes.
fn size(document: &Document) -> usize {
    let lines = Kind::ALL.map(|kind| document.lines(kind) * (4 + 12 * kind.attribute().values));
    lines.iter().sum()
}

struct Output<'d> {
    bytes: Vec<u8>,
    /// The comments still to be written.
    comments: &'d [Comment],
    headings: bool,
}

impl Output<'_> {
    fn write_heading(&mut self, text: &str) {
        if self.headings {
            self.bytes.extend_from_slice(b"# ");
            self.bytes.extend_from_slice(text.as_bytes());
            self.bytes.push(b'\n');
        }
    }

    /// Writes a line with its comments.
    fn write_line(
        &mut self,
        place: impl Fn(LineRef) -> Place,
        index: usize,
        content: impl FnOnce(&mut Vec<u8>),
    ) {
        if self.comments.is_empty() {
            content(&mut self.bytes);
            self.bytes.push(b'\n');
            return;
        }
        self.write_comments_before(place(LineRef { index, trailing: false }));
        content(&mut self.bytes);
        match self.comments {
            [comment, rest @ ..] if comment.place == place(LineRef { index, trailing: true }) => {
                self.comments = rest;
                self.bytes.push(b' ');
                self.write_comment(comment);
            }
            _ => self.bytes.push(b'\n'),
        }
    }

    /// Writes the comments up to this position, one per line.
    fn write_comments_before(&mut self, place: Place) {
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

    fn write_values<T: Copy>(&mut self, kind: Kind, values: &[T], put: impl Fn(&mut Vec<u8>, T)) {
        let attribute = kind.attribute();
        let identifier = attribute.identifier.as_bytes();
        for (index, line) in values.chunks_exact(attribute.values).enumerate() {
            self.write_line(
                |at| Place::Line(kind, at),
                index,
                |bytes| {
                    bytes.extend_from_slice(identifier);
                    bytes.push(b' ');
                    for (component, number) in line.iter().enumerate() {
                        if component > 0 {
                            bytes.extend_from_slice(b", ");
                        }
                        put(bytes, *number);
                    }
                },
            );
        }
    }
}

/// Writes the shortest decimal that parses to the same bits. Omits the point of a whole number and the plus of an
/// exponent, which even the engine does not need (S4).
fn put_float(bytes: &mut Vec<u8>, value: f32) {
    match zmij::Buffer::new().format_finite(value).as_bytes() {
        [digits @ .., b'.', b'0'] => put_short(bytes, digits),
        [digits @ .., b'+', a, b] => {
            put_short(bytes, digits);
            bytes.extend_from_slice(&[*a, *b]);
        }
        text => put_short(bytes, text),
    }
}

fn put_integer(bytes: &mut Vec<u8>, value: u32) {
    put_short(bytes, itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a short text by copying its first and last 8 or 4 bytes, which may overlap. Copies of constant length
/// compile without a call.
fn put_short(bytes: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        8..=16 => put_ends::<8>(bytes, text),
        4..8 => put_ends::<4>(bytes, text),
        _ => bytes.extend_from_slice(text),
    }
}

/// Appends a text of `N` to 2 · `N` bytes.
fn put_ends<const N: usize>(bytes: &mut Vec<u8>, text: &[u8]) {
    if let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) {
        let end = bytes.len() + text.len();
        bytes.extend_from_slice(first);
        bytes.truncate(end - N);
        bytes.extend_from_slice(last);
    }
}
