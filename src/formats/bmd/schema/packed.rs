//! Lists of packed items of varying size.

use std::fmt;
use std::io::{Read, Seek};

use binrw::{BinResult, Endian, VecArgs};

use super::forms::Form;
use super::surface::Surface;
use crate::{Error, Result, bulk, path};

/// A list of packed items in any mix of forms, as stored in an image.
#[derive(Clone, PartialEq, Eq)]
pub struct PackedList<F> {
    /// The words of the list, in native byte order.
    words: Vec<u32>,
    len: usize,
    /// The surface; `None` if no item's form depends on it.
    surface: Option<Surface>,
    form: std::marker::PhantomData<F>,
}

/// Formats the items as a list.
impl<F: Form + fmt::Debug> fmt::Debug for PackedList<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.packed_items()).finish()
    }
}

impl<F> Default for PackedList<F> {
    /// An empty list.
    fn default() -> Self {
        PackedList {
            words: Vec::new(),
            len: 0,
            surface: None,
            form: std::marker::PhantomData,
        }
    }
}

impl<F: Form> PackedList<F> {
    /// Parses items from 32-bit words; 64-bit words have their low half first.
    pub(in super::super) fn parse(words: Vec<u32>, surface: Surface) -> Result<Self> {
        let (mut offset, mut len, mut needs_surface) = (0, 0usize, false);
        while offset < words.len() {
            let rest = &words[offset..];
            let size = F::word_count(F::tag_of(rest));
            if size == 0 || size > rest.len() {
                let message = format!(
                    "truncated item: needs {} bytes, {} remain",
                    4 * size,
                    4 * rest.len()
                );
                return Err(Error::malformed(message).at(path!((F::LIST)[len])));
            }
            // Tests only at the start of a group, because most tests fail in a mixed list.
            let is_group = len.is_multiple_of(GROUP_SIZE) && is_uniform::<F>(rest, size);
            let items = if is_group { GROUP_SIZE } else { 1 };
            let mut tags = rest.chunks_exact(size).take(items).map(F::tag_of);
            needs_surface = needs_surface || tags.any(F::needs_surface);
            offset += if items == 1 { size } else { GROUP_SIZE * size };
            len += items;
        }
        let surface = needs_surface.then_some(surface);
        Ok(PackedList {
            words,
            len,
            surface,
            form: std::marker::PhantomData,
        })
    }

    /// Returns a function for `parse_with` that reads `count` bytes as items for the surface.
    pub(super) fn read<R: Read + Seek>(
        surface: Surface,
    ) -> impl Fn(&mut R, Endian, VecArgs<()>) -> BinResult<Self> {
        move |reader, endian, args| {
            let pos = reader.stream_position()?;
            let fault = |message| binrw::Error::AssertFail { pos, message };
            if !args.count.is_multiple_of(4) {
                return Err(fault("the list ends inside an item".to_owned()));
            }
            let words = bulk::read(
                reader,
                endian,
                VecArgs {
                    count: args.count / 4,
                    inner: (),
                },
            )?;
            PackedList::parse(words, surface).map_err(|error| fault(error.to_string()))
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

    /// The surface; `None` if no item's form depends on it.
    pub fn surface(&self) -> Option<Surface> {
        self.surface
    }

    /// Appends an item.
    ///
    /// # Errors
    ///
    /// Returns an error if the tag of the item selects another form, or the surface of a 64-bit vertex differs from the
    /// list's. For example, bone F0 or above in a 64-bit vertex selects another form (B9).
    pub fn push(&mut self, item: F) -> Result<()> {
        let form = F::FORMS.get(item.form_index()).map_or("", |row| row.name);
        let path = path!((F::LIST)[self.len].(form));
        let reject = |message: &str| Err(Error::inexpressible(message).at(path));
        let words = item.words();
        let tag = F::tag_of(&words);
        let Some(surface) = item.surface() else {
            return reject(&format!("{tag:#x} is not the tag of a {form}"));
        };
        if F::needs_surface(tag) {
            if self.surface.is_some_and(|other| other != surface) {
                return reject("64-bit vertices of textured and flat surfaces cannot be mixed");
            }
            self.surface = Some(surface);
        }
        self.words.extend(words.iter().take(F::word_count(tag)));
        self.len += 1;
        Ok(())
    }

    /// Returns the tags of the items, in order.
    pub(in super::super) fn tags(&self) -> impl Iterator<Item = u8> + use<'_, F> {
        let mut rest = &*self.words;
        std::iter::from_fn(move || {
            let tag = (!rest.is_empty()).then(|| F::tag_of(rest))?;
            rest = rest.get(F::word_count(tag).max(1)..)?;
            Some(tag)
        })
    }

    /// Returns the packed items, in order.
    pub fn packed_items(&self) -> impl Iterator<Item = F> + use<'_, F> {
        let mut rest = &*self.words;
        let surface = self.surface.unwrap_or_default();
        std::iter::from_fn(move || {
            let item = F::read_first(rest, surface)?;
            rest = rest.get(F::word_count(F::tag_of(rest))..)?;
            Some(item)
        })
    }
}

/// The number of items whose sizes are tested together.
const GROUP_SIZE: usize = 16;

/// Returns `true` if the first [`GROUP_SIZE`] items in `words` all have `size` words, so their offsets are known.
#[inline(always)]
fn is_uniform<F: Form>(words: &[u32], size: usize) -> bool {
    #[inline(always)]
    fn have_word_count<F: Form, const N: usize>(words: &[u32]) -> bool {
        let (items, _) = words.as_chunks::<N>();
        let group = items.first_chunk::<GROUP_SIZE>();
        group.is_some_and(|group| {
            group.iter().fold(true, |all, item| {
                all & (F::word_count(F::tag_of(item)) == N)
            })
        })
    }

    match size {
        1 => have_word_count::<F, 1>(words),
        2 => have_word_count::<F, 2>(words),
        3 => have_word_count::<F, 3>(words),
        4 => have_word_count::<F, 4>(words),
        _ => false,
    }
}
