//! `EXT_meshopt_compression` and `KHR_meshopt_compression`: compressed buffer views.

use ::gltf::json::buffer::View;
use meshoptimizer_rs::{Limits, Workspace, codec};
use serde::Deserialize;

use super::MESHOPT;

/// The extension object of a buffer view.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeshoptView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    byte_stride: usize,
    count: usize,
    mode: Mode,
    #[serde(default)]
    filter: Filter,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

/// The filter to apply after decompression.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Filter {
    #[default]
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

impl MeshoptView {
    /// Reads the extension object of a buffer view. Returns the extension name, with the object or the reason why the
    /// object is invalid; `None` if the buffer view is not compressed.
    pub fn from_view(view: &View) -> Option<(&'static str, Result<MeshoptView, String>)> {
        let others = &view.extensions.as_ref()?.others;
        let (name, entry) = MESHOPT
            .iter()
            .find_map(|name| Some((*name, others.get(*name)?)))?;
        Some((
            name,
            MeshoptView::deserialize(entry).map_err(|error| error.to_string()),
        ))
    }

    /// Returns the decompressed size in bytes. Returns an error if the stride is invalid for the mode and filter, or
    /// the size differs from the buffer view size.
    pub fn decompressed_size(&self, view: &View) -> Result<u64, String> {
        let MeshoptView {
            byte_stride: stride,
            count,
            mode,
            filter,
            ..
        } = *self;
        let is_valid = match (mode, filter) {
            (Mode::Attributes, Filter::None | Filter::Exponential) => {
                (4..=256).contains(&stride) && stride % 4 == 0
            }
            (Mode::Attributes, Filter::Octahedral | Filter::Color) => matches!(stride, 4 | 8),
            (Mode::Attributes, Filter::Quaternion) => stride == 8,
            (Mode::Triangles, Filter::None) => matches!(stride, 2 | 4) && count % 3 == 0,
            (Mode::Indices, Filter::None) => matches!(stride, 2 | 4),
            (Mode::Triangles | Mode::Indices, _) => false,
        };
        if !is_valid {
            return Err(format!(
                "{count} values of {stride} bytes are invalid for the mode {mode:?} and filter {filter:?}"
            ));
        }
        let size = (count as u64).checked_mul(stride as u64);
        size.filter(|size| *size == view.byte_length.0)
            .ok_or_else(|| {
                format!(
                    "{count} values of {stride} bytes, but the buffer view has {} bytes",
                    view.byte_length.0
                )
            })
    }

    /// Decompresses `bytes`, the compressed bytes of the buffer view. Returns an error if the compressed bytes are
    /// damaged.
    pub fn decompress(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        // Needs no limits, since `GltfFile::decompressed_view` has checked the decompressed size.
        let mut workspace = Workspace::new(Limits {
            max_bytes: usize::MAX,
            max_work: u64::MAX,
        });
        let (count, stride) = (self.count, self.byte_stride);
        let values = match self.mode {
            Mode::Attributes => codec::decode_vertex_buffer(count, stride, bytes, &mut workspace),
            Mode::Triangles => codec::decode_index_buffer(count, stride, bytes, &mut workspace),
            Mode::Indices => codec::decode_index_sequence(count, stride, bytes, &mut workspace),
        };
        let mut values = values.map_err(|error| error.to_string())?;
        let filter = match self.filter {
            Filter::None => return Ok(values),
            Filter::Octahedral => codec::decode_filter_oct,
            Filter::Quaternion => codec::decode_filter_quat,
            Filter::Exponential => codec::decode_filter_exp,
            Filter::Color => codec::decode_filter_color,
        };
        filter(&mut values, count, stride, &mut workspace).map_err(|error| error.to_string())?;
        Ok(values)
    }
}
