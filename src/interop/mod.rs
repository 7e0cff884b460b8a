//! Interchange formats: to and from [scenes](crate::scene).

mod check;
mod detect;
#[cfg(feature = "gltf")]
mod gltf;
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

#[cfg(feature = "gltf")]
use self::gltf::{glb, gltf_json};
use crate::scene::{Conventions, Scene, SceneOptions};
use crate::{Error, Limits, Loss, Result};

/// Files beside the one that is read or written: buffers of glTF, materials of OBJ.
pub trait Files {
    /// The content of a file that the one to be read refers to.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be read.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// A new file to be written.
    ///
    /// # Errors
    ///
    /// If it cannot be made. [`io::ErrorKind::Unsupported`] says that there is no place for files beside the one that is
    /// written: then glTF has its numbers in itself, and OBJ goes without colours of materials.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>>;
}

/// Files in memory.
impl Files for BTreeMap<String, Vec<u8>> {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.get(name).cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not found"))
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

        #[allow(unused_variables, reason = "without any format nothing takes them")]
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
            /// If the bytes, or files that they refer to, are not as the format requires.
            pub fn read(
                self, bytes: &[u8], files: &dyn Files, options: &SceneOptions, limits: &Limits,
            ) -> Result<(Scene, Vec<Loss>)> {
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => {
                        $module::read(bytes, files, options, limits)
                    })*
                }
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
    Obj obj "obj" "obj" "Wavefront OBJ" "polygons, materials as names and colours",
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
