//! Writes an image in the canonical layout, that of the newest files of the format's author (B15): strings from 0x40
//! on, levels of detail, meshes, vertices and faces, bones, animations, keys.

use std::io::Cursor;

use binrw::BinWrite;

use super::super::document::{Animation, Bone, Document, Mesh, Transform, are_keys};
use super::super::schema::{AnimDef, BoneDef, BoneEntry, Header, MeshDef, PSEUDO_BONE};
use crate::bulk::{self, Bulk};
use crate::{Error, Path, Result, Text, path};

/// Where the strings start.
const STRINGS: usize = 0x40;

/// What lists are aligned to.
const ALIGNMENT: usize = 16;

/// Bytes after a list of vertices or faces that loaders may read past the end into.
const SLACK: usize = 8;

/// Encodes the document, checking nothing but that it can be expressed.
pub fn write(document: &Document) -> Result<Vec<u8>> {
    let mut image = Output { bytes: vec![0; STRINGS] };
    let strings = Strings::place(document, &mut image)?;
    let mut header = Header {
        resv1: document.reserved[0],
        resv2: document.reserved[1],
        resv3: document.reserved[2],
        ..Header::default()
    };

    image.align(4);
    (header.ofs_lods, header.sz_lods) = image.list(4 * document.lods.len())?;
    for lod in &document.lods {
        image.put(lod)?;
    }

    image.align(ALIGNMENT);
    let mut at = image.bytes.len();
    (header.ofs_meshes, header.sz_meshes) = image.list(32 * document.meshes.len())?;
    image.bytes.resize(at + 32 * document.meshes.len(), 0);
    for (index, mesh) in document.meshes.iter().enumerate() {
        let def = write_mesh(mesh, index, &strings, &mut image)?;
        image.put_at(at, &def)?;
        at += 32;
    }

    image.align(ALIGNMENT);
    if document.bones.len() > 255 {
        let message = format!("{} bones, expected at most 255", document.bones.len());
        return Err(Error::inexpressible(message).at(path!(bones)));
    }
    (header.ofs_bones, header.sz_bones) = image.list(16 * document.bones.len())?;
    for (index, bone) in document.bones.iter().enumerate() {
        image.put(&bone_def(bone, strings.bones[index], index)?)?;
    }

    image.align(ALIGNMENT);
    let mut at = image.bytes.len();
    (header.ofs_anims, header.sz_anims) = image.list(16 * document.animations.len())?;
    image.bytes.resize(at + 16 * document.animations.len(), 0);
    let bones = document.normal_bones().len();
    for (index, animation) in document.animations.iter().enumerate() {
        let def = write_animation(animation, index, strings.animations[index], bones, &mut image)?;
        image.put_at(at, &def)?;
        at += 16;
    }

    image.put_at(0, &header)?;
    Ok(image.bytes)
}

fn count<N: TryFrom<usize>>(items: usize, path: impl Into<Path>) -> Result<N> {
    N::try_from(items).map_err(|_| {
        let max = (1u64 << (8 * size_of::<N>())) - 1;
        Error::inexpressible(format!("{items}, expected at most {max}")).at(path)
    })
}

/// The image as far as it is written.
struct Output {
    bytes: Vec<u8>,
}

impl Output {
    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    /// Offset and size of a list of so many bytes that starts here; zeros for an empty one.
    fn list(&self, size: usize) -> Result<(u32, u32)> {
        if size == 0 {
            return Ok((0, 0));
        }
        Ok((self.offset()?, count(size, Path::default())?))
    }

    /// The offset of what is written next.
    fn offset(&self) -> Result<u32> {
        count(self.bytes.len(), Path::default())
    }

    fn put(&mut self, value: &impl for<'a> BinWrite<Args<'a> = ()>) -> Result<()> {
        self.put_at(self.bytes.len(), value)
    }

    fn put_at(&mut self, at: usize, value: &impl for<'a> BinWrite<Args<'a> = ()>) -> Result<()> {
        let mut cursor = Cursor::new(&mut self.bytes);
        cursor.set_position(at as u64);
        value.write_le(&mut cursor).map_err(|error| Error::inexpressible(error.to_string()))
    }

    /// A list of vertices or faces; returns its offset and size.
    fn put_words(&mut self, words: &[u32]) -> Result<(u32, u32)> {
        self.align(ALIGNMENT);
        let bytes = bulk::as_bytes(words);
        let place = self.list(bytes.len())?;
        self.bytes.extend_from_slice(&bytes);
        self.bytes.resize(self.bytes.len() + SLACK, 0);
        Ok(place)
    }
}

/// Offsets of the strings, each written once; 0 for none.
struct Strings {
    meshes: Vec<u32>,
    bones: Vec<u32>,
    animations: Vec<u32>,
}

impl Strings {
    fn place(document: &Document, image: &mut Output) -> Result<Strings> {
        let mut known = std::collections::HashMap::new();
        let mut place = |name: &Option<Text>, list: &'static str, index: usize, field: &'static str| {
            let Some(name) = name else { return Ok(0) };
            if name.as_bytes().contains(&0) {
                let path = path!((list)[index].(field));
                return Err(Error::inexpressible("the string contains a NUL").at(path));
            }
            if let Some(offset) = known.get(name) {
                return Ok(*offset);
            }
            let offset = image.offset()?;
            image.bytes.extend_from_slice(name.as_bytes());
            image.bytes.push(0);
            known.insert(name.clone(), offset);
            Ok(offset)
        };
        let meshes = document.meshes.iter().enumerate();
        let meshes =
            meshes.map(|(i, mesh)| place(&mesh.material, "meshes", i, "material")).collect::<Result<_>>()?;
        let bones = document.bones.iter().enumerate();
        let bones = bones.map(|(i, bone)| place(&bone.name, "bones", i, "name")).collect::<Result<_>>()?;
        let animations = document.animations.iter().enumerate();
        let animations =
            animations.map(|(i, a)| place(&a.name, "animations", i, "name")).collect::<Result<_>>()?;
        Ok(Strings { meshes, bones, animations })
    }
}

fn write_mesh(mesh: &Mesh, index: usize, strings: &Strings, image: &mut Output) -> Result<MeshDef<'static>> {
    let (ofs_vtx, sz_vtx) = image.put_words(mesh.vertices.words())?;
    let (ofs_tris, sz_tris) = image.put_words(mesh.faces.words())?;
    Ok(MeshDef {
        ofs_vtx,
        ofs_tris,
        ofs_mat: strings.meshes[index],
        n_vtx: count(mesh.vertices.len(), path!(meshes[index].vertices))?,
        n_tris: match mesh.n_tris {
            Some(stated) => stated,
            None => count(mesh.triangle_count(), path!(meshes[index].faces))?,
        },
        sz_vtx,
        sz_tris,
        flags: mesh.flags,
        resv3: mesh.resv3,
        material: None,
        vertices: Bulk::Given(&[]),
        faces: Bulk::Given(&[]),
    })
}

fn bone_def(bone: &Bone, ofs_name: u32, index: usize) -> Result<BoneDef> {
    if bone.is_pseudo() != (bone.id_parent == PSEUDO_BONE) {
        let message = format!("parent {}: 255 marks pseudo-bones, and only those", bone.id_parent);
        return Err(Error::inexpressible(message).at(path!(bones[index].id_parent)));
    }
    let (xform, pseudo) = match bone.transform {
        Transform::Bone(transform) => (Some(transform), None),
        Transform::Pseudo(transform) => (None, Some(transform)),
    };
    Ok(BoneDef {
        entry: BoneEntry::new(),
        xform,
        pseudo,
        ofs_name,
        id_parent: bone.id_parent,
        id_solid: bone.id_solid,
        resv1: bone.resv1,
        resv2: bone.resv2,
        name: None,
    })
}

fn write_animation(
    animation: &Animation,
    index: usize,
    ofs_name: u32,
    bones: usize,
    image: &mut Output,
) -> Result<AnimDef<'static>> {
    let tracks = &animation.tracks;
    let has_none = tracks.is_empty() && animation.n_frames == 0 && animation.trailing.is_empty();
    let is_truncated = tracks.len() < bones && animation.has_stray_keys();
    if tracks.len() != bones && !has_none && !is_truncated {
        let message = format!("{} tracks, expected one for each of the {bones} normal bones", tracks.len());
        return Err(Error::inexpressible(message).at(path!(animations[index].tracks)));
    }
    if !are_keys(&animation.trailing) {
        let message = "the bytes end inside a key";
        return Err(Error::inexpressible(message).at(path!(animations[index].trailing)));
    }
    image.align(ALIGNMENT);
    let sizes = tracks.iter().map(|track| track.as_bytes().len() + 1).sum::<usize>();
    let (ofs_frames, sz_frames) = image.list(sizes + animation.trailing.len())?;
    for track in tracks {
        image.bytes.extend_from_slice(track.as_bytes());
        image.bytes.push(0);
    }
    image.bytes.extend_from_slice(&animation.trailing);
    Ok(AnimDef {
        ofs_name,
        n_frames: animation.n_frames,
        fl_hz: animation.fl_hz,
        resv1: animation.resv1,
        resv2: animation.resv2,
        ofs_frames,
        sz_frames,
        name: None,
        frames: Bulk::Given(&[]),
    })
}
