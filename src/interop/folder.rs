//! Reads and writes the companion files of a model in a folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use super::Files;

/// A folder with the companion files of a model.
///
/// Reads only regular files inside the folder: rejects absolute names, names with `..`, and links to files outside the
/// folder. Writing overwrites existing files.
///
/// ```no_run
/// # #[cfg(feature = "gltf")] {
/// use meshspec::interop::{Folder, Interchange};
/// use meshspec::scene::SceneOptions;
/// use meshspec::Limits;
///
/// let bytes = std::fs::read("models/robot.gltf")?;
/// let (options, limits) = (SceneOptions::default(), Limits::default());
/// let (scene, losses) = Interchange::Gltf.read(&bytes, &Folder::new("models"), &options, &limits)?;
/// # }
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

    /// Returns the canonical path of a file inside the folder. Without such a file, bytes that [`to_name`]
    /// percent-encodes are decoded.
    ///
    /// ```
    /// use meshspec::interop::Folder;
    ///
    /// let folder = Folder::of("samples/mesh/flag.mesh".as_ref());
    /// assert!(folder.locate("tentacle.mesh").is_ok());
    /// assert!(folder.locate("../../Cargo.toml").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error of kind [`io::ErrorKind::Unsupported`] if the file is outside the folder. Otherwise, returns
    /// any error from [`fs::canonicalize`].
    pub fn locate(&self, name: impl AsRef<Path>) -> io::Result<PathBuf> {
        let name = name.as_ref();
        let folder = fs::canonicalize(&self.0)?;
        let outside = |_| name_error("not read for safety, since it is outside the folder of the file");
        let file = match fs::canonicalize(self.join_inside(name).map_err(outside)?) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let decoded = name.to_str().map(from_name).unwrap_or_default();
                fs::canonicalize(self.0.join(decoded)).map_err(|_| error)?
            }
            found => found?,
        };
        match file.starts_with(folder) {
            true => Ok(file),
            false => Err(name_error("not read for safety, since it is a link to a file outside the folder")),
        }
    }

    fn join_inside(&self, name: &Path) -> io::Result<PathBuf> {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        match name.components().all(is_inside) {
            true => Ok(self.0.join(name)),
            false => Err(name_error("outside the folder of the file")),
        }
    }
}

/// Converts a path to the name of a companion file. Bytes that are not UTF-8 are percent-encoded, so that different paths
/// have different names.
///
/// ```
/// # #[cfg(unix)] {
/// use std::ffi::OsStr;
/// use std::os::unix::ffi::OsStrExt;
///
/// assert_eq!(meshspec::interop::to_name(OsStr::from_bytes(b"caf\xe9.glb")), "caf%E9.glb");
/// # }
/// ```
pub fn to_name(path: impl AsRef<OsStr>) -> String {
    name_from_bytes(path.as_ref().as_encoded_bytes())
}

/// Like [`to_name`], for a path that a file contains.
pub(super) fn name_from_bytes(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        name += chunk.valid();
        name.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
    }
    name
}

/// Returns the path that has the name `name`: the inverse of [`to_name`].
///
/// ```
/// use meshspec::interop::{from_name, to_name};
///
/// assert_eq!(to_name(from_name("caf%E9.png")), "caf%E9.png");
/// assert_eq!(from_name("caf%C3%A9.png").to_str(), Some("caf%C3%A9.png"));
/// ```
pub fn from_name(name: &str) -> PathBuf {
    bytes_to_path(bytes_from_name(name))
}

/// Returns the bytes of the path that has the name `name`.
pub(super) fn bytes_from_name(name: &str) -> Vec<u8> {
    let mut rest = name.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped =
            digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped.filter(|byte| !byte.is_ascii()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    // A name like `caf%C3%A9.png`, whose escapes are UTF-8, is that of a file with percent signs.
    if name_from_bytes(&bytes) == name { bytes } else { name.as_bytes().to_vec() }
}

#[cfg(unix)]
fn bytes_to_path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

/// Names of files are Unicode.
#[cfg(not(unix))]
fn bytes_to_path(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

fn name_error(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, message)
}

impl Files for Folder {
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let path = self.locate(name)?;
        // Opening a pipe or a device could block.
        if !fs::metadata(&path)?.is_file() {
            let message = "not read, since it is not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(File::create(self.join_inside(name.as_ref())?)?))
    }
}
