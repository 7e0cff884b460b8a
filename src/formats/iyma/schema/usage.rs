//! The usages of vertex buffers: one table for both dialects (I1).

use binrw::binrw;
use bitcode::{Decode, DecodeOwned, Encode};
use meshspec_derive::Layout;

use crate::Dialect;

/// A usage as bitcode takes it: the enum of a dialect, whose variants stand in the order of their numbers.
pub(super) trait WireUsage: Encode + DecodeOwned + Into<Usage> {
    /// `None` if the dialect does not have the usage.
    fn of(usage: &Usage) -> Option<Self>;
}

macro_rules! usages {
    (
        named { $($(#[doc = $doc:literal])* $usage:ident = $number:literal, $name:literal;)* }
        spec { $($spec:ident)* }
        reference { $($reference:ident)* }
    ) => {
        /// The meaning of the values of a vertex buffer, in terms of both dialects.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum Usage {
            /// Anything else: a number and a name. The reference dialect has no names.
            #[cfg_attr(feature = "serde", serde(rename = "custom"))]
            Custom(u32, String),
            $(
                $(#[doc = $doc])*
                #[cfg_attr(feature = "serde", serde(rename = $name))]
                $usage,
            )*
        }

        /// The meaning of the values of a vertex buffer: the usages of both dialects.
        #[derive(Layout)]
        #[binrw]
        #[brw(repr = u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum UsageField {
            /// Anything else.
            Custom = 0,
            $($(#[doc = $doc])* $usage = $number,)*
        }

        impl Usage {
            /// The named usages of a dialect, in the order of their numbers.
            pub fn named(dialect: Dialect) -> &'static [Usage] {
                match dialect {
                    Dialect::Reference => &[$(Usage::$reference,)*],
                    _ => &[$(Usage::$spec,)*],
                }
            }

            /// The name.
            pub fn name(&self) -> String {
                match self {
                    Usage::Custom(id, name) if name.is_empty() => format!("custom {id}"),
                    Usage::Custom(id, name) => format!("custom {id} \"{}\"", name.escape_debug()),
                    $(Usage::$usage => $name.to_owned(),)*
                }
            }
        }

        impl UsageField {
            /// The usage, unless it is a custom one.
            pub(super) fn named(self) -> Option<Usage> {
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

        /// The usages of the specification.
        #[derive(Encode, Decode)]
        pub(super) enum SpecUsage {
            Custom(u32, String),
            $($spec,)*
        }

        /// The usages of the reference dialect, which has no names.
        #[derive(Encode, Decode)]
        pub(super) enum ReferenceUsage {
            Custom(u32, #[bitcode(skip)] String),
            $($reference,)*
        }

        wire!(SpecUsage, any name: $($spec)*);
        wire!(ReferenceUsage, no name: $($reference)*);
    };
}

macro_rules! wire {
    ($wire:ident, $which:ident name: $($usage:ident)*) => {
        impl WireUsage for $wire {
            #[allow(unreachable_patterns, reason = "where the dialect has every usage")]
            fn of(usage: &Usage) -> Option<$wire> {
                match usage {
                    Usage::Custom(id, name) if wire!($which name, name) => Some($wire::Custom(*id, name.clone())),
                    $(Usage::$usage => Some($wire::$usage),)*
                    _ => None,
                }
            }
        }

        impl From<$wire> for Usage {
            fn from(usage: $wire) -> Usage {
                match usage {
                    $wire::Custom(id, name) => Usage::Custom(id, name),
                    $($wire::$usage => Usage::$usage,)*
                }
            }
        }
    };
    (any name, $name:ident) => { true };
    (no name, $name:ident) => { $name.is_empty() };
}

usages! {
    // Each with its number in tables and dumps, and its name in messages and JSON.
    named {
        /// Position.
        Position = 1, "position";
        /// Normal.
        Normal = 2, "normal";
        /// Tangent.
        Tangent = 3, "tangent";
        /// Colour.
        Color = 4, "color";
        /// Texture coordinate; the reference dialect's first set.
        Uv = 5, "uv";
        /// The reference dialect's second set of texture coordinates.
        Uv1 = 6, "uv1";
        /// Joint indices.
        JointIndex = 7, "joint_index";
        /// Joint weights.
        JointWeight = 8, "joint_weight";
    }
    // In the order of their numbers on the wire, behind `Custom`.
    spec { Position Normal Tangent Color Uv JointIndex JointWeight }
    reference { Position Normal Tangent Uv Uv1 JointIndex JointWeight Color }
}

impl Usage {
    /// Whether a dialect has the usage.
    pub fn is_in(&self, dialect: Dialect) -> bool {
        match dialect {
            Dialect::Reference => ReferenceUsage::of(self).is_some(),
            _ => SpecUsage::of(self).is_some(),
        }
    }
}
