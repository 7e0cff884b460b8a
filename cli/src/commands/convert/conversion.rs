//! The options of `convert`.

use clap::Args;
use meshspec::scene::Precision;
use meshspec::{About, AnyFormat, Dialect, Formats, ReadOptions};

use super::comments::Comments;
use super::edits::Edits;
use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, dialect_parser, read_options};
use crate::packing::Packing;
use crate::reading::Bounds;

/// How to convert a file.
#[derive(Debug, Args)]
pub struct Conversion {
    /// The format of IN. Without it, the extension of IN or its content decides.
    #[arg(long, value_name = "FORMAT", value_parser = encoding::parser(&Formats::builtin()))]
    pub(super) from: Option<Encoding>,
    /// The format of OUT. Without it, the extension of OUT decides.
    #[arg(long, value_name = "FORMAT", value_parser = encoding::parser(&Formats::builtin()))]
    pub to: Option<Encoding>,
    /// The dialect to write. Without it, files are written in the dialect of the specification; from and to JSON, the
    /// dialect is kept.
    #[arg(long, value_parser = dialect_parser(&Formats::builtin()))]
    pub(super) dialect: Option<Dialect>,
    /// Accept, and write, whatever can be decoded without guessing.
    #[arg(long, hide_short_help = true)]
    pub(super) lenient: bool,
    /// Write nothing if something would be lost.
    #[arg(long)]
    pub(super) strict: bool,
    /// How precisely positions are stored in BMD: the bits of a vertex, 64bit, 96bit or 128bit, or the largest error in
    /// metres, as in 0.001. Without it, each vertex has the smallest form without a visible difference.
    #[arg(long, value_name = "PRECISION")]
    pub(super) precision: Option<Precision>,
    /// Which comments a text format is written with: those of IN, headings for its parts, or none.
    #[arg(long, value_name = "WHICH", value_enum, hide_short_help = true)]
    pub(super) comments: Option<Comments>,
    /// Put the image files that IN refers to into OUT, which is glb or gltf. Without it, they are copied to the folder of
    /// OUT, unless that is the folder of IN.
    #[arg(long)]
    pub(super) embed_images: bool,
    #[command(flatten)]
    pub(super) bounds: Bounds,
    #[command(flatten)]
    pub(super) packing: Packing,
    #[command(flatten)]
    pub(super) edits: Edits,
}

impl Conversion {
    /// Returns a usage error if the target has no scenes or does not support an option.
    pub fn require_options(&self, to: Encoding, formats: &Formats) -> Result<()> {
        if let Encoding::Format(format) = to {
            encoding::require_target(format, "--to")?;
        }
        let require = |option: &str, is_there: fn(&About) -> bool| {
            if matches!(to, Encoding::Format(format) if is_there(format.about())) {
                return Ok(());
            }
            let having = formats.iter().filter(|format| is_there(format.about()));
            let names: Vec<_> = having.map(AnyFormat::name).collect();
            let message = format!("applies to {} only, and the output is {to}", names.join(", "));
            Err(Failure::usage(option, message))
        };
        if let Some(option) = self.packing.asked() {
            require(option, |about| about.has_compression_levels)?;
        }
        if self.comments.is_some() && !Comments::are_in(to) {
            return Err(Failure::usage("--comments", format_args!("{to} files have no comments")));
        }
        if self.embed_images && !matches!(to, Encoding::Interchange(format) if format.embeds_images()) {
            let message = format!("applies to glb and gltf only, and the output is {to}");
            return Err(Failure::usage("--embed-images", message));
        }
        // The format of a JSON document is not known yet.
        if self.precision.is_some() && to != Encoding::Json {
            require("--precision", |about| about.has_precisions)?;
        }
        match (to, self.dialect) {
            (Encoding::Format(format), Some(dialect)) => input::require_dialect(format, dialect, "--dialect"),
            (Encoding::Interchange(_), Some(dialect)) => {
                Err(Failure::usage("--dialect", format_args!("{to} has no {dialect} dialect")))
            }
            // The format of the document is not known yet.
            (Encoding::Json, _) | (_, None) => Ok(()),
        }
    }

    pub(super) fn comments(&self) -> Comments {
        self.comments.unwrap_or_default()
    }

    pub(super) fn read_options(&self) -> ReadOptions {
        read_options(self.lenient)
    }
}
