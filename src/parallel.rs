//! Functions that run in parallel with the feature `parallel`, and sequentially without it.

#[cfg(feature = "parallel")]
pub(crate) use rayon::join;

#[cfg(not(feature = "parallel"))]
pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Calls `map` with the index and the value of each item. Returns the results in order, or one of the errors.
pub(crate) fn try_map<T: Sync, R: Send, E: Send>(
    items: &[T],
    map: impl Fn(usize, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items
            .par_iter()
            .enumerate()
            .map(|(index, item)| map(index, item))
            .collect()
    }
    #[cfg(not(feature = "parallel"))]
    items
        .iter()
        .enumerate()
        .map(|(index, item)| map(index, item))
        .collect()
}

/// Maps the items, and combines the results in order.
pub(crate) fn map_reduce<T: Send, U: Send + Default>(
    items: Vec<T>,
    map: impl Fn(T) -> U + Sync + Send,
    reduce: impl Fn(U, U) -> U + Sync + Send,
) -> U {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.into_par_iter().map(map).reduce(U::default, reduce)
    }
    #[cfg(not(feature = "parallel"))]
    items.into_iter().map(map).fold(U::default(), reduce)
}
