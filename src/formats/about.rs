//! What there is to know about a format.

use meshspec_derive::ToJson;

use crate::layout::declaration::Type;
use crate::layout::schema::declared_rules;
use crate::layout::structure::Structure;
use crate::layout::{general, walk};
use crate::{Dialect, Enforcement, Error, Result, Rule, path};

/// The declarations of whole files: a name and the type of each.
pub type Layouts = &'static [(&'static str, &'static Type)];

/// What there is to know about a format.
///
/// ```
/// use meshspec::About;
/// use meshspec::layout::Layout;
///
/// static ABOUT: About = About::new("readings", "Readings", || &[("readings", &<Vec<f32> as Layout>::TYPE)])
///     .with_summary("numbers of a sensor")
///     .with_extensions(&["readings"]);
/// assert_eq!(ABOUT.layouts()[0].0, "readings");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct About {
    /// The name, as the command line takes it: lower-case letters, digits and `_`, a letter first.
    pub name: &'static str,
    /// The name as people write it.
    pub title: &'static str,
    /// The format in a sentence.
    pub summary: &'static str,
    /// The document that it follows, if there is one.
    pub specification: Option<Specification>,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// The dialects, the specification first.
    pub dialects: &'static [Dialect],
    /// The only dialect that the software of the format's author reads, where that is not the specification's.
    pub authors_dialect: Option<Dialect>,
    /// Whether files can be compressed more or less, as
    /// [`WriteOptions::compression_level`](crate::WriteOptions::compression_level) says.
    pub has_compression_levels: bool,
    /// Whether vertices can be stored more or less precisely, as [`Precision`](crate::scene::Precision) says.
    pub has_precisions: bool,
    /// Every rule that `check` knows.
    pub rules: &'static [&'static Rule],
    /// See [`layouts`](About::layouts).
    pub(crate) layouts: fn() -> Layouts,
}

/// The document that a format follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct Specification {
    /// Its title.
    pub title: &'static str,
    /// The project that it belongs to, and whose that is.
    pub project: &'static str,
    /// Where the revision lies that this crate follows.
    pub url: &'static str,
}

impl About {
    /// A format with these declarations of whole files: one, or one for each dialect. It has one dialect, that of its
    /// specification, and the rules of the structure.
    pub const fn new(name: &'static str, title: &'static str, layouts: fn() -> Layouts) -> About {
        About {
            name,
            title,
            summary: "",
            specification: None,
            extensions: &[],
            dialects: &[Dialect::Spec],
            authors_dialect: None,
            has_compression_levels: false,
            has_precisions: false,
            rules: general::RULES,
            layouts,
        }
    }

    /// This format in a sentence.
    pub const fn with_summary(self, summary: &'static str) -> About {
        About { summary, ..self }
    }

    /// This format with the document that it follows.
    pub const fn with_specification(self, specification: Specification) -> About {
        About { specification: Some(specification), ..self }
    }

    /// This format with file name extensions, without the dot.
    pub const fn with_extensions(self, extensions: &'static [&'static str]) -> About {
        About { extensions, ..self }
    }

    /// This format with dialects, the specification first: as many as there are layouts, in their order.
    pub const fn with_dialects(self, dialects: &'static [Dialect]) -> About {
        About { dialects, ..self }
    }

    /// This format with rules of its own. A fault of the structure breaks the one that the field names or whose code ends
    /// in `-TRUNCATED`, `-MAGIC`, `-VALUE` or `-PACKING`, or else one of every declaration.
    pub const fn with_rules(self, rules: &'static [&'static Rule]) -> About {
        About { rules, ..self }
    }

    /// That the format has this dialect.
    ///
    /// # Errors
    ///
    /// If it does not: the message names those that it has.
    pub fn require_dialect(&self, dialect: Dialect) -> Result<()> {
        if self.dialects.contains(&dialect) {
            return Ok(());
        }
        let names: Vec<_> = self.dialects.iter().map(|dialect| dialect.name()).collect();
        let message = format!("{} has no {dialect} dialect, only {}", self.name, names.join(", "));
        Err(Error::unsupported(message).at(path!(dialect)).in_format(self.name))
    }

    /// Whether files can have this extension, without the dot and in whatever case.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
    }

    /// The declarations of whole files, one for each dialect: a name and the type of each. A text format has none.
    pub fn layouts(&self) -> Layouts {
        (self.layouts)()
    }

    /// Returns the declarations of files of this dialect, or all of them without one.
    pub fn layouts_of(&self, dialect: Option<Dialect>) -> Layouts {
        let layouts = self.layouts();
        let Some(dialect) = dialect else { return layouts };
        // The same number of layouts per dialect, in the order of the dialects.
        let each = layouts.len() / self.dialects.len().max(1);
        let own = self.dialects.iter().zip(layouts.chunks(each.max(1))).find(|(known, _)| **known == dialect);
        own.map_or(&[], |(_, layouts)| layouts)
    }

    /// Returns `false` if only the declarations of other dialects state the rule.
    pub fn has_rule_in(&self, rule: &Rule, dialect: Dialect) -> bool {
        let states = |layouts| declared_rules(layouts).iter().any(|declared| declared.rule == rule);
        rule.enforced_by != Enforcement::Declaration
            || states(self.layouts_of(Some(dialect)))
            || !states(self.layouts())
    }

    /// The layout at the place that the dialect has among the dialects; `None` where there is none.
    pub(super) fn layout(&self, dialect: Dialect) -> Option<&'static Type> {
        let place = self.dialects.iter().position(|known| *known == dialect)?;
        self.layouts().get(place).map(|(_, layout)| *layout)
    }

    /// The rule with this code.
    pub fn rule(&self, code: &str) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.code == code).copied()
    }

    /// The rule that a fault of the structure breaks.
    pub fn rule_for(&self, fault: &walk::Fault) -> Option<&'static Rule> {
        general::rule_for(self.rules, fault)
    }

    /// Returns the structure of a file with this layout.
    pub(crate) fn structure(&self, ty: &'static Type) -> Structure {
        Structure { ty, rules: self.rules, format: Some(self.name) }
    }
}
