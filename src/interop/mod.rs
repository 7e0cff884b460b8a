//! Interchange formats, which are read and written as [scenes](crate::scene).

mod check;
mod detect;
mod folder;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg_attr(
    not(all(feature = "gltf", feature = "obj", feature = "ply")),
    allow(dead_code, reason = "unused if only some formats are enabled")
)]
mod images;
#[cfg(feature = "obj")]
mod obj;
#[cfg(feature = "ply")]
mod ply;
#[cfg_attr(
    not(all(feature = "gltf", feature = "obj", feature = "ply")),
    allow(dead_code, reason = "unused if only some formats are enabled")
)]
mod references;
#[cfg(any(feature = "gltf", feature = "obj"))]
mod texture_transform;
/// The shared code of OBJ, PLY and STL.
#[cfg(any(feature = "obj", feature = "ply", feature = "stl"))]
#[cfg_attr(
    not(all(feature = "obj", feature = "ply", feature = "stl")),
    allow(dead_code, reason = "unused if only some formats are enabled")
)]
mod shared {
    pub(super) mod colors;
    pub(super) mod meshes;
    pub(super) mod polygons;
    pub(super) mod positions;
    pub(super) mod text;
}
#[cfg(feature = "stl")]
mod stl;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

pub use self::folder::{Folder, from_name, to_name};
pub use self::images::{embed_images, image_files};
use crate::read_file::read_rest;
use crate::scene::{Capabilities, Conventions, Scene, SceneOptions};
use crate::{Error, Limits, Loss, Result};

/// The parallel parser of OBJ, for tests that compare it with sequential parsing.
#[cfg(all(feature = "obj", feature = "proptest"))]
#[doc(hidden)]
pub mod __private {
    pub use super::obj::{ParseSizes, parse_to_debug};
}

/// The companion files of a model: glTF buffers, OBJ material libraries and images. Writing also creates the model
/// file. [`Folder`] stores files in a folder, and `BTreeMap` in memory.
///
/// Names represent paths relative to the model, see [`to_name`] and [`from_name`].
///
/// ```
/// # #[cfg(all(feature = "mesh", feature = "gltf"))] {
/// use std::collections::BTreeMap;
///
/// use meshspec::interop::Interchange;
/// use meshspec::scene::Scene;
///
/// let (scene, _) = Scene::open("samples/mesh/flag.mesh")?;
/// let mut files = BTreeMap::<String, Vec<u8>>::new();
/// Interchange::Gltf.write(scene, "flag.gltf", &mut files, &Default::default())?;
/// assert!(files.keys().eq(["flag.bin", "flag.gltf"]));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
pub trait Files {
    /// Reads at most the first `limit` bytes of a companion file.
    ///
    /// Names come from untrusted files. They may refer to endless devices, or to links that lead outside the folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is missing or unreadable. The message need not repeat the name. The kind
    /// [`io::ErrorKind::Unsupported`] means that the name is not allowed.
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>>;

    /// Creates a companion file or the model file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be created. The kind [`io::ErrorKind::Unsupported`] means that companion
    /// files are unsupported. In that case, glTF embeds its buffer, OBJ omits material colours and textures, and PLY
    /// omits embedded images.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>>;

    /// Writes an image file. Implementations may keep an existing file that has the same content.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be created (see [`create`](Files::create)) or written.
    fn create_image(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.create(name)?.write_all(bytes)
    }
}

/// Companion files in memory.
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

/// The entry of a format in the table below.
struct Entry {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    conventions: Conventions,
    capabilities: Capabilities,
    read: fn(&[u8], &dyn Files, &SceneOptions, &Limits) -> ReadResult,
    write: fn(Scene, &str, &mut dyn Files, &SceneOptions) -> WriteResult,
}

/// A scene, and the losses recorded while reading it.
type ReadResult = Result<(Scene, Vec<Loss>)>;

/// The losses recorded while writing a scene.
type WriteResult = Result<Vec<Loss>>;

macro_rules! interchange {
    ($(
        $(#[$doc:meta])*
        $variant:ident $feature:literal $module:ident $write:ident $name:literal $title:literal $summary:literal,
    )*) => {
        /// A built-in interchange format.
        ///
        /// ```
        /// # #[cfg(feature = "obj")] {
        /// # use std::collections::BTreeMap;
        /// use meshspec::interop::Interchange;
        ///
        /// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        /// let format = Interchange::detect(text).unwrap();
        /// assert_eq!(Interchange::by_extension("robot.OBJ".as_ref()), Some(format));
        /// let (files, options, limits) = (BTreeMap::new(), Default::default(), Default::default());
        /// assert!(format.check(text, &files, &Default::default())?.findings().is_empty());
        /// let (scene, _) = format.read_from(&mut &text[..], &files, &options, &limits)?;
        /// assert_eq!((format.title(), scene.triangles().count()), ("Wavefront OBJ", 1));
        /// # }
        /// # Ok::<(), meshspec::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Interchange {
            $($(#[$doc])* #[cfg(feature = $feature)] $variant,)*
        }

        impl Interchange {
            /// The built-in formats whose features are enabled.
            pub const ALL: &[Interchange] = &[$(#[cfg(feature = $feature)] Interchange::$variant,)*];

            fn entry(self) -> Entry {
                match self {
                    $(#[cfg(feature = $feature)] Interchange::$variant => Entry {
                        name: $name,
                        title: $title,
                        summary: $summary,
                        conventions: $module::CONVENTIONS,
                        capabilities: $module::CAPABILITIES,
                        read: $module::read,
                        write: $module::$write,
                    },)*
                }
            }
        }
    };
}

// Variant, feature, module, write function, name, title and summary.
interchange! {
    /// Wavefront OBJ, with MTL.
    Obj "obj" obj write "obj" "Wavefront OBJ" "polygons, materials with colours and textures",
    /// Stanford PLY.
    Ply "ply" ply write "ply" "Stanford PLY" "polygons, attributes of any name",
    /// STL by 3D Systems.
    Stl "stl" stl write "stl" "STL" "triangles with a normal each",
    /// glTF 2.0 in one binary file.
    Glb "gltf" gltf write_glb "glb" "glTF 2.0 binary" "one file: meshes, skins, animations",
    /// glTF 2.0 as JSON with a separate buffer file.
    Gltf "gltf" gltf write_json "gltf" "glTF 2.0" "JSON with a separate .bin file: meshes, skins, animations",
}

impl Interchange {
    /// Returns the name used on the command line, which is also the file extension.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns the display name.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// Returns a short description of the format.
    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// Returns the conventions assumed for files of the format.
    pub fn conventions(self) -> Conventions {
        self.entry().conventions
    }

    /// Reads a file as a scene, and lists the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is invalid, a required companion file is missing or invalid, or a limit is
    /// exceeded.
    pub fn read(
        self,
        bytes: &[u8],
        files: &dyn Files,
        options: &SceneOptions,
        limits: &Limits,
    ) -> Result<(Scene, Vec<Loss>)> {
        let (scene, losses) = (self.entry().read)(bytes, files, options, limits)?;
        finish_reading(scene, losses, limits)
    }

    /// Returns `true` if files of the format can refer to images by paths relative to the model. Writing does not copy
    /// these image files; [`image_files`] lists them.
    ///
    /// ```
    /// use meshspec::interop::Interchange;
    ///
    /// for format in Interchange::ALL {
    ///     println!("{}: {}, textures: {}", format.title(), format.summary(), format.has_textures());
    ///     assert!(format.has_textures() || !format.embeds_images());
    /// }
    /// ```
    pub fn has_textures(self) -> bool {
        self.entry().capabilities.textures
    }

    /// Returns `true` if files of the format can embed images; see [`embed_images`].
    pub fn embeds_images(self) -> bool {
        matches!(self.name(), "glb" | "gltf")
    }

    /// Returns `true` if [`read_from`](Interchange::read_from) streams files of the format, so that they need not fit
    /// into memory. This is the case for OBJ only.
    pub fn is_read_in_parts(self) -> bool {
        self.name() == "obj"
    }

    /// Like [`read`](Interchange::read), but from a stream. Loads the entire file first, up to
    /// [`Limits::max_file_size`], unless the format is [read in parts](Interchange::is_read_in_parts).
    ///
    /// # Errors
    ///
    /// Returns an error if the stream cannot be read, or for one of the reasons listed in [`read`](Interchange::read).
    pub fn read_from(
        self,
        input: &mut (dyn Read + Send),
        files: &dyn Files,
        options: &SceneOptions,
        limits: &Limits,
    ) -> Result<(Scene, Vec<Loss>)> {
        #[cfg(feature = "obj")]
        if self.is_read_in_parts() {
            let (scene, losses) = obj::read_from(input, files, options, limits)?;
            return finish_reading(scene, losses, limits);
        }
        let mut bytes = Vec::new();
        read_rest(input, None, limits, &mut bytes)?;
        self.read(&bytes, files, options, limits)
    }

    /// Writes a scene to the file `name`, and to companion files named after its stem. Returns the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene is inconsistent, the format cannot express it, or writing fails.
    pub fn write(
        self,
        mut scene: Scene,
        name: &str,
        files: &mut dyn Files,
        options: &SceneOptions,
    ) -> Result<Vec<Loss>> {
        scene.check()?;
        let mut losses = Vec::new();
        drop_unused_non_finite(&mut scene, &mut losses);
        losses.extend((self.entry().write)(scene, name, files, options)?);
        Ok(losses)
    }

    /// Returns the format with the extension of `path`, ignoring case; `None` if no format has this extension.
    pub fn by_extension(path: &Path) -> Option<Interchange> {
        path.extension()?
            .to_str()?
            .to_ascii_lowercase()
            .parse()
            .ok()
    }
}

/// Checks the limits on a scene that was read, and drops vertices that are not finite and that no face uses, so that
/// they reach no target.
fn finish_reading(
    mut scene: Scene,
    mut losses: Vec<Loss>,
    limits: &Limits,
) -> Result<(Scene, Vec<Loss>)> {
    scene.check_triangle_limit(limits)?;
    drop_unused_non_finite(&mut scene, &mut losses);
    Ok((scene, losses))
}

fn drop_unused_non_finite(scene: &mut Scene, losses: &mut Vec<Loss>) {
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        mesh.drop_unused_non_finite(&format!("meshes[{index}]"), losses);
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
        Interchange::ALL
            .iter()
            .find(|format| format.name() == name)
            .copied()
            .ok_or_else(|| {
                let names: Vec<_> = Interchange::ALL
                    .iter()
                    .map(|format| format.name())
                    .collect();
                Error::unsupported(format!(
                    "unknown format `{name}`; expected one of {}",
                    names.join(", ")
                ))
            })
    }
}
