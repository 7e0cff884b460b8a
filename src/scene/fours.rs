//! The lists of four numbers per vertex, as bytes or as floats: colours and weights.

use super::mesh::gather;
use super::{Colors, Weights};

/// Implements the common methods of the types.
macro_rules! impl_fours {
    ($($fours:ident)*) => {$(
        impl $fours {
            /// Returns the number of vertices.
            pub fn len(&self) -> usize {
                match self {
                    $fours::U8(values) => values.len(),
                    $fours::F32(values) => values.len(),
                }
            }

            /// Returns `true` if there are no vertices.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Converts the values to floats; bytes are divided by 255.
            pub fn into_f32(self) -> Vec<[f32; 4]> {
                match self {
                    $fours::U8(values) => bytes_to_floats(values),
                    $fours::F32(values) => values,
                }
            }

            /// Replaces bytes by floats.
            pub(crate) fn widen(&mut self) {
                *self = $fours::F32(std::mem::replace(self, $fours::U8(Vec::new())).into_f32());
            }

            /// Describes the components of a value.
            pub(super) fn describe_components(&self) -> &'static str {
                match self {
                    $fours::U8(_) => "4 × u8",
                    $fours::F32(_) => "4 × f32",
                }
            }

            /// Returns the values as bytes in native order, and the size of one value.
            pub(super) fn as_bytes(&self) -> (&[u8], usize) {
                match self {
                    $fours::U8(values) => (values.as_flattened(), 4),
                    $fours::F32(values) => (bytemuck::cast_slice(values), 16),
                }
            }

            /// Returns the values of `vertices`, in the order of `vertices`; skips vertices past the end.
            pub(super) fn select(&self, vertices: &[usize]) -> $fours {
                match self {
                    $fours::U8(values) => $fours::U8(gather(values, vertices)),
                    $fours::F32(values) => $fours::F32(gather(values, vertices)),
                }
            }

            /// Appends values of the same type.
            pub(super) fn append(&mut self, more: $fours) {
                match (self, more) {
                    ($fours::U8(all), $fours::U8(more)) => all.extend(more),
                    ($fours::F32(all), $fours::F32(more)) => all.extend(more),
                    // Unreachable: `share_attributes` made the types equal.
                    _ => {}
                }
            }
        }
    )*};
}

impl_fours!(Colors Weights);

/// Converts bytes to floats, where 255 represents 1.0.
fn bytes_to_floats(values: Vec<[u8; 4]>) -> Vec<[f32; 4]> {
    values.into_iter().map(|value| value.map(|byte| f32::from(byte) / 255.0)).collect()
}
