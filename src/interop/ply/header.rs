//! Reads the header of PLY files.

use std::fmt;
use std::ops::Range;

use crate::interop::shared::text::{Words, after_line_break, first_line_offset, quote, reject};
use crate::{Category, Result};

/// The names of the list of vertex indices.
const VERTEX_INDICES: [&str; 2] = ["vertex_indices", "vertex_index"];

/// The encoding of the numbers after the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Encoding {
    #[default]
    Ascii,
    LittleEndian,
    BigEndian,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl NumberType {
    fn parse(word: &[u8]) -> Option<NumberType> {
        Some(match word {
            b"char" | b"int8" => NumberType::I8,
            b"uchar" | b"uint8" => NumberType::U8,
            b"short" | b"int16" => NumberType::I16,
            b"ushort" | b"uint16" => NumberType::U16,
            b"int" | b"int32" => NumberType::I32,
            b"uint" | b"uint32" => NumberType::U32,
            b"float" | b"float32" => NumberType::F32,
            b"double" | b"float64" => NumberType::F64,
            _ => return None,
        })
    }

    /// Returns the size of a number in a binary file, in bytes.
    pub fn size(self) -> usize {
        match self {
            NumberType::I8 | NumberType::U8 => 1,
            NumberType::I16 | NumberType::U16 => 2,
            NumberType::I32 | NumberType::U32 | NumberType::F32 => 4,
            NumberType::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, NumberType::F32 | NumberType::F64)
    }
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NumberType::I8 => "char",
            NumberType::U8 => "uchar",
            NumberType::I16 => "short",
            NumberType::U16 => "ushort",
            NumberType::I32 => "int",
            NumberType::U32 => "uint",
            NumberType::F32 => "float",
            NumberType::F64 => "double",
        })
    }
}

/// A number, or a list of numbers, in each item of an element.
#[derive(Debug)]
pub(super) struct Property {
    pub name: String,
    pub number_type: NumberType,
    /// The type of the list length; `None` if the property is not a list.
    pub length_type: Option<NumberType>,
    /// The byte range of the name in the header.
    pub name_range: Range<usize>,
}

/// A list of items with the same properties.
#[derive(Debug)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
    /// The byte range of the item count in the header.
    pub count_range: Range<usize>,
}

impl Element {
    /// Returns the category of losses about items of the element.
    pub fn category(&self) -> Category {
        match &*self.name {
            "vertex" | "face" | "tristrips" => Category::Geometry,
            _ => Category::Other,
        }
    }

    /// Returns the minimum total size of the items in bytes.
    pub fn min_size(&self, encoding: Encoding) -> u64 {
        let sizes = self.properties.iter().map(|property| match encoding {
            // A number takes at least a digit and a blank.
            Encoding::Ascii => 2,
            _ => property.length_type.unwrap_or(property.number_type).size() as u64,
        });
        let all = self.count.saturating_mul(sizes.sum());
        // The last digit may end the file.
        if encoding == Encoding::Ascii {
            all.saturating_sub(1)
        } else {
            all
        }
    }

    /// Returns the number of items to read; 0 without properties.
    pub fn item_count(&self) -> u64 {
        if self.properties.is_empty() {
            0
        } else {
            self.count
        }
    }

    /// Returns the position of the list of vertex indices among the properties.
    pub fn vertex_indices(&self) -> Option<usize> {
        self.find_list(|name| VERTEX_INDICES.contains(&name))
    }

    /// Returns the position of the first list whose name `is_wanted` accepts.
    pub fn find_list(&self, is_wanted: impl Fn(&str) -> bool) -> Option<usize> {
        let mut properties = self.properties.iter();
        properties.position(|property| property.length_type.is_some() && is_wanted(&property.name))
    }

    pub fn has_lists(&self) -> bool {
        self.properties
            .iter()
            .any(|property| property.length_type.is_some())
    }
}

#[derive(Debug, Default)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// The image paths from the `TextureFile` comments, to which the numbers `texnumber` refer.
    pub images: Vec<Vec<u8>>,
    /// The number of `obj_info` lines.
    pub obj_info_count: usize,
    /// The number of unknown lines, and the byte range of the first.
    pub unknown_lines: (usize, Range<usize>),
    /// The offset of the first byte after the header.
    pub body: usize,
}

pub(super) fn read(text: &[u8]) -> Result<Header> {
    let mut at = first_line_offset(text);
    let mut encoding = None;
    let mut header = Header::default();
    let ends_in_cr = first_line_ends_in_cr(text);
    let mut first = true;
    loop {
        let end = match memchr::memchr2(b'\r', b'\n', &text[at..]).map(|length| at + length) {
            // A line feed is then the first byte after the header, or a blank line.
            Some(end) if ends_in_cr => end + 1,
            Some(end) => after_line_break(text, end, text.len()),
            None => text.len(),
        };
        let line = at..end;
        let mut words = Words::new(text, line.clone());
        let keyword = words.next();
        at = end;
        if std::mem::take(&mut first) {
            if keyword != Some(b"ply") {
                return Err(reject(text, line, "a PLY file begins with the line `ply`"));
            }
            continue;
        }
        match keyword {
            Some(b"format") => encoding = Some(parse_format(&mut words)?),
            Some(b"comment") if words.next() == Some(b"TextureFile") => {
                header.images.push(words.rest_of_line().to_vec());
            }
            Some(b"comment") => {}
            Some(b"obj_info") => header.obj_info_count += 1,
            Some(b"element") => header.elements.push(parse_element(&mut words)?),
            Some(b"property") => {
                let property = parse_property(&mut words)?;
                let element = header.elements.last_mut();
                let element = element
                    .ok_or_else(|| words.reject("the property precedes the first element"))?;
                element.properties.push(property);
            }
            Some(b"end_header") => break,
            Some(_) => {
                let (count, first) = &mut header.unknown_lines;
                *count += 1;
                if *count == 1 {
                    *first = line;
                }
            }
            None if end == text.len() => {
                return Err(reject(
                    text,
                    end..end,
                    "the header has no line `end_header`",
                ));
            }
            None => {}
        }
    }
    header.body = at;
    header.encoding =
        encoding.ok_or_else(|| reject(text, at..at, "the header has no line `format`"))?;
    Ok(header)
}

/// Returns `true` if the first line ends in CR alone.
fn first_line_ends_in_cr(text: &[u8]) -> bool {
    match memchr::memchr2(b'\r', b'\n', text).map(|end| &text[end..]) {
        Some([b'\r', next, ..]) => *next != b'\n',
        _ => false,
    }
}

fn parse_format(words: &mut Words) -> Result<Encoding> {
    let encoding = match words.next() {
        Some(b"ascii") => Encoding::Ascii,
        Some(b"binary_little_endian") => Encoding::LittleEndian,
        Some(b"binary_big_endian") => Encoding::BigEndian,
        Some(word) => {
            let known = "ascii, binary_little_endian or binary_big_endian";
            return Err(words.reject(format!("the format {} is not {known}", quote(word))));
        }
        None => return Err(words.missing_error("the format")),
    };
    match words.next() {
        None | Some(b"1.0") => Ok(encoding),
        Some(version) => Err(words.reject(format!("version {} is not 1.0", quote(version)))),
    }
}

fn parse_element(words: &mut Words) -> Result<Element> {
    let name = parse_name(words, "the name of the element")?;
    let count = words
        .next()
        .ok_or_else(|| words.missing_error("the number of items"))?;
    let Some(count) = std::str::from_utf8(count)
        .ok()
        .and_then(|count| count.parse().ok())
    else {
        return Err(words.reject(format!(
            "expected a number of items, found {}",
            quote(count)
        )));
    };
    Ok(Element {
        name,
        count,
        properties: Vec::new(),
        count_range: words.range(),
    })
}

fn parse_property(words: &mut Words) -> Result<Property> {
    let (length_type, number_type) = match parse_type(words, "the type")? {
        Some(plain) => (None, Some(plain)),
        None => {
            let length_type = parse_type(words, "the type of the number of items")?;
            (length_type, parse_type(words, "the type of the items")?)
        }
    };
    let number_type = number_type.ok_or_else(|| words.reject("lists of lists are unsupported"))?;
    let name = parse_name(words, "the name of the property")?;
    Ok(Property {
        name,
        number_type,
        length_type,
        name_range: words.range(),
    })
}

/// Parses a type; `None` if it is `list`.
fn parse_type(words: &mut Words, what: &str) -> Result<Option<NumberType>> {
    let word = words.next().ok_or_else(|| words.missing_error(what))?;
    match NumberType::parse(word) {
        None if word == b"list" => Ok(None),
        None => Err(words.reject(format!("{} is not a PLY type", quote(word)))),
        number => Ok(number),
    }
}

fn parse_name(words: &mut Words, what: &str) -> Result<String> {
    let name = words.next().ok_or_else(|| words.missing_error(what))?;
    Ok(String::from_utf8_lossy(name).into_owned())
}
