//! The harm of losses: a common measure, by which they are ordered.

use super::item::{Loss, LossKind};
use super::quantity::{Quantity, Unit};
use crate::Category;

/// The largest harm of a loss that summaries may hide: 1 %, which is hardly visible in a model, a texture or a colour.
pub const HIDEABLE_HARM: f64 = 0.01;

impl Loss {
    /// Returns the harm that the loss does to the model, from 0 to 1.
    ///
    /// With an error, the harm is its fraction of the size of the mesh, of the texture width, of the range of values, or
    /// of 180°; of 1 m, 1 s or 1 if the range is unknown. Otherwise, it is the fraction of items affected, 1 if
    /// unknown. The harm is at most [`HIDEABLE_HARM`] where the values of the model are kept: if items were split,
    /// merged or renamed, and for names and content other than the model, without an error.
    ///
    /// ```
    /// use meshspec::{Loss, LossKind, Quantity, path};
    ///
    /// let dropped = Loss::new(LossKind::Dropped, path!(meshes[0].normals), "no normals");
    /// let mut turned = Loss::new(LossKind::Quantized, path!(meshes[0].normals), "normals packed");
    /// (turned.error, turned.quantity) = (Some(9.0), Some(Quantity::NORMALS));
    /// assert_eq!([dropped.harm(), turned.harm()], [1.0, 0.05]);
    /// ```
    pub fn harm(&self) -> f64 {
        let share = match self.affected.map(|affected| (affected.count, affected.of)) {
            Some((count, Some(of))) if of > 0 => (count as f64 / of as f64).min(1.0),
            _ => 1.0,
        };
        let is_kept = matches!(
            self.kind,
            LossKind::Split | LossKind::Merged | LossKind::Renamed
        ) || matches!(self.category, Category::Names | Category::Other);
        match self.error {
            Some(error) => self.error_harm(error),
            None if is_kept => share.min(HIDEABLE_HARM),
            None => share,
        }
    }

    fn error_harm(&self, error: f64) -> f64 {
        let range = match (self.quantity, self.size) {
            (_, Some(size)) => size,
            (
                Some(Quantity {
                    unit: Unit::Degrees,
                    ..
                }),
                None,
            ) => 180.0,
            _ => 1.0,
        };
        let harm = error.abs() / range;
        // An unknown error may be any.
        if harm.is_nan() { 1.0 } else { harm.min(1.0) }
    }
}
