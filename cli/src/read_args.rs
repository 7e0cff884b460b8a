//! Command-line options for reading input files.

use std::path::Path;

use clap::Args;
use meshspec::{Dialect, Formats, Limits, ReadOptions, Strictness};

use crate::buffer::Buffer;
use crate::content_kind;
use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, dialect_parser, name_of, read_options, require_dialect};
use crate::readable::Readable;

/// Options for reading input files.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// Read the files as this format instead of detecting it.
    #[arg(long, value_name = "FORMAT", value_parser = encoding::encoding_parser(&Formats::builtin(), Readable::ALL))]
    pub from: Option<Encoding>,
    /// Read the files as this dialect instead of detecting it.
    #[arg(long, value_parser = dialect_parser(&Formats::builtin(), Readable::ALL))]
    dialect: Option<Dialect>,
    /// Accept everything that can be decoded unambiguously.
    #[arg(long)]
    lenient: bool,
}

/// Limits on input files.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Reject interchange files with more than N triangles or vertices, including the copies of meshes that formats
    /// without nodes require. 134217728 by default.
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_triangles: Option<u64>,
}

impl LimitArgs {
    pub fn limits(&self) -> Limits {
        let limits = Limits::default();
        let Some(triangles) = self.max_triangles else {
            return limits;
        };
        // A decoded triangle occupies about 32 bytes.
        let bytes = triangles.saturating_mul(32).max(limits.max_decoded);
        limits.with_max_triangles(triangles).with_max_decoded(bytes)
    }
}

impl ReadArgs {
    /// Returns the options for reading `bytes`, with the given or detected dialect.
    pub fn options(&self, encoding: Encoding, bytes: &[u8]) -> ReadOptions {
        let options = read_options(self.lenient);
        match (self.dialect, encoding) {
            (Some(dialect), _) => options.with_dialect(dialect),
            (None, Encoding::Format(format)) => options.with_dialect(format.detect(bytes).dialect),
            (None, _) => options,
        }
    }

    pub fn strictness(&self) -> Strictness {
        read_options(self.lenient).strictness
    }

    /// Reads a file or standard input, and determines its encoding. `readable` contains the encodings for which
    /// messages suggest `--from`.
    ///
    /// # Errors
    ///
    /// Also returns an error if the content is of another kind than the name promises, or a usage error if the encoding
    /// lacks the given dialect.
    pub fn read(
        &self,
        path: &Path,
        readable: Readable,
        formats: &Formats,
    ) -> Result<(Buffer, Encoding)> {
        let bytes = self.read_bytes(path, formats)?;
        let encoding = match self.from {
            Some(encoding) => encoding,
            None => content_kind::detect(&bytes, path, readable, formats)?,
        };
        match (encoding, self.dialect) {
            (Encoding::Format(format), Some(dialect)) => {
                require_dialect(format, dialect, &name_of(path))?
            }
            (_, Some(_)) => {
                let message = format!("--dialect does not apply to {encoding}");
                return Err(Failure::usage(&name_of(path), message));
            }
            (_, None) => {}
        }
        Ok((bytes, encoding))
    }

    /// Reads a file or standard input, but only the first bytes if they show that it cannot be read as a file of the
    /// given or any other encoding.
    pub fn read_bytes(&self, path: &Path, formats: &Formats) -> Result<Buffer> {
        input::read_expected(path, &|start, size| {
            Encoding::may_read(self.from, path, formats, start, size)
        })
    }
}
