//! Numeric arrays: type, shape and values.

use crate::layout::declaration::Type;
use crate::layout::expr::Value;

macro_rules! numbers {
    ($(
        $variant:ident($number:ty), $name:literal $(if $feature:literal)?, $doc:literal
        $(from $type:pat, $value:ident)?;
    )*) => {
        /// A list of numbers of one type.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Numbers {
            $(
                $(#[cfg(feature = $feature)])?
                #[doc = $doc]
                $variant(Vec<$number>),
            )*
        }

        impl Numbers {
            /// The name of the type.
            pub fn type_name(&self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)])? Numbers::$variant(_) => $name,)*
                }
            }

            fn debug_text(&self, index: usize) -> Option<String> {
                match self {
                    $($(#[cfg(feature = $feature)])? Numbers::$variant(values) => {
                        values.get(index).map(|value| format!("{value:?}"))
                    })*
                }
            }

            /// The number of values.
            pub fn len(&self) -> usize {
                match self {
                    $($(#[cfg(feature = $feature)])? Numbers::$variant(values) => values.len(),)*
                }
            }

            /// Creates a list from its first value, of type `ty`. `None` if the value is neither a number nor Boolean.
            pub(super) fn from_first(ty: &Type, first: &Value) -> Option<Numbers> {
                match (ty.without_byte_order(), first) {
                    $($(($type, Value::$value(first)) => Some(Numbers::$variant(vec![*first as $number])),)?)*
                    _ => None,
                }
            }

            /// Appends a value of the list's declared type; ignores values of other types.
            pub(super) fn push(&mut self, value: &Value) {
                match (self, value) {
                    $($((Numbers::$variant(values), Value::$value(value)) => values.push(*value as $number),)?)*
                    _ => {}
                }
            }
        }

        $(
            $(#[cfg(feature = $feature)])?
            impl From<Vec<$number>> for Numbers {
                fn from(values: Vec<$number>) -> Numbers {
                    Numbers::$variant(values)
                }
            }
        )*
    };
}

// Each variant: type, name, feature (if any), documentation, and the declared type and `Value` variant (if any).
numbers! {
    U8(u8), "u8", "Unsigned 8-bit integers." from Type::Unsigned(1), Int;
    U16(u16), "u16", "Unsigned 16-bit integers." from Type::Unsigned(2), Int;
    U32(u32), "u32", "Unsigned 32-bit integers." from Type::Unsigned(4), Int;
    U64(u64), "u64", "Unsigned 64-bit integers." from Type::Unsigned(8), Int;
    I8(i8), "i8", "Signed 8-bit integers." from Type::Signed(1), Int;
    I16(i16), "i16", "Signed 16-bit integers." from Type::Signed(2), Int;
    I32(i32), "i32", "Signed 32-bit integers." from Type::Signed(4), Int;
    I64(i64), "i64", "Signed 64-bit integers." from Type::Signed(8), Int;
    Int(i128), "int", "Integers of all other widths." from _, Int;
    Bool(bool), "bool", "Truth values." from _, Bool;
    OptionalU8(Option<u8>), "u8", "Bytes; `None` for a missing value.";
    F16(half::f16), "f16" if "iyma", "16-bit floats.";
    F32(f32), "f32", "32-bit floats." from _, F32;
    F64(f64), "f64", "64-bit floats." from _, F64;
}

impl Numbers {
    /// Formats the number at `index`: floats as their shortest decimals, missing values as `-`. `None` past the end.
    pub fn text(&self, index: usize) -> Option<String> {
        match self {
            Numbers::OptionalU8(values) => values
                .get(index)
                .map(|value| value.map_or("-".to_owned(), |value| value.to_string())),
            numbers => numbers.debug_text(index),
        }
    }

    /// Returns `true` if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A numeric array with a shape.
///
/// ```
/// use meshspec::contents::{Array, Numbers};
///
/// let array = Array::from_rows(vec![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!((&*array.shape, array.numbers.len()), (&[2, 3][..], 6));
/// # #[cfg(feature = "serde")]
/// assert_eq!(
///     serde_json::to_string(&Array::from(Numbers::F32(vec![1.0, f32::INFINITY])))?,
///     r#"{"type":"f32","shape":[2],"values":[1.0,null],"bits":["3f800000","7f800000"]}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// The length in each dimension; the first is the number of items.
    pub shape: Vec<usize>,
    /// The values, item by item.
    pub numbers: Numbers,
    /// The maximum allowed deviation of a value; `None` if values are exact.
    ///
    /// In an array with a tolerance, non-finite values are undefined and not compared.
    pub tolerance: Option<f32>,
}

impl From<Numbers> for Array {
    fn from(numbers: Numbers) -> Array {
        Array {
            shape: vec![numbers.len()],
            numbers,
            tolerance: None,
        }
    }
}

impl Array {
    /// Creates an array with the shape `[rows.len(), N]` from rows.
    pub fn from_rows<T, const N: usize>(rows: Vec<[T; N]>) -> Array
    where
        Numbers: From<Vec<T>>,
    {
        Array {
            shape: vec![rows.len(), N],
            numbers: rows.into_flattened().into(),
            tolerance: None,
        }
    }

    /// Creates an array with the shape `[4, 4]` from a row-major matrix.
    pub fn from_matrix(matrix: [[f32; 4]; 4]) -> Array {
        Array::from_rows(matrix.to_vec())
    }

    /// Creates an array with the shape `[1]` from a number.
    ///
    /// ```
    /// use meshspec::contents::Array;
    ///
    /// let array = Array::from_number(2.5f32);
    /// assert_eq!((array.shape, array.numbers.type_name()), (vec![1], "f32"));
    /// ```
    pub fn from_number<T>(value: T) -> Array
    where
        Numbers: From<Vec<T>>,
    {
        Numbers::from(vec![value]).into()
    }

    /// Reshapes the array to items with `components` components each.
    ///
    /// ```
    /// use meshspec::contents::{Array, Numbers};
    ///
    /// let array = Array::from(Numbers::U8(vec![1, 2, 3, 4, 5, 6])).with_components(3).with_tolerance(1.0);
    /// assert_eq!((array.shape, array.tolerance), (vec![2, 3], Some(1.0)));
    /// ```
    pub fn with_components(mut self, components: usize) -> Array {
        self.shape = vec![self.numbers.len() / components.max(1), components];
        self
    }

    /// Sets the tolerance.
    pub fn with_tolerance(mut self, tolerance: f32) -> Array {
        self.tolerance = Some(tolerance);
        self
    }
}

#[cfg(feature = "serde")]
mod serde_impls {
    use serde::ser::SerializeStruct;
    use serde::{Serialize, Serializer};

    use super::{Array, Numbers};

    /// A float, serialised as a decimal and as bits.
    trait Float: Copy {
        fn to_finite(self) -> Option<impl Serialize>;
        fn to_hex_bits(self) -> String;
    }

    macro_rules! impl_float {
        ($float:ty, $digits:literal, $to_decimal:expr) => {
            impl Float for $float {
                fn to_finite(self) -> Option<impl Serialize> {
                    self.is_finite().then(|| $to_decimal(self))
                }

                fn to_hex_bits(self) -> String {
                    format!("{:0digits$x}", self.to_bits(), digits = $digits)
                }
            }
        };
    }

    #[cfg(feature = "iyma")]
    impl_float!(half::f16, 4, half::f16::to_f32);
    impl_float!(f32, 8, f32::from);
    impl_float!(f64, 16, f64::from);

    /// Floats as decimals; `null` for infinities and NaN.
    struct Decimals<'a, T>(&'a [T]);

    impl<T: Float> Serialize for Decimals<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0.iter().map(|value| value.to_finite()))
        }
    }

    /// The bits of floats in hexadecimal. Non-finite values are `null` if `has_undefined` is set.
    struct Bits<'a, T> {
        values: &'a [T],
        has_undefined: bool,
    }

    impl<T: Float> Serialize for Bits<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Bits {
                values,
                has_undefined,
            } = *self;
            let is_defined = |value: &T| !has_undefined || value.to_finite().is_some();
            serializer.collect_seq(
                values
                    .iter()
                    .map(|value| is_defined(value).then(|| value.to_hex_bits())),
            )
        }
    }

    fn serialize_floats<T: Float, S: SerializeStruct>(
        values: &[T],
        tolerance: Option<f32>,
        object: &mut S,
    ) -> Result<(), S::Error> {
        object.serialize_field("values", &Decimals(values))?;
        object.serialize_field(
            "bits",
            &Bits {
                values,
                has_undefined: tolerance.is_some(),
            },
        )
    }

    impl Serialize for Array {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Array {
                shape,
                numbers,
                tolerance,
            } = self;
            let mut object = serializer.serialize_struct("Array", 5)?;
            object.serialize_field("type", numbers.type_name())?;
            object.serialize_field("shape", shape)?;
            match numbers {
                Numbers::U8(values) => object.serialize_field("values", values)?,
                Numbers::U16(values) => object.serialize_field("values", values)?,
                Numbers::U32(values) => object.serialize_field("values", values)?,
                Numbers::U64(values) => object.serialize_field("values", values)?,
                Numbers::I8(values) => object.serialize_field("values", values)?,
                Numbers::I16(values) => object.serialize_field("values", values)?,
                Numbers::I32(values) => object.serialize_field("values", values)?,
                Numbers::I64(values) => object.serialize_field("values", values)?,
                Numbers::Int(values) => object.serialize_field("values", values)?,
                Numbers::Bool(values) => object.serialize_field("values", values)?,
                Numbers::OptionalU8(values) => object.serialize_field("values", values)?,
                #[cfg(feature = "iyma")]
                Numbers::F16(values) => serialize_floats(values, *tolerance, &mut object)?,
                Numbers::F32(values) => serialize_floats(values, *tolerance, &mut object)?,
                Numbers::F64(values) => serialize_floats(values, *tolerance, &mut object)?,
            }
            if let Some(tolerance) = tolerance {
                object.serialize_field("tolerance", tolerance)?;
            }
            object.end()
        }
    }
}
