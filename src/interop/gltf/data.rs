//! Plans the buffer of a file: views, accessors, and their streams.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::entries::{Entry, entry};
use crate::bulk;

/// The component type of an accessor, as an OpenGL constant.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(super) enum Kind {
    I8 = 5120,
    U8 = 5121,
    I16 = 5122,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

/// The use of a view.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A vertex attribute.
    Vertices,
    /// A list of vertex indices.
    Indices,
    /// Inverse bind matrices, or transforms of instances.
    Matrices,
    /// Times and samples of animations, which share a view.
    Animation,
    /// The content of an image file.
    Image,
}

/// The source of the numbers.
pub(super) enum Stream<'a> {
    /// Little-endian numbers, copied unchanged.
    Bytes(Cow<'a, [u8]>),
    /// Indices that fit in 16 bits.
    Narrow(&'a [u32]),
    /// Joints that fit in 8 bits.
    Bytewise(&'a [[u16; 4]]),
    /// Records of the given size in bytes, each padded to a multiple of 4.
    Padded(Cow<'a, [u8]>, usize),
}

/// The type and bounds of an accessor.
pub(super) struct Shape {
    pub kind: Kind,
    pub name: &'static str,
    pub normalized: bool,
    /// The minimum and maximum of each component.
    pub bounds: Option<(Vec<f32>, Vec<f32>)>,
}

impl Shape {
    /// Creates a shape without normalization or bounds.
    pub fn new(kind: Kind, name: &'static str) -> Shape {
        Shape { kind, name, normalized: false, bounds: None }
    }

    /// Sets the bounds to those of these values.
    pub fn bounded<const N: usize>(mut self, values: &[[f32; N]]) -> Shape {
        let (mut low, mut high) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for value in values {
            for lane in 0..N {
                // Faster than `f32::min`, which handles NaN.
                low[lane] = if value[lane] < low[lane] { value[lane] } else { low[lane] };
                high[lane] = if value[lane] > high[lane] { value[lane] } else { high[lane] };
            }
        }
        self.bounds = Some((low.to_vec(), high.to_vec()));
        self
    }

    /// Marks integers as normalized.
    pub fn normalized(mut self) -> Shape {
        self.normalized = true;
        self
    }
}

/// Returns the accessor type for this many components.
pub(super) fn type_of(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        _ => "VEC4",
    }
}

#[derive(Default)]
pub(super) struct Data<'a> {
    pub views: Vec<Entry>,
    pub accessors: Vec<Entry>,
    streams: Vec<Stream<'a>>,
    length: u64,
    /// The offset of the animation view, if that is the last view.
    animation: Option<u64>,
}

impl<'a> Data<'a> {
    /// Returns the total size in bytes, a multiple of 4.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Adds an accessor for `count` values from `stream`. Returns its index.
    pub fn push(&mut self, target: Target, stream: Stream<'a>, count: usize, shape: Shape) -> usize {
        let offset = self.view(target, &stream);
        let mut accessor = json!({
            "bufferView": self.views.len().saturating_sub(1),
            "componentType": shape.kind as u32,
            "count": count,
            "type": shape.name,
        });
        if offset > 0 {
            accessor["byteOffset"] = offset.into();
        }
        if shape.normalized {
            accessor["normalized"] = true.into();
        }
        if let Some((low, high)) = shape.bounds {
            accessor["min"] = low.into();
            accessor["max"] = high.into();
        }
        self.accessors.push(entry(&accessor));
        self.streams.push(stream);
        self.accessors.len() - 1
    }

    /// Adds a view of the content of an image file. Returns its index.
    pub fn push_image(&mut self, bytes: &'a [u8]) -> usize {
        let stream = Stream::Bytes(Cow::Borrowed(bytes));
        self.view(Target::Image, &stream);
        self.streams.push(stream);
        self.views.len() - 1
    }

    /// Adds a view for the stream, or extends the animation view. Returns the offset of the stream in the view.
    fn view(&mut self, target: Target, stream: &Stream) -> u64 {
        let (start, length) = (self.length, stream.len());
        self.length += length.next_multiple_of(4);
        if let (Target::Animation, Some(first), Some(view)) = (target, self.animation, self.views.last_mut())
        {
            *view = entry(&view_of(first, start - first + length));
            return start - first;
        }
        let mut view = view_of(start, length);
        match target {
            Target::Vertices => view["target"] = 34962.into(),
            Target::Indices => view["target"] = 34963.into(),
            Target::Matrices | Target::Animation | Target::Image => {}
        }
        if let Stream::Padded(_, size) = stream {
            view["byteStride"] = size.next_multiple_of(4).into();
        }
        self.animation = (target == Target::Animation).then_some(start);
        self.views.push(entry(&view));
        0
    }

    /// Writes all streams, each padded to a multiple of 4 bytes.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for stream in &self.streams {
            stream.write(out)?;
            let length = stream.len();
            let padding = length.next_multiple_of(4) - length;
            out.write_all(&[0; 4][..padding as usize])?;
        }
        Ok(())
    }
}

fn view_of(start: u64, length: u64) -> Value {
    json!({ "buffer": 0, "byteOffset": start, "byteLength": length })
}

/// The number of values converted to bytes at a time.
const PIECE: usize = 1 << 16;

impl<'a> Stream<'a> {
    /// Borrows numbers.
    pub fn plain<T: bulk::Plain>(values: &'a [T]) -> Stream<'a> {
        Stream::Bytes(bulk::as_bytes(values))
    }

    /// Copies numbers.
    pub fn owned<T: bulk::Plain>(values: &[T]) -> Stream<'static> {
        Stream::Bytes(Cow::Owned(bulk::as_bytes(values).into_owned()))
    }

    fn len(&self) -> u64 {
        let length = match self {
            Stream::Bytes(bytes) => bytes.len(),
            Stream::Narrow(values) => values.len() * 2,
            Stream::Bytewise(values) => values.len() * 4,
            Stream::Padded(bytes, size) => bytes.len() / size * size.next_multiple_of(4),
        };
        length as u64
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Stream::Bytes(bytes) => out.write_all(bytes),
            Stream::Narrow(values) => in_pieces(values, out, |value| (*value as u16).to_le_bytes()),
            Stream::Bytewise(values) => in_pieces(values, out, |joints| joints.map(|joint| joint as u8)),
            Stream::Padded(bytes, size) => {
                let padding = size.next_multiple_of(4) - size;
                for records in bytes.chunks(PIECE * size) {
                    let mut piece = Vec::with_capacity(records.len() / size * (size + padding));
                    for record in records.chunks_exact(*size) {
                        piece.extend_from_slice(record);
                        piece.resize(piece.len() + padding, 0);
                    }
                    out.write_all(&piece)?;
                }
                Ok(())
            }
        }
    }
}

fn in_pieces<T, const N: usize>(
    values: &[T],
    out: &mut dyn Write,
    convert: impl Fn(&T) -> [u8; N],
) -> io::Result<()> {
    let mut piece = Vec::new();
    for values in values.chunks(PIECE) {
        piece.clear();
        piece.extend(values.iter().map(&convert));
        out.write_all(piece.as_flattened())?;
    }
    Ok(())
}
