//! Reads and writes the companion files of a model in a folder.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use super::Files;

/// The files of a folder.
///
/// Only regular files inside the folder are read: absolute names, names with `..` and links out of the folder are
/// rejected. Existing files are overwritten.
///
/// ```no_run
/// use meshspec::interop::{Folder, Interchange};
/// use meshspec::scene::SceneOptions;
/// use meshspec::Limits;
///
/// let bytes = std::fs::read("models/robot.gltf")?;
/// let (options, limits) = (SceneOptions::default(), Limits::default());
/// let (scene, losses) = Interchange::Gltf.read(&bytes, &Folder::new("models"), &options, &limits)?;
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// Returns the folder with this path.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder(path.into())
    }

    /// Returns the folder that contains a file.
    pub fn of(file: &Path) -> Folder {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        Folder::new(folder.unwrap_or(Path::new(".")))
    }

    /// Returns the path of a file inside the folder, without links.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::Unsupported`] if the name leads out of the folder, and the errors of
    /// [`fs::canonicalize`].
    pub fn locate(&self, name: &str) -> io::Result<PathBuf> {
        let folder = fs::canonicalize(&self.0)?;
        let outside = |_| rejected("outside of the folder of the file: not read, for safety");
        let file = fs::canonicalize(self.join(name).map_err(outside)?)?;
        match file.starts_with(folder) {
            true => Ok(file),
            false => Err(rejected("a link out of the folder of the file: not read, for safety")),
        }
    }

    fn join(&self, name: &str) -> io::Result<PathBuf> {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        match Path::new(name).components().all(is_inside) {
            true => Ok(self.0.join(name)),
            false => Err(rejected("outside of the folder of the file")),
        }
    }
}

fn rejected(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, message)
}

impl Files for Folder {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let path = self.locate(name)?;
        // Opening a pipe or a device could block.
        if !fs::metadata(&path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file: not read"));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(File::create(self.join(name)?)?))
    }
}
