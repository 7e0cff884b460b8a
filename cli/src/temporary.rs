//! Temporary files. None survives the program, even if a signal ends it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use tempfile::NamedTempFile;

/// Locked for reading while files are created or moved to their places. Signal handlers wait for that, so that files that
/// belong together are replaced together.
static CHANGES: RwLock<()> = RwLock::new(());

/// The paths of all temporary files.
static FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is removed on drop, or when a signal ends the program.
pub struct Temporary {
    file: NamedTempFile,
    /// The entry in [`FILES`].
    _listed: Listed,
}

struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        FILES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// A guard that makes signal handlers wait.
pub struct Moving(#[allow(dead_code, reason = "it is held, not used")] RwLockReadGuard<'static, ()>);

/// Makes signal handlers wait while files are moved to their places.
pub fn moving() -> Moving {
    Moving(CHANGES.read().unwrap_or_else(PoisonError::into_inner))
}

impl Temporary {
    /// Creates a file in the folder of the output, so that moving it does not copy it.
    pub fn new(folder: &Path) -> io::Result<Temporary> {
        Temporary::with_suffix(folder, "")
    }

    /// Works as [`new`](Temporary::new), with a file name suffix.
    pub fn with_suffix(folder: &Path, suffix: &str) -> io::Result<Temporary> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".meshspec-").suffix(suffix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The permissions of ordinary new files; the system applies the umask.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // Reports a missing folder here; errors of `tempfile` would name the temporary file.
        fs::metadata(folder)?;
        let _signals_wait = moving();
        let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        let path = file.path().to_owned();
        FILES.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        Ok(Temporary { file, _listed: Listed(path) })
    }

    /// Returns another handle for writing to the file.
    pub fn handle(&self) -> io::Result<fs::File> {
        self.file.as_file().try_clone()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Moves the file to its place, keeping the permissions of a replaced file.
    pub fn place(self, path: &Path, replace: bool, _: &Moving) -> io::Result<()> {
        if let Ok(replaced) = fs::metadata(path) {
            self.file.as_file().set_permissions(replaced.permissions())?;
        }
        if replace { self.file.persist(path) } else { self.file.persist_noclobber(path) }?;
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

    /// Installs handlers for SIGINT and SIGTERM that kill all children and remove all temporary files before they end the
    /// program.
    pub fn remove_on_signals() -> Result<()> {
        let install = || {
            // An exceeded file size limit becomes a write error, and does not end the program.
            flag::register(SIGXFSZ, Arc::default())?;
            Signals::new([SIGINT, SIGTERM])
        };
        let mut signals = install().map_err(|error: io::Error| Failure::io("signals", &error))?;
        thread::spawn(move || {
            for signal in signals.forever() {
                let _no_children = process_groups::kill_all();
                // From here on, no file is created or moved.
                let _end = CHANGES.write().unwrap_or_else(PoisonError::into_inner);
                for file in &*FILES.lock().unwrap_or_else(PoisonError::into_inner) {
                    // The file may have been removed meanwhile.
                    let _ = fs::remove_file(file);
                }
                // Ends by the same signal, so that the parent process sees it.
                let _ = low_level::emulate_default_handler(signal);
            }
        });
        Ok(())
    }
}
