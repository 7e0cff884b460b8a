//! A BMD loader like that of an engine, written from the specification alone, with bugs that can be enabled.

use super::packed::{FaceForm, f8a, half, texture, triple};

/// Typical bugs of engine loaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Indices are not checked.
    UncheckedIndices,
    /// An index may equal the number of vertices.
    IndexAtEnd,
    /// Treats the tags FC, FE and FF as FD.
    ReservedTags,
    /// Ignores the second tag of a face.
    SecondTag,
    /// Ignores the number of vertices.
    VertexCount,
    /// Accepts levels of detail with missing meshes.
    LodRange,
    /// Accepts bones before their parents.
    LaterParents,
    /// Accepts missing solids.
    SolidRange,
    /// Accepts keys after the last frame.
    KeyRange,
    /// Accepts infinite and NaN positions.
    NonFinite,
    /// Ignores the control flags.
    IgnoredFlags,
    /// Reads the fractions of positions as unsigned.
    UnsignedFractions,
    /// Accepts lists that overlap the header.
    HeaderOverlap,
    /// Accepts names without a NUL at the end of the file.
    UnterminatedNames,
    /// Reads T of the tags F8 and FA from bit 11.
    FineTexture,
}

impl Bug {
    pub const ALL: [Bug; 15] = [
        Bug::UncheckedIndices,
        Bug::IndexAtEnd,
        Bug::ReservedTags,
        Bug::SecondTag,
        Bug::VertexCount,
        Bug::LodRange,
        Bug::LaterParents,
        Bug::SolidRange,
        Bug::KeyRange,
        Bug::NonFinite,
        Bug::IgnoredFlags,
        Bug::UnsignedFractions,
        Bug::HeaderOverlap,
        Bug::UnterminatedNames,
        Bug::FineTexture,
    ];
}

/// The loaded image; floats as bits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    pub meshes: Vec<Mesh>,
    /// First mesh, number of meshes, scale.
    pub lods: Vec<(u8, u8, u8)>,
    pub bones: Vec<Bone>,
    pub clips: Vec<Clip>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    pub material: Option<Vec<u8>>,
    pub positions: Vec<[u32; 3]>,
    pub uvs: Vec<[u32; 2]>,
    pub bones: Vec<u8>,
    pub faces: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    pub name: Option<Vec<u8>>,
    pub parent: u8,
    pub solid: u8,
    pub transform: [u8; 8],
}

#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    pub name: Option<Vec<u8>>,
    pub frames: u8,
    pub rate: u8,
    /// For each bone, its keys: the frame and up to three packed words.
    pub tracks: Vec<Vec<(u32, Vec<u32>)>>,
}

type Result<T> = std::result::Result<T, &'static str>;

/// Loads an image.
pub fn load(image: &[u8], bug: Option<Bug>) -> Result<Model> {
    let loader = Loader { image, bug };
    let mut model = Model::default();
    if !image.starts_with(b"BMD1") {
        return Err("magic");
    }
    let [meshes, lods, bones, clips] = [(16, 32), (24, 4), (32, 16), (40, 16)];
    let (meshes, lods) = (loader.entry_offsets(meshes)?, loader.entry_offsets(lods)?);
    let (bones, clips) = (loader.entry_offsets(bones)?, loader.entry_offsets(clips)?);
    for entry in meshes {
        model.meshes.push(loader.read_mesh(entry)?);
    }
    for entry in lods {
        let [first, count, scale, _] = loader.read_bytes(entry)?;
        if usize::from(first) + usize::from(count) > model.meshes.len()
            && bug != Some(Bug::LodRange)
        {
            return Err("level of detail");
        }
        model.lods.push((first, count, scale));
    }
    if bones.len() > 255 {
        return Err("too many bones");
    }
    for entry in bones {
        let bone = loader.read_bone(entry, &model)?;
        model.bones.push(bone);
    }
    loader.check_parents(&model.bones)?;
    let normal = model
        .bones
        .iter()
        .position(|bone| bone.parent == 255)
        .unwrap_or(model.bones.len());
    for entry in clips {
        model.clips.push(loader.read_clip(entry, normal)?);
    }
    Ok(model)
}

struct Loader<'b> {
    image: &'b [u8],
    bug: Option<Bug>,
}

impl<'b> Loader<'b> {
    fn has_bug(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    fn read_bytes<const N: usize>(&self, at: usize) -> Result<[u8; N]> {
        self.read_slice(at, N)
            .map(|bytes| bytes.try_into().unwrap())
    }

    fn read_slice(&self, at: usize, size: usize) -> Result<&'b [u8]> {
        let end = at.checked_add(size).ok_or("offset")?;
        self.image.get(at..end).ok_or("truncated")
    }

    fn read_word(&self, at: usize) -> Result<u32> {
        self.read_bytes(at).map(u32::from_le_bytes)
    }

    /// Returns the offset and size of a list, stored at `offset` and `size`. `align` is the required alignment.
    fn locate_list(&self, (offset, size): (usize, usize), align: u32) -> Result<(usize, usize)> {
        let (start, size) = (self.read_word(offset)?, self.read_word(size)?);
        if !start.is_multiple_of(align) {
            return Err("unaligned list");
        }
        if size == 0 {
            return Ok((0, 0));
        }
        if start < 48 && !self.has_bug(Bug::HeaderOverlap) {
            return Err("list in the header");
        }
        self.read_slice(start as usize, size as usize)?;
        Ok((start as usize, size as usize))
    }

    /// Returns the offsets of the entries of a table.
    fn entry_offsets(&self, (place, entry): (usize, usize)) -> Result<Vec<usize>> {
        let (start, size) = self.locate_list((place, place + 4), 4)?;
        if !size.is_multiple_of(entry) {
            return Err("partial entry");
        }
        Ok((0..size / entry)
            .map(|index| start + index * entry)
            .collect())
    }

    /// Reads the string whose offset is at `at`; `None` if the offset is 0.
    fn read_name(&self, at: usize) -> Result<Option<Vec<u8>>> {
        let start = self.read_word(at)? as usize;
        if start == 0 {
            return Ok(None);
        }
        if start < 48 {
            return Err("name in the header");
        }
        let rest = self.image.get(start..).ok_or("name outside")?;
        match rest.iter().position(|byte| *byte == 0) {
            Some(end) => Ok(Some(rest[..end].to_vec())),
            None if self.has_bug(Bug::UnterminatedNames) => Ok(Some(rest.to_vec())),
            None => Err("name without an end"),
        }
    }

    fn read_mesh(&self, at: usize) -> Result<Mesh> {
        let (vertices, faces) = (
            self.locate_list((at, at + 16), 4)?,
            self.locate_list((at + 4, at + 20), 4)?,
        );
        let mut mesh = Mesh {
            material: self.read_name(at + 8)?,
            ..Mesh::default()
        };
        let count = u16::from_le_bytes(self.read_bytes(at + 12)?);
        let triangles = u16::from_le_bytes(self.read_bytes(at + 14)?);
        let flags = self.read_word(at + 24)?;
        let mut here = vertices.0;
        while here < vertices.0 + vertices.1 {
            here += self.read_vertex(&mut mesh, here, vertices.0 + vertices.1, flags & 3)?;
        }
        if mesh.positions.len() != usize::from(count) && !self.has_bug(Bug::VertexCount) {
            return Err("number of vertices");
        }
        let mut here = faces.0;
        while here < faces.0 + faces.1 {
            here += self.read_face(
                &mut mesh,
                here,
                faces.0 + faces.1,
                flags >> 2 & 3,
                count.into(),
            )?;
        }
        let quads = mesh.faces.iter().filter(|face| face.len() == 4).count();
        let counts = [mesh.faces.len(), mesh.faces.len() + quads];
        if counts.contains(&triangles.into()) {
            Ok(mesh)
        } else {
            Err("number of triangles")
        }
    }

    /// Adds a vertex and returns its size.
    fn read_vertex(&self, mesh: &mut Mesh, at: usize, end: usize, subtype: u32) -> Result<usize> {
        let first = u64::from_le_bytes(self.read_bytes(at)?);
        let tag = (first >> 56) as u8;
        let (size, subtypes) = match tag {
            0..0xf0 => (8, [0, 1]),
            0xf0..=0xfb => (12, [1, 3]),
            0xfd => (16, [1, 2]),
            _ if self.has_bug(Bug::ReservedTags) => (16, [1, 2]),
            _ => return Err("reserved tag"),
        };
        if at + size > end {
            return Err("partial vertex");
        }
        if !subtypes.contains(&subtype) && !self.has_bug(Bug::IgnoredFlags) {
            return Err("form of a vertex");
        }
        let bytes = self.read_slice(at, size)?;
        let is_flat = mesh.material.as_ref().is_some_and(|name| {
            name.len() >= 7 && name[0] == b'#' && name[1..7].iter().all(u8::is_ascii_hexdigit)
        });
        let is_signed = !self.has_bug(Bug::UnsignedFractions);
        let st = (first >> 32 & 0xff_ffff) as u32;
        let (position, uv, bone) = match size {
            8 if is_flat => (triple(first as u32, is_signed), [0.0; 2], tag),
            8 => (
                triple(first as u32, is_signed),
                texture(st, 11, 1024.0, 0.5, 4.0),
                tag,
            ),
            12 => {
                let second = if self.has_bug(Bug::FineTexture) {
                    11
                } else {
                    12
                };
                let uv = match tag % 2 {
                    0 => [fine(st & 0xfff), fine(st >> second & 0xfff)],
                    _ => texture(st, 11, 1024.0, 0.5, 4.0),
                };
                let bone = if tag == 0xfa || tag == 0xfb {
                    bytes[11]
                } else {
                    0
                };
                (triple(first as u32, is_signed), uv, bone)
            }
            _ => {
                let halves = [0, 2, 4].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]));
                if halves.iter().any(|half| half & 0x7c00 == 0x7c00)
                    && !self.has_bug(Bug::NonFinite)
                {
                    return Err("position is not finite");
                }
                let st = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
                (
                    halves.map(half),
                    texture(st, 14, 4096.0, 2.0, 2.0),
                    bytes[15],
                )
            }
        };
        mesh.positions.push(position.map(f32::to_bits));
        mesh.uvs.push(uv.map(f32::to_bits));
        mesh.bones.push(bone);
        Ok(size)
    }

    /// Adds a face and returns its size.
    fn read_face(
        &self,
        mesh: &mut Mesh,
        at: usize,
        end: usize,
        kind: u32,
        vertices: u32,
    ) -> Result<usize> {
        let [first] = self.read_bytes(at)?;
        let form = FaceForm::OF_TAGS[usize::from(first & 3)];
        if at + form.size > end {
            return Err("partial face");
        }
        if !form.kinds.contains(&kind) && !self.has_bug(Bug::IgnoredFlags) {
            return Err("form of a face");
        }
        let word = self
            .read_slice(at, form.size)?
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        let (face, rest) = form.decode(word);
        if rest != 0 && !self.has_bug(Bug::SecondTag) {
            return Err("second tag");
        }
        let limit = if self.has_bug(Bug::IndexAtEnd) {
            vertices + 1
        } else {
            vertices
        };
        if face.iter().any(|index| *index >= limit) && !self.has_bug(Bug::UncheckedIndices) {
            return Err("index");
        }
        mesh.faces.push(face);
        Ok(form.size)
    }

    fn read_bone(&self, at: usize, model: &Model) -> Result<Bone> {
        let transform = self.read_bytes(at)?;
        let name = self.read_name(at + 8)?;
        let [parent, solid] = self.read_bytes(at + 12)?;
        let index = model.bones.len();
        if solid != 0 && usize::from(solid) >= model.meshes.len() && !self.has_bug(Bug::SolidRange)
        {
            return Err("solid");
        }
        let follows_later =
            |slot: usize| f8a(transform[4 + slot]) != 0.0 && usize::from(transform[slot]) >= index;
        if parent == 255 && (0..4).any(follows_later) {
            return Err("pseudo-bone");
        }
        Ok(Bone {
            name,
            parent,
            solid,
            transform,
        })
    }

    fn check_parents(&self, bones: &[Bone]) -> Result<()> {
        let mut has_pseudo = false;
        for (index, bone) in bones.iter().enumerate() {
            let parent = usize::from(bone.parent);
            if bone.parent == 255 && index > 0 {
                has_pseudo = true;
                continue;
            }
            if has_pseudo {
                return Err("normal bone after a pseudo-bone");
            }
            let is_before = parent < index || index == 0 && parent == 0;
            let is_there = parent < bones.len() && self.has_bug(Bug::LaterParents);
            if !is_before && !is_there
                || bones.get(parent).is_some_and(|parent| parent.parent == 255)
            {
                return Err("parent");
            }
        }
        Ok(())
    }

    fn read_clip(&self, at: usize, bones: usize) -> Result<Clip> {
        let name = self.read_name(at)?;
        let [frames, rate] = self.read_bytes(at + 4)?;
        let (start, size) = self.locate_list((at + 8, at + 12), 1)?;
        if frames == 0 && size > 0 {
            return Err("keys without frames");
        }
        let mut keys = self.read_slice(start, size)?;
        let mut tracks = Vec::new();
        for _ in 0..if frames > 0 { bones } else { 0 } {
            tracks.push(self.read_track(&mut keys, frames.into())?);
        }
        if keys.is_empty() {
            Ok(Clip {
                name,
                frames,
                rate,
                tracks,
            })
        } else {
            Err("keys after the last bone")
        }
    }

    fn read_track(&self, keys: &mut &[u8], frames: u32) -> Result<Vec<(u32, Vec<u32>)>> {
        let (mut track, mut frame) = (Vec::new(), 0);
        loop {
            let (tag, rest) = keys.split_first().ok_or("keys without an end")?;
            *keys = rest;
            if *tag == 0 {
                return Ok(track);
            }
            frame += u32::from(tag & 31);
            let mut values = Vec::new();
            for _ in 0..(tag >> 5).count_ones() {
                let (value, rest) = keys.split_first_chunk().ok_or("partial key")?;
                values.push(u32::from_le_bytes(*value));
                *keys = rest;
            }
            if !values.is_empty() {
                if frame >= frames && !self.has_bug(Bug::KeyRange) {
                    return Err("key after the last frame");
                }
                track.push((frame, values));
            }
            frame += 1;
        }
    }
}

fn fine(fraction: u32) -> f32 {
    fraction as f32 / 2048.0 - 0.5
}
