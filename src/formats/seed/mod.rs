//! Seed text files: properties, then a line for each attribute of each vertex, then faces.
//!
//! The syntax is declared in `grammar/seed.pest`, the attribute table in [`schema`].
//!
//! The format is specified in [Mesh File Format Specification (.mesh)] of Seed Engine by Confictura Studios.
//!
//! [Mesh File Format Specification (.mesh)]: https://github.com/ConficturaStudios/seed-engine/blob/f8f17b66edfe18ca5922aeb7a40634605656c34a/core/docs/MeshFileSpecification.md
//!
//! ```
//! use meshspec::{Format, ReadOptions, WriteOptions, seed};
//!
//! let text = std::fs::read("samples/seed/facets.mesh")?;
//! let mut document = seed::Document::read(&text, &ReadOptions::default())?;
//! assert_eq!(document.property("name"), Some("Tetrahedron"));
//! assert_eq!(document.faces.len(), 4);
//!
//! document.faces.truncate(3);
//! let text = document.write(&WriteOptions::default())?;
//! assert!(text.ends_with(b"\nf 6, 7, 8\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```
//! use meshspec::Format;
//! use meshspec::seed::{Document, Property};
//!
//! let document = Document {
//!     properties: vec![Property { name: "name".into(), value: "Flag".into() }],
//!     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!     normals: vec![[0.0, 0.0, 1.0]; 3],
//!     uvs: vec![vec![[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]],
//!     faces: vec![[0, 1, 2]],
//!     ..Document::default()
//! };
//! assert_eq!(document.check().errors(), 0);
//! ```

mod attributes;
mod codec;
mod columns;
mod contents;
mod document;
mod dump;
#[cfg(feature = "proptest")]
mod edge_cases;
mod examples;
mod rules;
#[cfg(feature = "scene")]
mod scene;
pub mod schema;
#[cfg(feature = "proptest")]
pub mod strategy;
mod syntax;
pub(super) mod values;

pub use schema::{Comment, CommentPlace, Document, LineKind, LineRef, Property};

use std::ops::ControlFlow;

use super::{
    About, AnyFormat, Detection, Format, RuleExample, Specification, format_of, reject_violations,
};
use crate::contents::Contents;
use crate::info::{self, AttributeInfo, Bounds, Info, MeshInfo};
use crate::layout::Layout;
use crate::layout::grammar::{Grammar, Occurrence, ValueType};
#[cfg(feature = "scene")]
use crate::scene::SceneConversions;
use crate::{
    Confidence, Dialect, Error, ErrorKind, Line, ReadOptions, Report, Result, Rule, Severity,
    WriteOptions,
};
use codec::diagnostic::UnreadableLines;
use codec::{detect, locate, write};

/// The format.
pub const FORMAT: AnyFormat = format_of::<Document>();

impl Format for Document {
    const ABOUT: &'static About = &About {
        summary: "lines of text: properties, vertex attributes, faces",
        specification: Some(Specification {
            title: "Mesh File Format Specification (.mesh)",
            project: "Seed Engine by Confictura Studios",
            url: "https://github.com/ConficturaStudios/seed-engine/blob/f8f17b66edfe18ca5922aeb7a40634605656c34a/core/docs/MeshFileSpecification.md",
        }),
        extensions: &["mesh"],
        cites_interpretations: true,
        rules: rules::RULES,
        values: Some(|| &<values::File as Layout>::TYPE),
        ..About::new(schema::NAME, "Seed", || &[])
    };

    const GRAMMAR: Option<&'static Grammar> = Some(&schema::GRAMMAR);

    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<Document>> = Some(SceneConversions::both());

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        Self::dialect_of(bytes, options)?;
        let rejected = options.strictness.threshold();
        let read = codec::read(bytes, &codec_options(options, Some(rejected)));
        let mut report = Report::at_least(rejected, &options.limits);
        read.diagnostics.report(bytes, &mut report);
        if report.findings().is_empty() {
            rules::check_structure(&read.document, read.diagnostics.unreadable, &mut report);
        }
        locate::locate(bytes, &mut report);
        match report.findings().first() {
            Some(first) => {
                Err(Error::from_finding(ErrorKind::Malformed, first).in_format(schema::NAME))
            }
            None => Ok(read.document),
        }
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        // The writer relies on the fatal rules, so the check comes first.
        reject_violations(
            |report| self.check_into(report),
            options.strictness,
            ErrorKind::Inexpressible,
        )
        .map(|()| write::write(self, options.comments))
        .map_err(|error| error.in_format(schema::NAME))
    }

    fn check_into(&self, report: &mut Report) {
        rules::check(self, UnreadableLines::default(), report);
    }

    fn contents(&self) -> Contents<'static> {
        contents::contents(self)
    }

    fn info(&self) -> Info {
        let is_used =
            |k: &LineKind| k.attribute().occurs == Occurrence::Vertex && self.has_channel(*k);
        Info {
            properties: self.properties.iter().map(property_info).collect(),
            meshes: vec![MeshInfo {
                vertices: self.vertex_count() as u64,
                attributes: LineKind::ALL
                    .into_iter()
                    .filter(is_used)
                    .map(attribute_info)
                    .collect(),
                indices: 3 * self.faces.len() as u64,
                index_bits: 32,
                bounds: Bounds::from_points(self.positions.iter().copied()),
                ..MeshInfo::default()
            }],
            ..Info::new(schema::NAME, Dialect::SPEC)
        }
    }

    fn detect(bytes: &[u8]) -> Detection {
        Detection {
            confidence: detect::confidence(bytes),
            dialect: Dialect::SPEC,
        }
    }

    /// Text without a line of Seed may be a long comment, but not if it contains NUL.
    fn may_start_with(start: &[u8]) -> bool {
        detect::confidence(start) != Confidence::None || !start.contains(&0)
    }

    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        Self::dialect_of(bytes, options)?;
        let read = codec::read(bytes, &codec_options(options, None));
        let mut report = Report::new(&options.limits);
        read.diagnostics.report(bytes, &mut report);
        if !read.is_stopped {
            rules::check(&read.document, read.diagnostics.unreadable, &mut report);
        }
        locate::locate(bytes, &mut report);
        Ok(report)
    }

    #[cfg(feature = "proptest")]
    fn files(config: crate::layout::generate::Config) -> Option<super::Files> {
        Some(strategy::files(config))
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

    fn lines(bytes: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
        dump::visit_lines(bytes, each);
    }

    fn check_lines(bytes: &[u8]) -> Report {
        let options = ReadOptions::default();
        let read = codec::read(bytes, &codec_options(&options, None));
        let mut report = Report::at_least(Severity::Fatal, &options.limits);
        if !read.is_stopped {
            rules::check_structure(&read.document, read.diagnostics.unreadable, &mut report);
        }
        locate::locate(bytes, &mut report);
        report
    }
}

/// Exposes reading with and without the fast path to tests, which compare the results.
#[cfg(feature = "proptest")]
#[doc(hidden)]
pub mod __private {
    pub use super::codec::{MAX_PARSED_BYTES, MIN_CHUNK_SIZE, Options, read_to_text};
    pub use super::columns::MAX_VALUES;
}

fn codec_options(options: &ReadOptions, stop_at: Option<Severity>) -> codec::Options {
    let ReadOptions {
        comments, limits, ..
    } = *options;
    codec::Options {
        stop_at,
        comments,
        limits,
        grammar_only: false,
        min_chunk_size: codec::MIN_CHUNK_SIZE,
    }
}

fn property_info(Property { name, value }: &Property) -> info::Property {
    info::Property {
        name: name.clone(),
        value: info::PropertyValue::Text(value.clone()),
    }
}

fn attribute_info(kind: LineKind) -> AttributeInfo {
    let attribute = kind.attribute();
    let name = if attribute.value_type == ValueType::Float {
        "f32"
    } else {
        "u32"
    };
    let components = match attribute.values {
        1 => name.to_owned(),
        count => format!("{count} × {name}"),
    };
    AttributeInfo {
        name: attribute.name.into(),
        components: components.into(),
    }
}
