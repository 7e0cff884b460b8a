//! MESH 1.0: interleaved vertices, u32 indices, a skeleton and sampled animations.
//!
//! A file is a header of 13 bytes and the sections that it counts, without padding: vertices, indices, joints,
//! animations, strings. Files in the wild follow a later layout, the renderlib dialect, with a header of 78 bytes;
//! both are read and written. The declaration is [`schema`].
//!
//! ```
//! use meshspec::{Format, WriteOptions, mesh};
//!
//! let bytes = include_bytes!("../../../samples/mesh/tetrahedron.mesh");
//! let mut document = mesh::Document::read(bytes, &Default::default())?;
//! assert_eq!(document.vertices.positions().len(), 4);
//!
//! document.indices.reverse(); // turn it inside out
//! let bytes = document.write(&WriteOptions::default())?;
//! # Ok::<(), meshspec::Error>(())
//! ```

mod codec;
#[cfg(feature = "serde")]
mod data;
mod document;
mod rules;
#[cfg(feature = "scene")]
mod scene;
pub mod schema;
#[cfg(feature = "scene")]
mod skin;
#[cfg(feature = "proptest")]
pub mod strategy;
mod vertices;

pub use document::{Animation, Document};
pub use schema::{Joint, Pose, Vertex, VertexFormat};
pub use vertices::{Columns, JointColumns, Vertices};

use super::{About, Confidence, Detection, Format, locate, refuse};
use crate::info::{AnimationInfo, AttributeInfo, Bounds, Info, MeshInfo, SkeletonInfo};
use crate::layout::{Layout, Type};
use crate::{Dialect, ErrorKind, FormatId, Loss, ReadOptions, Report, Result, Text, WriteOptions};

impl Format for Document {
    const ABOUT: &'static About = &About {
        id: FormatId::Mesh,
        title: "MESH",
        summary: "interleaved vertices, a skeleton, sampled animations",
        extensions: &["mesh"],
        dialects: &[Dialect::Spec, Dialect::Renderlib],
        levels: false,
        rules: rules::RULES,
        layouts: &[("mesh", &schema::File::TYPE), ("mesh_renderlib", &schema::RenderlibFile::TYPE)],
    };

    fn detect(bytes: &[u8]) -> Detection {
        codec::detect(bytes)
    }

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        let dialect = Self::dialect_of(bytes, options)?;
        codec::read(bytes, dialect)
            .and_then(|(document, glance)| {
                let check = |report: &mut Report| rules::check_after(&glance, &document, report);
                refuse(check, options.strictness, ErrorKind::Malformed)?;
                Ok(document)
            })
            .map_err(|error| locate(error, Self::ABOUT, codec::layout(dialect), bytes, options))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        Self::ABOUT.require_dialect(self.dialect)?;
        codec::write(self)
            .and_then(|(bytes, glance)| {
                let check = |report: &mut Report| rules::check_after(&glance, self, report);
                refuse(check, options.strictness, ErrorKind::Inexpressible)?;
                Ok(bytes)
            })
            .map_err(|error| error.in_format(FormatId::Mesh))
    }

    fn check_into(&self, report: &mut Report) {
        rules::check(self, report);
    }

    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn into_dialect(mut self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
        Self::ABOUT.require_dialect(dialect)?;
        let mut losses = Vec::new();
        match (self.dialect, dialect) {
            (from, to) if from == to => {}
            (_, Dialect::Renderlib) => {
                self.root_transform.get_or_insert(IDENTITY);
                for (index, animation) in self.animations.iter_mut().enumerate() {
                    if let Some(name) = animation.name.take() {
                        let name = self.strings.get(name as usize).map(Text::to_string).unwrap_or_default();
                        let path = format!("animations[{index}].name");
                        losses.push(Loss::dropped(path, format!("the dialect has no names: \"{name}\"")));
                    }
                }
                if !self.strings.is_empty() {
                    let message = format!("the dialect has no strings: {}", self.strings.len());
                    losses.push(Loss::dropped("strings", message));
                }
                self.strings.clear();
                self.unterminated = false;
            }
            _ => {
                if self.root_transform.take().is_some_and(|transform| transform != IDENTITY) {
                    let message = "the specification has no root transform";
                    losses.push(Loss::dropped("root_transform", message));
                }
                // The specification wants a name: an empty one.
                if !self.animations.is_empty() {
                    self.strings = vec![Text::default()];
                }
                for animation in &mut self.animations {
                    animation.name = Some(0);
                }
            }
        }
        self.dialect = dialect;
        Ok((self, losses))
    }

    fn info(&self) -> Info {
        Info {
            format: FormatId::Mesh,
            dialect: self.dialect,
            meshes: vec![MeshInfo {
                vertices: self.vertices.len() as u64,
                attributes: attributes(self.vertices.format()),
                indices: self.indices.len() as u64,
                index_bits: 32,
                start: None,
                bounds: Bounds::of(self.vertices.positions().iter()),
            }],
            skeleton: (!self.joints.is_empty()).then(|| SkeletonInfo {
                joints: self.joints.len() as u64,
                roots: self.joints.iter().filter(|joint| joint.parent == 255).count() as u64,
            }),
            animations: self
                .animations
                .iter()
                .map(|animation| AnimationInfo {
                    name: self.name_of(animation).map(Text::to_string),
                    ticks: animation.duration,
                    seconds: animation.seconds(),
                    poses: animation.timestamps.len() as u64,
                })
                .collect(),
            properties: Vec::new(),
        }
    }

    fn layout_of(_: &[u8], dialect: Dialect) -> Option<&'static Type> {
        Some(codec::layout(dialect))
    }
}

const IDENTITY: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn attributes(format: VertexFormat) -> Vec<AttributeInfo> {
    let all = [
        (format.position(), "position", "3 × f32"),
        (format.normal(), "normal", "3 × f32"),
        (format.uv(), "uv", "2 × f32"),
        (format.joints(), "joint_ids", "4 × u8"),
        (format.joints(), "joint_weights", "4 × u8"),
    ];
    all.into_iter()
        .filter(|(there, ..)| *there)
        .map(|(_, name, components)| AttributeInfo { name: name.into(), components })
        .collect()
}
