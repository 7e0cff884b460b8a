//! Serde implementations of index and vertex buffers.
//!
//! A vertex value is a list of its stored components, or a number if it has only one. Normalised integers remain
//! integers, and BGRA colours remain in BGRA order. Floats that JSON cannot express become strings, as in all formats.

use bytes::Bytes;
use half::f16;
use serde::de::value::{Error as ValueError, SeqAccessDeserializer};
use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::hash::read_uint;
use super::super::schema::{Component, IndexFormat, UNORM10X3X2, Usage, VertexFormat};
use super::buffers::{Attribute, IndexBuffer};
use crate::float::Floats;
use crate::text::parse_nan_bits;

/// Serialises user data as a string if it is UTF-8, otherwise as a list of bytes.
pub(super) mod user_data {
    use super::{Bytes, Deserialize, Deserializer, Serialize, Serializer};
    use crate::Text;

    pub(crate) fn serialize<S: Serializer>(data: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        Text::from(data.to_vec()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Bytes, D::Error> {
        Text::deserialize(deserializer).map(|text| Bytes::copy_from_slice(text.as_bytes()))
    }
}

/// The serialised form of an [`IndexBuffer`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexBufferJson {
    format: IndexFormat,
    data: Vec<u32>,
}

impl Serialize for IndexBuffer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let IndexBuffer { format, data } = self;
        if !data.len().is_multiple_of(format.size()) {
            return Err(S::Error::custom(
                "the size of the index buffer is not a whole number of indices",
            ));
        }
        IndexBufferJson {
            format: *format,
            data: self.iter().collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for IndexBuffer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<IndexBuffer, D::Error> {
        let IndexBufferJson { format, data } = IndexBufferJson::deserialize(deserializer)?;
        if format == IndexFormat::U32 {
            return Ok(IndexBuffer::from_u32(&data));
        }
        let narrow = data.iter().map(|index| {
            let message =
                || de::Error::custom(format_args!("index {index} does not fit in 16 bits"));
            u16::try_from(*index).map_err(|_| message())
        });
        Ok(IndexBuffer::from_u16(
            &narrow.collect::<Result<Vec<_>, _>>()?,
        ))
    }
}

/// The serialised form of an [`Attribute`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AttributeJson<D> {
    usage: Usage,
    format: VertexFormat,
    data: D,
}

impl Serialize for Attribute {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Attribute {
            usage,
            format,
            data,
        } = self;
        if !data.len().is_multiple_of(format.size()) {
            return Err(S::Error::custom(
                "the size of the vertex buffer is not a whole number of values",
            ));
        }
        AttributeJson {
            usage: usage.clone(),
            format: *format,
            data: ValueList(*format, data),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Attribute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Attribute, D::Error> {
        let AttributeJson {
            usage,
            format,
            data,
        } = AttributeJson::<Vec<_>>::deserialize(deserializer)?;
        let mut bytes = Vec::with_capacity(data.len() * format.size());
        for (index, value) in data.into_iter().enumerate() {
            append_value(format, value, &mut bytes)
                .map_err(|error| de::Error::custom(format_args!("data[{index}]: {error}")))?;
        }
        Ok(Attribute {
            usage,
            format,
            data: bytes.into(),
        })
    }
}

/// The values of a buffer: lists of components, or numbers for formats with one component.
struct ValueList<'a>(VertexFormat, &'a [u8]);

impl Serialize for ValueList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ValueList(format, data) = *self;
        let values = data.chunks_exact(format.size());
        match format.components() {
            1 => serializer
                .collect_seq(values.map(|value| StoredComponent(format.component(), value))),
            _ => serializer.collect_seq(values.map(|value| ComponentList(format, value))),
        }
    }
}

struct ComponentList<'a>(VertexFormat, &'a [u8]);

impl Serialize for ComponentList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ComponentList(format, bytes) = *self;
        let component = format.component();
        if component == Component::Unorm10x3x2 {
            return serializer
                .collect_seq(UNORM10X3X2.map(|bits| bits.extract_u64(read_uint(bytes))));
        }
        serializer.collect_seq(
            bytes
                .chunks_exact(component.size())
                .map(|bytes| StoredComponent(component, bytes)),
        )
    }
}

struct StoredComponent<'a>(Component, &'a [u8]);

impl Serialize for StoredComponent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bits = read_uint(self.1);
        match self.0 {
            Component::Float16 => match f16::from_bits(bits as u16) {
                x if x.is_nan() && x.to_bits() != f16::NAN.to_bits() => {
                    serializer.collect_str(&format_args!("NaN:{:04x}", x.to_bits()))
                }
                x => x.to_f32().serialize_floats(serializer),
            },
            Component::Float32 => f32::from_bits(bits as u32).serialize_floats(serializer),
            Component::Float64 => f64::from_bits(bits).serialize_floats(serializer),
            Component::Sint8 | Component::Snorm8 => serializer.serialize_i8(bits as i8),
            Component::Sint16 | Component::Snorm16 => serializer.serialize_i16(bits as i16),
            Component::Sint32 => serializer.serialize_i32(bits as i32),
            _ => serializer.serialize_u64(bits),
        }
    }
}

/// A JSON value whose component type is not yet known: a number, a number as a string, or a list of these.
#[derive(Debug)]
enum JsonValue {
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<JsonValue>),
}

impl<'de> Deserialize<'de> for JsonValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonValue, D::Error> {
        deserializer.deserialize_any(JsonValueVisitor)
    }
}

struct JsonValueVisitor;

impl<'de> Visitor<'de> for JsonValueVisitor {
    type Value = JsonValue;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a number, a number as a string, or a list of them")
    }

    fn visit_i64<E>(self, value: i64) -> Result<JsonValue, E> {
        Ok(JsonValue::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<JsonValue, E> {
        // Only floats can exceed the range of `i64`.
        Ok(i64::try_from(value).map_or(JsonValue::Float(value as f64), JsonValue::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<JsonValue, E> {
        Ok(JsonValue::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<JsonValue, E> {
        Ok(JsonValue::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<JsonValue, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(JsonValue::List)
    }
}

fn append_value(format: VertexFormat, value: JsonValue, out: &mut Vec<u8>) -> Result<(), String> {
    let items = match (value, format.components()) {
        (JsonValue::List(items), 2..) => items,
        (item, 1) => vec![item],
        (item, components) => return Err(format!("{item:?}, expected a list of {components}")),
    };
    if items.len() != format.components() {
        return Err(format!(
            "{} components, expected {}",
            items.len(),
            format.components()
        ));
    }
    if format.component() == Component::Unorm10x3x2 {
        let mut word = 0u32;
        for (item, bits) in items.iter().zip(UNORM10X3X2) {
            word |=
                (parse_integer(item, 0, bits.extract_u64(u64::MAX) as i64)? as u32) << bits.offset;
        }
        out.extend(word.to_le_bytes());
        return Ok(());
    }
    items
        .iter()
        .try_for_each(|item| append_component(format.component(), item, out))
}

fn append_component(
    component: Component,
    item: &JsonValue,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let bits = match component {
        Component::Float16 => parse_half_bits(item)?.into(),
        Component::Float32 => parse_float::<f32>(item)?.to_bits().into(),
        Component::Float64 => parse_float::<f64>(item)?.to_bits(),
        Component::Sint8
        | Component::Snorm8
        | Component::Sint16
        | Component::Snorm16
        | Component::Sint32 => {
            let end = 1 << (8 * component.size() - 1);
            parse_integer(item, -end, end - 1)? as u64
        }
        _ => parse_integer(item, 0, (1 << (8 * component.size())) - 1)? as u64,
    };
    out.extend_from_slice(&bits.to_le_bytes()[..component.size()]);
    Ok(())
}

fn parse_integer(item: &JsonValue, min: i64, max: i64) -> Result<i64, String> {
    match item {
        JsonValue::Int(value) if (min..=max).contains(value) => Ok(*value),
        JsonValue::Int(value) => Err(format!("{value} is not between {min} and {max}")),
        other => Err(format!("{other:?}, expected an integer")),
    }
}

/// Parses a float with the rules that all formats share.
fn parse_float<T: Floats>(item: &JsonValue) -> Result<T, String> {
    let float: Result<T, ValueError> = match item {
        JsonValue::Int(value) => T::deserialize_floats((*value).into_deserializer()),
        JsonValue::Float(value) => T::deserialize_floats((*value).into_deserializer()),
        JsonValue::Text(text) => T::deserialize_floats(text.as_str().into_deserializer()),
        JsonValue::List(_) => return Err("a list, expected a number".to_owned()),
    };
    float.map_err(|error| error.to_string())
}

/// Parses a 16-bit float and returns its bits. Returns an error if a finite number rounds to infinity.
fn parse_half_bits(item: &JsonValue) -> Result<u16, String> {
    if let JsonValue::Text(text) = item
        && text.starts_with("NaN:")
    {
        let bits = parse_nan_bits(text, 4).filter(|bits| f16::from_bits(*bits as u16).is_nan());
        let message =
            || format!("{text:?}, expected \"NaN:\" with the 4 hexadecimal digits of a NaN");
        return bits.map(|bits| bits as u16).ok_or_else(message);
    }
    let x: f32 = parse_float(item)?;
    let half = f16::from_f32(x);
    if half.is_infinite() && x.is_finite() {
        return Err(format!("{x} does not fit in 16 bits"));
    }
    Ok(if x.is_nan() {
        f16::NAN.to_bits()
    } else {
        half.to_bits()
    })
}
