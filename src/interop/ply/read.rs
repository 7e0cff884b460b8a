//! PLY to scenes.

use super::CONVENTIONS;
use super::header::{self, Element, Header, Number};
use super::rows::{self, Rows};
use super::source::{Raw, Source, to_f64, to_index};
use crate::interop::Files;
use crate::interop::polygons::Polygons;
use crate::interop::text::{place, refuse};
use crate::scene::{Colors, Mesh, Scene, SceneOptions};
use crate::{Limits, Loss, Result};

/// The names that texture coordinates have.
const UVS: [[&str; 2]; 3] = [["u", "v"], ["s", "t"], ["texture_u", "texture_v"]];

pub(in crate::interop) fn read(
    bytes: &[u8],
    _files: &dyn Files,
    options: &SceneOptions,
    _limits: &Limits,
) -> Result<(Scene, Vec<Loss>)> {
    let conventions = options.conventions.unwrap_or(CONVENTIONS);
    let header = header::read(bytes)?;
    let mut losses = Vec::new();
    if header.infos > 0 {
        losses.push(Loss::dropped("obj_info", "scenes have no comments").detail(header.infos));
    }
    if let (count @ 1.., first) = &header.unknown {
        let detail = format!("{count}, the first at {}", place(bytes, first.clone()));
        losses.push(Loss::dropped("", "unknown lines of the header").detail(detail));
    }
    let mut scene = Scene { meshes: vec![mesh(bytes, &header, &mut losses)?], ..Scene::default() };
    scene.meshes[0].uv_origin = conventions.uv_origin;
    conventions.to_scene_space(&mut scene, "ply");
    Ok((scene, losses))
}

fn mesh(bytes: &[u8], header: &Header, losses: &mut Vec<Loss>) -> Result<Mesh> {
    let end = header.body;
    let vertex = header.elements.iter().position(|element| element.name == "vertex");
    let vertex = vertex.ok_or_else(|| refuse(bytes, end..end, "the header declares no element `vertex`"))?;
    let named = |name: &str| header.elements.iter().position(|element| element.name == name);
    let face = named("face");
    // Strips stand in for faces.
    let strips = if face.is_none() { named("tristrips") } else { None };
    let vertices = header.elements[vertex].count;
    let mut mesh = Mesh::default();
    mesh.material.name.clone_from(&header.texture);
    let mut polygons = Polygons::default();
    let mut source = Source::new(bytes, header);
    for (index, element) in header.elements.iter().enumerate() {
        let (needed, left) = (element.min_size(header.encoding), source.remaining());
        if needed > left {
            let message = format!(
                "{} items of `{}` take {needed} bytes or more, but {left} are left",
                element.count, element.name
            );
            return Err(refuse(bytes, element.line.clone(), message));
        }
        if index == vertex {
            list_lists(element, losses);
            let rows = Rows::read(&mut source, element)?;
            fill(&mut mesh, rows, losses).map_err(|message| refuse(bytes, element.line.clone(), message))?;
        } else if Some(index) == face {
            polygons = faces(&mut source, element, vertices, face_of, losses)?;
        } else if Some(index) == strips {
            polygons = faces(&mut source, element, vertices, strip_of, losses)?;
        } else {
            losses.push(Loss::dropped(element.name.clone(), "unsupported element").detail(element.count));
            rows::skip(&mut source, element)?;
        }
    }
    polygons.list_degenerate("face", losses);
    mesh.faces = polygons.into_faces();
    match source.remaining() {
        0 => {}
        left => losses.push(Loss::dropped("", "bytes after the last element").detail(left)),
    }
    Ok(mesh)
}

/// The attributes of the vertices.
fn fill(mesh: &mut Mesh, mut rows: Rows, losses: &mut Vec<Loss>) -> Result<(), String> {
    let mut quantised = |path: &str, error: f32| {
        if error > 0.0 {
            losses.push(Loss::quantised(path, "64-bit floats rounded to 32 bits", error));
        }
    };
    let any = |_| true;
    if let Some(places) = rows.take(["x", "y", "z"], any) {
        let (positions, error) = rows.floats(places);
        quantised("vertex.x, y, z", error);
        mesh.positions = positions;
    } else if let Some(places) = rows.take(["x", "y"], any) {
        let (positions, error) = rows.floats(places);
        quantised("vertex.x, y", error);
        mesh.positions = positions.into_iter().map(|[x, y]| [x, y, 0.0]).collect();
        mesh.flat = true;
    } else {
        return Err("the element `vertex` has no properties x and y".to_owned());
    }
    if let Some(places) = rows.take(["nx", "ny", "nz"], Number::is_float) {
        let (normals, error) = rows.floats(places);
        quantised("vertex.nx, ny, nz", error);
        mesh.normals = Some(normals);
    }
    for names in UVS {
        if let Some(places) = rows.take(names, Number::is_float) {
            let (uvs, error) = rows.floats(places);
            quantised(&format!("vertex.{}, {}", names[0], names[1]), error);
            mesh.uvs.push(uvs);
        }
    }
    let (colors, error) = colors(&mut rows);
    quantised("vertex.red, green, blue", error);
    mesh.colors.extend(colors);
    mesh.custom = rows.others().collect();
    Ok(())
}

/// Colours in bytes or floats. Numbers of other types are no colours that one could be sure of.
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
        losses.push(Loss::dropped(path, "vertices of scenes have no lists"));
    }
}

/// The lists of vertices.
fn faces(
    source: &mut Source,
    element: &Element,
    vertices: u64,
    read: ReadList,
    losses: &mut Vec<Loss>,
) -> Result<Polygons> {
    let is_corners = |name: &str| matches!(name, "vertex_indices" | "vertex_index");
    let corners =
        element.properties.iter().position(|property| property.list.is_some() && is_corners(&property.name));
    for (index, property) in element.properties.iter().enumerate() {
        if Some(index) != corners {
            let path = format!("{}.{}", element.name, property.name);
            losses.push(Loss::dropped(path, "faces of scenes have corners only"));
        }
    }
    let mut polygons = Polygons::default();
    for _ in 0..element.items() {
        source.item(element, |source| {
            element.properties.iter().enumerate().try_for_each(|(index, property)| match property.list {
                Some(count) if Some(index) == corners => {
                    read(source, count, property.number, vertices, &mut polygons)
                }
                list => rows::skip_property(source, list, property.number),
            })
        })?;
    }
    Ok(polygons)
}

/// Reads one list: the types of its length and its items, and how many vertices there are.
type ReadList = fn(&mut Source, Number, Number, u64, &mut Polygons) -> Result<()>;

/// One list of vertices.
fn face_of(
    source: &mut Source,
    count: Number,
    number: Number,
    vertices: u64,
    polygons: &mut Polygons,
) -> Result<()> {
    for _ in 0..source.count(count)? {
        polygons.corner(vertex(source, number, vertices)?);
    }
    polygons.finish();
    Ok(())
}

/// Strips of triangles, one after the other with a −1 between them. Every second triangle is the other way round; those
/// that only connect have no area.
fn strip_of(
    source: &mut Source,
    count: Number,
    number: Number,
    vertices: u64,
    polygons: &mut Polygons,
) -> Result<()> {
    let mut strip: Vec<u32> = Vec::new();
    let mut place = 0;
    for _ in 0..source.count(count)? {
        let raw = source.next(number)?;
        if to_f64(number, raw) == -1.0 {
            strip.clear();
            place = 0;
            continue;
        }
        strip.push(in_range(source, number, raw, vertices)?);
        let [.., a, b, c] = *strip else { continue };
        let corners = if place % 2 == 0 { [a, b, c] } else { [b, a, c] };
        place += 1;
        if a != b && b != c && a != c {
            corners.into_iter().for_each(|corner| polygons.corner(corner));
            polygons.finish();
        }
        strip.remove(0);
    }
    Ok(())
}

fn vertex(source: &mut Source, number: Number, vertices: u64) -> Result<u32> {
    let raw = source.next(number)?;
    in_range(source, number, raw, vertices)
}

#[inline]
fn in_range(source: &Source, number: Number, raw: Raw, vertices: u64) -> Result<u32> {
    let index = to_index(number, raw).filter(|index| u64::from(*index) < vertices);
    index.ok_or_else(|| source.refuse(format!("vertex {}, but there are {vertices}", to_f64(number, raw))))
}
