//! Losses: content of the source that a conversion drops or changes.

mod category;
mod group;
mod item;
mod quantity;

pub use category::Category;
pub use group::{LargestError, LossGroup};
pub use item::{Affected, Loss, LossKind};
#[cfg(any(all(feature = "bmd", feature = "scene"), feature = "gltf"))]
pub(crate) use quantity::format_rounded;
pub use quantity::{Quantity, Unit};
