//! Reads PLY as a scene.

use super::CONVENTIONS;
use super::header::{self, Element, Header, NumberType, Property};
use super::rows::{self, Rows};
use super::source::{NumberSource, RawNumber, to_f64, to_index};
use crate::interop::images;
use crate::interop::shared::polygons::Polygons;
use crate::interop::shared::text::{locate, reject};
use crate::interop::{Files, ReadResult};
use crate::scene::limits::check_triangle_limit;
use crate::scene::{self, Colors, Mesh, Scene, SceneOptions, Texture};
use crate::{Limits, Loss, Quantity, Result, Strictness};

/// The property names of texture coordinates.
const UVS: [[&str; 2]; 3] = [["u", "v"], ["s", "t"], ["texture_u", "texture_v"]];

pub fn read(bytes: &[u8], _files: &dyn Files, options: &SceneOptions, limits: &Limits) -> ReadResult {
    let header = header::read(bytes)?;
    let mut losses = Vec::new();
    if header.obj_info_count > 0 {
        losses
            .push(Loss::dropped("obj_info", "comments are not converted").with_detail(header.obj_info_count));
    }
    if let (count @ 1.., first) = &header.unknown_lines {
        let detail = format!("{count}, the first at {}", locate(bytes, first.clone()));
        losses.push(Loss::dropped("", "unknown lines of the header").with_detail(detail));
    }
    let mesh = read_mesh(bytes, &header, options.strictness, limits, &mut losses)?;
    let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    CONVENTIONS.finish_scene(&mut scene, options, "ply");
    Ok((scene, losses))
}

/// Reads the mesh. In lenient mode, items may be missing at the end, and faces with missing vertices are dropped.
fn read_mesh(
    bytes: &[u8],
    header: &Header,
    strictness: Strictness,
    limits: &Limits,
    losses: &mut Vec<Loss>,
) -> Result<Mesh> {
    let end = header.body;
    let find_element = |name: &str| header.elements.iter().position(|element| element.name == name);
    let vertex = find_element("vertex");
    let vertex = vertex.ok_or_else(|| reject(bytes, end..end, "the header declares no element `vertex`"))?;
    let face = find_element("face");
    // Triangle strips are read only if the file declares no element `face`.
    let strips = if face.is_none() { find_element("tristrips") } else { None };
    let mut mesh = Mesh::default();
    let (texture, is_shortened) = images::relative_path("", &header.texture);
    if is_shortened {
        let loss = Loss::renamed("TextureFile", "only the file names of absolute image paths are kept");
        losses.push(loss.with_detail(format_args!("\"{}\"", header.texture)));
    }
    mesh.material.texture = (!texture.is_empty()).then(|| Texture::file(texture));
    let declared_vertices = header.elements[vertex].count;
    let mut faces = FaceReader { declared_vertices, strictness, dropped: 0, polygons: Polygons::default() };
    let mut source = NumberSource::new(bytes, header);
    for (index, element) in header.elements.iter().enumerate() {
        let (needed, left) = (element.min_size(header.encoding), source.remaining());
        if needed > left && strictness == Strictness::Strict {
            let Element { name, count, .. } = element;
            let message =
                format!("{count} items of `{name}` take {needed} bytes or more, but {left} are left");
            return Err(reject(bytes, element.count_range.clone(), message));
        }
        // Items without properties take no memory, so their number is not limited.
        if needed > 0 && (index == vertex || Some(index) == face) {
            check_triangle_limit(element.count, limits.max_triangles)?;
        }
        if index == vertex {
            record_dropped_lists(element, losses);
            let rows = Rows::read(&mut source, element, strictness, losses)?;
            fill_attributes(&mut mesh, rows, losses)
                .map_err(|message| reject(bytes, element.count_range.clone(), message))?;
        } else if Some(index) == face {
            faces.read(&mut source, element, FaceReader::read_polygon, losses)?;
        } else if Some(index) == strips {
            faces.read(&mut source, element, FaceReader::read_strip, losses)?;
        } else {
            let loss = Loss::dropped(element.name.clone(), "items of an unsupported element");
            losses.push(loss.in_category(element.category()).with_count(element.count as usize, "items"));
            source.read_items(element, strictness, losses, |source| rows::skip_item(source, element))?;
        }
    }
    mesh.faces = faces.finish(mesh.positions.len(), losses);
    let loss = Loss::dropped("", "bytes after the last element");
    losses.extend(loss.with_count(source.remaining() as usize, "bytes").if_any());
    Ok(mesh)
}

/// Fills in the attributes of the vertices.
fn fill_attributes(mesh: &mut Mesh, mut rows: Rows, losses: &mut Vec<Loss>) -> Result<(), String> {
    let mut quantized = |path: &str, quantity: Quantity, error: f64| {
        let message = format!("{} were rounded from 64 to 32 bits", quantity.name);
        losses.extend(Loss::quantized(path, message, quantity, error).if_any());
    };
    let any_type = |_| true;
    let (path, (positions, error)) = if let Some(columns) = rows.take_columns(["x", "y", "z"], any_type) {
        ("vertex.x, y, z", rows.to_positions(columns))
    } else if let Some(columns) = rows.take_columns(["x", "y"], any_type) {
        mesh.flat = true;
        ("vertex.x, y", rows.to_positions(columns))
    } else {
        return Err("the element `vertex` has no properties x and y".to_owned());
    };
    (mesh.positions, mesh.exact_positions) = positions.into_parts();
    quantized(path, Quantity::POSITIONS, error);
    if let Some(columns) = rows.take_columns(["nx", "ny", "nz"], NumberType::is_float) {
        let (normals, error) = rows.to_floats(columns);
        let angle = if error > 0.0 { rows.rounding_angle(columns) } else { 0.0 };
        quantized("vertex.nx, ny, nz", Quantity::NORMALS, angle);
        mesh.normals = Some(normals);
    }
    for names in UVS {
        if let Some(columns) = rows.take_columns(names, NumberType::is_float) {
            let (uvs, error) = rows.to_floats(columns);
            quantized(&format!("vertex.{}, {}", names[0], names[1]), Quantity::TEXTURE_COORDINATES, error);
            mesh.uvs.push(uvs);
        }
    }
    let (colors, error) = take_colors(&mut rows);
    quantized("vertex.red, green, blue", Quantity::COLORS, error);
    mesh.colors.extend(colors);
    mesh.custom = rows.unused_columns().collect();
    Ok(())
}

/// Returns the colours, if any, and their largest rounding error. Ignores colours that are neither bytes nor floats,
/// since other types have no established range.
fn take_colors(rows: &mut Rows) -> (Option<Colors>, f64) {
    let bytes = |number| number == NumberType::U8;
    if let Some(columns) = rows.take_columns(["red", "green", "blue", "alpha"], bytes) {
        return (Some(Colors::U8(rows.to_bytes(columns))), 0.0);
    }
    if let Some(columns) = rows.take_columns(["red", "green", "blue"], bytes) {
        let colors = rows.to_bytes(columns).into_iter().map(|[red, green, blue]| [red, green, blue, 255]);
        return (Some(Colors::U8(colors.collect())), 0.0);
    }
    if let Some(columns) = rows.take_columns(["red", "green", "blue", "alpha"], NumberType::is_float) {
        let (colors, error) = rows.to_floats(columns);
        return (Some(Colors::F32(colors)), error);
    }
    if let Some(columns) = rows.take_columns(["red", "green", "blue"], NumberType::is_float) {
        let (colors, error) = rows.to_floats(columns);
        let colors = colors.into_iter().map(|[red, green, blue]| [red, green, blue, 1.0]);
        return (Some(Colors::F32(colors.collect())), error);
    }
    (None, 0.0)
}

fn record_dropped_lists(element: &Element, losses: &mut Vec<Loss>) {
    for property in element.properties.iter().filter(|property| property.length_type.is_some()) {
        let path = format!("{}.{}", element.name, property.name);
        losses.push(Loss::dropped(path, "lists of values per vertex are not converted"));
    }
}

struct FaceReader {
    /// The number of vertices according to the header.
    declared_vertices: u64,
    strictness: Strictness,
    polygons: Polygons,
    /// The number of faces that were dropped because of missing vertices.
    dropped: usize,
}

/// A function that reads one list, given its length type and item type.
type ReadList = fn(&mut FaceReader, &mut NumberSource, NumberType, NumberType) -> Result<()>;

impl FaceReader {
    /// Reads the vertex index lists of an element with the function `read`.
    fn read(
        &mut self,
        source: &mut NumberSource,
        element: &Element,
        read: ReadList,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let is_corners = |property: &Property| {
            property.length_type.is_some() && matches!(&*property.name, "vertex_indices" | "vertex_index")
        };
        let corners = element.properties.iter().position(is_corners);
        for (index, property) in element.properties.iter().enumerate() {
            if Some(index) != corners {
                let path = format!("{}.{}", element.name, property.name);
                losses.push(Loss::dropped(path, "properties of faces are not converted"));
            }
        }
        source.read_items(element, self.strictness, losses, |source| {
            element.properties.iter().enumerate().try_for_each(|(index, property)| {
                match property.length_type {
                    Some(count) if Some(index) == corners => read(self, source, count, property.number_type),
                    _ => rows::skip_property(source, property),
                }
            })
        })?;
        self.polygons.discard_face();
        Ok(())
    }

    fn read_polygon(&mut self, source: &mut NumberSource, count: NumberType, item: NumberType) -> Result<()> {
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
    fn read_strip(&mut self, source: &mut NumberSource, count: NumberType, item: NumberType) -> Result<()> {
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
                let corners = if triangle_count % 2 == 1 { [a, b, c] } else { [b, a, c] };
                corners.into_iter().for_each(|corner| self.polygons.push_corner(corner));
                self.polygons.finish_face();
            }
        }
        Ok(())
    }

    /// Converts a number to a vertex index. If the vertex is missing, returns an error or, in lenient mode, `None`.
    #[inline]
    fn vertex_index(&self, source: &NumberSource, number: NumberType, raw: RawNumber) -> Result<Option<u32>> {
        let index = to_index(number, raw).filter(|index| u64::from(*index) < self.declared_vertices);
        if index.is_none() && self.strictness == Strictness::Strict {
            let message = format!("vertex {} is not in 0..{}", to_f64(number, raw), self.declared_vertices);
            return Err(source.reject(message));
        }
        Ok(index)
    }

    /// Returns the faces, omitting those with missing vertices. `vertices` is the number of vertices read.
    fn finish(mut self, vertices: usize, losses: &mut Vec<Loss>) -> scene::Faces {
        if (vertices as u64) < self.declared_vertices {
            let present = |corner| Some(corner).filter(|corner| (*corner as usize) < vertices);
            self.dropped += self.polygons.map_corners(present);
        }
        let loss = Loss::dropped("face", "faces with missing vertices");
        let all = self.polygons.len() + self.dropped;
        losses.extend(loss.with_count_of(self.dropped, all, "faces").if_any());
        self.polygons.record_degenerate("face", losses);
        self.polygons.into_faces()
    }
}
