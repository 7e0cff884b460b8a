//! The conversions of a format, as data.

use super::{Conventions, FromScene, Scene, SceneOptions, SourceFields, ToScene};
use crate::{Loss, Result};

/// The conversions between documents of type `D` and scenes: [`Format::SCENES`](crate::Format::SCENES).
///
/// [`ToScene`] and [`FromScene`] declare them.
#[derive(Debug)]
pub struct SceneConversions<D> {
    pub(crate) conventions: Conventions,
    pub(crate) into_scene: SceneFromDocument<D>,
    pub(crate) source_fields: fn(&D) -> SourceFields,
    /// `None` if scenes cannot be written.
    pub(crate) from_scene: Option<DocumentFromScene<D>>,
    /// Whether readers of written files require normals.
    pub(crate) needs_normals: bool,
}

type SceneFromDocument<D> = fn(D, &SceneOptions) -> Result<(Scene, Vec<Loss>)>;

type DocumentFromScene<D> = fn(Scene, &SceneOptions) -> Result<(D, Vec<Loss>)>;

impl<D: ToScene> SceneConversions<D> {
    /// The conversion of documents to scenes.
    pub const fn reading() -> SceneConversions<D> {
        SceneConversions {
            conventions: D::CONVENTIONS,
            into_scene: D::into_scene,
            source_fields: D::source_fields,
            from_scene: None,
            needs_normals: false,
        }
    }
}

impl<D: FromScene> SceneConversions<D> {
    /// The conversions in both directions.
    pub const fn both() -> SceneConversions<D> {
        SceneConversions {
            from_scene: Some(D::from_scene),
            needs_normals: D::NEEDS_NORMALS,
            ..SceneConversions::reading()
        }
    }
}
