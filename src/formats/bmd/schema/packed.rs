//! Lists of packed items of varying size.

use std::fmt;
use std::io::{Read, Seek};

use binrw::{BinResult, Endian, VecArgs};

use super::forms::Form;
use super::surface::Surface;
use crate::{Error, Result, bulk, path};

/// Packed items in any mix of forms, as stored in an image.
#[derive(Clone, PartialEq, Eq)]
pub struct Packed<F> {
    /// The little-endian words of the list, in native byte order.
    words: Vec<u32>,
    len: usize,
    /// The surface, if it determines the form of some items.
    surface: Option<Surface>,
    form: std::marker::PhantomData<F>,
}

/// Formats the list of items.
impl<F: Form + fmt::Debug> fmt::Debug for Packed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.packed()).finish()
    }
}

impl<F> Default for Packed<F> {
    /// An empty list.
    fn default() -> Self {
        Packed { words: Vec::new(), len: 0, surface: None, form: std::marker::PhantomData }
    }
}

impl<F: Form> Packed<F> {
    /// Parses items from 32-bit words; 64-bit words have their low half first.
    pub(in super::super) fn parse(words: Vec<u32>, surface: Surface) -> Result<Self> {
        let (mut at, mut len, mut needs_surface) = (0, 0usize, false);
        while at < words.len() {
            let rest = &words[at..];
            let size = F::size_of(F::tag_of(rest));
            if size == 0 || size > rest.len() {
                let message = format!("an item of {} bytes, but {} remain", 4 * size, 4 * rest.len());
                return Err(Error::malformed(message).at(path!((F::LIST)[len])));
            }
            // In a mixed list, most group tests would fail, so its items are parsed one by one.
            let items = if len.is_multiple_of(GROUP) && is_uniform::<F>(rest, size) { GROUP } else { 1 };
            let mut tags = rest.chunks_exact(size).take(items).map(F::tag_of);
            needs_surface = needs_surface || tags.any(F::needs_surface);
            at += if items == 1 { size } else { GROUP * size };
            len += items;
        }
        Ok(Packed { words, len, surface: needs_surface.then_some(surface), form: std::marker::PhantomData })
    }

    /// Reads `count` bytes as items of this surface, for `parse_with`.
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

    /// The 32-bit words of the list; 64-bit words have their low half first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The surface, if it determines the form of some items.
    pub fn surface(&self) -> Option<Surface> {
        self.surface
    }

    /// Appends an item.
    ///
    /// # Errors
    ///
    /// If its tag selects another form: a 64-bit vertex cannot have bone F0 or above (B9). Also if earlier 64-bit
    /// vertices belong to another surface.
    pub fn push(&mut self, item: F) -> Result<()> {
        let form = F::FORMS.get(item.form_index()).map_or("", |row| row.name);
        let reject =
            |message: String| Err(Error::inexpressible(message).at(path!((F::LIST)[self.len].(form))));
        let words = item.words();
        let tag = F::tag_of(&words);
        let Some(surface) = item.surface() else {
            return reject(format!("{tag:#x} is not the tag of a {form}"));
        };
        if F::needs_surface(tag) {
            if self.surface.is_some_and(|other| other != surface) {
                return reject("the material makes all vertices of 64 bits textured, or none".to_owned());
            }
            self.surface = Some(surface);
        }
        self.words.extend(words.iter().take(F::size_of(tag)));
        self.len += 1;
        Ok(())
    }

    /// The tags of the items, in order.
    pub(in super::super) fn tags(&self) -> impl Iterator<Item = u8> + use<'_, F> {
        let mut rest = &*self.words;
        std::iter::from_fn(move || {
            let tag = (!rest.is_empty()).then(|| F::tag_of(rest))?;
            rest = rest.get(F::size_of(tag).max(1)..)?;
            Some(tag)
        })
    }

    /// The items in order, in their packed forms.
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

/// The number of items tested together.
const GROUP: usize = 16;

/// Returns `true` if the first [`GROUP`] items in these words have this size. Their offsets are then known without
/// parsing each predecessor.
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
