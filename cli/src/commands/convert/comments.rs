//! Comments in text formats.

use clap::ValueEnum;

use crate::encoding::Encoding;

/// The comments to write in text formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Comments {
    /// The comments of IN at their positions; headings if the format of IN has no comments
    #[default]
    Keep,
    /// A heading for each part, without the comments of IN
    Headings,
    /// No comments
    None,
}

impl Comments {
    /// Returns `true` if files of this encoding may have comments.
    pub fn are_supported(encoding: Encoding) -> bool {
        match encoding {
            Encoding::Json => true,
            Encoding::Format(format) => format.grammar().is_some(),
            Encoding::Interchange(_) => false,
        }
    }

    /// Returns `true` if the comments of IN are kept.
    pub fn are_kept(self) -> bool {
        self == Comments::Keep
    }

    pub fn are_written(self) -> bool {
        self != Comments::None
    }
}
