//! `meshspec man`: prints manual pages, generated from the command line definition.

use std::io;

use clap::{Args, Command};

use crate::failure::{Failure, Result, Status};

/// Print the manual page of the program or of one of its commands.
#[derive(Debug, Args)]
pub struct Man {
    /// The command, such as `convert` or `iyma merge`; by default, the program itself.
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

impl Man {
    pub fn run(&self, mut program: Command) -> Result<Status> {
        // Sets the display names of subcommands.
        program.build();
        let version = format!(
            "{} {}",
            program.get_name(),
            program.get_version().unwrap_or_default()
        );
        let mut page = &program;
        for word in &self.words {
            page = page.find_subcommand(word).ok_or_else(|| {
                let names: Vec<_> = page.get_subcommands().map(Command::get_name).collect();
                let message = match &*names {
                    [] => format!("`{}` has no subcommands", page.get_name()),
                    names => format!(
                        "unknown command `{word}`; the commands are {}",
                        names.join(", ")
                    ),
                };
                Failure::usage("man", message)
            })?;
        }
        let title = page
            .get_display_name()
            .unwrap_or(program.get_name())
            .to_owned();
        let page = clap_mangen::Man::new(page.clone())
            .title(title)
            .source(version);
        page.render(&mut io::stdout().lock())?;
        Ok(Status::Success)
    }
}
