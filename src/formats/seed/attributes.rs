//! The macro with which [`schema`](super::schema) declares the document and its attribute table together.

/// Declares the struct and, for each row of its fields, a [`Kind`](super::Kind) of line. A row states the identifier,
/// the field and channel that hold the lines, their occurrence, and the type and range of their values. The field
/// determines the number of values.
macro_rules! document {
    (
        $(#[$document_attribute:meta])*
        pub struct Document {
            $(#[$properties_attribute:meta])*
            pub properties: $properties:ty,
            $(#[$comments_attribute:meta])*
            pub comments: $comments:ty,
            $(
                $(#[$field_attribute:meta])*
                pub $field:ident: $column:ty, $occurs:ident, $type:ident, $domain:expr => {
                    $(
                        $([$channel:literal])? $kind:ident:
                            $identifier:literal, $name:literal, $required:ident, $requires:expr, $meaning:literal;
                    )+
                }
            )+
        }
    ) => {
        $(#[$document_attribute])*
        pub struct Document {
            $(#[$properties_attribute])*
            pub properties: $properties,
            $($(#[$field_attribute])* pub $field: $column,)+
            $(#[$comments_attribute])*
            pub comments: $comments,
        }

        /// The kinds of lines except properties, in the order of the specification's table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Json)]
        #[allow(missing_docs, reason = "the table documents them")]
        pub enum Kind {
            $($($kind,)+)+
        }

        /// The number of kinds.
        pub(super) const KINDS: usize = [$($(Kind::$kind),+),+].len();

        /// The attribute table.
        pub static ATTRIBUTES: [$crate::layout::grammar::Attribute; KINDS] = [$($($crate::layout::grammar::Attribute {
            name: $name,
            identifier: $identifier,
            occurs: $crate::layout::grammar::Occurrence::$occurs,
            values: <$column as Field>::VALUES,
            value_type: $crate::layout::grammar::ValueType::$type,
            domain: {
                use $crate::layout::grammar::Domain::*;
                $domain
            },
            required: $required,
            requires: $requires,
            meaning: $meaning,
        }),+),+];

        $(const _: () = {
            let is_float = matches!($crate::layout::grammar::ValueType::$type, $crate::layout::grammar::ValueType::Float);
            assert!(is_float == <$column as Field>::IS_FLOAT, "the type of the values differs from that of the field");
        };)+

        const _: () = {
            let mut row = 0;
            while row < KINDS {
                assert!(ATTRIBUTES[row].is_consistent(), "the range exceeds the type");
                row += 1;
            }
        };

        /// The number of channels of each field.
        #[allow(dead_code, non_upper_case_globals, reason = "they are called as the fields, and not all are needed")]
        pub(super) mod channels {
            use super::Kind;

            $(pub(in super::super) const $field: usize = [$(Kind::$kind),+].len();)+
        }

        impl Kind {
            /// All kinds, in table order.
            pub const ALL: [Kind; KINDS] = [$($(Kind::$kind),+),+];

            /// Returns the kind of the lines with this identifier.
            pub(super) fn of_bytes(identifier: &[u8]) -> Option<Kind> {
                $($(const $kind: &[u8] = $identifier.as_bytes();)+)+
                match identifier {
                    $($($kind => Some(Kind::$kind),)+)+
                    _ => None,
                }
            }

            /// The path of the list that holds these lines.
            pub fn path(self) -> $crate::Path {
                match self {
                    $($(Kind::$kind => $crate::path!($field $([$channel])?).into(),)+)+
                }
            }

            /// The path of the list as text.
            pub(super) fn list(self) -> &'static str {
                match self {
                    $($(Kind::$kind => concat!(stringify!($field) $(, "[", $channel, "]")?),)+)+
                }
            }

            fn channel(self) -> usize {
                match self {
                    $($(Kind::$kind => [$($channel,)? 0][0],)+)+
                }
            }
        }

        impl Document {
            /// Returns the values of all lines of a kind; empty if the channel does not exist.
            pub(super) fn column(&self, kind: Kind) -> Column<'_> {
                match kind {
                    $($(Kind::$kind)|+ => self.$field.column(kind.channel()),)+
                }
            }

            /// Returns `true` if the document has lines of this kind, or an empty channel for them.
            pub(super) fn has(&self, kind: Kind) -> bool {
                match kind {
                    $($(Kind::$kind)|+ => self.$field.has(kind.channel()),)+
                }
            }

            /// Resizes the columns to this many lines of each kind, filled with zeros.
            pub(super) fn allocate(&mut self, lines: &[usize; KINDS]) {
                $(self.$field.allocate(&[$(lines[Kind::$kind as usize]),+]);)+
            }

            /// Returns all columns, in the order of the kinds.
            pub(super) fn columns_mut(&mut self) -> Vec<ColumnMut<'_>> {
                let mut columns = Vec::with_capacity(KINDS);
                $(columns.extend(self.$field.columns_mut([$(Kind::$kind),+].len()));)+
                columns
            }
        }
    };
}

pub(super) use document;
