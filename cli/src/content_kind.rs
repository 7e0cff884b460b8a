//! Recognises the content of a file whose name promises something else.

use std::fmt;
use std::path::Path;

use meshspec::interop::Interchange;
use meshspec::{AnyFormat, Confidence, Formats};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::encoding::Encoding;
use crate::failure::{Failure, Result};
use crate::input::name_of;
use crate::json;
use crate::readable::{self, Readable};

/// The keys of the first line of `dump --json` for a text file. The values of other files have a key `value`, too.
const DUMP_KEYS: &[&str] = &["file", "format", "size"];

/// The keys of the values of a file that may precede `value`.
const VALUES_KEYS: &[&str] = &["error", "gaps", "layout", "path", "trailing", "version"];

/// The keys of the output of `decode --json`, with `dialect` before `meshes`. Documents of text formats have others, or no
/// dialect.
const CONTENTS_KEYS: &[&str] = &[
    "format",
    "dialect",
    "properties",
    "user_data",
    "root_transform",
    "meshes",
    "lods",
    "skeleton",
    "animations",
    "poses",
];

/// The content of a file, judged by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ContentKind {
    /// A file, or a document as JSON.
    Encoding(Encoding),
    /// The output of `dump --json` for a file of `format`, if known.
    Dump { format: Option<AnyFormat> },
    /// The output of `decode --json`.
    Contents,
    /// Other JSON.
    OtherJson,
}

impl ContentKind {
    /// Recognises content with certainty: magic bytes, the whole structure of a format, the keywords of an interchange
    /// format, or the keys of JSON.
    pub fn of(bytes: &[u8], formats: &Formats) -> Option<ContentKind> {
        ContentKind::of_json(bytes, formats)
            .or_else(|| {
                let format = formats.detect(bytes, None).ok()?.format;
                is_certain(format, bytes).then_some(ContentKind::Encoding(Encoding::Format(format)))
            })
            .or_else(|| {
                Interchange::detect(bytes)
                    .map(|format| ContentKind::Encoding(Encoding::Interchange(format)))
            })
    }

    /// Recognises JSON by the keys of its first value; `None` for anything else.
    pub fn of_json(bytes: &[u8], formats: &Formats) -> Option<ContentKind> {
        let text = json::without_byte_order_mark(bytes).trim_ascii_start();
        if is_list(text) {
            return Some(ContentKind::OtherJson);
        }
        let head = JsonHead::parse(text)?;
        let has = |key: &str| head.keys.iter().any(|known| known == key);
        let has_only = |keys: &[&str]| head.keys.iter().all(|key| keys.contains(&&**key));
        Some(match &head.format {
            _ if has("asset") => ContentKind::Encoding(Encoding::Interchange("gltf".parse().ok()?)),
            // A document that omits all values, or the first line of a dump.
            Some(_) if has_only(&["format"]) => return None,
            Some(format) if has_only(DUMP_KEYS) => ContentKind::Dump {
                format: formats.get(format).ok(),
            },
            Some(_) if has_only(CONTENTS_KEYS) && has("dialect") && has("meshes") => {
                ContentKind::Contents
            }
            // The reader of documents names the known formats.
            Some(format) if formats.get(format).is_err() => return None,
            Some(_) => ContentKind::Encoding(Encoding::Json),
            None => ContentKind::OtherJson,
        })
    }

    /// Returns `true` if a reader of `named` files reads the content. The readers of `.glb` and `.gltf` files accept both
    /// forms of glTF.
    fn is_readable_as(self, named: Encoding) -> bool {
        let is_gltf = |encoding: Encoding| ["glb", "gltf"].contains(&encoding.name());
        match self {
            ContentKind::Encoding(encoding) => {
                encoding == named || (is_gltf(encoding) && is_gltf(named))
            }
            _ => false,
        }
    }

    /// Returns the failure for content that cannot be read under the name of the file, by a command that reads the
    /// encodings `readable`.
    pub fn failure(self, path: &Path, readable: Readable, formats: &Formats) -> Failure {
        let titles = Encoding::titles_by_extension(path, formats);
        let message = match &titles[..] {
            _ if self == ContentKind::OtherJson => format!("the content is {self}"),
            [] => format!("the content is {self}"),
            titles => {
                let extension = path.extension().unwrap_or_default().display();
                format!(
                    "the content is {self}, but `.{extension}` is an extension of {}",
                    titles.join(" and ")
                )
            }
        };
        let failure = Failure::invalid(&name_of(path), message);
        match self {
            ContentKind::Encoding(encoding) if readable.contains(encoding) => failure.with_hint(format!(
                "read it with --from {encoding}, or give it the extension `.{}`",
                encoding.output_extension(Path::new(""))
            )),
            ContentKind::Encoding(encoding) => failure.with_hint(readable::alternative(encoding, path)),
            ContentKind::Dump { format: Some(format) } if format.about().layouts().is_empty() => failure.with_hint(
                format!("dumps of {format}, a text format, cannot be written as files: read the original"),
            ),
            ContentKind::Dump { .. } => failure
                .with_hint(format!("write the file with `meshspec assemble {} OUT`", readable::argument_of(path))),
            ContentKind::Contents => failure.with_hint(
                "it does not contain the whole file: read the original, or print a document with `meshspec convert FILE \
                 OUT.json`",
            ),
            ContentKind::OtherJson => failure.with_hint(
                "`meshspec convert FILE OUT.json` prints documents, and `meshspec assemble` reads the output of `dump --json`",
            ),
        }
    }
}

impl fmt::Display for ContentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentKind::Encoding(Encoding::Json) => f.write_str("a document as JSON"),
            ContentKind::Encoding(encoding) => f.write_str(encoding.title()),
            ContentKind::Dump { .. } => f.write_str("the output of `dump --json`"),
            ContentKind::Contents => f.write_str("the output of `decode --json`"),
            ContentKind::OtherJson => f.write_str("JSON, but no document"),
        }
    }
}

/// Detects the encoding of a file by its name and content, for a command that reads the encodings `readable`.
///
/// # Errors
///
/// Returns an error if neither name nor content determines the encoding, or the content is of another kind than the name
/// promises.
pub fn detect(
    bytes: &[u8],
    path: &Path,
    readable: Readable,
    formats: &Formats,
) -> Result<Encoding> {
    if Encoding::is_extension_unknown(path, formats) {
        match ContentKind::of_json(bytes, formats) {
            Some(ContentKind::Encoding(encoding)) => return Ok(encoding),
            Some(json) => return Err(json.failure(path, readable, formats)),
            // No key tells what the object is. Reading it as a document tells what it lacks.
            None if json::is_object(bytes) => return Ok(Encoding::Json),
            None => {}
        }
    }
    let encoding = Encoding::detect(bytes, path, formats)?;
    let is_named = encoding.has_extension(path) || Encoding::is_extension_unknown(path, formats);
    // A damaged file may resemble another format.
    let may_be_damaged = matches!(encoding, Encoding::Format(format) if !is_certain(format, bytes));
    if !is_named && !may_be_damaged {
        return Err(ContentKind::Encoding(encoding).failure(path, readable, formats));
    }
    reject_mismatch(encoding, bytes, path, readable, formats)?;
    Ok(encoding)
}

/// Returns `true` if the bytes are a file of the format: the magic bytes or the whole structure match.
fn is_certain(format: AnyFormat, bytes: &[u8]) -> bool {
    format.detect(bytes).confidence >= Confidence::Structure
}

/// Returns `true` if a text is a list in JSON, rather than the name of a section in another format.
fn is_list(text: &[u8]) -> bool {
    let Some(items) = text.strip_prefix(b"[") else {
        return false;
    };
    matches!(
        items.trim_ascii_start().first(),
        Some(b'{' | b'[' | b']' | b'"' | b'-' | b'0'..=b'9')
    )
}

/// Returns an error if the content of a file is certainly not of the encoding that its name promises, and certainly of
/// another kind. `bytes` may be the first bytes of the file.
pub fn reject_mismatch(
    named: Encoding,
    bytes: &[u8],
    path: &Path,
    readable: Readable,
    formats: &Formats,
) -> Result<()> {
    let kind = match named {
        // The reader of documents says what an object lacks.
        Encoding::Json => ContentKind::of(bytes, formats).filter(|kind| {
            *kind != ContentKind::OtherJson || !Encoding::Json.may_start_with(bytes)
        }),
        Encoding::Interchange(format) => match ContentKind::of_json(bytes, formats) {
            None if Interchange::detect(bytes) == Some(format) => None,
            None => ContentKind::of(bytes, formats),
            json => json,
        },
        // Detection has ruled out other formats. The interchange formats and JSON come first, since they are cheaper
        // to recognise than the structure of a format.
        Encoding::Format(format) => ContentKind::of_json(bytes, formats)
            .or_else(|| {
                Interchange::detect(bytes)
                    .map(|format| ContentKind::Encoding(Encoding::Interchange(format)))
            })
            .filter(|_| !is_certain(format, bytes)),
    };
    match kind {
        Some(kind) if !kind.is_readable_as(named) => Err(kind.failure(path, readable, formats)),
        _ => Ok(()),
    }
}

/// The start of a JSON object.
#[derive(Default)]
struct JsonHead {
    /// The keys of the object, without those after an error.
    keys: Vec<String>,
    /// The value of the key `format`, if it is a string.
    format: Option<String>,
}

impl JsonHead {
    /// Parses the first object of a text, until its keys decide what it is. Returns `None` if the text does not start with
    /// an object, or the object has no key. The object may be truncated or malformed after its first key.
    fn parse(text: &[u8]) -> Option<JsonHead> {
        if !text.starts_with(b"{") {
            return None;
        }
        let mut head = JsonHead::default();
        // The object ends early at an error or a decisive key, which is no error here.
        let _ = head.deserialize(&mut serde_json::Deserializer::from_slice(text));
        (!head.keys.is_empty()).then_some(head)
    }

    /// Returns `true` if no key after `key`, which is not in `keys` yet, can change the kind of the object.
    fn is_decided_by(&self, key: &str) -> bool {
        let is_printed = [DUMP_KEYS, VALUES_KEYS, CONTENTS_KEYS]
            .iter()
            .any(|keys| keys.contains(&key));
        let has_dialect = self.keys.iter().any(|known| known == "dialect");
        key == "asset"
            || (self.format.is_some() && (!is_printed || (key == "meshes" && !has_dialect)))
    }
}

impl<'de> DeserializeSeed<'de> for &mut JsonHead {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut JsonHead {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let is_format = key == "format";
            let is_decided = self.is_decided_by(&key);
            self.keys.push(key);
            if is_decided {
                break;
            } else if is_format {
                self.format = map.next_value::<Value>()?.as_str().map(str::to_owned);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
