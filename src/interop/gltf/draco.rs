//! `KHR_draco_mesh_compression`: compressed attributes and triangles of a primitive.

use std::collections::BTreeMap;

use ::gltf::json::mesh::Primitive;
use serde_json::Value;

use super::DRACO;
use super::file::GltfFile;
use crate::Result;

/// The decompressed attributes and triangles of a primitive.
#[derive(Default)]
pub(super) struct DecodedPrimitive {
    /// The values of accessors, by accessor index.
    pub accessor_values: BTreeMap<usize, Vec<u8>>,
    /// The vertex indices of the triangles; `None` if the primitive is not compressed.
    pub vertex_indices: Option<Vec<u32>>,
}

/// Decompresses a primitive. The result is empty for uncompressed primitives. Returns an error if the Draco mesh is
/// damaged, contradicts the accessors of the primitive, or exceeds the limits.
pub(super) fn read(file: &GltfFile, primitive: &Primitive, at: &str) -> Result<DecodedPrimitive> {
    let extensions = primitive.extensions.as_ref();
    match extensions.and_then(|extensions| extensions.others.get(DRACO)) {
        Some(entry) => decompress(file, primitive, entry, at),
        None => Ok(DecodedPrimitive::default()),
    }
}

/// In builds without the decoder, rejects a compressed primitive unless its positions are also stored uncompressed.
#[cfg(not(feature = "draco"))]
fn decompress(
    file: &GltfFile,
    primitive: &Primitive,
    _: &Value,
    at: &str,
) -> Result<DecodedPrimitive> {
    use ::gltf::json::mesh::Semantic;
    use ::gltf::json::validation::Checked;

    let positions = primitive
        .attributes
        .get(&Checked::Valid(Semantic::Positions));
    let accessor = positions.and_then(|index| file.root.accessors.get(index.value()));
    match accessor {
        Some(accessor) if accessor.buffer_view.is_none() && accessor.sparse.is_none() => {
            let message = format!("{DRACO} is unsupported: this build lacks the feature `draco`");
            Err(crate::Error::unsupported(message).at_text(at))
        }
        _ => Ok(DecodedPrimitive::default()),
    }
}

#[cfg(feature = "draco")]
use decoder::decompress;

#[cfg(feature = "draco")]
mod decoder {
    use ::gltf::json::accessor::ComponentType;
    use ::gltf::json::mesh::Mode;
    use ::gltf::json::validation::Checked;
    use draco_core::{
        DataType, DecodeLimits, DecoderBuffer, DracoError, ErrorKind, Mesh, MeshDecoder,
        PointAttribute, PointIndex,
    };
    use serde::Deserialize;

    use super::*;
    use crate::interop::gltf::accessor::component_count;
    use crate::interop::gltf::errors::malformed;
    use crate::{Error, Limit};

    /// The approximate memory, in bytes, that the decoder needs per triangle.
    const MEMORY_PER_TRIANGLE: u64 = 64;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct DracoExtension {
        buffer_view: usize,
        /// The unique id of each attribute in the Draco mesh.
        attributes: BTreeMap<String, u32>,
    }

    pub(super) fn decompress(
        file: &GltfFile,
        primitive: &Primitive,
        entry: &Value,
        at: &str,
    ) -> Result<DecodedPrimitive> {
        let reject = |message: &str| malformed(at, format!("{DRACO}: {message}"));
        let entry =
            DracoExtension::deserialize(entry).map_err(|error| reject(&error.to_string()))?;
        let Checked::Valid(Mode::Triangles | Mode::TriangleStrip) = primitive.mode else {
            return Err(reject(
                "the primitive mode is neither triangles nor triangle strip",
            ));
        };
        let (bytes, _) = file.view(entry.buffer_view)?;
        let mesh = decode(bytes, file.remaining_budget()).map_err(|error| match error.kind() {
            ErrorKind::LimitExceeded => {
                Error::limit_exceeded(Limit::Decoded, format!("{DRACO}: {}", error.message()))
                    .at_text(at)
            }
            _ => reject(error.message()),
        })?;
        file.charge_budget(mesh.num_faces() as u64 * 12, || at.to_owned())?;
        let mut accessor_values = BTreeMap::new();
        for (semantic, accessor) in &primitive.attributes {
            let Checked::Valid(semantic) = semantic else {
                continue;
            };
            let name = semantic.to_string();
            let Some(id) = entry.attributes.get(&name) else {
                continue;
            };
            let Some(attribute) = mesh.attribute_by_unique_id(*id) else {
                return Err(reject(&format!(
                    "{name} refers to the missing attribute {id}"
                )));
            };
            let points = mesh.num_points();
            let size = value_size(file, accessor.value(), attribute, points)
                .map_err(|why| reject(&why))?;
            file.charge_budget(points as u64 * size as u64, || at.to_owned())?;
            let values = point_values(attribute, points, size);
            let values =
                values.ok_or_else(|| reject(&format!("some points have no value of {name}")))?;
            accessor_values.insert(accessor.value(), values);
        }
        let vertex_indices: Vec<u32> = mesh
            .faces()
            .as_flattened()
            .iter()
            .map(|point| point.0)
            .collect();
        if let Some(corner) = vertex_indices
            .iter()
            .find(|corner| **corner as usize >= mesh.num_points())
        {
            let count = mesh.num_points();
            return Err(reject(&format!(
                "point {corner} is not below the point count {count}"
            )));
        }
        Ok(DecodedPrimitive {
            accessor_values,
            vertex_indices: Some(vertex_indices),
        })
    }

    fn decode(bytes: &[u8], budget: u64) -> Result<Mesh, DracoError> {
        let limits = DecodeLimits::default().with_max_decoded_bytes(budget);
        let limits = limits.with_max_faces(budget / MEMORY_PER_TRIANGLE);
        let mut mesh = Mesh::new();
        MeshDecoder::new().decode(
            &mut DecoderBuffer::new(bytes).with_limits(limits),
            &mut mesh,
        )?;
        Ok(mesh)
    }

    /// Returns the size of one attribute value in bytes. Returns an error if the type or count of the accessor
    /// disagrees with the attribute.
    fn value_size(
        file: &GltfFile,
        accessor: usize,
        attribute: &PointAttribute,
        points: usize,
    ) -> Result<usize, String> {
        let Some(entry) = file.root.accessors.get(accessor) else {
            let count = file.root.accessors.len();
            return Err(format!(
                "accessor {accessor} is not below the accessor count {count}"
            ));
        };
        let kind = match attribute.data_type() {
            DataType::Int8 => Some(ComponentType::I8),
            DataType::Uint8 => Some(ComponentType::U8),
            DataType::Int16 => Some(ComponentType::I16),
            DataType::Uint16 => Some(ComponentType::U16),
            DataType::Uint32 => Some(ComponentType::U32),
            DataType::Float32 => Some(ComponentType::F32),
            _ => None,
        };
        let width = usize::from(attribute.num_components());
        match (entry.component_type, entry.type_, kind) {
            (Checked::Valid(expected), Checked::Valid(ty), Some(kind))
                if (expected.0, component_count(ty), entry.count.0)
                    == (kind, Some(width), points as u64) =>
            {
                Ok(width * kind.size())
            }
            _ => Err(format!(
                "attribute {} has {points} values of {width} components of the type {:?}, which disagrees with \
                 accessors[{accessor}]",
                attribute.unique_id(),
                attribute.data_type()
            )),
        }
    }

    /// Returns the values of an attribute as bytes, in the order of the points; `None` if a point has no value.
    fn point_values(attribute: &PointAttribute, points: usize, size: usize) -> Option<Vec<u8>> {
        let bytes = attribute.buffer().data();
        if attribute.is_mapping_identity() {
            return bytes.get(..points * size).map(<[u8]>::to_vec);
        }
        let mut values = Vec::with_capacity(points * size);
        for point in 0..points {
            let index = attribute.mapped_index(PointIndex(point as u32)).0 as usize;
            values.extend_from_slice(bytes.get(index.checked_mul(size)?..)?.get(..size)?);
        }
        Some(values)
    }
}
