//! BMD samples with all forms of vertices and faces. Vertices of different forms have nearly equal values.

use meshspec::bmd::schema::{
    FineSt, FineVertex96, FlatVertex64, Normal, Quad32, Quad64, ScaledSt, ScaledVertex96,
    TexturedVertex64, Triangle32, Triangle64, Vertex128, WideSt,
};
use meshspec::bmd::{Document, Faces, LodDef, Mesh, PackedFace, PackedVertex, Vertices};
use meshspec::{Result, Text, bmd};

use crate::packed_position;

/// Returns a document with a textured and a flat mesh, which contain all defined forms.
pub fn all_forms() -> Result<Document> {
    let forms = |narrow: fn(u32) -> PackedVertex| {
        let middle = [0xF8, 0xF9, 0xFA, 0xFB]
            .into_iter()
            .zip(2..)
            .map(|(tag, index)| vertex_96(index, tag));
        [narrow(0), narrow(1)]
            .into_iter()
            .chain(middle)
            .chain([vertex_128(6), vertex_128(7)])
    };
    document(vec![
        mesh("stone", forms(textured_vertex))?,
        mesh("#80FF00", forms(flat_vertex))?,
    ])
}

/// Returns a document whose vertices have the undefined tags F0 to F7.
pub fn undefined_forms() -> Result<Document> {
    document(vec![mesh(
        "stone",
        (0xF0..=0xF7)
            .zip(0..)
            .map(|(tag, index)| vertex_96(index, tag)),
    )?])
}

fn document(meshes: Vec<Mesh>) -> Result<Document> {
    let lod = LodDef {
        id_mesh: 0,
        n_mesh: meshes.len() as u8,
        ld_sc: bmd::F8A::ONE,
        ..LodDef::default()
    };
    Ok(Document {
        meshes,
        lods: vec![lod],
        ..Default::default()
    })
}

/// Returns a mesh with eight vertices, and two faces of each form.
fn mesh(material: &str, vertices: impl Iterator<Item = PackedVertex>) -> Result<Mesh> {
    let mut list = Vertices::default();
    vertices
        .into_iter()
        .try_for_each(|vertex| list.push(vertex))?;
    let mut faces = Faces::default();
    for first in [0u16, 4] {
        let [a, b, c, d] = [first, first + 1, first + 2, first + 3];
        faces.push(PackedFace::Triangle32(
            Triangle32::new().with_v0(a).with_v1(b).with_v2(c),
        ))?;
        let [e, f, g, h] = [a, b, c, d].map(|vertex| vertex as u8);
        faces.push(PackedFace::Quad32(
            Quad32::new()
                .with_tag(1)
                .with_v0(e)
                .with_v1(f)
                .with_v2(g)
                .with_v3(h),
        ))?;
        let [i, j, k] = [b, c, d].map(u32::from);
        faces.push(PackedFace::Triangle64(
            Triangle64::new()
                .with_tag(2)
                .with_v0(i)
                .with_v1(j)
                .with_v2(k),
        ))?;
        faces.push(PackedFace::Quad64(
            Quad64::new()
                .with_tag(3)
                .with_v0(a)
                .with_v1(b)
                .with_v2(c)
                .with_v3(d),
        ))?;
    }
    Ok(Mesh::new(Some(Text::from(material)), list, faces))
}

/// Returns the position of a vertex: the corners of two stacked squares in turn.
fn position(index: u32) -> bmd::Triple {
    let [x, y] = [[0, 0], [128, 0], [128, 128], [0, 128]][index as usize % 4];
    packed_position([x, y, 128 * (index / 4)])
}

/// Returns the upward normal.
fn normal() -> Normal {
    Normal::from_bytes([0, 0, 0x70])
}

/// Returns texture coordinates with the fraction 1024 for S (half of its range) and 2047 for T (the maximum).
fn scaled_st(exponent: u8) -> ScaledSt {
    ScaledSt::new()
        .with_frac_s(1024)
        .with_frac_t(2047)
        .with_exponent(exponent)
}

fn textured_vertex(index: u32) -> PackedVertex {
    let st = scaled_st(index as u8 % 4);
    PackedVertex::Textured64(
        TexturedVertex64::new()
            .with_position(position(index))
            .with_st(st),
    )
}

fn flat_vertex(index: u32) -> PackedVertex {
    PackedVertex::Flat64(
        FlatVertex64::new()
            .with_position(position(index))
            .with_normal(normal()),
    )
}

/// Returns a 96-bit vertex. Even tags have fine texture coordinates, odd tags an exponent.
fn vertex_96(index: u32, tag: u8) -> PackedVertex {
    // A colour for the tags F8 and F9, otherwise bone 0.
    let color_or_bone = if matches!(tag, 0xF8 | 0xF9) { 0x3f } else { 0 };
    if tag.is_multiple_of(2) {
        PackedVertex::Fine96(
            FineVertex96::new()
                .with_position(position(index))
                .with_st(FineSt::new().with_frac_s(2048).with_frac_t(4095))
                .with_tag(tag)
                .with_normal(normal())
                .with_color_or_bone(color_or_bone),
        )
    } else {
        PackedVertex::Scaled96(
            ScaledVertex96::new()
                .with_position(position(index))
                .with_st(scaled_st(0))
                .with_tag(tag)
                .with_normal(normal())
                .with_color_or_bone(color_or_bone),
        )
    }
}

/// Returns a 128-bit vertex with 0.25, 0.5 and 1.0 as binary16.
fn vertex_128(index: u32) -> PackedVertex {
    PackedVertex::Vertex128(
        Vertex128::new()
            .with_org_x(0x3400)
            .with_org_y(if index.is_multiple_of(2) {
                0x3400
            } else {
                0x3800
            })
            .with_org_z(0x3c00)
            .with_color(0x3f)
            .with_tag(0xFD)
            .with_st(
                WideSt::new()
                    .with_frac_s(10_240)
                    .with_frac_t(12_288)
                    .with_exponent(index as u8 % 3),
            )
            .with_normal(normal()),
    )
}
