//! Packed faces: triangles and quads of 32 or 64 bits, distinguished by the two lowest bits.

use binrw::binread;
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

use super::forms::{Form, FormRow, ItemTag, WordVisitor, declare_forms, single_tag, to_words};
use super::rules;
use super::surface::Surface;

/// A list of faces in any mix of forms, up to the end of its bytes.
#[derive(Layout)]
#[br(little, import(kind: u8))]
pub struct FaceList {
    /// The faces.
    #[br(args { inner: (kind,) })]
    pub faces: Vec<FaceItem>,
}

// The face forms, with the same columns as the table of vertex forms.
declare_forms! {
    /// A face in the form that its tag selects.
    FaceItem(first: FaceTag, kind: u8);
    /// A face in any of its forms.
    PackedFace in "faces", FaceKind;
    /// A triangle of 32 bits: tag 00.
    triangle_32 "triangle_32" Triangle32(Triangle32) = 0 if(first.tag() == 0) allowed(kind <= 1);
    /// A quad of 32 bits: tag 01.
    quad_32 "quad_32" Quad32(Quad32) = 1 if(first.tag() == 1) allowed(kind == 1);
    /// A triangle of 64 bits: tag 10.
    triangle_64 "triangle_64" Triangle64(Triangle64) = 2 if(first.tag() == 2) allowed(kind != 0);
    /// A quad of 64 bits: tag 11.
    quad_64 "quad_64" Quad64(Quad64) = 3 if(first.tag() == 3) allowed(kind == 1 || kind == 3);
}

/// The first byte of any face.
#[derive(Layout)]
#[bitfield(bits = 8)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaceTag {
    /// The form: bit 0 for a quad, bit 1 for 64 bits.
    pub tag: B2,
    /// The remaining bits; their meaning depends on the form.
    #[layout(reserved)]
    pub content: B6,
}

/// A triangle of 32 bits: indices up to 1,023.
#[derive(Layout)]
#[bitfield(bits = 32)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triangle32 {
    /// Always 0.
    pub tag: B2,
    /// First vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v0: B10,
    /// Second vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v1: B10,
    /// Third vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v2: B10,
}

/// A quad of 32 bits: indices up to 127.
#[derive(Layout)]
#[bitfield(bits = 32)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quad32 {
    /// Always 1.
    pub tag: B2,
    /// First vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v0: B7,
    /// Second vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v1: B7,
    /// Third vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v2: B7,
    /// Fourth vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v3: B7,
    /// Must be 0 (B13).
    #[layout(one_of(0), rule = rules::TAG2, message = "{found}, expected 0")]
    pub tag2: B2,
}

/// A triangle of 64 bits: indices up to 1,048,575.
#[derive(Layout)]
#[bitfield(bits = 64)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triangle64 {
    /// Always 2.
    pub tag: B2,
    /// First vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v0: B20,
    /// Second vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v1: B20,
    /// Third vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v2: B20,
    /// Must be 0 (B13).
    #[layout(one_of(0), rule = rules::TAG2, message = "{found}, expected 0")]
    pub tag2: B2,
}

/// A quad of 64 bits: indices up to 32,767.
#[derive(Layout)]
#[bitfield(bits = 64)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quad64 {
    /// Always 3.
    pub tag: B2,
    /// First vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v0: B15,
    /// Second vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v1: B15,
    /// Third vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v2: B15,
    /// Fourth vertex.
    #[layout(
        index_into = n_vtx, rule = rules::INDEX_RANGE,
        message = "index {found} is not below the vertex count {limit}"
    )]
    pub v3: B15,
    /// Must be 0 (B13).
    #[layout(one_of(0), rule = rules::TAG2, message = "{found}, expected 0")]
    pub tag2: B2,
}
