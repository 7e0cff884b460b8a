//! Functions that built-in formats implement through their documents.

/// Implements the functions of [`Declared`](super::Declared) that decode a file to its document or encode documents.
/// Requires the modules `examples` and `strategy` of the format. `files` is its strategy for files; by default, the
/// encoded documents of `strategy::documents_with`.
macro_rules! by_document {
    () => {
        by_document!(|config| $crate::formats::generated::written(strategy::documents_with(config)));
    };
    (|$config:ident| $files:expr) => {
        #[cfg(feature = "proptest")]
        fn files($config: $crate::layout::generate::Config) -> Option<$crate::formats::Files> {
            Some($files)
        }

        fn example_of(rule: &'static $crate::Rule) -> Option<$crate::formats::RuleExample> {
            examples::example_of(rule)
        }

        fn info_of(bytes: &[u8], options: &$crate::ReadOptions) -> $crate::Result<$crate::info::Info> {
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
