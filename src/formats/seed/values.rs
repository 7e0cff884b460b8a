//! The values of a file as a declaration. The text is a packing of them, so trees, JSON and edits treat Seed like a
//! binary format.

#![allow(
    unused_qualifications,
    reason = "in the code that binrw generates for counts"
)]

use std::io::Cursor;
use std::num::TryFromIntError;

use binrw::helpers::args_iter;
use binrw::{BinRead, BinWrite, binrw};
use meshspec_derive::Layout;

use super::codec::{self, update, write};
use super::codec_options;
use super::columns::Column;
use super::schema::{Document, LineKind, Property, channels};
use crate::bulk::{self, Rest};
use crate::layout::declaration::Packing;
use crate::layout::expr::Value;
use crate::text::bytes_follow;
use crate::{Format, ReadOptions, Report, Text, WriteOptions};

/// A file.
#[derive(Layout)]
#[br(little)]
#[expect(dead_code, reason = "only its declaration is used")]
pub struct File<'a> {
    /// The lines of the file.
    #[layout(packing = TEXT, content = Values, inline)]
    pub text: Rest<'a>,
}

/// The values in the lines of a file.
#[derive(Layout)]
#[binrw]
#[brw(little)]
pub struct Values {
    /// Number of properties.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(properties.len()))]
    property_count: u32,
    /// The properties, in file order.
    #[br(count = property_count)]
    properties: Vec<PropertyValues>,
    /// Number of positions.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(positions.len()))]
    position_count: u32,
    /// Position of each vertex (X, Y, Z): right-handed, +Y up, +Z forward.
    #[br(count = position_count, parse_with = bulk::read)]
    #[bw(write_with = bulk::write)]
    positions: Vec<[f32; 3]>,
    /// Number of normals.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(normals.len()))]
    normal_count: u32,
    /// Normal of each vertex, a unit vector.
    #[br(count = normal_count, parse_with = bulk::read)]
    #[bw(write_with = bulk::write)]
    normals: Vec<[f32; 3]>,
    /// Number of colours per vertex: none, a primary one, or a secondary one, too.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(colors.len()))]
    color_count: u32,
    /// Number of vertices with each colour.
    #[br(temp, count = color_count)]
    #[bw(try_calc = Colors::counts(colors))]
    color_counts: Vec<u32>,
    /// The colours of each vertex.
    #[br(parse_with = args_iter(color_counts.iter().map(|count| (*count,))))]
    colors: Vec<Colors>,
    /// Number of UV channels.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(uvs.len()))]
    uv_count: u32,
    /// Number of vertices in each UV channel.
    #[br(temp, count = uv_count)]
    #[bw(try_calc = Uvs::counts(uvs))]
    uv_counts: Vec<u32>,
    /// The UV channels.
    #[br(parse_with = args_iter(uv_counts.iter().map(|count| (*count,))))]
    uvs: Vec<Uvs>,
    /// Number of faces.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(faces.len()))]
    face_count: u32,
    /// The vertices of each triangle, counted from 0, counter-clockwise.
    #[br(count = face_count, parse_with = bulk::read)]
    #[bw(write_with = bulk::write)]
    faces: Vec<[u32; 3]>,
}

/// A property.
#[derive(Layout)]
#[binrw]
pub struct PropertyValues {
    /// The name.
    name: Text,
    /// The value.
    value: Text,
}

/// A colour of each vertex.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(count: u32))]
pub enum Colors {
    /// Red, green, blue and alpha, each 0 to 1.
    #[br(pre_assert(true))]
    Values(
        #[br(count = count, parse_with = bulk::read)]
        #[bw(write_with = bulk::write)]
        Vec<[f32; 4]>,
    ),
}

/// The texture coordinates of each vertex in a channel.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(count: u32))]
pub enum Uvs {
    /// U and V: (0, 0) is the top left.
    #[br(pre_assert(true))]
    Values(
        #[br(count = count, parse_with = bulk::read)]
        #[bw(write_with = bulk::write)]
        Vec<[f32; 2]>,
    ),
}

impl Colors {
    fn counts(lists: &[Colors]) -> Result<Vec<u32>, TryFromIntError> {
        let lists = lists.iter().map(|Colors::Values(values)| values.len());
        lists.map(u32::try_from).collect()
    }
}

impl Uvs {
    fn counts(lists: &[Uvs]) -> Result<Vec<u32>, TryFromIntError> {
        let lists = lists.iter().map(|Uvs::Values(values)| values.len());
        lists.map(u32::try_from).collect()
    }
}

/// The text, as a packing of its values.
const TEXT: Packing = Packing::Updatable {
    packing: &Packing::Custom {
        name: "seed",
        decode: |text, _| values_of(&read(text)?),
        encode: write_values,
    },
    update: change_values,
};

/// Changes the text of a file so that it has other values, and keeps its comments, its order and its spelling.
fn change_values(values: &[u8], original: &[u8], _: Option<Value>) -> Result<Vec<u8>, String> {
    if let Ok(old) = read(original) {
        let changed = update::update(original, &old, &to_document(values)?);
        if has_values(&changed, values) {
            return Ok(changed);
        }
    }
    write_values(values, None)
}

/// Returns a text with these values. They may contradict each other, but a text must be able to express them.
fn write_values(values: &[u8], _: Option<Value>) -> Result<Vec<u8>, String> {
    let document = to_document(values)?;
    let channels = [
        (document.colors.len(), channels::colors, "colours"),
        (document.uvs.len(), channels::uvs, "UV channels"),
    ];
    for (found, most, what) in channels {
        if found > most {
            return Err(format!(
                "{found} {what} are given, but a file has at most {most}"
            ));
        }
    }
    let lists = LineKind::ALL.map(|kind| document.column(kind));
    let is_finite = |column: &Column| match column {
        Column::Floats(floats) => floats.iter().all(|float| float.is_finite()),
        Column::Integers(_) => true,
    };
    if lists.iter().all(is_finite) {
        let text = write::write(&document, true);
        if has_values(&text, values) {
            return Ok(text);
        }
    }
    match document.write(&WriteOptions::lenient()) {
        Err(error) => Err(error.to_string()),
        Ok(_) => Err("the last colour or UV channel has no vertices".to_owned()),
    }
}

/// Returns `true` if a text has these values.
fn has_values(text: &[u8], values: &[u8]) -> bool {
    read(text).is_ok_and(|document| values_of(&document).as_deref() == Ok(values))
}

/// Reads a document leniently.
fn read(text: &[u8]) -> Result<Document, String> {
    let options = ReadOptions::lenient();
    let stop_at = options.strictness.threshold();
    let outcome = codec::read(text, &codec_options(&options, Some(stop_at)));
    let mut report = Report::at_least(stop_at, &options.limits);
    outcome.diagnostics.report(text, &mut report);
    match report.findings().first() {
        Some(finding) => Err(finding.message.clone()),
        None => Ok(outcome.document),
    }
}

fn values_of(document: &Document) -> Result<Vec<u8>, String> {
    let property = |Property { name, value }: &Property| PropertyValues {
        name: Text::from(name.as_str()),
        value: Text::from(value.as_str()),
    };
    let values = Values {
        properties: document.properties.iter().map(property).collect(),
        positions: document.positions.clone(),
        normals: document.normals.clone(),
        colors: document
            .colors
            .iter()
            .cloned()
            .map(Colors::Values)
            .collect(),
        uvs: document.uvs.iter().cloned().map(Uvs::Values).collect(),
        faces: document.faces.clone(),
    };
    let mut bytes = Cursor::new(Vec::new());
    let written = values.write(&mut bytes);
    written.map_err(|error| error.to_string())?;
    Ok(bytes.into_inner())
}

fn to_document(values: &[u8]) -> Result<Document, String> {
    let mut rest = Cursor::new(values);
    let read = Values::read(&mut rest).map_err(|error| error.root_cause().to_string())?;
    let left = values.len() as u64 - rest.position();
    if left > 0 {
        return Err(bytes_follow(left, "its last face"));
    }
    let property = |(index, property): (usize, PropertyValues)| -> Result<Property, String> {
        let text = |text: Text| {
            let text = String::from_utf8(text.as_bytes().to_vec());
            text.map_err(|_| format!("properties[{index}] is not UTF-8"))
        };
        Ok(Property {
            name: text(property.name)?,
            value: text(property.value)?,
        })
    };
    let properties = read.properties.into_iter().enumerate().map(property);
    Ok(Document {
        properties: properties.collect::<Result<_, String>>()?,
        positions: read.positions,
        normals: read.normals,
        colors: read
            .colors
            .into_iter()
            .map(|Colors::Values(values)| values)
            .collect(),
        uvs: read
            .uvs
            .into_iter()
            .map(|Uvs::Values(values)| values)
            .collect(),
        faces: read.faces,
        comments: None,
    })
}
