//! `meshspec completions`: the command line, for shells.

use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::{Result, Status};

/// Print a script that makes a shell complete the command line.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(&self, mut program: Command) -> Result<Status> {
        // Not written at once: the generator panics if that fails.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "meshspec", &mut script);
        io::stdout().lock().write_all(&script)?;
        Ok(Status::Fine)
    }
}
