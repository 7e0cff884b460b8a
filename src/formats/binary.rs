//! Custom formats, each declared as one binrw struct.

use std::any::TypeId;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{LazyLock, Mutex, PoisonError};

use binrw::{BinRead, BinWrite};

use super::format::no_conversion;
use super::{About, Format, Layouts};
use crate::layout::Layout;
use crate::layout::codec::{check_strictness, decode_safely, encode, with_at_least_one_finding};
use crate::layout::declaration::bind;
use crate::layout::general_rules::{RULES, VALUE};
use crate::layout::structure::Structure;
#[cfg(feature = "scene")]
use crate::scene::SceneConversions;
use crate::{
    Dialect, Enforcement, Error, ErrorKind, Limits, Loss, ReadOptions, Report, Result, Rule,
    WriteOptions,
};

/// A format declared as one binrw struct for a whole file, with its name, extensions and rules.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::{BinaryFormat, Format, Rule, Severity};
///
/// /// Depths under water.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little, magic = b"DPTH")]
/// struct Depths {
///     /// Number of depths.
///     #[br(temp)]
///     #[bw(try_calc = u32::try_from(metres.len()))]
///     count: u32,
///     /// Depths in metres.
///     #[br(count = count)]
///     #[layout(finite, rule = FINITE)]
///     metres: Vec<f32>,
/// }
///
/// static FINITE: Rule = Rule::new("DEPTHS-FINITE", Severity::Error, "Depths are finite.");
///
/// impl BinaryFormat for Depths {
///     const NAME: &'static str = "depths";
///     const EXTENSIONS: &'static [&'static str] = &["dpth"];
///     const RULES: &'static [&'static Rule] = &[&FINITE];
/// }
///
/// let error = Depths::read(b"DPTH\x01\0\0\0\0\0\x80\x7f", &Default::default()).err().unwrap();
/// assert_eq!(error.to_string(), "depths: metres[0] (bytes 0x8..0xc): inf is not finite [DEPTHS-FINITE]");
/// let file = Depths { metres: vec![1.0] }.write(&Default::default())?;
/// assert_eq!(file, b"DPTH\x01\0\0\0\0\0\x80\x3f");
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// A type that implements this trait also implements [`Format`]. For a text format, or a format without a binrw codec,
/// implement `Format` directly.
pub trait BinaryFormat:
    Layout
    + for<'a> BinRead<Args<'a>: FromDialect>
    + for<'a> BinWrite<Args<'a> = ()>
    + Send
    + Sync
    + 'static
{
    /// The name on the command line: lower-case letters, digits and `_`, starting with a letter.
    const NAME: &'static str;

    /// File name extensions, without the dot.
    const EXTENSIONS: &'static [&'static str] = &[];

    /// The rules that the declaration and [`check_document`](BinaryFormat::check_document) enforce.
    const RULES: &'static [&'static Rule] = &[];

    /// The format of which this one is a variant. The rules that its structs declare are also rules of this format; those
    /// that its code checks are not.
    const BASE: Option<&'static About> = None;

    /// The display name.
    const TITLE: &'static str = Self::NAME;

    /// A one-line summary.
    const SUMMARY: &'static str = "";

    /// The dialects, the default one first. The declaration may import the dialect or its [number](Dialect::number).
    const DIALECTS: &'static [Dialect] = &[Dialect::SPEC];

    /// The conversions between documents and scenes; `None` if there are none.
    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<Self>> = None;

    /// The dialect of the document; by default, the first of [`DIALECTS`](BinaryFormat::DIALECTS).
    fn dialect_of_document(&self) -> Dialect {
        Self::DIALECTS.first().copied().unwrap_or_default()
    }

    /// Whether [`convert_dialect`](BinaryFormat::convert_dialect) is implemented.
    const CONVERTS_DIALECTS: bool = false;

    /// Converts the document to another dialect. Returns the new document and the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if the document cannot be converted; always by default.
    fn convert_dialect(self, dialect: Dialect) -> Result<(Self, Vec<Loss>)> {
        Err(no_conversion(self.dialect_of_document(), dialect))
    }

    /// Adds violations of rules that the declaration cannot express. Each violation then gets a byte range, looked up
    /// by its path.
    fn check_document(&self, report: &mut Report) {
        let _ = report;
    }
}

/// Converts the dialect to the arguments of a layout: none, the dialect, or its number.
pub trait FromDialect {
    /// Returns the layout arguments for the dialect.
    fn from_dialect(dialect: Dialect) -> Self;
}

impl FromDialect for () {
    fn from_dialect(_: Dialect) {}
}

impl FromDialect for (Dialect,) {
    fn from_dialect(dialect: Dialect) -> (Dialect,) {
        (dialect,)
    }
}

impl<T: From<u8>> FromDialect for (T,) {
    fn from_dialect(dialect: Dialect) -> (T,) {
        (dialect.number().into(),)
    }
}

impl<T: BinaryFormat> Format for T {
    const ABOUT: &'static About = &About::new(T::NAME, T::TITLE, layouts::<T>)
        .with_summary(T::SUMMARY)
        .with_extensions(T::EXTENSIONS)
        .with_dialects(T::DIALECTS)
        .with_rules(AllRules::<T>::ALL);

    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<T>> = T::SCENES;

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<T> {
        let dialect = T::dialect_of(bytes, options)?;
        let document = decode_unchecked::<T>(bytes, dialect, options).map_err(|error| {
            // A function that the declaration calls rejects the file.
            match (error.kind(), error.rule()) {
                (ErrorKind::Malformed, None) => error.with_rule(&VALUE),
                _ => error,
            }
        })?;
        let limits = with_at_least_one_finding(options).limits;
        let mut report = Report::new(&limits);
        check_encoded(&document, bytes, dialect, &limits, &mut report)?;
        check_strictness(&report, options.strictness, ErrorKind::Malformed)
            .map_err(in_format::<T>)?;
        Ok(document)
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        T::ABOUT.require_dialect(self.dialect_of_document())?;
        let bytes = encode(self).map_err(in_format::<T>)?;
        let mut report = Report::default();
        check_encoded(
            self,
            &bytes,
            self.dialect_of_document(),
            &Limits::default(),
            &mut report,
        )?;
        check_strictness(&report, options.strictness, ErrorKind::Inexpressible)
            .map_err(in_format::<T>)?;
        Ok(bytes)
    }

    fn check_into(&self, report: &mut Report) {
        let checked = encode(self).and_then(|bytes| {
            check_encoded(
                self,
                &bytes,
                self.dialect_of_document(),
                &Limits::default(),
                report,
            )
        });
        if let Err(error) = checked {
            report.add(&VALUE, error.path(), error.message());
        }
    }

    fn dialect(&self) -> Dialect {
        self.dialect_of_document()
    }

    fn check_content(
        bytes: &[u8],
        dialect: Dialect,
        limits: &Limits,
        report: &mut Report,
    ) -> Result<()> {
        match decode_unchecked::<T>(bytes, dialect, &ReadOptions::default().with_limits(*limits)) {
            Ok(document) => document.check_document(report),
            Err(error) if matches!(error.kind(), ErrorKind::LimitExceeded(_)) => return Err(error),
            // A function that the declaration calls rejects the file, or the codec computes more than the walker.
            Err(error) => report.add(&VALUE, error.path(), error.message()),
        }
        Ok(())
    }

    const CONVERTS_DIALECTS: bool = T::CONVERTS_DIALECTS;

    fn into_dialect(self, dialect: Dialect) -> Result<(T, Vec<Loss>)> {
        T::ABOUT.require_dialect(dialect)?;
        if self.dialect_of_document() == dialect {
            return Ok((self, Vec::new()));
        }
        self.convert_dialect(dialect).map_err(in_format::<T>)
    }
}

/// Decodes a file whose structure a codec can decode, without checking the rules.
fn decode_unchecked<T: BinaryFormat>(
    bytes: &[u8],
    dialect: Dialect,
    options: &ReadOptions,
) -> Result<T> {
    decode_safely(&structure::<T>(dialect), bytes, options, |reader| {
        T::read_le_args(reader, FromDialect::from_dialect(dialect))
    })
}

/// Adds the violations of the declaration and, if the structure is valid, those that `check_document` finds.
fn check_encoded<T: BinaryFormat>(
    document: &T,
    bytes: &[u8],
    dialect: Dialect,
    limits: &Limits,
    report: &mut Report,
) -> Result<()> {
    let structure = structure::<T>(dialect);
    if structure.check(bytes, limits, report)? {
        document.check_document(report);
    }
    structure.locate_findings(report, bytes, limits);
    Ok(())
}

fn structure<T: BinaryFormat>(dialect: Dialect) -> Structure {
    T::ABOUT.structure(T::ABOUT.layout(dialect).unwrap_or(const { &T::TYPE }))
}

fn in_format<T: BinaryFormat>(error: Error) -> Error {
    error.in_format(T::NAME)
}

/// The maximum number of rules of a format, including the general rules. Checked at compile time.
const MAX_RULES: usize = 256;

struct AllRules<T>(PhantomData<T>);

impl<T: BinaryFormat> AllRules<T> {
    /// The format's own rules, then those that the structs of its base declare, then the general rules.
    const ALL: &'static [&'static Rule] = Self::PADDED.0.split_at(Self::PADDED.1).0;

    const BASE_RULES: &'static [&'static Rule] = match T::BASE {
        Some(base) => base.rules,
        None => &[],
    };

    const PADDED: &'static ([&'static Rule; MAX_RULES], usize) = &{
        let (mut all, mut count) = ([&VALUE; MAX_RULES], 0);
        let lists = [T::RULES, Self::BASE_RULES, RULES];
        let mut list = 0;
        while list < lists.len() {
            let mut own = 0;
            while own < lists[list].len() {
                let rule = lists[list][own];
                // The code of the base does not run.
                let is_enforced = list != 1 || !matches!(rule.enforced_by, Enforcement::Code(_));
                if is_enforced && !contains(&all, count, rule) {
                    all[count] = rule;
                    count += 1;
                }
                own += 1;
            }
            list += 1;
        }
        (all, count)
    };
}

/// Returns `true` if the first `count` of `rules` contain a rule with the same code.
const fn contains(rules: &[&Rule], count: usize, rule: &Rule) -> bool {
    let code = rule.code.as_bytes();
    let mut index = 0;
    while index < count {
        let other = rules[index].code.as_bytes();
        let mut same = 0;
        while same < code.len() && same < other.len() && code[same] == other[same] {
            same += 1;
        }
        if same == code.len() && same == other.len() {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns the layout for each dialect, with the import bound to that dialect. Computed on the first call.
fn layouts<T: BinaryFormat>() -> Layouts {
    static BOUND: LazyLock<Mutex<HashMap<TypeId, Layouts>>> = LazyLock::new(Mutex::default);
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    bound.entry(TypeId::of::<T>()).or_insert_with(|| {
        let bind_layout = |(index, dialect): (usize, &Dialect)| {
            let (name, prefix) = match index {
                0 => (T::NAME, ""),
                _ => (
                    &*String::leak(format!("{}_{dialect}", T::NAME)),
                    capitalize(dialect.name()),
                ),
            };
            (name, bind::<T>(prefix, &[(*dialect).into()]))
        };
        Vec::leak(T::DIALECTS.iter().enumerate().map(bind_layout).collect())
    })
}

/// Capitalises a dialect name for use in type names.
fn capitalize(name: &str) -> &'static str {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    String::leak(first.into_iter().chain(letters).collect())
}
