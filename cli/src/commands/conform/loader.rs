//! The loader under test: a command that reads one file.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use super::capture::{Capture, Captured};
use crate::failure::{Failure, Result};
use crate::process_groups;

/// The placeholder for the path of the file in the command.
const PLACEHOLDER: &str = "{}";
/// The maximum size in bytes of captured standard output. The rest is read and dropped.
const MAX_STDOUT: usize = 64 << 20;
const MAX_STDERR: usize = 256 << 10;

/// A command and its limits.
#[derive(Debug)]
pub struct Loader {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: Limits,
}

/// The limits of one run.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The limit of the address space in KiB; `None` keeps the current limit.
    pub memory: Option<u64>,
    /// Exit statuses of a crash, besides signals.
    pub crash_statuses: Vec<i32>,
}

/// One run of the loader.
#[derive(Debug)]
pub struct Run {
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
    pub time: Duration,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Exit status 0.
    Accepts,
    /// Any other exit status.
    Rejects(i32),
    /// A signal, or an exit status configured as a crash.
    Crashes(String),
    /// Killed at the time limit.
    Hangs,
}

impl Loader {
    /// Finds the program of a command.
    ///
    /// # Errors
    ///
    /// Returns incorrect usage if the program is missing, or no argument contains the placeholder.
    pub fn new(command: &[OsString], limits: Limits) -> Result<Loader> {
        let [name, arguments @ ..] = command else {
            return Err(Failure::usage("LOADER", "no command after `--`"));
        };
        let place = name.display().to_string();
        if !arguments.iter().any(|argument| contains_placeholder(argument)) {
            return Err(Failure::usage(&place, "the command has no `{}`")
                .with_hint("write {} where the path of the file belongs: -- ./my_loader {}"));
        }
        if limits.memory.is_some() && !cfg!(unix) {
            return Err(Failure::usage("--memory", "memory limits are unsupported on this system"));
        }
        let program = which::which(name).map_err(|_| {
            let failure = Failure::usage(&place, "no such program, or it is not executable");
            let path = Path::new(name);
            match path.is_file() && path.file_name() == Some(name) {
                true => failure.with_hint(format!("a program in this folder is ./{place}")),
                false => failure,
            }
        })?;
        Ok(Loader { program, arguments: arguments.to_vec(), limits })
    }

    /// Runs the loader on a file, and kills it at the time limit.
    ///
    /// # Errors
    ///
    /// Returns an error if the process cannot be started.
    pub fn run(&self, file: &Path, limit: Duration) -> Result<Run> {
        let run = self.try_run(file, limit).map_err(|error| self.failure(error))?;
        match run.end {
            End::Rejects(126 | 127) if run.stderr.bytes.starts_with(SHELL.as_bytes()) => {
                Err(self.failure(io::Error::other(run.stderr.excerpt())))
            }
            _ => Ok(run),
        }
    }

    fn failure(&self, error: io::Error) -> Failure {
        Failure::io(&self.program.display().to_string(), &error)
    }

    fn try_run(&self, file: &Path, limit: Duration) -> io::Result<Run> {
        let mut command = self.command();
        command.args(self.arguments.iter().map(|argument| with_file(argument, file)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let (mut child, group) = process_groups::spawn(&mut command)?;
        let stdout = child.stdout.take().map(|pipe| Capture::start(pipe, MAX_STDOUT));
        let stderr = child.stderr.take().map(|pipe| Capture::start(pipe, MAX_STDERR));
        let status = child.wait_timeout(limit);
        let time = start.elapsed();
        // Kills all processes that the loader started.
        drop(group);
        if !matches!(status, Ok(Some(_))) {
            // Fails if the loader has just ended.
            let _ = child.kill();
            child.wait()?;
        }
        let end = status?.map_or(End::Hangs, |status| self.end(status));
        let finish = |capture: Option<Capture>| capture.map(Capture::finish).unwrap_or_default();
        Ok(Run { end, stdout: finish(stdout), stderr: finish(stderr), time })
    }

    fn end(&self, status: ExitStatus) -> End {
        match (status.code(), crash_of(status)) {
            (_, Some(crash)) => End::Crashes(crash),
            (Some(0), None) => End::Accepts,
            (Some(code), None) if self.limits.crash_statuses.contains(&code) => {
                End::Crashes(format!("status {code}"))
            }
            (code, None) => End::Rejects(code.unwrap_or(-1)),
        }
    }

    /// Returns the program without its arguments. A shell sets the limits, then executes the program.
    #[cfg(unix)]
    fn command(&self) -> Command {
        let memory = self.limits.memory.map(|kib| format!("ulimit -v {kib} 2>/dev/null; "));
        let script = format!("ulimit -c 0; {}exec \"$@\"", memory.unwrap_or_default());
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script, SHELL]).arg(&self.program);
        command
    }

    #[cfg(not(unix))]
    fn command(&self) -> Command {
        Command::new(&self.program)
    }
}

/// The name of the shell in its error messages.
const SHELL: &str = "meshspec conform: shell";

fn contains_placeholder(argument: &OsStr) -> bool {
    argument.to_str().is_some_and(|text| text.contains(PLACEHOLDER))
}

/// Replaces the placeholder by the path of the file.
fn with_file(argument: &OsStr, file: &Path) -> OsString {
    let Some(text) = argument.to_str().filter(|text| text.contains(PLACEHOLDER)) else {
        return argument.to_owned();
    };
    let mut replaced = OsString::new();
    for (index, part) in text.split(PLACEHOLDER).enumerate() {
        if index > 0 {
            replaced.push(file);
        }
        replaced.push(part);
    }
    replaced
}

/// Returns the signal that ended a process. Also recognizes the status of shells, 128 plus the signal number.
#[cfg(unix)]
fn crash_of(status: ExitStatus) -> Option<String> {
    use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    use signal_hook::low_level::signal_name;
    use std::os::unix::process::ExitStatusExt;

    const FAULTS: [i32; 6] = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP];
    let signal =
        status.signal().or_else(|| status.code().map(|code| code - 128).filter(|n| FAULTS.contains(n)))?;
    Some(signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned))
}

/// Returns the exception that ended a process.
#[cfg(not(unix))]
fn crash_of(status: ExitStatus) -> Option<String> {
    let code = status.code()? as u32;
    (code >= 0xc000_0000).then(|| format!("exception {code:#x}"))
}
