//! Descriptions of formats.

use meshspec_derive::ToJson;

use crate::layout::declaration::Type;
use crate::layout::schema::declared_rules;
use crate::layout::structure::Structure;
use crate::layout::{general_rules, walk};
use crate::{Dialect, Enforcement, Error, Result, Rule, path};

/// The layouts of whole files, each with its name and type.
pub type Layouts = &'static [(&'static str, &'static Type)];

/// The description of a format: names, dialects, rules and layouts.
///
/// ```
/// use meshspec::layout::Layout;
/// use meshspec::{About, Specification};
///
/// static ABOUT: About = About::new("readings", "Readings", || &[("readings", &<Vec<f32> as Layout>::TYPE)])
///     .with_summary("numbers of a sensor")
///     .with_specification(Specification {
///         title: "Readings 1.0",
///         project: "Weather Station",
///         url: "https://example.org/readings",
///     })
///     .with_extensions(&["readings"]);
/// assert_eq!(ABOUT.layouts()[0].0, "readings");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct About {
    /// The name on the command line: lower-case letters, digits and `_`, starting with a letter.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// The specification, if the format has one.
    pub specification: Option<Specification>,
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// The dialects, the specification's dialect first.
    pub dialects: &'static [Dialect],
    /// The only dialect that the software of the format's author reads, if it is not the specification's dialect.
    pub authors_dialect: Option<Dialect>,
    /// Whether the writer supports compression levels. See
    /// [`WriteOptions::compression_level`](crate::WriteOptions::compression_level).
    pub has_compression_levels: bool,
    /// Whether vertices can be stored at several precisions. See [`Precision`](crate::scene::Precision).
    pub has_precisions: bool,
    /// Whether [`Rule::row`] names rows of `docs/interpretations.md`.
    pub(crate) cites_interpretations: bool,
    /// All rules that `check` enforces.
    pub rules: &'static [&'static Rule],
    /// See [`layouts`](About::layouts).
    pub(crate) layouts: fn() -> Layouts,
    /// For a text format, the layout of its values, which the text packs. It has the name of the format.
    pub(crate) values: Option<fn() -> &'static Type>,
}

/// The specification of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct Specification {
    /// The title of the specification.
    pub title: &'static str,
    /// The project, with its owner, such as `Crucible by Joshua-A-Shelton`.
    pub project: &'static str,
    /// The URL of the revision that this crate follows.
    pub url: &'static str,
}

impl About {
    /// Creates a description with the specification's dialect and the general rules. `layouts` returns all layouts.
    pub const fn new(name: &'static str, title: &'static str, layouts: fn() -> Layouts) -> About {
        About {
            name,
            title,
            summary: "",
            specification: None,
            extensions: &[],
            dialects: &[Dialect::SPEC],
            authors_dialect: None,
            has_compression_levels: false,
            has_precisions: false,
            cites_interpretations: false,
            rules: general_rules::RULES,
            layouts,
            values: None,
        }
    }

    /// Sets the one-line summary.
    pub const fn with_summary(self, summary: &'static str) -> About {
        About { summary, ..self }
    }

    /// Sets the specification.
    pub const fn with_specification(self, specification: Specification) -> About {
        About {
            specification: Some(specification),
            ..self
        }
    }

    /// Sets the file name extensions, without the dot.
    pub const fn with_extensions(self, extensions: &'static [&'static str]) -> About {
        About { extensions, ..self }
    }

    /// Sets the dialects, the specification's dialect first. The layouts must be in the same order, with the same
    /// number of layouts for each dialect.
    pub const fn with_dialects(self, dialects: &'static [Dialect]) -> About {
        About { dialects, ..self }
    }

    /// Sets the rules of the format. A structural fault breaks the rule of its field. If the field has no rule, the
    /// fault breaks the rule whose code ends in `-TRUNCATED`, `-MAGIC`, `-VALUE`, `-PACKING` or `-TRAILING`, or else a
    /// general rule.
    pub const fn with_rules(self, rules: &'static [&'static Rule]) -> About {
        About { rules, ..self }
    }

    /// Checks that the format has the dialect.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::Dialect;
    ///
    /// let error = meshspec::mesh::FORMAT.about().require_dialect(Dialect::TANGENT).unwrap_err();
    /// assert_eq!(error.message(), "mesh has no tangent dialect, only spec, renderlib");
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect; the message lists the available ones.
    pub fn require_dialect(&self, dialect: Dialect) -> Result<()> {
        if self.dialects.contains(&dialect) {
            return Ok(());
        }
        Err(self.missing_dialect(dialect.name()))
    }

    /// Returns the dialect with the given name.
    ///
    /// # Errors
    ///
    /// Returns an error if the format has no such dialect; the message lists the available ones.
    pub fn dialect(&self, name: &str) -> Result<Dialect> {
        let mut dialects = self.dialects.iter();
        match dialects.find(|dialect| dialect.name() == name) {
            Some(dialect) => Ok(*dialect),
            None => Err(self.missing_dialect(name)),
        }
    }

    fn missing_dialect(&self, name: &str) -> Error {
        let names: Vec<_> = self.dialects.iter().map(|dialect| dialect.name()).collect();
        let message = format!(
            "{} has no {name} dialect, only {}",
            self.name,
            names.join(", ")
        );
        Error::unsupported(message)
            .at(path!(dialect))
            .in_format(self.name)
    }

    /// Returns `true` if `extension`, without the dot, is a file name extension of the format. Ignores case.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extensions
            .iter()
            .any(|known| known.eq_ignore_ascii_case(extension))
    }

    /// Returns the layouts of whole files, each with its name and type. Empty for a text format.
    pub fn layouts(&self) -> Layouts {
        (self.layouts)()
    }

    /// Returns the layouts of `dialect`, or all for `None`. Empty if the format lacks the dialect.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::Dialect;
    ///
    /// let about = meshspec::mesh::FORMAT.about();
    /// assert_eq!(about.layouts_of(None).len(), 2);
    /// assert_eq!(about.layouts_of(Some(Dialect::RENDERLIB)).len(), 1);
    /// # }
    /// ```
    pub fn layouts_of(&self, dialect: Option<Dialect>) -> Layouts {
        let layouts = self.layouts();
        let Some(dialect) = dialect else {
            return layouts;
        };
        // Each dialect has the same number of layouts; the layouts are in the order of the dialects.
        let per_dialect = layouts.len() / self.dialects.len().max(1);
        let mut by_dialect = self.dialects.iter().zip(layouts.chunks(per_dialect.max(1)));
        by_dialect
            .find(|(known, _)| **known == dialect)
            .map_or(&[], |(_, layouts)| layouts)
    }

    /// Returns `true` if the rule applies to `dialect`; `false` if only the layouts of other dialects declare it.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::Dialect;
    ///
    /// let about = meshspec::mesh::FORMAT.about();
    /// let rule = about.rule("MESH-STRING-END").unwrap();
    /// assert!(about.has_rule_in(rule, Dialect::SPEC));
    /// // Renderlib files have no strings.
    /// assert!(!about.has_rule_in(rule, Dialect::RENDERLIB));
    /// # }
    /// ```
    pub fn has_rule_in(&self, rule: &Rule, dialect: Dialect) -> bool {
        let is_declared_in = |layouts| {
            declared_rules(layouts)
                .iter()
                .any(|declared| declared.rule == rule)
        };
        rule.enforced_by != Enforcement::Declaration
            || is_declared_in(self.layouts_of(Some(dialect)))
            || !is_declared_in(self.layouts())
    }

    /// Returns the layout at the index of `dialect` in the list of dialects; `None` if there is none.
    pub(crate) fn layout(&self, dialect: Dialect) -> Option<&'static Type> {
        let index = self.dialects.iter().position(|known| *known == dialect)?;
        self.layouts().get(index).map(|(_, layout)| *layout)
    }

    /// Returns the rule with the given code; `None` if the format has no such rule.
    pub fn rule(&self, code: &str) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.code == code).copied()
    }

    /// Returns the rule that a structural fault breaks, if any.
    pub fn rule_for(&self, fault: &walk::Fault) -> Option<&'static Rule> {
        general_rules::rule_for(self.rules, fault)
    }

    /// Returns the layout `ty` with the rules and the name of the format.
    pub(crate) fn structure(&self, ty: &'static Type) -> Structure {
        Structure {
            ty,
            rules: self.rules,
            format: Some(self.name),
        }
    }
}
