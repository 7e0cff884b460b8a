//! Formats whose loaders can be tested, and the results of loaders.

use std::fmt::Debug;
use std::marker::PhantomData;

use proptest::prelude::*;

use crate::layout::declaration::Type;
use crate::layout::generate::{self, Config};
use crate::{
    About, AnyFormat, Declared, Dialect, Error, ErrorKind, Format, ReadOptions, Result, Severity,
};

/// A format whose loaders can be tested. Generates valid files, and reads files strictly.
pub trait TestedFormat {
    /// The document that strict reading returns.
    type Document;

    /// Returns the format.
    fn format(&self) -> AnyFormat;

    /// Returns the name, dialects and rules of the format.
    fn about(&self) -> &'static About {
        self.format().about()
    }

    /// Returns a strategy for valid files of a dialect.
    fn files(&self, config: Config, dialect: Dialect) -> BoxedStrategy<Vec<u8>>;

    /// Reads a file strictly.
    ///
    /// # Errors
    ///
    /// Returns an error if strict reading rejects the file.
    fn read(&self, bytes: &[u8], dialect: Dialect) -> Result<Self::Document>;

    /// Returns the detected dialect of a file.
    fn detect(&self, bytes: &[u8]) -> Dialect {
        self.format().detect(bytes).dialect
    }

    /// Returns the layout from which breakages of a file are derived; `None` for a text format.
    fn layout(&self, bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        self.format().layout_of(bytes, dialect)
    }
}

/// A built-in format whose loaders can be tested.
#[derive(Debug)]
pub struct Documents<D>(pub(super) PhantomData<D>);

impl<D: Format> TestedFormat for Documents<D> {
    type Document = D;

    fn format(&self) -> AnyFormat {
        AnyFormat::of::<D>()
    }

    fn files(&self, config: Config, dialect: Dialect) -> BoxedStrategy<Vec<u8>> {
        let of_dialect = move |(own, bytes)| (own == dialect).then_some(bytes);
        match D::files(config) {
            Some(files) => files
                .prop_filter_map("a file of another dialect", of_dialect)
                .boxed(),
            None => any::<()>()
                .prop_filter_map("files cannot be generated", |()| None)
                .boxed(),
        }
    }

    fn read(&self, bytes: &[u8], dialect: Dialect) -> Result<D> {
        D::read(bytes, &ReadOptions::default().with_dialect(dialect))
    }
}

/// A custom format whose loaders can be tested. The document of a file is its bytes.
#[derive(Debug)]
pub struct DeclaredFiles<T>(pub(super) PhantomData<T>);

impl<T: Declared> TestedFormat for DeclaredFiles<T> {
    type Document = Vec<u8>;

    fn format(&self) -> AnyFormat {
        AnyFormat::of::<T>()
    }

    fn files(&self, config: Config, dialect: Dialect) -> BoxedStrategy<Vec<u8>> {
        let files = T::ABOUT.layout(dialect).map(|layout| {
            let is_valid =
                move |file: &Vec<u8>| DeclaredFiles::<T>(PhantomData).read(file, dialect).is_ok();
            generate::files(layout, config)
                .prop_filter("a rule enforced in code", is_valid)
                .boxed()
        });
        files.unwrap_or_else(|| Just(Vec::new()).boxed())
    }

    /// Accepts a file if checking it finds no errors.
    fn read(&self, bytes: &[u8], dialect: Dialect) -> Result<Vec<u8>> {
        let report = T::check_file(bytes, &ReadOptions::default().with_dialect(dialect))?;
        let mut errors = report
            .findings()
            .iter()
            .filter(|finding| finding.rule.severity >= Severity::Error);
        match errors.next() {
            Some(finding) => Err(Error::from_finding(ErrorKind::Malformed, finding)),
            None => Ok(bytes.to_vec()),
        }
    }
}

/// The result of a loader for a file: the loaded contents, or the reason for a rejection.
///
/// Implemented for `Result`, `Option` and `bool`. For a loader whose contents borrow from the file, return
/// `load(bytes).is_ok()`.
pub trait LoaderResult {
    /// The loaded contents.
    type Contents;

    /// Returns the loaded contents, or the reason why the loader rejects the file. The reason is empty if unknown.
    fn contents(self) -> Result<Self::Contents, String>;
}

impl LoaderResult for bool {
    type Contents = ();

    fn contents(self) -> Result<(), String> {
        if self { Ok(()) } else { Err(String::new()) }
    }
}

impl<T> LoaderResult for Option<T> {
    type Contents = T;

    fn contents(self) -> Result<T, String> {
        self.ok_or_else(String::new)
    }
}

impl<T, E: Debug> LoaderResult for Result<T, E> {
    type Contents = T;

    fn contents(self) -> Result<T, String> {
        self.map_err(|error| format!("{error:?}"))
    }
}
