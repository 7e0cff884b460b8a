//! Merges and splits documents.

use super::super::schema::{Descriptor, IndexFormat, MeshInfo, Usage, VertexFormat};
use super::{Attribute, Document, IndexBuffer, count_to_u32, inexpressible, missing_mesh};
use crate::{Loss, Path, Result, path};

/// Returns whether the meshes are indexed, and the sorted usages and formats of the vertex buffers.
fn compatibility_key(document: &Document) -> (bool, Vec<(&Usage, VertexFormat)>) {
    let mut attributes: Vec<_> = document
        .attributes
        .iter()
        .map(|a| (&a.usage, a.format))
        .collect();
    attributes.sort_by_key(|(usage, format)| (usage.name(), *format as u8));
    (document.indices.is_some(), attributes)
}

/// Merges documents into one document with all their meshes, in order. Also returns the losses. Without documents,
/// returns an empty document.
///
/// The documents must have vertex buffers of the same usages and formats, in any order, and all or none must be
/// indexed. The first document determines the dialect, the buffer order and whether there is a data checksum. If any
/// indices are 32-bit, all become 32-bit, except in the reference dialect if they fit in 16 bits. Keeps only the first
/// non-empty user data.
///
/// ```
/// use meshspec::iyma::{Document, compression_levels, merge};
/// use meshspec::{Format, WriteOptions};
///
/// let quads = Document::read(&std::fs::read("samples/iyma/quads.ima")?, &Default::default())?;
/// let (merged, losses) = merge(&[quads.clone(), quads.clone()])?;
/// assert_eq!((merged.meshes.len(), losses.len()), (2 * quads.meshes.len(), 0));
/// let smallest = WriteOptions::default().with_compression_level(*compression_levels().end());
/// let bytes = merged.write(&smallest)?;
/// # assert_eq!(Document::read(&bytes, &Default::default())?, merged);
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if the documents are incompatible, a buffer has the wrong size, or a count exceeds 32 bits.
pub fn merge(documents: &[Document]) -> Result<(Document, Vec<Loss>)> {
    let Some((first, others)) = documents.split_first() else {
        return Ok((Document::default(), Vec::new()));
    };
    for (index, document) in documents.iter().enumerate() {
        // Rejects a buffer of the wrong size, which would shift all data after it.
        document
            .descriptor()
            .map_err(|error| error.within(path!(documents[index])))?;
        if compatibility_key(document) != compatibility_key(first) {
            return Err(inexpressible(
                difference_message(first, document),
                path!(documents[index]),
            ));
        }
    }
    let data_checksum = first.data_checksum.recomputed();
    let mut merged = Document {
        metadata_checksum: None,
        data_checksum,
        ..first.clone()
    };
    let mut losses = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        if merged.user_data.is_empty() {
            merged.user_data = document.user_data.clone();
        } else if !document.user_data.is_empty() && document.user_data != merged.user_data {
            let message = "IyMA stores one block of user data per file; only the first was kept";
            let loss = Loss::dropped(format!("documents[{index}].user_data"), message);
            losses.push(loss.with_count(document.user_data.len(), "bytes"));
        }
    }
    if others.is_empty() {
        return Ok((merged, losses));
    }
    merged.meshes = merged_meshes(documents)?;
    merged.n_vertices = checked_sum(
        documents.iter().map(|document| document.n_vertices),
        path!(n_vertices),
    )?;
    merged.indices = merged_indices(documents);
    merged.narrow_indices();
    for (position, attribute) in merged.attributes.iter_mut().enumerate() {
        let buffers = documents
            .iter()
            .filter_map(|document| matching_attribute(first, position, document));
        attribute.data = buffers
            .flat_map(|buffer| buffer.data.iter().copied())
            .collect::<Vec<_>>()
            .into();
    }
    Ok((merged, losses))
}

/// Returns the message for a document that is not compatible with the first one.
fn difference_message(first: &Document, document: &Document) -> String {
    let describe = |document: &Document| {
        let attributes = document.attributes.iter();
        let attributes = attributes.map(|a| format!("{} {}", a.usage.name(), a.format.name()));
        let indices = if document.indices.is_some() {
            "with indices"
        } else {
            "without indices"
        };
        format!("{indices}: {}", attributes.collect::<Vec<_>>().join(", "))
    };
    format!(
        "not compatible: {}; the first file is {}",
        describe(document),
        describe(first)
    )
}

fn merged_meshes(documents: &[Document]) -> Result<Vec<MeshInfo>> {
    let (mut indices, mut vertices) = (0, 0);
    let mut meshes = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        for (index, mesh) in document.meshes.iter().enumerate() {
            let path = path!(documents[number].meshes[index]);
            meshes.push(MeshInfo {
                first_index: checked_sum([indices, mesh.first_index], path)?,
                first_vertex: checked_sum([vertices, mesh.first_vertex], path)?,
                ..*mesh
            });
        }
        let own = count_to_u32(
            document.indices.as_ref().map_or(0, IndexBuffer::len),
            path!(indices),
        )?;
        indices = checked_sum([indices, own], path!(indices))?;
        vertices = checked_sum([vertices, document.n_vertices], path!(n_vertices))?;
    }
    Ok(meshes)
}

/// Adds counts; returns an error if the sum exceeds 32 bits.
fn checked_sum(counts: impl IntoIterator<Item = u32>, path: impl Into<Path>) -> Result<u32> {
    let total: u64 = counts.into_iter().map(u64::from).sum();
    let message = || format!("found {total}, but IyMA allows at most {}", u32::MAX);
    u32::try_from(total).map_err(|_| inexpressible(message(), path))
}

/// Concatenates the indices in the widest format; `None` without index buffers. Values remain relative to their mesh.
fn merged_indices(documents: &[Document]) -> Option<IndexBuffer> {
    let buffers: Vec<_> = documents
        .iter()
        .filter_map(|document| document.indices.as_ref())
        .collect();
    let is_wide = buffers
        .iter()
        .any(|indices| indices.format == IndexFormat::U32);
    let format = if is_wide {
        IndexFormat::U32
    } else {
        IndexFormat::U16
    };
    let count: usize = buffers.iter().map(|indices| indices.len()).sum();
    let mut data = Vec::with_capacity(count * format.size());
    for indices in &buffers {
        data.extend_from_slice(&if is_wide {
            indices.to_u32().data
        } else {
            indices.data.clone()
        });
    }
    (!buffers.is_empty()).then(|| IndexBuffer {
        format,
        data: data.into(),
    })
}

/// Returns the attribute of `other` with the usage and format of `first.attributes[position]`; `None` if there is none.
/// Attributes with equal usage and format are matched in order.
fn matching_attribute<'d>(
    first: &Document,
    position: usize,
    other: &'d Document,
) -> Option<&'d Attribute> {
    let Attribute { usage, format, .. } = &first.attributes[position];
    let is_same = |other: &&Attribute| other.usage == *usage && other.format == *format;
    let n = first.attributes[..position].iter().filter(is_same).count();
    other.attributes.iter().filter(is_same).nth(n)
}

/// Narrows a descriptor to the mesh at `index`. Does nothing if there is no such mesh.
pub(in super::super) fn narrow_to_mesh(descriptor: &mut Descriptor, index: usize) {
    let Some(&MeshInfo {
        index_count,
        vertex_count,
        ..
    }) = descriptor.meshes.get(index)
    else {
        return;
    };
    descriptor.meshes = vec![MeshInfo {
        index_count,
        vertex_count,
        ..MeshInfo::default()
    }];
    descriptor.n_vertices = vertex_count;
    if let Some(indices) = &mut descriptor.indices {
        indices.n_indices = index_count;
    }
}

impl Document {
    /// Returns a document with the mesh at `index` and the user data. The buffers share memory with this document.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such mesh, or its range exceeds the buffers.
    pub fn mesh(&self, index: usize) -> Result<Document> {
        let Some(mesh) = self.meshes.get(index).copied() else {
            return Err(missing_mesh(index, self.meshes.len()));
        };
        let MeshInfo {
            index_count,
            vertex_count,
            ..
        } = mesh;
        let range_error =
            || inexpressible("the mesh range exceeds its buffers", path!(meshes[index]));
        let indices = self
            .indices
            .as_ref()
            .map(|indices| indices.slice_mesh(&mesh).ok_or_else(range_error));
        let attributes = self
            .attributes
            .iter()
            .map(|a| a.slice_mesh(&mesh).ok_or_else(range_error));
        Ok(Document {
            n_vertices: vertex_count,
            meshes: vec![MeshInfo {
                index_count,
                vertex_count,
                ..MeshInfo::default()
            }],
            indices: indices.transpose()?,
            attributes: attributes.collect::<Result<_>>()?,
            metadata_checksum: None,
            data_checksum: self.data_checksum.recomputed(),
            ..self.clone()
        })
    }

    /// Splits the document into one document per mesh. Also returns the losses: data that no mesh uses and, if there
    /// are no meshes, the user data.
    ///
    /// # Errors
    ///
    /// Returns an error if the range of a mesh exceeds the buffers.
    pub fn split(&self) -> Result<(Vec<Document>, Vec<Loss>)> {
        let meshes = (0..self.meshes.len())
            .map(|index| self.mesh(index))
            .collect::<Result<_>>()?;
        let mut losses: Vec<_> = unused_losses(self, "attributes")
            .into_iter()
            .rev()
            .flatten()
            .collect();
        if self.meshes.is_empty() && !self.user_data.is_empty() {
            losses.push(Loss::dropped(
                "user_data",
                "the file has no meshes; user data was dropped",
            ));
        }
        Ok((meshes, losses))
    }
}

/// Returns the losses for unused vertices, reported at `path`, and for unused indices.
pub(in super::super) fn unused_losses(document: &Document, path: &str) -> [Option<Loss>; 2] {
    let vertices = document
        .meshes
        .iter()
        .map(|mesh| (mesh.first_vertex, mesh.vertex_count));
    let vertices = count_unused(document.n_vertices.into(), vertices);
    let indices = document
        .meshes
        .iter()
        .map(|mesh| (mesh.first_index, mesh.index_count));
    let indices = count_unused(
        document.indices.as_ref().map_or(0, IndexBuffer::len) as u64,
        indices,
    );
    [
        (path, vertices, "vertices"),
        ("indices", indices, "indices"),
    ]
    .map(|(path, count, items)| {
        let loss = Loss::dropped(path, format!("{items} that no mesh uses"));
        (count > 0).then(|| loss.with_count(count as usize, items))
    })
}

/// Counts the items of `total` that are in no range. A range is the first item and the number of items.
fn count_unused(total: u64, ranges: impl Iterator<Item = (u32, u32)>) -> u64 {
    let mut ranges: Vec<(u64, u64)> = ranges
        .map(|(first, count)| (first.into(), count.into()))
        .collect();
    ranges.sort_unstable();
    let (mut covered, mut end) = (0, 0);
    for (start, count) in ranges {
        covered += (start + count).saturating_sub(start.max(end));
        end = end.max(start + count);
    }
    total.saturating_sub(covered)
}
