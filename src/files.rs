//! Reading and writing scenes by file path.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::interop::{Folder, Interchange, from_name, to_name};
use crate::read_file::read_file;
use crate::scene::{Scene, SceneOptions};
use crate::{AnyFormat, Error, Formats, Loss, ReadOptions, Result, WriteOptions};

impl Scene {
    /// Reads a file in any built-in or interchange format. Returns the scene and the losses.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, losses) = Scene::open("samples/mesh/flag.mesh")?;
    /// assert_eq!((scene.meshes.len(), losses.len()), (1, 0));
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has an unknown format, is rejected by strict reading, or cannot be
    /// converted. The message starts with the path.
    pub fn open(path: impl AsRef<Path>) -> Result<(Scene, Vec<Loss>)> {
        Scene::open_with(path, &ReadOptions::default())
    }

    /// Reads a file with options, for example leniently. Only the strictness and the limits affect interchange formats.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::ReadOptions;
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, _) = Scene::open_with("samples/mesh/flag.mesh", &ReadOptions::lenient())?;
    /// assert_eq!(scene.meshes.len(), 1);
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has an unknown format, is rejected by `options`, or cannot be
    /// converted.
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<(Scene, Vec<Loss>)> {
        Formats::builtin().open_scene(path, options)
    }

    /// Writes the scene to `path`, and any companion files next to it. The extension selects a built-in or interchange
    /// format. Overwrites existing files. Returns the losses. BMD requires normals: for a mesh without normals, the
    /// directions of the positions are written, and the loss is listed.
    /// [Generate](crate::scene::Mesh::generate_normals) normals first to avoid this loss.
    ///
    /// ```no_run
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, lost) = Scene::open("robot.glb")?;
    /// let lost_too = scene.save("robot.bmd")?;
    /// lost.iter().chain(&lost_too).for_each(|loss| eprintln!("{loss}"));
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// Two formats share the extension `.mesh`: Seed is written if the scene was read from Seed, otherwise MESH.
    /// [`save_as`](Scene::save_as) writes either.
    ///
    /// # Errors
    ///
    /// Returns an error if the extension is unknown, the format cannot express the scene, or writing fails. The message
    /// starts with the path. Files are written atomically, after the conversion succeeds.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Vec<Loss>> {
        Formats::builtin().save_scene(self, path, None, &SceneOptions::default())
    }

    /// Like [`save`](Scene::save), but writes a file of `format`, a built-in or custom format, whatever the extension of
    /// `path`.
    ///
    /// ```no_run
    /// # #[cfg(feature = "seed")] {
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, _) = Scene::open("robot.glb")?;
    /// scene.save_as(meshspec::seed::FORMAT, "robot.mesh")?;
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot express the scene, or writing fails. The message starts with the path.
    pub fn save_as(&self, format: AnyFormat, path: impl AsRef<Path>) -> Result<Vec<Loss>> {
        Formats::builtin().save_scene(self, path, Some(format), &SceneOptions::default())
    }
}

impl Formats {
    /// Reads a file in any of these formats or an interchange format. Returns the scene and the losses. Only the
    /// strictness and the limits affect interchange formats.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::{Formats, mesh};
    ///
    /// let formats = Formats::new().with::<mesh::Document>()?;
    /// let (scene, losses) = formats.open_scene("samples/mesh/flag.mesh", &Default::default())?;
    /// assert_eq!((scene.meshes.len(), losses.len()), (1, 0));
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has an unknown format, is rejected by `options`, or cannot be
    /// converted. The message starts with the path.
    pub fn open_scene(
        &self,
        path: impl AsRef<Path>,
        options: &ReadOptions,
    ) -> Result<(Scene, Vec<Loss>)> {
        let path = path.as_ref();
        let scene_options = SceneOptions::default().with_strictness(options.strictness);
        let is_possible =
            |start: &[u8], size| self.may_detect(start) || Interchange::may_detect(start, size);
        let read = |bytes: Vec<u8>| match Interchange::detect(&bytes) {
            Some(format) => format.read(&bytes, &Folder::of(path), &scene_options, &options.limits),
            None => {
                let detected = self.detect_without(&interchange_names(), &bytes, path)?;
                let options = detected.with_detected_dialect(options);
                detected.format.read_scene(&bytes, &options, &scene_options)
            }
        };
        read_file(path, &options.limits, is_possible)
            .and_then(read)
            .map_err(|error| error.in_file(path))
    }

    /// Writes a scene to `path`, and any companion files next to it, in `format`. If it is `None`, the extension selects
    /// one of these formats or an interchange format. Overwrites existing files. Returns the losses. See
    /// [`Scene::save`].
    ///
    /// ```no_run
    /// # #[cfg(all(feature = "mesh", feature = "seed"))] {
    /// use meshspec::scene::{Precision, SceneOptions};
    /// use meshspec::{Formats, bmd};
    ///
    /// let formats = Formats::builtin();
    /// let (scene, lost) = formats.open_scene("robot.glb", &Default::default())?;
    /// let mut options = SceneOptions::default();
    /// options.precision = Some(Precision::MaxError(0.001));
    /// let lost_too = formats.save_scene(&scene, "robot.bmd", Some(bmd::FORMAT), &options)?;
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the extension is unknown, the format cannot express the scene, or writing fails. The message
    /// starts with the path. Files are written atomically, after the conversion succeeds.
    pub fn save_scene(
        &self,
        scene: &Scene,
        path: impl AsRef<Path>,
        format: Option<AnyFormat>,
        options: &SceneOptions,
    ) -> Result<Vec<Loss>> {
        let path = path.as_ref();
        if format.is_none() && Interchange::by_extension(path).is_some() {
            return Interchange::save_with(scene, path, options);
        }
        let source = scene
            .source
            .as_ref()
            .and_then(|source| self.get(&source.format).ok());
        let Some(format) = format.or_else(|| self.for_output(path, source)) else {
            return Err(self.extension_error(path));
        };
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let options = options.clone().with_extension(extension);
        let written = format.write_scene(scene.clone(), &options, &WriteOptions::default());
        let (bytes, losses) = written.map_err(|error| error.in_file(path))?;
        write_atomically(path, &bytes)?;
        Ok(losses)
    }

    /// Returns the error for a path whose extension selects no format, or several.
    fn extension_error(&self, path: &Path) -> Error {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let sharing = self
            .iter()
            .filter(|format| format.about().has_extension(&extension));
        let sharing: Vec<_> = sharing.map(|format| format.name()).collect();
        let message = if sharing.is_empty() {
            let mut expected = interchange_names();
            for extension in self.iter().flat_map(|format| format.about().extensions) {
                if !expected.contains(extension) {
                    expected.push(extension);
                }
            }
            format!("unknown extension, expected one of {}", expected.join(", "))
        } else {
            let formats = sharing.join(" and ");
            format!("`.{extension}` is an extension of {formats}: name the format")
        };
        Error::unsupported(message).in_file(path)
    }
}

impl Interchange {
    /// Writes a scene to `path`, and any companion files next to it. The extension selects the format. Overwrites
    /// existing files. Returns the losses.
    ///
    /// ```no_run
    /// use meshspec::interop::Interchange;
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, lost) = Scene::open("robot.bmd")?;
    /// let lost_too = Interchange::save(&scene, "robot.glb")?;
    /// lost.iter().chain(&lost_too).for_each(|loss| eprintln!("{loss}"));
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the extension is not that of an interchange format, the format cannot express the scene, or
    /// writing fails. The message starts with the path. Nothing is written until the conversion succeeds, and each file
    /// is written atomically.
    pub fn save(scene: &Scene, path: impl AsRef<Path>) -> Result<Vec<Loss>> {
        Interchange::save_with(scene, path.as_ref(), &SceneOptions::default())
    }

    fn save_with(scene: &Scene, path: &Path, options: &SceneOptions) -> Result<Vec<Loss>> {
        let format = Interchange::by_extension(path).ok_or_else(|| interchange_error(path))?;
        let mut files = BTreeMap::<String, Vec<u8>>::new();
        let own_name = to_name(path.file_name().unwrap_or_default());
        let losses = format
            .write(scene.clone(), &own_name, &mut files, options)
            .map_err(|error| error.in_file(path))?;
        for (name, bytes) in files {
            let file = if name == own_name {
                path.to_owned()
            } else {
                path.with_file_name(from_name(&name))
            };
            write_atomically(&file, &bytes)?;
        }
        Ok(losses)
    }
}

fn interchange_names() -> Vec<&'static str> {
    Interchange::ALL
        .iter()
        .map(|format| format.name())
        .collect()
}

/// Returns the error for a path whose extension is not that of an interchange format.
fn interchange_error(path: &Path) -> Error {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let formats = Formats::BUILT_IN
        .iter()
        .filter(|format| format.about().has_extension(&extension));
    let formats: Vec<_> = formats.map(|format| format.name()).collect();
    let message = match formats[..] {
        [] => format!(
            "unknown extension, expected one of {}",
            interchange_names().join(", ")
        ),
        [format] => format!("{format} is not an interchange format: write it with `Scene::save`"),
        _ => {
            let formats = formats.join(" and ");
            format!(
                "`.{extension}` is an extension of {formats}, which are no interchange formats: write one with \
                 `Scene::save_as`"
            )
        }
    };
    Error::unsupported(message).in_file(path)
}

fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = to_name(path.file_name().unwrap_or_default());
    let temporary = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let with_path = |error| Error::from(error).in_file(path);
    let mut file = File::create_new(&temporary).map_err(with_path)?;
    file.write_all(bytes)
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|error| {
            // Best-effort cleanup: the write error is returned.
            let _ = fs::remove_file(&temporary);
            with_path(error)
        })
}
