//! `meshspec man`: the manual pages, made from the declaration of the command line.

use std::io;

use clap::{Args, CommandFactory};

use crate::Program;
use crate::failure::{Failure, Result, Status};

/// Print the manual page of the program or of one of its commands.
#[derive(Debug, Args)]
pub struct Man {
    /// The command whose page to print, in words: `convert`, `iyma merge`.
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

impl Man {
    pub fn run(&self) -> Result<Status> {
        let mut program = Program::command();
        // Gives the subcommands their full names.
        program.build();
        let mut page = &program;
        for word in &self.words {
            page = page
                .find_subcommand(word)
                .ok_or_else(|| Failure::usage(&self.words.join(" "), "there is no such command"))?;
        }
        let title = page.get_display_name().unwrap_or("meshspec").to_owned();
        clap_mangen::Man::new(page.clone()).title(title).render(&mut io::stdout().lock())?;
        Ok(Status::Fine)
    }
}
