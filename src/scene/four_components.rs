//! The lists of four numbers per vertex, as bytes or as floats: colours and weights.

use super::mesh::gather;
use super::{Colors, Weights};

/// Implements the common methods of the types.
macro_rules! impl_four_components {
    ($($Type:ident)*) => {$(
        impl $Type {
            /// Returns the number of vertices.
            pub fn len(&self) -> usize {
                match self {
                    $Type::U8(values) => values.len(),
                    $Type::F32(values) => values.len(),
                }
            }

            /// Returns `true` if there are no vertices.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Converts the values to floats; bytes are divided by 255.
            pub fn into_f32(self) -> Vec<[f32; 4]> {
                match self {
                    $Type::U8(values) => bytes_to_floats(values),
                    $Type::F32(values) => values,
                }
            }

            /// Replaces bytes by floats.
            pub(crate) fn widen(&mut self) {
                *self = $Type::F32(std::mem::replace(self, $Type::U8(Vec::new())).into_f32());
            }

            /// Describes the components of a value.
            pub(super) fn describe_components(&self) -> &'static str {
                match self {
                    $Type::U8(_) => "4 × u8",
                    $Type::F32(_) => "4 × f32",
                }
            }

            /// Returns the values as bytes in native order, and the size of one value.
            pub(super) fn as_bytes(&self) -> (&[u8], usize) {
                match self {
                    $Type::U8(values) => (values.as_flattened(), 4),
                    $Type::F32(values) => (bytemuck::cast_slice(values), 16),
                }
            }

            /// Returns the values of `vertices`, in the order of `vertices`; skips vertices past the end.
            pub(super) fn select(&self, vertices: &[usize]) -> $Type {
                match self {
                    $Type::U8(values) => $Type::U8(gather(values, vertices)),
                    $Type::F32(values) => $Type::F32(gather(values, vertices)),
                }
            }

            /// Appends values of the same type.
            pub(super) fn append(&mut self, more: $Type) {
                match (self, more) {
                    ($Type::U8(all), $Type::U8(more)) => all.extend(more),
                    ($Type::F32(all), $Type::F32(more)) => all.extend(more),
                    // Unreachable: `share_attributes` made the types equal.
                    _ => {}
                }
            }
        }
    )*};
}

impl_four_components!(Colors Weights);

/// Converts bytes to floats, where 255 represents 1.0.
fn bytes_to_floats(values: Vec<[u8; 4]>) -> Vec<[f32; 4]> {
    values
        .into_iter()
        .map(|value| value.map(|byte| f32::from(byte) / 255.0))
        .collect()
}
