//! Reads and writes declared types with binrw, and locates binrw's errors with the walker.

use std::io::Cursor;

use binrw::{BinRead, BinResult, BinWrite};

use super::Layout;
use super::structure::Structure;
use super::walk;
use crate::{Error, ErrorKind, ReadOptions, Report, Result, Strictness, WriteOptions};

/// Reads a file with binrw, and checks it.
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
/// Returns an error if binrw or [`check`] fails, or `options.strictness` rejects a finding from [`check`]. The error
/// has the path, byte range and rule of the first structural fault or rejected finding, if any.
pub fn read<T: Layout + for<'a> BinRead<Args<'a> = ()>>(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<T> {
    let value = decode_safely(&Structure::of(&T::TYPE), bytes, options, |reader| {
        T::read_le(reader)
    })?;
    let report = check::<T>(bytes, &with_at_least_one_finding(options))?;
    check_strictness(&report, options.strictness, ErrorKind::Malformed)?;
    Ok(value)
}

/// Writes a value with binrw, and checks the result.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::layout;
/// use meshspec::mesh::{Joint, NO_JOINT};
///
/// let root = Joint { parent: NO_JOINT, ..Joint::default() };
/// let bytes = layout::write(&root, &Default::default())?;
/// let report = layout::check::<Joint>(&bytes[..65], &Default::default())?;
/// assert_eq!(report.findings()[0].path, "transform");
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if binrw or [`check`] fails, or `options.strictness` rejects a finding from [`check`].
pub fn write<T: Layout + for<'a> BinWrite<Args<'a> = ()>>(
    value: &T,
    options: &WriteOptions,
) -> Result<Vec<u8>> {
    let bytes = encode(value)?;
    let report = check::<T>(&bytes, &ReadOptions::default())?;
    check_strictness(&report, options.strictness, ErrorKind::Inexpressible)?;
    Ok(bytes)
}

/// Checks a file of type `T`. Reports the first structural fault, and trailing bytes of blocks before it. Without a
/// fault, reports trailing bytes, violated constraints and wrong checksums. Each finding has a path and a byte range.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::{self, Layout};
/// use meshspec::{Rule, Severity};
///
/// static HOUR: Rule = Rule::new("TIME-HOUR", Severity::Error, "Hours are below 24.");
///
/// #[derive(Layout)]
/// #[binrw]
/// struct Time {
///     #[layout(below = 24, rule = HOUR)]
///     hour: u8,
/// }
///
/// let report = layout::check::<Time>(&[25, 0], &Default::default())?;
/// assert_eq!((report.count_of("LAYOUT-TRAILING"), report.count_of("TIME-HOUR")), (1, 1));
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if decoding would exceed `options.limits`, or needs a packing whose feature is disabled.
pub fn check<T: Layout>(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
    let (structure, mut report) = (Structure::of(&T::TYPE), Report::new(&options.limits));
    structure.check(bytes, &options.limits, &mut report)?;
    Ok(report)
}

/// Decodes a file by a codec that binrw generates, after checking that the codec can decode it: it must neither overflow
/// nor allocate memory for a false count. Errors are [located](Structure::locate).
pub(crate) fn decode_safely<T>(
    structure: &Structure,
    bytes: &[u8],
    options: &ReadOptions,
    codec: impl FnOnce(&mut Cursor<&[u8]>) -> BinResult<T>,
) -> Result<T> {
    if let Err(fault) = walk::check_for_codec(structure.ty, bytes, &options.limits) {
        // A full walk may find an earlier fault.
        let first = walk::first_fault(structure.ty, bytes, &options.limits);
        return Err(structure.to_error(&first.unwrap_or(fault)));
    }
    decode(structure, bytes, options, codec)
}

/// Decodes a file without checking it. Errors are [located](Structure::locate).
pub(crate) fn decode<T>(
    structure: &Structure,
    bytes: &[u8],
    options: &ReadOptions,
    decode: impl FnOnce(&mut Cursor<&[u8]>) -> BinResult<T>,
) -> Result<T> {
    let result = decode(&mut Cursor::new(bytes));
    let result = result.map_err(|error| convert_binrw_error(error, Error::malformed));
    result.map_err(|error| structure.locate(error, bytes, &options.limits))
}

/// Encodes a value without checking it.
pub(crate) fn encode<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Result<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    value
        .write_le(&mut out)
        .map_err(|error| convert_binrw_error(error, Error::inexpressible))?;
    Ok(out.into_inner())
}

/// Returns the options with a limit of at least one finding per rule, so that reading can reject a finding.
pub(crate) fn with_at_least_one_finding(options: &ReadOptions) -> ReadOptions {
    let max_findings = options.limits.max_findings_per_rule.max(1);
    ReadOptions {
        limits: options.limits.with_max_findings_per_rule(max_findings),
        ..options.clone()
    }
}

/// Returns an error for the first finding that `strictness` rejects, if any.
pub(crate) fn check_strictness(
    report: &Report,
    strictness: Strictness,
    kind: ErrorKind,
) -> Result<()> {
    report
        .first_rejected(strictness)
        .map_or(Ok(()), |finding| Err(Error::from_finding(kind, finding)))
}

/// Returns the [`Error`] that a binrw error wraps, or else the result of `other`.
pub(crate) fn convert_binrw_error(error: binrw::Error, other: fn(binrw::Error) -> Error) -> Error {
    match error {
        binrw::Error::Backtrace(trace) => convert_binrw_error(*trace.error, other),
        binrw::Error::Custom { err, .. } if err.is::<Error>() => {
            err.downcast::<Error>().map_or_else(
                |_| Error::inexpressible("a value does not fit"),
                |error| *error,
            )
        }
        error => other(error),
    }
}
