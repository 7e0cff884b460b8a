//! Reads and writes declared types with binrw; the walker locates its errors.

use std::io::Cursor;

use binrw::{BinRead, BinResult, BinWrite};

use super::Layout;
use super::declaration::Type;
use super::structure::Structure;
use crate::{Error, ErrorKind, ReadOptions, Report, Result, Strictness, WriteOptions};

/// Reads a file with binrw's codec.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{self, Layout};
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Heights {
///     count: u8,
///     #[br(count = count)]
///     metres: Vec<f32>,
/// }
///
/// let error = layout::read::<Heights>(&[1, 0, 0], &Default::default()).err().unwrap();
/// assert_eq!(error.to_string(), "metres (bytes 0x1..0x3): needs 4 bytes, but 2 remain [LAYOUT-TRUNCATED]");
/// ```
///
/// # Errors
///
/// Returns the first structural fault, or the first finding of [`check`] that the strictness rejects, with path,
/// bytes and rule.
pub fn read<T: Layout + for<'a> BinRead<Args<'a> = ()>>(bytes: &[u8], options: &ReadOptions) -> Result<T> {
    let structure = Structure::of(root::<T>());
    let value = decode(&structure, bytes, options, |reader| T::read_le(reader))?;
    let report = check::<T>(bytes, &keeping_findings(options))?;
    accept(&report, options.strictness, ErrorKind::Malformed)?;
    Ok(value)
}

/// Writes a value with binrw's codec.
///
/// # Errors
///
/// If binrw fails, or the strictness rejects a finding of [`check`].
pub fn write<T: Layout + for<'a> BinWrite<Args<'a> = ()>>(
    value: &T,
    options: &WriteOptions,
) -> Result<Vec<u8>> {
    let bytes = encode(value)?;
    accept(&check::<T>(&bytes, &ReadOptions::default())?, options.strictness, ErrorKind::Inexpressible)?;
    Ok(bytes)
}

/// Returns all violations in a file of a declared type: the first structural fault or, without one, trailing bytes
/// and violated constraints. Each has a path and bytes.
///
/// # Errors
///
/// If decoding would exceed the limits, or needs a packing whose feature is disabled.
pub fn check<T: Layout>(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
    let (structure, mut report) = (Structure::of(root::<T>()), Report::new(&options.limits));
    structure.check(bytes, &options.limits, &mut report)?;
    Ok(report)
}

/// Decodes a file without checking it. Errors are located at the first fault.
pub(crate) fn decode<T>(
    structure: &Structure,
    bytes: &[u8],
    options: &ReadOptions,
    decode: impl FnOnce(&mut Cursor<&[u8]>) -> BinResult<T>,
) -> Result<T> {
    let error = |error| structure.locate(of_binrw(error, Error::malformed), bytes, &options.limits);
    decode(&mut Cursor::new(bytes)).map_err(error)
}

/// Encodes a value without checking it.
pub(crate) fn encode<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Result<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    value.write_le(&mut out).map_err(|error| of_binrw(error, Error::inexpressible))?;
    Ok(out.into_inner())
}

/// Returns the options with room for at least one finding of each rule, since reading rejects the first.
pub(crate) fn keeping_findings(options: &ReadOptions) -> ReadOptions {
    let most = options.limits.max_findings_per_rule.max(1);
    ReadOptions { limits: options.limits.with_max_findings_per_rule(most), ..options.clone() }
}

/// Returns an error for the first finding that this strictness rejects.
pub(crate) fn accept(report: &Report, strictness: Strictness, kind: ErrorKind) -> Result<()> {
    report.first_rejected(strictness).map_or(Ok(()), |finding| Err(Error::from_finding(kind, finding)))
}

/// Returns the [`Error`] inside a binrw error, or else converts the binrw error with `other`.
pub(crate) fn of_binrw(error: binrw::Error, other: fn(binrw::Error) -> Error) -> Error {
    match error {
        binrw::Error::Backtrace(trace) => of_binrw(*trace.error, other),
        binrw::Error::Custom { err, .. } if err.is::<Error>() => err
            .downcast::<Error>()
            .map_or_else(|_| Error::inexpressible("a value does not fit"), |error| *error),
        error => other(error),
    }
}

fn root<T: Layout>() -> &'static Type {
    const { &T::TYPE }
}
