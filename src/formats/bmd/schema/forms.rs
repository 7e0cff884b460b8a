//! Families of packed forms: a trait, and the macro that declares them.

use super::surface::Surface;
use crate::layout::Layout;
use crate::layout::declaration::Type;

/// The name, tag and word type of a form.
#[derive(Debug, Clone, Copy)]
pub struct FormRow {
    /// The name of the form in paths.
    pub name: &'static str,
    /// The only valid tag of the form; `None` if several tags are valid.
    pub tag: Option<u8>,
    /// The type of the packed word that stores an item of the form.
    pub ty: Type,
}

/// A packed vertex or face. Its tag and the surface of its mesh select one of several forms.
pub trait Form: Copy {
    /// The forms in the order of the table.
    type Kind: Copy;

    /// The name of the list in paths.
    const LIST: &'static str;

    /// The table of forms.
    const FORMS: &'static [FormRow];

    /// Returns the tag of an item at the start of `words`.
    fn tag_of(words: &[u32]) -> u8;

    /// Returns the number of 32-bit words in an item with the given tag, and the index of its form. For an unknown tag,
    /// returns 0 and an invalid index.
    fn form_of(tag: u8, surface: Surface) -> (usize, usize);

    /// Returns the form with the given index in the table; `None` if the index is invalid.
    fn kind_at(form: usize) -> Option<Self::Kind>;

    /// Calls `visitor` with the word type of the form with the given index; `None` if the index is invalid.
    fn with_word<V: WordVisitor>(form: usize, visitor: V) -> Option<V::Output>;

    /// Returns the item at the start of `words`; `None` if the item is truncated or its tag is unknown.
    fn read_first(words: &[u32], surface: Surface) -> Option<Self>;

    /// Returns the 32-bit words of the item, zero-padded.
    fn words(self) -> [u32; 4];

    /// Returns the index of the item's form in the table.
    fn form_index(self) -> usize;

    /// Returns the number of 32-bit words of an item with the given tag; 0 if the tag is unknown.
    #[inline(always)]
    fn word_count(tag: u8) -> usize {
        Self::form_of(tag, Surface::Textured).0
    }

    /// Returns `true` if the form of an item with the given tag depends on the surface.
    #[inline(always)]
    fn needs_surface(tag: u8) -> bool {
        Self::form_of(tag, Surface::Textured).1 != Self::form_of(tag, Surface::Flat).1
    }

    /// Returns the table row of the form with the given tag; `None` if the tag is unknown.
    fn row_of(tag: u8, surface: Surface) -> Option<&'static FormRow> {
        Self::FORMS.get(Self::form_of(tag, surface).1)
    }

    /// Returns a surface for which the item's tag selects the item's form; `None` if the tag selects another form.
    fn surface(self) -> Option<Surface> {
        let tag = Self::tag_of(&self.words());
        let surfaces = [Surface::Textured, Surface::Flat];
        surfaces
            .into_iter()
            .find(|surface| Self::form_of(tag, *surface).1 == self.form_index())
    }
}

/// A generic callback that receives the word type of a form.
pub trait WordVisitor {
    /// The type that [`visit`](WordVisitor::visit) returns.
    type Output;

    /// Receives the word type `W`, which has `N` 32-bit words.
    fn visit<const N: usize, W: Layout>(self) -> Self::Output;
}

/// Replaces the tag word in the conditions of forms, which call `tag()`.
pub(super) struct ItemTag(pub u8);

impl ItemTag {
    pub const fn tag(&self) -> u8 {
        self.0
    }
}

/// Returns up to four little-endian 32-bit words, padded with zero words. The length of `bytes` must be a multiple of 4.
#[inline(always)]
pub(super) fn to_words(bytes: &[u8]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// Returns the only element; `None` if there is not exactly one.
pub(super) const fn single_tag(tags: &[u8]) -> Option<u8> {
    if let [tag] = tags { Some(*tag) } else { None }
}

/// Declares a family of forms from its table: the struct that reads an item, the enum of items, and its functions.
macro_rules! declare_forms {
    (
        $(#[doc = $item_doc:literal])* $Item:ident ( $first:ident: $First:ident, $kind:ident: u8 $(, $flat:ident: bool)? );
        $(#[doc = $enum_doc:literal])* $Packed:ident in $list:literal, $Kind:ident;
        $(
            $(#[doc = $doc:literal])*
            $name:ident $text:literal $Variant:ident($Word:ident) $(= $tag:tt)? if($($when:tt)*) allowed($allowed:expr);
        )*
    ) => {
        $(#[doc = $item_doc])*
        #[derive(Layout)]
        #[binread]
        #[br(little, import($kind: u8 $(, $flat: bool)?))]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Item {
            /// The start of the item, with the tag that selects the form.
            #[br(restore_position)]
            pub $first: $First,
            $(
                $(#[doc = $doc])*
                #[br(if($($when)*))]
                #[layout(
                    holds($allowed), rule = rules::FLAGS,
                    message = "a form that the control flags do not allow"
                )]
                pub $name: Option<$Word>,
            )*
        }

        $(#[doc = $enum_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Packed {
            $(
                $(#[doc = $doc])*
                $Variant($Word),
            )*
        }

        /// The forms in the order of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Kind {
            $($(#[doc = $doc])* $Variant,)*
        }

        // For either surface, each tag selects at most one form.
        const _: () = {
            let (mut tag, mut surface) = (0, 0);
            while surface < 2 {
                let $first = ItemTag(tag as u8);
                $(let $flat = surface == 1;)?
                let mut is_taken = false;
                $(
                    if $($when)* {
                        assert!(!is_taken, concat!("`", $text, "` shares a tag with an earlier form"));
                        is_taken = true;
                    }
                )*
                let _ = is_taken;
                tag += 1;
                if tag == 1u32 << $First::TAG.width {
                    (tag, surface) = (0, surface + 1);
                }
            }
        };

        impl $Packed {
            /// The name of the form in paths.
            pub fn form_name(self) -> &'static str {
                match self {
                    $($Packed::$Variant(_) => $text,)*
                }
            }

            /// The size in bits.
            pub fn bits(self) -> u32 {
                match self {
                    $($Packed::$Variant(_) => 8 * size_of::<$Word>() as u32,)*
                }
            }

            /// The tag.
            pub fn tag(self) -> u8 {
                Self::tag_of(&self.words())
            }
        }

        impl Form for $Packed {
            type Kind = $Kind;

            const LIST: &'static str = $list;

            const FORMS: &'static [FormRow] = &[$(FormRow {
                name: $text,
                tag: single_tag(&[$($tag)?]),
                ty: <$Word as crate::layout::Layout>::TYPE,
            }),*];

            #[inline(always)]
            fn tag_of(words: &[u32]) -> u8 {
                const TAG_WORD: u32 = $First::TAG.offset / 32;
                let word = words.get(TAG_WORD as usize).copied().unwrap_or_default();
                $First::TAG.extract_u64(u64::from(word) << (32 * TAG_WORD)) as u8
            }

            #[inline(always)]
            fn form_of(tag: u8, surface: Surface) -> (usize, usize) {
                let $first = ItemTag(tag);
                $(let $flat = surface == Surface::Flat;)?
                $(
                    if $($when)* {
                        return (size_of::<$Word>() / 4, $Kind::$Variant as usize);
                    }
                )*
                let _ = surface;
                (0, Self::FORMS.len())
            }

            #[inline(always)]
            fn kind_at(form: usize) -> Option<$Kind> {
                $(
                    if form == $Kind::$Variant as usize {
                        return Some($Kind::$Variant);
                    }
                )*
                None
            }

            #[inline(always)]
            fn with_word<V: WordVisitor>(form: usize, visitor: V) -> Option<V::Output> {
                Some(match Self::kind_at(form)? {
                    $($Kind::$Variant => visitor.visit::<{ size_of::<$Word>() / 4 }, $Word>(),)*
                })
            }

            #[inline(always)]
            fn read_first(words: &[u32], surface: Surface) -> Option<Self> {
                let $first = ItemTag(Self::tag_of(words));
                $(let $flat = surface == Surface::Flat;)?
                $(
                    if $($when)* {
                        let words = words.first_chunk::<{ size_of::<$Word>() / 4 }>()?;
                        let bytes = bytemuck::cast(words.map(u32::to_le));
                        return Some($Packed::$Variant($Word::from_bytes(bytes)));
                    }
                )*
                let _ = surface;
                None
            }

            #[inline(always)]
            fn words(self) -> [u32; 4] {
                const { $(assert!(size_of::<$Word>() <= 16 && size_of::<$Word>().is_multiple_of(4));)* }
                match self {
                    $($Packed::$Variant(word) => to_words(&word.into_bytes()),)*
                }
            }

            #[inline(always)]
            fn form_index(self) -> usize {
                match self {
                    $($Packed::$Variant(_) => $Kind::$Variant as usize,)*
                }
            }
        }
    };
}

pub(super) use declare_forms;
