//! Parses a glTF file and loads its buffers.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;

use ::gltf::json;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use glam::{DMat4, DQuat, DVec4};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::errors::malformed;
#[cfg(feature = "meshopt")]
use super::meshopt::MeshoptView;
use super::{MESHOPT, container, tolerate, unsupported};
use crate::interop::Files;
use crate::interop::detect::without_byte_order_mark;
use crate::interop::folder::name_from_bytes;
use crate::interop::references::{self, Reference};
use crate::scene::Extras;
use crate::scene::repair::unit_rotation;
use crate::text::quoted_or_hex;
use crate::{Error, ErrorKind, Limit, Limits, Loss, Result, Strictness};

/// The reason why a buffer cannot be read.
type BufferError = (ErrorKind, String);

/// A parsed glTF file with its buffers.
pub(super) struct GltfFile<'a> {
    pub root: json::Root,
    pub files: &'a dyn Files,
    /// The content of each buffer, or the reason why it cannot be read.
    buffers: Vec<Result<Cow<'a, [u8]>, BufferError>>,
    /// The transform of each node relative to its parent, in 64 bits like the numbers in JSON.
    pub local_transforms: Vec<DMat4>,
    pub strictness: Strictness,
    /// The decompressed bytes of each compressed view, computed on first use.
    #[cfg(feature = "meshopt")]
    decompressed: Vec<std::cell::OnceCell<Vec<u8>>>,
    /// The number of bytes that may still be decoded.
    budget: Cell<u64>,
}

impl<'a> GltfFile<'a> {
    /// Parses a file and loads its buffers. Returns an error if the file is not glTF 2.0, or a skin refers to a missing
    /// joint. An error about a buffer is returned when the buffer is first used.
    pub fn new(
        bytes: &'a [u8],
        files: &'a dyn Files,
        strictness: Strictness,
        limits: &Limits,
        losses: &mut Vec<Loss>,
    ) -> Result<Self> {
        let (text, binary_chunk) = container::split_container(bytes)?;
        let text = without_byte_order_mark(text);
        let start = text.trim_ascii_start();
        if !start.starts_with(b"{") {
            let found = match start.is_empty() {
                true => "empty".to_owned(),
                false => format!(
                    "starts with {}",
                    quoted_or_hex(&start[..start.len().min(4)])
                ),
            };
            let (part, expected) = match bytes.starts_with(b"glTF") {
                true => ("no JSON object in the first chunk", "\"{\""),
                false => ("not glTF", "\"glTF\" or \"{\""),
            };
            return Err(Error::malformed(format!(
                "{part}: {found}, expected {expected}"
            )));
        }
        let reject = |error: serde_json::Error| Error::malformed(format!("invalid JSON: {error}"));
        let json: Value = serde_json::from_slice(text).map_err(reject)?;
        check_version(&json)?;
        let mut root = tolerate::parse(text, &json, losses).map_err(reject)?;
        unsupported::record_losses(&json, losses);
        let local_transforms = read_local_transforms(&json);
        drop(json);
        tolerate::drop_invalid_references(&mut root, losses)?;
        let mut budget = limits.max_decoded;
        let mut load =
            |(index, buffer)| load_buffer(index, buffer, binary_chunk, files, &mut budget);
        let buffers = root.buffers.iter().enumerate().map(&mut load).collect();
        Ok(GltfFile {
            #[cfg(feature = "meshopt")]
            decompressed: vec![Default::default(); root.buffer_views.len()],
            root,
            files,
            local_transforms,
            buffers,
            strictness,
            budget: Cell::new(limits.max_decoded),
        })
    }

    /// Returns the bytes of a buffer view with its stride, if declared. Returns an error if the index is out of range,
    /// the buffer is missing or too short, or decompression fails.
    pub fn view(&self, index: usize) -> Result<(&[u8], Option<usize>)> {
        let path = || format!("bufferViews[{index}]");
        let views = &self.root.buffer_views;
        let Some(view) = views.get(index) else {
            return Err(malformed(
                path(),
                format!("out of range: the buffer view count is {}", views.len()),
            ));
        };
        let stride = view.byte_stride.map(|stride| stride.0);
        #[cfg(feature = "meshopt")]
        if let Some(bytes) = self.decompressed_view(index, view)? {
            return Ok((bytes, stride));
        }
        let buffer = view.buffer.value();
        if let Some(Err((_, message))) = self.buffers.get(buffer)
            && let Some(extensions) = describe_unsupported_extensions(view)
        {
            let message = format!("{extensions}; buffers[{buffer}]: {message}");
            return Err(Error::unsupported(message).at_text(path()));
        }
        let offset = view.byte_offset.map_or(0, |offset| offset.0);
        Ok((
            self.buffer_range(index, buffer, offset, view.byte_length.0)?,
            stride,
        ))
    }

    /// Returns the decompressed bytes of a buffer view; `None` if the buffer view is not compressed. Decompresses on
    /// first use.
    #[cfg(feature = "meshopt")]
    fn decompressed_view(&self, index: usize, view: &json::buffer::View) -> Result<Option<&[u8]>> {
        let Some((name, packed)) = MeshoptView::from_view(view) else {
            return Ok(None);
        };
        let cell = &self.decompressed[index];
        if let Some(bytes) = cell.get() {
            return Ok(Some(bytes));
        }
        let path = || format!("bufferViews[{index}]");
        let reject = |message: String| malformed(path(), format!("{name}: {message}"));
        let packed = packed.map_err(reject)?;
        self.charge_budget(packed.decompressed_size(view).map_err(reject)?, path)?;
        let bytes =
            self.buffer_range(index, packed.buffer, packed.byte_offset, packed.byte_length)?;
        let bytes = packed.decompress(bytes).map_err(reject)?;
        Ok(Some(cell.get_or_init(|| bytes)))
    }

    /// Returns a range of a buffer. Errors about the range are located at the buffer view.
    fn buffer_range(&self, view: usize, buffer: usize, offset: u64, length: u64) -> Result<&[u8]> {
        let path = || format!("bufferViews[{view}]");
        let bytes = match self.buffers.get(buffer) {
            Some(Ok(bytes)) => bytes,
            Some(Err((kind, message))) => {
                return Err(
                    Error::new(*kind, message.clone()).at_text(format!("buffers[{buffer}]"))
                );
            }
            None => {
                let message = format!(
                    "buffer {buffer} is not below the buffer count {}",
                    self.buffers.len()
                );
                return Err(malformed(path(), message));
            }
        };
        let end = offset.checked_add(length);
        let range = end
            .and_then(|end| bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?));
        range.ok_or_else(|| {
            let available = format!("buffers[{buffer}] has {}", bytes.len());
            malformed(
                path(),
                format!("{length} bytes from offset {offset}, but {available}"),
            )
        })
    }

    /// Returns the number of bytes that may still be decoded.
    #[cfg(feature = "draco")]
    pub fn remaining_budget(&self) -> u64 {
        self.budget.get()
    }

    /// Subtracts `bytes` from the budget before they are decoded. Returns an error at `path` if the budget is exceeded.
    pub fn charge_budget(&self, bytes: u64, path: impl FnOnce() -> String) -> Result<()> {
        let remaining = self.budget.get().checked_sub(bytes);
        let exceeded =
            || Error::limit_exceeded(Limit::Decoded, budget_message(bytes)).at_text(path());
        remaining
            .ok_or_else(exceeded)
            .map(|remaining| self.budget.set(remaining))
    }
}

/// Describes the extensions of a buffer view, one of which may contain its bytes; `None` for a buffer view without
/// extensions.
fn describe_unsupported_extensions(view: &json::buffer::View) -> Option<String> {
    let names: Vec<_> = view
        .extensions
        .as_ref()?
        .others
        .keys()
        .map(String::as_str)
        .collect();
    let is_packed = names.iter().any(|name| MESHOPT.contains(name));
    let why = if is_packed {
        ": this build lacks the feature `meshopt`"
    } else {
        ""
    };
    (!names.is_empty()).then(|| format!("{} is unsupported{why}", names.join(", ")))
}

/// Returns an error for a major version other than 2, or if `meshes` or `nodes` is an object, as in version 1. Accepts
/// a missing version.
fn check_version(json: &Value) -> Result<()> {
    let is_version_1 = json
        .get("meshes")
        .or(json.get("nodes"))
        .is_some_and(Value::is_object);
    let version = match json.pointer("/asset/version") {
        None if is_version_1 => "1.0".to_owned(),
        None => return Ok(()),
        Some(Value::String(version)) => version.clone(),
        Some(version) => version.to_string(),
    };
    if version.split('.').next() == Some("2") && !is_version_1 {
        return Ok(());
    }
    let message = format!("glTF {version} is not supported; convert the file to glTF 2.0 first");
    Err(Error::unsupported(message).at_text("asset.version"))
}

/// Returns the transform of each node relative to its parent. Replaces the last row of matrices by 0, 0, 0, 1.
fn read_local_transforms(json: &Value) -> Vec<DMat4> {
    fn numbers<const N: usize>(node: &Value, name: &str) -> Option<[f64; N]> {
        let values = node.get(name)?.as_array()?;
        let numbers: Vec<f64> = values.iter().map(Value::as_f64).collect::<Option<_>>()?;
        numbers.try_into().ok()
    }
    let nodes = json
        .get("nodes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let transform = |node: &Value| {
        if let Some(matrix) = numbers::<16>(node, "matrix") {
            let mut rows = DMat4::from_cols_array(&matrix).transpose();
            rows.w_axis = DVec4::W;
            return rows.transpose();
        }
        let rotation = numbers(node, "rotation").map_or(DQuat::IDENTITY, unit_rotation);
        let translation = numbers::<3>(node, "translation").unwrap_or_default();
        let scale = numbers(node, "scale").unwrap_or([1.0; 3]);
        DMat4::from_scale_rotation_translation(scale.into(), rotation, translation.into())
    };
    nodes.map(transform).collect()
}

fn load_buffer<'a>(
    index: usize,
    buffer: &json::Buffer,
    binary_chunk: Option<&'a [u8]>,
    files: &dyn Files,
    budget: &mut u64,
) -> Result<Cow<'a, [u8]>, BufferError> {
    let length = buffer.byte_length.0;
    let exceeded = || {
        (
            ErrorKind::LimitExceeded(Limit::Decoded),
            budget_message(length),
        )
    };
    *budget = budget.checked_sub(length).ok_or_else(exceeded)?;
    let invalid = |message: String| (ErrorKind::Malformed, message);
    let mut bytes = match (&buffer.uri, binary_chunk) {
        (Some(uri), _) => Cow::Owned(read_uri(uri, length, files)?),
        (None, Some(chunk)) if index == 0 => Cow::Borrowed(chunk),
        (None, None) if index == 0 => {
            return Err(invalid("no uri, and no binary chunk".to_owned()));
        }
        (None, _) => return Err(invalid("no uri".to_owned())),
    };
    if (bytes.len() as u64) < length {
        return Err(invalid(format!(
            "byteLength {length} exceeds the buffer size {}",
            bytes.len()
        )));
    }
    // Bytes past the declared length are padding.
    match &mut bytes {
        Cow::Borrowed(bytes) => *bytes = &bytes[..length as usize],
        Cow::Owned(bytes) => bytes.truncate(length as usize),
    }
    Ok(bytes)
}

/// Returns the content of a data URI, or the first `length` bytes of a companion file.
fn read_uri(uri: &str, length: u64, files: &dyn Files) -> Result<Vec<u8>, BufferError> {
    if let Some(data) = parse_data_uri(uri) {
        return data
            .map(|(_, bytes)| bytes)
            .map_err(|message| (ErrorKind::Malformed, message));
    }
    let path: Vec<u8> = percent_decode_str(uri).collect();
    let Reference { name, is_absolute } = references::resolve(files, "", &path);
    let is_inside = !is_absolute && !name.contains(':') && name.split('/').all(|part| part != "..");
    if !is_inside {
        let path = name_from_bytes(&path);
        let message =
            format!("{path}: not read for safety, since it is outside the folder of the file");
        return Err((ErrorKind::Unsupported, message));
    }
    files.read(&name, length).map_err(|error| {
        let kind = match error.kind() {
            io::ErrorKind::Unsupported => ErrorKind::Unsupported,
            kind => ErrorKind::Io(kind),
        };
        (kind, format!("{name}: {error}"))
    })
}

/// Returns the media type and content of a data URI, or the reason why it cannot be decoded. Returns `None` for other
/// URIs. `data:` and `;base64` may be written in any case. Without `;base64`, the content is percent-encoded.
pub(super) fn parse_data_uri(uri: &str) -> Option<Result<(&str, Vec<u8>), String>> {
    let (scheme, data) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("data") {
        return None;
    }
    const BASE64_MARK: &str = ";base64";
    let is_base64 = |kind: &str| kind.to_ascii_lowercase().ends_with(BASE64_MARK);
    let Some((kind, text)) = data.split_once(',') else {
        return Some(Err(
            "the data URI has no comma before its content".to_owned()
        ));
    };
    let media_type = kind.split(';').next().unwrap_or_default();
    let decoded = Cow::from(percent_decode_str(text));
    let bytes = match is_base64(kind) {
        true => BASE64
            .decode(decoded)
            .map_err(|error| format!("base64: {error}")),
        false => Ok(decoded.into_owned()),
    };
    Some(bytes.map(|bytes| (media_type, bytes)))
}

/// Returns the extras of an object. A value that is neither an object nor `null` gets the key `extras`.
pub(super) fn read_extras(extras: &json::Extras) -> Extras {
    let value = extras
        .as_ref()
        .and_then(|raw| serde_json::from_str(raw.get()).ok());
    match value {
        Some(Value::Object(map)) => map,
        Some(Value::Null) | None => Extras::new(),
        Some(other) => [("extras".to_owned(), other)].into_iter().collect(),
    }
}

/// Returns the error message for `bytes` more bytes, which exceed [`Limits::max_decoded`].
fn budget_message(bytes: u64) -> String {
    format!("{bytes} more bytes than the limit for decoded data allows")
}
