//! Losses: content of the source that a conversion drops or changes.

mod category;
mod group;
mod harm;
mod item;
mod quantity;

pub use category::Category;
pub use group::{LargestError, LossGroup};
pub use harm::HIDEABLE_HARM;
pub use item::{Affected, Loss, LossKind};
#[cfg(all(feature = "bmd", feature = "scene"))]
pub(crate) use quantity::format_plain;
#[cfg(any(all(feature = "bmd", feature = "scene"), feature = "gltf"))]
pub(crate) use quantity::format_rounded_up;
pub use quantity::{Quantity, Unit, round_up};
