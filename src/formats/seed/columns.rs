//! The columns of a document. A column lists the values in all lines of one kind.

/// Maximum number of values in a line; the grammar has the same limit.
pub const MAX_VALUES: usize = 4;

/// The numbers in a line or column: floats or integers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Numbers<F, I> {
    Floats(F),
    Integers(I),
}

/// The values of a line. The table determines the number of values; the remaining slots are unused.
pub(super) type Values = Numbers<[f32; MAX_VALUES], [u32; MAX_VALUES]>;

/// The values in all lines of one kind.
pub(super) type Column<'d> = Numbers<&'d [f32], &'d [u32]>;

/// A mutable [`Column`].
pub(super) type ColumnMut<'d> = Numbers<&'d mut [f32], &'d mut [u32]>;

impl Column<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Column::Floats(values) => values.len(),
            Column::Integers(values) => values.len(),
        }
    }
}

/// A field of the document: one column, or a list of channels with one column each.
pub(super) trait Field {
    /// Whether the values are floats.
    const IS_FLOAT: bool;
    /// The number of values per line.
    const VALUES: usize;

    /// Returns `true` if the channel exists.
    fn has_channel(&self, channel: usize) -> bool;

    /// Returns the values of a channel; empty if it does not exist.
    fn column(&self, channel: usize) -> Column<'_>;

    /// Replaces all columns with the given number of zeroed lines per channel. Omits trailing empty channels.
    fn allocate(&mut self, lines: &[usize]);

    /// Returns the columns of the first `channels` channels. The columns of missing channels are empty.
    fn columns_mut(&mut self, channels: usize) -> Vec<ColumnMut<'_>>;
}

/// The type of the values in a column.
pub(super) trait Component: Copy + Default {
    const IS_FLOAT: bool;
    fn column(values: &[Self]) -> Column<'_>;
    fn column_mut(values: &mut [Self]) -> ColumnMut<'_>;
}

impl Component for f32 {
    const IS_FLOAT: bool = true;

    fn column(values: &[f32]) -> Column<'_> {
        Column::Floats(values)
    }

    fn column_mut(values: &mut [f32]) -> ColumnMut<'_> {
        ColumnMut::Floats(values)
    }
}

impl Component for u32 {
    const IS_FLOAT: bool = false;

    fn column(values: &[u32]) -> Column<'_> {
        Column::Integers(values)
    }

    fn column_mut(values: &mut [u32]) -> ColumnMut<'_> {
        ColumnMut::Integers(values)
    }
}

impl<T: Component, const N: usize> Field for Vec<[T; N]> {
    const IS_FLOAT: bool = T::IS_FLOAT;
    const VALUES: usize = N;

    fn has_channel(&self, _: usize) -> bool {
        !self.is_empty()
    }

    fn column(&self, _: usize) -> Column<'_> {
        T::column(self.as_flattened())
    }

    fn allocate(&mut self, lines: &[usize]) {
        *self = vec![[T::default(); N]; lines.iter().sum()];
    }

    fn columns_mut(&mut self, _: usize) -> Vec<ColumnMut<'_>> {
        vec![T::column_mut(self.as_flattened_mut())]
    }
}

impl<T: Component, const N: usize> Field for Vec<Vec<[T; N]>> {
    const IS_FLOAT: bool = T::IS_FLOAT;
    const VALUES: usize = N;

    fn has_channel(&self, channel: usize) -> bool {
        channel < self.len()
    }

    fn column(&self, channel: usize) -> Column<'_> {
        T::column(self.get(channel).map_or(&[], |lines| lines.as_flattened()))
    }

    fn allocate(&mut self, lines: &[usize]) {
        let channels = lines
            .iter()
            .rposition(|count| *count > 0)
            .map_or(0, |last| last + 1);
        *self = lines[..channels]
            .iter()
            .map(|count| vec![[T::default(); N]; *count])
            .collect();
    }

    fn columns_mut(&mut self, channels: usize) -> Vec<ColumnMut<'_>> {
        let columns = self
            .iter_mut()
            .map(|lines| T::column_mut(lines.as_flattened_mut()));
        columns
            .chain(std::iter::repeat_with(|| T::column_mut(&mut [])))
            .take(channels)
            .collect()
    }
}
