//! Generates files of a declared type from numbers, for tests of a loader. The strategies for MESH, Crucible and BMD
//! files use this module.
//!
//! [`file()`] walks a declaration and draws each undetermined value, such as a count, variant or flag, from the
//! numbers. It satisfies conditions, counts, checks and constraints; if several values still conflict, it returns an
//! error. Sizes, offsets and checksums are [computed](super::assemble). A declaration does not state the requirements
//! of a format-specific packing, such as IyMA's, so few files with such a packing can be generated.
//!
//! The number 0 is the simplest choice, so fewer and smaller numbers usually lead to smaller files. With the feature
//! `proptest`, `valid` and `files` are strategies that shrink: they remove list items, and reduce values towards 0. The
//! remaining values stay the same.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::layout::{Layout, generate};
//!
//! /// A list of heights.
//! #[derive(Layout)]
//! #[binrw]
//! #[brw(little, magic = b"HGT")]
//! struct Heights {
//!     /// Number of samples.
//!     count: u8,
//!     #[br(count = count)]
//!     samples: Vec<u8>,
//! }
//!
//! let config = generate::Config::default();
//! assert_eq!(generate::file(&Heights::TYPE, &[], &config).unwrap(), b"HGT\0");
//! assert_eq!(generate::file(&Heights::TYPE, &[2, 4, 28], &config).unwrap(), b"HGT\x02\x01\x07");
//! ```

mod broken;
#[cfg_attr(
    not(feature = "proptest"),
    allow(dead_code, reason = "only strategies use the trace")
)]
mod choices;
mod draw;
mod generator;
mod lookahead;
#[cfg(feature = "proptest")]
mod mutations;
mod number_lists;
mod relate;
mod relations;
#[cfg(feature = "proptest")]
mod text;
#[cfg(feature = "proptest")]
mod tree;

#[cfg(feature = "proptest")]
pub(crate) use self::{broken::almost_broken_of, mutations::mutate};
#[cfg(feature = "proptest")]
pub use self::{
    broken::broken,
    mutations::{MutatedFile, Mutation, mutations},
    text::{GeneratedText, texts},
    tree::{files, valid},
};
pub(crate) use broken::breakages_of;
pub(crate) use broken::text as broken_text;
pub use broken::{
    AlmostBrokenFile, Breakage, BrokenFile, Miscount, SubstitutedFile, almost_broken, breakages,
    substitutions,
};

use self::choices::{Choices, Trace};
use super::declaration::Type;
use super::walk::{check_for_codec, first_fault};
use crate::{Limits, Report, Result, Severity};

/// The size and the plausibility of generated files.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// The maximum number of items in a list, and of characters in a string, except large ones. If a number of items is
    /// a product, the limit applies to each factor.
    pub max_items: u64,
    /// The maximum number of items in a large list; 0 disables large lists. About one drawn count in four is large.
    /// Unless large lists are disabled, all drawn counts of a file add up to at most twice this number.
    pub large_items: u64,
    /// Whether generated files resemble real ones: floats are finite and mostly from −100 to 100, strings are UTF-8,
    /// and constraints of severity warning hold. Constraints of severity error always hold.
    pub plausible: bool,
    /// The maximum number of choices that a strategy draws for a file.
    pub max_choices: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            max_items: 6,
            large_items: 0,
            plausible: false,
            max_choices: 512,
        }
    }
}

impl Config {
    /// Returns a configuration for files that an exporter could have written. See the field
    /// [`plausible`](Config::plausible).
    pub fn plausible() -> Config {
        Config {
            plausible: true,
            ..Config::default()
        }
    }

    /// Returns a configuration for files with large lists, some of more than 2¹⁶ items. Generating a file can
    /// take several seconds and a gigabyte of memory.
    pub fn large() -> Config {
        Config {
            large_items: 70_000,
            max_choices: 1 << 20,
            ..Config::default()
        }
    }
}

/// Generates a file from a sequence of choices. After the end of the sequence, all choices are 0.
///
/// # Errors
///
/// Returns an error if drawn values conflict, such as values that a check or constraint compares with each other.
pub fn file(ty: &'static Type, choices: &[u64], config: &Config) -> Result<Vec<u8>> {
    generate(ty, Choices::sequence(choices), config).map(|(bytes, _)| bytes)
}

/// Generates a file, and returns it with the trace of its choices.
fn generate(ty: &'static Type, choices: Choices, config: &Config) -> Result<(Vec<u8>, Trace)> {
    let limits = Limits::default();
    let (values, trace) = generator::draw(ty, choices, config);
    let bytes = values.assemble(&limits)?;
    // A codec rejects some files that the walker accepts.
    let fault =
        first_fault(ty, &bytes, &limits).or_else(|| check_for_codec(ty, &bytes, &limits).err());
    if let Some(fault) = fault {
        return Err(crate::Error::inexpressible(fault.message).at(fault.path));
    }
    // Drawn values can violate constraints that relate several values.
    let min = if config.plausible {
        Severity::Warning
    } else {
        Severity::Error
    };
    let mut report = Report::at_least(min, &limits);
    let _ = super::check_bytes(ty, &bytes, &limits, &mut report);
    match report.findings().first() {
        None => Ok((bytes, trace)),
        Some(finding) => {
            Err(crate::Error::inexpressible(&finding.message).at(finding.path.clone()))
        }
    }
}
