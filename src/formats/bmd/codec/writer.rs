//! Writes images in the canonical layout, that of the author's newest files (B15). The parts are strings from 0x40,
//! levels of detail, meshes, vertices and faces, bones, animations, keys.

use std::collections::HashMap;
use std::io::Cursor;

use binrw::BinWrite;

use super::super::document::{Animation, Bone, Document, Mesh};
use super::super::schema::{AnimPlaces, Form, Header, MeshPlaces, PackedVertex, Track, are_keys};
use crate::{Error, Path, Result, Text, bulk, path};

/// Offset of the strings.
const STRINGS: usize = 0x40;

/// Alignment of lists.
const ALIGNMENT: usize = 16;

/// Padding after vertex and face lists, because loaders may read past the end, in bytes.
const SLACK: usize = 8;

/// Encodes the document; rejects only what the format cannot express.
pub fn write(document: &Document) -> Result<Vec<u8>> {
    let Document { reserved: [resv1, resv2, resv3], meshes, lods, bones, animations } = document;
    check_bones(bones)?;
    let mut image = Output { bytes: Vec::with_capacity(size(document)) };
    image.bytes.resize(STRINGS, 0);
    let strings = Strings::write(document, &mut image)?;

    let (ofs_lods, sz_lods) = image.table(4, lods.iter().map(|lod| (lod, ())))?;

    // The table comes first; its offsets are filled in once the lists are written.
    let blank = meshes.iter().map(|mesh| (mesh, (MeshPlaces::default(),)));
    let (ofs_meshes, sz_meshes) = image.table(ALIGNMENT, blank)?;
    let places = meshes.iter().enumerate().map(|(index, mesh)| write_mesh(mesh, index, &strings, &mut image));
    let places = places.collect::<Result<Vec<_>>>()?;
    image.put_at(ofs_meshes as usize, meshes.iter().zip(places).map(|(mesh, places)| (mesh, (places,))))?;

    let named = bones.iter().map(|bone| (bone, (strings.offset(&bone.name),)));
    let (ofs_bones, sz_bones) = image.table(ALIGNMENT, named)?;

    let blank = animations.iter().map(|animation| (animation, (AnimPlaces::default(),)));
    let (ofs_anims, sz_anims) = image.table(ALIGNMENT, blank)?;
    let tracks = document.normal_bones().len();
    let places = animations.iter().enumerate();
    let places = places.map(|(index, animation)| {
        check_animation(animation, tracks)
            .map_err(|(field, message)| Error::inexpressible(message).at(path!(animations[index].(field))))?;
        write_animation(animation, &strings, &mut image)
    });
    let places = places.collect::<Result<Vec<_>>>()?;
    image.put_at(
        ofs_anims as usize,
        animations.iter().zip(places).map(|(animation, places)| (animation, (places,))),
    )?;

    let header = Header {
        resv1: *resv1,
        resv2: *resv2,
        resv3: *resv3,
        ofs_meshes,
        sz_meshes,
        ofs_lods,
        sz_lods,
        ofs_bones,
        sz_bones,
        ofs_anims,
        sz_anims,
    };
    image.put_at(0, [(&header, ())].into_iter())?;
    Ok(image.bytes)
}

/// Estimates the size of the image, to allocate only once.
fn size(document: &Document) -> usize {
    let gaps = ALIGNMENT + SLACK;
    let mesh = |mesh: &Mesh| {
        size_of_val(mesh) + size_of_val(mesh.vertices.words()) + size_of_val(mesh.faces.words()) + 2 * gaps
    };
    let track = |track: &Track| track.as_bytes().len() + 1;
    let animation = |animation: &Animation| {
        size_of_val(animation) + animation.tracks.iter().map(track).sum::<usize>() + gaps
    };
    STRINGS
        + document.meshes.iter().map(mesh).sum::<usize>()
        + document.animations.iter().map(animation).sum::<usize>()
        + size_of_val(&*document.bones)
        + size_of_val(&*document.lods)
}

fn count<N: TryFrom<usize>>(items: usize, path: impl Into<Path>) -> Result<N> {
    N::try_from(items).map_err(|_| {
        let max = (1u64 << (8 * size_of::<N>())) - 1;
        Error::inexpressible(format!("{items} items, the maximum is {max}")).at(path)
    })
}

/// Converts an offset or size in the image.
fn offset(bytes: usize) -> Result<u32> {
    u32::try_from(bytes).map_err(|_| Error::inexpressible("the image exceeds 4 GiB"))
}

/// The image under construction.
struct Output {
    bytes: Vec<u8>,
}

impl Output {
    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    /// Returns offset and size of the list written since `start`; zeros if it is empty.
    fn extent(&self, start: usize) -> Result<(u32, u32)> {
        match self.bytes.len() - start {
            0 => Ok((0, 0)),
            size => Ok((offset(start)?, offset(size)?)),
        }
    }

    /// Writes a table of entries with their offsets. Returns its offset and size.
    fn table<'e, T, A>(
        &mut self,
        alignment: usize,
        entries: impl Iterator<Item = (&'e T, A)>,
    ) -> Result<(u32, u32)>
    where
        T: for<'a> BinWrite<Args<'a> = A> + 'e,
    {
        self.align(alignment);
        let start = self.bytes.len();
        self.put_at(start, entries)?;
        self.extent(start)
    }

    fn put_at<'e, T, A>(&mut self, at: usize, mut entries: impl Iterator<Item = (&'e T, A)>) -> Result<()>
    where
        T: for<'a> BinWrite<Args<'a> = A> + 'e,
    {
        let mut cursor = Cursor::new(&mut self.bytes);
        cursor.set_position(at as u64);
        entries
            .try_for_each(|(entry, args)| entry.write_le_args(&mut cursor, args))
            .map_err(Error::inexpressible)
    }

    /// Writes a list of vertices or faces. Returns its offset and size.
    fn put_words(&mut self, words: &[u32]) -> Result<(u32, u32)> {
        self.align(ALIGNMENT);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&bulk::as_bytes(words));
        let extent = self.extent(start)?;
        self.bytes.resize(self.bytes.len() + SLACK, 0);
        Ok(extent)
    }
}

/// The offsets of the strings, without duplicates.
struct Strings<'d>(HashMap<&'d Text, u32>);

impl<'d> Strings<'d> {
    fn write(document: &'d Document, image: &mut Output) -> Result<Self> {
        let mut offsets = HashMap::new();
        let meshes = document.meshes.iter().map(|mesh| &mesh.material).enumerate();
        let bones = document.bones.iter().map(|bone| &bone.name).enumerate();
        let animations = document.animations.iter().map(|animation| &animation.name).enumerate();
        let names = meshes.map(|name| ("meshes", "material", name));
        let names = names.chain(bones.map(|name| ("bones", "name", name)));
        for (list, field, (index, name)) in names.chain(animations.map(|name| ("animations", "name", name))) {
            let Some(name) = name else { continue };
            if name.as_bytes().contains(&0) {
                let path = path!((list)[index].(field));
                return Err(Error::inexpressible("the string contains a NUL").at(path));
            }
            if !offsets.contains_key(name) {
                offsets.insert(name, offset(image.bytes.len())?);
                image.bytes.extend_from_slice(name.as_bytes());
                image.bytes.push(0);
            }
        }
        Ok(Strings(offsets))
    }

    /// Returns the offset of a name, 0 for `None`.
    fn offset(&self, name: &Option<Text>) -> u32 {
        name.as_ref().and_then(|name| self.0.get(name)).copied().unwrap_or(0)
    }
}

fn write_mesh(mesh: &Mesh, index: usize, strings: &Strings, image: &mut Output) -> Result<MeshPlaces> {
    let surface = mesh.surface();
    if mesh.vertices.surface().is_some_and(|other| other != surface) {
        let mut tags = mesh.vertices.tags().enumerate();
        let (vertex, tag) = tags.find(|(_, tag)| PackedVertex::needs_surface(*tag)).unwrap_or_default();
        let form = PackedVertex::row_of(tag, surface).map_or("", |row| row.name);
        let message = format!("a material of this name makes it a {form}");
        return Err(Error::inexpressible(message).at(path!(meshes[index].vertices[vertex])));
    }
    let (ofs_vtx, sz_vtx) = image.put_words(mesh.vertices.words())?;
    let (ofs_tris, sz_tris) = image.put_words(mesh.faces.words())?;
    Ok(MeshPlaces {
        ofs_vtx,
        ofs_tris,
        ofs_mat: strings.offset(&mesh.material),
        n_vtx: count(mesh.vertices.len(), path!(meshes[index].vertices))?,
        n_tris: match mesh.n_tris {
            Some(stated) => stated,
            None => count(mesh.triangle_count(), path!(meshes[index].faces))?,
        },
        sz_vtx,
        sz_tris,
    })
}

fn check_bones(bones: &[Bone]) -> Result<()> {
    if bones.len() > Bone::PSEUDO.into() {
        return Err(Error::inexpressible(format!("{} bones, the maximum is {}", bones.len(), Bone::PSEUDO))
            .at(path!(bones)));
    }
    match bones.iter().position(|bone| bone.is_pseudo() != (bone.id_parent == Bone::PSEUDO)) {
        None => Ok(()),
        Some(index) => {
            let message = format!(
                "parent {}: {} marks pseudo-bones, and only those",
                bones[index].id_parent,
                Bone::PSEUDO
            );
            Err(Error::inexpressible(message).at(path!(bones[index].id_parent)))
        }
    }
}

/// Rejects keys that would be ambiguous once written; the error names the field.
fn check_animation(animation: &Animation, bones: usize) -> Result<(), (&'static str, String)> {
    let tracks = animation.tracks.len();
    let has_none = tracks == 0 && animation.n_frames == 0 && animation.trailing.is_empty();
    let is_truncated = tracks < bones && animation.has_stray_keys();
    if tracks != bones && !has_none && !is_truncated {
        return Err((
            "tracks",
            format!("{tracks} tracks, expected one for each of the {bones} normal bones"),
        ));
    }
    if !are_keys(&animation.trailing) {
        return Err(("trailing", "the bytes end inside a key".to_owned()));
    }
    Ok(())
}

fn write_animation(animation: &Animation, strings: &Strings, image: &mut Output) -> Result<AnimPlaces> {
    image.align(ALIGNMENT);
    let start = image.bytes.len();
    for track in &animation.tracks {
        image.bytes.extend_from_slice(track.as_bytes());
        image.bytes.push(0);
    }
    image.bytes.extend_from_slice(&animation.trailing);
    let (ofs_frames, sz_frames) = image.extent(start)?;
    Ok(AnimPlaces { ofs_name: strings.offset(&animation.name), ofs_frames, sz_frames })
}
