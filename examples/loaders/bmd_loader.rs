//! A BMD loader in Rust with one bug, which `--fixed` fixes.
//!
//! ```sh
//! rustc --edition 2024 bmd_loader.rs
//! meshspec conform corpus --crash-status 101 -- ./bmd_loader {}
//! ```
//!
//! The exit status is 0 for an accepted file, 1 (with a message) for a rejected one, 2 for an unreadable one, and 101
//! after a panic.

use std::process::ExitCode;

type Result<T> = std::result::Result<T, &'static str>;

/// Returns an error with the message if the condition is false.
fn require(condition: bool, message: &'static str) -> Result<()> {
    if condition { Ok(()) } else { Err(message) }
}

/// The bytes of an image, and the size that its further lists and strings may have in total.
struct Image<'b> {
    bytes: &'b [u8],
    allowance: usize,
}

impl<'b> Image<'b> {
    /// Returns a list at an offset, which must be after the header unless the list is empty.
    fn read_list(&mut self, offset: u32, size: u32) -> Result<&'b [u8]> {
        if size == 0 {
            return Ok(&[]);
        }
        require(offset >= 48, "a list overlaps the header")?;
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let list = rest.get(..size as usize).ok_or("a list is truncated")?;
        self.use_allowance(list.len())?;
        Ok(list)
    }

    /// Returns the entries of a list; each has `N` bytes.
    fn read_table<const N: usize>(&mut self, [offset, size]: [u32; 2]) -> Result<&'b [[u8; N]]> {
        require(
            offset.is_multiple_of(4),
            "the offset of a list is not a multiple of 4",
        )?;
        require(
            (size as usize).is_multiple_of(N),
            "truncated entry at the end of a list",
        )?;
        Ok(self.read_list(offset, size)?.as_chunks().0)
    }

    /// Checks that the string at an offset is terminated. An offset of 0 means no string.
    fn check_string(&mut self, offset: u32) -> Result<()> {
        if offset == 0 {
            return Ok(());
        }
        require(offset >= 48, "a string overlaps the header")?;
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| *byte == 0)
            .ok_or("a string has no end")?;
        self.use_allowance(length + 1)
    }

    fn use_allowance(&mut self, size: usize) -> Result<()> {
        self.allowance = self
            .allowance
            .checked_sub(size)
            .ok_or("lists share too many bytes")?;
        Ok(())
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Reads an image. Returns the reason if it rejects the image.
pub fn load(bytes: &[u8], is_fixed: bool) -> Result<()> {
    let header = bytes.get(..48).ok_or("the header is truncated")?;
    require(header.starts_with(b"BMD1"), "not a BMD file")?;
    let mut image = Image {
        bytes,
        allowance: 16 * bytes.len() - 48,
    };
    let offset_and_size = |at| [u32_at(header, at), u32_at(header, at + 4)];
    let meshes = image.read_table::<32>(offset_and_size(16))?;
    let lods = image.read_table::<4>(offset_and_size(24))?;
    let bones = image.read_table::<16>(offset_and_size(32))?;
    let animations = image.read_table::<16>(offset_and_size(40))?;
    require(bones.len() <= 255, "there are more than 255 bones")?;
    meshes
        .iter()
        .try_for_each(|mesh| load_mesh(mesh, &mut image))?;
    // The bug: a level of detail may refer to meshes that do not exist.
    if is_fixed {
        for lod in lods {
            let end = usize::from(lod[0]) + usize::from(lod[1]);
            require(
                end <= meshes.len(),
                "a level of detail refers to a missing mesh",
            )?;
        }
    }
    load_bones(bones, meshes.len(), &mut image)?;
    let mut tracks = 0;
    for animation in animations {
        let normal_bones = bones.iter().take_while(|bone| bone[12] != PSEUDO).count();
        tracks += load_animation(animation, normal_bones, &mut image)?;
        require(tracks <= bytes.len(), "animations have too many tracks")?;
    }
    Ok(())
}

fn load_mesh(mesh: &[u8; 32], image: &mut Image) -> Result<()> {
    let [vertices, faces, material] = [0, 4, 8].map(|at| u32_at(mesh, at));
    let [sz_vertices, sz_faces, flags] = [16, 20, 24].map(|at| u32_at(mesh, at));
    require(
        vertices % 4 == 0 && faces % 4 == 0,
        "the offset of a list is not a multiple of 4",
    )?;
    image.check_string(material)?;
    let vertex_count = count_vertices(image.read_list(vertices, sz_vertices)?, flags & 3)?;
    require(
        vertex_count == usize::from(u16_at(mesh, 12)),
        "n_vtx is not the number of vertices",
    )?;
    let (triangles, quads) = count_faces(
        image.read_list(faces, sz_faces)?,
        vertex_count,
        flags >> 2 & 3,
    )?;
    let face_count = usize::from(u16_at(mesh, 14));
    let counts = [triangles + quads, triangles + 2 * quads];
    require(
        counts.contains(&face_count),
        "n_tris is not the number of faces",
    )
}

/// Checks vertices, whose tags determine their sizes. Returns their number.
fn count_vertices(mut rest: &[u8], subtype: u32) -> Result<usize> {
    let mut count = 0;
    while !rest.is_empty() {
        let tag = *rest.get(7).ok_or("a vertex is truncated")?;
        let (size, subtypes) = match tag {
            0..=0xef => (8, [0, 1]),
            0xf0..=0xfb => (12, [1, 3]),
            0xfd => (16, [1, 2]),
            _ => return Err("a vertex has a reserved tag"),
        };
        require(
            subtypes.contains(&subtype),
            "the flags do not allow the form of a vertex",
        )?;
        let (vertex, others) = rest.split_at_checked(size).ok_or("a vertex is truncated")?;
        let is_finite = |at| u16_at(vertex, at) & 0x7c00 != 0x7c00;
        require(
            size < 16 || [0, 2, 4].into_iter().all(is_finite),
            "a position is not finite",
        )?;
        rest = others;
        count += 1;
    }
    Ok(count)
}

/// Checks faces, whose lowest bits determine their forms. Returns the numbers of triangles and quads.
fn count_faces(mut rest: &[u8], vertex_count: usize, flags: u32) -> Result<(usize, usize)> {
    let mut counts = (0, 0);
    while let Some(first) = rest.first() {
        // The number of bits of an index, the number of indices, and the flags that allow the form.
        let (width, corner_count, allowed): (_, _, &[u32]) = match first & 3 {
            0 => (10, 3, &[0, 1]),
            1 => (7, 4, &[1]),
            2 => (20, 3, &[1, 2, 3]),
            _ => (15, 4, &[1, 3]),
        };
        require(
            allowed.contains(&flags),
            "the flags do not allow the form of a face",
        )?;
        let (face, others) = rest
            .split_at_checked(if first & 2 == 0 { 4 } else { 8 })
            .ok_or("a face is truncated")?;
        let word = face
            .iter()
            .rev()
            .fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        for corner in 0..corner_count {
            let index = word >> (2 + corner * width) & ((1 << width) - 1);
            require(index < vertex_count as u64, "an index is out of range")?;
        }
        require(
            word >> (2 + corner_count * width) == 0,
            "the second tag of a face is not 0",
        )?;
        if corner_count == 3 {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
        rest = others;
    }
    Ok(counts)
}

/// The value of the parent field that marks a pseudo-bone.
const PSEUDO: u8 = 255;

fn load_bones(bones: &[[u8; 16]], mesh_count: usize, image: &mut Image) -> Result<()> {
    for (index, bone) in bones.iter().enumerate() {
        image.check_string(u32_at(bone, 8))?;
        let (parent, solid) = (bone[12], usize::from(bone[13]));
        require(
            solid == 0 || solid < mesh_count,
            "the solid of a bone is a missing mesh",
        )?;
        if index > 0 && parent == PSEUDO {
            for (followed, weight) in bone[..4].iter().zip(&bone[4..8]) {
                // 0x80 is negative zero.
                let is_earlier = usize::from(*followed) < index;
                require(
                    is_earlier || weight & 0x7f == 0,
                    "a pseudo-bone follows a later bone",
                )?;
            }
            continue;
        }
        require(
            index == 0 || bones[index - 1][12] != PSEUDO,
            "a normal bone comes after a pseudo-bone",
        )?;
        let is_root = index == 0 && parent == 0;
        require(
            is_root || usize::from(parent) < index,
            "the parent of a bone is not an earlier one",
        )?;
    }
    Ok(())
}

/// Checks the keys of an animation and returns the number of its tracks.
fn load_animation(animation: &[u8; 16], bone_count: usize, image: &mut Image) -> Result<usize> {
    image.check_string(u32_at(animation, 0))?;
    let frames = u32::from(animation[4]);
    let mut keys = image.read_list(u32_at(animation, 8), u32_at(animation, 12))?;
    require(
        frames > 0 || keys.is_empty(),
        "an animation without frames has keys",
    )?;
    if frames == 0 {
        return Ok(0);
    }
    for _ in 0..bone_count {
        let mut next = 0;
        loop {
            let tag = *keys.first().ok_or("the keys of a bone have no end")?;
            let values = (tag >> 5).count_ones() as usize;
            keys = keys.get(1 + 4 * values..).ok_or("a key is truncated")?;
            if tag == 0 {
                break;
            }
            let frame = next + u32::from(tag & 0x1f);
            require(
                values == 0 || frame < frames,
                "a key is after the last frame",
            )?;
            next = frame + 1;
        }
    }
    require(keys.is_empty(), "bytes follow the keys of the last bone")?;
    Ok(bone_count)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_fixed = arguments.iter().any(|argument| argument == "--fixed");
    let Some(Ok(bytes)) = arguments.last().map(std::fs::read) else {
        eprintln!("usage: bmd_loader [--fixed] FILE");
        return ExitCode::from(2);
    };
    match load(&bytes, is_fixed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
