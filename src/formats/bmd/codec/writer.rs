//! Writes images in the layout of the author's newest files (B15): strings starting at 0x40, levels of detail, meshes,
//! vertices and faces, bones, animations, keys.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::Range;

use binrw::BinWrite;

use super::super::document::{Animation, Bone, Document, Mesh};
use super::super::schema::{AnimExtents, Form, Header, MeshExtents, PackedVertex, are_keys};
use crate::{Error, Path, Result, Text, bulk, path};

const STRINGS_OFFSET: usize = 0x40;

/// Alignment of lists other than levels of detail, in bytes.
const ALIGNMENT: usize = 16;

/// Bytes of padding after vertex and face lists, because loaders may read past the end.
const LIST_PADDING: usize = 8;

/// Returns `true` for zeros at the end of a file that pad its last list: as many as [`write`] adds.
pub fn is_final_padding(bytes: &[u8], range: &Range<u64>) -> bool {
    let max_end = range
        .start
        .saturating_add(LIST_PADDING as u64)
        .checked_next_multiple_of(ALIGNMENT as u64);
    // The range is within bytes in memory, so its start fits in a `usize`.
    let content = bytes.get(range.start as usize..).unwrap_or_default();
    let is_at_end = range.end == bytes.len() as u64 && Some(range.end) <= max_end;
    is_at_end && content.iter().all(|byte| *byte == 0)
}

/// Encodes the document. Returns an error only if the format cannot express it.
pub fn write(document: &Document) -> Result<Vec<u8>> {
    let Document {
        reserved: [resv1, resv2, resv3],
        meshes,
        lods,
        bones,
        animations,
    } = document;
    check_bones(bones)?;
    let mut image = ImageWriter {
        bytes: Vec::with_capacity(estimate_size(document)),
    };
    image.bytes.resize(STRINGS_OFFSET, 0);
    let strings = Strings::write(document, &mut image)?;

    let (ofs_lods, sz_lods) = image.write_table(4, lods.iter().map(|lod| (lod, ())))?;

    // The table comes first. Its offsets are filled in after the lists are written.
    let blank = meshes.iter().map(|mesh| (mesh, (MeshExtents::default(),)));
    let (ofs_meshes, sz_meshes) = image.write_table(ALIGNMENT, blank)?;
    let extents = meshes.iter().enumerate();
    let extents = extents.map(|(index, mesh)| write_mesh(mesh, index, &strings, &mut image));
    let extents = extents
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .map(|extents| (extents,));
    image.write_at(ofs_meshes as usize, meshes.iter().zip(extents))?;

    let named = bones
        .iter()
        .map(|bone| (bone, (strings.offset(&bone.name),)));
    let (ofs_bones, sz_bones) = image.write_table(ALIGNMENT, named)?;

    let blank = animations
        .iter()
        .map(|animation| (animation, (AnimExtents::default(),)));
    let (ofs_anims, sz_anims) = image.write_table(ALIGNMENT, blank)?;
    let tracks = document.normal_bones().len();
    let extents = animations.iter().enumerate();
    let extents = extents.map(|(index, animation)| {
        check_animation(animation, tracks).map_err(|(field, message)| {
            Error::inexpressible(message).at(path!(animations[index].(field)))
        })?;
        write_animation(animation, &strings, &mut image)
    });
    let extents = extents
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .map(|extents| (extents,));
    image.write_at(ofs_anims as usize, animations.iter().zip(extents))?;

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
    image.write_at(0, [(&header, ())].into_iter())?;
    Ok(image.bytes)
}

/// Estimates the image size, so that memory is rarely reallocated.
fn estimate_size(document: &Document) -> usize {
    let padding = ALIGNMENT + LIST_PADDING;
    let mesh = |mesh: &Mesh| {
        size_of_val(mesh)
            + size_of_val(mesh.vertices.words())
            + size_of_val(mesh.faces.words())
            + 2 * padding
    };
    let animation = |animation: &Animation| {
        let keys = animation
            .tracks
            .iter()
            .map(|track| track.as_bytes().len() + 1);
        size_of_val(animation) + keys.sum::<usize>() + padding
    };
    STRINGS_OFFSET
        + document.meshes.iter().map(mesh).sum::<usize>()
        + document.animations.iter().map(animation).sum::<usize>()
        + size_of_val(&*document.bones)
        + size_of_val(&*document.lods)
}

/// Converts the number of items in a list to the type of its count field.
fn to_count<N: TryFrom<usize>>(items: usize, path: impl Into<Path>) -> Result<N> {
    N::try_from(items).map_err(|_| {
        let max = (1u64 << (8 * size_of::<N>())) - 1;
        Error::inexpressible(format!("{items} items, the maximum is {max}")).at(path)
    })
}

/// Converts an offset or a size to 32 bits.
fn to_u32(bytes: usize) -> Result<u32> {
    u32::try_from(bytes).map_err(|_| Error::inexpressible("the image exceeds 4 GiB"))
}

struct ImageWriter {
    bytes: Vec<u8>,
}

impl ImageWriter {
    fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    /// Returns the offset and size of the list written since `start`; zeros if it is empty.
    fn extent(&self, start: usize) -> Result<(u32, u32)> {
        match self.bytes.len() - start {
            0 => Ok((0, 0)),
            size => Ok((to_u32(start)?, to_u32(size)?)),
        }
    }

    /// Writes a table of entries, each with its arguments. Returns the offset and size of the table.
    fn write_table<'e, T, A>(
        &mut self,
        alignment: usize,
        entries: impl Iterator<Item = (&'e T, A)>,
    ) -> Result<(u32, u32)>
    where
        T: for<'a> BinWrite<Args<'a> = A> + 'e,
    {
        self.align(alignment);
        let start = self.bytes.len();
        self.write_at(start, entries)?;
        self.extent(start)
    }

    fn write_at<'e, T, A>(
        &mut self,
        at: usize,
        mut entries: impl Iterator<Item = (&'e T, A)>,
    ) -> Result<()>
    where
        T: for<'a> BinWrite<Args<'a> = A> + 'e,
    {
        let mut cursor = Cursor::new(&mut self.bytes);
        cursor.set_position(at as u64);
        let written = entries.try_for_each(|(entry, args)| entry.write_le_args(&mut cursor, args));
        written.map_err(Error::inexpressible)
    }

    /// Writes a list of vertices or faces, with padding. Returns its offset and size without the padding; zeros if it is
    /// empty.
    fn write_words(&mut self, words: &[u32]) -> Result<(u32, u32)> {
        if words.is_empty() {
            return Ok((0, 0));
        }
        self.align(ALIGNMENT);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&bulk::as_bytes(words));
        let extent = self.extent(start)?;
        self.bytes.resize(self.bytes.len() + LIST_PADDING, 0);
        Ok(extent)
    }
}

/// The offset of each distinct string.
struct Strings<'d>(HashMap<&'d Text, u32>);

impl<'d> Strings<'d> {
    fn write(document: &'d Document, image: &mut ImageWriter) -> Result<Self> {
        let mut offsets = HashMap::new();
        let Document {
            meshes,
            bones,
            animations,
            ..
        } = document;
        let meshes = meshes
            .iter()
            .enumerate()
            .map(|(i, mesh)| ("meshes", i, "material", &mesh.material));
        let bones = bones
            .iter()
            .enumerate()
            .map(|(i, bone)| ("bones", i, "name", &bone.name));
        let animations = animations
            .iter()
            .enumerate()
            .map(|(i, a)| ("animations", i, "name", &a.name));
        for (list, index, field, name) in meshes.chain(bones).chain(animations) {
            let Some(name) = name else { continue };
            if name.as_bytes().contains(&0) {
                let path = path!((list)[index].(field));
                return Err(Error::inexpressible("the string contains a NUL").at(path));
            }
            if !offsets.contains_key(name) {
                offsets.insert(name, to_u32(image.bytes.len())?);
                image.bytes.extend_from_slice(name.as_bytes());
                image.bytes.push(0);
            }
        }
        Ok(Strings(offsets))
    }

    /// Returns the offset of a name; 0 for `None`.
    fn offset(&self, name: &Option<Text>) -> u32 {
        name.as_ref()
            .and_then(|name| self.0.get(name))
            .copied()
            .unwrap_or(0)
    }
}

fn write_mesh(
    mesh: &Mesh,
    index: usize,
    strings: &Strings,
    image: &mut ImageWriter,
) -> Result<MeshExtents> {
    let surface = mesh.surface();
    if mesh
        .vertices
        .surface()
        .is_some_and(|other| other != surface)
    {
        let mut tags = mesh.vertices.tags().enumerate();
        let (vertex, tag) = tags
            .find(|(_, tag)| PackedVertex::needs_surface(*tag))
            .unwrap_or_default();
        let form = PackedVertex::row_of(tag, surface).map_or("", |row| row.name);
        let message = format!("the name of the material selects the form {form} for this vertex");
        return Err(Error::inexpressible(message).at(path!(meshes[index].vertices[vertex])));
    }
    let (ofs_vtx, sz_vtx) = image.write_words(mesh.vertices.words())?;
    let (ofs_tris, sz_tris) = image.write_words(mesh.faces.words())?;
    Ok(MeshExtents {
        ofs_vtx,
        ofs_tris,
        ofs_mat: strings.offset(&mesh.material),
        n_vtx: to_count(mesh.vertices.len(), path!(meshes[index].vertices))?,
        n_tris: match mesh.n_tris {
            Some(stated) => stated,
            None => to_count(mesh.triangle_count(), path!(meshes[index].faces))?,
        },
        sz_vtx,
        sz_tris,
    })
}

fn check_bones(bones: &[Bone]) -> Result<()> {
    const PSEUDO: u8 = Bone::PSEUDO;
    if bones.len() > PSEUDO.into() {
        let message = format!("{} bones, the maximum is {PSEUDO}", bones.len());
        return Err(Error::inexpressible(message).at(path!(bones)));
    }
    let wrong = bones
        .iter()
        .position(|bone| bone.is_pseudo() != (bone.id_parent == PSEUDO));
    let Some(index) = wrong else { return Ok(()) };
    let parent = bones[index].id_parent;
    let message =
        format!("parent {parent}, but pseudo-bones, and only pseudo-bones, have parent {PSEUDO}");
    Err(Error::inexpressible(message).at(path!(bones[index].id_parent)))
}

/// Rejects a wrong number of tracks, and trailing bytes that end inside a key. The error is the field and the message.
fn check_animation(animation: &Animation, bones: usize) -> Result<(), (&'static str, String)> {
    let tracks = animation.tracks.len();
    let has_no_keys = tracks == 0 && animation.n_frames == 0 && animation.trailing.is_empty();
    let is_truncated = tracks < bones && animation.has_keys_after_end();
    if tracks != bones && !has_no_keys && !is_truncated {
        let message = format!("{tracks} tracks, expected one for each of the {bones} normal bones");
        return Err(("tracks", message));
    }
    if !are_keys(&animation.trailing) {
        return Err(("trailing", "the bytes end inside a key".to_owned()));
    }
    Ok(())
}

fn write_animation(
    animation: &Animation,
    strings: &Strings,
    image: &mut ImageWriter,
) -> Result<AnimExtents> {
    image.align(ALIGNMENT);
    let start = image.bytes.len();
    for track in &animation.tracks {
        image.bytes.extend_from_slice(track.as_bytes());
        image.bytes.push(0);
    }
    image.bytes.extend_from_slice(&animation.trailing);
    let (ofs_frames, sz_frames) = image.extent(start)?;
    Ok(AnimExtents {
        ofs_name: strings.offset(&animation.name),
        ofs_frames,
        sz_frames,
    })
}
