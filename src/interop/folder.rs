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
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        Folder::new(folder.unwrap_or(Path::new(".")))
    }

    /// Returns the canonical path of a file inside the folder.
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
    pub fn locate(&self, path: impl AsRef<Path>) -> io::Result<PathBuf> {
        let folder = fs::canonicalize(&self.0)?;
        let outside =
            |_| name_error("not read for safety, since it is outside the folder of the file");
        let file = fs::canonicalize(self.join_inside(path.as_ref()).map_err(outside)?)?;
        match file.starts_with(folder) {
            true => Ok(file),
            false => Err(name_error(
                "not read for safety, since it is a link to a file outside the folder",
            )),
        }
    }

    fn join_inside(&self, path: &Path) -> io::Result<PathBuf> {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        match path.components().all(is_inside) {
            true => Ok(self.0.join(path)),
            false => Err(name_error("outside the folder of the file")),
        }
    }
}

/// Converts a path to the name of a companion file, as in [`Files`]. Bytes that are not UTF-8 are percent-encoded. Percent
/// signs that could be read as such an encoding become `%25`, so that different paths have different names.
///
/// ```
/// # #[cfg(unix)] {
/// use std::ffi::OsStr;
/// use std::os::unix::ffi::OsStrExt;
///
/// use meshspec::interop::to_name;
///
/// assert_eq!(to_name(OsStr::from_bytes(b"caf\xe9.glb")), "caf%E9.glb");
/// assert_eq!(to_name("caf%E9.glb"), "caf%25E9.glb");
/// assert_eq!(to_name("my%20robot.glb"), "my%20robot.glb");
/// # }
/// ```
pub fn to_name(path: impl AsRef<OsStr>) -> String {
    name_from_bytes(path.as_ref().as_encoded_bytes())
}

/// Like [`to_name`], for a path that a file contains.
pub(super) fn name_from_bytes(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for (index, part) in chunk.valid().split('%').enumerate() {
            if index > 0 {
                name += if escaped_byte(part.as_bytes()).is_some() {
                    "%25"
                } else {
                    "%"
                };
            }
            name += part;
        }
        name.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
    }
    name
}

/// Returns the byte that `%` and the following `digits` represent in a name: a percent sign, or a byte that is not
/// ASCII. Returns `None` if `%` represents only itself.
fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let digits = digits
        .get(..2)
        .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (byte == b'%' || !byte.is_ascii()).then_some(byte)
}

/// Returns the path that has the name `name`: the inverse of [`to_name`]. A name that no path has is a path itself.
///
/// ```
/// use meshspec::interop::{from_name, to_name};
///
/// assert_eq!(to_name(from_name("caf%E9.png")), "caf%E9.png");
/// assert_eq!(from_name("caf%25E9.png").to_str(), Some("caf%E9.png"));
/// // These bytes are UTF-8, so `to_name` does not encode them.
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
        match escaped_byte(after).filter(|_| *first == b'%') {
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
    if name_from_bytes(&bytes) == name {
        bytes
    } else {
        name.as_bytes().to_vec()
    }
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
        let path = self.locate(from_name(name))?;
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
        Ok(Box::new(File::create(self.join_inside(&from_name(name))?)?))
    }
}
