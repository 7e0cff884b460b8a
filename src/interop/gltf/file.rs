//! A parsed file with its buffers.

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
use super::meshopt::Packed;
use super::{MESHOPT, container, tolerate, unsupported};
use crate::interop::Files;
use crate::interop::detect::BYTE_ORDER_MARK;
use crate::scene::Extras;
use crate::text::quoted_or_hex;
use crate::{Error, ErrorKind, Limit, Limits, Loss, Result, Strictness};

/// The reason why a buffer cannot be read.
type Reason = (ErrorKind, String);

pub(super) struct GltfFile<'a> {
    pub root: json::Root,
    /// The content of each buffer, or the reason why it cannot be read.
    buffers: Vec<Result<Cow<'a, [u8]>, Reason>>,
    /// The transform of each node relative to its parent, in the 64-bit precision of the JSON.
    pub local: Vec<DMat4>,
    pub strictness: Strictness,
    /// The bytes of compressed views, unpacked on first use.
    #[cfg(feature = "meshopt")]
    unpacked: Vec<std::cell::OnceCell<Vec<u8>>>,
    /// The remaining number of bytes to decode.
    budget: Cell<u64>,
}

impl<'a> GltfFile<'a> {
    /// # Errors
    ///
    /// Returns an error if the file is not glTF 2.0, or a skin refers to a missing joint. Missing buffers are errors on
    /// first use.
    pub fn new(
        bytes: &'a [u8],
        files: &dyn Files,
        strictness: Strictness,
        limits: &Limits,
        losses: &mut Vec<Loss>,
    ) -> Result<Self> {
        let (text, numbers) = container::split(bytes)?;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let start = text.trim_ascii_start();
        if !start.starts_with(b"{") {
            let found = match start.is_empty() {
                true => "empty".to_owned(),
                false => format!("starts with {}", quoted_or_hex(&start[..start.len().min(4)])),
            };
            let (part, expected) = match bytes.starts_with(b"glTF") {
                true => ("no JSON object in the first chunk", "\"{\""),
                false => ("not glTF", "\"glTF\" or \"{\""),
            };
            return Err(Error::malformed(format!("{part}: {found}, expected {expected}")));
        }
        let reject = |error: serde_json::Error| Error::malformed(format!("invalid JSON: {error}"));
        let json: Value = serde_json::from_slice(text).map_err(reject)?;
        check_version(&json)?;
        let mut root = tolerate::parse(text, &json, losses).map_err(reject)?;
        unsupported::list(&json, losses);
        let local = local_transforms(&json);
        drop(json);
        tolerate::references(&mut root, losses)?;
        let mut left = limits.max_decoded;
        let buffers = root.buffers.iter().enumerate();
        let buffers = buffers.map(|(index, buffer)| load(index, buffer, numbers, files, &mut left)).collect();
        Ok(GltfFile {
            #[cfg(feature = "meshopt")]
            unpacked: vec![Default::default(); root.buffer_views.len()],
            root,
            local,
            buffers,
            strictness,
            budget: Cell::new(limits.max_decoded),
        })
    }

    /// Returns the bytes of a view and its stride, if declared.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is out of range, or the buffer is missing or too short.
    pub fn view(&self, index: usize) -> Result<(&[u8], Option<usize>)> {
        let path = || format!("bufferViews[{index}]");
        let Some(view) = self.root.buffer_views.get(index) else {
            return Err(malformed(
                path(),
                format!("out of range: the buffer view count is {}", self.root.buffer_views.len()),
            ));
        };
        let stride = view.byte_stride.map(|stride| stride.0);
        #[cfg(feature = "meshopt")]
        if let Some(bytes) = self.unpack(index, view)? {
            return Ok((bytes, stride));
        }
        let buffer = view.buffer.value();
        if let Some(Err((_, message))) = self.buffers.get(buffer)
            && let Some(unread) = unread_extensions(view)
        {
            let message = format!("{unread}, and buffers[{buffer}]: {message}");
            return Err(Error::unsupported(message).at_text(path()));
        }
        let offset = view.byte_offset.map_or(0, |offset| offset.0);
        Ok((self.range(index, buffer, offset, view.byte_length.0)?, stride))
    }

    /// Returns the bytes of a compressed view, unpacked on first use; `None` for uncompressed views.
    #[cfg(feature = "meshopt")]
    fn unpack(&self, index: usize, view: &json::buffer::View) -> Result<Option<&[u8]>> {
        let Some((name, packed)) = Packed::of(view) else { return Ok(None) };
        let unpacked = &self.unpacked[index];
        if let Some(bytes) = unpacked.get() {
            return Ok(Some(bytes));
        }
        let path = || format!("bufferViews[{index}]");
        let reject = |message: String| malformed(path(), format!("{name}: {message}"));
        let packed = packed.map_err(reject)?;
        self.spend(packed.size(view).map_err(reject)?, path)?;
        let bytes = self.range(index, packed.buffer, packed.byte_offset, packed.byte_length)?;
        let bytes = packed.unpack(bytes).map_err(reject)?;
        Ok(Some(unpacked.get_or_init(|| bytes)))
    }

    /// Returns a range of a buffer. Errors are located at the view.
    fn range(&self, view: usize, buffer: usize, offset: u64, length: u64) -> Result<&[u8]> {
        let path = || format!("bufferViews[{view}]");
        let bytes = match self.buffers.get(buffer) {
            Some(Ok(bytes)) => bytes,
            Some(Err((kind, message))) => {
                return Err(Error::new(*kind, message.clone()).at_text(format!("buffers[{buffer}]")));
            }
            None => {
                let message = format!("buffer {buffer} is not below the buffer count {}", self.buffers.len());
                return Err(malformed(path(), message));
            }
        };
        let end = offset.checked_add(length);
        let range = end.and_then(|end| bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?));
        range.ok_or_else(|| {
            let message =
                format!("{length} bytes from {offset} on, but buffers[{buffer}] has {}", bytes.len());
            malformed(path(), message)
        })
    }

    /// Returns the remaining number of bytes to decode.
    #[cfg(feature = "draco")]
    pub fn left(&self) -> u64 {
        self.budget.get()
    }

    /// Counts bytes before they are decoded. Returns an error if they exceed the limit.
    pub fn spend(&self, bytes: u64, path: impl FnOnce() -> String) -> Result<()> {
        match self.budget.get().checked_sub(bytes) {
            Some(left) => {
                self.budget.set(left);
                Ok(())
            }
            None => Err(Error::limit_exceeded(Limit::Decoded, decoded_exceeded(bytes)).at_text(path())),
        }
    }
}

/// Describes the unsupported extensions of a view, which may hold its bytes; `None` for a view without extensions.
fn unread_extensions(view: &json::buffer::View) -> Option<String> {
    let names: Vec<_> = view.extensions.as_ref()?.others.keys().map(String::as_str).collect();
    let is_packed = names.iter().any(|name| MESHOPT.contains(name));
    let why = if is_packed { ": this build lacks the feature `meshopt`" } else { "" };
    (!names.is_empty()).then(|| format!("{} is unsupported{why}", names.join(", ")))
}

/// Checks the major version. Version 1 is also recognized by its objects in place of lists.
///
/// # Errors
///
/// Returns an error for any major version other than 2.
fn check_version(json: &Value) -> Result<()> {
    let version = json.pointer("/asset/version");
    let is_first = json.get("meshes").or(json.get("nodes")).is_some_and(Value::is_object);
    let version = match version {
        None if is_first => "1.0".to_owned(),
        None => return Ok(()),
        Some(Value::String(version)) => version.clone(),
        Some(version) => version.to_string(),
    };
    match version.split_once('.').map_or(&*version, |(major, _)| major) {
        "2" if !is_first => Ok(()),
        _ => {
            let message =
                format!("glTF {version} is not supported, only glTF 2.0: convert the file to it first");
            Err(Error::unsupported(message).at_text("asset.version"))
        }
    }
}

/// Returns the transforms of all nodes. The last row of matrices is replaced by 0, 0, 0, 1.
fn local_transforms(json: &Value) -> Vec<DMat4> {
    fn numbers<const N: usize>(node: &Value, name: &str) -> Option<[f64; N]> {
        let values = node.get(name)?.as_array()?;
        let numbers: Vec<f64> = values.iter().map(Value::as_f64).collect::<Option<_>>()?;
        numbers.try_into().ok()
    }
    let nodes = json.get("nodes").and_then(Value::as_array).into_iter().flatten();
    let transform = |node: &Value| {
        if let Some(matrix) = numbers::<16>(node, "matrix") {
            let mut rows = DMat4::from_cols_array(&matrix).transpose();
            rows.w_axis = DVec4::W;
            return rows.transpose();
        }
        let rotation = numbers(node, "rotation").map_or(DQuat::IDENTITY, DQuat::from_array);
        let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
        let translation = numbers::<3>(node, "translation").unwrap_or_default();
        let scale = numbers(node, "scale").unwrap_or([1.0; 3]);
        DMat4::from_scale_rotation_translation(scale.into(), rotation, translation.into())
    };
    nodes.map(transform).collect()
}

fn load<'a>(
    index: usize,
    buffer: &json::Buffer,
    numbers: Option<&'a [u8]>,
    files: &dyn Files,
    left: &mut u64,
) -> Result<Cow<'a, [u8]>, Reason> {
    let length = buffer.byte_length.0;
    *left = left
        .checked_sub(length)
        .ok_or_else(|| (ErrorKind::LimitExceeded(Limit::Decoded), decoded_exceeded(length)))?;
    let mut bytes = match &buffer.uri {
        Some(uri) => Cow::Owned(resolve(uri, length, files)?),
        None if index == 0 => {
            Cow::Borrowed(numbers.ok_or((ErrorKind::Malformed, "no uri, and no binary chunk".to_owned()))?)
        }
        None => return Err((ErrorKind::Malformed, "no uri".to_owned())),
    };
    if (bytes.len() as u64) < length {
        let message = format!("byteLength {length} exceeds the buffer size {}", bytes.len());
        return Err((ErrorKind::Malformed, message));
    }
    // Bytes past the declared length are padding.
    match &mut bytes {
        Cow::Borrowed(bytes) => *bytes = &bytes[..length as usize],
        Cow::Owned(bytes) => bytes.truncate(length as usize),
    }
    Ok(bytes)
}

/// Returns the content of a data URI, or the first `length` bytes of a file beside or below this one.
fn resolve(uri: &str, length: u64, files: &dyn Files) -> Result<Vec<u8>, Reason> {
    if let Some(data) = data_uri(uri) {
        return data.map(|(_, bytes)| bytes).map_err(|message| (ErrorKind::Malformed, message));
    }
    let name = percent_decode_str(uri).decode_utf8_lossy();
    let inside = name.split(['/', '\\']).all(|part| !part.is_empty() && part != "..");
    if !inside || name.contains(':') {
        let message = format!("{name}: outside of the folder of the file: not read, for safety");
        return Err((ErrorKind::Unsupported, message));
    }
    files.read(&name, length).map_err(|error| {
        let kind = match error.kind() {
            io::ErrorKind::Unsupported => ErrorKind::Unsupported,
            _ => ErrorKind::Io,
        };
        (kind, format!("{name}: {error}"))
    })
}

/// Returns the media type and content of a data URI, or the reason why it cannot be decoded. Returns `None` for other
/// URIs. The scheme and `base64` are case-insensitive.
pub(super) fn data_uri(uri: &str) -> Option<Result<(&str, Vec<u8>), String>> {
    let (scheme, data) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("data") {
        return None;
    }
    const BASE64_MARK: &str = ";base64";
    let is_base64 = |kind: &str| kind.to_ascii_lowercase().ends_with(BASE64_MARK);
    let Some((kind, text)) = data.split_once(',').filter(|(kind, _)| is_base64(kind)) else {
        return Some(Err("a data URI that is not base64".to_owned()));
    };
    let media_type = &kind[..kind.len() - BASE64_MARK.len()];
    let bytes = BASE64.decode(text).map_err(|error| format!("base64: {error}"));
    Some(bytes.map(|bytes| (media_type, bytes)))
}

/// Returns the extras of an object. A value other than an object gets the name "extras".
pub(super) fn extras(extras: &json::Extras) -> Extras {
    let value = extras.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok());
    match value {
        Some(Value::Object(map)) => map,
        Some(Value::Null) | None => Extras::new(),
        Some(other) => [("extras".to_owned(), other)].into_iter().collect(),
    }
}

/// Returns the message for decoded data that exceeds [`Limits::max_decoded`] by this many bytes.
fn decoded_exceeded(bytes: u64) -> String {
    format!("{bytes} more bytes than the limit for decoded data allows")
}
