//! Ids of the built-in formats.

use std::fmt;

/// Passes the arguments and a table of the built-in formats to `$macro`. The columns of the table are the feature (also
/// the name), the variant, the module and the title.
macro_rules! formats {
    ($macro:ident { $($arguments:tt)* }) => {
        $macro! {
            { $($arguments)* }
            "mesh" Mesh mesh "MESH 1.0.";
            "crucible" Crucible crucible "Crucible mesh chunks.";
            "iyma" Iyma iyma "IyMA.";
            "seed" Seed seed "Seed.";
            "bmd" Bmd bmd "BMD images.";
        }
    };
}

/// Matches on a `Document` or `FormatId`. Evaluates `$result` with `$D` bound to the document type of the format.
macro_rules! with_format {
    ($value:expr, $Enum:ident $pattern:tt, |$D:ident| $result:expr) => {
        formats!(match_format {
            $value, $Enum $pattern, |$D| $result
        })
    };
}

macro_rules! match_format {
    (
        { $value:expr, $Enum:ident $pattern:tt, |$D:ident| $result:expr }
        $($name:literal $Variant:ident $module:ident $title:literal;)*
    ) => {
        match $value {
            $(
                #[cfg(feature = $name)]
                $crate::$Enum::$Variant $pattern => { type $D = $crate::$module::Document; $result }
            )*
        }
    };
}

macro_rules! declare {
    ({} $($name:literal $Variant:ident $module:ident $title:literal;)*) => {
        /// A built-in format.
        ///
        /// ```
        /// # #[cfg(feature = "bmd")]
        /// assert_eq!(meshspec::FormatId::by_extension("rock.bmd".as_ref()), "bmd".parse().ok());
        /// // Several formats share this extension.
        /// assert_eq!(meshspec::FormatId::by_extension("rock.mesh".as_ref()), None);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FormatId {
            $(
                #[doc = $title]
                #[cfg(feature = $name)]
                $Variant,
            )*
        }

        impl FormatId {
            /// The built-in formats whose features are enabled.
            pub const ALL: &[FormatId] = &[$(#[cfg(feature = $name)] FormatId::$Variant),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(#[cfg(feature = $name)] FormatId::$Variant => $name,)*
                }
            }
        }
    };
}

formats!(declare {});

impl fmt::Display for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<FormatId> for &'static str {
    fn from(format: FormatId) -> &'static str {
        format.name()
    }
}
