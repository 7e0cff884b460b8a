//! Reads images according to their declaration. Checks vertex counts and splits keys by bone, which binrw cannot do.

use binrw::BinRead;

use super::super::document::{Animation, Document, Mesh};
use super::super::rules;
use super::super::schema::{Header, Image, Track, are_keys};
use super::sharing::BoundedReader;
use crate::bulk::Column;
use crate::layout::Layout;
use crate::{Error, Limit, Result, path};

/// Decodes an image, checking only its structure.
pub fn read(bytes: &[u8]) -> Result<Document> {
    let mut input = BoundedReader::new(bytes);
    let image = Image::read(&mut input);
    if let Some(error) = input.sharing_error() {
        return Err(error);
    }
    let Image {
        header,
        meshes,
        lods,
        bones,
        animations,
    } = image.map_err(Error::malformed)?;
    let Header {
        resv1,
        resv2,
        resv3,
        ofs_meshes,
        sz_meshes,
        ofs_lods: _,
        sz_lods: _,
        ofs_bones: _,
        sz_bones: _,
        ofs_anims: _,
        sz_anims: _,
    } = header;
    let table = bytes
        .get(ofs_meshes as usize..)
        .and_then(|table| table.get(..sz_meshes as usize));
    check_vertex_counts(table.unwrap_or_default(), &meshes.0)?;
    let meshes = meshes.0.into_iter().map(without_derived_count).collect();
    let reserved = [resv1, resv2, resv3];
    let mut document = Document {
        reserved,
        meshes,
        lods: lods.0,
        bones: bones.0,
        animations: Vec::new(),
    };
    let bones = document.normal_bones().len();
    let mut tracks = 0;
    for (index, animation) in animations.0.into_iter().enumerate() {
        let animation = split_keys(animation, bones, index)?;
        tracks += animation.tracks.len();
        // Each track ends with an end tag of one byte, so only animations that share keys have more tracks than the
        // image has bytes.
        if tracks > bytes.len() {
            let message = "animations that share keys have more tracks than the image has bytes";
            let error = Error::limit_exceeded(Limit::Fixed, message).with_rule(&rules::SHARING);
            return Err(error.at(path!(animations[index].sz_frames)));
        }
        document.animations.push(animation);
    }
    Ok(document)
}

/// Checks that the vertex counts in the mesh table match the lengths of the vertex lists.
fn check_vertex_counts(table: &[u8], meshes: &[Mesh]) -> Result<()> {
    let offset = Mesh::offset_with("n_vtx", &[]).unwrap_or_default() as usize;
    let stated = Column::<u16>::new(table, Mesh::SIZE as usize, offset).unwrap_or_default();
    for (index, (mesh, stated)) in meshes.iter().zip(stated.iter()).enumerate() {
        let found = mesh.vertices.len();
        if found != usize::from(stated) {
            let error = Error::malformed(format!(
                "{stated}, but the vertex count of the list is {found}"
            ));
            return Err(error
                .at(path!(meshes[index].n_vtx))
                .with_rule(&rules::VERTEX_COUNT));
        }
    }
    Ok(())
}

/// Clears the number of triangles if it can be derived from the faces.
fn without_derived_count(mut mesh: Mesh) -> Mesh {
    let counts = mesh.faces.counts();
    mesh.n_tris = mesh
        .n_tris
        .filter(|n| ![counts.faces(), counts.triangulated()].contains(&(*n).into()));
    mesh
}

/// Splits the keys of an animation into one track per normal bone.
fn split_keys(mut animation: Animation, bones: usize, index: usize) -> Result<Animation> {
    let truncated = |place: &str| {
        let error = Error::malformed(format!("the frames end inside {place}"));
        error
            .at(path!(animations[index].sz_frames))
            .with_rule(&rules::FRAMES)
    };
    let keys = std::mem::take(&mut animation.trailing);
    let mut rest = &*keys;
    if !are_keys(rest) {
        return Err(truncated("a key"));
    }
    let tracks = &mut animation.tracks;
    // An animation without frames and keys has no tracks.
    if animation.n_frames > 0 || !rest.is_empty() {
        while tracks.len() < bones {
            match Track::parse(rest) {
                Ok((track, size)) => {
                    tracks.push(track);
                    rest = rest.get(size..).unwrap_or_default();
                }
                // Keys after the last frame suggest that end tags are missing, so the remaining keys stay in
                // `trailing`.
                Err(last)
                    if tracks
                        .iter()
                        .chain([&last])
                        .any(|t| t.reaches(animation.n_frames)) =>
                {
                    break;
                }
                Err(_) => {
                    return Err(truncated(&format!(
                        "the keys of bone {}, of {bones} bones",
                        tracks.len()
                    )));
                }
            }
        }
    }
    animation.trailing = rest.to_vec();
    Ok(animation)
}
