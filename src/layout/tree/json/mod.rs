//! Reads a tree from JSON.
//!
//! Values are read by their declared types, so lists become bytes again while they are read.

mod annotations;
mod computed;
mod encode;
mod list_builder;
mod reader;
mod structs;
mod words;

use std::{fmt, io};

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, Visitor};

use super::Tree;
use crate::layout::declaration::Type;
use crate::layout::dump::JSON_VERSION;
use crate::{Error, ErrorKind, Result};
use annotations::Bytes;
pub(in crate::layout) use computed::{ComputedFields, is_placed};
use reader::Reader;

impl Tree<'_> {
    /// Reads the values of a file of type `ty` from JSON, as docs/json.md describes it and
    /// [`Dump::write_json`](crate::layout::dump::Dump::write_json) writes it. Omitted values are computed when the file is
    /// assembled.
    ///
    /// ```
    /// use meshspec::layout::{Layout, tree::Tree};
    ///
    /// /// A list of heights.
    /// #[derive(Layout)]
    /// #[br(little)]
    /// struct Heights {
    ///     count: u16,
    ///     #[br(count = count)]
    ///     samples: Vec<f32>,
    /// }
    ///
    /// let heights = Tree::from_json(&Heights::TYPE, br#"{"value": {"samples": [1, 2.5]}}"#)?;
    /// assert_eq!(heights.assemble(&Default::default())?, b"\x02\0\0\0\x80\x3f\0\0\x20\x40");
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with line and column if the text is no JSON, or has unknown keys or values of the wrong type.
    pub fn from_json(ty: &'static Type, text: &[u8]) -> Result<Tree<'static>> {
        let deserializer = serde_json::Deserializer::from_slice(text);
        read(ty, deserializer).map_err(Error::malformed)
    }

    /// Reads the values of a file from a stream, like [`from_json`](Tree::from_json), which is faster. The text is not kept in
    /// memory: it may be 50 times as large as the file.
    ///
    /// # Errors
    ///
    /// Also returns an error if reading fails.
    pub fn read_json(ty: &'static Type, text: impl io::Read) -> Result<Tree<'static>> {
        let deserializer = serde_json::Deserializer::from_reader(io::BufReader::new(text));
        read(ty, deserializer).map_err(|error| match error.io_error_kind() {
            Some(kind) => Error::new(ErrorKind::Io(kind), error),
            None => Error::malformed(error),
        })
    }
}

fn read<'de>(
    ty: &'static Type,
    mut deserializer: serde_json::Deserializer<impl serde_json::de::Read<'de>>,
) -> serde_json::Result<Tree<'static>> {
    let tree = FileVisitor { ty }.read(&mut deserializer)?;
    deserializer.end()?;
    Ok(tree)
}

/// Reads the object for a whole file.
struct FileVisitor {
    ty: &'static Type,
}

impl FileVisitor {
    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree<'static>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FileVisitor {
    type Value = Tree<'static>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object with the values of a file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree<'static>, A::Error> {
        let mut tree = Tree::new(self.ty);
        let mut trailing = None;
        let mut earlier_keys = Vec::new();
        let mut key = String::new();
        while read_key(&mut map, &mut key)? {
            if earlier_keys.contains(&key) {
                return Err(duplicate_key(&key));
            }
            earlier_keys.push(key.clone());
            match &*key {
                "file" | "format" | "layout" => drop(map.next_value::<IgnoredAny>()?),
                "size" => tree.file_size = Some(map.next_value()?),
                "version" => match map.next_value::<u32>()? {
                    JSON_VERSION => {}
                    version => {
                        return Err(de::Error::custom(format_args!(
                            "version {version} of the notation, but only {JSON_VERSION} is known"
                        )));
                    }
                },
                "path" => {
                    let path: String = map.next_value()?;
                    return Err(de::Error::custom(format_args!(
                        "contains only `{path}`: the rest of the file is missing"
                    )));
                }
                "error" => {
                    return Err(de::Error::custom(
                        "the dump ends with an error: the rest of the file is missing",
                    ));
                }
                "value" => tree.root = Reader::new(self.ty).read_root(&mut map)?,
                "gaps" => {
                    for Bytes { at, bytes } in map.next_value::<Vec<Bytes>>()? {
                        let [start, end] = at.ok_or_else(|| de::Error::missing_field("$at"))?;
                        if start.checked_add(bytes.len() as u64) != Some(end) {
                            let size = bytes.len();
                            let message =
                                format_args!("the gap from {start} to {end} has {size} bytes");
                            return Err(de::Error::custom(message));
                        }
                        tree.add_gap(start, bytes);
                    }
                }
                "trailing" => trailing = Some(map.next_value::<Bytes>()?.bytes),
                key => {
                    return Err(de::Error::custom(format_args!(
                        "unknown key `{key}`: the values of a file are in `value`"
                    )));
                }
            }
        }
        if !earlier_keys.iter().any(|key| key == "value") {
            return Err(de::Error::missing_field("value"));
        }
        if let Some(bytes) = trailing {
            tree.root.parts_mut().trailing = Some(bytes.into());
        }
        Ok(tree)
    }
}

/// Reads the next key of an object into `key`. Returns `false` at the end.
fn read_key<'de, A: MapAccess<'de>>(map: &mut A, key: &mut String) -> Result<bool, A::Error> {
    struct KeySeed<'k>(&'k mut String);

    impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_str(self)
        }
    }

    impl Visitor<'_> for KeySeed<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a key")
        }

        fn visit_str<E>(self, text: &str) -> Result<(), E> {
            self.0.clear();
            self.0.push_str(text);
            Ok(())
        }
    }

    Ok(map.next_key_seed(KeySeed(key))?.is_some())
}

fn duplicate_key<E: de::Error>(key: &str) -> E {
    E::custom(format_args!("duplicate key `{key}`"))
}

/// Returns the message of an error in a part of a text, without its line and column in that part.
fn message_without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").filter(|_| error.line() > 0);
    text[..end.unwrap_or(text.len())].to_owned()
}
