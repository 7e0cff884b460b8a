//! Packed words of BMD as data: maps of their bit fields.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    AnimRate, BoneTransform, ControlFlags, F8A, FineSt, Normal, PseudoTransform, Rotation, ScaledSt, Triple,
    WideSt,
};

/// Packed words as maps; with the tags that are the same in all of their kind.
macro_rules! words {
    ($($word:ident $implied:expr;)*) => {$(
        impl serde::Serialize for $word {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let implied = crate::formats::word::Implied { word: $implied, fields: &["tag", "tag2"] };
                crate::formats::word::serialize::<$word, S>(&self.into_bytes(), implied, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $word {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$word, D::Error> {
                let implied = crate::formats::word::Implied { word: $implied, fields: &["tag", "tag2"] };
                let bytes = crate::formats::word::deserialize::<$word, _, D>(implied, deserializer)?;
                Ok($word::from_bytes(bytes))
            }
        }
    )*};
}

pub(super) use words;

words! {
    Triple 0;
    Normal 0;
    Rotation 0;
    ScaledSt 0;
    FineSt 0;
    WideSt 0;
    BoneTransform 0;
    PseudoTransform 0;
    ControlFlags 0;
    AnimRate 0;
}

/// Its code.
impl Serialize for F8A {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.code())
    }
}

impl<'de> Deserialize<'de> for F8A {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<F8A, D::Error> {
        u8::deserialize(deserializer).map(F8A::from)
    }
}
