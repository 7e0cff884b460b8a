//! The macro that declares the document and its attribute table together, in [`schema`](super::schema).

/// Declares the struct [`Document`](super::Document), and a [`LineKind`](super::LineKind) for each row of its fields.
/// Each row states the channel, identifier, name, requirements and meaning of one kind of line. The field determines
/// how often such lines occur, and the number, type and range of their values.
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
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the table documents them")]
        pub enum LineKind {
            $($($kind,)+)+
        }

        pub(super) const KINDS: usize = [$($(LineKind::$kind),+),+].len();

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
            assert!(is_float == <$column as Field>::IS_FLOAT, "values and field have different types");
        };)+

        const _: () = {
            let mut row = 0;
            while row < KINDS {
                assert!(ATTRIBUTES[row].is_consistent(), "the range exceeds the type");
                row += 1;
            }
        };

        /// The number of channels of each field.
        #[allow(dead_code, non_upper_case_globals, reason = "they have field names; not all are used")]
        pub(super) mod channels {
            use super::LineKind;

            $(pub(in super::super) const $field: usize = [$(LineKind::$kind),+].len();)+
        }

        impl LineKind {
            /// All kinds, in table order.
            pub const ALL: [LineKind; KINDS] = [$($(LineKind::$kind),+),+];

            /// Returns the kind of lines with this identifier; `None` if unknown.
            pub(super) fn from_bytes(identifier: &[u8]) -> Option<LineKind> {
                $($(const $kind: &[u8] = $identifier.as_bytes();)+)+
                match identifier {
                    $($($kind => Some(LineKind::$kind),)+)+
                    _ => None,
                }
            }

            /// The path of the list that stores the lines of this kind.
            pub fn path(self) -> $crate::Path {
                match self {
                    $($(LineKind::$kind => $crate::path!($field $([$channel])?).into(),)+)+
                }
            }

            /// The path of the list that stores the lines of this kind, as text.
            pub(super) fn list_path(self) -> &'static str {
                match self {
                    $($(LineKind::$kind => concat!(stringify!($field) $(, "[", $channel, "]")?),)+)+
                }
            }

            /// The index of the channel in its field.
            fn channel(self) -> usize {
                match self {
                    $($(LineKind::$kind => [$($channel,)? 0][0],)+)+
                }
            }
        }

        impl Document {
            /// Returns the values in all lines of one kind; empty if the document lacks the channel.
            pub(super) fn column(&self, kind: LineKind) -> Column<'_> {
                match kind {
                    $($(LineKind::$kind)|+ => self.$field.column(kind.channel()),)+
                }
            }

            /// Returns `true` if the document has lines of this kind, or an empty channel for them.
            pub(super) fn has_channel(&self, kind: LineKind) -> bool {
                match kind {
                    $($(LineKind::$kind)|+ => self.$field.has_channel(kind.channel()),)+
                }
            }

            /// Replaces all columns with the given number of zeroed lines of each kind.
            pub(super) fn allocate(&mut self, lines: &[usize; KINDS]) {
                $(self.$field.allocate(&[$(lines[LineKind::$kind as usize]),+]);)+
            }

            /// Returns all columns, in the order of the kinds.
            pub(super) fn columns_mut(&mut self) -> Vec<ColumnMut<'_>> {
                let mut columns = Vec::with_capacity(KINDS);
                $(columns.extend(self.$field.columns_mut([$(LineKind::$kind),+].len()));)+
                columns
            }
        }
    };
}

pub(super) use document;
