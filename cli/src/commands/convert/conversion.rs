//! Command-line options for the conversion of a file.

use clap::Args;
use meshspec::scene::Precision;
use meshspec::{About, Dialect, Formats, ReadOptions};

use super::comments::Comments;
use super::edits::EditArgs;
use crate::compression_args::CompressionArgs;
use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, dialect_parser, read_options};
use crate::read_args::LimitArgs;
use crate::readable::Readable;

/// Options for the conversion of a file.
#[derive(Debug, Args)]
pub struct ConversionArgs {
    /// The format of IN; by default, detected from its extension and content.
    #[arg(long, value_name = "FORMAT", value_parser = encoding::encoding_parser(&Formats::builtin(), Readable::ALL))]
    pub(super) from: Option<Encoding>,
    /// The format of OUT; by default, determined by its extension.
    #[arg(long, value_name = "FORMAT", value_parser = encoding::encoding_parser(&Formats::builtin(), Readable::ALL))]
    pub to: Option<Encoding>,
    /// The dialect to write; by default, the dialect of the specification. Conversions from and to JSON keep the
    /// dialect by default.
    #[arg(long, value_parser = dialect_parser(&Formats::builtin(), Readable::ALL))]
    pub(super) dialect: Option<Dialect>,
    /// Accept and write everything that can be decoded unambiguously.
    #[arg(long, hide_short_help = true)]
    pub(super) lenient: bool,
    /// Write nothing if something would be lost.
    #[arg(long)]
    pub(super) strict: bool,
    /// The precision of positions in BMD: the size of a vertex, 64bit, 96bit or 128bit, or the largest error in metres,
    /// such as 0.001. By default, each vertex gets the smallest size without a visible difference.
    #[arg(long, value_name = "PRECISION")]
    pub(super) precision: Option<Precision>,
    /// The comments to write in a text format: the comments of IN, headings for its parts, or none.
    #[arg(long, value_name = "WHICH", value_enum, hide_short_help = true)]
    pub(super) comments: Option<Comments>,
    /// Embed the image files of IN in OUT, which must be glb or gltf. By default, they are copied to the folder of OUT,
    /// unless that is the folder of IN.
    #[arg(long)]
    pub(super) embed_images: bool,
    #[command(flatten)]
    pub(super) limit_args: LimitArgs,
    #[command(flatten)]
    pub(super) compression: CompressionArgs,
    #[command(flatten)]
    pub(super) edits: EditArgs,
}

impl ConversionArgs {
    /// Returns a usage error if `to` has no scenes, if scenes cannot be converted to it, or if it does not support one
    /// of the options. JSON has the values of a file, so no scene is needed. `from` is `None` for several files.
    pub fn require_options(
        &self,
        from: Option<Encoding>,
        to: Encoding,
        formats: &Formats,
    ) -> Result<()> {
        if let Encoding::Format(format) = to
            && !(from == Some(Encoding::Json) && format.has_json())
        {
            encoding::require_target(format, "--to")?;
        }
        let require = |option: &str, is_supported: fn(&About) -> bool| {
            if matches!(to, Encoding::Format(format) if is_supported(format.about())) {
                return Ok(());
            }
            let supporting = formats.iter().filter(|format| is_supported(format.about()));
            let names: Vec<_> = supporting.map(|format| format.name()).collect();
            let message = format!(
                "applies to {} only, but the output is {to}",
                names.join(", ")
            );
            Err(Failure::usage(option, message))
        };
        if let Some(option) = self.compression.first_given() {
            require(option, |about| about.has_compression_levels)?;
        }
        if self.comments.is_some() && !Comments::are_supported(to) {
            return Err(Failure::usage(
                "--comments",
                format_args!("{to} files have no comments"),
            ));
        }
        if self.embed_images
            && !matches!(to, Encoding::Interchange(format) if format.embeds_images())
        {
            let message = format!("applies to glb and gltf only, but the output is {to}");
            return Err(Failure::usage("--embed-images", message));
        }
        // The format of a JSON document is not known yet.
        if self.precision.is_some() && to != Encoding::Json {
            require("--precision", |about| about.has_precisions)?;
        }
        match (to, self.dialect) {
            (Encoding::Format(format), Some(dialect)) => {
                input::require_dialect(format, dialect, "--dialect")
            }
            (Encoding::Interchange(_), Some(dialect)) => Err(Failure::usage(
                "--dialect",
                format_args!("{to} has no {dialect} dialect"),
            )),
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
