//! A macro that declares compressed lists of values from a table.

/// Declares an enum of compressed lists. Each row declares the value type, value size in bytes, name, optional accessor
/// in the chunk, condition and constraints of a variant. The constraint after `each` applies to all variants. `size` is
/// the uncompressed size in bytes.
macro_rules! declare_lists {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident($($import:ident: $type:ty),*; $size:ident) each # $common:tt {
            $(
                $(#[doc = $doc:tt])*
                $variant:ident: $value:ty, $bytes:tt bytes, $name:tt $(in $owner:ident::$values:ident)?,
                if $condition:expr $(, #[$constraint:meta])*;
            )*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Layout)]
        #[br(import($($import: $type,)* $size: i32))]
        pub enum $enum {
            $(
                $(#[doc = $doc])*
                #[br(pre_assert($condition))]
                $variant(
                    #[br(count = $size / $bytes)]
                    #[br(assert($size % $bytes == 0, "the size is not a multiple of the size of a value"))]
                    #[layout(rule = rules::STREAM_SIZE)]
                    # $common
                    $(#[$constraint])*
                    Vec<$value>,
                ),
            )*
        }

        impl $enum {
            /// Returns an empty list of the first variant whose condition holds; `None` if none holds.
            pub fn empty($($import: $type),*) -> Option<$enum> {
                $(if $condition {
                    const { assert!(size_of::<$value>() == $bytes) }
                    return Some($enum::$variant(Vec::new()));
                })*
                None
            }

            /// Decompresses a block to a list of the same variant.
            fn decompress(&self, block: &CompressedBlock<'_>) -> Result<$enum> {
                match self {
                    $($enum::$variant(_) => block.values().map($enum::$variant),)*
                }
            }

            /// The name of the variant.
            pub fn name(&self) -> &'static str {
                match self {
                    $($enum::$variant(_) => $name,)*
                }
            }

            /// The size of a value in bytes.
            pub fn value_size(&self) -> usize {
                match self {
                    $($enum::$variant(_) => $bytes,)*
                }
            }

            /// The component count and type, such as `3 × f32`.
            pub fn components(&self) -> String {
                match self {
                    $($enum::$variant(_) => $crate::info::describe_components(&<$value as Layout>::TYPE),)*
                }
            }

            /// The number of values.
            pub fn len(&self) -> usize {
                match self {
                    $($enum::$variant(values) => values.len(),)*
                }
            }

            /// Returns `true` if there are no values.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The uncompressed bytes of the values.
            pub fn to_bytes(&self) -> std::borrow::Cow<'_, [u8]> {
                match self {
                    $($enum::$variant(values) => $crate::bulk::as_bytes(values),)*
                }
            }
        }

        $($(
            impl $owner {
                #[doc = concat!("Returns the values of the first `", $name, "` stream; `None` if there is none.")]
                pub fn $values(&self) -> Option<&[$value]> {
                    self.streams.iter().find_map(|stream| match &stream.values {
                        $enum::$variant(values) => Some(&**values),
                        _ => None,
                    })
                }
            }
        )?)*
    };
}

pub(super) use declare_lists;
