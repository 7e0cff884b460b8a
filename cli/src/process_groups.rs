//! Process groups of child processes. On Unix, the handlers of SIGINT and SIGTERM kill them before the program ends.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The ids of running child processes, which are also the ids of their process groups.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn lock_running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process group of a child process, killed on drop on Unix.
pub struct ProcessGroup(u32);

/// Starts a child process in a new process group.
///
/// # Errors
///
/// Returns the error of the system if the child cannot be started.
pub fn spawn(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // Locked, so that a signal handler either finds the child in the set or prevents its start.
    let mut running = lock_running();
    let child = command.spawn()?;
    running.insert(child.id());
    let group = ProcessGroup(child.id());
    Ok((child, group))
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        lock_running().remove(&self.0);
        kill(self.0);
    }
}

/// Kills all process groups. No child process can start until the returned guard is dropped.
#[cfg(unix)]
#[must_use]
pub fn kill_all() -> impl Sized {
    let running = lock_running();
    running.iter().for_each(|id| kill(*id));
    running
}

#[cfg(unix)]
fn kill(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // Ignores the error: usually, all processes of the group have already ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Does nothing: on systems without process groups, the caller kills the child process.
#[cfg(not(unix))]
fn kill(_: u32) {}
