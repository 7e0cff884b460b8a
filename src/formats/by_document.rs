//! A macro for the functions of `Declared` that built-in formats implement through their documents.

/// Implements the functions of [`Declared`](super::Declared) that use documents. Requires the modules `examples` and
/// `strategy` of the format. The first argument evaluates to the edge cases. The second is a closure that returns the
/// strategy for files. Without the second, files are the encoded documents of `strategy::documents_with`, and
/// `check_file` is also implemented.
macro_rules! by_document {
    ($edge_cases:expr) => {
        by_document!($edge_cases, |config| {
            $crate::formats::generated::encoded_files(strategy::documents_with(config))
        });

        fn check_file(
            bytes: &[u8],
            options: &$crate::ReadOptions,
        ) -> $crate::Result<$crate::Report> {
            <Self as $crate::Format>::check_decoded(bytes, options)
        }
    };
    ($edge_cases:expr, |$config:ident| $files:expr) => {
        #[cfg(feature = "proptest")]
        fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
            $edge_cases
        }

        #[cfg(feature = "proptest")]
        fn files($config: $crate::layout::generate::Config) -> Option<$crate::formats::Files> {
            Some($files)
        }

        fn example_of(rule: &'static $crate::Rule) -> Option<$crate::formats::RuleExample> {
            examples::example_of(rule)
        }

        fn info_of(
            bytes: &[u8],
            options: &$crate::ReadOptions,
        ) -> $crate::Result<$crate::info::Info> {
            <Self as $crate::Format>::read(bytes, options).map(|document| document.info())
        }

        fn contents_of<'f>(
            bytes: &'f [u8],
            options: &$crate::ReadOptions,
        ) -> $crate::Result<$crate::contents::Contents<'f>> {
            <Self as $crate::Format>::read(bytes, options).map(|document| document.contents())
        }
    };
}
