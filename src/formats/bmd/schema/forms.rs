//! The families of packed forms.

use super::surface::Surface;
use crate::layout::Layout;
use crate::layout::declaration::Type;

/// A row of the table of a family of forms.
#[derive(Debug, Clone, Copy)]
pub struct FormRow {
    /// The name, as paths have it.
    pub name: &'static str,
    /// The tag, where all items of the form should have the same.
    pub tag: Option<u8>,
    /// The declared word.
    pub ty: Type,
}

/// A family of packed forms: what an item of a list can be, a vertex or a face.
pub trait Form: Copy {
    /// The forms in the order of the table.
    type Kind: Copy;

    /// The name of a list of them, as paths have it.
    const LIST: &'static str;

    /// The table.
    const FORMS: &'static [FormRow];

    /// The tag of an item that starts with these words.
    fn tag_of(words: &[u32]) -> u8;

    /// Size of an item with this tag in 32-bit words, and the number of its form in the table; 0 and none if there is no
    /// such form.
    fn form_of(tag: u8, surface: Surface) -> (usize, usize);

    /// The form with this number in the table.
    fn kind_of(form: usize) -> Option<Self::Kind>;

    /// Calls a visitor with the declared word of the form with this number in the table.
    fn with_word<V: WordVisitor>(form: usize, visitor: V) -> Option<V::Output>;

    /// The item at the start of these words, on such a surface; `None` if it is cut short.
    fn first(words: &[u32], surface: Surface) -> Option<Self>;

    /// The 32-bit words, 0 behind the last one.
    fn words(self) -> [u32; 4];

    /// The number of its form in the table.
    fn form_index(self) -> usize;

    /// Number of 32-bit words of an item with this tag.
    #[inline(always)]
    fn size_of(tag: u8) -> usize {
        Self::form_of(tag, Surface::Textured).0
    }

    /// Whether the surface decides the form of an item with this tag.
    #[inline(always)]
    fn needs_surface(tag: u8) -> bool {
        Self::form_of(tag, Surface::Textured).1 != Self::form_of(tag, Surface::Flat).1
    }

    /// The row of the form with this tag.
    fn row_of(tag: u8, surface: Surface) -> Option<&'static FormRow> {
        Self::FORMS.get(Self::form_of(tag, surface).1)
    }

    /// A surface on which its tag is that of its form; `None` where the tag is that of another form.
    fn surface(self) -> Option<Surface> {
        let tag = Self::tag_of(&self.words());
        let surfaces = [Surface::Textured, Surface::Flat];
        surfaces.into_iter().find(|surface| Self::form_of(tag, *surface).1 == self.form_index())
    }
}

/// Is called with the declared word of a form, of `N` words of 32 bits.
pub trait WordVisitor {
    /// The result.
    type Output;

    /// Visits the word.
    fn visit<const N: usize, W: Layout>(self) -> Self::Output;
}

/// The tag of an item, for the conditions of its forms in constants.
pub(super) struct Tag(pub u8);

impl Tag {
    pub const fn tag(&self) -> u8 {
        self.0
    }
}

/// Little-endian words, 16 bytes at most, and 0 behind them.
#[inline(always)]
pub(super) fn to_words(bytes: &[u8]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The only one, if there is one.
pub(super) const fn only(tags: &[u8]) -> Option<u8> {
    if let [tag] = tags { Some(*tag) } else { None }
}

/// Declares a family of forms from its table: the struct that reads one item, the enum of an item, and what of it follows
/// from the table.
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
            /// The first word, whose tag gives the form.
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
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Json)]
        pub enum $Packed {
            $(
                $(#[doc = $doc])*
                #[json(name = $text)]
                $Variant($Word),
            )*
        }

        /// The forms in the order of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Kind {
            $($(#[doc = $doc])* $Variant,)*
        }

        // A tag has one form at most.
        const _: () = {
            let (mut tag, mut surface) = (0, 0);
            while surface < 2 {
                let $first = Tag(tag as u8);
                $(let $flat = surface == 1;)?
                let mut is_taken = false;
                $(
                    if $($when)* {
                        assert!(!is_taken, concat!("`", $text, "` has a tag that an earlier form has, too"));
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
            /// The name of the form, as paths have it.
            pub fn form(self) -> &'static str {
                match self {
                    $($Packed::$Variant(_) => $text,)*
                }
            }

            /// Size in bits.
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
                tag: only(&[$($tag)?]),
                ty: <$Word as crate::layout::Layout>::TYPE,
            }),*];

            #[inline(always)]
            fn tag_of(words: &[u32]) -> u8 {
                const AT: u32 = $First::TAG.offset / 32;
                let word = words.get(AT as usize).copied().unwrap_or_default();
                $First::TAG.of_u64(u64::from(word) << (32 * AT)) as u8
            }

            #[inline(always)]
            fn form_of(tag: u8, surface: Surface) -> (usize, usize) {
                let $first = Tag(tag);
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
            fn kind_of(form: usize) -> Option<$Kind> {
                $(
                    if form == $Kind::$Variant as usize {
                        return Some($Kind::$Variant);
                    }
                )*
                None
            }

            #[inline(always)]
            fn with_word<V: WordVisitor>(form: usize, visitor: V) -> Option<V::Output> {
                Some(match Self::kind_of(form)? {
                    $($Kind::$Variant => visitor.visit::<{ size_of::<$Word>() / 4 }, $Word>(),)*
                })
            }

            #[inline(always)]
            fn first(words: &[u32], surface: Surface) -> Option<Self> {
                let $first = Tag(Self::tag_of(words));
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

        #[cfg(feature = "serde")]
        crate::formats::bmd::schema::data::words! {
            $($Word 0 $(| (($tag as u128) << $First::TAG.offset))?;)*
        }
    };
}

pub(super) use declare_forms;
