//! Scenes and JSON documents of formats chosen at run time.

#[cfg(feature = "serde")]
use serde::{Serialize, de::DeserializeOwned};

use super::AnyFormat;
#[cfg(feature = "serde")]
use super::{Format, data};
#[cfg(feature = "serde")]
use crate::ErrorKind;
#[cfg(feature = "scene")]
use crate::Loss;
#[cfg(feature = "scene")]
use crate::info::Info;
#[cfg(feature = "scene")]
use crate::scene::{Conventions, FromScene, Scene, SceneOptions, ToScene};
use crate::{Error, ReadOptions, Result, WriteOptions};

/// Decodes a file to a scene.
#[cfg(feature = "scene")]
type ReadScene = fn(&[u8], &ReadOptions, &SceneOptions) -> Result<(Scene, Vec<Loss>)>;

/// Encodes a scene as a file.
#[cfg(feature = "scene")]
type WriteScene = fn(Scene, &SceneOptions, &WriteOptions) -> Result<(Vec<u8>, Vec<Loss>)>;

/// Conversion between files of a format and scenes.
#[cfg(feature = "scene")]
#[derive(Clone, Copy)]
pub(super) struct Scenes {
    conventions: Conventions,
    read: ReadScene,
    /// The writer, and whether the format needs normals.
    write: Option<(WriteScene, bool)>,
}

/// Conversion between files of a format and JSON documents.
#[cfg(feature = "serde")]
#[derive(Clone, Copy)]
pub(super) struct Data {
    write: fn(&[u8], &ReadOptions) -> Result<String>,
    read: fn(&[u8], &WriteOptions) -> Result<Vec<u8>>,
}

#[cfg(feature = "scene")]
impl AnyFormat {
    /// Adds conversion of files to scenes. Summaries then list the scene's meshes.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{AnyFormat, mesh};
    ///
    /// let format = AnyFormat::of::<mesh::Document>().to_scenes::<mesh::Document>();
    /// assert!(format.conventions().is_some());
    /// # }
    /// ```
    pub const fn to_scenes<T: ToScene>(mut self) -> AnyFormat {
        let read: ReadScene = |bytes, options, scene| T::read(bytes, options)?.into_scene(scene);
        self.scenes = Some(Scenes { conventions: T::CONVENTIONS, read, write: None });
        self.info = info::<T>;
        self
    }

    /// Adds conversion between files and scenes, both ways.
    pub const fn with_scenes<T: FromScene>(mut self) -> AnyFormat {
        let read: ReadScene = |bytes, options, scene| T::read(bytes, options)?.into_scene(scene);
        let write: WriteScene = |scene, options, writing| {
            let (document, losses) = T::from_scene(scene, options)?;
            Ok((document.write(writing)?, losses))
        };
        let write = Some((write, T::NEEDS_NORMALS));
        self.scenes = Some(Scenes { conventions: T::CONVENTIONS, read, write });
        self.info = info::<T>;
        self
    }

    /// The axes, unit and texture origin of the format; `None` for a format without scenes.
    pub fn conventions(self) -> Option<Conventions> {
        self.scenes.map(|scenes| scenes.conventions)
    }

    /// Returns `true` if scenes can be written in the format.
    pub fn writes_scenes(self) -> bool {
        self.scenes.is_some_and(|scenes| scenes.write.is_some())
    }

    /// Returns `true` if software for this format needs normals. See [`FromScene::NEEDS_NORMALS`].
    pub fn needs_normals(self) -> bool {
        self.scenes.and_then(|scenes| scenes.write).is_some_and(|(_, needs_normals)| needs_normals)
    }

    /// Decodes a file to a scene. Also returns what the scene cannot hold.
    ///
    /// # Errors
    ///
    /// If the format has no scenes, or the file is rejected.
    pub fn read_scene(
        self,
        bytes: &[u8],
        options: &ReadOptions,
        scene: &SceneOptions,
    ) -> Result<(Scene, Vec<Loss>)> {
        let Some(scenes) = self.scenes else { return Err(self.lacks("scenes")) };
        let (scene, losses) = (scenes.read)(bytes, options, scene)?;
        scene.check().map_err(|error| error.in_format(self.name()))?;
        Ok((scene, losses))
    }

    /// Encodes a scene as a file. Also returns what the format cannot hold.
    ///
    /// # Errors
    ///
    /// If the format cannot be written from scenes, or cannot express this one.
    pub fn write_scene(
        self,
        scene: Scene,
        options: &SceneOptions,
        writing: &WriteOptions,
    ) -> Result<(Vec<u8>, Vec<Loss>)> {
        scene.check()?;
        match self.scenes.and_then(|scenes| scenes.write) {
            Some((write, _)) => write(scene, options, writing),
            None => Err(self.lacks("conversion from scenes")),
        }
    }
}

/// Summarizes a file: its declared values and the meshes of its scene.
#[cfg(feature = "scene")]
fn info<T: ToScene>(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
    let info = T::info_of(bytes, options)?;
    let (scene, _) = T::read(bytes, options)?.into_scene(&SceneOptions::default())?;
    let scene = scene.info();
    Ok(Info {
        meshes: scene.meshes.into_iter().map(|(mesh, _)| mesh).collect(),
        skeleton: scene.skeleton,
        animations: scene.animations,
        materials: scene.materials,
        ..info
    })
}

#[cfg(feature = "serde")]
impl AnyFormat {
    /// Adds conversion between files and JSON documents, through serde.
    pub const fn with_json<T: Format + Serialize + DeserializeOwned>(mut self) -> AnyFormat {
        self.data = Some(Data { write: write_json::<T>, read: read_json::<T> });
        self
    }

    /// Returns `true` if documents of the format can be written as JSON.
    pub fn has_json(self) -> bool {
        self.data.is_some()
    }

    /// Decodes a file and writes the document as JSON, with the name of the format.
    ///
    /// # Errors
    ///
    /// If the format has no JSON, or the file is rejected.
    pub fn write_json(self, bytes: &[u8], options: &ReadOptions) -> Result<String> {
        let Some(data) = self.data else { return Err(self.lacks("JSON documents")) };
        (data.write)(bytes, options)
    }

    /// Reads a document as JSON and encodes it as a file.
    ///
    /// # Errors
    ///
    /// If the format has no JSON, the text is not a document of the format, or the document cannot be written.
    pub fn read_json(self, text: &[u8], options: &WriteOptions) -> Result<Vec<u8>> {
        let Some(data) = self.data else { return Err(self.lacks("JSON documents")) };
        (data.read)(text, options)
    }
}

#[cfg(feature = "serde")]
fn write_json<T: Format + Serialize>(bytes: &[u8], options: &ReadOptions) -> Result<String> {
    #[derive(Serialize)]
    struct Tagged<T> {
        format: &'static str,
        #[serde(flatten)]
        document: T,
    }
    let tagged = Tagged { format: T::ABOUT.name, document: T::read(bytes, options)? };
    serde_json::to_string_pretty(&tagged)
        .map_err(|error| Error::new(ErrorKind::Inexpressible, error).in_format(T::ABOUT.name))
}

#[cfg(feature = "serde")]
fn read_json<T: Format + DeserializeOwned>(text: &[u8], options: &WriteOptions) -> Result<Vec<u8>> {
    let document = data::without_format::<T, _>(&mut serde_json::Deserializer::from_slice(text));
    document.map_err(|error| Error::malformed(error).in_format(T::ABOUT.name))?.write(options)
}

impl AnyFormat {
    fn lacks(self, what: &str) -> Error {
        Error::unsupported(format!("the format has no {what}")).in_format(self.name())
    }
}
