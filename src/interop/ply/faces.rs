//! Reads the faces of PLY files, with the texture coordinates of their corners and their images.

use super::header::{Element, NumberType};
use super::rows;
use super::source::{NumberSource, RawNumber, to_f64, to_index};
use super::split::{record_unused_vertices, set_image, split_vertices};
use crate::interop::shared::polygons::Polygons;
use crate::scene::Mesh;
use crate::{Limits, Loss, Result, Strictness};

/// The image of faces that have none.
const NO_IMAGE: u32 = u32::MAX;

/// Reads vertex index lists, and the texture coordinates and images of faces.
pub(super) struct FaceReader {
    /// The number of vertices according to the header.
    declared_vertices: u64,
    strictness: Strictness,
    /// The number of images in the header.
    image_count: u32,
    polygons: Polygons,
    /// The number of faces that were dropped because of missing vertices.
    dropped: usize,
    /// The properties of the current element.
    columns: FaceColumns,
    /// The texture coordinates of all corners; empty if the faces have none.
    uvs: Vec<[f32; 2]>,
    /// The index of the image of each face; empty if the faces have none.
    images: Vec<u32>,
    /// The numbers in the list `texcoord` of the current face.
    texcoords: Vec<f32>,
    /// The image of the current face.
    image: u32,
    /// The number of corners without texture coordinates.
    missing_uvs: usize,
    /// The number of faces whose list `texcoord` does not have two numbers per corner.
    mismatched_uvs: usize,
    /// The number of faces with an image that the header does not name.
    missing_images: usize,
}

/// The indices of the properties of an element that are converted.
#[derive(Default)]
struct FaceColumns {
    corners: Option<usize>,
    texcoords: Option<usize>,
    image: Option<usize>,
}

/// A function that reads one list, given its length type and item type.
type ReadList = fn(&mut FaceReader, &mut NumberSource, NumberType, NumberType) -> Result<()>;

impl FaceReader {
    pub fn new(declared_vertices: u64, image_count: usize, strictness: Strictness) -> FaceReader {
        FaceReader {
            declared_vertices,
            strictness,
            image_count: image_count.try_into().unwrap_or(NO_IMAGE),
            polygons: Polygons::default(),
            dropped: 0,
            columns: FaceColumns::default(),
            uvs: Vec::new(),
            images: Vec::new(),
            texcoords: Vec::new(),
            image: NO_IMAGE,
            missing_uvs: 0,
            mismatched_uvs: 0,
            missing_images: 0,
        }
    }

    /// Reads the polygons of an element, with their texture coordinates and images.
    pub fn read_polygons(
        &mut self,
        source: &mut NumberSource,
        element: &Element,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        self.columns.texcoords = element.find_list(|name| name == "texcoord");
        if self.image_count > 0 {
            self.columns.image = element.properties.iter().position(|property| {
                property.length_type.is_none() && property.name == "texnumber"
            });
        }
        self.read(source, element, FaceReader::read_polygon, losses)
    }

    /// Reads the triangle strips of an element.
    pub fn read_strips(
        &mut self,
        source: &mut NumberSource,
        element: &Element,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        self.read(source, element, FaceReader::read_strip, losses)
    }

    /// Reads the vertex index lists of an element with the function `read`.
    fn read(
        &mut self,
        source: &mut NumberSource,
        element: &Element,
        read: ReadList,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let corners = element.vertex_indices();
        self.columns.corners = corners;
        let FaceColumns {
            texcoords, image, ..
        } = self.columns;
        let converted = [corners, texcoords, image];
        for (index, property) in element.properties.iter().enumerate() {
            if !converted.contains(&Some(index)) {
                let path = format!("{}.{}", element.name, property.name);
                losses.push(Loss::dropped(path, "properties of faces are not converted"));
            }
        }
        let has_attributes = texcoords.is_some() || image.is_some();
        source.read_items(element, self.strictness, losses, |source| {
            if !has_attributes {
                return self.read_item(source, element, read);
            }
            self.texcoords.clear();
            self.image = NO_IMAGE;
            let known = self.polygons.len();
            let known_corners = self.polygons.corner_indices().len();
            self.read_item(source, element, read)?;
            if self.polygons.len() > known {
                self.add_attributes(self.polygons.corner_indices().len() - known_corners);
            }
            Ok(())
        })?;
        self.polygons.discard_face();
        // Lenient reading keeps a face whose other properties are missing at the end of the file.
        if texcoords.is_some() {
            let corners = self.polygons.corner_indices().len();
            self.missing_uvs += corners.saturating_sub(self.uvs.len());
            self.uvs.resize(corners, [0.0; 2]);
            // Some programs write empty lists for all faces.
            if self.missing_uvs == corners {
                self.missing_uvs = 0;
                self.uvs.clear();
            }
        }
        if image.is_some() {
            self.images.resize(self.polygons.len(), NO_IMAGE);
        }
        Ok(())
    }

    fn read_item(
        &mut self,
        source: &mut NumberSource,
        element: &Element,
        read: ReadList,
    ) -> Result<()> {
        let FaceColumns {
            corners,
            texcoords,
            image,
        } = self.columns;
        for (index, property) in element.properties.iter().enumerate() {
            let (index, number) = (Some(index), property.number_type);
            match property.length_type {
                Some(count) if index == corners => read(self, source, count, number)?,
                Some(count) if index == texcoords => {
                    for _ in 0..source.read_count(count)? {
                        let raw = source.read_number(number)?;
                        self.texcoords.push(to_f64(number, raw) as f32);
                    }
                }
                None if index == image => {
                    let raw = source.read_number(number)?;
                    self.set_image(to_f64(number, raw));
                }
                _ => rows::skip_property(source, property)?,
            }
        }
        Ok(())
    }

    /// Sets the image of the current face. −1 means none.
    fn set_image(&mut self, number: f64) {
        if number >= 0.0 && number < self.image_count.into() && number.fract() == 0.0 {
            self.image = number as u32;
        } else if number != -1.0 {
            self.missing_images += 1;
        }
    }

    /// Adds the texture coordinates and the image of the current face, which has `corners` corners.
    fn add_attributes(&mut self, corners: usize) {
        if self.columns.image.is_some() {
            self.images.push(self.image);
        }
        if self.columns.texcoords.is_none() {
            return;
        }
        let (uvs, rest) = self.texcoords.as_chunks::<2>();
        if uvs.len() == corners && rest.is_empty() {
            self.uvs.extend_from_slice(uvs);
            return;
        }
        // MeshLab writes empty lists for faces without texture.
        self.mismatched_uvs += usize::from(!self.texcoords.is_empty());
        self.missing_uvs += corners;
        self.uvs.extend(std::iter::repeat_n([0.0; 2], corners));
    }

    fn read_polygon(
        &mut self,
        source: &mut NumberSource,
        count: NumberType,
        item: NumberType,
    ) -> Result<()> {
        let mut is_whole = true;
        for _ in 0..source.read_count(count)? {
            let raw = source.read_number(item)?;
            match self.vertex_index(source, item, raw)? {
                Some(vertex) => self.polygons.push_corner(vertex),
                None => is_whole = false,
            }
        }
        match is_whole {
            true => self.polygons.finish_face(),
            false => {
                self.polygons.discard_face();
                self.dropped += 1;
            }
        }
        Ok(())
    }

    /// Reads strips separated by −1. Reverses every second triangle, and drops degenerate ones, which connect strips.
    fn read_strip(
        &mut self,
        source: &mut NumberSource,
        count: NumberType,
        item: NumberType,
    ) -> Result<()> {
        let mut strip: Vec<Option<u32>> = Vec::new();
        let mut triangle_count = 0;
        for _ in 0..source.read_count(count)? {
            let raw = source.read_number(item)?;
            if to_f64(item, raw) == -1.0 {
                strip.clear();
                triangle_count = 0;
                continue;
            }
            strip.push(self.vertex_index(source, item, raw)?);
            let [.., a, b, c] = *strip else { continue };
            triangle_count += 1;
            strip.remove(0);
            let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                self.dropped += 1;
                continue;
            };
            if a != b && b != c && a != c {
                let corners = if triangle_count % 2 == 1 {
                    [a, b, c]
                } else {
                    [b, a, c]
                };
                corners
                    .into_iter()
                    .for_each(|corner| self.polygons.push_corner(corner));
                self.polygons.finish_face();
            }
        }
        Ok(())
    }

    /// Converts a number to a vertex index. If the vertex is missing, returns an error or, in lenient mode, `None`.
    #[inline]
    fn vertex_index(
        &self,
        source: &NumberSource,
        number: NumberType,
        raw: RawNumber,
    ) -> Result<Option<u32>> {
        let index =
            to_index(number, raw).filter(|index| u64::from(*index) < self.declared_vertices);
        if index.is_none() && self.strictness == Strictness::Strict {
            let message = format!(
                "vertex {} is not in 0..{}",
                to_f64(number, raw),
                self.declared_vertices
            );
            return Err(source.reject(message));
        }
        Ok(index)
    }

    /// Adds the faces to `mesh`, omitting those with missing vertices, and splits it. Returns a mesh per image: one
    /// unless the faces name several of `images`.
    pub fn finish(
        mut self,
        mut mesh: Mesh,
        images: &[String],
        limits: &Limits,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<Mesh>> {
        if self.images.iter().all(|image| *image == 0) {
            self.images.clear();
        }
        let (groups, omitted) = match self.uvs.is_empty() && self.images.is_empty() {
            true => (Vec::new(), 0),
            false => split_vertices(&self.polygons, &self.uvs, &self.images, &mesh, limits)?,
        };
        if groups.is_empty() {
            let vertices = mesh.positions.len();
            if (vertices as u64) < self.declared_vertices {
                let present = |corner| Some(corner).filter(|corner| (*corner as usize) < vertices);
                self.dropped += self.polygons.map_corners(present);
            }
            self.record_losses(self.polygons.len(), losses);
            record_unused_images(images, &[0], losses);
            set_image(&mut mesh, images.first());
            mesh.faces = self.polygons.into_faces();
            return Ok(vec![mesh]);
        }
        self.dropped += omitted;
        self.record_losses(groups.iter().map(|group| group.faces.len()).sum(), losses);
        record_unused_vertices(&mesh, &groups, losses);
        let used_images: Vec<_> = groups.iter().map(|group| group.image).collect();
        record_unused_images(images, &used_images, losses);
        Ok(groups
            .into_iter()
            .map(|group| group.into_mesh(&mesh, images))
            .collect())
    }

    /// Records losses for the properties of faces. `kept` is the number of faces that are not dropped.
    fn record_losses(&self, kept: usize, losses: &mut Vec<Loss>) {
        let all = kept + self.dropped;
        let loss = Loss::dropped("face", "faces with missing vertices");
        losses.extend(loss.with_count_of(self.dropped, all, "faces").if_any());
        self.polygons.record_degenerate("face", losses);
        let message = "texture coordinates whose number does not match the corners";
        let loss = Loss::dropped("face.texcoord", message);
        losses.extend(
            loss.with_count_of(self.mismatched_uvs, all, "faces")
                .if_any(),
        );
        let message = "missing values were replaced by texture coordinates (0, 0)";
        let loss = Loss::changed("face.texcoord", message);
        losses.extend(
            loss.with_count_of(self.missing_uvs, self.uvs.len(), "corners")
                .if_any(),
        );
        let loss = Loss::dropped("face.texnumber", "references to missing images");
        let read = all + self.polygons.degenerate_count;
        losses.extend(
            loss.with_count_of(self.missing_images, read, "faces")
                .if_any(),
        );
    }
}

/// `used` are the indices of the images that faces use, in ascending order.
fn record_unused_images(images: &[String], used: &[u32], losses: &mut Vec<Loss>) {
    let unused = (0..)
        .zip(images)
        .filter(|(index, image)| used.binary_search(index).is_err() && !image.is_empty())
        .map(|(_, image)| format!("\"{image}\""));
    losses.extend(Loss::dropped("TextureFile", "images that no face uses").listing(unused));
}
