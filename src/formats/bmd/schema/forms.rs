//! Lists of packed items that differ in size, and the families of forms that their items have.

use std::fmt;
use std::io::{Read, Seek};

use binrw::{BinResult, Endian, VecArgs};

use super::surface::Surface;
use crate::layout::Type;
use crate::{Error, Result, bulk, path};

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
    /// The name of a list of them, as paths have it.
    const LIST: &'static str;

    /// The table.
    const FORMS: &'static [FormRow];

    /// The tag of an item that starts with these words.
    fn tag_of(words: &[u32]) -> u8;

    /// Size of an item with this tag in 32-bit words, and the number of its form in the table; 0 and none if there is no
    /// such form.
    fn form_of(tag: u8, surface: Surface) -> (usize, usize);

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

/// Packed items of any mix of forms, as an image has them.
#[derive(Clone, PartialEq, Eq)]
pub struct Packed<F> {
    /// The little-endian words of the list, as numbers.
    words: Vec<u32>,
    len: usize,
    /// The surface that decides the form of some items; `None` where it decides none.
    surface: Option<Surface>,
    form: std::marker::PhantomData<F>,
}

/// The list of items.
impl<F: Form + fmt::Debug> fmt::Debug for Packed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.packed()).finish()
    }
}

impl<F> Default for Packed<F> {
    /// No items.
    fn default() -> Self {
        Packed { words: Vec::new(), len: 0, surface: None, form: std::marker::PhantomData }
    }
}

impl<F: Form> Packed<F> {
    /// Items from the 32-bit words of their list, the low half of a 64-bit word first.
    pub(in super::super) fn parse(words: Vec<u32>, surface: Surface) -> Result<Self> {
        let (mut at, mut len, mut needs_surface) = (0, 0usize, false);
        while at < words.len() {
            let rest = &words[at..];
            let size = F::size_of(F::tag_of(rest));
            if size == 0 || size > rest.len() {
                let message = format!("an item of {} bytes, but {} remain", 4 * size, 4 * rest.len());
                return Err(Error::malformed(message).at(path!((F::LIST)[len])));
            }
            // In a mixed list most groups are tried for nothing: the items in between are taken one by one.
            let items = if len.is_multiple_of(GROUP) && is_uniform::<F>(rest, size) { GROUP } else { 1 };
            let mut tags = rest.chunks_exact(size).take(items).map(F::tag_of);
            needs_surface = needs_surface || tags.any(F::needs_surface);
            at += if items == 1 { size } else { GROUP * size };
            len += items;
        }
        Ok(Packed { words, len, surface: needs_surface.then_some(surface), form: std::marker::PhantomData })
    }

    /// For `parse_with`, with `count`: reads as many bytes as items on such a surface.
    pub(super) fn read<R: Read + Seek>(
        surface: Surface,
    ) -> impl Fn(&mut R, Endian, VecArgs<()>) -> BinResult<Self> {
        move |reader, endian, args| {
            let pos = reader.stream_position()?;
            let fault = |message| binrw::Error::AssertFail { pos, message };
            if !args.count.is_multiple_of(4) {
                return Err(fault("the list ends inside an item".to_owned()));
            }
            let words = bulk::read(reader, endian, VecArgs { count: args.count / 4, inner: () })?;
            Packed::parse(words, surface).map_err(|error| fault(error.to_string()))
        }
    }

    /// The 32-bit words of the list, the low half of a 64-bit word first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The surface that decides the form of some items; `None` where it decides none.
    pub fn surface(&self) -> Option<Surface> {
        self.surface
    }

    /// Adds an item.
    ///
    /// # Errors
    ///
    /// If its tag is that of another form: a vertex of 64 bits cannot have a bone from F0 on (B9). Or if the vertices of
    /// 64 bits before it are those of another surface.
    pub fn push(&mut self, item: F) -> Result<()> {
        let form = F::FORMS.get(item.form_index()).map_or("", |row| row.name);
        let refuse =
            |message: String| Err(Error::inexpressible(message).at(path!((F::LIST)[self.len].(form))));
        let words = item.words();
        let tag = F::tag_of(&words);
        let Some(surface) = item.surface() else {
            return refuse(format!("{tag:#x} is not the tag of a {form}"));
        };
        if F::needs_surface(tag) {
            if self.surface.is_some_and(|other| other != surface) {
                return refuse("the material makes all vertices of 64 bits textured, or none".to_owned());
            }
            self.surface = Some(surface);
        }
        self.words.extend(words.iter().take(F::size_of(tag)));
        self.len += 1;
        Ok(())
    }

    /// The tags of the items in order.
    pub(in super::super) fn tags(&self) -> impl Iterator<Item = u8> + use<'_, F> {
        let mut rest = &*self.words;
        std::iter::from_fn(move || {
            let tag = (!rest.is_empty()).then(|| F::tag_of(rest))?;
            rest = rest.get(F::size_of(tag).max(1)..)?;
            Some(tag)
        })
    }

    /// The items in order, in their forms.
    pub fn packed(&self) -> impl Iterator<Item = F> + use<'_, F> {
        let mut rest = &*self.words;
        let surface = self.surface.unwrap_or_default();
        std::iter::from_fn(move || {
            let item = F::first(rest, surface)?;
            rest = rest.get(F::size_of(F::tag_of(rest))..)?;
            Some(item)
        })
    }
}

/// So many items are tried at once.
const GROUP: usize = 16;

/// Whether the first [`GROUP`] items of these words are of this size: where each of them starts is known without a look at
/// the one in front of it.
#[inline(always)]
fn is_uniform<F: Form>(words: &[u32], size: usize) -> bool {
    #[inline(always)]
    fn are_all<F: Form, const N: usize>(words: &[u32]) -> bool {
        let (items, _) = words.as_chunks::<N>();
        let group = items.first_chunk::<GROUP>();
        group.is_some_and(|group| {
            group.iter().fold(true, |all, item| all & (F::size_of(F::tag_of(item)) == N))
        })
    }

    match size {
        1 => are_all::<F, 1>(words),
        2 => are_all::<F, 2>(words),
        3 => are_all::<F, 3>(words),
        4 => are_all::<F, 4>(words),
        _ => false,
    }
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
        $(#[doc = $enum_doc:literal])* $Packed:ident in $list:literal;
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
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $Packed {
            $(
                $(#[doc = $doc])*
                #[cfg_attr(feature = "serde", serde(rename = $text))]
                $Variant($Word),
            )*
        }

        /// The forms in the order of the table.
        enum Order {
            $($Variant,)*
        }

        $(impl $Word {
            /// The number of the form in the table.
            pub(in crate::formats::bmd) const FORM: usize = Order::$Variant as usize;
        })*

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
                        return (size_of::<$Word>() / 4, $Word::FORM);
                    }
                )*
                let _ = surface;
                (0, Self::FORMS.len())
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
                    $($Packed::$Variant(_) => $Word::FORM,)*
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
