//! The program `meshspec`: all of it is in the library beside this file.

use std::process::ExitCode;

use meshspec::Formats;

fn main() -> ExitCode {
    #[cfg(unix)]
    backtrace::disable();
    meshspec_cli::run(&Formats::builtin(), std::env::args_os())
}

#[cfg(unix)]
mod backtrace {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    const VARIABLE: &str = "RUST_BACKTRACE";

    /// Starts the program again, in the same process, without `RUST_BACKTRACE`. It would add a stack backtrace to the
    /// message of a failed allocation; a program without unsafe code cannot change its own environment.
    pub fn disable() {
        if env::var_os(VARIABLE).is_none_or(|value| value == "0") {
            return;
        }
        let mut arguments = env::args_os();
        let (Ok(program), Some(name)) = (env::current_exe(), arguments.next()) else { return };
        // An interpreter or loader may be the executable instead.
        if program.file_name().is_some() && program.file_name() == Path::new(&name).file_name() {
            // Returns only on failure: then the backtrace stays.
            let _ = Command::new(program).arg0(name).args(arguments).env(VARIABLE, "0").exec();
        }
    }
}
