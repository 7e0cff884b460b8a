//! Temporary files, of which none is left when the program ends, also when a signal ends it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use tempfile::NamedTempFile;

/// Held for reading while files are made or moved to their places. The end by a signal waits for that, so that of files
/// that belong together either all are new or none is.
static CHANGES: RwLock<()> = RwLock::new(());

/// The temporary files there are.
static FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is removed when it is dropped, or when a signal ends the program.
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

/// While this is held, signals wait.
pub struct Moving(#[allow(dead_code, reason = "it is held, not used")] RwLockReadGuard<'static, ()>);

/// Lets signals wait while files are moved to their places.
pub fn moving() -> Moving {
    Moving(CHANGES.read().unwrap_or_else(PoisonError::into_inner))
}

impl Temporary {
    /// A new file in the folder of the output, so that moving it there does not copy it.
    pub fn new(folder: &Path) -> io::Result<Temporary> {
        Temporary::with_suffix(folder, "")
    }

    /// As [`new`](Temporary::new), with a name that ends like this.
    pub fn with_suffix(folder: &Path, suffix: &str) -> io::Result<Temporary> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".meshspec-").suffix(suffix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Those of any new file, not those of a secret; the system takes away what the user's mask says.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // A missing folder is reported in the system's words; other errors would name the temporary file.
        fs::metadata(folder)?;
        let _signals_wait = moving();
        let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        let path = file.path().to_owned();
        FILES.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        Ok(Temporary { file, _listed: Listed(path) })
    }

    /// Another handle of the file, to write to it.
    pub fn handle(&self) -> io::Result<fs::File> {
        self.file.as_file().try_clone()
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Moves the file to its place, with the permissions of the file that it replaces.
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

/// There are no signals.
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

    /// From now on, SIGINT and SIGTERM kill all children and remove all temporary files before they end the program.
    pub fn remove_on_signals() -> Result<()> {
        let install = || {
            // What is beyond a limit of the size of files cannot be written; that shall not end the program.
            flag::register(SIGXFSZ, Arc::default())?;
            Signals::new([SIGINT, SIGTERM])
        };
        let mut signals = install().map_err(|error: io::Error| Failure::io("signals", &error))?;
        thread::spawn(move || {
            for signal in signals.forever() {
                let _no_children = process_groups::kill_all();
                // From here on nothing is made or moved any more.
                let _end = CHANGES.write().unwrap_or_else(PoisonError::into_inner);
                for file in &*FILES.lock().unwrap_or_else(PoisonError::into_inner) {
                    // It may have been removed meanwhile.
                    let _ = fs::remove_file(file);
                }
                // Whoever started the program is to see which signal ended it.
                let _ = low_level::emulate_default_handler(signal);
            }
        });
        Ok(())
    }
}
