//! Reads PLY as a scene.

use super::CONVENTIONS;
use super::header::{self, Element, Header, Number};
use super::rows::{self, Rows};
use super::source::{Raw, Source, to_f64, to_index};
use crate::interop::Files;
use crate::interop::images;
use crate::interop::shared::polygons::Polygons;
use crate::interop::shared::text::{place, reject};
use crate::scene::limits::require_triangles;
use crate::scene::{self, Colors, Mesh, Scene, SceneOptions, Texture};
use crate::{Limits, Loss, Quantity, Result, Strictness};

/// The names of texture coordinates.
const UVS: [[&str; 2]; 3] = [["u", "v"], ["s", "t"], ["texture_u", "texture_v"]];

pub(in crate::interop) fn read(
    bytes: &[u8],
    _files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> Result<(Scene, Vec<Loss>)> {
    let conventions = options.conventions.unwrap_or(CONVENTIONS);
    let header = header::read(bytes)?;
    let mut losses = Vec::new();
    if header.infos > 0 {
        losses.push(Loss::dropped("obj_info", "comments are not converted").detail(header.infos));
    }
    if let (count @ 1.., first) = &header.unknown {
        let detail = format!("{count}, the first at {}", place(bytes, first.clone()));
        losses.push(Loss::dropped("", "unknown lines of the header").detail(detail));
    }
    let mesh = mesh(bytes, &header, options.strictness, limits, &mut losses)?;
    let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    scene.meshes[0].uv_origin = conventions.uv_origin;
    conventions.to_scene_space(&mut scene, "ply");
    Ok((scene, losses))
}

/// Reads the mesh. Lenient mode accepts missing items at the end of the file, and drops faces of missing vertices.
fn mesh(
    bytes: &[u8],
    header: &Header,
    strictness: Strictness,
    limits: &Limits,
    losses: &mut Vec<Loss>,
) -> Result<Mesh> {
    let end = header.body;
    let vertex = header.elements.iter().position(|element| element.name == "vertex");
    let vertex = vertex.ok_or_else(|| reject(bytes, end..end, "the header declares no element `vertex`"))?;
    let named = |name: &str| header.elements.iter().position(|element| element.name == name);
    let face = named("face");
    // Falls back to strips.
    let strips = if face.is_none() { named("tristrips") } else { None };
    let mut mesh = Mesh::default();
    let (texture, is_shortened) = images::relative("", &header.texture);
    if is_shortened {
        let message = "only the file names of absolute image paths are kept";
        losses.push(Loss::renamed("TextureFile", message).detail(format_args!("\"{}\"", header.texture)));
    }
    mesh.material.texture = (!texture.is_empty()).then(|| Texture::file(texture));
    let mut faces = Faces {
        vertices: header.elements[vertex].count,
        strictness,
        missing: 0,
        polygons: Polygons::default(),
    };
    let mut source = Source::new(bytes, header);
    for (index, element) in header.elements.iter().enumerate() {
        let (needed, left) = (element.min_size(header.encoding), source.remaining());
        if needed > left && strictness == Strictness::Strict {
            let message = format!(
                "{} items of `{}` take {needed} bytes or more, but {left} are left",
                element.count, element.name
            );
            return Err(reject(bytes, element.line.clone(), message));
        }
        // Items without properties take no memory.
        if needed > 0 && (index == vertex || Some(index) == face) {
            require_triangles(element.count, limits.max_triangles)?;
        }
        if index == vertex {
            list_lists(element, losses);
            let rows = Rows::read(&mut source, element, strictness, losses)?;
            fill(&mut mesh, rows, losses).map_err(|message| reject(bytes, element.line.clone(), message))?;
        } else if Some(index) == face {
            faces.read(&mut source, element, Faces::polygon, losses)?;
        } else if Some(index) == strips {
            faces.read(&mut source, element, Faces::strip, losses)?;
        } else {
            losses.push(
                Loss::dropped(element.name.clone(), "items of an unsupported element")
                    .in_category(element.category())
                    .counting(element.count as usize, "items"),
            );
            source.items(element, strictness, losses, |source| rows::skip(source, element))?;
        }
    }
    mesh.faces = faces.finish(mesh.positions.len(), losses);
    match source.remaining() {
        0 => {}
        left => {
            losses.push(Loss::dropped("", "bytes after the last element").counting(left as usize, "bytes"))
        }
    }
    Ok(mesh)
}

/// Fills in the attributes of the vertices.
fn fill(mesh: &mut Mesh, mut rows: Rows, losses: &mut Vec<Loss>) -> Result<(), String> {
    let mut quantised = |path: &str, quantity: Quantity, error: f32| {
        if error > 0.0 {
            let message = format!("{} rounded from 64 to 32 bits", quantity.name);
            losses.push(Loss::quantised(path, message, quantity, error));
        }
    };
    let any = |_| true;
    if let Some(places) = rows.take(["x", "y", "z"], any) {
        let (positions, error) = rows.positions(places);
        (mesh.positions, mesh.exact_positions) = positions.into_parts();
        quantised("vertex.x, y, z", Quantity::POSITIONS, error);
    } else if let Some(places) = rows.take(["x", "y"], any) {
        let (positions, error) = rows.positions(places);
        (mesh.positions, mesh.exact_positions) = positions.into_parts();
        quantised("vertex.x, y", Quantity::POSITIONS, error);
        mesh.flat = true;
    } else {
        return Err("the element `vertex` has no properties x and y".to_owned());
    }
    if let Some(places) = rows.take(["nx", "ny", "nz"], Number::is_float) {
        let (normals, error) = rows.floats(places);
        let angle = if error > 0.0 { rows.rounding_angle(places) } else { 0.0 };
        quantised("vertex.nx, ny, nz", Quantity::NORMALS, angle);
        mesh.normals = Some(normals);
    }
    for names in UVS {
        if let Some(places) = rows.take(names, Number::is_float) {
            let (uvs, error) = rows.floats(places);
            let path = format!("vertex.{}, {}", names[0], names[1]);
            quantised(&path, Quantity::TEXTURE_COORDINATES, error);
            mesh.uvs.push(uvs);
        }
    }
    let (colors, error) = colors(&mut rows);
    quantised("vertex.red, green, blue", Quantity::COLORS, error);
    mesh.colors.extend(colors);
    mesh.custom = rows.others().collect();
    Ok(())
}

/// Returns colours of bytes or floats. Other types have no established range.
fn colors(rows: &mut Rows) -> (Option<Colors>, f32) {
    let bytes = |number| number == Number::U8;
    if let Some(places) = rows.take(["red", "green", "blue", "alpha"], bytes) {
        return (Some(Colors::U8(rows.bytes(places))), 0.0);
    }
    if let Some(places) = rows.take(["red", "green", "blue"], bytes) {
        let colors = rows.bytes(places).into_iter().map(|[red, green, blue]| [red, green, blue, 255]);
        return (Some(Colors::U8(colors.collect())), 0.0);
    }
    if let Some(places) = rows.take(["red", "green", "blue", "alpha"], Number::is_float) {
        let (colors, error) = rows.floats(places);
        return (Some(Colors::F32(colors)), error);
    }
    if let Some(places) = rows.take(["red", "green", "blue"], Number::is_float) {
        let (colors, error) = rows.floats(places);
        let colors = colors.into_iter().map(|[red, green, blue]| [red, green, blue, 1.0]);
        return (Some(Colors::F32(colors.collect())), error);
    }
    (None, 0.0)
}

fn list_lists(element: &Element, losses: &mut Vec<Loss>) {
    for property in element.properties.iter().filter(|property| property.list.is_some()) {
        let path = format!("{}.{}", element.name, property.name);
        losses.push(Loss::dropped(path, "lists of values per vertex are not converted"));
    }
}

/// The faces read so far.
struct Faces {
    /// The number of vertices in the header.
    vertices: u64,
    strictness: Strictness,
    polygons: Polygons,
    /// The number of dropped faces of missing vertices.
    missing: usize,
}

/// Reads one list: the types of its length and its items.
type ReadList = fn(&mut Faces, &mut Source, Number, Number) -> Result<()>;

impl Faces {
    /// Reads the lists of vertices of an element.
    fn read(
        &mut self,
        source: &mut Source,
        element: &Element,
        read: ReadList,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let is_corners = |name: &str| matches!(name, "vertex_indices" | "vertex_index");
        let corners = element
            .properties
            .iter()
            .position(|property| property.list.is_some() && is_corners(&property.name));
        for (index, property) in element.properties.iter().enumerate() {
            if Some(index) != corners {
                let path = format!("{}.{}", element.name, property.name);
                losses.push(Loss::dropped(path, "properties of faces are not converted"));
            }
        }
        source.items(element, self.strictness, losses, |source| {
            element.properties.iter().enumerate().try_for_each(|(index, property)| match property.list {
                Some(count) if Some(index) == corners => read(self, source, count, property.number),
                list => rows::skip_property(source, list, property.number),
            })
        })?;
        self.polygons.abandon();
        Ok(())
    }

    /// Reads a polygon.
    fn polygon(&mut self, source: &mut Source, count: Number, number: Number) -> Result<()> {
        let mut is_whole = true;
        for _ in 0..source.count(count)? {
            let raw = source.next(number)?;
            match self.vertex(source, number, raw)? {
                Some(vertex) => self.polygons.corner(vertex),
                None => is_whole = false,
            }
        }
        match is_whole {
            true => self.polygons.finish(),
            false => {
                self.polygons.abandon();
                self.missing += 1;
            }
        }
        Ok(())
    }

    /// Reads triangle strips separated by −1. Reverses every second triangle, and drops degenerate ones, which only
    /// connect.
    fn strip(&mut self, source: &mut Source, count: Number, number: Number) -> Result<()> {
        let mut strip: Vec<Option<u32>> = Vec::new();
        let mut place = 0;
        for _ in 0..source.count(count)? {
            let raw = source.next(number)?;
            if to_f64(number, raw) == -1.0 {
                strip.clear();
                place = 0;
                continue;
            }
            strip.push(self.vertex(source, number, raw)?);
            let [.., a, b, c] = *strip else { continue };
            place += 1;
            strip.remove(0);
            let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                self.missing += 1;
                continue;
            };
            if a != b && b != c && a != c {
                let corners = if place % 2 == 1 { [a, b, c] } else { [b, a, c] };
                corners.into_iter().for_each(|corner| self.polygons.corner(corner));
                self.polygons.finish();
            }
        }
        Ok(())
    }

    /// Returns the vertex with this index. Lenient mode returns `None` if it is missing.
    #[inline]
    fn vertex(&self, source: &Source, number: Number, raw: Raw) -> Result<Option<u32>> {
        let index = to_index(number, raw).filter(|index| u64::from(*index) < self.vertices);
        if index.is_none() && self.strictness == Strictness::Strict {
            let message = format!("vertex {} is not in 0..{}", to_f64(number, raw), self.vertices);
            return Err(source.reject(message));
        }
        Ok(index)
    }

    /// Returns the faces, without those of missing vertices. There may be fewer vertices than the header declares.
    fn finish(mut self, vertices: usize, losses: &mut Vec<Loss>) -> scene::Faces {
        if (vertices as u64) < self.vertices {
            self.missing +=
                self.polygons.renumber(|corner| Some(corner).filter(|corner| (*corner as usize) < vertices));
        }
        if self.missing > 0 {
            let loss = Loss::dropped("face", "faces of missing vertices");
            losses.push(loss.affecting(self.missing, self.polygons.len() + self.missing, "faces"));
        }
        self.polygons.list_degenerate("face", losses);
        self.polygons.into_faces()
    }
}
