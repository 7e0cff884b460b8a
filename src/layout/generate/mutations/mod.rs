//! Mutated files: valid files changed at random, regardless of their declaration.

mod mutation;
mod numbers;
mod tree;

use std::fmt;

use proptest::strategy::Strategy;

pub use mutation::Mutation;
pub(crate) use tree::mutate;

/// A mutated file.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MutatedFile {
    /// The mutated bytes.
    pub bytes: Vec<u8>,
    /// The file before the mutations.
    pub file: Vec<u8>,
    /// The mutations; each applies to the result of the previous one.
    pub mutations: Vec<Mutation>,
}

impl MutatedFile {
    fn new(file: Vec<u8>, mutations: Vec<Mutation>) -> MutatedFile {
        let mut bytes = file.clone();
        mutations
            .iter()
            .for_each(|mutation| mutation.apply(&mut bytes));
        MutatedFile {
            bytes,
            file,
            mutations,
        }
    }
}

/// Prints `bit 0 of byte 0x3 flipped, truncated at byte 0x8`.
impl fmt::Display for MutatedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mutations
            .iter()
            .enumerate()
            .try_for_each(|(index, mutation)| {
                let comma = if index > 0 { ", " } else { "" };
                write!(f, "{comma}{mutation}")
            })
    }
}

/// Prints the mutations and the mutated bytes, for failing tests.
impl fmt::Debug for MutatedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}: {:02x?}", self.bytes)
    }
}

/// A strategy that applies one to four mutations to the files that `files` draws. Half of the mutations are in the
/// first 64 bytes, the others anywhere. A mutation flips a bit, overwrites or inserts a word, repeats or removes bytes,
/// or truncates the file. It can also replace the end of the file with the end of another file.
///
/// Words have 1, 2, 4 or 8 bytes in either byte order. Most values are likely to cause bugs, such as 0, −1, integer
/// limits, powers of two, the file size, or neighbours of the current value.
///
/// Files from [`broken`](super::broken()) violate one requirement of a declaration; mutations ignore the declaration.
/// Some mutated files are still valid, and some violate requirements outside the declaration. A failing case shrinks to
/// fewer mutations, then to simpler ones. Then the file shrinks, while mutations keep their distance from its start or
/// end.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{Layout, generate};
/// use proptest::test_runner::{TestError, TestRunner};
///
/// /// A list of heights.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little, magic = b"HGT")]
/// struct Heights {
///     /// Number of samples.
///     count: u8,
///     #[br(count = count)]
///     samples: Vec<u8>,
/// }
///
/// /// Returns the last sample, trusting the count.
/// fn last(file: &[u8]) -> Option<u8> {
///     let count = *file.strip_prefix(b"HGT")?.first()? as usize;
///     if count == 0 { None } else { Some(file[3 + count]) }
/// }
///
/// let files = generate::mutations(generate::valid::<Heights>(generate::Config::default()));
/// let result = TestRunner::deterministic().run(&files, |mutated| Ok(drop(last(&mutated.bytes))));
/// let Err(TestError::Fail(_, smallest)) = result else { panic!("no bug found") };
/// assert_eq!(smallest.mutations.len(), 1);
/// assert_eq!(smallest.bytes.len(), 4);
/// ```
pub fn mutations(files: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = MutatedFile> {
    tree::Mutations { files }
}
