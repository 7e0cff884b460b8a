//! Reads an image: through its declaration, and what that cannot say: where strings end, which keys belong to which
//! bone, and how often lists may share bytes.

use std::io::Cursor;

use binrw::BinRead;

use super::super::document::{Animation, Bone, Document, Faces, Mesh, Track, Transform, Vertices, are_keys};
use super::super::rules;
use super::super::schema::{AnimDef, BoneDef, Image, MeshDef};
use crate::bulk::{self, NulString};
use crate::{Confidence, Detection, Dialect, Error, Path, Result, Text, path};

/// How many times the size of the image its lists and strings may take together. Lists may share bytes, as meshes do
/// that draw parts of one list of vertices; but a small image must not become a large document.
const MAX_SHARING: u64 = 16;

/// Whether the bytes have the magic of BMD.
pub fn detect(bytes: &[u8]) -> Detection {
    let confidence = if bytes.starts_with(b"BMD1") { Confidence::Magic } else { Confidence::None };
    Detection { confidence, dialect: Dialect::Spec }
}

/// Decodes an image, checking nothing but its structure.
pub fn read(bytes: &[u8]) -> Result<Document> {
    let image = Image::read(&mut Cursor::new(bytes)).map_err(Error::malformed)?;
    let mut reader = Reader { bytes, allowance: MAX_SHARING.saturating_mul(bytes.len() as u64) };
    let meshes = image.meshes.0.iter().enumerate().map(|(index, def)| reader.mesh(def, index));
    let meshes = meshes.collect::<Result<_>>()?;
    let bones = image.bones.0.iter().enumerate().map(|(index, def)| reader.bone(def, index));
    let mut document = Document {
        reserved: [image.header.resv1, image.header.resv2, image.header.resv3],
        meshes,
        lods: image.lods.0,
        bones: bones.collect::<Result<_>>()?,
        animations: Vec::new(),
    };
    let tracks = document.normal_bones().len();
    for (index, def) in image.animations.0.iter().enumerate() {
        document.animations.push(reader.animation(def, tracks, index)?);
    }
    Ok(document)
}

struct Reader<'b> {
    bytes: &'b [u8],
    /// How many bytes may still be copied out of the image.
    allowance: u64,
}

impl Reader<'_> {
    /// Takes the bytes of a list or string off the allowance.
    fn charge(&mut self, bytes: usize, path: impl Into<Path>) -> Result<()> {
        match self.allowance.checked_sub(bytes as u64) {
            Some(rest) => self.allowance = rest,
            None => {
                let message = format!(
                    "lists and strings that share bytes add up to more than {MAX_SHARING} times the size of the image"
                );
                return Err(Error::limit_exceeded(message).at(path).with_rule(&rules::SHARING));
            }
        }
        Ok(())
    }

    fn text(&mut self, string: Option<&NulString>, path: impl Into<Path>) -> Result<Option<Text>> {
        let Some(string) = string else { return Ok(None) };
        let text =
            string.find(self.bytes).ok_or_else(|| Error::malformed("the string has no terminating NUL"))?;
        self.charge(text.len(), path)?;
        Ok(Some(Text::from(text.to_vec())))
    }

    /// The 32-bit words of a list, whose size must be a multiple of theirs.
    fn words(&mut self, list: &[u8], path: impl Into<Path>) -> Result<Vec<u32>> {
        if !list.len().is_multiple_of(4) {
            return Err(Error::malformed("the list ends inside an item"));
        }
        self.charge(list.len(), path)?;
        Ok(bulk::to_vec(list))
    }

    fn mesh(&mut self, def: &MeshDef, index: usize) -> Result<Mesh> {
        let at = |field| path!(meshes[index].(field));
        let material = self.text(def.material.as_ref(), at("material"))?;
        let words = self.words(def.vertices.bytes(self.bytes), at("sz_vtx"))?;
        let vertices = Vertices::from_words(words).map_err(Error::malformed)?;
        if vertices.len() != usize::from(def.n_vtx) {
            let message = format!("{}, but the list holds {} vertices", def.n_vtx, vertices.len());
            let error = Error::malformed(message);
            return Err(error.at(at("n_vtx")).with_rule(&rules::VERTEX_COUNT));
        }
        let words = self.words(def.faces.bytes(self.bytes), at("sz_tris"))?;
        let faces = Faces::from_words(words).map_err(Error::malformed)?;
        let counts = faces.counts();
        let stated = usize::from(def.n_tris);
        let is_right = stated == counts.items() || stated == counts.triangulated();
        Ok(Mesh {
            material,
            flags: def.flags,
            vertices,
            faces,
            n_tris: (!is_right).then_some(def.n_tris),
            resv3: def.resv3,
        })
    }

    fn bone(&mut self, def: &BoneDef, index: usize) -> Result<Bone> {
        let pseudo = def.pseudo.map(Transform::Pseudo);
        Ok(Bone {
            transform: pseudo.unwrap_or_else(|| Transform::Bone(def.xform.unwrap_or_default())),
            name: self.text(def.name.as_ref(), path!(bones[index].name))?,
            id_parent: def.id_parent,
            id_solid: def.id_solid,
            resv1: def.resv1,
            resv2: def.resv2,
        })
    }

    fn animation(&mut self, def: &AnimDef, bones: usize, index: usize) -> Result<Animation> {
        let name = self.text(def.name.as_ref(), path!(animations[index].name))?;
        let mut rest = def.frames.bytes(self.bytes);
        self.charge(rest.len(), path!(animations[index].sz_frames))?;
        let truncated = |message: String| {
            let error = Error::malformed(message);
            error.at(path!(animations[index].sz_frames)).with_rule(&rules::FRAMES)
        };
        if !are_keys(rest) {
            return Err(truncated("the frames end inside a key".to_owned()));
        }
        let mut tracks: Vec<Track> = Vec::new();
        // An animation without frames has no keys, and no ends of them either.
        if def.n_frames > 0 || !rest.is_empty() {
            while tracks.len() < bones {
                match Track::parse(rest) {
                    Ok((track, size)) => {
                        tracks.push(track);
                        rest = rest.get(size..).unwrap_or_default();
                    }
                    // Keys beyond the last frame are no keys: they may have been made of the ends that are missing.
                    Err(last) if tracks.iter().chain([&last]).any(|track| track.reaches(def.n_frames)) => {
                        break;
                    }
                    Err(_) => {
                        let bone = tracks.len();
                        return Err(truncated(format!(
                            "the frames end inside the keys of bone {bone} of {bones}"
                        )));
                    }
                }
            }
        }
        Ok(Animation {
            name,
            n_frames: def.n_frames,
            fl_hz: def.fl_hz,
            resv1: def.resv1,
            resv2: def.resv2,
            tracks,
            trailing: rest.to_vec(),
        })
    }
}
