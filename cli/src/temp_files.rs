//! Temporary files. On Unix, the handlers of SIGINT and SIGTERM remove them before the program ends.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use tempfile::NamedTempFile;

/// Locked for reading while files are created, or moved to their paths. Signal handlers lock it for writing, so that
/// they do not interrupt the replacement of an output and its companion files.
static CHANGES: RwLock<()> = RwLock::new(());

/// The paths of all temporary files.
static FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file, removed on drop and, on Unix, by the handlers of SIGINT and SIGTERM.
pub struct TemporaryFile {
    file: NamedTempFile,
    /// The registration of the file for removal by signal handlers.
    _registration: Registration,
}

/// The registration of a file in [`FILES`], removed on drop.
struct Registration(PathBuf);

impl Drop for Registration {
    fn drop(&mut self) {
        FILES
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.0);
    }
}

/// A guard held while files are created or moved. Signal handlers wait until it is dropped.
pub struct SignalDeferral(
    #[allow(dead_code, reason = "only held until dropped")] RwLockReadGuard<'static, ()>,
);

/// Makes signal handlers wait until the returned guard is dropped.
pub fn defer_signals() -> SignalDeferral {
    SignalDeferral(CHANGES.read().unwrap_or_else(PoisonError::into_inner))
}

impl TemporaryFile {
    /// Creates a file in `folder`. The file can only be moved to paths in the same file system.
    pub fn new(folder: &Path) -> io::Result<TemporaryFile> {
        TemporaryFile::with_suffix(folder, "")
    }

    /// Like [`new`](TemporaryFile::new), but the file name ends with `suffix`.
    pub fn with_suffix(folder: &Path, suffix: &str) -> io::Result<TemporaryFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".meshspec-").suffix(suffix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The permissions of newly created files; the system applies the umask.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // Reports a missing folder here, since errors from `tempfile` contain the path of the temporary file.
        fs::metadata(folder)?;
        let _guard = defer_signals();
        let file = builder
            .tempfile_in(folder)
            .map_err(|error| io::Error::from(error.kind()))?;
        let path = file.path().to_owned();
        FILES
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.clone());
        Ok(TemporaryFile {
            file,
            _registration: Registration(path),
        })
    }

    /// Returns a new handle for reading and writing the file.
    pub fn handle(&self) -> io::Result<fs::File> {
        self.file.as_file().try_clone()
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Moves the file to `path` and keeps the permissions of a replaced file. Returns an error if `path` exists, unless
    /// `replace` is set.
    pub fn move_to(self, path: &Path, replace: bool, _: &SignalDeferral) -> io::Result<()> {
        if let Ok(replaced) = fs::metadata(path) {
            self.file
                .as_file()
                .set_permissions(replaced.permissions())?;
        }
        if replace {
            self.file.persist(path)
        } else {
            self.file.persist_noclobber(path)
        }?;
        Ok(())
    }
}

#[cfg(unix)]
pub use signals::remove_on_signals;

/// Does nothing on systems without Unix signals.
#[cfg(not(unix))]
pub fn remove_on_signals() -> crate::failure::Result<()> {
    Ok(())
}

#[cfg(unix)]
mod signals {
    use std::fs;
    use std::io;
    use std::sync::{Arc, PoisonError};
    use std::thread;

    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    use super::{CHANGES, FILES};
    use crate::failure::{Failure, Result};
    use crate::process_groups;

    /// Installs handlers for SIGINT and SIGTERM that kill all children and remove all temporary files before they end
    /// the program.
    pub fn remove_on_signals() -> Result<()> {
        let install = || {
            // Exceeding a file size limit causes a write error instead of ending the program.
            flag::register(SIGXFSZ, Arc::default())?;
            Signals::new([SIGINT, SIGTERM])
        };
        let mut signals = install().map_err(|error: io::Error| Failure::io("signals", &error))?;
        thread::spawn(move || {
            for signal in signals.forever() {
                let _no_new_children = process_groups::kill_all();
                // While this lock is held, no file is created or moved.
                let _no_changes = CHANGES.write().unwrap_or_else(PoisonError::into_inner);
                for file in &*FILES.lock().unwrap_or_else(PoisonError::into_inner) {
                    // The file may already have been removed.
                    let _ = fs::remove_file(file);
                }
                // Ends the program by the same signal, so that the parent process can detect it.
                let _ = low_level::emulate_default_handler(signal);
            }
        });
        Ok(())
    }
}
