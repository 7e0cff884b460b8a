//! Losses: content that a conversion drops or changes.

mod category;
mod data;
mod group;
mod quantity;

pub use category::Category;
pub use data::{Affected, Loss, LossKind};
pub use group::{LargestError, LossGroup};
#[cfg(any(all(feature = "bmd", feature = "scene"), feature = "gltf"))]
pub(crate) use quantity::rounded;
pub use quantity::{Quantity, Unit};
