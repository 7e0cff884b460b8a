//! Rules and their severity.

use meshspec_derive::ToJson;

/// The severity of a violation.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{Severity, Strictness};
///
/// let mut bytes = std::fs::read("samples/mesh/flag.mesh")?;
/// bytes[0x101] = 9; // indices[1]: out of range
/// let report = meshspec::check(&bytes, meshspec::mesh::FORMAT, &Default::default())?;
/// let rule = report.first_rejected(Strictness::Strict).unwrap().rule;
/// assert_eq!((rule.severity, rule.severity.label()), (Severity::Error, "error"));
/// assert!(Strictness::Lenient.threshold() > Severity::Error && report.is_valid(Strictness::Lenient));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ToJson)]
pub enum Severity {
    /// The file ignores a recommendation, or the violation is unlikely to affect readers. Never rejected.
    Warning,
    /// The file violates the specification, or a reader could decode wrong data. Strict reading rejects the file;
    /// lenient reading accepts it.
    Error,
    /// The file cannot be decoded unambiguously. Both modes reject it.
    Fatal,
}

impl Severity {
    /// The name: `warning`, `error` or `fatal`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Fatal => "fatal",
        }
    }

    /// The label in reports: `warning`, or `error` for errors and fatal errors.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error | Severity::Fatal => "error",
        }
    }
}

/// One rule of a format. Codes are stable; `docs/rules.md` lists those of the built-in formats. Rules with the same
/// code are equal.
///
/// A declaration refers to a rule by its Rust path:
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
///
/// mod rules {
///     use meshspec::{Rule, Severity};
///
///     pub static VERSION: Rule = Rule::new("SAMPLE-VERSION", Severity::Fatal, "The version is 1.");
/// }
///
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Header {
///     #[br(assert(version == 1, "the version is not 1"))]
///     #[layout(rule = rules::VERSION)]
///     version: u8,
/// }
/// ```
///
/// A misspelt path does not compile:
///
/// ```compile_fail,E0425
/// # use binrw::binrw;
/// # use meshspec::layout::Layout;
/// #
/// # mod rules {
/// #     use meshspec::{Rule, Severity};
/// #
/// #     pub static VERSION: Rule = Rule::new("SAMPLE-VERSION", Severity::Fatal, "The version is 1.");
/// # }
/// #
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Header {
///     #[br(assert(version == 1, "the version is not 1"))]
///     #[layout(rule = rules::VERSOIN)]
///     version: u8,
/// }
/// ```
#[derive(Debug, ToJson)]
pub struct Rule {
    /// The stable code, such as `MESH-INDEX-RANGE`.
    pub code: &'static str,
    /// The severity of a violation.
    pub severity: Severity,
    /// The rule in a sentence.
    pub summary: &'static str,
    /// The section of the specification that states the rule.
    pub section: &'static str,
    /// The rows of `docs/interpretations.md` that the rule cites, such as `M13`; empty if the specification is clear.
    pub row: &'static str,
    /// The mechanism that finds violations.
    #[json(skip)]
    pub enforced_by: Enforcement,
}

/// The mechanism that finds violations of a [`Rule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    /// A check, constraint or table column in the declaration.
    Declaration,
    /// The structure of the declaration: magic bytes, counts, packed blocks, the end of the file, or the grammar.
    /// Declarations enforce these rules without stating them.
    Structure,
    /// Hand-written code. Contains the reason why the declaration cannot express the rule.
    Code(&'static str),
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}

impl Rule {
    /// Creates a rule that a declaration enforces, with empty `section` and `row`.
    pub const fn new(code: &'static str, severity: Severity, summary: &'static str) -> Rule {
        Rule {
            code,
            severity,
            summary,
            section: "",
            row: "",
            enforced_by: Enforcement::Declaration,
        }
    }

    /// The reference in brackets after a message: the code, then the rows, if any.
    pub fn reference(&self) -> String {
        match self.row {
            "" => self.code.to_owned(),
            row => format!("{}, {row}", self.code),
        }
    }
}

/// Declares the rules of a format: one static per rule, and the list `RULES` of all rules.
macro_rules! rules {
    ($(
        $name:ident $code:literal $severity:ident $section:literal $row:literal $by:ident $(($reason:literal))?
            $summary:literal;
    )*) => {
        $(pub(crate) static $name: $crate::Rule = $crate::Rule {
            code: $code,
            severity: $crate::Severity::$severity,
            summary: $summary,
            section: $section,
            row: $row,
            enforced_by: $crate::Enforcement::$by $(($reason))?,
        };)*

        /// Every rule of the format.
        pub(crate) static RULES: &[&$crate::Rule] = &[$(&$name),*];
    };
}

pub(crate) use rules;
