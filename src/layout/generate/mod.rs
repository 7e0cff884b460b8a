//! Files out of numbers, by a declaration: what a test of a loader needs. The strategies of MESH, Crucible and BMD are made of
//! them.
//!
//! [`file()`] goes through a declaration and decides everything that is not decided yet by the next of its numbers: how many
//! items, which alternative, which flags, which bits. Conditions, counts, checks and constraints are respected; where several
//! values still do not go together, there is no file. Sizes, offsets and checksums are [computed](super::assemble). What a
//! packing demands by functions of its own, as that of IyMA does, is not known: few of those files can be made.
//!
//! Of each choice, 0 is the simplest: fewer and smaller numbers make smaller files. With the feature `proptest`, `valid` and
//! `files` are strategies that shrink by them: items of lists go, flags and values become 0, and what is left stays as it
//! was.
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

mod ahead;
mod broken;
#[cfg_attr(not(feature = "proptest"), allow(dead_code, reason = "strategies shrink by what was chosen"))]
mod choices;
mod draw;
mod generator;
#[cfg(feature = "proptest")]
mod mutations;
mod relate;
mod relations;
mod several;
#[cfg(feature = "proptest")]
mod text;
#[cfg(feature = "proptest")]
mod tree;

#[cfg(feature = "proptest")]
pub(crate) use broken::almost_broken_of;
pub(crate) use broken::breakages_of;
#[cfg(feature = "proptest")]
pub use broken::broken;
pub(crate) use broken::text as broken_text;
pub use broken::{
    AlmostBroken, Breakage, Broken, Miscount, Substituted, almost_broken, breakages, substitutions,
};
#[cfg(feature = "proptest")]
pub(crate) use mutations::mutate;
#[cfg(feature = "proptest")]
pub use mutations::{Mutated, Mutation, mutations};
#[cfg(feature = "proptest")]
pub use text::{GeneratedText, texts};

use self::choices::{Choices, Trace};
use super::declaration::Type;
use super::walk::first_fault;
use crate::{Limits, Report, Result, Severity};

/// What sort of files.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// How many items a list has at most, and a string characters. A list whose number of items is a product has as
    /// many for each factor.
    pub max_items: u64,
    /// The maximum number of items of a large list; 0 for no large lists. One list in eight is large. All lists of a file together
    /// have at most twice as many items.
    pub large_items: u64,
    /// Whether files are what a loader meets in practice: floats are finite and of common size, strings are UTF-8, and
    /// constraints of warnings hold, too. Those of errors always do.
    pub plausible: bool,
    /// How many numbers decide about a file at most, for a strategy.
    pub max_choices: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config { max_items: 6, large_items: 0, plausible: false, max_choices: 512 }
    }
}

impl Config {
    /// Files as exporters write them. See the field [`plausible`](Config::plausible).
    pub fn plausible() -> Config {
        Config { plausible: true, ..Config::default() }
    }

    /// Files with large lists, some of more than 2¹⁶ items. Generating one takes up to seconds and a gigabyte.
    pub fn large() -> Config {
        Config { large_items: 70_000, max_choices: 1 << 20, ..Config::default() }
    }
}

/// The file that these numbers decide about; behind their end they are 0.
///
/// # Errors
///
/// If what they decide about does not go together, such as several values that a check compares or a constraint counts.
pub fn file(ty: &'static Type, choices: &[u64], config: &Config) -> Result<Vec<u8>> {
    let (bytes, _) = assembled(ty, Choices::sequence(choices), config)?;
    require_constraints(ty, &bytes, config)?;
    Ok(bytes)
}

/// The file that these choices decide about, and what each of them decided. Constraints over several values may be violated.
fn assembled(ty: &'static Type, choices: Choices, config: &Config) -> Result<(Vec<u8>, Trace)> {
    let limits = Limits::default();
    let (values, trace) = generator::values(ty, choices, config);
    let bytes = values.assemble(&limits)?;
    match first_fault(ty, &bytes, &limits) {
        None => Ok((bytes, trace)),
        Some(fault) => Err(crate::Error::inexpressible(fault.message).at(fault.path)),
    }
}

/// # Errors
///
/// The first finding that files of this sort are not to have.
fn require_constraints(ty: &'static Type, bytes: &[u8], config: &Config) -> Result<()> {
    let limits = Limits::default();
    let min = if config.plausible { Severity::Warning } else { Severity::Error };
    let mut report = Report::at_least(min, &limits);
    // There is no fault in it.
    let _ = super::check_bytes(ty, bytes, &limits, &mut report);
    match report.findings().first() {
        None => Ok(()),
        Some(finding) => Err(crate::Error::inexpressible(&finding.message).at(finding.path.clone())),
    }
}

/// A strategy for files of a declared type. A file that a test fails with shrinks to the fewest items and the simplest
/// values with which it still fails; what is left keeps its values, whatever goes.
///
/// ```
/// use meshspec::layout::{Layout, generate};
/// use meshspec::mesh::schema::Joint;
/// use proptest::prelude::*;
///
/// proptest!(|(bytes in generate::valid::<Joint>(generate::Config::default()))| {
///     prop_assert_eq!(bytes.len(), 66);
/// });
/// ```
#[cfg(feature = "proptest")]
pub fn valid<T: super::Layout>(config: Config) -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
    files(&T::TYPE, config)
}

/// As [`valid`], by a layout: one of those of a [format](crate::About::layouts), or of [`bind`](super::declaration::bind).
#[cfg(feature = "proptest")]
pub fn files(ty: &'static Type, config: Config) -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
    tree::Files { ty, config }
}
