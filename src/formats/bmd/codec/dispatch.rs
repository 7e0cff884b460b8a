//! From the tag of an item to the type of its form.

/// Declares `with_form`, from the table of a family of forms: it calls a visitor with the type of the form that an item
/// with this tag has, or with what `decoder!` makes of it. `None` if no form has the tag.
macro_rules! dispatch {
    (
        $(#[$item_doc:meta])* $Item:ident ($first:ident: $First:ident $(, $flat:ident: bool)?);
        $(#[$enum_doc:meta])* $Packed:ident in $list:literal;
        $(
            $(#[$doc:meta])*
            $name:ident $text:literal $Variant:ident($Word:ident) $(= $tag:tt)? if($($when:tt)*);
        )*
    ) => {
        #[inline(always)]
        pub fn with_form<V: Visitor>(tag: u8, surface: Surface, visitor: V) -> Option<V::Output> {
            let $first = Tag(tag);
            $(let $flat = surface == Surface::Flat;)?
            $(
                if $($when)* {
                    return Some(visitor.visit::<{ size_of::<schema::$Word>() / 4 }, decoder!($Word)>());
                }
            )*
            let _ = surface;
            None
        }
    };
}

pub(super) use dispatch;
