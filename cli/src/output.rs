//! What is written: whole files or nothing, and data on standard output.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::failure::{Failure, Result};
use crate::input::is_standard;

/// Wrong usage if writing to `path` would replace a file without `force`: to be said before any work is done.
pub fn refuse_existing(path: &Path, force: bool) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && !force && !is_standard(path) => Err(exists(path)),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> Failure {
    Failure::usage(&path.display().to_string(), "the file exists").with_hint("--force overwrites it")
}

/// Writes to standard output for `-`, else to a file that appears, or is replaced, when all is written.
pub fn write(path: &Path, force: bool, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if is_standard(path) {
        return Ok(write_to(io::stdout().lock(), content)?);
    }
    let written = match fs::metadata(path) {
        // A pipe or a device, `/dev/null`, must not be replaced.
        Ok(metadata) if !metadata.is_file() => {
            File::options().write(true).open(path).and_then(|file| write_to(file, content))
        }
        _ => replace(path, force, content),
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => Failure::io(&path.display().to_string(), &error),
    })
}

fn write_to(out: impl Write, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    content(&mut out)?;
    out.flush()
}

fn replace(
    path: &Path,
    force: bool,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // What a link points to is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let temporary = temporary_file(folder.unwrap_or(Path::new(".")))?;
    write_to(temporary.as_file(), content)?;
    if let Ok(replaced) = fs::metadata(&path) {
        temporary.as_file().set_permissions(replaced.permissions())?;
    }
    if force { temporary.persist(&path) } else { temporary.persist_noclobber(&path) }?;
    Ok(())
}

/// A file in the folder of the output, so that renaming it does not copy it.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".meshspec-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Those of any new file, not those of a secret; the system takes away what the user's mask says.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Prints data for other programs.
pub fn print_json(data: &impl Serialize) -> Result<()> {
    write(Path::new("-"), false, |out| {
        serde_json::to_writer_pretty(&mut *out, data)?;
        writeln!(out)
    })
}
