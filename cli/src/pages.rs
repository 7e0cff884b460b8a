//! The addresses of pages, for messages. Programs are installed without pages.

/// Returns the address of a page in `docs/`.
macro_rules! page {
    ($name:literal) => {
        concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/", $name)
    };
}
pub(crate) use page;

/// The page of interpretations.
pub const INTERPRETATIONS: &str = page!("interpretations.md");
/// The page about conversions.
pub const CONVERSION: &str = page!("conversion.md");
