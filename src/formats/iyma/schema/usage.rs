//! The usages of vertex buffers: one table for both dialects (I1).

use binrw::binrw;
use bitcode::{Decode, DecodeOwned, Encode};
use meshspec_derive::Layout;

use crate::Dialect;

/// An enum that bitcode encodes for the usages of a dialect. Its variants are in numeric order.
pub(super) trait WireUsage: Encode + DecodeOwned + Into<Usage> {
    /// Converts a usage; returns `None` if the dialect lacks it.
    fn from_usage(usage: &Usage) -> Option<Self>;
}

macro_rules! usages {
    (
        named { $($usage:ident = $number:literal, $name:literal, $doc:literal;)* }
        dialects {
            $(
                $(#[doc = $wire_doc:literal])*
                $dialect:pat => $Wire:ident(u32, $(#[$name_attribute:meta])* String),
                    has_names: $has_names:literal, $($variant:ident)*;
            )*
        }
    ) => {
        /// The usage of a vertex buffer, in either dialect.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Usage {
            /// A custom usage: a number and a name. The reference dialect has no names.
            Custom(u32, String),
            $(
                #[doc = $doc]
                $usage,
            )*
        }

        /// The usage of a vertex buffer, with the same numbers for both dialects.
        #[derive(Layout)]
        #[binrw]
        #[brw(repr = u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum UsageField {
            /// A custom usage.
            Custom = 0,
            $(#[doc = $doc] $usage = $number,)*
        }

        impl Usage {
            /// The named usages of a dialect, in numeric order.
            pub fn named(dialect: Dialect) -> &'static [Usage] {
                match dialect {
                    $($dialect => &[$(Usage::$variant,)*],)*
                }
            }

            /// Returns `true` if `dialect` has the usage.
            ///
            /// ```
            /// use meshspec::Dialect;
            /// use meshspec::iyma::Usage;
            ///
            /// assert!(Usage::Position.is_in(Dialect::SPEC));
            /// ```
            pub fn is_in(&self, dialect: Dialect) -> bool {
                match dialect {
                    $($dialect => $Wire::from_usage(self).is_some(),)*
                }
            }

            /// The name, such as `position` or `custom 3`.
            pub fn name(&self) -> String {
                match self {
                    Usage::Custom(id, name) if name.is_empty() => format!("custom {id}"),
                    Usage::Custom(id, name) => format!("custom {id} \"{}\"", name.escape_debug()),
                    $(Usage::$usage => $name.to_owned(),)*
                }
            }
        }

        impl UsageField {
            /// Returns the usage; `None` for a custom usage.
            pub(super) fn to_usage(self) -> Option<Usage> {
                match self {
                    UsageField::Custom => None,
                    $(UsageField::$usage => Some(Usage::$usage),)*
                }
            }
        }

        impl From<&Usage> for UsageField {
            fn from(usage: &Usage) -> UsageField {
                match usage {
                    Usage::Custom(..) => UsageField::Custom,
                    $(Usage::$usage => UsageField::$usage,)*
                }
            }
        }

        $(
            $(#[doc = $wire_doc])*
            #[derive(Encode, Decode)]
            pub(super) enum $Wire {
                Custom(u32, $(#[$name_attribute])* String),
                $($variant,)*
            }

            impl WireUsage for $Wire {
                #[allow(unreachable_patterns, reason = "a dialect with all usages needs no last arm")]
                fn from_usage(usage: &Usage) -> Option<$Wire> {
                    match usage {
                        Usage::Custom(_, name) if !$has_names && !name.is_empty() => None,
                        Usage::Custom(id, name) => Some($Wire::Custom(*id, name.clone())),
                        $(Usage::$variant => Some($Wire::$variant),)*
                        _ => None,
                    }
                }
            }

            impl From<$Wire> for Usage {
                fn from(usage: $Wire) -> Usage {
                    match usage {
                        $Wire::Custom(id, name) => Usage::Custom(id, name),
                        $($Wire::$variant => Usage::$variant,)*
                    }
                }
            }
        )*
    };
}

usages! {
    // Each usage with its number in tables and dumps, its name in messages and JSON, and its documentation.
    named {
        Position = 1, "position", "Position.";
        Normal = 2, "normal", "Normal.";
        Tangent = 3, "tangent", "Tangent.";
        Color = 4, "color", "Colour.";
        Uv = 5, "uv", "Texture coordinate; the reference dialect's first set.";
        Uv1 = 6, "uv1", "The reference dialect's second set of texture coordinates.";
        JointIndex = 7, "joint_index", "Joint indices.";
        JointWeight = 8, "joint_weight", "Joint weights.";
    }
    // The usages of each dialect after `Custom`, in order of their encoded numbers.
    dialects {
        /// The usages of the reference dialect, which has no names.
        Dialect::REFERENCE => ReferenceUsage(u32, #[bitcode(skip)] String), has_names: false,
            Position Normal Tangent Uv Uv1 JointIndex JointWeight Color;
        /// The usages of the specification.
        _ => SpecUsage(u32, String), has_names: true,
            Position Normal Tangent Color Uv JointIndex JointWeight;
    }
}
