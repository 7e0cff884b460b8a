//! MESH 1.0: interleaved vertices, u32 indices, a skeleton and sampled animations.
//!
//! A file is a 13-byte header, followed by sections without padding: vertices, indices, joints, animations, strings.
//! Real files use the later renderlib dialect, with a 78-byte header. [`schema`] declares both dialects.
//!
//! The format is specified in [MESH format specification v1.0] of Surviveler by RookieGameDevs.
//!
//! [MESH format specification v1.0]: https://github.com/RookieGameDevs/surviveler/blob/c9acfd48ea8fdb7c89105650e5dd5cb0a3d41c5b/MESH_FORMAT.md
//!
//! ```
//! use meshspec::{Format, WriteOptions, mesh};
//!
//! let bytes = std::fs::read("samples/mesh/tetrahedron.mesh")?;
//! let mut document = mesh::Document::read(&bytes, &Default::default())?;
//! assert_eq!(document.vertices.positions().len(), 4);
//!
//! document.indices.reverse(); // turn it inside out
//! let bytes = document.write(&WriteOptions::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod codec;
mod contents;
mod document;
#[cfg(feature = "proptest")]
mod edge_cases;
mod examples;
mod fields;
mod rules;
#[cfg(feature = "scene")]
mod scene;
pub mod schema;
#[cfg(feature = "scene")]
mod skin;
#[cfg(feature = "proptest")]
pub mod strategy;
mod summary;
mod vertices;

pub use schema::{
    Animation, Columns, Document, Joint, NO_JOINT, Pose, Vertex, VertexFormat, Vertices,
};

use super::{
    About, AnyFormat, Confidence, Detection, Format, RuleExample, Specification, encode_checked,
    format_of, reject_violations,
};
use crate::bulk::Strings;
use crate::contents::Contents;
use crate::info::{
    AnimationInfo, AttributeInfo, Bounds, Info, MeshInfo, SkeletonInfo, describe_components,
};
use crate::layout::Layout;
use crate::layout::declaration::{Field, Shape, Type};
#[cfg(feature = "scene")]
use crate::scene::SceneConversions;
use crate::{Dialect, ErrorKind, Loss, ReadOptions, Report, Result, Rule, Text, WriteOptions};
use summary::JointSummary;

/// The format.
pub const FORMAT: AnyFormat = format_of::<Document>();

impl Format for Document {
    const ABOUT: &'static About = &About {
        summary: "interleaved vertices, a skeleton, sampled animations",
        specification: Some(Specification {
            title: "MESH format specification v1.0",
            project: "Surviveler by RookieGameDevs",
            url: "https://github.com/RookieGameDevs/surviveler/blob/c9acfd48ea8fdb7c89105650e5dd5cb0a3d41c5b/MESH_FORMAT.md",
        }),
        extensions: &["mesh"],
        dialects: &[Dialect::SPEC, Dialect::RENDERLIB],
        cites_interpretations: true,
        rules: rules::RULES,
        ..About::new(schema::NAME, "MESH", || &*schema::LAYOUTS)
    };

    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<Document>> = Some(SceneConversions::both());

    const CONVERTS_DIALECTS: bool = true;

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        read(bytes, options).map(|(document, _)| document)
    }

    fn read_and_check(
        bytes: &[u8],
        options: &ReadOptions,
        report: &mut Report,
    ) -> Result<Document> {
        let (document, summary) = read(bytes, options)?;
        rules::check_with_summary(&summary, &document, report);
        Ok(document)
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        encode_checked(self, options, || codec::write(self))
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
            (_, Dialect::RENDERLIB) => {
                self.root_transform.get_or_insert(IDENTITY);
                for (index, animation) in self.animations.iter_mut().enumerate() {
                    if let Some(name) = animation.name.take() {
                        let name = self.strings.get(name as usize).unwrap_or_default();
                        let path = format!("animations[{index}].name");
                        let loss = Loss::dropped(path, "the renderlib dialect has no names");
                        losses.push(loss.with_detail(format_args!("\"{name}\"")));
                    }
                }
                let loss = Loss::dropped("strings", "the renderlib dialect has no strings");
                losses.extend(loss.with_count(self.strings.len(), "strings").if_any());
                self.strings = Strings::default();
            }
            _ => {
                if self
                    .root_transform
                    .take()
                    .is_some_and(|transform| transform != IDENTITY)
                {
                    losses.push(Loss::dropped(
                        "root_transform",
                        "the specification has no root transform",
                    ));
                }
                // The specification requires a name, so all animations get the same empty name.
                if !self.animations.is_empty() {
                    self.strings = [Text::default()].into_iter().collect();
                }
                self.animations
                    .iter_mut()
                    .for_each(|animation| animation.name = Some(0));
            }
        }
        self.dialect = dialect;
        Ok((self, losses))
    }

    fn contents(&self) -> Contents<'static> {
        contents::contents(self)
    }

    fn info(&self) -> Info {
        let animation = |animation: &Animation| AnimationInfo {
            name: self.animation_name(animation).map(|name| name.to_string()),
            ticks: animation.duration,
            seconds: animation.seconds(),
            poses: animation.timestamps.len() as u64,
        };
        Info {
            root_transform: self.root_transform,
            meshes: vec![MeshInfo {
                vertices: self.vertices.len() as u64,
                attributes: attribute_infos(self.vertices.format()),
                indices: self.indices.len() as u64,
                index_bits: 32,
                bounds: Bounds::from_points(self.vertices.positions().iter()),
                ..MeshInfo::default()
            }],
            skeleton: (!self.joints.is_empty()).then(|| SkeletonInfo {
                joints: self.joints.len() as u64,
                roots: self
                    .joints
                    .iter()
                    .filter(|joint| joint.parent_entry().is_none())
                    .count() as u64,
                names: Vec::new(),
            }),
            animations: self.animations.iter().map(animation).collect(),
            ..Info::new(schema::NAME, self.dialect)
        }
    }

    fn detect(bytes: &[u8]) -> Detection {
        codec::detect(bytes)
    }

    fn may_start_with(start: &[u8]) -> bool {
        codec::may_start_with(start)
    }

    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        Self::check_decoded(bytes, options)
    }

    #[cfg(feature = "proptest")]
    fn files(config: crate::layout::generate::Config) -> Option<super::Files> {
        Some(super::generated::encoded_files(strategy::documents_with(
            config,
        )))
    }

    #[cfg(feature = "proptest")]
    fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
        edge_cases::edge_cases()
    }

    fn info_of(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        Self::read(bytes, options).map(|document| document.info())
    }

    fn contents_of<'f>(bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        Self::read(bytes, options).map(|document| document.contents())
    }

    fn example_of(rule: &'static Rule) -> Option<RuleExample> {
        examples::example_of(rule)
    }
}

/// Decodes and checks a file. Also returns the summary of the vertex joints, which a rule needs.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<(Document, JointSummary)> {
    let dialect = Document::dialect_of(bytes, options)?;
    let structure = Document::ABOUT.structure(schema::layout(dialect));
    let read = codec::read(bytes, dialect).and_then(|(document, summary)| {
        let check = |report: &mut Report| rules::check_with_summary(&summary, &document, report);
        reject_violations(check, options.strictness, ErrorKind::Malformed)?;
        Ok((document, summary))
    });
    read.map_err(|error| structure.locate(error, bytes, &options.limits))
}

const IDENTITY: [[f32; 4]; 4] = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// Returns the attributes in a vertex format: the fields of its record.
fn attribute_infos(format: VertexFormat) -> Vec<AttributeInfo> {
    let Type::Declared(declaration) = Vertex::TYPE else {
        return Vec::new();
    };
    let Shape::Struct(fields) = declaration.shape else {
        return Vec::new();
    };
    let scope = declaration.bind([format.into()]);
    let exists = |field: &&Field| {
        field
            .condition
            .is_none_or(|holds| holds.eval_bool(&scope) == Ok(true))
    };
    let attribute = |field: &Field| AttributeInfo {
        name: field.name.into(),
        components: describe_components(&field.ty).into(),
    };
    fields.iter().filter(exists).map(attribute).collect()
}
