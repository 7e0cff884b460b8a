//! `meshspec completions`: prints completion scripts for shells.

use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::{Result, Status};

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(&self, mut program: Command) -> Result<Status> {
        // Buffered, since the generator panics on write errors.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "meshspec", &mut script);
        io::stdout().lock().write_all(&script)?;
        Ok(Status::Success)
    }
}
