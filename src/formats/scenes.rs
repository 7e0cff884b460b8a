//! Conversion between files and scenes, for formats chosen at run time.

use super::any::{ReadScene, SceneFunctions, WriteScene};
use super::{AnyFormat, Document};
use crate::info::Info;
use crate::scene::{Conventions, FromScene, Scene, SceneOptions, SourceFields, ToScene};
use crate::{FormatId, Loss, ReadOptions, Result, WriteOptions};

impl AnyFormat {
    /// Adds conversion of files to scenes. Summaries then include the contents of the scene.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{AnyFormat, mesh};
    ///
    /// let format = AnyFormat::of::<mesh::Document>().with_scene_reader::<mesh::Document>();
    /// assert!(format.conventions().is_some());
    /// # }
    /// ```
    pub const fn with_scene_reader<T: ToScene>(mut self) -> AnyFormat {
        let read: ReadScene = |bytes, options, scene| T::read(bytes, options)?.into_scene(scene);
        self.scenes = Some(SceneFunctions {
            conventions: T::CONVENTIONS,
            read,
            write: None,
            needs_normals: false,
        });
        self.info = info_with_scene::<T>;
        self
    }

    /// Like [`with_scene_reader`](AnyFormat::with_scene_reader), but also adds conversion of scenes to files.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{AnyFormat, mesh};
    ///
    /// let format = AnyFormat::of::<mesh::Document>().with_scenes::<mesh::Document>();
    /// assert!(format.can_write_scenes());
    /// # }
    /// ```
    pub const fn with_scenes<T: FromScene>(self) -> AnyFormat {
        let write: WriteScene = |scene, options, write_options| {
            let (document, losses) = T::from_scene(scene, options)?;
            Ok((document.write(write_options)?, losses))
        };
        let mut format = self.with_scene_reader::<T>();
        if let Some(scenes) = &mut format.scenes {
            (scenes.write, scenes.needs_normals) = (Some(write), T::NEEDS_NORMALS);
        }
        format
    }

    /// Summarises files as `other` does.
    pub(super) fn with_info_of(mut self, other: AnyFormat) -> AnyFormat {
        self.info = other.info;
        self
    }

    /// Returns the axes, unit and texture origin of the format; `None` if it cannot be converted to scenes.
    pub fn conventions(self) -> Option<Conventions> {
        self.scenes.map(|scenes| scenes.conventions)
    }

    /// Returns `true` if scenes can be written in the format.
    pub fn can_write_scenes(self) -> bool {
        self.scenes.is_some_and(|scenes| scenes.write.is_some())
    }

    /// Returns `true` if readers of this format require normals. See [`FromScene::NEEDS_NORMALS`].
    pub fn needs_normals(self) -> bool {
        self.scenes.is_some_and(|scenes| scenes.needs_normals)
    }

    /// Decodes a file to a scene. Also returns the losses: data that a scene cannot represent, and bytes that no field
    /// covers.
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot be converted to scenes, or the file is rejected or inconsistent.
    pub fn read_scene(
        self,
        bytes: &[u8],
        options: &ReadOptions,
        scene: &SceneOptions,
    ) -> Result<(Scene, Vec<Loss>)> {
        let Some(scenes) = self.scenes else {
            return Err(self.missing_error("scenes"));
        };
        let (scene, mut losses) = (scenes.read)(bytes, options, scene)?;
        scene
            .check()
            .map_err(|error| error.in_format(self.name()))?;
        losses.extend(self.uncovered_bytes(bytes, options));
        Ok((scene, losses))
    }

    /// Encodes a scene as a file. Also returns the losses: data that the format cannot represent.
    ///
    /// ```
    /// # #[cfg(all(feature = "mesh", feature = "crucible"))] {
    /// use meshspec::{AnyFormat, FormatId};
    ///
    /// let [from, to] = [FormatId::Crucible, FormatId::Mesh].map(AnyFormat::from);
    /// let bytes = std::fs::read("samples/crucible/tetrahedron.crmesh")?;
    /// let (scene, losses) = from.read_scene(&bytes, &Default::default(), &Default::default())?;
    /// let (bytes, more_losses) = to.write_scene(scene, &Default::default(), &Default::default())?;
    /// assert_eq!(meshspec::detect(&bytes, None)?.format, FormatId::Mesh);
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the scene is inconsistent, or the format has no conversion from scenes or cannot express it.
    pub fn write_scene(
        self,
        scene: Scene,
        options: &SceneOptions,
        write_options: &WriteOptions,
    ) -> Result<(Vec<u8>, Vec<Loss>)> {
        scene.check()?;
        match self.scenes.and_then(|scenes| scenes.write) {
            Some(write) => write(scene, options, write_options),
            None => Err(self.missing_error("conversion from scenes")),
        }
    }
}

/// Summarises a file: its properties, and the meshes, skeleton, animations and materials of its scene.
fn info_with_scene<T: ToScene>(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
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

/// Returns the loss for a name that is not UTF-8; otherwise `None`.
#[cfg(any(feature = "mesh", feature = "bmd"))]
pub(super) fn utf8_loss(path: String, name: &crate::Text) -> Option<Loss> {
    let text = name.to_string();
    (text.as_bytes() != name.as_bytes()).then(|| {
        Loss::renamed(path, "invalid UTF-8 replaced")
            .with_detail(format_args!("{name:?} becomes \"{text}\""))
    })
}

impl FormatId {
    /// Returns the axes, unit and texture origin of the format, with the evidence for them.
    pub fn conventions(self) -> Conventions {
        with_format!(self, FormatId {}, |D| D::CONVENTIONS)
    }

    /// Returns `true` if readers of this format require normals. If so, `meshspec convert` generates missing normals.
    pub fn needs_normals(self) -> bool {
        with_format!(self, FormatId {}, |D| D::NEEDS_NORMALS)
    }
}

impl Document {
    /// Converts the document to a [scene](crate::scene). Also returns the losses: data that a scene cannot represent.
    ///
    /// # Errors
    ///
    /// Returns an error if the document is inconsistent, which is possible after lenient reading.
    pub fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let format = self.format();
        let (scene, losses) = with_format!(self, Document(document), |D| D::into_scene(
            document, options
        )?);
        Scene::check(&scene).map_err(|error| error.in_format(format))?;
        Ok((scene, losses))
    }

    /// Returns the paths of the source fields of each mesh, joint and animation in the scene.
    pub fn source_fields(&self) -> SourceFields {
        with_format!(*self, Document(ref document), |D| D::source_fields(
            document
        ))
    }

    /// Converts a scene to a document of `format`. Also returns the losses: data that the format cannot represent.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene is inconsistent, or the format cannot express it at all.
    pub fn from_scene(
        format: FormatId,
        scene: Scene,
        options: &SceneOptions,
    ) -> Result<(Document, Vec<Loss>)> {
        scene.check()?;
        with_format!(format, FormatId {}, |D| {
            let (document, losses) = D::from_scene(scene, options)?;
            Ok((document.into(), losses))
        })
    }
}
