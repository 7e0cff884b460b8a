//! The loader under test: a command that reads one file.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use super::capture::{CapturedOutput, PipeCapture};
use crate::failure::{Failure, Result};
use crate::input::text_of;
use crate::process_groups;

/// The placeholder in the command for the path of the file.
const PLACEHOLDER: &str = "{}";
/// The maximum sizes of captured standard output and standard error, in bytes. Further output is read and discarded.
const MAX_STDOUT: usize = 64 << 20;
const MAX_STDERR: usize = 256 << 10;

/// The command of a loader, with the options of its runs.
#[derive(Debug)]
pub struct Loader {
    program: PathBuf,
    arguments: Vec<OsString>,
    options: RunOptions,
}

/// The memory limit of each run, and the exit statuses that count as crashes.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The maximum size of the address space in KiB; `None` keeps the current limit.
    pub memory_kib: Option<u64>,
    /// The exit statuses that count as a crash, in addition to signals.
    pub crash_statuses: Vec<i32>,
}

#[derive(Debug)]
pub struct LoaderRun {
    pub end: RunEnd,
    pub stdout: CapturedOutput,
    pub stderr: CapturedOutput,
    pub time: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// Exit status 0.
    Accepts,
    /// Any other exit status.
    Rejects(i32),
    /// A signal, or an exit status configured as a crash.
    Crashes(String),
    /// Killed after the timeout.
    Hangs,
}

impl Loader {
    /// Creates a loader from a command, and finds its program.
    ///
    /// # Errors
    ///
    /// Returns a usage error if the program is missing, no argument contains the placeholder, or a memory limit is
    /// given but unsupported by the system.
    pub fn new(command: &[OsString], options: RunOptions) -> Result<Loader> {
        let [program, arguments @ ..] = command else {
            return Err(Failure::usage("LOADER", "no command after `--`"));
        };
        let name = text_of(program);
        if !arguments
            .iter()
            .any(|argument| contains_placeholder(argument))
        {
            return Err(Failure::usage(&name, "the command has no `{}`")
                .with_hint("write {} where the path of the file belongs: -- ./my_loader {}"));
        }
        if options.memory_kib.is_some() && !cfg!(unix) {
            return Err(Failure::usage(
                "--memory",
                "memory limits are unsupported on this system",
            ));
        }
        let program = which::which(program).map_err(|_| {
            let failure = Failure::usage(&name, "no such program, or it is not executable");
            let path = Path::new(program);
            match path.is_file() && path.file_name() == Some(program) {
                true => failure.with_hint(format!("use ./{name} for the program in this folder")),
                false => failure,
            }
        })?;
        Ok(Loader {
            program,
            arguments: arguments.to_vec(),
            options,
        })
    }

    /// Runs the loader on a file. Kills it if it runs longer than `timeout`.
    ///
    /// # Errors
    ///
    /// Returns an error if the process cannot be started.
    pub fn run(&self, file: &Path, timeout: Duration) -> Result<LoaderRun> {
        let run = self
            .try_run(file, timeout)
            .map_err(|error| self.failure(error))?;
        match run.end {
            RunEnd::Rejects(126 | 127) if run.stderr.bytes.starts_with(SHELL.as_bytes()) => {
                Err(self.failure(io::Error::other(run.stderr.excerpt())))
            }
            _ => Ok(run),
        }
    }

    fn failure(&self, error: io::Error) -> Failure {
        Failure::io(&text_of(&self.program), &error)
    }

    fn try_run(&self, file: &Path, timeout: Duration) -> io::Result<LoaderRun> {
        let mut command = self.command();
        command.args(
            self.arguments
                .iter()
                .map(|argument| with_file(argument, file)),
        );
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let start = Instant::now();
        let (mut child, group) = process_groups::spawn(&mut command)?;
        let stdout = child
            .stdout
            .take()
            .map(|pipe| PipeCapture::start(pipe, MAX_STDOUT));
        let stderr = child
            .stderr
            .take()
            .map(|pipe| PipeCapture::start(pipe, MAX_STDERR));
        let status = child.wait_timeout(timeout);
        let time = start.elapsed();
        // Kills all processes that the loader started.
        drop(group);
        if !matches!(status, Ok(Some(_))) {
            // Ignores the error if the loader has already ended.
            let _ = child.kill();
            child.wait()?;
        }
        let end = status?.map_or(RunEnd::Hangs, |status| self.classify(status));
        let finish =
            |capture: Option<PipeCapture>| capture.map(PipeCapture::finish).unwrap_or_default();
        Ok(LoaderRun {
            end,
            stdout: finish(stdout),
            stderr: finish(stderr),
            time,
        })
    }

    fn classify(&self, status: ExitStatus) -> RunEnd {
        match (status.code(), find_crash(status)) {
            (_, Some(crash)) => RunEnd::Crashes(crash),
            (Some(0), None) => RunEnd::Accepts,
            (Some(code), None) if self.options.crash_statuses.contains(&code) => {
                RunEnd::Crashes(format!("status {code}"))
            }
            (code, None) => RunEnd::Rejects(code.unwrap_or(-1)),
        }
    }

    /// Returns the command without the arguments of the loader: a shell that sets the limits, then executes the
    /// program.
    #[cfg(unix)]
    fn command(&self) -> Command {
        let memory = self
            .options
            .memory_kib
            .map(|kib| format!("ulimit -v {kib} 2>/dev/null; "));
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

/// The name that the shell prints in its error messages.
const SHELL: &str = "meshspec conform: shell";

fn contains_placeholder(argument: &OsStr) -> bool {
    argument
        .to_str()
        .is_some_and(|text| text.contains(PLACEHOLDER))
}

/// Replaces each placeholder in an argument with the path of the file.
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

/// Returns the name of the signal that ended a process; `None` if no signal ended it. Also recognises SIGABRT, SIGBUS,
/// SIGFPE, SIGILL, SIGSEGV and SIGTRAP if a shell reports them as status 128 plus their number.
#[cfg(unix)]
fn find_crash(status: ExitStatus) -> Option<String> {
    use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    use signal_hook::low_level::signal_name;
    use std::os::unix::process::ExitStatusExt;

    const FAULTS: [i32; 6] = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP];
    let signal = status.signal().or_else(|| {
        status
            .code()
            .map(|code| code - 128)
            .filter(|n| FAULTS.contains(n))
    })?;
    Some(signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned))
}

/// Returns the code of the exception that ended a process; `None` if no exception ended it.
#[cfg(not(unix))]
fn find_crash(status: ExitStatus) -> Option<String> {
    let code = status.code()? as u32;
    (code >= 0xc000_0000).then(|| format!("exception {code:#x}"))
}
