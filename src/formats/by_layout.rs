//! What the layouts of a format tell of its files.

use std::ops::{ControlFlow, Range};

use super::{About, Confidence, Detection, Format};
use crate::info::{Info, Property, PropertyValue};
use crate::layout::declaration::{Field, Shape, Type};
use crate::layout::structure::TrailingVisitor;
use crate::layout::walk::{self, Fault, Node, Segment, Visit, Visitor};
use crate::text::count_mismatches;
use crate::{Dialect, Limits, Loss, ReadOptions, Report, Result, Span};

/// Returns the losses of dropping the ranges of bytes that no field covers, in a file of `size` bytes.
pub(super) fn uncovered_losses(uncovered: Vec<Range<u64>>, size: u64) -> Vec<Loss> {
    let (trailing, gaps) = uncovered
        .into_iter()
        .partition::<Vec<_>, _>(|range| range.end == size);
    let loss = |path: &str, ranges: Vec<Range<u64>>| {
        let count = ranges
            .iter()
            .map(|range| range.end - range.start)
            .sum::<u64>();
        Loss::dropped(path, "bytes that no field covers")
            .with_count(count as usize, "bytes")
            .listing(
                ranges
                    .into_iter()
                    .map(|range| Span::Bytes(range).to_string()),
            )
    };
    [loss("gaps", gaps), loss(walk::TRAILING, trailing)]
        .into_iter()
        .flatten()
        .collect()
}

pub(super) fn detect_by_layouts(about: &About, bytes: &[u8]) -> Detection {
    let layouts = about.layouts().iter().map(|(_, layout)| *layout);
    let has_dialects = about.dialects.len() > 1;
    let rated = about.dialects.iter().zip(layouts).map(|(dialect, layout)| {
        let confidence = rate_layout(layout, bytes);
        let needs_mismatch = has_dialects && confidence == Confidence::Magic;
        let mismatch = if needs_mismatch {
            first_mismatch(layout, bytes)
        } else {
            0
        };
        ((confidence, mismatch), *dialect)
    });
    // On a tie, the first layout wins.
    let best = rated.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let ((confidence, _), dialect) = best.unwrap_or(((Confidence::None, 0), Dialect::SPEC));
    Detection {
        confidence,
        dialect,
    }
}

/// Returns `false` if all layouts have magic bytes that `start` contradicts.
pub(super) fn may_start_with_magic(about: &About, start: &[u8]) -> bool {
    let layouts = about.layouts();
    layouts.is_empty()
        || layouts
            .iter()
            .any(|(_, layout)| count_mismatches(start, leading_magic(layout)) == 0)
}

/// Returns the magic bytes of a type or of its first field, if that is always at the start; otherwise, no bytes.
fn leading_magic(ty: &Type) -> &'static [u8] {
    let Type::Declared(declaration) = ty else {
        return &[];
    };
    match declaration.shape {
        Shape::Struct([first, ..])
            if declaration.magic.is_empty()
                && first.condition.is_none()
                && first.position.is_none()
                && first.block.is_none() =>
        {
            leading_magic(&first.ty)
        }
        _ => declaration.magic,
    }
}

fn rate_layout(layout: &'static Type, bytes: &[u8]) -> Confidence {
    let magic = layout.magic();
    if !magic.is_empty() {
        return Confidence::by_magic(bytes, magic);
    }
    if first_mismatch(layout, bytes) == u64::MAX {
        Confidence::Structure
    } else {
        Confidence::None
    }
}

/// Returns the offset of the first mismatch with a layout, or `u64::MAX` if the whole file matches.
fn first_mismatch(layout: &'static Type, bytes: &[u8]) -> u64 {
    let mut report = Report::default();
    match walk::walk(
        layout,
        bytes,
        &Default::default(),
        &mut TrailingVisitor(&mut report),
    ) {
        Ok(_) if report.findings().is_empty() => u64::MAX,
        Ok(end) => end,
        Err(Fault {
            span: Span::Unpacked { packed, .. },
            ..
        }) => packed.start,
        Err(fault) => fault.span.range().start,
    }
}

/// Adds the violations that [`Format::check_file`] reports by default.
pub(super) fn check_by_layout<T: Format>(
    bytes: &[u8],
    dialect: Dialect,
    limits: &Limits,
    report: &mut Report,
) -> Result<()> {
    let Some(layout) = T::layout_of(bytes, dialect) else {
        return Ok(());
    };
    let structure = T::ABOUT.structure(layout);
    if structure.check(bytes, limits, report)? {
        T::check_content(bytes, dialect, limits, report)?;
    }
    structure.locate_findings(report, bytes, limits);
    Ok(())
}

/// Summarises a file: the number of items in each of its lists and, if the format has scenes, the meshes, skeleton,
/// animations and materials of its scene.
pub(super) fn summarize<T: Format>(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
    let dialect = T::dialect_of(bytes, options)?;
    let mut info = Info::new(T::ABOUT.name, dialect);
    if let Some(layout) = T::layout_of(bytes, dialect) {
        let mut counts = ListCounts::default();
        walk::walk(layout, bytes, &options.limits, &mut counts)
            .map_err(|fault| T::ABOUT.structure(layout).to_error(&fault))?;
        info.properties = counts.0;
    }
    #[cfg(feature = "scene")]
    if let Some(scenes) = T::SCENES {
        let document = T::read(bytes, options)?;
        let (scene, _) = (scenes.into_scene)(document, &Default::default())?;
        let scene = scene.info();
        info.meshes = scene.meshes.into_iter().map(|(mesh, _)| mesh).collect();
        info.skeleton = scene.skeleton;
        info.animations = scene.animations;
        info.materials = scene.materials;
    }
    Ok(info)
}

/// The number of items in each list of variable length, summed over paths that differ only in indices.
#[derive(Default)]
struct ListCounts(Vec<Property>);

impl Visitor for ListCounts {
    fn enter(&mut self, node: &Node) -> Visit {
        let Some((item, fixed)) = node.ty.item_type_and_count() else {
            return Visit::All;
        };
        if fixed.is_none() {
            // Adds the list before any list inside its items.
            self.add_count(node.path, 0);
        }
        // Skips items without lists: there may be millions of them.
        if has_list(item) {
            Visit::All
        } else {
            Visit::Items(0..0)
        }
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Some((_, None)), Some(count)) = (node.ty.item_type_and_count(), node.count) {
            self.add_count(node.path, count);
        }
        ControlFlow::Continue(())
    }
}

impl ListCounts {
    fn add_count(&mut self, path: &[Segment], count: u64) {
        let name = path
            .iter()
            .filter_map(|segment| segment.name())
            .collect::<Vec<_>>()
            .join(".");
        match self.0.iter_mut().find(|property| property.name == name) {
            Some(Property {
                value: PropertyValue::Count(sum),
                ..
            }) => *sum = sum.saturating_add(count),
            _ => self.0.push(Property {
                name,
                value: PropertyValue::Count(count),
            }),
        }
    }
}

fn has_list(ty: &Type) -> bool {
    let field = |field: &Field| has_list(&field.ty) || has_list(&field.content_type());
    ty.flatten().is_list()
        || ty
            .declaration()
            .is_some_and(|declaration| declaration.fields().any(field))
}
