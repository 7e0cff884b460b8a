//! Process groups of children. None survives the program, even if a signal ends it.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The process groups of running children, by the id of the child.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process group of a child, killed on drop.
pub struct ProcessGroup(u32);

/// Starts a child in a new process group.
///
/// # Errors
///
/// Returns the error of the system if the child cannot be started.
pub fn spawn(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // Locked, so that a signal handler either sees the child or prevents its start.
    let mut running = running();
    let child = command.spawn()?;
    running.insert(child.id());
    let group = ProcessGroup(child.id());
    Ok((child, group))
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        running().remove(&self.0);
        kill(self.0);
    }
}

/// Kills all children. No child can start while the result is held.
#[cfg(unix)]
#[must_use]
pub fn kill_all() -> impl Sized {
    let running = running();
    running.iter().for_each(|id| kill(*id));
    running
}

#[cfg(unix)]
fn kill(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // Ignores the error: usually, the whole group has ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Does nothing: without process groups, the handle kills the child itself.
#[cfg(not(unix))]
fn kill(_: u32) {}
