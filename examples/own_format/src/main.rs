//! A custom format for packs of meshes, and the program for it.

use std::process::ExitCode;

use binrw::io::SeekFrom;
use binrw::{BinRead, BinWrite, binrw, io::Cursor};
use meshspec::layout::{Layout, checksum::CRC32};
use meshspec::scene::{
    self, Capabilities, Conventions, Faces, FromScene, Scene, SceneConversions, SceneOptions,
    ToScene,
};
use meshspec::{BinaryFormat, Dialect, Error, ErrorKind, Formats, Loss, Result, Rule, Text};
use modular_bitfield::prelude::*;

mod rules {
    use meshspec::{Rule, Severity};

    pub static FINITE: Rule = Rule::new(
        "PACK-FINITE",
        Severity::Error,
        "Positions and unit are finite.",
    );
    pub static INDEX: Rule = Rule::new(
        "PACK-INDEX",
        Severity::Error,
        "Indices are below the vertex count.",
    );
    pub static CHECKSUM: Rule = Rule::new(
        "PACK-CHECKSUM",
        Severity::Error,
        "The checksum is that of the data.",
    );
}

/// A pack: a table of meshes.
#[derive(Layout)]
#[binrw]
#[brw(big, magic = b"PACK")]
#[br(import(dialect: u16))]
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The version, which equals the number of the dialect.
    #[br(assert(version == dialect, "this is another version"))]
    pub version: u16,
    /// Metres per unit.
    #[br(if(version > 1))]
    #[layout(finite, unit = "m", rule = rules::FINITE)]
    pub unit: Option<f32>,
    /// Number of meshes.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(meshes.len()))]
    count: u32,
    /// The meshes.
    #[br(count = count)]
    pub meshes: Vec<Mesh>,
}

/// An entry of the table, with its name and its data, which are stored at offsets.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Offset of the name.
    pub name_offset: u32,
    /// Offset of the data.
    pub data_offset: u32,
    /// Size of the data in bytes.
    pub packed_size: u32,
    /// Size of the unpacked data in bytes.
    pub size: u32,
    /// Number of vertices.
    pub vertex_count: u16,
    /// Number of triangles.
    pub triangle_count: u16,
    /// CRC-32 of the data.
    #[layout(rule = rules::CHECKSUM)]
    pub checksum: u32,
    /// The name.
    #[br(seek_before = SeekFrom::Start(name_offset as u64), restore_position)]
    #[bw(seek_before = SeekFrom::Start(u64::from(*name_offset)), restore_position)]
    pub name: Text,
    /// Vertices and triangles.
    #[br(seek_before = SeekFrom::Start(data_offset as u64), restore_position, count = packed_size)]
    #[bw(seek_before = SeekFrom::Start(u64::from(*data_offset)), restore_position)]
    #[layout(content = Data, packing = lz4, size = size, args(vertex_count, triangle_count))]
    #[layout(checksum = checksum, by = CRC32)]
    pub data: Vec<u8>,
}

/// The unpacked data of a mesh.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(vertex_count: u16, triangle_count: u16))]
pub struct Data {
    /// Positions (X, Y, Z).
    #[br(count = vertex_count)]
    #[layout(finite, rule = rules::FINITE)]
    pub positions: Vec<[f32; 3]>,
    /// Triangles.
    #[br(count = triangle_count)]
    pub triangles: Vec<Triangle>,
}

/// Three vertex indices, packed into 32 bits.
#[derive(Layout)]
#[bitfield(bits = 32)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |triangle: &Self| triangle.into_bytes())]
#[layout(outer(vertex_count))]
#[derive(Debug, Clone, Copy)]
pub struct Triangle {
    #[layout(below = vertex_count, rule = rules::INDEX)]
    pub a: B10,
    #[layout(below = vertex_count, rule = rules::INDEX)]
    pub b: B10,
    #[layout(below = vertex_count, rule = rules::INDEX)]
    pub c: B10,
    #[layout(reserved)]
    pub reserved: B2,
}

const FIRST: Dialect = Dialect::new("v1", 1);
const SECOND: Dialect = Dialect::new("v2", 2);

impl BinaryFormat for Pack {
    const NAME: &'static str = "pack";
    const EXTENSIONS: &'static [&'static str] = &["pack"];
    const RULES: &'static [&'static Rule] = &[&rules::FINITE, &rules::INDEX, &rules::CHECKSUM];
    const DIALECTS: &'static [Dialect] = &[FIRST, SECOND];
    const SCENES: Option<SceneConversions<Pack>> = Some(SceneConversions::both());

    fn dialect_of_document(&self) -> Dialect {
        if self.version > 1 { SECOND } else { FIRST }
    }
}

impl ToScene for Pack {
    const CONVENTIONS: Conventions = Conventions {
        evidence: "declared here",
        ..Conventions::GLTF
    };

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let meshes = self
            .meshes
            .iter()
            .map(|mesh| mesh.to_scene(self.unit.unwrap_or(1.0)));
        let mut scene = Scene {
            meshes: meshes.collect::<Result<_>>()?,
            ..Scene::default()
        };
        options
            .conventions
            .unwrap_or(Self::CONVENTIONS)
            .to_scene_space(&mut scene, Self::NAME);
        Ok((scene, Vec::new()))
    }
}

impl FromScene for Pack {
    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Pack, Vec<Loss>)> {
        let can = Capabilities {
            format: "pack",
            meshes: true,
            mesh_names: true,
            ..Capabilities::POSITIONS
        };
        let losses = can.restrict(
            &mut scene,
            options.conventions.unwrap_or(Self::CONVENTIONS),
            options,
        )?;
        let version = options
            .dialect
            .filter(|dialect| *dialect == SECOND)
            .unwrap_or(FIRST)
            .number()
            .into();
        // The end of the table: the header has 10 or 14 bytes, and each mesh 24 bytes.
        let mut end = 10 + if version > 1 { 4 } else { 0 } + 24 * scene.meshes.len() as u64;
        let meshes: Result<_> = scene
            .meshes
            .into_iter()
            .map(|mesh| Mesh::of_scene(mesh, &mut end))
            .collect();
        Ok((
            Pack {
                version,
                unit: (version > 1).then_some(1.0),
                meshes: meshes?,
            },
            losses,
        ))
    }
}

impl Mesh {
    fn to_scene(&self, unit: f32) -> Result<scene::Mesh> {
        let rejected = |error: &dyn std::fmt::Display| Error::new(ErrorKind::Malformed, error);
        let data = lz4_flex::block::decompress(&self.data, self.size as usize);
        let data = data.map_err(|error| rejected(&error))?;
        let counts = (self.vertex_count, self.triangle_count);
        let data =
            Data::read_args(&mut Cursor::new(data), counts).map_err(|error| rejected(&error))?;
        let corners = data
            .triangles
            .iter()
            .flat_map(|t| [t.a(), t.b(), t.c()].map(u32::from));
        Ok(scene::Mesh {
            name: self.name.to_string(),
            positions: data
                .positions
                .iter()
                .map(|position| position.map(|x| x * unit))
                .collect(),
            faces: Faces::triangles(corners.collect()),
            ..scene::Mesh::default()
        })
    }

    fn of_scene(mesh: scene::Mesh, end: &mut u64) -> Result<Mesh> {
        let too_large = |error: &dyn std::fmt::Display| Error::new(ErrorKind::Inexpressible, error);
        let corners = mesh
            .faces
            .indices
            .map(scene::Indices::into_u32)
            .unwrap_or_default();
        let count = |items: usize| u16::try_from(items).map_err(|error| too_large(&error));
        let offset = |at: u64| u32::try_from(at).map_err(|error| too_large(&error));
        let mut data = Data {
            positions: mesh.positions,
            triangles: Vec::new(),
        };
        for corners in corners.as_chunks().0 {
            let [a, b, c] = corners.map(|corner| corner.min(u16::MAX.into()) as u16);
            let word = Triangle::new()
                .with_a_checked(a)
                .and_then(|word| word.with_b_checked(b));
            let word = word.and_then(|word| word.with_c_checked(c));
            data.triangles
                .push(word.map_err(|error| too_large(&error))?);
        }
        let mut unpacked = Cursor::new(Vec::new());
        data.write(&mut unpacked)
            .map_err(|error| too_large(&error))?;
        let (size, packed) = (
            unpacked.get_ref().len() as u64,
            lz4_flex::block::compress(unpacked.get_ref()),
        );
        let (name_at, data_at) = (*end, *end + mesh.name.len() as u64 + 1);
        *end = data_at + packed.len() as u64;
        Ok(Mesh {
            name_offset: offset(name_at)?,
            data_offset: offset(data_at)?,
            packed_size: offset(packed.len() as u64)?,
            size: offset(size)?,
            vertex_count: count(data.positions.len())?,
            triangle_count: count(data.triangles.len())?,
            checksum: (CRC32.compute)(&packed, &[]) as u32,
            name: mesh.name.as_str().into(),
            data: packed,
        })
    }
}

fn main() -> Result<ExitCode> {
    Ok(meshspec_cli::run(
        &Formats::new().with::<Pack>()?,
        std::env::args_os(),
    ))
}
