//! Work on several threads with the feature `parallel`, on one without it.

#[cfg(feature = "parallel")]
pub(crate) use rayon::join;

/// Does one thing after the other.
#[cfg(not(feature = "parallel"))]
pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// What `map` makes of each item and its position, or an error.
pub(crate) fn each<T: Sync, R: Send, E: Send>(
    items: &[T],
    map: impl Fn(usize, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.par_iter().enumerate().map(|(index, item)| map(index, item)).collect()
    }
    #[cfg(not(feature = "parallel"))]
    items.iter().enumerate().map(|(index, item)| map(index, item)).collect()
}

/// Puts together, in their order, what the items become.
#[cfg(feature = "parallel")]
pub(crate) fn map_reduce<T: Send, U: Send + Default>(
    items: Vec<T>,
    map: impl Fn(T) -> U + Sync + Send,
    reduce: impl Fn(U, U) -> U + Sync + Send,
) -> U {
    use rayon::prelude::*;

    items.into_par_iter().map(map).reduce(U::default, reduce)
}

/// Puts together, in their order, what the items become.
#[cfg(not(feature = "parallel"))]
pub(crate) fn map_reduce<T, U: Default>(
    items: Vec<T>,
    map: impl Fn(T) -> U,
    reduce: impl Fn(U, U) -> U,
) -> U {
    items.into_iter().map(map).fold(U::default(), reduce)
}
