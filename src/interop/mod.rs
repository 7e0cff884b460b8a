//! Interchange formats: to and from [scenes](crate::scene).

mod check;
mod detect;
mod folder;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg_attr(
    not(all(feature = "gltf", feature = "obj", feature = "ply")),
    allow(dead_code, reason = "each format needs a part of it")
)]
mod images;
#[cfg(feature = "obj")]
mod obj;
#[cfg(feature = "ply")]
mod ply;
#[cfg(any(feature = "obj", feature = "ply", feature = "stl"))]
#[cfg_attr(
    not(all(feature = "obj", feature = "ply", feature = "stl")),
    allow(dead_code, reason = "each format needs a part of it")
)]
mod polygons;
#[cfg(any(feature = "obj", feature = "ply", feature = "stl"))]
#[cfg_attr(
    not(all(feature = "obj", feature = "ply", feature = "stl")),
    allow(dead_code, reason = "each format needs a part of it")
)]
mod positions;
#[cfg(feature = "stl")]
mod stl;
#[cfg(any(feature = "obj", feature = "ply", feature = "stl"))]
#[cfg_attr(
    not(all(feature = "obj", feature = "ply", feature = "stl")),
    allow(dead_code, reason = "each format needs a part of it")
)]
mod text;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

pub use self::folder::Folder;
#[cfg(feature = "gltf")]
use self::gltf::{glb, gltf_json};
pub use self::images::{embed_images, image_files};
use crate::scene::{Conventions, Scene, SceneOptions};
use crate::{Error, Limits, Loss, Result};

/// The parser of OBJ by pieces, for the tests that compare them with the whole.
#[cfg(all(feature = "obj", feature = "proptest"))]
#[doc(hidden)]
pub mod __private {
    pub use super::obj::{Sizes, outcome};
}

/// Files beside the one that is read or written: buffers of glTF, materials of OBJ, images.
pub trait Files {
    /// The first bytes of a file that the one to be read refers to: all of them, but at most `limit`. Files come from
    /// strangers: a name may be that of a device without end, or lead to another folder by a link.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be read. The message need not repeat the name.
    /// [`io::ErrorKind::Unsupported`] rejects the name: then glTF is invalid, rather than unreadable.
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>>;

    /// A new file to be written.
    ///
    /// # Errors
    ///
    /// If it cannot be made. [`io::ErrorKind::Unsupported`] says that there is no place for files beside the one that is
    /// written: then glTF has its numbers in itself, and OBJ goes without colours and textures of materials.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>>;

    /// Writes an image as a new file. An implementation may keep an existing file with this content.
    ///
    /// # Errors
    ///
    /// As [`create`](Files::create); also if writing fails.
    fn create_image(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.create(name)?.write_all(bytes)
    }
}

/// Files in memory.
impl Files for BTreeMap<String, Vec<u8>> {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let Some(content) = self.get(name) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "not found"));
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(content[..content.len().min(limit)].to_vec())
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        let file = self.entry(name.to_owned()).or_default();
        file.clear();
        Ok(Box::new(file))
    }
}

macro_rules! interchange {
    ($($(#[$doc:meta])* $variant:ident $module:ident $feature:literal $name:literal $title:literal $summary:literal,)*) => {
        /// One of the interchange formats that are built in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Interchange {
            $($(#[$doc])* #[cfg(feature = $feature)] $variant,)*
        }

        #[allow(unused_variables, unreachable_code, reason = "without any format nothing takes them")]
        impl Interchange {
            /// The formats that are built in.
            pub const ALL: &[Interchange] = &[$(#[cfg(feature = $feature)] Interchange::$variant,)*];

            /// The name, as the command line takes it, which is the extension of its files.
            pub fn name(self) -> &'static str {
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => $name,)*
                }
            }

            /// The name as people write it.
            pub fn title(self) -> &'static str {
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => $title,)*
                }
            }

            /// The format in a phrase.
            pub fn summary(self) -> &'static str {
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => $summary,)*
                }
            }

            /// How files of the format are taken to understand space.
            pub fn conventions(self) -> Conventions {
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => $module::CONVENTIONS,)*
                }
            }

            /// The scene in a file, with a list of what a scene cannot hold.
            ///
            /// # Errors
            ///
            /// If the bytes, or files that they refer to, are not as the format requires, or the scene has more triangles
            /// or vertices than the limits allow.
            pub fn read(
                self, bytes: &[u8], files: &dyn Files, options: &SceneOptions, limits: &Limits,
            ) -> Result<(Scene, Vec<Loss>)> {
                let read: Result<(Scene, Vec<Loss>)> = match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => {
                        $module::read(bytes, files, options, limits)
                    })*
                };
                read.and_then(|(scene, losses)| scene.require_triangles(limits).map(|()| (scene, losses)))
            }

            /// Whether files of the format refer to images, by paths relative to their folder. Writing them copies no image
            /// files: [`image_files`] lists those that the scene refers to.
            pub fn has_textures(self) -> bool {
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => $module::CAPABILITIES.textures,)*
                }
            }

            /// Whether files of the format hold images themselves: see [`embed_images`].
            pub fn embeds_images(self) -> bool {
                matches!(self.name(), "glb" | "gltf")
            }

            /// Whether [`read_from`](Interchange::read_from) reads part by part, so that the file need not fit into
            /// memory: OBJ.
            pub fn is_read_in_parts(self) -> bool {
                self.name() == "obj"
            }

            /// As [`read`](Interchange::read), from a stream. Files of formats that are not
            /// [read in parts](Interchange::is_read_in_parts) are read to their end first.
            ///
            /// # Errors
            ///
            /// If reading fails, or as for [`read`](Interchange::read).
            pub fn read_from(
                self, input: &mut (dyn Read + Send), files: &dyn Files, options: &SceneOptions, limits: &Limits,
            ) -> Result<(Scene, Vec<Loss>)> {
                #[cfg(feature = "obj")]
                if self.is_read_in_parts() {
                    return obj::read_from(input, files, options, limits);
                }
                let mut bytes = Vec::new();
                input.read_to_end(&mut bytes)?;
                self.read(&bytes, files, options, limits)
            }

            /// Writes the scene as the file of this name and others beside it that have its stem. Returns a list of
            /// what the format cannot hold.
            ///
            /// # Errors
            ///
            /// If the format cannot express the scene, or writing fails.
            pub fn write(
                self, scene: Scene, name: &str, files: &mut dyn Files, options: &SceneOptions,
            ) -> Result<Vec<Loss>> {
                scene.check()?;
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => {
                        $module::write(scene, name, files, options)
                    })*
                }
            }
        }
    };
}

interchange! {
    /// Wavefront OBJ, with MTL.
    Obj obj "obj" "obj" "Wavefront OBJ" "polygons, materials with colours and textures",
    /// Stanford PLY.
    Ply ply "ply" "ply" "Stanford PLY" "polygons, attributes of any name",
    /// STL, of 3D Systems.
    Stl stl "stl" "stl" "STL" "triangles with a normal each",
    /// glTF 2.0 in one file.
    Glb glb "gltf" "glb" "glTF 2.0 binary" "one file: meshes, skins, animations",
    /// glTF 2.0 as JSON with a file of numbers beside it.
    Gltf gltf_json "gltf" "gltf" "glTF 2.0" "JSON with a .bin beside it: meshes, skins, animations",
}

impl Interchange {
    /// The format that has the extension of this path.
    pub fn by_extension(path: &Path) -> Option<Interchange> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Interchange::ALL.iter().find(|format| format.name() == extension).copied()
    }
}

impl fmt::Display for Interchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Interchange {
    type Err = Error;

    fn from_str(name: &str) -> Result<Interchange> {
        Interchange::ALL.iter().find(|format| format.name() == name).copied().ok_or_else(|| {
            let names: Vec<_> = Interchange::ALL.iter().map(|format| format.name()).collect();
            let message = format!("unknown format `{name}`; there are {}", names.join(", "));
            Error::unsupported(message)
        })
    }
}
