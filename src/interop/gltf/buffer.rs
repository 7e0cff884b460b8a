//! Plans the buffer of an output file: views, accessors, and the streams of their values.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::entries::{RawEntry, to_raw_entry};
use crate::bulk;
use crate::scene::push_index;

/// The component type of an accessor, as an OpenGL constant.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(super) enum ComponentType {
    I8 = 5120,
    U8 = 5121,
    I16 = 5122,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

/// The content of a buffer view.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewUse {
    /// A vertex attribute.
    Vertices,
    /// A list of vertex indices.
    Indices,
    /// Inverse bind matrices, or transforms of instances.
    Matrices,
    /// Times and samples of animations, which share a buffer view.
    Animation,
    /// The content of an image file.
    Image,
}

/// The values of an accessor, or the content of an image.
pub(super) enum Stream<'a> {
    /// Little-endian numbers, copied unchanged.
    Bytes(Cow<'a, [u8]>),
    /// Indices that fit in 16 bits.
    U16Indices(&'a [u32]),
    /// Joint indices that fit in 8 bits.
    U8Joints(&'a [[u16; 4]]),
    /// Records of the given size in bytes, each to be padded to a multiple of 4 bytes.
    PaddedRecords(Cow<'a, [u8]>, usize),
}

/// The type and bounds of an accessor.
pub(super) struct AccessorType {
    pub component_type: ComponentType,
    pub name: &'static str,
    pub normalized: bool,
    /// The minimum and maximum of each component.
    pub bounds: Option<(Vec<f32>, Vec<f32>)>,
}

impl AccessorType {
    /// Creates the type of an accessor whose values are not normalised and have no bounds.
    pub fn new(component_type: ComponentType, name: &'static str) -> AccessorType {
        AccessorType {
            component_type,
            name,
            normalized: false,
            bounds: None,
        }
    }

    /// Creates the type of an accessor of 32-bit floats without bounds.
    pub fn floats(name: &'static str) -> AccessorType {
        AccessorType::new(ComponentType::F32, name)
    }

    pub fn with_bounds_of<const N: usize>(mut self, values: &[[f32; N]]) -> AccessorType {
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for value in values {
            for lane in 0..N {
                // Faster than `f32::min`, which handles NaN.
                min[lane] = if value[lane] < min[lane] {
                    value[lane]
                } else {
                    min[lane]
                };
                max[lane] = if value[lane] > max[lane] {
                    value[lane]
                } else {
                    max[lane]
                };
            }
        }
        // Adding 0 turns −0 into 0 and changes no other number.
        self.bounds = Some((min.map(|x| x + 0.0).to_vec(), max.map(|x| x + 0.0).to_vec()));
        self
    }

    pub fn into_normalized(mut self) -> AccessorType {
        self.normalized = true;
        self
    }
}

/// Returns the name of the glTF accessor type with the given number of components.
pub(super) fn accessor_type_name(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        _ => "VEC4",
    }
}

/// The buffer of an output file, with its views and accessors.
#[derive(Default)]
pub(super) struct Buffer<'a> {
    pub views: Vec<RawEntry>,
    pub accessors: Vec<RawEntry>,
    streams: Vec<Stream<'a>>,
    length: u64,
    /// The offset of the animation buffer view, if it is the last buffer view.
    animation_start: Option<u64>,
}

impl<'a> Buffer<'a> {
    /// Returns the total size in bytes, a multiple of 4.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Adds an accessor for the `count` values of `stream`. Returns the index of the accessor.
    pub fn push(
        &mut self,
        view_use: ViewUse,
        stream: Stream<'a>,
        count: usize,
        ty: AccessorType,
    ) -> usize {
        let offset = self.extend_view(view_use, &stream);
        let mut accessor = json!({
            "bufferView": self.views.len().saturating_sub(1),
            "componentType": ty.component_type as u32,
            "count": count,
            "type": ty.name,
        });
        if offset > 0 {
            accessor["byteOffset"] = offset.into();
        }
        if ty.normalized {
            accessor["normalized"] = true.into();
        }
        if let Some((min, max)) = ty.bounds {
            accessor["min"] = min.into();
            accessor["max"] = max.into();
        }
        self.streams.push(stream);
        push_index(&mut self.accessors, to_raw_entry(&accessor))
    }

    /// Adds a buffer view with the content of an image file. Returns the index of the buffer view.
    pub fn push_image(&mut self, bytes: &'a [u8]) -> usize {
        let stream = Stream::Bytes(Cow::Borrowed(bytes));
        self.extend_view(ViewUse::Image, &stream);
        self.streams.push(stream);
        self.views.len() - 1
    }

    /// Adds a buffer view for `stream`, or extends the animation buffer view. Returns the offset of the stream in its
    /// buffer view.
    fn extend_view(&mut self, view_use: ViewUse, stream: &Stream) -> u64 {
        let (start, length) = (self.length, stream.len());
        self.length += length.next_multiple_of(4);
        if let (ViewUse::Animation, Some(first), Some(view)) =
            (view_use, self.animation_start, self.views.last_mut())
        {
            *view = to_raw_entry(&view_json(first, start - first + length));
            return start - first;
        }
        let mut view = view_json(start, length);
        match view_use {
            ViewUse::Vertices => view["target"] = 34962.into(),
            ViewUse::Indices => view["target"] = 34963.into(),
            ViewUse::Matrices | ViewUse::Animation | ViewUse::Image => {}
        }
        if let Stream::PaddedRecords(_, size) = stream {
            view["byteStride"] = size.next_multiple_of(4).into();
        }
        self.animation_start = (view_use == ViewUse::Animation).then_some(start);
        self.views.push(to_raw_entry(&view));
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

fn view_json(start: u64, length: u64) -> Value {
    json!({ "buffer": 0, "byteOffset": start, "byteLength": length })
}

/// The number of values converted to bytes at a time.
const VALUES_PER_CHUNK: usize = 1 << 16;

impl<'a> Stream<'a> {
    pub fn borrowed<T: bulk::PlainData>(values: &'a [T]) -> Stream<'a> {
        Stream::Bytes(bulk::as_bytes(values))
    }

    pub fn owned<T: bulk::PlainData>(values: &[T]) -> Stream<'static> {
        Stream::Bytes(Cow::Owned(bulk::as_bytes(values).into_owned()))
    }

    fn len(&self) -> u64 {
        let length = match self {
            Stream::Bytes(bytes) => bytes.len(),
            Stream::U16Indices(values) => values.len() * 2,
            Stream::U8Joints(values) => values.len() * 4,
            Stream::PaddedRecords(bytes, size) => bytes.len() / size * size.next_multiple_of(4),
        };
        length as u64
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Stream::Bytes(bytes) => out.write_all(bytes),
            Stream::U16Indices(values) => {
                write_in_chunks(values, out, |value| (*value as u16).to_le_bytes())
            }
            Stream::U8Joints(values) => {
                write_in_chunks(values, out, |four| four.map(|joint| joint as u8))
            }
            Stream::PaddedRecords(bytes, size) => {
                let padding = size.next_multiple_of(4) - size;
                for records in bytes.chunks(VALUES_PER_CHUNK * size) {
                    let mut chunk = Vec::with_capacity(records.len() / size * (size + padding));
                    for record in records.chunks_exact(*size) {
                        chunk.extend_from_slice(record);
                        chunk.resize(chunk.len() + padding, 0);
                    }
                    out.write_all(&chunk)?;
                }
                Ok(())
            }
        }
    }
}

fn write_in_chunks<T, const N: usize>(
    values: &[T],
    out: &mut dyn Write,
    convert: impl Fn(&T) -> [u8; N],
) -> io::Result<()> {
    let mut chunk = Vec::new();
    for values in values.chunks(VALUES_PER_CHUNK) {
        chunk.clear();
        chunk.extend(values.iter().map(&convert));
        out.write_all(chunk.as_flattened())?;
    }
    Ok(())
}
