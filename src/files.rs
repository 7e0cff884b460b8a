//! Reading and writing scenes by file path.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::interop::{Folder, Interchange};
use crate::scene::{Scene, SceneOptions};
use crate::{Error, Loss, ReadOptions, Result, detect};

impl Scene {
    /// Reads the file at `path`, of any built-in or interchange format. Returns the scene, and what it cannot hold.
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
    /// If the file cannot be read, has an unknown format, or violates the rules of its format.
    pub fn open(path: impl AsRef<Path>) -> Result<(Scene, Vec<Loss>)> {
        Scene::open_with(path, &ReadOptions::default())
    }

    /// Reads the file at `path` with options, such as leniently. Interchange formats use their strictness and limits only.
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
    /// If the file cannot be read, is of no known format, or the options reject it.
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<(Scene, Vec<Loss>)> {
        let path = path.as_ref();
        let bytes = fs::read(path)?;
        let scene_options = SceneOptions::default().with_strictness(options.strictness);
        match Interchange::detect(&bytes) {
            Some(format) => format.read(&bytes, &Folder::of(path), &scene_options, &options.limits),
            None => detect(&bytes, Some(path))?.read(&bytes, options)?.into_scene(&scene_options),
        }
    }
}

impl Interchange {
    /// Writes a scene to `path`, in the format of its extension, and any companion files next to it. Overwrites
    /// existing files. Returns what the format cannot hold.
    ///
    /// ```no_run
    /// use meshspec::interop::Interchange;
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, lost) = Scene::open("robot.bmd")?;
    /// let lost_too = Interchange::save(scene, "robot.glb")?;
    /// lost.iter().chain(&lost_too).for_each(|loss| eprintln!("{loss}"));
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the extension belongs to no interchange format, the format cannot express the scene, or writing fails.
    /// Nothing is written until the conversion succeeds, and each file is written atomically.
    pub fn save(scene: Scene, path: impl AsRef<Path>) -> Result<Vec<Loss>> {
        let path = path.as_ref();
        let format = Interchange::by_extension(path).ok_or_else(|| {
            let names: Vec<_> = Interchange::ALL.iter().map(|format| format.name()).collect();
            let (path, names) = (path.display(), names.join(", "));
            Error::unsupported(format!("{path}: unknown extension, expected one of {names}"))
        })?;
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| Error::unsupported("the name of the file is not UTF-8"))?;
        let mut files = BTreeMap::<String, Vec<u8>>::new();
        let losses = format.write(scene, name, &mut files, &SceneOptions::default())?;
        for (name, bytes) in files {
            let part = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
            let written = File::create_new(&part).and_then(|mut file| file.write_all(&bytes));
            if let Err(error) = written.and_then(|()| fs::rename(&part, path.with_file_name(&name))) {
                // The write error matters more than a failed cleanup.
                let _ = fs::remove_file(&part);
                return Err(error.into());
            }
        }
        Ok(losses)
    }
}
