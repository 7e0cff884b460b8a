//! `meshspec assemble`: writes a file from the output of `dump --json`.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use meshspec::layout::tree::Tree;
use meshspec::{Formats, Limits};

use crate::buffer::{self, LimitedStream, MIN_LARGE_SIZE};
use crate::content_kind::ContentKind;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, name_of};
use crate::json::{self, JsonLayout};
use crate::readable;
use crate::{output, progress};

/// Write a file from the values printed by `dump --json`, edited or not.
///
/// Values are written as given, even if they contradict each other. Missing counts, sizes and offsets are computed.
#[derive(Debug, Args)]
pub struct Assemble {
    /// The values as JSON; `-` is standard input.
    #[arg(value_name = "DUMP")]
    input: PathBuf,
    /// The file to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
}

impl Assemble {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        progress::on_file(&self.input, || self.assemble(formats))
    }

    fn assemble(&self, formats: &Formats) -> Result<Status> {
        output::reject_existing(&self.output, self.force)?;
        let name = name_of(&self.input);
        let read_failure = |error| input::read_failure(&self.input, error);
        let mut stream = input::open(&self.input)?;
        let start = buffer::read_start(&mut stream).map_err(read_failure)?;
        let text = json::without_byte_order_mark(&start);
        if text.trim_ascii().is_empty() {
            return Err(Failure::invalid(
                &name,
                "empty: expected the output of `dump --json`",
            ));
        }
        let layout = match ContentKind::of(text, formats) {
            Some(ContentKind::Encoding(encoding))
                if encoding != Encoding::Json || !json::has_layout(text) =>
            {
                Err(self.not_a_dump(ContentKind::Encoding(encoding)))
            }
            Some(ContentKind::Contents) => Err(self.not_a_dump(ContentKind::Contents)),
            _ => {
                JsonLayout::parse(text, formats).map_err(|message| Failure::invalid(&name, message))
            }
        };
        let layout = layout?;
        Encoding::Format(layout.format).require_extension(&self.output, formats)?;
        // A large text is not kept in memory.
        let values = if (start.len() as u64) < MIN_LARGE_SIZE {
            Tree::from_json(layout.ty, text)
        } else {
            Tree::read_json(layout.ty, LimitedStream::new(text.chain(stream)))
        };
        let values = values.map_err(|error| Failure::from_error(&name, &error))?;
        let bytes = values
            .assemble(&Limits::default())
            .map_err(|error| Failure::from_error(&name, &error))?;
        output::write(&self.output, self.force, |out| out.write_all(&bytes))?;
        Ok(Status::Success)
    }

    /// Creates the failure for an input of another kind than the output of `dump --json`.
    fn not_a_dump(&self, kind: ContentKind) -> Failure {
        let name = name_of(&self.input);
        let argument = readable::argument_of(&self.input);
        let hint = match kind {
            ContentKind::Encoding(Encoding::Format(format))
                if !format.about().layouts().is_empty() =>
            {
                format!("print its values with `meshspec dump {argument} --json`")
            }
            ContentKind::Encoding(_) => {
                format!("write it in a format with `meshspec convert {argument} OUT`")
            }
            _ => "print the values of the file with `meshspec dump FILE --json`".to_owned(),
        };
        Failure::invalid(
            &name,
            format_args!("the content is {kind}, expected the output of `dump --json`"),
        )
        .with_hint(hint)
    }
}
