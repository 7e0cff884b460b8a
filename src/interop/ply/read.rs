//! Reads PLY as a scene.

use super::faces::FaceReader;
use super::header::{self, Element, Header, NumberType, Property};
use super::names::{NORMALS, UVS};
use super::rows::{self, Rows};
use super::source::NumberSource;
use super::{CONVENTIONS, colors};
use crate::interop::references::{self, Reference};
use crate::interop::shared::colors::scaled_loss;
use crate::interop::shared::text::{locate, reject};
use crate::interop::{Files, ReadResult};
use crate::scene::limits::check_triangle_limit;
use crate::scene::{Mesh, Scene, SceneOptions};
use crate::{Limits, Loss, Quantity, Result, Strictness};

pub fn read(
    bytes: &[u8],
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> ReadResult {
    let header = header::read(bytes)?;
    let mut losses = Vec::new();
    if header.obj_info_count > 0 {
        losses.push(
            Loss::dropped("obj_info", "comments are not converted")
                .with_detail(header.obj_info_count),
        );
    }
    if let (count @ 1.., first) = &header.unknown_lines {
        let detail = format!("{count}, the first at {}", locate(bytes, first.clone()));
        losses.push(Loss::dropped("", "unknown lines of the header").with_detail(detail));
    }
    let images = resolve_images(&header.images, files, &mut losses);
    let meshes = read_meshes(
        bytes,
        &header,
        &images,
        options.strictness,
        limits,
        &mut losses,
    )?;
    let mut scene = Scene {
        meshes,
        ..Scene::default()
    };
    CONVENTIONS.finish_scene(&mut scene, options, "ply");
    Ok((scene, losses))
}

/// Reads a mesh per image. In lenient mode, items may be missing at the end, and faces with missing vertices are dropped.
fn read_meshes(
    bytes: &[u8],
    header: &Header,
    images: &[String],
    strictness: Strictness,
    limits: &Limits,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Mesh>> {
    let end = header.body;
    let find_element = |name: &str| {
        header
            .elements
            .iter()
            .position(|element| element.name == name)
    };
    let vertex = find_element("vertex");
    let vertex =
        vertex.ok_or_else(|| reject(bytes, end..end, "the header declares no element `vertex`"))?;
    let face = find_element("face");
    // Triangle strips are read only if the file declares no element `face`.
    let strips = if face.is_none() {
        find_element("tristrips")
    } else {
        None
    };
    let mut mesh = Mesh::default();
    let mut faces = FaceReader::new(header.elements[vertex].count, images.len(), strictness);
    let mut source = NumberSource::new(bytes, header);
    for (index, element) in header.elements.iter().enumerate() {
        let (needed, left) = (element.min_size(header.encoding), source.remaining());
        if needed > left && strictness == Strictness::Strict {
            let Element { name, count, .. } = element;
            let message = format!(
                "{count} items of `{name}` take {needed} bytes or more, but {left} are left"
            );
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
            require_integer_indices(bytes, element)?;
            faces.read_polygons(&mut source, element, losses)?;
        } else if Some(index) == strips {
            require_integer_indices(bytes, element)?;
            faces.read_strips(&mut source, element, losses)?;
        } else {
            let loss = Loss::dropped(element.name.clone(), "items of an unsupported element");
            losses.push(
                loss.in_category(element.category())
                    .with_count(element.count as usize, "items"),
            );
            source.read_items(element, strictness, losses, |source| {
                rows::skip_item(source, element)
            })?;
        }
    }
    let meshes = faces.finish(mesh, images, limits, losses)?;
    let loss = Loss::dropped("", "bytes after the last element");
    losses.extend(
        loss.with_count(source.remaining() as usize, "bytes")
            .if_any(),
    );
    Ok(meshes)
}

/// Returns an error if the vertex indices of faces are not integers.
fn require_integer_indices(bytes: &[u8], element: &Element) -> Result<()> {
    match element
        .vertex_indices()
        .map(|index| &element.properties[index])
    {
        Some(Property {
            name,
            number_type,
            name_range,
            ..
        }) if number_type.is_float() => {
            let message =
                format!("`{name}` is a list of {number_type}; vertex indices are integers");
            Err(reject(bytes, name_range.clone(), message))
        }
        _ => Ok(()),
    }
}

/// Converts the paths of images to paths relative to the model.
fn resolve_images(images: &[Vec<u8>], files: &dyn Files, losses: &mut Vec<Loss>) -> Vec<String> {
    let mut shortened = Vec::new();
    let names = images.iter().map(|image| {
        let Reference { name, is_absolute } = references::resolve(files, "", image);
        if is_absolute {
            shortened.push(format!("\"{}\"", String::from_utf8_lossy(image)));
        }
        name
    });
    let names = names.collect();
    let loss = Loss::renamed(
        "TextureFile",
        "only the file names of absolute image paths are kept",
    );
    losses.extend(loss.listing(shortened));
    names
}

/// Fills in the attributes of the vertices.
fn fill_attributes(mesh: &mut Mesh, mut rows: Rows, losses: &mut Vec<Loss>) -> Result<(), String> {
    let mut quantized = |path: &str, quantity: Quantity, error: f64| {
        let message = format!("{} were rounded from 64 to 32 bits", quantity.name);
        losses.extend(Loss::quantized(path, message, quantity, error).if_any());
    };
    let any_type = |_| true;
    let (path, (positions, error)) =
        if let Some(columns) = rows.take_columns(["x", "y", "z"], any_type) {
            ("vertex.x, y, z", rows.to_positions(columns))
        } else if let Some(columns) = rows.take_columns(["x", "y"], any_type) {
            mesh.flat = true;
            ("vertex.x, y", rows.to_positions(columns))
        } else {
            return Err("the element `vertex` has no properties x and y".to_owned());
        };
    (mesh.positions, mesh.exact_positions) = positions.into_parts();
    quantized(path, Quantity::POSITIONS, error);
    for names in NORMALS {
        if mesh.normals.is_none()
            && let Some(columns) = rows.take_columns(names, NumberType::is_float)
        {
            let (normals, error) = rows.to_floats(columns);
            let angle = if error > 0.0 {
                rows.rounding_angle(columns)
            } else {
                0.0
            };
            quantized(
                &format!("vertex.{}", names.join(", ")),
                Quantity::NORMALS,
                angle,
            );
            mesh.normals = Some(normals);
        }
    }
    for names in UVS {
        if let Some(columns) = rows.take_columns(names, NumberType::is_float) {
            let (uvs, error) = rows.to_floats(columns);
            quantized(
                &format!("vertex.{}, {}", names[0], names[1]),
                Quantity::TEXTURE_COORDINATES,
                error,
            );
            mesh.uvs.push(uvs);
        }
    }
    if let Some(colors) = colors::take_colors(&mut rows) {
        let path = format!("vertex.{}", colors.names.join(", "));
        quantized(&path, Quantity::COLORS, colors.error);
        if colors.are_wrapped {
            losses.push(Loss::changed(
                &*path,
                "negative components were read as unsigned integers",
            ));
        }
        let loss = Loss::changed(&*path, "negative components were clamped to 0");
        losses.extend(loss.with_count(colors.clamped_count, "numbers").if_any());
        losses.extend(
            colors
                .scaled_range
                .map(|largest| scaled_loss(path, largest)),
        );
        mesh.colors.push(colors.values);
    }
    mesh.custom = rows.unused_columns().collect();
    Ok(())
}

fn record_dropped_lists(element: &Element, losses: &mut Vec<Loss>) {
    for property in element
        .properties
        .iter()
        .filter(|property| property.length_type.is_some())
    {
        let path = format!("{}.{}", element.name, property.name);
        losses.push(Loss::dropped(
            path,
            "lists of values per vertex are not converted",
        ));
    }
}
