//! Resolves the paths of files that a model or its material library refers to: images, libraries and buffers.

use std::path::Path;

use super::Files;
use super::folder::name_from_bytes;

/// The name of a file that a model or its material library refers to.
pub(super) struct Reference {
    /// The path relative to the model, with `/` between folders, or a remote URI.
    pub name: String,
    /// Whether the path in the file is absolute. Such paths are valid on one machine only: `name` is the file of that name
    /// in the folder of the referring file.
    pub is_absolute: bool,
}

/// Resolves a path that a file in the folder `folder` contains. Every format resolves all references with this function.
/// Backslashes separate folders, unless a file has the literal name.
pub(super) fn resolve(files: &dyn Files, folder: &str, path: &[u8]) -> Reference {
    let path = name_from_bytes(path);
    if is_remote(&path) {
        return Reference {
            name: path,
            is_absolute: false,
        };
    }
    if path.contains('\\') {
        let literal = join(folder, &path);
        if exists(files, &literal) {
            return Reference {
                name: literal,
                is_absolute: false,
            };
        }
    }
    let path = path.replace('\\', "/");
    let is_absolute = path.starts_with('/') || has_drive(&path);
    let relative = if is_absolute {
        path.rsplit(['/', ':']).next().unwrap_or_default()
    } else {
        &path
    };
    // Without a file name, there is no file.
    let name = if relative.is_empty() {
        String::new()
    } else {
        join(folder, relative)
    };
    Reference { name, is_absolute }
}

/// Resolves a path without quotes in OBJ or MTL, which may end in a comment (`oak.png #2`). Ignores the comment if only the
/// file without it exists, or no file exists and the comment would end the extension.
pub(super) fn resolve_unquoted(files: &dyn Files, folder: &str, path: &[u8]) -> Reference {
    let resolved = resolve(files, folder, path);
    let Some(length) = path.windows(2).position(|pair| pair == b" #") else {
        return resolved;
    };
    if exists(files, &resolved.name) {
        return resolved;
    }
    let shortened = resolve(files, folder, path[..length].trim_ascii_end());
    let extension = Path::new(&resolved.name).extension().unwrap_or_default();
    match exists(files, &shortened.name) || extension.as_encoded_bytes().contains(&b' ') {
        true => shortened,
        false => resolved,
    }
}

/// Returns `true` if a file inside the folder has the name. Names outside are not looked up.
fn exists(files: &dyn Files, name: &str) -> bool {
    is_inside(name) && files.read(name, 0).is_ok()
}

/// Returns `true` if a name cannot lead out of its folder, even where backslashes separate folders.
fn is_inside(name: &str) -> bool {
    !has_drive(name)
        && !name.starts_with(['/', '\\'])
        && name.split(['/', '\\']).all(|part| part != "..")
}

/// Returns `true` if a path starts with the drive of Windows, as in `C:`.
fn has_drive(path: &str) -> bool {
    path.as_bytes().get(1) == Some(&b':')
}

/// Joins a folder and a path, and removes the parts `.` and `..` where possible.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns `true` if a path contains `://`, as remote URIs do.
pub(super) fn is_remote(path: &str) -> bool {
    path.contains("://")
}
